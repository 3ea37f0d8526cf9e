//! The stub's own bytes, damaged as the catalogue of faults has it: every malign kind that asks something of this API
//! is refused with the message pinned here, every benign one gives the reply of the whole answer.
//!
//! The events have no `sequence_number`, as in 2025, so that each damage shows for what it is; with their numbers, one
//! event that is lost is found by the next one's.

use std::collections::BTreeSet;

use llm_wire_stub::*;
use serde_json::{Value, json};

use crate::{API, catalogue};

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

// --- malign kinds ----------------------------------------------------------------------------------

/// A kind and its variant, and the damaged body. Resets and aborts are here as far as bytes arrived.
type Case = (&'static str, Vec<u8>);

fn order() -> Vec<Case> {
    let (text, tool) = (text_turn(), tool_turn());
    let other = |event: &str| replaced(event, "\"resp_", "\"resp_other");
    vec![
        (
            "delta-before-start/item-first",
            edited(&text, |events| drop(events.drain(..2))),
        ),
        (
            "delta-before-start/delta-first",
            edited(&text, |events| drop(events.drain(..4))),
        ),
        (
            "delta-before-start/item-never-added",
            edited(&text, |events| drop(events.remove(2))),
        ),
        (
            "delta-before-start/part-never-added",
            edited(&text, |events| drop(events.remove(3))),
        ),
        (
            "delta-before-start/call-never-added",
            edited(&tool, |events| drop(events.remove(2))),
        ),
        (
            "duplicate-message-start/same-id",
            edited(&text, |events| events.insert(5, events[0].clone())),
        ),
        (
            "duplicate-message-start/different-id",
            edited(&text, |events| events.insert(5, other(&events[0]))),
        ),
        (
            "duplicate-message-start/no-start",
            edited(&text, |events| events[10] = other(&events[10])),
        ),
        (
            "delta-after-stop/text-done",
            edited(&text, |events| events.swap(6, 7)),
        ),
        (
            "delta-after-stop/item-done",
            edited(&text, |events| events.insert(10, events[6].clone())),
        ),
        (
            "delta-after-stop/arguments-done",
            edited(&tool, |events| events.insert(7, events[5].clone())),
        ),
        (
            "delta-after-stop/after-terminal",
            edited(&text, |events| events.push(events[6].clone())),
        ),
        (
            "delta-after-stop/item-after-terminal",
            edited(&text, |events| events.push(events[2].clone())),
        ),
        (
            "block-not-closed/text",
            edited(&text, |events| drop(events.drain(7..10))),
        ),
        (
            "block-not-closed/item",
            edited(&text, |events| drop(events.remove(9))),
        ),
        (
            "block-not-closed/part",
            edited(&text, |events| drop(events.drain(7..9))),
        ),
        (
            "block-not-closed/tool",
            edited(&tool, |events| drop(events.drain(6..8))),
        ),
        (
            "block-not-closed/arguments",
            edited(&tool, |events| drop(events.remove(6))),
        ),
    ]
}

fn ends() -> Vec<Case> {
    let (text, tool) = (text_turn(), tool_turn());
    let last = events(&text)[10].len();
    let character = events(&text)[4].find('é').unwrap();
    // not in the middle of a character, for the string: its first byte is cut off below
    let mut in_character = cut(&text, 4, character);
    in_character.push(0xc3);
    vec![
        ("eof-before-terminal/after-start", cut(&text, 1, 0)),
        ("eof-before-terminal/after-0", cut(&text, 4, 0)),
        ("eof-before-terminal/after-1", cut(&text, 5, 0)),
        ("eof-before-terminal/after-all", cut(&text, 7, 0)),
        ("eof-before-terminal/after-item", cut(&text, 10, 0)),
        ("eof-before-terminal/open-tool-call", cut(&tool, 5, 0)),
        ("eof-before-terminal/whole-tool-call", cut(&tool, 8, 0)),
        ("eof-mid-event/field-name", cut(&text, 5, 3)),
        ("eof-mid-event/json", cut(&text, 5, 50)),
        ("eof-mid-event/character", in_character),
        ("eof-mid-event/first-event", cut(&text, 0, 24)),
        ("chunked-abort/event-boundary", cut(&text, 6, 0)),
        ("chunked-abort/inside-event", cut(&tool, 4, 60)),
        ("chunked-abort/content-length", cut(&text, 10, last - 1)),
        ("reset-mid-stream/after-head", cut(&text, 0, 0)),
        ("reset-mid-stream/after-events", cut(&tool, 7, 0)),
        ("terminal-frame-cut/missing", cut(&tool, 8, 0)),
        ("terminal-frame-cut/cut", cut(&text, 10, 40)),
        (
            "eof-no-final-blank/after-line-end",
            cut(&text, 10, last - 1),
        ),
        ("eof-no-final-blank/after-brace", cut(&text, 10, last - 2)),
    ]
}

/// An event of this name with this data.
fn frame(name: &str, data: &str) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

const NESTED: &str = r#"{"type":"error","error":{"type":"server_error","code":"server_error","message":"m","param":null}}"#;
const FLAT: &str = r#"{"type":"error","code":"server_error","message":"m","param":null}"#;
const FAILED: &str = r#"{"type":"response.failed","response":{"id":"resp_1","status":"failed","error":{"code":"server_error","message":"m"}}}"#;

fn errors() -> Vec<Case> {
    let text = text_turn();
    let then = |name: &str, data: &str| {
        edited(&text, |events| {
            events.truncate(5);
            events.push(frame(name, data));
        })
    };
    let delta = "response.output_text.delta";
    let page = "<html>\n<body>\n<h1>502 Bad Gateway</h1>\n</body>\n</html>\n";
    vec![
        (
            "malformed-json-event/cut-object",
            then(delta, r#"{"type":"response.output_text.delta","delta":"#),
        ),
        (
            "malformed-json-event/plain-text",
            then(delta, "upstream error"),
        ),
        (
            "malformed-json-event/html-line",
            then(delta, "<html>502</html>"),
        ),
        (
            "malformed-json-event/wrong-top-level-type",
            then(delta, "[1]"),
        ),
        (
            "keepalive-inside-event/in-json",
            edited(&text, |events| events[5].insert_str(60, ": keepalive\n\n")),
        ),
        ("error-event-mid-stream/nested", then("error", NESTED)),
        ("error-event-mid-stream/flat", then("error", FLAT)),
        (
            "error-event-mid-stream/failed",
            then("response.failed", FAILED),
        ),
        ("error-event-mid-stream/no-data", then("error", "")),
        (
            "error-event-mid-stream/not-json",
            then("error", "overloaded"),
        ),
        (
            "error-event-mid-stream/nameless",
            edited(&text, |events| {
                events.truncate(5);
                events.push(format!("data: {NESTED}\n\n"));
            }),
        ),
        ("error-event-first/nested", frame("error", NESTED).into()),
        ("error-event-first/flat", frame("error", FLAT).into()),
        (
            "error-event-first/failed",
            frame("response.failed", FAILED).into(),
        ),
        ("html-body/whole", page.into()),
        (
            "html-body/mid-stream",
            edited(&text, |events| {
                events.truncate(5);
                events.push(format!("data: {}\n\n", page.replace('\n', "")));
            }),
        ),
        (
            "error-json-200/error",
            error_body(API, &ApiError::overloaded()).to_vec(),
        ),
        ("json-instead-of-sse/whole", json_body(API, &text).to_vec()),
        ("empty-body/zero-bytes", Vec::new()),
        ("empty-body/only-comments", b": keepalive\n\n".to_vec()),
    ]
}

fn calls() -> Vec<Case> {
    let (text, tool) = (text_turn(), tool_turn());
    let cut_by_limit = tool_turn().stop_reason(StopReason::MaxTokens);
    let all = |from: &str, to: &str| -> Vec<u8> {
        let events = events(&tool_turn()).concat();
        replaced(&events, from, to).into()
    };
    vec![
        ("tool-args-invalid-json/bad-escape", all("997}", r"\\q}")),
        (
            "tool-args-invalid-json/stray-quote",
            all("997}", r#"9\"97}"#),
        ),
        ("tool-args-invalid-json/two-objects", all("997}", "997}{}")),
        ("tool-args-truncated/prefix", all("997}", "99")),
        (
            "tool-args-truncated/lost-fragment",
            edited(&tool, |events| drop(events.remove(4))),
        ),
        (
            "tool-args-duplicated/then-whole",
            edited(&tool, |events| {
                let whole = replaced(&events[5], "997}", r#"{\"a\": \"é\", \"n\": 997}"#);
                events.insert(6, whole);
            }),
        ),
        (
            "tool-name-missing/name",
            all(r#""name":"f""#, r#""name":"""#),
        ),
        (
            "tool-name-missing/id",
            all(r#""call_id":"call_1""#, r#""call_id":null"#),
        ),
        ("length-cut-tool-call/half", {
            let events = events(&cut_by_limit).concat();
            replaced(&events, "997}", "9").into()
        }),
        ("invalid-utf8/lone-continuation", {
            let mut body = events(&text).concat().into_bytes();
            let at = body
                .windows(2)
                .position(|two| two == "é".as_bytes())
                .unwrap();
            body[at] = 0x80;
            body
        }),
    ]
}

fn malign() -> Vec<Case> {
    [order(), ends(), errors(), calls()].concat()
}

#[test]
fn every_malign_body_is_refused_with_this_message() {
    let mut messages = MESSAGES.split("=== ").skip(1);
    for (id, body) in malign() {
        let error = accumulate(API, &body).map(drop).unwrap_err();
        let found = format!("{id}\n{error}\n");
        assert_eq!(Some(found.as_str()), messages.next());
    }
    assert_eq!(messages.next(), None);
}

/// A name of the catalogue's families that stands for this API.
const FAMILY: &str = "R";

/// Kinds that the strict reading refuses although a client may read on, and kinds with a variant that is malign.
const STRICT: [&str; 5] = [
    "terminal-frame-cut",
    "eof-no-final-blank",
    "json-instead-of-sse",
    "invalid-utf8",
    "tool-args-duplicated",
];

#[test]
fn every_malign_kind_of_the_catalogue_that_asks_this_api_has_a_case() {
    let Some(asked) = catalogue::malign_bodies(FAMILY) else {
        return;
    };
    let cases = malign();
    let kind = |id: &str| id.split_once('/').unwrap().0.to_owned();
    let mut known: BTreeSet<String> = cases.iter().map(|(id, _)| kind(id)).collect();
    known.retain(|kind| asked.contains(kind) || !STRICT.contains(&kind.as_str()));
    assert_eq!(known, asked);
}

#[test]
fn no_malign_body_leaves_a_call_that_was_not_sent_whole() {
    let whole = accumulate(API, &sse_body(API, &tool_turn())).unwrap();
    let whole = whole.tool_calls().next().unwrap().clone();
    for (id, body) in malign() {
        let error = accumulate(API, &body).unwrap_err();
        let calls = error.partial().iter().filter_map(Part::as_tool_call);
        for call in calls {
            assert_eq!(call, &whole, "{id}");
        }
    }
}

#[test]
fn an_event_that_is_lost_twice_or_out_of_order_is_found_by_its_number() {
    let numbered = |turn: &Turn| -> Vec<String> {
        let body = String::from_utf8(sse_body(API, turn).to_vec()).unwrap();
        body.split_inclusive("\n\n").map(str::to_owned).collect()
    };
    for turn in [text_turn(), tool_turn(), thinking_turn()] {
        let events = numbered(&turn);
        // without the first one it is a stream that goes on
        for at in 1..events.len() {
            let mut lost = events.clone();
            lost.remove(at);
            let mut twice = events.clone();
            twice.insert(at, events[at].clone());
            let mut swapped = events.clone();
            swapped.swap(at, at - 1);
            for damaged in [lost, twice, swapped] {
                assert!(
                    accumulate(API, damaged.concat().as_bytes()).is_err(),
                    "{at} {damaged:?}"
                );
            }
        }
    }
}

// --- benign kinds ----------------------------------------------------------------------------------

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

/// The case, and its message.
const MESSAGES: &str = r#"=== delta-before-start/item-first
an event came out of order
  where: openai_responses, event #1, byte 0
  expected: response.created
  found: `response.output_item.added`
=== delta-before-start/delta-first
an event came out of order
  where: openai_responses, event #1, byte 0
  expected: response.created
  found: `response.output_text.delta`
=== delta-before-start/item-never-added
an event is of no open item
  where: openai_responses, event #3, byte 2172
  expected: an item that was added: there is none yet
  found: `{"content_index":0,"item_id":"msg_a157acc7d2b97fe7016a85bee4618050f038e90bccdb2cc9fc","output_index":0,"part":{"annotations":[],"logprobs":[],"text":"","type":"output_text"},"type":"response.content_p` and 11 more bytes
=== delta-before-start/part-never-added
an event is of a part that was never added
  where: openai_responses, event #4, byte 2411
  expected: a part that was added: there is none yet
  found: `response.output_text.delta`
=== delta-before-start/call-never-added
an event is of no open item
  where: openai_responses, event #3, byte 2172
  expected: an item that was added: there is none yet
  found: `{"delta":"{\\"a\\": \\"é","item_id":"fc_a157acc7d2b97fe7016a85bee4618050f038e90bccdb2cc9fc","output_index":0,"type":"response.function_call_arguments.delta"}`
=== duplicate-message-start/same-id
an event came out of order
  where: openai_responses, event #6, byte 2874
  expected: more of the output_text of item 0, or its end
  found: `response.created`
  help: two answers may have been joined; each needs an accumulator of its own
=== duplicate-message-start/different-id
an event came out of order
  where: openai_responses, event #6, byte 2874
  expected: more of the output_text of item 0, or its end
  found: `response.created`
  help: two answers may have been joined; each needs an accumulator of its own
=== duplicate-message-start/no-start
the member `response.id` has a wrong type or value
  where: openai_responses, event #11, byte 4088
  expected: `resp_a157acc7d2b97fe7016a85bee461b4d3b3e9c0287ce3df71a5`, as before
  found: `"resp_othera157acc7d2b97fe7016a85bee461b4d3b3e9c0287ce3df71a5"`
  help: two answers may have been joined; each needs an accumulator of its own
=== delta-after-stop/text-done
the member `text` has a wrong type or value
  where: openai_responses, event #7, byte 3084
  expected: the deltas joined, `Hé you`
  found: `"Hé you there"`
=== delta-after-stop/item-done
an event is of no open item
  where: openai_responses, event #11, byte 4088
  expected: no more of item 0, which is done
  found: `{"content_index":0,"delta":" there","item_id":"msg_a157acc7d2b97fe7016a85bee4618050f038e90bccdb2cc9fc","logprobs":[],"output_index":0,"type":"response.output_text.delta"}`
=== delta-after-stop/arguments-done
a part goes on behind its end
  where: openai_responses, event #8, byte 3273
  expected: no more of a part that was done
  found: `response.function_call_arguments.delta`
=== delta-after-stop/after-terminal
an event came out of order
  where: openai_responses, event #12, byte 5554
  expected: the end of the stream
  found: `response.output_text.delta`
=== delta-after-stop/item-after-terminal
an event came out of order
  where: openai_responses, event #12, byte 5554
  expected: the end of the stream
  found: `response.output_item.added`
=== block-not-closed/text
the answer is about to end and item 0 is not done
  where: openai_responses, event #8, byte 3296
  expected: more of the output_text of item 0, or its end
  found: `response.completed`
=== block-not-closed/item
the answer is about to end and item 0 is not done
  where: openai_responses, event #10, byte 3777
  expected: more of item 0, or response.output_item.done
  found: `response.completed`
=== block-not-closed/part
item 0 is done and its output_text has no end
  where: openai_responses, event #8, byte 3296
  expected: more of the output_text of item 0, or its end
  found: `response.output_item.done`
=== block-not-closed/tool
the answer is about to end and item 0 is not done
  where: openai_responses, event #7, byte 3047
  expected: more of the arguments of item 0, or its end
  found: `response.completed`
=== block-not-closed/arguments
item 0 is done and its arguments have no end
  where: openai_responses, event #7, byte 3047
  expected: more of the arguments of item 0, or its end
  found: `response.output_item.done`
=== eof-before-terminal/after-start
the answer ended before `response.completed`
  where: openai_responses, event #2, byte 1082
  expected: response.output_item.added of item 0, or response.completed
  found: the end of the stream, after 1 event
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== eof-before-terminal/after-0
the answer ended before `response.completed`
  where: openai_responses, event #5, byte 2665
  expected: more of the output_text of item 0, or its end
  found: the end of the stream, after 4 events
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== eof-before-terminal/after-1
the answer ended before `response.completed`
  where: openai_responses, event #6, byte 2874
  expected: more of the output_text of item 0, or its end
  found: the end of the stream, after 5 events
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== eof-before-terminal/after-all
the answer ended before `response.completed`
  where: openai_responses, event #8, byte 3296
  expected: more of the output_text of item 0, or its end
  found: the end of the stream, after 7 events
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== eof-before-terminal/after-item
the answer ended before `response.completed`
  where: openai_responses, event #11, byte 4088
  expected: response.output_item.added of item 1, or response.completed
  found: the end of the stream, after 10 events
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== eof-before-terminal/open-tool-call
the answer ended before `response.completed`
  where: openai_responses, event #6, byte 2846
  expected: more of the arguments of item 0, or its end
  found: the end of the stream, after 5 events
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== eof-before-terminal/whole-tool-call
the answer ended before `response.completed`
  where: openai_responses, event #9, byte 3553
  expected: response.output_item.added of item 1, or response.completed
  found: the end of the stream, after 8 events
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== eof-mid-event/field-name
the body is not a whole event stream
  where: openai_responses, event #6, byte 2877
  expected: more of the output_text of item 0, or its end
  found: the end of the body, inside an event
=== eof-mid-event/json
the body is not a whole event stream
  where: openai_responses, event #6, byte 2924
  expected: more of the output_text of item 0, or its end
  found: the end of the body, inside an event
=== eof-mid-event/character
the body is not a whole event stream
  where: openai_responses, event #5, byte 2771
  expected: more of the output_text of item 0, or its end
  found: the end of the body, inside an event
=== eof-mid-event/first-event
the body is not a whole event stream
  where: openai_responses, event #1, byte 24
  expected: response.created
  found: the end of the body, inside an event
=== chunked-abort/event-boundary
the answer ended before `response.completed`
  where: openai_responses, event #7, byte 3084
  expected: more of the output_text of item 0, or its end
  found: the end of the stream, after 6 events
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== chunked-abort/inside-event
the body is not a whole event stream
  where: openai_responses, event #5, byte 2698
  expected: more of the arguments of item 0, or its end
  found: the end of the body, inside an event
=== chunked-abort/content-length
the body is not a whole event stream
  where: openai_responses, event #11, byte 5553
  expected: response.output_item.added of item 1, or response.completed
  found: the end of the body, inside an event
=== reset-mid-stream/after-head
the answer ended before `response.completed`
  where: openai_responses, event #1, byte 0
  expected: response.created
  found: the end of the stream, after 0 events
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== reset-mid-stream/after-events
the answer ended before `response.completed`
  where: openai_responses, event #8, byte 3273
  expected: more of item 0, or response.output_item.done
  found: the end of the stream, after 7 events
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== terminal-frame-cut/missing
the answer ended before `response.completed`
  where: openai_responses, event #9, byte 3553
  expected: response.output_item.added of item 1, or response.completed
  found: the end of the stream, after 8 events
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== terminal-frame-cut/cut
the body is not a whole event stream
  where: openai_responses, event #11, byte 4128
  expected: response.output_item.added of item 1, or response.completed
  found: the end of the body, inside an event
=== eof-no-final-blank/after-line-end
the body is not a whole event stream
  where: openai_responses, event #11, byte 5553
  expected: response.output_item.added of item 1, or response.completed
  found: the end of the body, inside an event
=== eof-no-final-blank/after-brace
the body is not a whole event stream
  where: openai_responses, event #11, byte 5552
  expected: response.output_item.added of item 1, or response.completed
  found: the end of the body, inside an event
=== malformed-json-event/cut-object
the data of `response.output_text.delta` is not one JSON object
  where: openai_responses, event #6, byte 2874
  expected: one JSON object
  found: `{"type":"response.output_text.delta","delta":`
=== malformed-json-event/plain-text
the data of `response.output_text.delta` is not one JSON object
  where: openai_responses, event #6, byte 2874
  expected: one JSON object
  found: `upstream error`
=== malformed-json-event/html-line
the data of `response.output_text.delta` is not one JSON object
  where: openai_responses, event #6, byte 2874
  expected: one JSON object
  found: `<html>502</html>`
=== malformed-json-event/wrong-top-level-type
the data of `response.output_text.delta` is not one JSON object
  where: openai_responses, event #6, byte 2874
  expected: one JSON object
  found: `[1]`
=== keepalive-inside-event/in-json
the data of `response.output_text.delta` is not one JSON object
  where: openai_responses, event #6, byte 2874
  expected: one JSON object
  found: `{"type":"response.ou: keepalive`
=== error-event-mid-stream/nested
the provider reported an error
  where: openai_responses, event #6, byte 2874
  expected: more of the output_text of item 0, or its end
  found: `{"error":{"code":"server_error","message":"m","param":null,"type":"server_error"},"type":"error"}`
=== error-event-mid-stream/flat
the provider reported an error
  where: openai_responses, event #6, byte 2874
  expected: more of the output_text of item 0, or its end
  found: `{"code":"server_error","message":"m","param":null,"type":"error"}`
=== error-event-mid-stream/failed
the provider reported an error
  where: openai_responses, event #6, byte 2874
  expected: more of the output_text of item 0, or its end
  found: `{"error":{"code":"server_error","message":"m"},"id":"resp_1","status":"failed"}`
=== error-event-mid-stream/no-data
the provider reported an error
  where: openai_responses, event #6, byte 2874
  expected: more of the output_text of item 0, or its end
  found: ``
=== error-event-mid-stream/not-json
the provider reported an error
  where: openai_responses, event #6, byte 2874
  expected: more of the output_text of item 0, or its end
  found: `overloaded`
=== error-event-mid-stream/nameless
the provider reported an error
  where: openai_responses, event #6, byte 2874
  expected: more of the output_text of item 0, or its end
  found: `{"error":{"code":"server_error","message":"m","param":null,"type":"server_error"},"type":"error"}`
=== error-event-first/nested
the provider reported an error
  where: openai_responses, event #1, byte 0
  expected: response.created
  found: `{"error":{"code":"server_error","message":"m","param":null,"type":"server_error"},"type":"error"}`
=== error-event-first/flat
the provider reported an error
  where: openai_responses, event #1, byte 0
  expected: response.created
  found: `{"code":"server_error","message":"m","param":null,"type":"error"}`
=== error-event-first/failed
the provider reported an error
  where: openai_responses, event #1, byte 0
  expected: response.created
  found: `{"error":{"code":"server_error","message":"m"},"id":"resp_1","status":"failed"}`
=== html-body/whole
the body is no event stream
  where: openai_responses, byte 0
  expected: lines of an event stream
  found: `<html>\n<body>\n<h1>502 Bad Gateway</h1>\n</body>\n</html>\n`
=== html-body/mid-stream
the data of an event is not one JSON object
  where: openai_responses, event #6, byte 2874
  expected: one JSON object
  found: `<html><body><h1>502 Bad Gateway</h1></body></html>`
=== error-json-200/error
the provider reported an error
  where: openai_responses, byte 0
  expected: a response
  found: `{"error":{"code":"server_is_overloaded","message":"The server is currently overloaded with other requests. Sorry about that! You can retry your request.","param":null,"type":"service_unavailable_error` and 3 more bytes
=== json-instead-of-sse/whole
the body is no event stream
  where: openai_responses, byte 0
  expected: lines of an event stream
  found: `{\n  "id": "resp_a157acc7d2b97fe7016a85bee461b4d3b3e9c0287ce3df71a5",\n  "object": "response",\n  "created_at": 1787150052,\n  "status": "completed",\n  "background": false,\n  "billing": {\n    "payer": "de` and 1744 more bytes
  help: this is a whole JSON answer; read it with `accumulate_json`
=== empty-body/zero-bytes
the answer ended before `response.completed`
  where: openai_responses, event #1, byte 0
  expected: response.created
  found: the end of the stream, after 0 events
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== empty-body/only-comments
the answer ended before `response.completed`
  where: openai_responses, event #1, byte 13
  expected: response.created
  found: the end of the stream, after 0 events
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== tool-args-invalid-json/bad-escape
the arguments of the tool call `f` are not JSON
  where: openai_responses, event #8, byte 3273
  expected: one JSON document, when the fragments are joined
  found: `{"a": "é", "n": \\q}`
  help: this is not the call that the model meant; it must not be run
=== tool-args-invalid-json/stray-quote
the arguments of the tool call `f` are not JSON
  where: openai_responses, event #8, byte 3277
  expected: one JSON document, when the fragments are joined
  found: `{"a": "é", "n": 9"97}`
  help: this is not the call that the model meant; it must not be run
=== tool-args-invalid-json/two-objects
the arguments of the tool call `f` are not JSON
  where: openai_responses, event #8, byte 3277
  expected: one JSON document, when the fragments are joined
  found: `{"a": "é", "n": 997}{}`
  help: this is not the call that the model meant; it must not be run
=== tool-args-truncated/prefix
the arguments of the tool call `f` are not JSON
  where: openai_responses, event #8, byte 3269
  expected: one JSON document, when the fragments are joined
  found: `{"a": "é", "n": 99`
  help: this is not the call that the model meant; it must not be run
=== tool-args-truncated/lost-fragment
the member `arguments` has a wrong type or value
  where: openai_responses, event #6, byte 2839
  expected: the deltas joined, `{"a": "é997}`
  found: `"{\\"a\\": \\"é\\", \\"n\\": 997}"`
=== tool-args-duplicated/then-whole
the member `arguments` has a wrong type or value
  where: openai_responses, event #8, byte 3271
  expected: the deltas joined, `{"a": "é", "n": 997}{"a": "é", "n": 997}`
  found: `"{\\"a\\": \\"é\\", \\"n\\": 997}"`
=== tool-name-missing/name
the member `item.name` has a wrong type or value
  where: openai_responses, event #8, byte 3272
  expected: a string that is not empty
  found: `""`
=== tool-name-missing/id
the member `item.call_id` has a wrong type or value
  where: openai_responses, event #8, byte 3269
  expected: a string
  found: `null`
=== length-cut-tool-call/half
the arguments of the tool call `f` are not JSON
  where: openai_responses, event #8, byte 3267
  expected: one JSON document, when the fragments are joined
  found: `{"a": "é", "n": 9`
  help: this is not the call that the model meant; it must not be run
=== invalid-utf8/lone-continuation
the body is not a whole event stream
  where: openai_responses, event #5, byte 2770
  expected: more of the output_text of item 0, or its end
  found: a line that is not UTF-8
"#;
