//! Tool calls: fragments are told apart by their index, or by their id where that is missing or stands twice. Where they
//! have neither, one belongs to the only call that is not whole yet, as nothing can follow a whole object.

use serde_json::{Value, json};

use super::Checked;
use crate::{
    api::accumulate::{AccumulateErrorKind, Found, Members, Problem},
    json,
    script::{CustomToolCall, Part, ToolCall, ToolKind},
};

/// The calls of one choice, in order.
#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: Vec<Call>,
    /// Of each index the places of its calls: there are several where it stands twice.
    places: Vec<Vec<usize>>,
}

#[derive(Debug)]
struct Call {
    index: u64,
    id: String,
    name: String,
    /// Of a function's arguments, or of a custom tool's input.
    arguments: String,
    kind: ToolKind,
    /// Whether nothing can follow its arguments: they were an object when a later call began.
    is_whole: bool,
}

impl Calls {
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Reads a fragment of a streamed call.
    pub(super) fn fragment(&mut self, sent: Members<'_>) -> Checked<()> {
        let id = sent.string_or_null("id")?.unwrap_or_default();
        let at = self.place(sent, id)?;
        self.add(at, sent, id)
    }

    /// Reads a call of a body, which is whole.
    pub(super) fn whole(&mut self, sent: Members<'_>) -> Checked<()> {
        let id = sent.string_or_null("id")?.unwrap_or_default();
        let at = self.open(self.next_index());
        self.add(at, sent, id)
    }

    /// The call that a fragment belongs to; a new one if it opens one.
    fn place(&mut self, sent: Members<'_>, id: &str) -> Checked<usize> {
        let index = sent.number_or_null("index")?;
        if !id.is_empty() {
            let of_id = self.find(index, |call| call.id == id);
            let unnamed = || self.find(index, |call| call.id.is_empty());
            return match (of_id.or_else(unnamed), index) {
                (Some(at), _) => Ok(at),
                // another id at a known index is another call
                (None, Some(index)) if index < self.next_index() => Ok(self.open(index)),
                (None, index) => self.open_next(sent, index),
            };
        }
        let known: Vec<usize> = self.known(index).collect();
        let is_open = |at: &&usize| self.calls.get(**at).is_some_and(|call| !call.is_whole);
        let mut open = known.iter().filter(is_open);
        match (&known[..], open.next(), open.next()) {
            (&[at], ..) | (_, Some(&at), None) => Ok(at),
            ([], ..) => self.open_next(sent, index),
            _ => {
                let several = self.known(index).filter_map(|at| self.calls.get(at));
                let ids: Vec<&str> = several.map(|call| call.id.as_str()).collect();
                Err(Problem::new(
                    AccumulateErrorKind::WrongBlock,
                    "a fragment of a tool call could belong to several",
                    format!("the index, or the id, of one of {}", ids.join(", ")),
                    found_in(sent),
                ))
            }
        }
    }

