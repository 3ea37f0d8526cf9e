//! Steps that are looked at before they are played: whether everything scripted has its place, and leaves its mark.

use std::fmt;

use bytes::Bytes;

use super::{
    super::{Does, End, Knife, Length, PlacedAction, Source, Step, Unplayable},
    Seen, Steps,
};
use crate::{
    api::Head,
    script::{Cut, Place, count},
};

impl Steps {
    /// Runs through the places without keeping a byte, and says which has no target.
    /// Tells whether one of them ends the answer before its time.
    pub(in crate::plan) fn check_places(mut self) -> Result<bool, Unplayable> {
        let in_stream = |action: &&PlacedAction| {
            matches!(
                action.does,
                Does::End(_, Step::End(End::Early)) | Does::Cut(_)
            )
        };
        if let Some(action) = self.agenda.at(Place::Request).find(in_stream) {
            return Err(Unplayable(format!(
                "{} is not possible: there is no body yet\n  \
                 help: use `After::head()`, or an error turn (`Turn::error(..)`) to answer with an error",
                action.what
            )));
        }
        if let (Source::Whole(_), Some(action)) = (&self.source, self.agenda.in_stream_error()) {
            return Err(Unplayable(format!(
                "{} is not possible: {} is no stream\n  \
                 help: use an error turn (`Turn::error(..)`) to answer with an error",
                action.what, self.what
            )));
        }
        self.knife = Knife::new(&Cut::PerEvent);
        while !self.ended && (!self.agenda.is_empty() || self.cutting.is_some()) {
            self.advance();
            self.ready.clear();
        }
        if let Some(misplaced) = self.misplaced {
            return Err(misplaced);
        }
        let Some(action) = self.agenda.first() else {
            return Ok(self.cut_short);
        };
        let (what, answer) = (&action.what, self.what);
        Err(Unplayable(match &self.source {
            _ if self.cut_short => format!(
                "{what} is never reached: the answer ends before it\n  help: remove one of the two"
            ),
            Source::Events(_) | Source::Pieces(..) | Source::Live(_) => format!(
                "{what} is not possible: {answer} has {}\n  \
                 help: move it to a place that the answer has; a delta is a word, unless `.fragments(..)` says otherwise",
                self.seen
            ),
            Source::Whole(_) => format!(
                "{what} is not possible: {answer} has a head and one body\n  \
                 help: use `After::request()` or `After::head()`; the other places are inside a stream"
            ),
            Source::Raw(_) => format!(
                "{what} is not possible: {answer} has no places inside\n  \
                 help: use `After::request()`, or `After::head()`, which is behind all of them"
            ),
        }))
    }

    /// Runs through the pieces without keeping one, and says which place of the cut is not there.
    pub(in crate::plan) fn check_cut(mut self) -> Result<(), Unplayable> {
        self.by_ref().for_each(drop);
        let problem = self.knife.problem(self.what);
        problem.map_or(Ok(()), |why| Err(Unplayable(why)))
    }

    /// Whether both write the same, waits and gates aside.
    pub(in crate::plan) fn writes_the_same(self, other: Self) -> bool {
        let writes = |steps: Self| {
            let written = steps.filter_map(|step| match step {
                Step::Head(head, length) => Some(Written::Head(head, length)),
                Step::Body(bytes) | Step::Raw(bytes) => Some(Written::Body(bytes)),
                Step::Beat(bytes, _) => Some(Written::Beat(bytes)),
                Step::Stall => Some(Written::Stall),
                Step::Open(beat) => Some(Written::Open(beat.map(|(bytes, _)| bytes))),
                Step::End(end) => Some(Written::End(end)),
                Step::Wait(_) | Step::Hold(_) | Step::Listen(_) | Step::Break(_) => None,
            });
            written.collect::<Vec<_>>()
        };
        writes(self) == writes(other)
    }
}

/// A step that a client notices.
#[derive(PartialEq, Eq)]
enum Written {
    Head(Head, Length),
    Body(Bytes),
    Beat(Bytes),
    Stall,
    Open(Option<Bytes>),
    End(End),
}

/// `3 deltas, 1 part, 9 events and a stop reason`.
impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, {}, {} and {} stop reason",
            count(self.deltas, "delta"),
            count(self.parts, "part"),
            count(self.events, "event"),
            if self.stop_reason { "a" } else { "no" }
        )
    }
}
