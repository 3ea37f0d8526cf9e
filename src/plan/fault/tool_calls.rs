//! Damage to the events of tool calls.

use std::collections::BTreeSet;

use super::{
    Answer, Around, Piece,
    calls::{Call, Spot, calls},
    json_edit,
};
use crate::{api::Api, json_slices};

/// The events of two calls take turns. Tells whether there are two.
pub(super) fn interleave(answer: &mut Answer, api: Api) -> bool {
    let calls = calls(answer, api);
    let beside = |pair: &&[Call]| match pair {
        [first, second] => {
            first.is_followed_by(second)
                && [first, second].iter().all(|call| call.pieces().len() > 1)
        }
        _ => false,
    };
    let Some([first, second]) = calls.windows(2).find(beside) else {
        return false;
    };
    let (first, second) = (first.pieces(), second.pieces());
    let mut places = [first.clone(), second.clone()].concat();
    places.sort_unstable();
    let (mut first, mut second) = (first.into_iter(), second.into_iter());
    let in_turns = std::iter::from_fn(|| Some([first.next(), second.next()]))
        .take_while(|pair| *pair != [None, None])
        .flatten()
        .flatten();
    let in_turns = in_turns.filter_map(|n| answer.pieces.get(n).cloned());
    let in_turns: Vec<Piece> = in_turns.collect();
    for (place, piece) in places.into_iter().zip(in_turns) {
        if let Some(there) = answer.pieces.get_mut(place) {
            *there = piece;
        }
    }
    answer.renumber();
    true
}

/// What the later fragments say of id and name, which only the first has.
pub(super) fn empty_later_ids(answer: &mut Answer, around: &Around<'_>) {
    for call in calls(answer, around.api) {
        for spot in call.said.iter().skip(1) {
            if around.variant() != "empty-name" {
                let value = if around.variant() == "null-id" {
                    "null"
                } else {
                    "\"\""
                };
                answer.set_member(spot, "id", value);
            }
            if matches!(around.variant(), "empty-name" | "empty-id-and-name") {
                answer.set_member(spot, call.name(), "\"\"");
            }
        }
    }
}

/// Id and name in each fragment; or the name in two pieces.
pub(super) fn repeat_ids(answer: &mut Answer, around: &Around<'_>) {
    for call in calls(answer, around.api) {
        let (Some(first), Some(second)) = (call.said.first(), call.said.get(1)) else {
            continue;
        };
        let said = |member: &str| {
            json_edit::get(answer.json(first.piece), &first.member(member)).map(str::to_owned)
        };
        let (id, name) = (said("id"), said(call.name()));
        let (Some(id), Some(name)) = (id, name) else {
            continue;
        };
        if around.variant() == "every-fragment" {
            for spot in call.said.iter().skip(1) {
                answer.set_member(spot, "id", &id);
                answer.set_member(spot, call.name(), &name);
            }
            continue;
        }
        let letters = name.trim_matches('"');
        let middle = letters.char_indices().nth(letters.chars().count() / 2);
        // a name may have an escape, which must stay whole
        let middle = middle.filter(|(at, _)| *at > 0 && !letters.contains('\\'));
        if let Some((before, behind)) = middle.and_then(|(at, _)| letters.split_at_checked(at)) {
            let (before, behind) = (format!("\"{before}\""), format!("\"{behind}\""));
            answer.set_member(first, call.name(), &before);
            answer.set_member(second, call.name(), &behind);
        }
    }
}

/// All arguments stand in the first fragment.
pub(super) fn join_arguments(answer: &mut Answer, api: Api) {
    let mut dropped = BTreeSet::new();
    for call in &calls(answer, api) {
        let whole = format!("\"{}\"", answer.arguments(call));
        if let [first, _, ..] = call.said.as_slice() {
            answer.set_member(first, call.text(), &whole);
            silence(answer, call, 1, &mut dropped);
        }
    }
    answer.drop_pieces(|_, n| dropped.contains(&n));
}

