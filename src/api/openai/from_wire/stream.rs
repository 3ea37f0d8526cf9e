//! A recorded stream: read, and compared with what a turn says.

use std::sync::Arc;

use super::{Drawn, difference, error_of, not_said, of_the_whole, unplayable};
use crate::{
    api::{
        AccumulateError, AccumulateErrorKind, Accumulator, Api, Context, WireEvent,
        accumulate::{Problem, accumulate, events},
    },
    script::{After, ApiError, Reply, Turn},
    sse::SseEvent,
};

/// The events of a stream, and what was read of them.
pub(crate) struct Stream {
    api: Api,
    events: Vec<SseEvent>,
    reply: Option<Reply>,
    /// The error that it ended with, and the index of its event.
    error: Option<(ApiError, usize)>,
}

impl Stream {
    /// Reads a stream, which may end with the provider's error.
    pub(crate) fn read(api: Api, body: &[u8]) -> Result<Self, AccumulateError> {
        let events = events(body);
        let (reply, error) = match accumulate(api, body) {
            Ok(reply) => (Some(reply), None),
            Err(error) => {
                let index = error.event_index().unwrap_or_default();
                let data = events.get(index).map_or("", SseEvent::data);
                let is_the_providers = matches!(error.kind(), AccumulateErrorKind::Provider { .. });
                match error_of(data) {
                    Some(recorded) if is_the_providers => {
                        // it may have been said whole before
                        let before = events.get(..index).unwrap_or_default();
                        (whole(api, before), Some((recorded, index)))
                    }
                    Some(_) | None => return Err(error),
                }
            }
        };
        Ok(Self {
            api,
            events,
            reply,
            error,
        })
    }

    /// What was read, if the answer was said whole.
    pub(crate) const fn reply(&self) -> Option<&Reply> {
        self.reply.as_ref()
    }

    /// The data of all events.
    pub(crate) fn data(&self) -> impl Iterator<Item = &str> {
        self.events.iter().map(SseEvent::data)
    }

    /// The data of those up to the error that the stream ended with.
    pub(crate) fn answer(&self) -> impl Iterator<Item = &str> {
        let end = self.error.as_ref().map_or(usize::MAX, |(_, index)| *index);
        self.data().take(end)
    }

    /// A problem with this event.
    pub(crate) fn refused(&self, index: usize, problem: Box<Problem>) -> AccumulateError {
        let at = self.events.get(index).or(self.events.last());
        let offset = at.map_or(0, SseEvent::offset);
        AccumulateError::new(self.api, problem, Some(index), offset, Vec::new())
    }

    /// What this turn says, up to the error that was recorded.
    pub(crate) fn said(
        &self,
        turn: &Arc<Turn>,
        context: &Context,
    ) -> Result<impl Iterator<Item = WireEvent> + use<>, AccumulateError> {
        let said = self.api.events(turn, context);
        let said = said.map_err(|why| of_the_whole(self.api, unplayable(&why)))?;
        let end = self.error.as_ref().map_or(usize::MAX, |(_, index)| *index);
        let error = self
            .error
            .as_ref()
            .map(|(error, index)| self.api.error_events(error, turn, context, *index));
        Ok(said.take(end).chain(error.into_iter().flatten()))
    }

    /// The turn, if it says what was recorded.
    pub(crate) fn say(
        self,
        turn: Turn,
        context: &Context,
        drawn: &Drawn,
    ) -> Result<Turn, AccumulateError> {
        let turn = Arc::new(turn);
        let mut said = self.said(&turn, context)?;
        for (n, event) in self.events.iter().enumerate() {
            let compared = compare(event, said.next().as_ref(), drawn);
            compared.map_err(|problem| self.refused(n, problem))?;
        }
        if let Some(more) = said.next() {
            let compared = difference("", &String::from_utf8_lossy(&more.data), drawn);
            compared.map_err(|problem| self.refused(self.events.len(), problem))?;
        }
        let turn = Arc::unwrap_or_clone(turn);
        Ok(match self.error {
            Some((error, index)) => turn.end(After::events(index), error),
            None => turn,
        })
    }
}

/// The reply that these events are.
fn whole(api: Api, events: &[SseEvent]) -> Option<Reply> {
    let mut accumulator = Accumulator::new(api);
    for event in events {
        accumulator.push(event).ok()?;
    }
    accumulator.finish().ok()
}

/// What differs between a recorded event and the one that is said in its place.
fn compare(event: &SseEvent, said: Option<&WireEvent>, drawn: &Drawn) -> Result<(), Box<Problem>> {
    let data = said.map_or("".into(), |said| String::from_utf8_lossy(&said.data));
    difference(event.data(), &data, drawn)?;
    let name = |name: Option<&str>| match name {
        Some(name) => format!("`{}`", name.escape_debug()),
        None => "no name".to_owned(),
    };
    let expected = said.and_then(|said| said.name.as_deref());
    if event.name() == expected {
        return Ok(());
    }
    Err(not_said(
        "an event of the recorded answer has not today's name",
        name(expected),
        name(event.name()),
    ))
}
