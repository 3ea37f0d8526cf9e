//! How a driver is started: on what `.ci/interop` installed, with no proxy, no credentials and no settings of this machine.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// A driver in Python, by its path in this crate.
///
/// # Panics
///
/// If the SDKs are not installed.
#[must_use]
#[track_caller]
pub fn python(driver: &str) -> Command {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = bare(&installed("venv/bin/python"));
    command.arg(here.join(driver));
    command
}

/// A driver in TypeScript's runtime, Node. It is handed over as text, because modules are looked up from where the code
/// stands.
///
/// # Panics
///
/// If the SDKs are not installed.
#[must_use]
#[track_caller]
pub fn node(driver: &str) -> Command {
    let mut command = bare(Path::new("node"));
    command
        .current_dir(installed("node/node_modules").join(".."))
        .args(["--input-type=module", "--eval", driver]);
    command
}

fn bare(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("HOME", scratch());
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command
}

#[track_caller]
fn installed(path: &str) -> PathBuf {
    let path = scratch().join(path);
    assert!(
        path.exists(),
        "the SDKs are not installed: `{}` is missing\n  help: run `.ci/interop`",
        path.display()
    );
    path
}

fn scratch() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(".scratch")
}
