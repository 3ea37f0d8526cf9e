//! Answers that are no event stream, or have another status.

use super::{
    Requirement::{MustError, MustSucceedWithSameResult},
    Stage,
    kind::{ACR, Kind, Variant, variant},
};

/// A row that asks for an error.
const fn an_error(id: &'static str, variants: &'static [Variant]) -> Kind {
    Kind {
        id,
        stage: Stage::Http,
        of: ACR,
        asks: MustError,
        also: None,
        variants,
    }
}

pub(super) const ERROR_JSON_200: Kind = an_error(
    "error-json-200",
    &[variant(
        "error-object",
        "status 200, the type of JSON and the provider's error of status 500",
    )],
);

pub(super) const JSON_INSTEAD_OF_SSE: Kind = Kind {
    asks: MustSucceedWithSameResult,
    also: Some(MustError),
    ..an_error(
        "json-instead-of-sse",
        &[variant(
            "whole-answer",
            "the answer to a request that asks for no stream",
        )],
    )
};

/// Pages of a proxy, each chunked and with a length.
macro_rules! pages {
    ($($status:literal)+) => {
        &[
            $(
                variant(
                    concat!("status-", $status),
                    concat!("status ", $status, " and a page of HTML, chunked"),
                ),
                variant(
                    concat!("status-", $status, "-with-length"),
                    concat!("status ", $status, " and a page of HTML, with its length"),
                ),
            )+
            variant("mid-stream", "a page of HTML stands behind the first fragment, and then the body ends properly"),
        ]
    };
}

pub(super) const HTML_BODY: Kind = an_error("html-body", pages!(502 200 403 503 520));

/// Errors of the provider, each whole, empty and cut.
macro_rules! errors {
    ($($status:literal)+) => {
        &[
            $(
                variant(
                    concat!("status-", $status),
                    concat!("status ", $status, " and the provider's error"),
                ),
                variant(
                    concat!("status-", $status, "-empty"),
                    concat!("status ", $status, ", the provider's headers and no byte of a body"),
                ),
                variant(
                    concat!("status-", $status, "-cut"),
                    concat!("status ", $status, " and the first half of the provider's error, as if it were all"),
                ),
            )+
        ]
    };
}

pub(super) const HTTP_ERROR_ON_STREAM: Kind = an_error(
    "http-error-on-stream",
    errors!(500 400 401 404 413 429 503 529),
);

pub(super) const EMPTY_BODY: Kind = an_error(
    "empty-body",
    &[
        variant("no-byte", "a proper end without a byte"),
        variant("only-comments", "a proper end behind three comments"),
    ],
);
