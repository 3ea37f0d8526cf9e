//! Events, or the non-streaming body, in; what is wrong out.

use crate::{
    api::accumulate::{AccumulateErrorKind, Found, Problem},
    script::{Part, Reply},
    sse::SseEvent,
};

/// The events of one answer in.
#[derive(Debug, Default)]
pub(crate) struct ChatAccumulator;

impl ChatAccumulator {
    pub(crate) fn push(&mut self, event: &SseEvent) -> Result<(), Box<Problem>> {
        Err(unread(event.data()))
    }

    pub(crate) fn finish(&mut self, _events: usize) -> Result<Reply, Box<Problem>> {
        Err(unread(""))
    }

    pub(crate) fn take_partial(&mut self) -> Vec<Part> {
        Vec::new()
    }

    pub(crate) fn expected(&self) -> String {
        "an answer of another API".to_owned()
    }
}

/// The non-streaming body.
pub(crate) fn body_to_reply(body: &[u8]) -> Result<Reply, Box<Problem>> {
    Err(unread(body))
}

fn unread(found: impl AsRef<[u8]>) -> Box<Problem> {
    Problem::new(
        AccumulateErrorKind::UnexpectedEvent,
        "answers of this API are not read yet",
        "an answer of another API",
        Found::quoted(found),
    )
}
