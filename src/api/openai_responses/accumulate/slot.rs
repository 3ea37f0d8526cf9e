//! A text of an item while it comes: a part of a message, a summary, the arguments of a call.

use serde_json::{Map, Value, json};

use super::{Checked, event::text_of_part, parts};
use crate::{
    api::accumulate::{AccumulateErrorKind, Found, Members, Problem},
    script::Part,
};

/// A text under way.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) start: Map<String, Value>,
    pub(super) part: String,
    pub(super) text: String,
    pub(super) annotations: Vec<Value>,
    pub(super) events: Vec<Value>,
    pub(super) state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Open,
    Said,
    Closed,
}

impl Slot {
    pub(super) fn new(start: Map<String, Value>, member: &str) -> Self {
        let word = |name: &str| start.get(name).and_then(Value::as_str);
        Self {
            part: word("type").unwrap_or_default().to_owned(),
            text: word(member).unwrap_or_default().to_owned(),
            start,
            annotations: Vec::new(),
            events: Vec::new(),
            state: State::Open,
        }
    }

    /// Whether this is the part as it was streamed.
    pub(super) fn check(&self, part: Members<'_>) -> Checked<()> {
        let Some(member) = text_of_part(&self.part) else {
            return Ok(());
        };
        same_text(part, member, &self.text)?;
        let said = match part.get("annotations") {
            None => &[],
            Some(_) => part.array("annotations")?,
        };
        if said != self.annotations {
            let expected = match self.annotations.len() {
                0 => "no annotations: none were streamed".to_owned(),
                1 => "the one annotation that was streamed".to_owned(),
                count => format!("the {count} annotations that were streamed"),
            };
            return Err(part.wrong("annotations", expected));
        }
        Ok(())
    }

    pub(super) fn into_part(self) -> Part {
        match self.part.as_str() {
            "output_text" => parts::cited(self.text, &self.annotations),
            _ => {
                let member = text_of_part(&self.part);
                let mut deltas = self.events;
                if let (Some(member), false) = (member, self.text.is_empty()) {
                    deltas.push(json!({ "type": format!("response.{}.delta", self.part), member: self.text }));
                }
                Part::Unknown {
                    block: Value::Object(self.start),
                    deltas,
                }
            }
        }
    }
}

/// That a whole is the deltas joined.
pub(super) fn same_text(members: Members<'_>, name: &str, streamed: &str) -> Checked<()> {
    let said = members.string(name)?;
    if said == streamed {
        return Ok(());
    }
    let expected = match Found::quoted(streamed) {
        Found::Quoted { shown, .. } if shown.is_empty() => {
            "an empty string: no delta came".to_owned()
        }
        Found::Quoted { shown, .. } | Found::Said(shown) => format!("the deltas joined, `{shown}`"),
    };
    Err(members.wrong(name, expected))
}

/// An event of a text that ended.
pub(super) fn gone_on(event: Members<'_>) -> Box<Problem> {
    Problem::new(
        AccumulateErrorKind::WrongBlock,
        "a part goes on behind its end",
        "no more of a part that was done",
        found_type(event),
    )
}

pub(super) fn no_part(event: Members<'_>, parts: &str) -> Box<Problem> {
    Problem::new(
        AccumulateErrorKind::WrongBlock,
        "an event is of a part that was never added",
        parts.to_owned(),
        found_type(event),
    )
}

/// The type of the event, for a message.
pub(super) fn found_type(event: Members<'_>) -> Found {
    let word = event.get("type").and_then(Value::as_str);
    Found::quoted(word.unwrap_or_default())
}
