//! Answers that are wrong: each message whole, with its kind and its place.

use serde_json::json;

use super::{tests::*, *};
use crate::api::accumulate_json;

/// The answer with one event more at `at`.
fn with(at: usize, event: Value) -> String {
    let mut events = text_answer();
    events.insert(at, event);
    numbered(&events)
}

/// The answer without the event at `at`.
fn without(at: usize) -> String {
    let mut events = text_answer();
    events.remove(at);
    numbered(&events)
}

/// The answer with the member at this path of the event at `at` changed.
fn changed(at: usize, path: &str, value: impl Into<Value>) -> String {
    numbered(&changed_events(text_answer(), at, path, value.into()))
}

fn changed_events(mut events: Vec<Value>, at: usize, path: &str, value: Value) -> Vec<Value> {
    let (parent, name) = path.rsplit_once('/').unwrap();
    events[at].pointer_mut(parent).unwrap()[name] = value;
    events
}

/// The same of the answer that calls a tool.
fn changed_call(at: usize, path: &str, value: impl Into<Value>) -> String {
    numbered(&changed_events(
        call_answer(&["{}"]),
        at,
        path,
        value.into(),
    ))
}

/// The answer up to the event at `at`.
fn up_to(at: usize) -> String {
    numbered(&text_answer()[..at])
}

/// What is wrong, in a word, and the answer: the order of events.
fn out_of_order() -> Vec<(&'static str, String)> {
    vec![
        ("item before created", numbered(&text_answer()[1..])),
        ("created twice", with(3, created())),
        ("another id", changed(8, "/response/id", "resp_2")),
        (
            "queued behind in_progress",
            numbered(&[
                created(),
                json!({"type": "response.in_progress", "response": {"id": "resp_1"}}),
                json!({"type": "response.queued", "response": {"id": "resp_1"}}),
            ]),
        ),
        (
            "output at the start",
            changed(0, "/response/output", json!([{}])),
        ),
        ("no id", changed(0, "/response/id", json!(null))),
        (
            "number",
            body(&[
                json!({"type": "response.created", "sequence_number": 1, "response": {"id": "resp_1"}}),
            ]),
        ),
        (
            "number twice",
            body(&[
                json!({"type": "response.created", "sequence_number": 0, "response": {"id": "resp_1"}}),
                json!({"type": "keepalive", "sequence_number": 0}),
            ]),
        ),
    ]
}

/// Events of no item, or of no part.
fn of_nothing_open() -> Vec<(&'static str, String)> {
    vec![
        (
            "delta of an item never added",
            changed(3, "/output_index", 1),
        ),
        (
            "delta with no item",
            numbered(&[created(), of_text("output_text.delta", "delta", "x")]),
        ),
        ("delta of another id", changed(3, "/item_id", "msg_2")),
        ("delta of id never added", {
            let mut events = text_answer();
            events[3].as_object_mut().unwrap().remove("output_index");
            numbered(&changed_events(events, 3, "/item_id", json!("msg_2")))
        }),
        ("delta of a part never added", without(2)),
        ("delta of another part", changed(3, "/content_index", 1)),
        ("part out of turn", changed(2, "/content_index", 1)),
        ("item out of turn", changed(1, "/output_index", 1)),
        (
            "delta behind done",
            with(6, of_text("output_text.delta", "delta", "x")),
        ),
        (
            "delta behind part done",
            with(7, of_text("output_text.delta", "delta", "x")),
        ),
        (
            "delta behind item done",
            with(8, of_text("output_text.delta", "delta", "x")),
        ),
        (
            "delta behind the end",
            with(9, of_text("output_text.delta", "delta", "x")),
        ),
        (
            "done twice",
            with(6, of_text("output_text.done", "text", "Hé")),
        ),
        (
            "refusal delta in a text",
            with(4, of_text("refusal.delta", "delta", "x")),
        ),
        (
            "arguments of a message",
            with(4, arguments("delta", "delta", "{}")),
        ),
        (
            "summary part of a message",
            with(
                2,
                json!({"type": "response.reasoning_summary_part.added", "output_index": 0, "part": {"type": "summary_text"}}),
            ),
        ),
        (
            "status of another",
            with(
                2,
                json!({"type": "response.mcp_call.in_progress", "output_index": 0}),
            ),
        ),
    ]
}

