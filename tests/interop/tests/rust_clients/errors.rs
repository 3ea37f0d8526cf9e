//! Errors before the stream: what a client keeps of them, and what it does about them.

use std::{collections::BTreeMap, time::Duration};

use llm_wire_stub::{ApiError, Outcome, WireStub, error_body};
use serde_json::Value;

use crate::{
    client::{Client, Failure, Form, KEY, Library, Wants, Wire, async_anthropic, async_openai},
    topics,
};

for_each_client!(
    every_error_status_reaches_the_user_with_what_the_client_keeps,
    what_is_tried_again_is_what_the_client_says,
);

/// Every status of the service's table, and a few others, all with `retry-after`.
fn errors(wire: Wire) -> Vec<(u16, ApiError)> {
    let (billing, not_found, overloaded) = match wire {
        Wire::Anthropic => (402, 404, 529),
        Wire::Chat => (429, 404, 503),
        // it calls a model that does not exist a wrong parameter
        Wire::Responses => (429, 400, 503),
    };
    let errors = [
        (400, ApiError::context_overflow()),
        (401, ApiError::authentication()),
        (billing, ApiError::billing()),
        (403, ApiError::permission()),
        (not_found, ApiError::not_found()),
        (404, ApiError::status(404)),
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
        (overloaded, ApiError::overloaded()),
    ];
    let late =
        |(status, error): (u16, ApiError)| (status, error.retry_after(Duration::from_secs(3600)));
    errors.map(late).to_vec()
}

/// The variant of the client's error type.
fn kind(client: Client, form: Form, status: u16) -> &'static str {
    match (client.library, form, status) {
        (Library::Rig, ..) => "ProviderResponse",
        (Library::Genai, Form::Whole, _) => "WebModelCall",
        (Library::Genai, Form::Streamed, _) => "WebStream",
        (Library::AsyncAnthropic, Form::Whole, 400) => "BadRequest",
        (Library::AsyncAnthropic, Form::Whole, 401) => "Unauthorized",
        (Library::AsyncAnthropic, Form::Whole, 429 | 529) => "ApiError",
        (Library::AsyncAnthropic, Form::Whole, _) => "Unknown",
        (Library::AsyncAnthropic, Form::Streamed, _) => "StreamError",
        (Library::AsyncOpenai, ..) => "ApiError",
    }
}

async fn every_error_status_reaches_the_user_with_what_the_client_keeps(client: Client) {
    for form in [Form::Whole, Form::Streamed] {
        let mut kept = BTreeMap::<String, Vec<u16>>::new();
        for (status, error) in errors(client.wire) {
            let stub = WireStub::builder().turn(error.clone()).start();
            let seen = client.ask(&stub, form, Wants::Answer).await;
            assert_eq!(stub.single_request().outcome(), Outcome::Complete);
            stub.verify();
            assert_eq!(seen.content, Vec::<Value>::new());
            let failure = seen.failure();
            assert_eq!(failure.kind, kind(client, form, status), "{status}");
            assert_text(client, form, status, failure);
            let what = what_is_kept(client, failure, status, &error);
            let statuses = kept.entry(what).or_default();
            if !statuses.contains(&status) {
                statuses.push(status);
            }
        }
        topics::KEPT.assert(client, form, &in_words(kept, client, form));
    }
}

