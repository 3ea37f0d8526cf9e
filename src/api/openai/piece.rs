//! Text that is cut into fragments.

use std::sync::Arc;

use crate::{
    json::{self, Spacing},
    script::{Arguments, Cuts, Dice, Fragments},
};

/// A text and how it is cut.
#[derive(Clone)]
pub(crate) struct Piece {
    pub(crate) text: Arc<str>,
    pub(crate) cuts: Cuts,
}

impl Piece {
    /// Without fragments of its own a text is cut into words.
    pub(crate) fn of_text(text: &Arc<str>, fragments: Option<&Fragments>) -> Result<Self, String> {
        Ok(Self {
            text: Arc::clone(text),
            cuts: match fragments {
                Some(fragments) => fragments.cutter(text)?,
                None => Cuts::Words,
            },
        })
    }

    /// A value is spelled as today's models spell it: without spaces.
    pub(crate) fn of_arguments(
        arguments: &Arguments,
        fragments: Option<&Fragments>,
        seed: u64,
    ) -> Result<Self, String> {
        let text: Arc<str> = match arguments {
            Arguments::Json(value) => json::to_string(value, Spacing::Compact).into(),
            Arguments::Raw(text) => text.as_str().into(),
        };
        Self::dealt(&text, fragments, seed)
    }

    /// Without fragments of its own it is cut as services cut arguments.
    pub(crate) fn dealt(
        text: &Arc<str>,
        fragments: Option<&Fragments>,
        seed: u64,
    ) -> Result<Self, String> {
        Ok(Self {
            text: Arc::clone(text),
            cuts: match fragments {
                Some(fragments) => fragments.cutter(text)?,
                None => Cuts::Dealt(Dice::new(seed)),
            },
        })
    }

    /// The fragments, in order.
    pub(crate) fn fragments(mut self) -> impl Iterator<Item = Fragment> + Send {
        let mut at = 0;
        std::iter::from_fn(move || {
            let rest = self.text.get(at..).unwrap_or_default();
            if rest.is_empty() {
                return None;
            }
            let len = self.cuts.next_len(rest).max(1);
            at += len;
            Some(Fragment {
                text: rest.get(..len).unwrap_or(rest).to_owned(),
                last: len >= rest.len(),
            })
        })
    }
}

/// A fragment, and whether it is the last of its piece.
pub(crate) struct Fragment {
    pub(crate) text: String,
    pub(crate) last: bool,
}
