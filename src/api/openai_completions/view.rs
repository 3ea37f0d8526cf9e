//! The request in neutral words: each prompt is a message of the user's. Lenient: what cannot be read is left out, the
//! rules refuse.

use serde_json::Value;

use crate::request::{Message, MessagePart, Role, View};

/// The request in neutral words.
pub(crate) fn view(body: &[u8]) -> View {
    let json: Value = serde_json::from_slice(body).unwrap_or_default();
    let prompts = match json.get("prompt") {
        None | Some(Value::Null) => &[],
        Some(Value::Array(items)) if !items.iter().any(Value::is_number) => items.as_slice(),
        Some(prompt) => std::slice::from_ref(prompt),
    };
    let message = |prompt: &Value| {
        let part = match prompt.as_str() {
            Some(text) => MessagePart::Text(text.to_owned()),
            None => MessagePart::Other(prompt.clone()),
        };
        Message::new(Role::User, vec![part])
    };
    View {
        messages: prompts.iter().map(message).collect(),
        max_tokens: json.get("max_tokens").and_then(Value::as_u64),
        json,
        ..View::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_prompt_is_a_message_of_the_users() {
        let read = |body: Value| view(body.to_string().as_bytes());
        let user = |part| Message::new(Role::User, vec![part]);
        let text = |text: &str| user(MessagePart::Text(text.to_owned()));
        let other = |tokens: Value| user(MessagePart::Other(tokens));
        for (prompt, expected) in [
            (json!("a"), vec![text("a")]),
            (json!(["a", "b"]), vec![text("a"), text("b")]),
            (json!([1, 2]), vec![other(json!([1, 2]))]),
            (
                json!([[1], [2]]),
                vec![other(json!([1])), other(json!([2]))],
            ),
            (json!(null), vec![]),
        ] {
            let view = read(json!({"prompt": prompt, "max_tokens": 7}));
            assert_eq!(
                (view.messages, view.max_tokens),
                (expected, Some(7)),
                "{prompt}"
            );
        }
        assert_eq!(view(b"no JSON").messages, []);
    }
}
