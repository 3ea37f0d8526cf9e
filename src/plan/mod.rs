//! Plans: everything that reaches the socket is first a sequence of steps, made while it is played and
//! never stored whole. Turn and form in, steps out; framing is the player's.
//!
//! ```text
//! events ─ faults ─► events ─ places ─► steps ─ cut ─► steps
//! ```

mod agenda;
mod cut;
mod live;
mod steps;

use std::{sync::Arc, time::Duration};

use bytes::Bytes;

use agenda::Agenda;
pub use cut::Cut;
use live::{LiveSource, LiveStep};
pub(crate) use steps::Steps;

use crate::{
    api::{Api, Context, Events, Form, Head, Mark, WireEvent},
    script::{Action, ApiError, Dialect, Ending, Fault, GateLatch, LiveLine, Says, Turn},
};

/// One step of a plan.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Write status line and headers.
    Head(Head),
    /// Write these bytes of the body as one piece.
    Body(Bytes),
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
    /// Nothing follows.
    End(End),
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

/// The steps of `turn`'s answer, after a check that everything scripted has its place.
///
/// # Errors
///
/// A turn that this form of this API cannot carry; a place or a fault without its target.
pub(crate) fn plan(
    turn: &Arc<Turn>,
    api: Api,
    form: Form,
    context: &Context,
    cut: Cut,
) -> Result<Steps, Unplayable> {
    if context.dialect != Dialect::OpenAi && api != Api::OpenAiChat {
        return Err(Unplayable(format!(
            "{} is a dialect of {}, and this is {}\n  \
             help: choose it on the turns of that API; a turn's own `.dialect(Dialect::OpenAi)` goes before the stub's",
            context.dialect.name(),
            Api::OpenAiChat.name(),
            api.name()
        )));
    }
    let plan = Plan {
        turn,
        api,
        form,
        context,
        cut,
    };
    if !turn.actions.is_empty() {
        plan.steps()?.check_places(turn.faults.first())?;
    }
    plan.steps()
}

/// What to play; `steps` makes the sequence anew each time.
struct Plan<'a> {
    turn: &'a Arc<Turn>,
    api: Api,
    form: Form,
    context: &'a Context,
    cut: Cut,
}

