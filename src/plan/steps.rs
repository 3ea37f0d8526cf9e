//! The sequence of a plan's steps, made one at a time.

use std::{collections::VecDeque, fmt};

use bytes::Bytes;

use super::{Agenda, Cut, Does, End, LiveStep, PlacedAction, Source, Step, Unplayable};
use crate::{
    api::{Head, Mark, WireEvent},
    script::{Fault, LiveLine, Place, count},
    sse::{self, LineEnd},
};

/// The steps of one answer.
pub(crate) struct Steps {
    head: Option<Head>,
    source: Source,
    agenda: Agenda,
    /// What the messages call the answer.
    what: &'static str,
    cut: Cut,
    line_end: LineEnd,
    seen: Seen,
    ready: VecDeque<Step>,
    /// Bytes that wait for more (`Cut::Whole`) or are being split (`Cut::EveryByte`).
    unwritten: Vec<u8>,
    splitting: Bytes,
    ended: bool,
    /// Whether a scripted ending ended it.
    cut_short: bool,
    /// An in-stream error behind the last event.
    too_late: Option<String>,
}

/// What of the body was made so far.
#[derive(Default)]
struct Seen {
    deltas: usize,
    parts: usize,
    events: usize,
    stop_reason: bool,
    /// Nothing can follow.
    whole: bool,
}

impl Steps {
    /// A whole answer that no turn scripted, such as a refusal.
    pub(crate) fn whole(head: Head, body: Vec<u8>) -> Self {
        let source = Source::Whole(Some(body));
        Self::new(head, source, Vec::new(), "an answer", Cut::Whole)
    }

    pub(super) fn new(
        head: Head,
        source: Source,
        actions: Vec<PlacedAction>,
        what: &'static str,
        cut: Cut,
    ) -> Self {
        Self {
            head: Some(head),
            source,
            agenda: Agenda::new(actions),
            what,
            cut,
            line_end: LineEnd::Lf,
            seen: Seen::default(),
            ready: VecDeque::new(),
            unwritten: Vec::new(),
            splitting: Bytes::new(),
            ended: false,
            cut_short: false,
            too_late: None,
        }
    }

    /// The same, with lines that end so.
    pub(super) fn lines_end(mut self, line_end: LineEnd) -> Self {
        self.line_end = line_end;
        self
    }

    /// Steps whose head comes from their source.
    pub(super) fn headless(source: Source, what: &'static str, cut: Cut) -> Self {
        let head = Head {
            status: 200,
            headers: Vec::new(),
        };
        Self {
            head: None,
            ..Self::new(head, source, Vec::new(), what, cut)
        }
    }

    /// Where a live answer comes from.
    pub(crate) fn live(&self) -> Option<&LiveLine> {
        match &self.source {
            Source::Live(live) => Some(live.line()),
            Source::Events(..) | Source::Whole(_) => None,
        }
    }

    /// Runs through the places without keeping a byte, and says which has no target.
    pub(super) fn check_places(mut self, fault: Option<&Fault>) -> Result<(), Unplayable> {
        let in_stream =
            |action: &&PlacedAction| matches!(action.does, Does::End(_, Step::End(End::Early)));
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
        self.cut = Cut::Whole;
        while !self.ended && !self.agenda.is_empty() {
            self.advance();
            self.ready.clear();
            self.unwritten.clear();
        }
        if let Some(what) = self.too_late {
            return Err(Unplayable(format!(
                "{what} is not possible: the event before it ends the stream\n  \
                 help: move it to a place before the stop reason"
            )));
        }
        if let (true, Some(fault)) = (self.cut_short, fault) {
            return Err(Unplayable(format!(
                "fault `{}` has no target: the answer ends before it\n  help: remove one of the two",
                fault.id()
            )));
        }
        let Some(action) = self.agenda.first() else {
            return Ok(());
        };
        let (what, answer) = (&action.what, self.what);
        Err(Unplayable(match &self.source {
            _ if self.cut_short => format!(
                "{what} is never reached: the answer ends before it\n  help: remove one of the two"
            ),
            Source::Events(..) | Source::Live(_) => format!(
                "{what} is not possible: {answer} has {}\n  \
                 help: move it to a place that the answer has; a delta is a word, unless `.fragments(..)` says otherwise",
                self.seen
            ),
            Source::Whole(_) => format!(
                "{what} is not possible: {answer} has a head and one body\n  \
                 help: use `After::request()` or `After::head()`; the other places are inside a stream"
            ),
        }))
    }

    /// Whether a scripted reset ends it.
    pub(crate) fn ends_in_reset(&self) -> bool {
        self.agenda.has_reset()
    }

