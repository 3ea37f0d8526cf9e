//! Which tools a request offers, and the schema that it asks for.

use serde_json::Value;

use crate::{api::sketch::items, request::Calls};

/// The JSON schema that the text has to fit.
pub(crate) fn text_schema(body: &Value) -> Option<&Value> {
    let format = body
        .get("output_config")
        .and_then(|config| config.get("format"))
        .or_else(|| body.get("output_format"))?;
    is(format, "json_schema")
        .then(|| format.get("schema"))
        .flatten()
}

/// The tools that the model may call.
pub(crate) fn calls(body: &Value) -> Calls<'_> {
    if body
        .get("tool_choice")
        .is_some_and(|choice| is(choice, "none"))
    {
        return Calls::Forbidden;
    }
    // the service holds the conversation, and with it the tools
    let continues = body
        .get("thread")
        .is_some_and(|thread| is(thread, "continue"));
    if continues || changes_tools(body) {
        return Calls::Unknown;
    }
    // a toolset names no tool
    let names = items(body.get("tools")).map(|tool| tool.get("name").and_then(Value::as_str));
    let names: Option<Vec<&str>> = names.collect();
    names.map_or(Calls::Unknown, Calls::Of)
}

/// Whether tools are added or taken away in the middle of the conversation.
fn changes_tools(body: &Value) -> bool {
    let blocks = items(body.get("messages")).flat_map(|message| items(message.get("content")));
    let mut kinds = blocks.filter_map(|block| block.get("type")?.as_str());
    kinds.any(|kind| kind == "tool_addition" || kind == "tool_removal")
}

fn is(value: &Value, kind: &str) -> bool {
    value.get("type").is_some_and(|found| found == kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_the_request_shows_is_known() {
        let f = || json!({"name": "f"});
        for (body, expected) in [
            (json!({}), Calls::Of(vec![])),
            (
                json!({"tools": [f(), {"type": "bash_20250124", "name": "bash"}]}),
                Calls::Of(vec!["f", "bash"]),
            ),
            (
                json!({"tools": [f()], "tool_choice": {"type": "any"}}),
                Calls::Of(vec!["f"]),
            ),
            (
                json!({"tools": [f()], "tool_choice": {"type": "none"}}),
                Calls::Forbidden,
            ),
            (
                json!({"tools": [f(), {"type": "mcp_toolset"}]}),
                Calls::Unknown,
            ),
            (
                json!({"thread": {"type": "continue", "previous_message_id": "m"}}),
                Calls::Unknown,
            ),
            (json!({"thread": {"type": "create"}}), Calls::Of(vec![])),
            (
                json!({"messages": [{"role": "system", "content": [{"type": "tool_addition"}]}]}),
                Calls::Unknown,
            ),
        ] {
            assert_eq!(calls(&body), expected, "{body}");
        }
    }

    #[test]
    fn the_schema_stands_in_the_output_config_or_in_the_older_place() {
        let format = json!({"type": "json_schema", "schema": {"type": "object"}});
        let schema = &format["schema"];
        for (body, expected) in [
            (json!({"output_config": {"format": format}}), Some(schema)),
            (json!({"output_format": format}), Some(schema)),
            (json!({"output_config": {"effort": "low"}}), None),
            (
                json!({"output_config": {"format": {"type": "text", "schema": {}}}}),
                None,
            ),
        ] {
            assert_eq!(text_schema(&body), expected, "{body}");
        }
    }
}
