//! Errors before the stream, to the class that each SDK has for them, and how often each tries again.

use std::time::Duration;

use llm_wire_stub::{ApiError, WireStub};
use llm_wire_stub_interop::{Call, Sdk};
use serde_json::{Value, json};

for_each_sdk!(
    every_error_reaches_its_class_with_all_that_it_says,
    what_may_help_is_tried_twice_more_and_nothing_else,
    the_wait_that_is_asked_for_is_kept,
    a_stub_that_has_run_out_is_not_asked_again,
);

/// Error, status, class in both SDKs, code, param.
pub(crate) type Row = (
    ApiError,
    u16,
    &'static str,
    Option<&'static str>,
    Option<&'static str>,
);

fn table() -> Vec<Row> {
    let bad = "BadRequestError";
    let long = Some("context_length_exceeded");
    let region = Some("unsupported_country_region_territory");
    let (status, limited) = ("APIStatusError", "RateLimitError");
    let broken = "InternalServerError";
    vec![
        (
            ApiError::context_overflow(),
            400,
            bad,
            long,
            Some("messages"),
        ),
        (
            ApiError::authentication(),
            401,
            "AuthenticationError",
            Some("invalid_api_key"),
            None,
        ),
        (
            ApiError::permission(),
            403,
            "PermissionDeniedError",
            region,
            None,
        ),
        (
            ApiError::not_found(),
            404,
            "NotFoundError",
            Some("model_not_found"),
            None,
        ),
        (ApiError::status(408), 408, status, None, None),
        (ApiError::conflict(), 409, "ConflictError", None, None),
        (ApiError::request_too_large(), 413, status, None, None),
        (
            ApiError::status(422),
            422,
            "UnprocessableEntityError",
            None,
            None,
        ),
        (
            ApiError::rate_limited(),
            429,
            limited,
            Some("rate_limit_exceeded"),
            None,
        ),
        (
            ApiError::credit_too_low(),
            429,
            limited,
            Some("insufficient_quota"),
            None,
        ),
        (ApiError::internal(), 500, broken, None, None),
        (
            ApiError::overloaded(),
            503,
            broken,
            Some("server_is_overloaded"),
            None,
        ),
    ]
}

fn every_error_reaches_its_class_with_all_that_it_says(sdk: Sdk) {
    check_classes(sdk, table(), |stub| Call::chat(stub, "create"));
}

/// Each error of the table reaches its class, with all that it says.
pub(crate) fn check_classes(sdk: Sdk, table: Vec<Row>, ask: impl Fn(&WireStub) -> Call) {
    for (error, status, class, code, param) in table {
        let stub = WireStub::builder().turn(error.clone()).start();
        let seen = sdk.run(&ask(&stub));
        let class = match (sdk, class) {
            (Sdk::TypeScript, "APIStatusError") => "APIError",
            (_, class) => class,
        };
        let found = &seen["error"];
        assert_eq!(found["class"], class, "{error:?}: {seen}");
        assert_eq!(found["status"], status, "{error:?}: {seen}");
        assert_eq!(
            (&found["code"], &found["param"]),
            (&json!(code), &json!(param)),
            "{error:?}"
        );
        let id = found["request_id"].as_str().unwrap_or_default();
        assert!(id.starts_with("req_"), "{error:?}: {seen}");
        stub.verify();
    }
}

fn what_may_help_is_tried_twice_more_and_nothing_else(sdk: Sdk) {
    check_tries(sdk, table(), |stub| Call::chat(stub, "create"));
}

/// Of the errors of the table only those that may pass are tried again, twice.
pub(crate) fn check_tries(sdk: Sdk, table: Vec<Row>, ask: impl Fn(&WireStub) -> Call) {
    for (error, status, ..) in table {
        // without a wait the SDKs back off for half a second and more
        let quick = error.clone().retry_after(Duration::from_millis(1));
        let stub = WireStub::builder().turn(quick).repeat_last().start();
        let _ = sdk.run(&ask(&stub).retries(2));
        let tries = match status {
            408 | 409 | 429 | 500.. => 3,
            _ => 1,
        };
        assert_eq!(stub.requests().len(), tries, "{error:?}");
        stub.verify();
    }
}

fn the_wait_that_is_asked_for_is_kept(sdk: Sdk) {
    let stub = WireStub::builder()
        .turn(ApiError::rate_limited().retry_after(Duration::from_millis(40)))
        .turn("hi")
        .start();
    let seen = sdk.run(&Call::chat(&stub, "create").retries(1));
    assert_eq!(seen["error"], Value::Null);
    assert_eq!(seen["waits"], json!([0.04]));
    assert_eq!(
        stub.requests()[1].header("x-stainless-retry-count"),
        Some("1")
    );
    stub.verify();
}

fn a_stub_that_has_run_out_is_not_asked_again(sdk: Sdk) {
    let stub = WireStub::builder().without_verify_on_drop().start();
    let seen = sdk.run(&Call::chat(&stub, "create").retries(2));
    assert_eq!(seen["error"]["class"], "UnprocessableEntityError");
    let message = seen["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("no turn left for request #1"), "{message}");
    assert_eq!(stub.requests().len(), 1);
}
