//! The parts of a turn.

use llm_wire_stub::*;
use proptest::{collection::vec, option, prelude::*};
use serde_json::{Value, json};

use super::values::{arguments, text, value};

#[derive(Clone, Debug)]
pub(crate) enum Said {
    Text(String),
    CitedText(String, Vec<Citation>),
    Thinking(String, Option<String>),
    /// Without an empty last delta.
    SignedThinking(String, Option<String>),
    Redacted(Option<String>),
    Call(Option<String>, String, Arguments, Option<Value>),
    CustomCall(Option<String>, String, String),
    ServerTool(ServerTool),
    ServerToolCall(ServerTool),
    ServerToolResult(ServerTool),
    Compaction(String, Option<String>),
    Raw(Json, Vec<Json>),
}

impl Said {
    pub(super) fn add_to(self, turn: Turn) -> Turn {
        match self {
            Self::Text(text) => turn.text(text),
            Self::CitedText(text, citations) => turn.cited_text(text, citations),
            Self::Thinking(text, None) => turn.thinking(text),
            Self::Thinking(text, Some(signature)) => turn
                .thinking_with_signature(text, signature)
                .empty_last_delta(),
            Self::SignedThinking(text, None) => turn.thinking(text),
            Self::SignedThinking(text, Some(signature)) => {
                turn.thinking_with_signature(text, signature)
            }
            Self::Redacted(None) => turn.redacted_thinking(),
            Self::Redacted(Some(data)) => turn.redacted_thinking_with_data(data),
            Self::Call(id, name, arguments, caller) => {
                let turn = match id {
                    Some(id) => turn.tool_call_with_id(id, name, arguments),
                    None => turn.tool_call(name, arguments),
                };
                match caller {
                    Some(caller) => turn.caller(caller),
                    None => turn,
                }
            }
            Self::CustomCall(Some(id), name, input) => {
                turn.custom_tool_call_with_id(id, name, input)
            }
            Self::CustomCall(None, name, input) => turn.custom_tool_call(name, input),
            Self::ServerTool(tool) => turn.server_tool(tool),
            Self::ServerToolCall(tool) => turn.server_tool_call(tool),
            Self::ServerToolResult(tool) => turn.server_tool_result(tool),
            Self::Compaction(content, None) => turn.compaction(content),
            Self::Compaction(content, Some(encrypted)) => {
                turn.compaction_with_encrypted_content(content, encrypted)
            }
            Self::Raw(start, deltas) => {
                let turn = turn.raw_block(start);
                deltas.into_iter().fold(turn, Turn::raw_delta)
            }
        }
    }

    pub(crate) const fn is_call(&self) -> bool {
        matches!(self, Self::Call(..) | Self::CustomCall(..))
    }

    pub(super) const fn is_cut(&self) -> bool {
        match self {
            Self::Text(_)
            | Self::CitedText(..)
            | Self::Thinking(..)
            | Self::SignedThinking(..)
            | Self::Call(..)
            | Self::CustomCall(..)
            | Self::ServerToolCall(_) => true,
            Self::Redacted(_)
            | Self::ServerTool(_)
            | Self::ServerToolResult(_)
            | Self::Compaction(..)
            | Self::Raw(..) => false,
        }
    }
}

pub(super) fn citation() -> impl Strategy<Value = Citation> {
    let range = || (any::<u64>(), any::<u64>()).prop_map(|(start, end)| start..end);
    let of_the_request = prop_oneof![
        (text(), range()).prop_map(|(text, range)| Citation::characters(text, range)),
        (text(), range()).prop_map(|(text, range)| Citation::pages(text, range)),
        (text(), range()).prop_map(|(text, range)| Citation::blocks(text, range)),
        (text(), text(), range())
            .prop_map(|(text, source, range)| Citation::search_result(text, source, range)),
    ];
    let of_the_request =
        (of_the_request, any::<u64>(), option::of(text())).prop_map(|(citation, index, file)| {
            match file {
                Some(file) if !matches!(citation.source, CitedSource::SearchResult { .. }) => {
                    citation.index(index).file_id(file)
                }
                _ => citation.index(index),
            }
        });
    let of_the_web = (text(), text(), option::of(text())).prop_map(|(text, url, index)| {
        let citation = Citation::web_search_result(text, url);
        match index {
            Some(index) => citation.encrypted_index(index),
            None => citation,
        }
    });
    let other = (text(), value()).prop_map(|(text, value)| {
        Citation::raw(json!({"type": "x_location", "cited_text": text, "x": value}))
    });
    let known_as_it_is = (text(), text()).prop_map(|(text, url)| {
        Citation::raw(json!({
            "type": "web_search_result_location", "cited_text": text, "url": url, "title": null,
            "encrypted_index": "ZQ=="
        }))
    });
    let titled = |(citation, title): (Citation, Option<String>)| match title {
        // that of a raw one is among its members
        Some(title) if !matches!(citation.source, CitedSource::Other(_)) => citation.title(title),
        _ => citation,
    };
    (
        prop_oneof![of_the_request, of_the_web, other, known_as_it_is],
        option::of(text()),
    )
        .prop_map(titled)
}

