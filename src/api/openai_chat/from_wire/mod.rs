//! Recorded bytes in, the turn that says them again out; or what stands in its way.
//!
//! | file | holds |
//! | --- | --- |
//! | `recorded.rs` | what a message says, cut as it was; and the turn that says it |
//! | `compared.rs` | whether the turn gives the recorded bytes, but for what is drawn |
//!
//! A message has members where other APIs have blocks, so there is nothing to say as it is: a recording of another
//! form than today's is refused, at its first difference.

mod compared;
mod recorded;

use serde_json::Value;

use self::{compared::difference, recorded::Recorded};
use super::{
    asked::{Asked, Moderation},
    render,
};
use crate::{
    api::{
        AccumulateError, AccumulateErrorKind, Api, Context,
        accumulate::{Found, Problem, accumulate, accumulate_json},
        openai::{self, Wanted},
    },
    json_slices::{compact, member},
    script::{After, ApiError, Turn},
    sse::{SseDecoder, SseEvent},
};

const API: Api = Api::OpenAiChat;

/// The turn that says this stream, which may end with the provider's error.
pub(crate) fn stream_to_turn(body: &[u8]) -> Result<Turn, AccumulateError> {
    let events = events(body);
    let refused = |index: usize, problem| {
        let at = events.get(index).or(events.last());
        let offset = at.map_or(0, SseEvent::offset);
        AccumulateError::new(API, problem, Some(index), offset, Vec::new())
    };
    let (reply, error) = match accumulate(API, body) {
        Ok(reply) => (Some(reply), None),
        Err(error) => {
            let index = error.event_index().unwrap_or_default();
            let data = events.get(index).map_or("", SseEvent::data);
            let is_the_providers = matches!(error.kind(), AccumulateErrorKind::Provider { .. });
            match error_of(data) {
                Some(recorded) if is_the_providers => (None, Some((recorded, index))),
                Some(_) | None => return Err(error),
            }
        }
    };
    // behind the error nothing was read, so nothing of it is known to be right
    let end = error.as_ref().map_or(usize::MAX, |(_, index)| *index);
    let mut recorded = Recorded::default();
    for (n, event) in events.iter().take(end).enumerate() {
        let chunk: Value = serde_json::from_str(event.data()).unwrap_or_default();
        recorded
            .chunk(&chunk, event.data())
            .map_err(|problem| refused(n, problem))?;
    }
    let turn = recorded.turn(reply.as_ref()).map_err(of_the_whole)?;
    let begun = events.first().map_or("", SseEvent::data);
    let context = context(Asked {
        usage: Wanted::when(member(begun, "usage").is_some()),
        obfuscation: Wanted::when(member(begun, "obfuscation").is_some()),
        moderation: Moderation::IfSaid,
        top_logprobs: None,
        choices: recorded.choices(),
    });
    let said = render::Events::new(&turn, &context)
        .map_err(|why| of_the_whole(unplayable(&why)))?
        .take(end)
        .chain(
            error
                .iter()
                .map(|(error, _)| openai::error_event(Api::OpenAiChat, error, &context)),
        );
    let mut said = said.map(|event| String::from_utf8_lossy(&event.data).into_owned());
    for (n, event) in events.iter().enumerate() {
        let said = said.next().unwrap_or_default();
        difference(event.data(), &said).map_err(|problem| refused(n, problem))?;
    }
    if let Some(said) = said.next() {
        let problem = difference("", &said);
        problem.map_err(|problem| refused(events.len(), problem))?;
    }
    Ok(match error {
        Some((error, index)) => turn.end(After::events(index), error),
        None => turn,
    })
}

/// The turn that says this body, which may be an error's.
pub(crate) fn body_to_turn(body: &[u8]) -> Result<Turn, AccumulateError> {
    let sent = compact(&String::from_utf8_lossy(body));
    let reply = match accumulate_json(API, body) {
        Ok(reply) => reply,
        Err(error) => {
            let Some(recorded) = error_of(&sent) else {
                return Err(error);
            };
            let (_, said) =
                openai::error_answer(Api::OpenAiChat, &recorded, &context(Asked::default()));
            let said = compact(&String::from_utf8_lossy(&said));
            difference(&sent, &said).map_err(of_the_whole)?;
            return Ok(Turn::error(recorded));
        }
    };
    let json: Value = serde_json::from_str(&sent).unwrap_or_default();
    let mut recorded = Recorded::default();
    recorded.body(&json, &sent).map_err(of_the_whole)?;
    let turn = recorded.turn(Some(&reply)).map_err(of_the_whole)?;
    let context = context(Asked {
        choices: recorded.choices(),
        ..Asked::default()
    });
    let said = render::body(&turn, &context).map_err(|why| of_the_whole(unplayable(&why)))?;
    let said = compact(&String::from_utf8_lossy(&said));
    difference(&sent, &said).map_err(of_the_whole)?;
    Ok(turn)
}

/// A problem with no place of its own.
fn of_the_whole(problem: Box<Problem>) -> AccumulateError {
    AccumulateError::new(API, problem, None, 0, Vec::new())
}

/// How a turn is said to be compared with what was recorded.
fn context(chat: Asked) -> Context {
    let mut context = Context::unasked(0, false);
    context.asked.chat = chat;
    context
}

/// The provider's error in this object.
fn error_of(data: &str) -> Option<ApiError> {
    let data: Value = serde_json::from_str(data).ok()?;
    let error = data.get("error")?;
    let text = |name: &str| error.get(name).and_then(Value::as_str);
    let (error_type, code) = (text("type").unwrap_or_default(), text("code"));
    let mut said = ApiError::new(openai::kind_of(error_type, code))
        .message(text("message")?)
        .error_type(error_type)
        // an empty one is null
        .error_code(code.unwrap_or_default());
    if let Some(param) = text("param") {
        said = said.param(param);
    }
    Some(said)
}

/// What is in the way of a turn that cannot be played.
fn unplayable(why: &str) -> Box<Problem> {
    let (what, _) = why.split_once('\n').unwrap_or((why, ""));
    not_said(what.to_owned(), "what a turn can say", "what it cannot")
}

/// A recording that no turn says again.
fn not_said(what: String, expected: impl Into<String>, found: impl Into<String>) -> Box<Problem> {
    Problem::new(
        AccumulateErrorKind::NotSaidAgain,
        what,
        expected.into(),
        Found::Said(found.into()),
    )
    .help("only what OpenAI writes today is said again; script the turn by name")
}

/// The events of a body that was read before.
fn events(body: &[u8]) -> Vec<SseEvent> {
    let mut decoder = SseDecoder::new();
    let mut events = Vec::new();
    let _ = decoder.push(body);
    while let Some(event) = decoder.next_event() {
        events.push(event);
    }
    events
}
