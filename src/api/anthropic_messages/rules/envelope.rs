//! Headers, the body as JSON, and its fields: required, mistyped, unknown.
//!
//! The texts on fields are those of pydantic, which the service validates with; only such breaches are
//! refused whose text public reports show: a list that is none is recorded in llm_gateway's tests, arguments
//! that are no object stand in VoltAgent/voltagent's change log, foreign members of messages and limits that
//! are text in many trackers.

use serde_json::{Map, Value};

use super::{
    super::side_roads,
    Place, Violation,
    asked::{Asked, Role, role, word},
};
use crate::{
    request::RecordedRequest,
    script::{ApiError, ErrorKind},
};

pub(super) fn credentials(request: &RecordedRequest) -> Option<Violation> {
    request.api_key().is_none().then(|| Violation {
        place: Place::Credentials,
        error: ApiError::new(ErrorKind::Authentication).message("x-api-key header is required"),
    })
}

pub(super) fn version(request: &RecordedRequest) -> Option<Violation> {
    let sent = request.header("anthropic-version");
    let missing = || Place::Version.refused("anthropic-version: header is required");
    sent.is_none().then(missing)
}

/// A header that stands several times counts as one value, joined by commas.
pub(super) fn version_value(request: &RecordedRequest) -> Option<Violation> {
    const VERSIONS: [&str; 2] = ["2023-06-01", "2026-10-21"];
    let mut values = request.header_values("anthropic-version");
    let first = values.next()?;
    let second = values.next();
    let is_served = VERSIONS.iter().any(|version| version.as_bytes() == first);
    if is_served && second.is_none() {
        return None;
    }
    let sent = [Some(first), second].into_iter().flatten().chain(values);
    let sent: Vec<_> = sent.map(String::from_utf8_lossy).collect();
    let sent = sent.join(", ");
    let sent = sent.escape_default();
    let text = format!("anthropic-version: \"{sent}\" is not a valid version");
    Some(Place::Version.refused(text))
}

/// What the creation of a batch has to have.
pub(super) fn batch_requests(asked: &Asked<'_>) -> Option<Violation> {
    let why = side_roads::batch_requests(asked.request, asked.body)?;
    Some(Place::Body.refused(why))
}

pub(super) fn json_body(request: &RecordedRequest) -> Option<Violation> {
    request.malformed().map(|why| Place::Body.refused(why))
}

pub(super) fn required_fields(asked: &Asked<'_>) -> Option<Violation> {
    const REQUIRED: [(&str, Place); 3] = [
        ("model", Place::Model),
        ("max_tokens", Place::MaxTokens),
        ("messages", Place::Messages),
    ];
    let mut required = REQUIRED.into_iter();
    let (field, place) = required.find(|(field, _)| !asked.body.contains_key(*field))?;
    Some(place.refused(format!("{field}: Field required")))
}

pub(super) fn field_types(asked: &Asked<'_>) -> Option<Violation> {
    if asked.body.get("max_tokens").is_some_and(|n| !is_integer(n)) {
        return Some(Place::MaxTokens.refused("max_tokens: Input should be a valid integer"));
    }
    if asked.body.get("messages").is_some_and(|m| !m.is_array()) {
        return Some(Place::Messages.refused("messages: Input should be a valid list"));
    }
    let mut messages = asked.messages().enumerate();
    messages.find_map(|(at, message)| {
        let refused =
            |text: &str| Some(Place::Message(at, None).refused(format!("messages.{at}.{text}")));
        let message = message.as_object()?;
        match message.get("role") {
            None => return refused("role: Field required"),
            Some(role) if role != "user" && role != "assistant" && role != "system" => {
                return refused("role: Input should be 'user' or 'assistant'");
            }
            Some(_) => {}
        }
        match message.get("content") {
            // a system message of a beta may go without
            None if word_of(message, "role") == "system" => None,
            None => refused("content: Field required"),
            Some(Value::String(_)) => None,
            Some(Value::Array(blocks)) => tool_input(at, blocks),
            Some(_) => refused("content: Input should be a valid list"),
        }
    })
}

/// A tool call whose arguments are no object.
fn tool_input(message: usize, blocks: &[Value]) -> Option<Violation> {
    let mut blocks = blocks.iter().enumerate();
    blocks.find_map(|(at, block)| {
        if word(block, "type") != "tool_use" {
            return None;
        }
        let wrong = match block.get("input") {
            Some(Value::Object(_)) => return None,
            Some(_) => "Input should be a valid dictionary",
            None => "Field required",
        };
        let path = format!("messages.{message}.content.{at}.tool_use.input");
        Some(Place::Message(message, Some(at)).refused(format!("{path}: {wrong}")))
    })
}

/// What pydantic takes for an integer: also `1024.0`.
fn is_integer(value: &Value) -> bool {
    let whole = |n: f64| n.fract() == 0.0;
    value.is_u64() || value.is_i64() || value.as_f64().is_some_and(whole)
}

/// Members of the body and of messages that no official SDK knows. Nothing is refused once a beta is
/// switched on, since betas add members.
pub(super) fn unknown_fields(asked: &Asked<'_>) -> Option<Violation> {
    /// The request types of the official SDKs (Python 2.14.0), betas included, and the `output_format` of
    /// an older beta.
    const KNOWN: [&str; 29] = [
        "billing_policy",
        "cache_control",
        "compaction",
        "container",
        "context_management",
        "diagnostics",
        "fallback_credit_token",
        "fallbacks",
        "inference_geo",
        "max_tokens",
        "mcp_servers",
        "messages",
        "metadata",
        "model",
        "output_config",
        "output_format",
        "service_tier",
        "speed",
        "stop_sequences",
        "stream",
        "system",
        "temperature",
        "thinking",
        "thread",
        "tool_choice",
        "tools",
        "top_k",
        "top_p",
        "user_profile_id",
    ];
    if let Some(field) = unknown(asked.body, &KNOWN) {
        let refused = || Place::Unknown.refused(format!("{field}: Extra inputs are not permitted"));
        return (!asked.has_beta("")).then(refused);
    }
    let mut messages = asked.messages().enumerate();
    let (at, field) = messages.find_map(|(at, message)| {
        if role(message) == Role::Other {
            return None;
        }
        Some((at, unknown(message.as_object()?, &["content", "role"])?))
    })?;
    let refused = || {
        let text = format!("messages.{at}.{field}: Extra inputs are not permitted");
        Place::Message(at, None).refused(text)
    };
    (!asked.has_beta("")).then(refused)
}

/// The first member, by name, that is not in the sorted list.
fn unknown<'a>(object: &'a Map<String, Value>, known: &[&str]) -> Option<&'a String> {
    let unknown = object
        .keys()
        .filter(|key| known.binary_search(&key.as_str()).is_err());
    unknown.min()
}

fn word_of<'a>(object: &'a Map<String, Value>, member: &str) -> &'a str {
    object
        .get(member)
        .and_then(Value::as_str)
        .unwrap_or_default()
}
