//! Bytes and framing: damage that no client may notice, but for bytes that are no text.

use super::{
    Requirement::{MustError, MustIgnore, MustSucceedWithSameResult},
    Stage,
    kind::{A, ACR, Kind, Needs, R, Variant, variant},
};

/// A row that asks for the same result and accepts nothing else.
const fn same_result(id: &'static str, stage: Stage, variants: &'static [Variant]) -> Kind {
    Kind {
        id,
        stage,
        of: ACR,
        asks: MustSucceedWithSameResult,
        also: None,
        variants,
    }
}

/// A row about what is added between or in events, and means nothing.
const fn ignored(id: &'static str, variants: &'static [Variant]) -> Kind {
    Kind {
        asks: MustIgnore,
        ..same_result(id, Stage::Bytes, variants)
    }
}

pub(super) const SPLIT_ANY_BYTE: Kind = same_result(
    "split-any-byte",
    Stage::Transport,
    &[
        variant("one-byte-per-write", "each byte is a write of its own"),
        variant(
            "inside-field-names",
            "a write ends behind the second byte of each line",
        ),
        variant(
            "between-lines",
            "a write ends between the `event:` and the `data:` line of each event",
        )
        .of(A.and(R)),
        variant(
            "inside-blank-lines",
            "a write ends between the two line ends behind each event",
        ),
        variant("several-events", "three events are one write"),
    ],
);

pub(super) const SPLIT_UTF8_SCALAR: Kind = same_result(
    "split-utf8-scalar",
    Stage::Transport,
    &[
        variant(
            "after-each-byte",
            "a write ends behind each byte of every such character of a text",
        ),
        variant(
            "in-arguments",
            "a write ends behind each byte of every such character of a tool call's arguments",
        )
        .needs(Needs::ToolCall),
    ],
);

pub(super) const INVALID_UTF8: Kind = Kind {
    id: "invalid-utf8",
    stage: Stage::Bytes,
    of: ACR,
    asks: MustError,
    also: Some(MustSucceedWithSameResult),
    variants: &[
        variant(
            "lone-continuation",
            "the first fragment begins with the byte 80",
        ),
        variant(
            "truncated-sequence",
            "the first fragment begins with the bytes E2 82 and a question mark",
        ),
        variant(
            "in-arguments",
            "the first fragment of a tool call's arguments begins with the byte 80",
        )
        .needs(Needs::ToolCall)
        .asks(MustError, None),
    ],
};

pub(super) const EOL_CRLF: Kind = same_result(
    "eol-crlf",
    Stage::Bytes,
    &[variant("every-line", "every LF becomes CR LF")],
);

pub(super) const SPLIT_CRLF: Kind = same_result(
    "split-crlf",
    Stage::Transport,
    &[
        variant(
            "every-line",
            "every LF becomes CR LF, and a write ends between the two",
        ),
        variant(
            "at-field-lines",
            "every LF becomes CR LF, and a write ends between the two where a field ends",
        ),
        variant(
            "at-blank-lines",
            "every LF becomes CR LF, and a write ends between the two of each blank line",
        ),
    ],
);

pub(super) const EOL_CR: Kind = same_result(
    "eol-cr",
    Stage::Bytes,
    &[variant(
        "every-line",
        "every LF becomes CR, the last one too",
    )],
);

pub(super) const EOL_MIXED: Kind = same_result(
    "eol-mixed",
    Stage::Bytes,
    &[
        variant(
            "by-line",
            "the `event:` line ends in CR LF, the `data:` line in LF, the blank line in CR",
        ),
        variant(
            "by-event",
            "all lines of an event end in LF, those of the next in CR LF, those of the third in CR, and so on",
        ),
    ],
);

pub(super) const BOM_LEADING: Kind = same_result(
    "bom-leading",
    Stage::Bytes,
    &[
        variant("one-write", "the body begins with EF BB BF"),
        variant(
            "cut",
            "the body begins with EF BB BF, and a write ends behind each of them",
        ),
        variant(
            "in-text",
            "the text begins with U+FEFF, which is a character there",
        )
        .at(Stage::Turn),
    ],
);

pub(super) const FIELD_SPACE_VARIANTS: Kind = same_result(
    "field-space-variants",
    Stage::Bytes,
    &[
        variant("none", "no space stands behind the colon of a field"),
        variant(
            "two",
            "two spaces stand before each JSON object, of which the second is white space of the JSON",
        ),
    ],
);