/// Texts, items and responses that do not say what was streamed.
fn unlike_the_stream() -> Vec<(&'static str, String)> {
    vec![
        ("lost delta", without(3)),
        ("no text done", {
            let mut e = text_answer();
            e.remove(5);
            e.remove(5);
            numbered(&e)
        }),
        ("part says another", changed(6, "/part/text", "Hx")),
        ("part is another", changed(6, "/part/type", "refusal")),
        (
            "item says another",
            changed(7, "/item/content/0/text", "Hx"),
        ),
        (
            "item has more parts",
            changed(7, "/item/content", json!([])),
        ),
        (
            "item has annotations",
            changed(7, "/item/content/0/annotations", json!([{}])),
        ),
        (
            "item of another type",
            changed(7, "/item/type", "reasoning"),
        ),
        ("item of another id", changed(7, "/item/id", "msg_2")),
        (
            "item full at start",
            changed(1, "/item/content", json!([{}])),
        ),
        ("output lacks it", changed(8, "/response/output", json!([]))),
        (
            "output says another",
            changed(8, "/response/output/0/content/0/text", "Hx"),
        ),
        ("status", changed(8, "/response/status", "failed")),
        ("item not done", without(7)),
    ]
}

/// Ends that are missing, and events that cannot be read.
fn unreadable() -> Vec<(&'static str, String)> {
    vec![
        ("no end", up_to(8)),
        ("no end, open", up_to(4)),
        ("nothing", String::from(": hi\n\n")),
        (
            "done without end",
            [up_to(8).as_str(), "data: [DONE]\n\n"].concat(),
        ),
        (
            "name mismatch",
            body(&text_answer()).replacen(
                "event: response.output_text.delta",
                "event: response.output_text.done",
                1,
            ),
        ),
        ("no type", changed(3, "/type", json!(null))),
        (
            "no json",
            body(&text_answer()).replacen("data: {", "data: [", 1),
        ),
        ("delta no string", changed(3, "/delta", 1)),
        ("delta null", changed(3, "/delta", json!(null))),
        (
            "number no number",
            body(&[json!({"type": "response.created", "sequence_number": "0"})]),
        ),
    ]
}

/// Calls, and errors of the provider.
fn calls_and_errors() -> Vec<(&'static str, String)> {
    vec![
        ("args cut", numbered(&call_answer(&["{\"a\"", ":"]))),
        ("args twice", numbered(&call_answer(&["{}", "{}"]))),
        ("args lost", {
            let mut e = call_answer(&["{\"a\":", "1}"]);
            e.remove(2);
            numbered(&e)
        }),
        ("args never streamed", {
            let mut e = call_answer(&["{}"]);
            e.remove(2);
            e.remove(2);
            numbered(&e)
        }),
        ("no args done", {
            let mut e = call_answer(&["{}"]);
            e.remove(3);
            numbered(&e)
        }),
        ("no name", changed_call(4, "/item/name", "")),
        ("no call id", changed_call(4, "/item/call_id", json!(null))),
        (
            "error nested",
            with(
                4,
                json!({"type": "error", "error": {"type": "insufficient_quota", "code": "insufficient_quota", "message": "m", "param": null}}),
            ),
        ),
        (
            "error flat",
            with(
                4,
                json!({"type": "error", "code": "server_error", "message": "m", "param": null}),
            ),
        ),
        (
            "error flat without code",
            with(4, json!({"type": "error", "message": "m"})),
        ),
        (
            "error named",
            [up_to(4).as_str(), "event: error\ndata: overloaded\n\n"].concat(),
        ),
        (
            "error empty",
            [up_to(4).as_str(), "event: error\ndata:\n\n"].concat(),
        ),
        (
            "error without type",
            [
                up_to(4).as_str(),
                "data: {\"error\":{\"message\":\"m\",\"code\":429}}\n\n",
            ]
            .concat(),
        ),
        (
            "failed",
            with(
                4,
                json!({"type": "response.failed", "response": {"id": "resp_1", "status": "failed", "error": {"code": "rate_limit_exceeded", "message": "m"}}}),
            ),
        ),
        (
            "failed first",
            numbered(&[json!({"type": "response.failed", "response": {"error": null}})]),
        ),
    ]
}

