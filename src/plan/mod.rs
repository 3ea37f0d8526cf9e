//! Plans: everything that reaches the socket is first a sequence of steps, made while it is played and
//! never stored whole, but for one with a fault. Turn and form in, steps out; framing is the player's.
//!
//! ```text
//! events ─ pace, places ─► steps ─ cut ─► steps
//! ```

mod agenda;
mod cut;
mod ending;
mod fault;
mod live;
mod pace;
mod recorded;
mod steps;

use std::{sync::Arc, time::Duration};

use bytes::Bytes;

use agenda::Agenda;
use cut::Knife;
pub(crate) use ending::action_name;
use ending::{Does, InStreamError, Inside};
use fault::{Answer, Last, Piece};
pub(crate) use fault::{expect, reworded};
use live::{LiveSource, LiveStep};
use pace::Waits;
pub(crate) use recorded::said_again;
pub(crate) use steps::Steps;

use crate::{
    api::{Api, Context, Events, Form, Head},
    script::{Action, Cut, Dialect, FaultVariant, GateLatch, LiveLine, Pace, Place, Says, Turn},
};

/// One step of a plan.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Write status line and headers, those that tell where the body ends included.
    Head(Head, Length),
    /// Write these bytes of the body as one piece.
    Body(Bytes),
    /// Write these bytes, whatever they are.
    Raw(Bytes),
    /// Let the bytes go and wait, on the stub's clock.
    Wait(Duration),
    /// Let the bytes go and wait for the gate.
    Hold(GateLatch),
    /// Let the bytes go and wait for what the test says next.
    Listen(LiveLine),
    /// What the test said cannot be played, for this reason.
    Break(String),
    /// Let the bytes go and fall silent for ever.
    Stall,
    /// Let the bytes go and write these again and again for ever, so long after each other.
    Beat(Bytes, Duration),
    /// Let the bytes go, which are all, and leave the connection open; maybe write these again and again.
    Open(Option<(Bytes, Duration)>),
    /// Nothing follows.
    End(End),
}

/// How a client is told where the body ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// By its last chunk.
    Chunked,
    /// By this `Content-Length`, true or not; the connection is not used again.
    Given(usize),
    /// By the end of the connection.
    UntilClose,
}

/// How the answer ends, once its steps are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// As the provider ends it.
    Complete,
    /// The body ends properly, but it is not whole: an in-stream error, a clean end too early.
    Early,
    /// The connection is closed without the end of the body.
    Fin,
    /// The connection is reset once everything before has arrived.
    Reset,
}

/// A turn that cannot be played as scripted: what is missing, and how to mend it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unplayable(pub(crate) String);

impl Unplayable {
    /// The message with its place behind the first line.
    pub(crate) fn located(&self, place: &str) -> String {
        let (what, rest) = self.0.split_once('\n').unwrap_or((&self.0, ""));
        let rest = if rest.is_empty() {
            String::new()
        } else {
            format!("\n{rest}")
        };
        format!("{what}\n  where: {place}{rest}")
    }
}

/// The steps of `turn`'s answer, after a check that everything scripted has its place. The turn's own pace goes
/// before this one.
///
/// # Errors
///
/// A turn that this form of this API cannot carry; a place, a fault or a cut without its target.
pub(crate) fn plan(
    turn: &Arc<Turn>,
    api: Api,
    form: Form,
    context: &Context,
    cut: Cut,
    pace: Option<&Pace>,
) -> Result<Steps, Unplayable> {
    check_dialect(api, context.dialect)?;
    let plan = Plan {
        turn,
        api,
        form,
        context,
        cut,
        pace: turn.pace.as_ref().or(pace),
    };
    if !turn.actions.is_empty() {
        let is_cut_short = plan.steps()?.check_places()?;
        if is_cut_short {
            plan.check_faults()?;
        }
    }
    if plan.names_places() {
        plan.steps()?.check_cut()?;
    }
    plan.steps()
}

/// # Errors
///
/// A vendor's form of another API.
pub(crate) fn check_dialect(api: Api, dialect: Dialect) -> Result<(), Unplayable> {
    if dialect == Dialect::OpenAi || api == Api::OpenAiChat {
        return Ok(());
    }
    Err(Unplayable(format!(
        "{} is a dialect of {}, and this is {}\n  \
         help: choose it on the turns of that API; a turn's own `.dialect(Dialect::OpenAi)` goes before the stub's",
        dialect.name(),
        Api::OpenAiChat.name(),
        api.name()
    )))
}

/// What to play; `steps` makes the sequence anew each time.
struct Plan<'a> {
    turn: &'a Arc<Turn>,
    api: Api,
    form: Form,
    context: &'a Context,
    cut: Cut,
    pace: Option<&'a Pace>,
}

