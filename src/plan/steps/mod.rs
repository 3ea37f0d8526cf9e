//! The sequence of a plan's steps, made one at a time; `begin.rs` has what they begin with, `check.rs` looks ahead at them.

mod begin;
mod check;

use std::{collections::VecDeque, fmt};

use bytes::Bytes;

use super::{
    Agenda, Does, End, Inside, Knife, Length, LiveStep, Source, Step, Unplayable, Waits,
    fault::{Last, Piece, Says},
};
use crate::{
    api::{Head, Mark, WireEvent},
    script::{LiveLine, Place},
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
    /// Where the next event is cut, and what says so.
    cutting: Option<(Inside, String)>,
    /// A scripted ending that cannot be written where it stands.
    misplaced: Option<Unplayable>,
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
    /// Where a live answer comes from.
    pub(crate) fn live(&self) -> Option<&LiveLine> {
        match &self.source {
            Source::Live(live) => Some(live.line()),
            Source::Events(_) | Source::Pieces(..) | Source::Whole(_) | Source::Raw(_) => None,
        }
    }

    /// Whether a scripted reset ends it.
    pub(crate) fn ends_in_reset(&self) -> bool {
        let at_its_end = matches!(self.source, Source::Pieces(_, Last::End(End::Reset)));
        at_its_end || self.agenda.has_reset()
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
                let body = body.take().unwrap_or_default();
                if self.cutting.is_some() {
                    return self.cut_inside(&body);
                }
                self.write(body);
                None
            }
            Source::Raw(bytes) => {
                let bytes = bytes.take();
                return self.raw_bytes(bytes.unwrap_or_default());
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

    fn raw_bytes(&mut self, bytes: Bytes) {
        self.ready.push_back(Step::Raw(bytes));
        self.act(Place::Head);
        if !self.ended {
            self.last(Last::End(End::Fin));
        }
    }

    /// Ends the answer inside these bytes.
    fn cut_inside(&mut self, bytes: &[u8]) {
        let Some((inside, what)) = self.cutting.take() else {
            return;
        };
        match inside.of(bytes) {
            Some(length) => {
                let left = bytes.get(..length).unwrap_or(bytes);
                self.piece_bytes(&[], Bytes::copy_from_slice(left));
            }
            None => {
                self.misplaced = Some(Unplayable(format!(
                    "{what} is not possible: the event behind it has no character of several bytes\n  \
                     help: move it to a place before one that has"
                )));
            }
        }
        self.last(Last::End(End::Early));
    }

    fn last(&mut self, last: Last) {
        if let Some((_, what)) = self.cutting.take() {
            self.misplaced = Some(Unplayable(format!(
                "{what} is not possible: no event follows\n  \
                 help: move it to a place before the last event"
            )));
        }
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
            Says::Bytes(bytes) if self.cutting.is_some() => return self.cut_inside(&bytes),
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
        if self.cutting.is_some() && event.mark != Mark::Comment {
            let mut bytes = Vec::new();
            encode(event, self.line_end, &mut bytes);
            return self.cut_inside(&bytes);
        }
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
        while !self.ended && self.cutting.is_none() {
            let Some(action) = self.agenda.take(place) else {
                return;
            };
            match action.does {
                Does::Step(step) => self.ready.push_back(step),
                Does::End(error, step) => {
                    if let Some(error) = error {
                        let what = action.what;
                        self.misplaced = self.seen.whole.then(|| {
                            Unplayable(format!(
                                "{what} is not possible: the event before it ends the stream\n  \
                                 help: move it to a place before the stop reason"
                            ))
                        });
                        for event in error.events(self.seen.events) {
                            self.encode(&event);
                        }
                    }
                    self.ready.push_back(step);
                    self.ended = true;
                    self.cut_short = true;
                }
                Does::Cut(inside) => {
                    self.cutting = Some((inside, action.what));
                    self.cut_short = true;
                }
            }
        }
    }

    fn push_head(&mut self, head: Head, length: Length) {
        let wait = self.waits.as_mut();
        if let Some(wait) = wait.and_then(|waits| waits.before_head(head.status)) {
            self.ready.push_back(Step::Wait(wait));
        }
        self.ready.push_back(Step::Head(head, length));
    }

    fn wait_before(&mut self, mark: Mark) {
        let wait = self.waits.as_mut();
        if let Some(wait) = wait.and_then(|waits| waits.before_event(mark)) {
            self.ready.push_back(Step::Wait(wait));
        }
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
