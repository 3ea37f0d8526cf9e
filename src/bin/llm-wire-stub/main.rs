//! The command: what the library does, for a shell and for other languages.
//!
//! | file | holds |
//! | --- | --- |
//! | `check.rs` | `check`: recorded bytes in, what they say out, or what is wrong with them |
//! | `message/` | the provider's own message, put together from the events of its stream |
//!
//! Data goes to stdout, errors to stderr.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the library's enums can grow, and what else a JSON value can be is all one here"
)]

mod check;
mod message;

use std::process::ExitCode;

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
}

fn main() -> ExitCode {
    match Command::parse().verb {
        Verb::Check(check) => check.run(),
    }
}
