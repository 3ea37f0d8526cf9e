//! Chunks in every stage, on byte literals; every message pinned whole.

mod calls;

use serde_json::json;

use super::*;
use crate::{
    api::{AccumulateError, Api, accumulate, accumulate_json},
    script::{CustomToolCall, StopReason, ToolCall},
};

const API: Api = Api::OpenAiChat;

const ROLE: &str = r#"{"role":"assistant","content":"","refusal":null}"#;

/// A chunk with this delta.
fn delta(delta: &str) -> String {
    format!(
        r#"{{"id":"c-1","model":"m","choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]}}"#
    )
}

/// A chunk that stops.
fn stop(word: &str) -> String {
    format!(
        r#"{{"id":"c-1","model":"m","choices":[{{"index":0,"delta":{{}},"finish_reason":"{word}"}}]}}"#
    )
}

fn say(text: &str) -> String {
    delta(&json!({"content": text}).to_string())
}

/// A delta of tool calls.
fn calls(calls: impl Into<Value>) -> String {
    delta(&json!({"tool_calls": calls.into()}).to_string())
}

fn call(id: &str, name: &str, arguments: Value) -> Part {
    Part::ToolCall(ToolCall::new(id.to_owned(), name.to_owned(), arguments))
}

fn body(data: &[String]) -> String {
    data.iter()
        .map(|data| format!("data: {data}\n\n"))
        .collect()
}

#[track_caller]
fn reply(data: &[String]) -> Reply {
    match accumulate(API, body(data).as_bytes()) {
        Ok(reply) => reply,
        Err(error) => panic!("{error}\n  row: {data:?}"),
    }
}

#[track_caller]
fn error(data: &[String]) -> AccumulateError {
    match accumulate(API, body(data).as_bytes()) {
        Ok(reply) => panic!("accepted: {reply:?}\n  row: {data:?}"),
        Err(error) => error,
    }
}

fn done() -> String {
    "[DONE]".to_owned()
}

#[test]
fn a_finish_reason_is_the_end_with_and_without_done_and_unknown_words_are_kept() {
    for (word, expected) in [
        ("stop", StopReason::EndTurn),
        ("length", StopReason::MaxTokens),
        ("tool_calls", StopReason::ToolUse),
        ("content_filter", StopReason::ContentFilter),
        ("eos", StopReason::Other("eos".to_owned())),
    ] {
        let whole = [delta(ROLE), say("Hé"), stop(word)];
        let with_done = [&whole[..], &[done(), done()]].concat();
        for data in [&whole[..], &with_done] {
            let read = reply(data);
            assert_eq!((read.text().as_str(), &read.stop_reason), ("Hé", &expected));
        }
    }
}

#[test]
fn a_choice_may_go_on_behind_its_finish_reason_and_a_later_stop_takes_nothing_back() {
    let half = |arguments: &str| calls(json!([{"index": 0, "function": {"arguments": arguments}}]));
    let f =
        calls(json!([{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{\"x\""}}]));
    let whole = vec![call("a", "f", json!({"x": 1}))];
    let text = || vec![Part::Text("Hé!".to_owned())];
    for (data, parts, reason) in [
        (
            vec![say("Hé"), stop("stop"), say("!"), done()],
            text(),
            StopReason::EndTurn,
        ),
        (
            vec![say("Hé"), stop("length"), say("!"), stop("stop")],
            text(),
            StopReason::MaxTokens,
        ),
        (
            vec![f.clone(), stop("tool_calls"), half(":1}"), done()],
            whole.clone(),
            StopReason::ToolUse,
        ),
        (
            vec![f, half(":1}"), stop("tool_calls"), stop("stop"), done()],
            whole,
            StopReason::ToolUse,
        ),
    ] {
        let read = reply(&with(data.clone()));
        assert_eq!((read.parts, read.stop_reason), (parts, reason), "{data:?}");
    }
}

