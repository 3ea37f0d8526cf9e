//! Events, or the non-streaming body, in; a [`Reply`], or what is wrong, out. Where it is wrong, the
//! caller knows.
//!
//! | stage | chunk with a choice | chunk without | `[DONE]` | end |
//! | --- | --- | --- | --- | --- |
//! | no choice yet | its choice is open | skipped | error | error |
//! | a choice is open | joined; with a `finish_reason` it is closed | usage is read | error | error |
//! | all are closed | of a closed choice: error, unless it says nothing | usage is read | → done | whole |
//! | done | error | error | skipped | whole |
//!
//! An event whose data is empty or null is skipped; one named `error`, or with a member `error`, is an error. The
//! catalogue of faults asks for each leniency: null and missing members are equal, `[DONE]` may be missing, ids and
//! names of tool calls may be repeated, their index may be missing where that leaves no doubt.

mod body;
mod call;
mod choice;
#[cfg(test)]
mod tests;
mod thought;
mod usage;

pub(crate) use body::body_to_reply;
use serde_json::{Map, Value};
pub(crate) use usage::read as read_usage;

use self::choice::Choice;
use crate::{
    api::accumulate::{AccumulateErrorKind, Found, Members, Problem},
    json,
    script::{self, Json, Part, Reply, Usage, count},
    sse::SseEvent,
};

/// Behind a pointer, so that a `Result` stays small.
type Checked<T> = Result<T, Box<Problem>>;

const DONE: &str = "[DONE]";

/// The events of one answer in, its [`Reply`] out.
#[derive(Debug, Default)]
pub(crate) struct ChatAccumulator {
    id: String,
    model: String,
    service_tier: Option<String>,
    moderation: Option<Json>,
    /// By their indices.
    choices: Vec<Choice>,
    usage: Usage,
    done: bool,
}

impl ChatAccumulator {
    pub(crate) fn push(&mut self, event: &SseEvent) -> Checked<()> {
        let data = event.data();
        let is_error = event.name() == Some("error");
        if data.trim() == DONE {
            return self.push_done();
        }
        if data.bytes().all(|byte| byte == b'\n') && !is_error {
            return Ok(());
        }
        let map = match json::parse(data.as_bytes()) {
            Ok(Value::Object(map)) => map,
            Ok(Value::Null) if !is_error => return Ok(()),
            Ok(_) | Err(_) if is_error => return Err(named_error(data, &self.expected())),
            Ok(_) | Err(_) => {
                return Err(Problem::new(
                    AccumulateErrorKind::MalformedJson,
                    "the data of an event is not one JSON object",
                    "one JSON object, or [DONE]",
                    Found::quoted(data),
                ));
            }
        };
        let members = Members::new("", &map);
        if let Some(error) = provider_error(members, &self.expected()) {
            return Err(error);
        }
        if is_error {
            return Err(named_error(data, &self.expected()));
        }
        if self.done {
            return Err(Problem::new(
                AccumulateErrorKind::UnexpectedEvent,
                "an event came behind [DONE]",
                self.expected(),
                Found::quoted(data),
            ));
        }
        self.chunk(members)
    }

    fn chunk(&mut self, chunk: Members<'_>) -> Checked<()> {
        self.envelope(chunk)?;
        for (n, choice) in chunk.array("choices")?.iter().enumerate() {
            let path = format!("choices[{n}].");
            let Value::Object(choice) = choice else {
                return Err(chunk.wrong("choices", "an array of objects"));
            };
            let choice = Members::new(&path, choice);
            let state = self.choice(choice)?;
            let message = format!("{path}message.");
            let path = format!("{path}delta.");
            if let Some(delta) = choice.object_or_null("delta")? {
                state.delta(delta, &path)?;
            }
            state.so_far(choice, &message)?;
            state.finish(choice, &path)?;
        }
        Ok(())
    }

    /// What stands around the choices.
    fn envelope(&mut self, members: Members<'_>) -> Checked<()> {
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
        if let Some(tier) = members.string_or_null("service_tier")? {
            self.service_tier = Some(tier.to_owned());
        }
        if let Some(found) = members.object_or_null("moderation")? {
            self.moderation = Some(Json::read(Value::Object(found.clone())));
        }
        usage::read(members, &mut self.usage)?;
        // Mistral's stands there
        if let Some(usage) = members.object_or_null("usage")? {
            let usage = Members::new("usage.", usage);
            if let Some(tier) = usage.string_or_null("service_tier")? {
                self.service_tier = Some(tier.to_owned());
            }
        }
        Ok(())
    }

