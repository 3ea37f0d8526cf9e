//! Every text that a user sees who gives a turn its parts, whole.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "support/caught.rs"]
mod caught;

use caught::panic_of;
use llm_wire_stub::*;

const API: Api = Api::AnthropicMessages;
const FILE: &str = file!();

/// The text of a panic that was raised at a line of this file, not of the library's.
#[track_caller]
fn assert_panics<T>(code: impl FnOnce() -> T, expected: &str) {
    let here = std::panic::Location::caller().line();
    let panic = panic_of(code);
    assert_eq!(panic.message, expected);
    assert!(panic.line.abs_diff(here) < 20, "{panic:?}");
}

/// What is in the way of `turn`, in both forms and when it is normalized.
#[track_caller]
fn assert_unplayable(turn: &Turn, built: u32, expected: &str) {
    let (what, rest) = expected.split_once('\n').unwrap();
    let place = format!("where: anthropic_messages, turn built at {FILE}:{built}");
    let expected = format!("{what}\n  {place}\n{rest}");
    for error in [
        try_sse_body(API, turn).map(drop),
        try_json_body(API, turn).map(drop),
        turn.normalized(API).map(drop),
    ] {
        assert_eq!(error.unwrap_err().to_string(), expected);
    }
}

#[test]
fn parts_belong_to_no_error_turn() {
    let expected = "an error turn says nothing but its error\n  \
        help: to fail after a part of an answer, use \
        `Turn::new().text(..).end(After::parts(1), error)`";
    let error = || Turn::error(ApiError::internal());
    assert_panics(|| error().thinking("x"), expected);
    assert_panics(|| error().thinking_with_signature("x", "y"), expected);
    assert_panics(|| error().empty_last_delta(), expected);
    assert_panics(|| error().redacted_thinking(), expected);
    assert_panics(|| error().redacted_thinking_with_data("x"), expected);
}

#[test]
fn what_shapes_a_part_has_to_come_behind_it() {
    let expected = "only thinking ends with an empty delta\n  \
        help: call `.empty_last_delta()` after the `.thinking(..)` it is meant for";
    assert_panics(|| Turn::new().empty_last_delta(), expected);
    assert_panics(|| Turn::new().text("x").empty_last_delta(), expected);
    let expected = "there is nothing to cut into fragments yet\n  \
        help: call `.fragments(..)` after the `.text(..)` or `.tool_call(..)` it is meant for";
    assert_panics(
        || {
            Turn::new()
                .redacted_thinking()
                .fragments(Fragments::whole())
        },
        expected,
    );
}

#[test]
fn months_are_those_of_a_year() {
    let expected = "there is no such month\n  \
        help: months count from 1 to 12, as in `Era::of(2024, 6)`";
    assert_panics(|| Era::of(2024, 0), expected);
    assert_panics(|| Era::of(2024, 13), expected);
}

#[test]
fn an_era_says_no_counter_that_it_did_not_have() {
    for (era, usage, what) in [
        (
            Era::of(2024, 6),
            Usage::input(1).cache_read(7),
            "cache_read_input_tokens",
        ),
        (
            Era::of(2024, 6),
            Usage::input(1).cache_creation(7),
            "cache_creation_input_tokens",
        ),
        (
            Era::of(2025, 6),
            Usage::input(1).cache_creation(9).cache_creation_1h(7),
            "ephemeral_1h_input_tokens",
        ),
    ] {
        let (turn, built) = (Turn::new().usage(usage).era(era), line!());
        assert_unplayable(
            &turn,
            built,
            &format!(
                "an answer of this era has no `{what}`\n  found: `7` tokens\n  \
                 help: leave them out of the usage, or choose a later era"
            ),
        );
    }
}
