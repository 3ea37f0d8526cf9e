//! Recorded bytes in, the turn that says them again out.
//!
//! | file | holds |
//! | --- | --- |
//! | `stream.rs`, `body.rs` | the two forms of an answer |
//! | `block.rs` | one block, by name or as it is |
//! | `envelope.rs` | what stands around the blocks, and when it is from |
//!
//! A block is said by name where that gives the recorded bytes again, else as it is: so nothing that was recorded is
//! lost, whatever it is.

mod block;
mod body;
mod envelope;
mod stream;

use super::error::kind_of;
use crate::{
    api::{
        AccumulateError, Api, Context,
        accumulate::{AccumulateErrorKind, Found, Problem},
    },
    json_slices::member,
    script::{ApiError, Era, Turn},
};

pub(crate) use body::body_to_turn;
pub(crate) use stream::stream_to_turn;

const API: Api = Api::AnthropicMessages;

/// The error that was recorded, if it was the provider's; `data` is the object with its type.
fn provider_error(kind: &AccumulateErrorKind, data: &str) -> Option<ApiError> {
    let AccumulateErrorKind::Provider {
        error_type,
        message,
    } = kind
    else {
        return None;
    };
    let mut error = match kind_of(error_type) {
        Some(kind) => ApiError::new(kind),
        None => ApiError::internal(),
    };
    error.error_type = Some(error_type.as_str().into());
    let details = member(data, "error").and_then(|error| member(error, "details"));
    let code = details.and_then(|details| member(details, "error_code"));
    error.error_code = code.and_then(text_of).map(String::into_boxed_str);
    Some(error.message(message))
}

/// The text of a string's spelling.
fn text_of(spelled: &str) -> Option<String> {
    serde_json::from_str(spelled).ok()
}

/// The refusal of a recording whose members are of several eras, or otherwise such as no turn says.
fn not_said(why: &str) -> AccumulateError {
    let (what, _) = why.split_once('\n').unwrap_or((why, ""));
    let problem = Problem::new(
        AccumulateErrorKind::NotSaidAgain,
        what.to_owned(),
        "what a turn can say",
        Found::Said("what it cannot".to_owned()),
    )
    .help("script the turn by name");
    AccumulateError::new(API, problem, None, 0, Vec::new())
}

/// How a turn is said to be compared with what was recorded.
fn compared(era: Era) -> Context {
    Context {
        era,
        ..Context::unasked(0, true)
    }
}

/// An empty turn that adds nothing to what was recorded.
fn nothing_added() -> Turn {
    let mut turn = Turn::new();
    turn.extras().is_recorded = true;
    turn
}
