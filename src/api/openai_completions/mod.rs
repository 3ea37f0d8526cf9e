//! OpenAI's legacy text completions: `POST /v1/completions`.
//!
//! ```text
//! chunk*                                   the last of each choice has no text, and its finish_reason
//! (usage chunk)                            choices [], where the request asks for it
//! [DONE]
//! ```
//!
//! Members and their types are those of the official SDKs, the rest is known from the documentation and from public
//! reports; none of it from recorded traffic. Chunks and body are one object, a `text_completion`; the members of a
//! chunk stand in another order. There are as many choices as prompts times `n`.

mod accumulate;
mod asked;
mod from_wire;
mod head;
mod offer;
mod render;
mod rules;
mod view;
mod words;

pub(crate) use accumulate::{CompletionsAccumulator, body_to_reply};
pub(crate) use asked::Asked;
pub(crate) use from_wire::{body_to_turn, stream_to_turn};
pub(crate) use head::head;
pub(crate) use offer::{calls, text_schema};
pub(crate) use render::{Events, body, normalized};
pub(crate) use rules::{first_broken, rules};
pub(crate) use view::view;

/// In the words of a message.
const NAME: &str = "OpenAI Completions";

/// What each generated value's dice are for, so that one more draw of one never moves another.
mod purpose {
    pub(super) const COMPLETION: u64 = 1;
    pub(super) const LOGPROBS: u64 = 7;
}
