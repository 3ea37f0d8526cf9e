//! Which turn answers which call, and how a call without one is refused.
#![cfg(feature = "server")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]

#[path = "support/post.rs"]
mod post;

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use llm_wire_stub::*;
use post::{Answered, call};
use serde_json::json;

/// The gists of the answers to these calls, sent one after the other.
async fn gists(calls: impl IntoIterator<Item = post::Call>) -> Vec<String> {
    let mut gists = Vec::new();
    for call in calls {
        gists.push(call.send().await.gist());
    }
    gists
}

/// A builder whose stub is not verified.
#[track_caller]
fn builder() -> WireStubBuilder {
    WireStub::builder().without_verify_on_drop()
}

const REFUSED_BY_RULE: &str = "401 credentials";
const EXHAUSTED: &str = "422 exhausted";
const UNPLAYABLE: &str = "422 unplayable";

// --- precedence and counting -----------------------------------------------------------------------

#[tokio::test]
async fn rule_error_lane_closure_sequence_exhaustion_answer_in_this_order() {
    let stub = builder()
        .error_at(0, ApiError::internal())
        .error_at(1, ApiError::overloaded())
        .lane("lane", matchers::model("claimed"), ["lane"])
        .answer(|request, _| (request.last_user_text() != "pass").then(|| "closure".into()))
        .turn("sequence")
        .start();
    let open = call(&stub);
    let calls = [
        open.clone().without_header("x-api-key"),
        open.clone().model("claimed"),
        open.clone().model("claimed"),
        open.clone(),
        open.clone().asks("pass"),
        open.asks("pass"),
    ];

    let expected = [
        REFUSED_BY_RULE,
        "529",
        "lane",
        "closure",
        "sequence",
        EXHAUSTED,
    ];
    assert_eq!(gists(calls).await, expected);
}

#[tokio::test]
async fn a_script_says_all_that_a_builder_says_and_joins_what_was_said_before() {
    let script = Script::new(["second"])
        .lane("lane", matchers::model("claimed"), ["lane"])
        .answer(|request, _| (request.last_user_text() == "closure").then(|| "closure".into()))
        .error_at(0, ApiError::overloaded())
        .stop_reason_at(1, StopReason::MaxTokens)
        .repeat_last()
        .plain()
        .era(Era::of(2024, 6))
        .seed(7);
    let stub = WireStub::builder()
        .turn("first")
        .seed(1)
        .script(script)
        .start();
    let open = call(&stub);
    let calls = [
        open.clone(),
        open.clone().model("claimed"),
        open.clone().asks("closure"),
        open.clone(),
        open.clone(),
        open.clone(),
    ];

    let expected = ["529", "lane", "closure", "first", "second", "second"];
    assert_eq!(gists(calls).await, expected);
    let of_the_script = Turn::new().text("hi").seed(7).plain().era(Era::of(2024, 6));
    let stub = WireStub::builder()
        .seed(1)
        .script(Script::new(["hi"]).seed(7).plain().era(Era::of(2024, 6)));
    let stub = stub.start();
    let id = call(&stub).send().await.json()["id"].clone();
    let body = json_body(Api::AnthropicMessages, &of_the_script);
    let expected: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(id, expected["id"]);
}

