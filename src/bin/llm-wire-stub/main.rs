//! The command: what the library does, for a shell and for other languages.
//!
//! | file | holds |
//! | --- | --- |
//! | `check.rs` | `check`: recorded bytes in, what they say out, or what is wrong with them |
//! | `serve.rs` | `serve`: a provider on a port, and a verdict at its end |
//! | `render.rs` | `render`: the bytes that it would write for a turn |
//! | `lint.rs` | `lint`: which API can play a script |
//! | `script.rs` | the files of those that play them |
//! | `message/` | the provider's own message, put together from the events of its stream |
//!
//! Data goes to stdout, errors to stderr.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the library's enums can grow, and what else a JSON value can be is all one here"
)]

mod check;
mod lint;
mod message;
mod render;
mod script;
mod serve;

use std::{
    io::{self, Write as _},
    process::ExitCode,
};

use clap::{Parser, Subcommand};

/// A scripted LLM provider, and a strict reader of what real ones send.
#[derive(Debug, Parser)]
#[command(version, about, arg_required_else_help = true)]
struct Command {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Check(check::Check),
    Serve(serve::Serve),
    Render(render::Render),
    Lint(lint::Lint),
}

fn main() -> ExitCode {
    match Command::parse().verb {
        Verb::Check(check) => check.run(),
        Verb::Serve(serve) => serve.run(),
        Verb::Render(render) => render.run(),
        Verb::Lint(lint) => lint.run(),
    }
}

/// What was given cannot be worked with.
const UNUSABLE: u8 = 2;

#[expect(clippy::print_stderr, reason = "errors of a command belong there")]
fn fail(code: u8, what: &str) -> ExitCode {
    eprintln!("{what}");
    ExitCode::from(code)
}

/// Prints data.
///
/// # Errors
///
/// If it cannot be written, unless whoever reads it has seen enough.
fn print(data: impl AsRef<[u8]>) -> Result<(), String> {
    let mut stdout = io::stdout().lock();
    let printed = stdout.write_all(data.as_ref());
    match printed.and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("cannot write to stdout: {error}"))
        }
        _ => Ok(()),
    }
}
