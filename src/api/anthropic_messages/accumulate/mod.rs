//! Events, or the non-streaming body, in; a [`Reply`], or what is wrong, out. Where it is wrong, the
//! caller knows.
//!
//! | stage | `message_start` | block events | `message_delta` | `message_stop` |
//! | --- | --- | --- | --- | --- |
//! | `Start` | → `Blocks` | error | error | error |
//! | `Blocks` | error | as below | → `Ending`, if no block is open | error |
//! | `Ending` | error | error | counters and reason are renewed | → `Stopped` |
//! | `Stopped` | error | error | error | error |
//!
//! | block | start | delta | stop |
//! | --- | --- | --- | --- |
//! | the next index | → open | error | error |
//! | open | error | joined | → stopped |
//! | stopped | error | error | error |
//!
//! In every stage a `ping` and an event whose name and type are unknown are skipped, as is a known one whose
//! data is empty; `error` is an error. `[DONE]` without a name is skipped once stopped. The catalogue of faults
//! asks for each leniency: blocks may overlap, an event may have no name, and a block event may lack its
//! `index` where that leaves no doubt.
//!
//! A block of a type that there is no word for is [`Part::Unknown`]: the block as it started, and its deltas.

mod block;
mod body;
mod citation;
mod deltas;
mod extras;
mod usage;

use std::collections::BTreeSet;

pub(crate) use body::body_to_reply;
use serde_json::{Map, Value};

use self::block::Block;
pub(super) use self::{block::is_result, citation::read as citation};
use super::stop_reason;
use crate::{
    api::accumulate::{AccumulateErrorKind, Found, Members, Problem},
    json,
    script::{Extras, Json, Part, Reply, Usage, count},
    sse::SseEvent,
};

/// Behind a pointer, so that a `Result` stays small.
type Checked<T> = Result<T, Box<Problem>>;

/// The events of one answer in, its [`Reply`] out.
#[derive(Debug, Default)]
pub(crate) struct MessagesAccumulator {
    stage: Stage,
    id: String,
    model: String,
    /// In order of their indices.
    blocks: Vec<Block>,
    /// The indices of the blocks that have not stopped.
    open: BTreeSet<usize>,
    stop_reason: Option<String>,
    stop_sequence: Option<String>,
    usage: Usage,
    extras: Extras,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Start,
    Blocks,
    Ending,
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EventType {
    MessageStart,
    BlockStart,
    BlockDelta,
    BlockStop,
    MessageDelta,
    MessageStop,
    Ping,
    Error,
}

impl EventType {
    fn from_word(word: &str) -> Option<Self> {
        match word {
            "message_start" => Some(Self::MessageStart),
            "content_block_start" => Some(Self::BlockStart),
            "content_block_delta" => Some(Self::BlockDelta),
            "content_block_stop" => Some(Self::BlockStop),
            "message_delta" => Some(Self::MessageDelta),
            "message_stop" => Some(Self::MessageStop),
            "ping" => Some(Self::Ping),
            "error" => Some(Self::Error),
            _ => None,
        }
    }
}

impl MessagesAccumulator {
    pub(crate) fn push(&mut self, event: &SseEvent) -> Checked<()> {
        let Some((event_type, data)) = self.read(event)? else {
            return Ok(());
        };
        let members = Members::new("", &data);
        match (self.stage, event_type) {
            (_, EventType::Ping) => Ok(()),
            (_, EventType::Error) => Err(provider_error(members, self.expected())),
            (Stage::Start, EventType::MessageStart) => self.message_start(members),
            (Stage::Blocks, EventType::BlockStart) => self.block_start(data),
            (Stage::Blocks, EventType::BlockDelta) => self.block_delta(data),
            (Stage::Blocks, EventType::BlockStop) => self.block_stop(members),
            (Stage::Blocks, EventType::MessageDelta | EventType::MessageStop)
                if !self.open.is_empty() =>
            {
                Err(self.not_closed(members))
            }
            (Stage::Blocks | Stage::Ending, EventType::MessageDelta) => self.message_delta(members),
            (Stage::Ending, EventType::MessageStop) => self.message_stop(),
            (Stage::Start | Stage::Blocks | Stage::Ending | Stage::Stopped, _) => {
                Err(self.out_of_order(members))
            }
        }
    }

