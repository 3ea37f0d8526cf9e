//! Which tools a request offers, and the schema that it asks for.

use serde_json::Value;

use crate::{api::sketch::items, request::Calls};

/// The JSON schema that the text has to fit.
pub(crate) fn text_schema(body: &Value) -> Option<&Value> {
    let format = body.get("response_format")?;
    let asks = format.get("type").is_some_and(|kind| kind == "json_schema");
    asks.then(|| format.pointer("/json_schema/schema"))
        .flatten()
}

/// Whether a tool says that it is a function, and has none: its form may be that of Responses.
pub(super) fn lacks_function(tool: &Value) -> bool {
    let is_function = tool.get("type").is_some_and(|kind| kind == "function");
    is_function && tool.get("function").is_none_or(Value::is_null)
}

/// The tools that the model may call; one in the form of another API is none.
pub(crate) fn calls<'a>(body: &'a Value) -> Calls<'a> {
    let none = |name: &str| body.get(name).is_some_and(|choice| choice == "none");
    if none("tool_choice") || none("function_call") {
        return Calls::Forbidden;
    }
    let name = |tool: &'a Value| tool.get("name").and_then(Value::as_str);
    let (mut functions, mut custom) = (Vec::new(), Vec::new());
    for tool in items(body.get("tools")).filter(|tool| !lacks_function(tool)) {
        let kind = tool.get("type").and_then(Value::as_str);
        let named = kind.and_then(|kind| name(tool.get(kind)?));
        match (kind, named) {
            (Some("custom"), Some(named)) => custom.push(named),
            (Some(_), Some(named)) => functions.push(named),
            // it names none, or is of a kind of tomorrow
            _ => return Calls::Unknown,
        }
    }
    for function in items(body.get("functions")) {
        match name(function) {
            Some(named) => functions.push(named),
            None => return Calls::Unknown,
        }
    }
    Calls::Of { functions, custom }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn functions_and_custom_tools_are_offered_by_name_unless_none_may_be_called() {
        let f = || json!({"type": "function", "function": {"name": "f"}});
        let g = || json!({"type": "custom", "custom": {"name": "g"}});
        for (body, expected) in [
            (json!({}), Calls::functions(vec![])),
            (
                json!({"tools": [f(), g()]}),
                Calls::Of {
                    functions: vec!["f"],
                    custom: vec!["g"],
                },
            ),
            (
                json!({"tools": [f()], "tool_choice": "required"}),
                Calls::functions(vec!["f"]),
            ),
            (
                json!({"tools": [f()], "tool_choice": "none"}),
                Calls::Forbidden,
            ),
            (
                json!({"functions": [{"name": "h"}]}),
                Calls::functions(vec!["h"]),
            ),
            (json!({"tools": [f(), {"type": "x"}]}), Calls::Unknown),
            (
                json!({"tools": [f(), {"type": "function", "name": "h"}]}),
                Calls::functions(vec!["f"]),
            ),
        ] {
            assert_eq!(calls(&body), expected, "{body}");
        }
    }

    #[test]
    fn only_a_json_schema_is_a_schema() {
        let schema = json!({"type": "object"});
        for (kind, expected) in [("json_schema", Some(&schema)), ("json_object", None)] {
            let format = json!({"type": kind, "json_schema": {"name": "n", "schema": schema}});
            assert_eq!(
                text_schema(&json!({"response_format": format})),
                expected,
                "{kind}"
            );
        }
        assert_eq!(text_schema(&json!({})), None);
    }
}
