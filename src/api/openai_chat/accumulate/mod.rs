//! Events, or the non-streaming body, in; a [`Reply`], or what is wrong, out. Where it is wrong, the
//! caller knows.
//!
//! | stage | chunk with a choice | chunk without | `[DONE]` | end |
//! | --- | --- | --- | --- | --- |
//! | no choice yet | its choice is open | skipped | error | error |
//! | a choice is open | joined; with a `finish_reason` it is closed | usage is read | error | error |
//! | all are closed | joined; another `finish_reason` than `stop` is an error | usage is read | → done | whole |
//! | done | error | error | skipped | whole |
//!
//! An event whose data is empty or null is skipped; one named `error`, or with a member `error`, is an error. The
//! catalogue of faults asks for each leniency: null and missing members are equal, `[DONE]` may be missing, ids and
//! names of tool calls may be repeated, their index may be missing or stand twice where that leaves no doubt, a choice may
//! go on behind its `finish_reason`.

mod body;
mod call;
mod choice;
#[cfg(test)]
mod tests;
mod thought;
mod usage;

pub(crate) use body::body_to_reply;
use serde_json::Value;
pub(crate) use usage::read as read_usage;

use self::{call::Ended, choice::Choice};
use crate::{
    api::{
        accumulate::{AccumulateErrorKind, Found, Members, Problem},
        openai::chunks::{self, Event, Name, Progress},
    },
    script::{Json, Part, Reply, Usage},
    sse::SseEvent,
};

/// Behind a pointer, so that a `Result` stays small.
type Checked<T> = Result<T, Box<Problem>>;

/// The events of one answer in, its [`Reply`] out.
#[derive(Debug, Default)]
pub(crate) struct ChatAccumulator {
    name: Name,
    service_tier: Option<String>,
    moderation: Option<Json>,
    /// By their indices.
    choices: Vec<Choice>,
    usage: Usage,
    done: bool,
}

impl ChatAccumulator {
    pub(crate) fn push(&mut self, event: &SseEvent) -> Checked<()> {
        match self.progress().event(event)? {
            Event::Chunk(chunk) => self.chunk(Members::new("", &chunk))?,
            Event::Done => self.close("delta")?,
            Event::Nothing => {}
        }
        Ok(())
    }

    fn chunk(&mut self, chunk: Members<'_>) -> Checked<()> {
        self.envelope(chunk)?;
        for (n, choice) in chunk.array("choices")?.iter().enumerate() {
            let path = format!("choices[{n}].");
            let Value::Object(choice) = choice else {
                return Err(chunk.wrong("choices", "an array of objects"));
            };
            let choice = Members::new(&path, choice);
            let state = self.choice(choice)?;
            let message = format!("{path}message.");
            if let Some(delta) = choice.object_or_null("delta")? {
                state.delta(delta, &format!("{path}delta."))?;
            }
            state.so_far(choice, &message)?;
            state.finish(choice)?;
        }
        Ok(())
    }

    /// What stands around the choices.
    fn envelope(&mut self, members: Members<'_>) -> Checked<()> {
        self.name.read(members)?;
        if let Some(tier) = members.string_or_null("service_tier")? {
            self.service_tier = Some(tier.to_owned());
        }
        if let Some(found) = members.object_or_null("moderation")? {
            self.moderation = Some(Json::read(Value::Object(found.clone())));
        }
        usage::read(members, &mut self.usage)?;
        // Mistral's stands there
        if let Some(usage) = members.object_or_null("usage")? {
            let usage = Members::new("usage.", usage);
            if let Some(tier) = usage.string_or_null("service_tier")? {
                self.service_tier = Some(tier.to_owned());
            }
        }
        Ok(())
    }

    /// The choice with this index; the next one is opened. Without an index it is the only one.
    fn choice(&mut self, choice: Members<'_>) -> Checked<&mut Choice> {
        let next = self.choices.len();
        let index = match choice.number_or_null("index")? {
            None if next < 2 => 0,
            None => return Err(choice.missing("index", "the index of one of the choices")),
            Some(index) => usize::try_from(index).unwrap_or(usize::MAX),
        };
        if index == next {
            self.choices.push(Choice::default());
        }
        self.choices.get_mut(index).ok_or_else(|| {
            Problem::new(
                AccumulateErrorKind::WrongBlock,
                "a choice starts with an index that is not its turn",
                format!("an index up to {next}: indices count up from 0"),
                Found::quoted(index.to_string()),
            )
        })
    }

    fn progress(&self) -> Progress {
        let finished = self.choices.iter().map(|choice| choice.finish.is_some());
        Progress::of(finished, self.done)
    }

    /// Nothing more comes of any choice: each has to be whole. `of` is the member that it came in.
    fn close(&mut self, of: &str) -> Checked<()> {
        if self.done {
            return Ok(());
        }
        for (n, choice) in self.choices.iter().enumerate() {
            choice.check(&format!("choices[{n}].{of}."))?;
        }
        self.done = true;
        Ok(())
    }

    /// The reply, after `events` events.
    pub(crate) fn finish(&mut self, events: usize) -> Checked<Reply> {
        self.progress().check_end(events)?;
        self.close("delta")?;
        let mut choices = std::mem::take(&mut self.choices).into_iter();
        let first = choices.next().unwrap_or_default().read(Ended::Yes);
        let (name, usage) = (
            std::mem::take(&mut self.name),
            std::mem::take(&mut self.usage),
        );
        let mut reply = chunks::reply(
            name,
            usage,
            first,
            choices.map(|choice| choice.read(Ended::Yes)),
        );
        reply.service_tier = self.service_tier.take();
        reply.moderation = self.moderation.take();
        Ok(reply)
    }

    /// The parts of the first choice read so far, which are moved out.
    pub(crate) fn take_partial(&mut self) -> Vec<Part> {
        // behind a finish_reason more may come
        let ended = if self.done { Ended::Yes } else { Ended::No };
        let mut choices = std::mem::take(&mut self.choices).into_iter();
        let (parts, _) = choices.next().unwrap_or_default().read(ended);
        parts
    }

    /// What may come next.
    pub(crate) fn expected(&self) -> String {
        self.progress().expected()
    }
}
