//! Streams event by event: what the service sends of a message, and that the SDKs give it all.

use llm_wire_stub::{ServerTool, Turn, Usage, WireStub};
use llm_wire_stub_interop::{Call, Sdk};
use serde_json::{Map, Value, json};

use super::{SURFACES, cases::cases, members, seen_of, types::unknown_in_events, unsealed};

for_each_sdk!(
    every_part_arrives_whole_event_by_event,
    a_prompt_that_grew_is_settled_at_the_end,
);

fn every_part_arrives_whole_event_by_event(sdk: Sdk) {
    let cases = cases();
    for surface in SURFACES {
        let runs = seen_of(sdk, &cases, Call::raw, surface);
        for (case, seen) in cases.iter().zip(&runs) {
            let name = format!("{}, {surface:?}", case.name);
            assert_eq!(seen["error"], Value::Null, "{name}");
            let events = seen["events"].as_array().expect(&name);
            let events: Vec<Value> = events.iter().map(unsealed).collect();
            assert_eq!(joined(&events), expected_events(&case.message), "{name}");
            assert_fragments(&name, &events);
            if sdk != Sdk::TypeScript {
                let unknown = unknown_in_events(case, surface);
                assert_eq!(seen["misfits"], json!(unknown), "{name}");
            }
        }
    }
}

/// With tools of the service, what the prompt cost is more at the end of a stream than at its start.
fn a_prompt_that_grew_is_settled_at_the_end(sdk: Sdk) {
    let turn = Turn::new()
        .server_tool(ServerTool::bash("ls", "a"))
        .usage(
            Usage::input(404_500)
                .output(90)
                .cache_read(20)
                .cache_creation(4),
        )
        .usage_at_start(
            Usage::input(3_000)
                .output(26)
                .cache_read(10)
                .cache_creation(2),
        )
        .seed(1)
        .allow_script_drift();
    let stub = WireStub::builder().turns([turn.clone(), turn]).start();

    let raw = sdk.run(&Call::raw(&stub));
    let helper = sdk.run(&Call::helper(&stub));

    let counters = |usage: &Value| {
        [
            "input_tokens",
            "output_tokens",
            "cache_read_input_tokens",
            "cache_creation_input_tokens",
        ]
        .map(|name| usage[name].as_u64())
    };
    let events = raw["events"].as_array().expect("events");
    let end = [404_500, 90, 20, 4].map(Some);
    assert_eq!(
        counters(&events[0]["message"]["usage"]),
        [3_000, 26, 10, 2].map(Some)
    );
    assert_eq!(counters(&events[events.len() - 2]["usage"]), end);
    assert_eq!(counters(&helper["message"]["usage"]), end);
    stub.verify();
}

/// The events with the fragments of a block as one delta, and the tokens at the start out of the way.
pub(super) fn joined(events: &[Value]) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for event in events {
        let mut event = event.clone();
        if event["type"] == "message_start" {
            event["message"]["usage"]["output_tokens"] = "a few".into();
        }
        let before = all.last_mut().filter(|before| {
            event["type"] == "content_block_delta"
                && before["delta"]["type"] == event["delta"]["type"]
        });
        let payload = payload(&event).map(|(name, text)| (name, text.to_owned()));
        match (before, payload) {
            (Some(before), Some((name, text))) => {
                assert_eq!(before["index"], event["index"]);
                let so_far = before["delta"][name].as_str().expect(name);
                before["delta"][name] = format!("{so_far}{text}").into();
            }
            _ => all.push(event),
        }
    }
    // arguments are JSON, whose spelling is the service's
    for event in &mut all {
        if let Some(text) = event["delta"]["partial_json"].as_str() {
            let value = if text.is_empty() {
                json!({})
            } else {
                serde_json::from_str(text).expect(text)
            };
            event["delta"]["partial_json"] = value;
        }
    }
    all
}

/// The member of a delta that comes in fragments.
fn payload(event: &Value) -> Option<(&'static str, &str)> {
    let name = match event["delta"]["type"].as_str()? {
        "text_delta" => "text",
        "thinking_delta" => "thinking",
        "input_json_delta" => "partial_json",
        _ => return None,
    };
    Some((name, event["delta"][name].as_str()?))
}

