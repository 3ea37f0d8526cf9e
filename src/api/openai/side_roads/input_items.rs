//! The items of an input, as they are listed: each with an id, messages in their long form; and the pages of them.
//!
//! The members of the page are those of the official SDKs' types. The order of an item's members, ids that the request
//! does not give, and the words for a query out of range are this crate's own.

use serde_json::{Map, Value, json};

use crate::{
    api::{
        Ids,
        side_roads::{Members, Query},
    },
    script::ApiError,
};

/// The items of the input of a request with this body, whose response has this id.
pub(super) fn of(body: &Value, response: &str, seed: u64) -> Vec<Value> {
    /// The dice of these ids.
    const INPUT: u64 = (1 << 32) + 1;
    let mut ids = Ids::new(seed, INPUT);
    // what all ids of an answer have in common
    let shared = response.split_once('_').map_or("", |(_, shared)| shared);
    let shared = shared.get(..26).unwrap_or(shared);
    let mut listed = |mut item: Map<String, Value>| {
        let made = format!("{}_{shared}{}", prefix(&item), ids.hex("", 24));
        if item.get("id").is_none_or(Value::is_null) {
            item.insert("id".to_owned(), made.into());
        }
        Value::Object(item)
    };
    match body.get("input") {
        Some(Value::String(text)) => vec![listed(message("user", &said("user", text)))],
        Some(Value::Array(items)) => {
            let items = items.iter().filter_map(Value::as_object);
            items.map(|item| listed(whole(item))).collect()
        }
        _ => Vec::new(),
    }
}

fn prefix(item: &Map<String, Value>) -> &'static str {
    match item.get("type").and_then(Value::as_str) {
        None | Some("message") => "msg",
        Some("function_call") => "fc",
        Some("function_call_output") => "fco",
        Some("custom_tool_call") => "ctc",
        Some("custom_tool_call_output") => "ctco",
        Some("reasoning") => "rs",
        Some(_) => "item",
    }
}

