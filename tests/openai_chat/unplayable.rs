//! What Chat cannot carry is refused, whole texts.

use llm_wire_stub::*;
use serde_json::json;

use crate::API;

type Row = (Turn, &'static str, &'static str);

fn parts() -> Vec<Row> {
    let cite = |citation| Turn::new().cited_text("x", [citation]);
    let page = || Citation::web_search_result("x", "https://x.example");
    vec![
        (
            Turn::new().thinking("hm"),
            "OpenAI Chat cannot say what the model thought",
            "leave the thinking out; `Usage::thinking(..)` says how much of it there was; or give the turn a dialect that carries it (`Dialect::DeepSeek`, `Dialect::OpenRouter`, ..)",
        ),
        (
            Turn::new().redacted_thinking(),
            "OpenAI Chat cannot say what the model thought",
            "leave the thinking out; `Usage::thinking(..)` says how much of it there was",
        ),
        (
            Turn::new()
                .tool_call("f", json!({}))
                .caller(json!({"type": "x"})),
            "OpenAI Chat cannot say who called a tool",
            "leave out `.caller(..)`",
        ),
        (
            Turn::new().tool_call("f", json!({})).text("x"),
            "OpenAI Chat cannot say text behind a tool call: the text of a message stands before its calls",
            "put the text before the call",
        ),
        (
            // not that its usage counts searches, which nobody has said
            Turn::new().server_tool(ServerTool::web_search("q", [("t", "https://t.example")])),
            "OpenAI Chat cannot say what a tool of the provider's did",
            "leave it out; `Citation::web_search_result` says what a text is based on",
        ),
        (
            Turn::new().compaction("x"),
            "OpenAI Chat cannot say a compaction",
            "leave it out",
        ),
        (
            Turn::new().raw_block(json!({"type": "x"})),
            "OpenAI Chat cannot say a raw block: a message has no list of blocks",
            "give it to the API that has it",
        ),
        (
            cite(Citation::characters("x", 0..1)),
            "OpenAI Chat cites pages of the web only",
            "leave the citation out, or use `Citation::web_search_result`",
        ),
        (
            cite(page().encrypted_index("x")),
            "a citation of OpenAI Chat has no encrypted index",
            "leave out `.encrypted_index(..)`",
        ),
    ]
}

fn envelopes() -> Vec<Row> {
    let refuse = |turn: Turn| turn.stop_reason(StopReason::Refusal);
    let say = |turn: Turn| turn.text("x");
    vec![
        (
            refuse(Turn::new()),
            "OpenAI Chat cannot say a refusal without words",
            "add its `.text(..)`, or stop with `StopReason::ContentFilter`",
        ),
        (
            refuse(Turn::new().text("x").tool_call("f", json!({}))),
            "OpenAI Chat cannot say a refusal beside tool calls or citations",
            "leave these out",
        ),
        (
            Turn::new().stop_reason(StopReason::PauseTurn),
            "OpenAI Chat cannot say that a turn pauses",
            "choose another stop reason; a string stands for itself",
        ),
        (
            Turn::new().stop_reason(StopReason::Compaction),
            "OpenAI Chat cannot say that a conversation was compacted",
            "choose another stop reason; a string stands for itself",
        ),
        (
            say(Turn::new().container("c")),
            "an answer of OpenAI Chat has no `container`",
            "leave it out of the turn",
        ),
        (
            say(Turn::new().usage(Usage::input(1).web_searches(1))),
            "the usage of OpenAI Chat cannot say how often the web was searched",
            "leave it out of the usage",
        ),
        (
            say(Turn::new().era(Era::of(2024, 6))),
            "on OpenAI Chat answers are written as today only",
            "leave out `.era(..)`",
        ),
    ]
}

#[test]
fn what_chat_cannot_carry_is_told_with_a_way_out() {
    for (turn, what, help) in [parts(), envelopes()].concat() {
        let errors = [
            try_sse_body(API, &turn).unwrap_err().to_string(),
            try_json_body(API, &turn).unwrap_err().to_string(),
            turn.normalized(API).unwrap_err().to_string(),
        ];
        for error in errors {
            let (first, rest) = error
                .split_once("\n  where: openai_chat, turn built at ")
                .unwrap();
            let (_, found) = rest.split_once("\n  help: ").unwrap();
            assert_eq!((first, found), (what, help));
        }
    }
}

