//! What this API cannot carry of a turn is told, with a way out.

use llm_wire_stub::*;
use serde_json::json;

use crate::API;

fn said() -> Turn {
    Turn::new().text("a")
}

/// The first and the last line of what is told, in both forms.
#[track_caller]
fn assert_told<'a>(rows: impl IntoIterator<Item = (Turn, &'a str, &'a str)>) {
    for (turn, what, help) in rows {
        let error = try_sse_body(API, &turn).unwrap_err().to_string();
        let lines: Vec<&str> = error.lines().collect();
        assert_eq!(lines[0], what);
        assert_eq!(lines[lines.len() - 1].trim_start(), help, "{error}");
        assert_eq!(try_json_body(API, &turn).unwrap_err().to_string(), error);
    }
}

#[test]
fn parts_that_are_no_text_are_told_with_a_way_out() {
    let cited = Citation::web_search_result("b", "https://a.example");
    assert_told([
        (
            said().tool_call("f", json!({})),
            "OpenAI Completions cannot say a tool call",
            "help: give it to an API that has tools",
        ),
        (
            said().custom_tool_call("f", "x"),
            "OpenAI Completions cannot say a tool call",
            "help: give it to an API that has tools",
        ),
        (
            said().thinking("hm"),
            "OpenAI Completions cannot say what the model thought",
            "help: leave the thinking out",
        ),
        (
            said().redacted_thinking(),
            "OpenAI Completions cannot say what the model thought",
            "help: leave the thinking out",
        ),
        (
            said().cited_text("b", [cited]),
            "OpenAI Completions cannot say what a text is based on",
            "help: leave the citations out",
        ),
        (
            said().server_tool(ServerTool::web_search("q", [("t", "https://a.example")])),
            "OpenAI Completions cannot say what a tool of the provider's did",
            "help: leave it out",
        ),
        (
            said().compaction("c"),
            "OpenAI Completions cannot say a compaction",
            "help: leave it out",
        ),
        (
            said().interleaved_tool_calls(),
            "OpenAI Completions cannot say a tool call",
            "help: give it to an API that has tools",
        ),
        (
            said().raw_block(json!({"type": "x"})),
            "OpenAI Completions cannot say a raw block: a completion has no list of blocks",
            "help: give it to the API that has it",
        ),
    ]);
}

#[test]
fn reasons_without_a_word_are_told_with_a_way_out() {
    let reason = "help: choose another stop reason; a string stands for itself";
    assert_told([
        (
            said().stop_reason(StopReason::ToolUse),
            "OpenAI Completions cannot say that a tool is called",
            reason,
        ),
        (
            said().stop_reason(StopReason::Refusal),
            "OpenAI Completions cannot say that the model refuses",
            reason,
        ),
        (
            said().stop_reason(StopReason::PauseTurn),
            "OpenAI Completions cannot say that a turn pauses",
            reason,
        ),
        (
            said().stop_reason(StopReason::Compaction),
            "OpenAI Completions cannot say that a conversation was compacted",
            reason,
        ),
    ]);
}

#[test]
fn counters_beyond_the_three_are_told_with_a_way_out() {
    let counters = "help: leave it out of the usage";
    assert_told([
        (
            said().usage(Usage::input(1).cache_read(1)),
            "the usage of OpenAI Completions cannot say what was read from a cache",
            counters,
        ),
        (
            said().usage(Usage::input(1).cache_creation(1)),
            "the usage of OpenAI Completions cannot say what was written to a cache",
            counters,
        ),
        (
            said().usage(Usage::input(1).thinking(1)),
            "the usage of OpenAI Completions cannot say how much was thought",
            counters,
        ),
        (
            said().usage(Usage::input(1).input_audio(1)),
            "the usage of OpenAI Completions cannot say how much is audio",
            counters,
        ),
        (
            said().usage(Usage::input(1).rejected_prediction(1)),
            "the usage of OpenAI Completions cannot say what became of a prediction",
            counters,
        ),
        (
            said().usage(Usage::input(1).web_searches(1)),
            "the usage of OpenAI Completions cannot say how often the web was searched",
            counters,
        ),
        (
            said().usage(Usage::input(1).web_fetches(1)),
            "the usage of OpenAI Completions cannot say how often a page was fetched",
            counters,
        ),
    ]);
}

#[test]
fn what_stands_around_other_answers_is_told_with_a_way_out() {
    let other = "help: leave it out of the turn";
    assert_told([
        (
            said().usage_at_start(Usage::input(1)),
            "an answer of OpenAI Completions has no `usage_at_start`",
            other,
        ),
        (
            said().moderation(json!({})),
            "an answer of OpenAI Completions has no `moderation`",
            other,
        ),
        (
            said().service_tier("flex"),
            "an answer of OpenAI Completions has no `service_tier`",
            other,
        ),
        (
            said().container("c"),
            "an answer of OpenAI Completions has no `container`",
            other,
        ),
        (
            said().era(Era::of(2024, 1)),
            "on OpenAI Completions answers are written as today only",
            "help: leave out `.era(..)`",
        ),
    ]);
}

#[test]
fn an_empty_stop_reason_can_be_played_and_not_read() {
    let turn = said().stop_reason("");
    assert!(accumulate(API, &sse_body(API, &turn)).is_err());
    assert!(accumulate_json(API, &json_body(API, &turn)).is_err());
    let error = turn.normalized(API).unwrap_err().to_string();
    let (what, rest) = error.split_once('\n').unwrap();
    assert_eq!(what, "the stop reason `` is read as none");
    let help = "\n  help: such an answer can be played, but no strict client reads it";
    assert!(rest.ends_with(help), "{rest}");
}
