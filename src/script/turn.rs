//! A turn: what the model says in one answer, and what happens to that answer on its way.

use std::{panic::Location, sync::Arc, time::Duration};

use serde_json::Value;

use super::{
    After, ApiError, Ending, Fault, Fragments, Gate, GateLatch, StopReason, Usage,
    fragments::check_pieces,
};
use crate::json::{self, Spacing};

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
    pub(crate) faults: Vec<Fault>,
    pub(crate) noise: Option<Noise>,
    pub(crate) seed: Option<u64>,
    pub(crate) allows_drift: bool,
    pub(crate) built: &'static Location<'static>,
}

/// What the turn says.
#[derive(Clone, Debug)]
pub(crate) enum Says {
    Message(Message),
    Error(ApiError),
}

/// The parts and the rest of a turn that is no error.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message {
    pub(crate) parts: Vec<ScriptedPart>,
    pub(crate) stop_reason: Option<StopReason>,
    pub(crate) usage: Option<Usage>,
    pub(crate) model: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) enum ScriptedPart {
    Text {
        text: Arc<str>,
        fragments: Option<Fragments>,
    },
    ToolCall {
        id: Option<String>,
        name: String,
        arguments: Arguments,
        fragments: Option<Fragments>,
    },
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

/// The arguments of a tool call: a JSON value, or a string written as it is, so that broken ones can be
/// scripted.
///
/// ```
/// use llm_wire_stub::{Arguments, Turn};
/// use serde_json::json;
///
/// let whole = Turn::new().tool_call("edit", json!({"path": "a"}));
/// let broken = Turn::new().tool_call("edit", Arguments::raw(r#"{"path": "#));
/// # let _ = (whole, broken);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Arguments {
    /// A value; each API writes it as its models do, with sorted keys.
    Json(Value),
    /// A string, written as it is.
    Raw(String),
}

impl Arguments {
    /// Arguments written as they are, well-formed or not.
    #[must_use]
    pub fn raw(text: impl Into<String>) -> Self {
        Self::Raw(text.into())
    }

    /// The arguments as the model would write them.
    pub(crate) fn to_text(&self, spacing: Spacing) -> String {
        match self {
            Self::Raw(text) => text.clone(),
            // a call without arguments has no text at all
            Self::Json(Value::Object(members)) if members.is_empty() => String::new(),
            Self::Json(value) => json::to_string(value, spacing),
        }
    }
}

impl From<Value> for Arguments {
    fn from(value: Value) -> Self {
        Self::Json(value)
    }
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

    #[track_caller]
    const fn saying(says: Says) -> Self {
        Self {
            says,
            actions: Vec::new(),
            faults: Vec::new(),
            noise: None,
            seed: None,
            allows_drift: false,
            built: Location::caller(),
        }
    }

