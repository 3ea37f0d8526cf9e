//! `message_start` has the message, blocks and their deltas come one by one, `message_delta` says the rest.

use serde_json::{Map, Value};

use super::{Folded, append, array, member};

pub(super) fn fold(folded: &mut Folded, mut data: Map<String, Value>) {
    let kind = data
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    if kind == "message_start" {
        folded.message = data.remove("message").unwrap_or_default();
        folded.usage = folded.message.get("usage").cloned().unwrap_or_default();
        return;
    }
    let Value::Object(message) = &mut folded.message else {
        return;
    };
    match kind.as_str() {
        "content_block_start" => {
            let block = data.remove("content_block").unwrap_or_default();
            let Some(blocks) = array(message, "content") else {
                return;
            };
            blocks.push(block);
        }
        "content_block_delta" => {
            if let (Some(block), Some(Value::Object(delta))) =
                (block(message, &data), data.get("delta"))
            {
                add(block, delta);
            }
        }
        "content_block_stop" => {
            let Some(block) = block(message, &data) else {
                return;
            };
            // its deltas made a text of it
            if let Some(input @ Value::String(_)) = block.get_mut("input") {
                let raw = input.as_str().unwrap_or_default();
                *input = serde_json::from_str(raw).unwrap_or_default();
            }
        }
        "message_delta" => {
            for (name, value) in data {
                match (name.as_str(), value) {
                    ("type", _) => {}
                    ("delta", Value::Object(delta)) => message.extend(delta),
                    ("usage", Value::Object(usage)) => {
                        folded.usage = Value::Object(usage.clone());
                        match message.get_mut("usage") {
                            Some(Value::Object(all)) => all.extend(usage),
                            _ => drop(message.insert("usage".to_owned(), Value::Object(usage))),
                        }
                    }
                    (_, value) => drop(message.insert(name, value)),
                }
            }
        }
        _ => {}
    }
}

/// The block that an event names.
fn block<'a>(
    message: &'a mut Map<String, Value>,
    data: &Map<String, Value>,
) -> Option<&'a mut Map<String, Value>> {
    let index = usize::try_from(data.get("index")?.as_u64()?).ok()?;
    array(message, "content")?.get_mut(index)?.as_object_mut()
}

fn add(block: &mut Map<String, Value>, delta: &Map<String, Value>) {
    for (name, value) in delta {
        match (name.as_str(), value) {
            ("type", _) => {}
            // the only one of a call without arguments
            ("partial_json", Value::String(more)) if more.is_empty() => {}
            ("partial_json", Value::String(more)) => append(member(block, "input"), more),
            ("citation", citation) => {
                if let Some(citations) = array(block, "citations") {
                    citations.push(citation.clone());
                }
            }
            (_, Value::String(more)) => append(member(block, name), more),
            (_, Value::Null) => {}
            (_, value) => drop(block.insert(name.clone(), value.clone())),
        }
    }
}
