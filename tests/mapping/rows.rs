//! What a turn can say, one row each.

use llm_wire_stub::*;
use serde_json::json;

/// It stands in everything that a row says.
pub(crate) const MARK: &str = "marked";
/// As a number of tokens.
const TOKENS: u64 = 4242;

pub(crate) struct Section {
    pub(crate) name: &'static str,
    pub(crate) rows: Vec<Row>,
}

pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) turn: Turn,
    pub(crate) shows: Shows,
    /// The stop reason that it is about.
    pub(crate) reason: Option<StopReason>,
}

/// How the row is seen in an answer.
pub(crate) enum Shows {
    /// Its values have the mark in them.
    Marked,
    /// Its members are those that differ from this turn's.
    Members(Box<Turn>),
    /// Its values are those that differ from the first of these turns that has any.
    Values(Vec<Turn>),
    /// It has no members, but is seen in those that there are.
    Form,
}

fn row(name: &str, turn: Turn) -> Row {
    Row {
        name: name.to_owned(),
        turn,
        shows: Shows::Marked,
        reason: None,
    }
}

fn form(name: &str, turn: Turn) -> Row {
    Row {
        shows: Shows::Form,
        ..row(name, turn)
    }
}

fn new() -> Turn {
    Turn::new().seed(1)
}

pub(crate) fn sections() -> Vec<Section> {
    vec![
        Section {
            name: "part",
            rows: parts(),
        },
        Section {
            name: "citation",
            rows: citations(),
        },
        Section {
            name: "tool of the provider",
            rows: server_tools(),
        },
        Section {
            name: "stop reason",
            rows: stop_reasons(),
        },
        Section {
            name: "usage",
            rows: usage(),
        },
        Section {
            name: "envelope",
            rows: envelope(),
        },
    ]
}

fn parts() -> Vec<Row> {
    let call = || new().tool_call_with_id("call_marked", "marked", json!({"a": "marked"}));
    let two = call().tool_call("g", json!({}));
    vec![
        row("`text`", new().text("marked")),
        row("`thinking`", new().thinking_with_signature("marked", "")),
        row(
            "the signature of thinking",
            new().thinking_with_signature("Hm.", "marked"),
        ),
        form("thinking without text", new().thinking("")),
        form(
            "thinking without text or signature",
            new().thinking_with_signature("", ""),
        ),
        form(
            "`empty_last_delta`",
            new().thinking("Hm.").empty_last_delta(),
        ),
        row("several thoughts", new().thinking("Hm.").thinking("marked")),
        row(
            "thinking behind text or a tool call",
            new().text("So.").thinking("marked"),
        ),
        row(
            "`redacted_thinking`",
            new().redacted_thinking_with_data("marked"),
        ),
        row("`tool_call`", call()),
        row(
            "`caller`",
            new()
                .tool_call("f", json!({}))
                .caller(json!({"type": "x", "id": "marked"})),
        ),
        form(
            "`fragments` of a tool call",
            call().fragments(Fragments::size(2)),
        ),
        form("`interleaved_tool_calls`", two.interleaved_tool_calls()),
        row(
            "text behind a tool call",
            new().tool_call("f", json!({})).text("marked"),
        ),
        row(
            "`custom_tool_call`",
            new().custom_tool_call_with_id("call_marked", "marked", "marked"),
        ),
        row("`compaction`", new().compaction("marked")),
        form("a compaction without words", new().compaction("")),
        row(
            "its encrypted content",
            new().compaction_with_encrypted_content("", "marked"),
        ),
        row(
            "`raw_block`",
            new().raw_block(json!({"type": "x", "a": "marked"})),
        ),
        row(
            "`raw_delta`",
            new()
                .raw_block(json!({"type": "x"}))
                .raw_delta(json!({"type": "x_delta", "a": "marked"})),
        ),
    ]
}

fn citations() -> Vec<Row> {
    let cited = |name: &str, citation: Citation| row(name, new().cited_text("So.", [citation]));
    let page = || Citation::web_search_result("So", "https://a.example");
    vec![
        cited("`characters`", Citation::characters("marked", 0..6)),
        cited("`pages`", Citation::pages("marked", 1..2)),
        cited("`blocks`", Citation::blocks("marked", 0..1)),
        cited(
            "`search_result`",
            Citation::search_result("So", "marked", 0..1),
        ),
        cited(
            "`web_search_result`",
            Citation::web_search_result("So", "https://marked.example").title("marked"),
        ),
        cited("its `encrypted_index`", page().encrypted_index("marked")),
        cited(
            "`file_id`",
            Citation::characters("So", 0..2).file_id("marked"),
        ),
        cited(
            "`raw`",
            Citation::raw(json!({"type": "x", "cited_text": "marked"})),
        ),
    ]
}

fn server_tools() -> Vec<Row> {
    let run = |name: &str, tool: ServerTool| row(name, new().server_tool(tool));
    let search = || ServerTool::web_search("marked", [("marked", "https://marked.example")]);
    vec![
        run("`web_search`", search()),
        row("its call alone", new().server_tool_call(search())),
        row(
            "its result alone",
            new().server_tool_result(search().id("srvtoolu_marked")),
        ),
        run(
            "`web_fetch`",
            ServerTool::web_fetch("https://marked.example", "marked"),
        ),
        run(
            "`file_search`",
            ServerTool::file_search("marked", [("marked", "marked")]),
        ),
        run("`bash`", ServerTool::bash("marked", "marked")),
        run("`create_file`", ServerTool::create_file("marked", "marked")),
        run(
            "`tool_search`",
            ServerTool::tool_search("marked", ["marked"]),
        ),
        run(
            "`mcp`",
            ServerTool::mcp("marked", "marked", json!({"a": "marked"}), "marked"),
        ),
        run(
            "any other",
            ServerTool::new("marked", json!({}), "x_tool_result", json!({"a": "marked"})),
        ),
        run("an `error` of one", search().error("marked")),
        run(
            "the `content` of one",
            search().content(json!({"a": "marked"})),
        ),
        run(
            "the `caller` of one",
            search().caller(json!({"type": "x", "id": "marked"})),
        ),
    ]
}

