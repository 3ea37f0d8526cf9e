//! Events, or the non-streaming body, in; a [`Reply`], or what is wrong, out. Where it is wrong, the caller knows.
//!
//! | stage | `created` | `queued`, `in_progress` | an item is added | other events of items | an end | end of the stream |
//! | --- | --- | --- | --- | --- | --- | --- |
//! | nothing yet | → begun | → begun, if numbered from 1 on: a stream that goes on | error | error | error | error |
//! | begun | error | each once, in this order | → items | error | → ended | error |
//! | items | error | error | at the next index | of an open item, as `item/mod.rs` says | → ended, if all items are done | error |
//! | ended | error | error | error | error | error | whole |
//!
//! An end is `response.completed`, `response.incomplete` or `response.failed`, which is an error; so is `error`, in
//! either of its forms. The output of the response that ended says what was streamed; only `encrypted_content` is
//! written anew each time, and the last one is the one to keep.
//!
//! The `sequence_number`s that are there count up by one from 0, or from wherever a stream that goes on begins. In
//! every stage `keepalive`, `ping` and events of unknown types are skipped, as are empty ones; `[DONE]` is skipped
//! behind the end. The catalogue of faults asks for each leniency: an event may have no name, items may overlap, and
//! an event may lack one of `output_index` and `item_id`, or both where that leaves no doubt.

mod body;
mod citation;
#[cfg(test)]
mod error_tests;
mod event;
mod failure;
mod item;
mod output;
mod parts;
mod slot;
#[cfg(test)]
mod tests;
mod usage;

pub(crate) use body::body_to_reply;
pub(super) use citation::read as read_citation;
pub(super) use parts::BETWEEN_SUMMARIES;
use serde_json::{Map, Value};

use self::{
    event::{Ending, Event, Stage},
    output::Output,
    parts::Refuses,
    slot::found_type,
};
use crate::{
    api::accumulate::{AccumulateErrorKind, Found, Members, Problem},
    json,
    script::{Part, Reply, count},
    sse::SseEvent,
};

/// Behind a pointer, so that a `Result` stays small.
type Checked<T> = Result<T, Box<Problem>>;

/// The events of one answer in, its [`Reply`] out.
#[derive(Debug, Default)]
pub(crate) struct ResponsesAccumulator {
    stage: Option<Stage>,
    id: String,
    /// The last one that came.
    number: Option<u64>,
    output: Output,
    ended: Option<(Ending, Map<String, Value>)>,
}

impl ResponsesAccumulator {
    pub(crate) fn push(&mut self, event: &SseEvent) -> Checked<()> {
        let Some((word, data)) = self.read(event)? else {
            return Ok(());
        };
        let Some(known) = Event::from_word(&word) else {
            self.unknown(&data);
            return Ok(());
        };
        let members = Members::new("", &data);
        if let Event::Error = known {
            return Err(failure::reported(members, self.expected()));
        }
        self.number(&known, members)?;
        if self.ended.is_some() && !matches!(known, Event::Idle) {
            return Err(self.out_of_order(members));
        }
        match known {
            Event::Idle | Event::Error => Ok(()),
            Event::Stage(stage) => self.begin(stage, members),
            Event::End(ending) => self.end(ending, data),
            _ if self.stage.is_none() => Err(self.out_of_order(members)),
            Event::ItemAdded => self.output.add(data),
            Event::ItemDone => self.output.finish(data),
            Event::PartAdded(slots) => self.output.open(members)?.add_part(slots, members),
            Event::PartDone(slots) => self.output.open(members)?.part_done(slots, members),
            Event::Annotation => self.output.open(members)?.annotate(members),
            Event::Delta(stream) => self.output.open(members)?.delta(stream, members),
            Event::Done(stream) => self.output.open(members)?.text_done(stream, members),
            Event::Status(kind) => {
                let item = self.output.open(members)?;
                item.status(kind, members)?;
                item.keep(&data);
                Ok(())
            }
        }
    }

