//! The provider's own message, put together from the events of its stream as its SDKs do it: nothing is checked here, since
//! the accumulators have done so, and members that they have no word for stay.

mod anthropic_messages;
mod openai_chat;
mod openai_responses;

use llm_wire_stub::{Api, SseDecoder};
use serde_json::{Map, Value};

/// An answer as the provider words it.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Folded {
    /// The body that the answer would have had without a stream, as far as its events say it.
    pub(crate) message: Value,
    /// The last usage that was sent, as it was sent.
    pub(crate) usage: Value,
    /// How many events the stream had.
    pub(crate) events: usize,
}

/// Of a stream that an accumulator accepts.
pub(crate) fn of_stream(api: Api, body: &[u8]) -> Folded {
    let fold = match api {
        Api::AnthropicMessages => anthropic_messages::fold,
        Api::OpenAiResponses => openai_responses::fold,
        // completions have chunks too, with their text beside the reason
        _ => openai_chat::fold,
    };
    let mut folded = Folded::default();
    let mut decoder = SseDecoder::new();
    let _ = decoder.push(body);
    while let Some(event) = decoder.next_event() {
        folded.events += 1;
        if let Ok(Value::Object(data)) = serde_json::from_str(event.data()) {
            fold(&mut folded, data);
        }
    }
    folded
}

/// Of a body that an accumulator accepts.
pub(crate) fn of_body(body: &[u8]) -> Folded {
    let message: Value = serde_json::from_slice(body).unwrap_or_default();
    let usage = message.get("usage").cloned().unwrap_or_default();
    Folded {
        message,
        usage,
        events: 0,
    }
}

/// `more` is added to `text`; what is no text yet becomes one.
fn append(text: &mut Value, more: &str) {
    match text {
        Value::String(text) => text.push_str(more),
        other => *other = Value::String(more.to_owned()),
    }
}

/// This member, null where there is none.
fn member<'a>(object: &'a mut Map<String, Value>, name: &str) -> &'a mut Value {
    object.entry(name).or_insert(Value::Null)
}

/// The elements of the array at this member, which is made where there is none.
fn array<'a>(object: &'a mut Map<String, Value>, name: &str) -> Option<&'a mut Vec<Value>> {
    let member = member(object, name);
    if member.is_null() {
        *member = Value::Array(Vec::new());
    }
    member.as_array_mut()
}

/// The element that says this index of itself, or one more.
fn indexed(elements: &mut Vec<Value>, index: usize) -> Option<&mut Map<String, Value>> {
    let said = |element: &Value| element.get("index") == Some(&Value::from(index));
    let at = elements.iter().position(said).unwrap_or(elements.len());
    if at == elements.len() {
        elements.push(Value::Object(Map::new()));
    }
    elements.get_mut(at)?.as_object_mut()
}