    /// The places of the calls with this index; without one, of all.
    fn known(&self, index: Option<u64>) -> Box<dyn Iterator<Item = usize> + '_> {
        match index {
            None => Box::new(0..self.calls.len()),
            Some(index) => {
                let index = usize::try_from(index).unwrap_or(usize::MAX);
                Box::new(self.places.get(index).into_iter().flatten().copied())
            }
        }
    }

    fn find(&self, index: Option<u64>, is_it: impl Fn(&Call) -> bool) -> Option<usize> {
        self.known(index)
            .find(|&at| self.calls.get(at).is_some_and(&is_it))
    }

    fn open_next(&mut self, sent: Members<'_>, index: Option<u64>) -> Checked<usize> {
        let next = self.next_index();
        if index.is_some_and(|index| index != next) {
            return Err(Problem::new(
                AccumulateErrorKind::WrongBlock,
                "a tool call starts with an index that is not its turn",
                format!("the index {next}: indices count up from 0"),
                found_in(sent),
            ));
        }
        Ok(self.open(next))
    }

    fn next_index(&self) -> u64 {
        u64::try_from(self.places.len()).unwrap_or(u64::MAX)
    }

    /// Opens a call at a known index, or at the next one.
    fn open(&mut self, index: u64) -> usize {
        for call in self.calls.iter_mut().filter(|call| !call.is_whole) {
            let is_object = |value: Value| value.is_object() && !call.arguments.is_empty();
            call.is_whole = call.kind == ToolKind::Function && call.value().is_ok_and(is_object);
        }
        let at = self.calls.len();
        let place = usize::try_from(index).unwrap_or(usize::MAX);
        match self.places.get_mut(place) {
            Some(places) => places.push(at),
            None => self.places.push(vec![at]),
        }
        self.calls.push(Call {
            index,
            id: String::new(),
            name: String::new(),
            arguments: String::new(),
            kind: ToolKind::Function,
            is_whole: false,
        });
        at
    }

    fn add(&mut self, at: usize, sent: Members<'_>, id: &str) -> Checked<()> {
        let Some(call) = self.calls.get_mut(at) else {
            return Ok(());
        };
        if call.id.is_empty() {
            id.clone_into(&mut call.id);
        }
        match sent.string_or_null("type")? {
            None | Some("" | "function") => {}
            Some("custom") => call.kind = ToolKind::Custom,
            Some(_) => return Err(sent.wrong("type", "`function` or `custom`")),
        }
        for (word, text) in [("function", "arguments"), ("custom", "input")] {
            let Some(said) = sent.object_or_null(word)? else {
                continue;
            };
            if word == "custom" {
                call.kind = ToolKind::Custom;
            }
            let path = format!("{}{word}.", sent.path());
            let said = Members::new(&path, said);
            let name = said.string_or_null("name")?.unwrap_or_default();
            // some servers repeat it, others send it in pieces
            if name != call.name {
                call.name.push_str(name);
            }
            let more = said.string_or_null(text)?.unwrap_or_default();
            call.arguments.push_str(more);
        }
        Ok(())
    }

    /// Whether all calls are whole, once nothing more comes.
    pub(super) fn check(&self, path: &str) -> Checked<()> {
        for (n, call) in self.calls.iter().enumerate() {
            let path = format!("{path}tool_calls[{n}].");
            let name = match call.kind {
                ToolKind::Function => "function.name",
                ToolKind::Custom => "custom.name",
            };
            for (field, value) in [("id", &call.id), (name, &call.name)] {
                if value.is_empty() {
                    let field = format!("{path}{field}");
                    return Err(Problem::new(
                        AccumulateErrorKind::MissingField {
                            field: field.clone(),
                        },
                        format!("a tool call ended and its `{field}` did not come"),
                        "a string that is not empty",
                        Found::quoted(&call.arguments),
                    ));
                }
            }
            if call.kind == ToolKind::Function {
                call.value()?;
            }
        }
        Ok(())
    }

    /// The parts that they come to; before their end, or if they are broken, as what they are so far.
    pub(super) fn into_parts(self, ended: Ended) -> impl Iterator<Item = Part> {
        self.calls.into_iter().map(move |call| {
            if ended == Ended::No {
                return call.into_unknown();
            }
            match (call.kind, call.value()) {
                (ToolKind::Custom, _) => {
                    let call = CustomToolCall::new(call.id, call.name, call.arguments);
                    Part::CustomToolCall(call)
                }
                (ToolKind::Function, Ok(arguments)) => {
                    Part::ToolCall(ToolCall::new(call.id, call.name, arguments))
                }
                (ToolKind::Function, Err(_)) => call.into_unknown(),
            }
        })
    }
}

/// Whether nothing more comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Yes,
    No,
}

impl Call {
    /// The arguments of a function.
    fn value(&self) -> Checked<Value> {
        match self.arguments.as_str() {
            "" | "null" => Ok(Value::Object(serde_json::Map::new())),
            text => json::parse(text.as_bytes()).map_err(|error| {
                Problem::new(
                    AccumulateErrorKind::ArgumentsNotJson {
                        name: self.name.clone(),
                        raw: text.to_owned(),
                    },
                    format!(
                        "the arguments of `{}` are not JSON: {error}",
                        self.name.escape_debug()
                    ),
                    "one JSON document",
                    Found::quoted(text),
                )
                .help("a half call must not be run; what came is in `partial()`")
            }),
        }
    }

    fn into_unknown(self) -> Part {
        let (word, text) = match self.kind {
            ToolKind::Function => ("function", "arguments"),
            ToolKind::Custom => ("custom", "input"),
        };
        let delta = |said: Value| json!({"index": self.index, word: said});
        Part::Unknown {
            block: json!({
                "index": self.index, "id": self.id, "type": word, word: {"name": self.name, text: ""}
            }),
            deltas: vec![delta(json!({text: self.arguments}))],
        }
    }
}

fn found_in(sent: Members<'_>) -> Found {
    Found::quoted(sent.to_json())
}
