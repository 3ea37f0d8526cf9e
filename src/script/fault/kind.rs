//! What the catalogue says of one kind of fault.

use std::fmt;

use crate::api::Api;

/// What of an answer a fault acts on. Those of an earlier stage are done before those of a later one, whatever the order
/// given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Stage {
    /// What the model says: the answer is well formed, and says something else.
    Turn,
    /// The events, before they are bytes.
    Events,
    /// The bytes of the body.
    Bytes,
    /// When and in what pieces the bytes leave, and how the connection ends.
    Transport,
    /// Status, headers, or the whole body.
    Http,
}

impl Stage {
    /// In the order in which they are done.
    pub(crate) const ALL: [Self; 5] = [
        Self::Turn,
        Self::Events,
        Self::Bytes,
        Self::Transport,
        Self::Http,
    ];
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Turn => "turn",
            Self::Events => "events",
            Self::Bytes => "bytes",
            Self::Transport => "transport",
            Self::Http => "HTTP",
        })
    }
}

/// What the catalogue asks of a correct client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Requirement {
    /// It succeeds, with the result that the undamaged answer has (or with what the fault lets the model say).
    MustSucceedWithSameResult,
    /// As above, and what was added leaves no trace.
    MustIgnore,
    /// The call fails, with an error that code can tell from success. Nothing of a damaged tool call is run.
    MustError,
    /// With a limit on silence the call fails within it, and the connection is closed. Without one, waiting is allowed.
    MustTimeOutWhenIdleLimitSet,
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MustSucceedWithSameResult => "must-succeed-with-same-result",
            Self::MustIgnore => "must-ignore",
            Self::MustError => "must-error",
            Self::MustTimeOutWhenIdleLimitSet => "must-time-out-when-idle-limit-set",
        })
    }
}

/// A row of the catalogue.
#[derive(Debug)]
pub(crate) struct Kind {
    pub(crate) id: &'static str,
    pub(crate) stage: Stage,
    pub(crate) of: Families,
    pub(crate) asks: Requirement,
    pub(crate) also: Option<Requirement>,
    /// Never empty.
    pub(crate) variants: &'static [Variant],
}

/// One form of a fault.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    pub(crate) name: &'static str,
    /// Which bytes it changes, in a sentence.
    pub(crate) what: &'static str,
    /// Whom it applies to, if not to all that the kind does.
    pub(crate) of: Option<Families>,
    /// What the answer must have.
    pub(crate) needs: Needs,
    /// What it asks, and what else is accepted, if that differs from the kind's.
    pub(crate) asks: Option<(Requirement, Option<Requirement>)>,
    /// What of an answer it acts on, if that differs from the kind's.
    pub(crate) stage: Option<Stage>,
    /// What of the answer a client can still read.
    pub(crate) keeps: Keeps,
}

/// What of an answer is left to a client that bears the fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeps {
    Everything,
    /// There is a part besides that a client may skip.
    EverythingAndMore,
    AllButUsage,
    /// What was read from the cache, and what was written to it, cannot be told from other tokens.
    AllButCache,
    /// Where, and at which tier, the answer was made.
    AllButTier,
    AllButId,
    AllButModel,
}

/// Stands where a kind had no variant.
pub(super) const ONLY: Variant = variant("only", "");

/// A form of a fault that any answer can have.
pub(super) const fn variant(name: &'static str, what: &'static str) -> Variant {
    Variant {
        name,
        what,
        of: None,
        needs: Needs::Text,
        asks: None,
        stage: None,
        keeps: Keeps::Everything,
    }
}

impl Variant {
    pub(super) const fn of(self, of: Families) -> Self {
        Self {
            of: Some(of),
            ..self
        }
    }

    pub(super) const fn needs(self, needs: Needs) -> Self {
        Self { needs, ..self }
    }

    pub(super) const fn asks(self, asks: Requirement, also: Option<Requirement>) -> Self {
        Self {
            asks: Some((asks, also)),
            ..self
        }
    }

    pub(super) const fn keeps(self, keeps: Keeps) -> Self {
        Self { keeps, ..self }
    }

    pub(super) const fn at(self, stage: Stage) -> Self {
        Self {
            stage: Some(stage),
            ..self
        }
    }
}

/// What an answer must have for a fault to find something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Some text, with characters of several bytes where it is about these.
    Text,
    /// A tool call with arguments.
    ToolCall,
    /// Two of them.
    TwoToolCalls,
    /// Two blocks of whatever kind.
    TwoBlocks,
    /// Thinking, then text.
    Thinking,
    /// A usage that has no chunk of its own.
    UsageElsewhere,
}

impl Needs {
    /// In the words of a message.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Text => "a stream",
            Self::ToolCall => "a stream with a tool call that has arguments",
            Self::TwoToolCalls => "a stream with two tool calls that have arguments",
            Self::TwoBlocks => "a stream with two blocks",
            Self::UsageElsewhere => "a stream of a dialect whose usage has no chunk of its own",
            Self::Thinking => "a stream that thinks before its text",
        }
    }
}

/// Families of APIs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Families(u8);

pub(super) const A: Families = Families(1);
pub(super) const C: Families = Families(2);
pub(super) const R: Families = Families(4);
pub(super) const ACR: Families = A.and(C).and(R);

impl Families {
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn contains(self, api: Api, stage: Stage) -> bool {
        let family = match api {
            Api::AnthropicMessages => A,
            Api::OpenAiChat => C,
            Api::OpenAiResponses => R,
            // looks like Chat on the wire, but for what its chunks hold
            Api::OpenAiCompletions if stage >= Stage::Bytes => C,
            Api::OpenAiCompletions => return false,
        };
        self.0 & family.0 != 0
    }
}
