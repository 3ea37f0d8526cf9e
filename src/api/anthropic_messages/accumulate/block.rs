//! One content block: what it may be made of, and the part that it comes to.

use serde_json::{Map, Value};

use super::Checked;
use crate::{
    api::accumulate::{AccumulateErrorKind, Found, Members, Problem},
    json,
    script::{Part, ToolCall},
};

/// One block, as far as it came.
#[derive(Debug)]
pub(super) enum Block {
    Text {
        text: String,
        /// The block as it started, without its text.
        start: Map<String, Value>,
        citations: Vec<Value>,
    },
    /// A tool call under way, or one that ended with arguments that are not JSON.
    ToolUse {
        id: String,
        name: String,
        arguments: String,
        start: Map<String, Value>,
    },
    Call(ToolCall),
    Thinking {
        text: String,
        signature: String,
    },
    RedactedThinking(String),
    /// Of another type, kept as it came.
    Other {
        start: Map<String, Value>,
        deltas: Vec<Value>,
    },
}

impl Block {
    /// The block whose members stand at `path`.
    pub(super) fn start(mut start: Map<String, Value>, path: &str) -> Checked<Self> {
        let members = Members::new(path, &start);
        Ok(match members.string("type")? {
            "text" => {
                let text = members.string("text")?.to_owned();
                if members.get("citations").is_some() {
                    members.array("citations")?;
                }
                start.remove("text");
                Self::Text {
                    text,
                    start,
                    citations: Vec::new(),
                }
            }
            "tool_use" => Self::ToolUse {
                id: members.non_empty_string("id")?.to_owned(),
                name: members.non_empty_string("name")?.to_owned(),
                arguments: String::new(),
                start,
            },
            "thinking" => Self::Thinking {
                text: members.string("thinking")?.to_owned(),
                signature: members
                    .string_or_null("signature")?
                    .unwrap_or_default()
                    .to_owned(),
            },
            "redacted_thinking" => Self::RedactedThinking(members.string("data")?.to_owned()),
            _ => Self::Other {
                start,
                deltas: Vec::new(),
            },
        })
    }

