//! The stub's own bytes, read by the decoder that real clients run and by ours. Then every malign kind of
//! the fault catalogue that this API has, made from those bytes, is refused with the message pinned here;
//! and every benign kind gives the reply of the whole answer.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]

use std::{collections::BTreeSet, convert::Infallible};

use eventsource_stream::Eventsource;
use futures_util::{FutureExt, StreamExt, stream};
use llm_wire_stub::{
    AccumulateErrorKind, Accumulator, After, Api, ApiError, Arguments, Cut, Fault, Fragments, Part,
    Reply, SseDecoder, StopReason, Turn, Usage, accumulate, accumulate_json, chunks, error_body,
    json_body, sse_body,
};
use serde_json::{Value, json};

const API: Api = Api::AnthropicMessages;

/// Text in three deltas: `Hé`, ` you`, ` there`. Events: start, block start, 2 to 4 are the deltas, block
/// stop, stop reason, stop.
fn text_turn() -> Turn {
    Turn::new()
        .text("Hé you there")
        .model("m")
        .usage(Usage::input(3).output(2))
        .plain()
}

/// A tool call in three fragments: `{"a": "é`, `", "n": `, `997}`. Events: start, block start, an empty
/// delta, 3 to 5 are the fragments, block stop, stop reason, stop.
fn tool_turn() -> Turn {
    Turn::new()
        .tool_call_with_id("toolu_1", "f", Arguments::raw(ARGUMENTS))
        .fragments(Fragments::size(8))
        .model("m")
        .usage(Usage::input(3).output(2))
        .plain()
}

const ARGUMENTS: &str = r#"{"a": "é", "n": 997}"#;

/// Text, then two tool calls.
fn long_turn() -> Turn {
    Turn::new()
        .text("Let me look: 漢字 😀.\n")
        .tool_call("read_file", json!({"path": "é.rs", "lines": [1, 997]}))
        .tool_call("now", json!({}))
}

fn events(turn: &Turn) -> Vec<String> {
    let body = String::from_utf8(sse_body(API, turn).to_vec()).unwrap();
    body.split_inclusive("\n\n").map(str::to_owned).collect()
}

/// The body of `turn` after an edit of its events, which has to change it.
#[track_caller]
fn edited(turn: &Turn, edit: impl FnOnce(&mut Vec<String>)) -> Vec<u8> {
    let mut events = events(turn);
    edit(&mut events);
    changed(turn, events.concat())
}

/// The body of `turn` up to the `at`th byte behind the first `events` events.
#[track_caller]
fn cut(turn: &Turn, whole_events: usize, at: usize) -> Vec<u8> {
    let events = events(turn);
    let mut body = events[..whole_events].concat().into_bytes();
    if at > 0 {
        body.extend_from_slice(&events[whole_events].as_bytes()[..at]);
    }
    changed(turn, body)
}

