//! Damage to the order of events, and to what they say of their blocks.

use super::{Answer, Around, events::is_delta, json_edit};
use crate::api::Api;

const STARTS: [&str; 2] = ["content_block_start", "response.output_item.added"];
const STOPS: [&str; 2] = ["content_block_stop", "response.output_item.done"];
const BEGINS: [&str; 2] = ["message_start", "response.created"];
const ENDS: [&str; 3] = ["message_stop", "response.completed", "response.incomplete"];

/// Events of a block before the answer begins, or of one that never starts.
pub(super) fn begin_late(answer: &mut Answer, around: &Around<'_>) {
    let Some(start) = answer.find(&STARTS) else {
        return;
    };
    if around.variant() == "before-the-answer" {
        answer.displace(start, 0);
    } else {
        let block = block_of(answer, start).map(str::to_owned);
        answer.drop_pieces(|answer, n| {
            let begins = [STARTS[0], STARTS[1], "response.content_part.added"];
            let begins =
                begins.contains(&answer.word(n)) || answer.word(n).ends_with("_part.added");
            begins && block_of(answer, n) == block.as_deref()
        });
    }
    answer.renumber();
}

/// A second beginning behind the first fragment.
pub(super) fn begin_twice(answer: &mut Answer, around: &Around<'_>) {
    let (Some(begin), Some(first)) = (answer.find(&BEGINS), answer.position(is_delta)) else {
        return;
    };
    if around.variant() == "same-id" {
        answer.copy(begin, first + 1);
        answer.renumber();
        return;
    }
    let path = match around.api {
        Api::AnthropicMessages => "message.id",
        Api::OpenAiChat | Api::OpenAiResponses | Api::OpenAiCompletions => "response.id",
    };
    let Some(id) = json_edit::string(answer.json(begin), path).map(str::to_owned) else {
        return;
    };
    // another one of the same length
    let other = match id.strip_suffix('A') {
        Some(id) => format!("\"{id}B\""),
        None => format!(
            "\"{}A\"",
            id.get(..id.len().saturating_sub(1)).unwrap_or_default()
        ),
    };
    let cut: Vec<_> = answer.pieces.iter().take(first + 1).cloned().collect();
    answer.edit_all(|json| json_edit::replace(json, path, &other));
    answer.pieces.splice(0..0, cut);
}

/// Blocks with wrong indices.
pub(super) fn misindex(answer: &mut Answer, around: &Around<'_>) {
    let is_of = |json: &str, block: &str| json_edit::get(json, "index") == Some(block);
    let to = |block: &'static str, index: &'static str| {
        move |json: &str| {
            is_of(json, block)
                .then(|| json_edit::replace(json, "index", index))
                .flatten()
        }
    };
    match around.variant() {
        "gap" => answer.edit_all(|json| {
            let index: u64 = json_edit::get(json, "index")?.parse().ok()?;
            json_edit::replace(json, "index", &(index + u64::from(index > 0)).to_string())
        }),
        "started-twice" => {
            if let Some(start) = answer.find(&STARTS) {
                answer.copy(start, start + 1);
            }
        }
        "reused" => answer.edit_all(to("1", "0")),
        "huge" => answer.edit_all(to("0", "1000000000")),
        _ => answer.edit_all(to("0", "-1")),
    }
}

/// A delta that does not fit its block.
pub(super) fn mistype_delta(answer: &mut Answer, around: &Around<'_>) {
    let (known, member, to, of) = match around.variant() {
        "text-on-tool" => ("input_json_delta", "partial_json", "text_delta", "text"),
        "signature-on-thinking" => {
            let thinking = first_delta(answer, "thinking_delta", "thinking");
            if let Some(n) = thinking {
                answer.edit(n, |json| {
                    json_edit::set(json, "delta.signature", "\"c2ln\"")
                });
            }
            return;
        }
        "unknown-type" => ("text_delta", "text", "x_new_delta", "x_new"),
        _ => ("text_delta", "text", "input_json_delta", "partial_json"),
    };
    let Some(n) = first_delta(answer, known, member) else {
        return;
    };
    answer.edit(n, |json| {
        let said = json_edit::get(json, &format!("delta.{member}"))?;
        json_edit::replace(
            json,
            "delta",
            &format!("{{\"type\":\"{to}\",\"{of}\":{said}}}"),
        )
    });
}

/// The first delta of this type that says something.
fn first_delta(answer: &Answer, kind: &str, member: &str) -> Option<usize> {
    let member = format!("delta.{member}");
    (0..answer.pieces.len()).find(|n| {
        let string = |path: &str| json_edit::string(answer.json(*n), path);
        string("delta.type") == Some(kind) && string(&member).is_some_and(|said| !said.is_empty())
    })
}

/// A copy of a delta behind the end of its block, or of the answer.
pub(super) fn go_on(answer: &mut Answer, around: &Around<'_>) {
    let Some(delta) = answer.position(is_delta) else {
        return;
    };
    let block = block_of(answer, delta).map(str::to_owned);
    let ended = if around.variant() == "after-the-end" {
        answer.find(&ENDS)
    } else {
        let stops = |n: &usize| {
            STOPS.contains(&answer.word(*n)) && block_of(answer, *n) == block.as_deref()
        };
        (delta..answer.pieces.len()).find(stops)
    };
    if let Some(ended) = ended {
        answer.copy(delta, ended + 1);
        answer.renumber();
    }
}

/// A block without its end.
pub(super) fn leave_open(answer: &mut Answer, around: &Around<'_>) {
    let is_tool = around.variant() == "tool-call";
    let kinds: &[&str] = if is_tool {
        &["tool_use", "function_call", "custom_tool_call"]
    } else {
        &["text", "message"]
    };
    let starts = |n: &usize| {
        let json = answer.json(*n);
        let kind = json_edit::string(json, "content_block.type");
        let kind = kind.or_else(|| json_edit::string(json, "item.type"));
        STARTS.contains(&answer.word(*n)) && kind.is_some_and(|kind| kinds.contains(&kind))
    };
    let last = (0..answer.pieces.len()).rev().find(starts);
    let Some(block) = last.and_then(|n| block_of(answer, n)).map(str::to_owned) else {
        return;
    };
    answer.drop_pieces(|answer, n| {
        let word = answer.word(n);
        let ends = word.ends_with(".done") || word == "content_block_stop";
        ends && block_of(answer, n) == Some(&block)
    });
    answer.renumber();
}

/// Which block, or item, an event is of.
fn block_of(answer: &Answer, n: usize) -> Option<&str> {
    let json = answer.json(n);
    json_edit::get(json, "index").or_else(|| json_edit::get(json, "output_index"))
}
