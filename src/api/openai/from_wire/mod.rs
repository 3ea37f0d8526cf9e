//! What the APIs of OpenAI share where recorded bytes become the turn that says them again.
//!
//! | file | holds |
//! | --- | --- |
//! | `stream.rs`, `body.rs` | the two forms of an answer: read, and compared with what a turn says |
//! | `compared.rs` | whether two documents are the same, but for what is drawn |
//! | `pieces.rs` | a text in the pieces that it was streamed in |
//!
//! Each API reads the turn from an answer, which is its own matter. Here the turn is rendered and compared with what
//! was recorded: a turn that says anything else is refused, at the first difference.

mod body;
mod compared;
mod pieces;
mod stream;

use serde_json::Value;

pub(crate) use body::Body;
pub(crate) use compared::{Drawn, difference};
pub(crate) use pieces::{cut, length};
pub(crate) use stream::Stream;

use super::kind_of;
use crate::{
    api::{
        AccumulateError, AccumulateErrorKind, Api, Asked, Context,
        accumulate::{Found, Problem},
    },
    script::ApiError,
};

/// How a turn is said to be compared with what was recorded.
pub(crate) fn context(asked: Asked) -> Context {
    Context {
        asked,
        ..Context::unasked(0, false)
    }
}

/// A recording that no turn says again.
pub(crate) fn not_said(
    what: impl Into<String>,
    expected: impl Into<String>,
    found: impl Into<String>,
) -> Box<Problem> {
    Problem::new(
        AccumulateErrorKind::NotSaidAgain,
        what.into(),
        expected.into(),
        Found::Said(found.into()),
    )
    .help("only what OpenAI writes today is said again; script the turn by name")
}

/// A problem with no place of its own.
pub(crate) fn of_the_whole(api: Api, problem: Box<Problem>) -> AccumulateError {
    AccumulateError::new(api, problem, None, 0, Vec::new())
}

/// What is in the way of a turn that cannot be played.
fn unplayable(why: &str) -> Box<Problem> {
    let (what, _) = why.split_once('\n').unwrap_or((why, ""));
    not_said(what, "what a turn can say", "what it cannot")
}

/// The provider's error in this object.
fn error_of(data: &str) -> Option<ApiError> {
    let data: Value = serde_json::from_str(data).ok()?;
    let error = data.get("error")?;
    let text = |name: &str| error.get(name).and_then(Value::as_str);
    let (error_type, code) = (text("type").unwrap_or_default(), text("code"));
    let mut said = ApiError::new(kind_of(error_type, code))
        .message(text("message")?)
        .error_type(error_type)
        // an empty one is null
        .error_code(code.unwrap_or_default());
    if let Some(param) = text("param") {
        said = said.param(param);
    }
    Some(said)
}
