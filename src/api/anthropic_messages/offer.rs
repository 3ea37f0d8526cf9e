//! Which tools a request offers, and the schema that it asks for.

use serde_json::Value;

use crate::{
    api::sketch::items,
    request::{Calls, ServerTools},
};

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
    if tools_are_hidden(body) {
        return Calls::Unknown;
    }
    // a toolset names no tool
    let names = items(body.get("tools")).map(|tool| tool.get("name").and_then(Value::as_str));
    let names: Option<Vec<&str>> = names.collect();
    names.map_or(Calls::Unknown, Calls::functions)
}

/// Whether the service may run tools of its own: by type in `tools` (also those that the client runs, since
/// one tool may run another), on MCP servers, in a container with skills.
pub(crate) fn server_tools(body: &Value) -> ServerTools {
    let mut tools = items(body.get("tools"));
    let offers = tools.any(|tool| !is_custom(tool))
        || items(body.get("mcp_servers")).next().is_some()
        || body.get("container").is_some_and(|sent| !sent.is_null());
    if offers || tools_are_hidden(body) {
        ServerTools::Possible
    } else {
        ServerTools::NotOffered
    }
}

fn is_custom(tool: &Value) -> bool {
    tool.get("type")
        .is_none_or(|kind| kind.is_null() || kind == "custom")
}

/// Whether the request does not show all tools: the service holds them with the conversation, or they change.
fn tools_are_hidden(body: &Value) -> bool {
    let continues = body
        .get("thread")
        .is_some_and(|thread| is(thread, "continue"));
    continues || changes_tools(body)
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
            (json!({}), Calls::functions(vec![])),
            (
                json!({"tools": [f(), {"type": "bash_20250124", "name": "bash"}]}),
                Calls::functions(vec!["f", "bash"]),
            ),
            (
                json!({"tools": [f()], "tool_choice": {"type": "any"}}),
                Calls::functions(vec!["f"]),
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
            (
                json!({"thread": {"type": "create"}}),
                Calls::functions(vec![]),
            ),
            (
                json!({"messages": [{"role": "system", "content": [{"type": "tool_addition"}]}]}),
                Calls::Unknown,
            ),
        ] {
            assert_eq!(calls(&body), expected, "{body}");
        }
    }

    #[test]
    fn the_service_may_run_tools_if_one_is_offered_or_may_be() {
        use ServerTools::{NotOffered, Possible};
        for (body, expected) in [
            (json!({}), NotOffered),
            (
                json!({"tools": null, "mcp_servers": [], "container": null}),
                NotOffered,
            ),
            (
                json!({"tools": [{"name": "f"}, {"type": "custom", "name": "g"}, {"type": null, "name": "h"}]}),
                NotOffered,
            ),
            (json!({"thread": {"type": "create"}}), NotOffered),
            (
                json!({"tools": [{"name": "f"}, {"type": "web_search_20250305", "name": "web_search"}]}),
                Possible,
            ),
            (
                json!({"tools": [{"type": "mcp_toolset", "mcp_server_name": "m"}]}),
                Possible,
            ),
            (
                json!({"mcp_servers": [{"type": "url", "name": "m"}]}),
                Possible,
            ),
            (json!({"container": "container_1"}), Possible),
            (
                json!({"container": {"skills": [{"skill_id": "pdf"}]}}),
                Possible,
            ),
            (
                json!({"thread": {"type": "continue", "previous_message_id": "m"}}),
                Possible,
            ),
            (
                json!({"messages": [{"role": "system", "content": [{"type": "tool_addition"}]}]}),
                Possible,
            ),
        ] {
            assert_eq!(server_tools(&body), expected, "{body}");
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
