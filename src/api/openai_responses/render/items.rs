//! The parts of a turn as items.

use std::sync::Arc;

use serde_json::Value;

use super::{
    annotation::Annotation,
    envelope::Envelope,
    item::{ContentKind, Encrypted, Item, Message, Text},
    said::unsayable,
    tool::Tool,
};
use crate::{
    api::{
        Context, Ids,
        openai::{Piece, Wanted},
        openai_responses::purpose,
    },
    script::{Citation, Dice, EndsEmpty, Fragments, Json, ScriptedPart},
};

/// Makes the items of a turn.
pub(super) struct Items<'a> {
    pub(super) envelope: Envelope,
    context: &'a Context,
    kind: ContentKind,
    calls: Ids,
    encrypted: Ids,
    pub(super) items: Vec<Item>,
}

impl<'a> Items<'a> {
    pub(super) const fn new(envelope: Envelope, kind: ContentKind, context: &'a Context) -> Self {
        Self {
            envelope,
            context,
            kind,
            calls: Ids::new(context.seed, purpose::CALLS),
            encrypted: Ids::new(context.seed, purpose::ENCRYPTED),
            items: Vec::new(),
        }
    }

    pub(super) fn part(&mut self, part: &ScriptedPart) -> Result<(), String> {
        let item = match part {
            ScriptedPart::Text {
                text,
                citations,
                fragments,
            } => return self.text(text, citations.as_deref(), fragments.as_ref()),
            ScriptedPart::Thinking {
                ends_empty: Some(EndsEmpty::Yes),
                ..
            } => {
                return Err(unsayable(
                    "an empty delta at the end of thinking",
                    "leave out `.empty_last_delta()`",
                ));
            }
            ScriptedPart::Thinking {
                text,
                signature,
                fragments,
                ..
            } => {
                let summary = Piece::of_text(text, fragments.as_ref())?;
                self.reasoning(Some(summary), signature.as_deref())
            }
            ScriptedPart::RedactedThinking { data } => self.reasoning(None, data.as_deref()),
            ScriptedPart::ToolCall {
                caller: Some(_), ..
            } => return Err(unsayable("who called a tool", "leave out `.caller(..)`")),
            ScriptedPart::ToolCall {
                id,
                name,
                arguments,
                caller: None,
                fragments,
            } => {
                let seed = self.fragments_seed();
                Item::FunctionCall {
                    id: self.envelope.item_id("fc_"),
                    call_id: self.call_id(id.as_ref()),
                    name: name.clone(),
                    arguments: Piece::of_arguments(arguments, fragments.as_ref(), seed)?,
                }
            }
            ScriptedPart::CustomToolCall {
                id,
                name,
                input,
                fragments,
            } => {
                let seed = self.fragments_seed();
                Item::CustomCall {
                    id: self.envelope.item_id("ctc_"),
                    call_id: self.call_id(id.as_ref()),
                    name: name.clone(),
                    input: Piece::dealt(input, fragments.as_ref(), seed)?,
                }
            }
            ScriptedPart::ServerTool {
                tool,
                says,
                fragments,
            } => {
                let (asked, seed) = (&self.context.asked.responses, self.fragments_seed());
                let new_id = |prefix: &str| self.envelope.item_id(prefix);
                let tool = Tool::new(tool, *says, fragments.as_ref(), asked, seed, new_id)?;
                Item::Tool(Box::new(tool))
            }
            ScriptedPart::Compaction {
                content,
                encrypted_content,
            } => self.compaction(content, encrypted_content.as_deref())?,
            ScriptedPart::Raw {
                start,
                deltas,
                added,
            } => raw(start, deltas, added.as_ref())?,
        };
        self.items.push(item);
        Ok(())
    }

    fn call_id(&mut self, given: Option<&String>) -> String {
        let made = self.calls.base62("call_", 24);
        given.cloned().unwrap_or(made)
    }

    fn reasoning(&mut self, summary: Option<Piece>, encrypted: Option<&str>) -> Item {
        Item::Reasoning {
            id: self.envelope.item_id("rs_"),
            summary: summary.filter(|summary| !summary.text.is_empty()),
            encrypted: self.encrypted(encrypted),
        }
    }

    fn compaction(&mut self, content: &str, encrypted: Option<&str>) -> Result<Item, String> {
        if !content.is_empty() {
            return Err(unsayable(
                "the words of a compaction: they are encrypted",
                "use `.compaction_with_encrypted_content(\"\", ..)`",
            ));
        }
        let made = self.new_encrypted();
        Ok(Item::Compaction {
            id: self.envelope.item_id("cmp_"),
            encrypted_content: encrypted.map_or(made, str::to_owned),
        })
    }

    /// Adjacent text is one message.
    fn text(
        &mut self,
        text: &Arc<str>,
        citations: Option<&[Citation]>,
        fragments: Option<&Fragments>,
    ) -> Result<(), String> {
        let citations = citations.unwrap_or_default();
        if text.is_empty() && citations.is_empty() {
            return Ok(());
        }
        if !matches!(self.items.last(), Some(Item::Message(_))) {
            let message = Message {
                id: self.envelope.item_id("msg_"),
                kind: self.kind,
                texts: Vec::new(),
                characters: 0,
                phase: None,
                is_cut: false,
            };
            self.items.push(Item::Message(message));
        }
        let Some(Item::Message(message)) = self.items.last_mut() else {
            return Ok(());
        };
        let start = message.characters;
        let end = start + text.chars().count();
        message.characters = end;
        let annotations = citations.iter();
        let annotations = annotations.map(|citation| Annotation::new(citation, start..end));
        message.texts.push(Text {
            piece: Piece::of_text(text, fragments)?,
            annotations: annotations.collect::<Result<_, _>>()?,
        });
        Ok(())
    }

    /// Made anew for each time that it is sent, but for the last, which a turn may give. An empty one is none.
    fn encrypted(&mut self, given: Option<&str>) -> Option<Encrypted> {
        let (at_start, made) = (self.new_encrypted(), self.new_encrypted());
        let at_end = given.map_or(made, str::to_owned);
        let wanted = self.context.asked.responses.encrypted_reasoning == Wanted::Yes;
        (wanted && !at_end.is_empty()).then_some(Encrypted { at_start, at_end })
    }

    fn new_encrypted(&mut self) -> String {
        let made = self.encrypted.base64("gAAAAABq", 210);
        made.replace('+', "-").replace('/', "_") + "=="
    }

    fn fragments_seed(&self) -> u64 {
        let n = u64::try_from(self.items.len()).unwrap_or(u64::MAX);
        Dice::branch(self.context.seed, purpose::FRAGMENTS).next() ^ n
    }
}

fn raw(block: &Json, events: &[Json], added: Option<&Json>) -> Result<Item, String> {
    if added.is_none() {
        for event in events {
            check_raw_event(&event.to_value())?;
        }
    }
    Ok(Item::Raw {
        block: block.clone(),
        events: events.to_vec(),
        added: added.cloned(),
    })
}

/// A raw event has a name, and no numbers of its own.
fn check_raw_event(event: &Value) -> Result<(), String> {
    let name = event.get("type").and_then(Value::as_str);
    let named = name.is_some_and(|name| !name.contains(['\n', '\r']));
    let numbered = ["output_index", "sequence_number"]
        .iter()
        .any(|name| event.get(name).is_some());
    if named && !numbered {
        return Ok(());
    }
    Err(format!(
        "a raw delta of OpenAI Responses is an event: an object with a `type`, and without `output_index` and \
         `sequence_number`\n  found: `{event}`\n  help: its two numbers are written behind its members"
    ))
}
