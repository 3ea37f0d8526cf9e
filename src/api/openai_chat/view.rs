//! A Chat Completions request in neutral words. Lenient: what cannot be read is left out, the rules refuse.

use serde_json::Value;

use super::offer::lacks_function;
use crate::{
    api::sketch::{items, string, text_of},
    request::{Message, MessagePart, OfferedTool, ResponseFormat, Role, ToolResult, View},
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
    let limit = |name: &str| body.get(name).and_then(Value::as_u64);
    View {
        system: system(body),
        system_messages: messages
            .iter()
            .take_while(|message| message.role == Role::System)
            .count(),
        tool_results: tool_results.collect(),
        tools: items(body.get("tools"))
            .filter(|sent| !lacks_function(sent))
            .map(tool)
            .chain(items(body.get("functions")).map(function))
            .collect(),
        response_format: response_format(body),
        max_tokens: limit("max_completion_tokens").or_else(|| limit("max_tokens")),
        messages,
        json,
    }
}

/// What the developer says before the conversation: the messages of the roles `system` and `developer` at its
/// start, as text, and the first one's content as sent.
fn system(body: &Value) -> Option<(String, Value)> {
    let first = items(body.get("messages")).take_while(|message| {
        let role = message.get("role").and_then(Value::as_str);
        matches!(role, Some("system" | "developer"))
    });
    let contents: Vec<&Value> = first.filter_map(|message| message.get("content")).collect();
    let texts: Vec<String> = contents.iter().map(|content| text_of(content)).collect();
    let sent = (*contents.first()?).clone();
    Some((texts.join("\n"), sent))
}

/// `response_format.json_schema`.
fn response_format(body: &Value) -> Option<ResponseFormat> {
    let format = body.pointer("/response_format/json_schema")?;
    let name = format.get("name").and_then(Value::as_str);
    let schema = format.get("schema")?.clone();
    Some(ResponseFormat::new(name.map(str::to_owned), schema))
}

fn message(sent: &Value) -> Message {
    let word = sent.get("role").and_then(Value::as_str);
    let content = sent.get("content").unwrap_or(&Value::Null);
    if matches!(word, Some("tool" | "function")) {
        let id = sent.get("tool_call_id").or_else(|| sent.get("name"));
        let result = MessagePart::ToolResult(ToolResult {
            call_id: string(id),
            text: text_of(content),
            // the API has no word for a tool that failed
            is_error: false,
            content: content.clone(),
        });
        return Message::new(Role::User, vec![result]);
    }
    let role = match word {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("system" | "developer") => Role::System,
        other => Role::Other(other.unwrap_or_default().to_owned()),
    };
    let mut parts: Vec<MessagePart> = thought(sent).into_iter().collect();
    match content.as_str() {
        Some(text) => parts.push(text_part(text)),
        None => parts.extend(items(Some(content)).map(part)),
    }
    parts.extend(sent.get("refusal").and_then(Value::as_str).map(text_part));
    parts.extend(items(sent.get("tool_calls")).map(call));
    parts.extend(sent.get("function_call").map(|sent| called("", sent)));
    Message::new(role, parts)
}

fn text_part(text: &str) -> MessagePart {
    MessagePart::Text(text.to_owned())
}

/// What the client sends back of the model's thinking, to the dialects that take it.
fn thought(sent: &Value) -> Option<MessagePart> {
    let text = |name: &str| sent.get(name).and_then(Value::as_str);
    let details = || items(sent.get("reasoning_details"));
    let of_details = |name: &str| -> String {
        let texts = details().filter_map(|detail| detail.get(name)?.as_str());
        texts.collect()
    };
    let said = text("reasoning_content").or_else(|| text("reasoning"));
    let text = said.map_or_else(|| of_details("text"), str::to_owned);
    let signature = of_details("signature");
    (!(text.is_empty() && signature.is_empty()))
        .then_some(MessagePart::Thinking { text, signature })
}

fn part(sent: &Value) -> MessagePart {
    match sent.get("type").and_then(Value::as_str) {
        // Mistral's
        Some("thinking") => MessagePart::Thinking {
            text: items(sent.get("thinking"))
                .map(|item| string(item.get("text")))
                .collect(),
            signature: String::new(),
        },
        Some("text") => MessagePart::Text(string(sent.get("text"))),
        Some("refusal") => MessagePart::Text(string(sent.get("refusal"))),
        _ => MessagePart::Other(sent.clone()),
    }
}

fn call(sent: &Value) -> MessagePart {
    let id = string(sent.get("id"));
    match (sent.get("function"), sent.get("custom")) {
        (Some(function), _) => called(&id, function),
        (None, Some(custom)) => MessagePart::ToolCall {
            id,
            name: string(custom.get("name")),
            arguments: custom.get("input").cloned().unwrap_or_default(),
        },
        (None, None) => MessagePart::Other(sent.clone()),
    }
}

/// The arguments as JSON; those that are none, as the string that was sent.
fn called(id: &str, function: &Value) -> MessagePart {
    let sent = function.get("arguments").cloned().unwrap_or_default();
    let parsed = sent
        .as_str()
        .and_then(|text| serde_json::from_str(text).ok());
    MessagePart::ToolCall {
        id: id.to_owned(),
        name: string(function.get("name")),
        arguments: parsed.unwrap_or(sent),
    }
}

