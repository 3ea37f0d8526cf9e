//! The conversation of a tool loop, as each client writes it on each API.

use llm_wire_stub::Turn;
use serde_json::{Value, json};

use crate::client::{Client, Library, Wire};

pub(crate) fn first() -> Turn {
    let turn = Turn::new()
        .text("Let me look.")
        .tool_call("weather", json!({"city": "Paris"}));
    turn.tool_call("weather", json!({"city": "Łódź", "days": [1, 2.5, null]}))
        .seed(1)
}

pub(crate) fn second() -> Turn {
    Turn::new()
        .tool_call_with_id("toolu_own", "weather", json!({"city": "Atlantis"}))
        .seed(2)
}

/// Ids of the parallel calls.
pub(crate) fn ids(wire: Wire) -> [String; 2] {
    let reply = wire.reply(&first()).expect("sayable");
    let calls: Vec<_> = reply.tool_calls().map(|call| call.id.clone()).collect();
    calls.try_into().expect("two calls")
}

/// What each request of the loop adds to the conversation, as each client writes it.
pub(crate) fn history_of(client: Client) -> [Vec<Value>; 3] {
    match client.wire {
        Wire::Anthropic => anthropic_history(client.library),
        Wire::Chat => chat_history(client.library),
        Wire::Responses => responses_history(client.library),
    }
}

fn anthropic_history(library: Library) -> [Vec<Value>; 3] {
    let [paris, lodz] = ids(Wire::Anthropic);
    let call = |id: &str, input: Value| {
        let mut call = json!({"type": "tool_use", "id": id, "name": "weather", "input": input});
        if library == Library::Rig {
            // sent back as it came
            call["caller"] = json!({"type": "direct"});
        }
        call
    };
    let result = |id: &str, text: &str, failed: bool| {
        let mut result = json!({"type": "tool_result", "tool_use_id": id, "content": text});
        match library {
            Library::Rig => {
                result["content"] = json!([{"type": "text", "text": text}]);
                if failed {
                    result["is_error"] = json!(true);
                }
            }
            Library::Genai | Library::AsyncOpenai => {}
            Library::AsyncAnthropic => result["is_error"] = json!(failed),
        }
        result
    };
    let hello = match library {
        Library::Genai => json!("hello"),
        _ => json!([{"type": "text", "text": "hello"}]),
    };
    [
        vec![json!({"role": "user", "content": hello})],
        vec![
            json!({"role": "assistant", "content": [
                {"type": "text", "text": "Let me look."},
                call(&paris, json!({"city": "Paris"})),
                call(&lodz, json!({"city": "Łódź", "days": [1, 2.5, null]})),
            ]}),
            json!({"role": "user", "content": [
                result(&paris, "sunny in Paris", false),
                result(&lodz, "sunny in Łódź", false),
            ]}),
        ],
        vec![
            json!({"role": "assistant", "content": [call("toolu_own", json!({"city": "Atlantis"}))]}),
            json!({"role": "user", "content": [result("toolu_own", "no such city", true)]}),
        ],
    ]
}

fn chat_history(library: Library) -> [Vec<Value>; 3] {
    let [paris, lodz] = ids(Wire::Chat);
    let call = |id: &str, arguments: &str| {
        let function = json!({"name": "weather", "arguments": arguments});
        json!({"type": "function", "id": id, "function": function})
    };
    let result =
        |id: &str, text: &str| json!({"role": "tool", "tool_call_id": id, "content": text});
    let system = match library {
        Library::Rig => json!([{"type": "text", "text": "Be brief."}]),
        _ => json!("Be brief."),
    };
    let said = |text: &str, calls: Value| {
        let mut said = json!({"role": "assistant", "tool_calls": calls});
        // where nothing was said genai sends an empty text
        if !text.is_empty() || library == Library::Genai {
            said["content"] = json!(text);
        }
        said
    };
    let calls = [
        call(&paris, r#"{"city":"Paris"}"#),
        call(&lodz, r#"{"city":"Łódź","days":[1,2.5,null]}"#),
    ];
    [
        vec![
            json!({"role": "system", "content": system}),
            json!({"role": "user", "content": "hello"}),
        ],
        vec![
            said("Let me look.", json!(calls)),
            result(&paris, "sunny in Paris"),
            result(&lodz, "sunny in Łódź"),
        ],
        vec![
            said("", json!([call("toolu_own", r#"{"city":"Atlantis"}"#)])),
            result("toolu_own", "no such city"),
        ],
    ]
}

fn responses_history(library: Library) -> [Vec<Value>; 3] {
    let [paris, lodz] = ids(Wire::Responses);
    let call = |id: &str, arguments: &str| {
        let mut call = json!({
            "type": "function_call",
            "call_id": id,
            "name": "weather",
            "arguments": arguments,
        });
        // sent back as it came
        if library != Library::Genai {
            call["status"] = json!("completed");
        }
        call
    };
    let result = |id: &str, text: &str| {
        let mut result = json!({"type": "function_call_output", "call_id": id, "output": text});
        if library == Library::Rig {
            result["status"] = json!("completed");
        }
        result
    };
    let hello = match library {
        Library::Rig => json!([{"type": "input_text", "text": "hello"}]),
        _ => json!("hello"),
    };
    let mut user = json!({"type": "message", "role": "user", "content": hello});
    let mut text = json!({"type": "output_text", "text": "Let me look."});
    let mut said = json!({"type": "message", "role": "assistant", "content": []});
    if library == Library::Genai {
        user.as_object_mut().expect("an object").remove("type");
    } else {
        text["annotations"] = json!([]);
        text["logprobs"] = json!([]);
        said["status"] = json!("completed");
    }
    said["content"] = json!([text]);
    [
        vec![user],
        vec![
            said,
            call(&paris, r#"{"city":"Paris"}"#),
            call(&lodz, r#"{"city":"Łódź","days":[1,2.5,null]}"#),
            result(&paris, "sunny in Paris"),
            result(&lodz, "sunny in Łódź"),
        ],
        vec![
            call("toolu_own", r#"{"city":"Atlantis"}"#),
            result("toolu_own", "no such city"),
        ],
    ]
}

/// The id that an item of Responses has besides that of its call; it goes back as it came.
pub(crate) fn without_item_id(item: &mut Value) {
    let Some(id) = item.as_object_mut().and_then(|item| item.remove("id")) else {
        return;
    };
    let id = id.as_str().expect("text");
    assert!(id.starts_with("msg_") || id.starts_with("fc_"), "{id}");
}
