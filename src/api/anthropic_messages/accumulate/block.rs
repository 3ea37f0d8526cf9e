//! One content block: what it may be made of, and the part that it comes to.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{
    Checked, citation,
    deltas::{check_fit, check_payload},
};
use crate::{
    api::{
        accumulate::{AccumulateErrorKind, Found, Members, Problem},
        anthropic_messages::not_the_model,
    },
    json,
    script::{Citation, Part, ServerToolCall, ServerToolResult, ToolCall},
};

/// One block, as far as it came.
#[derive(Debug)]
pub(super) enum Block {
    Text {
        text: String,
        /// Where the model could cite something.
        citations: Option<Vec<Citation>>,
    },
    Thinking {
        text: String,
        signature: String,
    },
    /// A call under way, or one that ended with arguments that are not JSON.
    Call {
        id: String,
        name: String,
        arguments: String,
        start: Map<String, Value>,
    },
    Compaction {
        content: Option<String>,
        encrypted_content: Option<String>,
    },
    /// One that came whole, or a call that has ended; of this type.
    Whole(Cow<'static, str>, Part),
    /// Of another type, kept as it came.
    Other {
        start: Map<String, Value>,
        deltas: Vec<Value>,
    },
}

impl Block {
    /// The block whose members stand at `path`.
    pub(super) fn start(start: Map<String, Value>, path: &str) -> Checked<Self> {
        let members = Members::new(path, &start);
        Ok(match members.string("type")? {
            "text" => Self::Text {
                text: members.string("text")?.to_owned(),
                citations: given_citations(members)?,
            },
            "thinking" => Self::Thinking {
                text: members.string("thinking")?.to_owned(),
                signature: members
                    .string_or_null("signature")?
                    .unwrap_or_default()
                    .to_owned(),
            },
            "redacted_thinking" => {
                let data = members.string("data")?.to_owned();
                Self::Whole("redacted_thinking".into(), Part::RedactedThinking { data })
            }
            "tool_use" | "server_tool_use" | "mcp_tool_use" => {
                let id = members.non_empty_string("id")?.to_owned();
                let name = members.non_empty_string("name")?.to_owned();
                members.string_or_null("server_name")?;
                Self::Call {
                    id,
                    name,
                    arguments: String::new(),
                    start,
                }
            }
            "compaction" => Self::Compaction {
                content: owned(members.string_or_null("content")?),
                encrypted_content: owned(members.string_or_null("encrypted_content")?),
            },
            result if is_result(result) => {
                let kind = result.to_owned();
                let part = Part::ServerToolResult(result_of(&kind, members)?);
                Self::Whole(kind.into(), part)
            }
            _ => Self::Other {
                start,
                deltas: Vec::new(),
            },
        })
    }

    fn block_type(&self) -> &str {
        match self {
            Self::Text { .. } => "text",
            Self::Thinking { .. } => "thinking",
            Self::Compaction { .. } => "compaction",
            Self::Whole(block_type, _) => block_type,
            Self::Call { start, .. } | Self::Other { start, .. } => {
                let word = start.get("type").and_then(Value::as_str);
                word.unwrap_or_default()
            }
        }
    }

    pub(super) fn delta(&mut self, index: usize, delta: Map<String, Value>) -> Checked<()> {
        let members = Members::new("delta.", &delta);
        let delta_type = members.string("type")?;
        check_fit(self.block_type(), index, delta_type)?;
        check_payload(delta_type, members)?;
        match self {
            Self::Text { text, citations } => match members.get("text").and_then(Value::as_str) {
                Some(fragment) => text.push_str(fragment),
                None => {
                    let citation = citation::read(members.object("citation")?);
                    citations.get_or_insert_default().push(citation);
                }
            },
            Self::Thinking { text, signature } => think(text, signature, index, members)?,
            Self::Call {
                arguments, start, ..
            } => {
                let fragment = members.string("partial_json")?;
                if !fragment.is_empty() && given_input(start).is_some() {
                    return Err(Problem::new(
                        AccumulateErrorKind::WrongDelta,
                        "arguments come twice: in the start of a tool call and in its deltas",
                        "no arguments in a delta, after a start with `input`",
                        Found::quoted(fragment),
                    ));
                }
                arguments.push_str(fragment);
            }
            Self::Compaction {
                content,
                encrypted_content,
            } => {
                join(content, members.string_or_null("content")?);
                join(
                    encrypted_content,
                    members.string_or_null("encrypted_content")?,
                );
            }
            // it has no deltas, or has stopped
            Self::Whole(..) => {}
            Self::Other { deltas, .. } => deltas.push(Value::Object(delta)),
        }
        Ok(())
    }

    /// Ends the block: arguments become JSON.
    pub(super) fn stop(&mut self) -> Checked<()> {
        let Self::Call {
            id,
            name,
            arguments,
            start,
        } = self
        else {
            return Ok(());
        };
        let arguments = match (arguments.as_str(), given_input(start)) {
            ("", Some(input)) => input.clone(),
            ("", None) => Value::Object(Map::new()),
            (text, _) => match json::parse(text.as_bytes()) {
                // as in a body, null is no arguments
                Ok(Value::Null) => Value::Object(Map::new()),
                Ok(arguments) => arguments,
                Err(_) => return Err(not_json(name, text)),
            },
        };
        let (id, name) = (std::mem::take(id), std::mem::take(name));
        *self = call_of(id, name, arguments, start);
        Ok(())
    }