    /// The reply, after `events` events.
    pub(crate) fn finish(&mut self, events: usize) -> Checked<Reply> {
        if self.stage != Stage::Stopped {
            return Err(Problem::new(
                AccumulateErrorKind::Truncated,
                "the answer ended before `message_stop`",
                self.expected(),
                Found::Said(format!(
                    "the end of the stream, after {}",
                    count(events, "event")
                )),
            )
            .help(
                "if the early end is scripted, expect this error; what was read is in `partial()`",
            ));
        }
        let word = self.stop_reason.take().unwrap_or_default();
        let mut reply = Reply::new(
            std::mem::take(&mut self.id),
            std::mem::take(&mut self.model),
            self.take_partial(),
            stop_reason(&word, self.stop_sequence.as_deref()),
            std::mem::take(&mut self.usage),
        );
        let extras = std::mem::take(&mut self.extras);
        reply.stop_details = extras.stop_details;
        reply.container = extras.container;
        reply.context_management = extras.context_management;
        reply.service_tier = extras.service_tier;
        reply.inference_geo = extras.inference_geo;
        Ok(reply)
    }

    /// The parts read so far, which are moved out.
    pub(crate) fn take_partial(&mut self) -> Vec<Part> {
        let mut parts = Vec::with_capacity(self.blocks.len());
        parts.extend(self.blocks.drain(..).map(Block::into_part));
        parts
    }

    /// Which events may come next, pings apart.
    pub(crate) fn expected(&self) -> String {
        match self.stage {
            Stage::Start => "message_start".to_owned(),
            Stage::Blocks if self.open.is_empty() => {
                let next = self.blocks.len();
                format!("content_block_start of block {next}, or message_delta")
            }
            Stage::Blocks => {
                let blocks = self.open_blocks();
                format!("content_block_delta or content_block_stop of {blocks}")
            }
            Stage::Ending => "message_stop".to_owned(),
            Stage::Stopped => "the end of the stream".to_owned(),
        }
    }

    /// `block 0`, `block 0 or 1`; never more than three of them.
    fn open_blocks(&self) -> String {
        let mut text = "block ".to_owned();
        for (n, index) in self.open.iter().take(3).enumerate() {
            if n > 0 {
                text.push_str(" or ");
            }
            text.push_str(&index.to_string());
        }
        if self.open.len() > 3 {
            text.push_str(" or another one that is open");
        }
        text
    }

    /// Type and data of the event, or `None` if it is one to skip.
    fn read(&self, event: &SseEvent) -> Checked<Option<(EventType, Map<String, Value>)>> {
        let data = event.data();
        let named = match event.name() {
            None => None,
            Some(name) => match EventType::from_word(name) {
                None => return not_ours(name, data),
                named => named,
            },
        };
        // empty `data:` lines say nothing, but an error without data is still one
        let silent = data.bytes().all(|byte| byte == b'\n') && named != Some(EventType::Error);
        let sentinel = named.is_none() && self.stage == Stage::Stopped && data.trim() == "[DONE]";
        if silent || sentinel {
            return Ok(None);
        }
        let Ok(Value::Object(map)) = json::parse(data.as_bytes()) else {
            return Err(Problem::new(
                AccumulateErrorKind::MalformedJson,
                match event.name() {
                    Some(name) => format!("the data of `{name}` is not one JSON object"),
                    None => "the data of an event is not one JSON object".to_owned(),
                },
                "one JSON object",
                Found::quoted(data),
            ));
        };
        let word = Members::new("", &map).string("type")?;
        match event.name() {
            Some(name) if name != word => Err(mismatch(name, word)),
            _ => Ok(EventType::from_word(word).map(|event_type| (event_type, map))),
        }
    }

    fn out_of_order(&self, members: Members<'_>) -> Box<Problem> {
        let problem = Problem::new(
            AccumulateErrorKind::UnexpectedEvent,
            "an event came out of order",
            self.expected(),
            found_type(members),
        );
        let starts_again = members.get("type").and_then(Value::as_str) == Some("message_start");
        if starts_again {
            problem.help("two answers may have been joined; each needs an accumulator of its own")
        } else {
            problem
        }
    }

