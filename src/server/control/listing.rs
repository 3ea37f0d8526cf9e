//! Requests as JSON, in neutral words: what `requests()` and `journal()` show, for who reads it elsewhere.

use crate::{
    api::Members,
    base64::base64,
    request::{Kind, Message, MessagePart, Outcome, RecordedRequest, Role, ToolResult},
};

/// All of them, in order.
pub(super) fn of_all(requests: &[RecordedRequest]) -> Vec<u8> {
    array(requests, of)
}

fn of(request: &RecordedRequest) -> Vec<u8> {
    let kind = request.kind();
    let readable = kind != Kind::Malformed;
    let members = match kind {
        Kind::ModelCall { index, .. } => Members::new().number("index", index),
        Kind::SideRoad { .. } | Kind::Fallback | Kind::NotServed | Kind::Malformed => {
            Members::new().raw("index", b"null")
        }
    };
    let members = members
        .text("kind", word_of_kind(kind))
        .text_or_null("api", request.api().map(|api| api.name()))
        .text_or_null("dialect", request.dialect().map(|dialect| dialect.name()))
        .text_or_null("method", readable.then(|| request.method()))
        .text_or_null("path", readable.then(|| request.path()))
        .text_or_null("query", request.query().filter(|_| readable))
        .raw("headers", &headers(request));
    let members = body(members, request.body());
    let members = match kind {
        Kind::ModelCall { .. } => view(members, request),
        Kind::SideRoad { .. } | Kind::Fallback | Kind::NotServed | Kind::Malformed => members,
    };
    let written = usize::try_from(request.bytes_written()).unwrap_or(usize::MAX);
    let arrived = usize::try_from(request.arrived().as_millis()).unwrap_or(usize::MAX);
    members
        .text_or_null("lane", request.lane().as_deref())
        .text("answered_by", &request.answered_by())
        .text("outcome", word_of_outcome(request.outcome()))
        .text_or_null("remark", request.remark().as_deref())
        .number("bytes_written", written)
        .number("connection", request.connection())
        .number("arrived_ms", arrived)
        .end()
}

const fn word_of_kind(kind: Kind) -> &'static str {
    match kind {
        Kind::ModelCall { .. } => "model_call",
        Kind::SideRoad { api: Some(_) } => "side_road",
        Kind::SideRoad { api: None } => "preflight",
        Kind::Fallback => "fallback",
        Kind::NotServed => "not_served",
        Kind::Malformed => "malformed",
    }
}

const fn word_of_outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Open => "open",
        Outcome::Complete => "complete",
        Outcome::Cancelled => "cancelled",
        Outcome::Reset => "reset",
        Outcome::Failed => "failed",
        Outcome::Refused => "refused",
    }
}

/// By name, in lower case; the values of several of one name are joined, as RFC 9110, section 5.3, has it.
fn headers(request: &RecordedRequest) -> Vec<u8> {
    let headers = request.masked_headers();
    let members = headers
        .into_iter()
        .fold(Members::new(), |members, (name, values)| {
            members.text(name, &values.join(", "))
        });
    members.end()
}

/// `body`, if it is JSON, as it was spelled; else `body_text`, or what no text is as `body_base64`.
fn body(members: Members, body: &[u8]) -> Members {
    if body.is_empty() {
        return members.raw("body", b"null");
    }
    let Ok(text) = std::str::from_utf8(body) else {
        let members = members.raw("body", b"null");
        return members.text("body_base64", &base64(body));
    };
    match serde_json::from_str::<serde::de::IgnoredAny>(text) {
        Ok(_) => members.raw("body", text.trim().as_bytes()),
        Err(_) => members.raw("body", b"null").text("body_text", text),
    }
}

/// What the call says, in the same words on every API.
fn view(members: Members, request: &RecordedRequest) -> Members {
    let tools = array(request.tools(), |tool| {
        let members = Members::new().text("name", &tool.name);
        let members = members.text("description", &tool.description);
        members.value("input_schema", &tool.input_schema).end()
    });
    let members = members
        .text("model", request.model())
        .raw(
            "stream",
            if request.is_stream() {
                b"true"
            } else {
                b"false"
            },
        )
        .text_or_null("system", request.system())
        .raw("messages", &array(request.messages(), message))
        .raw("tools", &tools)
        .raw(
            "tool_results",
            &array(request.tool_results(), |result| {
                tool_result(Members::new(), result).end()
            }),
        );
    let members = match request.max_tokens() {
        Some(limit) => members.number("max_tokens", usize::try_from(limit).unwrap_or(usize::MAX)),
        None => members.raw("max_tokens", b"null"),
    };
    match request.response_format() {
        None => members.raw("response_format", b"null"),
        Some(format) => {
            let wanted = Members::new().text_or_null("name", format.name.as_deref());
            members.raw(
                "response_format",
                &wanted.value("schema", &format.schema).end(),
            )
        }
    }
}

fn message(message: &Message) -> Vec<u8> {
    let role = match &message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System => "system",
        Role::Other(role) => role,
    };
    let members = Members::new().text("role", role);
    let members = members.text("text", &message.text());
    members.raw("parts", &array(&message.parts, part)).end()
}

fn part(part: &MessagePart) -> Vec<u8> {
    let members = Members::new();
    match part {
        MessagePart::Text(text) => members.text("type", "text").text("text", text),
        MessagePart::ToolCall {
            id,
            name,
            arguments,
        } => {
            let members = members.text("type", "tool_call").text("id", id);
            members.text("name", name).value("arguments", arguments)
        }
        MessagePart::ToolResult(result) => tool_result(members.text("type", "tool_result"), result),
        MessagePart::Thinking { text, signature } => {
            let members = members.text("type", "thinking").text("text", text);
            members.text("signature", signature)
        }
        MessagePart::Other(sent) => members.text("type", "other").value("sent", sent),
    }
    .end()
}

fn tool_result(members: Members, result: &ToolResult) -> Members {
    let is_error: &[u8] = if result.is_error() { b"true" } else { b"false" };
    let members = members.text("call_id", result.call_id());
    let members = members
        .text("text", result.text())
        .raw("is_error", is_error);
    members.value("content", result.content())
}

fn array<T>(items: &[T], write: impl Fn(&T) -> Vec<u8>) -> Vec<u8> {
    let mut out = vec![b'['];
    for (n, item) in items.iter().enumerate() {
        if n > 0 {
            out.push(b',');
        }
        out.extend_from_slice(&write(item));
    }
    out.push(b']');
    out
}
