//! The events of an item that is open, and the text that each belongs to.

use serde_json::{Map, Value};

use super::Item;
use crate::api::{
    accumulate::{AccumulateErrorKind, Members, Problem},
    openai_responses::accumulate::{
        Checked,
        event::{Slots, Stream, own_stream, text_of_part},
        slot::{Slot, State, found_type, gone_on, no_part, same_text},
    },
};

impl Item {
    pub(in crate::api::openai_responses::accumulate) fn add_part(
        &mut self,
        slots: Slots,
        event: Members<'_>,
    ) -> Checked<()> {
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

    pub(in crate::api::openai_responses::accumulate) fn part_done(
        &mut self,
        slots: Slots,
        event: Members<'_>,
    ) -> Checked<()> {
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

    pub(in crate::api::openai_responses::accumulate) fn delta(
        &mut self,
        stream: &Stream,
        event: Members<'_>,
    ) -> Checked<()> {
        let slot = self.streamed(stream, event)?;
        slot.text.push_str(event.string("delta")?);
        Ok(())
    }

    pub(in crate::api::openai_responses::accumulate) fn text_done(
        &mut self,
        stream: &Stream,
        event: Members<'_>,
    ) -> Checked<()> {
        let slot = self.streamed(stream, event)?;
        same_text(event, stream.whole, &slot.text)?;
        slot.state = State::Said;
        Ok(())
    }

    pub(in crate::api::openai_responses::accumulate) fn annotate(
        &mut self,
        event: Members<'_>,
    ) -> Checked<()> {
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

    pub(in crate::api::openai_responses::accumulate) fn status(
        &self,
        kind: &str,
        event: Members<'_>,
    ) -> Checked<()> {
        if self.kind() == kind {
            Ok(())
        } else {
            Err(self.wrong_kind(event, kind))
        }
    }

    /// Keeps an event that there is no word for, without what stands around it, if it says anything: for an item, or
    /// a part, that there is no word for either.
    pub(in crate::api::openai_responses::accumulate) fn keep(
        &mut self,
        event: &Map<String, Value>,
    ) {
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
}
