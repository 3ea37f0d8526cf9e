//! Variations of the events of any API.

use super::{Answer, Around, Last, Piece, Says, events::is_delta, json_edit};
use crate::{
    api::{Api, Mark},
    plan::End,
};

/// Heartbeats.
pub(super) fn ping(answer: &mut Answer, around: &Around<'_>) {
    let ping = || Piece::event("ping", r#"{"type": "ping"}"#);
    let behind: &[&str] = match around.variant() {
        "before-first-delta" => &["content_block_start"],
        "between-blocks" => &["content_block_stop"],
        "after-stop-reason" => &["message_delta"],
        "before-start" => return answer.insert(0, ping()),
        "keepalive" => {
            between(answer, || {
                Piece::event("keepalive", r#"{"type":"keepalive","sequence_number":0}"#)
            });
            return answer.renumber();
        }
        _ => return between(answer, || Piece::event("ping", r#"{"type":"ping"}"#)),
    };
    for n in (0..answer.pieces.len()).rev() {
        if behind.contains(&answer.word(n)) {
            answer.insert(n + 1, ping());
        }
    }
}

/// Events that no client knows.
pub(super) fn unknown_events(answer: &mut Answer, around: &Around<'_>) {
    between(answer, || match around.variant() {
        "not-json" => Piece::event("x_new", "no JSON"),
        _ => Piece::event("x_new", r#"{"type":"x_new","x_new":{"a":[1,null]}}"#),
    });
}

/// Puts such an event between each two.
fn between(answer: &mut Answer, event: impl Fn() -> Piece) {
    let pieces = std::mem::take(&mut answer.pieces);
    for piece in pieces {
        if !answer.pieces.is_empty() {
            answer.pieces.push(event());
        }
        answer.pieces.push(piece);
    }
}

/// Members that need not be there.
pub(super) fn drop_members(answer: &mut Answer, around: &Around<'_>) {
    let paths: &[&str] = match around.variant() {
        "stop-sequence" => &["message.stop_sequence", "delta.stop_sequence"],
        "caller" => &["content_block.caller"],
        "sequence-number" => &["sequence_number"],
        "id" => &["id"],
        "created" => &["created"],
        "model" => &["model"],
        "content-index" => {
            for n in 0..answer.pieces.len() {
                if answer.word(n).ends_with(".delta") {
                    answer.edit(n, |json| json_edit::remove(json, "content_index"));
                }
            }
            return;
        }
        _ => {
            return answer.edit_all(|json| {
                json_edit::edit_items(json, "choices", |choice| {
                    json_edit::remove(choice, "delta.role")
                })
            });
        }
    };
    for path in paths {
        answer.edit_all(|json| json_edit::remove(json, path));
    }
}

/// A part of a type that no client knows, in a list of them.
pub(super) fn unknown_part(answer: &mut Answer) {
    let Some(first) = answer.position(is_delta) else {
        return;
    };
    answer.copy(first, first);
    answer.edit(first, |json| {
        let delta = r#"{"content":[{"type":"x_new","x_new":"?"}]}"#;
        json_edit::edit_items(json, "choices", |choice| {
            json_edit::replace(choice, "delta", delta)
        })
    });
}

/// A reason that no client knows, where it is no word of the turn's.
pub(super) fn unknown_reason(answer: &mut Answer, around: &Around<'_>) {
    let Some(stops) = answer.position(Mark::stops) else {
        return;
    };
    if around.variant() == "number" {
        answer.edit(stops, |json| {
            json_edit::edit_items(json, "choices", |choice| {
                json_edit::set(choice, "stop_reason", "128001")
            })
        });
        return;
    }
    let changes = [
        ("type", "\"response.incomplete\""),
        ("response.status", "\"incomplete\""),
        ("response.incomplete_details", r#"{"reason":"x_new"}"#),
    ];
    for (path, value) in changes {
        answer.edit(stops, |json| json_edit::replace(json, path, value));
    }
    let event = answer.pieces.get_mut(stops).map(|piece| &mut piece.says);
    if let Some(Says::Event { name, .. }) = event {
        *name = Some("response.incomplete".into());
    }
}

/// A signature in two deltas, or none.
pub(super) fn damage_signature(answer: &mut Answer, around: &Around<'_>) {
    const SIGNATURE: &str = "delta.signature";
    let has = |n: &usize| json_edit::string(answer.json(*n), SIGNATURE).is_some();
    let Some(n) = (0..answer.pieces.len()).find(has) else {
        return;
    };
    if around.variant() == "cut-before-signature" {
        return answer.end_at(n, Last::End(End::Early));
    }
    let signature = json_edit::string(answer.json(n), SIGNATURE).unwrap_or_default();
    let middle = signature.len() / 2;
    let Some((first, second)) = signature.split_at_checked(middle).filter(|_| middle > 0) else {
        return;
    };
    let (first, second) = (format!("\"{first}\""), format!("\"{second}\""));
    answer.copy(n, n);
    answer.edit(n, |json| json_edit::replace(json, SIGNATURE, &first));
    answer.edit(n + 1, |json| json_edit::replace(json, SIGNATURE, &second));
}

/// Counters that are missing, or that stand in one place only.
pub(super) fn damage_usage(answer: &mut Answer, around: &Around<'_>) {
    const START: &str = "message.usage";
    let paths = [START, "response.usage", "usage"];
    match around.variant() {
        "null" => edit_each(answer, &paths, |json, path| {
            json_edit::replace(json, path, "null")
        }),
        "empty" => edit_each(answer, &paths, |json, path| {
            json_edit::get(json, path).filter(|usage| usage.starts_with('{'))?;
            json_edit::replace(json, path, "{}")
        }),
        "missing" => edit_each(answer, &paths, json_edit::remove),
        "only-in-delta" => edit_each(answer, &[START], json_edit::remove),
        "only-in-start" => {
            let (start, end) = (
                answer.find(&["message_start"]),
                answer.find(&["message_delta"]),
            );
            let (Some(start), Some(end)) = (start, end) else {
                return;
            };
            let usage = json_edit::get(answer.json(end), "usage")
                .unwrap_or_default()
                .to_owned();
            for (name, value) in crate::json_slices::members(&usage) {
                answer.edit(start, |json| {
                    json_edit::set(json, &format!("{START}.{name}"), value)
                });
            }
            answer.edit(end, |json| json_edit::remove(json, "usage"));
        }
        _ => {
            let counters: &[&str] = match around.api {
                Api::AnthropicMessages => {
                    &["cache_creation_input_tokens", "cache_read_input_tokens"]
                }
                Api::OpenAiResponses => &["input_tokens_details"],
                Api::OpenAiChat | Api::OpenAiCompletions => &["prompt_tokens_details"],
            };
            for counter in counters {
                edit_each(answer, &paths, |json, path| {
                    json_edit::replace(json, &format!("{path}.{counter}"), "null")
                });
            }
        }
    }
}

fn edit_each(answer: &mut Answer, paths: &[&str], edit: impl Fn(&str, &str) -> Option<String>) {
    for path in paths {
        answer.edit_all(|json| edit(json, path));
    }
}
