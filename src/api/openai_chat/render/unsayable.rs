//! What an answer cannot carry, and the way out.

use crate::{
    api::{
        openai,
        openai_chat::dialect::{Row, Slot, Tier},
    },
    script::{Extras, ScriptedPart},
};

/// What to do with thinking that the dialect does not carry.
pub(super) const NO_THINKING: &str = "leave the thinking out; `Usage::thinking(..)` says how much of it there was; or give the turn a \
     dialect that carries it (`Dialect::DeepSeek`, `Dialect::OpenRouter`, ..)";

/// That this cannot be said.
pub(super) fn unsayable(row: &Row, what: &str, help: &str) -> String {
    openai::unsayable(row.name, what, help)
}

/// Why this part cannot be said.
pub(super) fn no_place_for(part: &ScriptedPart, row: &Row) -> String {
    let (what, help) = match part {
        ScriptedPart::ServerTool { .. } => (
            "what a tool of the provider's did",
            "leave it out; `Citation::web_search_result` says what a text is based on",
        ),
        ScriptedPart::Compaction { .. } => ("a compaction", "leave it out"),
        ScriptedPart::Raw { .. } => (
            "a raw block: a message has no list of blocks",
            "give it to the API that has it",
        ),
        ScriptedPart::RedactedThinking { .. } if row.stream.thinking.is_some() => {
            ("thinking that is encrypted", "leave it out")
        }
        ScriptedPart::Thinking { .. } => ("what the model thought", NO_THINKING),
        ScriptedPart::RedactedThinking { .. } => (
            "what the model thought",
            "leave the thinking out; `Usage::thinking(..)` says how much of it there was",
        ),
        ScriptedPart::Text { .. }
        | ScriptedPart::ToolCall { .. }
        | ScriptedPart::CustomToolCall { .. } => ("who called a tool", "leave out `.caller(..)`"),
    };
    unsayable(row, what, help)
}

/// What stands around the answer of other APIs only.
pub(super) fn check_extras(extras: &Extras, row: &Row) -> Result<(), String> {
    let mut carried = Vec::new();
    carried.extend(
        row.stream
            .chunk
            .has(Slot::Moderation)
            .then_some("moderation"),
    );
    carried.extend((row.tier != Tier::Never).then_some("service_tier"));
    openai::check_extras(extras, row.name, &carried)
}
