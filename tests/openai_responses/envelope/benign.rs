//! Bodies that give the reply of the whole answer.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;
use crate::catalogue;

#[test]
fn every_benign_body_gives_the_reply_of_the_whole_answer() {
    for turn in [text_turn(), tool_turn(), thinking_turn()] {
        let whole = accumulate(API, &sse_body(API, &turn)).unwrap();
        for (kind, body) in framing(&turn).into_iter().chain(insertions(&turn)) {
            for pieces in [vec![body.as_bytes()], body.as_bytes().chunks(1).collect()] {
                let mut decoder = SseDecoder::new();
                let mut accumulator = Accumulator::new(API);
                for piece in pieces {
                    decoder.push(piece).unwrap();
                    while let Some(event) = decoder.next_event() {
                        let pushed = accumulator.push(&event);
                        pushed.unwrap_or_else(|error| panic!("{kind}: {error}\n{body}"));
                    }
                }
                decoder.finish().unwrap();
                assert_eq!(accumulator.finish().as_ref(), Ok(&whole), "{kind}\n{body}");
            }
        }
    }
}

fn framing(turn: &Turn) -> Vec<(&'static str, String)> {
    let body = events(turn).concat();
    let each = |edit: fn(&str) -> String| events(turn).iter().map(|event| edit(event)).collect();
    vec![
        (
            "numbers",
            String::from_utf8(sse_body(API, turn).to_vec()).unwrap(),
        ),
        ("eol-crlf", body.replace('\n', "\r\n")),
        ("eol-cr", body.replace('\n', "\r")),
        (
            "eol-mixed",
            each(|event| event.replacen('\n', "\r\n", 1).replace("\n\n", "\n\r")),
        ),
        ("bom-leading", format!("\u{feff}{body}")),
        ("field-space-variants", body.replace("\ndata: ", "\ndata:")),
        (
            "field-space-variants",
            body.replace("\ndata: ", "\ndata:  "),
        ),
        (
            "data-multi-line",
            body.replace(r#","output_index""#, ",\ndata: \"output_index\""),
        ),
        (
            "comment-lines",
            each(|event| format!(": between\n\n:\n{event}")),
        ),
        (
            "comment-lines",
            each(|event| replaced(event, "\ndata", "\n: before\ndata")),
        ),
        (
            "blank-line-keepalive",
            each(|event| format!("{}{event}", "\n".repeat(40))),
        ),
        (
            "sse-extra-fields",
            each(|event| format!("id: 7\nretry: x\nfoo: 1\nword\n{event}")),
        ),
        (
            "event-name-absent",
            each(|event| event.split_once('\n').unwrap().1.to_owned()),
        ),
        (
            "unknown-field",
            each(|event| {
                replaced(
                    event,
                    r#"{"type":"response."#,
                    r#"{"x":{"y":[1]},"z":null,"type":"response."#,
                )
            }),
        ),
        (
            "optional-field-absent",
            each(|event| event.replace(r#","content_index":0"#, "")),
        ),
        (
            "optional-field-absent",
            each(|event| event.replace(r#","output_index":0"#, "")),
        ),
        (
            "usage-null-or-partial",
            body.replace(r#""usage":null,"#, ""),
        ),
        ("done-sentinel", format!("{body}data: [DONE]\n\n")),
    ]
}

fn insertions(turn: &Turn) -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    for (kind, event) in [
        (
            "ping-anywhere",
            "event: ping\ndata: {\"type\":\"ping\"}\n\n",
        ),
        (
            "ping-anywhere",
            "event: keepalive\ndata: {\"type\":\"keepalive\"}\n\n",
        ),
        ("ping-anywhere", "data: {\"type\":\"keepalive\"}\n\n"),
        (
            "unknown-event-type",
            "event: response.x_new\ndata: {\"type\":\"response.x_new\",\"output_index\":0}\n\n",
        ),
        ("unknown-event-type", "event: x_new\ndata: not JSON {\n\n"),
        (
            "unknown-event-type",
            "data: {\"type\":\"x_new\",\"delta\":\"x\"}\n\n",
        ),
        ("empty-data-event", "event: response.output_text.delta\n\n"),
        (
            "empty-data-event",
            "event: response.output_text.delta\ndata:\n\n",
        ),
        ("empty-data-event", "id: 7\n\n: comment\n\n"),
    ] {
        for at in 0..=events(turn).len() {
            let mut events = events(turn);
            events.insert(at, event.to_owned());
            all.push((kind, events.concat()));
        }
    }
    all
}

/// Benign kinds that have tests of their own: below, in `roundtrip.rs` and beside the accumulator; and those that are
/// about sizes, time, requests, or what only a connection shows.
const ELSEWHERE: &[&str] = &[
    "split-any-byte",
    "split-utf8-scalar",
    "split-crlf",
    "unicode-separators-in-data",
    "unknown-content-block",
    "unknown-stop-reason",
    "empty-completion",
    "tool-args-split",
    "tool-interleaved",
    "tool-args-empty",
    "responses-id-mapping",
    "response-incomplete",
    // refused here, in the strict reading
    "terminal-frame-cut",
    "eof-no-final-blank",
    "json-instead-of-sse",
    // sizes
    "large-event",
    "tiny-fragments",
    "many-tiny-events",
    // time, requests, connections
    "gzip-stream",
    "buffered-burst",
    "content-type-variants",
    "open-after-terminal",
    "h2-goaway",
    "slow-but-alive",
    "retry-after-variants",
    "clean-end-reconnect",
    "idle-close-race",
    "pool-after-terminal",
];

#[test]
fn every_benign_kind_of_the_catalogue_that_asks_this_api_has_a_case() {
    let benign = ["`must-succeed", "`must-ignore"];
    let Some(asked) = catalogue::asked(FAMILY, |wanted| {
        benign.iter().any(|word| wanted.starts_with(word))
    }) else {
        return;
    };
    let turn = text_turn();
    let cases = framing(&turn).into_iter().chain(insertions(&turn));
    let kinds = cases.map(|(kind, _)| kind.to_owned());
    let known: BTreeSet<String> = kinds
        .filter(|kind| !["numbers", "done-sentinel"].contains(&kind.as_str()))
        .chain(ELSEWHERE.iter().map(|kind| (*kind).to_owned()))
        .collect();
    assert_eq!(known, asked);
}

#[test]
fn an_empty_completion_is_an_empty_reply_and_separators_are_text() {
    let empty = accumulate(API, &sse_body(API, &Turn::new())).unwrap();
    assert_eq!(
        (empty.parts, empty.stop_reason),
        (vec![], StopReason::EndTurn)
    );
    let turn = Turn::new().text("a\u{2028}b\u{2029}c\u{85}d");
    let read = accumulate(API, &sse_body(API, &turn)).unwrap();
    assert_eq!(read.text(), "a\u{2028}b\u{2029}c\u{85}d");
}

#[test]
fn an_unknown_name_on_a_known_type_is_no_way_to_lose_it() {
    for name in [
        "message",
        "response.output_text.deltas",
        "Response.Output_Text.Delta",
    ] {
        let body = edited(&text_turn(), |events| {
            replace(
                &mut events[5],
                "event: response.output_text.delta",
                &format!("event: {name}"),
            );
        });
        let error = accumulate(API, &body).unwrap_err();
        assert_eq!(error.kind(), &AccumulateErrorKind::NameMismatch, "{name}");
    }
}

#[test]
fn a_member_that_stands_twice_is_malformed() {
    let body = edited(&text_turn(), |events| {
        replace(
            &mut events[5],
            r#""delta":" you""#,
            r#""delta":" you","delta":"""#,
        );
    });
    let error = accumulate(API, &body).unwrap_err();
    assert_eq!(error.kind(), &AccumulateErrorKind::MalformedJson);
    let whole: Value = json!({"id": "r", "status": "completed", "output": []});
    let twice = whole.to_string().replace("\"id\"", "\"id\":\"s\",\"id\"");
    let error = accumulate_json(API, twice.as_bytes()).unwrap_err();
    assert_eq!(error.kind(), &AccumulateErrorKind::MalformedJson);
}
