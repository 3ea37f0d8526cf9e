//! Which tools a request offers, and the schema that it asks for.

use serde_json::Value;

use crate::{
    api::sketch::items,
    request::{Calls, ServerTools},
};

/// The JSON schema that the text has to fit.
pub(crate) fn text_schema(body: &Value) -> Option<&Value> {
    let format = body.get("text")?.get("format")?;
    is(format, "json_schema")
        .then(|| format.get("schema"))
        .flatten()
}

/// Whether a function has no name: its form may be that of Chat.
pub(super) fn lacks_name(tool: &Value) -> bool {
    kind(tool) == "function" && tool.get("name").is_none_or(Value::is_null)
}

/// The tools that the model may call, and the client runs; one in the form of another API is none.
pub(crate) fn calls(body: &Value) -> Calls<'_> {
    let choice = body.get("tool_choice");
    if choice.is_some_and(|choice| choice == "none") {
        return Calls::Forbidden;
    }
    // a prompt that the service keeps may have tools of its own
    if body.get("prompt").is_some_and(|prompt| !prompt.is_null()) {
        return Calls::Unknown;
    }
    let allowed = choice.filter(|choice| is(choice, "allowed_tools"));
    let tools = allowed.unwrap_or(body).get("tools");
    let (mut functions, mut custom) = (Vec::new(), Vec::new());
    for tool in items(tools) {
        if SERVED.contains(&kind(tool)) || lacks_name(tool) {
            continue;
        }
        match (named(tool), kind(tool)) {
            (Some(name), "function") => functions.push(name),
            (Some(name), "custom") => custom.push(name),
            // a namespace, one that names none, or a kind of tomorrow
            _ => return Calls::Unknown,
        }
    }
    Calls::Of { functions, custom }
}

/// Tools that the service runs itself, and that bring no others.
const SERVED: [&str; 8] = [
    "web_search",
    "web_search_2025_08_26",
    "web_search_preview",
    "web_search_preview_2025_03_11",
    "file_search",
    "code_interpreter",
    "mcp",
    "image_generation",
];

/// Whether the service may run tools of its own.
pub(crate) fn server_tools(body: &Value) -> ServerTools {
    let hidden = body.get("prompt").is_some_and(|prompt| !prompt.is_null());
    let own = |tool: &Value| matches!(kind(tool), "function" | "custom");
    if hidden || items(body.get("tools")).any(|tool| !own(tool)) {
        ServerTools::Possible
    } else {
        ServerTools::NotOffered
    }
}

fn kind(tool: &Value) -> &str {
    let kind = tool.get("type").and_then(Value::as_str);
    kind.unwrap_or_default()
}

fn named(tool: &Value) -> Option<&str> {
    tool.get("name")?.as_str()
}

fn is(value: &Value, kind: &str) -> bool {
    value.get("type").is_some_and(|found| found == kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn functions_and_custom_tools_are_offered_by_name_unless_others_are_or_none_may_be_called() {
        let f = || json!({"type": "function", "name": "f"});
        let g = || json!({"type": "custom", "name": "g"});
        let both = || Calls::Of {
            functions: vec!["f"],
            custom: vec!["g"],
        };
        let search = || json!({"type": "web_search"});
        let allowed =
            |tools: Value| json!({"type": "allowed_tools", "mode": "auto", "tools": tools});
        for (body, expected) in [
            (json!({}), Calls::functions(vec![])),
            (json!({"tools": [f(), search(), g()]}), both()),
            (
                json!({"tools": [f(), g()], "tool_choice": "required"}),
                both(),
            ),
            (
                json!({"tools": [f()], "tool_choice": "none"}),
                Calls::Forbidden,
            ),
            (
                json!({"tools": [f(), g()], "tool_choice": allowed(json!([g(), search()]))}),
                Calls::Of {
                    functions: Vec::new(),
                    custom: vec!["g"],
                },
            ),
            (
                json!({"tools": [f(), {"type": "namespace", "name": "n", "tools": [g()]}]}),
                Calls::Unknown,
            ),
            (
                json!({"tools": [f(), {"type": "tool_search"}]}),
                Calls::Unknown,
            ),
            (json!({"prompt": {"id": "pmpt_1"}}), Calls::Unknown),
            (
                json!({"tools": [g(), {"type": "function", "function": {"name": "f"}}]}),
                Calls::Of {
                    functions: Vec::new(),
                    custom: vec!["g"],
                },
            ),
        ] {
            assert_eq!(calls(&body), expected, "{body}");
        }
    }

    #[test]
    fn tools_of_the_services_are_possible_where_one_is_offered_or_may_be() {
        let f = || json!({"type": "function", "name": "f"});
        for (body, expected) in [
            (json!({}), ServerTools::NotOffered),
            (json!({"tools": [f()]}), ServerTools::NotOffered),
            (
                json!({"tools": [f(), {"type": "mcp", "server_label": "l"}]}),
                ServerTools::Possible,
            ),
            (json!({"prompt": {"id": "pmpt_1"}}), ServerTools::Possible),
        ] {
            assert_eq!(server_tools(&body), expected, "{body}");
        }
    }

    #[test]
    fn only_a_json_schema_is_a_schema() {
        let schema = json!({"type": "object"});
        for (kind, expected) in [
            ("json_schema", Some(&schema)),
            ("json_object", None),
            ("text", None),
        ] {
            let format = json!({"type": kind, "name": "n", "schema": schema});
            let body = json!({"text": {"format": format}});
            assert_eq!(text_schema(&body), expected, "{kind}");
        }
        assert_eq!(text_schema(&json!({})), None);
    }
}
