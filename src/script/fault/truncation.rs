//! Truncation, lost connections and silence.

use super::{
    Requirement::{MustError, MustSucceedWithSameResult, MustTimeOutWhenIdleLimitSet},
    Stage,
    kind::{ACR, Kind, Needs, variant},
};

pub(super) const EOF_BEFORE_TERMINAL: Kind = Kind {
    id: "eof-before-terminal",
    stage: Stage::Events,
    of: ACR,
    asks: MustError,
    also: None,
    variants: &[
        variant(
            "all-content",
            "the event with the stop reason and what follows it are missing",
        ),
        variant(
            "no-content",
            "the first fragment and what follows it are missing",
        ),
        variant(
            "open-tool-call",
            "what follows the first fragment of a tool call is missing",
        )
        .needs(Needs::ToolCall),
    ],
};

pub(super) const CHUNKED_ABORT: Kind = Kind {
    id: "chunked-abort",
    stage: Stage::Transport,
    of: ACR,
    asks: MustError,
    also: None,
    variants: &[
        variant(
            "between-events",
            "the connection is closed behind the first fragment, without the last chunk",
        ),
        variant(
            "length-too-large",
            "`Content-Length` is that of the whole body, and the connection is closed behind the first fragment",
        ),
    ],
};

pub(super) const STALL_MID_STREAM: Kind = Kind {
    id: "stall-mid-stream",
    stage: Stage::Transport,
    of: ACR,
    asks: MustTimeOutWhenIdleLimitSet,
    also: None,
    variants: &[
        variant("headers-only", "nothing comes behind the head"),
        variant("between-events", "nothing comes behind the first fragment"),
        variant(
            "inside-a-line",
            "nothing comes behind the first half of the first fragment's event",
        ),
        variant(
            "inside-a-tool-call",
            "nothing comes behind the first fragment of a tool call",
        )
        .needs(Needs::ToolCall),
    ],
};

pub(super) const SLOW_BUT_ALIVE: Kind = Kind {
    id: "slow-but-alive",
    stage: Stage::Transport,
    of: ACR,
    asks: MustSucceedWithSameResult,
    also: None,
    variants: &[variant(
        "every-event",
        "each event comes 20 ms (`.every(..)`) behind the one before",
    )],
};

pub(super) const STALL_HEARTBEAT_ONLY: Kind = Kind {
    id: "stall-heartbeat-only",
    stage: Stage::Transport,
    of: ACR,
    asks: MustTimeOutWhenIdleLimitSet,
    also: None,
    variants: &[variant(
        "comments",
        "behind the first fragment comes a comment every 20 ms (`.every(..)`), for ever",
    )],
};

pub(super) const EMPTY_BODY: Kind = Kind {
    id: "empty-body",
    stage: Stage::Http,
    of: ACR,
    asks: MustError,
    also: None,
    variants: &[
        variant("no-byte", "a proper end without a byte"),
        variant("only-comments", "a proper end behind three comments"),
    ],
};
