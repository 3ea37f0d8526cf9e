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

/// The ids of all blocks of this kind with their turns: looked up, since a turn may have very many.
fn ids<'a>(asked: &Asked<'a>, kind: &str, member: &str) -> BTreeSet<(usize, &'a str)> {
    let mut ids = BTreeSet::new();
    for block in asked.blocks.iter().filter(|block| block.kind == kind) {
        ids.insert((block.turn, block.word(member)));
    }
    ids
}

/// Reported in trycua/cua#524.
pub(super) fn unique_ids(asked: &Asked<'_>) -> Option<Violation> {
    let mut seen = BTreeSet::new();
    let twice = calls(asked).find(|call| !seen.insert((0, call.word("id"))))?;
    let text = format!("{}: `tool_use` ids must be unique", twice.path());
    Some(twice.place().refused(text))
}

/// Reported in anthropics/claude-code#12526, with several ids in anthropics/claude-code#6242.
pub(super) fn answered(asked: &Asked<'_>) -> Option<Violation> {
    let results = ids(asked, "tool_result", "tool_use_id");
    let mut open = calls(asked).filter(|call| !results.contains(&(call.turn + 1, call.word("id"))));
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
    let calls = ids(asked, "tool_use", "id");
    // a tool that the service runs may be answered for later
    let mut of_service = BTreeSet::new();
    for block in &asked.blocks {
        if block.kind.ends_with("_tool_use") {
            of_service.insert((0, block.word("id")));
        }
    }
    let stray = results(asked).find(|result| {
        let id = result.word("tool_use_id");
        let before = result.turn.checked_sub(1);
        let called = before.is_some_and(|turn| calls.contains(&(turn, id)));
        !called && !of_service.contains(&(0, id))
    })?;
    Some(stray.place().refused(format!(
        "{}: unexpected `tool_use_id` found in `tool_result` blocks: {}. Each `tool_result` block must \
         have a corresponding `tool_use` block in the previous message.",
        stray.path(),
        stray.word("tool_use_id")
    )))
}

/// The text stands in the code and tests of many public clients that mend such histories.
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
