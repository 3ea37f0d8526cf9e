//! A turn as this API says it, and what is read back from it.

use std::sync::Arc;

use serde_json::Value;

use super::{annotation::Annotation, envelope::Envelope};
use crate::{
    api::{
        Context, Ids,
        openai::moderation::beside_an_answer,
        openai_chat::{asked::Moderation, purpose, words},
    },
    json::{self, Spacing},
    script::{
        Arguments, CallOrder, Citation, CustomToolCall, Cuts, Dice, Era, Extent, Extras, Fragments,
        Json, Message, Part, Reply, Says, ScriptedPart, StopReason, ToolCall, ToolKind, Turn,
        Usage,
    },
};

/// A turn as this API says it: all text is one, ids are filled in.
pub(super) struct Said {
    pub(super) envelope: Envelope,
    pub(super) kind: ContentKind,
    /// Pieces of the text, each with its own way to be cut.
    pub(super) pieces: Vec<Piece>,
    pub(super) annotations: Vec<Annotation>,
    pub(super) calls: Vec<Call>,
    pub(super) call_order: CallOrder,
    pub(super) extent: Extent,
    pub(super) finish: String,
    pub(super) usage: Usage,
    /// What moderation found, where it is said.
    pub(super) moderation: Option<Json>,
}

/// What the text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContentKind {
    Text,
    Refusal,
}

#[derive(Clone)]
pub(super) struct Piece {
    pub(super) text: Arc<str>,
    pub(super) cuts: Cuts,
}

#[derive(Clone)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) kind: ToolKind,
    pub(super) name: String,
    /// Or the input of a custom tool.
    pub(super) arguments: Piece,
}

impl Said {
    pub(super) fn new(turn: &Turn, context: &Context) -> Result<Self, String> {
        let message = match &turn.says {
            Says::Message(message) => message,
            Says::Error(_) => return Err("an error turn has no message".to_owned()),
        };
        if context.era != Era::today() {
            return Err("on OpenAI Chat answers are written as today only\n  \
                        help: leave out `.era(..)`"
                .to_owned());
        }
        let extras = message.extras.as_deref().cloned().unwrap_or_default();
        check_extras(&extras)?;
        let stop_reason = message.effective_stop_reason();
        let usage = message.effective_usage();
        let mut said = Self {
            envelope: Envelope::new(message, &extras, context),
            kind: match stop_reason {
                StopReason::Refusal => ContentKind::Refusal,
                StopReason::EndTurn
                | StopReason::MaxTokens
                | StopReason::StopSequence(_)
                | StopReason::ToolUse
                | StopReason::PauseTurn
                | StopReason::ContentFilter
                | StopReason::ContextWindowExceeded
                | StopReason::Compaction
                | StopReason::Other(_) => ContentKind::Text,
            },
            pieces: Vec::new(),
            annotations: Vec::new(),
            calls: Vec::new(),
            call_order: message.call_order,
            extent: message.extent,
            finish: words::finish_reason(&stop_reason)?.to_owned(),
            usage,
            moderation: moderation(extras.moderation, context),
        };
        said.parts(message, context)?;
        // behind the parts: a tool of the provider's counts itself
        words::check_usage(&said.usage)?;
        said.check()?;
        Ok(said)
    }

    fn parts(&mut self, message: &Message, context: &Context) -> Result<(), String> {
        let mut ids = Ids::new(context.seed, purpose::TOOLS);
        for part in &message.parts {
            match part {
                ScriptedPart::Text {
                    text,
                    citations,
                    fragments,
                } => self.text(text, citations.as_deref(), fragments.as_ref())?,
                ScriptedPart::ToolCall {
                    id,
                    name,
                    arguments,
                    caller: None,
                    fragments,
                } => {
                    let text = match arguments {
                        // as today's models spell it: without spaces
                        Arguments::Json(value) => json::to_string(value, Spacing::Compact).into(),
                        Arguments::Raw(text) => text.as_str().into(),
                    };
                    let arguments = self.written(text, fragments.as_ref(), context)?;
                    let made = ids.base62("call_", 24);
                    self.calls.push(Call {
                        id: id.clone().unwrap_or(made),
                        kind: ToolKind::Function,
                        name: name.clone(),
                        arguments,
                    });
                }
                ScriptedPart::CustomToolCall {
                    id,
                    name,
                    input,
                    fragments,
                } => {
                    let input = self.written(Arc::clone(input), fragments.as_ref(), context)?;
                    let made = ids.base62("call_", 24);
                    self.calls.push(Call {
                        id: id.clone().unwrap_or(made),
                        kind: ToolKind::Custom,
                        name: name.clone(),
                        arguments: input,
                    });
                }
                ScriptedPart::ToolCall {
                    caller: Some(_), ..
                } => return Err(unsayable("who called a tool", "leave out `.caller(..)`")),
                ScriptedPart::Thinking { .. } | ScriptedPart::RedactedThinking { .. } => {
                    return Err(unsayable(
                        "what the model thought",
                        "leave the thinking out; `Usage::thinking(..)` says how much of it there was",
                    ));
                }
                ScriptedPart::ServerTool { .. } => {
                    return Err(unsayable(
                        "what a tool of the provider's did",
                        "leave it out; `Citation::web_search_result` says what a text is based on",
                    ));
                }
                ScriptedPart::Compaction { .. } => {
                    return Err(unsayable("a compaction", "leave it out"));
                }
                ScriptedPart::Raw { .. } => {
                    return Err(unsayable(
                        "a raw block: a message has no list of blocks",
                        "give it to the API that has it",
                    ));
                }
            }
        }
        Ok(())
    }

