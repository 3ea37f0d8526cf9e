//! The members of the body: required, unknown, out of range; and the response that it goes on from.

use serde_json::{Map, Value};

use super::{Place, Violation};
use crate::api::{
    openai::rules,
    openai_responses::{Earlier, Previous},
};

/// What the input may be left out for: as in several reports, the words are not all of the API's names.
pub(super) fn required_fields(body: &Map<String, Value>) -> Option<Violation> {
    const NO_INPUT: &str = r#"One of "input" or "previous_response_id" or 'prompt' or 'conversation_id' must be provided."#;
    let missing = |name: &str| body.get(name).is_none_or(Value::is_null);
    let instead = ["input", "previous_response_id", "prompt", "conversation"];
    let (place, text, param) = if missing("model") && missing("prompt") {
        (
            Place::Model,
            "Missing required parameter: 'model'.",
            "model",
        )
    } else if instead.into_iter().all(missing) {
        (Place::Member, NO_INPUT, "input")
    } else {
        return None;
    };
    let violation = place.refused(text).about(param);
    Some(violation.coded("missing_required_parameter"))
}

/// Members that no official SDK knows.
pub(super) fn unknown_fields(body: &Map<String, Value>) -> Option<Violation> {
    /// The request type of the official SDKs (Python 3.57.0).
    const KNOWN: &[&str] = &[
        "access_programs",
        "background",
        "background_options",
        "context_management",
        "conversation",
        "image",
        "include",
        "input",
        "instructions",
        "max_output_tokens",
        "max_tool_calls",
        "metadata",
        "model",
        "moderation",
        "parallel_tool_calls",
        "previous_response_id",
        "prompt",
        "prompt_cache_key",
        "prompt_cache_options",
        "prompt_cache_retention",
        "reasoning",
        "safety_identifier",
        "service_tier",
        "store",
        "stream",
        "stream_options",
        "temperature",
        "text",
        "tool_choice",
        "tools",
        "top_logprobs",
        "top_p",
        "truncation",
        "user",
    ];
    let error = rules::unknown_member(body, KNOWN)?;
    Some(Place::Member.broken(error))
}

pub(super) fn sampling_range(body: &Map<String, Value>) -> Option<Violation> {
    let ranges = [("temperature", 0, 2), ("top_p", 0, 1)];
    let decimal = rules::out_of_range(body, rules::Number::Decimal, &ranges);
    let error = decimal.or_else(|| rules::too_small(body, &[("max_output_tokens", 16)]))?;
    Some(Place::Member.broken(error))
}

/// A request goes on from a response that was given and is kept.
pub(super) fn previous_response(body: &Map<String, Value>, earlier: &Earlier) -> Option<Violation> {
    let id = body.get("previous_response_id")?.as_str()?;
    match earlier.previous {
        Previous::NotKept => {
            let text = format!("Previous response with id '{id}' not found.");
            let violation = Place::Previous.refused(text).about("previous_response_id");
            Some(violation.coded("previous_response_not_found"))
        }
        Previous::Unknown | Previous::Kept(_) => None,
    }
}