    /// Adds text. Adjacent text is one block; empty text adds nothing.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.message().parts.push(ScriptedPart::Text {
            text: text.into().into(),
            fragments: None,
        });
        self
    }

    /// Adds a JSON value as text (compact, sorted keys), as a model does that was asked for JSON.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn json(self, value: impl Into<Value>) -> Self {
        self.text(json::to_string(&value.into(), Spacing::Compact))
    }

    /// Adds a call of one of the client's tools, with an id made from the script's seed.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn tool_call(self, name: impl Into<String>, arguments: impl Into<Arguments>) -> Self {
        self.call(None, name.into(), arguments.into())
    }

    /// Adds a call of one of the client's tools, with this id.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn tool_call_with_id(
        self,
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<Arguments>,
    ) -> Self {
        self.call(Some(id.into()), name.into(), arguments.into())
    }

    #[track_caller]
    fn call(mut self, id: Option<String>, name: String, arguments: Arguments) -> Self {
        self.message().parts.push(ScriptedPart::ToolCall {
            id,
            name,
            arguments,
            fragments: None,
        });
        self
    }

    /// Says how the text or the arguments added last are cut into deltas; without it text is cut into words.
    ///
    /// # Panics
    ///
    /// At the caller's line: if there is no part yet; if explicit pieces do not join to the text, or to
    /// the raw arguments; if explicit pieces are given for arguments that are a JSON value, whose spacing
    /// is the API's.
    #[track_caller]
    pub fn fragments(mut self, fragments: Fragments) -> Self {
        let Some(part) = self.message().parts.last_mut() else {
            panic!(
                "there is nothing to cut into fragments yet\n  \
                 help: call `.fragments(..)` after the `.text(..)` or `.tool_call(..)` it is meant for"
            );
        };
        let (whole, slot) = match part {
            ScriptedPart::Text { text, fragments } => (Some(&**text), fragments),
            ScriptedPart::ToolCall {
                arguments: Arguments::Raw(text),
                fragments,
                ..
            } => (Some(text.as_str()), fragments),
            ScriptedPart::ToolCall { fragments, .. } => (None, fragments),
        };
        match (fragments.explicit(), whole) {
            (Some(pieces), Some(whole)) => {
                if let Err(why) = check_pieces(pieces, whole) {
                    panic!("{why}");
                }
            }
            (Some(_), None) => panic!(
                "explicit pieces need arguments whose spelling is known\n  \
                 help: give the arguments as `Arguments::raw(..)`"
            ),
            (None, _) => {}
        }
        *slot = Some(fragments);
        self
    }

    /// Says why the model stopped; without it [`StopReason::ToolUse`] if a tool is called, else
    /// [`StopReason::EndTurn`].
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn stop_reason(mut self, reason: impl Into<StopReason>) -> Self {
        self.message().stop_reason = Some(reason.into());
        self
    }

    /// Says what the answer cost; without it 10 tokens in, and one out for each four characters.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn usage(mut self, usage: Usage) -> Self {
        self.message().usage = Some(usage);
        self
    }

    /// Says which model answered; without it the one that was asked for.
    ///
    /// # Panics
    ///
    /// At the caller's line, on an error turn.
    #[track_caller]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.message().model = Some(model.into());
        self
    }

    /// Holds the answer there until the gate is opened.
    pub fn gate(self, after: After, gate: &Gate) -> Self {
        self.action(after, Action::Gate(gate.latch().clone()))
    }

    /// Waits there for so long.
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

    /// Damages the answer. Faults apply in the order given; one that finds nothing to damage makes the
    /// turn unplayable.
    pub fn fault(mut self, fault: Fault) -> Self {
        self.faults.push(fault);
        self
    }

    /// Leaves out padding, pings and the other noise of the service, for readable snapshots.
    pub const fn plain(mut self) -> Self {
        self.noise = Some(Noise::Plain);
        self
    }

    /// Makes ids, padding and fragment sizes from this seed instead of the script's.
    pub const fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Plays this turn although it does not fit its request: it calls a tool that the request does not
    /// offer, or its text does not fit the schema that the request asks for. This is how a test shows what
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

    #[track_caller]
    fn message(&mut self) -> &mut Message {
        match &mut self.says {
            Says::Message(message) => message,
            Says::Error(_) => panic!(
                "an error turn says nothing but its error\n  \
                 help: to fail after a part of an answer, use `Turn::new().text(..).end(After::parts(1), error)`"
            ),
        }
    }

    pub(crate) fn is_plain(&self) -> bool {
        self.noise == Some(Noise::Plain)
    }

    /// Whether making the plan runs a function of the user's.
    pub(crate) fn runs_user_code(&self) -> bool {
        let Says::Message(message) = &self.says else {
            return false;
        };
        message.parts.iter().any(|part| {
            let (ScriptedPart::Text { fragments, .. } | ScriptedPart::ToolCall { fragments, .. }) =
                part;
            fragments.as_ref().is_some_and(Fragments::runs_user_code)
        })
    }

    /// Whether what it says is longer than so many bytes.
    pub(crate) fn is_longer_than(&self, bytes: usize) -> bool {
        let Says::Message(message) = &self.says else {
            return false;
        };
        let lengths = message.parts.iter().map(|part| match part {
            ScriptedPart::Text { text, .. } => text.len(),
            ScriptedPart::ToolCall {
                arguments: Arguments::Raw(text),
                ..
            } => text.len(),
            // as good as never long, and its length is not known before it is rendered
            ScriptedPart::ToolCall { .. } => 0,
        });
        lengths.sum::<usize>() > bytes
    }

    pub(crate) fn gates(&self) -> impl Iterator<Item = &GateLatch> {
        self.actions.iter().filter_map(|(_, action)| match action {
            Action::Gate(gate) => Some(gate),
            Action::Delay(_) | Action::Stall | Action::End(_) => None,
        })
    }
}

impl Message {
    pub(crate) fn effective_stop_reason(&self) -> StopReason {
        self.stop_reason.clone().unwrap_or_else(|| {
            let calls = |part: &ScriptedPart| matches!(part, ScriptedPart::ToolCall { .. });
            if self.parts.iter().any(calls) {
                StopReason::ToolUse
            } else {
                StopReason::EndTurn
            }
        })
    }

    /// The usage said, or an estimate that needs no tokenizer.
    pub(crate) fn effective_usage(&self) -> Usage {
        self.usage.unwrap_or_else(|| {
            let characters: usize = self
                .parts
                .iter()
                .map(|part| match part {
                    ScriptedPart::Text { text, .. } => text.chars().count(),
                    ScriptedPart::ToolCall {
                        name, arguments, ..
                    } => name.chars().count() + arguments.to_text(Spacing::Spaced).chars().count(),
                })
                .sum();
            Usage::input(10).output(
                u64::try_from(characters.div_ceil(4))
                    .unwrap_or(u64::MAX)
                    .max(1),
            )
        })
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