    /// The choice with this index; the next one is opened. Without an index it is the only one.
    fn choice(&mut self, choice: Members<'_>) -> Checked<&mut Choice> {
        let next = self.choices.len();
        let index = match choice.number_or_null("index")? {
            None if next < 2 => 0,
            None => return Err(choice.missing("index", "the index of one of the choices")),
            Some(index) => usize::try_from(index).unwrap_or(usize::MAX),
        };
        if index == next {
            self.choices.push(Choice::default());
        }
        self.choices.get_mut(index).ok_or_else(|| {
            Problem::new(
                AccumulateErrorKind::WrongBlock,
                "a choice starts with an index that is not its turn",
                format!("an index up to {next}: indices count up from 0"),
                Found::quoted(index.to_string()),
            )
        })
    }

    fn push_done(&mut self) -> Checked<()> {
        match self.open_choice() {
            None => {
                self.done = true;
                Ok(())
            }
            Some(n) => {
                let field = format!("choices[{n}].finish_reason");
                Err(Problem::new(
                    AccumulateErrorKind::MissingField { field },
                    "the answer is done and a choice has no finish_reason",
                    self.expected(),
                    Found::quoted(DONE),
                ))
            }
        }
    }

    /// The first choice that has not finished; the first of all if there is none.
    fn open_choice(&self) -> Option<usize> {
        if self.choices.is_empty() {
            return Some(0);
        }
        let mut choices = self.choices.iter();
        choices.position(|choice| choice.finish.is_none())
    }

    /// The reply, after `events` events.
    pub(crate) fn finish(&mut self, events: usize) -> Checked<Reply> {
        if let Some(n) = self.open_choice() {
            return Err(Problem::new(
                AccumulateErrorKind::Truncated,
                format!("the answer ended before the finish_reason of choice {n}"),
                self.expected(),
                Found::Said(format!(
                    "the end of the stream, after {}",
                    count(events, "event")
                )),
            )
            .help(
                "if the early end is scripted, expect this error; what was read is in `partial()`",
            ));
        }
        let mut choices = std::mem::take(&mut self.choices).into_iter();
        let (parts, reason) = choices.next().unwrap_or_default().read();
        let mut reply = Reply::new(
            std::mem::take(&mut self.id),
            std::mem::take(&mut self.model),
            parts,
            reason,
            std::mem::take(&mut self.usage),
        );
        reply.service_tier = self.service_tier.take();
        reply.moderation = self.moderation.take();
        let others = choices.map(|choice| {
            let (parts, reason) = choice.read();
            script::Choice::new(parts, reason)
        });
        reply.other_choices = others.collect();
        Ok(reply)
    }

    /// The parts of the first choice read so far, which are moved out.
    pub(crate) fn take_partial(&mut self) -> Vec<Part> {
        let mut choices = std::mem::take(&mut self.choices).into_iter();
        let (parts, _) = choices.next().unwrap_or_default().read();
        parts
    }

    /// What may come next.
    pub(crate) fn expected(&self) -> String {
        match self.open_choice() {
            _ if self.done => "the end of the stream".to_owned(),
            Some(0) if self.choices.is_empty() => "a chunk with a choice".to_owned(),
            Some(n) => format!("a chunk of choice {n}, up to its finish_reason"),
            None => "[DONE]".to_owned(),
        }
    }
}

/// The error that stands in place of an answer, or in the middle of one.
pub(crate) fn provider_error(members: Members<'_>, expected: &str) -> Option<Box<Problem>> {
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
        expected.to_owned(),
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
pub(crate) fn named_error(data: &str, expected: &str) -> Box<Problem> {
    let map: Map<String, Value> = serde_json::from_str(data).unwrap_or_default();
    let message = map.get("message").and_then(Value::as_str);
    Problem::new(
        AccumulateErrorKind::Provider {
            error_type: "error".to_owned(),
            message: message.unwrap_or(data).to_owned(),
        },
        "the provider reported an error",
        expected.to_owned(),
        Found::quoted(data),
    )
}
