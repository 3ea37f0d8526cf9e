//! Recorded bytes in, the turn that says them again out; or what stands in its way.
//!
//! A message has members where other APIs have blocks, so there is nothing to say as it is: a recording of another
//! form than today's is refused, at its first difference. `recorded.rs` has what a message says, cut as it was, and the
//! turn that says it.

mod recorded;

use serde_json::Value;

use self::recorded::Recorded;
use super::asked::Asked;
use crate::{
    api::{
        self, AccumulateError, Api, Context,
        openai::{
            Wanted,
            from_wire::{self, Body, Drawn, Stream, of_the_whole},
        },
    },
    json_slices::member,
    script::Turn,
};

const API: Api = Api::OpenAiChat;

const DRAWN: Drawn = Drawn {
    is_drawn: |name, value| match name {
        "created" => value.bytes().all(|byte| byte.is_ascii_digit()),
        "system_fingerprint" | "obfuscation" => value.starts_with('"'),
        _ => false,
    },
    inside: &[],
};

/// The turn that says this stream, which may end with the provider's error.
pub(crate) fn stream_to_turn(body: &[u8]) -> Result<Turn, AccumulateError> {
    let stream = Stream::read(API, body)?;
    let mut recorded = Recorded::default();
    for (n, data) in stream.answer().enumerate() {
        let chunk: Value = serde_json::from_str(data).unwrap_or_default();
        let read = recorded.chunk(&chunk, data);
        read.map_err(|problem| stream.refused(n, problem))?;
    }
    let turn = recorded.turn(stream.reply());
    let turn = turn.map_err(|problem| of_the_whole(API, problem))?;
    let begun = stream.answer().next().unwrap_or_default();
    let context = context(Asked {
        usage: Wanted::when(member(begun, "usage").is_some()),
        obfuscation: Wanted::when(member(begun, "obfuscation").is_some()),
        choices: recorded.choices(),
        ..Asked::default()
    });
    stream.say(turn, &context, &DRAWN)
}

/// The turn that says this body, which may be an error's.
pub(crate) fn body_to_turn(body: &[u8]) -> Result<Turn, AccumulateError> {
    let whole = match Body::read(API, body, &DRAWN)? {
        Body::Answer(whole) => whole,
        Body::Error(turn) => return Ok(turn),
    };
    let json: Value = serde_json::from_str(&whole.sent).unwrap_or_default();
    let mut recorded = Recorded::default();
    let read = recorded.body(&json, &whole.sent);
    let turn = read.and_then(|()| recorded.turn(Some(&whole.reply)));
    let turn = turn.map_err(|problem| of_the_whole(API, problem))?;
    let context = context(Asked {
        choices: recorded.choices(),
        ..Asked::default()
    });
    whole.say(turn, &context, &DRAWN)
}

/// How a turn is said to be compared with what was recorded: as it is asked for.
fn context(chat: Asked) -> Context {
    from_wire::context(api::Asked {
        chat,
        ..api::Asked::default()
    })
}
