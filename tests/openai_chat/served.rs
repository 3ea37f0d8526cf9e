//! Where it is served, and in whose words.

use llm_wire_stub::*;
use serde_json::json;

use crate::{post::call, routes};

#[tokio::test]
async fn chat_is_served_below_v1_and_at_routes_that_are_named() {
    let stub = WireStub::builder()
        .turns([ApiError::overloaded(), ApiError::overloaded()])
        .route("/gateway/chat", Api::OpenAiChat)
        .start();
    assert_eq!(stub.openai_url(), stub.url() + "/v1");

    for path in ["/v1/chat/completions", "/gateway/chat"] {
        let answered = call(&stub)
            .to(path)
            .header("authorization", "Bearer k")
            .send()
            .await;
        assert_eq!((answered.status, path), (503, path));
        assert_eq!(
            answered.body,
            error_body(Api::OpenAiChat, &ApiError::overloaded())
        );
    }
    let served: Vec<_> = stub.requests().iter().map(|r| r.api()).collect();
    assert_eq!(served, [Some(Api::OpenAiChat); 2]);

    let lost = call(&stub).to("/completions").send().await;
    assert_eq!(lost.status, 404);
    let served_there = format!("{}, POST /gateway/chat (openai_chat)", routes::CHAT);
    assert!(lost.message().contains(&served_there), "{}", lost.message());
    assert!(stub.try_verify().is_err());
}

#[tokio::test]
async fn what_the_stub_itself_refuses_is_told_in_the_envelope_of_the_api() {
    let stub = WireStub::builder().start();
    let refused = call(&stub)
        .to("/v1/chat/completions")
        .header("authorization", "Bearer k")
        .send()
        .await;
    assert_eq!((refused.status, refused.why()), (422, "exhausted"));
    let indented = b"{\n  \"error\": {\n    \"message\": \"no turn left for request #1 ";
    assert!(refused.body.starts_with(indented), "{:?}", refused.body);
    assert!(stub.try_verify().is_err());
}

#[tokio::test]
async fn a_custom_tool_is_offered_called_and_answered() {
    let turn = || Turn::new().custom_tool_call_with_id("call_1", "run", "ls");
    let stub = WireStub::builder()
        .turns([turn(), "2 files".into(), turn(), turn()])
        .turn(Turn::new().tool_call("f", json!({})))
        .start();
    let ask = || {
        call(&stub)
            .to("/v1/chat/completions")
            .header("authorization", "Bearer k")
    };
    let offered = json!([{"type": "custom", "custom": {"name": "run"}}]);
    let called = ask().member("tools", offered.clone()).send().await;
    assert_eq!(called.status, 200, "{:?}", called.body);
    let made = &called.json()["choices"][0]["message"]["tool_calls"];
    let expected =
        json!([{"id": "call_1", "type": "custom", "custom": {"name": "run", "input": "ls"}}]);
    assert_eq!(made, &expected);

    let messages = json!([
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": null, "tool_calls": made},
        {"role": "tool", "tool_call_id": "call_1", "content": "a b"}
    ]);
    let told = ask().member("tools", offered).member("messages", messages);
    assert_eq!(told.send().await.status, 200);
    let asked = &stub.requests()[1];
    assert_eq!(asked.tools()[0].name, "run");
    assert_eq!(asked.tool_results()[0].call_id(), "call_1");
    assert_eq!(asked.tool_results()[0].text(), "a b");
    let [MessagePart::ToolCall { arguments, .. }] = &*asked.messages()[1].parts else {
        panic!("{:?}", asked.messages()[1])
    };
    assert_eq!(arguments, "ls");

    let strayed = ask().send().await;
    assert_eq!((strayed.status, strayed.why()), (422, "script-drift"));

    let tools = json!([{"type": "function", "function": {"name": "run"}}]);
    let other = ask().member("tools", tools).send().await;
    assert_eq!((other.status, other.why()), (422, "script-drift"));
    let found = "\n  expected: `run`\n  \
                 found: `run`, called as a custom tool, and offered with arguments\n  help: ";
    assert!(other.message().contains(found), "{}", other.message());

    let tools = json!([{"type": "custom", "custom": {"name": "f"}}]);
    let other = ask().member("tools", tools).send().await;
    assert_eq!((other.status, other.why()), (422, "script-drift"));
    let found = "\n  expected: `f`\n  \
                 found: `f`, called with arguments, and offered as a custom tool\n  help: ";
    assert!(other.message().contains(found), "{}", other.message());
    assert!(stub.try_verify().is_err());
}

#[test]
fn a_route_of_an_api_that_is_not_served_is_refused_at_the_start() {
    let builder = WireStub::builder()
        .api(Api::AnthropicMessages)
        .route("/gateway/chat", Api::OpenAiChat);
    assert_eq!(
        builder.try_start().unwrap_err().to_string(),
        "the route `/gateway/chat` is for openai_chat, and only anthropic_messages is served\n  \
         help: leave out `.api(..)`, or the route"
    );
}