/// A program can get at these; each is compared with what was sent.
fn what_is_kept(client: Client, failure: &Failure, status: u16, error: &ApiError) -> String {
    let sent = error_body(client.wire.api(), error);
    let sent = String::from_utf8(sent.to_vec()).expect("text");
    // the 429 of Anthropic names the model that was asked for, and the 401 of OpenAI shows of the key what it shows
    let hidden = 8..KEY.len() - 4;
    let shown = KEY.chars().enumerate();
    let shown: String = shown
        .map(|(n, c)| if hidden.contains(&n) { '*' } else { c })
        .collect();
    let text = sent
        .replace("claude-haiku-4-5-20251001", client.wire.model())
        .replace("sk-wrong****-key", &shown);
    let sent: Value = serde_json::from_str(&text).expect("JSON");
    let mut kept = Vec::new();
    if let Some(found) = failure.status {
        assert_eq!(found, status);
        kept.push("status");
    }
    let mut id = failure.request_id.clone();
    if let Some(body) = &failure.body {
        let body: Value = serde_json::from_str(body).expect("JSON");
        assert_eq!(body["error"], sent["error"], "{status}");
        kept.extend(match client.wire {
            Wire::Anthropic => &["type", "message"][..],
            Wire::Chat | Wire::Responses => &["type", "code", "message"],
        });
        id = id.or_else(|| body["request_id"].as_str().map(str::to_owned));
    } else if failure.text.contains(&text) {
        kept.push("the body as text");
    }
    if let Some(id) = id {
        let length = match client.wire {
            Wire::Anthropic => 28,
            Wire::Chat | Wire::Responses => 36,
        };
        assert!(id.starts_with("req_") && id.len() == length, "{id}");
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
    if client.library == Library::Genai && form == Form::Streamed && words == "the body as text" {
        return "in a boxed cause only".to_owned();
    }
    words
}

/// What a person reads.
fn assert_text(client: Client, form: Form, status: u16, failure: &Failure) {
    let text = &failure.text;
    match (client.library, form) {
        (Library::AsyncAnthropic, Form::Whole) if status == 401 => {
            assert_eq!(text, "unauthorized; check your API key");
        }
        (Library::AsyncAnthropic, Form::Whole) => {
            let body = failure.body.as_deref().expect("the body");
            assert!(text.ends_with(body), "{text}");
        }
        (Library::AsyncAnthropic, Form::Streamed) => {
            let start = format!("stream failed: Error (sse_error): Invalid status code: {status} ");
            assert!(text.starts_with(&start), "{text}");
        }
        (Library::AsyncOpenai, _) => {
            assert!(text.starts_with(&format!("{status} ")), "{text}");
        }
        (Library::Rig | Library::Genai, _) => {
            let body = match client.wire {
                Wire::Anthropic => r#"{"type":"error","error":{"type":""#,
                Wire::Chat | Wire::Responses => "\"error\": {\n",
            };
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
    for wire in Wire::ALL {
        a_genai_stream_hides_it(wire).await;
    }
}

async fn a_genai_stream_hides_it(wire: Wire) {
    let error = ApiError::rate_limited().retry_after(Duration::from_secs(3));
    let stub = WireStub::builder().turn(error).start();

    let failed = crate::client::genai::stream_error(wire, &stub).await;

    assert_eq!((failed.status(), failed.headers()), (None, None));
    let genai::Error::WebStream { error: cause, .. } = &failed else {
        panic!("another variant\n  found: `{failed:?}`");
    };
    let cause: &genai::Error = cause.downcast_ref().expect("the client's own error");
    assert_eq!(cause.status().map(|status| status.as_u16()), Some(429));
    assert_eq!(cause.headers().expect("headers")["retry-after"], "3");
    stub.verify();
}

async fn what_is_tried_again_is_what_the_client_says(client: Client) {
    for form in [Form::Whole, Form::Streamed] {
        let mut again = Vec::new();
        for (status, error) in errors(client.wire) {
            // it keeps the wait that it is told
            let error = match client.library {
                Library::AsyncOpenai => error.retry_after(Duration::ZERO),
                _ => error,
            };
            let stub = WireStub::builder()
                .turns([error, ApiError::not_found()])
                .without_verify_on_drop()
                .start();
            match client.library {
                // the error says to wait for an hour
                Library::AsyncAnthropic => async_anthropic::ask_for_a_minute(&stub, form).await,
                Library::AsyncOpenai => {
                    async_openai::ask_as_it_comes(client.wire, &stub, form).await
                }
                Library::Rig | Library::Genai => client.ask(&stub, form, Wants::Answer).await,
            };
            match stub.requests().len() {
                1 => {}
                2 if again.contains(&status.to_string()) => {}
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

/// Unless its HTTP service is replaced.
#[tokio::test]
async fn async_openai_tries_three_times_more() {
    for wire in Wire::OPENAI {
        let error = ApiError::overloaded().retry_after(Duration::ZERO);
        let stub = WireStub::builder().turn(error).repeat_last().start();

        let seen = async_openai::ask_as_it_comes(wire, &stub, Form::Whole).await;

        assert_eq!(seen.failure().status, Some(503));
        let requests = stub.requests();
        assert_eq!(requests.len(), 4);
        assert_eq!(requests[0].body(), requests[3].body());
        stub.verify();
    }
}

/// A spent quota is a 429 too; waiting does not help.
#[tokio::test]
async fn async_openai_knows_a_spent_quota_from_a_rate_limit() {
    for wire in Wire::OPENAI {
        let error = ApiError::credit_too_low().retry_after(Duration::ZERO);
        let stub = WireStub::builder().turn(error).start();

        let seen = async_openai::ask_as_it_comes(wire, &stub, Form::Whole).await;

        let text = &seen.failure().text;
        assert!(text.ends_with(" (code: insufficient_quota)"), "{text}");
        assert_eq!(stub.requests().len(), 1);
        stub.verify();
    }
}

/// The runtime's clock is paused: an hour passes at once, and only because the client waits for it.
#[tokio::test(start_paused = true)]
async fn async_openai_waits_as_long_as_it_is_told() {
    for wire in Wire::OPENAI {
        let hour = Duration::from_secs(3600);
        let stub = WireStub::builder()
            .turn(ApiError::rate_limited().retry_after(hour))
            .turn("there you are")
            .start();
        let begin = tokio::time::Instant::now();

        let seen = async_openai::ask_as_it_comes(wire, &stub, Form::Whole).await;

        assert!(begin.elapsed() >= hour, "{:?}", begin.elapsed());
        assert_eq!(seen.content, [serde_json::json!({"text": "there you are"})]);
        stub.verify();
    }
}
