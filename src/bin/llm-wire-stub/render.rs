//! `render`: the bytes that a stub would write for a turn.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use llm_wire_stub::Api;

use crate::{UNUSABLE, fail, print, script};

const EXAMPLES: &str = "\
Examples:
  llm-wire-stub render script.json --api anthropic_messages
  llm-wire-stub render script.json --api openai_chat --turn 2 --json | jq .choices

Exit status:
  0  the bytes are on stdout
  1  this API cannot play the turn, or there is none; stderr says why
  2  the file is no script, or the command line is wrong";

/// Print the body of an answer, as a stub writes it to a request that asks for nothing in particular.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Render {
    /// The script: a fixture, or a recorded stream (`*.sse`).
    file: PathBuf,
    /// Whose form it has: anthropic_messages, openai_chat, openai_responses or openai_completions.
    #[arg(long, value_name = "NAME")]
    api: Api,
    /// Which turn of the sequence, counted from 1.
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    turn: u32,
    /// Print the answer that does not stream.
    #[arg(long)]
    json: bool,
}

const UNPLAYABLE: u8 = 1;

impl Render {
    pub(crate) fn run(&self) -> ExitCode {
        let script = match script::load(&self.file, Some(self.api)) {
            Ok(script) => script,
            Err(why) => return fail(UNUSABLE, &why),
        };
        let index = usize::try_from(self.turn - 1).unwrap_or(usize::MAX);
        let body = if self.json {
            script.try_json_body(self.api, index)
        } else {
            script.try_sse_body(self.api, index)
        };
        match body {
            Err(why) => fail(UNPLAYABLE, &format!("{}: {why}", self.file.display())),
            Ok(body) => match print(body) {
                Ok(()) => ExitCode::SUCCESS,
                Err(why) => fail(UNUSABLE, &why),
            },
        }
    }
}
