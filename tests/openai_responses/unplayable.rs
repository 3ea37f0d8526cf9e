//! What Responses cannot carry is refused, whole texts.

use llm_wire_stub::*;
use serde_json::json;

use crate::API;

type Row = (Turn, &'static str, &'static str);

fn parts() -> Vec<Row> {
    let cite = |citation| Turn::new().cited_text("x", [citation]);
    let page = || Citation::web_search_result("x", "https://x.example");
    vec![
        (
            Turn::new().thinking("x").empty_last_delta(),
            "OpenAI Responses cannot say an empty delta at the end of thinking",
            "leave out `.empty_last_delta()`",
        ),
        (
            Turn::new()
                .tool_call("f", json!({}))
                .caller(json!({"type": "x"})),
            "OpenAI Responses cannot say who called a tool",
            "leave out `.caller(..)`",
        ),
        (
            Turn::new()
                .tool_call("f", json!({}))
                .interleaved_tool_calls(),
            "OpenAI Responses cannot say tool calls in turns: its items come one after the other",
            "leave out `.interleaved_tool_calls()`",
        ),
        (
            Turn::new().compaction("x"),
            "OpenAI Responses cannot say the words of a compaction: they are encrypted",
            "use `.compaction_with_encrypted_content(\"\", ..)`",
        ),
        (
            cite(Citation::characters("x", 0..1)),
            "OpenAI Responses cites pages of the web, and files as they are",
            "use `Citation::web_search_result`, or `Citation::raw` with an annotation such as `file_citation`",
        ),
        (
            cite(page().encrypted_index("x")),
            "a citation of OpenAI Responses has no encrypted index",
            "leave out `.encrypted_index(..)`",
        ),
    ]
}

fn tools() -> Vec<Row> {
    let search = || ServerTool::web_search("x", [("X", "https://x.example")]).id("ws_1");
    let run = |tool: ServerTool| Turn::new().server_tool(tool);
    let item = "give what did it as an item, with `.raw_block(..)`";
    let apart = "OpenAI Responses cannot say the call of a tool of the provider's apart from its result: they are \
                 one item";
    vec![
        (
            run(ServerTool::web_fetch("https://x.example", "x")),
            "OpenAI Responses cannot say what `web_fetch` did: it has no such tool",
            item,
        ),
        (
            run(ServerTool::view_file("x", "x")),
            "OpenAI Responses cannot say what `text_editor_code_execution` did: it has no such tool",
            item,
        ),
        (
            run(ServerTool::tool_search("x", ["x"])),
            "OpenAI Responses cannot say what `tool_search_tool_regex` did: it has no such tool",
            item,
        ),
        (
            run(ServerTool::new("x", json!({}), "x_result", json!({}))),
            "OpenAI Responses cannot say what `x` did: it has no such tool",
            item,
        ),
        (
            Turn::new().server_tool_call(search()),
            apart,
            "use `.server_tool(..)`",
        ),
        (
            Turn::new().server_tool_result(search()),
            apart,
            "use `.server_tool(..)`",
        ),
        (
            run(search().caller(json!({"type": "x"}))),
            "OpenAI Responses cannot say who called a tool",
            "leave out `.caller(..)`",
        ),
        (
            run(search().content(json!([]))),
            "OpenAI Responses cannot say the result of a tool as it is",
            "leave out `.content(..)`, or give the item with `.raw_block(..)`",
        ),
    ]
}

fn stop_reasons() -> Vec<Row> {
    let stop = |turn: Turn, reason: StopReason| turn.stop_reason(reason);
    let other = "choose another stop reason";
    let called = || Turn::new().tool_call("f", json!({}));
    vec![
        (
            stop(called(), StopReason::EndTurn),
            "OpenAI Responses cannot say that a turn ends with a tool call: it is read as waiting for the result",
            "leave out `.stop_reason(..)`, or the call",
        ),
        (
            stop(Turn::new(), StopReason::ToolUse),
            "OpenAI Responses cannot say that a turn without a tool call waits for a result",
            "leave out `.stop_reason(..)`, or add the `.tool_call(..)`",
        ),
        (
            stop(Turn::new(), StopReason::StopSequence("x".to_owned())),
            "OpenAI Responses cannot say that a stop sequence came up",
            other,
        ),
        (
            stop(Turn::new(), StopReason::PauseTurn),
            "OpenAI Responses cannot say that a turn pauses",
            other,
        ),
        (
            stop(Turn::new(), StopReason::ContextWindowExceeded),
            "OpenAI Responses cannot say that the context window was full",
            "use `StopReason::MaxTokens`, or the error `ApiError::context_overflow()`",
        ),
        (
            stop(Turn::new(), StopReason::Compaction),
            "OpenAI Responses cannot say that a conversation was compacted",
            other,
        ),
        (
            stop(Turn::new(), "a_word".into()),
            "OpenAI Responses cannot say that a turn stops for `a_word`",
            other,
        ),
        (
            stop(Turn::new(), StopReason::Refusal),
            "OpenAI Responses cannot say a refusal without words",
            "add its `.text(..)`, or stop with `StopReason::ContentFilter`",
        ),
        (
            stop(called().text("x"), StopReason::Refusal),
            "OpenAI Responses cannot say a refusal beside tool calls or citations",
            "leave these out",
        ),
    ]
}