/// What a stream of this message is, as the service cuts it into events.
pub(super) fn expected_events(message: &Value) -> Vec<Value> {
    let mut start = message.clone();
    start["content"] = json!([]);
    for member in ["stop_reason", "stop_sequence", "stop_details"] {
        start[member] = Value::Null;
    }
    for member in ["container", "context_management"] {
        members(&mut start).remove(member);
    }
    for member in ["output_tokens_details", "server_tool_use", "iterations"] {
        members(&mut start["usage"]).remove(member);
    }
    start["usage"]["output_tokens"] = "a few".into();
    let mut events = vec![json!({"type": "message_start", "message": start})];

    for (index, block) in message["content"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        let (block, deltas) = started(block);
        events.push(json!({"type": "content_block_start", "index": index, "content_block": block}));
        events.extend(
            deltas.into_iter().map(
                |delta| json!({"type": "content_block_delta", "index": index, "delta": delta}),
            ),
        );
        events.push(json!({"type": "content_block_stop", "index": index}));
    }

    let mut usage = message["usage"].clone();
    for member in ["cache_creation", "service_tier", "inference_geo"] {
        members(&mut usage).remove(member);
    }
    let mut delta = Map::new();
    for member in ["stop_reason", "stop_sequence", "stop_details", "container"] {
        if let Some(value) = message.get(member) {
            delta.insert(member.to_owned(), value.clone());
        }
    }
    let mut stop = json!({"type": "message_delta", "delta": delta, "usage": usage});
    if let Some(applied) = message.get("context_management") {
        stop["context_management"] = applied.clone();
    }
    events.push(stop);
    events.push(json!({"type": "message_stop"}));
    events
}

/// A block as it starts, and the deltas behind it.
fn started(block: &Value) -> (Value, Vec<Value>) {
    let mut start = block.clone();
    let mut deltas = Vec::new();
    match block["type"].as_str() {
        Some("text") => {
            start["text"] = "".into();
            if let Some(citations) = block["citations"].as_array() {
                start["citations"] = json!([]);
                let delta = |citation| json!({"type": "citations_delta", "citation": citation});
                deltas.extend(citations.iter().map(delta));
            }
            deltas.push(json!({"type": "text_delta", "text": block["text"]}));
        }
        Some("thinking") => {
            (start["thinking"], start["signature"]) = ("".into(), "".into());
            if block["thinking"] != "" {
                deltas.push(json!({"type": "thinking_delta", "thinking": block["thinking"]}));
            }
            if block["signature"] != "" {
                deltas.push(json!({"type": "signature_delta", "signature": block["signature"]}));
            }
        }
        Some("tool_use" | "server_tool_use" | "mcp_tool_use") => {
            start["input"] = json!({});
            deltas.push(json!({"type": "input_json_delta", "partial_json": block["input"]}));
        }
        Some("compaction") => {
            start["content"] = Value::Null;
            let mut delta = json!({"type": "compaction_delta", "content": block["content"]});
            if let Some(encrypted) = block.get("encrypted_content") {
                start["encrypted_content"] = Value::Null;
                delta["encrypted_content"] = encrypted.clone();
            }
            deltas.push(delta);
        }
        _ => {}
    }
    (start, deltas)
}

/// No fragment of text is empty; the first of arguments is, and no other; of thinking only the last may be.
#[track_caller]
fn assert_fragments(name: &str, events: &[Value]) {
    let mut ends_empty = false;
    for (n, event) in events.iter().enumerate() {
        let Some((member, text)) = payload(event) else {
            continue;
        };
        let is_first =
            events[n - 1]["type"] == "content_block_start" || payload(&events[n - 1]).is_none();
        let is_last = payload(&events[n + 1]).is_none();
        match member {
            "partial_json" => assert_eq!(text.is_empty(), is_first, "{name}: {event}"),
            "thinking" => {
                assert!(
                    !text.is_empty() || (is_last && !is_first),
                    "{name}: {event}"
                );
                ends_empty |= text.is_empty();
            }
            _ => assert!(!text.is_empty(), "{name}: {event}"),
        }
    }
    if name.starts_with("thinking that ends with an empty delta") {
        assert!(ends_empty, "{name}");
    }
}
