//! Tools that the service runs itself: what they are called, and how their results are spelled.

use std::borrow::Cow;

use super::call::{Call, CallKind, Caller, ToolResult};
use crate::{
    api::Ids,
    json::{write_number, write_str},
    script::{Cuts, ServerResult, ServerTool, ServerToolKind},
};

/// What this API calls what comes of a tool: the type of the block with its result, the type of an error.
struct Names<'a> {
    result: &'a str,
    error: &'a str,
}

fn names(kind: &ServerToolKind) -> Names<'_> {
    let of = |result, error| Names { result, error };
    match kind {
        ServerToolKind::WebSearch => of("web_search_tool_result", "web_search_tool_result_error"),
        ServerToolKind::WebFetch => of("web_fetch_tool_result", "web_fetch_tool_result_error"),
        // refused before
        ServerToolKind::FileSearch => of("file_search_tool_result", ""),
        ServerToolKind::Bash => of(
            "bash_code_execution_tool_result",
            "bash_code_execution_tool_result_error",
        ),
        ServerToolKind::TextEditor => of(
            "text_editor_code_execution_tool_result",
            "text_editor_code_execution_tool_result_error",
        ),
        ServerToolKind::ToolSearch => {
            of("tool_search_tool_result", "tool_search_tool_result_error")
        }
        ServerToolKind::Mcp { .. } => of("mcp_tool_result", ""),
        ServerToolKind::Other { result_type, .. } => of(result_type, ""),
    }
}

/// The call of `tool`, which has this id.
pub(super) fn call(tool: &ServerTool, id: String, cuts: Option<Cuts>) -> Call {
    Call {
        kind: match &tool.kind {
            ServerToolKind::Mcp { server, .. } => CallKind::Mcp(server.clone()),
            ServerToolKind::WebSearch
            | ServerToolKind::WebFetch
            | ServerToolKind::FileSearch
            | ServerToolKind::Bash
            | ServerToolKind::TextEditor
            | ServerToolKind::ToolSearch
            | ServerToolKind::Other { .. } => CallKind::Server,
        },
        id,
        name: tool.kind.name().to_owned(),
        arguments: tool.arguments.clone(),
        caller: tool.caller.clone().map_or(Caller::Unsaid, Caller::Said),
        cuts,
    }
}

/// What came of the call with this id.
pub(super) fn result(tool: &ServerTool, call_id: String, sealed: &mut Ids) -> ToolResult {
    let is_mcp = matches!(tool.kind, ServerToolKind::Mcp { .. });
    let from_the_web = matches!(
        tool.kind,
        ServerToolKind::WebSearch | ServerToolKind::WebFetch
    );
    let failed = matches!(tool.result, ServerResult::Error(_));
    ToolResult {
        kind: names(&tool.kind).result.to_owned(),
        call_id,
        is_error: is_mcp.then_some(failed),
        content: content(tool, sealed),
        caller: match &tool.caller {
            Some(caller) => Caller::Said(caller.clone()),
            // as recorded: these results have one, those of code have none
            None if from_the_web => Caller::Model,
            None => Caller::Unsaid,
        },
    }
}

