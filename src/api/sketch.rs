//! What is read of a request's body as it comes, and the lenient reading of JSON that the views share.

use serde_json::Value;

use crate::request::{Headers, Sketch};

/// What routing and answer need of the request, and its body for the rules; null if it is no JSON. Every API
/// names the model and asks for a stream in the same two members.
pub(super) fn sketch(body: &[u8]) -> (Sketch, Value) {
    let json: Result<Value, _> = serde_json::from_slice(body);
    let malformed = match &json {
        Ok(json) if json.is_object() => None,
        Ok(_) => Some("the body is no JSON object".to_owned()),
        Err(error) => Some(format!("the body is {}", crate::json::unread(error))),
    };
    let json = json.unwrap_or_default();
    let sketch = Sketch {
        model: string(json.get("model")),
        stream: json.get("stream") == Some(&Value::Bool(true)),
        malformed,
    };
    (sketch, json)
}

/// The token of `authorization: Bearer`, if there is one.
pub(super) fn bearer(headers: &Headers) -> Option<&str> {
    let (scheme, token) = headers.text("authorization")?.trim().split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

/// The items of an array; none of anything else.
pub(super) fn items(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}

/// The string; empty if it is none.
pub(super) fn string(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A string as it is; the text of blocks joined by newlines.
pub(super) fn text_of(content: &Value) -> String {
    if let Value::String(text) = content {
        return text.clone();
    }
    let texts: Vec<&str> = items(Some(content))
        .filter_map(|block| block.get("text")?.as_str())
        .collect();
    texts.join("\n")
}
