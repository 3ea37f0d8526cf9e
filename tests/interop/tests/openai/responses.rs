//! Responses: whole answers, streamed and not, field by field; structured output; loops with parallel calls, by the items
//! and by `previous_response_id`; responses that are looked at again; cancels.

use crate::answers::check_leaving;
use llm_wire_stub::{
    Api, Citation, MessagePart, Part, Reply, Role, StopReason, Turn, Usage, WireStub,
};
use llm_wire_stub_interop::{Call, RESPONSES_MODEL, Sdk};
use serde_json::{Value, json};

for_each_sdk!(
    every_turn_arrives_whole,
    every_turn_arrives_event_by_event,
    every_whole_turn_arrives_over_the_sdks_own_stream,
    structured_output_is_parsed,
    a_loop_by_hand_sends_all_items_back,
    a_loop_by_previous_response_sends_only_what_is_new,
    a_response_is_looked_at_again_and_deleted,
    a_call_that_is_left_is_cancelled,
);

/// The turns that every claim about answers looks at, and whether they are whole.
fn turns() -> Vec<(&'static str, Turn, bool)> {
    let city = |city: &str| json!({"city": city});
    let odd = "é ß 漢字 😀 👩\u{200d}👧 e\u{301} \u{2028}\u{2029}\u{85}\u{feff} \"\\\n\t\u{1f}";
    let page = Citation::web_search_result("grass", "https://plants.example").title("Grass");
    vec![
        ("nothing", Turn::new(), true),
        ("text", Turn::new().text("Hello, how are you?"), true),
        ("odd text", Turn::new().text(odd), true),
        (
            "one call",
            Turn::new().tool_call("weather", city("Zürich")),
            true,
        ),
        (
            "thinking, text and two calls",
            Turn::new()
                .thinking("Two cities.")
                .text("Let me look.")
                .tool_call("weather", city("Paris"))
                .tool_call("weather", city("Łódź")),
            true,
        ),
        (
            "custom call",
            Turn::new().custom_tool_call("python", "print('é')\n"),
            true,
        ),
        (
            "cited text",
            Turn::new().text("See ").cited_text("grass", [page]),
            true,
        ),
        (
            "refusal",
            Turn::new()
                .text("I cannot help with that.")
                .stop_reason(StopReason::Refusal),
            true,
        ),
        (
            "cut",
            Turn::new()
                .text("Half an")
                .stop_reason(StopReason::MaxTokens),
            false,
        ),
        (
            "usage",
            Turn::new()
                .text("x")
                .usage(Usage::input(5).output(30).cache_read(100).thinking(20)),
            true,
        ),
    ]
}

