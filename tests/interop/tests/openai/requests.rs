//! What the SDKs send, in neutral words, and a conversation that the service would refuse.

use llm_wire_stub::WireStub;
use llm_wire_stub_interop::{CHAT_MODEL, Call, Provider, Sdk};
use serde_json::json;

for_each_sdk!(
    the_request_is_recorded_as_the_sdk_sent_it,
    a_call_without_its_result_is_refused_in_the_services_words,
);

fn the_request_is_recorded_as_the_sdk_sent_it(sdk: Sdk) {
    let stub = WireStub::builder().turn("hi").start();
    let call = Call::chat(&stub, "create")
        .param("max_completion_tokens", 77)
        .param(
            "messages",
            json!([
                {"role": "developer", "content": "Be brief. é"},
                {"role": "user", "content": "one"},
                {"role": "assistant", "content": "two"},
                {"role": "user", "content": [{"type": "text", "text": "three 😀"}]},
            ]),
        );
    let seen = sdk.run(&call);
    assert_eq!(seen["completion"]["choices"][0]["message"]["content"], "hi");

    let request = stub.single_request();
    assert_eq!(
        (request.method(), request.target()),
        ("POST", "/v1/chat/completions")
    );
    let language = match sdk {
        Sdk::Python | Sdk::PythonAsync => "python",
        Sdk::TypeScript => "js",
    };
    for (name, expected) in [
        ("x-stainless-lang", language),
        ("x-stainless-package-version", sdk.version(Provider::OpenAi)),
        ("accept", "application/json"),
        ("content-type", "application/json"),
    ] {
        assert_eq!(request.header(name), Some(expected), "{name}");
    }
    assert_eq!(request.api_key(), Some("sk-ant-api03-interop-0123"));
    assert_eq!(
        (request.model(), request.max_tokens()),
        (CHAT_MODEL, Some(77))
    );
    assert_eq!(request.system(), Some("Be brief. é"));
    let texts: Vec<String> = request.messages().iter().map(|m| m.text()).collect();
    assert_eq!(texts, ["Be brief. é", "one", "two", "three 😀"]);
    assert_eq!(request.last_user_text(), "three 😀");
    stub.verify();
}

fn a_call_without_its_result_is_refused_in_the_services_words(sdk: Sdk) {
    let stub = WireStub::builder().without_verify_on_drop().start();
    let function = json!({"name": "f", "arguments": "{}"});
    let calls = json!([{"id": "call_a", "type": "function", "function": function}]);
    let call = Call::chat(&stub, "create").param(
        "messages",
        json!([
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": null, "tool_calls": calls},
            {"role": "user", "content": "well?"},
        ]),
    );
    let seen = sdk.run(&call);
    assert_eq!(seen["error"]["class"], "BadRequestError", "{seen}");
    assert_eq!(seen["error"]["param"], "messages.[2].role", "{seen}");
    let message = seen["error"]["message"].as_str().unwrap_or_default();
    assert!(
        message.ends_with("did not have response messages: call_a")
            || message.contains("did not have response messages: call_a"),
        "{message}"
    );
}
