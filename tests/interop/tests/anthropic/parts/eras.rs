//! Answers of earlier months, whose members came later.

use llm_wire_stub::{Api, Era, Turn, Usage, WireStub, json_body};
use llm_wire_stub_interop::{Call, MODEL, Sdk};
use serde_json::{Value, json};

use super::{
    events::{expected_events, joined},
    members,
};

for_each_sdk!(answers_of_every_era_are_read);

fn answers_of_every_era_are_read(sdk: Sdk) {
    let call =
        json!({"type": "tool_use", "id": "toolu_a", "name": "weather", "input": {"city": "Oslo"}});
    for (era, absent) in eras() {
        let turn = Turn::new()
            .id("msg_own")
            .usage(Usage::input(7).output(40))
            .text("Let me look.")
            .tool_call_with_id("toolu_a", "weather", json!({"city": "Oslo"}))
            .era(era)
            .seed(2)
            .allow_script_drift();
        let stub = WireStub::builder().turns(vec![turn.clone(); 3]).start();
        let mut expected = json!({
            "model": MODEL, "id": "msg_own", "type": "message", "role": "assistant",
            "content": [{"type": "text", "text": "Let me look."}, call],
            "stop_reason": "tool_use", "stop_sequence": null, "stop_details": null,
            "usage": {
                "input_tokens": 7, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
                "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
                "output_tokens": 40, "service_tier": "standard", "inference_geo": "not_available",
            },
        });
        if !absent.contains(&"caller") {
            expected["content"][1]["caller"] = json!({"type": "direct"});
        }
        for member in absent {
            members(&mut expected).remove(*member);
            members(&mut expected["usage"]).remove(*member);
        }
        let body = json_body(Api::AnthropicMessages, &turn.clone().model(MODEL));
        let sent: Value = serde_json::from_slice(&body).expect("JSON");
        assert_eq!(sent, expected, "{era:?}");

        let whole = sdk.run(&Call::create(&stub).types());
        let helper = sdk.run(&Call::helper(&stub));
        let raw = sdk.run(&Call::raw(&stub).types());

        assert_eq!(whole["message"], expected, "{era:?}");
        let mut events = expected_events(&expected);
        if absent.contains(&"service_tier") {
            // the end of a stream had this counter alone
            let stop = events.len() - 2;
            events[stop]["usage"] = json!({"output_tokens": 40});
        }
        if absent.contains(&"stop_details") {
            members(&mut events[0]["message"]).remove("stop_details");
        }
        assert_eq!(
            joined(raw["events"].as_array().expect("events")),
            events,
            "{era:?}"
        );
        let mut read = helper["message"].clone();
        members(&mut read).remove("parsed_output");
        if absent.contains(&"stop_details") && sdk != Sdk::TypeScript {
            // Python's helper has the member all the same
            assert_eq!(
                members(&mut read).remove("stop_details"),
                Some(Value::Null),
                "{era:?}"
            );
        }
        assert_eq!(read, expected, "{era:?}");
        if sdk != Sdk::TypeScript {
            assert_eq!(
                (&whole["misfits"], raw.get("misfits")),
                (&json!([]), Some(&json!([]))),
                "{era:?}"
            );
        }
        stub.verify();
    }
}

/// The eras, and the members that an answer of each did not have yet.
fn eras() -> Vec<(Era, &'static [&'static str])> {
    const ABSENT: [&str; 7] = [
        "stop_details",
        "caller",
        "inference_geo",
        "cache_creation",
        "service_tier",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
    ];
    vec![
        (Era::of(2024, 6), &ABSENT),
        (Era::of(2024, 12), &ABSENT[..5]),
        (Era::of(2025, 1), &ABSENT[..5]),
        (Era::of(2025, 6), &ABSENT[..4]),
        (Era::of(2025, 10), &ABSENT[..3]),
        (Era::of(2025, 11), &ABSENT[..3]),
        (Era::of(2026, 2), &ABSENT[..2]),
        (Era::of(2026, 3), &ABSENT[..1]),
        (Era::today(), &[]),
    ]
}
