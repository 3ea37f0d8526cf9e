//! The client under test: every fault of the catalogue against it, and a verdict for each.
//!
//! | file | holds |
//! | --- | --- |
//! | `suite.rs` | [`Suite`]: what is run, and the running of it |
//! | `case.rs` | the cases: catalogue × cuts, each with the answer that it damages |
//! | `transcript.rs` | [`Transcript`]: what the client read |
//! | `judge.rs` | what a correct client reads, and the [`Verdict`] on this one |
//! | `crowd.rs` | many calls at once, under any runtime; panics and time-outs caught |
//! | `report.rs` | [`Report`]: what came of it, to be read, pinned and asserted |

mod case;
mod crowd;
mod judge;
mod report;
mod suite;
mod transcript;

pub use judge::Verdict;
pub use report::{CaseReport, Report};
pub use suite::{Suite, suite};
pub use transcript::{IntoStopReason, Transcript};