#[test]
fn nulls_empty_events_and_chunks_without_choices_leave_no_trace() {
    let whole = [delta(ROLE), say("Hé"), stop("stop"), done()];
    let expected = reply(&whole);
    for noise in [
        String::new(),
        "null".to_owned(),
        delta("null"),
        delta(r#"{"content":null,"tool_calls":null,"role":null}"#),
        delta("{}"),
        r#"{"choices":[],"id":"","model":"","prompt_filter_results":[{}]}"#.to_owned(),
        r#"{"choices":[{"index":0,"delta":{"content":""},"finish_reason":""}]}"#.to_owned(),
        r#"{"choices":[{"delta":{}}],"usage":null,"x":[{}],"error":null}"#.to_owned(),
    ] {
        for at in 0..3 {
            let mut data = whole.to_vec();
            data.insert(at, noise.clone());
            assert_eq!(reply(&data), expected, "{noise} at {at}");
        }
    }
}

#[test]
fn the_last_usage_holds_wherever_it_stands() {
    let usage = r#"{"prompt_tokens":12,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":5,"cache_write_tokens":1},"completion_tokens_details":{"reasoning_tokens":3}}"#;
    let chunk = |choices: &str, usage: &str| format!(r#"{{"choices":{choices},"usage":{usage}}}"#);
    let finish = r#"[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]"#;
    let expected = Usage::input(6)
        .output(4)
        .cache_read(5)
        .cache_creation(1)
        .thinking(3);
    for data in [
        vec![chunk(finish, "null"), chunk("[]", usage), done()],
        vec![chunk("[]", r#"{"prompt_tokens":1}"#), chunk(finish, usage)],
        vec![chunk(finish, usage), chunk("[]", "{}"), done()],
    ] {
        assert_eq!(reply(&data).usage, expected, "{data:?}");
    }
}

/// These chunks behind the first one.
fn with(more: Vec<String>) -> Vec<String> {
    [vec![delta(ROLE)], more].concat()
}

/// The errors of these bodies are these; `?` stands for where the event begins.
#[track_caller]
fn assert_errors(rows: Vec<(Vec<String>, &str)>) {
    for (data, expected) in rows {
        let found = error(&data);
        let before = data.iter().take(found.event_index().unwrap());
        let at = body(&before.cloned().collect::<Vec<_>>()).len();
        let expected = expected.replace("byte ?", &format!("byte {at}"));
        assert_eq!(found.to_string(), expected, "{data:?}");
    }
}

#[test]
fn what_is_no_whole_answer_is_told_with_its_place() {
    assert_errors(vec![
        (
            with(vec![say("Hé")]),
            "the answer ended before the finish_reason of choice 0\n  where: openai_chat, event #3, byte ?\n  \
             expected: a chunk of choice 0, up to its finish_reason\n  found: the end of the stream, after 2 events\n  \
             help: if the early end is scripted, expect this error; what was read is in `partial()`",
        ),
        (
            with(vec![done()]),
            "the answer is done and a choice has no finish_reason\n  where: openai_chat, event #2, byte ?\n  \
             expected: a chunk of choice 0, up to its finish_reason\n  found: `[DONE]`",
        ),
        (
            with(vec![stop("stop"), stop("length")]),
            "the member `choices[0].finish_reason` has a wrong type or value\n  where: openai_chat, event #3, byte ?\n  \
             expected: `stop`, as before\n  found: `\"length\"`",
        ),
        (
            with(vec![stop("stop"), done(), say("x")]),
            "an event came behind [DONE]\n  where: openai_chat, event #4, byte ?\n  \
             expected: the end of the stream\n  \
             found: `{\"id\":\"c-1\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"},\"finish_reason\":null}]}`",
        ),
        (
            with(vec![": keepalive".to_owned()]),
            "the data of an event is not one JSON object\n  where: openai_chat, event #2, byte ?\n  \
             expected: one JSON object, or [DONE]\n  found: `: keepalive`",
        ),
        (
            with(vec!["{}".to_owned()]),
            "the member `choices` is missing\n  where: openai_chat, event #2, byte ?\n  \
             expected: an array\n  found: `{}`",
        ),
        (
            with(vec![
                r#"{"error":{"message":"Sorry","type":"server_error","param":null,"code":null}}"#
                    .to_owned(),
            ]),
            "the provider reported an error\n  where: openai_chat, event #2, byte ?\n  \
             expected: a chunk of choice 0, up to its finish_reason\n  \
             found: `{\"error\":{\"code\":null,\"message\":\"Sorry\",\"param\":null,\"type\":\"server_error\"}}`",
        ),
        (
            with(vec![r#"{"id":"c-2","choices":[]}"#.to_owned()]),
            "the member `id` has a wrong type or value\n  where: openai_chat, event #2, byte ?\n  \
             expected: `c-1`, as before\n  found: `\"c-2\"`\n  \
             help: two answers may have been joined; each needs an accumulator of its own",
        ),
        (
            with(vec![r#"{"choices":[{"index":2,"delta":{}}]}"#.to_owned()]),
            "a choice starts with an index that is not its turn\n  where: openai_chat, event #2, byte ?\n  \
             expected: an index up to 1: indices count up from 0\n  found: `2`",
        ),
        (
            vec!["<html>".to_owned()],
            "the data of an event is not one JSON object\n  where: openai_chat, event #1, byte ?\n  \
             expected: one JSON object, or [DONE]\n  found: `<html>`",
        ),
    ]);
}

#[test]
fn errors_of_the_provider_are_read_in_every_form() {
    for (data, error_type, message) in [
        (
            r#"data: {"error":{"message":"m","type":"t","code":"c"}}"#,
            "t",
            "m",
        ),
        (
            r#"data: {"error":{"message":"m","code":502},"choices":[]}"#,
            "502",
            "m",
        ),
        (r#"data: {"error":"m"}"#, "", "m"),
        (
            "event: error\ndata: {\"error\":{\"message\":\"m\",\"type\":\"t\"}}",
            "t",
            "m",
        ),
        ("event: error\ndata: {\"message\":\"m\"}", "error", "m"),
        ("event: error\ndata: m", "error", "m"),
        (
            r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}"#,
            "error",
            "",
        ),
    ] {
        let error = accumulate(API, format!("{data}\n\n").as_bytes()).unwrap_err();
        let expected = AccumulateErrorKind::Provider {
            error_type: error_type.to_owned(),
            message: message.to_owned(),
        };
        assert_eq!(error.kind(), &expected, "{data}");
    }
}

#[test]
fn parts_of_unknown_types_are_kept_beside_the_text() {
    let chunk = |delta: &str, finish: &str| {
        format!(
            "data: {{\"id\":\"c\",\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
        )
    };
    let part = r#"{"type":"x_new","x_new":"?"}"#;
    let list = format!(r#"{{"content":[{part},{{"type":"text","text":"Hé"}}]}}"#);
    let body = [chunk(&list, "null"), chunk("{}", "\"stop\"")].concat();
    let read = accumulate(API, body.as_bytes()).unwrap();
    let unknown = Part::Unknown {
        block: serde_json::from_str(part).unwrap(),
        deltas: Vec::new(),
    };
    assert_eq!(read.parts, [unknown, Part::Text("Hé".to_owned())]);
}

#[test]
fn a_body_is_read_strictly() {
    let message = |message: &str| {
        format!(
            r#"{{"id":"c","model":"m","choices":[{{"index":0,"message":{message},"finish_reason":"stop"}}]}}"#
        )
    };
    let read = accumulate_json(API, message(r#"{"content":"Hé"}"#).as_bytes()).unwrap();
    assert_eq!(
        (read.text().as_str(), read.stop_reason),
        ("Hé", StopReason::EndTurn)
    );
    for (body, expected) in [
        (
            r#"{"id":"c","model":"m"}"#.to_owned(),
            "the member `choices` is missing\n  where: openai_chat, byte 0\n  expected: an array\n  \
             found: `{\"id\":\"c\",\"model\":\"m\"}`",
        ),
        (
            r#"{"id":"c","model":"m","choices":[]}"#.to_owned(),
            "the member `choices` has a wrong type or value\n  where: openai_chat, byte 0\n  \
             expected: one choice or more\n  found: `[]`",
        ),
        (
            message(r#"{"content":[{"type":"text"}]}"#),
            "the member `choices[0].message.content[0].text` is missing\n  where: openai_chat, byte 0\n  \
             expected: a string\n  found: `{\"type\":\"text\"}`",
        ),
        (
            message(r#"{"content":[{}]}"#),
            "the member `choices[0].message.content[0].type` is missing\n  where: openai_chat, byte 0\n  \
             expected: the type of the part\n  found: `{}`",
        ),
        (
            message(r#"{"content":"x","annotations":[null]}"#),
            "the member `choices[0].message.annotations` has a wrong type or value\n  \
             where: openai_chat, byte 0\n  expected: an array of objects\n  found: `[null]`",
        ),
        (
            message(r#"{"content":3}"#),
            "the member `choices[0].message.content` has a wrong type or value\n  where: openai_chat, byte 0\n  \
             expected: a string or null\n  found: `3`",
        ),
        (
            r#"{"id":"c","model":"m","choices":[{"index":0,"message":{},"finish_reason":null}]}"#
                .to_owned(),
            "the member `choices[0].finish_reason` has a wrong type or value\n  where: openai_chat, byte 0\n  \
             expected: a string\n  found: `null`",
        ),
        (
            r#"{"id":"c","#.to_owned(),
            "the JSON body ended too early\n  where: openai_chat, byte 10\n  expected: one JSON object\n  \
             found: `{\"id\":\"c\",`",
        ),
        (
            "data: {}\n\n".to_owned(),
            "the body is not one JSON object\n  where: openai_chat, byte 0\n  expected: one JSON object\n  \
             found: `data: {}\\n\\n`\n  help: this is an event stream; read it with `accumulate`",
        ),
    ] {
        let error = accumulate_json(API, body.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), expected, "{body}");
    }
}