impl Plan<'_> {
    /// The sequence, from its start.
    fn steps(&self) -> Result<Steps, Unplayable> {
        if let (Says::Message(message), Some(line)) = (&self.turn.says, self.turn.live()) {
            return self.live(message, line);
        }
        let (head, source) = match (&self.turn.says, self.form) {
            (Says::Error(error), _) => {
                self.refuse_faults("an error answer")?;
                let (head, body) = self.api.error(error, self.context);
                (head, Source::Whole(Some(body)))
            }
            (Says::Message(_), Form::Json) => {
                self.refuse_faults("a non-streaming answer")?;
                let body = self.api.body(self.turn, self.context);
                let head = self.api.head(self.form, self.context);
                (head, Source::Whole(Some(body.map_err(Unplayable)?)))
            }
            (Says::Message(_), Form::Stream) => {
                let events = self.api.events(self.turn, self.context);
                let events = self.damaged(events.map_err(Unplayable)?)?;
                let head = self.api.head(self.form, self.context);
                (head, Source::Events(events, self.last()))
            }
        };
        Ok(
            Steps::new(head, source, self.actions()?, self.what(), self.cut)
                .lines_end(self.api.line_end(self.context)),
        )
    }

    /// How the stream ends after its last event: a fault may have taken events from its end.
    fn last(&self) -> End {
        let takes_the_end = |fault: &Fault| match fault {
            Fault::EofBeforeTerminal => true,
        };
        if self.turn.faults.iter().any(takes_the_end) {
            End::Early
        } else {
            End::Complete
        }
    }

    /// What the messages call the answer.
    fn what(&self) -> &'static str {
        match (&self.turn.says, self.form) {
            (Says::Error(_), _) => "an error answer",
            (Says::Message(_), Form::Json) => "a non-streaming answer",
            (Says::Message(_), Form::Stream) => "this stream",
        }
    }

    fn refuse_faults(&self, what: &str) -> Result<(), Unplayable> {
        match self.turn.faults.first() {
            None => Ok(()),
            Some(fault) => Err(Unplayable(format!(
                "fault `{}` has no target in {what}\n  help: it damages the events of a stream",
                fault.id()
            ))),
        }
    }

    /// The events with the turn's faults applied, in the order given.
    fn damaged(&self, mut events: Events) -> Result<Events, Unplayable> {
        for (n, fault) in self.turn.faults.iter().enumerate() {
            let before = self.turn.faults.get(..n).unwrap_or_default();
            if before.contains(fault) {
                return Err(Unplayable(format!(
                    "fault `{}` has no target: an earlier fault removed it\n  help: give it once",
                    fault.id()
                )));
            }
            events = match fault {
                Fault::EofBeforeTerminal => Box::new(
                    events
                        .take_while(|event| !(event.mark.stops() || event.mark == Mark::Terminal)),
                ),
            };
        }
        Ok(events)
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

    fn end(&self, ending: &Ending) -> Result<Does, Unplayable> {
        let end = |end| Step::End(end);
        Ok(match ending {
            Ending::InStreamError(error) => {
                let (turn, context) = (Arc::clone(self.turn), self.context.clone());
                let error = InStreamError::new(error, self.api, turn, context)?;
                Does::End(Some(Box::new(error)), end(End::Early))
            }
            Ending::CleanEof => Does::End(None, end(End::Early)),
            Ending::Fin => Does::End(None, end(End::Fin)),
            Ending::Reset => Does::End(None, end(End::Reset)),
        })
    }
}

/// An error inside a stream; its events may depend on what was written before.
#[derive(Clone, Debug)]
pub(crate) struct InStreamError {
    error: ApiError,
    api: Api,
    turn: Arc<Turn>,
    context: Context,
}

impl InStreamError {
    fn new(
        error: &ApiError,
        api: Api,
        turn: Arc<Turn>,
        context: Context,
    ) -> Result<Self, Unplayable> {
        if error.has_headers() {
            return Err(Unplayable(
                "an in-stream error has no headers: the head is long gone\n  \
                 help: leave out `.retry_after(..)`, `.header(..)` and the retry hints, or use an error turn"
                    .to_owned(),
            ));
        }
        Ok(Self {
            error: error.clone(),
            api,
            turn,
            context,
        })
    }

    /// Its events, behind so many of the turn's.
    fn events(&self, written: usize) -> Vec<WireEvent> {
        self.api
            .error_events(&self.error, &self.turn, &self.context, written)
    }
}

/// Where the body comes from.
pub(crate) enum Source {
    /// How it ends after the last event.
    Events(Events, End),
    /// One piece, until it was taken.
    Whole(Option<Vec<u8>>),
    /// What the test says, head and end included.
    Live(Box<LiveSource>),
}

/// Something that happens at a place.
#[derive(Clone, Debug)]
pub(crate) struct PlacedAction {
    place: crate::script::Place,
    /// In the words of a message.
    what: String,
    does: Does,
}

#[derive(Clone, Debug)]
pub(crate) enum Does {
    Step(Step),
    /// Nothing follows this step; maybe an error goes before it.
    End(Option<Box<InStreamError>>, Step),
}

pub(crate) const fn action_name(action: &Action) -> &'static str {
    match action {
        Action::Gate(_) => "gate",
        Action::Delay(_) => "delay",
        Action::Stall => "stall",
        Action::End(Ending::InStreamError(_)) => "in-stream error",
        Action::End(Ending::CleanEof) => "clean end",
        Action::End(Ending::Fin) => "FIN",
        Action::End(Ending::Reset) => "reset",
    }
}
