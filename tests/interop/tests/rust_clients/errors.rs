//! Errors before the stream: what a client keeps of them, and what it does about them.

use std::{collections::BTreeMap, time::Duration};

use llm_wire_stub::{Api, ApiError, Outcome, WireStub, error_body};
use llm_wire_stub_interop::MODEL;
use serde_json::Value;

use crate::{
    client::{Client, Failure, Form, Wants, async_anthropic},
    topics,
};

for_each_client!(
    every_error_status_reaches_the_user_with_what_the_client_keeps,
    no_client_but_one_tries_again,
);

/// Every status of the service's table, and a few others, all with `retry-after`.
fn errors() -> Vec<(u16, ApiError)> {
    let errors = [
        (400, ApiError::context_overflow()),
        (401, ApiError::authentication()),
        (402, ApiError::billing()),
        (403, ApiError::permission()),
        (404, ApiError::not_found()),
        (408, ApiError::status(408)),
        (409, ApiError::conflict()),
        (413, ApiError::request_too_large()),
        (418, ApiError::status(418)),
        (422, ApiError::status(422)),
        (429, ApiError::rate_limited()),
        (500, ApiError::internal()),
        (503, ApiError::status(503)),
        (504, ApiError::timeout()),
        (520, ApiError::status(520)),
        (529, ApiError::overloaded()),
    ];
    let late =
        |(status, error): (u16, ApiError)| (status, error.retry_after(Duration::from_secs(3600)));
    errors.map(late).to_vec()
}

/// The variant of the client's error type.
fn kind(client: Client, form: Form, status: u16) -> &'static str {
    match (client, form, status) {
        (Client::Rig, ..) => "ProviderResponse",
        (Client::Genai, Form::Whole, _) => "WebModelCall",
        (Client::Genai, Form::Streamed, _) => "WebStream",
        (Client::AsyncAnthropic, Form::Whole, 400) => "BadRequest",
        (Client::AsyncAnthropic, Form::Whole, 401) => "Unauthorized",
        (Client::AsyncAnthropic, Form::Whole, 429 | 529) => "ApiError",
        (Client::AsyncAnthropic, Form::Whole, _) => "Unknown",
        (Client::AsyncAnthropic, Form::Streamed, _) => "StreamError",
    }
}

async fn every_error_status_reaches_the_user_with_what_the_client_keeps(client: Client) {
    for form in [Form::Whole, Form::Streamed] {
        let mut kept = BTreeMap::<String, Vec<u16>>::new();
        for (status, error) in errors() {
            let stub = WireStub::builder().turn(error.clone()).start();
            let seen = client.ask(&stub, form, Wants::Answer).await;
            assert_eq!(stub.single_request().outcome(), Outcome::Complete);
            stub.verify();
            assert_eq!(seen.content, Vec::<Value>::new());
            let failure = seen.failure();
            assert_eq!(failure.kind, kind(client, form, status), "{status}");
            assert_text(client, form, status, failure);
            let what = what_is_kept(failure, status, &error);
            kept.entry(what).or_default().push(status);
        }
        topics::KEPT.assert(client, form, &in_words(kept, client, form));
    }
}

/// A program can get at these; each is compared with what was sent.
fn what_is_kept(failure: &Failure, status: u16, error: &ApiError) -> String {
    let sent = error_body(Api::AnthropicMessages, error);
    let sent = String::from_utf8(sent.to_vec()).expect("text");
    // the 429 names the model that was asked for
    let sent = sent.replace("claude-haiku-4-5-20251001", MODEL);
    let sent: Value = serde_json::from_str(&sent).expect("JSON");
    let mut kept = Vec::new();
    if let Some(found) = failure.status {
        assert_eq!(found, status);
        kept.push("status");
    }
    let mut id = failure.request_id.clone();
    if let Some(body) = &failure.body {
        let body: Value = serde_json::from_str(body).expect("JSON");
        assert_eq!(body["error"], sent["error"], "{status}");
        kept.extend(["type", "message"]);
        id = id.or_else(|| body["request_id"].as_str().map(str::to_owned));
    }
    if let Some(id) = id {
        assert!(id.starts_with("req_011C") && id.len() == 28, "{id}");
        kept.push("request id");
    }
    if let Some(wait) = &failure.retry_after {
        assert_eq!(wait, "3600");
        kept.push("retry-after");
    }
    if kept.is_empty() {
        return "nothing".to_owned();
    }
    kept.join(", ")
}

