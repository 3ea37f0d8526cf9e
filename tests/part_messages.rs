//! Every text that a user sees who gives a turn its parts, whole.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "support/caught.rs"]
mod caught;

use caught::panic_of;
use llm_wire_stub::*;
use serde_json::json;

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
    assert_panics(|| error().cited_text("x", []), expected);
    let tool = || ServerTool::bash("date", "").id("srvtoolu_1");
    assert_panics(|| error().server_tool(tool()), expected);
    assert_panics(|| error().server_tool_call(tool()), expected);
    assert_panics(|| error().server_tool_result(tool()), expected);
    assert_panics(|| error().compaction("x"), expected);
    assert_panics(
        || error().compaction_with_encrypted_content("x", "y"),
        expected,
    );
    assert_panics(|| error().raw_block(json!({})), expected);
    assert_panics(|| error().raw_delta(json!({})), expected);
    assert_panics(|| error().caller(json!({})), expected);
    assert_panics(|| error().id("x"), expected);
    assert_panics(|| error().usage_at_start(Usage::input(1)), expected);
    assert_panics(|| error().stop_details(StopDetails::new()), expected);
    assert_panics(|| error().container("x"), expected);
    assert_panics(|| error().context_management(json!({})), expected);
    assert_panics(|| error().service_tier("x"), expected);
    assert_panics(|| error().inference_geo("x"), expected);
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
fn raw_deltas_and_callers_have_to_come_behind_what_they_are_of() {
    let expected = "only a raw block has raw deltas\n  \
        help: call `.raw_delta(..)` after the `.raw_block(..)` it is meant for";
    assert_panics(|| Turn::new().raw_delta(json!({})), expected);
    assert_panics(|| Turn::new().text("x").raw_delta(json!({})), expected);
    let expected = "only a tool call has a caller\n  \
        help: call `.caller(..)` after the `.tool_call(..)` it is meant for, or on a `ServerTool`";
    assert_panics(|| Turn::new().caller(json!({})), expected);
    assert_panics(|| Turn::new().text("x").caller(json!({})), expected);
    let expected = "a result alone does not say which call it is of\n  \
        help: give call and result the same id, with `ServerTool::id(..)`";
    let tool = || ServerTool::bash("date", "");
    assert_panics(|| Turn::new().server_tool_result(tool()), expected);
}

