//! Events, or the body, back to a [`Reply`].

use crate::{
    api::{
        AccumulateErrorKind,
        accumulate::{Found, Problem},
    },
    script::{Part, Reply},
    sse::SseEvent,
};

type Checked<T> = Result<T, Box<Problem>>;

#[derive(Debug, Default)]
pub(crate) struct ResponsesAccumulator;

impl ResponsesAccumulator {
    pub(crate) fn push(&mut self, _event: &SseEvent) -> Checked<()> {
        Ok(())
    }

    pub(crate) fn finish(&mut self, _events: usize) -> Checked<Reply> {
        Err(not_yet())
    }

    pub(crate) fn take_partial(&mut self) -> Vec<Part> {
        Vec::new()
    }

    pub(crate) fn expected(&self) -> String {
        String::new()
    }
}

pub(crate) fn body_to_reply(_body: &[u8]) -> Checked<Reply> {
    Err(not_yet())
}

fn not_yet() -> Box<Problem> {
    Problem::new(
        AccumulateErrorKind::Truncated,
        "not yet",
        "",
        Found::Said(String::new()),
    )
}
