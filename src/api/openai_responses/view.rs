//! A Responses request in neutral words. Lenient: what cannot be read is left out, the rules refuse. Only what the
//! request itself says is read: what came before it, by `previous_response_id`, stands in the requests before.

use serde_json::Value;

use super::offer::lacks_name;
use crate::{
    api::{
        openai_responses::BETWEEN_SUMMARIES,
        sketch::{items, string, text_of},
    },
    request::{Message, MessagePart, OfferedTool, ResponseFormat, Role, ToolResult, View},
};

/// The request in neutral words.
pub(crate) fn view(body: &[u8]) -> View {
    let json: Value = serde_json::from_slice(body).unwrap_or_default();
    let body = &json;
    let messages = messages(body);
    let tool_results = messages.iter().flat_map(|message| &message.parts);
    let tool_results = tool_results.filter_map(|part| match part {
        MessagePart::ToolResult(result) => Some(result.clone()),
        MessagePart::Text(_)
        | MessagePart::ToolCall { .. }
        | MessagePart::Thinking { .. }
        | MessagePart::Other(_) => None,
    });
    View {
        system: system(body),
        system_messages: messages
            .iter()
            .take_while(|message| message.role == Role::System)
            .count(),
        tool_results: tool_results.collect(),
        tools: items(body.get("tools"))
            .filter(|sent| !lacks_name(sent))
            .map(tool)
            .collect(),
        response_format: response_format(body),
        max_tokens: body.get("max_output_tokens").and_then(Value::as_u64),
        messages,
        json,
    }
}

/// `instructions`, and the messages of the roles `system` and `developer` at the start of the input: as text, and the
/// first one as sent.
fn system(body: &Value) -> Option<(String, Value)> {
    let instructions = body.get("instructions").filter(|sent| !sent.is_null());
    let first = items(body.get("input")).take_while(|item| role(item) == Some(Role::System));
    let first = first.filter_map(|item| item.get("content"));
    let contents: Vec<&Value> = instructions.into_iter().chain(first).collect();
    let texts: Vec<String> = contents.iter().map(|content| text_of(content)).collect();
    let sent = (*contents.first()?).clone();
    Some((texts.join("\n"), sent))
}

/// `text.format`, if it is a schema.
fn response_format(body: &Value) -> Option<ResponseFormat> {
    let schema = super::text_schema(body)?.clone();
    let name = body.pointer("/text/format/name").and_then(Value::as_str);
    Some(ResponseFormat::new(name.map(str::to_owned), schema))
}

/// The input, message by message; items of the model's that follow each other are one message of it.
fn messages(body: &Value) -> Vec<Message> {
    let input = body.get("input");
    if let Some(text) = input.and_then(Value::as_str) {
        return vec![Message::new(Role::User, vec![text_part(text)])];
    }
    let mut messages: Vec<Message> = Vec::new();
    for item in items(input) {
        let (role, parts) = said(item);
        match messages.last_mut() {
            Some(last) if role == Role::Assistant && last.role == role => last.parts.extend(parts),
            _ => messages.push(Message::new(role, parts)),
        }
    }
    messages
}

/// The role of a message; `None` of an item that is none.
fn role(item: &Value) -> Option<Role> {
    let kind = item.get("type").and_then(Value::as_str);
    if kind.is_some_and(|kind| kind != "message") {
        return None;
    }
    Some(match item.get("role").and_then(Value::as_str) {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("system" | "developer") => Role::System,
        other => Role::Other(other.unwrap_or_default().to_owned()),
    })
}

/// Who says an item, and what it is made of.
fn said(item: &Value) -> (Role, Vec<MessagePart>) {
    if let Some(role) = role(item) {
        let content = item.get("content").unwrap_or(&Value::Null);
        let parts = match content.as_str() {
            Some(text) => vec![text_part(text)],
            None => items(Some(content)).map(part).collect(),
        };
        return (role, parts);
    }
    let other = || MessagePart::Other(item.clone());
    let kind = item.get("type").and_then(Value::as_str);
    match kind.unwrap_or_default() {
        "function_call" => (Role::Assistant, vec![call(item, arguments(item))]),
        "custom_tool_call" => (Role::Assistant, vec![call(item, input(item))]),
        "reasoning" => (Role::Assistant, vec![thinking(item)]),
        "function_call_output" | "custom_tool_call_output" => (Role::User, vec![result(item)]),
        "item_reference" => (Role::Other("item_reference".to_owned()), vec![other()]),
        kind if kind.ends_with("_output") || kind == "mcp_approval_response" => {
            (Role::User, vec![other()])
        }
        _ => (Role::Assistant, vec![other()]),
    }
}

fn text_part(text: &str) -> MessagePart {
    MessagePart::Text(text.to_owned())
}

fn part(sent: &Value) -> MessagePart {
    match sent.get("type").and_then(Value::as_str) {
        Some("input_text" | "output_text" | "text") => MessagePart::Text(string(sent.get("text"))),
        Some("refusal") => MessagePart::Text(string(sent.get("refusal"))),
        _ => MessagePart::Other(sent.clone()),
    }
}

fn call(item: &Value, arguments: Value) -> MessagePart {
    MessagePart::ToolCall {
        id: string(item.get("call_id")),
        name: string(item.get("name")),
        arguments,
    }
}

/// The arguments as JSON; those that are none, as the string that was sent.
fn arguments(item: &Value) -> Value {
    let sent = item.get("arguments").cloned().unwrap_or_default();
    let parsed = sent.as_str();
    let parsed = parsed.and_then(|text| serde_json::from_str(text).ok());
    parsed.unwrap_or(sent)
}

fn input(item: &Value) -> Value {
    item.get("input").cloned().unwrap_or_default()
}

