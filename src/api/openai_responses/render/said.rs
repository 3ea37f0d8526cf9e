//! A turn as this API says it, and what is read back from it.

use std::sync::Arc;

use serde_json::Value;

use super::{
    annotation::Annotation,
    envelope::{Carrier, Envelope, Family, Status},
    events::Events,
    item::{ContentKind, Encrypted, Item, Message, Stage, Text},
};
use crate::{
    api::{
        Api, Context, Ids, accumulate,
        openai::Piece,
        openai_responses::{asked::Wanted, purpose, words},
    },
    json,
    script::{
        CallOrder, Citation, CustomToolCall, Dice, EndsEmpty, Era, Extent, Extras, Fragments, Json,
        Part, Reply, Says, ScriptedPart, StopReason, ToolCall, Turn, Usage,
    },
    sse,
};

/// A turn as this API says it: adjacent text is one message, ids are filled in.
pub(super) struct Said {
    pub(super) envelope: Envelope,
    pub(super) items: Vec<Item>,
    /// Why the response is not complete.
    pub(super) incomplete: Option<&'static str>,
    pub(super) usage: Usage,
    stop_reason: StopReason,
}

impl Said {
    pub(super) fn new(turn: &Turn, context: &Context) -> Result<Self, String> {
        let message = match &turn.says {
            Says::Message(message) => message,
            Says::Error(_) => return Err("an error turn has no message".to_owned()),
        };
        if context.era != Era::today() {
            return Err("on OpenAI Responses answers are written as today only\n  \
                        help: leave out `.era(..)`"
                .to_owned());
        }
        let extras = message.extras.as_deref().cloned().unwrap_or_default();
        check_extras(&extras)?;
        if message.call_order == CallOrder::Interleaved {
            return Err(unsayable(
                "tool calls in turns: its items come one after the other",
                "leave out `.interleaved_tool_calls()`",
            ));
        }
        let usage = message.effective_usage();
        words::check_usage(&usage)?;
        let mut items = Items {
            envelope: Envelope::new(message, &extras, &usage, context),
            context,
            kind: match message.stop_reason {
                Some(StopReason::Refusal) => ContentKind::Refusal,
                Some(_) | None => ContentKind::Text,
            },
            calls: Ids::new(context.seed, purpose::CALLS),
            encrypted: Ids::new(context.seed, purpose::ENCRYPTED),
            items: Vec::new(),
        };
        for part in &message.parts {
            items.part(part)?;
        }
        let (envelope, items) = (items.envelope, items.items);
        let calls = items.iter().any(Item::calls_the_client);
        let stop_reason = words::effective(message.stop_reason.as_ref(), calls);
        let mut said = Self {
            envelope,
            items,
            incomplete: words::incomplete(&stop_reason, calls)?,
            usage,
            stop_reason,
        };
        said.check(message.extent)?;
        said.settle_messages(message.extent);
        Ok(said)
    }

    /// What only the whole turn shows.
    fn check(&self, extent: Extent) -> Result<(), String> {
        if self.stop_reason != StopReason::Refusal {
            return Ok(());
        }
        if extent == Extent::SoFar {
            return Err(unsayable(
                "live that the model refuses: the words were sent as text before",
                "script the refusal as a whole turn",
            ));
        }
        let messages = self.items.iter().filter_map(Item::as_message);
        if messages.clone().count() == 0 {
            return Err(unsayable(
                "a refusal without words",
                "add its `.text(..)`, or stop with `StopReason::ContentFilter`",
            ));
        }
        let mut texts = messages.flat_map(|message| &message.texts);
        let cites = texts.any(|text| !text.annotations.is_empty());
        if cites || self.items.iter().any(Item::calls_the_client) {
            return Err(unsayable(
                "a refusal beside tool calls or citations",
                "leave these out",
            ));
        }
        Ok(())
    }

    /// What the messages say of the answer that they are in.
    fn settle_messages(&mut self, extent: Extent) {
        let phases = extent == Extent::Whole && Family::of(&self.envelope.model).has_phases;
        let is_cut = self.incomplete.is_some();
        let mut is_last = true;
        let mut phase = "final_answer";
        for item in self.items.iter_mut().rev() {
            if let Item::Message(message) = item {
                message.is_cut = is_cut && is_last;
                message.phase = phases.then_some(phase);
            } else {
                phase = "commentary";
            }
            is_last = false;
        }
    }

    /// The response object with so many of its items.
    pub(super) fn write(
        &self,
        out: &mut Vec<u8>,
        status: &Status<'_>,
        items: usize,
        carrier: Carrier,
    ) {
        let mut output = Vec::with_capacity(1024);
        for (n, item) in self.items.iter().take(items).enumerate() {
            if n > 0 {
                output.push(b',');
            }
            item.write(&mut output, Stage::Done);
        }
        self.envelope.write(out, status, &output, carrier);
    }
}

/// Makes the items of a turn.
struct Items<'a> {
    envelope: Envelope,
    context: &'a Context,
    kind: ContentKind,
    calls: Ids,
    encrypted: Ids,
    items: Vec<Item>,
}

