//! Anthropic Messages: `POST /v1/messages`.
//!
//! ```text
//! message_start block* message_delta message_stop
//! block = content_block_start content_block_delta* content_block_stop
//! ```
//!
//! A `ping` may stand anywhere. Bytes as the service wrote them in 2026-08, known from recorded traffic:
//! compact JSON, raw UTF-8, 0 to 15 spaces before the last `}` of every event but `ping`.

mod accumulate;
mod era;
mod error;
mod from_wire;
mod head;
mod offer;
mod render;
mod rules;
pub(crate) mod side_roads;
mod view;

pub(crate) use accumulate::{MessagesAccumulator, body_to_reply};
pub(crate) use error::{error_answer, error_event};
pub(crate) use from_wire::{body_to_turn, stream_to_turn};
pub(crate) use head::{document_answer, head};
pub(crate) use offer::{calls, server_tools, text_schema};
pub(crate) use render::{Events, body, normalized};
pub(crate) use rules::{first_broken, rules};
pub(crate) use view::{api_key, view};

use serde_json::Value;

use crate::script::StopReason;

/// The model named where neither the turn nor the request names one.
const DEFAULT_MODEL: &str = "claude-haiku-4-5-20251001";

/// What each generated value's dice are for, so that one more draw of one never moves another.
mod purpose {
    pub(super) const MESSAGE: u64 = 1;
    pub(super) const TOOLS: u64 = 2;
    pub(super) const PADDING: u64 = 3;
    pub(super) const FRAGMENTS: u64 = 4;
    pub(super) const PING: u64 = 5;
    pub(super) const HEAD: u64 = 6;
    pub(super) const START_TOKENS: u64 = 7;
    pub(super) const BATCH: u64 = 100;
    pub(super) const SEALED: u64 = 8;
    pub(super) const ENDS_EMPTY: u64 = 9;
    pub(super) const SERVER_TOOLS: u64 = 10;
}

/// Who called a tool, if not the model itself.
fn not_the_model(caller: &Value) -> Option<Value> {
    let by_the_model = caller.get("type").and_then(Value::as_str) == Some("direct");
    (!by_the_model && !caller.is_null()).then(|| caller.clone())
}

/// The API's word for a stop reason, and the stop sequence where it has one.
fn stop_word(reason: &StopReason) -> (&str, Option<&str>) {
    match reason {
        StopReason::EndTurn => ("end_turn", None),
        StopReason::MaxTokens => ("max_tokens", None),
        StopReason::StopSequence(sequence) => ("stop_sequence", Some(sequence)),
        StopReason::ToolUse => ("tool_use", None),
        StopReason::PauseTurn => ("pause_turn", None),
        StopReason::Refusal | StopReason::ContentFilter => ("refusal", None),
        StopReason::ContextWindowExceeded => ("model_context_window_exceeded", None),
        StopReason::Compaction => ("compaction", None),
        StopReason::Other(word) => (word, None),
    }
}

/// The neutral reason behind the API's word.
fn stop_reason(word: &str, sequence: Option<&str>) -> StopReason {
    match (word, sequence) {
        ("end_turn", _) => StopReason::EndTurn,
        ("max_tokens", _) => StopReason::MaxTokens,
        ("stop_sequence", Some(sequence)) => StopReason::StopSequence(sequence.to_owned()),
        ("tool_use", _) => StopReason::ToolUse,
        ("pause_turn", _) => StopReason::PauseTurn,
        ("refusal", _) => StopReason::Refusal,
        ("model_context_window_exceeded", _) => StopReason::ContextWindowExceeded,
        ("compaction", _) => StopReason::Compaction,
        (word, _) => StopReason::Other(word.to_owned()),
    }
}