fn thinking(item: &Value) -> MessagePart {
    let texts = items(item.get("summary")).chain(items(item.get("content")));
    let texts: Vec<&str> = texts
        .filter_map(|part| part.get("text")?.as_str())
        .collect();
    MessagePart::Thinking {
        text: texts.join(BETWEEN_SUMMARIES),
        signature: string(item.get("encrypted_content")),
    }
}

fn result(item: &Value) -> MessagePart {
    let content = item.get("output").unwrap_or(&Value::Null);
    MessagePart::ToolResult(ToolResult {
        call_id: string(item.get("call_id")),
        text: text_of(content),
        // the API has no word for a tool that failed
        is_error: false,
        content: content.clone(),
    })
}

/// A tool of the service's has its type for a name.
fn tool(sent: &Value) -> OfferedTool {
    OfferedTool::new(
        string(sent.get("name").or_else(|| sent.get("type"))),
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

    fn called(id: &str, name: &str, arguments: Value) -> MessagePart {
        MessagePart::ToolCall {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments,
        }
    }

    fn conversation(image: &Value, search: &Value) -> Value {
        json!({
            "instructions": "Be kind.",
            "input": [
                {"role": "developer", "content": "Be brief."},
                {"role": "user", "content": [{"type": "input_text", "text": "a"}, image]},
                {"type": "reasoning", "id": "rs_1", "encrypted_content": "s",
                    "summary": [{"type": "summary_text", "text": "x"}, {"type": "summary_text", "text": "y"}]},
                {"type": "message", "role": "assistant", "content": [
                    {"type": "output_text", "text": "b"}, {"type": "refusal", "refusal": "no"}
                ]},
                {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{\"a\":1}"},
                {"type": "function_call", "call_id": "c2", "name": "f", "arguments": "{"},
                {"type": "custom_tool_call", "call_id": "c3", "name": "g", "input": "x"},
                search,
                {"type": "function_call_output", "call_id": "c1", "output": "sunny"},
                {"type": "custom_tool_call_output", "call_id": "c3", "output": [{"type": "input_text", "text": "ok"}]},
                {"type": "item_reference", "id": "msg_1"},
                {"role": "critic", "content": "z"}
            ],
            "tools": [
                {"type": "function", "name": "f", "description": "d", "parameters": {"type": "object"}},
                {"type": "custom", "name": "g"},
                {"type": "web_search"}
            ],
            "max_output_tokens": 7,
            "text": {"format": {"type": "json_schema", "name": "n", "schema": {"type": "object"}}}
        })
    }

    #[test]
    fn a_conversation_with_tools_is_read_in_neutral_words() {
        let image = json!({"type": "input_image", "image_url": "u"});
        let search = json!({"type": "web_search_call", "id": "ws_1"});
        let read = of(&conversation(&image, &search));
        assert_eq!(read.text(), "Be kind.\nBe brief.\na\nb\nno\nsunny\nok\nz");
        assert_eq!(
            read.system,
            Some(("Be kind.\nBe brief.".to_owned(), json!("Be kind.")))
        );
        let result = |id: &str, text: &str, content: Value| ToolResult {
            call_id: id.to_owned(),
            text: text.to_owned(),
            is_error: false,
            content,
        };
        let results = [
            result("c1", "sunny", json!("sunny")),
            result("c3", "ok", json!([{"type": "input_text", "text": "ok"}])),
        ];
        let thinking = MessagePart::Thinking {
            text: "x\n\ny".to_owned(),
            signature: "s".to_owned(),
        };
        let reference = json!({"type": "item_reference", "id": "msg_1"});
        let answered = |n: usize| MessagePart::ToolResult(results[n].clone());
        assert_eq!(
            read.messages,
            [
                Message::new(Role::System, vec![text_part("Be brief.")]),
                Message::new(Role::User, vec![text_part("a"), MessagePart::Other(image)]),
                Message::new(
                    Role::Assistant,
                    vec![
                        thinking,
                        text_part("b"),
                        text_part("no"),
                        called("c1", "f", json!({"a": 1})),
                        called("c2", "f", json!("{")),
                        called("c3", "g", json!("x")),
                        MessagePart::Other(search),
                    ]
                ),
                Message::new(Role::User, vec![answered(0)]),
                Message::new(Role::User, vec![answered(1)]),
                Message::new(
                    Role::Other("item_reference".to_owned()),
                    vec![MessagePart::Other(reference)]
                ),
                Message::new(Role::Other("critic".to_owned()), vec![text_part("z")]),
            ]
        );
        assert_eq!(read.tool_results, results);
        let schema = json!({"type": "object"});
        let offered = |name: &str, description: &str, schema: Value| {
            OfferedTool::new(name.to_owned(), description.to_owned(), schema)
        };
        assert_eq!(
            read.tools,
            [
                offered("f", "d", schema.clone()),
                offered("g", "", Value::Null),
                offered("web_search", "", Value::Null),
            ]
        );
        let format = ResponseFormat::new(Some("n".to_owned()), schema);
        assert_eq!(read.response_format, Some(format));
        assert_eq!(read.max_tokens, Some(7));
    }

    #[test]
    fn an_input_that_is_a_text_is_what_the_user_says() {
        let read = of(&json!({"input": "Hi", "instructions": null}));
        let said = Message::new(Role::User, vec![text_part("Hi")]);
        assert_eq!((read.messages, read.system), (vec![said], None));
    }

    #[test]
    fn what_is_no_request_reads_as_an_empty_one() {
        for body in [json!(null), json!([]), json!({"input": [3, null]})] {
            let read = of(&body);
            assert_eq!(read.system, None, "{body}");
            assert_eq!(read.tools, [], "{body}");
        }
    }
}
