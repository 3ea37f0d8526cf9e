//! What a turn looks like to a client of Chat that loses nothing, in the provider's JSON. Written by hand from the
//! neutral reply, so that it is no second copy of the library's own rendering.

use llm_wire_stub::{Api, Part, Reply, StopReason, Turn};
use llm_wire_stub_interop::CHAT_MODEL;
use serde_json::{Value, json};

/// The turns that every claim about answers looks at.
pub(crate) fn turns() -> Vec<(&'static str, Turn)> {
    let city = |city: &str| json!({"city": city});
    let odd = "é ß 漢字 😀 👩\u{200d}👧 e\u{301} \u{2028}\u{2029}\u{85}\u{feff} \"\\\n\t\u{1f}";
    vec![
        ("nothing", Turn::new()),
        ("text", Turn::new().text("Hello, how are you?")),
        ("odd text", Turn::new().text(odd)),
        ("one call", Turn::new().tool_call("weather", city("Zürich"))),
        (
            "text and two calls",
            Turn::new()
                .text("Let me look.")
                .tool_call("weather", city("Paris"))
                .tool_call("weather", city("Łódź")),
        ),
        (
            "interleaved calls",
            Turn::new()
                .tool_call("weather", city("Paris"))
                .tool_call("weather", city("Łódź"))
                .interleaved_tool_calls(),
        ),
        (
            "refusal",
            Turn::new()
                .text("I cannot help with that.")
                .stop_reason(StopReason::Refusal),
        ),
    ]
}

pub(crate) fn reply(turn: &Turn) -> Reply {
    match turn.clone().model(CHAT_MODEL).normalized(Api::OpenAiChat) {
        Ok(reply) => reply,
        Err(error) => panic!("{error}"),
    }
}

/// Role, content, refusal and tool calls of the message.
pub(crate) fn message(reply: &Reply) -> Value {
    let text = reply.text();
    let refuses = reply.stop_reason == StopReason::Refusal;
    let calls = reply.parts.iter().filter_map(|part| match part {
        Part::ToolCall(call) => Some((&call.id, &call.name, call.arguments.to_string())),
        _ => None,
    });
    let calls: Vec<Value> = calls
        .map(|(id, name, arguments)| {
            let function = json!({"name": name, "arguments": arguments});
            json!({"id": id, "type": "function", "function": function})
        })
        .collect();
    let silent = refuses || (text.is_empty() && !calls.is_empty());
    json!({
        "role": "assistant",
        "content": if silent { Value::Null } else { json!(text) },
        "refusal": if refuses { json!(text) } else { Value::Null },
        "tool_calls": if calls.is_empty() { Value::Null } else { json!(calls) },
    })
}

pub(crate) fn finish_reason(reply: &Reply) -> &'static str {
    match reply.stop_reason {
        StopReason::ToolUse => "tool_calls",
        _ => "stop",
    }
}

pub(crate) fn usage(reply: &Reply) -> Value {
    let (input, output) = (reply.usage.input_tokens, reply.usage.output_tokens);
    json!({
        "prompt_tokens": input,
        "completion_tokens": output,
        "total_tokens": input + output,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": 0,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    })
}