/// What is kept of most statuses, then the exceptions.
fn in_words(kept: BTreeMap<String, Vec<u16>>, client: Client, form: Form) -> String {
    let mut kept: Vec<_> = kept.into_iter().collect();
    kept.sort_by_key(|(_, statuses)| std::cmp::Reverse(statuses.len()));
    let words = kept.iter().enumerate().map(|(n, (what, statuses))| {
        let statuses: Vec<_> = statuses.iter().map(u16::to_string).collect();
        match n {
            0 => what.clone(),
            _ => format!("{}: {what}", statuses.join(", ")),
        }
    });
    let words = words.collect::<Vec<_>>().join("; ");
    // `Error::status()`, `Error::headers()` and the body are there once the cause is downcast
    if client == Client::Genai && form == Form::Streamed && words == "nothing" {
        return "in a boxed cause only".to_owned();
    }
    words
}

/// What a person reads.
fn assert_text(client: Client, form: Form, status: u16, failure: &Failure) {
    let text = &failure.text;
    match (client, form) {
        (Client::AsyncAnthropic, Form::Whole) if status == 401 => {
            assert_eq!(text, "unauthorized; check your API key");
        }
        (Client::AsyncAnthropic, Form::Whole) => {
            let body = failure.body.as_deref().expect("the body");
            assert!(text.ends_with(body), "{text}");
        }
        (Client::AsyncAnthropic, Form::Streamed) => {
            let start = format!("stream failed: Error (sse_error): Invalid status code: {status} ");
            assert!(text.starts_with(&start), "{text}");
        }
        (Client::Rig | Client::Genai, _) => {
            let body = r#"{"type":"error","error":{"type":""#;
            assert!(
                text.contains(&status.to_string()) && text.contains(body),
                "{text}"
            );
        }
    }
}

/// `Error::status()` is there so that nobody has to know the shapes of `Error`; it knows all but this one.
#[tokio::test]
async fn a_genai_stream_hides_the_status_of_its_error_from_error_status() {
    let error = ApiError::rate_limited().retry_after(Duration::from_secs(3));
    let stub = WireStub::builder().turn(error).start();

    let failed = crate::client::genai::stream_error(&stub).await;

    assert_eq!((failed.status(), failed.headers()), (None, None));
    let genai::Error::WebStream { error: cause, .. } = &failed else {
        panic!("another variant\n  found: `{failed:?}`");
    };
    let cause: &genai::Error = cause.downcast_ref().expect("the client's own error");
    assert_eq!(cause.status().map(|status| status.as_u16()), Some(429));
    assert_eq!(cause.headers().expect("headers")["retry-after"], "3");
    stub.verify();
}

async fn no_client_but_one_tries_again(client: Client) {
    for form in [Form::Whole, Form::Streamed] {
        let mut again = Vec::new();
        for (status, error) in errors() {
            let stub = WireStub::builder()
                .turns([error, ApiError::not_found()])
                .without_verify_on_drop()
                .start();
            // the error says to wait for an hour
            if client == Client::AsyncAnthropic {
                async_anthropic::ask_for_a_minute(&stub, form).await;
            } else {
                client.ask(&stub, form, Wants::Answer).await;
            }
            match stub.requests().len() {
                1 => {}
                2 => again.push(status.to_string()),
                n => panic!("{n} requests for {status}"),
            }
        }
        let found = if again.is_empty() {
            "none".to_owned()
        } else {
            again.join(", ")
        };
        topics::RETRIED.assert(client, form, &found);
    }
}

/// Its `retry_after` is always `None`: an hour that the service asks for is a millisecond here.
#[tokio::test]
async fn async_anthropic_tries_again_without_a_look_at_retry_after() {
    let stub = WireStub::builder()
        .turn(ApiError::rate_limited().retry_after(Duration::from_secs(3600)))
        .turn("there you are")
        .start();

    let seen = async_anthropic::ask_for_a_minute(&stub, Form::Whole).await;

    assert_eq!(seen.content, [serde_json::json!({"text": "there you are"})]);
    let requests = stub.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].body(), requests[1].body());
    stub.verify();
}
