//! Roles, text, and what the last message may be.

use serde_json::Value;

use super::{
    Place, Violation,
    asked::{Asked, Block, Role, items, role, word},
};

pub(super) fn messages_not_empty(asked: &Asked<'_>) -> Option<Violation> {
    let empty = asked.body.get("messages")?.as_array()?.is_empty();
    let refused = || Place::Messages.refused("messages: at least one message is required");
    (empty && !asked.continues).then(refused)
}

/// Reported in lobehub/lobehub#1601 and CherryHQ/cherry-studio#39.
pub(super) fn first_message_user(asked: &Asked<'_>) -> Option<Violation> {
    let first = asked.messages().next()?;
    // what stood before a compaction may be left out
    let compacted = || items(first.get("content")).any(|block| word(block, "type") == "compaction");
    if role(first) != Role::Assistant || asked.continues || compacted() {
        return None;
    }
    let text = "messages: first message must use the \"user\" role";
    Some(Place::Message(0, None).refused(text))
}

/// Reported in lobehub/lobehub#1496 (2024-03).
pub(super) fn roles_alternate(asked: &Asked<'_>) -> Option<Violation> {
    let mut pairs = asked.messages().zip(asked.messages().skip(1)).enumerate();
    let (at, word) = pairs.find_map(|(at, (one, next))| match (role(one), role(next)) {
        (Role::User, Role::User) => Some((at, "user")),
        (Role::Assistant, Role::Assistant) => Some((at, "assistant")),
        _ => None,
    })?;
    Some(Place::Message(at + 1, None).refused(format!(
        "messages: roles must alternate between \"user\" and \"assistant\", \
         but found multiple \"{word}\" roles in a row"
    )))
}

/// Reported in anthropics/claude-code#3196 and #6774, danny-avila/LibreChat#3372 and microsoft/autogen#6083,
/// of the user's and of the assistant's messages.
pub(super) fn non_empty_messages(asked: &Asked<'_>) -> Option<Violation> {
    let last = asked.messages().len().checked_sub(1)?;
    let mut messages = asked.messages().enumerate();
    let (at, _) = messages.find(|(at, message)| {
        let empty = match message.get("content") {
            Some(Value::String(text)) => text.is_empty(),
            Some(Value::Array(blocks)) => blocks.is_empty(),
            _ => false,
        };
        let may_be_empty = match role(message) {
            Role::User => false,
            Role::Assistant => *at == last,
            Role::Other => true,
        };
        empty && !may_be_empty
    })?;
    Some(Place::Message(at, None).refused(format!(
        "messages.{at}: all messages must have non-empty content \
         except for the optional final assistant message"
    )))
}

/// Reported in anthropics/claude-code#59812 and mckaywrigley/chatbot-ui#1656.
pub(super) fn non_empty_text(asked: &Asked<'_>) -> Option<Violation> {
    let mut system = items(asked.body.get("system"));
    if system.any(|block| block.get("text").is_some_and(|text| text == "")) {
        return Some(Place::System.refused("system: text content blocks must be non-empty"));
    }
    let mut blocks = asked.blocks.iter();
    let empty = blocks.find(|block| block.at.is_some() && block.text() == Some(""))?;
    Some(
        empty
            .place()
            .refused("messages: text content blocks must be non-empty"),
    )
}

/// A message of blank text only; blank text beside other text is accepted, as LibreChat-AI/agents#124 tried
/// out. Reported in anthropics/claude-code#23369 and nick1udwig/kibitz#78, of the user's and of the assistant's
/// messages.
pub(super) fn non_blank_text(asked: &Asked<'_>) -> Option<Violation> {
    let blank = |block: &Block<'_>| block.role != Role::Other && block.text().is_some_and(is_blank);
    let mut messages = asked
        .blocks
        .chunk_by(|one, next| one.message == next.message);
    let only_blank = messages.find(|blocks| blocks.iter().all(blank))?;
    let text = "messages: text content blocks must contain non-whitespace text";
    Some(only_blank.first()?.place().refused(text))
}

fn is_blank(text: &str) -> bool {
    !text.is_empty() && text.trim().is_empty()
}

/// The text that the answer has to go on from: a last message of the model's, if all it says last is text.
/// With other blocks it may be an answer that the service paused, whose pieces may be messages of their own;
/// and a conversation that is only to be compacted ends as it ended (official SDKs).
fn prefill<'a, 'b>(asked: &'b Asked<'a>) -> Option<&'b Block<'a>> {
    let last = asked.blocks.last()?;
    let mut of_last = asked.turn(last.turn).iter();
    let is_last = last.message + 1 == asked.messages().len();
    let is_prefill = is_last
        && last.role == Role::Assistant
        && !asked.continues
        && !asked.says("compaction")
        && of_last.all(|block| block.kind == "text")
        && last.text().is_some_and(|text| !text.is_empty());
    is_prefill.then_some(last)
}

pub(super) fn prefill_whitespace(asked: &Asked<'_>) -> Option<Violation> {
    let last = prefill(asked)?;
    let text = "messages: final assistant content cannot end with trailing whitespace";
    let trailing = last.text()?.ends_with(char::is_whitespace);
    trailing.then(|| last.place().refused(text))
}

/// Reported in cortexkit/magic-context#511 and smallmain/vscode-unify-chat-provider#249. The token of a
/// refused answer allows for one prefill on every model (official SDKs).
pub(super) fn prefill_support(asked: &Asked<'_>) -> Option<Violation> {
    let text = "This model does not support assistant message prefill. \
                The conversation must end with a user message.";
    let refuses = is_since_4_6(asked.request.model())
        && !asked.says("fallback_credit_token")
        && prefill(asked).is_some();
    refuses.then(|| Place::Whole.refused(text))
}

/// Whether the name is one of a model from 4.6 on: `claude-opus-4-6`, `claude-sonnet-5-20260901`. Older
/// names have the version first (`claude-3-5-haiku-20241022`), and nothing is known of foreign ones.
fn is_since_4_6(model: &str) -> bool {
    let Some(name) = model.strip_prefix("claude-") else {
        return false;
    };
    let mut words = name.split('-');
    let is_family = words.next().is_some_and(|family| {
        !family.is_empty() && family.chars().all(|c| c.is_ascii_alphabetic())
    });
    // a date has eight digits
    let mut number = || {
        let word = words.next().filter(|word| word.len() < 3)?;
        word.parse::<u32>().ok()
    };
    let version = (number(), number());
    is_family && matches!(version, (Some(major), minor) if (major, minor.unwrap_or(0)) >= (4, 6))
}

#[cfg(test)]
mod tests {
    use super::is_since_4_6;

    #[test]
    fn a_model_is_told_by_the_version_in_its_name() {
        for (model, expected) in [
            ("claude-opus-4-6", true),
            ("claude-sonnet-4-6-20260218", true),
            ("claude-opus-4-10", true),
            ("claude-sonnet-5", true),
            ("claude-fable-5-20260901", true),
            ("claude-haiku-4-5-20251001", false),
            ("claude-haiku-4-5", false),
            ("claude-opus-4-20250514", false),
            ("claude-opus-4-0", false),
            ("claude-3-7-sonnet-latest", false),
            ("claude-3-haiku-20240307", false),
            ("claude-latest", false),
            ("claude-", false),
            ("gpt-5", false),
            ("m", false),
            ("", false),
        ] {
            assert_eq!(is_since_4_6(model), expected, "{model}");
        }
    }
}
