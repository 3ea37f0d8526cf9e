//! Truncation, lost connections and silence.

use super::{
    Requirement::{MustError, MustSucceedWithSameResult, MustTimeOutWhenIdleLimitSet},
    Stage,
    kind::{A, ACR, C, Kind, Needs, R, Variant, variant},
};

/// A row that asks for an error.
const fn an_error(id: &'static str, stage: Stage, variants: &'static [Variant]) -> Kind {
    Kind {
        id,
        stage,
        of: ACR,
        asks: MustError,
        also: None,
        variants,
    }
}

/// A row that asks for the end of a client's patience.
const fn a_time_out(id: &'static str, variants: &'static [Variant]) -> Kind {
    Kind {
        asks: MustTimeOutWhenIdleLimitSet,
        ..an_error(id, Stage::Transport, variants)
    }
}

pub(super) const EOF_BEFORE_TERMINAL: Kind = an_error(
    "eof-before-terminal",
    Stage::Events,
    &[
        variant(
            "all-content",
            "the event with the stop reason and what follows it are missing",
        ),
        variant(
            "no-content",
            "the first fragment and what follows it are missing",
        ),
        variant("one-fragment", "what follows the first fragment is missing"),
        variant(
            "open-tool-call",
            "what follows the first fragment of a tool call's arguments is missing",
        )
        .needs(Needs::ToolCall),
        variant(
            "done-without-finish-reason",
            "the chunk with the finish reason is missing, and `[DONE]` is not",
        )
        .of(C),
    ],
);

pub(super) const TERMINAL_FRAME_CUT: Kind = Kind {
    of: A.and(R),
    asks: MustSucceedWithSameResult,
    also: Some(MustError),
    ..an_error(
        "terminal-frame-cut",
        Stage::Bytes,
        &[
            variant(
                "cut",
                "the last event is cut behind the fourth byte of its data; the body ends properly",
            ),
            variant("missing", "the last event is missing").of(A),
        ],
    )
};

pub(super) const EOF_NO_FINAL_BLANK: Kind = Kind {
    asks: MustSucceedWithSameResult,
    also: Some(MustError),
    ..an_error(
        "eof-no-final-blank",
        Stage::Bytes,
        &[
            variant(
                "one-line-end",
                "the last event (of Chat the one before `[DONE]`) ends with its line; nothing follows",
            ),
            variant(
                "no-line-end",
                "the last event (of Chat the one before `[DONE]`) ends with its last brace; nothing follows",
            ),
        ],
    )
};

pub(super) const EOF_MID_EVENT: Kind = an_error(
    "eof-mid-event",
    Stage::Bytes,
    &[
        variant(
            "in-json",
            "the first fragment's event is cut in the middle of its data; the body ends properly",
        ),
        variant(
            "in-field-name",
            "the first fragment's event is cut behind its second byte; the body ends properly",
        ),
        variant(
            "in-character",
            "the first character of several bytes in a fragment is cut behind its first one; the body ends properly",
        ),
    ],
);

pub(super) const CHUNKED_ABORT: Kind = an_error(
    "chunked-abort",
    Stage::Transport,
    &[
        variant(
            "between-events",
            "the connection is closed behind the first fragment, without the last chunk",
        ),
        variant(
            "inside-event",
            "the connection is closed behind the first half of the first fragment's event",
        ),
        variant(
            "length-too-large",
            "`Content-Length` is that of the whole body, and the connection is closed behind the first fragment",
        ),
    ],
);

pub(super) const RESET_MID_STREAM: Kind = an_error(
    "reset-mid-stream",
    Stage::Transport,
    &[
        variant(
            "after-events",
            "the connection is reset behind the first fragment",
        ),
        variant(
            "before-headers",
            "the connection is reset before a byte is written",
        ),
        variant("after-headers", "the connection is reset behind the head"),
        variant(
            "after-finish-reason",
            "the connection is reset behind the event with the stop reason",
        )
        .of(A.and(C)),
    ],
);

pub(super) const STALL_BEFORE_HEADERS: Kind = a_time_out(
    "stall-before-headers",
    &[variant("no-byte", "nothing is written")],
);

pub(super) const STALL_MID_STREAM: Kind = a_time_out(
    "stall-mid-stream",
    &[
        variant("headers-only", "nothing comes behind the head"),
        variant("between-events", "nothing comes behind the first fragment"),
        variant(
            "inside-a-line",
            "nothing comes behind the first half of the first fragment's event",
        ),
        variant(
            "inside-a-tool-call",
            "nothing comes behind the first fragment of a tool call's arguments",
        )
        .needs(Needs::ToolCall),
    ],
);

pub(super) const STALL_HEARTBEAT_ONLY: Kind = a_time_out(
    "stall-heartbeat-only",
    &[
        variant(
            "comments",
            "behind the first fragment comes a comment every 20 ms (`.every(..)`), for ever",
        ),
        variant(
            "blank-lines",
            "behind the first fragment comes a blank line every 20 ms (`.every(..)`), for ever",
        ),
        variant(
            "pings",
            "behind the first fragment comes an event `ping` (of Responses `keepalive`) every 20 ms (`.every(..)`), for ever",
        )
        .of(A.and(R)),
        variant(
            "after-finish-reason",
            "behind the event with the stop reason comes a comment every 20 ms (`.every(..)`), for ever",
        )
        .of(A.and(C)),
    ],
);

pub(super) const SLOW_BUT_ALIVE: Kind = Kind {
    asks: MustSucceedWithSameResult,
    ..a_time_out(
        "slow-but-alive",
        &[variant(
            "every-event",
            "each event comes 20 ms (`.every(..)`) behind the one before",
        )],
    )
};

pub(super) const OPEN_AFTER_TERMINAL: Kind = Kind {
    asks: MustSucceedWithSameResult,
    ..a_time_out(
        "open-after-terminal",
        &[
            variant(
                "silent",
                "nothing follows the last event: neither the end of the body nor that of the connection",
            ),
            variant(
                "heartbeats",
                "behind the last event comes a comment every 20 ms (`.every(..)`), for ever",
            ),
            variant(
                "without-done",
                "`[DONE]` is missing, and nothing follows the last chunk: neither the end of the body nor that of the connection",
            )
            .of(C),
        ],
    )
};
