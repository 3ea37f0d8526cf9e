//! Tool calls and their results in the conversation: each call has one result, in the turn that follows.
//!
//! Messages of one role in a row are one turn, as the service merges them. A conversation that the service
//! holds itself (`thread` of type `continue`) and what stands before a compaction are not looked at.

use std::collections::BTreeSet;

use super::{
    Place, Violation,
    asked::{Asked, Block, Role},
};

/// The calls of the client's tools, if the request shows the whole conversation.
fn calls<'b, 'a>(asked: &'b Asked<'a>) -> impl Iterator<Item = &'b Block<'a>> {
    let (from, whole) = (asked.read_from(), !asked.continues);
    asked.blocks.iter().filter(move |block| {
        whole && block.kind == "tool_use" && block.role == Role::Assistant && block.message >= from
    })
}

fn results<'b, 'a>(asked: &'b Asked<'a>) -> impl Iterator<Item = &'b Block<'a>> {
    let (from, whole) = (asked.read_from(), !asked.continues);
    asked.blocks.iter().filter(move |block| {
        whole && block.kind == "tool_result" && block.role == Role::User && block.message >= from
    })
}

/// Reported in trycua/cua#524.
pub(super) fn unique_ids(asked: &Asked<'_>) -> Option<Violation> {
    let mut seen = BTreeSet::new();
    let twice = calls(asked).find(|call| !seen.insert(call.word("id")))?;
    let text = format!("{}: `tool_use` ids must be unique", twice.path());
    Some(twice.place().refused(text))
}

/// Reported in anthropics/claude-code#12526, with several ids in anthropics/claude-code#6242.
pub(super) fn answered(asked: &Asked<'_>) -> Option<Violation> {
    let mut open = calls(asked).filter(|call| {
        let mut next = asked.turn(call.turn + 1).iter();
        !next.any(|block| {
            block.kind == "tool_result" && block.word("tool_use_id") == call.word("id")
        })
    });
    let first = open.next()?;
    let rest = open.take_while(|call| call.message == first.message);
    let ids: Vec<&str> = std::iter::once(first)
        .chain(rest)
        .map(|call| call.word("id"))
        .collect();
    let (message, ids) = (first.message, ids.join(", "));
    Some(Place::Message(message, None).refused(format!(
        "messages.{message}: `tool_use` ids were found without `tool_result` blocks immediately after: \
         {ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next message."
    )))
}

/// Reported in anthropics/claude-code#10693.
pub(super) fn matched(asked: &Asked<'_>) -> Option<Violation> {
    let stray = results(asked).find(|result| {
        let id = result.word("tool_use_id");
        let is_call = |block: &Block<'_>| block.kind == "tool_use" && block.word("id") == id;
        // a tool that the service runs may be answered for later
        let is_service_call =
            |block: &Block<'_>| block.kind.ends_with("_tool_use") && block.word("id") == id;
        let before = result.turn.checked_sub(1);
        let called = before.is_some_and(|turn| asked.turn(turn).iter().any(is_call));
        !called && !asked.blocks.iter().any(is_service_call)
    })?;
    Some(stray.place().refused(format!(
        "{}: unexpected `tool_use_id` found in `tool_result` blocks: {}. Each `tool_result` block must \
         have a corresponding `tool_use` block in the previous message.",
        stray.path(),
        stray.word("tool_use_id")
    )))
}

pub(super) fn one_result(asked: &Asked<'_>) -> Option<Violation> {
    let mut seen = BTreeSet::new();
    let twice =
        results(asked).find(|result| !seen.insert((result.turn, result.word("tool_use_id"))))?;
    Some(twice.place().refused(format!(
        "{}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {}",
        twice.path(),
        twice.word("tool_use_id")
    )))
}
