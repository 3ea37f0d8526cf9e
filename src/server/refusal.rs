//! What the stub says instead of playing a turn: to the client, and to `verify`.

use std::sync::Arc;

use super::shared::Shared;
use crate::{
    api::{Api, Context},
    plan::Steps,
    request::RecordedRequest,
    script::{ApiError, Mismatch},
};

/// The header that says why the stub, and not the script, answered.
pub(crate) const WHY_HEADER: &str = "x-llm-wire-stub";

/// Why the stub refuses instead of playing a turn.
pub(super) struct Refusal {
    /// The header's word.
    pub(super) reason: &'static str,
    pub(super) error: Box<ApiError>,
    /// What `verify` shows.
    pub(super) problem: String,
}

impl Refusal {
    /// A refusal by the stub itself: 422, which no client tries again.
    pub(super) fn by_stub(reason: &'static str, message: String) -> Self {
        Self {
            reason,
            problem: message.clone(),
            error: Box::new(ApiError::status(422).message(message).should_not_retry()),
        }
    }
}

/// What is said of a body over the limit, and what `verify` shows of it.
pub(super) fn too_long(request: &RecordedRequest, shared: &Shared) -> (String, String) {
    let limit = shared.config.body_limit;
    let message = format!("the request's body is longer than {limit} bytes");
    let problem = format!("{request}: {message}\n  help: `.body_limit(bytes)` sets the limit");
    (message, problem)
}

pub(super) fn panicked(who: &str, message: &str, place: &str) -> Refusal {
    let message = format!(
        "{who} panicked: {message}\n  where: {place}\n  \
         help: standard error has the line of the panic"
    );
    Refusal::by_stub("panicked", message)
}

/// The queue that has to answer has no turn left.
pub(super) fn exhausted(
    request: &RecordedRequest,
    queue: &str,
    turns: usize,
    passed_on: &str,
    shared: &Shared,
) -> Refusal {
    shared.update(|state| state.overflow += 1);
    let played = match turns {
        0 => format!("{queue} has no turn"),
        1 => format!("the one turn of {queue} was played"),
        2 => format!("both turns of {queue} were played"),
        _ => format!("all {turns} turns of {queue} were played"),
    };
    let or_else = if turns == 0 {
        ""
    } else {
        ", or call `.repeat_last()` if retries are expected"
    };
    let message = format!(
        "no turn left for request {request}\n  where: {}; {played}{passed_on}\n  \
         help: add a turn to {queue}{or_else}",
        shared.config.script.description()
    );
    Refusal::by_stub("exhausted", message)
}

pub(super) fn unclaimed(
    request: &RecordedRequest,
    mismatches: &[Mismatch],
    shared: &Shared,
) -> Refusal {
    let message = format!(
        "no lane claims request {request}\n  where: {}{}\n  \
         help: add a lane for it, or turns for what no lane claims",
        shared.config.script.description(),
        passed_on(mismatches, shared)
    );
    Refusal::by_stub("unclaimed", message)
}

/// Why lanes and closure passed the request on, a line each.
pub(super) fn passed_on(mismatches: &[Mismatch], shared: &Shared) -> String {
    let lanes = mismatches.iter();
    let mut lines: String = lanes
        .map(|(name, why)| format!("\n  lane `{name}` {why}"))
        .collect();
    if shared.config.script.answer.is_some() {
        lines.push_str("\n  the closure said `None`");
    }
    lines
}

pub(super) fn ambiguous(request: &RecordedRequest, lanes: &[Arc<str>], shared: &Shared) -> Refusal {
    let names: Vec<String> = lanes.iter().map(|name| format!("`{name}`")).collect();
    let message = format!(
        "several lanes claim request {request}\n  where: {}\n  expected: one lane\n  found: {}\n  \
         help: make their matchers exclude each other",
        shared.config.script.description(),
        names.join(", ")
    );
    Refusal::by_stub("ambiguous", message)
}

/// The answer of a call that the stub refuses, and the problem that `verify` will show.
pub(super) fn refuse(
    request: &RecordedRequest,
    api: Api,
    refusal: Refusal,
    context: &Context,
    shared: &Shared,
) -> Steps {
    let Refusal {
        reason,
        error,
        problem,
    } = refusal;
    request.set_answered_by(format!("refused: {reason}"));
    shared.update(|state| state.problems.push(problem));
    let (mut head, body) = api.error(&error, context);
    head.push(WHY_HEADER, reason);
    Steps::whole(head, body).cut(&shared.config.cut)
}
