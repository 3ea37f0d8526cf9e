//! One recorded item: as it was added, its events, as it was done.

use super::{DRAWN, is_drawn, word};
use crate::{
    api::{
        openai::from_wire::{Drawn, difference},
        openai_responses::echo,
    },
    json_slices::{items, member},
    script::{Json, ScriptedPart},
};

/// One item of a recorded answer, or of one that is compared with it.
#[derive(Debug, Default)]
pub(super) struct Item {
    /// What is left out of a body.
    added: Option<String>,
    /// What it streamed, whole events.
    pub(super) events: Vec<String>,
    /// What came when it was done, if it was.
    done: Option<String>,
    /// As it stands in the output of the response that ended.
    last: Option<String>,
}

/// An item is the same wherever its events stand in the stream.
const DRAWN_OF_ITEM: Drawn = Drawn {
    is_drawn: |name, value| name == "sequence_number" || is_drawn(name, value),
    inside: DRAWN.inside,
};

/// The items that these events are of, in order.
pub(super) fn of_stream<'a>(data: impl Iterator<Item = &'a str>) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for data in data {
        let kind = word(data, "type").unwrap_or_default();
        let whole = || member(data, "item").map(str::to_owned);
        if kind == "response.output_item.added" {
            items.push(Item {
                added: whole(),
                ..Item::default()
            });
        } else if let Some(output) = member(data, "response").and_then(|all| member(all, "output"))
        {
            for (item, last) in items.iter_mut().zip(self::items(output)) {
                item.last = Some(last.to_owned());
            }
        } else if let Some(index) = member(data, "output_index") {
            let index = index.parse().unwrap_or(usize::MAX);
            match items.get_mut(index) {
                Some(item) if kind == "response.output_item.done" => item.done = whole(),
                Some(item) => item.events.push(data.to_owned()),
                None => {}
            }
        }
    }
    items
}

/// The items of a body on one line.
pub(super) fn of_body(body: &str) -> Vec<Item> {
    let output = items(member(body, "output").unwrap_or_default()).into_iter();
    output
        .map(|last| Item {
            last: Some(last.to_owned()),
            ..Item::default()
        })
        .collect()
}

impl Item {
    /// As much of it as is known.
    pub(super) fn whole(&self) -> &str {
        let known = self.last.as_ref().or(self.done.as_ref());
        known.or(self.added.as_ref()).map_or("", String::as_str)
    }

    /// Its id, and what ids of its kind begin with; none for a kind whose parts have the id.
    pub(super) fn id(&self) -> Option<(String, String)> {
        let prefix = match word(self.whole(), "type")?.as_str() {
            "message" => "msg_",
            "reasoning" => "rs_",
            "function_call" => "fc_",
            "custom_tool_call" => "ctc_",
            "compaction" => "cmp_",
            _ => return None,
        };
        Some((prefix.to_owned(), word(self.whole(), "id")?))
    }

    /// Whether it came to its end.
    pub(super) const fn is_done(&self) -> bool {
        self.done.is_some() || self.last.is_some()
    }

    /// Whether it was streamed.
    pub(super) const fn is_streamed(&self) -> bool {
        self.added.is_some()
    }

    /// The fragments of what is streamed.
    pub(super) fn pieces(&self) -> Vec<String> {
        let pieces = self.events.iter().filter_map(|event| word(event, "delta"));
        pieces.filter(|piece| !piece.is_empty()).collect()
    }

    /// Whether the other one is the same, but for what is drawn.
    pub(super) fn is(&self, other: &Self) -> bool {
        let same = |one: &Option<String>, other: &Option<String>| {
            let (one, other) = (one.as_deref(), other.as_deref());
            one.is_some() == other.is_some()
                && is_same(one.unwrap_or_default(), other.unwrap_or_default())
        };
        let mut events = self.events.iter().zip(&other.events);
        same(&self.added, &other.added)
            && same(&self.done, &other.done)
            && same(&self.last, &other.last)
            && self.events.len() == other.events.len()
            && events.all(|(one, other)| is_same(one, other))
    }

    /// The part that says it without a name for what it is.
    pub(super) fn as_it_is(&self) -> ScriptedPart {
        let events = self.events.iter().map(|event| Json::spelled(event));
        ScriptedPart::Raw {
            start: match self.is_streamed() {
                true => Json::spelled(self.whole()),
                // a body escapes what a stream has as it is
                false => Json::spelled(&echo::respelled(self.whole())),
            },
            deltas: events.collect(),
            added: self.added.as_deref().map(Json::spelled),
        }
    }
}

fn is_same(recorded: &str, said: &str) -> bool {
    difference(recorded, said, &DRAWN_OF_ITEM).is_ok()
}
