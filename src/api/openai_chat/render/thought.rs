//! What the model thought, where the row carries it: one text before all others, maybe signed.

use std::sync::Arc;

use super::unsayable::{NO_THINKING, unsayable};
use crate::{
    api::{
        Context, Ids,
        openai::Piece,
        openai_chat::{dialect::Row, purpose},
    },
    script::{EndsEmpty, Fragments},
};

/// What the model thought.
#[derive(Clone)]
pub(super) struct Thought {
    pub(super) pieces: Vec<Piece>,
    pub(super) signature: Option<String>,
}

/// Thinking, as scripted.
pub(super) struct Scripted<'a> {
    pub(super) text: &'a Arc<str>,
    pub(super) signature: Option<&'a str>,
    pub(super) ends_empty: Option<EndsEmpty>,
    pub(super) fragments: Option<&'a Fragments>,
}

impl Thought {
    /// What the model thought up to this part, which is thinking too.
    pub(super) fn with(
        before: Option<Self>,
        part: &Scripted<'_>,
        row: &Row,
        context: &Context,
    ) -> Result<Self, String> {
        if row.stream.thinking.is_none() {
            return Err(unsayable(row, "what the model thought", NO_THINKING));
        }
        if part.ends_empty == Some(EndsEmpty::Yes) {
            return Err(unsayable(
                row,
                "that thinking ends with an empty delta",
                "leave out `.empty_last_delta()`",
            ));
        }
        let signature = match (part.signature, &row.stream.signature) {
            (None | Some(""), None) | (Some(""), Some(_)) => None,
            (Some(_), None) => {
                return Err(unsayable(
                    row,
                    "that thinking is signed",
                    "use `.thinking(..)`",
                ));
            }
            (Some(signature), Some(_)) => Some(signature.to_owned()),
            (None, Some(_)) => {
                Some(Ids::new(context.seed, purpose::SIGNATURE).base64("", 172) + "==")
            }
        };
        if part.text.is_empty() && signature.is_none() {
            return Err(unsayable(
                row,
                "thinking that is hidden",
                "leave it out, or give it a text",
            ));
        }
        let mut thought = match before {
            None => Self {
                pieces: Vec::new(),
                signature,
            },
            Some(_) if row.stream.signature.is_some() => {
                return Err(unsayable(
                    row,
                    "several thoughts, each with a signature",
                    "join them to one",
                ));
            }
            Some(before) => before,
        };
        if !part.text.is_empty() {
            let piece = Piece::of_text(part.text, part.fragments)?;
            thought.pieces.push(piece);
        }
        Ok(thought)
    }

    /// The whole.
    pub(super) fn text(&self) -> String {
        self.pieces.iter().map(|piece| &*piece.text).collect()
    }
}
