//! One item of the output, as it opens and as it ends.

use super::{annotation::Annotation, tool::Tool};
use crate::{api::openai::Piece, json::write_str, script::Json};

/// One item of the output.
#[derive(Clone)]
pub(super) enum Item {
    Message(Message),
    Reasoning {
        id: String,
        summary: Option<Piece>,
        encrypted: Option<Encrypted>,
    },
    FunctionCall {
        id: String,
        call_id: String,
        name: String,
        arguments: Piece,
    },
    CustomCall {
        id: String,
        call_id: String,
        name: String,
        input: Piece,
    },
    Tool(Box<Tool>),
    Compaction {
        id: String,
        encrypted_content: String,
    },
    Raw {
        block: Json,
        events: Vec<Json>,
        /// As it was added, if it was recorded; then the events have their numbers in their places.
        added: Option<Json>,
    },
}

/// A message with one part.
#[derive(Clone)]
pub(super) struct Message {
    pub(super) id: String,
    pub(super) kind: ContentKind,
    pub(super) texts: Vec<Text>,
    /// How many these have.
    pub(super) characters: usize,
    pub(super) phase: Option<&'static str>,
    /// Whether the answer was cut in it.
    pub(super) is_cut: bool,
}

/// A piece of a message's text, and the annotations behind it.
#[derive(Clone)]
pub(super) struct Text {
    pub(super) piece: Piece,
    pub(super) annotations: Vec<Annotation>,
}

/// What the text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContentKind {
    Text,
    Refusal,
}

/// The encrypted form of what was thought. The service encrypts it anew each time that it sends it.
#[derive(Clone)]
pub(super) struct Encrypted {
    pub(super) at_start: String,
    pub(super) at_end: String,
}

/// How much of an item is there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Added,
    Done,
}

impl Item {
    /// The id that its inner events name.
    pub(super) fn id(&self) -> &str {
        match self {
            Self::Message(Message { id, .. })
            | Self::Reasoning { id, .. }
            | Self::FunctionCall { id, .. }
            | Self::CustomCall { id, .. }
            | Self::Compaction { id, .. } => id,
            Self::Tool(tool) => &tool.id,
            Self::Raw { .. } => "",
        }
    }

    pub(super) fn write(&self, out: &mut Vec<u8>, stage: Stage) {
        let status = match (stage, self) {
            (Stage::Added, _) => "in_progress",
            (Stage::Done, Self::Message(Message { is_cut: true, .. })) => "incomplete",
            (Stage::Done, Self::Tool(tool)) if tool.failed => "failed",
            (Stage::Done, _) => "completed",
        };
        match self {
            Self::Message(message) => {
                write_start(out, self.id(), "message", Some(status));
                message.write(out, stage);
            }
            Self::Reasoning {
                summary, encrypted, ..
            } => {
                write_start(out, self.id(), "reasoning", None);
                out.extend_from_slice(br#","content":[]"#);
                if let Some(encrypted) = encrypted {
                    member(out, "encrypted_content", encrypted.at(stage));
                }
                out.extend_from_slice(br#","summary":["#);
                if let (Some(summary), Stage::Done) = (summary, stage) {
                    write_summary(out, &summary.text);
                }
                out.extend_from_slice(b"]}");
            }
            Self::FunctionCall {
                call_id,
                name,
                arguments,
                ..
            } => {
                write_start(out, self.id(), "function_call", Some(status));
                let arguments = match stage {
                    Stage::Added => "",
                    Stage::Done => &arguments.text,
                };
                member(out, "arguments", arguments);
                member(out, "call_id", call_id);
                member(out, "name", name);
                out.push(b'}');
            }
            Self::CustomCall {
                call_id,
                name,
                input,
                ..
            } => {
                write_start(out, self.id(), "custom_tool_call", Some(status));
                let input = match stage {
                    Stage::Added => "",
                    Stage::Done => &input.text,
                };
                member(out, "call_id", call_id);
                member(out, "input", input);
                member(out, "name", name);
                out.push(b'}');
            }
            Self::Compaction {
                encrypted_content, ..
            } => {
                write_start(out, self.id(), "compaction", None);
                member(out, "encrypted_content", encrypted_content);
                out.push(b'}');
            }
            Self::Tool(tool) => {
                write_start(out, self.id(), tool.kind.word(), Some(status));
                out.extend_from_slice(match stage {
                    Stage::Added => &tool.added,
                    Stage::Done => &tool.done,
                });
                out.push(b'}');
            }
            Self::Raw { block, added, .. } => {
                let added = added.as_ref().filter(|_| stage == Stage::Added);
                out.extend_from_slice(added.unwrap_or(block).as_str().as_bytes());
            }
        }
    }
}

impl Encrypted {
    fn at(&self, stage: Stage) -> &str {
        match stage {
            Stage::Added => &self.at_start,
            Stage::Done => &self.at_end,
        }
    }
}

impl Message {
    /// The whole text.
    pub(super) fn text(&self) -> String {
        self.texts.iter().map(|text| &*text.piece.text).collect()
    }

    /// What stands behind the status.
    fn write(&self, out: &mut Vec<u8>, stage: Stage) {
        out.extend_from_slice(br#","content":["#);
        if stage == Stage::Done {
            self.write_part(out, Stage::Done);
        }
        out.push(b']');
        if let Some(phase) = self.phase {
            member(out, "phase", phase);
        }
        out.extend_from_slice(br#","role":"assistant"}"#);
    }

    /// Its one part.
    pub(super) fn write_part(&self, out: &mut Vec<u8>, stage: Stage) {
        let text = match stage {
            Stage::Added => String::new(),
            Stage::Done => self.text(),
        };
        match self.kind {
            ContentKind::Text => {
                out.extend_from_slice(br#"{"type":"output_text","annotations":["#);
                if stage == Stage::Done {
                    let annotations = self.texts.iter().flat_map(|text| &text.annotations);
                    for (n, annotation) in annotations.enumerate() {
                        if n > 0 {
                            out.push(b',');
                        }
                        annotation.write(out);
                    }
                }
                out.extend_from_slice(br#"],"logprobs":[]"#);
                member(out, "text", &text);
            }
            ContentKind::Refusal => {
                out.extend_from_slice(br#"{"type":"refusal""#);
                member(out, "refusal", &text);
            }
        }
        out.push(b'}');
    }
}

/// A part of a summary.
pub(super) fn write_summary(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(br#"{"type":"summary_text""#);
    member(out, "text", text);
    out.push(b'}');
}

fn write_start(out: &mut Vec<u8>, id: &str, kind: &str, status: Option<&str>) {
    out.extend_from_slice(br#"{"id":"#);
    write_str(out, id);
    member(out, "type", kind);
    if let Some(status) = status {
        member(out, "status", status);
    }
}

/// `,"name":"text"`
pub(super) fn member(out: &mut Vec<u8>, name: &str, text: &str) {
    out.extend_from_slice(br#",""#);
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(br#"":"#);
    write_str(out, text);
}