fn tool(sent: &Value) -> OfferedTool {
    function(
        sent.get("function")
            .or_else(|| sent.get("custom"))
            .unwrap_or(&Value::Null),
    )
}

fn function(sent: &Value) -> OfferedTool {
    OfferedTool::new(
        string(sent.get("name")),
        string(sent.get("description")),
        sent.get("parameters").cloned().unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(body: &Value) -> View {
        view(body.to_string().as_bytes())
    }

    #[test]
    fn a_text_that_is_the_system_prompt_and_a_message_is_said_once() {
        let said = |role: &str, content: &str| json!({"role": role, "content": content});
        let messages = json!([said("system", "a"), said("user", "b"), said("system", "c")]);
        let read = of(&json!({ "messages": messages }));
        assert_eq!(read.text(), "a\nb\nc");
        assert_eq!(read.messages.len(), 3);
    }

    #[test]
    fn a_conversation_with_tools_is_read_in_neutral_words() {
        let read = of(&json!({
            "messages": [
                {"role": "developer", "content": "Be brief."},
                {"role": "system", "content": [{"type": "text", "text": "Be kind."}]},
                {"role": "user", "content": [
                    {"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "u"}}
                ]},
                {"role": "assistant", "content": null, "refusal": "no", "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"a\":1}"}},
                    {"id": "c2", "type": "function", "function": {"name": "f", "arguments": "{"}},
                    {"id": "c3", "type": "custom", "custom": {"name": "g", "input": "x"}}
                ]},
                {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "sunny"}]},
                {"role": "critic", "content": "z"}
            ],
            "tools": [
                {"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}}},
                {"type": "custom", "custom": {"name": "g"}}
            ],
            "max_completion_tokens": 7, "max_tokens": 8,
            "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}}
        }));
        let call = |id: &str, name: &str, arguments: Value| MessagePart::ToolCall {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments,
        };
        let result = ToolResult {
            call_id: "c1".to_owned(),
            text: "sunny".to_owned(),
            is_error: false,
            content: json!([{"type": "text", "text": "sunny"}]),
        };
        assert_eq!(
            read.system,
            Some(("Be brief.\nBe kind.".to_owned(), json!("Be brief.")))
        );
        let image = json!({"type": "image_url", "image_url": {"url": "u"}});
        assert_eq!(
            read.messages,
            [
                Message::new(Role::System, vec![text_part("Be brief.")]),
                Message::new(Role::System, vec![text_part("Be kind.")]),
                Message::new(Role::User, vec![text_part("a"), MessagePart::Other(image)]),
                Message::new(
                    Role::Assistant,
                    vec![
                        text_part("no"),
                        call("c1", "f", json!({"a": 1})),
                        call("c2", "f", json!("{")),
                        call("c3", "g", json!("x")),
                    ]
                ),
                Message::new(Role::User, vec![MessagePart::ToolResult(result.clone())]),
                Message::new(Role::Other("critic".to_owned()), vec![text_part("z")]),
            ]
        );
        assert_eq!(read.tool_results, [result]);
        let schema = json!({"type": "object"});
        assert_eq!(
            read.tools,
            [
                OfferedTool::new("f".to_owned(), "d".to_owned(), schema.clone()),
                OfferedTool::new("g".to_owned(), String::new(), Value::Null),
            ]
        );
        let format = ResponseFormat::new(Some("n".to_owned()), schema);
        assert_eq!(read.response_format, Some(format));
        assert_eq!(read.max_tokens, Some(7));
    }

    #[test]
    fn thinking_that_is_sent_back_is_read_in_every_dialect() {
        let thought = |signature: &str| MessagePart::Thinking {
            text: "hm".to_owned(),
            signature: signature.to_owned(),
        };
        for (message, signature) in [
            (json!({"content": "x", "reasoning_content": "hm"}), ""),
            (json!({"content": "x", "reasoning": "hm"}), ""),
            (
                json!({"content": "x", "reasoning": "hm", "reasoning_details": [
                    {"type": "reasoning.text", "text": "hm", "signature": "s"}
                ]}),
                "s",
            ),
            (
                json!({"content": "x", "reasoning_details": [{"text": "h"}, {"text": "m"}, {"signature": "s"}]}),
                "s",
            ),
            (
                json!({"content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                    {"type": "text", "text": "x"}
                ]}),
                "",
            ),
        ] {
            let mut sent = message.clone();
            sent["role"] = json!("assistant");
            let read = of(&json!({"messages": [sent]}));
            let expected = vec![thought(signature), text_part("x")];
            assert_eq!(
                read.messages,
                [Message::new(Role::Assistant, expected)],
                "{message}"
            );
        }
    }

    #[test]
    fn what_is_no_request_reads_as_an_empty_one() {
        for body in [json!(null), json!([]), json!({"messages": [3, null]})] {
            let read = of(&body);
            assert_eq!(read.system, None, "{body}");
            assert_eq!(read.tools, [], "{body}");
        }
        assert_eq!(of(&json!({"max_tokens": 8})).max_tokens, Some(8));
    }
}
