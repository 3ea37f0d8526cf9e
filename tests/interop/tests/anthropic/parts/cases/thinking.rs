//! Thinking: shown, hidden and redacted, also between text and calls.

use serde_json::json;

use super::{Case, call, usage};

pub(super) fn thinking() -> Vec<Case> {
    let four = || json!({"type": "text", "text": "Four."});
    let thought = |text: &str, signature: &str| json!({"type": "thinking", "thinking": text, "signature": signature});
    vec![
        Case::new(
            "thinking with its signature",
            |turn| {
                let turn = turn.usage(usage().thinking(9));
                turn.thinking_with_signature("Two and two é😀.", "c2lnbmVk").text("Four.")
            },
            json!([thought("Two and two é😀.", "c2lnbmVk"), four()]),
        )
        .thought(9),
        Case::new(
            "thinking that ends with an empty delta",
            |turn| {
                let turn = turn.usage(usage().thinking(9));
                let turn = turn.thinking_with_signature("Two and two.", "c2lnbmVk");
                turn.empty_last_delta().text("Four.")
            },
            json!([thought("Two and two.", "c2lnbmVk"), four()]),
        )
        .thought(9),
        Case::new(
            "hidden thinking",
            |turn| turn.thinking_with_signature("", "c2lnbmVk").text("Four."),
            json!([thought("", "c2lnbmVk"), four()]),
        )
        .thought(0),
        Case::new(
            "thinking that is not signed",
            |turn| turn.thinking_with_signature("Two.", "").text("Four."),
            json!([thought("Two.", ""), four()]),
        )
        .thought(1),
        Case::new(
            "redacted thinking",
            |turn| turn.redacted_thinking_with_data("cmVkYWN0ZWQ=").text("Four."),
            json!([{"type": "redacted_thinking", "data": "cmVkYWN0ZWQ="}, four()]),
        )
        .thought(0),
        Case::new(
            "thinking between text and calls",
            |turn| {
                turn.usage(usage().thinking(12))
                    .thinking_with_signature("First.", "b25l")
                    .text("Four.")
                    .redacted_thinking_with_data("cmVkYWN0ZWQ=")
                    .thinking_with_signature("Then.", "dHdv")
                    .tool_call_with_id("toolu_a", "add", json!({"a": 2, "b": [2]}))
                    .tool_call_with_id("toolu_b", "now", json!({}))
            },
            json!([
                thought("First.", "b25l"), four(), {"type": "redacted_thinking", "data": "cmVkYWN0ZWQ="},
                thought("Then.", "dHdv"), call("toolu_a", "add", &json!({"a": 2, "b": [2]})),
                call("toolu_b", "now", &json!({})),
            ]),
        )
        .thought(12)
        .member("stop_reason", "tool_use".into()),
    ]
}
