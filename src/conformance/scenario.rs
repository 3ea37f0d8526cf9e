//! What takes more than one answer: retries, redirects, connections that are kept, cancels. Pure data; `stage.rs` plays
//! it.

use std::time::Duration;

use crate::{
    api::Api,
    script::{
        Needs,
        Requirement::{self, MustError, MustSucceedWithSameResult},
    },
};

/// A kind of the catalogue that no single answer shows.
#[derive(Debug)]
pub(super) struct Scenario {
    pub(super) id: &'static str,
    asks: Requirement,
    also: Option<Requirement>,
    variants: &'static [Variant],
}

/// One form of it.
#[derive(Debug)]
pub(super) struct Variant {
    name: &'static str,
    /// What happens, in a sentence.
    pub(super) what: &'static str,
    pub(super) play: Play,
}

/// What is played.
#[derive(Clone, Copy, Debug)]
pub(super) enum Play {
    /// An error with this status and header so many times, then the reference.
    Errors(Errors),
    /// The reference, ended early so; then the reference.
    Ended(End, Needs),
    /// The runner drops the call there.
    Dropped(At),
    /// The reference with `retry: 1`, and the end of the connection.
    Once,
    /// Two calls, of which the second is judged.
    Twice(Between),
    /// Two calls, whose answers call different tools by the same id; the second is judged.
    SameId,
    /// A redirect with this status.
    Redirect(u16, To),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Errors {
    pub(super) status: u16,
    pub(super) times: usize,
    pub(super) hint: Option<(&'static str, &'static str)>,
    /// How long this asks a client to wait at least.
    pub(super) wait: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Reset,
    Fin,
    CleanEof,
    ErrorEvent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    Request,
    Head,
    Stream,
}

/// What happens to the connection of the first call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Between {
    ClosedBefore,
    ClosedAsItComes,
    LateBytes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum To {
    SameOrigin,
    OtherOrigin,
}

const fn variant(name: &'static str, what: &'static str, play: Play) -> Variant {
    Variant { name, what, play }
}

const fn errors(status: u16, times: usize, hint: Option<(&'static str, &'static str)>) -> Play {
    Play::Errors(Errors {
        status,
        times,
        hint,
        wait: Duration::ZERO,
    })
}

/// A 429 with this hint.
const fn hint(value: &'static str) -> Play {
    errors(429, 1, Some(("retry-after", value)))
}

/// In the order of the catalogue.
pub(super) static ALL: &[Scenario] = &[
    // what a single answer shows of this kind is a fault
    Scenario {
        id: "tool-id-duplicated",
        asks: MustSucceedWithSameResult,
        also: Some(MustError),
        variants: &[variant(
            "in-a-later-answer",
            "the call of a second answer has the id of the first answer's; the second call of the client is judged",
            Play::SameId,
        )],
    },
    Scenario {
        id: "retry-after-variants",
        asks: MustSucceedWithSameResult,
        also: Some(MustError),
        variants: &[
            variant(
                "seconds",
                "a 429 with `Retry-After: 1`, then the answer",
                Play::Errors(Errors {
                    status: 429,
                    times: 1,
                    hint: Some(("retry-after", "1")),
                    wait: Duration::from_secs(1),
                }),
            ),
            variant(
                "fraction",
                "a 429 with `Retry-After: 1.5`, then the answer",
                hint("1.5"),
            ),
            variant(
                "zero",
                "a 429 with `Retry-After: 0`, then the answer",
                hint("0"),
            ),
            variant(
                "negative",
                "a 429 with `Retry-After: -5`, then the answer",
                hint("-5"),
            ),
            variant(
                "date-ahead",
                "a 429 with a date far ahead in `Retry-After`, then the answer",
                hint("Fri, 31 Dec 9999 23:59:59 GMT"),
            ),
            variant(
                "date-past",
                "a 429 with a date long past in `Retry-After`, then the answer",
                hint("Wed, 21 Oct 2015 07:28:00 GMT"),
            ),
            variant(
                "no-number",
                "a 429 with `Retry-After: abc`, then the answer",
                hint("abc"),
            ),
            variant(
                "huge",
                "a 429 with `Retry-After: 99999`, then the answer",
                hint("99999"),
            ),
            variant(
                "milliseconds",
                "a 429 with `retry-after-ms: 20`, then the answer",
                errors(429, 1, Some(("retry-after-ms", "20"))),
            ),
            variant(
                "absent",
                "a 429 without a hint, then the answer",
                errors(429, 1, None),
            ),
        ],
    },
    Scenario {
        id: "overloaded-status",
        asks: MustSucceedWithSameResult,
        also: Some(MustError),
        variants: &[
            variant("529", "a 529, then the answer", errors(529, 1, None)),
            variant(
                "529-twice",
                "a 529 twice, then the answer",
                errors(529, 2, None),
            ),
            variant(
                "529-with-hint",
                "a 529 with `Retry-After: 0`, then the answer",
                errors(529, 1, Some(("retry-after", "0"))),
            ),
            variant("408", "a 408, then the answer", errors(408, 1, None)),
            variant("409", "a 409, then the answer", errors(409, 1, None)),
            variant("500", "a 500, then the answer", errors(500, 1, None)),
            variant("503", "a 503, then the answer", errors(503, 1, None)),
        ],
    },
    Scenario {
        id: "fail-after-partial-then-ok",
        asks: MustError,
        also: Some(MustSucceedWithSameResult),
        variants: &[
            variant(
                "reset",
                "the connection is reset behind two fragments; a second attempt gets the answer",
                Play::Ended(End::Reset, Needs::Text),
            ),
            variant(
                "fin",
                "the connection is closed behind two fragments, without the last chunk; a second attempt gets the answer",
                Play::Ended(End::Fin, Needs::Text),
            ),
            variant(
                "clean-eof",
                "the body ends properly behind two fragments; a second attempt gets the answer",
                Play::Ended(End::CleanEof, Needs::Text),
            ),
            variant(
                "error-event",
                "behind two fragments comes the error of the API; a second attempt gets the answer",
                Play::Ended(End::ErrorEvent, Needs::Text),
            ),
            variant(
                "in-a-tool-call",
                "the connection is reset inside a tool call; a second attempt gets the answer",
                Play::Ended(End::Reset, Needs::ToolCall),
            ),
        ],
    },
    Scenario {
        id: "clean-end-reconnect",
        asks: MustSucceedWithSameResult,
        also: None,
        variants: &[variant(
            "retry-field",
            "the answer begins with `retry: 1`, and its connection is closed; it may be asked for once",
            Play::Once,
        )],
    },
    Scenario {
        id: "cancel-closes-connection",
        asks: MustError,
        also: None,
        variants: &[
            variant(
                "before-headers",
                "the call is dropped while nothing was answered yet",
                Play::Dropped(At::Request),
            ),
            variant(
                "before-the-first-event",
                "the call is dropped behind the head of the answer",
                Play::Dropped(At::Head),
            ),
            variant(
                "mid-stream",
                "the call is dropped behind the first fragment, while others go on coming",
                Play::Dropped(At::Stream),
            ),
        ],
    },
    Scenario {
        id: "idle-close-race",
        asks: MustSucceedWithSameResult,
        also: Some(MustError),
        variants: &[
            variant(
                "before-the-request",
                "a kept connection is closed behind the first answer; the second call is judged",
                Play::Twice(Between::ClosedBefore),
            ),
            variant(
                "as-the-request-comes",
                "a kept connection is closed when the second request comes, without a byte; that call is judged",
                Play::Twice(Between::ClosedAsItComes),
            ),
        ],
    },
    Scenario {
        id: "pool-after-terminal",
        asks: MustSucceedWithSameResult,
        also: None,
        variants: &[variant(
            "comment",
            "a comment and the end of the body follow the first answer's last event; the second call is judged",
            Play::Twice(Between::LateBytes),
        )],
    },
    Scenario {
        id: "redirect",
        asks: MustError,
        also: Some(MustSucceedWithSameResult),
        variants: &[
            redirect("301", "a 301 to another path", 301, To::SameOrigin),
            redirect("302", "a 302 to another path", 302, To::SameOrigin),
            redirect("303", "a 303 to another path", 303, To::SameOrigin),
            redirect("307", "a 307 to another path", 307, To::SameOrigin),
            redirect("308", "a 308 to another path", 308, To::SameOrigin),
            redirect(
                "301-other-origin",
                "a 301 to another port",
                301,
                To::OtherOrigin,
            ),
            redirect(
                "302-other-origin",
                "a 302 to another port",
                302,
                To::OtherOrigin,
            ),
            redirect(
                "303-other-origin",
                "a 303 to another port",
                303,
                To::OtherOrigin,
            ),
            redirect(
                "307-other-origin",
                "a 307 to another port",
                307,
                To::OtherOrigin,
            ),
            redirect(
                "308-other-origin",
                "a 308 to another port",
                308,
                To::OtherOrigin,
            ),
        ],
    },
];

const fn redirect(name: &'static str, what: &'static str, status: u16, to: To) -> Variant {
    variant(name, what, Play::Redirect(status, to))
}

impl Scenario {
    /// Each form, with its kind.
    pub(super) fn forms(&'static self) -> impl Iterator<Item = Form> {
        self.variants.iter().map(move |variant| Form {
            scenario: self,
            variant,
        })
    }
}

/// A kind and one form of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    scenario: &'static Scenario,
    pub(super) variant: &'static Variant,
}

