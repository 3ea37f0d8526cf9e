//! What the stub asks of a request: credentials, a version, a path that it serves; and what a browser asks
//! of the stub.

use llm_wire_stub::{Outcome, WireStub};
use llm_wire_stub_interop::{Call, Sdk};
use serde_json::{Value, json};

for_each_sdk!(
    a_key_is_sent_as_a_bearer_token_and_accepted,
    a_token_is_sent_as_a_bearer_token_and_accepted,
    the_header_of_older_sdks_is_accepted,
    a_request_without_credentials_is_refused_in_the_services_words,
    a_request_without_a_version_is_refused_in_the_services_words,
    a_path_that_is_not_served_is_said_so,
    a_large_request_is_recorded_byte_for_byte,
    a_request_over_the_limit_is_refused_while_it_is_still_being_sent,
    one_client_keeps_its_connections,
);

fn a_key_is_sent_as_a_bearer_token_and_accepted(sdk: Sdk) {
    let key = "sk-ant-api03-secret-4711";
    accepted(
        sdk,
        &json!({"key": key}),
        [Some(&format!("Bearer {key}")), None],
        key,
    );
}

fn a_token_is_sent_as_a_bearer_token_and_accepted(sdk: Sdk) {
    let token = "sk-ant-oat01-secret-4712";
    accepted(
        sdk,
        &json!({"token": token}),
        [Some(&format!("Bearer {token}")), None],
        token,
    );
}

fn the_header_of_older_sdks_is_accepted(sdk: Sdk) {
    let key = "sk-ant-api03-secret-4713";
    accepted(
        sdk,
        &json!({"headers": {"x-api-key": key}}),
        [None, Some(key)],
        key,
    );
}

#[track_caller]
fn accepted(sdk: Sdk, client: &Value, headers: [Option<&str>; 2], key: &str) {
    let stub = WireStub::builder().turn("hi").start();

    let seen = sdk.run(&Call::create(&stub).client(client.clone()));

    assert_eq!(seen["error"], Value::Null);
    let request = stub.single_request();
    assert_eq!(
        [request.header("authorization"), request.header("x-api-key")],
        headers
    );
    assert_eq!(request.api_key(), Some(key));
    let shown = format!("{request:?}");
    let (_, last) = key.rsplit_once('-').expect("a key with parts");
    assert!(!shown.contains("secret") && shown.contains(last), "{shown}");
    stub.verify();
}

fn a_request_without_credentials_is_refused_in_the_services_words(sdk: Sdk) {
    let headers = json!({"anthropic-version": "2023-06-01", "content-type": "application/json"});
    refused(
        sdk,
        headers,
        401,
        "authentication_error",
        "x-api-key header is required",
        "credentials",
    );
}

fn a_request_without_a_version_is_refused_in_the_services_words(sdk: Sdk) {
    let headers = json!({"x-api-key": "sk-ant-api03-0123", "content-type": "application/json"});
    let words = "anthropic-version: header is required";
    refused(
        sdk,
        headers,
        400,
        "invalid_request_error",
        words,
        "anthropic-version",
    );
}

