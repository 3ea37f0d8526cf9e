//! Variations of the chunks of Chat, which a client must bear.

use super::{
    Requirement::{self, MustError, MustIgnore, MustSucceedWithSameResult},
    Stage,
    kind::{A, C, Kind, Needs, Variant, variant},
};

const fn chunks(id: &'static str, asks: Requirement, variants: &'static [Variant]) -> Kind {
    Kind {
        id,
        stage: Stage::Events,
        of: C,
        asks,
        also: None,
        variants,
    }
}

const fn benign(id: &'static str, variants: &'static [Variant]) -> Kind {
    chunks(id, MustSucceedWithSameResult, variants)
}

/// A form that an answer with a tool call can have.
const fn call(name: &'static str, what: &'static str) -> Variant {
    variant(name, what).needs(Needs::ToolCall)
}

pub(super) const FINISH_REASON_EMPTY: Kind = benign(
    "finish-reason-empty",
    &[variant(
        "empty-string",
        "where the `finish_reason` was null, it is `\"\"`",
    )],
);

pub(super) const FINISH_REASON_KEY_ABSENT: Kind = benign(
    "finish-reason-key-absent",
    &[variant(
        "absent",
        "where the `finish_reason` was null, it is missing",
    )],
);

pub(super) const USAGE_ONLY_CHUNK: Kind = benign(
    "usage-only-chunk",
    &[
        variant(
            "every-chunk",
            "each chunk has the usage of the whole answer",
        ),
        variant(
            "finish-chunk",
            "the usage stands in the chunk with the `finish_reason`",
        ),
        variant(
            "own-chunk",
            "the usage stands in a chunk of its own, which has no choice, behind the last",
        )
        .needs(Needs::UsageElsewhere),
    ],
);

pub(super) const EMPTY_CHOICES_FIRST: Kind = chunks(
    "empty-choices-first",
    MustIgnore,
    &[variant(
        "as-azure",
        "the first chunk has no choice, an empty id and model, and what the filters of the prompt found",
    )],
);

pub(super) const NULL_DELTA: Kind = chunks(
    "null-delta",
    MustIgnore,
    &[
        variant("delta-null", "a `delta` without members is null"),
        variant("delta-absent", "a `delta` without members is missing"),
        variant("content-null", "where a delta has no `content`, it is null"),
        variant(
            "tool-calls-null",
            "where a delta has no `tool_calls`, they are null",
        ),
        variant("role-null", "where a delta has no `role`, it is null"),
        call(
            "arguments-null",
            "where `arguments` are empty, they are null",
        ),
        variant(
            "payload-null",
            "`data: null` comes behind the first fragment",
        ),
    ],
);

pub(super) const FINISH_WITH_CONTENT: Kind = benign(
    "finish-with-content",
    &[
        variant(
            "last-text",
            "the `finish_reason` stands beside the last fragment of the text",
        ),
        call(
            "last-tool-call",
            "the `finish_reason` stands beside the last fragment of a tool call",
        ),
        call(
            "only-tool-call",
            "each call has one fragment, and the `finish_reason` stands beside the last",
        ),
    ],
);

pub(super) const CONTENT_AFTER_FINISH: Kind = Kind {
    also: Some(MustError),
    ..benign(
        "content-after-finish",
        &[
            variant(
                "text",
                "the last fragment of the text comes behind the `finish_reason`",
            ),
            call(
                "tool-call",
                "the last fragment of a tool call comes behind the `finish_reason`",
            ),
        ],
    )
};

pub(super) const DUPLICATE_FINISH: Kind = Kind {
    also: Some(MustError),
    ..benign(
        "duplicate-finish",
        &[call(
            "tool-calls-then-stop",
            "behind `tool_calls` comes `stop`",
        )],
    )
};

pub(super) const DONE_SENTINEL: Kind = Kind {
    of: C.and(A),
    ..chunks(
        "done-sentinel",
        MustIgnore,
        &[
            variant("repeated", "`[DONE]` comes twice").of(C),
            variant("without-space", "`[DONE]` comes without a space before it").of(C),
            variant("appended", "`[DONE]` comes behind the last event").of(A),
            variant(
                "appended-without-space",
                "`[DONE]` comes behind the last event, without a space before it",
            )
            .of(A),
        ],
    )
};

pub(super) const DONE_MISSING: Kind = benign(
    "done-missing",
    &[variant("absent", "the body ends properly without `[DONE]`")],
);