pub(super) fn server_tool() -> impl Strategy<Value = ServerTool> {
    let tool = prop_oneof![
        (text(), vec((text(), text()), 0..3))
            .prop_map(|(query, pages)| ServerTool::web_search(&query, pages)),
        (text(), text()).prop_map(|(url, text)| ServerTool::web_fetch(&url, text)),
        (text(), text()).prop_map(|(command, stdout)| ServerTool::bash(&command, stdout)),
        (text(), any::<i64>(), text())
            .prop_map(|(command, code, stderr)| ServerTool::failed_bash(&command, code, stderr)),
        (text(), text()).prop_map(|(path, text)| ServerTool::create_file(&path, &text)),
        (text(), text()).prop_map(|(path, text)| ServerTool::view_file(&path, text)),
        (text(), text(), text())
            .prop_map(|(path, old, new)| ServerTool::replace_in_file(&path, &old, &new)),
        (text(), vec(text(), 0..3))
            .prop_map(|(query, tools)| ServerTool::tool_search(&query, tools)),
        (text(), "[a-z]{1,3}", arguments(), text()).prop_map(|(server, tool, arguments, text)| {
            ServerTool::mcp(server, tool, arguments, text)
        }),
        (
            "[a-z]{1,3}",
            arguments(),
            "(advisor|code_execution|x)_tool_result",
            value()
        )
            .prop_map(|(name, arguments, kind, content)| ServerTool::new(
                name, arguments, kind, content
            )),
    ];
    let given = (
        option::of("[a-z_]{1,4}"),
        option::weighted(0.2, text()),
        option::weighted(0.2, value()),
        option::weighted(0.2, value()),
    );
    (tool, given).prop_map(|(mut tool, (id, error, content, caller))| {
        if let Some(id) = id {
            tool = tool.id(id);
        }
        if let Some(error) = error {
            tool = tool.error(error);
        }
        if let Some(content) = content {
            tool = tool.content(content);
        }
        if let Some(caller) = caller {
            tool = tool.caller(caller);
        }
        tool
    })
}

/// A tool that OpenAI Responses has too.
pub(super) fn server_tool_of_openai() -> impl Strategy<Value = ServerTool> {
    prop_oneof![
        (text(), option::of(text())).prop_map(|(query, url)| match url {
            Some(url) => ServerTool::web_search(&query, [("T", url)]),
            None =>
                ServerTool::web_search(&query, [("T", "https://x.example")]).error("unavailable"),
        }),
        (text(), text())
            .prop_map(|(query, text)| ServerTool::file_search(&query, [("a.txt", text)])),
        (text(), text()).prop_map(|(code, output)| ServerTool::bash(&code, output)),
        (text(), text()).prop_map(|(code, output)| ServerTool::failed_bash(&code, 1, output)),
        (arguments(), text(), any::<bool>()).prop_map(|(arguments, text, failed)| {
            let tool = ServerTool::mcp("s", "t", arguments, text.as_str());
            if failed { tool.error(text) } else { tool }
        }),
    ]
}

/// Raw blocks of known and unknown types; those of a stream have deltas.
pub(super) fn raw(form: Form) -> impl Strategy<Value = Said> {
    let (start, deltas) = match form {
        Form::Both => (r#"{"text":"é","type":"text"}"#, vec![]),
        Form::Stream => (
            r#"{"type":"text","text":"é"}"#,
            vec![Json::raw(r#"{"type":"text_delta","text":"漢字"}"#)],
        ),
    };
    let known = Said::Raw(Json::raw(start), deltas);
    let unknown = (value(), vec(value(), 0..3)).prop_map(move |(a, deltas)| {
        let deltas = deltas
            .into_iter()
            .take(if form == Form::Stream { 3 } else { 0 });
        let deltas = deltas.map(|b| json!({"type": "x_delta", "b": b}).into());
        Said::Raw(json!({"type": "x", "a": a}).into(), deltas.collect())
    });
    prop_oneof![Just(known), unknown]
}

/// Which forms of an answer can have a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    Both,
    Stream,
}

pub(super) fn said(form: Form) -> impl Strategy<Value = Said> {
    prop_oneof![
        3 => text().prop_map(Said::Text),
        1 => (text(), vec(citation(), 0..3))
            .prop_map(|(text, citations)| Said::CitedText(text, citations)),
        1 => (text(), option::of("[A-Za-z0-9+/]{0,9}=?"))
            .prop_map(|(text, signature)| Said::Thinking(text, signature)),
        1 => option::of("[A-Za-z0-9+/]{0,9}=?").prop_map(Said::Redacted),
        2 => (
            option::of("toolu_[a-z]{1,4}"),
            "[a-z_]{1,8}",
            arguments(),
            option::weighted(0.2, value()),
        )
            .prop_map(|(id, name, arguments, caller)| Said::Call(id, name, arguments, caller)),
        2 => server_tool().prop_map(Said::ServerTool),
        1 => server_tool().prop_map(Said::ServerToolCall),
        1 => server_tool().prop_map(|tool| Said::ServerToolResult(tool.id("srvtoolu_x"))),
        1 => (text(), option::of(text()))
            .prop_map(|(content, encrypted)| Said::Compaction(content, encrypted)),
        1 => raw(form),
    ]
}
