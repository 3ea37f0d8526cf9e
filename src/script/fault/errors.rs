//! Errors inside a stream, answers that are cut by a limit, and events that are no JSON.

use super::{
    Requirement::{MustError, MustIgnore, MustSucceedWithSameResult},
    Stage,
    kind::{A, ACR, C, Kind, Needs, R, variant},
};

pub(super) const ERROR_EVENT_MID_STREAM: Kind = Kind {
    id: "error-event-mid-stream",
    stage: Stage::Events,
    of: ACR,
    asks: MustError,
    also: None,
    variants: &[
        variant(
            "overloaded",
            "behind the first fragment the provider says that it is overloaded, and the body ends",
        ),
        variant(
            "rate-limited",
            "the same, saying that there are too many requests",
        ),
        variant(
            "invalid-request",
            "the same, saying that the request is wrong",
        ),
        variant("then-done", "the same as `overloaded`, and `[DONE]`").of(C),
        variant(
            "beside-empty-choices",
            "the error stands in a chunk without choices",
        )
        .of(C),
        variant(
            "finish-reason-error",
            "behind the first fragment the choice finishes with `error`",
        )
        .of(C),
        variant("flat", "the members of the error are those of its event").of(R),
        variant(
            "response-failed",
            "behind the first fragment the response has failed, without an event `error`",
        )
        .of(R),
        variant(
            "without-data",
            "behind the first fragment comes an event `error` without data",
        )
        .of(A.and(R)),
    ],
};

pub(super) const ERROR_EVENT_FIRST: Kind = Kind {
    id: "error-event-first",
    stage: Stage::Events,
    of: ACR,
    asks: MustError,
    also: None,
    variants: &[
        variant(
            "overloaded",
            "the provider says that it is overloaded, and nothing else",
        ),
        variant(
            "rate-limited",
            "the provider says that there are too many requests, and nothing else",
        ),
        variant(
            "invalid-request",
            "the provider says that the request is wrong, and nothing else",
        ),
    ],
};

pub(super) const RESPONSE_INCOMPLETE: Kind = Kind {
    id: "response-incomplete",
    stage: Stage::Turn,
    of: ACR,
    asks: MustSucceedWithSameResult,
    also: None,
    variants: &[
        variant("token-limit", "the answer ends at the limit on its tokens"),
        variant("content-filter", "a filter ends the answer").of(C.and(R)),
        variant("refusal", "the model refuses").of(A),
    ],
};

pub(super) const MALFORMED_JSON_EVENT: Kind = Kind {
    id: "malformed-json-event",
    stage: Stage::Events,
    of: ACR,
    asks: MustError,
    also: None,
    variants: &[
        variant("cut-object", "half of the first fragment's JSON is there"),
        variant(
            "plain-text",
            "a text stands in place of the first fragment's JSON",
        ),
        variant(
            "html-line",
            "HTML stands in place of the first fragment's JSON",
        ),
        variant("array", "the first fragment's JSON is the item of an array"),
        variant(
            "in-tool-call",
            "half of the JSON is there of the first fragment of a tool call",
        )
        .needs(Needs::ToolCall),
    ],
};

pub(super) const KEEPALIVE_AS_DATA: Kind = Kind {
    id: "keepalive-as-data",
    stage: Stage::Events,
    of: C,
    asks: MustError,
    also: Some(MustIgnore),
    variants: &[variant(
        "behind-first-fragment",
        "`data: : keepalive` comes behind the first fragment",
    )],
};

pub(super) const KEEPALIVE_INSIDE_EVENT: Kind = Kind {
    id: "keepalive-inside-event",
    stage: Stage::Bytes,
    of: C.and(R),
    asks: MustError,
    also: None,
    variants: &[variant(
        "in-data-line",
        "`: keepalive` and a blank line stand within the line with the first fragment's data",
    )],
};
