//! A turn as this API says it.

use std::sync::Arc;

use super::{
    annotation::Annotation,
    envelope::Envelope,
    thought::{Scripted, Thought},
    unsayable::{check_extras, no_place_for, unsayable},
    usage,
};
use crate::{
    api::{
        Context, Ids,
        openai::{Piece, moderation::beside_an_answer, no_era},
        openai_chat::{
            asked::Moderation,
            dialect::{self, CallChunks, Calls, Row, Slot, row},
            purpose, words,
        },
    },
    script::{
        CallOrder, Citation, Dice, Era, Extent, Fragments, Json, Message, ScriptedPart, StopReason,
        ToolKind, Turn, Usage,
    },
};

/// A turn as this API says it: all text is one, ids are filled in.
pub(super) struct Said {
    pub(super) row: &'static Row,
    pub(super) envelope: Envelope,
    pub(super) kind: ContentKind,
    pub(super) thought: Option<Thought>,
    /// Pieces of the text, each with its own way to be cut.
    pub(super) pieces: Vec<Piece>,
    /// How many the text has.
    characters: usize,
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
pub(super) struct Call {
    pub(super) id: String,
    pub(super) kind: ToolKind,
    pub(super) name: String,
    /// Or the input of a custom tool.
    pub(super) arguments: Piece,
}

impl Said {
    pub(super) fn new(turn: &Turn, context: &Context) -> Result<Self, String> {
        let message = turn.said()?;
        let row = row(context.dialect);
        if context.era != Era::today() {
            return Err(no_era(row.name));
        }
        let extras = message.extras.as_deref().cloned().unwrap_or_default();
        check_extras(&extras, row)?;
        let stop_reason = message.effective_stop_reason();
        let usage = message.effective_usage();
        let mut said = Self {
            row,
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
            thought: None,
            pieces: Vec::new(),
            characters: 0,
            annotations: Vec::new(),
            calls: Vec::new(),
            call_order: message.call_order,
            extent: message.extent,
            finish: words::finish_reason(&stop_reason, row.name)?.to_owned(),
            usage,
            moderation: moderation(extras.moderation, context, row),
        };
        said.parts(message, context)?;
        // behind the parts: a tool of the provider's counts itself
        words::check_usage(&said.usage, row.name)?;
        usage::check(&said.usage, message.usage.as_ref(), row)?;
        said.check()?;
        Ok(said)
    }

