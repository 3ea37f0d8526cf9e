//! What is read back of a turn.

use serde_json::Value;

use super::{
    envelope::Envelope,
    said::{Call, ContentKind, Said},
    usage,
};
use crate::{
    api::{Context, openai::Characters, openai_chat::words},
    json,
    script::{CustomToolCall, Part, Reply, ToolCall, ToolKind, Turn},
};

/// What a client that loses nothing reads from `turn`.
pub(crate) fn normalized(turn: &Turn, context: &Context) -> Result<Reply, String> {
    let said = Said::new(turn, context)?;
    let content = said.content();
    let mut parts = Vec::new();
    if let Some(thought) = &said.thought {
        parts.push(Part::Thinking {
            text: thought.text(),
            signature: thought.signature.clone().unwrap_or_default(),
        });
    }
    if !said.annotations.is_empty() {
        let characters = Characters::of(&content);
        let citations = said.annotations.iter();
        parts.push(Part::CitedText {
            citations: citations
                .map(|annotation| annotation.to_citation(&characters))
                .collect(),
            text: content,
        });
    } else if !content.is_empty() {
        parts.push(Part::Text(content));
    }
    for call in said.calls {
        parts.push(call.into_part()?);
    }
    let refuses = said.kind == ContentKind::Refusal;
    let reason = words::read_back(&said.finish, refuses)?;
    let usage = usage::normalized(said.usage, said.row);
    let Envelope {
        id,
        model,
        service_tier,
        ..
    } = said.envelope;
    let mut reply = Reply::new(id, model, parts, reason, usage);
    reply.service_tier = service_tier;
    reply.moderation = said.moderation;
    Ok(reply)
}

/// The ids of the calls that a turn makes behind what the model thought; none if it thought nothing.
pub(crate) fn reasoned_calls(turn: &Turn, context: &Context) -> Vec<String> {
    match Said::new(turn, context) {
        Ok(said) if said.thought.is_some() => said.calls.into_iter().map(|call| call.id).collect(),
        Ok(_) | Err(_) => Vec::new(),
    }
}

impl Call {
    fn into_part(self) -> Result<Part, String> {
        if self.id.is_empty() || self.name.is_empty() {
            return Err("a tool call has no id, or no name\n  \
                        help: such a call can be played, but no strict client reads it"
                .to_owned());
        }
        let text = &*self.arguments.text;
        if self.kind == ToolKind::Custom {
            let call = CustomToolCall::new(self.id, self.name, text.to_owned());
            return Ok(Part::CustomToolCall(call));
        }
        let arguments = match text {
            "" | "null" => Value::Object(serde_json::Map::new()),
            text => json::parse(text.as_bytes()).map_err(|error| {
                format!(
                    "the arguments of `{}` are not JSON: {error}\n  found: `{}`\n  \
                     help: such a call can be played, but no strict client reads it",
                    self.name.escape_debug(),
                    text.escape_debug()
                )
            })?,
        };
        let call = ToolCall::new(self.id, self.name, arguments);
        Ok(Part::ToolCall(call))
    }
}
