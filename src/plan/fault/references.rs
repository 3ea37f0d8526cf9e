//! The answers that faults damage.

use llm_wire_stub::*;
use serde_json::json;

/// An answer in which this fault finds what it damages.
pub(crate) fn reference(api: Api, fault: FaultVariant) -> Turn {
    let turns = [
        text(),
        tool_call(),
        two_tool_calls(),
        thinking(),
        long_name(),
        dialect(),
    ];
    let mut found = turns
        .into_iter()
        .filter(|turn| try_sse_body(api, &turn.clone().fault(fault)).is_ok());
    let found = found.next();
    found.unwrap_or_else(|| {
        let error = try_sse_body(api, &tool_call().fault(fault)).unwrap_err();
        panic!("no reference has what it damages: {error}")
    })
}

/// Characters of one to four bytes.
fn text() -> Turn {
    Turn::new()
        .text("Hé, 日本 and 🦀.")
        .usage(Usage::input(3).output(7))
}

fn tool_call() -> Turn {
    Turn::new().tool_call_with_id("call_1", "f", json!({"a": "é", "n": 997}))
}

fn two_tool_calls() -> Turn {
    tool_call().tool_call_with_id("call_2", "g", json!({"b": "日本"}))
}

fn thinking() -> Turn {
    Turn::new().thinking("Let me see.").text("Hé.")
}

/// A name that can be cut.
fn long_name() -> Turn {
    Turn::new().tool_call_with_id("call_1", "get_weather", json!({"city": "Rome"}))
}

/// A form of Chat whose usage stands beside the reason.
fn dialect() -> Turn {
    text().dialect(Dialect::Mistral)
}
