//! The client under test: every fault of the catalogue against it, and a verdict for each.
//!
//! | file | holds |
//! | --- | --- |
//! | `suite.rs` | [`Suite`]: what is run, and in what order |
//! | `case.rs`, `id.rs` | the cases: catalogue × cuts, each with the answer that it damages; how they are called |
//! | `runner.rs` | one case: a server of its own, one call, and what came of it |
//! | `scenario.rs`, `stage.rs` | the cases of several answers, and their playing |
//! | `transcript.rs` | [`Transcript`]: what the client read |
//! | `judge.rs` | what a correct client reads, and the [`Verdict`] on this one |
//! | `crowd.rs` | many calls at once, under any runtime; panics caught |
//! | `report/` | [`Report`]: what came of it, to be read, pinned and asserted |

mod case;
mod crowd;
mod id;
mod judge;
mod report;
mod runner;
mod scenario;
mod stage;
mod suite;
mod transcript;

pub use judge::Verdict;
pub use report::{CaseReport, HtmlError, Report, html};
pub use suite::{Suite, suite};
pub use transcript::{IntoStopReason, Transcript};
