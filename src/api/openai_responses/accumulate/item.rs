//! One item of the output, while its events come.
//!
//! | text | `added` | `delta` | its `done` | `part.done` | item `done` |
//! | --- | --- | --- | --- | --- | --- |
//! | not there | → open | error | error | error | the item lacks it |
//! | open | error | joined | → said, if it is the deltas joined | → closed | error, unless the item is incomplete |
//! | said | error | error | error | → closed | whole |
//! | closed | error | error | error | error | whole |
//!
//! The text that stands in the item itself (arguments, input, code) is open from the item's own start.

use serde_json::{Map, Value, json};

use super::{
    Checked,
    event::{Slots, Stream, own_stream, text_of_part},
    parts::{self, BETWEEN_SUMMARIES, Refuses},
    slot::{Slot, State, found_type, gone_on, no_part, same_text},
};
use crate::{
    api::accumulate::{AccumulateErrorKind, Found, Members, Problem},
    script::{Part, count},
};

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

    pub(super) fn add_part(&mut self, slots: Slots, event: Members<'_>) -> Checked<()> {
        let (wanted, number) = match slots {
            Slots::Content => (["message", "reasoning"].as_slice(), "content_index"),
            Slots::Summary | Slots::Own => (["reasoning"].as_slice(), "summary_index"),
        };
        if !wanted.contains(&self.kind()) {
            return Err(self.wrong_kind(event, &wanted.join(" or ")));
        }
        let part = event.object("part")?;
        let kind = Members::new("part.", part).non_empty_string("type")?;
        let member = text_of_part(kind).unwrap_or("text");
        let list = self.list(slots);
        if let Some(index) = event.number_or_null(number)? {
            let next = u64::try_from(list.len()).unwrap_or(u64::MAX);
            if index != next {
                return Err(event.wrong(number, format!("{next}: parts count up from 0")));
            }
        }
        list.push(Slot::new(part.clone(), member));
        Ok(())
    }

    pub(super) fn part_done(&mut self, slots: Slots, event: Members<'_>) -> Checked<()> {
        let part = Members::new("part.", event.object("part")?);
        let slot = self.slot(slots, event)?;
        if slot.state == State::Closed {
            return Err(gone_on(event));
        }
        let kind = part.string("type")?;
        if kind != slot.part {
            let expected = format!("`{}`, as it was added", slot.part.escape_debug());
            return Err(part.wrong("type", expected));
        }
        slot.check(part)?;
        slot.state = State::Closed;
        Ok(())
    }

    pub(super) fn delta(&mut self, stream: &Stream, event: Members<'_>) -> Checked<()> {
        let slot = self.streamed(stream, event)?;
        slot.text.push_str(event.string("delta")?);
        Ok(())
    }

    pub(super) fn text_done(&mut self, stream: &Stream, event: Members<'_>) -> Checked<()> {
        let slot = self.streamed(stream, event)?;
        same_text(event, stream.whole, &slot.text)?;
        slot.state = State::Said;
        Ok(())
    }

    pub(super) fn annotate(&mut self, event: Members<'_>) -> Checked<()> {
        let slot = self.slot(Slots::Content, event)?;
        if slot.state == State::Closed {
            return Err(gone_on(event));
        }
        let next = u64::try_from(slot.annotations.len()).unwrap_or(u64::MAX);
        if event
            .number_or_null("annotation_index")?
            .is_some_and(|index| index != next)
        {
            let expected = format!("{next}: annotations count up from 0");
            return Err(event.wrong("annotation_index", expected));
        }
        let annotation = event.object("annotation")?.clone();
        slot.annotations.push(Value::Object(annotation));
        Ok(())
    }

    pub(super) fn status(&self, kind: &str, event: Members<'_>) -> Checked<()> {
        if self.kind() == kind {
            Ok(())
        } else {
            Err(self.wrong_kind(event, kind))
        }
    }

    /// Keeps an event that there is no word for, without what stands around it, if it says anything: for an item, or
    /// a part, that there is no word for either.
    pub(super) fn keep(&mut self, event: &Map<String, Value>) {
        const AROUND: [&str; 6] = [
            "item_id",
            "output_index",
            "content_index",
            "summary_index",
            "sequence_number",
            "obfuscation",
        ];
        let mut said = event.clone();
        said.retain(|name, _| !AROUND.contains(&name.as_str()));
        if said.len() < 2 {
            return;
        }
        let known = own_stream(self.kind()).is_some()
            || matches!(
                self.kind(),
                "message" | "reasoning" | "web_search_call" | "file_search_call" | "compaction"
            );
        if !known {
            self.events.push(Value::Object(said));
        } else if let Some(slot) = self.content.last_mut() {
            if slot.state == State::Open && text_of_part(&slot.part).is_none() {
                slot.events.push(Value::Object(said));
            }
        }
    }

    /// Ends the item: all of its texts are there, and it says what was streamed.
    pub(super) fn finish(&mut self, done: Map<String, Value>) -> Checked<()> {
        let members = Members::new("item.", &done);
        for name in ["type", "id"] {
            let before = self.start.get(name).and_then(Value::as_str);
            let now = members.string_or_null(name)?;
            if before != now {
                let before = before.unwrap_or_default().escape_debug();
                return Err(members.wrong(name, format!("`{before}`, as it was added")));
            }
        }
        let cut = members.string_or_null("status")? == Some("incomplete");
        if !cut {
            self.all_said()?;
        }
        match self.kind() {
            "message" => self.same_parts(members, "content")?,
            "reasoning" => {
                self.same_parts(members, "summary")?;
                self.same_parts(members, "content")?;
            }
            kind => {
                let streamed = own_stream(kind).zip(self.own.as_ref());
                // what the provider runs may say its arguments at the end only
                let silent = |slot: &Slot| slot.state == State::Open && slot.text.is_empty();
                let client = matches!(kind, "function_call" | "custom_tool_call");
                if let Some((stream, slot)) = streamed.filter(|(_, slot)| client || !silent(slot)) {
                    same_text(members, stream.whole, &slot.text)?;
                }
            }
        }
        // it has to come to parts; a call of the client's above all
        parts::read(&done, "item.", Refuses::No, &mut Vec::new())?;
        self.done = Some(done);
        Ok(())
    }

    fn all_said(&self) -> Checked<()> {
        let open = |slot: &&Slot| slot.state == State::Open && text_of_part(&slot.part).is_some();
        let own = self.own.iter().any(|slot| {
            slot.state == State::Open && !slot.text.is_empty() && !self.came_whole(slot)
        });
        let parts = self.content.iter().chain(&self.summary);
        let what = match parts.clone().find(open) {
            Some(slot) => format!("its {} has no end", slot.part),
            None if own => {
                let member = own_stream(self.kind()).map_or("", |stream| stream.whole);
                format!("its {member} have no end")
            }
            None => return Ok(()),
        };
        Err(Problem::new(
            AccumulateErrorKind::BlockNotClosed { index: self.index },
            format!("item {} is done and {what}", self.index),
            self.expected(),
            Found::quoted("response.output_item.done"),
        ))
    }

    /// Whether the text stood in the start of the item already.
    fn came_whole(&self, slot: &Slot) -> bool {
        let stream = own_stream(self.kind());
        let given = stream.and_then(|stream| self.start.get(stream.whole)?.as_str());
        given == Some(slot.text.as_str())
    }

    fn same_parts(&self, item: Members<'_>, list: &'static str) -> Checked<()> {
        let slots = match list {
            "summary" => &self.summary,
            _ => &self.content,
        };
        let said = match item.get(list) {
            None if slots.is_empty() => return Ok(()),
            _ => item.array(list)?,
        };
        if said.len() != slots.len() {
            let expected = format!("the {} that came", count(slots.len(), "part"));
            return Err(item.wrong(list, expected));
        }
        for (n, (said, slot)) in said.iter().zip(slots).enumerate() {
            let path = format!("{}{list}[{n}].", item.path());
            let Value::Object(said) = said else {
                return Err(item.wrong(list, "an array of objects"));
            };
            slot.check(Members::new(&path, said))?;
        }
        Ok(())
    }

    /// The text that an event of this stream belongs to, which has to be open.
    fn streamed(&mut self, stream: &Stream, event: Members<'_>) -> Checked<&mut Slot> {
        if self.kind() != stream.item {
            return Err(self.wrong_kind(event, stream.item));
        }
        let slot = self.slot(stream.slots, event)?;
        if stream.slots != Slots::Own && slot.part != stream.part {
            return Err(Problem::new(
                AccumulateErrorKind::WrongDelta,
                "an event does not fit its part",
                format!("an event of the part, which is {}", slot.part),
                found_type(event),
            ));
        }
        match slot.state {
            State::Open => Ok(slot),
            State::Said | State::Closed => Err(gone_on(event)),
        }
    }

    fn list(&mut self, slots: Slots) -> &mut Vec<Slot> {
        match slots {
            Slots::Summary => &mut self.summary,
            Slots::Content | Slots::Own => &mut self.content,
        }
    }

    /// The part with the event's index; without one, the only one that is open.
    fn slot(&mut self, slots: Slots, event: Members<'_>) -> Checked<&mut Slot> {
        let number = match slots {
            Slots::Content => "content_index",
            Slots::Summary => "summary_index",
            Slots::Own => {
                let kind = self.kind().to_owned();
                return self.own.as_mut().ok_or_else(|| no_part(event, &kind));
            }
        };
        let index = event.number_or_null(number)?;
        let index = index.map(|index| usize::try_from(index).unwrap_or(usize::MAX));
        let list = self.list(slots);
        let open = |slot: &Slot| slot.state != State::Closed;
        let at = match index {
            Some(index) => index,
            None if list.iter().filter(|slot| open(slot)).count() == 1 => {
                list.iter().position(open).unwrap_or_default()
            }
            None => return Err(event.missing(number, "the index of one of the parts")),
        };
        let count = list.len();
        let parts = match count {
            0 => "a part that was added: there is none yet".to_owned(),
            1 => "the one part that was added, 0".to_owned(),
            count => format!("one of the {count} parts that were added"),
        };
        list.get_mut(at).ok_or_else(|| no_part(event, &parts))
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

    /// The parts so far, whether it is done or not.
    pub(super) fn into_parts(self, refuses: Refuses, parts: &mut Vec<Part>) {
        if let Some(done) = self.done {
            let from = parts.len();
            // it was read before
            let _ = parts::read(&done, "item.", refuses, parts);
            let unknown = parts.iter_mut().skip(from).filter_map(|part| {
                let Part::Unknown { deltas, .. } = part else {
                    return None;
                };
                Some(deltas)
            });
            let slots = self.content.into_iter();
            let slots = slots.filter(|slot| text_of_part(&slot.part).is_none());
            let mut kept = slots.map(|slot| slot.events);
            for deltas in unknown {
                *deltas = kept.next().unwrap_or_else(|| self.events.clone());
            }
            return;
        }
        match self.start.get("type").and_then(Value::as_str) {
            Some("message") => parts.extend(self.content.into_iter().map(Slot::into_part)),
            Some("reasoning") => {
                let texts = self.summary.into_iter().chain(self.content);
                let texts: Vec<String> = texts.map(|slot| slot.text).collect();
                parts.push(Part::Thinking {
                    text: texts.join(BETWEEN_SUMMARIES),
                    signature: String::new(),
                });
            }
            kind => {
                let stream = own_stream(kind.unwrap_or_default());
                let said = self.own.map(|slot| slot.text).unwrap_or_default();
                let mut deltas = self.events;
                if let (Some(stream), false) = (stream, said.is_empty()) {
                    deltas.push(json!({"type": format!("{}.delta", stream.name), "delta": said}));
                }
                parts.push(Part::Unknown {
                    block: Value::Object(self.start),
                    deltas,
                });
            }
        }
    }
}
