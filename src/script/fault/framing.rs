//! Bytes and framing: damage that no client may notice.

use super::{
    Requirement::MustSucceedWithSameResult,
    Stage,
    kind::{ACR, Kind, Needs, variant},
};

pub(super) const SPLIT_UTF8_SCALAR: Kind = Kind {
    id: "split-utf8-scalar",
    stage: Stage::Transport,
    of: ACR,
    asks: MustSucceedWithSameResult,
    also: None,
    variants: &[
        variant(
            "after-each-byte",
            "a write ends behind each byte of every such character of a text",
        ),
        variant(
            "in-arguments",
            "a write ends behind each byte of every such character of a stream with a tool call",
        )
        .needs(Needs::ToolCall),
    ],
};

pub(super) const EOL_CRLF: Kind = Kind {
    id: "eol-crlf",
    stage: Stage::Bytes,
    of: ACR,
    asks: MustSucceedWithSameResult,
    also: None,
    variants: &[variant("every-line", "every LF becomes CR LF")],
};
