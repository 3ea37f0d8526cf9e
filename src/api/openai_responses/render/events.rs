//! The events of one turn, one at a time.

use std::borrow::Cow;

use serde_json::Value;

use super::{
    envelope::{Carrier, Status},
    inner::{self, Delta, Event, Inner, Source},
    item::Stage,
    said::Said,
};
use crate::{
    api::{Context, Ids, Mark, WireEvent, openai::Wanted, openai_responses::purpose},
    json::{write_number, write_str},
    json_slices::members,
    script::{Dice, Json, Turn},
};

/// The events of one turn, one at a time.
pub(crate) struct Events {
    said: Said,
    /// The number of the next event.
    sequence: u64,
    /// The item under way.
    index: usize,
    inner: Option<Source>,
    obfuscation: Option<Dice>,
    next: Next,
}

/// Which event comes next.
#[derive(Clone, Copy)]
enum Next {
    Created,
    InProgress,
    Item,
    End,
    Nothing,
}

impl Events {
    pub(crate) fn new(turn: &Turn, context: &Context) -> Result<Self, String> {
        let obfuscated = !context.plain && context.asked.responses.obfuscation == Wanted::Yes;
        Ok(Self {
            said: Said::new(turn, context)?,
            sequence: 0,
            index: 0,
            inner: None,
            obfuscation: obfuscated.then(|| Dice::branch(context.seed, purpose::OBFUSCATION)),
            next: Next::Created,
        })
    }

