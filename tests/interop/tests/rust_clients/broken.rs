//! Streams that break after a 200. A client should be loud; what each is, is pinned.

use llm_wire_stub::{After, ApiError, Ending, Fault, Outcome, Turn, WireStub};
use serde_json::{Value, json};

use crate::{
    client::{Client, Failure, Form, Library, Seen, Wants, Wire, async_anthropic},
    topics::{self, verdict},
};

for_each_client!(
    a_body_that_ends_early_is_noticed_or_not,
    a_lost_connection_is_an_error_wherever_it_happens,
    an_error_event_is_an_error_after_all_that_came_before,
);
// the stop reason of Responses stands in the last event
for_each_client!(on (Anthropic Chat): what_follows_the_stop_reason_is_noticed_or_not);

fn text() -> Turn {
    Turn::new().text("one two three").seed(1)
}

fn whole() -> Vec<Value> {
    vec![json!({"text": "one two three"})]
}

/// What the client saw of a stream that ends as scripted and is not asked for again.
async fn once(client: Client, turn: Turn, outcome: Outcome) -> Seen {
    let stub = WireStub::builder().turn(turn).allow_script_drift().start();
    let seen = client.ask(&stub, Form::Streamed, Wants::Answer).await;
    assert_eq!(stub.single_request().outcome(), outcome);
    stub.verify();
    seen
}

/// Nothing but the missing events shows it.
async fn a_body_that_ends_early_is_noticed_or_not(client: Client) {
    let call = || Turn::new().tool_call_with_id("toolu_1", "edit", json!({"path": "a", "line": 1}));
    let called =
        vec![json!({"tool": "edit", "id": "toolu_1", "arguments": {"line": 1, "path": "a"}})];
    let one = vec![json!({"text": "one"})];
    for (topic, turn, arrived) in [
        (
            &topics::CLEAN_END,
            text().end(After::head(), Ending::CleanEof),
            Vec::new(),
        ),
        (
            &topics::CLEAN_END,
            text().end(After::deltas(1), Ending::CleanEof),
            one,
        ),
        (
            &topics::NO_TERMINAL,
            text().fault(Fault::EofBeforeTerminal),
            whole(),
        ),
        (
            &topics::NO_TERMINAL_CALL,
            call().fault(Fault::EofBeforeTerminal),
            called,
        ),
    ] {
        let seen = once(client, turn, Outcome::Failed).await;
        // no client may take it for a finished answer
        topic.assert(client, Form::Streamed, verdict(false, &seen));
        assert_eq!(seen.stop, None);
        // genai gives calls at the end only, and rig on Chat what is closed, as calls are by the stop reason
        let calls = topic.name == topics::NO_TERMINAL_CALL.name;
        let loses = match (client.library, client.wire) {
            (Library::Genai, _) | (Library::Rig, Wire::Chat) => true,
            (Library::Rig, Wire::Anthropic | Wire::Responses)
            | (Library::AsyncAnthropic | Library::AsyncOpenai, _) => false,
        };
        let arrived = if calls && loses { Vec::new() } else { arrived };
        assert_eq!(seen.content, arrived);
        if client.library == Library::Rig {
            assert_eq!(seen.failure().kind, "Truncated");
            let text = "ResponseError: the reply ended before the provider ended it";
            assert_eq!(seen.failure().text, text);
        }
    }
}

/// What is behind the stop reason matters less: the answer is whole.
async fn what_follows_the_stop_reason_is_noticed_or_not(client: Client) {
    let seen = once(
        client,
        text().end(After::stop_reason(), Ending::CleanEof),
        Outcome::Failed,
    )
    .await;
    // genai gives stop reason, usage and content with its end event, which needs `message_stop`
    let right = seen.content == whole() && seen.stop.is_some();
    topics::NO_MESSAGE_STOP.assert(client, Form::Streamed, verdict(right, &seen));

    // rig reads no further on Anthropic: not even an error event there is seen
    let turn = text().end(After::stop_reason(), ApiError::overloaded());
    let seen = once(client, turn, Outcome::Failed).await;
    assert_eq!(seen.content, whole());
    let reads_no_further = (client.library, client.wire) == (Library::Rig, Wire::Anthropic);
    assert_eq!(seen.failure.is_none(), reads_no_further);
}

fn connection_lost(client: Client) -> (&'static str, &'static str) {
    match (client.library, client.wire) {
        (Library::Rig, _) => (
            "Http",
            "HttpError: Http client error: error decoding response body",
        ),
        (Library::Genai, Wire::Anthropic) => (
            "WebStream",
            "Web stream error for model 'claude-sonnet-4-5 (adapter: Anthropic)'.\nCause: error decoding response body",
        ),
        (Library::Genai, Wire::Chat) => (
            "WebStream",
            "Web stream error for model 'gpt-4o-mini-2024-07-18 (adapter: OpenAI)'.\nCause: error decoding response body",
        ),
        (Library::Genai, Wire::Responses) => (
            "WebStream",
            "Web stream error for model 'gpt-4o-mini-2024-07-18 (adapter: OpenAIResp)'.\nCause: error decoding response body",
        ),
        (Library::AsyncAnthropic, _) => (
            "StreamError",
            "stream failed: Error (sse_error): error decoding response body",
        ),
        (Library::AsyncOpenai, _) => (
            "StreamError",
            "stream failed: EventStream error: Transport error: error decoding response body",
        ),
    }
}

