//! The stub's own bytes, damaged as the catalogue of faults has it: every malign kind that asks something of this API
//! is refused with the message pinned here. Benign kinds are beside the accumulator.

use llm_wire_stub::*;

use crate::{
    API,
    malign::{Case, assert_kinds, assert_messages},
};

/// A name of the catalogue's families that stands for this API.
const FAMILY: &str = "C";

/// Text in three deltas: `Hé`, ` you`, ` there`. Events: the role, 1 to 3 are the deltas, the finish_reason, the usage,
/// `[DONE]`.
fn text_turn() -> Turn {
    Turn::new().text("Hé you there").model("m").plain()
}

/// A call in three fragments: `{"a": "é`, `", "n": `, `997}`. Events: the role with id and name, 1 to 3 are the
/// fragments, the finish_reason, the usage, `[DONE]`.
fn tool_turn() -> Turn {
    Turn::new()
        .tool_call_with_id("call_1", "f", Arguments::raw(r#"{"a": "é", "n": 997}"#))
        .fragments(Fragments::size(8))
        .model("m")
        .plain()
}

fn events(turn: &Turn) -> Vec<String> {
    let body = String::from_utf8(sse_body(API, turn).to_vec()).unwrap();
    body.split_inclusive("\n\n").map(str::to_owned).collect()
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

/// The body with `from` replaced, which has to be there.
#[track_caller]
fn replaced(turn: &Turn, from: &str, to: &str) -> Vec<u8> {
    let body = events(turn).concat();
    assert!(body.contains(from), "no `{from}` in `{body}`");
    body.replace(from, to).into()
}

#[rustfmt::skip]
fn ends() -> Vec<Case> {
    let (text, tool) = (text_turn(), tool_turn());
    let mut in_character = cut(&text, 1, events(&text)[1].find('é').unwrap());
    in_character.push(0xc3);
    vec![
        ("eof-before-terminal/after-0", cut(&text, 1, 0)),
        ("eof-before-terminal/after-1", cut(&text, 2, 0)),
        ("eof-before-terminal/after-all", cut(&text, 4, 0)),
        ("eof-before-terminal/open-tool-call", cut(&tool, 3, 0)),
        ("eof-before-terminal/done-without-finish", edited(&text, |events| drop(events.drain(4..6)))),
        ("eof-mid-event/field-name", cut(&text, 2, 3)),
        ("eof-mid-event/json", cut(&text, 2, 50)),
        ("eof-mid-event/character", in_character),
        ("eof-mid-event/first-event", cut(&text, 0, 24)),
        ("chunked-abort/event-boundary", cut(&text, 3, 0)),
        ("chunked-abort/inside-event", cut(&tool, 2, 60)),
        ("reset-mid-stream/after-head", cut(&text, 0, 0)),
        ("reset-mid-stream/after-events", cut(&tool, 4, 0)),
        ("empty-body/zero-bytes", Vec::new()),
        ("empty-body/only-comments", b": keepalive\n\n".to_vec()),
    ]
}

const ERROR: &str = r#"{"error":{"message":"m","type":"server_error","param":null,"code":null}}"#;

#[rustfmt::skip]
fn errors() -> Vec<Case> {
    let text = text_turn();
    let then = |event: &str| {
        edited(&text, |events| {
            events.truncate(2);
            events.push(format!("{event}\n\n"));
        })
    };
    let data = |data: &str| then(&format!("data: {data}"));
    let page = "<html>\n<body>\n<h1>502 Bad Gateway</h1>\n</body>\n</html>\n";
    vec![
        ("malformed-json-event/cut-object", data(r#"{"id":"c","choices":["#)),
        ("malformed-json-event/plain-text", data("upstream error")),
        ("malformed-json-event/html-line", data("<html>502</html>")),
        ("malformed-json-event/wrong-top-level-type", data("[1]")),
        ("keepalive-as-data/colon", data(": keepalive")),
        ("keepalive-inside-event/in-json", edited(&text, |events| events[2].insert_str(30, ": keepalive\n\n"))),
        ("error-event-mid-stream/data", data(ERROR)),
        ("error-event-mid-stream/then-done", data(&format!("{ERROR}\n\ndata: [DONE]"))),
        ("error-event-mid-stream/named", then(&format!("event: error\ndata: {ERROR}"))),
        ("error-event-mid-stream/no-data", then("event: error\ndata:")),
        ("error-event-mid-stream/not-json", then("event: error\ndata: overloaded")),
        ("error-event-mid-stream/finish-reason", data(r#"{"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}"#)),
        ("error-event-mid-stream/beside-choices", data(r#"{"choices":[],"error":{"code":502,"message":"m"}}"#)),
        ("error-event-first/data", format!("data: {ERROR}\n\n").into()),
        ("html-body/whole", page.into()),
        ("html-body/mid-stream", data(&page.replace('\n', ""))),
        ("error-json-200/error", error_body(API, &ApiError::overloaded()).to_vec()),
        ("json-instead-of-sse/whole", json_body(API, &text).to_vec()),
    ]
}

#[rustfmt::skip]
fn calls() -> Vec<Case> {
    let (text, tool) = (text_turn(), tool_turn());
    let cut_by_limit = tool_turn().stop_reason(StopReason::MaxTokens);
    vec![
        ("tool-args-invalid-json/bad-escape", replaced(&tool, "997}", r"\\q}")),
        ("tool-args-invalid-json/stray-quote", replaced(&tool, "997}", r#"9\"97}"#)),
        ("tool-args-invalid-json/two-objects", replaced(&tool, "997}", "997}{}")),
        ("tool-args-truncated/prefix", replaced(&tool, "997}", "99")),
        ("tool-args-truncated/lost-fragment", edited(&tool, |events| drop(events.remove(3)))),
        ("tool-args-duplicated/then-whole", replaced(&tool, "997}", r#"997}{\"a\": \"é\", \"n\": 997}"#)),
        ("tool-args-object/object", replaced(&tool, r#""arguments":"997}""#, r#""arguments":{"n":997}"#)),
        ("tool-name-missing/name", replaced(&tool, r#""name":"f""#, r#""name":"""#)),
        ("tool-name-missing/id", replaced(&tool, r#""id":"call_1""#, r#""id":"""#)),
        ("length-cut-tool-call/half", replaced(&cut_by_limit, "997}", "9")),
        ("invalid-utf8/lone-continuation", {
            let mut body = events(&text).concat().into_bytes();
            let at = body.windows(2).position(|two| two == "é".as_bytes()).unwrap();
            body[at] = 0x80;
            body
        }),
    ]
}

fn malign() -> Vec<Case> {
    [ends(), errors(), calls()].concat()
}

#[test]
fn every_malign_body_is_refused_with_this_message() {
    assert_messages(API, malign(), MESSAGES);
}

/// Kinds that a client may read on at, or that have a variant that is malign.
const STRICT: [&str; 3] = [
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
    for (id, body) in malign() {
        let error = accumulate(API, &body).unwrap_err();
        let mut calls = error.partial().iter().filter_map(Part::as_tool_call);
        assert_eq!(calls.next(), None, "{id}");
    }
}

/// The case, and its message.
const MESSAGES: &str = r#"=== eof-before-terminal/after-0
the answer ended before the finish_reason of choice 0
  where: openai_chat, event #2, byte 314
  expected: a chunk of choice 0, up to its finish_reason
  found: the end of the stream, after 1 event
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== eof-before-terminal/after-1
the answer ended before the finish_reason of choice 0
  where: openai_chat, event #3, byte 597
  expected: a chunk of choice 0, up to its finish_reason
  found: the end of the stream, after 2 events
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== eof-before-terminal/after-all
the answer ended before the finish_reason of choice 0
  where: openai_chat, event #5, byte 1167
  expected: a chunk of choice 0, up to its finish_reason
  found: the end of the stream, after 4 events
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== eof-before-terminal/open-tool-call
the answer ended before the finish_reason of choice 0
  where: openai_chat, event #4, byte 1081
  expected: a chunk of choice 0, up to its finish_reason
  found: the end of the stream, after 3 events
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== eof-before-terminal/done-without-finish
the answer is done and a choice has no finish_reason
  where: openai_chat, event #5, byte 1167
  expected: a chunk of choice 0, up to its finish_reason
  found: `[DONE]`
=== eof-mid-event/field-name
the body is not a whole event stream
  where: openai_chat, event #3, byte 600
  expected: a chunk of choice 0, up to its finish_reason
  found: the end of the body, inside an event
=== eof-mid-event/json
the body is not a whole event stream
  where: openai_chat, event #3, byte 647
  expected: a chunk of choice 0, up to its finish_reason
  found: the end of the body, inside an event
=== eof-mid-event/character
the body is not a whole event stream
  where: openai_chat, event #2, byte 539
  expected: a chunk of choice 0, up to its finish_reason
  found: the end of the body, inside an event
=== eof-mid-event/first-event
the body is not a whole event stream
  where: openai_chat, event #1, byte 24
  expected: a chunk with a choice
  found: the end of the body, inside an event
=== chunked-abort/event-boundary
the answer ended before the finish_reason of choice 0
  where: openai_chat, event #4, byte 881
  expected: a chunk of choice 0, up to its finish_reason
  found: the end of the stream, after 3 events
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== chunked-abort/inside-event
the body is not a whole event stream
  where: openai_chat, event #3, byte 808
  expected: a chunk of choice 0, up to its finish_reason
  found: the end of the body, inside an event
=== reset-mid-stream/after-head
the answer ended before the finish_reason of choice 0
  where: openai_chat, event #1, byte 0
  expected: a chunk with a choice
  found: the end of the stream, after 0 events
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== reset-mid-stream/after-events
the answer ended before the finish_reason of choice 0
  where: openai_chat, event #5, byte 1407
  expected: a chunk of choice 0, up to its finish_reason
  found: the end of the stream, after 4 events
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== empty-body/zero-bytes
the answer ended before the finish_reason of choice 0
  where: openai_chat, event #1, byte 0
  expected: a chunk with a choice
  found: the end of the stream, after 0 events
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== empty-body/only-comments
the answer ended before the finish_reason of choice 0
  where: openai_chat, event #1, byte 13
  expected: a chunk with a choice
  found: the end of the stream, after 0 events
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== malformed-json-event/cut-object
the data of an event is not one JSON object
  where: openai_chat, event #3, byte 597
  expected: one JSON object, or [DONE]
  found: `{"id":"c","choices":[`
=== malformed-json-event/plain-text
the data of an event is not one JSON object
  where: openai_chat, event #3, byte 597
  expected: one JSON object, or [DONE]
  found: `upstream error`
=== malformed-json-event/html-line
the data of an event is not one JSON object
  where: openai_chat, event #3, byte 597
  expected: one JSON object, or [DONE]
  found: `<html>502</html>`
=== malformed-json-event/wrong-top-level-type
the data of an event is not one JSON object
  where: openai_chat, event #3, byte 597
  expected: one JSON object, or [DONE]
  found: `[1]`
=== keepalive-as-data/colon
the data of an event is not one JSON object
  where: openai_chat, event #3, byte 597
  expected: one JSON object, or [DONE]
  found: `: keepalive`
=== keepalive-inside-event/in-json
the data of an event is not one JSON object
  where: openai_chat, event #3, byte 597
  expected: one JSON object, or [DONE]
  found: `{"id":"chatcmpl-k62izWYl: keepalive`
=== error-event-mid-stream/data
the provider reported an error
  where: openai_chat, event #3, byte 597
  expected: a chunk of choice 0, up to its finish_reason
  found: `{"error":{"code":null,"message":"m","param":null,"type":"server_error"}}`
=== error-event-mid-stream/then-done
the provider reported an error
  where: openai_chat, event #3, byte 597
  expected: a chunk of choice 0, up to its finish_reason
  found: `{"error":{"code":null,"message":"m","param":null,"type":"server_error"}}`
=== error-event-mid-stream/named
the provider reported an error
  where: openai_chat, event #3, byte 597
  expected: a chunk of choice 0, up to its finish_reason
  found: `{"error":{"code":null,"message":"m","param":null,"type":"server_error"}}`
=== error-event-mid-stream/no-data
the provider reported an error
  where: openai_chat, event #3, byte 597
  expected: a chunk of choice 0, up to its finish_reason
  found: ``
=== error-event-mid-stream/not-json
the provider reported an error
  where: openai_chat, event #3, byte 597
  expected: a chunk of choice 0, up to its finish_reason
  found: `overloaded`
=== error-event-mid-stream/finish-reason
the provider reported an error
  where: openai_chat, event #3, byte 597
  expected: the end of a choice
  found: `{"delta":{},"finish_reason":"error","index":0}`
=== error-event-mid-stream/beside-choices
the provider reported an error
  where: openai_chat, event #3, byte 597
  expected: a chunk of choice 0, up to its finish_reason
  found: `{"choices":[],"error":{"code":502,"message":"m"}}`
=== error-event-first/data
the provider reported an error
  where: openai_chat, event #1, byte 0
  expected: a chunk with a choice
  found: `{"error":{"code":null,"message":"m","param":null,"type":"server_error"}}`
=== html-body/whole
the body is no event stream
  where: openai_chat, byte 0
  expected: lines of an event stream
  found: `<html>\n<body>\n<h1>502 Bad Gateway</h1>\n</body>\n</html>\n`
=== html-body/mid-stream
the data of an event is not one JSON object
  where: openai_chat, event #3, byte 597
  expected: one JSON object, or [DONE]
  found: `<html><body><h1>502 Bad Gateway</h1></body></html>`
=== error-json-200/error
the provider reported an error
  where: openai_chat, byte 0
  expected: a chat.completion
  found: `{"error":{"code":"server_is_overloaded","message":"The server is currently overloaded with other requests. Sorry about that! You can retry your request.","param":null,"type":"service_unavailable_error` and 3 more bytes
=== json-instead-of-sse/whole
the body is no event stream
  where: openai_chat, byte 0
  expected: lines of an event stream
  found: `{\n  "id": "chatcmpl-k62izWYluNl6yvjcTjtJ0b7hKrjsx",\n  "object": "chat.completion",\n  "created": 1787150052,\n  "model": "m",\n  "choices": [\n    {\n      "index": 0,\n      "message": {\n        "role": "a` and 598 more bytes
  help: this is a whole JSON answer; read it with `accumulate_json`
=== tool-args-invalid-json/bad-escape
the arguments of `f` are not JSON: expected value at line 1 column 18
  where: openai_chat, event #7, byte 2139
  expected: one JSON document
  found: `{"a": "é", "n": \\q}`
  help: a half call must not be run; what came is in `partial()`
=== tool-args-invalid-json/stray-quote
the arguments of `f` are not JSON: expected `,` or `}` at line 1 column 19
  where: openai_chat, event #7, byte 2141
  expected: one JSON document
  found: `{"a": "é", "n": 9"97}`
  help: a half call must not be run; what came is in `partial()`
=== tool-args-invalid-json/two-objects
the arguments of `f` are not JSON: trailing characters at line 1 column 22
  where: openai_chat, event #7, byte 2141
  expected: one JSON document
  found: `{"a": "é", "n": 997}{}`
  help: a half call must not be run; what came is in `partial()`
=== tool-args-truncated/prefix
the arguments of `f` are not JSON: EOF while parsing an object at line 1 column 19
  where: openai_chat, event #7, byte 2137
  expected: one JSON document
  found: `{"a": "é", "n": 99`
  help: a half call must not be run; what came is in `partial()`
=== tool-args-truncated/lost-fragment
the arguments of `f` are not JSON: EOF while parsing a value at line 1 column 17
  where: openai_chat, event #6, byte 1813
  expected: one JSON document
  found: `{"a": "é", "n": `
  help: a half call must not be run; what came is in `partial()`
=== tool-args-duplicated/then-whole
the arguments of `f` are not JSON: trailing characters at line 1 column 22
  where: openai_chat, event #7, byte 2166
  expected: one JSON document
  found: `{"a": "é", "n": 997}{"a": "é", "n": 997}`
  help: a half call must not be run; what came is in `partial()`
=== tool-args-object/object
the member `choices[0].delta.tool_calls[0].function.arguments` has a wrong type or value
  where: openai_chat, event #4, byte 1081
  expected: a string or null
  found: `{"n":997}`
=== tool-name-missing/name
a tool call ended and its `choices[0].delta.tool_calls[0].function.name` did not come
  where: openai_chat, event #7, byte 2138
  expected: a string that is not empty
  found: `{"a": "é", "n": 997}`
=== tool-name-missing/id
a tool call ended and its `choices[0].delta.tool_calls[0].id` did not come
  where: openai_chat, event #7, byte 2133
  expected: a string that is not empty
  found: `{"a": "é", "n": 997}`
=== length-cut-tool-call/half
the arguments of `f` are not JSON: EOF while parsing an object at line 1 column 18
  where: openai_chat, event #7, byte 2132
  expected: one JSON document
  found: `{"a": "é", "n": 9`
  help: a half call must not be run; what came is in `partial()`
=== invalid-utf8/lone-continuation
the body is not a whole event stream
  where: openai_chat, event #2, byte 538
  expected: a chunk of choice 0, up to its finish_reason
  found: a line that is not UTF-8
"#;
