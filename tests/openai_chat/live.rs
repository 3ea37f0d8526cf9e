//! Live turns on Chat: what is said live is read as what is scripted.

use llm_wire_stub::*;

use crate::{API, post::call};

#[tokio::test]
async fn what_is_said_live_is_read_as_what_is_scripted() {
    for streamed in [true, false] {
        let live = Live::new();
        let stub = WireStub::builder().turn(&live).allow_script_drift().start();
        let asked = call(&stub)
            .to("/v1/chat/completions")
            .header("authorization", "Bearer k");
        let asked = if streamed { asked.streamed() } else { asked };
        let answered = tokio::spawn(asked.send());
        live.text("Let me ").await;
        live.text("look.").await;
        live.tool_call_fragment("edit", r#"{"path": "#).await;
        live.tool_call_fragment("edit", r#""a"}"#).await;
        live.finish().await;
        let body = answered.await.unwrap().body;
        let reply = if streamed {
            accumulate(API, &body).unwrap()
        } else {
            accumulate_json(API, &body).unwrap()
        };
        assert_eq!(reply.text(), "Let me look.");
        let calls: Vec<_> = reply
            .tool_calls()
            .map(|c| (&*c.name, c.arguments.to_string()))
            .collect();
        assert_eq!(calls, [("edit", r#"{"path":"a"}"#.to_owned())]);
        assert_eq!(reply.stop_reason, StopReason::ToolUse);
    }
}

#[tokio::test]
async fn a_live_custom_call_is_its_own_although_a_function_has_its_name() {
    let live = Live::new();
    let stub = WireStub::builder().turn(&live).allow_script_drift().start();
    let asked = call(&stub)
        .to("/v1/chat/completions")
        .header("authorization", "Bearer k")
        .streamed();
    let answered = tokio::spawn(asked.send());
    live.custom_tool_call_fragment("run", "say(").await;
    live.custom_tool_call_fragment("run", "1)").await;
    live.tool_call_fragment("run", "{}").await;
    live.finish().await;
    let scripted = Turn::new()
        .custom_tool_call("run", "say(1)")
        .fragments(Fragments::pieces(["say(", "1)"]))
        .tool_call("run", Arguments::raw("{}"));
    let reply = accumulate(API, &answered.await.unwrap().body).unwrap();
    assert_eq!(reply.parts, scripted.normalized(API).unwrap().parts);
}

#[tokio::test]
async fn a_live_call_without_text_opens_as_soon_as_it_is_said() {
    let live = Live::new();
    let stub = WireStub::builder().turn(&live).allow_script_drift().start();
    let asked = call(&stub)
        .to("/v1/chat/completions")
        .header("authorization", "Bearer k")
        .streamed();
    let answered = tokio::spawn(asked.send());
    live.tool_call_fragment("now", "").await;
    live.tool_call_fragment("now", "{}").await;
    live.finish().await;
    let reply = accumulate(API, &answered.await.unwrap().body).unwrap();
    assert_eq!(reply.tool_calls().count(), 1);
}