const WRONG_BODIES: &[&str] = &[
    r#"{"error":{"message":"m","type":"invalid_request_error","param":null,"code":"c"}}"#,
    r#"{"code":"invalid-argument","error":"bad key"}"#,
    r#"{"id":"r","object":"response","status":"failed","error":{"code":"server_error","message":"m"},"output":[]}"#,
    r#"{"id":"r","status":"in_progress","output":[]}"#,
    r#"{"id":"r","status":"cancelled","output":[]}"#,
    r#"{"id":"r","output":[]}"#,
    r#"{"id":"r","status":"completed"}"#,
    r#"{"id":"r","status":"completed","output":[1]}"#,
    r#"{"id":"r","status":"completed","output":[{}]}"#,
    r#"{"id":"r","status":"completed","output":[{"type":"message","content":[{"type":"output_text"}]}]}"#,
    r#"{"id":"r","status":"completed","output":[{"type":"message","role":"user","content":[]}]}"#,
    r#"{"id":"r","status":"completed","output":[{"type":"function_call","call_id":"c","name":"f","arguments":"{"}]}"#,
    r#"{"id":"","status":"completed","output":[]}"#,
    r#"{"object":"list"}"#,
    r#"{"id":"r","status":"completed","#,
    "event: response.created\n",
    "[]",
];

#[test]
fn each_wrong_answer_is_an_error_that_says_where_and_what() {
    let streams = [
        out_of_order(),
        of_nothing_open(),
        unlike_the_stream(),
        unreadable(),
        calls_and_errors(),
    ]
    .concat();
    let streams = streams.iter().map(|(name, body)| (*name, error(body)));
    let bodies = WRONG_BODIES.iter().map(|body| {
        let read = accumulate_json(API, body.as_bytes());
        (body.trim_end(), read.unwrap_err())
    });
    let mut messages = MESSAGES.split("=== ").skip(1);
    for (name, error) in streams.chain(bodies) {
        let found = format!("{name}\n{:?}\n{error}\n", error.kind());
        assert_eq!(Some(found.as_str()), messages.next());
    }
    assert_eq!(messages.next(), None);
}

/// A call that cannot be run: its item as it started, and its arguments so far.
fn half_call(arguments: &str) -> Part {
    let kind = "response.function_call_arguments.delta";
    let deltas = match arguments {
        "" => Vec::new(),
        said => vec![json!({"type": kind, "delta": said})],
    };
    Part::Unknown {
        block: function_call(""),
        deltas,
    }
}

#[test]
fn what_was_read_before_an_error_is_kept_and_a_half_call_is_never_a_call() {
    let text = |said: &str| Part::Text(said.to_owned());
    let answer = text_answer();
    for (upto, expected) in [
        (2, vec![]),
        (3, vec![text("")]),
        (4, vec![text("H")]),
        (6, vec![text("Hé")]),
        (8, vec![text("Hé")]),
    ] {
        let error = error(&numbered(&answer[..upto]));
        assert_eq!(error.partial(), expected, "{upto}");
    }
    let call = call_answer(&["{\"a\"", ":1}"]);
    for (upto, said) in [(2, ""), (3, "{\"a\""), (4, "{\"a\":1}"), (5, "{\"a\":1}")] {
        let error = error(&numbered(&call[..upto]));
        assert_eq!(error.partial(), [half_call(said)], "{upto}");
    }
    let whole = error(&numbered(&call[..6]));
    assert_eq!(whole.partial()[0].as_tool_call().unwrap().name, "f");
    let broken = error(&numbered(&call_answer(&["{\"a\"", ":"])));
    assert_eq!(broken.partial(), [half_call("{\"a\":")]);
}

/// What stands in the answer that is wrong; the kind of its error; its message.
const MESSAGES: &str = r#"=== item before created
UnexpectedEvent
an event came out of order
  where: openai_responses, event #1, byte 0
  expected: response.created
  found: `response.output_item.added`
=== created twice
UnexpectedEvent
an event came out of order
  where: openai_responses, event #4, byte 572
  expected: more of the output_text of item 0, or its end
  found: `response.created`
  help: two answers may have been joined; each needs an accumulator of its own
=== another id
WrongField { field: "response.id" }
the member `response.id` has a wrong type or value
  where: openai_responses, event #9, byte 1534
  expected: `resp_1`, as before
  found: `"resp_2"`
  help: two answers may have been joined; each needs an accumulator of its own
=== queued behind in_progress
UnexpectedEvent
an event came out of order
  where: openai_responses, event #3, byte 267
  expected: response.output_item.added of item 0, or response.completed
  found: `response.queued`
