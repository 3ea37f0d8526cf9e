//! Recorded bytes in, the turn that says them again out; or what stands in its way.
//!
//! | file | holds |
//! | --- | --- |
//! | `item.rs` | one item: as it was added, its events, as it was done; and whether it is said again |
//! | `named.rs`, `texts.rs` | the parts that may say it by name |
//! | `envelope.rs` | what stands around the items |
//!
//! An item is said by name where that gives the recorded bytes again, else as it is. What stands around the items has
//! only today's form, so a recording of another one is refused, at its first difference.

mod envelope;
mod item;
mod named;
mod texts;

use std::sync::Arc;

use self::{envelope::Envelope, item::Item};
use super::asked::Asked;
use crate::{
    api::{
        self, AccumulateError, Api, Context,
        openai::{
            Wanted,
            from_wire::{self, Body, Drawn, Stream},
        },
    },
    json_slices::member,
    script::{ScriptedPart, Turn},
};

const API: Api = Api::OpenAiResponses;

const DRAWN: Drawn = Drawn {
    is_drawn,
    inside: &["response", "item", "output"],
};

/// What is encrypted is so anew each time that it is sent; a turn keeps the last form.
fn is_drawn(name: &str, value: &str) -> bool {
    match name {
        "created_at" | "completed_at" => value.bytes().all(|byte| byte.is_ascii_digit()),
        "encrypted_content" | "obfuscation" => value.starts_with('"'),
        _ => false,
    }
}

/// The turn that says this stream, which may end with the provider's error.
pub(crate) fn stream_to_turn(body: &[u8]) -> Result<Turn, AccumulateError> {
    let stream = Stream::read(API, body)?;
    let context = context(stream.data());
    let items = item::of_stream(stream.data());
    let envelope = Envelope::of_stream(stream.data(), stream.reply());
    let turn = turn(&envelope, &items, |turn| {
        let said: Vec<String> = stream.said(&Arc::new(turn), &context)?.map(text).collect();
        Ok(item::of_stream(said.iter().map(String::as_str)))
    })?;
    stream.say(turn, &context, &DRAWN)
}

/// The turn that says this body, which may be an error's.
pub(crate) fn body_to_turn(body: &[u8]) -> Result<Turn, AccumulateError> {
    let whole = match Body::read(API, body, &DRAWN)? {
        Body::Answer(whole) => whole,
        Body::Error(turn) => return Ok(turn),
    };
    let context = context(std::iter::empty());
    let items = item::of_body(&whole.sent);
    let envelope = Envelope::of_body(&whole.sent, &whole.reply);
    let turn = turn(&envelope, &items, |turn| {
        Ok(item::of_body(&whole.said(&turn, &context)?))
    })?;
    whole.say(turn, &context, &DRAWN)
}

/// The turn that may say these items; `said` is what comes of a turn.
fn turn(
    envelope: &Envelope,
    items: &[Item],
    said: impl FnOnce(Turn) -> Result<Vec<Item>, AccumulateError>,
) -> Result<Turn, AccumulateError> {
    let with = |parts: &[Vec<ScriptedPart>]| {
        let is_named = |parts: &[ScriptedPart]| !matches!(parts, [ScriptedPart::Raw { .. }]);
        let named = items.iter().zip(parts).filter(|(_, parts)| is_named(parts));
        let turn = envelope.turn(named.map(|(item, _)| item));
        parts.iter().flatten().cloned().fold(turn, Turn::part)
    };
    let mut parts: Vec<Vec<ScriptedPart>> = Vec::with_capacity(items.len());
    for item in items {
        let behind_a_text = parts.last().and_then(|parts| parts.last());
        let behind_a_text = matches!(behind_a_text, Some(ScriptedPart::Text { .. }));
        let named = item.by_name(behind_a_text);
        parts.push(named.unwrap_or_else(|| vec![item.as_it_is()]));
    }
    let said = said(with(&parts))?;
    for (n, (item, parts)) in items.iter().zip(&mut parts).enumerate() {
        if !said.get(n).is_some_and(|said| item.is(said)) {
            *parts = vec![item.as_it_is()];
        }
    }
    Ok(with(&parts))
}

/// How a turn is said to be compared with these events: as one that nobody asked for, but for the obfuscation.
fn context<'a>(mut data: impl Iterator<Item = &'a str>) -> Context {
    let obfuscated = data.any(|data| member(data, "obfuscation").is_some());
    from_wire::context(api::Asked {
        responses: Asked {
            obfuscation: Wanted::when(obfuscated),
            ..Asked::default()
        },
        ..api::Asked::default()
    })
}

fn text(event: api::WireEvent) -> String {
    String::from_utf8(event.data).unwrap_or_default()
}

/// The text of the member with this name, if it is one.
fn word(object: &str, name: &str) -> Option<String> {
    serde_json::from_str(member(object, name)?).ok()
}
