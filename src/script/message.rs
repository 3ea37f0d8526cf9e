//! What a turn that is no error holds besides what happens to it: its parts, and the rest.

use super::{
    Extras, FaultVariant, Fragments, LiveLine, ScriptedPart, ServerToolKind, StopReason, Turn,
    Usage, turn::Says,
};

/// The parts and the rest of a turn that is no error.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message {
    pub(crate) parts: Vec<ScriptedPart>,
    pub(crate) stop_reason: Option<StopReason>,
    pub(crate) usage: Option<Usage>,
    pub(crate) model: Option<String>,
    pub(crate) extras: Option<Box<Extras>>,
    /// Where the parts come from, if the test says them while they are read.
    pub(crate) live: Option<LiveLine>,
    pub(crate) extent: Extent,
    pub(crate) call_order: CallOrder,
}

/// Whether these are all parts that there will be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Extent {
    #[default]
    Whole,
    /// A live turn goes on.
    SoFar,
}

/// How the arguments of several tool calls are streamed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CallOrder {
    #[default]
    OneAfterTheOther,
    Interleaved,
}

impl Message {
    pub(crate) fn effective_stop_reason(&self) -> StopReason {
        self.stop_reason.clone().unwrap_or_else(|| {
            if self.parts.iter().any(ScriptedPart::calls_the_client) {
                StopReason::ToolUse
            } else {
                StopReason::EndTurn
            }
        })
    }

    /// The usage said, or an estimate that needs no tokenizer. What was thought is counted in both.
    pub(crate) fn effective_usage(&self) -> Usage {
        let mut usage = self.usage.clone().unwrap_or_else(|| {
            let characters = self.parts.iter().map(ScriptedPart::characters).sum();
            Usage::input(10).output(tokens(characters).max(1))
        });
        if self
            .extras
            .as_ref()
            .is_some_and(|extras| extras.is_recorded)
        {
            return usage;
        }
        let thought = self.parts.iter().filter_map(ScriptedPart::thought);
        if let (None, Some(characters)) = (usage.thinking_tokens, thought.reduce(|a, b| a + b)) {
            usage.thinking_tokens = Some(tokens(characters).min(usage.output_tokens));
        }
        let unsaid = (usage.web_search_requests, usage.web_fetch_requests) == (None, None);
        if unsaid && self.parts.iter().any(ScriptedPart::runs_on_the_server) {
            let count = |kind: fn(&ServerToolKind) -> bool| {
                let tools = self.parts.iter().filter_map(ScriptedPart::server_tool);
                let requests = tools.filter(|tool| kind(&tool.kind)).count();
                Some(u64::try_from(requests).unwrap_or(u64::MAX))
            };
            usage.web_search_requests = count(|kind| matches!(kind, ServerToolKind::WebSearch));
            usage.web_fetch_requests = count(|kind| matches!(kind, ServerToolKind::WebFetch));
        }
        usage
    }
}

/// One token for each four characters.
fn tokens(characters: usize) -> u64 {
    u64::try_from(characters.div_ceil(4)).unwrap_or(u64::MAX)
}

impl Turn {
    /// Whether making the plan runs a function of the user's.
    pub(crate) fn runs_user_code(&self) -> bool {
        let Says::Message(message) = &self.says else {
            return false;
        };
        let mut fragments = message.parts.iter().filter_map(ScriptedPart::fragments);
        fragments.any(Fragments::runs_user_code)
    }

    /// Whether what it says, or what a fault makes of it, is longer than so many bytes.
    pub(crate) fn is_longer_than(&self, bytes: usize) -> bool {
        if self.faults.iter().any(FaultVariant::makes_it_large) {
            return true;
        }
        let Says::Message(message) = &self.says else {
            return false;
        };
        message.parts.iter().map(ScriptedPart::len).sum::<usize>() > bytes
    }
}
