//! Where steps come from: what is answered in, a sequence at its start out.

use std::collections::VecDeque;

use bytes::Bytes;

use super::{Seen, Steps};
use crate::{
    api::Head,
    plan::{Agenda, Knife, Length, PlacedAction, Source, Waits, fault::Answer},
    script::Cut,
    sse::LineEnd,
};

impl Steps {
    /// A whole answer that no turn scripted, such as a refusal.
    pub(crate) fn whole(head: Head, body: Vec<u8>) -> Self {
        let source = Source::Whole(Some(body));
        Self::new(head, source, Vec::new(), "an answer", &Cut::Whole)
    }

    /// The same, split so.
    pub(crate) fn cut(mut self, cut: &Cut) -> Self {
        self.knife = Knife::new(cut);
        self
    }

    pub(in crate::plan) fn new(
        head: Head,
        source: Source,
        actions: Vec<PlacedAction>,
        what: &'static str,
        cut: &Cut,
    ) -> Self {
        Self {
            begun: false,
            head: Some(head),
            length: Length::Chunked,
            source,
            agenda: Agenda::new(actions),
            what,
            line_end: LineEnd::Lf,
            seen: Seen::default(),
            ready: VecDeque::new(),
            knife: Knife::new(cut),
            waits: None,
            ended: false,
            cut_short: false,
            cutting: None,
            misplaced: None,
        }
    }

    /// The same, with lines that end so.
    pub(in crate::plan) fn lines_end(mut self, line_end: LineEnd) -> Self {
        self.line_end = line_end;
        self
    }

    /// The steps of an answer that was damaged.
    pub(in crate::plan) fn damaged(
        answer: Answer,
        actions: Vec<PlacedAction>,
        what: &'static str,
        cut: &Cut,
    ) -> Self {
        let source = Source::Pieces(answer.pieces.into_iter(), answer.last);
        let steps = Self::headless(source, what, cut);
        Self {
            begun: false,
            head: answer.head,
            length: answer.length,
            agenda: Agenda::new(actions),
            ..steps
        }
    }

    /// The same, with these waits.
    pub(in crate::plan) fn paced(mut self, waits: Waits) -> Self {
        self.waits = Some(waits);
        self
    }

    /// The same, with a head that says this of the body's length.
    pub(in crate::plan) fn length(mut self, length: Length) -> Self {
        self.length = length;
        self
    }

    /// The steps of bytes that are no HTTP.
    pub(in crate::plan) fn raw(bytes: Bytes, actions: Vec<PlacedAction>) -> Self {
        Self {
            begun: false,
            agenda: Agenda::new(actions),
            ..Self::headless(Source::Raw(Some(bytes)), "a turn of raw bytes", &Cut::Whole)
        }
    }

    /// Steps whose head comes from their source.
    pub(in crate::plan) fn headless(source: Source, what: &'static str, cut: &Cut) -> Self {
        let head = Head {
            status: 200,
            headers: Vec::new(),
        };
        Self {
            begun: true,
            head: None,
            ..Self::new(head, source, Vec::new(), what, cut)
        }
    }
}
