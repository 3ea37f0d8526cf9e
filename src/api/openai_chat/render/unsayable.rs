//! What an answer cannot carry, and the way out.

use crate::{
    api::openai_chat::dialect::{Row, Slot, Tier},
    script::{Extras, ScriptedPart},
};

/// That this cannot be said.
pub(super) fn unsayable(row: &Row, what: &str, help: &str) -> String {
    format!("{} cannot say {what}\n  help: {help}", row.name)
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
        ScriptedPart::Thinking { .. } | ScriptedPart::RedactedThinking { .. } => (
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
    let no_tier = row.tier == Tier::Never;
    for (said, what) in [
        (extras.usage_at_start.is_some(), "usage_at_start"),
        (extras.stop_details.is_some(), "stop_details"),
        (extras.container.is_some(), "container"),
        (extras.context_management.is_some(), "context_management"),
        (extras.inference_geo.is_some(), "inference_geo"),
        (
            extras.moderation.is_some() && !row.stream.chunk.has(Slot::Moderation),
            "moderation",
        ),
        (no_tier && extras.service_tier.is_some(), "service_tier"),
    ] {
        if said {
            return Err(format!(
                "an answer of {} has no `{what}`\n  help: leave it out of the turn",
                row.name
            ));
        }
    }
    Ok(())
}
