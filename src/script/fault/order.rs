//! Order and structure: answers that no client may take for whole.

use super::{
    Requirement::{MustError, MustIgnore, MustSucceedWithSameResult},
    Stage,
    kind::{A, Families, Kind, Needs, R, variant},
};

const AR: Families = A.and(R);

pub(super) const DELTA_BEFORE_START: Kind = Kind {
    id: "delta-before-start",
    stage: Stage::Events,
    of: AR,
    asks: MustError,
    also: None,
    variants: &[
        variant(
            "never-started",
            "the first block has no event that starts it",
        ),
        variant(
            "before-the-answer",
            "the first block starts before the answer does",
        ),
    ],
};

pub(super) const DUPLICATE_MESSAGE_START: Kind = Kind {
    id: "duplicate-message-start",
    stage: Stage::Events,
    of: AR,
    asks: MustError,
    also: None,
    variants: &[
        variant(
            "same-id",
            "the event that begins the answer comes again behind the first fragment",
        ),
        variant(
            "other-id",
            "behind the first fragment another answer begins, and comes to its end",
        ),
    ],
};

pub(super) const BLOCK_INDEX_INVALID: Kind = Kind {
    id: "block-index-invalid",
    stage: Stage::Events,
    of: A,
    asks: MustError,
    also: None,
    variants: &[
        variant("negative", "the index of the first block is -1"),
        variant("gap", "the indices are 0, 2 and so on").needs(Needs::TwoBlocks),
        variant("started-twice", "the first block starts twice"),
        variant("reused", "the second block has the index of the first").needs(Needs::TwoBlocks),
        variant("huge", "the index of the first block is 1000000000"),
    ],
};

pub(super) const DELTA_TYPE_MISMATCH: Kind = Kind {
    id: "delta-type-mismatch",
    stage: Stage::Events,
    of: A,
    asks: MustError,
    also: None,
    variants: &[
        variant(
            "arguments-on-text",
            "the first delta of a text is an `input_json_delta`",
        ),
        variant(
            "text-on-tool",
            "the first fragment of a tool call is a `text_delta`",
        )
        .needs(Needs::ToolCall),
        variant(
            "signature-on-thinking",
            "the first `thinking_delta` has a member `signature` too",
        )
        .needs(Needs::Thinking),
        variant(
            "unknown-type",
            "the first delta of a text is of a type that no documentation names",
        )
        .asks(MustError, Some(MustSucceedWithSameResult)),
    ],
};

pub(super) const DELTA_AFTER_STOP: Kind = Kind {
    id: "delta-after-stop",
    stage: Stage::Events,
    of: AR,
    asks: MustError,
    also: None,
    variants: &[
        variant(
            "stopped-block",
            "the first fragment comes again behind the end of its block",
        ),
        variant(
            "after-the-end",
            "the first fragment comes again behind the end of the answer",
        )
        // `open-after-terminal` asks a client to be back at the end of the answer, where it cannot know of more
        .asks(MustIgnore, Some(MustError)),
    ],
};

pub(super) const BLOCK_NOT_CLOSED: Kind = Kind {
    id: "block-not-closed",
    stage: Stage::Events,
    of: AR,
    asks: MustError,
    also: None,
    variants: &[
        variant("tool-call", "the last tool call has no end").needs(Needs::ToolCall),
        variant("text", "the last text has no end")
            .asks(MustError, Some(MustSucceedWithSameResult)),
    ],
};
