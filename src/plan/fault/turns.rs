//! Changes to what the model says: the answer stays well formed.

use std::sync::Arc;

use super::call_turns;
use crate::script::{
    Fault, FaultVariant, Fragments, Json, Message, Says, ScriptedPart, StopReason, Turn,
};

/// Does one damage; leaves the turn as it is if there is nothing to damage. A fault of a later stage that adds to what
/// a client reads says that here.
pub(super) fn reword(turn: &mut Turn, fault: &FaultVariant) {
    let Says::Message(message) = &mut turn.says else {
        return;
    };
    match (fault.fault(), fault.name()) {
        (Fault::UnknownStopReason, which) => {
            message.stop_reason = match which {
                "made-up" => Some(StopReason::Other("x_new".to_owned())),
                "eos" => Some(StopReason::Other("eos".to_owned())),
                "pause-turn" => Some(StopReason::PauseTurn),
                "refusal" => Some(StopReason::Refusal),
                _ => return,
            };
        }
        (Fault::EmptyCompletion, _) => {
            message.parts.clear();
            message.stop_reason = Some(StopReason::EndTurn);
        }
        (Fault::UnknownContentBlock, which @ ("block" | "item")) => begin_unknown(message, which),
        (Fault::ThinkingSignatureMissing, which @ ("no-signature" | "signature-only")) => {
            think_otherwise(message, which);
        }
        (Fault::ResponseIncomplete, which) => {
            message.stop_reason = Some(match which {
                "content-filter" => StopReason::ContentFilter,
                "refusal" => StopReason::Refusal,
                _ => StopReason::MaxTokens,
            });
        }
        (Fault::ToolArgsSplit, _) => call_turns::split(message, fault),
        (Fault::ToolIdDuplicated, _) => call_turns::share_id(message),
        (Fault::ToolArgsEmpty, _) => call_turns::empty(message),
        (Fault::ToolArgsInvalidJson, _) => call_turns::break_arguments(message, fault),
        (Fault::ToolArgsTruncated, _) => call_turns::truncate(message, fault),
        (Fault::LengthCutToolCall, _) => call_turns::reach_limit(message, fault),
        (Fault::ResponsesIdMapping, "reasoning-between") => call_turns::think_between(message),
        (Fault::BomLeading, "in-text") => begin_text(message, "\u{feff}"),
        (Fault::UnicodeSeparatorsInData, "line-separator") => begin_text(message, "\u{2028}"),
        (Fault::UnicodeSeparatorsInData, "paragraph-separator") => begin_text(message, "\u{2029}"),
        (Fault::UnicodeSeparatorsInData, "next-line") => begin_text(message, "\u{85}"),
        (Fault::UnicodeSeparatorsInData, _) => begin_text(message, "\u{2028}\u{2029}\u{85}"),
        // what a client reads that replaces them
        (Fault::InvalidUtf8, "lone-continuation") => begin_text(message, "\u{fffd}"),
        (Fault::InvalidUtf8, "truncated-sequence") => begin_text(message, "\u{fffd}?"),
        (Fault::ManyTinyEvents, _) => crumble_text(message),
        _ => {}
    }
}

/// The first text, and how it is cut.
fn first_text(message: &mut Message) -> Option<(&mut Arc<str>, &mut Option<Fragments>)> {
    message.parts.iter_mut().find_map(|part| match part {
        ScriptedPart::Text {
            text, fragments, ..
        } => Some((text, fragments)),
        ScriptedPart::Thinking { .. }
        | ScriptedPart::RedactedThinking { .. }
        | ScriptedPart::ToolCall { .. }
        | ScriptedPart::CustomToolCall { .. }
        | ScriptedPart::ServerTool { .. }
        | ScriptedPart::Compaction { .. }
        | ScriptedPart::Raw { .. } => None,
    })
}

/// A block, or an item, of a type that no documentation names.
fn begin_unknown(message: &mut Message, which: &str) {
    let (start, delta) = match which {
        "item" => (
            r#"{"type":"x_new","id":"x_1","x_new":"?"}"#,
            r#"{"type":"response.x_new.delta","item_id":"x_1","delta":"?"}"#,
        ),
        _ => (
            r#"{"type":"x_new","x_new":""}"#,
            r#"{"type":"x_new_delta","x_new":"?"}"#,
        ),
    };
    let raw = ScriptedPart::Raw {
        start: Json::spelled(start),
        deltas: vec![Json::spelled(delta)],
        added: None,
    };
    message.parts.insert(0, raw);
}

/// Thinking without a signature, or nothing but one.
fn think_otherwise(message: &mut Message, which: &str) {
    for part in &mut message.parts {
        if let ScriptedPart::Thinking {
            text,
            signature,
            fragments,
            ..
        } = part
        {
            if which == "no-signature" {
                *signature = Some(String::new());
            } else {
                *text = "".into();
                *fragments = None;
            }
        }
    }
}

fn begin_text(message: &mut Message, with: &str) {
    if let Some((text, fragments)) = first_text(message) {
        *text = format!("{with}{text}").into();
        *fragments = fragments.take().map(|way| way.begun(with));
    }
}

/// Makes the first text longer, and cuts it into characters.
fn crumble_text(message: &mut Message) {
    const CHARACTERS: usize = 20_000;
    if let Some((text, fragments)) = first_text(message) {
        let longer: String = text.chars().cycle().take(CHARACTERS).collect();
        *text = longer.into();
        *fragments = Some(Fragments::characters());
    }
}
