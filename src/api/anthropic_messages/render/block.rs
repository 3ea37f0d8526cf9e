//! One block: as it starts in a stream, as it stands in a body, and the part of the reply that it comes to.

use std::sync::Arc;

use super::{
    call::{Call, ToolResult},
    citation,
};
use crate::{
    api::anthropic_messages::{accumulate, era::Envelope},
    json::write_str,
    script::{Citation, Cuts, Json, Part},
};

pub(super) enum Block {
    Text {
        /// Pieces of text, each with its own way to be cut.
        pieces: Vec<Piece>,
        /// Where the model could cite something.
        citations: Option<Vec<Citation>>,
    },
    Thinking {
        piece: Piece,
        ends_empty: bool,
        signature: String,
    },
    RedactedThinking {
        data: String,
    },
    Call(Call),
    Result(ToolResult),
    Compaction {
        content: String,
        encrypted_content: Option<String>,
    },
    Raw {
        start: Json,
        deltas: Vec<Json>,
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
            Self::Text {
                citations: None, ..
            } => out.extend_from_slice(br#"{"type":"text","text":""}"#),
            Self::Text { .. } => {
                out.extend_from_slice(br#"{"citations":[],"type":"text","text":""}"#);
            }
            Self::Thinking { .. } => {
                out.extend_from_slice(br#"{"type":"thinking","thinking":"","signature":""}"#);
            }
            Self::RedactedThinking { data } => write_redacted(out, data),
            Self::Call(call) => call.write_start(out, envelope),
            Self::Result(result) => result.write(out, envelope),
            Self::Compaction {
                encrypted_content, ..
            } => out.extend_from_slice(match encrypted_content {
                None => br#"{"type":"compaction","content":null}"#.as_slice(),
                Some(_) => br#"{"type":"compaction","content":null,"encrypted_content":null}"#,
            }),
            Self::Raw { start, .. } => out.extend_from_slice(start.as_str().as_bytes()),
        }
    }

    /// The block as it stands in a body.
    pub(super) fn write_whole(&self, out: &mut Vec<u8>, envelope: &Envelope) -> Result<(), String> {
        match self {
            Self::Text { pieces, citations } => {
                match citations {
                    None => out.push(b'{'),
                    Some(citations) => {
                        out.extend_from_slice(br#"{"citations":"#);
                        citation::write_all(out, citations);
                        out.push(b',');
                    }
                }
                out.extend_from_slice(br#""type":"text","text":"#);
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
            Self::Call(call) => call.write_whole(out, envelope)?,
            Self::Result(result) => result.write(out, envelope),
            Self::Compaction {
                content,
                encrypted_content,
            } => write_compaction(out, "compaction", content, encrypted_content.as_deref()),
            Self::Raw { start, deltas } => {
                if !deltas.is_empty() {
                    return Err("a body has no place for the deltas of a raw block\n  \
                                help: for a body, give the block as it stands there, without `.raw_delta(..)`"
                        .to_owned());
                }
                out.extend_from_slice(start.as_str().as_bytes());
            }
        }
        Ok(())
    }

    /// What a client that loses nothing reads.
    pub(super) fn into_part(self) -> Result<Part, String> {
        Ok(match self {
            Self::Text { pieces, citations } => {
                let text = joined(&pieces);
                match citations {
                    None => Part::Text(text),
                    Some(citations) => Part::CitedText {
                        text,
                        citations: citations.into_iter().map(citation::read_back).collect(),
                    },
                }
            }
            Self::Thinking {
                piece, signature, ..
            } => Part::Thinking {
                text: piece.text.as_ref().to_owned(),
                signature,
            },
            Self::RedactedThinking { data } => Part::RedactedThinking { data },
            Self::Call(call) => call.into_part()?,
            Self::Result(result) => result.into_part()?,
            Self::Compaction {
                content,
                encrypted_content,
            } => Part::Compaction {
                content: Some(content),
                encrypted_content,
            },
            Self::Raw { start, deltas } => accumulate::raw_block_to_part(&start, &deltas)?,
        })
    }
}

/// A block, or a delta, of a compaction.
pub(super) fn write_compaction(
    out: &mut Vec<u8>,
    kind: &str,
    content: &str,
    encrypted_content: Option<&str>,
) {
    out.extend_from_slice(br#"{"type":"#);
    write_str(out, kind);
    out.extend_from_slice(br#","content":"#);
    write_str(out, content);
    if let Some(encrypted) = encrypted_content {
        out.extend_from_slice(br#","encrypted_content":"#);
        write_str(out, encrypted);
    }
    out.push(b'}');
}

fn joined(pieces: &[Piece]) -> String {
    pieces.iter().map(|piece| &*piece.text).collect()
}

fn write_redacted(out: &mut Vec<u8>, data: &str) {
    out.extend_from_slice(br#"{"type":"redacted_thinking","data":"#);
    write_str(out, data);
    out.push(b'}');
}