impl Plan<'_> {
    /// Whether the cut has to find its places in an answer that is known before it is played.
    fn names_places(&self) -> bool {
        // that of a stub is not about its errors
        let meant = self.turn.cut.is_some()
            || matches!(self.turn.says, Says::Message(_) | Says::Recorded(_));
        let needs_them = matches!(self.cut, Cut::At(_) | Cut::InsideLineEnds);
        meant && needs_them && self.turn.live().is_none()
    }

    /// The sequence, from its start.
    fn steps(&self) -> Result<Steps, Unplayable> {
        let length = self.length()?;
        let steps = self.unmeasured()?;
        Ok(match length {
            Some(length) => steps.length(length),
            None => steps,
        })
    }

    /// The sequence, with a head that says of the body's length what the provider says.
    fn unmeasured(&self) -> Result<Steps, Unplayable> {
        if let (Says::Message(message), Some(line)) = (&self.turn.says, self.turn.live()) {
            return self.live(message, line);
        }
        if let Says::Raw(bytes) = &self.turn.says {
            return self.raw(bytes);
        }
        if let Says::Recorded(recording) = &self.turn.says {
            return self.recorded(recording);
        }
        let steps = if self.turn.faults.is_empty() {
            let (head, source) = self.undamaged(self.turn)?;
            Steps::new(head, source, self.actions()?, self.what(), &self.cut)
        } else {
            let answer = fault::damaged(self.turn, self.api, self.context, self.what(), |turn| {
                let (head, source) = self.undamaged(turn)?;
                Ok(source.whole(head))
            })?;
            // a fault that is about the borders of writes has its own
            let cuts = self.turn.faults.iter().any(FaultVariant::cuts);
            let cut = if cuts { &Cut::PerEvent } else { &self.cut };
            Steps::damaged(answer, self.actions()?, self.what(), cut)
        };
        Ok(self.let_out(steps))
    }

    /// The sequence of bytes that are no HTTP.
    fn raw(&self, bytes: &Bytes) -> Result<Steps, Unplayable> {
        if let Some(fault) = self.turn.faults.first() {
            return Err(Unplayable(format!(
                "fault `{fault}` has no target in raw bytes\n  help: change the bytes themselves"
            )));
        }
        Ok(Steps::raw(bytes.clone(), self.actions()?))
    }

    /// Says which fault of an answer that is ended before its time lies behind that end.
    fn check_faults(&self) -> Result<(), Unplayable> {
        for (n, fault) in self.turn.faults.iter().enumerate() {
            let mut turn = Turn::clone(self.turn);
            turn.faults.remove(n);
            let turn = Arc::new(turn);
            let without = Plan {
                turn: &turn,
                cut: self.cut.clone(),
                api: self.api,
                form: self.form,
                context: self.context,
                pace: self.pace,
            }
            .steps();
            // without it another fault, or a place, may have no target, and then it has left its mark
            if without.is_ok_and(|steps| self.steps().is_ok_and(|with| with.writes_the_same(steps)))
            {
                return Err(Unplayable(format!(
                    "fault `{fault}` has no target: the answer ends before it\n  help: remove one of the two"
                )));
            }
        }
        Ok(())
    }

    /// Head and body of the answer to `turn`, its faults aside.
    fn undamaged(&self, turn: &Arc<Turn>) -> Result<(Head, Source), Unplayable> {
        Ok(match (&turn.says, self.form) {
            (Says::Error(error), _) => {
                let (head, body) = self.api.error(error, self.context);
                (head, Source::Whole(Some(body)))
            }
            (Says::Message(_), Form::Json) => {
                let body = self.api.body(turn, self.context);
                let head = self.api.head(self.form, self.context);
                (head, Source::Whole(Some(body.map_err(Unplayable)?)))
            }
            (Says::Message(_), Form::Stream) => {
                let events = self.api.events(turn, self.context).map_err(Unplayable)?;
                (
                    self.api.head(self.form, self.context),
                    Source::Events(events),
                )
            }
            (Says::Raw(_) | Says::Recorded(_), _) => {
                return Err(Unplayable("bytes are no answer".to_owned()));
            }
        })
    }

    /// The same, with the line ends of this answer, and its pace.
    fn let_out(&self, steps: Steps) -> Steps {
        let steps = steps.lines_end(self.api.line_end(self.context));
        match (self.pace, &self.turn.says) {
            (Some(pace), Says::Message(_) | Says::Recorded(_)) => {
                steps.paced(Waits::new(pace, self.form))
            }
            (None, _) | (_, Says::Error(_) | Says::Raw(_)) => steps,
        }
    }

    /// What the messages call the answer.
    fn what(&self) -> &'static str {
        match (&self.turn.says, self.form) {
            (Says::Error(_), _) => "an error answer",
            (Says::Message(_), Form::Json) => "a non-streaming answer",
            (Says::Message(_), Form::Stream) => "this stream",
            (Says::Raw(_), _) => "a turn of raw bytes",
            (Says::Recorded(_), _) => "a recorded answer",
        }
    }

    fn actions(&self) -> Result<Vec<PlacedAction>, Unplayable> {
        let actions = self.turn.actions.iter();
        let placed = actions.map(|(after, action)| {
            let what = action_name(action);
            Ok(PlacedAction {
                place: after.0,
                what: format!("{what} {after}"),
                does: match action {
                    Action::Gate(gate) => Does::Step(Step::Hold(gate.clone())),
                    Action::Delay(wait) => Does::Step(Step::Wait(*wait)),
                    Action::Stall => Does::End(None, Step::Stall),
                    Action::End(ending) => self.end(ending)?,
                },
            })
        });
        placed.collect()
    }
}

/// Where the body comes from.
pub(crate) enum Source {
    Events(Events),
    /// One piece, until it was taken.
    Whole(Option<Vec<u8>>),
    /// A damaged answer.
    Pieces(std::vec::IntoIter<Piece>, Last),
    /// What the test says, head and end included.
    Live(Box<LiveSource>),
    /// Bytes that are no HTTP, until they were taken.
    Raw(Option<Bytes>),
}

impl Source {
    /// The answer, to be damaged.
    fn whole(self, head: Head) -> Answer {
        match self {
            Self::Events(events) => Answer::of_events(head, events),
            Self::Whole(body) => Answer::of_body(head, body.unwrap_or_default()),
            Self::Pieces(..) | Self::Live(_) | Self::Raw(_) => Answer::of_body(head, Vec::new()),
        }
    }
}

/// Something that happens at a place.
#[derive(Clone, Debug)]
pub(crate) struct PlacedAction {
    place: Place,
    /// In the words of a message.
    what: String,
    does: Does,
}
