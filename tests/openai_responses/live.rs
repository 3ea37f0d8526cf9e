//! Live turns: their bytes are those of scripted ones.

use llm_wire_stub::*;
use serde_json::json;

use crate::{bytes::events, call};

fn live_stub(live: &Live) -> WireStub {
    let builder = WireStub::builder().turn(Turn::from(live).seed(5));
    builder.allow_script_drift().start()
}

#[tokio::test]
async fn what_is_said_live_has_the_bytes_of_what_is_scripted() {
    let page = || Citation::web_search_result("x", "https://x.example");
    for streamed in [true, false] {
        let live = Live::new();
        let ask = |stub: &StubHandle| {
            let asked = call(stub).member("include", json!(["reasoning.encrypted_content"]));
            asked.member("stream", streamed)
        };
        let stub = live_stub(&live);
        let answered = tokio::spawn(ask(&stub).send());
        live.thinking("Let me ").await;
        live.thinking("think.").await;
        live.text("Let me ").await;
        live.say(Turn::new().cited_text("look.", [page()])).await;
        live.text(" So.").await;
        live.tool_call_fragment("edit", "").await;
        live.tool_call_fragment("edit", r#"{"path": "#).await;
        live.tool_call_fragment("edit", r#""a"}"#).await;
        live.tool_call_end().await;
        live.text("Half").await;
        live.finish_with(StopReason::MaxTokens).await;
        let found = answered.await.unwrap().body;

        let scripted = Turn::new()
            .seed(5)
            .thinking("Let me think.")
            .fragments(Fragments::pieces(["Let me ", "think."]))
            .text("Let me ")
            .fragments(Fragments::whole())
            .cited_text("look.", [page()])
            .text(" So.")
            .fragments(Fragments::whole())
            .tool_call("edit", Arguments::raw(r#"{"path": "a"}"#))
            .fragments(Fragments::pieces([r#"{"path": "#, r#""a"}"#]))
            .text("Half")
            .stop_reason(StopReason::MaxTokens);
        let stub = WireStub::builder()
            .turn(scripted)
            .allow_script_drift()
            .start();
        let expected = ask(&stub).send().await.body;
        assert_eq!(
            String::from_utf8_lossy(&found),
            String::from_utf8_lossy(&expected)
        );
    }
}

#[tokio::test]
async fn a_live_answer_that_fails_says_so_behind_what_was_written() {
    let live = Live::new();
    let stub = live_stub(&live);
    let answered = tokio::spawn(call(&stub).streamed().send());
    live.text("Half").await;
    live.fail(ApiError::overloaded()).await;
    let events = events(&answered.await.unwrap().body);
    let last: Vec<_> = events[events.len() - 3..]
        .iter()
        .map(|event| (event["type"].as_str().unwrap(), &event["sequence_number"]))
        .collect();
    assert_eq!(
        last,
        [
            ("response.output_text.delta", &json!(4)),
            ("error", &json!(5)),
            ("response.failed", &json!(6)),
        ]
    );
    assert_eq!(events[6]["response"]["output"], json!([]));
    assert_eq!(events[6]["response"]["status"], "failed");
}

#[tokio::test]
async fn whether_a_live_turn_can_stop_so_shows_at_its_end() {
    let live = Live::new();
    let turn = Turn::from(&live).stop_reason(StopReason::ToolUse);
    let stub = WireStub::builder().turn(turn).allow_script_drift().start();
    let answered = tokio::spawn(call(&stub).streamed().send());
    live.text("Look.").await;
    live.tool_call_fragment("f", "{}").await;
    live.finish().await;
    let body = answered.await.unwrap().body;
    assert_eq!(events(&body).last().unwrap()["type"], "response.completed");
}