    fn not_closed(&self, members: Members<'_>) -> Box<Problem> {
        let index = self.open.first().copied().unwrap_or_default();
        Problem::new(
            AccumulateErrorKind::BlockNotClosed { index },
            format!("the answer is about to end and block {index} has no stop"),
            self.expected(),
            found_type(members),
        )
    }

    fn message_start(&mut self, event: Members<'_>) -> Checked<()> {
        let message = Members::new("message.", event.object("message")?);
        message.non_empty_string("id")?.clone_into(&mut self.id);
        message
            .non_empty_string("model")?
            .clone_into(&mut self.model);
        check_role(message)?;
        if message.get("content").is_some() && !message.array("content")?.is_empty() {
            return Err(message.wrong("content", "an empty array: blocks have events of their own"));
        }
        usage::read(message, "message.usage.", &mut self.usage)?;
        extras::of_message(message, "message.", &mut self.extras)?;
        self.stage = Stage::Blocks;
        Ok(())
    }

    fn block_start(&mut self, mut data: Map<String, Value>) -> Checked<()> {
        let members = Members::new("", &data);
        let next = self.blocks.len();
        if members.get("index").is_some() && self.index(members)? != next {
            return Err(Problem::new(
                AccumulateErrorKind::WrongBlock,
                "a block starts with an index that is not its turn",
                format!("the index {next}: indices count up from 0"),
                found_index(members),
            ));
        }
        members.object("content_block")?;
        if let Some(Value::Object(block)) = data.remove("content_block") {
            self.blocks.push(Block::start(block, "content_block.")?);
            self.open.insert(next);
        }
        Ok(())
    }

    fn block_delta(&mut self, mut data: Map<String, Value>) -> Checked<()> {
        let members = Members::new("", &data);
        let index = self.open_index(members, "delta")?;
        members.object("delta")?;
        match (self.blocks.get_mut(index), data.remove("delta")) {
            (Some(block), Some(Value::Object(delta))) => block.delta(index, delta),
            _ => Ok(()),
        }
    }

    fn block_stop(&mut self, event: Members<'_>) -> Checked<()> {
        let index = self.open_index(event, "stop")?;
        if let Some(block) = self.blocks.get_mut(index) {
            block.stop()?;
        }
        self.open.remove(&index);
        Ok(())
    }

    /// The index; one that is negative or beyond memory is as far from every block as can be.
    fn index(&self, event: Members<'_>) -> Checked<usize> {
        match event.get("index") {
            Some(Value::Number(number)) if number.is_i64() || number.is_u64() => {
                let index = number
                    .as_u64()
                    .and_then(|index| usize::try_from(index).ok());
                Ok(index.unwrap_or(usize::MAX))
            }
            Some(_) => Err(event.wrong("index", "a whole number")),
            None => Err(event.missing(
                "index",
                format!(
                    "an index: it cannot be told whether this is of {}",
                    self.open_blocks()
                ),
            )),
        }
    }

    /// The index of the open block that a delta or a stop belongs to. Without an index it is the only
    /// one that is open.
    fn open_index(&self, event: Members<'_>, what: &str) -> Checked<usize> {
        let mut open = self.open.iter();
        let index = match (event.get("index"), open.next(), open.next()) {
            (None, Some(&only), None) => return Ok(only),
            (None, None, _) => None,
            _ => Some(self.index(event)?),
        };
        let state = match index {
            Some(index) if self.open.contains(&index) => return Ok(index),
            Some(index) if index < self.blocks.len() => "a block that has stopped",
            Some(_) => "a block that never started",
            None => "no block",
        };
        Err(Problem::new(
            AccumulateErrorKind::WrongBlock,
            format!("a {what} of {state}"),
            if self.open.is_empty() {
                format!("no {what}: no block is open")
            } else {
                format!("an index of {}, which is open", self.open_blocks())
            },
            found_index(event),
        ))
    }

    fn message_delta(&mut self, event: Members<'_>) -> Checked<()> {
        let delta = Members::new("delta.", event.object("delta")?);
        let reason = delta.string_or_null("stop_reason")?;
        let sequence = delta.string_or_null("stop_sequence")?;
        // the last one rules; one that has no such member says nothing about it
        if delta.has("stop_reason") {
            self.stop_reason = reason.map(str::to_owned);
        }
        if delta.has("stop_sequence") {
            self.stop_sequence = sequence.map(str::to_owned);
        }
        usage::read(event, "usage.", &mut self.usage)?;
        extras::of_stop(delta, "delta.", &mut self.extras)?;
        extras::of_message(event, "", &mut self.extras)?;
        self.stage = Stage::Ending;
        Ok(())
    }

