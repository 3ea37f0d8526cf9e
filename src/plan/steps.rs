//! The sequence of a plan's steps, made one at a time.

use std::{collections::VecDeque, fmt};

use bytes::Bytes;

use super::{
    Agenda, Does, End, Knife, Length, LiveStep, PlacedAction, Source, Step, Unplayable, Waits,
    fault::{Answer, Last, Piece, Says},
};
use crate::{
    api::{Head, Mark, WireEvent},
    script::{Cut, LiveLine, Place, count},
    sse::{self, LineEnd},
};

/// The steps of one answer.
pub(crate) struct Steps {
    begun: bool,
    head: Option<Head>,
    length: Length,
    source: Source,
    agenda: Agenda,
    /// What the messages call the answer.
    what: &'static str,
    line_end: LineEnd,
    seen: Seen,
    /// The next steps; their bytes are not split yet.
    ready: VecDeque<Step>,
    knife: Knife,
    waits: Option<Waits>,
    ended: bool,
    /// Whether a scripted ending ended it.
    cut_short: bool,
    /// An in-stream error behind the last event.
    too_late: Option<String>,
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
        Self::new(head, source, Vec::new(), "an answer", &Cut::Whole)
    }

    /// The same, split so.
    pub(crate) fn cut(mut self, cut: &Cut) -> Self {
        self.knife = Knife::new(cut);
        self
    }

    pub(super) fn new(
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
            too_late: None,
        }
    }

    /// The same, with lines that end so.
    pub(super) fn lines_end(mut self, line_end: LineEnd) -> Self {
        self.line_end = line_end;
        self
    }

    /// The steps of an answer that was damaged.
    pub(super) fn damaged(
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
    pub(super) fn paced(mut self, waits: Waits) -> Self {
        self.waits = Some(waits);
        self
    }

    /// Steps whose head comes from their source.
    pub(super) fn headless(source: Source, what: &'static str, cut: &Cut) -> Self {
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

    /// Where a live answer comes from.
    pub(crate) fn live(&self) -> Option<&LiveLine> {
        match &self.source {
            Source::Live(live) => Some(live.line()),
            Source::Events(_) | Source::Pieces(..) | Source::Whole(_) => None,
        }
    }

    /// Runs through the places without keeping a byte, and says which has no target.
    /// Tells whether one of them ends the answer before its time.
    pub(super) fn check_places(mut self) -> Result<bool, Unplayable> {
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
        self.knife = Knife::new(&Cut::PerEvent);
        while !self.ended && !self.agenda.is_empty() {
            self.advance();
            self.ready.clear();
        }
        if let Some(what) = self.too_late {
            return Err(Unplayable(format!(
                "{what} is not possible: the event before it ends the stream\n  \
                 help: move it to a place before the stop reason"
            )));
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
        }))
    }

    /// Runs through the pieces without keeping one, and says which place of the cut is not there.
    pub(super) fn check_cut(mut self) -> Result<(), Unplayable> {
        self.by_ref().for_each(drop);
        let problem = self.knife.problem(self.what);
        problem.map_or(Ok(()), |why| Err(Unplayable(why)))
    }

    /// Whether a scripted reset ends it.
    pub(crate) fn ends_in_reset(&self) -> bool {
        let at_its_end = matches!(self.source, Source::Pieces(_, Last::End(End::Reset)));
        at_its_end || self.agenda.has_reset()
    }

    /// Whether both write the same, waits and gates aside.
    pub(super) fn writes_the_same(self, other: Self) -> bool {
        let writes = |steps: Self| {
            let written = steps.filter_map(|step| match step {
                Step::Head(head, length) => Some(Written::Head(head, length)),
                Step::Body(bytes) => Some(Written::Body(bytes)),
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

    /// Makes at least one step, or says that there is none.
    fn advance(&mut self) {
        if !self.begun {
            self.begun = true;
            return self.begin();
        }
        let event = match &mut self.source {
            Source::Events(events) => events.next(),
            Source::Whole(body) => {
                let body = body.take();
                self.write(body.unwrap_or_default());
                None
            }
            Source::Pieces(pieces, last) => {
                let (piece, last) = (pieces.next(), last.clone());
                return match piece {
                    Some(piece) => self.piece(piece),
                    None => self.last(last),
                };
            }
            Source::Live(live) => {
                let step = live.next();
                return self.live_step(step);
            }
        };
        match event {
            Some(event) => self.event(&event),
            None => self.last(Last::End(End::Complete)),
        }
    }

    fn begin(&mut self) {
        self.act(Place::Request);
        if let (false, Some(head)) = (self.ended, self.head.take()) {
            self.push_head(head, self.length);
            self.act(Place::Head);
        }
    }

    fn last(&mut self, last: Last) {
        self.ready.push_back(match last {
            Last::End(end) => Step::End(end),
            Last::Stall => Step::Stall,
            Last::Forever(every, bytes) => Step::Beat(bytes.into(), every),
            Last::Open(beat) => Step::Open(beat.map(|(every, bytes)| (bytes.into(), every))),
        });
        self.ended = true;
    }

    fn piece(&mut self, piece: Piece) {
        match piece.says {
            Says::Wait(time) => {
                self.ready.push_back(Step::Wait(time));
            }
            // an answer's pieces are bytes by the time that they are played
            Says::Event { data, .. } | Says::Comment(data) => {
                self.piece_bytes(&piece.marks, data.into());
            }
            Says::Bytes(bytes) => self.piece_bytes(&piece.marks, bytes),
        }
        for mark in piece.marks {
            self.mark(mark);
        }
    }

    fn piece_bytes(&mut self, marks: &[Mark], bytes: Bytes) {
        for mark in marks {
            self.wait_before(*mark);
        }
        self.ready.push_back(Step::Body(bytes));
    }

    fn live_step(&mut self, step: LiveStep) {
        match step {
            LiveStep::Event(event) => self.encode(&event),
            LiveStep::Whole(body) => self.write(body),
            LiveStep::Step(Step::Head(head, length)) => self.push_head(head, length),
            LiveStep::Step(step) => {
                self.ended = matches!(step, Step::End(_) | Step::Break(_));
                // what a live turn says is known only now
                let problem = matches!(step, Step::End(_)).then(|| self.knife.problem(self.what));
                let broken = problem.flatten().map(Step::Break);
                self.ready.push_back(broken.unwrap_or(step));
            }
        }
    }

    fn event(&mut self, event: &WireEvent) {
        self.encode(event);
        self.mark(event.mark);
    }

    /// Does what is scripted for the places that such an event comes to.
    fn mark(&mut self, mark: Mark) {
        if mark == Mark::Comment {
            return;
        }
        self.seen.events += 1;
        self.seen.whole = mark == Mark::Last;
        self.act(Place::Events(self.seen.events));
        match mark {
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
                Does::Step(step) => self.ready.push_back(step),
                Does::End(error, step) => {
                    if let Some(error) = error {
                        self.too_late = self.seen.whole.then_some(action.what);
                        for event in error.events(self.seen.events) {
                            self.encode(&event);
                        }
                    }
                    self.ready.push_back(step);
                    self.ended = true;
                    self.cut_short = true;
                }
            }
        }
    }

    fn push_head(&mut self, head: Head, length: Length) {
        let wait = self.waits.as_mut();
        let wait = wait.and_then(|waits| waits.before_head(head.status));
        self.ready.extend(wait.map(Step::Wait));
        self.ready.push_back(Step::Head(head, length));
    }

    fn wait_before(&mut self, mark: Mark) {
        let wait = self.waits.as_mut();
        let wait = wait.and_then(|waits| waits.before_event(mark));
        self.ready.extend(wait.map(Step::Wait));
    }

    fn encode(&mut self, event: &WireEvent) {
        self.wait_before(event.mark);
        if self.ready.is_empty() {
            // nothing stands before it that is not in the piece yet
            if let Some(piece) = self.knife.gathered() {
                return encode(event, self.line_end, piece);
            }
        }
        // memory without a rest becomes `Bytes` as it is
        let len = sse::encoded_len(event.name.as_deref(), &event.data, self.line_end);
        let mut bytes = Vec::with_capacity(len);
        encode(event, self.line_end, &mut bytes);
        self.write(bytes);
    }

    fn write(&mut self, bytes: Vec<u8>) {
        self.ready.push_back(Step::Body(bytes.into()));
    }
}

impl Iterator for Steps {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        loop {
            if let Some(piece) = self.knife.piece() {
                return Some(Step::Body(piece));
            }
            match self.ready.pop_front() {
                Some(Step::Body(block)) if !self.knife.is_idle() => self.knife.take(block),
                Some(step) => match self.knife.rest() {
                    Some(rest) => {
                        self.ready.push_front(step);
                        return Some(Step::Body(rest));
                    }
                    None => return Some(step),
                },
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