=== output at the start
WrongField { field: "response.output" }
the member `response.output` has a wrong type or value
  where: openai_responses, event #1, byte 0
  expected: an empty array: items have events of their own
  found: `[{}]`
=== no id
WrongField { field: "response.id" }
the member `response.id` has a wrong type or value
  where: openai_responses, event #1, byte 0
  expected: a string
  found: `null`
=== number
WrongField { field: "sequence_number" }
the member `sequence_number` has a wrong type or value
  where: openai_responses, event #1, byte 0
  expected: 0: events are numbered one by one
  found: `1`
  help: an event was lost, came twice, or came out of order
=== number twice
WrongField { field: "sequence_number" }
the member `sequence_number` has a wrong type or value
  where: openai_responses, event #2, byte 106
  expected: 1: events are numbered one by one
  found: `0`
  help: an event was lost, came twice, or came out of order
=== delta of an item never added
WrongBlock
an event is of no open item
  where: openai_responses, event #4, byte 572
  expected: an item that was added, up to 0
  found: `{"content_index":0,"delta":"H","item_id":"msg_1","output_index":1,"sequence_number":3,"type":"response.output_text.delta"}`
=== delta with no item
WrongBlock
an event is of no open item
  where: openai_responses, event #2, byte 153
  expected: an item that was added: there is none yet
  found: `{"content_index":0,"delta":"x","item_id":"msg_1","output_index":0,"sequence_number":1,"type":"response.output_text.delta"}`
=== delta of another id
WrongField { field: "item_id" }
the member `item_id` has a wrong type or value
  where: openai_responses, event #4, byte 572
  expected: `msg_1`, the id of item 0
  found: `"msg_2"`
=== delta of id never added
WrongBlock
an event is of no open item
  where: openai_responses, event #4, byte 572
  expected: the id of an item that was added
  found: `{"content_index":0,"delta":"H","item_id":"msg_2","sequence_number":3,"type":"response.output_text.delta"}`
=== delta of a part never added
WrongBlock
an event is of a part that was never added
  where: openai_responses, event #3, byte 361
  expected: a part that was added: there is none yet
  found: `response.output_text.delta`
=== delta of another part
WrongBlock
an event is of a part that was never added
  where: openai_responses, event #4, byte 572
  expected: the one part that was added, 0
  found: `response.output_text.delta`
=== part out of turn
WrongField { field: "content_index" }
the member `content_index` has a wrong type or value
  where: openai_responses, event #3, byte 361
  expected: 0: parts count up from 0
  found: `1`
=== item out of turn
WrongField { field: "output_index" }
the member `output_index` has a wrong type or value
  where: openai_responses, event #2, byte 153
  expected: 0: items count up from 0
  found: `1`
=== delta behind done
WrongBlock
a part goes on behind its end
  where: openai_responses, event #7, byte 1064
  expected: no more of a part that was done
  found: `response.output_text.delta`
=== delta behind part done
WrongBlock
a part goes on behind its end
  where: openai_responses, event #8, byte 1276
  expected: no more of a part that was done
  found: `response.output_text.delta`
=== delta behind item done
WrongBlock
an event is of no open item
  where: openai_responses, event #9, byte 1534
  expected: no more of item 0, which is done
  found: `{"content_index":0,"delta":"x","item_id":"msg_1","output_index":0,"sequence_number":8,"type":"response.output_text.delta"}`
=== delta behind the end
UnexpectedEvent
an event came out of order
  where: openai_responses, event #10, byte 1825
  expected: the end of the stream
  found: `response.output_text.delta`
=== done twice
WrongBlock
a part goes on behind its end
  where: openai_responses, event #7, byte 1064
  expected: no more of a part that was done
  found: `response.output_text.done`
=== refusal delta in a text
WrongDelta
an event does not fit its part
  where: openai_responses, event #5, byte 736
  expected: an event of the part, which is output_text
  found: `response.refusal.delta`
=== arguments of a message
WrongField { field: "item_id" }
the member `item_id` has a wrong type or value
  where: openai_responses, event #5, byte 736
  expected: `msg_1`, the id of item 0
  found: `"fc_1"`
=== summary part of a message
WrongDelta
an event does not fit its item
  where: openai_responses, event #3, byte 361
  expected: an event of item 0, which is a message, not of a reasoning
  found: `response.reasoning_summary_part.added`
