//! The types of Python's SDK: which class it chooses for each object, and which members do not fit. It checks neither
//! itself; of what it has no type for it makes the first that could stand there, and keeps all members.

use serde_json::Value;

use super::{Surface, cases::Case};

/// The classes of a block, those inside it in brackets, in the order of their names. On both surfaces, whose names
/// differ by `Beta`.
pub(super) fn classes(block: &Value, surface: Surface) -> String {
    let kind = block["type"].as_str().unwrap_or_default();
    let known = class(kind, block).filter(|_| surface == Surface::Beta || !is_of_a_beta(kind));
    let Some(class) = known else {
        let is_citation = block.get("cited_text").is_some();
        return if is_citation {
            "CitationCharLocation"
        } else {
            "TextBlock"
        }
        .to_owned();
    };
    let members = block.as_object().into_iter().flatten();
    let members = members.filter(|(name, _)| *name != "input");
    let mut inside: Vec<String> = members
        .flat_map(|(_, value)| match value {
            Value::Array(items) => items.iter().collect(),
            value => vec![value],
        })
        .filter(|value| value.get("type").is_some())
        .map(|value| classes(value, surface))
        .collect();
    inside.sort_unstable();
    if inside.is_empty() {
        class.to_owned()
    } else {
        format!("{class}({})", inside.join(", "))
    }
}

/// The names that both surfaces have.
pub(super) fn same_names(classes: &Value) -> Vec<String> {
    let classes = classes.as_array().into_iter().flatten();
    let classes = classes.filter_map(Value::as_str);
    classes
        .map(|name| name.replace("Beta", "").replace("Citations", "Citation"))
        .collect()
}

fn is_of_a_beta(kind: &str) -> bool {
    let kinds = [
        "mcp_tool_use",
        "mcp_tool_result",
        "advisor_tool_result",
        "compaction",
    ];
    kinds.contains(&kind)
}

fn class(kind: &str, object: &Value) -> Option<&'static str> {
    Some(match kind {
        "text" if object.get("media_type").is_some() => "PlainTextSource",
        "text" => "TextBlock",
        "thinking" => "ThinkingBlock",
        "redacted_thinking" => "RedactedThinkingBlock",
        "tool_use" => "ToolUseBlock",
        "server_tool_use" => "ServerToolUseBlock",
        "mcp_tool_use" => "MCPToolUseBlock",
        "mcp_tool_result" => "MCPToolResultBlock",
        "advisor_tool_result" => "AdvisorToolResultBlock",
        "advisor_result" => "AdvisorResultBlock",
        "compaction" => "CompactionBlock",
        "container_upload" => "ContainerUploadBlock",
        "direct" => "DirectCaller",
        "code_execution_20250825" => "ServerToolCaller",
        "char_location" => "CitationCharLocation",
        "page_location" => "CitationPageLocation",
        "content_block_location" => "CitationContentBlockLocation",
        "search_result_location" => "CitationSearchResultLocation",
        "web_search_result_location" => "CitationWebSearchResultLocation",
        "web_search_tool_result" => "WebSearchToolResultBlock",
        "web_search_result" => "WebSearchResultBlock",
        "web_search_tool_result_error" => "WebSearchToolResultErrorObject",
        "web_fetch_tool_result" => "WebFetchToolResultBlock",
        "web_fetch_result" => "WebFetchBlock",
        "document" => "DocumentBlock",
        "web_fetch_tool_result_error" => "WebFetchToolResultErrorBlock",
        "code_execution_tool_result" => "CodeExecutionToolResultBlock",
        "code_execution_result" => "CodeExecutionResultBlock",
        "bash_code_execution_tool_result" => "BashCodeExecutionToolResultBlock",
        "bash_code_execution_result" => "BashCodeExecutionResultBlock",
        "bash_code_execution_tool_result_error" => "BashCodeExecutionToolResultErrorObject",
        "text_editor_code_execution_tool_result" => "TextEditorCodeExecutionToolResultBlock",
        "text_editor_code_execution_create_result" => "TextEditorCodeExecutionCreateResultBlock",
        "text_editor_code_execution_view_result" => "TextEditorCodeExecutionViewResultBlock",
        "text_editor_code_execution_str_replace_result" => {
            "TextEditorCodeExecutionStrReplaceResultBlock"
        }
        "text_editor_code_execution_tool_result_error" => {
            "TextEditorCodeExecutionToolResultErrorObject"
        }
        "tool_search_tool_result" => "ToolSearchToolResultBlock",
        "tool_search_tool_search_result" => "ToolSearchToolSearchResultBlock",
        "tool_reference" => "ToolReferenceBlock",
        "tool_search_tool_result_error" => "ToolSearchToolResultErrorObject",
        _ => return None,
    })
}

/// The members of a message that do not fit the types of this surface.
pub(super) fn unknown(case: &Case, surface: Surface) -> Vec<&'static str> {
    let mut unknown = case.unknown.to_vec();
    if surface == Surface::Plain {
        unknown.extend(case.beta);
    }
    unknown.sort_unstable();
    unknown
}

/// The same of the events that bring them.
pub(super) fn unknown_in_events(case: &Case, surface: Surface) -> Vec<&'static str> {
    let unknown = unknown(case, surface);
    let brought = unknown.into_iter().flat_map(|member| {
        let Some((_, index)) = member.split_once('.') else {
            return vec!["message_delta: delta.stop_reason"];
        };
        let index: usize = index.parse().expect("an index");
        match case.message["content"][index]["type"].as_str() {
            Some("text") => vec!["content_block_delta: delta"],
            Some("compaction") => vec![
                "content_block_start: content_block",
                "content_block_delta: delta",
            ],
            _ => vec!["content_block_start: content_block"],
        }
    });
    brought.collect()
}
