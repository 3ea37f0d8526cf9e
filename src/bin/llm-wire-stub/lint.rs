//! `lint`: whether every turn of a script can be played, on each API.

use std::{fmt::Write as _, path::PathBuf, process::ExitCode};

use clap::Args;
use llm_wire_stub::{Api, Script, UnplayableError};

use crate::{UNUSABLE, fail, print, script};

const EXAMPLES: &str = "\
Examples:
  llm-wire-stub lint script.json
  llm-wire-stub lint script.json --api openai_chat && llm-wire-stub serve script.json --api openai_chat

Exit status:
  0  the API named can play every turn; without --api, one of them can
  1  it cannot; stdout says which turn, and why
  2  the file is no script; stderr says where, and why";

/// Say for each API whether every turn of a script can be played on it.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Lint {
    /// The script: a fixture, or a recorded stream (`*.sse`) of the API named.
    file: PathBuf,
    /// The API that has to play it; without it, any of them.
    #[arg(long, value_name = "NAME")]
    api: Option<Api>,
}

const UNPLAYABLE: u8 = 1;

impl Lint {
    pub(crate) fn run(&self) -> ExitCode {
        let script = match script::load(&self.file, self.api) {
            Ok(script) => script,
            Err(why) => return fail(UNUSABLE, &why),
        };
        let (mut said, mut plays) = (String::new(), false);
        for api in Api::all() {
            let linted = Linted::of(&script, api);
            plays |= linted.plays() && self.api.is_none_or(|named| named == api);
            linted.say(&mut said);
        }
        match print(said) {
            Ok(()) if plays => ExitCode::SUCCESS,
            Ok(()) => ExitCode::from(UNPLAYABLE),
            Err(why) => fail(UNUSABLE, &why),
        }
    }
}

type Checked = Result<(), Vec<UnplayableError>>;

/// What an API can do with a script.
struct Linted {
    api: Api,
    streams: Checked,
    bodies: Checked,
}

impl Linted {
    fn of(script: &Script, api: Api) -> Self {
        Self {
            api,
            streams: script.check_streams(api),
            bodies: script.check_bodies(api),
        }
    }

    /// Whether it can play every turn, in one form or the other.
    const fn plays(&self) -> bool {
        self.streams.is_ok() || self.bodies.is_ok()
    }

    fn say(&self, said: &mut String) {
        let (word, errors) = match (&self.streams, &self.bodies) {
            (Ok(()), Ok(())) => ("plays", None),
            (Ok(()), Err(errors)) => ("plays as streams only", Some(errors)),
            (Err(errors), Ok(())) => ("plays as bodies only", Some(errors)),
            (Err(errors), Err(_)) => ("does not play", Some(errors)),
        };
        let _ = writeln!(said, "{:<18} {word}", self.api.name());
        for error in errors.into_iter().flatten() {
            let error = error.to_string().replace('\n', "\n    ");
            let _ = writeln!(said, "  - {error}");
        }
    }
}
