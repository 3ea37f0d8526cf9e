//! The schemas of tools and of the answer.

use serde_json::{Map, Value};

use super::{Place, Violation};
use crate::{api::sketch::items, json};

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

/// The arguments of a function are an object.
pub(super) fn of_tools(body: &Map<String, Value>) -> Option<Violation> {
    functions(body).find_map(|(n, function)| {
        let kind = function.get("parameters")?.get("type");
        let kind = match kind {
            Some(Value::String(kind)) if kind == "object" => return None,
            Some(Value::String(kind)) => kind.as_str(),
            None => "None",
            // a list of types, or what is no type
            Some(_) => return None,
        };
        let why =
            format!("schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{kind}\"'.");
        Some(refused_tool(n, function, &why))
    })
}

/// What asks to be strict has closed objects, with every member required.
pub(super) fn strict(body: &Map<String, Value>) -> Option<Violation> {
    let is_strict = |value: &Value| value.get("strict") == Some(&Value::Bool(true));
    let tool = functions(body).find_map(|(n, function)| {
        let schema = function.get("parameters").filter(|_| is_strict(function))?;
        let why = open_object(schema, &mut Vec::new())?;
        Some(refused_tool(n, function, &why))
    });
    tool.or_else(|| {
        let format = body.get("response_format")?.get("json_schema")?;
        let schema = format.get("schema").filter(|_| is_strict(format))?;
        let why = open_object(schema, &mut Vec::new())?;
        let text = format!(
            "Invalid schema for response_format '{}': {why}",
            name(format)
        );
        Some(Place::Format.refused(text).about("response_format"))
    })
}

/// Deeper ones than the service allows are not looked at.
const DEEPEST: usize = 32;

/// Why the schema, or one in it, is not strict. Nested places: as in vercel/ai#6484.
fn open_object(schema: &Value, path: &mut Vec<String>) -> Option<String> {
    let is_object = schema.get("type").is_some_and(|kind| kind == "object");
    let properties = schema.get("properties").and_then(Value::as_object);
    if is_object || properties.is_some() {
        if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
            return Some(format!(
                "In context={}, 'additionalProperties' is required to be supplied and to be false.",
                context(path)
            ));
        }
        let required: Vec<&Value> = items(schema.get("required")).collect();
        let missing = properties.into_iter().flat_map(Map::keys);
        let missing = missing.filter(|name| !required.iter().any(|known| *known == name.as_str()));
        if let Some(name) = missing.min() {
            return Some(format!(
                "In context={}, 'required' is required to be supplied and to be an array including every key in \
                 properties. Missing '{name}'.",
                context(path)
            ));
        }
    }
    if path.len() >= DEEPEST {
        return None;
    }
    let nested = properties.into_iter().flat_map(json::sorted);
    let nested = nested.map(|(name, schema)| (vec!["properties".to_owned(), name.clone()], schema));
    let items = schema
        .get("items")
        .map(|schema| (vec!["items".to_owned()], schema));
    for (step, schema) in nested.chain(items) {
        let len = path.len();
        path.extend(step);
        let why = open_object(schema, path);
        path.truncate(len);
        if why.is_some() {
            return why;
        }
    }
    None
}

/// As Python prints a tuple.
fn context(path: &[String]) -> String {
    let shown: Vec<String> = path.iter().map(|step| format!("'{step}'")).collect();
    match shown.as_slice() {
        [one] => format!("({one},)"),
        several => format!("({})", several.join(", ")),
    }
}
