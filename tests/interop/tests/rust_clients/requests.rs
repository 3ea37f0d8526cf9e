//! What each client sends: body and headers of a plain call.

use llm_wire_stub::WireStub;
use llm_wire_stub_interop::MODEL;
use serde_json::json;

use crate::client::{Client, Form, KEY, Wants, async_anthropic};

for_each_client!(a_plain_call_sends_this);

async fn a_plain_call_sends_this(client: Client) {
    for form in [Form::Whole, Form::Streamed] {
        let stub = WireStub::builder().turn("hi").start();
        client.ask(&stub, form, Wants::Answer).await;
        let request = stub.single_request();

        let text = json!([{"type": "text", "text": "hello"}]);
        let mut body = json!({"model": MODEL, "max_tokens": 1024, "system": "Be brief."});
        body["messages"] = json!([{"role": "user", "content": text}]);
        match client {
            Client::Rig => body["system"] = json!([{"type": "text", "text": "Be brief."}]),
            Client::Genai => body["messages"][0]["content"] = json!("hello"),
            Client::AsyncAnthropic => {}
        }
        let stream = form == Form::Streamed;
        if stream || client != Client::Rig {
            body["stream"] = json!(stream);
        }
        assert_eq!(request.json(), &body);
        assert_eq!(
            (request.method(), request.target()),
            ("POST", "/v1/messages")
        );
        assert_eq!(request.header("anthropic-version"), Some("2023-06-01"));
        assert_eq!(request.header("content-type"), Some("application/json"));
        assert_eq!(
            (request.header("x-api-key"), request.api_key()),
            (Some(KEY), Some(KEY))
        );
        // so the form of the answer can only be told from the body
        let accept = match (client, form) {
            (_, Form::Whole) | (Client::Genai, _) => "*/*",
            (Client::Rig | Client::AsyncAnthropic, Form::Streamed) => "text/event-stream",
        };
        assert_eq!(request.header("accept"), Some(accept));
        stub.verify();
    }
}

/// A base URL can be set on the builder only, whose `version` is empty by default, other than that of
/// `Client::default()`. The rules are off: what is sent is looked at, not what is said to it.
#[tokio::test]
async fn a_built_async_anthropic_client_sends_an_empty_version_by_default() {
    let stub = WireStub::builder().turn("hi").without_rules().start();

    async_anthropic::ask_with_the_builders_defaults(&stub).await;

    let request = stub.single_request();
    assert_eq!(request.header("anthropic-version"), Some(""));
    stub.verify();
}
