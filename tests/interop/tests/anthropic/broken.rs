//! Streams that break after a 200: what each SDK makes of them. Several of these are findings about the
//! SDKs, and their names say so: what a client should do is another matter.

use llm_wire_stub::{
    After, ApiError, Arguments, Ending, Fault, Outcome, StubHandle, Turn, WireStub,
};
use llm_wire_stub_interop::{Call, Sdk};
use serde_json::{Value, json};

for_each_sdk!(
    an_error_event_reaches_the_user_after_all_that_came_before,
    nothing_after_a_200_is_tried_again,
    a_clean_end_before_any_event_fails_the_helper_only,
    a_raw_stream_that_ends_early_just_ends,
    a_closed_connection_is_an_error_wherever_it_happens,
    a_reset_connection_is_an_error_wherever_it_happens,
    a_connection_lost_before_the_head_is_a_connection_error,
    truncated_arguments_are_taken_for_shorter_ones,
    malformed_arguments_fail_the_helper_and_pass_event_by_event,
);

fn text() -> Turn {
    Turn::new().text("one two three").seed(1)
}

/// What the helper and the raw stream observed of the same turn, and what became of its answers.
fn both(sdk: Sdk, turn: &Turn) -> ([Value; 2], Vec<Outcome>) {
    let stub = WireStub::builder()
        .turns([turn.clone(), turn.clone()])
        .allow_script_drift()
        .start();
    let seen = [sdk.run(&Call::helper(&stub)), sdk.run(&Call::raw(&stub))];
    let outcomes = stub
        .requests()
        .iter()
        .map(|request| request.outcome())
        .collect();
    stub.verify();
    (seen, outcomes)
}

/// The names of a raw stream's events, or of a helper's, without those that Python's helper adds.
fn names(seen: &Value) -> Vec<&str> {
    let events = seen["events"].as_array().into_iter().flatten();
    let names = events.filter_map(|event| event["type"].as_str().or_else(|| event.as_str()));
    names
        .filter(|name| !["text", "input_json"].contains(name))
        .collect()
}

const ONE_DELTA: [&str; 3] = [
    "message_start",
    "content_block_start",
    "content_block_delta",
];

fn an_error_event_reaches_the_user_after_all_that_came_before(sdk: Sdk) {
    for (error, error_type, words) in [
        (ApiError::overloaded(), "overloaded_error", "Overloaded"),
        (ApiError::internal(), "api_error", "Internal server error"),
        (
            ApiError::rate_limited().message("slow down"),
            "rate_limit_error",
            "slow down",
        ),
        (
            ApiError::invalid_request("é 😀"),
            "invalid_request_error",
            "é 😀",
        ),
        (
            ApiError::status(403)
                .error_type("of_tomorrow")
                .message("no"),
            "of_tomorrow",
            "no",
        ),
    ] {
        for (after, before) in [
            (After::head(), &ONE_DELTA[..0]),
            (After::deltas(1), &ONE_DELTA[..]),
        ] {
            let (seen, outcomes) = both(sdk, &text().end(after, error.clone()));
            for seen in &seen {
                let error = &seen["error"];
                // Python keeps the status of the head, and so has no class for the error; TypeScript has
                // no status at all
                let (class, status) = match sdk {
                    Sdk::Python | Sdk::PythonAsync => ("APIStatusError", json!(200)),
                    Sdk::TypeScript => ("APIError", Value::Null),
                };
                assert_eq!(
                    (&error["class"], &error["status"]),
                    (&json!(class), &status),
                    "{error_type}"
                );
                assert_eq!(
                    (&error["type"], &error["api_message"]),
                    (&json!(error_type), &json!(words))
                );
                let id = error["request_id"].as_str().expect("the id of the head");
                let text = error["message"].as_str().expect("a message");
                assert!(text.contains(error_type) && text.contains(id), "{text}");
                assert_eq!(names(seen), before, "{error_type} {after}");
                assert_eq!(seen["message"], Value::Null);
            }
            assert_eq!(outcomes, [Outcome::Failed; 2]);
        }
    }
}

