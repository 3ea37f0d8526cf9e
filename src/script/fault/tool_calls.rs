//! Deltas of tool calls: dialects that a client must bear, then calls that must never be run.

use super::{
    Requirement::{MustError, MustSucceedWithSameResult},
    Stage,
    kind::{A, ACR, C, Families, Kind, Needs, R, Variant, variant},
};

/// A form that an answer with a tool call can have.
const fn call(name: &'static str, what: &'static str) -> Variant {
    variant(name, what).needs(Needs::ToolCall)
}

/// A form that an answer with two tool calls can have.
const fn calls(name: &'static str, what: &'static str) -> Variant {
    variant(name, what).needs(Needs::TwoToolCalls)
}

const fn benign(
    id: &'static str,
    stage: Stage,
    of: Families,
    variants: &'static [Variant],
) -> Kind {
    Kind {
        id,
        stage,
        of,
        asks: MustSucceedWithSameResult,
        also: None,
        variants,
    }
}

const fn malign(
    id: &'static str,
    stage: Stage,
    of: Families,
    variants: &'static [Variant],
) -> Kind {
    Kind {
        asks: MustError,
        ..benign(id, stage, of, variants)
    }
}

pub(super) const TOOL_ARGS_SPLIT: Kind = benign(
    "tool-args-split",
    Stage::Turn,
    ACR,
    &[
        call(
            "every-character",
            "each character of the arguments is a fragment",
        ),
        call(
            "inside-key",
            "the arguments are cut behind the first character of their first name",
        ),
        call(
            "inside-number",
            "the arguments are cut between two digits of a number",
        ),
        call(
            "inside-escapes",
            "characters that are not ASCII are escapes, and each character of these is a fragment",
        ),
        call(
            "equal-neighbours",
            "two fragments that follow each other are equal",
        ),
    ],
);

pub(super) const TOOL_INTERLEAVED: Kind = benign(
    "tool-interleaved",
    Stage::Events,
    ACR,
    &[calls("in-turns", "the events of two calls take turns")],
);

pub(super) const TOOL_ID_OMITTED_LATER: Kind = benign(
    "tool-id-omitted-later",
    Stage::Events,
    C,
    &[
        call("empty-id", "fragments behind the first have an empty id"),
        call(
            "null-id",
            "fragments behind the first have an id that is null",
        ),
        call(
            "empty-name",
            "fragments behind the first have an empty name",
        ),
        call(
            "empty-id-and-name",
            "fragments behind the first have an empty id and an empty name",
        ),
    ],
);

pub(super) const TOOL_ID_NAME_REPEATED: Kind = benign(
    "tool-id-name-repeated",
    Stage::Events,
    C,
    &[
        call("every-fragment", "each fragment has the id and the name"),
        call(
            "name-in-fragments",
            "the name comes in two pieces, with the first two fragments",
        ),
    ],
);

pub(super) const TOOL_ID_DUPLICATED: Kind = Kind {
    also: Some(MustError),
    ..benign(
        "tool-id-duplicated",
        Stage::Turn,
        A.and(C),
        &[calls(
            "in-one-answer",
            "the second call has the id of the first",
        )],
    )
};

pub(super) const TOOL_ARGS_IN_FIRST_DELTA: Kind = benign(
    "tool-args-in-first-delta",
    Stage::Events,
    C,
    &[call(
        "whole",
        "the first fragment of a call has all of its arguments, and is the only one",
    )],
);

pub(super) const TOOL_ARGS_EMPTY: Kind = benign(
    "tool-args-empty",
    Stage::Events,
    ACR,
    &[
        call(
            "no-delta",
            "the calls have no arguments, and no delta of them",
        )
        .of(A.and(R)),
        call("empty-string", "the arguments of the calls are `\"\"`").of(C),
        call("absent", "the calls have no member `arguments`").of(C),
        call(
            "one-empty-delta",
            "the calls have one delta, which is empty",
        )
        .of(A),
        call(
            "placeholder-and-deltas",
            "behind `\"input\":{}` the arguments come as deltas, `{` and `}`",
        )
        .of(A),
    ],
);

