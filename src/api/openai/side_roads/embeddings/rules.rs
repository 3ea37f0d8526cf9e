//! Requests for embeddings that the service refuses. What needs a tokenizer is looked at only where the request has
//! tokens itself.

use serde_json::Value;

use super::input::{self, EmbeddingInput};
use crate::script::ApiError;

/// The most inputs of a request.
const MOST_INPUTS: usize = 2048;
/// The most tokens of an input.
const MOST_TOKENS: usize = 8192;
/// The most tokens of all inputs together.
const MOST_TOKENS_IN_ALL: usize = 300_000;

fn malformed() -> ApiError {
    ApiError::invalid_request(
        "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.",
    )
}

/// An input of no known form, or an empty one.
pub(in super::super) fn input(body: &Value) -> Option<ApiError> {
    let inputs = input::read(body.get("input"));
    let is_fine = inputs.is_some_and(|inputs| !inputs.iter().any(EmbeddingInput::is_empty));
    (!is_fine).then(malformed)
}

/// As in embeddings-benchmark/mteb#1200.
pub(in super::super) fn list_length(body: &Value) -> Option<ApiError> {
    let inputs = input::read(body.get("input"))?;
    (inputs.len() > MOST_INPUTS).then(malformed)
}

/// Tokens that are too many; those of a text are not counted.
pub(in super::super) fn token_limits(body: &Value) -> Option<ApiError> {
    let inputs = input::read(body.get("input"))?;
    let tokens = inputs.iter().map(|input| match input {
        EmbeddingInput::Text(_) => 0,
        EmbeddingInput::Tokens(tokens) => tokens.len(),
    });
    if tokens.clone().any(|tokens| tokens > MOST_TOKENS) {
        let text = format!("Invalid 'input': maximum context length is {MOST_TOKENS} tokens.");
        return Some(ApiError::invalid_request(text));
    }
    let all: usize = tokens.sum();
    (all > MOST_TOKENS_IN_ALL).then(|| {
        let text = format!("Requested {all} tokens, max {MOST_TOKENS_IN_ALL} tokens per request");
        ApiError::invalid_request(text)
            .error_type("max_tokens_per_request")
            .error_code("max_tokens_per_request")
    })
}

/// As in SciPhi-AI/R2R#768. Told by the model's name.
pub(in super::super) fn dimensions_support(body: &Value) -> Option<ApiError> {
    let sent = body.get("dimensions").is_some_and(|n| !n.is_null());
    let is_old = body.get("model")?.as_str()? == "text-embedding-ada-002";
    (sent && is_old)
        .then(|| ApiError::invalid_request("This model does not support specifying dimensions."))
}

/// What is no number of dimensions, or is no way to spell a vector.
pub(in super::super) fn form(body: &Value) -> Option<ApiError> {
    let sent = |name: &str| body.get(name).filter(|value| !value.is_null());
    let refused = |name: &str, expected: &str| {
        let text = format!("Invalid '{name}': expected {expected}.");
        ApiError::invalid_request(text).param(name)
    };
    if let Some(dimensions) = sent("dimensions") {
        let model = body.get("model").and_then(Value::as_str);
        let most = super::most_dimensions(model.unwrap_or_default());
        let in_range = |n| n >= 1 && most.is_none_or(|most| n <= most);
        if !dimensions.as_u64().is_some_and(in_range) {
            let upwards = || "a number of at least 1".to_owned();
            let expected = most.map_or_else(upwards, |most| format!("a number from 1 to {most}"));
            return Some(refused("dimensions", &expected));
        }
    }
    let format = sent("encoding_format")?;
    let is_known = format == "float" || format == "base64";
    (!is_known).then(|| refused("encoding_format", "'float' or 'base64'"))
}