    /// The reply, after `events` events.
    pub(crate) fn finish(&mut self, events: usize) -> Checked<Reply> {
        let Some((ending, response)) = self.ended.take() else {
            return Err(Problem::new(
                AccumulateErrorKind::Truncated,
                "the answer ended before `response.completed`",
                self.expected(),
                Found::Said(format!(
                    "the end of the stream, after {}",
                    count(events, "event")
                )),
            )
            .help(
                "if the early end is scripted, expect this error; what was read is in `partial()`",
            ));
        };
        let refuses = match ending {
            Ending::Completed => self.output.refuses(),
            Ending::Incomplete | Ending::Failed => Refuses::No,
        };
        let mut said = self.parts(refuses);
        let members = Members::new("response.", &response);
        // their encrypted forms are written anew; clients keep the last
        if let Some(output) = members.get("output") {
            said = output::last_forms(output, refuses, said)?;
        }
        body::reply(members, ending, refuses, said)
    }

    /// The parts read so far, which are moved out.
    pub(crate) fn take_partial(&mut self) -> Vec<Part> {
        self.parts(Refuses::No)
    }

    fn parts(&mut self, refuses: Refuses) -> Vec<Part> {
        std::mem::take(&mut self.output).into_parts(refuses)
    }

    /// What may come next.
    pub(crate) fn expected(&self) -> String {
        if self.ended.is_some() {
            return "the end of the stream".to_owned();
        }
        let mut open = self.output.iter().filter(|item| item.is_open());
        match (self.stage, open.next()) {
            (None, _) => "response.created".to_owned(),
            (Some(_), Some(item)) => item.expected(),
            (Some(_), None) => {
                let next = self.output.len();
                format!("response.output_item.added of item {next}, or response.completed")
            }
        }
    }

    /// Type and data of the event, or `None` if it is one to skip.
    fn read(&self, event: &SseEvent) -> Checked<Option<(String, Map<String, Value>)>> {
        let data = event.data();
        let name = event.name();
        let is_error = name == Some("error");
        // empty `data:` lines say nothing, but an error without data is still one
        let silent = data.bytes().all(|byte| byte == b'\n') && !is_error;
        let sentinel = name.is_none() && self.ended.is_some() && data.trim() == DONE;
        if silent || sentinel {
            return Ok(None);
        }
        let known = name.is_none_or(|name| Event::from_word(name).is_some());
        let map = match json::parse(data.as_bytes()) {
            Ok(Value::Object(map)) => map,
            Ok(_) | Err(_) if is_error => {
                return Err(failure::unreadable(data, self.expected()));
            }
            // it may be of any form
            Ok(_) | Err(_) if !known => return Ok(None),
            Ok(_) | Err(_) if data.trim() == DONE => {
                return Err(Problem::new(
                    AccumulateErrorKind::UnexpectedEvent,
                    "an event came out of order",
                    self.expected(),
                    Found::quoted(DONE),
                ));
            }
            Ok(_) | Err(_) => {
                return Err(Problem::new(
                    AccumulateErrorKind::MalformedJson,
                    match name {
                        Some(name) => format!("the data of `{name}` is not one JSON object"),
                        None => "the data of an event is not one JSON object".to_owned(),
                    },
                    "one JSON object",
                    Found::quoted(data),
                ));
            }
        };
        let members = Members::new("", &map);
        let word = match (members.string_or_null("type")?, name) {
            // the error itself may have the only type there is
            (_, Some("error")) => "error",
            (None, _) if failure::is_one(members) => "error",
            (None, Some(name)) if !known => name,
            (None, _) => return Err(members.missing("type", "the type of the event")),
            (Some(word), Some(name)) if word != name => {
                if !known && Event::from_word(word).is_none() {
                    return Ok(None);
                }
                return Err(Problem::new(
                    AccumulateErrorKind::NameMismatch,
                    "the name of an event and the type in its data differ",
                    format!("the type {}", name.escape_debug()),
                    Found::quoted(word),
                ));
            }
            (Some(word), _) => word,
        };
        Ok(Some((word.to_owned(), map)))
    }