async fn a_lost_connection_is_an_error_wherever_it_happens(client: Client) {
    for (ending, outcome) in [
        (Ending::Fin, Outcome::Failed),
        (Ending::Reset, Outcome::Reset),
    ] {
        for (after, arrived) in [
            (After::head(), Vec::new()),
            (After::deltas(1), vec![json!({"text": "one"})]),
        ] {
            let (seen, requests) = lost(client, text().end(after, ending.clone()), outcome).await;
            let (kind, text) = connection_lost(client);
            let text = text.to_owned();
            let failure = Failure {
                kind,
                text,
                ..Failure::default()
            };
            assert_eq!(seen, Seen::failed(arrived, failure));
            topics::LOST.assert(client, Form::Streamed, requests);
        }
        // before the head there is a URL in the text
        let turn = text().end(After::request(), ending.clone());
        let (seen, requests) = lost(client, turn.clone(), outcome).await;
        let text = &seen.failure().text;
        assert!(
            text.contains("error sending request for url (http://127.0.0.1:"),
            "{text}"
        );
        topics::LOST.assert(client, Form::Streamed, requests);

        let stub = WireStub::builder().turn(turn).start();
        let seen = client.ask(&stub, Form::Whole, Wants::Answer).await;
        topics::LOST.assert(client, Form::Whole, verdict(false, &seen));
        assert_eq!(stub.single_request().outcome(), outcome);
        stub.verify();
    }
}

/// What the client saw, and whether it asked again although nobody told it to.
async fn lost(client: Client, turn: Turn, outcome: Outcome) -> (Seen, &'static str) {
    if client.library != Library::AsyncAnthropic {
        let seen = once(client, turn, outcome).await;
        let found = verdict(false, &seen);
        return (seen, found);
    }
    let stub = WireStub::builder().turn(turn).turn("again").start();
    let seen = client.ask(&stub, Form::Streamed, Wants::Answer).await;
    // the stream is dropped by now
    let requests = stub.wait_for_requests(2).await;
    assert_eq!(requests[0].outcome(), outcome);
    assert_eq!(requests[0].body(), requests[1].body());
    assert_eq!(requests[1].header("last-event-id"), Some(""));
    stub.verify();
    (seen, "error, **and the request again**")
}

/// A caller who goes on after the error, as the stream invites to, reads both answers as one.
#[tokio::test]
async fn an_async_anthropic_stream_goes_on_with_a_second_answer_after_a_lost_connection() {
    let stub = WireStub::builder()
        .turn(text().end(After::deltas(2), Ending::Fin))
        .turn("another answer")
        .start();

    let items = async_anthropic::items_past_errors(&stub).await;

    assert_eq!(
        items,
        [
            "start",
            "one",
            " two",
            "stream failed: Error (sse_error): error decoding response body",
            "start",
            "another",
            " answer",
            "stop",
        ]
    );
    assert_eq!(stub.requests().len(), 2);
    stub.verify();
}

/// The event is as the service sends it: the error inside `error`, which async-anthropic looks for outside.
async fn an_error_event_is_an_error_after_all_that_came_before(client: Client) {
    for (after, arrived) in [
        (After::head(), Vec::new()),
        (After::deltas(1), vec![json!({"text": "one"})]),
    ] {
        let error = ApiError::overloaded().message("é 😀");
        let seen = once(client, text().end(after, error), Outcome::Failed).await;
        assert_eq!(seen.content, arrived);
        let failure = seen.failure();
        let body = failure.body.as_deref().unwrap_or("null");
        let body: Value = serde_json::from_str(body).expect("JSON");
        let kind = match client.library {
            Library::Rig => "ProviderResponse",
            Library::Genai => "ChatResponse",
            Library::AsyncAnthropic => "DeserializationError",
            Library::AsyncOpenai => "JSONDeserialize",
        };
        assert_eq!(failure.kind, kind);
        let found = if client.library == Library::AsyncAnthropic {
            let text = "failed to deserialize response: missing field `message` at line 1 column ";
            assert!(failure.text.starts_with(text), "{}", failure.text);
            "**neither type nor message**"
        } else if client.library == Library::AsyncOpenai {
            let text = &failure.text;
            let (member, sent) = match client.wire {
                // every event has to be a chunk
                Wire::Chat => (
                    "id",
                    r#" at line 1 column 109 content:{"error":{"message":"é 😀","#,
                ),
                // the event is to be as documented, with all members at its top
                _ => ("message", r#" content:{"type":"error","error":{"type":"#),
            };
            let start =
                format!("failed to deserialize api response: error:missing field `{member}`{sent}");
            assert!(text.starts_with(&start), "{text}");
            for said in ["service_unavailable_error", "server_is_overloaded", "é 😀"] {
                assert!(text.contains(said), "{text}");
            }
            "**a decoding error, with all as text**"
        } else if client.wire == Wire::Anthropic {
            let error = json!({"details": null, "type": "overloaded_error", "message": "é 😀"});
            assert_eq!(body["error"], error);
            assert!(
                body["request_id"]
                    .as_str()
                    .expect("an id")
                    .starts_with("req_")
            );
            "type, message, request id"
        } else {
            // on Chat genai gives what stands in `error`
            let error = match (client.library, client.wire) {
                (Library::Genai, Wire::Chat) => &body,
                _ => &body["error"],
            };
            let said = json!({
                "message": "é 😀",
                "type": "service_unavailable_error",
                "param": null,
                "code": "server_is_overloaded",
            });
            assert_eq!(error, &said);
            "type, code, message"
        };
        topics::ERROR_EVENT.assert(client, Form::Streamed, found);
    }
}
