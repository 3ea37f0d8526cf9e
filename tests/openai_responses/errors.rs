//! The error table: what differs from Chat, before the stream and in it.

use llm_wire_stub::*;
use serde_json::json;

use crate::{API, bytes::events, call};

#[tokio::test]
async fn errors_are_those_of_chat_but_for_these() {
    const INVALID: &str = "invalid_request_error";
    let long = "Your input exceeds the context window of this model. Please adjust your input and try again.";
    for (error, status, message, param, code) in [
        (
            ApiError::not_found(),
            400,
            "The requested model 'gpt-5' does not exist.",
            json!("model"),
            json!("model_not_found"),
        ),
        (
            ApiError::context_overflow(),
            400,
            long,
            json!("input"),
            json!("context_length_exceeded"),
        ),
        (
            ApiError::context_overflow_with_output(),
            400,
            long,
            json!("input"),
            json!("context_length_exceeded"),
        ),
        (
            ApiError::output_limit(),
            400,
            "Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 16384, but got \
             128000 instead.",
            json!("max_output_tokens"),
            json!("integer_above_max_value"),
        ),
        (
            ApiError::effort_not_supported(),
            400,
            "Unsupported value: 'xhigh' is not supported with this model. Supported values are: 'low', \
             'medium', and 'high'.",
            json!("reasoning.effort"),
            json!("unsupported_value"),
        ),
        (
            ApiError::authentication(),
            401,
            "Incorrect API key provided: k. You can find your API key at \
             https://platform.openai.com/account/api-keys.",
            json!(null),
            json!("invalid_api_key"),
        ),
    ] {
        let stub = WireStub::builder().turn(error.clone()).start();
        let answered = call(&stub).streamed().send().await;
        assert_eq!(answered.status, status, "{error:?}");
        let expected = json!({"message": message, "type": INVALID, "param": param, "code": code});
        assert_eq!(answered.json()["error"], expected, "{error:?}");
        assert_eq!(answered.header("content-type"), "application/json");
        let challenge = answered.header("www-authenticate");
        let expected = if status == 401 {
            r#"Bearer realm="OpenAI API""#
        } else {
            ""
        };
        assert_eq!(challenge, expected);
        assert!(
            answered
                .body
                .starts_with(b"{\n  \"error\": {\n    \"message\"")
        );
        assert!(answered.body.ends_with(b"\n  }\n}"));
    }
}

#[test]
fn an_error_inside_a_stream_is_two_events_numbered_behind_those_before() {
    for (after, written, items) in [
        (After::head(), 0, 0),
        (After::events(2), 2, 0),
        (After::deltas(1), 5, 0),
        (After::parts(1), 9, 1),
        (After::deltas(3), 11, 1),
    ] {
        let turn = Turn::new()
            .text("one two")
            .tool_call("f", json!({}))
            .end(after, ApiError::credit_too_low());
        let events = events(&sse_body(API, &turn));
        let [.., error, failed] = &*events else {
            panic!("{events:?}")
        };
        assert_eq!(events.len(), written + 2, "{after}");
        let numbers = [&error["sequence_number"], &failed["sequence_number"]];
        assert_eq!(numbers, [written, written + 1], "{after}");
        assert_eq!(error["error"]["code"], "insufficient_quota");
        let response = &failed["response"];
        assert_eq!(response["status"], "failed");
        assert_eq!(response["error"]["code"], "insufficient_quota");
        assert_eq!(
            response["output"].as_array().unwrap().len(),
            items,
            "{after}"
        );
    }
}

#[test]
fn nothing_can_fail_behind_the_last_event() {
    for after in [After::stop_reason(), After::events(9)] {
        let turn = Turn::new().text("Hi").end(after, ApiError::internal());
        let error = try_sse_body(API, &turn).unwrap_err().to_string();
        let (what, rest) = error.split_once('\n').unwrap();
        assert_eq!(
            what,
            format!("in-stream error {after} is not possible: the event before it ends the stream")
        );
        let help = rest.split_once('\n').unwrap().1;
        assert_eq!(help, "  help: move it to a place before the stop reason");
    }
}