    fn block_type(&self) -> &str {
        match self {
            Self::Text { .. } => "text",
            Self::ToolUse { .. } | Self::Call(_) => "tool_use",
            Self::Thinking { .. } => "thinking",
            Self::RedactedThinking(_) => "redacted_thinking",
            Self::Other { start, .. } => {
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
            Self::Text {
                text, citations, ..
            } => match members.get("text").and_then(Value::as_str) {
                Some(fragment) => text.push_str(fragment),
                None => citations.push(Value::Object(delta)),
            },
            Self::ToolUse {
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
            Self::Thinking { text, signature } => think(text, signature, index, members)?,
            // they have no deltas: one has stopped, the other came whole
            Self::Call(_) | Self::RedactedThinking(_) => {}
            Self::Other { deltas, .. } => deltas.push(Value::Object(delta)),
        }
        Ok(())
    }

    /// Ends the block: arguments become JSON.
    pub(super) fn stop(&mut self) -> Checked<()> {
        let Self::ToolUse {
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
        *self = Self::Call(ToolCall::new(
            std::mem::take(id),
            std::mem::take(name),
            arguments,
        ));
        Ok(())
    }

    pub(super) fn into_parts(self, parts: &mut Vec<Part>) {
        match self {
            Self::Text {
                text,
                start,
                citations,
            } => {
                parts.push(Part::Text(text));
                let cited = |value: &Value| value.as_array().is_some_and(|cited| !cited.is_empty());
                if !citations.is_empty() || start.get("citations").is_some_and(cited) {
                    parts.push(Part::Unknown {
                        block: Value::Object(start),
                        deltas: citations,
                    });
                }
            }
            Self::ToolUse {
                arguments, start, ..
            } => parts.push(Part::Unknown {
                block: Value::Object(start),
                deltas: if arguments.is_empty() {
                    Vec::new()
                } else {
                    vec![serde_json::json!({"type": "input_json_delta", "partial_json": arguments})]
                },
            }),
            Self::Call(call) => parts.push(Part::ToolCall(call)),
            Self::Thinking { text, signature } => parts.push(Part::Thinking { text, signature }),
            Self::RedactedThinking(data) => parts.push(Part::RedactedThinking { data }),
            Self::Other { start, deltas } => parts.push(Part::Unknown {
                block: Value::Object(start),
                deltas,
            }),
        }
    }
}

/// Joins what was thought; the signature ends it.
fn think(
    text: &mut String,
    signature: &mut String,
    index: usize,
    delta: Members<'_>,
) -> Checked<()> {
    let more = match delta.get("thinking").and_then(Value::as_str) {
        Some(fragment) => fragment,
        None => delta.string("signature")?,
    };
    if !signature.is_empty() {
        return Err(Problem::new(
            AccumulateErrorKind::WrongDelta,
            "thinking goes on behind its signature",
            format!("no delta, for block {index}, which is signed"),
            Found::quoted(delta.string("type")?),
        ));
    }
    if delta.get("thinking").is_some() {
        text.push_str(more);
    } else {
        signature.push_str(more);
    }
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

/// The deltas that a block of a known type may have; `None` for an unknown type.
fn deltas_of(block_type: &str) -> Option<&'static [&'static str]> {
    match block_type {
        "text" => Some(&["text_delta", "citations_delta"]),
        "tool_use" | "server_tool_use" | "mcp_tool_use" => Some(&["input_json_delta"]),
        "thinking" => Some(&["thinking_delta", "signature_delta"]),
        "compaction" => Some(&["compaction_delta"]),
        "redacted_thinking"
        | "web_search_tool_result"
        | "web_fetch_tool_result"
        | "bash_code_execution_tool_result"
        | "text_editor_code_execution_tool_result"
        | "code_execution_tool_result"
        | "tool_search_tool_result"
        | "mcp_tool_result"
        | "advisor_tool_result"
        | "fallback"
        | "container_upload"
        | "mcp_tool_listing" => Some(&[]),
        _ => None,
    }
}

/// The members that carry the data of each known delta; none of another type may have them.
const PAYLOADS: [(&str, &[&str]); 6] = [
    ("text_delta", &["text"]),
    ("input_json_delta", &["partial_json"]),
    ("thinking_delta", &["thinking"]),
    ("signature_delta", &["signature"]),
    ("citations_delta", &["citation"]),
    ("compaction_delta", &["content", "encrypted_content"]),
];

fn is_known_delta(delta_type: &str) -> bool {
    PAYLOADS.iter().any(|(known, _)| *known == delta_type)
}

/// Whether a block of this known type is kept as it came, deltas of unknown types included.
fn is_kept_as_it_came(block_type: &str) -> bool {
    !matches!(
        block_type,
        "text" | "tool_use" | "thinking" | "redacted_thinking"
    )
}

/// Checks that a block of this type may have a delta of this type.
///
/// A delta of an unknown type is kept where there is a place for it: in a block that is kept as it came.
fn check_fit(block_type: &str, index: usize, delta_type: &str) -> Checked<()> {
    let fits = match deltas_of(block_type) {
        None => true,
        Some(_) if !is_known_delta(delta_type) => is_kept_as_it_came(block_type),
        Some(deltas) => deltas.contains(&delta_type),
    };
    if fits {
        return Ok(());
    }
    let expected = match deltas_of(block_type) {
        None | Some([]) => format!("no delta, for block {index} of the type {block_type}"),
        Some(deltas) => {
            let deltas = deltas.join(" or ");
            format!("{deltas}, for block {index} of the type {block_type}")
        }
    };
    Err(Problem::new(
        AccumulateErrorKind::WrongDelta,
        "a delta does not fit its block",
        expected,
        Found::quoted(delta_type),
    ))
}

/// Checks that a known delta has the members of its type and none of another's.
fn check_payload(delta_type: &str, delta: Members<'_>) -> Checked<()> {
    if !is_known_delta(delta_type) {
        return Ok(());
    }
    for (known, payload) in PAYLOADS {
        let foreign = payload.iter().find(|name| delta.get(name).is_some());
        if let (Some(name), true) = (foreign, known != delta_type) {
            return Err(Problem::new(
                AccumulateErrorKind::WrongDelta,
                "a delta carries a member of another type of delta",
                format!("`{name}` only in {known}, not in {delta_type}"),
                Found::quoted(name),
            ));
        }
    }
    match delta_type {
        "text_delta" => delta.string("text").map(drop),
        "input_json_delta" => delta.string("partial_json").map(drop),
        "thinking_delta" => delta.string("thinking").map(drop),
        "signature_delta" => delta.string("signature").map(drop),
        "citations_delta" => delta.object("citation").map(drop),
        _ => {
            delta.string_or_null("content")?;
            delta.string_or_null("encrypted_content").map(drop)
        }
    }
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
