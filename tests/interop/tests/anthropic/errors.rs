//! Errors before the stream, to the class that each SDK has for them.

use std::{collections::BTreeSet, time::Duration};

use llm_wire_stub::{After, ApiError, Outcome, Turn, WireStub};
use llm_wire_stub_interop::{Call, Sdk};
use serde_json::{Value, json};

for_each_sdk!(
    every_error_reaches_its_class_with_all_that_it_says,
    a_streaming_call_is_answered_with_the_same_error,
    own_words_and_types_reach_the_user,
    a_turn_that_only_a_stream_can_carry_is_refused_with_its_reason,
);

/// Every status of the service's table, and a few others.
const STATUSES: [u16; 16] = [
    400, 401, 402, 403, 404, 408, 409, 413, 418, 422, 429, 500, 503, 504, 520, 529,
];

fn error(status: u16) -> ApiError {
    match status {
        400 => ApiError::context_overflow(),
        401 => ApiError::authentication(),
        402 => ApiError::billing(),
        403 => ApiError::permission(),
        404 => ApiError::not_found().message("model: claude-x"),
        409 => ApiError::conflict(),
        413 => ApiError::request_too_large(),
        429 => ApiError::rate_limited().retry_after(Duration::from_secs(3)),
        500 => ApiError::internal(),
        504 => ApiError::timeout(),
        529 => ApiError::overloaded(),
        _ => ApiError::status(status),
    }
}

/// Type and words.
fn said(status: u16) -> (&'static str, &'static str) {
    match status {
        400 => (
            "invalid_request_error",
            "prompt is too long: 200001 tokens > 200000 maximum",
        ),
        401 => ("authentication_error", "invalid x-api-key"),
        402 => ("billing_error", "there is a problem with your billing"),
        403 => (
            "permission_error",
            "your API key does not have permission to use this resource",
        ),
        404 => ("not_found_error", "model: claude-x"),
        409 => ("conflict_error", "the request conflicts with another one"),
        413 => (
            "request_too_large",
            "request exceeds the maximum allowed number of bytes",
        ),
        429 => (
            "rate_limit_error",
            "This request would exceed your organization's rate limit of 50,000 input tokens per minute \
             (org: 3f1c0a52-7d0e-4b7e-9a65-0c4f7e21b8d4, model: claude-sonnet-4-5). For details, \
             refer to: https://docs.claude.com/en/api/rate-limits. You can see the response headers for \
             current usage. Please reduce the prompt length or the maximum tokens requested, or try again \
             later. You may also contact sales at https://www.anthropic.com/contact-sales to discuss your \
             options for a rate limit increase.",
        ),
        500.. => match status {
            504 => ("timeout_error", "the request timed out"),
            529 => ("overloaded_error", "Overloaded"),
            _ => ("api_error", "Internal server error"),
        },
        _ => ("invalid_request_error", "invalid request"),
    }
}

/// The class that both SDKs have for it.
fn class(status: u16, sdk: Sdk) -> &'static str {
    match status {
        400 => "BadRequestError",
        401 => "AuthenticationError",
        402 => "PaymentRequiredError",
        403 => "PermissionDeniedError",
        404 => "NotFoundError",
        408 => "RequestTimeoutError",
        409 => "ConflictError",
        413 => "ContentTooLargeError",
        422 => "UnprocessableEntityError",
        429 => "RateLimitError",
        503 => "ServiceUnavailableError",
        504 => "GatewayTimeoutError",
        529 => "OverloadedError",
        500.. => "InternalServerError",
        // none: the base class
        _ if sdk == Sdk::TypeScript => "APIError",
        _ => "APIStatusError",
    }
}

