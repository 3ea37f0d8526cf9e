//! What stands around the blocks: usage, container, context.

use llm_wire_stub::{Container, Iteration, Json, StopReason, Usage};
use llm_wire_stub_interop::MODEL;
use serde_json::json;

use super::{Case, usage};

pub(super) fn usages() -> Vec<Case> {
    let text = || json!([{"type": "text", "text": "hi"}]);
    let pass = |kind: &str, input: u64, output: u64| {
        json!({
            "type": kind, "input_tokens": input, "output_tokens": output, "cache_read_input_tokens": 3,
            "cache_creation_input_tokens": 5,
            "cache_creation": {"ephemeral_5m_input_tokens": 4, "ephemeral_1h_input_tokens": 1},
        })
    };
    let mut named = pass("message", 7, 40);
    named["model"] = MODEL.into();
    vec![
        Case::new(
            "a usage in full",
            |turn| {
                let of = |input, output| {
                    let usage = Usage::input(input).output(output);
                    usage.cache_read(3).cache_creation(5).cache_creation_1h(1)
                };
                let usage = Usage::input(404_500)
                    .output(123)
                    .cache_read(4_096)
                    .cache_creation(512)
                    .cache_creation_1h(12)
                    .thinking(77)
                    .web_searches(2)
                    .web_fetches(1)
                    .iteration(Iteration::new("compaction", of(99, 8)))
                    .iteration(Iteration::new("message", of(7, 40)).model(MODEL));
                turn.text("hi").usage(usage).service_tier("priority").inference_geo("global")
            },
            text(),
        )
        .member(
            "usage",
            json!({
                "input_tokens": 404_500, "cache_creation_input_tokens": 512, "cache_read_input_tokens": 4_096,
                "cache_creation": {"ephemeral_5m_input_tokens": 500, "ephemeral_1h_input_tokens": 12},
                "output_tokens": 123, "output_tokens_details": {"thinking_tokens": 77},
                "service_tier": "priority", "inference_geo": "global",
                "server_tool_use": {"web_search_requests": 2, "web_fetch_requests": 1},
                "iterations": [pass("compaction", 99, 8), named],
            }),
        ),
        Case::new(
            "a count of searches alone",
            |turn| turn.text("hi").usage(usage().web_searches(2)),
            text(),
        )
        .ran(2, 0),
    ]
}

pub(super) fn rest() -> Vec<Case> {
    let text = || json!([{"type": "text", "text": "hi"}]);
    let edits = r#"{"applied_edits":[{"type":"clear_tool_uses_20250919","cleared_tool_uses":2,"cleared_input_tokens":900}]}"#;
    vec![
        Case::new(
            "a container",
            |turn| {
                let container = Container::new("container_01a");
                turn.text("hi").container(container.expires_at("2026-04-24T11:13:36.730129Z"))
            },
            text(),
        )
        .member("container", json!({"id": "container_01a", "expires_at": "2026-04-24T11:13:36.730129Z"})),
        Case::new(
            "what was done with the context",
            |turn| turn.text("hi").context_management(Json::raw(edits)),
            text(),
        )
        .member(
            "context_management",
            json!({"applied_edits": [
                {"type": "clear_tool_uses_20250919", "cleared_tool_uses": 2, "cleared_input_tokens": 900},
            ]}),
        ),
        Case::new(
            "a summary of the conversation",
            |turn| turn.compaction("All of it é.").text("hi").stop_reason(StopReason::Compaction),
            json!([{"type": "compaction", "content": "All of it é."}, {"type": "text", "text": "hi"}]),
        )
        .member("stop_reason", "compaction".into())
        .beta(&["content.0", "stop_reason"]),
        Case::new(
            "an encrypted summary of the conversation",
            |turn| turn.compaction_with_encrypted_content("All.", "ZW5j"),
            json!([{"type": "compaction", "content": "All.", "encrypted_content": "ZW5j"}]),
        )
        .beta(&["content.0"]),
    ]
}
