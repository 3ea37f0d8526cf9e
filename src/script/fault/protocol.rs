//! Variations of the protocol of any family, which a client must bear.

use super::{
    Requirement::{MustError, MustIgnore, MustSucceedWithSameResult},
    Stage,
    kind::{A, ACR, C, Keeps, Kind, Needs, R, Variant, variant},
};

/// A kind that a client must bear, of any API.
const fn benign(id: &'static str, stage: Stage, variants: &'static [Variant]) -> Kind {
    Kind {
        id,
        stage,
        of: ACR,
        asks: MustSucceedWithSameResult,
        also: None,
        variants,
    }
}

/// A kind that adds what leaves no trace, and that is of A and R.
const fn ignored(id: &'static str, variants: &'static [Variant]) -> Kind {
    Kind {
        of: A.and(R),
        asks: MustIgnore,
        ..benign(id, Stage::Events, variants)
    }
}

pub(super) const PING_ANYWHERE: Kind = ignored(
    "ping-anywhere",
    &[
        variant("before-start", "a `ping` comes before the answer begins").of(A),
        variant(
            "before-first-delta",
            "a `ping` comes behind the start of each block",
        )
        .of(A),
        variant(
            "between-blocks",
            "a `ping` comes behind the end of each block",
        )
        .of(A),
        variant("after-stop-reason", "a `ping` comes behind the stop reason").of(A),
        variant(
            "keepalive",
            "an event `keepalive`, with its number, comes behind each other one",
        )
        .of(R),
        variant("ping", "an event `ping` comes behind each other one").of(R),
    ],
);

pub(super) const UNKNOWN_EVENT_TYPE: Kind = ignored(
    "unknown-event-type",
    &[
        variant(
            "json",
            "events `x_new`, with a JSON object, stand between all others",
        ),
        variant(
            "not-json",
            "events `x_new`, with data that are no JSON, stand between all others",
        ),
    ],
);

pub(super) const UNKNOWN_FIELD: Kind = Kind {
    asks: MustIgnore,
    ..benign(
        "unknown-field",
        Stage::Events,
        &[
            variant(
                "object",
                "each object begins with a member `x_new` that is an object",
            ),
            variant(
                "null",
                "each object begins with a member `x_new` that is null",
            ),
            variant(
                "array",
                "each object begins with a member `x_new` that is an array",
            ),
            variant(
                "with-tool-call",
                "the same as `object`, in a stream with a tool call",
            )
            .needs(Needs::ToolCall),
            variant(
                "with-thinking",
                "the same as `object`, in a stream that thinks",
            )
            .of(A.and(R))
            .needs(Needs::Thinking),
        ],
    )
};

pub(super) const OPTIONAL_FIELD_ABSENT: Kind = benign(
    "optional-field-absent",
    Stage::Events,
    &[
        variant("stop-sequence", "no object has a member `stop_sequence`").of(A),
        variant("caller", "no tool call says who calls")
            .of(A)
            .needs(Needs::ToolCall),
        variant(
            "content-index",
            "no fragment of a text has a `content_index`",
        )
        .of(R),
        variant("sequence-number", "no event has a `sequence_number`").of(R),
        variant("id", "no chunk has an `id`")
            .of(C)
            .keeps(Keeps::AllButId),
        variant("created", "no chunk says when it was `created`").of(C),
        variant("model", "no chunk has a `model`")
            .of(C)
            .keeps(Keeps::AllButModel),
        variant("role", "no delta has a `role`").of(C),
    ],
);

pub(super) const UNKNOWN_CONTENT_BLOCK: Kind = benign(
    "unknown-content-block",
    Stage::Turn,
    &[
        variant(
            "block",
            "the answer begins with a block of the type `x_new`, which has a delta",
        )
        .of(A),
        variant(
            "item",
            "the answer begins with an item of the type `x_new`, which has an event",
        )
        .of(R),
        variant(
            "content-part",
            "a chunk has a list as `content`, with a part of the type `x_new`",
        )
        .of(C)
        .at(Stage::Events)
        .keeps(Keeps::EverythingAndMore),
    ],
);

pub(super) const UNKNOWN_STOP_REASON: Kind = benign(
    "unknown-stop-reason",
    Stage::Turn,
    &[
        variant("made-up", "the reason is `x_new`").of(A.and(C)),
        variant(
            "incomplete-details",
            "the response is incomplete, and the reason is `x_new`",
        )
        .of(R)
        .at(Stage::Events),
        variant("pause-turn", "the reason is `pause_turn`").of(A),
        variant("refusal", "the reason is `refusal`").of(A),
        variant("eos", "the reason is `eos`").of(C),
        variant(
            "number",
            "beside the reason stands a `stop_reason` that is a number",
        )
        .of(C)
        .at(Stage::Events),
    ],
);

pub(super) const USAGE_NULL_OR_PARTIAL: Kind = benign(
    "usage-null-or-partial",
    Stage::Events,
    &[
        variant("null", "each usage is null").keeps(Keeps::AllButUsage),
        variant("empty", "each usage is an object without members").keeps(Keeps::AllButUsage),
        variant("missing", "no event has a usage").keeps(Keeps::AllButUsage),
        variant(
            "null-cache-counters",
            "the counters of the cache, or what they stand in, are null",
        )
        .keeps(Keeps::AllButCache),
        variant("only-in-start", "all counters stand in `message_start`").of(A),
        variant("only-in-delta", "all counters stand in `message_delta`")
            .of(A)
            .keeps(Keeps::AllButTier),
    ],
);

pub(super) const EMPTY_COMPLETION: Kind = benign(
    "empty-completion",
    Stage::Turn,
    &[variant(
        "nothing-said",
        "the answer says nothing, and is whole",
    )],
);

pub(super) const THINKING_SIGNATURE_MISSING: Kind = Kind {
    of: A,
    ..benign(
        "thinking-signature-missing",
        Stage::Turn,
        &[
            variant("no-signature", "the thinking has no signature").needs(Needs::Thinking),
            variant("several-deltas", "the signature comes in two deltas")
                .needs(Needs::Thinking)
                .at(Stage::Events),
            variant("signature-only", "the thinking has a signature and no text")
                .needs(Needs::Thinking),
            variant(
                "cut-before-signature",
                "the body ends properly before the signature",
            )
            .needs(Needs::Thinking)
            .at(Stage::Events)
            .asks(MustError, None),
        ],
    )
};
