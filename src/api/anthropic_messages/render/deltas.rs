//! What a block streams behind its start, in order.

use std::{collections::VecDeque, sync::Arc};

use serde_json::Value;

use super::{
    Block,
    block::{Piece, write_compaction},
    call::Call,
    citation,
};
use crate::{
    api::{Mark, anthropic_messages::purpose},
    json::{Spacing, write_str},
    script::{Citation, Cuts, Dice, Json},
};

/// One delta, or a text that is cut into several.
pub(super) enum Delta {
    Fragments {
        kind: Kind,
        text: Arc<str>,
        /// Where the next fragment begins.
        at: usize,
        cuts: Cuts,
    },
    /// One delta that is no fragment.
    Once(Kind, String, Mark),
    /// One delta as it is written.
    Written(Vec<u8>, Mark),
}

/// The deltas that are left of a block; a single one needs no list.
#[derive(Default)]
pub(super) struct Deltas {
    next: Option<Delta>,
    behind: VecDeque<Delta>,
}

impl Deltas {
    fn push(&mut self, delta: Delta) {
        match &self.next {
            None => self.next = Some(delta),
            Some(_) => self.behind.push_back(delta),
        }
    }

    fn extend(&mut self, deltas: impl Iterator<Item = Delta>) {
        for delta in deltas {
            self.push(delta);
        }
    }

    pub(super) const fn next(&mut self) -> Option<&mut Delta> {
        self.next.as_mut()
    }

    pub(super) fn pop(&mut self) {
        self.next = self.behind.pop_front();
    }
}

/// A delta whose payload is one string, from the index of its block up to that string.
#[derive(Clone, Copy)]
pub(super) struct Kind(&'static [u8]);

impl Kind {
    const TEXT: Self = Self(br#","delta":{"type":"text_delta","text":"#);
    const INPUT: Self = Self(br#","delta":{"type":"input_json_delta","partial_json":"#);
    const THINKING: Self = Self(br#","delta":{"type":"thinking_delta","thinking":"#);
    const SIGNATURE: Self = Self(br#","delta":{"type":"signature_delta","signature":"#);

    pub(super) fn write(self, out: &mut Vec<u8>, payload: &str) {
        out.extend_from_slice(self.0);
        write_str(out, payload);
        out.push(b'}');
    }
}

impl Block {
    /// The deltas of the block, which has this index; each block is opened once.
    pub(super) fn open(&mut self, index: usize, seed: u64) -> Deltas {
        let mut deltas = Deltas::default();
        match self {
            Self::Text { pieces, citations } => {
                let citations = std::mem::take(citations).into_iter().flatten();
                deltas.extend(citations.map(|citation| Delta::citation(&citation)));
                let pieces = std::mem::take(pieces).into_iter();
                let pieces = pieces.filter(|piece| !piece.text.is_empty());
                deltas.extend(pieces.map(|piece| Delta::fragments(Kind::TEXT, piece)));
            }
            Self::Thinking {
                piece,
                ends_empty,
                signature,
            } => {
                if !piece.text.is_empty() {
                    let piece = Piece {
                        text: Arc::clone(&piece.text),
                        cuts: std::mem::replace(&mut piece.cuts, Cuts::Whole),
                    };
                    deltas.push(Delta::fragments(Kind::THINKING, piece));
                }
                if *ends_empty {
                    deltas.push(Delta::Once(Kind::THINKING, String::new(), Mark::Closing));
                }
                if !signature.is_empty() {
                    let signature = std::mem::take(signature);
                    deltas.push(Delta::Once(Kind::SIGNATURE, signature, Mark::Closing));
                }
            }
            Self::RedactedThinking { .. } | Self::Result(_) => {}
            Self::Compaction {
                content,
                encrypted_content,
            } => {
                let (mut delta, encrypted) = (Vec::new(), encrypted_content.as_deref());
                write_compaction(&mut delta, "compaction_delta", content, encrypted);
                deltas.push(Delta::Written(delta, Mark::Other));
            }
            Self::Raw { deltas: raw, .. } => {
                let raw = std::mem::take(raw).into_iter();
                deltas.extend(raw.map(|delta| Delta::raw(&delta)));
            }
            Self::Call(Call {
                arguments, cuts, ..
            }) => {
                deltas.push(Delta::Once(Kind::INPUT, String::new(), Mark::Other));
                let text = arguments.to_text(Spacing::Spaced);
                if !text.is_empty() {
                    let block = u64::try_from(index).unwrap_or(u64::MAX);
                    let seed = Dice::branch(seed, purpose::FRAGMENTS).next() ^ block;
                    let cuts = cuts.take();
                    let piece = Piece {
                        text: text.into(),
                        cuts: cuts.unwrap_or_else(|| Cuts::Dealt(Dice::new(seed))),
                    };
                    deltas.push(Delta::fragments(Kind::INPUT, piece));
                }
            }
        }
        deltas
    }
}

impl Delta {
    fn fragments(kind: Kind, piece: Piece) -> Self {
        Self::Fragments {
            kind,
            text: piece.text,
            at: 0,
            cuts: piece.cuts,
        }
    }

    fn citation(citation: &Citation) -> Self {
        let mut delta = br#"{"type":"citations_delta","citation":"#.to_vec();
        citation::write(&mut delta, citation);
        delta.push(b'}');
        Self::Written(delta, Mark::Other)
    }

    /// A delta as it is; places count it if it is a fragment.
    fn raw(delta: &Json) -> Self {
        let value = delta.to_value();
        let payload = match value.get("type").and_then(Value::as_str) {
            Some("text_delta") => value.get("text"),
            Some("thinking_delta") => value.get("thinking"),
            Some("input_json_delta") => value.get("partial_json"),
            Some(_) | None => None,
        };
        let fragment = payload.and_then(Value::as_str).unwrap_or_default();
        let mark = if fragment.is_empty() {
            Mark::Other
        } else {
            Mark::Delta
        };
        Self::Written(delta.as_str().into(), mark)
    }

    /// Writes `,"delta":…` of the next delta, and says what it means and whether it was the last.
    pub(super) fn write(&mut self, out: &mut Vec<u8>) -> (Mark, Last) {
        match self {
            Self::Once(kind, payload, mark) => {
                kind.write(out, payload);
                (*mark, Last::Yes)
            }
            Self::Written(delta, mark) => {
                out.extend_from_slice(br#","delta":"#);
                out.extend_from_slice(delta);
                (*mark, Last::Yes)
            }
            Self::Fragments {
                kind,
                text,
                at,
                cuts,
            } => {
                let rest = text.get(*at..).unwrap_or_default();
                let len = cuts.next_len(rest);
                kind.write(out, rest.get(..len).unwrap_or_default());
                *at += len;
                let last = if len < rest.len() {
                    Last::No
                } else {
                    Last::Yes
                };
                (Mark::Delta, last)
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Last {
    Yes,
    No,
}
