//! What each client sends: body and headers of a plain call.

use llm_wire_stub::WireStub;
use serde_json::{Value, json};

use crate::client::{Client, Form, KEY, Library, Wants, Wire, async_anthropic, rig};

for_each_client!(a_plain_call_sends_this);

async fn a_plain_call_sends_this(client: Client) {
    for form in [Form::Whole, Form::Streamed] {
        let stub = WireStub::builder().turn("hi").start();
        client.ask(&stub, form, Wants::Answer).await;
        let request = stub.single_request();

        assert_eq!(request.json(), &body(client, form));
        let target = match client.wire {
            Wire::Anthropic => "/v1/messages",
            Wire::Chat => "/v1/chat/completions",
            Wire::Responses => "/v1/responses",
        };
        assert_eq!((request.method(), request.target()), ("POST", target));
        assert_eq!(request.header("content-type"), Some("application/json"));
        let (version, key, bearer) = match client.wire {
            Wire::Anthropic => (Some("2023-06-01"), Some(KEY), None),
            Wire::Chat | Wire::Responses => (None, None, Some(format!("Bearer {KEY}"))),
        };
        assert_eq!(request.header("anthropic-version"), version);
        assert_eq!(request.header("x-api-key"), key);
        assert_eq!(request.header("authorization"), bearer.as_deref());
        assert_eq!(request.api_key(), Some(KEY));
        // so the form of the answer can only be told from the body
        let accept = match (client.library, form) {
            (_, Form::Whole) | (Library::Genai | Library::AsyncOpenai, _) => "*/*",
            (Library::Rig | Library::AsyncAnthropic, Form::Streamed) => "text/event-stream",
        };
        assert_eq!(request.header("accept"), Some(accept));
        stub.verify();
    }
}

/// The whole body.
fn body(client: Client, form: Form) -> Value {
    let stream = form == Form::Streamed;
    let mut body = json!({"model": client.wire.model()});
    match client.wire {
        Wire::Anthropic => {
            let text = json!([{"type": "text", "text": "hello"}]);
            body["max_tokens"] = json!(1024);
            body["system"] = json!("Be brief.");
            body["messages"] = json!([{"role": "user", "content": text}]);
            match client.library {
                Library::Rig => body["system"] = json!([{"type": "text", "text": "Be brief."}]),
                Library::Genai => body["messages"][0]["content"] = json!("hello"),
                Library::AsyncAnthropic | Library::AsyncOpenai => {}
            }
        }
        Wire::Chat => {
            let limit = match client.library {
                Library::AsyncOpenai => "max_completion_tokens",
                _ => "max_tokens",
            };
            body[limit] = json!(1024);
            let system = match client.library {
                Library::Rig => json!([{"type": "text", "text": "Be brief."}]),
                _ => json!("Be brief."),
            };
            body["messages"] = json!([
                {"role": "system", "content": system},
                {"role": "user", "content": "hello"},
            ]);
            if stream {
                body["stream_options"] = json!({"include_usage": true});
            }
        }
        Wire::Responses => {
            body["max_output_tokens"] = json!(1024);
            body["instructions"] = json!("Be brief.");
            let text = json!([{"type": "input_text", "text": "hello"}]);
            let (content, typed) = match client.library {
                Library::Rig => (text, true),
                Library::Genai => (json!("hello"), false),
                _ => (json!("hello"), true),
            };
            body["input"] = json!([{"role": "user", "content": content}]);
            if typed {
                body["input"][0]["type"] = json!("message");
            }
            if client.library == Library::Genai {
                // where a caller wants to have the reasoning
                body["store"] = json!(false);
                body["reasoning"] = json!({"summary": "detailed"});
                body["include"] = json!(["reasoning.encrypted_content"]);
            }
        }
    }
    let always = match client.library {
        Library::Rig | Library::AsyncOpenai => false,
        Library::Genai | Library::AsyncAnthropic => true,
    };
    if stream || always {
        body["stream"] = json!(stream);
    }
    body
}

#[tokio::test]
async fn rig_asks_responses_where_nobody_names_a_route() {
    let stub = WireStub::builder().turn("hi").start();
    rig::ask_openai_by_default(&stub).await;
    assert_eq!(stub.single_request().target(), "/v1/responses");
    stub.verify();
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
