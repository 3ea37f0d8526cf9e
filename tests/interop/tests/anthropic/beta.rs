//! The beta surface of the SDKs: the same route, told by a header.

use crate::turns::turns;
use llm_wire_stub::{Turn, WireStub};
use llm_wire_stub_interop::{Call, Sdk, content, message, reply};
use serde_json::{Value, json};

for_each_sdk!(
    a_beta_call_is_the_same_call_with_a_header,
    a_beta_stream_is_the_same_stream,
    the_query_of_older_sdks_is_served_the_same,
);

fn a_beta_call_is_the_same_call_with_a_header(sdk: Sdk) {
    let turns = turns();
    let stub = WireStub::builder()
        .turns(turns.iter().map(|(_, turn)| turn.clone()))
        .start();
    let call = Call::create(&stub).beta().param(
        "betas",
        json!(["context-1m-2025-08-07", "another-2026-01-01"]),
    );

    let runs = sdk.run_times(&call, turns.len());

    for ((name, turn), (seen, request)) in turns.iter().zip(runs.iter().zip(stub.requests())) {
        assert_eq!(seen["message"]["content"], content(&reply(turn)), "{name}");
        assert_eq!(request.target(), "/v1/messages", "{name}");
        let betas = request.header("anthropic-beta").expect(name);
        assert_eq!(
            betas.replace(' ', ""),
            "context-1m-2025-08-07,another-2026-01-01",
            "{name}"
        );
        assert!(request.json().get("betas").is_none(), "{name}");
    }
    stub.verify();
}

fn a_beta_stream_is_the_same_stream(sdk: Sdk) {
    let turns = turns();
    let script = turns.iter().map(|(_, turn)| turn.clone());
    let stub = WireStub::builder()
        .turns(script.clone())
        .turns(script)
        .start();

    let helper = sdk.run_times(&Call::helper(&stub).beta(), turns.len());
    let raw = sdk.run_times(&Call::raw(&stub).beta(), turns.len());

    for ((name, turn), (helper, raw)) in turns.iter().zip(helper.iter().zip(&raw)) {
        assert_eq!(
            helper["message"]["content"],
            content(&reply(turn)),
            "{name}"
        );
        assert_eq!(raw["error"], Value::Null, "{name}");
        let events = raw["events"].as_array().expect(name);
        let kinds = |kind| events.iter().filter(|event| event["type"] == kind).count();
        assert_eq!(
            kinds("content_block_stop"),
            reply(turn).parts.len(),
            "{name}"
        );
        assert_eq!(kinds("message_stop"), 1, "{name}");
    }
    stub.verify();
}

fn the_query_of_older_sdks_is_served_the_same(sdk: Sdk) {
    let turn = Turn::new().text("Hello!").seed(4);
    let stub = WireStub::builder().turn(turn.clone()).start();

    let seen = sdk.run(&Call::post(&stub, "/v1/messages?beta=true"));

    assert_eq!(seen["message"], message(&turn, None));
    let request = stub.single_request();
    assert_eq!(
        (request.path(), request.query()),
        ("/v1/messages", Some("beta=true"))
    );
    stub.verify();
}