fn nothing_after_a_200_is_tried_again(sdk: Sdk) {
    let stub = WireStub::builder()
        .turn(text().end(After::head(), ApiError::overloaded()))
        .turn(text().end(After::head(), Ending::Fin))
        .turn(text().end(After::head(), Ending::Reset))
        .start();

    let runs = sdk.run_times(&Call::helper(&stub).retries(2), 3);

    for seen in &runs {
        assert_ne!(seen["error"], Value::Null);
        assert_eq!(seen["waits"], json!([]));
    }
    assert_eq!(stub.requests().len(), 3);
    stub.verify();
}

fn a_clean_end_before_any_event_fails_the_helper_only(sdk: Sdk) {
    let ([helper, raw], outcomes) = both(sdk, &text().end(After::head(), Ending::CleanEof));

    let (class, words) = match sdk {
        Sdk::Python | Sdk::PythonAsync => ("AssertionError", ""),
        Sdk::TypeScript => ("AnthropicError", "request ended without sending any chunks"),
    };
    assert_eq!(helper["error"]["class"], class);
    assert_eq!(helper["error"]["message"], words);
    assert_eq!((&raw["error"], &raw["events"]), (&Value::Null, &json!([])));
    assert_eq!(outcomes, [Outcome::Failed; 2]);
}

/// Streams without their end, none of which the transport shows: the text that arrives, the stop reason.
fn clean_ends() -> Vec<(Turn, &'static str, Value)> {
    vec![
        (
            text().end(After::deltas(1), Ending::CleanEof),
            "one",
            Value::Null,
        ),
        (
            text().end(After::parts(1), Ending::CleanEof),
            "one two three",
            Value::Null,
        ),
        (
            text().fault(Fault::EofBeforeTerminal),
            "one two three",
            Value::Null,
        ),
        (
            text().end(After::stop_reason(), Ending::CleanEof),
            "one two three",
            json!("end_turn"),
        ),
    ]
}

#[test]
fn pythons_helpers_take_a_stream_without_its_end_for_a_whole_answer() {
    for sdk in [Sdk::Python, Sdk::PythonAsync] {
        for (turn, text, stop_reason) in clean_ends() {
            let ([helper, _], _) = both(sdk, &turn);
            assert_eq!(helper["error"], Value::Null);
            assert_eq!(
                helper["message"]["content"],
                json!([{"type": "text", "text": text}])
            );
            assert_eq!(helper["message"]["stop_reason"], stop_reason);
        }
    }
}

#[test]
fn typescripts_helper_refuses_a_stream_without_its_terminal_event() {
    for (turn, ..) in clean_ends() {
        let ([helper, _], _) = both(Sdk::TypeScript, &turn);
        assert_eq!(helper["error"]["class"], "AnthropicError");
        let words = "stream ended without producing a Message with role=assistant";
        assert_eq!(helper["error"]["message"], words);
    }
}

/// Whether a stream was whole, its reader has to see for itself: by the `message_stop`.
fn a_raw_stream_that_ends_early_just_ends(sdk: Sdk) {
    for (turn, ..) in clean_ends() {
        let ([_, raw], _) = both(sdk, &turn);
        assert_eq!(raw["error"], Value::Null);
        assert_eq!(names(&raw)[..3], ONE_DELTA);
        assert!(!names(&raw).contains(&"message_stop"));
    }
}

#[test]
fn pythons_helpers_take_half_a_tool_call_for_one_without_arguments() {
    let turn = Turn::new().tool_call("edit", json!({"path": "src/main.rs"}));
    for sdk in [Sdk::Python, Sdk::PythonAsync] {
        let ([helper, _], _) = both(sdk, &turn.clone().end(After::deltas(1), Ending::CleanEof));
        assert_eq!(helper["error"], Value::Null);
        assert_eq!(helper["message"]["content"][0]["input"], json!({}));
    }
}

