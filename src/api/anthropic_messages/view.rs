//! A Messages request in neutral words. Lenient: what cannot be read is left out, the rules refuse.

use serde_json::Value;

use crate::{
    api::sketch::{bearer, items, string, text_of},
    request::{Headers, Message, MessagePart, OfferedTool, ResponseFormat, Role, ToolResult, View},
};

/// The request in neutral words.
pub(crate) fn view(body: &[u8]) -> View {
    let json: Value = serde_json::from_slice(body).unwrap_or_default();
    let body = &json;
    let messages: Vec<Message> = items(body.get("messages")).map(message).collect();
    let tool_results = messages.iter().flat_map(|message| &message.parts);
    let tool_results = tool_results.filter_map(|part| match part {
        MessagePart::ToolResult(result) => Some(result.clone()),
        MessagePart::Text(_)
        | MessagePart::ToolCall { .. }
        | MessagePart::Thinking { .. }
        | MessagePart::Other(_) => None,
    });
    View {
        system: body
            .get("system")
            .filter(|sent| !sent.is_null())
            .map(|sent| (text_of(sent), sent.clone())),
        system_messages: 0,
        tool_results: tool_results.collect(),
        tools: items(body.get("tools")).map(tool).collect(),
        response_format: response_format(body),
        max_tokens: body.get("max_tokens").and_then(Value::as_u64),
        messages,
        json,
    }
}

/// The key of either header: older SDKs send `x-api-key`, current ones a bearer token.
pub(crate) fn api_key(headers: &Headers) -> Option<&str> {
    let said = |key: &&str| !key.is_empty();
    let key = headers.text("x-api-key").map(str::trim).filter(said);
    key.or_else(|| bearer(headers))
}

/// `output_config.format`, or the older beta's `output_format`.
fn response_format(body: &Value) -> Option<ResponseFormat> {
    let format = body
        .pointer("/output_config/format")
        .or_else(|| body.get("output_format"))?;
    let schema = format.get("schema")?.clone();
    let name = format
        .get("name")
        .and_then(Value::as_str)
        .map(str::to_owned);
    Some(ResponseFormat::new(name, schema))
}

fn message(sent: &Value) -> Message {
    let role = match sent.get("role").and_then(Value::as_str) {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("system") => Role::System,
        other => Role::Other(other.unwrap_or_default().to_owned()),
    };
    let parts = match sent.get("content") {
        Some(Value::String(text)) => vec![MessagePart::Text(text.clone())],
        content => items(content).map(part).collect(),
    };
    Message::new(role, parts)
}

fn part(block: &Value) -> MessagePart {
    match block.get("type").and_then(Value::as_str) {
        Some("text") => MessagePart::Text(string(block.get("text"))),
        Some("tool_use") => MessagePart::ToolCall {
            id: string(block.get("id")),
            name: string(block.get("name")),
            arguments: block.get("input").cloned().unwrap_or_default(),
        },
        Some("tool_result") => {
            let content = block.get("content").cloned().unwrap_or_default();
            MessagePart::ToolResult(ToolResult {
                call_id: string(block.get("tool_use_id")),
                text: text_of(&content),
                is_error: block.get("is_error") == Some(&Value::Bool(true)),
                content,
            })
        }
        Some("thinking") => MessagePart::Thinking {
            text: string(block.get("thinking")),
            signature: string(block.get("signature")),
        },
        _ => MessagePart::Other(block.clone()),
    }
}

fn tool(sent: &Value) -> OfferedTool {
    OfferedTool::new(
        string(sent.get("name")),
        string(sent.get("description")),
        sent.get("input_schema").cloned().unwrap_or_default(),
    )
}
