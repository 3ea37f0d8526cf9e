//! Live turns: what is said live is read as what is scripted.

use llm_wire_stub::*;
use serde_json::json;

use crate::{API, complete_with};

#[tokio::test]
async fn what_is_said_live_is_read_as_what_is_scripted() {
    for streamed in [true, false] {
        let live = Live::new();
        let stub = WireStub::builder().turn(&live).start();
        let asked = complete_with(
            &stub,
            &json!({"stream": streamed, "prompt": ["Once", "Twice"]}),
        );
        let answered = tokio::spawn(asked.send());
        live.text(" upon").await;
        live.text(" a time").await;
        live.finish().await;
        let body = answered.await.unwrap().body;
        let reply = if streamed {
            accumulate(API, &body).unwrap()
        } else {
            accumulate_json(API, &body).unwrap()
        };
        assert_eq!(
            (reply.text().as_str(), reply.other_choices.len()),
            (" upon a time", 1)
        );
        assert_eq!(reply.stop_reason, StopReason::EndTurn);
        stub.verify();
    }
}

#[tokio::test]
async fn a_live_turn_that_calls_a_tool_is_broken_off_loudly() {
    let live = Live::new();
    let stub = WireStub::builder()
        .turn(&live)
        .without_verify_on_drop()
        .start();
    let answered = tokio::spawn(complete_with(&stub, &json!({"stream": true})).send());
    live.text(" upon").await;
    let gone = live.tool_call_fragment("f", "{}").or_gone().await;
    drop(live);
    assert!(gone.is_err());
    assert!(answered.await.is_err());
    let report = stub.try_verify().unwrap_err().to_string();
    assert!(
        report.contains("OpenAI Completions cannot say a tool call"),
        "{report}"
    );
}
