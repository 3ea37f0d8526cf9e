//! The key, the body as JSON, and its members: required, unknown, out of range, unsupported by the model.

use serde_json::{Map, Value};

use super::{Place, Violation};
use crate::{
    api::openai::{
        members::missing,
        rules::{self, Number},
    },
    request::RecordedRequest,
};

pub(super) fn credentials(request: &RecordedRequest) -> Option<Violation> {
    let error = rules::credentials(request)?;
    let place = Place::Credentials;
    Some(Violation { place, error })
}

pub(super) fn json_body(request: &RecordedRequest) -> Option<Violation> {
    let error = rules::json_body(request)?;
    let place = Place::Body;
    Some(Violation { place, error })
}

pub(super) fn required_fields(body: &Map<String, Value>) -> Option<Violation> {
    let lacks = |name: &str| body.get(name).is_none_or(Value::is_null);
    if lacks("model") {
        return Some(Place::Model.refused("you must provide a model parameter"));
    }
    lacks("messages").then(|| Place::Messages.broken(missing("messages")))
}

pub(super) fn messages_not_empty(body: &Map<String, Value>) -> Option<Violation> {
    const TEXT: &str = "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an \
        empty array instead.";
    let messages = body.get("messages")?.as_array()?;
    messages.is_empty().then(|| {
        Place::Messages
            .refused(TEXT)
            .about("messages")
            .coded("empty_array")
    })
}

/// Members that no official SDK knows.
pub(super) fn unknown_fields(body: &Map<String, Value>) -> Option<Violation> {
    /// The request type of the official SDKs (Python 3.57.0), older members included.
    const KNOWN: &[&str] = &[
        "audio",
        "frequency_penalty",
        "function_call",
        "functions",
        "logit_bias",
        "logprobs",
        "max_completion_tokens",
        "max_tokens",
        "messages",
        "metadata",
        "modalities",
        "model",
        "moderation",
        "n",
        "parallel_tool_calls",
        "prediction",
        "presence_penalty",
        "prompt_cache_key",
        "prompt_cache_retention",
        "reasoning_effort",
        "response_format",
        "safety_identifier",
        "seed",
        "service_tier",
        "stop",
        "store",
        "stream",
        "stream_options",
        "temperature",
        "tool_choice",
        "tools",
        "top_logprobs",
        "top_p",
        "user",
        "verbosity",
        "web_search_options",
    ];
    let error = rules::unknown_member(body, KNOWN)?;
    let place = Place::Member;
    Some(Violation { place, error })
}

pub(super) fn sampling_range(body: &Map<String, Value>) -> Option<Violation> {
    const RANGES: [(&str, i32, i32); 4] = [
        ("temperature", 0, 2),
        ("top_p", 0, 1),
        ("frequency_penalty", -2, 2),
        ("presence_penalty", -2, 2),
    ];
    const COUNTS: [(&str, i32, i32); 2] = [("n", 1, 128), ("top_logprobs", 0, 20)];
    let decimal = rules::out_of_range(body, Number::Decimal, &RANGES);
    let counts = || rules::out_of_range(body, Number::Integer, &COUNTS);
    let limits = || rules::too_small(body, &[("max_tokens", 1), ("max_completion_tokens", 1)]);
    let error = decimal.or_else(counts).or_else(limits)?;
    Some(Place::Member.broken(error))
}

pub(super) fn max_tokens_support(body: &Map<String, Value>) -> Option<Violation> {
    const TEXT: &str = "Unsupported parameter: 'max_tokens' is not supported with this model. Use \
        'max_completion_tokens' instead.";
    const REASONING: [&str; 4] = ["o1", "o3", "o4", "gpt-5"];
    let model = body.get("model")?.as_str()?;
    let reasons = REASONING.iter().any(|family| model.starts_with(family));
    let sent = body.get("max_tokens").is_some_and(|n| !n.is_null());
    (reasons && sent).then(|| {
        Place::Member
            .refused(TEXT)
            .about("max_tokens")
            .coded("unsupported_parameter")
    })
}
