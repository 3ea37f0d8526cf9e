//! What a turn looks like to a client that loses nothing, in the provider's JSON. Written by hand from the
//! neutral reply, so that it is no second copy of the library's own rendering.

use llm_wire_stub::{Api, Part, Reply, StopReason, Turn, Usage};
use serde_json::{Value, json};

use crate::MODEL;

/// The turn as a client reads it that asked for [`MODEL`].
///
/// # Panics
///
/// If the turn is an error, or its arguments are no JSON.
#[must_use]
#[track_caller]
pub fn reply(turn: &Turn) -> Reply {
    match turn.normalized(Api::AnthropicMessages) {
        Ok(reply) => reply,
        Err(error) => panic!("{error}"),
    }
}

/// The whole message, asked for as `model`.
///
/// # Panics
///
/// As [`reply`].
#[must_use]
#[track_caller]
pub fn message(turn: &Turn, model: Option<&str>) -> Value {
    let reply = reply(turn);
    let (stop_reason, stop_sequence) = stop(&reply.stop_reason);
    json!({
        "id": reply.id,
        "type": "message",
        "role": "assistant",
        "model": model.unwrap_or(MODEL),
        "content": content(&reply),
        "stop_reason": stop_reason,
        "stop_sequence": stop_sequence,
        "stop_details": stop_details(&reply.stop_reason),
        "usage": usage(&reply.usage),
    })
}

/// Only a refusal has details.
fn stop_details(reason: &StopReason) -> Value {
    if *reason == StopReason::Refusal {
        json!({"type": "refusal", "category": null, "explanation": null})
    } else {
        Value::Null
    }
}

/// The blocks.
#[must_use]
pub fn content(reply: &Reply) -> Value {
    let blocks = reply.parts.iter().map(|part| match part {
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::ToolCall(call) => json!({
            "type": "tool_use",
            "id": call.id,
            "name": call.name,
            "input": call.arguments,
            "caller": {"type": "direct"},
        }),
        other => panic!("no turn has this part\n  found: `{other:?}`"),
    });
    blocks.collect()
}

/// The usage of a whole answer.
#[must_use]
pub fn usage(usage: &Usage) -> Value {
    json!({
        "input_tokens": usage.input_tokens,
        "cache_creation_input_tokens": usage.cache_creation_tokens,
        "cache_read_input_tokens": usage.cache_read_tokens,
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage.cache_creation_tokens,
            "ephemeral_1h_input_tokens": 0,
        },
        "output_tokens": usage.output_tokens,
        "service_tier": "standard",
        "inference_geo": "not_available",
    })
}

/// The provider's word for a stop reason, and the stop sequence where there is one.
#[must_use]
pub fn stop(reason: &StopReason) -> (String, Option<String>) {
    let word = match reason {
        StopReason::EndTurn => "end_turn",
        StopReason::MaxTokens => "max_tokens",
        StopReason::StopSequence(sequence) => {
            return ("stop_sequence".to_owned(), Some(sequence.clone()));
        }
        StopReason::ToolUse => "tool_use",
        StopReason::PauseTurn => "pause_turn",
        StopReason::Refusal => "refusal",
        StopReason::ContextWindowExceeded => "model_context_window_exceeded",
        StopReason::Compaction => "compaction",
        StopReason::Other(word) => word,
        other => panic!("there is a new stop reason\n  found: `{other:?}`"),
    };
    (word.to_owned(), None)
}