=== status of another
WrongDelta
an event does not fit its item
  where: openai_responses, event #3, byte 361
  expected: an event of item 0, which is a message, not of a mcp_call
  found: `response.mcp_call.in_progress`
=== lost delta
WrongField { field: "text" }
the member `text` has a wrong type or value
  where: openai_responses, event #5, byte 737
  expected: the deltas joined, `é`
  found: `"Hé"`
=== no text done
BlockNotClosed { index: 0 }
item 0 is done and its output_text has no end
  where: openai_responses, event #6, byte 901
  expected: more of the output_text of item 0, or its end
  found: `response.output_item.done`
=== part says another
WrongField { field: "part.text" }
the member `part.text` has a wrong type or value
  where: openai_responses, event #7, byte 1064
  expected: the deltas joined, `Hé`
  found: `"Hx"`
=== part is another
WrongField { field: "part.type" }
the member `part.type` has a wrong type or value
  where: openai_responses, event #7, byte 1064
  expected: `output_text`, as it was added
  found: `"refusal"`
=== item says another
WrongField { field: "item.content[0].text" }
the member `item.content[0].text` has a wrong type or value
  where: openai_responses, event #8, byte 1276
  expected: the deltas joined, `Hé`
  found: `"Hx"`
=== item has more parts
WrongField { field: "item.content" }
the member `item.content` has a wrong type or value
  where: openai_responses, event #8, byte 1276
  expected: the 1 part that came
  found: `[]`
=== item has annotations
WrongField { field: "item.content[0].annotations" }
the member `item.content[0].annotations` has a wrong type or value
  where: openai_responses, event #8, byte 1276
  expected: no annotations: none were streamed
  found: `[{}]`
=== item of another type
WrongField { field: "item.type" }
the member `item.type` has a wrong type or value
  where: openai_responses, event #8, byte 1276
  expected: `message`, as it was added
  found: `"reasoning"`
=== item of another id
WrongField { field: "item.id" }
the member `item.id` has a wrong type or value
  where: openai_responses, event #8, byte 1276
  expected: `msg_1`, the id of item 0
  found: `"msg_2"`
=== item full at start
WrongField { field: "item.content" }
the member `item.content` has a wrong type or value
  where: openai_responses, event #2, byte 153
  expected: an empty array: its parts have events of their own
  found: `[{}]`
=== output lacks it
WrongField { field: "response.output" }
the member `response.output` has a wrong type or value
  where: openai_responses, event #9, byte 1534
  expected: the 1 item that came
  found: `[]`
=== output says another
WrongField { field: "response.output[0]" }
the item `response.output[0]` is not the one that was streamed
  where: openai_responses, event #9, byte 1534
  expected: what it said when it was done
  found: `{"content":[{"annotations":[],"text":"Hx","type":"output_text"}],"id":"msg_1","role":"assistant","status":"completed","type":"message"}`
=== status
WrongField { field: "response.status" }
the member `response.status` has a wrong type or value
  where: openai_responses, event #9, byte 1534
  expected: `completed`
  found: `"failed"`
=== item not done
BlockNotClosed { index: 0 }
the answer is about to end and item 0 is not done
  where: openai_responses, event #8, byte 1276
  expected: more of item 0, or response.output_item.done
  found: `response.completed`
=== no end
Truncated
the answer ended before `response.completed`
  where: openai_responses, event #9, byte 1534
  expected: response.output_item.added of item 1, or response.completed
  found: the end of the stream, after 8 events
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== no end, open
Truncated
the answer ended before `response.completed`
  where: openai_responses, event #5, byte 736
  expected: more of the output_text of item 0, or its end
  found: the end of the stream, after 4 events
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== nothing
Truncated
the answer ended before `response.completed`
  where: openai_responses, event #1, byte 6
  expected: response.created
  found: the end of the stream, after 0 events
  help: if the early end is scripted, expect this error; what was read is in `partial()`
=== done without end
UnexpectedEvent
an event came out of order
  where: openai_responses, event #9, byte 1534
  expected: response.output_item.added of item 1, or response.completed
  found: `[DONE]`
=== name mismatch
NameMismatch
the name of an event and the type in its data differ
  where: openai_responses, event #4, byte 512
  expected: the type response.output_text.done
  found: `response.output_text.delta`
