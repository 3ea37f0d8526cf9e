//! Members of a wrong type, of a value that the service does not know, and those that go with others only.

use serde_json::{Map, Value};

use super::{Place, Violation, messages::messages};
use crate::api::{
    openai::members::{
        missing, no_boolean, tool_name, unknown_value, unsupported_temperature, wrong_type,
    },
    sketch::items,
};
use crate::script::ApiError;

/// The list of messages, whether to stream, contents, and the arguments of calls.
pub(super) fn field_types(body: &Map<String, Value>) -> Option<Violation> {
    let list = body.get("messages").filter(|list| !list.is_null());
    if let Some(list) = list.filter(|list| !list.is_array()) {
        let error = wrong_type("messages", "an array of objects", list);
        return Some(Place::Messages.broken(error));
    }
    if let Some(error) = no_boolean(body, "stream") {
        return Some(Place::Member.broken(error));
    }
    messages(body).find_map(|(n, message)| {
        let error = if message.is_object() {
            content_type(n, message).or_else(|| arguments_type(n, message))
        } else {
            Some(wrong_type(&format!("messages[{n}]"), "an object", message))
        };
        Some(Place::Message(n).broken(error?))
    })
}

fn content_type(n: usize, message: &Value) -> Option<ApiError> {
    match message.get("content")? {
        Value::String(_) | Value::Array(_) => None,
        Value::Null => {
            // what a message of the model's may say in its place
            const INSTEAD: [&str; 4] = ["tool_calls", "function_call", "refusal", "audio"];
            let says = |name: &str| message.get(name).is_some_and(|said| !said.is_null());
            let text = "Invalid value for 'content': expected a string, got null.";
            let refused =
                || ApiError::invalid_request(text).param(format!("messages.[{n}].content"));
            (!INSTEAD.iter().any(|name| says(name))).then(refused)
        }
        sent @ (Value::Bool(_) | Value::Number(_) | Value::Object(_)) => {
            let expected = "one of a string or array of objects";
            Some(wrong_type(
                &format!("messages[{n}].content"),
                expected,
                sent,
            ))
        }
    }
}

fn arguments_type(n: usize, message: &Value) -> Option<ApiError> {
    let mut calls = items(message.get("tool_calls")).enumerate();
    calls.find_map(|(at, call)| {
        let sent = call.get("function")?.get("arguments")?;
        let param = format!("messages[{n}].tool_calls[{at}].function.arguments");
        (!sent.is_string()).then(|| wrong_type(&param, "a string", sent))
    })
}

/// Every message has a role, of those that there are.
pub(super) fn roles(body: &Map<String, Value>) -> Option<Violation> {
    const KNOWN: [&str; 6] = [
        "system",
        "assistant",
        "user",
        "function",
        "tool",
        "developer",
    ];
    const LISTED: &str = "'system', 'assistant', 'user', 'function', 'tool', and 'developer'";
    messages(body).find_map(|(n, message)| {
        let param = format!("messages[{n}].role");
        let error = match message.as_object()?.get("role") {
            None => missing(&param),
            Some(Value::String(role)) if !KNOWN.contains(&role.as_str()) => {
                unknown_value(&param, role, LISTED)
            }
            Some(_) => return None,
        };
        Some(Place::Message(n).broken(error))
    })
}

pub(super) fn tool_names(body: &Map<String, Value>) -> Option<Violation> {
    let mut tools = items(body.get("tools")).enumerate();
    tools.find_map(|(n, tool)| {
        let name = tool.get("function")?.get("name")?.as_str()?;
        let error = tool_name(&format!("tools[{n}].function.name"), name)?;
        Some(Place::Tool(n).broken(error))
    })
}

/// What is said of tools is said where there are some.
pub(super) fn tools_needed(body: &Map<String, Value>) -> Option<Violation> {
    let sent = |name: &str| body.get(name).is_some_and(|value| !value.is_null());
    let about = ["tool_choice", "parallel_tool_calls"];
    let name = about.into_iter().find(|name| sent(name))?;
    let text =
        format!("Invalid value for '{name}': '{name}' is only allowed when 'tools' are specified.");
    (!sent("tools")).then(|| Place::Member.refused(text).about(name))
}

/// What is said of a stream is said where one is asked for.
pub(super) fn stream_needed(body: &Map<String, Value>) -> Option<Violation> {
    const TEXT: &str = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    let sent = body
        .get("stream_options")
        .is_some_and(|sent| !sent.is_null());
    let streams = body.get("stream") == Some(&Value::Bool(true));
    (sent && !streams).then(|| Place::Member.refused(TEXT).about("stream_options"))
}

pub(super) fn temperature_support(body: &Map<String, Value>) -> Option<Violation> {
    let sent = unsupported_temperature(body)?;
    let text = format!(
        "Unsupported value: 'temperature' does not support {sent} with this model. Only the default (1) value is \
         supported."
    );
    let violation = Place::Member.refused(text).about("temperature");
    Some(violation.coded("unsupported_value"))
}

/// A schema for the answer has a name.
pub(super) fn format_name(body: &Map<String, Value>) -> Option<Violation> {
    let format = body.get("response_format")?;
    let asks = format.get("type").is_some_and(|kind| kind == "json_schema");
    let schema = format.get("json_schema").filter(|_| asks)?.as_object()?;
    let nameless = !schema.contains_key("name");
    nameless.then(|| Place::Format.broken(missing("response_format.json_schema.name")))
}
