//! The items of one answer: which of them an event is of, and whether the response that ended has the same ones.

use serde_json::{Map, Value};

use super::{
    Checked, body,
    item::Item,
    parts::{self, Refuses},
};
use crate::{
    api::accumulate::{AccumulateErrorKind, Found, Members, Problem},
    script::{Part, count},
};

/// By their indices.
#[derive(Debug, Default)]
pub(super) struct Output(Vec<Item>);

impl Output {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Item> {
        self.0.iter()
    }

    /// Whether nothing but a refusal was said.
    pub(super) fn refuses(&self) -> Refuses {
        parts::refuse(self.0.iter().filter_map(Item::whole))
    }

    /// The parts so far.
    pub(super) fn into_parts(self, refuses: Refuses) -> Vec<Part> {
        let mut parts = Vec::with_capacity(self.0.len());
        for item in self.0 {
            item.into_parts(refuses, &mut parts);
        }
        parts
    }

    pub(super) fn add(&mut self, mut data: Map<String, Value>) -> Checked<()> {
        let members = Members::new("", &data);
        let next = self.0.len();
        let index = members.number_or_null("output_index")?;
        if index.is_some_and(|index| usize::try_from(index) != Ok(next)) {
            return Err(members.wrong("output_index", format!("{next}: items count up from 0")));
        }
        members.object("item")?;
        if let Some(Value::Object(start)) = data.remove("item") {
            self.0.push(Item::start(next, start)?);
        }
        Ok(())
    }

    pub(super) fn finish(&mut self, mut data: Map<String, Value>) -> Checked<()> {
        let members = Members::new("", &data);
        members.object("item")?;
        let at = self.place(members)?;
        match (self.0.get_mut(at), data.remove("item")) {
            (Some(item), Some(Value::Object(done))) => item.finish(done),
            _ => Ok(()),
        }
    }

    pub(super) fn open(&mut self, event: Members<'_>) -> Checked<&mut Item> {
        let at = self.place(event)?;
        let expected = "an item that was added";
        let lost = || {
            Problem::new(
                AccumulateErrorKind::WrongBlock,
                WHOSE,
                expected,
                found(event),
            )
        };
        self.0.get_mut(at).ok_or_else(lost)
    }

    /// The open item that the event is of, by index and id.
    pub(super) fn place(&self, event: Members<'_>) -> Checked<usize> {
        let problem = |expected: String| {
            Problem::new(
                AccumulateErrorKind::WrongBlock,
                WHOSE,
                expected,
                found(event),
            )
        };
        let index = event.number_or_null("output_index")?;
        let index = index.map(|index| usize::try_from(index).unwrap_or(usize::MAX));
        let nested = event.get("item").and_then(|item| item.get("id")?.as_str());
        let id = event.string_or_null("item_id")?.or(nested);
        let of_id = |id: &str| self.0.iter().position(|item| item.id() == id);
        let mut open = self.0.iter().enumerate();
        let mut open = open.by_ref().filter(|(_, item)| item.is_open());
        let at = match (index, id) {
            (Some(index), _) => index,
            (None, Some(id)) => match of_id(id) {
                Some(at) => at,
                None => return Err(problem("the id of an item that was added".to_owned())),
            },
            (None, None) => match (open.next(), open.next()) {
                (Some((at, _)), None) => at,
                _ => {
                    return Err(event.missing("output_index", "the index of one of the open items"));
                }
            },
        };
        let Some(item) = self.0.get(at) else {
            return Err(problem(match self.0.len() {
                0 => "an item that was added: there is none yet".to_owned(),
                len => format!("an item that was added, up to {}", len - 1),
            }));
        };
        if id.is_some_and(|id| !item.id().is_empty() && id != item.id()) {
            let expected = format!("`{}`, the id of item {at}", item.id().escape_debug());
            return Err(match event.object_or_null("item")? {
                Some(done) => Members::new("item.", done).wrong("id", expected),
                None => event.wrong("item_id", expected),
            });
        }
        if !item.is_open() {
            return Err(problem(format!("no more of item {at}, which is done")));
        }
        Ok(at)
    }

    /// Whether the output says what was streamed.
    pub(super) fn check(&self, response: Members<'_>) -> Checked<()> {
        let said = body::items(response)?;
        if said.len() != self.0.len() {
            let expected = format!("the {} that came", count(self.0.len(), "item"));
            return Err(response.wrong("output", expected));
        }
        for (n, (item, said)) in self.0.iter().zip(said).enumerate() {
            let path = format!("response.output[{n}].");
            let members = Members::new(&path, said);
            let done = item.whole().unwrap_or(said);
            for name in ["type", "id"] {
                if members.get(name) != done.get(name).filter(|value| !value.is_null()) {
                    return Err(members.wrong(name, "as it was when the item was done"));
                }
            }
            if meaning(said, &path)? != meaning(done, "item.")? {
                let field = format!("response.output[{n}]");
                return Err(Problem::new(
                    AccumulateErrorKind::WrongField {
                        field: field.clone(),
                    },
                    format!("the item `{field}` is not the one that was streamed"),
                    "what it said when it was done",
                    Found::quoted(members.to_json()),
                ));
            }
        }
        Ok(())
    }
}

const WHOSE: &str = "an event is of no open item";

fn found(event: Members<'_>) -> Found {
    Found::quoted(event.to_json())
}

/// What an item says, without its encrypted form.
fn meaning(item: &Map<String, Value>, path: &str) -> Checked<Vec<Part>> {
    let mut item = item.clone();
    item.remove("encrypted_content");
    let mut parts = Vec::new();
    parts::read(&item, path, Refuses::No, &mut parts)?;
    Ok(parts)
}

/// The parts as the response that ended has them, with the events that were kept of those that streamed.
pub(super) fn last_forms(
    output: &Value,
    refuses: Refuses,
    streamed: Vec<Part>,
) -> Checked<Vec<Part>> {
    let mut last = Vec::with_capacity(streamed.len());
    for item in output.as_array().into_iter().flatten() {
        if let Value::Object(item) = item {
            parts::read(item, "response.output.", refuses, &mut last)?;
        }
    }
    for (last, streamed) in last.iter_mut().zip(streamed) {
        if let (Part::Unknown { deltas, .. }, Part::Unknown { deltas: kept, .. }) = (last, streamed)
        {
            *deltas = kept;
        }
    }
    Ok(last)
}
