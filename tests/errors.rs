//! The error table: every status and type, its headers, before the stream and in it.
#![cfg(feature = "server")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]

use std::time::Duration;

use llm_wire_stub::*;
use serde_json::{Value, json};

const API: Api = Api::AnthropicMessages;

/// Every kind, and every other status that clients treat in their own way.
fn table() -> Vec<(ApiError, u16, &'static str, &'static str)> {
    let invalid = ("invalid_request_error", "false");
    vec![
        (ApiError::invalid_request("x"), 400, invalid.0, invalid.1),
        (ApiError::context_overflow(), 400, invalid.0, invalid.1),
        (
            ApiError::context_overflow_with_output(),
            400,
            invalid.0,
            invalid.1,
        ),
        (ApiError::output_limit(), 400, invalid.0, invalid.1),
        (ApiError::effort_not_supported(), 400, invalid.0, invalid.1),
        (ApiError::credit_too_low(), 400, invalid.0, invalid.1),
        (
            ApiError::authentication(),
            401,
            "authentication_error",
            "false",
        ),
        (ApiError::billing(), 402, "billing_error", "false"),
        (ApiError::permission(), 403, "permission_error", "false"),
        (ApiError::not_found(), 404, "not_found_error", "false"),
        (ApiError::conflict(), 409, "conflict_error", "true"),
        (
            ApiError::request_too_large(),
            413,
            "request_too_large",
            "false",
        ),
        (ApiError::rate_limited(), 429, "rate_limit_error", "true"),
        (ApiError::internal(), 500, "api_error", "true"),
        (ApiError::timeout(), 504, "timeout_error", "true"),
        (ApiError::overloaded(), 529, "overloaded_error", "true"),
        (ApiError::status(401), 401, "authentication_error", "false"),
        (ApiError::status(408), 408, invalid.0, "true"),
        (ApiError::status(418), 418, invalid.0, invalid.1),
        (ApiError::status(422), 422, invalid.0, invalid.1),
        (ApiError::status(503), 503, "api_error", "true"),
        (ApiError::status(520), 520, "api_error", "true"),
        (ApiError::status(529), 529, "overloaded_error", "true"),
        (
            ApiError::new(ErrorKind::Status(599)),
            599,
            "api_error",
            "true",
        ),
    ]
}

async fn ask(stub: &WireStub, stream: bool) -> reqwest::Response {
    let messages = [json!({"role": "user", "content": "hi"})];
    let body = json!({"model": "m", "max_tokens": 9, "stream": stream, "messages": messages});
    let request = reqwest::Client::new()
        .post(format!("{}/v1/messages", stub.anthropic_url()))
        .header("x-api-key", "k")
        .header("anthropic-version", "2023-06-01");
    request.json(&body).send().await.unwrap()
}

fn header<'a>(response: &'a reqwest::Response, name: &str) -> Option<&'a str> {
    response.headers().get(name)?.to_str().ok()
}

#[tokio::test]
async fn every_error_has_its_status_type_and_headers_whichever_form_is_asked_for() {
    for (error, status, error_type, retry) in table() {
        let stub = WireStub::builder()
            .turns([error.clone(), error.clone()])
            .start();
        for stream in [false, true] {
            let response = ask(&stub, stream).await;
            let what = format!("{error:?}, stream {stream}");
            assert_eq!(response.status(), status, "{what}");
            assert_eq!(
                header(&response, "content-type"),
                Some("application/json"),
                "{what}"
            );
            assert_eq!(header(&response, "x-should-retry"), Some(retry), "{what}");
            assert_eq!(header(&response, "retry-after"), None, "{what}");
            let organization = header(&response, "anthropic-organization-id");
            assert_eq!(organization.is_some(), status != 401, "{what}");
            let limits = header(&response, "anthropic-ratelimit-requests-limit");
            assert_eq!(limits.is_some(), status == 429, "{what}");
            let id = header(&response, "request-id").unwrap().to_owned();
            let body: Value = response.json().await.unwrap();
            assert_eq!(body["type"], "error", "{what}");
            assert_eq!(body["error"]["type"], error_type, "{what}");
            assert!(
                !body["error"]["message"].as_str().unwrap().is_empty(),
                "{what}"
            );
            assert_eq!(body["request_id"], id, "{what}");
        }
        stub.verify();
    }
}

