//! A live turn in each dialect is read as a scripted one.

use super::*;
use crate::post::call;

#[tokio::test]
async fn what_is_said_live_is_read_as_what_is_scripted_in_every_dialect() {
    for &dialect in Dialect::ALL {
        let live = Live::new();
        let builder = WireStub::builder().dialect(dialect);
        let stub = builder.turn(&live).allow_script_drift().start();
        let asked = call(&stub)
            .to("/v1/chat/completions")
            .header("authorization", "Bearer k")
            .streamed();
        let answered = tokio::spawn(asked.send());
        let mut scripted = Turn::new().dialect(dialect);
        if thinks(dialect) {
            live.thinking("Hm, ").await;
            live.thinking("so.").await;
            scripted = scripted.thinking("Hm, so.");
        }
        live.text("Let me ").await;
        live.text("look.").await;
        scripted = scripted.text("Let me look.");
        if calls(dialect) {
            let call = |turn: Turn| turn.tool_call_with_id("c1", "f", json!({"a": 1}));
            live.say(call(Turn::new())).await;
            scripted = call(scripted);
        }
        live.finish().await;
        let reply = accumulate(API, &answered.await.unwrap().body).unwrap();
        // signed with the seed of the call
        let said = |parts: Vec<Part>| -> Vec<Part> {
            let unsigned = parts.into_iter().map(|part| match part {
                Part::Thinking { text, signature } => {
                    assert_eq!(signature.is_empty(), dialect != Dialect::OpenRouter);
                    Part::Thinking {
                        text,
                        signature: String::new(),
                    }
                }
                part => part,
            });
            unsigned.collect()
        };
        let expected = scripted.normalized(API).unwrap();
        assert_eq!(said(reply.parts), said(expected.parts), "{dialect:?}");
        assert_eq!(reply.stop_reason, expected.stop_reason, "{dialect:?}");
    }
}

#[tokio::test]
async fn a_live_call_in_fragments_is_refused_where_a_call_comes_whole() {
    let live = Live::new();
    let stub = WireStub::builder()
        .dialect(Dialect::Groq)
        .turn(&live)
        .allow_script_drift()
        .start();
    let asked = call(&stub)
        .to("/v1/chat/completions")
        .header("authorization", "Bearer k")
        .streamed();
    let answered = tokio::spawn(asked.send());
    live.text("x").await;
    let said = live.tool_call_fragment("f", "{").or_gone().await;
    assert!(said.is_err() || answered.is_finished());
    let report = stub.try_verify().unwrap_err().to_string();
    assert!(
        report.contains("Groq cannot say a tool call in fragments: a call comes whole"),
        "{report}"
    );
}
