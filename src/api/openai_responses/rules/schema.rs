//! The schemas of tools and of the answer.

use serde_json::{Map, Value};

use super::{Place, Violation};
use crate::api::{
    openai::{
        members::missing,
        schema::{no_object, open_object},
    },
    openai_responses::{offer::lacks_name, word},
    sketch::items,
};

/// A function and where it stands.
fn functions(body: &Map<String, Value>) -> impl Iterator<Item = (usize, &Value)> {
    let tools = items(body.get("tools")).enumerate();
    tools.filter(|(_, tool)| word(tool, "type") == "function")
}

fn refused_tool(n: usize, function: &Value, why: &str) -> Violation {
    let name = word(function, "name");
    let violation = Place::Tool(n).refused(format!("Invalid schema for function '{name}': {why}"));
    let violation = violation.about(format!("tools[{n}].parameters"));
    violation.coded("invalid_function_parameters")
}

fn is_strict(value: &Value) -> bool {
    value.get("strict") == Some(&Value::Bool(true))
}

/// A function has its name beside `type`, and not in a member `function` as on Chat.
pub(super) fn tool_form(body: &Map<String, Value>) -> Option<Violation> {
    let n = items(body.get("tools")).position(lacks_name)?;
    Some(Place::Tool(n).broken(missing(&format!("tools[{n}].name"))))
}

/// The arguments of a function are an object.
pub(super) fn of_tools(body: &Map<String, Value>) -> Option<Violation> {
    functions(body).find_map(|(n, function)| {
        let why = no_object(function.get("parameters").filter(|sent| !sent.is_null())?)?;
        Some(refused_tool(n, function, &why))
    })
}

/// What asks to be strict has closed objects, with every member required.
pub(super) fn strict(body: &Map<String, Value>) -> Option<Violation> {
    let tool = functions(body).find_map(|(n, function)| {
        let schema = function.get("parameters").filter(|_| is_strict(function))?;
        Some(refused_tool(n, function, &open_object(schema)?))
    });
    tool.or_else(|| {
        let format = body.get("text")?.get("format")?;
        let schema = format.get("schema").filter(|_| is_strict(format))?;
        let why = open_object(schema)?;
        let name = word(format, "name");
        let text = format!("Invalid schema for response_format '{name}': {why}");
        let violation = Place::Format.refused(text).about("text.format.schema");
        Some(violation.coded("invalid_json_schema"))
    })
}