fn played() -> (WireStub, Vec<(&'static str, Turn, bool)>) {
    let turns: Vec<_> = turns()
        .into_iter()
        .enumerate()
        .map(|(n, (name, turn, whole))| {
            (name, turn.seed(u64::try_from(n).unwrap_or_default()), whole)
        })
        .collect();
    let builder = WireStub::builder().allow_script_drift();
    let stub = builder.turns(turns.iter().map(|(_, turn, _)| turn.clone()));
    (stub.start(), turns)
}

fn reply(turn: &Turn) -> Reply {
    let turn = turn.clone().model(RESPONSES_MODEL);
    match turn.normalized(Api::OpenAiResponses) {
        Ok(reply) => reply,
        Err(error) => panic!("{error}"),
    }
}

/// What an item says, in few words.
fn gist(item: &Value) -> Vec<Value> {
    match item["type"].as_str().unwrap_or_default() {
        "message" => {
            let parts = item["content"].as_array().into_iter().flatten();
            let cited = |part: &Value| {
                let citations = part["annotations"].as_array().into_iter().flatten();
                citations
                    .map(|page| page["url"].clone())
                    .collect::<Vec<_>>()
            };
            parts
                .map(|part| match part["type"].as_str() {
                    Some("refusal") => json!(["refusal", part["refusal"]]),
                    _ => json!(["text", part["text"], cited(part)]),
                })
                .collect()
        }
        "reasoning" => vec![json!(["thinking", item["summary"][0]["text"]])],
        "function_call" => {
            let arguments = item["arguments"].as_str().unwrap_or_default();
            let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
            vec![json!(["call", item["call_id"], item["name"], arguments])]
        }
        "custom_tool_call" => vec![json!([
            "custom",
            item["call_id"],
            item["name"],
            item["input"]
        ])],
        other => vec![json!([other])],
    }
}

/// The same of the neutral parts.
fn expected(reply: &Reply) -> Vec<Value> {
    let parts = reply.parts.iter().map(|part| match part {
        Part::Text(text) if reply.stop_reason == StopReason::Refusal => json!(["refusal", text]),
        Part::Text(text) => json!(["text", text, []]),
        Part::CitedText { text, citations } => {
            let urls = citations.iter().map(|_| "https://plants.example");
            json!(["text", text, urls.collect::<Vec<_>>()])
        }
        Part::Thinking { text, .. } => json!(["thinking", text]),
        Part::ToolCall(call) => json!(["call", call.id, call.name, call.arguments]),
        Part::CustomToolCall(call) => json!(["custom", call.id, call.name, call.input]),
        other => panic!("{other:?}"),
    });
    parts.collect()
}

/// What the response says, against the turn.
fn check(name: &str, found: &Value, turn: &Turn) {
    let reply = reply(turn);
    let output = found["output"].as_array().expect("an output");
    let said: Vec<Value> = output.iter().flat_map(gist).collect();
    assert_eq!(said, expected(&reply), "{name}");
    let usage = &reply.usage;
    let input = usage.input_tokens + usage.cache_read_tokens;
    assert_eq!(
        found["usage"],
        json!({
            "input_tokens": input,
            "input_tokens_details": {"cache_write_tokens": 0, "cached_tokens": usage.cache_read_tokens},
            "output_tokens": usage.output_tokens,
            "output_tokens_details": {"reasoning_tokens": usage.thinking_tokens},
            "total_tokens": input + usage.output_tokens,
        }),
        "{name}"
    );
    let (status, details) = match reply.stop_reason {
        StopReason::MaxTokens => ("incomplete", json!({"reason": "max_output_tokens"})),
        _ => ("completed", Value::Null),
    };
    for (member, expected) in [
        ("id", json!(reply.id)),
        ("object", json!("response")),
        ("status", json!(status)),
        ("incomplete_details", details),
        ("model", json!(RESPONSES_MODEL)),
        ("service_tier", json!("default")),
        ("error", Value::Null),
        ("background", json!(false)),
        ("parallel_tool_calls", json!(true)),
        ("tool_choice", json!("auto")),
        ("tools", json!([])),
        (
            "text",
            json!({"format": {"type": "text"}, "verbosity": "medium"}),
        ),
    ] {
        assert_eq!(found[member], expected, "{name} {member}");
    }
    // JavaScript has one kind of number
    assert_eq!(found["temperature"].as_f64(), Some(1.0), "{name}");
}

fn every_turn_arrives_whole(sdk: Sdk) {
    let (stub, turns) = played();
    let runs = sdk.run_times(&Call::responses(&stub, "create"), turns.len());
    for ((name, turn, _), seen) in turns.iter().zip(&runs) {
        assert_eq!(seen["error"], Value::Null, "{name}");
        check(name, &seen["response"], turn);
        let refuses = *name == "refusal";
        let text = if refuses {
            String::new()
        } else {
            reply(turn).text()
        };
        assert_eq!(seen["text"], text, "{name}");
        assert_eq!(
            seen["request_id"], seen["headers"]["x-request-id"],
            "{name}"
        );
    }
    stub.verify();
}

fn every_turn_arrives_event_by_event(sdk: Sdk) {
    let (stub, turns) = played();
    let runs = sdk.run_times(&Call::responses(&stub, "raw"), turns.len());
    for ((name, turn, _), seen) in turns.iter().zip(&runs) {
        assert_eq!(seen["error"], Value::Null, "{name}");
        let events = seen["events"].as_array().expect("events");
        let mut said = String::new();
        for (n, event) in events.iter().enumerate() {
            assert_eq!(event["sequence_number"], n, "{name}");
            let kind = event["type"].as_str().unwrap_or_default();
            if ["output_text.delta", "refusal.delta"]
                .iter()
                .any(|delta| kind.ends_with(delta))
            {
                said += event["delta"].as_str().unwrap_or_default();
            }
        }
        assert_eq!(said, reply(turn).text(), "{name}");
        let last = events.last().expect("an event");
        check(name, &last["response"], turn);
    }
    stub.verify();
}

/// One that is incomplete fails Python's helper, which waits for `response.completed`.
fn every_whole_turn_arrives_over_the_sdks_own_stream(sdk: Sdk) {
    let (stub, turns) = played();
    let runs = sdk.run_times(&Call::responses(&stub, "helper"), turns.len());
    for ((name, turn, whole), seen) in turns.iter().zip(&runs) {
        if !whole && sdk != Sdk::TypeScript {
            let error = &seen["error"];
            assert_eq!(error["class"], "RuntimeError", "{name}: {seen}");
            let expected = "Didn't receive a `response.completed` event.";
            assert_eq!(error["message"], expected, "{name}");
            continue;
        }
        assert_eq!(seen["error"], Value::Null, "{name}");
        check(name, &seen["response"], turn);
    }
    stub.verify();
}

fn structured_output_is_parsed(sdk: Sdk) {
    let refusal = Turn::new().text("No.").stop_reason(StopReason::Refusal);
    let stub = WireStub::builder()
        .turn(Turn::new().json(json!({"best": 1})))
        .turn(refusal)
        .start();
    let runs = sdk.run_times(&Call::responses(&stub, "parse"), 2);
    let found: Vec<_> = runs
        .iter()
        .map(|seen| (&seen["error"], &seen["parsed"]["best"]))
        .collect();
    assert_eq!(
        found,
        [(&Value::Null, &json!(1)), (&Value::Null, &Value::Null)]
    );
    let request = &stub.requests()[0];
    let format = request.response_format().expect("a format");
    assert_eq!(format.name.as_deref(), Some("Best"));
    assert_eq!(format.schema["properties"]["best"]["type"], "integer");
    stub.verify();
}

fn weather() -> Value {
    json!([{
        "type": "function",
        "name": "weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
        "strict": false,
    }])
}

/// Two calls at once, then one, then text.
fn weather_stub() -> WireStub {
    let city = |city: &str| json!({"city": city});
    WireStub::builder()
        .turn(
            Turn::new()
                .thinking("Two cities.")
                .text("Let me look.")
                .tool_call_with_id("call_a", "weather", city("Paris"))
                .tool_call_with_id("call_b", "weather", city("Łódź")),
        )
        .turn(Turn::new().tool_call_with_id("call_c", "weather", city("Oslo")))
        .turn("Sunny everywhere.")
        .start()
}

fn results(request: &llm_wire_stub::RecordedRequest) -> Vec<(&str, &str)> {
    let results = request.tool_results().iter();
    results
        .map(|result| (result.call_id(), result.text()))
        .collect()
}

/// The reasoning goes back with what it led to.
fn a_loop_by_hand_sends_all_items_back(sdk: Sdk) {
    let stub = weather_stub();
    let call = Call::responses(&stub, "loop").param("tools", weather());
    let call = call.param("include", json!(["reasoning.encrypted_content"]));
    let seen = sdk.run(&call);
    assert_eq!(seen["error"], Value::Null);
    assert_eq!(seen["text"], "Sunny everywhere.");
    let requests = stub.requests();
    assert_eq!(
        results(&requests[2]),
        [
            ("call_a", "sunny in Paris"),
            ("call_b", "sunny in Łódź"),
            ("call_c", "sunny in Oslo"),
        ]
    );
    let said = &requests[1].messages()[1];
    assert_eq!(said.role, Role::Assistant);
    let MessagePart::Thinking { text, signature } = &said.parts[0] else {
        panic!("{said:?}");
    };
    assert_eq!(text, "Two cities.");
    assert!(signature.starts_with("gAAAAA"), "{signature}");
    assert_eq!(said.text(), "Let me look.");
    stub.verify();
}

fn a_loop_by_previous_response_sends_only_what_is_new(sdk: Sdk) {
    let stub = weather_stub();
    let seen = sdk.run(&Call::responses(&stub, "chain").param("tools", weather()));
    assert_eq!(seen["error"], Value::Null);
    assert_eq!(seen["text"], "Sunny everywhere.");
    let requests = stub.requests();
    assert_eq!(
        results(&requests[1]),
        [("call_a", "sunny in Paris"), ("call_b", "sunny in Łódź")]
    );
    assert_eq!(results(&requests[2]), [("call_c", "sunny in Oslo")]);
    let previous = |n: usize| &requests[n].json()["previous_response_id"];
    assert_eq!(
        [previous(1), previous(2)],
        [&seen["ids"][0], &seen["ids"][1]]
    );
    stub.verify();
}

fn a_response_is_looked_at_again_and_deleted(sdk: Sdk) {
    let stub = WireStub::builder().turn("Hi.").start();
    let input = json!([{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]);
    let seen = sdk.run(&Call::responses(&stub, "kept").param("input", input));
    // TypeScript adds the text to what it makes, not to what it fetches
    let mut made = seen["response"].clone();
    let mut again = seen["again"].clone();
    for response in [&mut made, &mut again] {
        response
            .as_object_mut()
            .expect("a response")
            .remove("output_text");
    }
    assert_eq!(made, again);
    let items = seen["items"].as_array().expect("items");
    let texts: Vec<_> = items
        .iter()
        .map(|item| &item["content"][0]["text"])
        .collect();
    assert_eq!(texts, ["a", "b"]);
    let error = &seen["error"];
    let id = made["id"].as_str().expect("an id");
    assert_eq!(
        (&error["class"], &error["status"]),
        (&json!("NotFoundError"), &json!(404))
    );
    let message = error["message"].as_str().expect("a message");
    assert!(
        message.contains(&format!("Response with id '{id}' not found.")),
        "{message}"
    );
    assert_eq!(stub.requests().len(), 1);
    stub.verify();
}

fn a_call_that_is_left_is_cancelled(sdk: Sdk) {
    check_leaving(sdk, |stub| Call::responses(stub, "raw"));
}
