//! Variations of the protocol, which a client must bear.

use super::{
    Requirement::{MustIgnore, MustSucceedWithSameResult},
    Stage,
    kind::{A, ACR, C, Kind, Needs, variant},
};

pub(super) const UNKNOWN_FIELD: Kind = Kind {
    id: "unknown-field",
    stage: Stage::Events,
    of: ACR,
    asks: MustIgnore,
    also: None,
    variants: &[
        variant(
            "object",
            "each object begins with a member `x_new` that is an object",
        ),
        variant(
            "null",
            "each object begins with a member `x_new` that is null",
        ),
        variant(
            "with-tool-call",
            "the same as `object`, in a stream with a tool call",
        )
        .needs(Needs::ToolCall),
    ],
};

pub(super) const UNKNOWN_STOP_REASON: Kind = Kind {
    id: "unknown-stop-reason",
    stage: Stage::Turn,
    of: ACR,
    asks: MustSucceedWithSameResult,
    also: None,
    variants: &[variant("made-up", "the reason is `x_new`").of(A.and(C))],
};