    /// An event with the response object, which has no output yet.
    fn opening(&mut self, name: &'static str) -> WireEvent {
        let mut data = start(name, 1600);
        data.extend_from_slice(br#","response":"#);
        let status = Status::InProgress;
        self.said
            .envelope
            .write(&mut data, &status, b"", Carrier::Event);
        self.finished(name, data, Mark::Other)
    }

    /// The next event of the items; `None` behind the last one.
    fn item_event(&mut self) -> Option<WireEvent> {
        let item = self.said.items.get(self.index)?;
        let Some(source) = &mut self.inner else {
            self.inner = Some(inner::events(item));
            return Some(self.whole_item("response.output_item.added", Stage::Added, Mark::Other));
        };
        if let Some(event) = source.next() {
            return Some(match event {
                Event::Delta(delta) => self.delta(&delta),
                Event::Inner(event) => self.inner_event(&event),
                Event::Raw(event) => self.raw_event(&event),
                Event::Recorded(event) => self.recorded_event(&event),
            });
        }
        let event = self.whole_item("response.output_item.done", Stage::Done, Mark::PartEnd);
        self.inner = None;
        self.index += 1;
        Some(event)
    }

    fn whole_item(&mut self, name: &'static str, stage: Stage, mark: Mark) -> WireEvent {
        let mut data = start(name, 512);
        data.extend_from_slice(br#","item":"#);
        if let Some(item) = self.said.items.get(self.index) {
            item.write(&mut data, stage);
        }
        self.write_index(&mut data);
        self.finished(name, data, mark)
    }

    fn delta(&mut self, delta: &Delta) -> WireEvent {
        let mut data = start(delta.name, 320 + delta.fragment.len());
        data.extend_from_slice(delta.first);
        data.extend_from_slice(br#","delta":"#);
        write_str(&mut data, &delta.fragment);
        self.write_item_id(&mut data);
        data.extend_from_slice(delta.second);
        if let Some(dice) = &mut self.obfuscation {
            write_obfuscation(&mut data, delta.fragment.chars().count(), dice);
        }
        self.write_index(&mut data);
        self.write_number(&mut data);
        data.extend_from_slice(delta.last);
        data.push(b'}');
        WireEvent {
            name: Some(Cow::Borrowed(delta.name)),
            data,
            mark: Mark::Delta,
        }
    }

    fn write_item_id(&self, data: &mut Vec<u8>) {
        let item = self.said.items.get(self.index);
        data.extend_from_slice(br#","item_id":"#);
        write_str(data, item.map_or("", |item| item.id()));
    }

    fn inner_event(&mut self, event: &Inner) -> WireEvent {
        let mut data = start(event.name, 320);
        data.extend_from_slice(&event.first);
        self.write_item_id(&mut data);
        data.extend_from_slice(event.second);
        self.write_index(&mut data);
        data.extend_from_slice(&event.third);
        self.write_number(&mut data);
        data.extend_from_slice(&event.last);
        data.push(b'}');
        WireEvent {
            name: Some(Cow::Borrowed(event.name)),
            data,
            mark: event.mark,
        }
    }

    /// The event as it is, and its numbers behind its members.
    fn raw_event(&mut self, event: &Json) -> WireEvent {
        let text = event.as_str().trim_end();
        let mut data = text
            .strip_suffix('}')
            .unwrap_or(text)
            .trim_end()
            .as_bytes()
            .to_vec();
        self.write_index(&mut data);
        self.write_number(&mut data);
        data.push(b'}');
        as_it_is(event, data)
    }

    /// The event with the numbers that it has here, in their places; without obfuscation if none is written.
    fn recorded_event(&mut self, event: &Json) -> WireEvent {
        let mut data = Vec::with_capacity(event.as_str().len() + 8);
        for (name, value) in members(event.as_str()) {
            match name {
                "output_index" => self.write_index(&mut data),
                "sequence_number" => self.write_number(&mut data),
                "obfuscation" if self.obfuscation.is_none() => {}
                _ => data.extend_from_slice(format!(",\"{name}\":{value}").as_bytes()),
            }
        }
        if let Some(first) = data.first_mut() {
            *first = b'{';
        }
        data.push(b'}');
        as_it_is(event, data)
    }

    fn end(&mut self) -> WireEvent {
        let (name, status) = match self.said.incomplete {
            None => ("response.completed", Status::Completed(&self.said.usage)),
            Some(reason) => (
                "response.incomplete",
                Status::Incomplete(reason, &self.said.usage),
            ),
        };
        let mut data = start(name, 2048);
        data.extend_from_slice(br#","response":"#);
        self.said
            .write(&mut data, &status, usize::MAX, Carrier::Event);
        self.finished(name, data, Mark::Last)
    }

    fn write_index(&self, data: &mut Vec<u8>) {
        data.extend_from_slice(br#","output_index":"#);
        write_number(data, u64::try_from(self.index).unwrap_or(u64::MAX));
    }

    fn write_number(&mut self, data: &mut Vec<u8>) {
        write_sequence(data, self.sequence);
        self.sequence += 1;
    }

    fn finished(&mut self, name: &'static str, mut data: Vec<u8>, mark: Mark) -> WireEvent {
        self.write_number(&mut data);
        data.push(b'}');
        WireEvent {
            name: Some(Cow::Borrowed(name)),
            data,
            mark,
        }
    }
}

/// An event of the same name, with these data.
fn as_it_is(event: &Json, data: Vec<u8>) -> WireEvent {
    let value = event.to_value();
    let word = |name: &str| value.get(name).and_then(Value::as_str);
    let fragment = word("delta").is_some_and(|delta| !delta.is_empty());
    WireEvent {
        name: Some(Cow::Owned(word("type").unwrap_or_default().to_owned())),
        data,
        mark: if fragment { Mark::Delta } else { Mark::Other },
    }
}

/// `{"type":"name"`
pub(super) fn start(name: &str, capacity: usize) -> Vec<u8> {
    let mut data = Vec::with_capacity(capacity);
    data.extend_from_slice(br#"{"type":""#);
    data.extend_from_slice(name.as_bytes());
    data.push(b'"');
    data
}

/// `,"sequence_number":7`
pub(super) fn write_sequence(data: &mut Vec<u8>, number: u64) {
    data.extend_from_slice(br#","sequence_number":"#);
    write_number(data, number);
}

/// What hides the length of a fragment: with it, the characters are a multiple of 16.
fn write_obfuscation(data: &mut Vec<u8>, characters: usize, dice: &mut Dice) {
    let n = (16 - characters % 16) % 16;
    data.extend_from_slice(br#","obfuscation":""#);
    Ids::new(dice.next(), purpose::OBFUSCATION).write_base62(data, n);
    data.push(b'"');
}

impl Iterator for Events {
    type Item = WireEvent;

    fn next(&mut self) -> Option<WireEvent> {
        match self.next {
            Next::Created => {
                self.next = Next::InProgress;
                Some(self.opening("response.created"))
            }
            Next::InProgress => {
                self.next = Next::Item;
                Some(self.opening("response.in_progress"))
            }
            Next::Item => self.item_event().or_else(|| {
                self.next = Next::End;
                self.next()
            }),
            Next::End => {
                self.next = Next::Nothing;
                Some(self.end())
            }
            Next::Nothing => None,
        }
    }
}
