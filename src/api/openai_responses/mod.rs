//! OpenAI Responses: `POST /v1/responses`.
//!
//! ```text
//! response.created response.in_progress item* terminal
//! item     = output_item.added  inner  output_item.done
//! terminal = response.completed | response.incomplete | error response.failed
//!
//! message inner   = content_part.added (output_text.delta | annotation.added)* output_text.done content_part.done
//! reasoning inner = nothing | summary_part.added summary_text.delta* summary_text.done summary_part.done
//! function inner  = arguments.delta* arguments.done
//! search inner    = in_progress searching completed
//! code inner      = in_progress code.delta* code.done interpreting completed
//! mcp inner       = in_progress arguments.delta* arguments.done (completed | failed)
//! ```
//!
//! Bytes as the service writes them since 2026, known from recorded traffic: `type` first and the other members in the
//! order of the alphabet, events numbered from 0, raw UTF-8, no `[DONE]`. The non-streaming body is indented, ASCII, and
//! ends without a newline.

mod accumulate;
mod asked;
mod earlier;
mod echo;
mod from_wire;
mod offer;
mod render;
mod rules;
mod view;
mod words;

use accumulate::BETWEEN_SUMMARIES;
pub(crate) use accumulate::{ResponsesAccumulator, body_to_reply};
pub(crate) use asked::Asked;
pub(crate) use earlier::{Earlier, Previous, is_of_call};
use earlier::{call_of, output_of, word};
pub(crate) use from_wire::{body_to_turn, stream_to_turn};
pub(crate) use offer::{calls, server_tools, text_schema};
pub(crate) use render::{Events, body, error_events, normalized, response_id};
pub(crate) use rules::{first_broken, rules};
pub(crate) use view::view;

/// In the words of a message.
const NAME: &str = "OpenAI Responses";

/// What each generated value's dice are for, so that one more draw of one never moves another.
mod purpose {
    pub(super) const RESPONSE: u64 = 1;
    pub(super) const ITEMS: u64 = 2;
    pub(super) const OBFUSCATION: u64 = 3;
    pub(super) const FRAGMENTS: u64 = 4;
    pub(super) const CALLS: u64 = 5;
    pub(super) const ENCRYPTED: u64 = 6;
}
