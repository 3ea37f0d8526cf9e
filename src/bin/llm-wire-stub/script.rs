//! Files in, scripts out.

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::Args;
use llm_wire_stub::{Api, Script};

/// The files of a command that plays them.
#[derive(Args, Debug)]
pub(crate) struct Scripts {
    /// What is said, in this order: fixtures, and recorded streams (`*.sse`), which need `--api`.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl Scripts {
    /// Those of all files.
    ///
    /// # Errors
    ///
    /// Which file is none, and why.
    pub(crate) fn load(&self, api: Option<Api>) -> Result<Vec<Script>, String> {
        self.files.iter().map(|file| load(file, api)).collect()
    }
}

/// That of one file.
///
/// # Errors
///
/// That it is none, and why.
pub(crate) fn load(file: &Path, api: Option<Api>) -> Result<Script, String> {
    let name = file.display();
    if file.extension().is_none_or(|extension| extension != "sse") {
        return Script::from_file(file).map_err(|error| error.to_string());
    }
    let Some(api) = api else {
        return Err(format!(
            "{name} is a recorded answer, and nothing says of which API\n  help: name it with `--api`"
        ));
    };
    let body = fs::read(file).map_err(|error| {
        format!("cannot read {name}: {error}\n  help: give the path of a file that holds the body of one answer")
    })?;
    Script::from_wire(api, &body).map_err(|error| format!("{name}: {error}"))
}