fn envelopes() -> Vec<Row> {
    let say = |turn: Turn| turn.text("x");
    vec![
        (
            say(Turn::new()).era(Era::of(2025, 6)),
            "on OpenAI Responses answers are written as today only",
            "leave out `.era(..)`",
        ),
        (
            say(Turn::new()).container("c"),
            "an answer of OpenAI Responses has no `container`",
            "leave it out of the turn",
        ),
        (
            say(Turn::new()).inference_geo("eu"),
            "an answer of OpenAI Responses has no `inference_geo`",
            "leave it out of the turn",
        ),
        (
            say(Turn::new()).context_management(json!({})),
            "an answer of OpenAI Responses has no `context_management`",
            "leave it out of the turn",
        ),
        (
            say(Turn::new()).usage_at_start(Usage::input(1)),
            "an answer of OpenAI Responses has no `usage_at_start`",
            "leave it out of the turn",
        ),
        (
            say(Turn::new()).stop_details(StopDetails::new()),
            "an answer of OpenAI Responses has no `stop_details`",
            "leave it out of the turn",
        ),
    ]
}

fn usages() -> Vec<Row> {
    let with = |usage: Usage| Turn::new().text("x").usage(usage);
    let help = "leave it out of the usage";
    vec![
        (
            with(Usage::input(1).cache_creation_1h(1)),
            "the usage of OpenAI Responses cannot say how long a cache is kept",
            help,
        ),
        (
            with(Usage::input(1).web_fetches(1)),
            "the usage of OpenAI Responses cannot say how often a page was fetched",
            help,
        ),
        (
            with(Usage::input(1).input_audio(1)),
            "the usage of OpenAI Responses cannot say how many tokens of the prompt are audio",
            help,
        ),
        (
            with(Usage::input(1).output_audio(1)),
            "the usage of OpenAI Responses cannot say how many tokens of the answer are audio",
            help,
        ),
        (
            with(Usage::input(1).accepted_prediction(1)),
            "the usage of OpenAI Responses cannot say how many tokens of a prediction were accepted",
            help,
        ),
        (
            with(Usage::input(1).rejected_prediction(1)),
            "the usage of OpenAI Responses cannot say how many tokens of a prediction were rejected",
            help,
        ),
        (
            with(Usage::input(1).iteration(Iteration::new("message", Usage::input(1)))),
            "the usage of OpenAI Responses cannot say what each pass over the model cost",
            help,
        ),
    ]
}

fn raw_deltas() -> Vec<Row> {
    vec![(
        Turn::new()
            .raw_block(json!({"type": "x"}))
            .raw_delta(json!({"type": "response.x", "sequence_number": 3})),
        "a raw delta of OpenAI Responses is an event: an object with a `type`, and without `output_index` and \
         `sequence_number`\n  found: `{\"sequence_number\":3,\"type\":\"response.x\"}`",
        "its two numbers are written behind its members",
    )]
}

#[test]
fn what_responses_cannot_say_is_refused_with_a_way_out() {
    for (turn, what, help) in [
        parts(),
        tools(),
        stop_reasons(),
        envelopes(),
        usages(),
        raw_deltas(),
    ]
    .concat()
    {
        let built = format!("openai_responses, turn built at {}:", file!());
        let (first, found) = what.split_once('\n').unwrap_or((what, ""));
        for error in [
            try_sse_body(API, &turn).unwrap_err().to_string(),
            try_json_body(API, &turn).unwrap_err().to_string(),
            turn.normalized(API).unwrap_err().to_string(),
        ] {
            let (start, rest) = error.split_once("\n  where: ").unwrap();
            assert_eq!(start, first);
            assert!(rest.starts_with(&built), "{error}");
            let rest = rest.split_once('\n').unwrap().1;
            let found = if found.is_empty() {
                String::new()
            } else {
                format!("{found}\n")
            };
            assert_eq!(rest, format!("{found}  help: {help}"));
        }
    }
}

#[test]
fn a_body_has_no_place_for_raw_deltas() {
    let turn = Turn::new()
        .raw_block(json!({"type": "x"}))
        .raw_delta(json!({"type": "response.x"}));
    let error = try_json_body(API, &turn).unwrap_err().to_string();
    let (first, rest) = error.split_once("\n  where: ").unwrap();
    assert_eq!(first, "a body has no place for the deltas of a raw block");
    let help = rest.split_once('\n').unwrap().1;
    let expected =
        "  help: for a body, give the block as it stands there, without `.raw_delta(..)`";
    assert_eq!(help, expected);
}

#[test]
fn only_responses_searches_files() {
    let turn = Turn::new().server_tool(ServerTool::file_search("x", [("a", "b")]));
    let error = try_sse_body(Api::AnthropicMessages, &turn)
        .unwrap_err()
        .to_string();
    let (first, rest) = error.split_once("\n  where: ").unwrap();
    assert_eq!(first, "Anthropic Messages has no search of files");
    let help = rest.split_once('\n').unwrap().1;
    assert_eq!(help, "  help: use another tool, or `ServerTool::new(..)`");
}

#[test]
fn what_a_message_quotes_stays_on_its_line() {
    let turn = Turn::new().stop_reason("two\nlines");
    let error = try_sse_body(API, &turn).unwrap_err().to_string();
    let lines: Vec<_> = error.lines().collect();
    assert_eq!(
        lines[0],
        r"OpenAI Responses cannot say that a turn stops for `two\nlines`"
    );
    assert!(lines[1].starts_with("  where: openai_responses, turn built at "));
    assert_eq!(lines[2..], ["  help: choose another stop reason"]);
    let broken = Turn::new().tool_call("f\ng", Arguments::raw("{"));
    for api in [API, Api::OpenAiChat, Api::AnthropicMessages] {
        let error = broken.normalized(api).unwrap_err().to_string();
        let what = r"the arguments of `f\ng` are not JSON: ";
        assert!(error.starts_with(what), "{error}");
        assert_eq!(error.lines().count(), 4, "{error}");
    }
}
