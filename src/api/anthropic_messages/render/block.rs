//! One block: as it starts in a stream, as it stands in a body, and the part of the reply that it comes to.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    api::anthropic_messages::era::Envelope,
    json::{self, Spacing, write_str},
    script::{Arguments, Cuts, Part, ToolCall},
};

pub(super) enum Block {
    /// Pieces of text, each with its own way to be cut.
    Text(Vec<Piece>),
    Thinking {
        piece: Piece,
        ends_empty: bool,
        signature: String,
    },
    RedactedThinking {
        data: String,
    },
    ToolUse {
        id: String,
        name: String,
        arguments: Arguments,
        /// How the streamed arguments are cut, where the turn says it.
        cuts: Option<Cuts>,
    },
}

pub(super) struct Piece {
    pub(super) text: Arc<str>,
    pub(super) cuts: Cuts,
}

impl Block {
    /// The block as it starts in a stream.
    pub(super) fn write_start(&self, out: &mut Vec<u8>, envelope: &Envelope) {
        match self {
            Self::Text(_) => out.extend_from_slice(br#"{"type":"text","text":""}"#),
            Self::Thinking { .. } => {
                out.extend_from_slice(br#"{"type":"thinking","thinking":"","signature":""}"#);
            }
            Self::RedactedThinking { data } => write_redacted(out, data),
            Self::ToolUse { id, name, .. } => {
                write_tool_use(out, id, name, "{}");
                write_caller(out, envelope);
            }
        }
    }

    /// The block as it stands in a body.
    pub(super) fn write_whole(&self, out: &mut Vec<u8>, envelope: &Envelope) -> Result<(), String> {
        match self {
            Self::Text(pieces) => {
                out.extend_from_slice(br#"{"type":"text","text":"#);
                write_str(out, &joined(pieces));
                out.push(b'}');
            }
            Self::Thinking {
                piece, signature, ..
            } => {
                out.extend_from_slice(br#"{"type":"thinking","thinking":"#);
                write_str(out, &piece.text);
                out.extend_from_slice(br#","signature":"#);
                write_str(out, signature);
                out.push(b'}');
            }
            Self::RedactedThinking { data } => write_redacted(out, data),
            Self::ToolUse {
                id,
                name,
                arguments,
                ..
            } => {
                let text = arguments.to_text(Spacing::Compact);
                let input = if text.is_empty() { "{}" } else { text.as_str() };
                serde_json::from_str::<Value>(input)
                    .map_err(|error| not_json(name, input, &error))?;
                write_tool_use(out, id, name, input);
                write_caller(out, envelope);
            }
        }
        Ok(())
    }

    /// What a client that loses nothing reads.
    pub(super) fn into_part(self) -> Result<Part, String> {
        Ok(match self {
            Self::Text(pieces) => Part::Text(joined(&pieces)),
            Self::Thinking {
                piece, signature, ..
            } => Part::Thinking {
                text: piece.text.as_ref().to_owned(),
                signature,
            },
            Self::RedactedThinking { data } => Part::RedactedThinking { data },
            Self::ToolUse {
                id,
                name,
                arguments,
                ..
            } => {
                if id.is_empty() || name.is_empty() {
                    return Err("a tool call has no id, or no name\n  \
                                help: such a call can be played, but no strict client reads it"
                        .to_owned());
                }
                let arguments = parsed(&name, &arguments)?;
                Part::ToolCall(ToolCall::new(id, name, arguments))
            }
        })
    }
}

fn joined(pieces: &[Piece]) -> String {
    pieces.iter().map(|piece| &*piece.text).collect()
}

/// The arguments as they are read: none at all are an empty object.
fn parsed(name: &str, arguments: &Arguments) -> Result<Value, String> {
    let text = arguments.to_text(Spacing::Compact);
    match text.as_str() {
        "" | "null" => Ok(Value::Object(serde_json::Map::new())),
        text => json::parse(text.as_bytes()).map_err(|error| not_json(name, text, &error)),
    }
}

fn not_json(name: &str, text: &str, error: &serde_json::Error) -> String {
    format!(
        "the arguments of `{name}` are not JSON: {error}\n  found: `{}`\n  \
         help: broken arguments can only be streamed; here `input` is a JSON value",
        text.escape_debug()
    )
}

fn write_redacted(out: &mut Vec<u8>, data: &str) {
    out.extend_from_slice(br#"{"type":"redacted_thinking","data":"#);
    write_str(out, data);
    out.push(b'}');
}

fn write_tool_use(out: &mut Vec<u8>, id: &str, name: &str, input: &str) {
    out.extend_from_slice(br#"{"type":"tool_use","id":"#);
    write_str(out, id);
    out.extend_from_slice(br#","name":"#);
    write_str(out, name);
    out.extend_from_slice(br#","input":"#);
    out.extend_from_slice(input.as_bytes());
}

/// The end of a block that the model itself called for.
fn write_caller(out: &mut Vec<u8>, envelope: &Envelope) {
    out.extend_from_slice(if envelope.caller {
        br#","caller":{"type":"direct"}}"#
    } else {
        b"}".as_slice()
    });
}
