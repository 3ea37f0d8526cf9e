//! OpenAI Chat Completions: `POST /v1/chat/completions`.
//!
//! ```text
//! role chunk*                              the last of each choice has its finish_reason
//! (usage chunk)                            choices [], where the request asks for it
//! [DONE]
//! ```
//!
//! Bytes as the service writes them in 2026, known from recorded traffic: events without a name, compact JSON, raw
//! UTF-8, an `obfuscation` that makes each chunk's length in characters 1 modulo 16. The non-streaming body is
//! indented and ends in a newline.

mod accumulate;
mod asked;
mod error;
mod head;
mod offer;
mod view;

pub(crate) use accumulate::{ChatAccumulator, body_to_reply};
pub(crate) use asked::Asked;
pub(crate) use error::{error_answer, error_event};
pub(crate) use head::head;
pub(crate) use offer::{calls, text_schema};
pub(crate) use view::view;

/// The model named where neither the turn nor the request names one.
const DEFAULT_MODEL: &str = "gpt-4o-mini-2024-07-18";

pub(crate) const UNWRITTEN: &str =
    "turns cannot be said on this API yet\n  help: only its errors can, `Turn::error(..)`";

/// What each generated value's dice are for, so that one more draw of one never moves another.
mod purpose {
    pub(super) const HEAD: u64 = 6;
}
