//! OpenAI Chat Completions: `POST /v1/chat/completions`.
//!
//! ```text
//! role chunk*                              the last of each choice has its finish_reason
//! (usage chunk)                            choices [], where the request asks for it
//! (moderation chunk)                       as that
//! [DONE]
//! ```
//!
//! The bytes are those of a dialect: `dialect/` has a table with a row for each vendor, which everything else reads.
//! OpenAI's own are as the service writes them in 2026, known from recorded traffic: events without a name, compact JSON, raw
//! UTF-8, an `obfuscation` that makes each chunk's length in characters 1 modulo 16. The non-streaming body is
//! indented and ends in a newline.

mod accumulate;
mod asked;
mod dialect;
mod from_wire;
mod offer;
mod render;
mod rules;
mod view;
mod words;

pub(crate) use accumulate::{ChatAccumulator, body_to_reply, read_usage};
pub(crate) use asked::Asked;
pub(crate) use dialect::{
    RulesOf, base_path, error_answer, error_events, head, known_path, line_end, of_request, paths,
    rules_of, without_key,
};
pub(crate) use from_wire::{body_to_turn, stream_to_turn};
pub(crate) use offer::{calls, text_schema};
pub(crate) use render::{Events, body, normalized, reasoned_calls};
pub(crate) use rules::{REASONING_PASSED_BACK, first_broken, rules};
pub(crate) use view::view;

/// What each generated value's dice are for, so that one more draw of one never moves another.
mod purpose {
    pub(super) const MESSAGE: u64 = 1;
    pub(super) const TOOLS: u64 = 2;
    pub(super) const OBFUSCATION: u64 = 3;
    pub(super) const FRAGMENTS: u64 = 4;
    pub(super) const FINGERPRINT: u64 = 5;
    pub(super) const LOGPROBS: u64 = 7;
    pub(super) const MODERATION: u64 = 8;
    pub(super) const COMMENTS: u64 = 9;
    pub(super) const TOKENS: u64 = 10;
    pub(super) const SEED: u64 = 11;
    pub(super) const REQUEST: u64 = 12;
    pub(super) const HEAD: u64 = 13;
    pub(super) const SIGNATURE: u64 = 14;
}
