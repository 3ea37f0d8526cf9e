//! A turn: what the model says in one answer, and what happens to that answer on its way.

use std::time::Duration;

use bytes::Bytes;

use super::{
    After, ApiError, Built, Cut, Dialect, Ending, Era, FaultVariant, Gate, GateLatch, LiveLine,
    Message, Pace, Place, Recording, StopReason, Usage,
};

/// What the model says in one answer, naming no provider: parts in order, stop reason, usage. Or an
/// error. Plus what happens to the answer on its way: gates, delays, stalls, endings, faults.
///
/// A string is a turn with that text, an [`ApiError`] is an error turn.
///
/// ```
/// use llm_wire_stub::{Api, Turn, sse_body};
/// use serde_json::json;
///
/// let turn = Turn::new()
///     .text("Let me look.")
///     .tool_call("read_file", json!({"path": "src/main.rs"}));
/// let body = sse_body(Api::AnthropicMessages, &turn);
/// assert!(body.starts_with(b"event: message_start\n"));
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Turn {
    pub(crate) says: Says,
    pub(crate) actions: Vec<(After, Action)>,
    pub(crate) faults: Vec<FaultVariant>,
    pub(crate) noise: Noise,
    pub(crate) seed: Option<u64>,
    pub(crate) allows_drift: bool,
    pub(crate) era: Option<Era>,
    pub(crate) dialect: Option<Dialect>,
    pub(crate) cut: Option<Cut>,
    pub(crate) pace: Option<Pace>,
    pub(crate) built: Built,
}

/// What the turn says.
#[derive(Clone, Debug)]
pub(crate) enum Says {
    Message(Message),
    Error(ApiError),
    /// No HTTP.
    Raw(Bytes),
    Recorded(Box<Recording>),
}

/// What happens at a place.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Gate(GateLatch),
    Delay(Duration),
    Stall,
    End(Ending),
}

/// Whether padding, pings and the like are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noise {
    AsTheService,
    Plain,
}

impl Turn {
    /// A turn that says nothing yet: a complete, empty answer.
    #[track_caller]
    pub fn new() -> Self {
        Self::saying(Says::Message(Message::default()))
    }

    /// A turn that is an error instead of an answer.
    #[track_caller]
    pub fn error(error: ApiError) -> Self {
        Self::saying(Says::Error(error))
    }

    /// A turn that is these bytes instead of an HTTP response; the connection is closed behind them. Its places are
    /// [`After::request`] and, behind all the bytes, [`After::head`].
    ///
    /// ```
    /// use llm_wire_stub::{After, Turn};
    ///
    /// let garbage = Turn::raw("SSH-2.0-OpenSSH_9.6\r\n");
    /// let half_a_head = Turn::raw("HTTP/1.1 200 OK\r\nContent-Ty").stall(After::head());
    /// # let _ = (garbage, half_a_head);
    /// ```
    #[track_caller]
    pub fn raw(bytes: impl Into<Bytes>) -> Self {
        Self::saying(Says::Raw(bytes.into()))
    }

    #[track_caller]
    pub(crate) const fn saying(says: Says) -> Self {
        Self {
            says,
            actions: Vec::new(),
            faults: Vec::new(),
            noise: Noise::AsTheService,
            seed: None,
            allows_drift: false,
            era: None,
            dialect: None,
            cut: None,
            pace: None,
            built: Built::here(),
        }
    }

    /// Says why the model stopped; without it [`StopReason::ToolUse`] if a tool is called, else
    /// [`StopReason::EndTurn`].
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn and on one of raw bytes.
    #[track_caller]
    pub fn stop_reason(mut self, reason: impl Into<StopReason>) -> Self {
        self.message().stop_reason = Some(reason.into());
        self
    }

    /// Says what the answer cost; without it 10 tokens in, and one out for each four characters.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn and on one of raw bytes.
    #[track_caller]
    pub fn usage(mut self, usage: Usage) -> Self {
        let message = self.message();
        message.usage = Some(usage);
        if let Some(extras) = &mut message.extras {
            extras.lacks.usage_at_end = false;
        }
        self
    }

