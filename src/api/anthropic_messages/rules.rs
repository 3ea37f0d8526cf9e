//! Requests that the service refuses, in the order in which it looks at them.

use crate::{
    api::Rule,
    request::RecordedRequest,
    script::{ApiError, ErrorKind},
};

/// The rules that hold today.
pub(crate) const RULES: &[Rule] = &[
    Rule {
        name: "credentials",
        source: "public reports: 401 without a key in `x-api-key` or `authorization: Bearer`",
        check: credentials,
    },
    Rule {
        name: "anthropic-version",
        source: "public reports: 400 without the header",
        check: version,
    },
    Rule {
        name: "json-body",
        source: "the documentation: 400; the text is this crate's own",
        check: json_body,
    },
];

fn credentials(request: &RecordedRequest) -> Option<ApiError> {
    request
        .api_key()
        .is_none()
        .then(|| ApiError::new(ErrorKind::Authentication).message("x-api-key header is required"))
}

fn version(request: &RecordedRequest) -> Option<ApiError> {
    request
        .header("anthropic-version")
        .is_none()
        .then(|| ApiError::invalid_request("anthropic-version: header is required"))
}

fn json_body(request: &RecordedRequest) -> Option<ApiError> {
    request.malformed().map(ApiError::invalid_request)
}