/// A message with this content.
fn message(role: &str, content: &Value) -> Map<String, Value> {
    let members = [
        ("type", "message".into()),
        ("status", "completed".into()),
        ("role", role.into()),
        ("content", content.clone()),
    ];
    let members = members.into_iter();
    members
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// A text as the content of a message.
fn said(role: &str, text: &str) -> Value {
    let kind = match role {
        "assistant" => "output_text",
        _ => "input_text",
    };
    json!([{"type": kind, "text": text}])
}

/// A message that was sent in its short form, in its long one; any other item as it is.
fn whole(item: &Map<String, Value>) -> Map<String, Value> {
    let text = |name: &str| item.get(name).and_then(Value::as_str);
    let is_message = matches!(text("type"), None | Some("message"));
    let Some(role) = text("role").filter(|_| is_message) else {
        return item.clone();
    };
    let content = match item.get("content") {
        Some(Value::String(text)) => said(role, text),
        other => other.cloned().unwrap_or_default(),
    };
    let mut whole = message(role, &content);
    for (name, value) in item {
        if !whole.contains_key(name) {
            whole.insert(name.clone(), value.clone());
        }
    }
    whole
}

/// The page of these items that is asked for: `limit` of them (20, from 1 to 100) after `after`, the newest first unless
/// `order` is `asc`.
pub(super) fn page(mut items: Vec<Value>, query: &Query) -> Result<Vec<u8>, ApiError> {
    match query.get("order") {
        Some("asc") => {}
        None | Some("desc") => items.reverse(),
        Some(other) => {
            let text = format!("Invalid value: '{other}'. Supported values are: 'asc' and 'desc'.");
            return Err(refused(text, "order", "invalid_value"));
        }
    }
    let limit = limit(query)?;
    let id = |item: &Value| item.get("id").and_then(Value::as_str).map(str::to_owned);
    let start = match query.get("after") {
        None => 0,
        Some(after) => match items
            .iter()
            .position(|item| id(item).as_deref() == Some(after))
        {
            Some(at) => at + 1,
            None => {
                let text = format!("No item with id '{after}' found.");
                return Err(ApiError::invalid_request(text).param("after"));
            }
        },
    };
    let rest = items.get(start..).unwrap_or_default();
    let shown = rest.get(..limit.min(rest.len())).unwrap_or_default();
    let data: Vec<Vec<u8>> = shown.iter().map(written).collect();
    let data = [b"[", data.join(&b","[..]).as_slice(), b"]"].concat();
    let id = |item: Option<&Value>| item.and_then(id);
    Ok(Members::new()
        .text("object", "list")
        .raw("data", &data)
        .text_or_null("first_id", id(shown.first()).as_deref())
        .text_or_null("last_id", id(shown.last()).as_deref())
        .raw(
            "has_more",
            if shown.len() < rest.len() {
                b"true"
            } else {
                b"false"
            },
        )
        .end())
}

fn limit(query: &Query) -> Result<usize, ApiError> {
    let Some(asked) = query.get("limit") else {
        return Ok(20);
    };
    let (text, code) = match asked.parse::<i64>() {
        Err(_) => (
            "Invalid type for 'limit': expected an integer, but got a string instead.".to_owned(),
            "invalid_type",
        ),
        Ok(..1) => (
            format!(
                "Invalid 'limit': integer below minimum value. Expected a value >= 1, but got {asked} instead."
            ),
            "integer_below_min_value",
        ),
        Ok(101..) => (
            format!(
                "Invalid 'limit': integer above maximum value. Expected a value <= 100, but got {asked} instead."
            ),
            "integer_above_max_value",
        ),
        Ok(limit) => return Ok(usize::try_from(limit).unwrap_or(1)),
    };
    Err(refused(text, "limit", code))
}

fn refused(text: String, param: &str, code: &str) -> ApiError {
    let error = ApiError::invalid_request(text);
    error.param(param).error_code(code)
}

/// An item: its id and its type, then the rest, sorted.
fn written(item: &Value) -> Vec<u8> {
    const FIRST: [&str; 2] = ["id", "type"];
    let value = |name: &str| item.get(name).unwrap_or(&Value::Null);
    let mut members = Members::new();
    for name in FIRST {
        members = members.value(name, value(name));
    }
    let mut names: Vec<&String> = item
        .as_object()
        .into_iter()
        .flat_map(|map| map.keys())
        .collect();
    names.sort_unstable();
    for name in names
        .into_iter()
        .filter(|name| !FIRST.contains(&name.as_str()))
    {
        members = members.value(name, value(name));
    }
    members.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_cut_at_its_cursor_in_either_order() {
        let items = ["a", "b", "c"].map(|id| json!({"id": id, "role": "user", "type": "message"}));
        for (query, expected, cut) in [
            ("", "cba", false),
            ("order=asc", "abc", false),
            ("order=desc&limit=2", "cb", true),
            ("limit=2&after=c", "ba", false),
            ("limit=1&after=a&order=asc", "b", true),
            ("after=a", "", false),
        ] {
            let found = page(items.to_vec(), &Query::new(Some(query))).unwrap();
            let item = |id: char| format!(r#"{{"id":"{id}","type":"message","role":"user"}}"#);
            let data: Vec<String> = expected.chars().map(item).collect();
            let edge = |id: Option<char>| id.map_or("null".to_owned(), |id| format!("\"{id}\""));
            let (first, last) = (edge(expected.chars().next()), edge(expected.chars().last()));
            let expected = format!(
                r#"{{"object":"list","data":[{}],"first_id":{first},"last_id":{last},"has_more":{cut}}}"#,
                data.join(",")
            );
            assert_eq!(String::from_utf8(found).unwrap(), expected, "{query}");
        }
    }

    #[test]
    fn a_query_out_of_range_is_refused() {
        for (query, text) in [
            (
                "limit=0",
                "Invalid 'limit': integer below minimum value. Expected a value >= 1, but got 0 instead.",
            ),
            (
                "limit=101",
                "Invalid 'limit': integer above maximum value. Expected a value <= 100, but got 101 instead.",
            ),
            (
                "limit=x",
                "Invalid type for 'limit': expected an integer, but got a string instead.",
            ),
            (
                "order=x",
                "Invalid value: 'x'. Supported values are: 'asc' and 'desc'.",
            ),
            ("after=x", "No item with id 'x' found."),
        ] {
            let refused = page(Vec::new(), &Query::new(Some(query))).unwrap_err();
            assert_eq!(refused.message.as_deref(), Some(text), "{query}");
        }
    }

    #[test]
    fn messages_are_listed_whole_and_others_as_they_were_sent() {
        let body = json!({"input": [
            {"role": "user", "content": "a"},
            {"id": "msg_1", "type": "message", "role": "assistant", "phase": "commentary", "content": []},
            {"type": "function_call_output", "call_id": "c", "output": "o"},
            7,
        ]});
        let listed = of(
            &body,
            "resp_0123456789abcdef016a85bfa4ffffffffffffffffffffffff",
            7,
        );
        let id = |n: usize| listed[n]["id"].as_str().unwrap();
        assert_eq!(
            listed,
            [
                json!({"id": id(0), "type": "message", "status": "completed", "role": "user",
                    "content": [{"type": "input_text", "text": "a"}]}),
                json!({"id": "msg_1", "type": "message", "status": "completed", "role": "assistant",
                    "phase": "commentary", "content": []}),
                json!({"id": id(2), "type": "function_call_output", "call_id": "c", "output": "o"}),
            ]
        );
        assert!(id(0).starts_with("msg_0123456789abcdef016a85bfa4"));
        assert!(id(2).starts_with("fco_0123456789abcdef016a85bfa4"));
        let text = of(&json!({"input": "a"}), "", 7);
        assert_eq!(
            text[0]["content"],
            json!([{"type": "input_text", "text": "a"}])
        );
    }
}
