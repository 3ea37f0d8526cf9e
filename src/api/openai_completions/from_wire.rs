//! Recorded bytes in, the turn that says them again out; or what stands in its way.
//!
//! A completion is nothing but text, so a recording of another form than ours is refused, at its first difference.

use serde_json::Value;

use super::asked::{Asked, Prompt, Usage};
use crate::{
    api::{
        self, AccumulateError, Api, Context,
        openai::from_wire::{self, Body, Drawn, Stream},
        sketch::{items, string},
    },
    json_slices::member,
    script::{Fragments, Reply, ScriptedPart, Turn},
};

const API: Api = Api::OpenAiCompletions;

const DRAWN: Drawn = Drawn {
    is_drawn: |name, value| name == "created" && value.bytes().all(|byte| byte.is_ascii_digit()),
    inside: &[],
};

/// The turn that says this stream, which may end with the provider's error.
pub(crate) fn stream_to_turn(body: &[u8]) -> Result<Turn, AccumulateError> {
    let stream = Stream::read(API, body)?;
    let mut recorded = Recorded::default();
    for data in stream.answer() {
        recorded.read(&serde_json::from_str(data).unwrap_or_default());
    }
    let begun = stream.answer().next().unwrap_or_default();
    let usage = match member(begun, "usage") {
        Some(_) => Usage::Said,
        None => Usage::Unsaid,
    };
    let context = recorded.context(usage);
    let text = recorded.text.concat();
    let fragments = Fragments::pieces(std::mem::take(&mut recorded.text));
    let turn = recorded.turn(text, Some(fragments), stream.reply());
    stream.say(turn, &context, &DRAWN)
}

/// The turn that says this body, which may be an error's.
pub(crate) fn body_to_turn(body: &[u8]) -> Result<Turn, AccumulateError> {
    let whole = match Body::read(API, body, &DRAWN)? {
        Body::Answer(whole) => whole,
        Body::Error(turn) => return Ok(turn),
    };
    let mut recorded = Recorded::default();
    recorded.read(&serde_json::from_str(&whole.sent).unwrap_or_default());
    let context = recorded.context(Usage::Said);
    let turn = recorded.turn(recorded.text.concat(), None, Some(&whole.reply));
    whole.say(turn, &context, &DRAWN)
}

/// What was read of the first choice, whose twins the others are.
#[derive(Default)]
struct Recorded {
    id: String,
    model: String,
    /// As it was cut.
    text: Vec<String>,
    /// The last choice's index.
    last: usize,
    has_usage: bool,
}

impl Recorded {
    /// Reads a chunk, or a body.
    fn read(&mut self, sent: &Value) {
        for (known, name) in [(&mut self.id, "id"), (&mut self.model, "model")] {
            if known.is_empty() {
                *known = string(sent.get(name));
            }
        }
        self.has_usage |= sent.get("usage").is_some_and(Value::is_object);
        for choice in items(sent.get("choices")) {
            let index = choice.get("index").and_then(Value::as_u64).unwrap_or(0);
            self.last = self.last.max(usize::try_from(index).unwrap_or(0));
            let text = string(choice.get("text"));
            if index == 0 && !text.is_empty() {
                self.text.push(text);
            }
        }
    }

    /// How a turn is said to be compared with it: with as many choices.
    fn context(&self, usage: Usage) -> Context {
        from_wire::context(api::Asked {
            completions: Asked {
                prompts: vec![Prompt::Tokens; self.last + 1],
                usage,
                ..Asked::default()
            },
            ..api::Asked::default()
        })
    }

    /// The turn that may say it; `reply` is what was read of it, if it came to its end.
    fn turn(&self, text: String, fragments: Option<Fragments>, reply: Option<&Reply>) -> Turn {
        let mut turn = Turn::new().id(&self.id).model(&self.model);
        turn.extras().is_recorded = true;
        if let Some(reply) = reply {
            turn = turn.stop_reason(reply.stop_reason.clone());
            if self.has_usage {
                turn = turn.usage(reply.usage.clone());
            }
        }
        if text.is_empty() {
            return turn;
        }
        turn.part(ScriptedPart::Text {
            text: text.into(),
            citations: None,
            fragments,
        })
    }
}
