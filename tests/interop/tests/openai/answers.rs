//! Whole answers, streamed and not, field by field; structured output; a tool loop with parallel calls; cancels.

use crate::expected::{finish_reason, message, reply, turns, usage};
use llm_wire_stub::{After, ApiError, Ending, Outcome, StopReason, Turn, WireStub};
use llm_wire_stub_interop::{CHAT_MODEL, Call, Sdk};
use serde_json::{Value, json};

for_each_sdk!(
    every_turn_arrives_whole,
    every_turn_arrives_chunk_by_chunk,
    every_turn_arrives_over_the_sdks_own_stream,
    structured_output_is_parsed,
    a_loop_by_hand_answers_every_call_by_its_id,
    an_error_inside_a_stream_is_an_error,
    a_stream_that_is_cut_is_an_error_or_ends_early,
    a_call_that_is_left_is_cancelled,
);

/// The members that every message has, of what an SDK gives.
fn read(message: &Value) -> Value {
    let calls = message["tool_calls"].as_array().into_iter().flatten();
    let calls: Vec<Value> = calls
        .map(|call| {
            let (name, arguments) = (&call["function"]["name"], &call["function"]["arguments"]);
            let function = json!({"name": name, "arguments": arguments});
            json!({"id": call["id"], "type": call["type"], "function": function})
        })
        .collect();
    json!({
        "role": message["role"],
        "content": message["content"],
        "refusal": message["refusal"],
        "tool_calls": if calls.is_empty() { Value::Null } else { json!(calls) },
    })
}