#[test]
fn values_have_to_be_what_they_are_named() {
    assert_panics(
        || Json::raw("{\"a\": \n"),
        "this is no JSON document: EOF while parsing a value at line 2 column 0\n  \
         found: `{\\\"a\\\": \\n`\n  \
         help: what is broken on purpose can be scripted as arguments, with `Arguments::raw(..)`",
    );
    assert_panics(
        || Json::raw("{\n}"),
        "a JSON document on the wire stands on one line\n  found: `{\\n}`\n  \
         help: leave out the line breaks between its members",
    );
    assert_panics(
        || StopDetails::new().other("category", json!(1)),
        "`category` is no further member of the stop details\n  \
         help: use `.category(..)` or `.explanation(..)`; the type is always `refusal`",
    );
    assert_panics(
        || Citation::web_search_result("x", "y").index(1),
        "only documents and search results of the request are counted\n  \
         help: leave `.index(..)` out",
    );
    assert_panics(
        || Citation::pages("x", 1..2).encrypted_index("y"),
        "only a page of the web has an encrypted index\n  \
         help: leave `.encrypted_index(..)` out",
    );
    assert_panics(
        || Citation::search_result("x", "y", 0..1).file_id("file_1"),
        "only a document of the request may be a file\n  \
         help: leave `.file_id(..)` out",
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

#[test]
fn an_era_says_no_member_that_it_did_not_have() {
    let (details, tier, geo) = (
        Turn::new().stop_details(StopDetails::new()),
        Turn::new().service_tier("batch"),
        Turn::new().inference_geo("global"),
    );
    let built = line!() - 4;
    for (n, (turn, era, what)) in [
        (details, Era::of(2026, 3), "stop_details"),
        (tier, Era::of(2025, 5), "service_tier"),
        (geo, Era::of(2026, 1), "inference_geo"),
    ]
    .into_iter()
    .enumerate()
    {
        assert_unplayable(
            &turn.era(era),
            built + u32::try_from(n).unwrap(),
            &format!(
                "an answer of this era has no `{what}`\n  \
                 help: leave it out of the turn, or choose a later era"
            ),
        );
    }
    let (turn, built) = (Turn::new().usage_at_start(Usage::input(7)), line!());
    assert_unplayable(
        &turn.era(Era::of(2024, 4)),
        built,
        "in this era a stream says only at its start what the prompt cost\n  \
         help: give the same prompt in `.usage(..)` and `.usage_at_start(..)`, or choose a later era",
    );
}

/// What is in the way of an answer.
fn why(answer: Result<impl Sized, UnplayableError>) -> String {
    let text = answer.map(drop).unwrap_err().to_string();
    let (before, line) = text.split_once(&format!("{FILE}:")).unwrap();
    let after = line.trim_start_matches(|c: char| c.is_ascii_digit());
    format!("{before}{FILE}:LINE{after}")
}

/// Where a turn of this file was built, in a text that `why` gave.
fn place() -> String {
    format!("where: anthropic_messages, turn built at {FILE}:LINE")
}

#[test]
fn raw_blocks_are_played_even_where_nobody_reads_them() {
    let block = |start: &str, deltas: &[&str]| {
        let turn = Turn::new().raw_block(Json::raw(start));
        let deltas = deltas.iter().map(|delta| Json::raw(*delta));
        deltas.fold(turn, Turn::raw_delta)
    };
    let place = place();
    let whole = block(r#"{"type":"x"}"#, &["{}"]);
    assert_eq!(
        why(try_json_body(API, &whole)),
        format!(
            "a body has no place for the deltas of a raw block\n  {place}\n  \
             help: for a body, give the block as it stands there, without `.raw_delta(..)`"
        )
    );
    for (turn, why_not) in [
        (block("[]", &[]), "its start is not one JSON object"),
        (
            block(r#"{"type":"x"}"#, &["1"]),
            "a delta is not one JSON object",
        ),
        (
            block(r#"{"type":"text"}"#, &[]),
            "the member `content_block.text` is missing\n  PLACE\n  expected: a string\n  \
             found: `{\"type\":\"text\"}`",
        ),
        (
            block(
                r#"{"type":"redacted_thinking","data":""}"#,
                &[r#"{"type":"text_delta","text":""}"#],
            ),
            "a delta does not fit its block\n  PLACE\n  \
             expected: no delta, for block 0 of the type redacted_thinking\n  found: `text_delta`",
        ),
    ] {
        assert!(try_sse_body(API, &turn).is_ok());
        let first = format!("no strict client reads this raw block: {why_not}");
        let text = if why_not.contains("PLACE") {
            first.replace("PLACE", &place)
        } else {
            format!("{first}\n  {place}")
        };
        assert_eq!(
            why(turn.normalized(API)),
            format!("{text}\n  help: it can be played, but there is no reply that it comes to")
        );
    }
}

#[test]
fn tools_that_no_strict_client_reads_are_said_so() {
    let (call, result, twice) = (
        Turn::new().server_tool(ServerTool::bash("date", "").id("")),
        Turn::new().server_tool_result(ServerTool::bash("date", "").id("")),
        Turn::new()
            .server_tool(ServerTool::bash("date", "").content(Json::raw(r#"{"a":1,"a":2}"#))),
    );
    assert_eq!(
        why(call.normalized(API)),
        format!(
            "a tool call has no id, or no name\n  {}\n  \
             help: such a call can be played, but no strict client reads it",
            place()
        )
    );
    assert_eq!(
        why(result.normalized(API)),
        format!(
            "the result of a tool names no call\n  {}\n  \
             help: such a result can be played, but no strict client reads it",
            place()
        )
    );
    assert_eq!(
        why(twice.normalized(API)),
        format!(
            "no strict client reads the result of a tool: the member `a` stands twice at line 1 \
             column 13\n  {}\n  found: `{{\\\"a\\\":1,\\\"a\\\":2}}`\n  \
             help: it can be played, but there is no reply that it comes to",
            place()
        )
    );
}
