//! Whole answers: `messages.create(..)`.

use crate::turns::{own_model, stops, turns};
use llm_wire_stub::{Outcome, Turn, WireStub};
use llm_wire_stub_interop::{Call, MODEL, Provider, Sdk, message};
use serde_json::{Value, json};

for_each_sdk!(
    every_turn_arrives_whole,
    every_stop_reason_arrives_in_the_providers_word,
    the_plain_answer_is_the_same_message,
    the_request_is_recorded_as_the_sdk_sent_it,
    a_schema_in_the_request_is_the_response_format,
);

fn every_turn_arrives_whole(sdk: Sdk) {
    let turns = turns();
    let stub = WireStub::builder()
        .turns(turns.iter().map(|(_, turn)| turn.clone()))
        .start();

    let runs = sdk.run_times(&Call::create(&stub), turns.len());

    for ((name, turn), (seen, request)) in turns.iter().zip(runs.iter().zip(stub.requests())) {
        assert_eq!(seen["error"], Value::Null, "{name}");
        assert_eq!(seen["message"], message(turn, own_model(name)), "{name}");
        assert_eq!(seen["request_id"], seen["headers"]["request-id"], "{name}");
        assert_eq!(
            seen["headers"]["content-type"], "application/json",
            "{name}"
        );
        assert_eq!(request.outcome(), Outcome::Complete, "{name}");
    }
    stub.verify();
}

fn every_stop_reason_arrives_in_the_providers_word(sdk: Sdk) {
    let stops = stops();
    let stub = WireStub::builder()
        .turns(stops.iter().map(|(_, turn)| turn.clone()))
        .start();

    let runs = sdk.run_times(&Call::create(&stub), stops.len());

    for ((word, turn), seen) in stops.iter().zip(&runs) {
        assert_eq!(seen["message"]["stop_reason"], *word);
        assert_eq!(seen["message"], message(turn, None), "{word}");
    }
    stub.verify();
}

fn the_plain_answer_is_the_same_message(sdk: Sdk) {
    let turns = turns();
    let stub = WireStub::builder()
        .turns(turns.iter().map(|(_, turn)| turn.clone()))
        .plain()
        .start();

    let runs = sdk.run_times(&Call::create(&stub), turns.len());

    for ((name, turn), seen) in turns.iter().zip(&runs) {
        assert_eq!(seen["message"], message(turn, own_model(name)), "{name}");
    }
    stub.verify();
}

fn the_request_is_recorded_as_the_sdk_sent_it(sdk: Sdk) {
    let stub = WireStub::builder().turn("hi").start();
    let call = Call::create(&stub)
        .param(
            "system",
            json!([{"type": "text", "text": "Be brief."}, {"type": "text", "text": "Be kind. é"}]),
        )
        .param(
            "messages",
            json!([
                {"role": "user", "content": "one"},
                {"role": "assistant", "content": [{"type": "text", "text": "two"}]},
                {"role": "user", "content": [{"type": "text", "text": "three 😀"}]},
            ]),
        );

    let seen = sdk.run(&call);
    assert_eq!(seen["message"]["content"][0]["text"], "hi");

    let request = stub.single_request();
    assert_eq!(
        (request.method(), request.target()),
        ("POST", "/v1/messages")
    );
    let (language, asynchronous) = match sdk {
        Sdk::Python => ("python", Some("false")),
        Sdk::PythonAsync => ("python", Some("async:asyncio")),
        Sdk::TypeScript => ("js", None),
    };
    for (name, expected) in [
        ("x-stainless-lang", Some(language)),
        ("x-stainless-async", asynchronous),
        (
            "x-stainless-package-version",
            Some(sdk.version(Provider::Anthropic)),
        ),
        ("x-stainless-retry-count", Some("0")),
        ("anthropic-version", Some("2026-10-21")),
        ("accept", Some("application/json")),
        ("content-type", Some("application/json")),
        ("expect", None),
    ] {
        assert_eq!(request.header(name), expected, "{name}");
    }
    assert_eq!((request.model(), request.max_tokens()), (MODEL, Some(1024)));
    assert!(!request.is_stream());
    assert_eq!(request.system(), Some("Be brief.\nBe kind. é"));
    let texts: Vec<String> = request
        .messages()
        .iter()
        .map(|message| message.text())
        .collect();
    assert_eq!(texts, ["one", "two", "three 😀"]);
    assert_eq!(request.last_user_text(), "three 😀");
    stub.verify();
}

fn a_schema_in_the_request_is_the_response_format(sdk: Sdk) {
    let schema = json!({
        "type": "object",
        "properties": {"best": {"type": "integer"}},
        "required": ["best"],
        "additionalProperties": false,
    });
    let stub = WireStub::builder()
        .turn(Turn::new().json(json!({"best": 1})))
        .start();
    let format = json!({"format": {"type": "json_schema", "schema": schema}});

    let seen = sdk.run(&Call::create(&stub).param("output_config", format));

    assert_eq!(
        seen["message"]["content"],
        json!([{"type": "text", "text": r#"{"best":1}"#}])
    );
    let request = stub.single_request();
    assert_eq!(request.response_format().expect("a format").schema, schema);
    stub.verify();
}