#[track_caller]
fn refused(sdk: Sdk, headers: Value, status: u16, error_type: &str, words: &str, rule: &str) {
    let stub = WireStub::builder().turn("never").start();
    let body =
        json!({"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "hi"}]});

    let seen = sdk.run(&Call::fetch(&stub, "POST", "/v1/messages", headers).body(body));

    assert_eq!(seen["status"], status);
    let answer: Value = serde_json::from_str(seen["body"].as_str().expect("a body")).expect("JSON");
    let id = &seen["headers"]["request-id"];
    let error = json!({"type": error_type, "message": words});
    assert_eq!(
        answer,
        json!({"type": "error", "error": error, "request_id": id})
    );
    assert_eq!(seen["headers"]["x-should-retry"], "false");
    assert_eq!(seen["headers"]["x-llm-wire-stub"], rule);
    assert_eq!(stub.single_request().outcome(), Outcome::Refused);
    let report = stub
        .try_verify()
        .expect_err("a rule was broken")
        .to_string();
    assert!(
        report.contains(words) && report.contains("was never played"),
        "{report}"
    );
}

fn a_path_that_is_not_served_is_said_so(sdk: Sdk) {
    let stub = WireStub::builder().turn("never").start();

    let seen = sdk.run(&Call::post(&stub, "/v1/complete").retries(2));

    let error = &seen["error"];
    assert_eq!(
        (&error["class"], &error["type"]),
        (&json!("NotFoundError"), &json!("not_found_error"))
    );
    let told = error["api_message"].as_str().expect("a message");
    assert!(
        told.starts_with("nothing is served at POST /v1/complete\n"),
        "{told}"
    );
    assert_eq!((stub.requests().len(), stub.journal().len()), (0, 1));
    stub.try_verify().expect_err("a path was not served");
}

fn a_large_request_is_recorded_byte_for_byte(sdk: Sdk) {
    let text = "0123 é漢😀\n".repeat(200_000);
    let stub = WireStub::builder().turn("that was long").start();
    let messages = json!([{"role": "user", "content": text}]);

    let seen = sdk.run(&Call::create(&stub).param("messages", messages));

    assert_eq!(seen["error"], Value::Null);
    let request = stub.single_request();
    assert_eq!(request.last_user_text(), text);
    assert!(request.body().len() > text.len());
    stub.verify();
}

fn a_request_over_the_limit_is_refused_while_it_is_still_being_sent(sdk: Sdk) {
    let stub = WireStub::builder().turn("never").body_limit(1_000).start();
    let messages = json!([{"role": "user", "content": "long ".repeat(2_000_000)}]);

    let seen = sdk.run(&Call::create(&stub).param("messages", messages).retries(2));

    let error = &seen["error"];
    assert_eq!(
        (&error["class"], &error["status"]),
        (&json!("ContentTooLargeError"), &json!(413))
    );
    assert_eq!(error["type"], "request_too_large");
    assert_eq!(stub.requests().len(), 1);
    stub.try_verify().expect_err("the request was refused");
}

fn one_client_keeps_its_connections(sdk: Sdk) {
    let stub = WireStub::builder()
        .turns(["one", "two", "three", "four"])
        .start();

    let runs = sdk.run_times(&Call::helper(&stub), 4);

    assert!(runs.iter().all(|seen| seen["error"] == Value::Null));
    // Node's client asks again before the connection is free, of whatever server; then it alternates
    let connections: Vec<usize> = stub
        .requests()
        .iter()
        .map(|request| request.connection())
        .collect();
    let expected = if sdk == Sdk::TypeScript {
        [0, 1, 0, 1]
    } else {
        [0; 4]
    };
    assert_eq!(connections, expected);
    stub.verify();
}

#[test]
fn a_browser_is_told_that_it_may_read_the_answer() {
    let stub = WireStub::builder().turns(["hi", "hi"]).start();
    let origin = json!({"origin": "https://app.example"});
    let client = json!({"key": "sk-ant-api03-0123", "browser": true, "headers": origin});

    let whole = Sdk::TypeScript.run(&Call::create(&stub).client(client.clone()));
    let stream = Sdk::TypeScript.run(&Call::raw(&stub).client(client));

    for seen in [&whole, &stream] {
        assert_eq!(seen["error"], Value::Null);
        assert_eq!(seen["headers"]["access-control-allow-origin"], "*");
        assert_eq!(seen["headers"]["access-control-expose-headers"], "*");
    }
    for request in stub.requests() {
        assert_eq!(
            request.header("anthropic-dangerous-direct-browser-access"),
            Some("true")
        );
        assert_eq!(request.header("origin"), Some("https://app.example"));
    }
    stub.verify();
}

#[test]
fn a_browser_may_read_a_refusal_too() {
    let stub = WireStub::builder()
        .turn("never")
        .without_verify_on_drop()
        .start();
    let headers = json!({"origin": "https://app.example", "anthropic-version": "2023-06-01"});

    let seen =
        Sdk::TypeScript.run(&Call::fetch(&stub, "POST", "/v1/messages", headers).body(json!({})));

    assert_eq!(seen["status"], 401);
    assert_eq!(seen["headers"]["access-control-allow-origin"], "*");
}

#[test]
fn nobody_but_a_browser_is_told_about_origins() {
    let stub = WireStub::builder().turn("hi").start();
    let seen = Sdk::TypeScript.run(&Call::create(&stub));
    assert_eq!(seen["headers"]["access-control-allow-origin"], Value::Null);
    assert_eq!(
        stub.single_request()
            .header("anthropic-dangerous-direct-browser-access"),
        None
    );
    stub.verify();
}

#[test]
fn a_preflight_is_answered_without_a_turn() {
    let stub = WireStub::builder().turn("hi").start();
    let asked = "anthropic-dangerous-direct-browser-access,anthropic-version,authorization,content-type,x-stainless-lang";
    let headers = json!({
        "origin": "https://app.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": asked,
    });

    let seen = Sdk::TypeScript.run(&Call::fetch(&stub, "OPTIONS", "/v1/messages", headers));

    assert_eq!((&seen["status"], &seen["body"]), (&json!(204), &json!("")));
    assert_eq!(seen["headers"]["access-control-allow-origin"], "*");
    assert_eq!(seen["headers"]["access-control-allow-headers"], asked);
    let methods = seen["headers"]["access-control-allow-methods"]
        .as_str()
        .expect("methods");
    assert!(
        methods.split(", ").any(|method| method == "POST"),
        "{methods}"
    );
    assert_eq!(
        seen["headers"]["content-length"],
        Value::Null,
        "a 204 has no length"
    );
    assert_eq!(
        seen["headers"]["transfer-encoding"],
        Value::Null,
        "a 204 has no body"
    );

    // the preflight is in the journal, but it is no model call and it used no turn
    assert_eq!((stub.requests().len(), stub.journal().len()), (0, 1));
    let seen = Sdk::TypeScript.run(&Call::create(&stub));
    assert_eq!(seen["message"]["content"][0]["text"], "hi");
    stub.verify();
}
