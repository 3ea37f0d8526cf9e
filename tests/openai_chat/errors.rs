//! The error table: status, type, code and param of each kind, its headers, before the stream and in it.

use std::time::Duration;

use llm_wire_stub::*;
use serde_json::{Value, json};

use crate::{API, post::call};

type Row = (
    ApiError,
    u16,
    &'static str,
    Option<&'static str>,
    Option<&'static str>,
);

fn table() -> Vec<Row> {
    const INVALID: &str = "invalid_request_error";
    let long = Some("context_length_exceeded");
    let unsupported = Some("unsupported_value");
    let lost = Some("model_not_found");
    let key = Some("invalid_api_key");
    let limit = Some("rate_limit_exceeded");
    let busy = ("service_unavailable_error", Some("server_is_overloaded"));
    let quota = "insufficient_quota";
    let inactive = "billing_not_active";
    let place = Some("unsupported_country_region_territory");
    vec![
        (ApiError::invalid_request("x"), 400, INVALID, None, None),
        (
            ApiError::context_overflow(),
            400,
            INVALID,
            long,
            Some("messages"),
        ),
        (
            ApiError::context_overflow_with_output(),
            400,
            INVALID,
            long,
            Some("messages"),
        ),
        (
            ApiError::output_limit(),
            400,
            INVALID,
            Some("invalid_value"),
            Some("max_tokens"),
        ),
        (
            ApiError::effort_not_supported(),
            400,
            INVALID,
            unsupported,
            Some("reasoning_effort"),
        ),
        (ApiError::authentication(), 401, INVALID, key, None),
        (
            ApiError::permission(),
            403,
            "request_forbidden",
            place,
            None,
        ),
        (ApiError::not_found(), 404, INVALID, lost, None),
        (ApiError::conflict(), 409, INVALID, None, None),
        (ApiError::request_too_large(), 413, INVALID, None, None),
        (ApiError::rate_limited(), 429, "tokens", limit, None),
        (ApiError::credit_too_low(), 429, quota, Some(quota), None),
        (ApiError::billing(), 429, inactive, Some(inactive), None),
        (ApiError::internal(), 500, "server_error", None, None),
        (ApiError::overloaded(), 503, busy.0, busy.1, None),
        (ApiError::timeout(), 504, "server_error", None, None),
        (ApiError::status(408), 408, INVALID, None, None),
        (ApiError::status(422), 422, INVALID, None, None),
        (ApiError::status(502), 502, "server_error", None, None),
        (ApiError::status(529), 529, busy.0, busy.1, None),
        (
            ApiError::invalid_request("x")
                .error_type("t")
                .error_code("c")
                .param("p"),
            400,
            "t",
            Some("c"),
            Some("p"),
        ),
    ]
}

#[tokio::test]
async fn each_error_has_its_status_type_code_and_param() {
    for (error, status, error_type, code, param) in table() {
        let stub = WireStub::builder().turn(error.clone()).start();
        let answered = call(&stub)
            .to("/v1/chat/completions")
            .header("authorization", "Bearer k")
            .send()
            .await;
        assert_eq!(answered.status, status, "{error:?}");
        let json = answered.json();
        let mut said = json["error"].clone();
        let message = said["message"].take();
        assert!(message.as_str().is_some_and(|m| !m.is_empty()), "{error:?}");
        let expected = json!({"message": null, "type": error_type, "param": param, "code": code});
        assert_eq!(said, expected, "{error:?}");
        let text = std::str::from_utf8(&answered.body).unwrap();
        let order =
            ["message", "type", "param", "code"].map(|name| text.find(&format!("\"{name}\":")));
        assert!(order.is_sorted(), "{error:?}: {order:?}");
        let request_id = answered.header("x-request-id");
        assert_eq!(
            (request_id.len(), &request_id[..4]),
            (36, "req_"),
            "{error:?}"
        );
        assert_eq!(
            answered.header("x-ratelimit-limit-requests").is_empty(),
            status != 429
        );
    }
}

#[tokio::test]
async fn an_unknown_model_is_named_and_waits_are_told_in_both_headers() {
    let stub = WireStub::builder()
        .turn(ApiError::not_found())
        .turn(ApiError::rate_limited().retry_after(Duration::from_millis(1500)))
        .start();
    let ask = || {
        call(&stub)
            .to("/v1/chat/completions")
            .header("authorization", "Bearer k")
            .model("gpt-9")
    };
    let lost = ask().send().await;
    assert_eq!(
        lost.message(),
        "The model `gpt-9` does not exist or you do not have access to it."
    );
    assert_eq!(
        lost.header("content-type"),
        "application/json; charset=utf-8"
    );
    let limited = ask().send().await;
    let waits = ["retry-after", "retry-after-ms"].map(|name| limited.header(name));
    assert_eq!(waits, ["1.5", "1500"]);
}

#[tokio::test]
async fn body_and_headers_of_a_limit_that_is_reached_say_the_same() {
    let stub = WireStub::builder()
        .turns([ApiError::rate_limited(), ApiError::credit_too_low()])
        .start();
    let ask = || {
        call(&stub)
            .to("/v1/chat/completions")
            .header("authorization", "Bearer k")
            .model("gpt-9")
            .send()
    };
    let limited = ask().await;
    assert_eq!(
        limited.message(),
        "Rate limit reached for gpt-9 in organization org-7dTqKcVx2mWbRfYhZ4sLp9Na on tokens per min (TPM): Limit \
         200000, Used 200000, Requested 1026. Please try again in 308ms. Visit \
         https://platform.openai.com/account/rate-limits to learn more."
    );
    let tokens = ["limit", "remaining", "reset"];
    let of = |answered: &crate::post::Answered| {
        tokens.map(|what| {
            answered
                .header(&format!("x-ratelimit-{what}-tokens"))
                .to_owned()
        })
    };
    assert_eq!(of(&limited), ["200000", "0", "1m0s"]);
    // no limit on tokens is behind it
    assert_eq!(of(&ask().await), ["10000000", "9999993", "0s"]);
}

#[test]
fn an_error_inside_a_stream_is_read_back_as_the_providers() {
    let turn = Turn::new()
        .text("Half an answer")
        .end(After::deltas(2), ApiError::overloaded());
    let error = accumulate(API, &sse_body(API, &turn)).unwrap_err();
    let expected = AccumulateErrorKind::Provider {
        error_type: "service_unavailable_error".to_owned(),
        message: "The server is currently overloaded with other requests. Sorry about that! You can retry \
                  your request."
            .to_owned(),
    };
    assert_eq!(error.kind(), &expected);
    assert_eq!(error.partial(), [Part::Text("Half an".to_owned())]);
    let json: Value = serde_json::from_slice(&error_body(API, &ApiError::overloaded())).unwrap();
    assert_eq!(json["error"]["code"], "server_is_overloaded");
}
