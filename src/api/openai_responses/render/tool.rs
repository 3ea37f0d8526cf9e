//! Tools that the provider runs itself: the call and its result are one item.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{item::member, reply, said::unsayable};
use crate::{
    api::{
        Ids,
        openai::{Piece, Wanted},
        openai_responses::asked::Asked,
    },
    json::{self, Spacing, write_str},
    script::{
        Arguments, Cuts, Fragments, Part, ServerResult, ServerTool, ServerToolCall, ServerToolKind,
        ServerToolResult, ServerToolSays,
    },
};

/// An item with the call of a tool and its result.
#[derive(Clone)]
pub(super) struct Tool {
    pub(super) id: String,
    pub(super) kind: Kind,
    pub(super) failed: bool,
    /// What is streamed of it: code, or arguments.
    pub(super) streamed: Option<Piece>,
    /// `,"…":…` behind the status, when it is added.
    pub(super) added: Vec<u8>,
    /// When it is done.
    pub(super) done: Vec<u8>,
    name: String,
    server: Option<String>,
    /// What it is called with, unless that is what is streamed.
    arguments: Value,
    content: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    WebSearch,
    FileSearch,
    Code,
    Mcp,
}

impl Kind {
    fn of(tool: &ServerTool) -> Result<Self, String> {
        Ok(match &tool.kind {
            ServerToolKind::WebSearch => Self::WebSearch,
            ServerToolKind::FileSearch => Self::FileSearch,
            ServerToolKind::Bash => Self::Code,
            ServerToolKind::Mcp { .. } => Self::Mcp,
            ServerToolKind::WebFetch
            | ServerToolKind::TextEditor
            | ServerToolKind::ToolSearch
            | ServerToolKind::Other { .. } => {
                let name = tool.kind.name().escape_debug();
                return Err(unsayable(
                    &format!("what `{name}` did: it has no such tool"),
                    "give what did it as an item, with `.raw_block(..)`",
                ));
            }
        })
    }

    pub(super) const fn prefix(self) -> &'static str {
        match self {
            Self::WebSearch => "ws_",
            Self::FileSearch => "fs_",
            Self::Code => "ci_",
            Self::Mcp => "mcp_",
        }
    }

    /// The type of the item.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::WebSearch => "web_search_call",
            Self::FileSearch => "file_search_call",
            Self::Code => "code_interpreter_call",
            Self::Mcp => "mcp_call",
        }
    }
}

impl Tool {
    /// The item of this tool; `new_id` makes its id, the seed what else is drawn.
    pub(super) fn new(
        tool: &ServerTool,
        says: ServerToolSays,
        fragments: Option<&Fragments>,
        asked: &Asked,
        seed: u64,
        new_id: impl FnOnce(&str) -> String,
    ) -> Result<Self, String> {
        let kind = Kind::of(tool)?;
        if says != ServerToolSays::CallAndResult {
            return Err(unsayable(
                "the call of a tool of the provider's apart from its result: they are one item",
                "use `.server_tool(..)`",
            ));
        }
        if tool.caller.is_some() {
            return Err(unsayable("who called a tool", "leave out `.caller(..)`"));
        }
        if matches!(tool.result, ServerResult::Content(_)) {
            return Err(unsayable(
                "the result of a tool as it is",
                "leave out `.content(..)`, or give the item with `.raw_block(..)`",
            ));
        }
        let made = new_id(kind.prefix());
        let mut item = Self {
            id: tool.id.clone().unwrap_or(made),
            kind,
            failed: matches!(tool.result, ServerResult::Error(_)),
            streamed: None,
            added: Vec::new(),
            done: Vec::new(),
            name: kind.word().trim_end_matches("_call").to_owned(),
            server: None,
            arguments: Value::Null,
            content: Value::Null,
        };
        let sent = |name: &str| match &tool.arguments {
            Arguments::Json(arguments) => arguments.get(name).cloned().unwrap_or_default(),
            Arguments::Raw(_) => Value::Null,
        };
        match &tool.kind {
            ServerToolKind::WebSearch => item.web_search(&sent("query"), tool, asked),
            ServerToolKind::FileSearch => item.file_search(&sent("queries"), tool, asked, seed),
            ServerToolKind::Bash => {
                let code = sent("command");
                let code: Arc<str> = code.as_str().unwrap_or_default().into();
                let code = Piece::dealt(&code, fragments, seed)?;
                item.code(code, tool, asked, seed);
            }
            ServerToolKind::Mcp { server, tool: name } => {
                let mut arguments = Piece::of_arguments(&tool.arguments, fragments, seed)?;
                if fragments.is_none() {
                    arguments.cuts = Cuts::Whole;
                }
                item.mcp(server, name, arguments, tool);
            }
            ServerToolKind::WebFetch
            | ServerToolKind::TextEditor
            | ServerToolKind::ToolSearch
            | ServerToolKind::Other { .. } => {}
        }
        Ok(item)
    }