/// Calls without arguments.
pub(super) fn empty_arguments(answer: &mut Answer, around: &Around<'_>) {
    let mut dropped = BTreeSet::new();
    for call in &calls(answer, around.api) {
        if call.is_custom || answer.arguments(call).is_empty() {
            continue;
        }
        match (around.api, around.variant()) {
            (Api::AnthropicMessages, "placeholder-and-deltas") => {
                let mut fragments = call
                    .fragments
                    .iter()
                    .filter(|spot| !answer.fragment(spot).is_empty());
                let (first, second) = (fragments.next().cloned(), fragments.next().cloned());
                let others: Vec<Spot> = fragments.cloned().collect();
                for (spot, text) in [(first, "\"{\""), (second, "\"}\"")] {
                    if let Some(spot) = spot {
                        answer.replace(&spot, text);
                    }
                }
                others.iter().for_each(|spot| answer.replace(spot, "\"\""));
            }
            (Api::AnthropicMessages, "one-empty-delta") => {
                silence(answer, call, 2, &mut dropped);
                if let Some(first) = call.fragments.first() {
                    answer.replace(first, "\"\"");
                }
            }
            (Api::OpenAiChat, variant) => {
                silence(answer, call, 1, &mut dropped);
                if let Some(first) = call.said.first() {
                    if variant == "absent" {
                        answer.remove_member(first, call.text());
                    } else {
                        answer.set_member(first, call.text(), "\"\"");
                    }
                }
            }
            _ => {
                for n in &call.ends {
                    for path in ["arguments", "item.arguments"] {
                        answer.edit(*n, |json| json_edit::replace(json, path, "\"\""));
                    }
                }
                set_in_output(answer, call, "arguments", Some("\"\""));
                silence(answer, call, 1, &mut dropped);
            }
        }
    }
    answer.drop_pieces(|_, n| dropped.contains(&n));
    answer.renumber();
}

/// No index, or only in the first fragment.
pub(super) fn drop_indices(answer: &mut Answer, around: &Around<'_>) {
    let variant = around.variant();
    if variant.starts_with("interleaved") && !interleave(answer, around.api) {
        return;
    }
    let calls = calls(answer, around.api);
    let first = match calls.as_slice() {
        // while both are open an index is what tells them apart
        [first, second, ..] if first.is_interleaved_with(second) => &[],
        calls => calls.get(..1).unwrap_or_default(),
    };
    let (calls, from) = match variant {
        "blocks" | "interleaved-blocks" => {
            return answer.edit_all(|json| json_edit::remove(json, "index"));
        }
        "interleaved" => (calls.as_slice(), 0),
        "later-fragments" => (first, 1),
        _ => (first, 0),
    };
    for spot in calls.iter().flat_map(|call| call.said.iter().skip(from)) {
        answer.remove_member(spot, "index");
    }
}

/// The same index for calls with different ids.
pub(super) fn collide(answer: &mut Answer, around: &Around<'_>) {
    if calls(answer, around.api).len() < 2 {
        return;
    }
    if around.variant() == "whole" {
        join_arguments(answer, around.api);
    }
    for call in calls(answer, around.api) {
        let Some(first) = call.said.first() else {
            continue;
        };
        let id = json_edit::get(answer.json(first.piece), &first.member("id")).map(str::to_owned);
        for (n, spot) in call.said.iter().enumerate() {
            answer.set_member(spot, "index", "0");
            if let Some(id) = id
                .as_deref()
                .filter(|_| n > 0 && around.variant() == "with-ids")
            {
                answer.set_member(spot, "id", id);
            }
        }
    }
}

/// Arguments that are an object, not a string.
pub(super) fn unquote_arguments(answer: &mut Answer, around: &Around<'_>) {
    let mut dropped = BTreeSet::new();
    for call in &calls(answer, around.api) {
        let whole = format!("\"{}\"", answer.arguments(call));
        let object: Result<String, _> = serde_json::from_str(&whole);
        let object = object.unwrap_or_default();
        let is_object =
            serde_json::from_str::<serde_json::Map<_, serde_json::Value>>(&object).is_ok();
        let Some(first) = call.said.first().filter(|_| is_object && !call.is_custom) else {
            continue;
        };
        if around.variant() == "whole" {
            answer.set_member(first, call.text(), &object);
            silence(answer, call, 1, &mut dropped);
            continue;
        }
        let mut members = json_slices::members(&object).into_iter();
        for spot in &call.fragments {
            let member = members
                .next()
                .map(|(name, value)| format!("\"{name}\":{value}"));
            answer.replace(spot, &format!("{{{}}}", member.unwrap_or_default()));
        }
    }
    answer.drop_pieces(|_, n| dropped.contains(&n));
}