    /// What the next call is called with, which has its own dice.
    fn written(
        &self,
        text: Arc<str>,
        fragments: Option<&Fragments>,
        context: &Context,
    ) -> Result<Piece, String> {
        let n = u64::try_from(self.calls.len()).unwrap_or(u64::MAX);
        let seed = Dice::branch(context.seed, purpose::FRAGMENTS).next() ^ n;
        let cuts = match fragments {
            Some(fragments) => fragments.cutter(&text)?,
            None => Cuts::Dealt(Dice::new(seed)),
        };
        Ok(Piece { text, cuts })
    }

    fn text(
        &mut self,
        text: &Arc<str>,
        citations: Option<&[Citation]>,
        fragments: Option<&Fragments>,
    ) -> Result<(), String> {
        let start = self.characters();
        let end = start + text.chars().count();
        for citation in citations.unwrap_or_default() {
            self.annotations
                .push(Annotation::new(citation, start..end)?);
        }
        if text.is_empty() {
            return Ok(());
        }
        if !self.calls.is_empty() {
            return Err(unsayable(
                "text behind a tool call: the text of a message stands before its calls",
                "put the text before the call",
            ));
        }
        self.pieces.push(Piece {
            text: Arc::clone(text),
            cuts: match fragments {
                Some(fragments) => fragments.cutter(text)?,
                None => Cuts::Words,
            },
        });
        Ok(())
    }

    /// What only the whole turn shows.
    fn check(&self) -> Result<(), String> {
        let refuses = self.kind == ContentKind::Refusal;
        if refuses && self.extent == Extent::SoFar {
            return Err(unsayable(
                "live that the model refuses: the words were sent as text before",
                "script the refusal as a whole turn",
            ));
        }
        if refuses && self.pieces.is_empty() {
            return Err(unsayable(
                "a refusal without words",
                "add its `.text(..)`, or stop with `StopReason::ContentFilter`",
            ));
        }
        if refuses && !(self.calls.is_empty() && self.annotations.is_empty()) {
            return Err(unsayable(
                "a refusal beside tool calls or citations",
                "leave these out",
            ));
        }
        if self.call_order == CallOrder::Interleaved && self.extent == Extent::SoFar {
            return Err(unsayable(
                "tool calls in turns in a live answer",
                "script the calls as a whole turn",
            ));
        }
        Ok(())
    }

    /// The whole text.
    pub(super) fn content(&self) -> String {
        self.pieces.iter().map(|piece| &*piece.text).collect()
    }

    fn characters(&self) -> usize {
        let texts = self.pieces.iter().map(|piece| piece.text.chars().count());
        texts.sum()
    }
}

fn unsayable(what: &str, help: &str) -> String {
    format!("OpenAI Chat cannot say {what}\n  help: {help}")
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
                "an answer of OpenAI Chat has no `{what}`\n  help: leave it out of the turn"
            ));
        }
    }
    Ok(())
}

/// What moderation found, where the request asks for it: what the turn says, or that nothing is flagged.
fn moderation(said: Option<Json>, context: &Context) -> Option<Json> {
    match &context.asked.chat.moderation {
        Moderation::No => None,
        Moderation::IfSaid => said,
        Moderation::By(model) => said.or_else(|| {
            let dice = Dice::branch(context.seed, purpose::MODERATION);
            let found = beside_an_answer(model, context.asked.chat.choices, dice);
            Some(Json::spelled(&found))
        }),
    }
}

impl Piece {
    /// The fragments, in order.
    pub(super) fn fragments(mut self) -> impl Iterator<Item = Fragment> + Send {
        let mut at = 0;
        std::iter::from_fn(move || {
            let rest = self.text.get(at..).unwrap_or_default();
            if rest.is_empty() {
                return None;
            }
            let len = self.cuts.next_len(rest).max(1);
            let fragment = Fragment {
                text: rest.get(..len).unwrap_or(rest).to_owned(),
                last: len >= rest.len(),
            };
            at += len;
            Some(fragment)
        })
    }
}

/// A fragment, and whether it is the last of its piece.
pub(super) struct Fragment {
    pub(super) text: String,
    pub(super) last: bool,
}

/// What a client that loses nothing reads from `turn`.
pub(crate) fn normalized(turn: &Turn, context: &Context) -> Result<Reply, String> {
    let said = Said::new(turn, context)?;
    let content = said.content();
    let mut parts = Vec::new();
    if !said.annotations.is_empty() {
        let citations = said.annotations.iter();
        parts.push(Part::CitedText {
            citations: citations
                .map(|annotation| annotation.to_citation(&content))
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
    let reason = words::stop_reason(&said.finish, refuses);
    let mut usage = said.usage;
    // it is always said
    usage.thinking_tokens.get_or_insert(0);
    (usage.web_search_requests, usage.web_fetch_requests) = (None, None);
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
                    self.name,
                    text.escape_debug()
                )
            })?,
        };
        let call = ToolCall::new(self.id, self.name, arguments);
        Ok(Part::ToolCall(call))
    }
}
