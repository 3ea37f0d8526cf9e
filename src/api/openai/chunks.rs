//! Streams of chunks, as Chat and text completions have them: an event in; a chunk, or what is wrong, out. What a chunk
//! says is for each of the two to read.

use serde_json::{Map, Value};

use crate::{
    api::accumulate::{AccumulateErrorKind, Found, Members, Problem},
    json,
    script::{Choice, Part, Reply, StopReason, Usage, count},
    sse::SseEvent,
};

/// Behind a pointer, so that a `Result` stays small.
type Checked<T> = Result<T, Box<Problem>>;

const DONE: &str = "[DONE]";

/// What an event is.
pub(crate) enum Event {
    /// A chunk, or what takes itself for one.
    Chunk(Map<String, Value>),
    /// `[DONE]`, where it may stand.
    Done,
    /// Empty, or null: it is skipped.
    Nothing,
}

/// How far an answer has come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    /// Whether a choice has begun.
    pub(crate) begun: bool,
    /// The first choice that has not finished; the first of all if none has begun.
    pub(crate) open: Option<usize>,
    /// Whether `[DONE]` came.
    pub(crate) done: bool,
}

impl Progress {
    /// The progress of choices that have finished or have not.
    pub(crate) fn of(finished: impl ExactSizeIterator<Item = bool>, done: bool) -> Self {
        let begun = finished.len() > 0;
        let mut finished = finished;
        let open = finished.position(|finished| !finished);
        Self {
            begun,
            open: if begun { open } else { Some(0) },
            done,
        }
    }

    /// What the event is, at this place.
    pub(crate) fn event(self, event: &SseEvent) -> Checked<Event> {
        let data = event.data();
        let is_error = event.name() == Some("error");
        if data.trim() == DONE {
            return self.check_done().map(|()| Event::Done);
        }
        if data.bytes().all(|byte| byte == b'\n') && !is_error {
            return Ok(Event::Nothing);
        }
        let map = match json::parse(data.as_bytes()) {
            Ok(Value::Object(map)) => map,
            Ok(Value::Null) if !is_error => return Ok(Event::Nothing),
            Ok(_) | Err(_) if is_error => return Err(named_error(data, self.expected())),
            Ok(_) | Err(_) => {
                return Err(Problem::new(
                    AccumulateErrorKind::MalformedJson,
                    "the data of an event is not one JSON object",
                    "one JSON object, or [DONE]",
                    Found::quoted(data),
                ));
            }
        };
        if let Some(error) = provider_error(Members::new("", &map), || self.expected()) {
            return Err(error);
        }
        if is_error {
            return Err(named_error(data, self.expected()));
        }
        if self.done {
            return Err(Problem::new(
                AccumulateErrorKind::UnexpectedEvent,
                "an event came behind [DONE]",
                self.expected(),
                Found::quoted(data),
            ));
        }
        Ok(Event::Chunk(map))
    }

    fn check_done(self) -> Checked<()> {
        let Some(n) = self.open else {
            return Ok(());
        };
        let field = format!("choices[{n}].finish_reason");
        Err(Problem::new(
            AccumulateErrorKind::MissingField { field },
            "the answer is done and a choice has no finish_reason",
            self.expected(),
            Found::quoted(DONE),
        ))
    }

    /// That the answer is whole, where the stream ends after so many events.
    pub(crate) fn check_end(self, events: usize) -> Checked<()> {
        let Some(n) = self.open else {
            return Ok(());
        };
        Err(Problem::new(
            AccumulateErrorKind::Truncated,
            format!("the answer ended before the finish_reason of choice {n}"),
            self.expected(),
            Found::Said(format!(
                "the end of the stream, after {}",
                count(events, "event")
            )),
        )
        .help("if the early end is scripted, expect this error; what was read is in `partial()`"))
    }

    /// What may come next.
    pub(crate) fn expected(self) -> String {
        match self.open {
            _ if self.done => "the end of the stream".to_owned(),
            Some(_) if !self.begun => "a chunk with a choice".to_owned(),
            Some(n) => format!("a chunk of choice {n}, up to its finish_reason"),
            None => DONE.to_owned(),
        }
    }
}

/// Id and model of an answer, which stand in every chunk.
#[derive(Debug, Default)]
pub(crate) struct Name {
    pub(crate) id: String,
    pub(crate) model: String,
}

impl Name {
    /// Reads those of a chunk: the id is the same in all.
    pub(crate) fn read(&mut self, members: Members<'_>) -> Checked<()> {
        let id = members.string_or_null("id")?.unwrap_or_default();
        if !id.is_empty() && !self.id.is_empty() && id != self.id {
            let problem = members.wrong("id", format!("`{}`, as before", self.id.escape_debug()));
            return Err(problem
                .help("two answers may have been joined; each needs an accumulator of its own"));
        }
        let model = members.string_or_null("model")?.unwrap_or_default();
        for (known, said) in [(&mut self.id, id), (&mut self.model, model)] {
            if known.is_empty() {
                said.clone_into(known);
            }
        }
        Ok(())
    }
}

/// The reply that an answer comes to: the first choice is its own, the rest stand beside it.
pub(crate) fn reply(
    name: Name,
    usage: Usage,
    (parts, reason): (Vec<Part>, StopReason),
    others: impl Iterator<Item = (Vec<Part>, StopReason)>,
) -> Reply {
    let mut reply = Reply::new(name.id, name.model, parts, reason, usage);
    let others = others.map(|(parts, reason)| Choice::new(parts, reason));
    reply.other_choices = others.collect();
    reply
}

/// The error that stands in place of an answer, or in the middle of one.
pub(crate) fn provider_error(
    members: Members<'_>,
    expected: impl FnOnce() -> String,
) -> Option<Box<Problem>> {
    let error = members.get("error").filter(|error| match error {
        Value::Bool(said) => *said,
        Value::String(said) => !said.is_empty(),
        Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => true,
    });
    let whole = members.to_value();
    let error = match error {
        Some(error) => error,
        // Mistral's, which has no member of that name
        None if is_error_itself(members) => &whole,
        None => return None,
    };
    let text = |name: &str| match error.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let message = match error {
        Value::String(message) => message.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            said(error.get("detail").or_else(|| error.get("message")))
        }
    };
    let beside = said(members.get("code"));
    let error_type = match text("type") {
        none if none.is_empty() => text("code"),
        error_type => error_type,
    };
    // xAI's stands beside it
    let error_type = if error_type.is_empty() {
        beside
    } else {
        error_type
    };
    Some(Problem::new(
        AccumulateErrorKind::Provider {
            error_type,
            message,
        },
        "the provider reported an error",
        expected(),
        Found::quoted(members.to_json()),
    ))
}

/// Whether an object is an error, and says it in its own members.
fn is_error_itself(members: Members<'_>) -> bool {
    let object = members.get("object").and_then(Value::as_str);
    object == Some("error") || (members.has("detail") && !members.has("choices"))
}

/// A string as it is, other values as JSON.
fn said(value: Option<&Value>) -> String {
    match value {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => json::to_string(value, json::Spacing::Compact),
    }
}

/// An event that is named an error and does not say which.
fn named_error(data: &str, expected: String) -> Box<Problem> {
    let map: Map<String, Value> = serde_json::from_str(data).unwrap_or_default();
    let message = map.get("message").and_then(Value::as_str);
    Problem::new(
        AccumulateErrorKind::Provider {
            error_type: "error".to_owned(),
            message: message.unwrap_or(data).to_owned(),
        },
        "the provider reported an error",
        expected,
        Found::quoted(data),
    )
}
