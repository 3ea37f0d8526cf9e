//! Legacy text completions of OpenAI, which of these clients `async-openai` alone speaks.

use llm_wire_stub::{After, Api, ApiError, Ending, StopReason, Turn, Usage, WireStub};
use serde_json::json;

use crate::{
    client::{Failure, Form, async_openai},
    turns,
};

#[tokio::test]
async fn a_text_arrives_as_it_was_said_with_its_end_and_its_usage() {
    for form in [Form::Whole, Form::Streamed] {
        for (reason, word) in [
            (StopReason::EndTurn, "Stop"),
            (StopReason::MaxTokens, "Length"),
            (StopReason::ContentFilter, "ContentFilter"),
        ] {
            let turn = Turn::new()
                .text(turns::ODD_TEXT)
                .stop_reason(reason)
                .usage(Usage::input(3).output(7));
            let stub = WireStub::builder().turn(turn.clone()).start();

            let seen = async_openai::complete(&stub, form).await;

            assert_eq!(seen.failure, None);
            assert_eq!(seen.content, [json!({"text": turns::ODD_TEXT})]);
            assert_eq!(seen.stop.as_deref(), Some(word));
            let reply = turn.normalized(Api::OpenAiCompletions).expect("sayable");
            assert_eq!(seen.kept["id"], json!(reply.id));
            assert_eq!(seen.kept["model"], json!(async_openai::COMPLETION_MODEL));
            if form == Form::Whole {
                assert_eq!(
                    (&seen.kept["input"], &seen.kept["output"]),
                    (&json!(3), &json!(7))
                );
            }
            assert_eq!(stub.single_request().target(), "/v1/completions");
            stub.verify();
        }
    }
}

#[tokio::test]
async fn what_ends_badly_is_noticed_or_not() {
    let turn = || Turn::new().text("one two three");
    let lost = "stream failed: EventStream error: Transport error: error decoding response body";
    for (ending, text) in [
        (Ending::CleanEof, None),
        (Ending::Fin, Some(lost)),
        (Ending::Reset, Some(lost)),
    ] {
        let stub = WireStub::builder()
            .turn(turn().end(After::deltas(1), ending))
            .start();
        let seen = async_openai::complete(&stub, Form::Streamed).await;
        assert_eq!(seen.content, [json!({"text": "one"})]);
        assert_eq!(seen.stop, None);
        assert_eq!(seen.failure.map(|failure| failure.text).as_deref(), text);
        stub.verify();
    }
}

#[tokio::test]
async fn an_error_status_is_the_clients_error() {
    for form in [Form::Whole, Form::Streamed] {
        let stub = WireStub::builder().turn(ApiError::not_found()).start();
        let seen = async_openai::complete(&stub, form).await;
        let Failure { kind, status, .. } = seen.failure();
        assert_eq!((*kind, *status), ("ApiError", Some(404)));
        stub.verify();
    }
}