/// The whole arguments once more, behind their last fragment.
pub(super) fn double_arguments(answer: &mut Answer, around: &Around<'_>) {
    let calls = calls(answer, around.api);
    let mut lasts: Vec<(&Spot, String)> = calls
        .iter()
        .filter_map(|call| Some((call.fragments.last()?, answer.arguments(call))))
        .filter(|(_, whole)| !whole.is_empty())
        .collect();
    // from behind, so that no copy moves a place that is still to come
    lasts.sort_by_key(|(last, _)| std::cmp::Reverse(last.piece));
    for (last, whole) in lasts {
        answer.copy(last.piece, last.piece + 1);
        let copied = Spot {
            piece: last.piece + 1,
            path: last.path.clone(),
        };
        answer.replace(&copied, &format!("\"{whole}\""));
    }
    answer.renumber();
}

/// A call without its name, or its id.
pub(super) fn drop_name(answer: &mut Answer, around: &Around<'_>) {
    let calls = calls(answer, around.api);
    let Some(call) = calls.first() else { return };
    let member = match (around.variant(), around.api) {
        ("no-id", Api::OpenAiResponses) => "call_id",
        ("no-id", _) => "id",
        (_, Api::OpenAiChat | Api::OpenAiCompletions) => call.name(),
        _ => "name",
    };
    let value = (around.variant() == "empty-name").then_some("\"\"");
    let ends = call.ends.iter().map(|n| Spot {
        piece: *n,
        path: "item".to_owned(),
    });
    let spots: Vec<Spot> = call.said.iter().cloned().chain(ends).collect();
    for spot in spots {
        answer.edit(spot.piece, |json| change(json, &spot.member(member), value));
    }
    set_in_output(answer, call, member, value);
}

/// Events of arguments that say in one way only which item they are of.
pub(super) fn halve_ids(answer: &mut Answer, around: &Around<'_>) {
    let member = match around.variant() {
        "item-id-only" => "output_index",
        _ => "item_id",
    };
    for n in 0..answer.pieces.len() {
        if answer
            .word(n)
            .starts_with("response.function_call_arguments.")
        {
            answer.edit(n, |json| json_edit::remove(json, member));
        }
    }
}

/// What the output of the response says of the item that a call is.
fn set_in_output(answer: &mut Answer, call: &Call, member: &str, value: Option<&str>) {
    let Some(ends) = answer.find(&["response.completed", "response.incomplete"]) else {
        return;
    };
    let path = format!("response.output.{}.{member}", call.index());
    answer.edit(ends, |json| change(json, &path, value));
}

/// Another value, or none, for what is there.
fn change(json: &str, path: &str, value: Option<&str>) -> Option<String> {
    match value {
        Some(value) => json_edit::replace(json, path, value),
        None => json_edit::remove(json, path),
    }
}

/// Takes away what is said of a call from this on, and notes the events that say nothing else, to be dropped.
fn silence(answer: &mut Answer, call: &Call, from: usize, dropped: &mut BTreeSet<usize>) {
    let last = call
        .said
        .last()
        .and_then(|spot| answer.pieces.get(spot.piece));
    let marks = last.map(|piece| piece.marks.clone());
    for spot in call.said.iter().skip(from) {
        if says_more(answer.json(spot.piece)) {
            answer.edit(spot.piece, |json| {
                json_edit::replace(json, &spot.member(call.text()), "\"\"")
            });
        } else {
            dropped.insert(spot.piece);
        }
    }
    // where a call has no event that ends it, the places count what is left of it
    let kept = from.checked_sub(1).and_then(|n| call.said.get(n));
    let kept = kept.and_then(|spot| answer.pieces.get_mut(spot.piece));
    if let (Some(kept), Some(marks), true) = (kept, marks, call.ends.is_empty()) {
        kept.marks = marks;
    }
}

/// Whether a chunk says more than a fragment of one call.
fn says_more(json: &str) -> bool {
    let choice = "choices.0";
    let finish = json_edit::get(json, &format!("{choice}.finish_reason"));
    json_edit::len(json, "choices") > 1
        || json_edit::len(json, &format!("{choice}.delta.tool_calls")) > 1
        || finish.is_some_and(|reason| reason != "null" && reason != "\"\"")
}