    fn message_stop(&mut self) -> Checked<()> {
        if self.stop_reason.is_none() {
            return Err(Problem::new(
                AccumulateErrorKind::MissingField {
                    field: "delta.stop_reason".to_owned(),
                },
                "the answer stopped without a stop reason",
                "a string as `delta.stop_reason` of the last message_delta",
                Found::quoted("null"),
            ));
        }
        self.stage = Stage::Stopped;
        Ok(())
    }
}

/// An event with an unknown name is skipped, whatever it carries; unless its data are of a type that we
/// know, and would be lost.
fn not_ours(name: &str, data: &str) -> Checked<Option<(EventType, Map<String, Value>)>> {
    let data: Value = serde_json::from_str(data).unwrap_or_default();
    let word = data.get("type").and_then(Value::as_str);
    match word.filter(|word| EventType::from_word(word).is_some()) {
        Some(word) => Err(mismatch(name, word)),
        None => Ok(None),
    }
}

fn mismatch(name: &str, word: &str) -> Box<Problem> {
    Problem::new(
        AccumulateErrorKind::NameMismatch,
        "the name of an event and the type in its data differ",
        format!("the type {}, as the event is named", name.escape_debug()),
        Found::quoted(word),
    )
}

/// What these events, the first of an answer, say of it; its parts apart.
pub(super) fn begun(events: &[SseEvent]) -> Option<Reply> {
    let mut read = MessagesAccumulator::default();
    for event in events {
        read.push(event).ok()?;
    }
    if read.stage == Stage::Start {
        return None;
    }
    read.stage = Stage::Stopped;
    read.finish(events.len()).ok()
}

/// Whether this event means nothing to the reader, whatever stands in its data.
pub(super) fn skips(event: &SseEvent) -> bool {
    matches!(MessagesAccumulator::default().read(event), Ok(None))
}

/// The part that this raw block comes to.
///
/// # Errors
///
/// What no strict client reads.
pub(super) fn raw_block_to_part(start: &Json, deltas: &[Json]) -> Result<Part, String> {
    let object = |json: &Json, what: &str| match json::parse(json.as_str().as_bytes()) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) | Err(_) => Err(format!("{what} is not one JSON object")),
    };
    let unread = |why: &str| {
        format!(
            "no strict client reads this raw block: {why}\n  \
             help: it can be played, but there is no reply that it comes to"
        )
    };
    let start = object(start, "its start").map_err(|why| unread(&why))?;
    let read = || -> Result<Part, String> {
        let shown = |problem: Box<Problem>| problem.shown();
        let mut block = Block::start(start, "content_block.").map_err(shown)?;
        for delta in deltas {
            block
                .delta(0, object(delta, "a delta")?)
                .map_err(|problem| problem.shown())?;
        }
        block.stop().map_err(|problem| problem.shown())?;
        Ok(block.into_part())
    };
    read().map_err(|why| unread(&why))
}

fn check_role(message: Members<'_>) -> Checked<()> {
    if message.string("role")? == "assistant" {
        Ok(())
    } else {
        Err(message.wrong("role", "`assistant`"))
    }
}

fn provider_error(event: Members<'_>, expected: String) -> Box<Problem> {
    let read = || {
        let error = Members::new("error.", event.object("error")?);
        Ok((error.string("type")?, error.string("message")?))
    };
    match read() {
        Ok((error_type, message)) => Problem::new(
            AccumulateErrorKind::Provider {
                error_type: error_type.to_owned(),
                message: message.to_owned(),
            },
            "the provider reported an error",
            expected,
            Found::quoted(format!("{error_type}: {message}")),
        ),
        Err(problem) => problem,
    }
}

fn found_type(event: Members<'_>) -> Found {
    let word = event.get("type").and_then(Value::as_str);
    Found::quoted(word.unwrap_or_default())
}

fn found_index(event: Members<'_>) -> Found {
    match event.get("index") {
        Some(index) => Found::quoted(index.to_string()),
        None => Found::Said("no index".to_owned()),
    }
}

#[cfg(test)]
mod part_tests;
#[cfg(test)]
mod tests;