fn every_error_reaches_its_class_with_all_that_it_says(sdk: Sdk) {
    let stub = WireStub::builder().turns(STATUSES.map(error)).start();

    let runs = sdk.run_times(&Call::create(&stub), STATUSES.len());

    for (status, seen) in STATUSES.iter().zip(&runs) {
        assert_error(seen, *status, said(*status), class(*status, sdk));
    }
    let requests = stub.requests();
    assert_eq!(requests.len(), STATUSES.len());
    for request in &requests {
        assert_eq!(request.outcome(), Outcome::Complete, "{request}");
        assert_eq!(
            request.header("x-stainless-retry-count"),
            Some("0"),
            "{request}"
        );
    }
    let ids = runs.iter().map(|seen| seen["error"]["request_id"].as_str());
    let ids: BTreeSet<_> = ids.collect();
    assert_eq!(
        ids.len(),
        runs.len(),
        "each answer has a request id of its own"
    );
    stub.verify();
}

fn a_streaming_call_is_answered_with_the_same_error(sdk: Sdk) {
    let stub = WireStub::builder()
        .turns(STATUSES.map(error))
        .turns(STATUSES.map(error))
        .start();

    let helper = sdk.run_times(&Call::helper(&stub), STATUSES.len());
    let raw = sdk.run_times(&Call::raw(&stub), STATUSES.len());

    for (status, (helper, raw)) in STATUSES.iter().zip(helper.iter().zip(&raw)) {
        for seen in [helper, raw] {
            assert_error(seen, *status, said(*status), class(*status, sdk));
            assert_eq!(seen["events"], json!([]), "{status}");
        }
    }
    assert!(stub.requests().iter().all(|request| request.is_stream()));
    stub.verify();
}

fn own_words_and_types_reach_the_user(sdk: Sdk) {
    let words = "é \"quoted\" 😀 \u{2028} two\nlines";
    let error = ApiError::status(403)
        .message(words)
        .error_type("of_tomorrow");
    let stub = WireStub::builder()
        .turn(error.header("x-extra", "1"))
        .start();

    let seen = sdk.run(&Call::create(&stub));

    assert_error(&seen, 403, ("of_tomorrow", words), class(403, sdk));
    stub.verify();
}

fn a_turn_that_only_a_stream_can_carry_is_refused_with_its_reason(sdk: Sdk) {
    let turn = Turn::new()
        .text("one two")
        .end(After::deltas(1), ApiError::overloaded());
    let stub = WireStub::builder().turn(turn).start();

    let seen = sdk.run(&Call::create(&stub).retries(2));

    assert_eq!(seen["error"]["class"], "UnprocessableEntityError");
    let told = seen["error"]["api_message"].as_str().expect("a message");
    let line = "in-stream error after 1 delta is not possible: a non-streaming answer is no stream";
    assert!(told.starts_with(line), "{told}");
    assert_eq!(stub.requests().len(), 1);
    stub.try_verify().expect_err("the turn was not playable");
}

#[track_caller]
fn assert_error(seen: &Value, status: u16, (error_type, words): (&str, &str), class: &str) {
    let error = &seen["error"];
    assert_eq!(error["class"], class, "{status}: {error}");
    assert_eq!(error["status"], status, "{error}");
    assert_eq!(error["type"], error_type, "{error}");
    assert_eq!(error["api_message"], words, "{error}");
    let id = error["request_id"].as_str().expect("a request id");
    assert!(id.starts_with("req_011C") && id.len() == 28, "{id}");
    // both put the body into the exception's own text: Python as a dictionary, TypeScript as JSON
    let text = error["message"].as_str().expect("a message");
    let body =
        json!({"type": "error", "error": {"type": error_type, "message": words}, "request_id": id});
    if let Some(json) = text.strip_prefix(&format!("{status} ")) {
        assert_eq!(serde_json::from_str::<Value>(json).expect("JSON"), body);
    } else {
        let start = format!(
            "Error code: {status} - {{'type': 'error', 'error': {{'type': '{error_type}', "
        );
        assert!(text.starts_with(&start), "{text}");
        assert!(
            text.ends_with(&format!("}}, 'request_id': '{id}'}}")),
            "{text}"
        );
    }
    assert_eq!(seen["waits"], json!([]), "{status}");
}
