//! What is read back of a turn.

use serde_json::Value;

use super::{
    envelope::Envelope,
    events::Events,
    item::{Item, Message},
    said::Said,
};
use crate::{
    api::{Api, Context, accumulate, openai::Characters},
    json,
    script::{Citation, CustomToolCall, Part, Reply, ScriptedPart, ToolCall, Turn},
    sse,
};

/// What a client that loses nothing reads from `turn`.
pub(crate) fn normalized(turn: &Turn, context: &Context) -> Result<Reply, String> {
    let said = Said::new(turn, context)?;
    let mut parts = Vec::with_capacity(said.items.len());
    for item in said.items {
        parts.extend(item.into_parts()?);
    }
    let mut usage = said.usage;
    // it is always said
    usage.thinking_tokens.get_or_insert(0);
    usage.web_search_requests = usage.web_search_requests.filter(|requests| *requests > 0);
    usage.web_fetch_requests = None;
    let tier = said.envelope.final_tier();
    let Envelope {
        id,
        model,
        moderation,
        ..
    } = said.envelope;
    let mut reply = Reply::new(id, model, parts, said.stop_reason, usage);
    reply.service_tier = Some(tier);
    reply.moderation = moderation;
    Ok(reply)
}

impl Item {
    /// What a client that loses nothing reads.
    fn into_parts(self) -> Result<Vec<Part>, String> {
        let part = match self {
            Self::Message(message) => message.into_part(),
            Self::Reasoning {
                summary: None,
                encrypted: Some(encrypted),
                ..
            } => Part::RedactedThinking {
                data: encrypted.at_end,
            },
            Self::Reasoning {
                summary, encrypted, ..
            } => Part::Thinking {
                text: summary.map_or_else(String::new, |summary| summary.text.to_string()),
                signature: encrypted
                    .map(|encrypted| encrypted.at_end)
                    .unwrap_or_default(),
            },
            Self::FunctionCall {
                call_id,
                name,
                arguments,
                ..
            } => Part::ToolCall(to_call(call_id, name, &arguments.text)?),
            Self::CustomCall {
                call_id,
                name,
                input,
                ..
            } => {
                check_call(&call_id, &name)?;
                let input = input.text.to_string();
                Part::CustomToolCall(CustomToolCall::new(call_id, name, input))
            }
            Self::Compaction {
                encrypted_content, ..
            } => Part::Compaction {
                content: None,
                encrypted_content: Some(encrypted_content),
            },
            Self::Tool(tool) => return tool.into_parts(),
            Self::Raw {
                block,
                events,
                added,
            } => {
                return raw_parts(ScriptedPart::Raw {
                    start: block,
                    deltas: events,
                    added,
                });
            }
        };
        Ok(vec![part])
    }
}

impl Message {
    fn into_part(self) -> Part {
        let text = self.text();
        let characters = Characters::of(&text);
        let annotations = self.texts.iter().flat_map(|text| &text.annotations);
        let citations: Vec<Citation> = annotations
            .map(|annotation| annotation.to_citation(&characters))
            .collect();
        if citations.is_empty() {
            Part::Text(text)
        } else {
            Part::CitedText { text, citations }
        }
    }
}

/// What a strict client reads of a raw item: it depends on what kind of item that is.
fn raw_parts(raw: ScriptedPart) -> Result<Vec<Part>, String> {
    let turn = Turn::new().part(raw);
    let mut body = Vec::new();
    for event in Events::new(&turn, &Context::unasked(0, true))? {
        sse::encode(event.name.as_deref(), &event.data, &mut body);
    }
    match accumulate(Api::OpenAiResponses, &body) {
        Ok(reply) => Ok(reply.parts),
        Err(error) => Err(format!(
            "no strict client reads this raw block: {}\n  \
             help: it can be played, but there is no reply that it comes to",
            error.to_string().lines().next().unwrap_or_default()
        )),
    }
}

pub(super) fn check_call(id: &str, name: &str) -> Result<(), String> {
    if id.is_empty() || name.is_empty() {
        return Err("a tool call has no id, or no name\n  \
                    help: such a call can be played, but no strict client reads it"
            .to_owned());
    }
    Ok(())
}

fn to_call(id: String, name: String, text: &str) -> Result<ToolCall, String> {
    check_call(&id, &name)?;
    let arguments = arguments(&name, text)?;
    Ok(ToolCall::new(id, name, arguments))
}

/// Arguments as JSON; none at all are an empty object.
pub(super) fn arguments(name: &str, text: &str) -> Result<Value, String> {
    match text {
        "" | "null" => Ok(Value::Object(serde_json::Map::new())),
        text => json::parse(text.as_bytes()).map_err(|error| {
            format!(
                "the arguments of `{}` are not JSON: {error}\n  found: `{}`\n  \
                 help: such a call can be played, but no strict client reads it",
                name.escape_debug(),
                text.escape_debug()
            )
        }),
    }
}