/// The member `content`.
fn content(tool: &ServerTool, sealed: &mut Ids) -> String {
    let mut out = Json::default();
    match &tool.result {
        ServerResult::Content(content) => return content.as_str().to_owned(),
        // refused before
        ServerResult::Files(_) => {}
        ServerResult::Pages(pages) => write_pages(&mut out, pages, sealed),
        ServerResult::Page { url, text } => {
            out.raw(r#"{"type":"web_fetch_result","url":"#).text(url);
            out.raw(r#","retrieved_at":"2026-08-19T14:34:12.730129+00:00""#);
            out.raw(r#","content":{"type":"document","source":{"type":"text""#);
            out.raw(r#","media_type":"text/plain","data":"#).text(text);
            out.raw(r#"},"title":null}}"#);
        }
        ServerResult::Output {
            stdout,
            stderr,
            return_code,
        } => {
            out.raw(r#"{"type":"bash_code_execution_result","stdout":"#)
                .text(stdout);
            out.raw(r#","stderr":"#).text(stderr);
            out.raw(r#","return_code":"#).raw(&return_code.to_string());
            out.raw(r#","content":[]}"#);
        }
        ServerResult::Created => {
            out.raw(
                r#"{"type":"text_editor_code_execution_create_result","is_file_update":false}"#,
            );
        }
        ServerResult::Viewed(text) => {
            let lines = text.lines().count();
            out.raw(r#"{"type":"text_editor_code_execution_view_result","file_type":"text""#);
            out.raw(r#","content":"#).text(text);
            out.raw(r#","num_lines":"#).number(lines);
            out.raw(r#","start_line":1,"total_lines":"#).number(lines);
            out.raw("}");
        }
        ServerResult::Replaced { old, new } => {
            let (before, after) = (old.lines().count(), new.lines().count());
            out.raw(r#"{"type":"text_editor_code_execution_str_replace_result","old_start":1"#);
            out.raw(r#","old_lines":"#).number(before);
            out.raw(r#","new_start":1,"new_lines":"#).number(after);
            let removed = old.lines().map(|line| format!("-{line}"));
            let added = new.lines().map(|line| format!("+{line}"));
            out.raw(r#","lines":"#).texts(removed.chain(added)).raw("}");
        }
        ServerResult::Tools(tools) => {
            out.raw(r#"{"type":"tool_search_tool_search_result","tool_references":["#);
            for (n, tool) in tools.iter().enumerate() {
                out.raw(if n > 0 { "," } else { "" });
                out.raw(r#"{"type":"tool_reference","tool_name":"#)
                    .text(tool)
                    .raw("}");
            }
            out.raw("]}");
        }
        ServerResult::Text(text) => {
            out.raw(r#"[{"type":"text","text":"#).text(text).raw("}]");
        }
        ServerResult::Error(code) => write_error(&mut out, &tool.kind, code),
    }
    out.finish()
}

fn write_pages(out: &mut Json, pages: &[(String, String)], sealed: &mut Ids) {
    out.raw("[");
    for (n, (title, url)) in pages.iter().enumerate() {
        out.raw(if n > 0 { "," } else { "" });
        out.raw(r#"{"type":"web_search_result","title":"#)
            .text(title);
        out.raw(r#","url":"#).text(url);
        out.raw(r#","encrypted_content":"#)
            .text(&super::blocks::seal(sealed));
        out.raw(r#","page_age":null}"#);
    }
    out.raw("]");
}

fn write_error(out: &mut Json, kind: &ServerToolKind, code: &str) {
    if let ServerToolKind::Mcp { .. } = kind {
        out.raw(r#"[{"type":"text","text":"#).text(code).raw("}]");
        return;
    }
    let names = names(kind);
    let error_type = match names.error {
        "" => Cow::Owned(format!("{}_error", names.result)),
        known => Cow::Borrowed(known),
    };
    out.raw(r#"{"type":"#).text(&error_type);
    out.raw(r#","error_code":"#).text(code);
    let has_message = matches!(
        kind,
        ServerToolKind::TextEditor | ServerToolKind::ToolSearch
    );
    out.raw(if has_message {
        r#","error_message":null}"#
    } else {
        "}"
    });
}

/// JSON under way.
#[derive(Default)]
struct Json(Vec<u8>);

impl Json {
    fn raw(&mut self, json: &str) -> &mut Self {
        self.0.extend_from_slice(json.as_bytes());
        self
    }

    fn text(&mut self, text: &str) -> &mut Self {
        write_str(&mut self.0, text);
        self
    }

    fn number(&mut self, number: usize) -> &mut Self {
        write_number(&mut self.0, u64::try_from(number).unwrap_or(u64::MAX));
        self
    }

    fn texts(&mut self, texts: impl Iterator<Item = String>) -> &mut Self {
        self.raw("[");
        for (n, text) in texts.enumerate() {
            self.raw(if n > 0 { "," } else { "" }).text(&text);
        }
        self.raw("]")
    }

    fn finish(self) -> String {
        String::from_utf8(self.0).unwrap_or_default()
    }
}