    /// Makes at least one step, or says that there is none.
    fn advance(&mut self) {
        if let Some(head) = self.head.take() {
            self.act(Place::Request);
            if !self.ended {
                self.ready.push_back(Step::Head(head));
                self.act(Place::Head);
            }
            return;
        }
        let (event, end) = match &mut self.source {
            Source::Events(events, end) => (events.next(), *end),
            Source::Whole(body) => {
                let body = body.take();
                self.write(&body.unwrap_or_default());
                (None, End::Complete)
            }
            Source::Live(live) => {
                let step = live.next();
                return self.live_step(step);
            }
        };
        match event {
            Some(event) => self.event(&event),
            None => {
                self.flush();
                self.ready.push_back(Step::End(end));
                self.ended = true;
            }
        }
    }

    fn live_step(&mut self, step: LiveStep) {
        match step {
            LiveStep::Event(event) => self.encode(&event),
            LiveStep::Whole(body) => self.write(&body),
            LiveStep::Step(step) => {
                self.flush();
                self.ended = matches!(step, Step::End(_) | Step::Break(_));
                self.ready.push_back(step);
            }
        }
    }

    fn event(&mut self, event: &WireEvent) {
        self.encode(event);
        if event.mark == Mark::Comment {
            return;
        }
        self.seen.events += 1;
        self.seen.whole = event.mark == Mark::Last;
        self.act(Place::Events(self.seen.events));
        match event.mark {
            Mark::Delta => self.delta(),
            Mark::LastDelta => {
                self.delta();
                self.part();
            }
            Mark::PartEnd | Mark::PartLast => self.part(),
            Mark::StopReason | Mark::Last => self.stop_reason(),
            Mark::Several {
                deltas,
                parts,
                stops,
            } => {
                (0..deltas).for_each(|_| self.delta());
                (0..parts).for_each(|_| self.part());
                if stops {
                    self.stop_reason();
                }
            }
            Mark::Closing | Mark::Terminal | Mark::Comment | Mark::Other => {}
        }
    }

    fn stop_reason(&mut self) {
        self.seen.stop_reason = true;
        self.act(Place::StopReason);
    }

    fn delta(&mut self) {
        self.seen.deltas += 1;
        self.act(Place::Deltas(self.seen.deltas));
    }

    fn part(&mut self) {
        self.seen.parts += 1;
        self.act(Place::Parts(self.seen.parts));
    }

    /// Does what is scripted for this place, in the order given.
    fn act(&mut self, place: Place) {
        while !self.ended {
            let Some(action) = self.agenda.take(place) else {
                return;
            };
            match action.does {
                Does::Step(step) => {
                    self.flush();
                    self.ready.push_back(step);
                }
                Does::End(error, step) => {
                    if let Some(error) = error {
                        self.too_late = self.seen.whole.then_some(action.what);
                        for event in error.events(self.seen.events) {
                            self.encode(&event);
                        }
                    }
                    self.flush();
                    self.ready.push_back(step);
                    self.ended = true;
                    self.cut_short = true;
                }
            }
        }
    }

    fn encode(&mut self, event: &WireEvent) {
        match self.cut {
            Cut::Whole => encode(event, self.line_end, &mut self.unwritten),
            Cut::PerEvent | Cut::EveryByte => {
                let mut bytes = Vec::with_capacity(event.data.len() + 48);
                encode(event, self.line_end, &mut bytes);
                self.ready.push_back(Step::Body(bytes.into()));
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        self.unwritten.extend_from_slice(bytes);
    }

    fn flush(&mut self) {
        if !self.unwritten.is_empty() {
            let bytes = std::mem::take(&mut self.unwritten);
            self.ready.push_back(Step::Body(bytes.into()));
        }
    }
}

impl Iterator for Steps {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        loop {
            if !self.splitting.is_empty() {
                return Some(Step::Body(self.splitting.split_to(1)));
            }
            match self.ready.pop_front() {
                Some(Step::Body(bytes)) if self.cut == Cut::EveryByte => self.splitting = bytes,
                Some(step) => return Some(step),
                None if self.ended => return None,
                None => self.advance(),
            }
        }
    }
}

impl fmt::Debug for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Steps")
            .field("what", &self.what)
            .finish_non_exhaustive()
    }
}

fn encode(event: &WireEvent, line_end: LineEnd, out: &mut Vec<u8>) {
    if event.mark == Mark::Comment {
        sse::encode_comment(&event.data, line_end, out);
    } else {
        sse::encode_lines(event.name.as_deref(), &event.data, line_end, out);
    }
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