    pub(super) fn into_part(self) -> Part {
        match self {
            Self::Text {
                text,
                citations: None,
            } => Part::Text(text),
            Self::Text {
                text,
                citations: Some(citations),
            } => Part::CitedText { text, citations },
            Self::Thinking { text, signature } => Part::Thinking { text, signature },
            Self::Call {
                arguments, start, ..
            } => Part::Unknown {
                block: Value::Object(start),
                deltas: if arguments.is_empty() {
                    Vec::new()
                } else {
                    vec![serde_json::json!({"type": "input_json_delta", "partial_json": arguments})]
                },
            },
            Self::Compaction {
                content,
                encrypted_content,
            } => Part::Compaction {
                content,
                encrypted_content,
            },
            Self::Whole(_, part) => part,
            Self::Other { start, deltas } => Part::Unknown {
                block: Value::Object(start),
                deltas,
            },
        }
    }
}

fn owned(text: Option<&str>) -> Option<String> {
    text.map(str::to_owned)
}

/// Joins what has come and what comes now, each of which may be nothing.
fn join(text: &mut Option<String>, more: Option<&str>) {
    if let Some(more) = more {
        text.get_or_insert_default().push_str(more);
    }
}

/// The citations in the start of a text, or in a body; `None` if the model could not cite.
fn given_citations(text: Members<'_>) -> Checked<Option<Vec<Citation>>> {
    if text.get("citations").is_none() {
        return Ok(None);
    }
    let read = |value: &Value| match value.as_object() {
        Some(members) => Ok(citation::read(members)),
        None => Err(text.wrong("citations", "an array of objects")),
    };
    let citations = text.array("citations")?.iter().map(read);
    citations.collect::<Checked<_>>().map(Some)
}

/// The blocks with what came of a tool that the service ran itself.
pub(in crate::api::anthropic_messages) fn is_result(block_type: &str) -> bool {
    matches!(
        block_type,
        "web_search_tool_result"
            | "web_fetch_tool_result"
            | "bash_code_execution_tool_result"
            | "text_editor_code_execution_tool_result"
            | "code_execution_tool_result"
            | "tool_search_tool_result"
            | "mcp_tool_result"
            | "advisor_tool_result"
    )
}

fn result_of(kind: &str, result: Members<'_>) -> Checked<ServerToolResult> {
    let call_id = result.non_empty_string("tool_use_id")?.to_owned();
    let content = result.required("content", "the result, as a JSON value")?;
    let failed = result.get("is_error").and_then(Value::as_bool);
    let mut read = ServerToolResult::new(call_id, kind.to_owned(), failed, content.clone());
    read.caller = result.get("caller").and_then(not_the_model);
    Ok(read)
}

/// The call that ended, by the type of its block.
fn call_of(id: String, name: String, arguments: Value, start: &Map<String, Value>) -> Block {
    let text = |name: &str| start.get(name).and_then(Value::as_str);
    let caller = start.get("caller").and_then(not_the_model);
    let block_type = match text("type") {
        Some("mcp_tool_use") => "mcp_tool_use",
        Some("server_tool_use") => "server_tool_use",
        Some(_) | None => "tool_use",
    };
    let part = if block_type == "tool_use" {
        let mut call = ToolCall::new(id, name, arguments);
        call.caller = caller;
        Part::ToolCall(call)
    } else {
        Part::ServerToolCall(ServerToolCall {
            id,
            name,
            server: owned(text("server_name")),
            arguments,
            caller,
        })
    };
    Block::Whole(block_type.into(), part)
}

/// Joins what was thought; the signature, which may come in pieces, ends it.
fn think(
    text: &mut String,
    signature: &mut String,
    index: usize,
    delta: Members<'_>,
) -> Checked<()> {
    let Some(more) = delta.get("thinking").and_then(Value::as_str) else {
        signature.push_str(delta.string("signature")?);
        return Ok(());
    };
    if !signature.is_empty() {
        return Err(Problem::new(
            AccumulateErrorKind::WrongDelta,
            "thinking goes on behind its signature",
            format!("no more of the thinking of block {index}, which is signed"),
            Found::quoted(delta.string("type")?),
        ));
    }
    text.push_str(more);
    Ok(())
}

/// The arguments that stand in the start of a tool call; `{}` there is only a placeholder.
fn given_input(start: &Map<String, Value>) -> Option<&Value> {
    start.get("input").filter(|input| match input {
        Value::Null => false,
        Value::Object(members) => !members.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => true,
    })
}

fn not_json(name: &str, text: &str) -> Box<Problem> {
    Problem::new(
        AccumulateErrorKind::ArgumentsNotJson {
            name: name.to_owned(),
            raw: text.to_owned(),
        },
        format!(
            "the arguments of the tool call `{}` are not JSON",
            name.escape_debug()
        ),
        "one JSON document, when the fragments are joined",
        Found::quoted(text),
    )
    .help("this is not the call that the model meant; it must not be run")
}
