//! The schemas of tools and of the answer.

use serde_json::{Map, Value};

use super::{Place, Violation};
use crate::api::{
    openai::{
        members::missing,
        schema::{no_object, open_object},
    },
    openai_chat::offer::lacks_function,
    sketch::items,
};

/// A function and where it stands.
fn functions(body: &Map<String, Value>) -> impl Iterator<Item = (usize, &Value)> {
    let tools = items(body.get("tools")).enumerate();
    tools.filter_map(|(n, tool)| Some((n, tool.get("function")?)))
}

fn name(value: &Value) -> &str {
    value
        .get("name")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn refused_tool(n: usize, function: &Value, why: &str) -> Violation {
    let text = format!("Invalid schema for function '{}': {why}", name(function));
    let violation = Place::Tool(n).refused(text);
    let violation = violation.about(format!("tools[{n}].function.parameters"));
    violation.coded("invalid_function_parameters")
}

/// A function stands in the member `function`, and not beside `type` as on Responses.
pub(super) fn tool_form(body: &Map<String, Value>) -> Option<Violation> {
    let n = items(body.get("tools")).position(lacks_function)?;
    Some(Place::Tool(n).broken(missing(&format!("tools[{n}].function"))))
}

/// The arguments of a function are an object.
pub(super) fn of_tools(body: &Map<String, Value>) -> Option<Violation> {
    functions(body).find_map(|(n, function)| {
        let why = no_object(function.get("parameters")?)?;
        Some(refused_tool(n, function, &why))
    })
}

/// What asks to be strict has closed objects, with every member required.
pub(super) fn strict(body: &Map<String, Value>) -> Option<Violation> {
    let is_strict = |value: &Value| value.get("strict") == Some(&Value::Bool(true));
    let tool = functions(body).find_map(|(n, function)| {
        let schema = function.get("parameters").filter(|_| is_strict(function))?;
        let why = open_object(schema)?;
        Some(refused_tool(n, function, &why))
    });
    tool.or_else(|| {
        let format = body.get("response_format")?.get("json_schema")?;
        let schema = format.get("schema").filter(|_| is_strict(format))?;
        let why = open_object(schema)?;
        let text = format!(
            "Invalid schema for response_format '{}': {why}",
            name(format)
        );
        Some(Place::Format.refused(text).about("response_format"))
    })
}