    fn parts(&mut self, message: &Message, context: &Context) -> Result<(), String> {
        let row = self.row;
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
                    let (id, kind) = (id.as_ref(), ToolKind::Function);
                    let fragments = self.cut(fragments.as_ref())?;
                    let arguments = Piece::of_arguments(arguments, fragments, self.seed(context))?;
                    self.call(id, kind, name, arguments, &mut ids)?;
                }
                ScriptedPart::CustomToolCall {
                    id,
                    name,
                    input,
                    fragments,
                } => {
                    let (id, kind) = (id.as_ref(), ToolKind::Custom);
                    let fragments = self.cut(fragments.as_ref())?;
                    let input = Piece::dealt(input, fragments, self.seed(context))?;
                    self.call(id, kind, name, input, &mut ids)?;
                }
                ScriptedPart::Thinking {
                    text,
                    signature,
                    ends_empty,
                    fragments,
                } => self.thinking(
                    &Scripted {
                        text,
                        signature: signature.as_deref(),
                        ends_empty: *ends_empty,
                        fragments: fragments.as_ref(),
                    },
                    context,
                )?,
                ScriptedPart::ToolCall {
                    caller: Some(_), ..
                }
                | ScriptedPart::RedactedThinking { .. }
                | ScriptedPart::ServerTool { .. }
                | ScriptedPart::Compaction { .. }
                | ScriptedPart::Raw { .. } => return Err(no_place_for(part, row)),
            }
        }
        Ok(())
    }

    fn thinking(&mut self, part: &Scripted<'_>, context: &Context) -> Result<(), String> {
        let row = self.row;
        let thought = Thought::with(self.thought.take(), part, row, context)?;
        if !(self.pieces.is_empty() && self.calls.is_empty()) {
            return Err(unsayable(
                row,
                "thinking behind text or a tool call: that of a message stands before these",
                "put the thinking first",
            ));
        }
        self.thought = Some(thought);
        Ok(())
    }

    fn call(
        &mut self,
        id: Option<&String>,
        kind: ToolKind,
        name: &str,
        arguments: Piece,
        ids: &mut Ids,
    ) -> Result<(), String> {
        let row = self.row;
        let calls = calls_of(row)?;
        if kind == ToolKind::Custom && calls.custom.is_none() {
            return Err(unsayable(
                row,
                "a call of a custom tool",
                "leave it out, or choose another dialect",
            ));
        }
        let made = dialect::made(row.call_id, ids, self.calls.len());
        self.calls.push(Call {
            id: id.cloned().unwrap_or(made),
            kind,
            name: name.to_owned(),
            arguments,
        });
        Ok(())
    }

    /// How a call is to be cut, where calls are.
    fn cut<'a>(&self, fragments: Option<&'a Fragments>) -> Result<Option<&'a Fragments>, String> {
        if fragments.is_some() && self.sends_calls_whole() {
            return Err(unsayable(
                self.row,
                "a tool call in fragments: a call comes whole",
                "leave out `.fragments(..)`, or choose another dialect",
            ));
        }
        Ok(fragments)
    }

    /// The dice of the next call's fragments: each call has its own.
    fn seed(&self, context: &Context) -> u64 {
        let n = u64::try_from(self.calls.len()).unwrap_or(u64::MAX);
        Dice::branch(context.seed, purpose::FRAGMENTS).next() ^ n
    }

    fn sends_calls_whole(&self) -> bool {
        let chunks = self.row.calls.as_ref().map(|calls| calls.chunks);
        matches!(chunks, Some(CallChunks::Each | CallChunks::All))
    }

    fn text(
        &mut self,
        text: &Arc<str>,
        citations: Option<&[Citation]>,
        fragments: Option<&Fragments>,
    ) -> Result<(), String> {
        let row = self.row;
        if citations.is_some_and(|citations| !citations.is_empty())
            && row.stream.annotations.is_none()
        {
            return Err(unsayable(
                row,
                "what a text is based on",
                "leave the citations out, or choose another dialect",
            ));
        }
        let start = self.characters;
        let end = start + text.chars().count();
        self.characters = end;
        for citation in citations.unwrap_or_default() {
            self.annotations
                .push(Annotation::new(citation, start..end)?);
        }
        if text.is_empty() {
            return Ok(());
        }
        if !self.calls.is_empty() {
            return Err(unsayable(
                row,
                "text behind a tool call: the text of a message stands before its calls",
                "put the text before the call",
            ));
        }
        self.pieces.push(Piece::of_text(text, fragments)?);
        Ok(())
    }

    /// What only the whole turn shows.
    fn check(&self) -> Result<(), String> {
        let row = self.row;
        let refuses = self.kind == ContentKind::Refusal;
        if refuses && row.stream.refusal.is_none() {
            return Err(unsayable(
                row,
                "that the model refuses: a message has no member for it",
                "say it as text, or stop with `StopReason::ContentFilter`",
            ));
        }
        if self.call_order == CallOrder::Interleaved {
            calls_of(row)?;
            if self.sends_calls_whole() {
                return Err(unsayable(
                    row,
                    "tool calls in turns: a call comes whole",
                    "leave out `.interleaved_tool_calls()`, or choose another dialect",
                ));
            }
        }
        if refuses && self.extent == Extent::SoFar {
            return Err(unsayable(
                row,
                "live that the model refuses: the words were sent as text before",
                "script the refusal as a whole turn",
            ));
        }
        if refuses && self.pieces.is_empty() {
            return Err(unsayable(
                row,
                "a refusal without words",
                "add its `.text(..)`, or stop with `StopReason::ContentFilter`",
            ));
        }
        if refuses && !(self.calls.is_empty() && self.annotations.is_empty()) {
            return Err(unsayable(
                row,
                "a refusal beside tool calls or citations",
                "leave these out",
            ));
        }
        if self.call_order == CallOrder::Interleaved && self.extent == Extent::SoFar {
            return Err(unsayable(
                row,
                "tool calls in turns in a live answer",
                "script the calls as a whole turn",
            ));
        }
        Ok(())
    }

    /// What the model behind says of the reason why it stops.
    pub(super) fn native(&self) -> &str {
        let [stop, tool_calls, length] = self.row.native;
        match self.finish.as_str() {
            "stop" => stop,
            "tool_calls" => tool_calls,
            "length" => length,
            word => word,
        }
    }

    /// The whole text.
    pub(super) fn content(&self) -> String {
        self.pieces.iter().map(|piece| &*piece.text).collect()
    }
}

/// How the row says tool calls.
fn calls_of(row: &Row) -> Result<&Calls, String> {
    let calls = row.calls.as_ref();
    calls.ok_or_else(|| {
        unsayable(
            row,
            "a tool call",
            "leave it out, or choose another dialect",
        )
    })
}

/// What moderation found, where the request asks for it: what the turn says, or that nothing is flagged.
fn moderation(said: Option<Json>, context: &Context, row: &Row) -> Option<Json> {
    if !row.stream.chunk.has(Slot::Moderation) {
        return None;
    }
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
