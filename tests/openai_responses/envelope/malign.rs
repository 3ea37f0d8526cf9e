//! Bodies that are refused, each with its message.

use super::*;
use crate::malign::{Case, assert_kinds, assert_messages};

/// The case, and its message.
const MESSAGES: &str = include_str!("malign.txt");

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
    assert_messages(API, malign(), MESSAGES);
}

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
    assert_kinds(FAMILY, &malign(), &STRICT);
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
