//! What the service keeps of a conversation besides the request that goes on with it.

use std::sync::Arc;

use serde_json::Value;

/// What is known of the answers before a request.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    pub(crate) previous: Previous,
    /// Items of answers that came behind reasoning: the id of each, and that of the reasoning.
    pub(crate) reasoned: Vec<(String, String)>,
    /// The ids of the calls of DeepSeek's answers on Chat that it made while it thought.
    pub(crate) reasoned_calls: Arc<Vec<String>>,
}

/// The response that the request goes on from.
#[derive(Debug, Default)]
pub(crate) enum Previous {
    /// It names none, or nobody looked.
    #[default]
    Unknown,
    NotKept,
    /// The calls of the client's tools and their outputs before the request, in order.
    Kept(Vec<Value>),
}

/// The text of a member; empty if there is none.
pub(super) fn word<'a>(item: &'a Value, name: &str) -> &'a str {
    item.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The id of the call that this item is, of a tool of the client's.
pub(super) fn call_of(item: &Value) -> Option<&str> {
    let kind = word(item, "type");
    matches!(kind, "function_call" | "custom_tool_call").then(|| word(item, "call_id"))
}

/// Whether this item is a call of a tool of the client's, or the output of one.
pub(crate) fn is_of_call(item: &Value) -> bool {
    call_of(item).is_some() || output_of(item).is_some()
}

/// The id of the call whose output this item is.
pub(super) fn output_of(item: &Value) -> Option<&str> {
    let kind = word(item, "type");
    matches!(kind, "function_call_output" | "custom_tool_call_output")
        .then(|| word(item, "call_id"))
}
