//! The conversation: roles, contents, and tool calls with their results.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Place, Violation};
use crate::api::{openai::rules::Ids, openai_responses::Earlier, sketch::items};

pub(super) fn messages(body: &Map<String, Value>) -> impl Iterator<Item = (usize, &Value)> {
    items(body.get("messages")).enumerate()
}

fn word<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The ids of a message's tool calls.
fn call_ids(message: &Value) -> Vec<&str> {
    let calls = items(message.get("tool_calls"));
    calls.map(|call| word(call, "id")).collect()
}

pub(super) fn system_role_support(body: &Map<String, Value>) -> Option<Violation> {
    const WITHOUT: [&str; 2] = ["o1-mini", "o1-preview"];
    let model = body.get("model")?.as_str()?;
    let without = WITHOUT.iter().any(|known| model.starts_with(known));
    let (n, _) = messages(body).find(|(_, message)| word(message, "role") == "system")?;
    let param = format!("messages[{n}].role");
    let text = format!("Unsupported value: '{param}' does not support 'system' with this model.");
    let refused = || Place::Message(n).refused(text).about(param);
    without.then(|| refused().coded("unsupported_value"))
}

/// Blocks of a kind that no message has.
pub(super) fn content_types(body: &Map<String, Value>) -> Option<Violation> {
    const KNOWN: [&str; 5] = ["text", "image_url", "input_audio", "file", "refusal"];
    let (n, _) = messages(body).find(|(_, message)| {
        let mut blocks = items(message.get("content"));
        blocks.any(|block| !KNOWN.contains(&word(block, "type")))
    })?;
    let param = format!("messages[{n}]");
    let text = format!(
        "Invalid '{param}'. Content blocks are expected to be either text or image_url type."
    );
    let violation = Place::Message(n).refused(text).about(param);
    Some(violation.coded("invalid_value"))
}

/// Every call has a result before the next message of another role.
pub(super) fn answered(body: &Map<String, Value>) -> Option<Violation> {
    let messages: Vec<&Value> = messages(body).map(|(_, message)| message).collect();
    messages.iter().enumerate().find_map(|(n, message)| {
        let ids = call_ids(message);
        if word(message, "role") != "assistant" || ids.is_empty() {
            return None;
        }
        let behind = messages.iter().skip(n + 1);
        let results = behind.take_while(|message| word(message, "role") == "tool");
        let answered = Ids::new(results.clone().map(|result| word(result, "tool_call_id")));
        let open: Vec<&str> = ids.into_iter().filter(|id| !answered.contain(id)).collect();
        if open.is_empty() {
            return None;
        }
        let next = n + 1 + results.count();
        let param = if next < messages.len() {
            format!("messages.[{next}].role")
        } else {
            "messages".to_owned()
        };
        let text = format!(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each \
             'tool_call_id'. The following tool_call_ids did not have response messages: {}",
            open.join(", ")
        );
        Some(Place::Message(next).refused(text).about(param))
    })
}

/// Every result stands behind its call. An id that is not called: as in dapr/dapr-agents#145; none at all: as in
/// run-llama/multi-agent-concierge#16.
pub(super) fn matched(body: &Map<String, Value>) -> Option<Violation> {
    let mut called = Ids::default();
    for (n, message) in messages(body) {
        if word(message, "role") != "tool" {
            called = Ids::new(call_ids(message).into_iter());
            continue;
        }
        let about_id = || format!("messages.[{n}].tool_call_id");
        let Some(id) = message.get("tool_call_id").and_then(Value::as_str) else {
            let text = "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.";
            return Some(Place::Message(n).refused(text).about(about_id()));
        };
        if called.is_empty() {
            let text = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message \
                        with 'tool_calls'.";
            let violation = Place::Message(n).refused(text);
            return Some(violation.about(format!("messages.[{n}].role")));
        }
        if !called.contain(id) {
            let text = format!(
                "Invalid parameter: 'tool_call_id' of '{id}' not found in 'tool_calls' of previous message."
            );
            let violation = Place::Message(n).refused(text);
            return Some(violation.about(about_id()));
        }
    }
    None
}

/// A call has one result: results behind each other have ids of their own.
pub(super) fn answered_once(body: &Map<String, Value>) -> Option<Violation> {
    let mut answered: BTreeMap<&str, usize> = BTreeMap::new();
    for (n, message) in messages(body) {
        if word(message, "role") != "tool" {
            answered.clear();
            continue;
        }
        let Some(id) = message.get("tool_call_id").and_then(Value::as_str) else {
            continue;
        };
        if let Some(before) = answered.insert(id, n) {
            let text = format!(
                "Invalid parameter: Duplicate value for 'tool_call_id' of '{id}', in messages[{before}] and messages[{n}]."
            );
            let violation = Place::Message(n).refused(text);
            return Some(violation.about(format!("messages.[{n}].tool_call_id")));
        }
    }
    None
}

/// A message without calls has no list of them.
pub(super) fn tool_calls_not_empty(body: &Map<String, Value>) -> Option<Violation> {
    let is_empty = |calls: &Value| calls.as_array().is_some_and(Vec::is_empty);
    let (n, _) =
        messages(body).find(|(_, message)| message.get("tool_calls").is_some_and(is_empty))?;
    let param = format!("messages[{n}].tool_calls");
    let text = format!(
        "Invalid '{param}': empty array. Expected an array with minimum length 1, but got an empty array instead."
    );
    let violation = Place::Message(n).refused(text).about(param);
    Some(violation.coded("empty_array"))
}

/// What the model thought before a call comes back with the call. Empty is enough, as in continuedev/continue#11285.
pub(super) fn reasoning_passed_back(
    body: &Map<String, Value>,
    earlier: &Earlier,
) -> Option<Violation> {
    const TEXT: &str =
        "The `reasoning_content` in the thinking mode must be passed back to the API.";
    let thought = |id: &&str| earlier.reasoned_calls.iter().any(|known| known == id);
    let (n, _) = messages(body).find(|(_, message)| {
        let sent = message
            .get("reasoning_content")
            .is_some_and(Value::is_string);
        !sent && call_ids(message).iter().any(thought)
    })?;
    Some(
        Place::Message(n)
            .refused(TEXT)
            .coded("invalid_request_error"),
    )
}

/// Who asks for any JSON has to say so in words too.
pub(super) fn json_word(body: &Map<String, Value>) -> Option<Violation> {
    const TEXT: &str = "'messages' must contain the word 'json' in some form, to use 'response_format' of type \
        'json_object'.";
    let asks = word(body.get("response_format")?, "type") == "json_object";
    let mut contents = messages(body).filter_map(|(_, message)| message.get("content"));
    let mut says = || contents.any(|content| content.to_string().to_lowercase().contains("json"));
    (asks && !says()).then(|| Place::Whole.refused(TEXT).about("messages"))
}