pub(super) const DATA_MULTI_LINE: Kind = same_result(
    "data-multi-line",
    Stage::Bytes,
    &[
        variant(
            "at-commas",
            "each JSON object goes on on a further `data:` line behind each comma",
        ),
        variant(
            "braces-apart",
            "the first and the last brace of each JSON object are `data:` lines of their own",
        ),
    ],
);

pub(super) const COMMENT_LINES: Kind = ignored(
    "comment-lines",
    &[
        variant(
            "between-events",
            "a comment and a blank line stand between events",
        ),
        variant(
            "before-data",
            "a comment stands before the `data:` line of each event",
        ),
        variant(
            "after-data",
            "a comment stands behind the `data:` line of each event",
        ),
        variant(
            "before-first-event",
            "the body begins with a comment and a blank line",
        ),
        variant(
            "bare-colon",
            "a colon on a line of its own stands between events",
        ),
        variant("hundreds", "300 comment lines stand behind the first event"),
    ],
);

pub(super) const BLANK_LINE_KEEPALIVE: Kind = ignored(
    "blank-line-keepalive",
    &[
        variant("one", "a further blank line stands between events"),
        variant("two", "two further blank lines stand between events"),
        variant(
            "four-hundred",
            "400 further blank lines stand between events",
        ),
    ],
);

pub(super) const EMPTY_DATA_EVENT: Kind = ignored(
    "empty-data-event",
    &[
        variant(
            "name-only",
            "the name of the next event and a blank line stand between events",
        )
        .of(A.and(R)),
        variant(
            "unknown-name-only",
            "`event: x_new` and a blank line stand between events",
        ),
        variant("id-only", "`id: 7` and a blank line stand between events"),
        variant(
            "empty-data",
            "`data:` and a blank line stand between events",
        ),
        variant(
            "name-and-empty-data",
            "the name of the next event, `data:` and a blank line stand between events",
        )
        .of(A.and(R)),
        variant(
            "comment-after-id",
            "each event has an `id: 7`, and a comment and a blank line stand between events",
        ),
    ],
);

pub(super) const SSE_EXTRA_FIELDS: Kind = ignored(
    "sse-extra-fields",
    &[
        variant("id", "each event begins with `id: 7`"),
        variant("retry", "each event begins with `retry: 3000`"),
        variant("retry-no-number", "each event begins with `retry: x`"),
        variant("unknown-field", "each event begins with `foo: 1`"),
        variant("word-without-colon", "each event begins with `foo`"),
        variant(
            "data-without-colon",
            "a line `data` stands before the `data:` line of each JSON object: an empty line of the data",
        ),
    ],
);

pub(super) const EVENT_NAME_ABSENT: Kind = Kind {
    of: A.and(R),
    also: Some(MustError),
    ..same_result(
        "event-name-absent",
        Stage::Bytes,
        &[variant("every-event", "the `event:` lines are missing")],
    )
};

pub(super) const UNICODE_SEPARATORS_IN_DATA: Kind = same_result(
    "unicode-separators-in-data",
    Stage::Turn,
    &[
        variant("all", "the text begins with U+2028, U+2029 and U+0085"),
        variant("line-separator", "the text begins with U+2028"),
        variant("paragraph-separator", "the text begins with U+2029"),
        variant("next-line", "the text begins with U+0085"),
    ],
);

pub(super) const GZIP_STREAM: Kind = Kind {
    also: Some(MustError),
    ..same_result(
        "gzip-stream",
        Stage::Http,
        &[
            variant(
                "flushed-per-write",
                "the body is compressed, and each write can be read by itself",
            ),
            variant(
                "flushed-at-end",
                "the body is compressed, and nothing of it can be read before its end",
            ),
            variant(
                "not-offered",
                "as `flushed-per-write`, for a client that does not offer gzip",
            ),
        ],
    )
};

pub(super) const BUFFERED_BURST: Kind = same_result(
    "buffered-burst",
    Stage::Transport,
    &[variant(
        "whole-body",
        "20 ms (`.every(..)`) behind the head the whole body comes in one write",
    )],
);

pub(super) const CONTENT_TYPE_VARIANTS: Kind = Kind {
    also: Some(MustError),
    ..same_result(
        "content-type-variants",
        Stage::Http,
        &[
            variant("charset", "the type is `text/event-stream;charset=UTF-8`")
                .asks(MustSucceedWithSameResult, None),
            variant("upper-case", "the type is `TEXT/EVENT-STREAM`")
                .asks(MustSucceedWithSameResult, None),
            variant(
                "json-and-event-stream",
                "the type is `application/json, text/event-stream`",
            )
            .asks(MustSucceedWithSameResult, None),
            variant("absent", "there is no content type"),
            variant("text-plain", "the type is `text/plain`"),
        ],
    )
};