    /// Notes the number of a known event.
    fn number(&mut self, event: &Event, members: Members<'_>) -> Checked<()> {
        let Some(number) = members.number_or_null("sequence_number")? else {
            return Ok(());
        };
        let goes_on = matches!(event, Event::Stage(Stage::Queued | Stage::InProgress));
        let wanted = match self.number {
            Some(last) => last.saturating_add(1),
            None if self.stage.is_none() && goes_on && number > 0 => number,
            None => 0,
        };
        // a keepalive may stand anywhere, and an answer need not number all of its events
        if number != wanted && (self.number.is_some() || self.stage.is_none()) {
            let problem = members.wrong(
                "sequence_number",
                format!("{wanted}: events are numbered one by one"),
            );
            return Err(problem.help("an event was lost, came twice, or came out of order"));
        }
        self.number = Some(number);
        Ok(())
    }

    /// Skips an event of an unknown type; of an item that there is no word for, it is kept.
    fn unknown(&mut self, data: &Map<String, Value>) {
        let members = Members::new("", data);
        let next = self.number.map(|last| last.saturating_add(1));
        if let Ok(Some(number)) = members.number_or_null("sequence_number") {
            if next == Some(number) {
                self.number = next;
            }
        }
        let about = members.get("item_id").is_some() || members.get("output_index").is_some();
        if about && self.ended.is_none() {
            if let Ok(item) = self.output.open(members) {
                item.keep(data);
            }
        }
    }

    fn begin(&mut self, stage: Stage, event: Members<'_>) -> Checked<()> {
        let numbered = self.number.is_some_and(|number| number > 0);
        let in_place = match self.stage {
            None => stage == Stage::Created || numbered,
            Some(before) => before < stage && self.output.len() == 0,
        };
        if !in_place {
            return Err(self.out_of_order(event));
        }
        let response = Members::new("response.", event.object("response")?);
        self.same_response(response)?;
        if response.get("output").is_some() && !response.array("output")?.is_empty() {
            return Err(response.wrong("output", "an empty array: items have events of their own"));
        }
        self.stage = Some(stage);
        Ok(())
    }

    /// Every event that carries the response carries the same one.
    fn same_response(&mut self, response: Members<'_>) -> Checked<()> {
        let id = response.non_empty_string("id")?;
        if self.id.is_empty() {
            id.clone_into(&mut self.id);
        }
        if id == self.id {
            return Ok(());
        }
        let problem = response.wrong("id", format!("`{}`, as before", self.id.escape_debug()));
        Err(problem.help("two answers may have been joined; each needs an accumulator of its own"))
    }

    fn end(&mut self, ending: Ending, mut data: Map<String, Value>) -> Checked<()> {
        let event = Members::new("", &data);
        let response = Members::new("response.", event.object("response")?);
        if ending == Ending::Failed {
            return Err(failure::failed(response, self.expected()));
        }
        if self.stage.is_none() {
            return Err(self.out_of_order(event));
        }
        self.same_response(response)?;
        let status = response.string_or_null("status")?;
        if status.is_some_and(|status| status != ending.status()) {
            return Err(response.wrong("status", format!("`{}`", ending.status())));
        }
        if let Some(index) = self.output.iter().position(item::Item::is_open) {
            return Err(Problem::new(
                AccumulateErrorKind::BlockNotClosed { index },
                format!("the answer is about to end and item {index} is not done"),
                self.expected(),
                found_type(event),
            ));
        }
        if response.get("output").is_some() {
            self.output.check(response)?;
        }
        usage::read(response)?;
        if let Some(Value::Object(response)) = data.remove("response") {
            self.ended = Some((ending, response));
        }
        Ok(())
    }

    fn out_of_order(&self, event: Members<'_>) -> Box<Problem> {
        let problem = Problem::new(
            AccumulateErrorKind::UnexpectedEvent,
            "an event came out of order",
            self.expected(),
            found_type(event),
        );
        match event.get("type").and_then(Value::as_str) {
            Some("response.created") if self.stage.is_some() => problem
                .help("two answers may have been joined; each needs an accumulator of its own"),
            _ => problem,
        }
    }
}

const DONE: &str = "[DONE]";