    fn web_search(&mut self, query: &Value, tool: &ServerTool, asked: &Asked) {
        let query = json::to_string(query, Spacing::Compact);
        let mut action = format!(r#"{{"type":"search","queries":[{query}],"query":{query}"#);
        self.arguments = read(format!("{action}}}").as_bytes());
        if asked.web_sources == Wanted::Yes {
            let mut sources = b"[".to_vec();
            if let ServerResult::Pages(pages) = &tool.result {
                for (n, (_, url)) in pages.iter().enumerate() {
                    if n > 0 {
                        sources.push(b',');
                    }
                    sources.extend_from_slice(br#"{"type":"url","url":"#);
                    write_str(&mut sources, url);
                    sources.push(b'}');
                }
            }
            sources.push(b']');
            self.content = read(&sources);
            action.push_str(r#","sources":"#);
            action.push_str(&String::from_utf8_lossy(&sources));
        }
        self.done = format!(r#","action":{action}}}"#).into_bytes();
    }

    fn file_search(&mut self, queries: &Value, tool: &ServerTool, asked: &Asked, seed: u64) {
        let mut results = b"null".to_vec();
        if asked.file_results == Wanted::Yes {
            let mut ids = Ids::new(seed, 1);
            results = b"[".to_vec();
            if let ServerResult::Files(files) = &tool.result {
                for (n, (name, text)) in files.iter().enumerate() {
                    results.extend_from_slice(if n > 0 { b"," } else { b"" });
                    results.extend_from_slice(br#"{"attributes":{}"#);
                    member(&mut results, "file_id", &ids.base62("file-", 22));
                    member(&mut results, "filename", name);
                    results.extend_from_slice(br#","score":0.9"#);
                    member(&mut results, "text", text);
                    results.push(b'}');
                }
            }
            results.push(b']');
            self.content = read(&results);
        }
        self.added = br#","queries":[],"results":null"#.to_vec();
        self.done = br#","queries":"#.to_vec();
        json::write_value(&mut self.done, queries, Spacing::Compact);
        self.done.extend_from_slice(br#","results":"#);
        self.done.extend_from_slice(&results);
        self.arguments = json!({"queries": queries});
    }

    fn code(&mut self, code: Piece, tool: &ServerTool, asked: &Asked, seed: u64) {
        let container = Ids::new(seed, 1).hex("cntr_", 48);
        let mut outputs = b"[".to_vec();
        if let ServerResult::Output {
            stdout,
            stderr,
            return_code,
        } = &tool.result
        {
            self.failed = *return_code != 0;
            let logs = format!("{stdout}{stderr}");
            if asked.code_outputs == Wanted::Yes && !logs.is_empty() {
                outputs.extend_from_slice(br#"{"type":"logs""#);
                member(&mut outputs, "logs", &logs);
                outputs.push(b'}');
            }
        }
        outputs.push(b']');
        let write = |out: &mut Vec<u8>, code: &str, outputs: &[u8]| {
            member(out, "code", code);
            member(out, "container_id", &container);
            out.extend_from_slice(br#","outputs":"#);
            out.extend_from_slice(outputs);
        };
        write(&mut self.added, "", b"[]");
        write(&mut self.done, &code.text, &outputs);
        self.arguments = json!({"code": &*code.text, "container_id": container});
        self.content = read(&outputs);
        self.streamed = Some(code);
    }

    fn mcp(&mut self, server: &str, name: &str, arguments: Piece, tool: &ServerTool) {
        let (error, output) = match &tool.result {
            ServerResult::Error(error) => (Some(error), None),
            ServerResult::Text(text) => (None, Some(text)),
            ServerResult::Pages(_)
            | ServerResult::Page { .. }
            | ServerResult::Files(_)
            | ServerResult::Output { .. }
            | ServerResult::Created
            | ServerResult::Viewed(_)
            | ServerResult::Replaced { .. }
            | ServerResult::Tools(_)
            | ServerResult::Content(_) => (None, None),
        };
        let write = |out: &mut Vec<u8>, arguments: &str, error, output| {
            out.extend_from_slice(br#","approval_request_id":null"#);
            member(out, "arguments", arguments);
            optional(out, "error", error);
            member(out, "name", name);
            optional(out, "output", output);
            member(out, "server_label", server);
        };
        write(&mut self.added, "", None, None);
        write(&mut self.done, &arguments.text, error, output);
        name.clone_into(&mut self.name);
        self.server = Some(server.to_owned());
        self.content = error.or(output).cloned().map_or(Value::Null, Value::from);
        self.streamed = Some(arguments);
    }

    /// What a client that loses nothing reads.
    pub(super) fn into_parts(self) -> Result<Vec<Part>, String> {
        let arguments = match (self.kind, &self.streamed) {
            (Kind::Mcp, Some(arguments)) => reply::arguments(&self.name, &arguments.text)?,
            _ => self.arguments,
        };
        reply::check_call(&self.id, &self.name)?;
        let kind = self.kind.word().to_owned();
        let result = ServerToolResult::new(self.id.clone(), kind, Some(self.failed), self.content);
        let call = ServerToolCall {
            id: self.id,
            name: self.name,
            server: self.server,
            arguments,
            caller: None,
        };
        Ok(vec![
            Part::ServerToolCall(call),
            Part::ServerToolResult(result),
        ])
    }
}

fn optional(out: &mut Vec<u8>, name: &str, text: Option<&String>) {
    match text {
        Some(text) => member(out, name, text),
        None => out.extend_from_slice(format!(",\"{name}\":null").as_bytes()),
    }
}

/// What was just written.
fn read(json: &[u8]) -> Value {
    serde_json::from_slice(json).unwrap_or_default()
}