#[test]
fn every_error_can_be_said_inside_a_stream_with_the_same_type_and_words() {
    for (error, _, error_type, _) in table() {
        let body: Value = serde_json::from_slice(&error_body(API, &error)).unwrap();
        let message = body["error"]["message"].as_str().unwrap().to_owned();
        let turn = Turn::new()
            .text("two words")
            .end(After::deltas(1), error.clone());
        let failed = accumulate(API, &sse_body(API, &turn)).unwrap_err();
        let error_type = error_type.to_owned();
        let expected = AccumulateErrorKind::Provider {
            error_type,
            message,
        };
        assert_eq!(failed.kind(), &expected, "{error:?}");
        assert_eq!(
            failed.partial(),
            [Part::Text("two".to_owned())],
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn what_a_test_says_of_an_error_replaces_what_the_table_says() {
    let stub = WireStub::builder()
        .turn(
            ApiError::rate_limited()
                .message("slow \"down\"")
                .error_type("of_tomorrow")
                .error_code("ramp_limit_exceeded")
                .retry_after(Duration::from_millis(1500))
                .should_not_retry()
                .header("Content-Type", "text/plain")
                .header("x-extra", "1")
                .header("x-extra", "2"),
        )
        .turn(
            ApiError::invalid_request("x")
                .should_retry()
                .retry_after(Duration::from_secs(3)),
        )
        .start();

    let response = ask(&stub, false).await;
    assert_eq!(response.status(), 429);
    for (name, values) in [
        ("retry-after", vec!["1.5"]),
        ("x-should-retry", vec!["false"]),
        ("content-type", vec!["text/plain"]),
        ("x-extra", vec!["1", "2"]),
    ] {
        let found: Vec<_> = response.headers().get_all(name).iter().collect();
        assert_eq!(found, values, "{name}");
    }
    let text = response.text().await.unwrap();
    let expected = r#"{"type":"error","error":{"details":{"error_code":"ramp_limit_exceeded"},"type":"of_tomorrow","message":"slow \"down\""},"request_id":"req_"#;
    assert!(text.starts_with(expected), "{text}");

    let response = ask(&stub, false).await;
    assert_eq!(header(&response, "retry-after"), Some("3"));
    assert_eq!(header(&response, "x-should-retry"), Some("true"));
}

#[test]
fn what_no_rule_can_tell_from_a_request_is_said_by_an_error_in_the_services_words() {
    for (error, expected) in [
        (
            ApiError::context_overflow(),
            "prompt is too long: 200001 tokens > 200000 maximum",
        ),
        (
            ApiError::context_overflow_with_output(),
            "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input \
             length or `max_tokens` and try again",
        ),
        (
            ApiError::output_limit(),
            "max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for \
             claude-haiku-4-5-20251001",
        ),
        (
            ApiError::effort_not_supported(),
            "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
        ),
        (
            ApiError::credit_too_low(),
            "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to \
             upgrade or purchase credits.",
        ),
        (
            ApiError::rate_limited(),
            "This request would exceed your organization's rate limit of 50,000 input tokens per minute \
             (org: 3f1c0a52-7d0e-4b7e-9a65-0c4f7e21b8d4, model: claude-haiku-4-5-20251001). For details, \
             refer to: https://docs.claude.com/en/api/rate-limits. You can see the response headers for \
             current usage. Please reduce the prompt length or the maximum tokens requested, or try again \
             later. You may also contact sales at https://www.anthropic.com/contact-sales to discuss your \
             options for a rate limit increase.",
        ),
    ] {
        let body: Value =
            serde_json::from_slice(&error_body(Api::AnthropicMessages, &error)).unwrap();
        assert_eq!(body["error"]["message"], expected);
    }
}