#[test]
fn blocks_of_anthropic_are_not_interleaved() {
    let turn = Turn::new()
        .tool_call("f", json!({}))
        .interleaved_tool_calls();
    let error = try_sse_body(Api::AnthropicMessages, &turn).unwrap_err();
    let error = error.to_string();
    let (what, rest) = error.split_once('\n').unwrap();
    assert_eq!(
        what,
        "tool calls cannot be interleaved here: the blocks of an answer come one after the other"
    );
    assert!(
        rest.ends_with("\n  help: leave out `.interleaved_tool_calls()`"),
        "{rest}"
    );
}

#[test]
fn anthropic_has_no_custom_tools() {
    let turn = Turn::new().custom_tool_call("run", "ls");
    let error = try_json_body(Api::AnthropicMessages, &turn).unwrap_err();
    let error = error.to_string();
    let (what, rest) = error.split_once('\n').unwrap();
    assert_eq!(
        what,
        "Anthropic Messages has no custom tools, whose input is any text"
    );
    let help = "\n  help: use `.tool_call(..)`, with the text as one of its arguments";
    assert!(rest.ends_with(help), "{rest}");
}

#[test]
fn the_usage_of_anthropic_has_neither_audio_nor_predictions() {
    let usage = || Usage::input(1).output(1);
    for (usage, what) in [
        (
            usage().input_audio(1),
            "how many tokens of the prompt are audio",
        ),
        (
            usage().output_audio(1),
            "how many tokens of the answer are audio",
        ),
        (
            usage().accepted_prediction(1),
            "how many tokens of a prediction were accepted",
        ),
        (
            usage().rejected_prediction(1),
            "how many tokens of a prediction were rejected",
        ),
    ] {
        let pass = Usage::input(2).iteration(Iteration::new("message", usage.clone()));
        for turn in [
            Turn::new().text("x").usage(usage.clone()),
            Turn::new().text("x").usage_at_start(usage),
            Turn::new().text("x").usage(pass),
        ] {
            let error = try_sse_body(Api::AnthropicMessages, &turn).unwrap_err();
            let error = error.to_string();
            let (found, rest) = error.split_once('\n').unwrap();
            assert_eq!(
                found,
                format!("the usage of Anthropic Messages cannot say {what}")
            );
            assert!(
                rest.ends_with("\n  help: leave it out of the usage"),
                "{rest}"
            );
        }
    }
}

#[test]
fn anthropic_has_no_moderation() {
    let turn = Turn::new().moderation(json!({}));
    let error = try_json_body(Api::AnthropicMessages, &turn).unwrap_err();
    let error = error.to_string();
    let (what, rest) = error.split_once('\n').unwrap();
    assert_eq!(what, "an answer of Anthropic Messages has no `moderation`");
    assert!(
        rest.ends_with("\n  help: leave it out of the turn"),
        "{rest}"
    );
}

#[test]
fn a_stop_reason_that_is_none_can_be_played_and_not_read() {
    for word in ["", "error"] {
        let turn = Turn::new().text("x").stop_reason(word);
        assert!(accumulate(API, &sse_body(API, &turn)).is_err(), "{word}");
        let error = turn.normalized(API).unwrap_err().to_string();
        let (what, rest) = error.split_once('\n').unwrap();
        assert_eq!(
            what,
            format!("the stop reason `{word}` is read as none, or as an error")
        );
        let help = "\n  help: such an answer can be played, but no strict client reads it";
        assert!(rest.ends_with(help), "{rest}");
    }
}

#[test]
fn a_filter_that_cuts_is_a_refusal_where_there_is_one_word_for_both() {
    let turn = Turn::new()
        .text("Half")
        .stop_reason(StopReason::ContentFilter);
    let reason = |api| turn.normalized(api).unwrap().stop_reason;
    assert_eq!(reason(API), StopReason::ContentFilter);
    assert_eq!(reason(Api::AnthropicMessages), StopReason::Refusal);
}