=== no type
MissingField { field: "type" }
the member `type` is missing
  where: openai_responses, event #4, byte 572
  expected: the type of the event
  found: `{"content_index":0,"delta":"H","item_id":"msg_1","output_index":0,"sequence_number":3,"type":null}`
=== no json
MalformedJson
the data of `response.created` is not one JSON object
  where: openai_responses, event #1, byte 0
  expected: one JSON object
  found: `["response":{"id":"resp_1","model":"m","output":[],"status":"in_progress"},"type":"response.created"}`
=== delta no string
WrongField { field: "delta" }
the member `delta` has a wrong type or value
  where: openai_responses, event #4, byte 572
  expected: a string
  found: `1`
=== delta null
WrongField { field: "delta" }
the member `delta` has a wrong type or value
  where: openai_responses, event #4, byte 572
  expected: a string
  found: `null`
=== number no number
WrongField { field: "sequence_number" }
the member `sequence_number` has a wrong type or value
  where: openai_responses, event #1, byte 0
  expected: a whole number from 0 on, or null
  found: `"0"`
=== args cut
ArgumentsNotJson { name: "f", raw: "{\"a\":" }
the arguments of the tool call `f` are not JSON
  where: openai_responses, event #6, byte 878
  expected: one JSON document, when the fragments are joined
  found: `{"a":`
  help: this is not the call that the model meant; it must not be run
=== args twice
ArgumentsNotJson { name: "f", raw: "{}{}" }
the arguments of the tool call `f` are not JSON
  where: openai_responses, event #6, byte 872
  expected: one JSON document, when the fragments are joined
  found: `{}{}`
  help: this is not the call that the model meant; it must not be run
=== args lost
WrongField { field: "arguments" }
the member `arguments` has a wrong type or value
  where: openai_responses, event #4, byte 528
  expected: the deltas joined, `1}`
  found: `"{\\"a\\":1}"`
=== args never streamed
WrongField { field: "item.arguments" }
the member `item.arguments` has a wrong type or value
  where: openai_responses, event #3, byte 358
  expected: an empty string: no delta came
  found: `"{}"`
=== no args done
BlockNotClosed { index: 0 }
item 0 is done and its arguments have no end
  where: openai_responses, event #4, byte 528
  expected: more of the arguments of item 0, or its end
  found: `response.output_item.done`
=== no name
WrongField { field: "item.name" }
the member `item.name` has a wrong type or value
  where: openai_responses, event #5, byte 700
  expected: a string that is not empty
  found: `""`
=== no call id
WrongField { field: "item.call_id" }
the member `item.call_id` has a wrong type or value
  where: openai_responses, event #5, byte 700
  expected: a string
  found: `null`
=== error nested
Provider { error_type: "insufficient_quota", message: "m" }
the provider reported an error
  where: openai_responses, event #5, byte 736
  expected: more of the output_text of item 0, or its end
  found: `{"error":{"code":"insufficient_quota","message":"m","param":null,"type":"insufficient_quota"},"sequence_number":4,"type":"error"}`
=== error flat
Provider { error_type: "server_error", message: "m" }
the provider reported an error
  where: openai_responses, event #5, byte 736
  expected: more of the output_text of item 0, or its end
  found: `{"code":"server_error","message":"m","param":null,"sequence_number":4,"type":"error"}`
=== error flat without code
Provider { error_type: "error", message: "m" }
the provider reported an error
  where: openai_responses, event #5, byte 736
  expected: more of the output_text of item 0, or its end
  found: `{"message":"m","sequence_number":4,"type":"error"}`
=== error named
Provider { error_type: "error", message: "overloaded" }
the provider reported an error
  where: openai_responses, event #5, byte 736
  expected: more of the output_text of item 0, or its end
  found: `overloaded`
=== error empty
Provider { error_type: "error", message: "" }
the provider reported an error
  where: openai_responses, event #5, byte 736
  expected: more of the output_text of item 0, or its end
  found: ``
=== error without type
Provider { error_type: "429", message: "m" }
the provider reported an error
  where: openai_responses, event #5, byte 736
  expected: more of the output_text of item 0, or its end
  found: `{"error":{"code":429,"message":"m"}}`
=== failed
Provider { error_type: "rate_limit_exceeded", message: "m" }
the provider reported an error
  where: openai_responses, event #5, byte 736
  expected: more of the output_text of item 0, or its end
  found: `{"error":{"code":"rate_limit_exceeded","message":"m"},"id":"resp_1","status":"failed"}`