fn played() -> (WireStub, Vec<(&'static str, Turn)>) {
    let turns: Vec<_> = turns()
        .into_iter()
        .enumerate()
        .map(|(n, (name, turn))| (name, turn.seed(u64::try_from(n).unwrap_or_default())))
        .collect();
    let builder = WireStub::builder().allow_script_drift();
    let stub = builder.turns(turns.iter().map(|(_, turn)| turn.clone()));
    (stub.start(), turns)
}

fn every_turn_arrives_whole(sdk: Sdk) {
    let (stub, turns) = played();
    let runs = sdk.run_times(&Call::chat(&stub, "create"), turns.len());
    for ((name, turn), seen) in turns.iter().zip(&runs) {
        assert_eq!(seen["error"], Value::Null, "{name}");
        let (found, reply) = (&seen["completion"], reply(turn));
        let choice = &found["choices"][0];
        assert_eq!(read(&choice["message"]), message(&reply), "{name}");
        assert_eq!(choice["message"]["annotations"], json!([]), "{name}");
        assert_eq!(choice["finish_reason"], finish_reason(&reply), "{name}");
        assert_eq!(choice["logprobs"], Value::Null, "{name}");
        assert_eq!(found["usage"], usage(&reply), "{name}");
        for (member, expected) in [
            ("id", reply.id.as_str()),
            ("object", "chat.completion"),
            ("model", CHAT_MODEL),
            ("service_tier", "default"),
        ] {
            assert_eq!(found[member], expected, "{name} {member}");
        }
        assert_eq!(
            seen["request_id"], seen["headers"]["x-request-id"],
            "{name}"
        );
    }
    stub.verify();
}

fn every_turn_arrives_chunk_by_chunk(sdk: Sdk) {
    let (stub, turns) = played();
    let asked = Call::chat(&stub, "raw").param("stream_options", json!({"include_usage": true}));
    let runs = sdk.run_times(&asked, turns.len());
    for ((name, turn), seen) in turns.iter().zip(&runs) {
        assert_eq!(seen["error"], Value::Null, "{name}");
        let reply = reply(turn);
        let chunks = seen["chunks"].as_array().expect("chunks");
        let (last, chunks) = chunks.split_last().expect("a chunk");
        assert_eq!(last["choices"], json!([]), "{name}");
        assert_eq!(last["usage"], usage(&reply), "{name}");
        let mut text = String::new();
        for chunk in chunks {
            assert_eq!(chunk["id"], reply.id.as_str(), "{name}");
            assert_eq!(chunk["usage"], Value::Null, "{name}");
            let delta = &chunk["choices"][0]["delta"];
            for member in ["content", "refusal"] {
                text += delta[member].as_str().unwrap_or_default();
            }
        }
        assert_eq!(text, reply.text(), "{name}");
        let finish = &chunks.last().expect("a chunk")["choices"][0]["finish_reason"];
        assert_eq!(finish, finish_reason(&reply), "{name}");
    }
    stub.verify();
}

fn every_turn_arrives_over_the_sdks_own_stream(sdk: Sdk) {
    let (stub, turns) = played();
    let runs = sdk.run_times(&Call::chat(&stub, "helper"), turns.len());
    for ((name, turn), seen) in turns.iter().zip(&runs) {
        assert_eq!(seen["error"], Value::Null, "{name}");
        let reply = reply(turn);
        let choice = &seen["completion"]["choices"][0];
        let mut expected = message(&reply);
        // to the helper of TypeScript a text that is empty is none
        if sdk == Sdk::TypeScript && expected["content"] == "" {
            expected["content"] = Value::Null;
        }
        assert_eq!(read(&choice["message"]), expected, "{name}");
        assert_eq!(choice["finish_reason"], finish_reason(&reply), "{name}");
    }
    stub.verify();
}

fn structured_output_is_parsed(sdk: Sdk) {
    let refusal = Turn::new().text("No.").stop_reason(StopReason::Refusal);
    let stub = WireStub::builder()
        .turn(Turn::new().json(json!({"best": 1})))
        .turn(refusal)
        .start();
    let runs = sdk.run_times(&Call::chat(&stub, "parse"), 2);
    let found: Vec<_> = runs
        .iter()
        .map(|seen| (&seen["error"], &seen["parsed"]["best"], &seen["refusal"]))
        .collect();
    let null = Value::Null;
    assert_eq!(
        found,
        [(&null, &json!(1), &null), (&null, &null, &json!("No."))]
    );
    let request = &stub.requests()[0];
    let format = request.response_format().expect("a format");
    assert_eq!(format.name.as_deref(), Some("Best"));
    assert_eq!(format.schema["properties"]["best"]["type"], "integer");
    stub.verify();
}

fn a_loop_by_hand_answers_every_call_by_its_id(sdk: Sdk) {
    let city = |city: &str| json!({"city": city});
    let stub = WireStub::builder()
        .turn(
            Turn::new()
                .text("Let me look.")
                .tool_call_with_id("call_a", "weather", city("Paris"))
                .tool_call_with_id("call_b", "weather", city("Łódź")),
        )
        .turn(Turn::new().tool_call_with_id("call_c", "weather", city("Oslo")))
        .turn("Sunny everywhere.")
        .start();
    let weather = json!([{"type": "function", "function": {
        "name": "weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    }}]);

    let seen = sdk.run(&Call::chat(&stub, "loop").param("tools", weather));

    assert_eq!(seen["error"], Value::Null);
    let said = &seen["completion"]["choices"][0]["message"]["content"];
    assert_eq!(said, "Sunny everywhere.");
    let requests = stub.requests();
    let results: Vec<_> = requests[2]
        .tool_results()
        .iter()
        .map(|result| (result.call_id(), result.text()))
        .collect();
    assert_eq!(
        results,
        [
            ("call_a", "sunny in Paris"),
            ("call_b", "sunny in Łódź"),
            ("call_c", "sunny in Oslo"),
        ]
    );
    stub.verify();
}

fn an_error_inside_a_stream_is_an_error(sdk: Sdk) {
    let turn = Turn::new().text("Half an answer");
    let stub = WireStub::builder()
        .turn(turn.end(After::deltas(2), ApiError::overloaded()))
        .start();
    let seen = sdk.run(&Call::chat(&stub, "raw"));
    assert_eq!(seen["error"]["class"], "APIError", "{seen}");
    assert_eq!(seen["error"]["code"], "server_is_overloaded", "{seen}");
    assert_eq!(seen["chunks"].as_array().expect("chunks").len(), 3);
    stub.verify();
}

/// A stream that ends properly before its finish_reason is taken for whole: neither SDK looks for `[DONE]`.
fn a_stream_that_is_cut_is_an_error_or_ends_early(sdk: Sdk) {
    for (ending, is_error) in [
        (Ending::CleanEof, false),
        (Ending::Fin, true),
        (Ending::Reset, true),
    ] {
        let turn = Turn::new().text("Half an answer");
        let stub = WireStub::builder()
            .turn(turn.end(After::deltas(2), ending.clone()))
            .start();
        let seen = sdk.run(&Call::chat(&stub, "raw"));
        assert_eq!(seen["error"].is_object(), is_error, "{ending:?}: {seen}");
        assert_eq!(seen["chunks"].as_array().expect("chunks").len(), 3);
        stub.verify();
    }
}

fn a_call_that_is_left_is_cancelled(sdk: Sdk) {
    check_leaving(sdk, |stub| Call::chat(stub, "raw"));
}

/// However a stream is left, the connection is closed.
pub(crate) fn check_leaving(sdk: Sdk, ask: impl Fn(&WireStub) -> Call) {
    let ways: &[&str] = match sdk {
        Sdk::Python => &["break"],
        Sdk::PythonAsync => &["break", "cancel"],
        Sdk::TypeScript => &["break", "abort"],
    };
    for way in ways {
        let stub = WireStub::builder()
            .turn(Turn::new().text("one two three").stall(After::deltas(2)))
            .start();
        let mut running = sdk.start(&ask(&stub).leave(way));
        assert_eq!(running.note(), "first delta", "{way}");
        running.leave();
        let cut = stub.wait_for_cancel_blocking();
        assert_eq!(cut.outcome(), Outcome::Cancelled, "{way}");
        let _ = running.finish();
        stub.verify();
    }
}
