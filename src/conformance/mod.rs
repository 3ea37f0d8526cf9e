//! The client under test: every fault of the catalogue and every scenario against it, and a verdict for each.
//!
//! A client is a function from a base URL to what it read. The suite calls it once for each case, on a server of its own
//! that plays one answer: first undamaged ones, by which it learns the client's words for stop reasons, then each damaged
//! one under several cuts, then what takes several answers.
//!
//! ```
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! use llm_wire_stub::{Api, accumulate, conformance::{self, Transcript}};
//!
//! let report = conformance::suite(Api::OpenAiChat)
//!     .only(["eol-crlf", "eof-before-terminal"]) // without it every case that the API can have
//!     .run(|base_url| async move {
//!         // in place of your client: one that reads everything, and then makes sense of it
//!         let body = r#"{"model": "m", "stream": true, "messages": [{"role": "user", "content": "go"}]}"#;
//!         let request = reqwest::Client::new().post(base_url + "/chat/completions").bearer_auth("key");
//!         let bytes = request.body(body).send().await.map_err(|e| e.to_string())?.bytes().await;
//!         let reply = accumulate(Api::OpenAiChat, &bytes.map_err(|e| e.to_string())?);
//!         let reply = reply.map_err(|e| e.to_string())?;
//!         Ok::<_, String>(Transcript::text(reply.text()).tool_calls(reply.tool_calls().cloned()))
//!     })
//!     .await;
//! report.assert_clean(); // or look at it: `{report}`, `to_markdown()`, `to_json()`
//! # });
//! ```
//!
//! # Verdicts
//!
//! | verdict | the client | means |
//! | --- | --- | --- |
//! | [`Equal`](Verdict::Equal) | succeeded with what the bytes carry | right where it must succeed |
//! | [`Loud`](Verdict::Loud) | failed, and says so; or was dropped, and closed its connection | right where it must fail; elsewhere it gives up on a good answer |
//! | [`SilentWrong`](Verdict::SilentWrong) | succeeded with another result, or by what it may not do: a second paid request, a key to another host | data is lost, and nobody will know |
//! | [`Hang`](Verdict::Hang) | is not back after six times its limit on silence, or keeps the connection of a call that is over | the caller waits for ever, or the provider goes on generating |
//! | [`Panic`](Verdict::Panic) | panicked when its future was made, polled or dropped | a stranger's bytes can end the task |
//! | [`BadRequest`](Verdict::BadRequest) | asked nothing that has an answer; the detail names the rule | nothing was tested: mend the request |
//! | [`Skipped`](Verdict::Skipped) | was not judged | the suite was told so, or the client waits before it asks again for longer than the suite does |
//!
//! What a kind asks of a client is its [`Requirement`](crate::Requirement); a few accept a second outcome, unless the suite
//! is [`strict`](Suite::strict). A verdict that neither lists is not clean, unless it is [pinned](Suite::pin): a pin
//! notices a fix as well as a regression. The report says what of a [`Transcript`] the client is silent about, since that
//! cannot be compared.
//!
//! # Time
//!
//! Stalls never end, and run on the real clock. With [`idle_limit`](Suite::idle_limit) the suite knows how long to wait: let
//! the client have a limit of a hundred milliseconds or more, and short waits before it asks again.
//!
//! # Files
//!
//! | file | holds |
//! | --- | --- |
//! | `suite.rs` | [`Suite`]: what is run, and in what order |
//! | `rounds.rs` | cases at once, and those again whose verdict may be the machine's doing |
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
mod rounds;
mod runner;
mod scenario;
mod stage;
mod suite;
mod transcript;

pub use judge::Verdict;
pub use report::{CaseReport, HtmlError, Report, html};
pub use suite::{Suite, suite};
pub use transcript::{IntoStopReason, Transcript};
