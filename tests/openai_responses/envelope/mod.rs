//! The stub's own bytes, damaged as the catalogue of faults has it: every malign kind that asks something of this API
//! is refused with its message in `malign.txt`, every benign one gives the reply of the whole answer.
//!
//! The events have no `sequence_number`, as in 2025, so that each damage shows for what it is; with their numbers, one
//! event that is lost is found by the next one's.

mod benign;
mod malign;

use llm_wire_stub::*;

use crate::API;

/// A name of the catalogue's families that stands for this API.
const FAMILY: &str = "R";

/// Text in three deltas: `Hé`, ` you`, ` there`. Events: created, in progress, item and part are added, 4 to 6 are the
/// deltas, text, part and item are done, completed.
fn text_turn() -> Turn {
    Turn::new().text("Hé you there").model("m").plain()
}

/// A call in three fragments: `{"a": "é`, `", "n": `, `997}`. Events: created, in progress, item is added, 3 to 5 are
/// the fragments, arguments and item are done, completed.
fn tool_turn() -> Turn {
    Turn::new()
        .tool_call_with_id("call_1", "f", Arguments::raw(r#"{"a": "é", "n": 997}"#))
        .fragments(Fragments::size(8))
        .model("m")
        .plain()
}

/// Thinking in one summary, then text.
fn thinking_turn() -> Turn {
    Turn::new().thinking("hm").text("so").model("m").plain()
}

/// The events of a turn, without their numbers.
fn events(turn: &Turn) -> Vec<String> {
    let body = String::from_utf8(sse_body(API, turn).to_vec()).unwrap();
    let bare = |event: &str| {
        let (bare, number) = event.rsplit_once(",\"sequence_number\":").unwrap();
        let digits = number.trim_start_matches(|c: char| c.is_ascii_digit());
        format!("{bare}{digits}")
    };
    body.split_inclusive("\n\n").map(bare).collect()
}

/// The body after an edit of its events, which has to change it.
#[track_caller]
fn edited(turn: &Turn, edit: impl FnOnce(&mut Vec<String>)) -> Vec<u8> {
    let mut edited = events(turn);
    edit(&mut edited);
    assert_ne!(edited, events(turn), "the edit changes nothing");
    edited.concat().into_bytes()
}

/// The body up to the `at`th byte behind the first `whole` events.
#[track_caller]
fn cut(turn: &Turn, whole: usize, at: usize) -> Vec<u8> {
    edited(turn, |events| {
        let rest = events.split_off(whole);
        if at > 0 {
            events.push(rest[0][..at].to_owned());
        }
    })
}

/// `text` with `from` replaced, which has to be there.
#[track_caller]
fn replaced(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "no `{from}` in `{text}`");
    text.replace(from, to)
}

#[track_caller]
fn replace(event: &mut String, from: &str, to: &str) {
    *event = replaced(event, from, to);
}
