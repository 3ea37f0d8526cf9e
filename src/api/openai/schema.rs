//! What the service says of the schemas of functions and of answers.

use serde_json::{Map, Value};

use crate::{api::sketch::items, json};

/// Why this is no schema of an object, which the arguments of a function are.
pub(crate) fn no_object(schema: &Value) -> Option<String> {
    let kind = match schema.get("type") {
        Some(Value::String(kind)) if kind == "object" => return None,
        Some(Value::String(kind)) => kind.as_str(),
        None => "None",
        // a list of types, or what is no type
        Some(_) => return None,
    };
    Some(format!(
        "schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{kind}\"'."
    ))
}

/// Why the schema, or one in it, is not strict: an object in it is open, or one of its members may be missing.
pub(crate) fn open_object(schema: &Value) -> Option<String> {
    open_object_at(schema, &mut Vec::new())
}

/// Deeper ones than the service allows are not looked at.
const DEEPEST: usize = 32;

/// Why the schema, or one in it, is not strict. Nested places: as in vercel/ai#6484.
fn open_object_at(schema: &Value, path: &mut Vec<String>) -> Option<String> {
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
        let why = open_object_at(schema, path);
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
