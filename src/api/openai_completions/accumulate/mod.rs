//! Events, or the non-streaming body, in; a [`Reply`], or what is wrong, out. Where it is wrong, the caller knows.
//!
//! | stage | chunk with a choice | chunk without | `[DONE]` | end |
//! | --- | --- | --- | --- | --- |
//! | no choice yet | its choice is open | skipped | error | error |
//! | a choice is open | joined; with a `finish_reason` it is closed | usage is read | error | error |
//! | all are closed | of a closed choice: error, unless it says nothing | usage is read | → done | whole |
//! | done | error | error | skipped | whole |
//!
//! Choices may come in any order, since the service writes several prompts at once. An event whose data is empty or
//! null is skipped; one named `error`, or with a member `error`, is an error; `[DONE]` may be missing.

mod choice;
#[cfg(test)]
mod tests;

use serde_json::Value;

use self::choice::Choice;
use crate::{
    api::{
        accumulate::{AccumulateErrorKind, Found, Members, Problem, body_object},
        openai::chunks::{self, Event, Name, Progress, provider_error},
        openai_chat::read_usage,
    },
    script::{Part, Reply, Usage},
    sse::SseEvent,
};

/// Behind a pointer, so that a `Result` stays small.
type Checked<T> = Result<T, Box<Problem>>;

const OBJECT: &str = "text_completion";

/// More choices than this no request asks for.
const MOST_CHOICES: usize = 4096;

/// The events of one answer in, its [`Reply`] out.
#[derive(Debug, Default)]
pub(crate) struct CompletionsAccumulator {
    name: Name,
    /// By their indices.
    choices: Vec<Choice>,
    usage: Usage,
    done: bool,
}

impl CompletionsAccumulator {
    pub(crate) fn push(&mut self, event: &SseEvent) -> Checked<()> {
        match self.progress().event(event)? {
            Event::Chunk(chunk) => self.object(Members::new("", &chunk))?,
            Event::Done => self.done = true,
            Event::Nothing => {}
        }
        Ok(())
    }

    /// A chunk, or a whole body.
    fn object(&mut self, object: Members<'_>) -> Checked<()> {
        self.envelope(object)?;
        for (n, choice) in object.array("choices")?.iter().enumerate() {
            let path = format!("choices[{n}].");
            let Value::Object(choice) = choice else {
                return Err(object.wrong("choices", "an array of objects"));
            };
            let choice = Members::new(&path, choice);
            self.choice(choice)?.read(choice)?;
        }
        Ok(())
    }

    /// What stands around the choices.
    fn envelope(&mut self, members: Members<'_>) -> Checked<()> {
        match members.string_or_null("object")? {
            None | Some(OBJECT) => {}
            Some(_) => return Err(members.wrong("object", format!("`{OBJECT}`"))),
        }
        self.name.read(members)?;
        read_usage(members, &mut self.usage)
    }

    /// The choice with this index. Without an index it is the only one.
    fn choice(&mut self, choice: Members<'_>) -> Checked<&mut Choice> {
        let index = match choice.number_or_null("index")? {
            None if self.choices.len() < 2 => 0,
            None => return Err(choice.missing("index", "the index of one of the choices")),
            Some(index) => usize::try_from(index).unwrap_or(usize::MAX),
        };
        if index >= self.choices.len() && index < MOST_CHOICES {
            self.choices.resize_with(index + 1, Choice::default);
        }
        self.choices.get_mut(index).ok_or_else(|| {
            Problem::new(
                AccumulateErrorKind::WrongBlock,
                "a choice has an index that no request asks for",
                format!("an index below {MOST_CHOICES}"),
                Found::quoted(index.to_string()),
            )
        })
    }

    fn progress(&self) -> Progress {
        let finished = self.choices.iter().map(|choice| !choice.is_open());
        Progress::of(finished, self.done)
    }

    /// The reply, after `events` events.
    pub(crate) fn finish(&mut self, events: usize) -> Checked<Reply> {
        self.progress().check_end(events)?;
        let mut choices = std::mem::take(&mut self.choices).into_iter();
        let first = choices.next().unwrap_or_default().into_said();
        let (name, usage) = (
            std::mem::take(&mut self.name),
            std::mem::take(&mut self.usage),
        );
        let others = choices.map(Choice::into_said);
        Ok(chunks::reply(name, usage, first, others))
    }

    /// The parts of the first choice read so far, which are moved out.
    pub(crate) fn take_partial(&mut self) -> Vec<Part> {
        let mut choices = std::mem::take(&mut self.choices).into_iter();
        let (parts, _) = choices.next().unwrap_or_default().into_said();
        parts
    }

    /// What may come next.
    pub(crate) fn expected(&self) -> String {
        self.progress().expected()
    }
}

/// The non-streaming body.
pub(crate) fn body_to_reply(body: &[u8]) -> Checked<Reply> {
    let map = body_object(body, &[b"data:"])?;
    let members = Members::new("", &map);
    if let Some(error) = provider_error(members, || "a text_completion".to_owned()) {
        return Err(error);
    }
    let mut read = CompletionsAccumulator::default();
    members.non_empty_string("id")?;
    members.non_empty_string("model")?;
    let choices = members.array("choices")?;
    if choices.is_empty() {
        return Err(members.wrong("choices", "one choice or more"));
    }
    for (n, choice) in choices.iter().enumerate() {
        if let Value::Object(choice) = choice {
            let path = format!("choices[{n}].");
            let choice = Members::new(&path, choice);
            choice.string("text")?;
            choice.non_empty_string("finish_reason")?;
        }
    }
    read.object(members)?;
    read.finish(0)
}
