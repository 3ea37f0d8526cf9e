//! Every chunk repeats what stands around the choices, and says a little more of one or several of them. Legacy completions
//! have the same chunks with `text` in place of a delta.

use serde_json::{Map, Value, json};

use super::{Folded, append, array, indexed, member};

pub(super) fn fold(folded: &mut Folded, chunk: Map<String, Value>) {
    if folded.message.is_null() {
        folded.message = Value::Object(Map::new());
    }
    let Value::Object(message) = &mut folded.message else {
        return;
    };
    for (name, value) in chunk {
        match (name.as_str(), value) {
            ("choices", Value::Array(choices)) => {
                let Some(all) = array(message, "choices") else {
                    continue;
                };
                for choice in choices {
                    choice_more(all, choice);
                }
            }
            // its own kind of object
            ("object", Value::String(kind)) => {
                let kind = kind.trim_end_matches(".chunk").to_owned();
                message.insert(name, Value::String(kind));
            }
            // padding, of OpenAI and of Mistral
            ("obfuscation" | "p", _) => {}
            (_, Value::Null) => {
                member(message, &name);
            }
            ("usage", usage) => {
                folded.usage = usage.clone();
                message.insert(name, usage);
            }
            (_, value) => drop(message.insert(name, value)),
        }
    }
}

fn choice_more(all: &mut Vec<Value>, choice: Value) {
    let Value::Object(choice) = choice else {
        return;
    };
    let index = index(&choice).unwrap_or(0);
    let Some(so_far) = indexed(all, index) else {
        return;
    };
    for (name, value) in choice {
        match (name.as_str(), value) {
            ("delta", Value::Object(delta)) => merge_into(so_far, "message", delta),
            ("logprobs", Value::Object(more)) => merge_into(so_far, "logprobs", more),
            ("text", Value::String(more)) => append(member(so_far, "text"), &more),
            // vLLM has one in every chunk
            ("finish_reason" | "native_finish_reason", Value::String(reason))
                if reason.is_empty() =>
            {
                member(so_far, &name);
            }
            (_, Value::Null) => {
                member(so_far, &name);
            }
            (_, value) => drop(so_far.insert(name, value)),
        }
    }
}

/// Members that are said once; a later one says the same, or corrects it.
const SAID_ONCE: [&str; 8] = [
    "role",
    "type",
    "id",
    "index",
    "format",
    "name",
    "tool_call_id",
    "signature",
];

/// Texts go on, lists get longer, objects member by member, and the rest is replaced.
fn merge(so_far: &mut Map<String, Value>, more: Map<String, Value>) {
    for (name, value) in more {
        match (name.as_str(), value) {
            (_, Value::Null) => {
                member(so_far, &name);
            }
            (once, value) if SAID_ONCE.contains(&once) => {
                if value != "" || !so_far.contains_key(once) {
                    so_far.insert(name, value);
                }
            }
            (_, Value::String(more)) => match member(so_far, &name) {
                Value::Array(elements) => text_element(elements, &more),
                text => append(text, &more),
            },
            (_, Value::Array(more)) => {
                // Mistral: a text, a list while it thinks, a text again
                let said = member(so_far, &name).as_str().map(str::to_owned);
                if said.is_some() {
                    so_far.remove(&name);
                }
                if let Some(elements) = array(so_far, &name) {
                    if let Some(said) = said.filter(|said| !said.is_empty()) {
                        text_element(elements, &said);
                    }
                    let calls = name == "tool_calls";
                    for element in more {
                        element_more(elements, element, calls);
                    }
                }
            }
            (_, Value::Object(more)) => merge_into(so_far, &name, more),
            (_, value) => drop(so_far.insert(name, value)),
        }
    }
}

/// The text of the last element goes on, or is one more element.
fn text_element(elements: &mut Vec<Value>, more: &str) {
    match elements.last_mut().and_then(|last| last.get_mut("text")) {
        Some(text) => append(text, more),
        None => elements.push(json!({"type": "text", "text": more})),
    }
}

fn merge_into(so_far: &mut Map<String, Value>, name: &str, more: Map<String, Value>) {
    let member = member(so_far, name);
    match member {
        Value::Object(so_far) => merge(so_far, more),
        other => *other = Value::Object(more),
    }
}

/// A call goes on where its index says so; everything else is one more element.
fn element_more(elements: &mut Vec<Value>, element: Value, calls: bool) {
    match element {
        Value::Object(more) if calls => {
            let index = index(&more).unwrap_or(elements.len());
            if let Some(so_far) = indexed(elements, index) {
                merge(so_far, more);
            }
        }
        element => elements.push(element),
    }
}

fn index(object: &Map<String, Value>) -> Option<usize> {
    usize::try_from(object.get("index")?.as_u64()?).ok()
}