fn stop_reasons() -> Vec<Row> {
    let reasons = [
        StopReason::EndTurn,
        StopReason::MaxTokens,
        StopReason::StopSequence("END".to_owned()),
        StopReason::ToolUse,
        StopReason::PauseTurn,
        StopReason::Refusal,
        StopReason::ContentFilter,
        StopReason::ContextWindowExceeded,
        StopReason::Compaction,
        StopReason::Other("a_word".to_owned()),
    ];
    let stopped = |reason: StopReason| {
        let said = if reason == StopReason::ToolUse {
            new().tool_call("f", json!({}))
        } else {
            new().text("Said.")
        };
        said.stop_reason(reason)
    };
    let alone = reasons.into_iter().map(|reason| {
        // the same parts, and another reason
        let but = |other: StopReason| stopped(reason.clone()).stop_reason(other);
        Row {
            shows: Shows::Values(vec![but(StopReason::MaxTokens), but(StopReason::EndTurn)]),
            reason: Some(reason.clone()),
            ..row(&format!("`{reason:?}`"), stopped(reason.clone()))
        }
    });
    alone.chain(stop_reasons_beside()).collect()
}

/// Stop reasons beside what a turn says, or does not.
fn stop_reasons_beside() -> Vec<Row> {
    let call = || new().tool_call("f", json!({}));
    let page = Citation::web_search_result("So", "https://a.example");
    vec![
        form(
            "`EndTurn` beside a tool call",
            call().stop_reason(StopReason::EndTurn),
        ),
        form(
            "`ToolUse` without a tool call",
            new().text("Said.").stop_reason(StopReason::ToolUse),
        ),
        form(
            "`Refusal` without words",
            new().stop_reason(StopReason::Refusal),
        ),
        form(
            "`Refusal` beside a tool call",
            new()
                .text("No.")
                .tool_call("f", json!({}))
                .stop_reason(StopReason::Refusal),
        ),
        form(
            "`Refusal` beside a citation",
            new()
                .cited_text("No.", [page])
                .stop_reason(StopReason::Refusal),
        ),
    ]
}

fn usage() -> Vec<Row> {
    let zeros = || Usage::input(0).output(0);
    let said = |usage: Usage| new().text("Said.").usage(usage);
    let counted = |name: &str, usage: Usage, without: Usage| Row {
        shows: Shows::Members(said(without).into()),
        ..row(name, said(usage))
    };
    let own = |name: &str, usage: Usage| counted(name, usage, zeros());
    let pass = Iteration::new("marked", Usage::input(TOKENS).output(TOKENS));
    vec![
        own("`input_tokens`", Usage::input(TOKENS).output(0)),
        own("`output_tokens`", zeros().output(TOKENS)),
        own("`cache_read_tokens`", zeros().cache_read(TOKENS)),
        own("`cache_creation_tokens`", zeros().cache_creation(TOKENS)),
        counted(
            "`cache_creation_1h_tokens`",
            zeros().cache_creation(TOKENS).cache_creation_1h(TOKENS),
            zeros().cache_creation(TOKENS),
        ),
        counted(
            "`thinking_tokens`",
            zeros().output(TOKENS).thinking(TOKENS),
            zeros().output(TOKENS),
        ),
        own("`input_audio_tokens`", zeros().input_audio(TOKENS)),
        own("`output_audio_tokens`", zeros().output_audio(TOKENS)),
        own(
            "`accepted_prediction_tokens`",
            zeros().accepted_prediction(TOKENS),
        ),
        own(
            "`rejected_prediction_tokens`",
            zeros().rejected_prediction(TOKENS),
        ),
        own("`web_search_requests`", zeros().web_searches(TOKENS)),
        own("`web_fetch_requests`", zeros().web_fetches(TOKENS)),
        own("`iterations`", zeros().iteration(pass)),
    ]
}

fn envelope() -> Vec<Row> {
    let said = || new().text("Said.");
    let start = said().usage(Usage::input(1).output(3));
    vec![
        row("`id`", said().id("marked")),
        row("`model`", said().model("marked")),
        Row {
            shows: Shows::Members(start.clone().into()),
            ..row(
                "`usage_at_start`",
                start.usage_at_start(Usage::input(TOKENS).output(1)),
            )
        },
        row(
            "`stop_details`",
            said().stop_details(StopDetails::new().category("marked")),
        ),
        row("`container`", said().container("marked")),
        row(
            "`context_management`",
            said().context_management(json!({"a": "marked"})),
        ),
        row(
            "`moderation`",
            said().moderation(json!({"input": "marked"})),
        ),
        row("`service_tier`", said().service_tier("marked")),
        row("`inference_geo`", said().inference_geo("marked")),
        form("`era`", said().era(Era::of(2024, 6))),
    ]
}