fn a_closed_connection_is_an_error_wherever_it_happens(sdk: Sdk) {
    let expected: [(&str, &[&str]); 2] = match sdk {
        Sdk::Python | Sdk::PythonAsync => [("RemoteProtocolError", &["RemoteProtocolError"]); 2],
        Sdk::TypeScript => [
            ("AnthropicError", &["TypeError"]),
            ("TypeError", &["UND_ERR_SOCKET"]),
        ],
    };
    lost(sdk, &Ending::Fin, Outcome::Failed, expected);
}

/// Python has another class for it than for a closed connection. Node tells the two apart only now and
/// then, whoever resets.
fn a_reset_connection_is_an_error_wherever_it_happens(sdk: Sdk) {
    let expected: [(&str, &[&str]); 2] = match sdk {
        Sdk::Python | Sdk::PythonAsync => [("ReadError", &["ReadError"]); 2],
        Sdk::TypeScript => [
            ("AnthropicError", &["TypeError"]),
            ("TypeError", &["ECONNRESET", "UND_ERR_SOCKET"]),
        ],
    };
    lost(sdk, &Ending::Reset, Outcome::Reset, expected);
}

/// Everything that was written before the end is read, then comes the error: class and possible causes of
/// the helper's and of the raw stream's.
#[track_caller]
fn lost(sdk: Sdk, ending: &Ending, outcome: Outcome, expected: [(&str, &[&str]); 2]) {
    let to_the_stop_reason = [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
    ];
    for (after, before) in [
        (After::head(), &ONE_DELTA[..0]),
        (After::deltas(1), &ONE_DELTA[..]),
        (After::stop_reason(), &to_the_stop_reason[..]),
    ] {
        let (seen, outcomes) = both(sdk, &text().end(after, ending.clone()));
        for (seen, (class, causes)) in seen.iter().zip(expected) {
            let error = &seen["error"];
            assert_eq!(error["class"], class, "{after}: {error}");
            assert!(
                causes.iter().any(|cause| error["cause"] == *cause),
                "{after}: {error}"
            );
            assert_eq!(error["status"], Value::Null);
            assert_eq!(names(seen), before, "{after}");
        }
        assert_eq!(outcomes, [outcome; 2], "{after}");
    }
}

fn a_connection_lost_before_the_head_is_a_connection_error(sdk: Sdk) {
    let calls: [fn(&StubHandle) -> Call; 3] = [Call::create, Call::helper, Call::raw];
    for (ending, outcome) in [
        (Ending::Fin, Outcome::Failed),
        (Ending::Reset, Outcome::Reset),
    ] {
        for call in calls {
            let stub = WireStub::builder()
                .turn(text().end(After::request(), ending.clone()))
                .start();
            let seen = sdk.run(&call(&stub));
            let error = &seen["error"];
            assert_eq!(
                (&error["class"], &error["message"]),
                (&json!("APIConnectionError"), &json!("Connection error."))
            );
            assert_eq!(stub.single_request().outcome(), outcome);
            assert_eq!(stub.single_request().bytes_written(), 0);
            stub.verify();
        }
    }
}

/// The stream is whole, the model's JSON is not: both helpers drop the member that is not closed.
fn truncated_arguments_are_taken_for_shorter_ones(sdk: Sdk) {
    let turn = Turn::new().tool_call("edit", Arguments::raw(r#"{"line": 1, "path": "src/ma"#));

    let ([helper, raw], outcomes) = both(sdk, &turn);

    assert_eq!(helper["error"], Value::Null);
    assert_eq!(helper["message"]["content"][0]["input"], json!({"line": 1}));
    assert_eq!(names(&raw).last(), Some(&"message_stop"));
    assert_eq!(outcomes, [Outcome::Complete; 2]);
}

fn malformed_arguments_fail_the_helper_and_pass_event_by_event(sdk: Sdk) {
    let turn = Turn::new().tool_call("edit", Arguments::raw(r#"{"line": nope}"#));

    let ([helper, raw], _) = both(sdk, &turn);

    let class = if sdk == Sdk::TypeScript {
        "AnthropicError"
    } else {
        "ValueError"
    };
    assert_eq!(helper["error"]["class"], class);
    assert_eq!(raw["error"], Value::Null);
    assert_eq!(names(&raw).last(), Some(&"message_stop"));
}