pub(super) const TOOL_INDEX_MISSING: Kind = benign(
    "tool-index-missing",
    Stage::Events,
    C.and(A),
    &[
        call(
            "every-fragment",
            "no fragment of the first call has its index",
        )
        .of(C),
        call(
            "later-fragments",
            "only the first fragment of the first call has its index",
        )
        .of(C),
        calls(
            "interleaved",
            "the fragments of two calls take turns, and none has an index",
        )
        .of(C)
        .asks(MustError, None),
        variant("blocks", "no event of a block has its index").of(A),
        calls(
            "interleaved-blocks",
            "the events of two calls take turns, and none has an index",
        )
        .of(A)
        .asks(MustError, None),
    ],
);

pub(super) const TOOL_INDEX_COLLISION: Kind = benign(
    "tool-index-collision",
    Stage::Events,
    C,
    &[
        calls("whole", "all calls have the index 0, and one fragment each"),
        calls(
            "with-ids",
            "all calls have the index 0, and each fragment the id of its call",
        ),
        calls(
            "without-ids",
            "all calls have the index 0, and only their first fragments an id",
        )
        .asks(MustSucceedWithSameResult, Some(MustError)),
    ],
);

pub(super) const RESPONSES_ID_MAPPING: Kind = benign(
    "responses-id-mapping",
    Stage::Events,
    R,
    &[
        call(
            "item-id-only",
            "the events of arguments have no `output_index`",
        ),
        call(
            "output-index-only",
            "the events of arguments have no `item_id`",
        ),
        calls(
            "reasoning-between",
            "the model thinks between its first two calls",
        )
        .at(Stage::Turn),
    ],
);

pub(super) const TOOL_ARGS_OBJECT: Kind = Kind {
    also: Some(MustSucceedWithSameResult),
    ..malign(
        "tool-args-object",
        Stage::Events,
        C,
        &[
            call(
                "whole",
                "the arguments are an object, in the first fragment",
            ),
            call(
                "per-delta",
                "each fragment is an object, with some of the members",
            ),
        ],
    )
};

pub(super) const TOOL_ARGS_DUPLICATED: Kind = malign(
    "tool-args-duplicated",
    Stage::Events,
    C.and(R),
    &[
        call(
            "whole-again",
            "behind the fragments of a call come all of its arguments once more",
        )
        .of(C),
        call(
            "before-done",
            "behind the fragments of a call come all of its arguments once more, then its end",
        )
        .of(R)
        .asks(MustError, Some(MustSucceedWithSameResult)),
    ],
);

pub(super) const TOOL_ARGS_INVALID_JSON: Kind = malign(
    "tool-args-invalid-json",
    Stage::Turn,
    ACR,
    &[
        call("bad-escape", "the first name begins with `\\x`"),
        call("stray-quote", "a quote stands before the last brace"),
        call("two-objects", "the arguments stand there twice"),
    ],
);

pub(super) const TOOL_ARGS_TRUNCATED: Kind = malign(
    "tool-args-truncated",
    Stage::Turn,
    ACR,
    &[
        call("cut", "the last call has the first half of its arguments"),
        call(
            "middle-lost",
            "the colon behind the first name, and what follows it, are missing",
        ),
    ],
);

pub(super) const LENGTH_CUT_TOOL_CALL: Kind = malign(
    "length-cut-tool-call",
    Stage::Turn,
    ACR,
    &[
        call(
            "says-length",
            "the last call has the first half of its arguments; the reason is the limit on tokens",
        ),
        call(
            "says-tool-calls",
            "the last call has the first half of its arguments; the reason is a tool call",
        ),
        call(
            "valid-json",
            "the reason is the limit on tokens; what came of the last call is JSON",
        ),
    ],
);

pub(super) const TOOL_NAME_MISSING: Kind = malign(
    "tool-name-missing",
    Stage::Events,
    ACR,
    &[
        call("no-name", "the first call has no name"),
        call("empty-name", "the first call has an empty name"),
        call("no-id", "the first call has no id"),
    ],
);
