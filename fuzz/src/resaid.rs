//! A turn made of what was read: what it says is read again, streamed and whole.

use llm_wire_stub::{
    Api, Part, Reply, Turn, accumulate, accumulate_json, try_json_body, try_sse_body,
};

/// Checks that a turn of this reply's parts is read as it says.
pub fn check(api: Api, reply: &Reply) {
    let turn = turn(reply);
    let Ok(normalized) = turn.normalized(api) else {
        return;
    };
    let stream = try_sse_body(api, &turn);
    let stream = stream.unwrap_or_else(|error| panic!("normalized, and not played: {error}"));
    assert_eq!(
        accumulate(api, &stream).as_ref(),
        Ok(&normalized),
        "streamed"
    );
    if let Ok(body) = try_json_body(api, &turn) {
        assert_eq!(
            accumulate_json(api, &body).as_ref(),
            Ok(&normalized),
            "in one piece"
        );
    }
    assert_eq!(normalized.text(), reply.text());
    assert!(
        normalized.tool_calls().eq(reply.tool_calls()),
        "the same calls"
    );
}

/// It says the parts that every turn can say.
fn turn(reply: &Reply) -> Turn {
    let mut turn = Turn::new()
        .model(reply.model.as_str())
        .stop_reason(reply.stop_reason.clone());
    turn = turn.usage(reply.usage.clone());
    for part in &reply.parts {
        turn = match part {
            Part::Text(text) => turn.text(text),
            Part::CitedText { text, citations } => turn.cited_text(text, citations.clone()),
            Part::Thinking { text, signature } => turn.thinking_with_signature(text, signature),
            Part::RedactedThinking { data } => turn.redacted_thinking_with_data(data),
            Part::ToolCall(call) => {
                let turn = turn.tool_call_with_id(&call.id, &call.name, call.arguments.clone());
                match &call.caller {
                    Some(caller) => turn.caller(caller.clone()),
                    None => turn,
                }
            }
            Part::CustomToolCall(call) => {
                turn.custom_tool_call_with_id(&call.id, &call.name, &call.input)
            }
            _ => turn,
        };
    }
    turn
}