impl Form {
    /// `kind/variant`.
    pub(super) fn id(self) -> String {
        format!("{}/{}", self.scenario.id, self.variant.name)
    }

    pub(super) const fn asks(self) -> (Requirement, Option<Requirement>) {
        match self.variant.play {
            // a key is for the host that it was given for
            Play::Redirect(_, To::OtherOrigin) => (MustError, None),
            Play::Redirect(_, To::SameOrigin)
            | Play::Errors(_)
            | Play::Ended(..)
            | Play::Dropped(_)
            | Play::Once
            | Play::Twice(_)
            | Play::SameId => (self.scenario.asks, self.scenario.also),
        }
    }

    /// Whether the catalogue asks this API for it.
    pub(super) const fn applies_to(self, api: Api) -> bool {
        match self.variant.play {
            Play::SameId => matches!(api, Api::AnthropicMessages | Api::OpenAiChat),
            Play::Errors(_)
            | Play::Ended(..)
            | Play::Dropped(_)
            | Play::Once
            | Play::Twice(_)
            | Play::Redirect(..) => true,
        }
    }

    pub(super) const fn reference(self) -> Needs {
        match self.variant.play {
            Play::Ended(_, reference) => reference,
            Play::SameId => Needs::ToolCall,
            Play::Errors(_)
            | Play::Dropped(_)
            | Play::Once
            | Play::Twice(_)
            | Play::Redirect(..) => Needs::Text,
        }
    }
}
