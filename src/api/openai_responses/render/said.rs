//! A turn as this API says it.

use serde_json::Value;

use super::{
    envelope::{Carrier, Envelope, Family, Status},
    item::{ContentKind, Item, Message, Stage},
    items::Items,
};
use crate::{
    api::{
        Context, openai,
        openai_responses::{NAME, words},
    },
    script::{CallOrder, Era, Extent, StopReason, Turn, Usage},
};

/// A turn as this API says it: adjacent text is one message, ids are filled in.
pub(super) struct Said {
    pub(super) envelope: Envelope,
    pub(super) items: Vec<Item>,
    /// Why the response is not complete.
    pub(super) incomplete: Option<&'static str>,
    pub(super) usage: Usage,
    pub(super) stop_reason: StopReason,
}

impl Said {
    pub(super) fn new(turn: &Turn, context: &Context) -> Result<Self, String> {
        let message = turn.said()?;
        if context.era != Era::today() {
            return Err(openai::no_era(NAME));
        }
        let extras = message.extras.as_deref().cloned().unwrap_or_default();
        openai::check_extras(&extras, NAME, &["moderation", "service_tier"])?;
        if message.call_order == CallOrder::Interleaved {
            return Err(unsayable(
                "tool calls in turns: its items come one after the other",
                "leave out `.interleaved_tool_calls()`",
            ));
        }
        let usage = message.effective_usage();
        let envelope = Envelope::new(message, &extras, &usage, context);
        let kind = match message.stop_reason {
            Some(StopReason::Refusal) => ContentKind::Refusal,
            Some(_) | None => ContentKind::Text,
        };
        let mut items = Items::new(envelope, kind, context);
        for part in &message.parts {
            items.part(part)?;
        }
        // behind the parts: an estimate counts what they do
        words::check_usage(&usage)?;
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

pub(super) fn unsayable(what: &str, help: &str) -> String {
    openai::unsayable(NAME, what, help)
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
            Self::Message(_) | Self::Reasoning { .. } | Self::Tool(_) | Self::Compaction { .. } => {
                false
            }
        }
    }

    const fn as_message(&self) -> Option<&Message> {
        match self {
            Self::Message(message) => Some(message),
            Self::FunctionCall { .. }
            | Self::CustomCall { .. }
            | Self::Tool(_)
            | Self::Raw { .. }
            | Self::Reasoning { .. }
            | Self::Compaction { .. } => None,
        }
    }
}
