//! What a dependency on the library costs a tree that has tokio and reqwest already: crates, and the
//! CPU time of a clean debug build.
//!
//! Each tree is a package of its own in a scratch folder, with the locked versions of this one.

use super::rotated;
use crate::facts::LOCK;
use crate::figures::{Rounds, Unit};
use crate::table::{Bar, Row};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const BASE: &str = r#"
reqwest = { version = "0.13", default-features = false, features = ["json", "stream"] }
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
"#;
const WIREMOCK: &str = "wiremock = \"0.6\"\n";

pub fn crates() -> Vec<Row> {
    let scratch = Scratch::new();
    let base = scratch.package("base", "").crates();
    let beyond = |name, added: &str| {
        let all = scratch.package(name, added).crates();
        all.difference(&base).count()
    };
    let lean = beyond("lean", &lean()) - 1;
    let default = beyond("default", &default()) - 1;
    let wiremock = beyond("wiremock", WIREMOCK);
    let text = |crates: usize| Unit::Crates.text(crates as f64);
    vec![
        Row::new(
            11,
            "crates beyond tokio and reqwest, without wiremock",
            text(lean),
        )
        .other("wiremock", text(wiremock))
        .value(lean as f64, Bar::AtMost(6.0), Unit::Crates),
        Row::new(
            11,
            "crates beyond tokio and reqwest, default features",
            text(default),
        )
        .other("wiremock", text(wiremock)),
    ]
}

pub fn clean_builds(rounds: usize) -> Vec<Row> {
    let scratch = Scratch::new();
    let trees = [
        ("base", scratch.package("base", "")),
        ("lean", scratch.package("lean", &lean())),
        ("default", scratch.package("default", &default())),
        ("wiremock", scratch.package("wiremock", WIREMOCK)),
    ];
    trees.iter().for_each(|(_, package)| package.fetch());
    let mut seconds = Rounds::default();
    for round in 0..rounds {
        for (name, package) in rotated(&trees, round) {
            let spent = package.clean_build();
            eprintln!("round {round}, {name}: {spent:.1} s");
            seconds.add(name, spent);
        }
    }
    let figure = |name| seconds.figure(name).expect("every tree is built");
    let gained = |name| figure(name) - figure("base");
    let wiremock = gained("wiremock");
    let row = |what: &str, name, bar| {
        Row::new(12, what, Unit::Time.text(gained(name)))
            .other("wiremock", Unit::Time.text(wiremock))
            .ratio(gained(name) / wiremock, bar, "wiremock")
    };
    vec![
        row(
            "CPU time a clean debug build gains, without wiremock",
            "lean",
            Bar::AtMost(0.5),
        ),
        row(
            "CPU time a clean debug build gains, default features",
            "default",
            Bar::AtMost(1.3),
        ),
    ]
}

fn lean() -> String {
    let library = library();
    format!(
        "llm-wire-stub = {{ path = {library:?}, default-features = false, features = [\"server\"] }}\n"
    )
}

fn default() -> String {
    format!("llm-wire-stub = {{ path = {:?} }}\n", library())
}

fn library() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors()
        .nth(2)
        .expect("this crate lies in the library's benches")
        .to_owned()
}

/// A folder that is gone when it is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        let name = format!("llm-wire-stub-peers-{}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    fn package(&self, name: &str, added: &str) -> Package {
        let folder = self.0.join(name);
        fs::create_dir_all(folder.join("src")).expect("the scratch folder is writable");
        let manifest = format!(
            "[package]\nname = \"scratch-{name}\"\nedition = \"2024\"\n[dependencies]{BASE}{added}[workspace]\n"
        );
        let files = [
            ("Cargo.toml", manifest.as_str()),
            ("Cargo.lock", LOCK),
            ("src/lib.rs", ""),
        ];
        for (file, text) in files {
            fs::write(folder.join(file), text).expect("the scratch folder is writable");
        }
        Package(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // a folder that stays behind in the temporary files harms nobody
        let _ = fs::remove_dir_all(&self.0);
    }
}

struct Package(PathBuf);

impl Package {
    /// Name and version of every crate in the tree, this package aside.
    fn crates(&self) -> BTreeSet<String> {
        let arguments = [
            "tree",
            "--edges",
            "normal",
            "--prefix",
            "none",
            "--no-dedupe",
        ];
        let output = self.cargo(&arguments).output().expect("cargo runs");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let text = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
        let crates = text.lines().filter(|line| !line.starts_with("scratch-"));
        let name_and_version = |line: &str| {
            let words: Vec<&str> = line.split(' ').take(2).collect();
            words.join(" ")
        };
        crates.map(name_and_version).collect()
    }

    fn fetch(&self) {
        let status = self.cargo(&["fetch", "--quiet"]).status();
        assert!(status.expect("cargo runs").success(), "cargo fetch failed");
    }

    /// User and system time of one clean debug build, rustc's included.
    fn clean_build(&self) -> f64 {
        // it is not there before the first build
        let _ = fs::remove_dir_all(self.0.join("target"));
        let before = cpu_of_children();
        let status = self
            .cargo(&["build", "--offline", "--quiet", "-j2"])
            .status();
        assert!(
            status.expect("cargo runs").success(),
            "the build of {:?} failed",
            self.0
        );
        cpu_of_children() - before
    }

    /// Cargo without the settings of the run that started this program. Nothing is compiled
    /// incrementally, as the dependencies of a real tree are not.
    fn cargo(&self, arguments: &[&str]) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(arguments).current_dir(&self.0);
        for name in [
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "RUSTC_WRAPPER",
            "CARGO_BUILD_TARGET",
        ] {
            command.env_remove(name);
        }
        command.env("CARGO_TARGET_DIR", self.0.join("target"));
        command.env("CARGO_INCREMENTAL", "0");
        command
    }
}

/// CPU time of all children that were waited for, and of theirs: fields 16 and 17 of
/// `/proc/self/stat`, in ticks of 10 ms on every Linux.
fn cpu_of_children() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").expect("Linux has /proc");
    // the second field is the program's name in brackets, and may hold spaces
    let (_, rest) = stat.rsplit_once(") ").expect("the name is in brackets");
    let ticks = rest.split(' ').skip(13).take(2);
    let ticks: u64 = ticks
        .map(|field| field.parse::<u64>().expect("ticks are a number"))
        .sum();
    ticks as f64 / 100.0
}
