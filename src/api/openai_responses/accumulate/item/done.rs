//! The end of an item, and the parts that it comes to.

use serde_json::{Map, Value, json};

use super::Item;
use crate::{
    api::{
        accumulate::{AccumulateErrorKind, Found, Members, Problem},
        openai_responses::accumulate::{
            Checked,
            event::{own_stream, text_of_part},
            parts::{self, BETWEEN_SUMMARIES, Refuses},
            slot::{Slot, State, same_text},
        },
    },
    script::{Part, count},
};

impl Item {
    /// Ends the item: all of its texts are there, and it says what was streamed.
    pub(in crate::api::openai_responses::accumulate) fn finish(
        &mut self,
        done: Map<String, Value>,
    ) -> Checked<()> {
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

    /// The parts so far, whether it is done or not.
    pub(in crate::api::openai_responses::accumulate) fn into_parts(
        self,
        refuses: Refuses,
        parts: &mut Vec<Part>,
    ) {
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