impl Items<'_> {
    fn part(&mut self, part: &ScriptedPart) -> Result<(), String> {
        let item = match part {
            ScriptedPart::Text {
                text,
                citations,
                fragments,
            } => return self.text(text, citations.as_deref(), fragments.as_ref()),
            ScriptedPart::Thinking {
                text,
                signature,
                ends_empty,
                fragments,
            } => {
                if *ends_empty == Some(EndsEmpty::Yes) {
                    return Err(unsayable(
                        "an empty delta at the end of thinking",
                        "leave out `.empty_last_delta()`",
                    ));
                }
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
                let made = self.calls.base62("call_", 24);
                let seed = self.fragments_seed();
                Item::FunctionCall {
                    id: self.envelope.new_id("fc_"),
                    call_id: id.clone().unwrap_or(made),
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
                let made = self.calls.base62("call_", 24);
                let seed = self.fragments_seed();
                Item::CustomCall {
                    id: self.envelope.new_id("ctc_"),
                    call_id: id.clone().unwrap_or(made),
                    name: name.clone(),
                    input: Piece::dealt(input, fragments.as_ref(), seed)?,
                }
            }
            ScriptedPart::ServerTool { .. } => {
                return Err(unsayable(
                    "what a tool of the provider's did",
                    "give it as a raw item, with `.raw_block(..)`",
                ));
            }
            ScriptedPart::Compaction {
                content,
                encrypted_content,
            } => self.compaction(content, encrypted_content.as_deref())?,
            ScriptedPart::Raw { start, deltas } => {
                for delta in deltas {
                    check_raw_event(&delta.to_value())?;
                }
                Item::Raw {
                    block: start.clone(),
                    events: deltas.clone(),
                }
            }
        };
        self.items.push(item);
        Ok(())
    }

    fn reasoning(&mut self, summary: Option<Piece>, encrypted: Option<&str>) -> Item {
        Item::Reasoning {
            id: self.envelope.new_id("rs_"),
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
            id: self.envelope.new_id("cmp_"),
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
                id: self.envelope.new_id("msg_"),
                kind: self.kind,
                texts: Vec::new(),
                phase: None,
                is_cut: false,
            };
            self.items.push(Item::Message(message));
        }
        let Some(Item::Message(message)) = self.items.last_mut() else {
            return Ok(());
        };
        let before = message
            .texts
            .iter()
            .map(|text| text.piece.text.chars().count());
        let start: usize = before.sum();
        let end = start + text.chars().count();
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

pub(super) fn unsayable(what: &str, help: &str) -> String {
    format!("OpenAI Responses cannot say {what}\n  help: {help}")
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

/// What stands around the answer of other APIs only.
fn check_extras(extras: &Extras) -> Result<(), String> {
    for (said, what) in [
        (extras.usage_at_start.is_some(), "usage_at_start"),
        (extras.stop_details.is_some(), "stop_details"),
        (extras.container.is_some(), "container"),
        (extras.context_management.is_some(), "context_management"),
        (extras.inference_geo.is_some(), "inference_geo"),
    ] {
        if said {
            return Err(format!(
                "an answer of OpenAI Responses has no `{what}`\n  help: leave it out of the turn"
            ));
        }
    }
    Ok(())
}

impl Item {
    /// Whether the client has to answer it with a result.
    fn calls_the_client(&self) -> bool {
        match self {
            Self::FunctionCall { .. } | Self::CustomCall { .. } => true,
            Self::Raw { block, .. } => {
                let block = block.to_value();
                let kind = block.get("type").and_then(Value::as_str);
                matches!(kind, Some("function_call" | "custom_tool_call"))
            }
            Self::Message(_) | Self::Reasoning { .. } | Self::Compaction { .. } => false,
        }
    }

    const fn as_message(&self) -> Option<&Message> {
        match self {
            Self::Message(message) => Some(message),
            Self::FunctionCall { .. }
            | Self::CustomCall { .. }
            | Self::Raw { .. }
            | Self::Reasoning { .. }
            | Self::Compaction { .. } => None,
        }
    }

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
            Self::Raw { block, events } => return raw_parts(block, events),
        };
        Ok(vec![part])
    }
}

impl Message {
    fn into_part(self) -> Part {
        let text = self.text();
        let annotations = self.texts.iter().flat_map(|text| &text.annotations);
        let citations: Vec<Citation> = annotations
            .map(|annotation| annotation.to_citation(&text))
            .collect();
        if citations.is_empty() {
            Part::Text(text)
        } else {
            Part::CitedText { text, citations }
        }
    }
}

/// What a strict client reads of a raw item: it depends on what kind of item that is.
fn raw_parts(block: Json, events: Vec<Json>) -> Result<Vec<Part>, String> {
    let mut turn = Turn::new().raw_block(block);
    for event in events {
        turn = turn.raw_delta(event);
    }
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

fn check_call(id: &str, name: &str) -> Result<(), String> {
    if id.is_empty() || name.is_empty() {
        return Err("a tool call has no id, or no name\n  \
                    help: such a call can be played, but no strict client reads it"
            .to_owned());
    }
    Ok(())
}

fn to_call(id: String, name: String, text: &str) -> Result<ToolCall, String> {
    check_call(&id, &name)?;
    let arguments = match text {
        "" | "null" => Value::Object(serde_json::Map::new()),
        text => json::parse(text.as_bytes()).map_err(|error| {
            format!(
                "the arguments of `{name}` are not JSON: {error}\n  found: `{}`\n  \
                 help: such a call can be played, but no strict client reads it",
                text.escape_debug()
            )
        })?,
    };
    Ok(ToolCall::new(id, name, arguments))
}

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
