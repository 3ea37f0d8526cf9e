//! What the APIs of OpenAI share: the error table, the response headers, moderation, the rules on every request, and the
//! side roads beside them; text in fragments and its characters, reading streams of chunks, and saying recorded answers again.

mod characters;
pub(crate) mod chunks;
mod error;
pub(crate) mod from_wire;
mod head;
mod logprob;
pub(crate) mod members;
pub(crate) mod moderation;
mod piece;
pub(crate) mod rules;
pub(crate) mod schema;
pub(crate) mod side_roads;
mod unsayable;

pub(crate) use characters::Characters;
pub(crate) use error::{Words, add_headers, end_of_key, error_answer, error_event, kind_of, words};
pub(crate) use head::head;
pub(crate) use logprob::drawn_logprob;
pub(crate) use piece::{Fragment, Piece};
pub(crate) use unsayable::{check_extras, no_era, uncounted, unsayable};

/// The model named where neither the turn nor the request names one.
pub(crate) const DEFAULT_MODEL: &str = "gpt-4o-mini-2024-07-18";

/// The same of text completions, which that model does not give.
pub(crate) const DEFAULT_MODEL_OF_COMPLETIONS: &str = "gpt-3.5-turbo-instruct";

/// When every answer was made: the stub's clock stands still. Seconds since 1970.
pub(crate) const CREATED: u64 = 1_787_150_052;

/// Whether a part of the answer is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Yes,
    No,
}

impl Wanted {
    pub(crate) const fn when(asked: bool) -> Self {
        if asked { Self::Yes } else { Self::No }
    }
}

/// The dice of the response headers. The APIs have theirs below this.
const HEAD: u64 = 1 << 32;

/// The dice of the ids of moderations.
const MODERATION: u64 = HEAD + 1;