=== failed first
Provider { error_type: "failed", message: "" }
the provider reported an error
  where: openai_responses, event #1, byte 0
  expected: response.created
  found: `{"error":null}`
=== {"error":{"message":"m","type":"invalid_request_error","param":null,"code":"c"}}
Provider { error_type: "invalid_request_error", message: "m" }
the provider reported an error
  where: openai_responses, byte 0
  expected: a response
  found: `{"error":{"code":"c","message":"m","param":null,"type":"invalid_request_error"}}`
=== {"code":"invalid-argument","error":"bad key"}
Provider { error_type: "invalid-argument", message: "bad key" }
the provider reported an error
  where: openai_responses, byte 0
  expected: a response
  found: `{"code":"invalid-argument","error":"bad key"}`
=== {"id":"r","object":"response","status":"failed","error":{"code":"server_error","message":"m"},"output":[]}
Provider { error_type: "server_error", message: "m" }
the provider reported an error
  where: openai_responses, byte 0
  expected: a response that did not fail
  found: `{"error":{"code":"server_error","message":"m"},"id":"r","object":"response","output":[],"status":"failed"}`
=== {"id":"r","status":"in_progress","output":[]}
WrongField { field: "status" }
the member `status` has a wrong type or value
  where: openai_responses, byte 0
  expected: `completed` or `incomplete`
  found: `"in_progress"`
  help: the answer is still being made; ask for it again until it is done
=== {"id":"r","status":"cancelled","output":[]}
WrongField { field: "status" }
the member `status` has a wrong type or value
  where: openai_responses, byte 0
  expected: `completed`, `incomplete` or `failed`
  found: `"cancelled"`
=== {"id":"r","output":[]}
MissingField { field: "status" }
the member `status` is missing
  where: openai_responses, byte 0
  expected: `completed`, `incomplete` or `failed`
  found: `{"id":"r","output":[]}`
=== {"id":"r","status":"completed"}
MissingField { field: "output" }
the member `output` is missing
  where: openai_responses, byte 0
  expected: an array
  found: `{"id":"r","status":"completed"}`
=== {"id":"r","status":"completed","output":[1]}
WrongField { field: "output" }
the member `output` has a wrong type or value
  where: openai_responses, byte 0
  expected: an array of objects
  found: `[1]`
=== {"id":"r","status":"completed","output":[{}]}
MissingField { field: "output[0].type" }
the member `output[0].type` is missing
  where: openai_responses, byte 0
  expected: a string
  found: `{}`
=== {"id":"r","status":"completed","output":[{"type":"message","content":[{"type":"output_text"}]}]}
MissingField { field: "output[0].content[0].text" }
the member `output[0].content[0].text` is missing
  where: openai_responses, byte 0
  expected: a string
  found: `{"type":"output_text"}`
=== {"id":"r","status":"completed","output":[{"type":"message","role":"user","content":[]}]}
WrongField { field: "output[0].role" }
the member `output[0].role` has a wrong type or value
  where: openai_responses, byte 0
  expected: `assistant`
  found: `"user"`
=== {"id":"r","status":"completed","output":[{"type":"function_call","call_id":"c","name":"f","arguments":"{"}]}
ArgumentsNotJson { name: "f", raw: "{" }
the arguments of the tool call `f` are not JSON
  where: openai_responses, byte 0
  expected: one JSON document, when the fragments are joined
  found: `{`
  help: this is not the call that the model meant; it must not be run
=== {"id":"","status":"completed","output":[]}
WrongField { field: "id" }
the member `id` has a wrong type or value
  where: openai_responses, byte 0
  expected: a string that is not empty
  found: `""`
=== {"object":"list"}
WrongField { field: "object" }
the member `object` has a wrong type or value
  where: openai_responses, byte 0
  expected: `response`
  found: `"list"`
=== {"id":"r","status":"completed",
Truncated
the JSON body ended too early
  where: openai_responses, byte 31
  expected: one JSON object
  found: `{"id":"r","status":"completed",`
=== event: response.created
MalformedJson
the body is not one JSON object
  where: openai_responses, byte 0
  expected: one JSON object
  found: `event: response.created\n`
  help: this is an event stream; read it with `accumulate`
=== []
MalformedJson
the body is not one JSON object
  where: openai_responses, byte 0
  expected: one JSON object
  found: `[]`
"#;