#[tokio::test]
async fn every_model_call_is_counted_from_zero_also_a_refused_one() {
    let stub = builder()
        .error_at(2, ApiError::internal())
        .answer(|_, index| {
            let turn = Turn::new().text(format!("call {index}"));
            (index < 4).then(|| {
                if index == 3 {
                    turn.end(After::parts(9), Ending::Fin)
                } else {
                    turn
                }
            })
        })
        .start();
    let open = call(&stub);
    let calls = [
        open.clone(),
        open.clone().to("/v1/elsewhere"),
        open.clone().without_header("x-api-key"),
        open.clone(),
        open.clone(),
        open.clone(),
        open,
    ];

    let expected = [
        "call 0",
        "404 not-served",
        REFUSED_BY_RULE,
        "500",
        UNPLAYABLE,
        EXHAUSTED,
        EXHAUSTED,
    ];
    assert_eq!(gists(calls).await, expected);
    let indices: Vec<usize> = stub.requests().iter().map(RecordedRequest::index).collect();
    assert_eq!(indices, [0, 1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn what_the_closure_passes_on_goes_to_the_sequence_in_order_of_arrival() {
    let stub = WireStub::builder()
        .answer(|request, _| (request.last_user_text() == "mine").then(|| "closure".into()))
        .turns(["first", "second"])
        .start();
    let calls = ["other", "mine", "other"].map(|question| call(&stub).asks(question));

    assert_eq!(gists(calls).await, ["first", "closure", "second"]);
}

// --- lanes -----------------------------------------------------------------------------------------

#[tokio::test]
async fn lanes_and_sequence_never_share_a_queue() {
    let stub = WireStub::builder()
        .lane("a", matchers::model("a"), ["a1", "a2"])
        .lane("b", matchers::model("b"), ["b1", "b2"])
        .turns(["s1", "s2"])
        .start();
    let calls = ["b", "other", "b", "a", "other", "a"].map(|model| call(&stub).model(model));

    let expected = ["b1", "s1", "b2", "a1", "s2", "a2"];
    assert_eq!(gists(calls).await, expected);
}

#[tokio::test]
async fn a_request_that_two_lanes_claim_is_refused_and_uses_no_turn_of_either() {
    let stub = builder()
        .lane("a", matchers::model("m"), ["a1"])
        .lane("b", matchers::last_user_text_contains("both"), ["b1"])
        .start();
    let open = call(&stub);
    let calls = [
        open.clone().asks("both"),
        open.clone(),
        open.asks("both").model("other"),
    ];

    assert_eq!(gists(calls).await, ["422 ambiguous", "a1", "b1"]);
    assert_eq!(stub.overflow(), 0);
}

#[tokio::test]
async fn a_request_that_no_lane_claims_is_refused_with_every_mismatch() {
    let stub = builder()
        .lane("a", matchers::model("a"), ["a1"])
        .lane("b", matchers::header("x-chat-id", "c-1"), ["b1"])
        .start();

    let refused = call(&stub).send().await;

    assert_eq!(refused.gist(), "422 unclaimed");
    for line in [
        "lane `a` wants the model to be `a`, found `m`",
        "lane `b` wants the header `x-chat-id` to be `c-1`, found none",
    ] {
        assert!(refused.message().contains(line), "{}", refused.message());
    }
    assert_eq!(stub.overflow(), 0);
    stub.try_verify().unwrap_err();
}

#[tokio::test]
async fn an_empty_lane_is_exhausted_and_still_claims() {
    let stub = builder()
        .lane("none", matchers::model("m"), [] as [Turn; 0])
        .turn("sequence")
        .start();

    assert_eq!(call(&stub).send().await.gist(), EXHAUSTED);
    assert_eq!(stub.overflow(), 1);
    assert_eq!(stub.lane("none").single_request().index(), 0);
}

#[tokio::test]
async fn matchers_claim_what_they_name_and_nothing_else() {
    let result = json!([
        {"role": "user", "content": "run it"},
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": "done"}
        ]}
    ]);
    let stub = builder().start();
    let open = call(&stub);
    let rows = [
        ("model", matchers::model("m-1"), open.clone().model("m-1")),
        (
            "header, whatever the name's case",
            matchers::header("X-Chat-Id", "c-1"),
            open.clone().header("x-chat-id", "c-1"),
        ),
        (
            "header, any of its values",
            matchers::header("x-chat-id", "c-2"),
            open.clone()
                .header("x-chat-id", "c-1")
                .header("x-chat-id", "c-2"),
        ),
        (
            "last user text",
            matchers::last_user_text_contains("boat"),
            open.clone().asks("a boat?"),
        ),
        (
            "system text",
            matchers::system_text_contains("be brief"),
            open.clone().member(
                "system",
                json!([{"type": "text", "text": "Please be brief."}]),
            ),
        ),
        (
            "tool result",
            matchers::has_tool_result(),
            open.clone().member("messages", result),
        ),
        (
            "own closure",
            matchers::by(|request| request.max_tokens() == Some(7)),
            open.clone().member("max_tokens", 7),
        ),
    ];
    for (name, matcher, claimed) in rows {
        let stub = builder()
            .lane("lane", matcher, ["claimed"])
            .turn("passed")
            .start();
        let here = |call: post::Call| call.at(&stub);
        let found = gists([here(claimed), here(open.clone())]).await;
        assert_eq!(found, ["claimed", "passed"], "{name}");
    }
}

#[tokio::test]
async fn and_claims_what_both_claim_and_asks_the_second_only_if_the_first_agrees() {
    let asked = Arc::new(AtomicUsize::new(0));
    let second = {
        let asked = Arc::clone(&asked);
        matchers::by(move |request| {
            asked.fetch_add(1, Ordering::Relaxed);
            request.last_user_text() == "both"
        })
    };
    let stub = WireStub::builder()
        .lane("lane", matchers::model("first").and(second), ["claimed"])
        .turns(["passed"; 2])
        .start();
    let calls = [("other", "both"), ("first", "one"), ("first", "both")];
    let calls = calls.map(|(model, question)| call(&stub).model(model).asks(question));

    assert_eq!(gists(calls).await, ["passed", "passed", "claimed"]);
    assert_eq!(asked.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_panic_of_a_matcher_or_a_closure_fails_its_call_and_uses_no_turn() {
    let bad = |request: &RecordedRequest, word: &str| {
        let bad = request.last_user_text() == word;
        assert!(!bad, "a bad {word}");
        false
    };
    let stub = builder()
        .lane(
            "lane",
            matchers::by(move |request| bad(request, "matcher")),
            ["x"],
        )
        .answer(move |request, _| bad(request, "closure").then(|| "x".into()))
        .turn("sequence")
        .start();
    for (word, who) in [
        (
            "matcher",
            "the matcher of lane `lane` panicked: a bad matcher\n",
        ),
        ("closure", "the closure panicked: a bad closure\n"),
    ] {
        let refused = call(&stub).asks(word).send().await;
        assert_eq!(refused.gist(), "422 panicked", "{word}");
        assert!(refused.message().starts_with(who), "{}", refused.message());
    }
    assert_eq!(call(&stub).send().await.gist(), "sequence");
    stub.try_verify().unwrap_err();
}

// --- what uses a turn, and what does not -----------------------------------------------------------

#[tokio::test]
async fn an_error_by_index_uses_no_turn() {
    let stub = WireStub::builder()
        .turns(["first", "second"])
        .error_at(1, ApiError::rate_limited())
        .start();

    let found = gists([call(&stub), call(&stub), call(&stub)]).await;
    assert_eq!(found, ["first", "429", "second"]);
    stub.verify();
}

#[tokio::test]
async fn a_call_that_gets_an_error_is_shown_to_no_matcher_and_no_closure() {
    let stub = WireStub::builder()
        .lane("a", matchers::by(|_| panic!("asked")), [] as [Turn; 0])
        .answer(|_, _| panic!("asked"))
        .error_at(0, ApiError::rate_limited())
        .start();
    assert_eq!(call(&stub).send().await.gist(), "429");
    stub.verify();
}

#[tokio::test]
async fn a_call_that_a_rule_refused_uses_no_turn() {
    let stub = builder().turn("first").start();
    let calls = [call(&stub).without_header("x-api-key"), call(&stub)];
    assert_eq!(gists(calls).await, [REFUSED_BY_RULE, "first"]);
}

#[tokio::test]
async fn a_cancelled_call_uses_its_turn() {
    let gate = Gate::new();
    let stub = WireStub::builder()
        .turn(Turn::new().text("first").gate(After::deltas(1), &gate))
        .turn("second")
        .start();
    let cancelled = tokio::spawn(call(&stub).streamed().send());
    gate.reached().await;
    cancelled.abort();
    stub.wait_for_cancel().await;

    assert_eq!(call(&stub).send().await.gist(), "second");
    stub.verify();
}

#[tokio::test]
async fn an_unplayable_turn_is_used_up_so_that_the_report_names_it_once() {
    let stub = builder()
        .turn(Turn::new().text("x").stall(After::parts(2)))
        .turn("second")
        .start();

    assert_eq!(
        gists([call(&stub), call(&stub)]).await,
        [UNPLAYABLE, "second"]
    );
    let report = stub.try_verify().unwrap_err().to_string();
    assert!(report.contains("do not fit: 1 problem\n"), "{report}");
}

// --- stop reasons by index -------------------------------------------------------------------------

#[tokio::test]
async fn a_stop_reason_by_index_is_stamped_on_whatever_answers() {
    let stub = WireStub::builder()
        .lane("lane", matchers::model("lane"), ["x"])
        .answer(|request, _| (request.model() == "closure").then(|| "x".into()))
        .turn(Turn::new().text("x").stop_reason(StopReason::Refusal))
        .turn("x")
        .stop_reason_at(0, StopReason::MaxTokens)
        .stop_reason_at(1, "a_word_of_tomorrow")
        .stop_reason_at(2, StopReason::PauseTurn)
        .start();
    for (model, expected) in [
        ("lane", "max_tokens"),
        ("closure", "a_word_of_tomorrow"),
        ("sequence", "pause_turn"),
        ("sequence", "end_turn"),
    ] {
        let answered = call(&stub).model(model).send().await;
        assert_eq!(answered.json()["stop_reason"], expected, "{model}");
    }
}

#[tokio::test]
async fn a_stamped_stop_reason_is_in_the_stream_too() {
    let stub = WireStub::builder()
        .turn("x")
        .stop_reason_at(0, StopReason::MaxTokens)
        .start();
    let answered = call(&stub).streamed().send().await;
    let reply = accumulate(Api::AnthropicMessages, &answered.body).unwrap();
    assert_eq!(reply.stop_reason, StopReason::MaxTokens);
}

#[tokio::test]
async fn where_an_error_and_a_stop_reason_name_one_call_the_error_wins() {
    let stub = WireStub::builder()
        .turn("first")
        .stop_reason_at(0, StopReason::MaxTokens)
        .error_at(0, ApiError::overloaded())
        .start();
    let found = gists([call(&stub), call(&stub)]).await;
    assert_eq!(found, ["529", "first"]);
    stub.verify();
}

// --- running out -----------------------------------------------------------------------------------

#[tokio::test]
async fn a_call_without_a_turn_is_answered_422_in_the_envelope_of_its_api() {
    let stub = builder().turn("only").start();
    call(&stub).send().await;
    for exhausted in [call(&stub), call(&stub).streamed()] {
        let refused = exhausted.send().await;

        assert_eq!(refused.status, 422);
        assert_eq!(refused.header("x-should-retry"), "false");
        assert_eq!(refused.why(), "exhausted");
        assert_eq!(refused.header("content-type"), "application/json");
        let json = refused.json();
        assert_eq!(json["type"], "error");
        assert_eq!(json["error"]["type"], "invalid_request_error");
        assert_eq!(json["request_id"], refused.header("request-id"));
    }
    assert_eq!(stub.overflow(), 2);
    stub.try_verify().unwrap_err();
}

#[tokio::test]
async fn the_last_turn_of_a_queue_is_repeated_where_that_was_asked_for() {
    let stub = builder()
        .turns(["s1", "s2"])
        .lane("lane", matchers::model("lane"), ["l1", "l2"])
        .lane("none", matchers::model("none"), [] as [Turn; 0])
        .repeat_last()
        .start();
    let calls = ["m", "m", "m", "m", "lane", "lane", "lane", "none"];
    let found = gists(calls.map(|model| call(&stub).model(model))).await;

    let expected = ["s1", "s2", "s2", "s2", "l1", "l2", "l2", EXHAUSTED];
    assert_eq!(found, expected);
    assert_eq!(stub.overflow(), 1);
}

// --- turns that cannot be played -------------------------------------------------------------------

/// Text in two deltas; one part; 8 events with the ping.
fn two_deltas() -> Turn {
    Turn::new().text("two words")
}

fn own_fragments(pieces: &'static [&'static str]) -> Turn {
    let cutter = |_: &str| pieces.iter().map(ToString::to_string).collect();
    two_deltas().fragments(Fragments::by(cutter))
}

/// What cannot be played as a stream: first line of the refusal, turn.
fn unplayable_streams(gate: &Gate) -> Vec<(&'static str, Turn)> {
    let wait = Duration::ZERO;
    let fault = Fault::EofBeforeTerminal;
    vec![
        (
            "stall after 3 deltas is not possible: this stream has 2 deltas, 1 part, 8 events and a stop reason",
            two_deltas().stall(After::deltas(3)),
        ),
        (
            "gate after 2 parts is not possible: this stream has 2 deltas, 1 part, 8 events and a stop reason",
            two_deltas().gate(After::parts(2), gate),
        ),
        (
            "delay after 9 events is not possible: this stream has 2 deltas, 1 part, 8 events and a stop reason",
            two_deltas().delay(After::events(9), wait),
        ),
        (
            "FIN after the stop reason is not possible: this stream has 2 deltas, 1 part, 6 events and no stop reason",
            two_deltas()
                .fault(fault)
                .end(After::stop_reason(), Ending::Fin),
        ),
        (
            "in-stream error after the request is not possible: there is no body yet",
            two_deltas().end(After::request(), ApiError::internal()),
        ),
        (
            "clean end after the request is not possible: there is no body yet",
            two_deltas().end(After::request(), Ending::CleanEof),
        ),
        (
            "gate after 2 deltas is never reached: the answer ends before it",
            two_deltas()
                .end(After::deltas(1), Ending::Reset)
                .gate(After::deltas(2), gate),
        ),
        (
            "reset after 1 delta is never reached: the answer ends before it",
            two_deltas()
                .stall(After::deltas(1))
                .end(After::deltas(1), Ending::Reset),
        ),
        (
            "fault `eof-before-terminal` has no target: an earlier fault removed it",
            two_deltas().fault(fault).fault(fault),
        ),
        (
            "fault `eof-before-terminal` has no target in an error answer",
            Turn::error(ApiError::internal()).fault(fault),
        ),
        (
            "stall after 1 delta is not possible: an error answer has a head and one body",
            Turn::error(ApiError::internal()).stall(After::deltas(1)),
        ),
        (
            "fault `eof-before-terminal` has no target: the answer ends before it",
            two_deltas()
                .end(After::deltas(1), Ending::CleanEof)
                .fault(fault),
        ),
        (
            "fault `eof-before-terminal` has no target: the answer ends before it",
            two_deltas().fault(fault).stall(After::deltas(2)),
        ),
        (
            "an in-stream error has no headers: the head is long gone",
            two_deltas().end(After::deltas(1), ApiError::overloaded().should_retry()),
        ),
        (
            "in-stream error after the head is not possible: an error answer is no stream",
            Turn::error(ApiError::internal()).end(After::head(), ApiError::overloaded()),
        ),
    ]
}

#[track_caller]
fn assert_unplayable(refused: &Answered, first_line: &str) {
    assert_eq!(refused.gist(), UNPLAYABLE, "{first_line}");
    assert_eq!(refused.header("x-should-retry"), "false", "{first_line}");
    assert_eq!(refused.message().lines().next(), Some(first_line));
}

#[tokio::test]
async fn a_stream_that_cannot_be_played_is_refused_and_says_what_is_in_the_way() {
    let gate = Gate::new();
    let mut rows = unplayable_streams(&gate);
    rows.push(("piece #2 is empty", own_fragments(&["two", "", " words"])));
    rows.push((
        "the pieces do not join to the whole: they differ at byte 3",
        own_fragments(&["two", "words"]),
    ));
    for (first_line, turn) in rows {
        let stub = builder().turn(turn).start();
        let refused = call(&stub).streamed().send().await;
        assert_unplayable(&refused, first_line);
        stub.try_verify().unwrap_err();
    }
}

#[tokio::test]
async fn a_stop_reason_for_a_call_whose_turn_is_an_error_has_no_target() {
    let stub = WireStub::builder()
        .turn(ApiError::overloaded())
        .stop_reason_at(0, StopReason::MaxTokens)
        .without_verify_on_drop()
        .start();
    let refused = call(&stub).send().await;
    assert_eq!(refused.header("x-llm-wire-stub"), "unplayable");
    let report = stub.try_verify().unwrap_err().to_string();
    let problem = "`.stop_reason_at(0, ..)` has no target: turn #1 is an error";
    assert!(report.contains(problem), "{report}");
}

#[tokio::test]
async fn a_whole_answer_has_no_places_inside_no_faults_and_no_broken_arguments() {
    let gate = Gate::new();
    let broken = Turn::new().tool_call("edit", Arguments::raw(r#"{"path": "#));
    for (first_line, turn) in [
        (
            "gate after 1 delta is not possible: a non-streaming answer has a head and one body",
            two_deltas().gate(After::deltas(1), &gate),
        ),
        (
            "reset after 1 part is not possible: a non-streaming answer has a head and one body",
            two_deltas().end(After::parts(1), Ending::Reset),
        ),
        (
            "stall after the stop reason is not possible: a non-streaming answer has a head and one body",
            two_deltas().stall(After::stop_reason()),
        ),
        (
            "in-stream error after the head is not possible: a non-streaming answer is no stream",
            two_deltas().end(After::head(), ApiError::overloaded()),
        ),
        (
            "fault `eof-before-terminal` has no target in a non-streaming answer",
            two_deltas().fault(Fault::EofBeforeTerminal),
        ),
        (
            "the arguments of `edit` are not JSON: EOF while parsing a value at line 1 column 9",
            broken,
        ),
    ] {
        let stub = builder().turn(turn).start();
        let call = call(&stub).offers(&["edit"]);
        assert_unplayable(&call.send().await, first_line);
    }
}

#[tokio::test]
async fn a_whole_answer_has_the_places_before_its_body() {
    let gate = Gate::new();
    gate.open();
    for place in [After::request(), After::head()] {
        let stub = WireStub::builder()
            .turn(two_deltas().gate(place, &gate).delay(place, Duration::ZERO))
            .start();
        assert_eq!(call(&stub).send().await.gist(), "two words", "{place}");
    }
}

#[tokio::test]
async fn a_panic_of_a_fragments_function_fails_its_call() {
    let cutter = |_: &str| -> Vec<String> { panic!("no knife") };
    let stub = builder()
        .turn(two_deltas().fragments(Fragments::by(cutter)))
        .start();
    let refused = call(&stub).send().await;
    assert_eq!(refused.gist(), "422 panicked");
    assert!(
        refused
            .message()
            .starts_with("the fragments function of a turn panicked: no knife\n"),
        "{}",
        refused.message()
    );
    stub.try_verify().unwrap_err();
}

// --- turns that are checked at the start -----------------------------------------------------------

/// Why a stub of the API with this turn does not start.
#[track_caller]
fn start_error(builder: WireStubBuilder) -> String {
    let started = builder.api(Api::AnthropicMessages).try_start();
    started.unwrap_err().to_string()
}

#[test]
fn with_its_api_known_every_turn_is_checked_when_the_stub_starts() {
    let gate = Gate::new();
    for (first_line, turn) in unplayable_streams(&gate) {
        for error in [
            start_error(builder().turn("fine").turn(turn.clone())),
            start_error(builder().lane("lane", matchers::model("m"), [turn])),
        ] {
            assert_eq!(error.lines().next(), Some(first_line));
        }
    }
}

#[test]
fn the_check_at_the_start_runs_no_code_of_the_users() {
    let cutter = |_: &str| -> Vec<String> { panic!("not now") };
    let stub = builder()
        .turn(two_deltas().fragments(Fragments::by(cutter)))
        .turn(ApiError::overloaded())
        .api(Api::AnthropicMessages)
        .start();
    drop(stub);
}

#[test]
fn the_check_at_the_start_counts_as_the_turn_will_be_played() {
    // without noise there is no ping
    let eight = two_deltas().stall(After::events(8));
    start_error(builder().plain().turn(eight.clone()));
    start_error(builder().turn(eight.clone().plain()));
    drop(builder().turn(eight).api(Api::AnthropicMessages).start());
}

#[tokio::test]
async fn a_stub_that_started_with_its_api_plays_what_depends_on_the_seed() {
    // how many fragments the arguments have depends on the seed, and so on the place in the script
    let arguments = json!({"text": "x".repeat(60)});
    let turn = |n| {
        Turn::new()
            .tool_call("f", arguments.clone())
            .end(After::deltas(n), Ending::CleanEof)
    };
    let mut playable = Vec::new();
    for n in 5..15 {
        let script = || builder().turns(["first".into(), turn(n)]);
        let checked = script().api(Api::AnthropicMessages).try_start().is_ok();
        let stub = script().start();
        call(&stub).send().await;
        let asked = call(&stub).offers(&["f"]).streamed();
        let played = asked.send().await.status == 200;
        assert_eq!(checked, played, "{n} deltas");
        playable.push(played);
    }
    assert!(playable.contains(&true) && playable.contains(&false));
}

// --- same script, same bytes -----------------------------------------------------------------------

/// A script in which everything generated shows.
fn generated() -> WireStubBuilder {
    let turn = Turn::new()
        .text("Let me look at this.")
        .tool_call("f", json!({"text": "some longer arguments"}));
    builder()
        .turns([turn.clone(), turn.clone()])
        .turn(ApiError::overloaded())
        .lane("a", matchers::model("a"), [turn.clone(), turn.clone()])
        .lane("b", matchers::model("b"), [turn.clone(), turn])
}

/// Every answer of that script, to these callers in turn.
async fn answers(builder: WireStubBuilder, models: &[&str]) -> Vec<Answered> {
    let stub = builder.start();
    let mut answers = Vec::new();
    for model in models {
        let call = call(&stub).offers(&["f"]).model(model);
        answers.push(call.streamed().send().await);
    }
    answers
}

const IN_ORDER: [&str; 8] = ["m", "m", "m", "m", "a", "a", "b", "b"];

#[tokio::test]
async fn the_same_script_gives_the_same_bytes() {
    let first = answers(generated(), &IN_ORDER).await;
    assert_eq!(first, answers(generated(), &IN_ORDER).await);
}

#[tokio::test]
async fn no_two_answers_of_a_script_have_the_same_ids() {
    let answers = answers(generated(), &IN_ORDER).await;
    for (n, one) in answers.iter().enumerate() {
        for other in answers.iter().skip(n + 1) {
            assert_ne!(one.header("request-id"), other.header("request-id"));
            assert_ne!(one.body, other.body);
        }
    }
}

#[tokio::test]
async fn another_seed_gives_other_bytes() {
    let zero = answers(generated(), &IN_ORDER).await;
    let one = answers(generated().seed(1), &IN_ORDER).await;
    for (zero, one) in zero.iter().zip(&one) {
        assert_ne!(zero.body, one.body);
        assert_ne!(zero.header("request-id"), one.header("request-id"));
    }
    assert_eq!(zero, answers(generated().seed(0), &IN_ORDER).await);
}

#[tokio::test]
async fn the_seed_of_a_turn_beats_its_place_in_the_script() {
    let turn = Turn::new().text("Let me look at this.").seed(7);
    let stub = builder().turns(vec![turn.clone(); 2]).start();
    let first = call(&stub).streamed().send().await;
    assert_eq!(first, call(&stub).streamed().send().await);
    assert_eq!(
        first.body,
        sse_body(Api::AnthropicMessages, &turn.model("m"))
    );
}

#[tokio::test]
async fn callers_on_lanes_get_the_same_bytes_in_whatever_order_they_arrive() {
    let mut expected = answers(generated(), &["a", "a", "b", "b"]).await;
    let crossed = answers(generated(), &["b", "a", "b", "a"]).await;
    let order = [1, 3, 0, 2];
    assert_eq!(order.map(|n| crossed[n].clone()).as_slice(), expected);

    // and all at once: which of a lane's calls is first is open
    let stub = generated().start();
    let hold = stub.hold();
    let offering = call(&stub).offers(&["f"]).streamed();
    let calls = ["b", "a", "b", "a"].map(|model| offering.clone().model(model));
    let running = calls.map(|call| tokio::spawn(call.send()));
    stub.wait_for_requests(4).await;
    hold.release();
    let mut found = Vec::new();
    for running in running {
        found.push(running.await.unwrap());
    }
    for answers in [&mut expected, &mut found] {
        answers.sort_by(|a, b| a.body.cmp(&b.body));
    }
    assert_eq!(found, expected);
}

#[tokio::test]
async fn plain_leaves_out_pings_padding_and_headers_for_one_turn_or_for_all() {
    let noise = |answered: &Answered| {
        let body = std::str::from_utf8(&answered.body).unwrap();
        let padded = body.lines().any(|line| line.ends_with(" }"));
        let headers = !answered.header("cf-ray").is_empty();
        [body.contains("event: ping"), padded, headers]
    };
    let turn = || Turn::new().text("some words of noise");
    let stub = builder().turns([turn(), turn().plain()]).start();
    let noisy = call(&stub).streamed().send().await;
    assert_eq!(noise(&noisy), [true; 3]);
    let plain = call(&stub).streamed().send().await;
    assert_eq!(noise(&plain), [false; 3]);

    let all = builder().turns([turn(), turn()]).plain().start();
    for _ in 0..2 {
        let plain = call(&all).streamed().send().await;
        assert_eq!(noise(&plain), [false; 3]);
    }
}

#[tokio::test]
async fn an_answer_names_the_model_that_was_asked_for_unless_its_turn_names_another() {
    let stub = WireStub::builder()
        .turns([Turn::new(), Turn::new().model("m-0815")])
        .turn(Turn::new())
        .start();
    for (asked, expected) in [("m-1", "m-1"), ("m-1", "m-0815"), ("m-2", "m-2")] {
        let answered = call(&stub).model(asked).send().await;
        assert_eq!(answered.json()["model"], expected, "{asked}");
    }
}

// --- rules -----------------------------------------------------------------------------------------

/// A request that breaks each rule, in the order in which the provider looks at them.
fn rule_breakers(stub: &StubHandle) -> [(&'static str, post::Call); 3] {
    let bare = call(stub)
        .raw_body("no JSON")
        .without_header("x-api-key")
        .without_header("anthropic-version");
    [
        ("401 credentials", bare.clone()),
        (
            "400 anthropic-version",
            bare.clone().header("x-api-key", "k"),
        ),
        (
            "400 json-body",
            bare.header("authorization", "Bearer k")
                .header("anthropic-version", "2023-06-01"),
        ),
    ]
}

#[tokio::test]
async fn a_request_that_breaks_a_rule_of_the_provider_is_refused_in_its_words() {
    let stub = builder().start();
    let messages = [
        "x-api-key header is required",
        "anthropic-version: header is required",
        "the body is no JSON: expected ident at line 1 column 2",
    ];
    for ((gist, call), message) in rule_breakers(&stub).into_iter().zip(messages) {
        let refused = call.send().await;
        assert_eq!(
            (refused.gist().as_str(), refused.message().as_str()),
            (gist, message)
        );
        assert_eq!(refused.header("x-should-retry"), "false");
    }
    assert_eq!(stub.overflow(), 0);
    stub.try_verify().unwrap_err();
}

#[tokio::test]
async fn each_rule_can_be_switched_off_alone() {
    for off in 0..3 {
        let stub = builder().turn("accepted").start();
        let (gist, _) = rule_breakers(&stub)[off];
        let rule = gist.split(' ').next_back().unwrap();
        let stub = builder().turns(["accepted"; 3]).without_rule(rule).start();
        // the bare request breaks all three, and so the first that is left; the last breaks one
        let [(_, bare), _, (_, last)] = rule_breakers(&stub);
        let first = if off == 0 {
            "400 anthropic-version"
        } else {
            "401 credentials"
        };
        assert_eq!(bare.send().await.gist(), first, "without {rule}");
        let expected = if off == 2 {
            "accepted"
        } else {
            "400 json-body"
        };
        assert_eq!(last.send().await.gist(), expected, "without {rule}");
    }
}

#[tokio::test]
async fn all_rules_can_be_switched_off_at_once() {
    let stub = WireStub::builder()
        .turns(["accepted"; 3])
        .without_rules()
        .start();
    let calls = rule_breakers(&stub).map(|(_, call)| call);
    assert_eq!(gists(calls).await, ["accepted"; 3]);
    stub.verify();
}