    /// Says which model answered; without it the one that was asked for.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn and on one of raw bytes.
    #[track_caller]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.message().model = Some(model.into());
        self
    }

    /// Holds the answer there until the gate is opened.
    pub fn gate(self, after: After, gate: &Gate) -> Self {
        self.action(after, Action::Gate(gate.latch().clone()))
    }

    /// Waits there for so long, on the stub's clock.
    pub fn delay(self, after: After, wait: Duration) -> Self {
        self.action(after, Action::Delay(wait))
    }

    /// Falls silent there, for ever: only the client can end it.
    pub fn stall(self, after: After) -> Self {
        self.action(after, Action::Stall)
    }

    /// Ends the answer there; an [`ApiError`] is an in-stream error.
    pub fn end(self, after: After, ending: impl Into<Ending>) -> Self {
        self.action(after, Action::End(ending.into()))
    }

    fn action(mut self, after: After, action: Action) -> Self {
        self.actions.push((after, action));
        self
    }

    /// Damages the answer, by a [`Fault`](crate::Fault) or one of its variants. Faults of an earlier [`Stage`](crate::Stage) are done
    /// before those of a later one, and those of one stage in the order given; one that changes nothing makes the turn
    /// unplayable. Cuts and places are those of the damaged answer; a fault that is about where writes end has its own,
    /// whatever the cut. An answer with a fault is held in memory whole.
    pub fn fault(mut self, fault: impl Into<FaultVariant>) -> Self {
        self.faults.push(fault.into());
        self
    }

    /// Leaves out padding, pings and the other noise of the service, for readable snapshots.
    pub const fn plain(mut self) -> Self {
        self.noise = Noise::Plain;
        self
    }

    /// Makes ids, padding and fragment sizes from this seed instead of the script's.
    pub const fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Plays this turn although it does not fit its request: it calls a tool that the request does not
    /// offer (one of the provider's, too), or its text does not fit the schema that the request asks for. This is how a test shows what
    /// its agent does with a tool that the model has made up; without it such a turn is refused.
    ///
    /// ```
    /// use llm_wire_stub::Turn;
    /// use serde_json::json;
    ///
    /// let made_up = Turn::new().tool_call("no_such_tool", json!({})).allow_script_drift();
    /// # let _ = made_up;
    /// ```
    pub const fn allow_script_drift(mut self) -> Self {
        self.allows_drift = true;
        self
    }

    /// Says when the answer is from: it is written as the service wrote it then.
    pub const fn era(mut self, era: Era) -> Self {
        self.era = Some(era);
        self
    }

    /// Says whose form of OpenAI Chat the answer has, whatever the stub and the path of the request say. On any other
    /// API such a turn is unplayable.
    pub const fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = Some(dialect);
        self
    }

    /// Splits the body of this answer into writes in this way, whatever the stub's
    /// [`cut`](crate::WireStubBuilder::cut) says.
    ///
    /// ```
    /// use llm_wire_stub::{Cut, Turn};
    ///
    /// let turn = Turn::new().text("日本").cut(Cut::InsideCharacters);
    /// # let _ = turn;
    /// ```
    pub fn cut(mut self, cut: Cut) -> Self {
        self.cut = Some(cut);
        self
    }

    /// Lets the events of this answer leave at this pace, whatever the stub's
    /// [`pace`](crate::WireStubBuilder::pace) says. A live turn keeps it too: what the test says is written at
    /// this pace, and its calls wait for that.
    ///
    /// ```
    /// use llm_wire_stub::{Pace, Turn};
    /// use std::time::Duration;
    ///
    /// let turn = Turn::new().text("slow but alive").pace(Pace::every(Duration::from_secs(20)));
    /// # let _ = turn;
    /// ```
    pub fn pace(mut self, pace: Pace) -> Self {
        self.pace = Some(pace);
        self
    }

    /// Whether something holds the answer behind its head.
    pub(crate) fn waits_at_its_head(&self) -> bool {
        self.actions.iter().any(|(after, action)| {
            after.0 == Place::Head && matches!(action, Action::Gate(_) | Action::Delay(_))
        })
    }

    #[track_caller]
    pub(crate) fn message(&mut self) -> &mut Message {
        match &mut self.says {
            Says::Message(message) => message,
            Says::Recorded(_) => panic!(
                "a recorded answer says nothing but its bytes\n  \
                 help: `Script::from_wire(..)` makes a turn of it that can say more"
            ),
            Says::Raw(_) => panic!(
                "a turn of raw bytes says nothing but these\n  help: use `Turn::new()` for an answer of the model"
            ),
            Says::Error(_) => panic!(
                "an error turn says nothing but its error\n  \
                 help: to fail after a part of an answer, use `Turn::new().text(..).end(After::parts(1), error)`"
            ),
        }
    }

    /// What it says.
    ///
    /// # Errors
    ///
    /// If it is no answer of the model.
    pub(crate) fn said(&self) -> Result<&Message, String> {
        match &self.says {
            Says::Message(message) => Ok(message),
            Says::Error(_) => Err("an error turn has no message".to_owned()),
            Says::Raw(_) => Err("a turn of raw bytes has no message".to_owned()),
            Says::Recorded(_) => Err("a recorded answer has no message".to_owned()),
        }
    }

    pub(crate) fn is_plain(&self) -> bool {
        self.noise == Noise::Plain
    }

    /// The test's handles to its answer: gates, and that of a live turn.
    pub(crate) fn gates(&self) -> impl Iterator<Item = &GateLatch> {
        let gates = self.actions.iter().filter_map(|(_, action)| match action {
            Action::Gate(gate) => Some(gate),
            Action::Delay(_) | Action::Stall | Action::End(_) => None,
        });
        gates.chain(self.live().map(LiveLine::latch))
    }

    /// Where its parts come from, if it is a live turn.
    pub(crate) const fn live(&self) -> Option<&LiveLine> {
        match &self.says {
            Says::Message(message) => message.live.as_ref(),
            Says::Error(_) | Says::Raw(_) | Says::Recorded(_) => None,
        }
    }
}

impl Default for Turn {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl From<&str> for Turn {
    #[track_caller]
    fn from(text: &str) -> Self {
        Self::new().text(text)
    }
}

impl From<String> for Turn {
    #[track_caller]
    fn from(text: String) -> Self {
        Self::new().text(text)
    }
}

impl From<ApiError> for Turn {
    #[track_caller]
    fn from(error: ApiError) -> Self {
        Self::error(error)
    }
}
