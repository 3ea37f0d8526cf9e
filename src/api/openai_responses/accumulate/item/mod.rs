//! One item of the output, while its events come.
//!
//! | text | `added` | `delta` | its `done` | `part.done` | item `done` |
//! | --- | --- | --- | --- | --- | --- |
//! | not there | → open | error | error | error | the item lacks it |
//! | open | error | joined | → said, if it is the deltas joined | → closed | error, unless the item is incomplete |
//! | said | error | error | error | → closed | whole |
//! | closed | error | error | error | error | whole |
//!
//! The text that stands in the item itself (arguments, input, code) is open from the item's own start. `under_way.rs`
//! has the columns up to `part.done`, `done.rs` the last one.

mod done;
mod under_way;

use serde_json::{Map, Value};

use super::{
    Checked,
    event::own_stream,
    slot::{Slot, State, found_type},
};
use crate::api::accumulate::{AccumulateErrorKind, Members, Problem};

#[derive(Debug)]
pub(super) struct Item {
    index: usize,
    start: Map<String, Value>,
    content: Vec<Slot>,
    summary: Vec<Slot>,
    own: Option<Slot>,
    /// Of a type that there is no word for: its own events.
    events: Vec<Value>,
    /// As it was when it was done.
    done: Option<Map<String, Value>>,
}

impl Item {
    /// The item that is added in this way, at its turn.
    pub(super) fn start(index: usize, start: Map<String, Value>) -> Checked<Self> {
        let members = Members::new("item.", &start);
        let kind = members.non_empty_string("type")?;
        members.string_or_null("id")?;
        for list in ["content", "summary"] {
            let full = matches!(members.get(list), Some(Value::Array(items)) if !items.is_empty());
            if full && matches!(kind, "message" | "reasoning") {
                return Err(
                    members.wrong(list, "an empty array: its parts have events of their own")
                );
            }
        }
        let own = own_stream(kind).map(|stream| Slot::new(start.clone(), stream.whole));
        Ok(Self {
            index,
            own,
            start,
            content: Vec::new(),
            summary: Vec::new(),
            events: Vec::new(),
            done: None,
        })
    }

    pub(super) fn id(&self) -> &str {
        let id = self.start.get("id").and_then(Value::as_str);
        id.unwrap_or_default()
    }

    pub(super) fn kind(&self) -> &str {
        let kind = self.start.get("type").and_then(Value::as_str);
        kind.unwrap_or_default()
    }

    pub(super) const fn is_open(&self) -> bool {
        self.done.is_none()
    }

    /// The item as it was when it was done.
    pub(super) const fn whole(&self) -> Option<&Map<String, Value>> {
        self.done.as_ref()
    }

    fn wrong_kind(&self, event: Members<'_>, wanted: &str) -> Box<Problem> {
        Problem::new(
            AccumulateErrorKind::WrongDelta,
            "an event does not fit its item",
            format!(
                "an event of item {}, which is a {}, not of a {wanted}",
                self.index,
                self.kind().escape_debug()
            ),
            found_type(event),
        )
    }

    /// What may come next of it.
    pub(super) fn expected(&self) -> String {
        let index = self.index;
        let open = |slot: &&Slot| slot.state == State::Open;
        let parts = self.content.iter().chain(&self.summary);
        match parts.clone().find(open) {
            Some(slot) => format!("more of the {} of item {index}, or its end", slot.part),
            None => match own_stream(self.kind()).zip(self.own.as_ref().filter(open)) {
                Some((stream, _)) => {
                    format!("more of the {} of item {index}, or its end", stream.whole)
                }
                None => format!("more of item {index}, or response.output_item.done"),
            },
        }
    }
}