/// `body`, once it is known to be another one than that of `turn`.
#[track_caller]
fn changed(turn: &Turn, body: impl Into<Vec<u8>>) -> Vec<u8> {
    let body = body.into();
    assert_ne!(sse_body(API, turn), body, "the edit changes nothing");
    body
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

// --- the bytes as they are -------------------------------------------------------------------------

/// What the decoder that the real clients run makes of a body, read in these pieces.
fn by_eventsource_stream(pieces: &[&[u8]]) -> Vec<(String, String)> {
    let pieces = pieces
        .iter()
        .map(|piece| Ok::<_, Infallible>(piece.to_vec()));
    stream::iter(pieces.collect::<Vec<_>>())
        .eventsource()
        .map(|event| event.unwrap())
        .map(|event| (event.event, event.data))
        .collect()
        .now_or_never()
        .unwrap()
}

fn by_our_decoder(pieces: &[&[u8]]) -> Vec<(String, String)> {
    let mut decoder = SseDecoder::new();
    for piece in pieces {
        decoder.push(piece).unwrap();
    }
    decoder.finish().unwrap();
    std::iter::from_fn(|| decoder.next_event())
        .map(|event| {
            (
                event.name().unwrap_or("message").to_owned(),
                event.data().to_owned(),
            )
        })
        .collect()
}

/// Text and tool inputs, rebuilt in the simplest way.
fn rebuilt(events: &[(String, String)]) -> (String, Vec<Value>) {
    let mut text = String::new();
    let mut inputs: Vec<(u64, String)> = Vec::new();
    for (name, data) in events {
        let data: Value = serde_json::from_str(data).unwrap();
        assert_eq!(data["type"], *name);
        let index = data["index"].as_u64();
        if data["content_block"]["type"] == "tool_use" {
            inputs.push((index.unwrap(), String::new()));
        }
        if let Some(fragment) = data["delta"]["text"].as_str() {
            text.push_str(fragment);
        }
        if let Some(fragment) = data["delta"]["partial_json"].as_str() {
            let (at, input) = inputs.last_mut().unwrap();
            assert_eq!(index, Some(*at));
            input.push_str(fragment);
        }
    }
    let inputs = inputs.into_iter().map(|(_, input)| match input.as_str() {
        "" => json!({}),
        input => serde_json::from_str(input).unwrap(),
    });
    (text, inputs.collect())
}

#[test]
fn text_and_tool_input_are_rebuilt_from_every_split_by_both_decoders() {
    for turn in [long_turn(), text_turn(), tool_turn()] {
        let body = sse_body(API, &turn);
        let reply = turn.normalized(API).unwrap();
        let inputs = reply.tool_calls().map(|call| call.arguments.clone());
        let expected = (reply.text(), inputs.collect::<Vec<_>>());
        let mut splits: Vec<Vec<&[u8]>> = (0..=body.len())
            .map(|at| vec![&body[..at], &body[at..]])
            .collect();
        splits.push(body.chunks(1).collect());
        for pieces in splits {
            let row = format!("{} pieces, the first of {}", pieces.len(), pieces[0].len());
            assert_eq!(rebuilt(&by_eventsource_stream(&pieces)), expected, "{row}");
            assert_eq!(rebuilt(&by_our_decoder(&pieces)), expected, "{row}");
        }
    }
}

/// What our decoder and accumulator make of a body, read in these pieces.
fn read(pieces: impl IntoIterator<Item: AsRef<[u8]>>) -> Result<Reply, String> {
    let mut decoder = SseDecoder::new();
    let mut accumulator = Accumulator::new(API);
    for piece in pieces {
        let pushed = decoder.push(piece.as_ref());
        while let Some(event) = decoder.next_event() {
            accumulator
                .push(&event)
                .map_err(|error| error.to_string())?;
        }
        pushed.map_err(|error| error.to_string())?;
    }
    decoder.finish().map_err(|error| error.to_string())?;
    accumulator.finish().map_err(|error| error.to_string())
}

#[test]
fn accumulated_answer_is_the_turn_in_both_forms_and_at_every_byte() {
    let stopped = Turn::new()
        .text("x")
        .stop_reason(StopReason::StopSequence("END".to_owned()));
    for turn in [long_turn(), text_turn(), tool_turn(), Turn::new(), stopped] {
        let reply = turn.normalized(API).unwrap();
        assert_eq!(accumulate(API, &sse_body(API, &turn)).as_ref(), Ok(&reply));
        assert_eq!(
            accumulate_json(API, &json_body(API, &turn)).as_ref(),
            Ok(&reply)
        );
        assert_eq!(
            read(chunks(API, &turn, Cut::EveryByte)).as_ref(),
            Ok(&reply)
        );
    }
}

// --- malign kinds ----------------------------------------------------------------------------------

/// Kinds of the catalogue that must be an error, or may be one and are one in the strict reading, each
/// with its variants. Resets and aborts are here as far as bytes arrived.
const MALIGN: &[(&str, &[&str])] = &[
    // order and structure
    (
        "delta-before-start",
        &["block-start-first", "delta-first", "no-block-start"],
    ),
    ("duplicate-message-start", &["same-id", "different-id"]),
    (
        "block-index-invalid",
        &[
            "minus-one",
            "gap",
            "twice",
            "one-billion",
            "delta-of-one-billion",
        ],
    ),
    (
        "delta-type-mismatch",
        &[
            "json-on-text",
            "text-on-tool",
            "signature-on-thinking-delta",
            "text-on-json-delta",
        ],
    ),
    (
        "delta-after-stop",
        &[
            "block-stopped",
            "after-stop-reason",
            "after-terminal",
            "block-after-terminal",
        ],
    ),
    ("block-not-closed", &["text", "tool"]),
    // truncation and connection loss
    (
        "eof-before-terminal",
        &[
            "after-start",
            "after-0",
            "after-1",
            "after-all",
            "after-block",
            "open-tool-call",
        ],
    ),
    (
        "eof-mid-event",
        &["field-name", "json", "character", "first-event"],
    ),
    (
        "chunked-abort",
        &["event-boundary", "inside-event", "content-length"],
    ),
    (
        "reset-mid-stream",
        &["after-head", "after-events", "after-stop-reason"],
    ),
    ("terminal-frame-cut", &["missing", "cut"]),
    ("eof-no-final-blank", &["after-line-end", "after-brace"]),
    // error replies
    (
        "malformed-json-event",
        &[
            "cut-object",
            "plain-text",
            "html-line",
            "wrong-top-level-type",
        ],
    ),
    (
        "error-event-mid-stream",
        &["typed", "no-data", "not-json", "nameless"],
    ),
    ("error-event-first", &["typed"]),
    ("html-body", &["whole", "one-line", "mid-stream"]),
    ("error-json-200", &["overloaded"]),
    ("json-instead-of-sse", &["whole"]),
    ("empty-body", &["zero-bytes", "only-comments"]),
    // tool calls and bytes
    (
        "tool-args-invalid-json",
        &["bad-escape", "stray-quote", "two-objects"],
    ),
    ("tool-args-truncated", &["prefix", "lost-fragment"]),
    ("tool-name-missing", &["name", "id"]),
    ("invalid-utf8", &["lone-continuation", "cut-sequence"]),
];

struct Case {
    id: &'static str,
    body: Vec<u8>,
    /// The whole error message.
    message: &'static str,
}

fn case(id: &'static str, body: Vec<u8>, message: &'static str) -> Case {
    Case { id, body, message }
}

fn malign() -> Vec<Case> {
    let mut cases = order();
    cases.extend(structure());
    cases.extend(wrong_deltas());
    cases.extend(late_deltas());
    cases.extend(ends_between_events());
    cases.extend(ends_inside_an_event());
    cases.extend(aborts());
    cases.extend(tails());
    cases.extend(malformed_json());
    cases.extend(error_events());
    cases.extend(other_bodies());
    cases.extend(tool_calls());
    cases.extend(bytes());
    cases
}

#[test]
fn every_malign_body_is_refused_with_this_message() {
    for case in malign() {
        match accumulate(API, &case.body) {
            Ok(reply) => panic!("{}: accepted: {reply:?}", case.id),
            Err(error) => assert_eq!(error.to_string(), case.message, "{}", case.id),
        }
    }
}

#[test]
fn every_malign_kind_has_a_case_for_each_variant() {
    let cases = malign();
    let ids: BTreeSet<String> = cases.iter().map(|case| case.id.to_owned()).collect();
    assert_eq!(ids.len(), cases.len(), "a case is there twice");
    let wanted: BTreeSet<String> = MALIGN
        .iter()
        .flat_map(|(kind, variants)| {
            variants
                .iter()
                .map(move |variant| format!("{kind}/{variant}"))
        })
        .collect();
    assert_eq!(ids, wanted);
}

#[test]
fn no_malign_body_leaves_a_call_that_was_not_sent_whole() {
    for case in malign() {
        let error = accumulate(API, &case.body).unwrap_err();
        for call in error.partial().iter().filter_map(Part::as_tool_call) {
            let whole: Value = serde_json::from_str(ARGUMENTS).unwrap();
            assert_eq!(call.arguments, whole, "{}", case.id);
        }
    }
}

fn order() -> Vec<Case> {
    let text = text_turn();
    vec![
        case(
            "delta-before-start/block-start-first",
            edited(&text, |events| events.swap(0, 1)),
            "an event came out of order\n  \
             where: anthropic_messages, event #1, byte 0\n  \
             expected: message_start\n  \
             found: `content_block_start`",
        ),
        case(
            "delta-before-start/delta-first",
            edited(&text, |events| drop(events.drain(..2))),
            "an event came out of order\n  \
             where: anthropic_messages, event #1, byte 0\n  \
             expected: message_start\n  \
             found: `content_block_delta`",
        ),
        case(
            "delta-before-start/no-block-start",
            edited(&text, |events| drop(events.remove(1))),
            "a delta of a block that never started\n  \
             where: anthropic_messages, event #2, byte 464\n  \
             expected: no delta: no block is open\n  \
             found: `0`",
        ),
        case(
            "duplicate-message-start/same-id",
            edited(&text, |events| events.insert(6, events[0].clone())),
            "an event came out of order\n  \
             where: anthropic_messages, event #7, byte 1012\n  \
             expected: content_block_start of block 1, or message_delta\n  \
             found: `message_start`\n  \
             help: two answers may have been joined; each needs an accumulator of its own",
        ),
        case(
            "duplicate-message-start/different-id",
            edited(&text, |answer| {
                let other = events(&text_turn().seed(7));
                assert_ne!(other[0], answer[0]);
                answer.truncate(4);
                answer.extend(other);
            }),
            "an event came out of order\n  \
             where: anthropic_messages, event #5, byte 818\n  \
             expected: content_block_delta or content_block_stop of block 0\n  \
             found: `message_start`\n  \
             help: two answers may have been joined; each needs an accumulator of its own",
        ),
    ]
}

fn structure() -> Vec<Case> {
    let (text, tool) = (text_turn(), tool_turn());
    let at_index = |event: usize, index: &str| {
        edited(&text, |events| {
            replace(
                &mut events[event],
                r#""index":0"#,
                &format!(r#""index":{index}"#),
            );
        })
    };
    vec![
        case(
            "block-index-invalid/minus-one",
            at_index(1, "-1"),
            "a block starts with an index that is not its turn\n  \
             where: anthropic_messages, event #2, byte 464\n  \
             expected: the index 0: indices count up from 0\n  \
             found: `-1`",
        ),
        case(
            "block-index-invalid/gap",
            edited(&text.clone().tool_call("f", json!({})), |events| {
                for event in &mut events[6..9] {
                    replace(event, r#""index":1"#, r#""index":2"#);
                }
            }),
            "a block starts with an index that is not its turn\n  \
             where: anthropic_messages, event #7, byte 1012\n  \
             expected: the index 1: indices count up from 0\n  \
             found: `2`",
        ),
        case(
            "block-index-invalid/twice",
            edited(&text, |events| events.insert(2, events[1].clone())),
            "a block starts with an index that is not its turn\n  \
             where: anthropic_messages, event #3, byte 581\n  \
             expected: the index 1: indices count up from 0\n  \
             found: `0`",
        ),
        case(
            "block-index-invalid/one-billion",
            at_index(1, "1000000000"),
            "a block starts with an index that is not its turn\n  \
             where: anthropic_messages, event #2, byte 464\n  \
             expected: the index 0: indices count up from 0\n  \
             found: `1000000000`",
        ),
        case(
            "block-index-invalid/delta-of-one-billion",
            at_index(3, "1000000000"),
            "a delta of a block that never started\n  \
             where: anthropic_messages, event #4, byte 699\n  \
             expected: an index of block 0, which is open\n  \
             found: `1000000000`",
        ),
        case(
            "block-not-closed/text",
            edited(&text, |events| drop(events.remove(5))),
            "the answer is about to end and block 0 has no stop\n  \
             where: anthropic_messages, event #6, byte 939\n  \
             expected: content_block_delta or content_block_stop of block 0\n  \
             found: `message_delta`",
        ),
        case(
            "block-not-closed/tool",
            edited(&tool, |events| drop(events.remove(6))),
            "the answer is about to end and block 0 has no stop\n  \
             where: anthropic_messages, event #7, byte 1182\n  \
             expected: content_block_delta or content_block_stop of block 0\n  \
             found: `message_delta`",
        ),
    ]
}

fn wrong_deltas() -> Vec<Case> {
    let (text, tool) = (text_turn(), tool_turn());
    let in_event = |turn: &Turn, event: usize, from: &str, to: &str| {
        edited(turn, |events| replace(&mut events[event], from, to))
    };
    vec![
        case(
            "delta-type-mismatch/json-on-text",
            in_event(
                &text,
                3,
                r#""text_delta","text""#,
                r#""input_json_delta","partial_json""#,
            ),
            "a delta does not fit its block\n  \
             where: anthropic_messages, event #4, byte 699\n  \
             expected: text_delta or citations_delta, for block 0 of the type text\n  \
             found: `input_json_delta`",
        ),
        case(
            "delta-type-mismatch/text-on-tool",
            in_event(
                &tool,
                4,
                r#""input_json_delta","partial_json""#,
                r#""text_delta","text""#,
            ),
            "a delta does not fit its block\n  \
             where: anthropic_messages, event #5, byte 909\n  \
             expected: input_json_delta, for block 0 of the type tool_use\n  \
             found: `text_delta`",
        ),
        case(
            "delta-type-mismatch/signature-on-thinking-delta",
            edited(&text, |events| {
                let thinking = r#""thinking","thinking":"","signature":"""#;
                replace(&mut events[1], r#""text","text":"""#, thinking);
                for event in &mut events[2..5] {
                    replace(
                        event,
                        r#""text_delta","text""#,
                        r#""thinking_delta","thinking""#,
                    );
                }
                replace(
                    &mut events[4],
                    r#"" there""#,
                    r#"" there","signature":"c2ln""#,
                );
            }),
            "a delta carries a member of another type of delta\n  \
             where: anthropic_messages, event #5, byte 857\n  \
             expected: `signature` only in signature_delta, not in thinking_delta\n  \
             found: `signature`",
        ),
        case(
            "delta-type-mismatch/text-on-json-delta",
            in_event(&tool, 5, r#""997}""#, r#""997}","text":"x""#),
            "a delta carries a member of another type of delta\n  \
             where: anthropic_messages, event #6, byte 1049\n  \
             expected: `text` only in text_delta, not in input_json_delta\n  \
             found: `text`",
        ),
    ]
}

fn late_deltas() -> Vec<Case> {
    let text = text_turn();
    vec![
        case(
            "delta-after-stop/block-stopped",
            edited(&text, |events| events.swap(4, 5)),
            "a delta of a block that has stopped\n  \
             where: anthropic_messages, event #6, byte 891\n  \
             expected: no delta: no block is open\n  \
             found: `0`",
        ),
        case(
            "delta-after-stop/after-stop-reason",
            edited(&text, |events| events.insert(7, events[4].clone())),
            "an event came out of order\n  \
             where: anthropic_messages, event #8, byte 1246\n  \
             expected: message_stop\n  \
             found: `content_block_delta`",
        ),
        case(
            "delta-after-stop/after-terminal",
            edited(&text, |events| events.push(events[4].clone())),
            "an event came out of order\n  \
             where: anthropic_messages, event #9, byte 1297\n  \
             expected: the end of the stream\n  \
             found: `content_block_delta`",
        ),
        case(
            "delta-after-stop/block-after-terminal",
            edited(&text, |events| {
                events.push(replaced(&events[1], r#""index":0"#, r#""index":1"#));
            }),
            "an event came out of order\n  \
             where: anthropic_messages, event #9, byte 1297\n  \
             expected: the end of the stream\n  \
             found: `content_block_start`",
        ),
    ]
}

fn ends_between_events() -> Vec<Case> {
    let (text, tool) = (text_turn(), tool_turn());
    vec![
        case(
            "eof-before-terminal/after-start",
            cut(&text, 1, 0),
            "the answer ended before `message_stop`\n  \
             where: anthropic_messages, event #2, byte 464\n  \
             expected: content_block_start of block 0, or message_delta\n  \
             found: the end of the stream, after 1 event\n  \
             help: if the early end is scripted, expect this error; what was read is in `partial()`",
        ),
        case(
            "eof-before-terminal/after-0",
            cut(&text, 2, 0),
            "the answer ended before `message_stop`\n  \
             where: anthropic_messages, event #3, byte 581\n  \
             expected: content_block_delta or content_block_stop of block 0\n  \
             found: the end of the stream, after 2 events\n  \
             help: if the early end is scripted, expect this error; what was read is in `partial()`",
        ),
        case(
            "eof-before-terminal/after-1",
            cut(&text, 3, 0),
            "the answer ended before `message_stop`\n  \
             where: anthropic_messages, event #4, byte 699\n  \
             expected: content_block_delta or content_block_stop of block 0\n  \
             found: the end of the stream, after 3 events\n  \
             help: if the early end is scripted, expect this error; what was read is in `partial()`",
        ),
        case(
            "eof-before-terminal/after-all",
            cut(&text, 5, 0),
            "the answer ended before `message_stop`\n  \
             where: anthropic_messages, event #6, byte 939\n  \
             expected: content_block_delta or content_block_stop of block 0\n  \
             found: the end of the stream, after 5 events\n  \
             help: if the early end is scripted, expect this error; what was read is in `partial()`",
        ),
        case(
            "eof-before-terminal/after-block",
            cut(&text, 6, 0),
            "the answer ended before `message_stop`\n  \
             where: anthropic_messages, event #7, byte 1012\n  \
             expected: content_block_start of block 1, or message_delta\n  \
             found: the end of the stream, after 6 events\n  \
             help: if the early end is scripted, expect this error; what was read is in `partial()`",
        ),
        case(
            "eof-before-terminal/open-tool-call",
            cut(&tool, 5, 0),
            "the answer ended before `message_stop`\n  \
             where: anthropic_messages, event #6, byte 1049\n  \
             expected: content_block_delta or content_block_stop of block 0\n  \
             found: the end of the stream, after 5 events\n  \
             help: if the early end is scripted, expect this error; what was read is in `partial()`",
        ),
    ]
}

fn ends_inside_an_event() -> Vec<Case> {
    let text = text_turn();
    vec![
        case(
            "eof-mid-event/field-name",
            cut(&text, 3, "eve".len()),
            "the body is not a whole event stream\n  \
             where: anthropic_messages, event #4, byte 702\n  \
             expected: content_block_delta or content_block_stop of block 0\n  \
             found: the end of the body, inside an event",
        ),
        case(
            "eof-mid-event/json",
            cut(
                &text,
                3,
                "event: content_block_delta\ndata: {\"type\":\"cont".len(),
            ),
            "the body is not a whole event stream\n  \
             where: anthropic_messages, event #4, byte 745\n  \
             expected: content_block_delta or content_block_stop of block 0\n  \
             found: the end of the body, inside an event",
        ),
        case(
            "eof-mid-event/character",
            cut(&text, 2, events(&text)[2].find('é').unwrap() + 1),
            "the body is not a whole event stream\n  \
             where: anthropic_messages, event #3, byte 693\n  \
             expected: content_block_delta or content_block_stop of block 0\n  \
             found: the end of the body, inside an event",
        ),
        case(
            "eof-mid-event/first-event",
            cut(&text, 0, "event: message_start\n".len()),
            "the body is not a whole event stream\n  \
             where: anthropic_messages, event #1, byte 21\n  \
             expected: message_start\n  \
             found: the end of the body, inside an event",
        ),
    ]
}

fn aborts() -> Vec<Case> {
    let (text, tool) = (text_turn(), tool_turn());
    vec![
        case(
            "chunked-abort/event-boundary",
            cut(&text, 4, 0),
            "the answer ended before `message_stop`\n  \
             where: anthropic_messages, event #5, byte 818\n  \
             expected: content_block_delta or content_block_stop of block 0\n  \
             found: the end of the stream, after 4 events\n  \
             help: if the early end is scripted, expect this error; what was read is in `partial()`",
        ),
        case(
            "chunked-abort/inside-event",
            cut(&tool, 4, 40),
            "the body is not a whole event stream\n  \
             where: anthropic_messages, event #5, byte 949\n  \
             expected: content_block_delta or content_block_stop of block 0\n  \
             found: the end of the body, inside an event",
        ),
        case(
            "chunked-abort/content-length",
            cut(
                &text,
                7,
                "event: message_stop\ndata: {\"type\":\"message_stop\"}\n".len(),
            ),
            "the body is not a whole event stream\n  \
             where: anthropic_messages, event #8, byte 1296\n  \
             expected: message_stop\n  \
             found: the end of the body, inside an event",
        ),
        case(
            "reset-mid-stream/after-head",
            cut(&text, 0, 0),
            "the answer ended before `message_stop`\n  \
             where: anthropic_messages, event #1, byte 0\n  \
             expected: message_start\n  \
             found: the end of the stream, after 0 events\n  \
             help: if the early end is scripted, expect this error; what was read is in `partial()`",
        ),
        case(
            "reset-mid-stream/after-events",
            cut(&tool, 6, 0),
            "the answer ended before `message_stop`\n  \
             where: anthropic_messages, event #7, byte 1182\n  \
             expected: content_block_delta or content_block_stop of block 0\n  \
             found: the end of the stream, after 6 events\n  \
             help: if the early end is scripted, expect this error; what was read is in `partial()`",
        ),
        case(
            "reset-mid-stream/after-stop-reason",
            cut(&text, 7, 0),
            "the answer ended before `message_stop`\n  \
             where: anthropic_messages, event #8, byte 1246\n  \
             expected: message_stop\n  \
             found: the end of the stream, after 7 events\n  \
             help: if the early end is scripted, expect this error; what was read is in `partial()`",
        ),
    ]
}

/// Kinds that a lenient client may accept; here they are errors.
fn tails() -> Vec<Case> {
    let (text, tool) = (text_turn(), tool_turn());
    let last = events(&text)[7].len();
    vec![
        case(
            "terminal-frame-cut/missing",
            cut(&tool, 8, 0),
            "the answer ended before `message_stop`\n  \
             where: anthropic_messages, event #9, byte 1489\n  \
             expected: message_stop\n  \
             found: the end of the stream, after 8 events\n  \
             help: if the early end is scripted, expect this error; what was read is in `partial()`",
        ),
        case(
            "terminal-frame-cut/cut",
            cut(&text, 7, "event: message_stop\ndata: {\"ty".len()),
            "the body is not a whole event stream\n  \
             where: anthropic_messages, event #8, byte 1276\n  \
             expected: message_stop\n  \
             found: the end of the body, inside an event",
        ),
        case(
            "eof-no-final-blank/after-line-end",
            cut(&text, 7, last - 1),
            "the body is not a whole event stream\n  \
             where: anthropic_messages, event #8, byte 1296\n  \
             expected: message_stop\n  \
             found: the end of the body, inside an event",
        ),
        case(
            "eof-no-final-blank/after-brace",
            cut(&text, 7, last - 2),
            "the body is not a whole event stream\n  \
             where: anthropic_messages, event #8, byte 1295\n  \
             expected: message_stop\n  \
             found: the end of the body, inside an event",
        ),
    ]
}

fn malformed_json() -> Vec<Case> {
    let text = text_turn();
    let with_data = |data: &str| {
        edited(&text, |events| {
            let (_, whole) = events[3].split_once("data: ").unwrap();
            let whole = whole.trim_end().to_owned();
            replace(&mut events[3], &whole, data);
        })
    };
    vec![
        case(
            "malformed-json-event/cut-object",
            with_data(r#"{"type":"content_block_delta","index":0,"del"#),
            "the data of `content_block_delta` is not one JSON object\n  \
             where: anthropic_messages, event #4, byte 699\n  \
             expected: one JSON object\n  \
             found: `{\"type\":\"content_block_delta\",\"index\":0,\"del`",
        ),
        case(
            "malformed-json-event/plain-text",
            with_data("upstream connect error"),
            "the data of `content_block_delta` is not one JSON object\n  \
             where: anthropic_messages, event #4, byte 699\n  \
             expected: one JSON object\n  \
             found: `upstream connect error`",
        ),
        case(
            "malformed-json-event/html-line",
            with_data("<html><head><title>502 Bad Gateway</title></head>"),
            "the data of `content_block_delta` is not one JSON object\n  \
             where: anthropic_messages, event #4, byte 699\n  \
             expected: one JSON object\n  \
             found: `<html><head><title>502 Bad Gateway</title></head>`",
        ),
        case(
            "malformed-json-event/wrong-top-level-type",
            with_data(r#"["content_block_delta"]"#),
            "the data of `content_block_delta` is not one JSON object\n  \
             where: anthropic_messages, event #4, byte 699\n  \
             expected: one JSON object\n  \
             found: `[\"content_block_delta\"]`",
        ),
    ]
}

fn error_events() -> Vec<Case> {
    let text = text_turn();
    let ended_by = |after: After| {
        let turn = text.clone().end(after, ApiError::overloaded());
        changed(&text, sse_body(API, &turn))
    };
    let broken_off_with = |event: &str| {
        edited(&text, |events| {
            events.truncate(4);
            events.push(event.to_owned());
        })
    };
    vec![
        case(
            "error-event-mid-stream/typed",
            ended_by(After::deltas(2)),
            "the provider reported an error\n  \
             where: anthropic_messages, event #5, byte 818\n  \
             expected: content_block_delta or content_block_stop of block 0\n  \
             found: `overloaded_error: Overloaded`",
        ),
        case(
            "error-event-mid-stream/no-data",
            broken_off_with("event: error\ndata:\n\n"),
            "the data of `error` is not one JSON object\n  \
             where: anthropic_messages, event #5, byte 818\n  \
             expected: one JSON object\n  \
             found: ``",
        ),
        case(
            "error-event-mid-stream/not-json",
            broken_off_with("event: error\ndata: Internal server error\n\n"),
            "the data of `error` is not one JSON object\n  \
             where: anthropic_messages, event #5, byte 818\n  \
             expected: one JSON object\n  \
             found: `Internal server error`",
        ),
        case(
            "error-event-mid-stream/nameless",
            broken_off_with(
                "data: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"x\"}}\n\n",
            ),
            "the provider reported an error\n  \
             where: anthropic_messages, event #5, byte 818\n  \
             expected: content_block_delta or content_block_stop of block 0\n  \
             found: `api_error: x`",
        ),
        case(
            "error-event-first/typed",
            ended_by(After::head()),
            "the provider reported an error\n  \
             where: anthropic_messages, event #1, byte 0\n  \
             expected: message_start\n  \
             found: `overloaded_error: Overloaded`",
        ),
    ]
}

const PAGE: &str = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n\
    <center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>cloudflare</center>\r\n</body>\r\n</html>\r\n";

fn other_bodies() -> Vec<Case> {
    let text = text_turn();
    let edited = |edit: fn(&mut Vec<String>)| edited(&text, edit);
    vec![
        case(
            "html-body/whole",
            changed(&text, PAGE),
            "the body is no event stream\n  \
             where: anthropic_messages, byte 0\n  \
             expected: lines of an event stream\n  \
             found: `<html>\\r\\n<head><title>502 Bad Gateway</title></head>\\r\\n<body>\\r\\n<center><h1>502 Bad Gateway</h1></center>\\r\\n<hr><center>cloudflare</center>\\r\\n</body>\\r\\n</html>\\r\\n`",
        ),
        case(
            "html-body/one-line",
            changed(&text, "<!DOCTYPE html><title>520</title>"),
            "the body is no event stream\n  \
             where: anthropic_messages, byte 0\n  \
             expected: lines of an event stream\n  \
             found: `<!DOCTYPE html><title>520</title>`",
        ),
        case(
            "html-body/mid-stream",
            edited(|events| {
                events.truncate(4);
                events.push(PAGE.to_owned());
            }),
            "the body is not a whole event stream\n  \
             where: anthropic_messages, event #5, byte 973\n  \
             expected: content_block_delta or content_block_stop of block 0\n  \
             found: the end of the body, inside an event",
        ),
        case(
            "error-json-200/overloaded",
            changed(&text, error_body(API, &ApiError::overloaded())),
            "the provider reported an error\n  \
             where: anthropic_messages, byte 0\n  \
             expected: a message\n  \
             found: `overloaded_error: Overloaded`",
        ),
        case(
            "json-instead-of-sse/whole",
            changed(&text, json_body(API, &text)),
            "the body is no event stream\n  \
             where: anthropic_messages, byte 0\n  \
             expected: lines of an event stream\n  \
             found: `{\"model\":\"m\",\"id\":\"msg_011C3svmt1gxWiGZNJE4uDFK\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Hé you there\"}],\"stop_reason\":\"end_turn\",\"stop_sequence\":null,\"stop_details\":null` and 243 more bytes\n  \
             help: this is a whole JSON answer; read it with `accumulate_json`",
        ),
        case(
            "empty-body/zero-bytes",
            changed(&text, ""),
            "the answer ended before `message_stop`\n  \
             where: anthropic_messages, event #1, byte 0\n  \
             expected: message_start\n  \
             found: the end of the stream, after 0 events\n  \
             help: if the early end is scripted, expect this error; what was read is in `partial()`",
        ),
        case(
            "empty-body/only-comments",
            changed(&text, ": hello\n\n:\n\n: keepalive\n\n"),
            "the answer ended before `message_stop`\n  \
             where: anthropic_messages, event #1, byte 25\n  \
             expected: message_start\n  \
             found: the end of the stream, after 0 events\n  \
             help: if the early end is scripted, expect this error; what was read is in `partial()`",
        ),
    ]
}

fn tool_calls() -> Vec<Case> {
    let tool = tool_turn();
    let with_arguments = |raw: &str| {
        let broken = Turn::new()
            .tool_call_with_id("toolu_1", "f", Arguments::raw(raw))
            .model("m")
            .usage(Usage::input(3).output(2))
            .plain();
        changed(&tool, sse_body(API, &broken))
    };
    vec![
        case(
            "tool-args-invalid-json/bad-escape",
            with_arguments(r#"{"a": "\x"}"#),
            "the arguments of the tool call `f` are not JSON\n  \
             where: anthropic_messages, event #5, byte 913\n  \
             expected: one JSON document, when the fragments are joined\n  \
             found: `{\"a\": \"\\\\x\"}`\n  \
             help: this is not the call that the model meant; it must not be run",
        ),
        case(
            "tool-args-invalid-json/stray-quote",
            with_arguments(r#"{"a": "b"", "n": 997}"#),
            "the arguments of the tool call `f` are not JSON\n  \
             where: anthropic_messages, event #7, byte 1183\n  \
             expected: one JSON document, when the fragments are joined\n  \
             found: `{\"a\": \"b\"\", \"n\": 997}`\n  \
             help: this is not the call that the model meant; it must not be run",
        ),
        case(
            "tool-args-invalid-json/two-objects",
            with_arguments(r#"{"a": 1}{"a": 1}"#),
            "the arguments of the tool call `f` are not JSON\n  \
             where: anthropic_messages, event #6, byte 1046\n  \
             expected: one JSON document, when the fragments are joined\n  \
             found: `{\"a\": 1}{\"a\": 1}`\n  \
             help: this is not the call that the model meant; it must not be run",
        ),
        case(
            "tool-args-truncated/prefix",
            with_arguments(r#"{"a": "é", "n": 99"#),
            "the arguments of the tool call `f` are not JSON\n  \
             where: anthropic_messages, event #7, byte 1180\n  \
             expected: one JSON document, when the fragments are joined\n  \
             found: `{\"a\": \"é\", \"n\": 99`\n  \
             help: this is not the call that the model meant; it must not be run",
        ),
        case(
            "tool-args-truncated/lost-fragment",
            edited(&tool, |events| drop(events.remove(4))),
            "the arguments of the tool call `f` are not JSON\n  \
             where: anthropic_messages, event #6, byte 1042\n  \
             expected: one JSON document, when the fragments are joined\n  \
             found: `{\"a\": \"é997}`\n  \
             help: this is not the call that the model meant; it must not be run",
        ),
        case(
            "tool-name-missing/name",
            edited(&tool, |events| {
                replace(&mut events[1], r#""name":"f","#, "");
            }),
            "the member `content_block.name` is missing\n  \
             where: anthropic_messages, event #2, byte 464\n  \
             expected: a string\n  \
             found: `{\"caller\":{\"type\":\"direct\"},\"id\":\"toolu_1\",\"input\":{},\"type\":\"tool_use\"}`",
        ),
        case(
            "tool-name-missing/id",
            edited(&tool, |events| {
                replace(&mut events[1], r#""toolu_1""#, r#""""#);
            }),
            "the member `content_block.id` has a wrong type or value\n  \
             where: anthropic_messages, event #2, byte 464\n  \
             expected: a string that is not empty\n  \
             found: `\"\"`",
        ),
    ]
}

fn bytes() -> Vec<Case> {
    let text = text_turn();
    let with_e_acute = |bytes: &[u8]| {
        let body = sse_body(API, &text);
        let at = body
            .windows(2)
            .position(|two| two == "é".as_bytes())
            .unwrap();
        changed(&text, [&body[..at], bytes, &body[at + 2..]].concat())
    };
    vec![
        case(
            "invalid-utf8/lone-continuation",
            with_e_acute(b"\xa9"),
            "the body is not a whole event stream\n  \
             where: anthropic_messages, event #3, byte 692\n  \
             expected: content_block_delta or content_block_stop of block 0\n  \
             found: a line that is not UTF-8",
        ),
        case(
            "invalid-utf8/cut-sequence",
            with_e_acute(b"\xc3e"),
            "the body is not a whole event stream\n  \
             where: anthropic_messages, event #3, byte 692\n  \
             expected: content_block_delta or content_block_stop of block 0\n  \
             found: a line that is not UTF-8",
        ),
    ]
}

#[test]
fn fault_without_a_terminal_event_is_truncated_with_all_content() {
    let cut = sse_body(API, &text_turn().fault(Fault::EofBeforeTerminal));
    assert_eq!(cut, events(&text_turn())[..6].concat());
    let error = accumulate(API, &cut).unwrap_err();
    assert_eq!(error.kind(), &AccumulateErrorKind::Truncated);
    assert_eq!(error.partial(), [Part::Text("Hé you there".to_owned())]);
}

// --- benign kinds ----------------------------------------------------------------------------------

const BENIGN: &[&str] = &[
    "eol-crlf",
    "eol-cr",
    "eol-mixed",
    "bom-leading",
    "field-space-variants",
    "data-multi-line",
    "comment-lines",
    "blank-line-keepalive",
    "empty-data-event",
    "sse-extra-fields",
    "event-name-absent",
    "ping-anywhere",
    "unknown-event-type",
    "unknown-field",
    "usage-null-or-partial",
    "done-sentinel",
    "tool-args-empty",
    "tool-interleaved",
    "tool-index-missing",
];

/// A body, and the turn whose reply it still carries.
struct Same {
    kind: &'static str,
    turn: Turn,
    body: Vec<u8>,
}

fn same(kind: &'static str, turn: &Turn, body: impl Into<Vec<u8>>) -> Same {
    let body = changed(turn, body);
    let turn = turn.clone();
    Same { kind, turn, body }
}

fn benign() -> Vec<Same> {
    let mut all = Vec::new();
    for turn in [text_turn(), tool_turn(), two_calls()] {
        all.extend(framing(&turn));
        all.extend(insertions(&turn));
        all.extend(members(&turn));
    }
    all.extend(without_arguments());
    all.push(interleaved());
    all
}

#[test]
fn every_benign_body_gives_the_reply_of_the_whole_answer() {
    for Same { kind, turn, body } in benign() {
        let reply = turn.normalized(API).unwrap();
        let row = || format!("{kind}: {}", body.escape_ascii());
        match accumulate(API, &body) {
            Ok(read) => assert_eq!(read, reply, "{}", row()),
            Err(error) => panic!("{error}\n{}", row()),
        }
        assert_eq!(
            read(body.chunks(1)).as_ref(),
            Ok(&reply),
            "byte by byte: {}",
            row()
        );
    }
}

#[test]
fn every_benign_kind_has_a_case() {
    let kinds: BTreeSet<&str> = benign().iter().map(|same| same.kind).collect();
    assert_eq!(kinds, BENIGN.iter().copied().collect());
}

fn framing(turn: &Turn) -> Vec<Same> {
    let body = events(turn).concat();
    let each = |edit: fn(&str) -> String| events(turn).iter().map(|event| edit(event)).collect();
    let joined: Vec<(&str, String)> = vec![
        ("eol-crlf", body.replace('\n', "\r\n")),
        ("eol-cr", body.replace('\n', "\r")),
        (
            "eol-mixed",
            each(|event| event.replacen('\n', "\r\n", 1).replace("\n\n", "\n\r")),
        ),
        ("bom-leading", format!("\u{feff}{body}")),
        (
            "field-space-variants",
            body.replace(": ", ":").replace(r#"{"a":"#, r#"{"a": "#),
        ),
        (
            "field-space-variants",
            body.replace("\ndata: ", "\ndata:  "),
        ),
        (
            "data-multi-line",
            body.replace(r#","index""#, ",\ndata: \"index\""),
        ),
        (
            "data-multi-line",
            body.replace(r#"":{"#, "\":\ndata:{\ndata:"),
        ),
        (
            "comment-lines",
            each(|event| format!(": between\n\n{event}")),
        ),
        (
            "comment-lines",
            each(|event| format!(":\n: first\n{event}")),
        ),
        (
            "comment-lines",
            each(|event| replaced(event, "\ndata", "\n: before\ndata")),
        ),
        (
            "comment-lines",
            each(|event| replaced(event, "\n\n", "\n: after\n:\n\n")),
        ),
        (
            "comment-lines",
            format!("{}{body}", ": keepalive\n\n".repeat(400)),
        ),
        ("blank-line-keepalive", each(|event| format!("\n{event}\n"))),
        (
            "blank-line-keepalive",
            each(|event| format!("{}{event}", "\n".repeat(400))),
        ),
        (
            "sse-extra-fields",
            each(|event| format!("id: 7\nretry: 3000\nfoo: 1\n{event}")),
        ),
        (
            "sse-extra-fields",
            each(|event| format!("retry: x\nword\n{event}")),
        ),
        (
            "event-name-absent",
            each(|event| event.split_once('\n').unwrap().1.to_owned()),
        ),
    ];
    let joined = joined.into_iter();
    joined.map(|(kind, body)| same(kind, turn, body)).collect()
}

fn insertions(turn: &Turn) -> Vec<Same> {
    let mut all = Vec::new();
    for (kind, event) in [
        (
            "ping-anywhere",
            "event: ping\ndata: {\"type\": \"ping\"}\n\n",
        ),
        ("ping-anywhere", "data: {\"type\":\"ping\"}\n\n"),
        (
            "unknown-event-type",
            "event: x_new\ndata: {\"type\":\"x_new\",\"index\":0}\n\n",
        ),
        ("unknown-event-type", "event: x_new\ndata: not JSON {\n\n"),
        (
            "unknown-event-type",
            "data: {\"type\":\"x_new\",\"delta\":{\"text\":\"x\"}}\n\n",
        ),
        ("empty-data-event", "event: content_block_delta\n\n"),
        ("empty-data-event", "event: content_block_delta\ndata:\n\n"),
        ("empty-data-event", "id: 7\n\n: comment\n\n"),
        ("empty-data-event", "data:\n\n"),
    ] {
        for at in 0..=events(turn).len() {
            let body = edited(turn, |events| events.insert(at, event.to_owned()));
            all.push(same(kind, turn, body));
        }
    }
    for sentinel in ["data: [DONE]\n\n", "data:[DONE]\n\ndata:[DONE]\n\n"] {
        let body = edited(turn, |events| events.push(sentinel.to_owned()));
        all.push(same("done-sentinel", turn, body));
    }
    all
}

fn members(turn: &Turn) -> Vec<Same> {
    let body = events(turn).concat();
    let usage = r#""usage":{"input_tokens":3,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":2}"#;
    // the counters of the first event are kept, but for the one that grows
    let last = |usage_there: &str| {
        same(
            "usage-null-or-partial",
            turn,
            replaced(&body, usage, usage_there),
        )
    };
    vec![
        same(
            "unknown-field",
            turn,
            replaced(
                &body,
                r#"{"type":""#,
                r#"{"x_null":null,"x":{"y":[1]},"type":""#,
            ),
        ),
        same(
            "unknown-field",
            turn,
            replaced(&body, r#""usage":{"#, r#""x":[],"usage":{"x":{},"#),
        ),
        last(r#""usage":{"output_tokens":2}"#),
        last(r#""usage":{"input_tokens":null,"cache_read_input_tokens":null,"output_tokens":2}"#),
        same("tool-index-missing", turn, {
            let bare = replaced(&body, r#","index":0"#, "");
            bare.replace(r#","index":1"#, "")
        }),
    ]
}

/// Two calls with one fragment each. Events: start, 1 to 4 and 5 to 8 are block start, an empty delta,
/// the fragment and block stop of each call, stop reason, stop.
fn two_calls() -> Turn {
    Turn::new()
        .tool_call("f", json!({"a": "é"}))
        .fragments(Fragments::whole())
        .tool_call("g", json!({"b": 2}))
        .fragments(Fragments::whole())
        .model("m")
        .usage(Usage::input(3).output(2))
        .plain()
}

fn interleaved() -> Same {
    let turn = two_calls();
    let body = edited(&turn, |events| {
        let whole = std::mem::take(events);
        let order = [0, 1, 5, 2, 6, 7, 3, 8, 4, 9, 10];
        events.extend(order.iter().map(|at| whole[*at].clone()));
    });
    same("tool-interleaved", &turn, body)
}

fn without_arguments() -> Vec<Same> {
    let turn = Turn::new().tool_call("f", json!({})).plain();
    // the stub itself writes the one empty delta, as the service does
    assert!(events(&turn)[2].contains(r#""partial_json":"""#));
    let none = edited(&turn, |events| drop(events.remove(2)));
    let no_input = edited(&turn, |events| {
        replace(&mut events[1], r#""input":{},"#, "");
    });
    // the placeholder, then real fragments
    let written = edited(&turn, |events| {
        replace(
            &mut events[2],
            r#""partial_json":"""#,
            r#""partial_json":"{}""#,
        );
    });
    [none, no_input, written]
        .map(|body| same("tool-args-empty", &turn, body))
        .into()
}

#[test]
fn arguments_cut_at_every_offset_are_the_same_call() {
    let raw = r#"{"a": "é\u00e9\n", "n": 9977, "s": "\ud83d\ude00"}"#;
    let call = |fragments: Fragments| {
        Turn::new()
            .tool_call("f", Arguments::raw(raw))
            .fragments(fragments)
    };
    let whole = accumulate(API, &sse_body(API, &call(Fragments::whole()))).unwrap();
    let value: Value = serde_json::from_str(raw).unwrap();
    assert_eq!(whole.tool_calls().next().unwrap().arguments, value);
    for (at, _) in raw.char_indices().skip(1) {
        let (head, tail) = raw.split_at(at);
        let turn = call(Fragments::pieces([head, tail]));
        assert_eq!(
            accumulate(API, &sse_body(API, &turn)).as_ref(),
            Ok(&whole),
            "cut at {at}"
        );
    }
    let turn = call(Fragments::characters());
    assert_eq!(accumulate(API, &sse_body(API, &turn)), Ok(whole));
}

#[test]
fn empty_completion_is_an_empty_reply_with_its_reason() {
    let reply = accumulate(API, &sse_body(API, &Turn::new())).unwrap();
    assert_eq!(
        (reply.parts, reply.stop_reason),
        (vec![], StopReason::EndTurn)
    );
}

#[test]
fn unknown_stop_reason_is_handed_out_as_it_is() {
    for (word, expected) in [
        ("pause_turn", StopReason::PauseTurn),
        ("refusal", StopReason::Refusal),
        ("x_new", StopReason::Other("x_new".to_owned())),
    ] {
        let body = edited(&text_turn(), |events| {
            replace(&mut events[6], "end_turn", word);
        });
        let reply = accumulate(API, &body).unwrap();
        assert_eq!(
            (reply.text().as_str(), reply.stop_reason),
            ("Hé you there", expected)
        );
    }
}

#[test]
fn unknown_content_block_is_kept_beside_the_text() {
    let body = edited(&text_turn(), |events| {
        let block: String = [
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"x_new","a":1}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"x_delta","b":2}}"#,
            r#"{"type":"content_block_stop","index":1}"#,
        ]
        .map(|data| format!("data: {data}\n\n"))
        .concat();
        events.insert(6, block);
    });
    let mut expected = text_turn().normalized(API).unwrap();
    let reply = accumulate(API, &body).unwrap();
    let Some(Part::Unknown { block, deltas }) = reply.parts.last() else {
        panic!("{:?}", reply.parts);
    };
    assert_eq!(block, &json!({"type": "x_new", "a": 1}));
    assert_eq!(deltas, &[json!({"type": "x_delta", "b": 2})]);
    expected.parts.push(reply.parts[1].clone());
    assert_eq!(reply, expected);
}

#[test]
fn an_unknown_name_on_a_known_type_is_no_way_to_lose_it() {
    let body = sse_body(API, &Turn::new().text("one two three").plain());
    let body = std::str::from_utf8(&body).unwrap();
    for name in [
        "message",
        "content_block_deltas",
        "content_block_delta ",
        " content_block_delta",
        "Content_Block_Delta",
    ] {
        let damaged = body.replacen(
            "event: content_block_delta\n",
            &format!("event: {name}\n"),
            1,
        );
        assert_ne!(damaged, body);
        let error = accumulate(API, damaged.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), &AccumulateErrorKind::NameMismatch, "{name:?}");
    }
    let error = "event: errors\ndata: {\"type\":\"error\",\"error\":{}}\n\n";
    let damaged = body.replacen(
        "event: content_block_stop",
        &format!("{error}event: content_block_stop"),
        1,
    );
    let error = accumulate(API, damaged.as_bytes()).unwrap_err();
    assert_eq!(error.kind(), &AccumulateErrorKind::NameMismatch);
}

#[test]
fn a_member_that_stands_twice_is_malformed_and_no_way_to_lose_one() {
    let body = sse_body(API, &Turn::new().text("one two").plain());
    let body = std::str::from_utf8(&body).unwrap();
    let damaged = body.replacen("\"text\":\" two\"", "\"text\":\" two\",\"text\":\"\"", 1);
    assert_ne!(damaged, body);
    let error = accumulate(API, damaged.as_bytes()).unwrap_err();
    assert_eq!(error.kind(), &AccumulateErrorKind::MalformedJson);

    let whole = json_body(API, &Turn::new().text("one"));
    let whole = std::str::from_utf8(&whole).unwrap();
    let damaged = whole.replacen("\"stop_reason\"", "\"content\":[],\"stop_reason\"", 1);
    let error = accumulate_json(API, damaged.as_bytes()).unwrap_err();
    assert_eq!(error.kind(), &AccumulateErrorKind::MalformedJson);

    let twice = Turn::new().tool_call("sh", Arguments::raw(r#"{"cmd":"rm","cmd":"ls"}"#));
    assert!(twice.normalized(API).is_err());
    let error = accumulate(API, &sse_body(API, &twice)).unwrap_err();
    assert!(matches!(
        error.kind(),
        AccumulateErrorKind::ArgumentsNotJson { .. }
    ));
}

#[test]
fn null_arguments_are_no_arguments_in_both_forms() {
    for arguments in [Arguments::raw("null"), json!(null).into(), json!({}).into()] {
        let turn = Turn::new().tool_call("f", arguments);
        let expected = turn.normalized(API).unwrap();
        assert_eq!(expected.tool_calls().next().unwrap().arguments, json!({}));
        assert_eq!(accumulate(API, &sse_body(API, &turn)).unwrap(), expected);
        assert_eq!(
            accumulate_json(API, &json_body(API, &turn)).unwrap(),
            expected
        );
    }
}
