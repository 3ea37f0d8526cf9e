//! Every event in every stage, on byte literals; every message pinned whole.

use serde_json::json;

use super::*;
use crate::{
    api::{AccumulateError, Accumulator, Api, accumulate, accumulate_json},
    script::{Citation, StopReason, ToolCall},
    sse::SseDecoder,
};

pub(super) const API: Api = Api::AnthropicMessages;

pub(super) const START: &str = r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":1}}}"#;
const TEXT_0: &str =
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
const HE_0: &str =
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hé"}}"#;
const STOP_0: &str = r#"{"type":"content_block_stop","index":0}"#;
const TOOL_0: &str = r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"f","input":{}}}"#;
const THINKING_0: &str = r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#;
const TEXT_1: &str =
    r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}"#;
const TOOL_1: &str = r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_2","name":"g","input":{}}}"#;
const STOP_1: &str = r#"{"type":"content_block_stop","index":1}"#;
pub(super) const END: &str = r#"{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":2}}"#;
pub(super) const STOP: &str = r#"{"type":"message_stop"}"#;
const PING: &str = r#"{"type": "ping"}"#;

/// A body of events with these data, each named by its type.
pub(super) fn body(data: &[&str]) -> Vec<u8> {
    let mut body = String::new();
    for data in data {
        let name = &serde_json::from_str::<Value>(data).unwrap()["type"];
        let name = name.as_str().unwrap();
        body.push_str(&format!("event: {name}\ndata: {data}\n\n"));
    }
    body.into_bytes()
}

#[track_caller]
pub(super) fn reply(data: &[&str]) -> Reply {
    match accumulate(API, &body(data)) {
        Ok(reply) => reply,
        Err(error) => panic!("{error}\n  row: {data:?}"),
    }
}

#[track_caller]
pub(super) fn error(data: &[&str]) -> AccumulateError {
    match accumulate(API, &body(data)) {
        Ok(reply) => panic!("accepted: {reply:?}\n  row: {data:?}"),
        Err(error) => error,
    }
}

/// A delta of the tool call with this index.
fn fragment(index: usize, text: &str) -> String {
    let delta = json!({"type": "input_json_delta", "partial_json": text});
    format!(r#"{{"type":"content_block_delta","index":{index},"delta":{delta}}}"#)
}

/// The arguments of a tool call with these fragments.
#[track_caller]
fn arguments(fragments: &[&str]) -> Value {
    let fragments: Vec<_> = fragments.iter().map(|text| fragment(0, text)).collect();
    let mut data = vec![START, TOOL_0];
    data.extend(fragments.iter().map(String::as_str));
    data.extend([STOP_0, END, STOP]);
    let calls: Vec<_> = reply(&data).tool_calls().cloned().collect();
    assert_eq!(calls.len(), 1);
    calls[0].arguments.clone()
}

/// What `accumulate` makes of one block that starts as `block`, with these deltas.
#[track_caller]
pub(super) fn block(block: &str, deltas: &[&str]) -> Result<Vec<Part>, AccumulateError> {
    let start = format!(r#"{{"type":"content_block_start","index":0,"content_block":{block}}}"#);
    let deltas: Vec<_> = deltas
        .iter()
        .map(|delta| format!(r#"{{"type":"content_block_delta","index":0,"delta":{delta}}}"#))
        .collect();
    let mut data = vec![START, &start];
    data.extend(deltas.iter().map(String::as_str));
    data.extend([STOP_0, END, STOP]);
    accumulate(API, &body(&data)).map(|reply| reply.parts)
}

fn text(text: &str) -> Part {
    Part::Text(text.to_owned())
}

pub(super) fn call(id: &str, name: &str, arguments: Value) -> Part {
    Part::ToolCall(ToolCall::new(id.to_owned(), name.to_owned(), arguments))
}

pub(super) fn thinking(text: &str, signature: &str) -> Part {
    Part::Thinking {
        text: text.to_owned(),
        signature: signature.to_owned(),
    }
}

#[test]
fn text_stream_becomes_its_reply() {
    assert_eq!(
        reply(&[START, TEXT_0, PING, HE_0, HE_0, STOP_0, END, STOP]),
        Reply::new(
            "msg_1".to_owned(),
            "m".to_owned(),
            vec![text("HéHé")],
            StopReason::EndTurn,
            Usage::input(3).output(2),
        )
    );
}

#[test]
fn stream_without_blocks_becomes_an_empty_reply_with_its_reason() {
    let reply = reply(&[START, END, STOP]);
    assert_eq!(
        (reply.parts, reply.stop_reason),
        (vec![], StopReason::EndTurn)
    );
}

#[test]
fn text_of_the_start_comes_before_that_of_the_deltas() {
    let parts = block(
        r#"{"type":"text","text":"a"}"#,
        &[r#"{"type":"text_delta","text":"b"}"#],
    );
    assert_eq!(parts.unwrap(), [text("ab")]);
}

#[test]
fn adjacent_text_blocks_stay_apart() {
    let one = HE_0.replace(":0", ":1");
    assert_eq!(
        reply(&[START, TEXT_0, HE_0, STOP_0, TEXT_1, &one, STOP_1, END, STOP]).parts,
        [text("Hé"), text("Hé")]
    );
}

#[test]
fn arguments_are_joined_whatever_the_cut() {
    let whole = r#"{"a": "é\u00e9\n", "n": 997, "s": "\ud83d\ude00"}"#;
    let value: Value = serde_json::from_str(whole).unwrap();
    for at in (0..=whole.len()).filter(|at| whole.is_char_boundary(*at)) {
        let (head, tail) = whole.split_at(at);
        assert_eq!(arguments(&["", head, tail]), value, "cut at {at}");
    }
    let each: Vec<String> = whole.chars().map(String::from).collect();
    let each: Vec<&str> = each.iter().map(String::as_str).collect();
    assert_eq!(arguments(&each), value);
}

#[test]
fn call_without_arguments_has_an_empty_object() {
    for fragments in [&[][..], &[""], &["", ""], &["{}"]] {
        assert_eq!(arguments(fragments), json!({}), "{fragments:?}");
    }
}

#[test]
fn input_of_the_start_counts_unless_it_is_a_placeholder() {
    let start = |input: &str| format!(r#"{{"type":"tool_use","id":"toolu_1","name":"f"{input}}}"#);
    let empty = r#"{"type":"input_json_delta","partial_json":""}"#;
    for (input, deltas, expected) in [
        ("", &[][..], json!({})),
        (r#","input":null"#, &[], json!({})),
        (r#","input":{}"#, &[], json!({})),
        (r#","input":{"a":1}"#, &[], json!({"a": 1})),
        (r#","input":{"a":1}"#, &[empty], json!({"a": 1})),
        (r#","input":[]"#, &[], json!([])),
    ] {
        let parts = block(&start(input), deltas).unwrap();
        assert_eq!(parts, [call("toolu_1", "f", expected)], "{input}");
    }
}

#[test]
fn blocks_may_overlap_and_come_out_by_index() {
    let (a0, b0) = (fragment(0, r#"{"a""#), fragment(0, ":1}"));
    let (a1, b1) = (fragment(1, r#"{"b""#), fragment(1, ":2}"));
    let calls = [
        call("toolu_1", "f", json!({"a": 1})),
        call("toolu_2", "g", json!({"b": 2})),
    ];
    for stops in [[STOP_0, STOP_1], [STOP_1, STOP_0]] {
        let mut data = vec![START, TOOL_0, &a0, TOOL_1, &a1, &b0, &b1];
        data.extend(stops);
        data.extend([END, STOP]);
        assert_eq!(reply(&data).parts, calls, "{stops:?}");
    }
}

#[test]
fn events_that_say_nothing_leave_no_trace() {
    let plain = reply(&[START, TEXT_0, HE_0, STOP_0, END, STOP]);
    let events = [START, TEXT_0, HE_0, STOP_0, END, STOP].map(|data| body(&[data]));
    let skipped: [&[u8]; 9] = [
        b"event: ping\ndata: {\"type\": \"ping\"}\n\n",
        b"data: {\"type\":\"ping\"}\n\n",
        b"event: x_new\ndata: {\"type\":\"x_new\",\"text\":\"x\"}\n\n",
        b"event: x_new\ndata: <not JSON>\n\n",
        b"data: {\"type\":\"x_new\"}\n\n",
        b"event: content_block_delta\ndata:\n\n",
        b"data:\n\n",
        b"data:\ndata:\n\n",
        b"event: ping\n\n: comment\n\n",
    ];
    for event in skipped {
        for at in 0..=events.len() {
            let mut parts: Vec<&[u8]> = events.iter().map(Vec::as_slice).collect();
            parts.insert(at, event);
            let row = event.escape_ascii();
            assert_eq!(
                accumulate(API, &parts.concat()).as_ref(),
                Ok(&plain),
                "{row} at {at}"
            );
        }
    }
}

#[test]
fn done_sentinel_is_skipped_after_the_end() {
    let plain = body(&[START, END, STOP]);
    let whole = [
        &plain[..],
        b"data: [DONE]\n\ndata:[DONE]\n\ndata:  [DONE]\n\n",
    ]
    .concat();
    assert_eq!(accumulate(API, &whole), accumulate(API, &plain));

    let named = [&plain[..], b"event: ping\ndata: [DONE]\n\n"].concat();
    let error = accumulate(API, &named).unwrap_err();
    assert_eq!(error.kind(), &AccumulateErrorKind::MalformedJson);
}

#[test]
fn events_need_no_name() {
    let data = [START, TEXT_0, PING, HE_0, STOP_0, END, STOP];
    let named = body(&data);
    let nameless: String = data
        .iter()
        .map(|data| format!("data: {data}\n\n"))
        .collect();
    assert_eq!(
        accumulate(API, nameless.as_bytes()),
        accumulate(API, &named)
    );
}

#[test]
fn index_may_be_missing_where_only_one_block_is_open() {
    let data = [START, TEXT_0, HE_0, STOP_0, TOOL_1, STOP_1, END, STOP];
    let bare = data.map(|data| {
        data.replace(r#""index":0,"#, "")
            .replace(r#""index":1,"#, "")
    });
    let bare = bare.map(|data| {
        data.replace(r#","index":0"#, "")
            .replace(r#","index":1"#, "")
    });
    assert!(!bare.concat().contains("index"));
    assert_eq!(reply(&bare.each_ref().map(String::as_str)), reply(&data));
}

#[test]
fn last_value_of_each_counter_holds_and_missing_ones_break_nothing() {
    let full = r#"{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":3,"cache_creation_input_tokens":4}"#;
    let all = || Usage::input(1).output(2).cache_read(3).cache_creation(4);
    for (start, delta, expected) in [
        (full, "{}", all()),
        (full, "null", all()),
        ("null", full, all()),
        ("{}", full, all()),
        (full, r#"{"output_tokens":9}"#, all().output(9)),
        (
            full,
            r#"{"input_tokens":null,"output_tokens":9}"#,
            all().output(9),
        ),
        (
            r#"{"output_tokens":7}"#,
            r#"{"input_tokens":5}"#,
            Usage::input(5).output(7),
        ),
        (
            full,
            r#"{"output_tokens":0,"server_tool_use":{"web_search_requests":1}}"#,
            all().output(0).web_searches(1),
        ),
        ("{}", "{}", Usage::default()),
    ] {
        let start = START.replace(r#"{"input_tokens":3,"output_tokens":1}"#, start);
        let delta = END.replace(r#"{"output_tokens":2}"#, delta);
        assert_eq!(
            reply(&[&start, &delta, STOP]).usage,
            expected,
            "{start} {delta}"
        );
    }
    let start = START.replace(r#","usage":{"input_tokens":3,"output_tokens":1}"#, "");
    let delta = END.replace(r#","usage":{"output_tokens":2}"#, "");
    assert_eq!(reply(&[&start, &delta, STOP]).usage, Usage::default());
}

#[test]
fn last_message_delta_rules() {
    let tool_use = END.replace("end_turn", "tool_use").replace(":2", ":5");
    let counters = r#"{"type":"message_delta","delta":{},"usage":{"input_tokens":8}}"#;
    let reply = reply(&[START, END, &tool_use, counters, STOP]);
    assert_eq!(reply.stop_reason, StopReason::ToolUse);
    assert_eq!(reply.usage, Usage::input(8).output(5));
}

#[test]
fn message_delta_without_a_reason_takes_none_back() {
    let sequence =
        r#"{"type":"message_delta","delta":{"stop_reason":"stop_sequence","stop_sequence":"END"}}"#;
    let counters = r#"{"type":"message_delta","delta":{},"usage":{"output_tokens":8}}"#;
    assert_eq!(
        reply(&[START, sequence, counters, STOP]).stop_reason,
        StopReason::StopSequence("END".to_owned())
    );
}

#[test]
fn content_of_the_start_may_be_null_or_missing() {
    let plain = reply(&[START, END, STOP]);
    for content in [r#""content":null,"#, ""] {
        let start = START.replace(r#""content":[],"#, content);
        assert_eq!(reply(&[&start, END, STOP]), plain, "{content}");
    }
}

#[test]
fn stop_reasons_are_read_known_or_not() {
    for (word, expected) in [
        (r#""max_tokens""#, StopReason::MaxTokens),
        (r#""pause_turn""#, StopReason::PauseTurn),
        (r#""refusal""#, StopReason::Refusal),
        (r#""x_new""#, StopReason::Other("x_new".to_owned())),
    ] {
        let end = END.replace(r#""end_turn""#, word);
        assert_eq!(reply(&[START, &end, STOP]).stop_reason, expected);
    }
    let end = END.replace(
        r#""end_turn","stop_sequence":null"#,
        r#""stop_sequence","stop_sequence":"\n\nHuman:""#,
    );
    assert_eq!(
        reply(&[START, &end, STOP]).stop_reason,
        StopReason::StopSequence("\n\nHuman:".to_owned())
    );
}

fn add_unknown_members(value: &mut Value) {
    if let Value::Object(members) = value {
        members.values_mut().for_each(add_unknown_members);
        members.insert("x_null".to_owned(), Value::Null);
        members.insert("x_object".to_owned(), json!({"text": ["x"]}));
    }
}

#[test]
fn unknown_members_are_ignored_at_every_level() {
    let plain = reply(&[START, TEXT_0, HE_0, STOP_0, END, STOP]);
    let data = [START, TEXT_0, HE_0, STOP_0, END, STOP].map(|data| {
        let mut data = serde_json::from_str(data).unwrap();
        add_unknown_members(&mut data);
        data.to_string()
    });
    assert_eq!(reply(&data.each_ref().map(String::as_str)), plain);
}

#[test]
fn blocks_of_other_types_are_kept_with_their_deltas() {
    for (start, deltas) in [
        (
            r#"{"type":"x_new","a":[1]}"#,
            &[
                r#"{"type":"x_delta","b":2}"#,
                r#"{"type":"text_delta","text":"x"}"#,
            ][..],
        ),
        (
            r#"{"type":"fallback","from":{"model":"a"}}"#,
            &[r#"{"type":"x_delta"}"#],
        ),
    ] {
        let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(
            block(start, deltas).unwrap(),
            [Part::Unknown {
                block: parse(start),
                deltas: deltas.iter().map(|delta| parse(delta)).collect(),
            }],
            "{start}"
        );
    }
}

#[test]
fn members_that_are_null_belong_to_no_other_delta() {
    let parts = block(
        r#"{"type":"text","text":"","citations":null}"#,
        &[r#"{"type":"text_delta","text":"x","partial_json":null,"signature":null}"#],
    );
    assert_eq!(parts.unwrap(), [text("x")]);
}

#[test]
fn twenty_thousand_deltas_and_blocks_are_read() {
    let mut data = vec![START, TEXT_0];
    data.extend([HE_0; 20_000]);
    data.extend([STOP_0, END, STOP]);
    assert_eq!(reply(&data).text(), "Hé".repeat(20_000));

    let blocks: Vec<String> = (0..20_000)
        .map(|n| {
            format!(
                r#"{{"type":"content_block_start","index":{n},"content_block":{{"type":"x"}}}}"#
            )
        })
        .chain((0..20_000).map(|n| format!(r#"{{"type":"content_block_stop","index":{n}}}"#)))
        .collect();
    let mut data = vec![START];
    data.extend(blocks.iter().map(String::as_str));
    data.extend([END, STOP]);
    assert_eq!(reply(&data).parts.len(), 20_000);
}

#[track_caller]
fn assert_errors(rows: &[(&[&str], &str)]) {
    for (data, message) in rows {
        assert_eq!(error(data).to_string(), *message, "{data:?}");
    }
}

const ORDER: &[(&[&str], &str)] = &[
    (
        &[HE_0],
        "an event came out of order\n  \
         where: anthropic_messages, event #1, byte 0\n  \
         expected: message_start\n  \
         found: `content_block_delta`",
    ),
    (
        &[END],
        "an event came out of order\n  \
         where: anthropic_messages, event #1, byte 0\n  \
         expected: message_start\n  \
         found: `message_delta`",
    ),
    (
        &[START, TEXT_0, HE_0, START],
        "an event came out of order\n  \
         where: anthropic_messages, event #4, byte 459\n  \
         expected: content_block_delta or content_block_stop of block 0\n  \
         found: `message_start`\n  \
         help: two answers may have been joined; each needs an accumulator of its own",
    ),
    (
        &[START, TEXT_0, HE_0, STOP_0, STOP],
        "an event came out of order\n  \
         where: anthropic_messages, event #5, byte 532\n  \
         expected: content_block_start of block 1, or message_delta\n  \
         found: `message_stop`",
    ),
    (
        &[START, STOP],
        "an event came out of order\n  \
         where: anthropic_messages, event #2, byte 224\n  \
         expected: content_block_start of block 0, or message_delta\n  \
         found: `message_stop`",
    ),
    (
        &[START, END, TEXT_0],
        "an event came out of order\n  \
         where: anthropic_messages, event #3, byte 361\n  \
         expected: message_stop\n  \
         found: `content_block_start`",
    ),
    (
        &[START, TEXT_0, STOP_0, END, HE_0],
        "an event came out of order\n  \
         where: anthropic_messages, event #5, byte 551\n  \
         expected: message_stop\n  \
         found: `content_block_delta`",
    ),
    (
        &[START, END, START],
        "an event came out of order\n  \
         where: anthropic_messages, event #3, byte 361\n  \
         expected: message_stop\n  \
         found: `message_start`\n  \
         help: two answers may have been joined; each needs an accumulator of its own",
    ),
    (
        &[START, END, STOP, END],
        "an event came out of order\n  \
         where: anthropic_messages, event #4, byte 412\n  \
         expected: the end of the stream\n  \
         found: `message_delta`",
    ),
    (
        &[START, END, STOP, TEXT_0],
        "an event came out of order\n  \
         where: anthropic_messages, event #4, byte 412\n  \
         expected: the end of the stream\n  \
         found: `content_block_start`",
    ),
    (
        &[START, END, STOP, STOP],
        "an event came out of order\n  \
         where: anthropic_messages, event #4, byte 412\n  \
         expected: the end of the stream\n  \
         found: `message_stop`",
    ),
    (
        &[START, END, STOP, START],
        "an event came out of order\n  \
         where: anthropic_messages, event #4, byte 412\n  \
         expected: the end of the stream\n  \
         found: `message_start`\n  \
         help: two answers may have been joined; each needs an accumulator of its own",
    ),
];

#[test]
fn events_out_of_order_are_rejected() {
    assert_errors(ORDER);
}

const BLOCKS: &[(&[&str], &str)] = &[
    (
        &[
            START,
            r#"{"type":"content_block_start","index":-1,"content_block":{"type":"text","text":""}}"#,
        ],
        "a block starts with an index that is not its turn\n  \
         where: anthropic_messages, event #2, byte 224\n  \
         expected: the index 0: indices count up from 0\n  \
         found: `-1`",
    ),
    (
        &[
            START,
            r#"{"type":"content_block_start","index":1000000000,"content_block":{"type":"text","text":""}}"#,
        ],
        "a block starts with an index that is not its turn\n  \
         where: anthropic_messages, event #2, byte 224\n  \
         expected: the index 0: indices count up from 0\n  \
         found: `1000000000`",
    ),
    (
        &[
            START,
            TEXT_0,
            STOP_0,
            r#"{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}"#,
        ],
        "a block starts with an index that is not its turn\n  \
         where: anthropic_messages, event #4, byte 414\n  \
         expected: the index 1: indices count up from 0\n  \
         found: `2`",
    ),
    (
        &[START, TEXT_0, STOP_0, TEXT_0],
        "a block starts with an index that is not its turn\n  \
         where: anthropic_messages, event #4, byte 414\n  \
         expected: the index 1: indices count up from 0\n  \
         found: `0`",
    ),
    (
        &[START, TEXT_0, TEXT_0],
        "a block starts with an index that is not its turn\n  \
         where: anthropic_messages, event #3, byte 341\n  \
         expected: the index 1: indices count up from 0\n  \
         found: `0`",
    ),
    (
        &[START, HE_0],
        "a delta of a block that never started\n  \
         where: anthropic_messages, event #2, byte 224\n  \
         expected: no delta: no block is open\n  \
         found: `0`",
    ),
    (
        &[
            START,
            TEXT_0,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hé"}}"#,
        ],
        "a delta of a block that never started\n  \
         where: anthropic_messages, event #3, byte 341\n  \
         expected: an index of block 0, which is open\n  \
         found: `1`",
    ),
    (
        &[
            START,
            TEXT_0,
            r#"{"type":"content_block_delta","index":1000000000,"delta":{"type":"text_delta","text":"Hé"}}"#,
        ],
        "a delta of a block that never started\n  \
         where: anthropic_messages, event #3, byte 341\n  \
         expected: an index of block 0, which is open\n  \
         found: `1000000000`",
    ),
    (
        &[
            START,
            TEXT_0,
            r#"{"type":"content_block_delta","index":-1,"delta":{"type":"text_delta","text":"Hé"}}"#,
        ],
        "a delta of a block that never started\n  \
         where: anthropic_messages, event #3, byte 341\n  \
         expected: an index of block 0, which is open\n  \
         found: `-1`",
    ),
    (
        &[START, TEXT_0, STOP_0, HE_0],
        "a delta of a block that has stopped\n  \
         where: anthropic_messages, event #4, byte 414\n  \
         expected: no delta: no block is open\n  \
         found: `0`",
    ),
    (
        &[START, TEXT_0, STOP_0, STOP_0],
        "a stop of a block that has stopped\n  \
         where: anthropic_messages, event #4, byte 414\n  \
         expected: no stop: no block is open\n  \
         found: `0`",
    ),
    (
        &[START, r#"{"type":"content_block_stop"}"#],
        "a stop of no block\n  \
         where: anthropic_messages, event #2, byte 224\n  \
         expected: no stop: no block is open\n  \
         found: no index",
    ),
    (
        &[
            START,
            TOOL_0,
            TOOL_1,
            r#"{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"{"}}"#,
        ],
        "the member `index` is missing\n  \
         where: anthropic_messages, event #4, byte 520\n  \
         expected: an index: it cannot be told whether this is of block 0 or 1\n  \
         found: `{\"delta\":{\"partial_json\":\"{\",\"type\":\"input_json_delta\"},\"type\":\"content_block_delta\"}`",
    ),
    (
        &[
            START,
            TEXT_0,
            r#"{"type":"content_block_delta","index":"0","delta":{"type":"text_delta","text":"Hé"}}"#,
        ],
        "the member `index` has a wrong type or value\n  \
         where: anthropic_messages, event #3, byte 341\n  \
         expected: a whole number\n  \
         found: `\"0\"`",
    ),
    (
        &[START, TEXT_0, HE_0, END],
        "the answer is about to end and block 0 has no stop\n  \
         where: anthropic_messages, event #4, byte 459\n  \
         expected: content_block_delta or content_block_stop of block 0\n  \
         found: `message_delta`",
    ),
    (
        &[
            START,
            TOOL_0,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\""}}"#,
            STOP,
        ],
        "the answer is about to end and block 0 has no stop\n  \
         where: anthropic_messages, event #4, byte 507\n  \
         expected: content_block_delta or content_block_stop of block 0\n  \
         found: `message_stop`",
    ),
    (
        &[START, TOOL_0, TOOL_1, STOP_0, END],
        "the answer is about to end and block 1 has no stop\n  \
         where: anthropic_messages, event #5, byte 593\n  \
         expected: content_block_delta or content_block_stop of block 1\n  \
         found: `message_delta`",
    ),
];

#[test]
fn events_of_no_open_block_are_rejected() {
    assert_errors(BLOCKS);
}

const DELTAS: &[(&[&str], &str)] = &[
    (
        &[
            START,
            TEXT_0,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\""}}"#,
        ],
        "a delta does not fit its block\n  \
         where: anthropic_messages, event #3, byte 341\n  \
         expected: text_delta or citations_delta, for block 0 of the type text\n  \
         found: `input_json_delta`",
    ),
    (
        &[START, TOOL_0, HE_0],
        "a delta does not fit its block\n  \
         where: anthropic_messages, event #3, byte 372\n  \
         expected: input_json_delta, for block 0 of the type tool_use\n  \
         found: `text_delta`",
    ),
    (
        &[START, THINKING_0, HE_0],
        "a delta does not fit its block\n  \
         where: anthropic_messages, event #3, byte 364\n  \
         expected: thinking_delta or signature_delta, for block 0 of the type thinking\n  \
         found: `text_delta`",
    ),
    (
        &[
            START,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"ZGF0YQ=="}}"#,
            HE_0,
        ],
        "a delta does not fit its block\n  \
         where: anthropic_messages, event #3, byte 362\n  \
         expected: no delta, for block 0 of the type redacted_thinking\n  \
         found: `text_delta`",
    ),
    (
        &[
            START,
            TEXT_0,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"x_delta","text":"Hé"}}"#,
        ],
        "a delta does not fit its block\n  \
         where: anthropic_messages, event #3, byte 341\n  \
         expected: text_delta or citations_delta, for block 0 of the type text\n  \
         found: `x_delta`",
    ),
    (
        &[
            START,
            TOOL_0,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"x_delta","text":"Hé"}}"#,
        ],
        "a delta does not fit its block\n  \
         where: anthropic_messages, event #3, byte 372\n  \
         expected: input_json_delta, for block 0 of the type tool_use\n  \
         found: `x_delta`",
    ),
    (
        &[
            START,
            TOOL_0,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"","text":"x"}}"#,
        ],
        "a delta carries a member of another type of delta\n  \
         where: anthropic_messages, event #3, byte 372\n  \
         expected: `text` only in text_delta, not in input_json_delta\n  \
         found: `text`",
    ),
    (
        &[
            START,
            THINKING_0,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm","signature":"c2ln"}}"#,
        ],
        "a delta carries a member of another type of delta\n  \
         where: anthropic_messages, event #3, byte 364\n  \
         expected: `signature` only in signature_delta, not in thinking_delta\n  \
         found: `signature`",
    ),
    (
        &[
            START,
            TEXT_0,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":7}}"#,
        ],
        "the member `delta.text` has a wrong type or value\n  \
         where: anthropic_messages, event #3, byte 341\n  \
         expected: a string\n  \
         found: `7`",
    ),
    (
        &[
            START,
            TEXT_0,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta"}}"#,
        ],
        "the member `delta.text` is missing\n  \
         where: anthropic_messages, event #3, byte 341\n  \
         expected: a string\n  \
         found: `{\"type\":\"text_delta\"}`",
    ),
    (
        &[
            START,
            TEXT_0,
            r#"{"type":"content_block_delta","index":0,"delta":null}"#,
        ],
        "the member `delta` has a wrong type or value\n  \
         where: anthropic_messages, event #3, byte 341\n  \
         expected: an object\n  \
         found: `null`",
    ),
    (
        &[
            START,
            TEXT_0,
            r#"{"type":"content_block_delta","index":0,"delta":{"text":"Hé"}}"#,
        ],
        "the member `delta.type` is missing\n  \
         where: anthropic_messages, event #3, byte 341\n  \
         expected: a string\n  \
         found: `{\"text\":\"Hé\"}`",
    ),
    (
        &[
            START,
            TEXT_0,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":"x"}}"#,
        ],
        "the member `delta.citation` has a wrong type or value\n  \
         where: anthropic_messages, event #3, byte 341\n  \
         expected: an object\n  \
         found: `\"x\"`",
    ),
];

#[test]
fn deltas_that_fit_no_block_or_type_are_rejected() {
    assert_errors(DELTAS);
}

const CALLS: &[(&[&str], &str)] = &[
    (
        &[
            START,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"","name":"f","input":{}}}"#,
        ],
        "the member `content_block.id` has a wrong type or value\n  \
         where: anthropic_messages, event #2, byte 224\n  \
         expected: a string that is not empty\n  \
         found: `\"\"`",
    ),
    (
        &[
            START,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","input":{}}}"#,
        ],
        "the member `content_block.name` is missing\n  \
         where: anthropic_messages, event #2, byte 224\n  \
         expected: a string\n  \
         found: `{\"id\":\"toolu_1\",\"input\":{},\"type\":\"tool_use\"}`",
    ),
    (
        &[
            START,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":7,"input":{}}}"#,
        ],
        "the member `content_block.name` has a wrong type or value\n  \
         where: anthropic_messages, event #2, byte 224\n  \
         expected: a string\n  \
         found: `7`",
    ),
    (
        &[
            START,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"f","input":{"a":1}}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\""}}"#,
        ],
        "arguments come twice: in the start of a tool call and in its deltas\n  \
         where: anthropic_messages, event #3, byte 377\n  \
         expected: no arguments in a delta, after a start with `input`\n  \
         found: `{\"a\"`",
    ),
    (
        &[
            START,
            TOOL_0,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\""}}"#,
            STOP_0,
        ],
        "the arguments of the tool call `f` are not JSON\n  \
         where: anthropic_messages, event #4, byte 507\n  \
         expected: one JSON document, when the fragments are joined\n  \
         found: `{\"a\"`\n  \
         help: this is not the call that the model meant; it must not be run",
    ),
    (
        &[
            START,
            TOOL_0,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\""}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":":1}"}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\""}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":":1}"}}"#,
            STOP_0,
        ],
        "the arguments of the tool call `f` are not JSON\n  \
         where: anthropic_messages, event #7, byte 906\n  \
         expected: one JSON document, when the fragments are joined\n  \
         found: `{\"a\":1}{\"a\":1}`\n  \
         help: this is not the call that the model meant; it must not be run",
    ),
    (
        &[
            START,
            TOOL_0,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\": \"\\"}}"#,
            STOP_0,
        ],
        "the arguments of the tool call `f` are not JSON\n  \
         where: anthropic_messages, event #4, byte 513\n  \
         expected: one JSON document, when the fragments are joined\n  \
         found: `{\"a\": \"\\\\`\n  \
         help: this is not the call that the model meant; it must not be run",
    ),
    (
        &[
            START,
            TOOL_0,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":" "}}"#,
            STOP_0,
        ],
        "the arguments of the tool call `f` are not JSON\n  \
         where: anthropic_messages, event #4, byte 502\n  \
         expected: one JSON document, when the fragments are joined\n  \
         found: ` `\n  \
         help: this is not the call that the model meant; it must not be run",
    ),
];

#[test]
fn damaged_tool_calls_are_rejected() {
    assert_errors(CALLS);
}

const MEMBERS: &[(&[&str], &str)] = &[
    (
        &[
            r#"{"type":"message_start","message":{"type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":1}}}"#,
        ],
        "the member `message.id` is missing\n  \
         where: anthropic_messages, event #1, byte 0\n  \
         expected: a string\n  \
         found: `{\"content\":[],\"model\":\"m\",\"role\":\"assistant\",\"stop_reason\":null,\"stop_sequence\":null,\"type\":\"message\",\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}`",
    ),
    (
        &[
            r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":7,"content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":1}}}"#,
        ],
        "the member `message.model` has a wrong type or value\n  \
         where: anthropic_messages, event #1, byte 0\n  \
         expected: a string\n  \
         found: `7`",
    ),
    (
        &[
            r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"user","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":1}}}"#,
        ],
        "the member `message.role` has a wrong type or value\n  \
         where: anthropic_messages, event #1, byte 0\n  \
         expected: `assistant`\n  \
         found: `\"user\"`",
    ),
    (
        &[
            r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"x"}],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":1}}}"#,
        ],
        "the member `message.content` has a wrong type or value\n  \
         where: anthropic_messages, event #1, byte 0\n  \
         expected: an empty array: blocks have events of their own\n  \
         found: `[{\"text\":\"x\",\"type\":\"text\"}]`",
    ),
    (
        &[
            r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":"3","output_tokens":1}}}"#,
        ],
        "the member `message.usage.input_tokens` has a wrong type or value\n  \
         where: anthropic_messages, event #1, byte 0\n  \
         expected: a whole number from 0 on, or null\n  \
         found: `\"3\"`",
    ),
    (
        &[r#"{"type":"message_start"}"#],
        "the member `message` is missing\n  \
         where: anthropic_messages, event #1, byte 0\n  \
         expected: an object\n  \
         found: `{\"type\":\"message_start\"}`",
    ),
    (
        &[START, r#"{"type":"content_block_start","index":0}"#],
        "the member `content_block` is missing\n  \
         where: anthropic_messages, event #2, byte 224\n  \
         expected: an object\n  \
         found: `{\"index\":0,\"type\":\"content_block_start\"}`",
    ),
    (
        &[
            START,
            r#"{"type":"content_block_start","index":0,"content_block":{"text":""}}"#,
        ],
        "the member `content_block.type` is missing\n  \
         where: anthropic_messages, event #2, byte 224\n  \
         expected: a string\n  \
         found: `{\"text\":\"\"}`",
    ),
    (
        &[
            START,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"","citations":{}}}"#,
        ],
        "the member `content_block.citations` has a wrong type or value\n  \
         where: anthropic_messages, event #2, byte 224\n  \
         expected: an array\n  \
         found: `{}`",
    ),
    (
        &[
            START,
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":[]}"#,
        ],
        "the member `usage` has a wrong type or value\n  \
         where: anthropic_messages, event #2, byte 224\n  \
         expected: an object or null\n  \
         found: `[]`",
    ),
    (
        &[
            START,
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":-2}}"#,
        ],
        "the member `usage.output_tokens` has a wrong type or value\n  \
         where: anthropic_messages, event #2, byte 224\n  \
         expected: a whole number from 0 on, or null\n  \
         found: `-2`",
    ),
    (
        &[
            START,
            r#"{"type":"message_delta","delta":{"stop_reason":7,"stop_sequence":null},"usage":{"output_tokens":2}}"#,
        ],
        "the member `delta.stop_reason` has a wrong type or value\n  \
         where: anthropic_messages, event #2, byte 224\n  \
         expected: a string or null\n  \
         found: `7`",
    ),
    (
        &[
            START,
            r#"{"type":"message_delta","usage":{"output_tokens":2}}"#,
        ],
        "the member `delta` is missing\n  \
         where: anthropic_messages, event #2, byte 224\n  \
         expected: an object\n  \
         found: `{\"type\":\"message_delta\",\"usage\":{\"output_tokens\":2}}`",
    ),
    (
        &[
            START,
            r#"{"type":"message_delta","delta":{"stop_reason":null,"stop_sequence":null},"usage":{"output_tokens":2}}"#,
            STOP,
        ],
        "the answer stopped without a stop reason\n  \
         where: anthropic_messages, event #3, byte 355\n  \
         expected: a string as `delta.stop_reason` of the last message_delta\n  \
         found: `null`",
    ),
    (
        &[
            START,
            END,
            r#"{"type":"message_delta","delta":{"stop_reason":null,"stop_sequence":null},"usage":{"output_tokens":2}}"#,
            STOP,
        ],
        "the answer stopped without a stop reason\n  \
         where: anthropic_messages, event #4, byte 492\n  \
         expected: a string as `delta.stop_reason` of the last message_delta\n  \
         found: `null`",
    ),
];

#[test]
fn members_that_are_missing_or_wrong_are_named_with_their_path() {
    assert_errors(MEMBERS);
}

const ENDS: &[(&[&str], &str)] = &[
    (
        &[],
        "the answer ended before `message_stop`\n  \
         where: anthropic_messages, event #1, byte 0\n  \
         expected: message_start\n  \
         found: the end of the stream, after 0 events\n  \
         help: if the early end is scripted, expect this error; what was read is in `partial()`",
    ),
    (
        &[START],
        "the answer ended before `message_stop`\n  \
         where: anthropic_messages, event #2, byte 224\n  \
         expected: content_block_start of block 0, or message_delta\n  \
         found: the end of the stream, after 1 event\n  \
         help: if the early end is scripted, expect this error; what was read is in `partial()`",
    ),
    (
        &[START, TEXT_0, HE_0],
        "the answer ended before `message_stop`\n  \
         where: anthropic_messages, event #4, byte 459\n  \
         expected: content_block_delta or content_block_stop of block 0\n  \
         found: the end of the stream, after 3 events\n  \
         help: if the early end is scripted, expect this error; what was read is in `partial()`",
    ),
    (
        &[
            START,
            TOOL_0,
            TOOL_1,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\""}}"#,
        ],
        "the answer ended before `message_stop`\n  \
         where: anthropic_messages, event #5, byte 655\n  \
         expected: content_block_delta or content_block_stop of block 0 or 1\n  \
         found: the end of the stream, after 4 events\n  \
         help: if the early end is scripted, expect this error; what was read is in `partial()`",
    ),
    (
        &[START, TEXT_0, HE_0, STOP_0, END],
        "the answer ended before `message_stop`\n  \
         where: anthropic_messages, event #6, byte 669\n  \
         expected: message_stop\n  \
         found: the end of the stream, after 5 events\n  \
         help: if the early end is scripted, expect this error; what was read is in `partial()`",
    ),
    (
        &[r#"{"type":"error","error":{"type":"api_error","message":"Internal server error"}}"#],
        "the provider reported an error\n  \
         where: anthropic_messages, event #1, byte 0\n  \
         expected: message_start\n  \
         found: `api_error: Internal server error`",
    ),
    (
        &[
            START,
            TEXT_0,
            r#"{"type":"error","error":{"details":null,"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}"#,
        ],
        "the provider reported an error\n  \
         where: anthropic_messages, event #3, byte 341\n  \
         expected: content_block_delta or content_block_stop of block 0\n  \
         found: `overloaded_error: Overloaded`",
    ),
    (
        &[
            START,
            END,
            STOP,
            r#"{"type":"error","error":{"type":"api_error","message":"late"}}"#,
        ],
        "the provider reported an error\n  \
         where: anthropic_messages, event #4, byte 412\n  \
         expected: the end of the stream\n  \
         found: `api_error: late`",
    ),
    (
        &[
            START,
            r#"{"type":"error","error":{"message":"Overloaded"}}"#,
        ],
        "the member `error.type` is missing\n  \
         where: anthropic_messages, event #2, byte 224\n  \
         expected: a string\n  \
         found: `{\"message\":\"Overloaded\"}`",
    ),
    (
        &[START, r#"{"type":"error"}"#],
        "the member `error` is missing\n  \
         where: anthropic_messages, event #2, byte 224\n  \
         expected: an object\n  \
         found: `{\"type\":\"error\"}`",
    ),
];

#[test]
fn answers_that_fail_or_end_too_early_are_errors() {
    assert_errors(ENDS);
}

const BODIES: &[(&[u8], &str)] = &[
    (
        b"event: message_start\ndata: {\"type\":\"mess\n\n",
        "the data of `message_start` is not one JSON object\n  \
         where: anthropic_messages, event #1, byte 0\n  \
         expected: one JSON object\n  \
         found: `{\"type\":\"mess`",
    ),
    (
        b"data: hello\n\n",
        "the data of an event is not one JSON object\n  \
         where: anthropic_messages, event #1, byte 0\n  \
         expected: one JSON object\n  \
         found: `hello`",
    ),
    (
        b"event: message_start\ndata: [1]\n\n",
        "the data of `message_start` is not one JSON object\n  \
         where: anthropic_messages, event #1, byte 0\n  \
         expected: one JSON object\n  \
         found: `[1]`",
    ),
    (
        b"event: message_start\ndata: {} {}\n\n",
        "the data of `message_start` is not one JSON object\n  \
         where: anthropic_messages, event #1, byte 0\n  \
         expected: one JSON object\n  \
         found: `{} {}`",
    ),
    (
        b"event: message_start\ndata: {}\n\n",
        "the member `type` is missing\n  \
         where: anthropic_messages, event #1, byte 0\n  \
         expected: a string\n  \
         found: `{}`",
    ),
    (
        b"data: {\"type\":1}\n\n",
        "the member `type` has a wrong type or value\n  \
         where: anthropic_messages, event #1, byte 0\n  \
         expected: a string\n  \
         found: `1`",
    ),
    (
        b"event: message_start\ndata: {\"type\":\"message_stop\"}\n\n",
        "the name of an event and the type in its data differ\n  \
         where: anthropic_messages, event #1, byte 0\n  \
         expected: the type message_start, as the event is named\n  \
         found: `message_stop`",
    ),
    (
        b"event: ping\ndata: {\"type\":\"content_block_delta\"}\n\n",
        "the name of an event and the type in its data differ\n  \
         where: anthropic_messages, event #1, byte 0\n  \
         expected: the type ping, as the event is named\n  \
         found: `content_block_delta`",
    ),
    (
        b"event: error\ndata:\n\n",
        "the data of `error` is not one JSON object\n  \
         where: anthropic_messages, event #1, byte 0\n  \
         expected: one JSON object\n  \
         found: ``",
    ),
    (
        b"event: error\ndata: upstream died\n\n",
        "the data of `error` is not one JSON object\n  \
         where: anthropic_messages, event #1, byte 0\n  \
         expected: one JSON object\n  \
         found: `upstream died`",
    ),
    (
        b"data: {\"error\":{\"message\":\"x\"}}\n\n",
        "the member `type` is missing\n  \
         where: anthropic_messages, event #1, byte 0\n  \
         expected: a string\n  \
         found: `{\"error\":{\"message\":\"x\"}}`",
    ),
    (
        b"data: [DONE]\n\n",
        "the data of an event is not one JSON object\n  \
         where: anthropic_messages, event #1, byte 0\n  \
         expected: one JSON object\n  \
         found: `[DONE]`",
    ),
    (
        b": hi\n\n:\n",
        "the answer ended before `message_stop`\n  \
         where: anthropic_messages, event #1, byte 8\n  \
         expected: message_start\n  \
         found: the end of the stream, after 0 events\n  \
         help: if the early end is scripted, expect this error; what was read is in `partial()`",
    ),
    (
        b"event: ping\n\n",
        "the answer ended before `message_stop`\n  \
         where: anthropic_messages, event #1, byte 13\n  \
         expected: message_start\n  \
         found: the end of the stream, after 0 events\n  \
         help: if the early end is scripted, expect this error; what was read is in `partial()`",
    ),
    (
        b"id",
        "the body is not a whole event stream\n  \
         where: anthropic_messages, event #1, byte 2\n  \
         expected: message_start\n  \
         found: the end of the body, inside an event",
    ),
    (
        b"eve",
        "the body is not a whole event stream\n  \
         where: anthropic_messages, event #1, byte 3\n  \
         expected: message_start\n  \
         found: the end of the body, inside an event",
    ),
    (
        b"event: message_start\ndata: {\"ty",
        "the body is not a whole event stream\n  \
         where: anthropic_messages, event #1, byte 31\n  \
         expected: message_start\n  \
         found: the end of the body, inside an event",
    ),
    (
        b"event: message_start\ndata: \xff\n\n",
        "the body is not a whole event stream\n  \
         where: anthropic_messages, event #1, byte 27\n  \
         expected: message_start\n  \
         found: a line that is not UTF-8",
    ),
    (
        b"<html>\r\n<title>502 Bad Gateway</title>\r\n</html>\r\n",
        "the body is no event stream\n  \
         where: anthropic_messages, byte 0\n  \
         expected: lines of an event stream\n  \
         found: `<html>\\r\\n<title>502 Bad Gateway</title>\\r\\n</html>\\r\\n`",
    ),
    (
        b"<html>\n\n",
        "the body is no event stream\n  \
         where: anthropic_messages, byte 0\n  \
         expected: lines of an event stream\n  \
         found: `<html>\\n\\n`",
    ),
    (
        b"<html>",
        "the body is no event stream\n  \
         where: anthropic_messages, byte 0\n  \
         expected: lines of an event stream\n  \
         found: `<html>`",
    ),
    (
        b"upstream connect error",
        "the body is no event stream\n  \
         where: anthropic_messages, byte 0\n  \
         expected: lines of an event stream\n  \
         found: `upstream connect error`",
    ),
    (
        br#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        "the provider reported an error\n  \
         where: anthropic_messages, byte 0\n  \
         expected: a message\n  \
         found: `overloaded_error: Overloaded`",
    ),
    (
        b"\x1f\x8b\x08\x00\n\x00",
        "the body is no event stream\n  \
         where: anthropic_messages, byte 0\n  \
         expected: lines of an event stream\n  \
         found: `\\u{1f}\\x8b\\u{8}\\0\\n\\0`",
    ),
    (
        br#"{"type":"message","id":"msg_1","role":"assistant","model":"m","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"t","name":"f","input":{}}],"stop_reason":"end_turn","usage":{"input_tokens":1}}"#,
        "the body is no event stream\n  \
         where: anthropic_messages, byte 0\n  \
         expected: lines of an event stream\n  \
         found: `{\"type\":\"message\",\"id\":\"msg_1\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"x\"},{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}}],\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\"` and 4 more bytes\n  \
         help: this is a whole JSON answer; read it with `accumulate_json`",
    ),
];

#[test]
fn bodies_that_hold_no_whole_event_stream_are_rejected() {
    for (body, message) in BODIES {
        let error = accumulate(API, body).unwrap_err();
        assert_eq!(error.to_string(), *message, "{}", body.escape_ascii());
    }
}

const JSON_BODIES: &[(&[u8], &str)] = &[
    (
        b"",
        "the JSON body ended too early\n  \
         where: anthropic_messages, byte 0\n  \
         expected: one JSON object\n  \
         found: ``",
    ),
    (
        br#"{"type":"message","#,
        "the JSON body ended too early\n  \
         where: anthropic_messages, byte 18\n  \
         expected: one JSON object\n  \
         found: `{\"type\":\"message\",`",
    ),
    (
        b"<html>",
        "the body is not one JSON object\n  \
         where: anthropic_messages, byte 0\n  \
         expected: one JSON object\n  \
         found: `<html>`",
    ),
    (
        b"[]",
        "the body is not one JSON object\n  \
         where: anthropic_messages, byte 0\n  \
         expected: one JSON object\n  \
         found: `[]`",
    ),
    (
        b"event: message_start\n",
        "the body is not one JSON object\n  \
         where: anthropic_messages, byte 0\n  \
         expected: one JSON object\n  \
         found: `event: message_start\\n`\n  \
         help: this is an event stream; read it with `accumulate`",
    ),
    (
        b"data: {}\n\n",
        "the body is not one JSON object\n  \
         where: anthropic_messages, byte 0\n  \
         expected: one JSON object\n  \
         found: `data: {}\\n\\n`\n  \
         help: this is an event stream; read it with `accumulate`",
    ),
    (
        b"{}",
        "the member `type` is missing\n  \
         where: anthropic_messages, byte 0\n  \
         expected: a string\n  \
         found: `{}`",
    ),
    (
        br#"{"type":"x","id":"msg_1","role":"assistant","model":"m","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"t","name":"f","input":{}}],"stop_reason":"end_turn","usage":{"input_tokens":1}}"#,
        "the member `type` has a wrong type or value\n  \
         where: anthropic_messages, byte 0\n  \
         expected: `message`, or `error`\n  \
         found: `\"x\"`",
    ),
    (
        br#"{"type":"message","id":"msg_1","role":"user","model":"m","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"t","name":"f","input":{}}],"stop_reason":"end_turn","usage":{"input_tokens":1}}"#,
        "the member `role` has a wrong type or value\n  \
         where: anthropic_messages, byte 0\n  \
         expected: `assistant`\n  \
         found: `\"user\"`",
    ),
    (
        br#"{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"t","name":"f","input":{}}],"stop_reason":"end_turn","usage":{"input_tokens":1}}"#,
        "the member `model` is missing\n  \
         where: anthropic_messages, byte 0\n  \
         expected: a string\n  \
         found: `{\"content\":[{\"text\":\"x\",\"type\":\"text\"},{\"id\":\"t\",\"input\":{},\"name\":\"f\",\"type\":\"tool_use\"}],\"id\":\"msg_1\",\"role\":\"assistant\",\"stop_reason\":\"end_turn\",\"type\":\"message\",\"usage\":{\"input_tokens\":1}}`",
    ),
    (
        br#"{"type":"message","id":"msg_1","role":"assistant","model":"m","content":[7,{"type":"text","text":"x"},{"type":"tool_use","id":"t","name":"f","input":{}}],"stop_reason":"end_turn","usage":{"input_tokens":1}}"#,
        "the member `content` has a wrong type or value\n  \
         where: anthropic_messages, byte 0\n  \
         expected: an array of objects\n  \
         found: `[7,{\"text\":\"x\",\"type\":\"text\"},{\"id\":\"t\",\"input\":{},\"name\":\"f\",\"type\":\"tool_use\"}]`",
    ),
    (
        br#"{"type":"message","id":"msg_1","role":"assistant","model":"m","content":[{"type":"text","text":null},{"type":"tool_use","id":"t","name":"f","input":{}}],"stop_reason":"end_turn","usage":{"input_tokens":1}}"#,
        "the member `content[0].text` has a wrong type or value\n  \
         where: anthropic_messages, byte 0\n  \
         expected: a string\n  \
         found: `null`",
    ),
    (
        br#"{"type":"message","id":"msg_1","role":"assistant","model":"m","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"t","name":"f"}],"stop_reason":"end_turn","usage":{"input_tokens":1}}"#,
        "the member `content[1].input` is missing\n  \
         where: anthropic_messages, byte 0\n  \
         expected: a JSON value, the arguments\n  \
         found: `{\"id\":\"t\",\"name\":\"f\",\"type\":\"tool_use\"}`",
    ),
    (
        br#"{"type":"message","id":"msg_1","role":"assistant","model":"m","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"t","name":"","input":{}}],"stop_reason":"end_turn","usage":{"input_tokens":1}}"#,
        "the member `content[1].name` has a wrong type or value\n  \
         where: anthropic_messages, byte 0\n  \
         expected: a string that is not empty\n  \
         found: `\"\"`",
    ),
    (
        br#"{"type":"message","id":"msg_1","role":"assistant","model":"m","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"t","name":"f","input":{}}],"stop_reason":null,"usage":{"input_tokens":1}}"#,
        "the member `stop_reason` has a wrong type or value\n  \
         where: anthropic_messages, byte 0\n  \
         expected: a string\n  \
         found: `null`",
    ),
    (
        br#"{"type":"message","id":"msg_1","role":"assistant","model":"m","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"t","name":"f","input":{}}],"stop_reason":"end_turn","usage":7}"#,
        "the member `usage` has a wrong type or value\n  \
         where: anthropic_messages, byte 0\n  \
         expected: an object or null\n  \
         found: `7`",
    ),
    (
        br#"{"type":"message","id":"msg_1","role":"assistant","model":"m","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"t","name":"f","input":{}}],"stop_reason":"end_turn","usage":{"input_tokens":1.5}}"#,
        "the member `usage.input_tokens` has a wrong type or value\n  \
         where: anthropic_messages, byte 0\n  \
         expected: a whole number from 0 on, or null\n  \
         found: `1.5`",
    ),
    (
        br#"{"type":"error","error":{"type":"api_error","message":"x\ny"},"request_id":"req_1"}"#,
        "the provider reported an error\n  \
         where: anthropic_messages, byte 0\n  \
         expected: a message\n  \
         found: `api_error: x\\ny`",
    ),
    (
        br#"{"type":"error","error":null}"#,
        "the member `error` has a wrong type or value\n  \
         where: anthropic_messages, byte 0\n  \
         expected: an object\n  \
         found: `null`",
    ),
];

#[test]
fn json_bodies_that_are_no_whole_answer_are_rejected() {
    for (body, message) in JSON_BODIES {
        let error = accumulate_json(API, body).unwrap_err();
        assert_eq!(error.to_string(), *message, "{}", body.escape_ascii());
    }
}

#[test]
fn kinds_tell_errors_apart_in_code() {
    let index = r#"{"type":"content_block_stop","index":7}"#;
    let cut = fragment(0, r#"{"a""#);
    let provider = r#"{"type":"error","error":{"type":"api_error","message":"x"}}"#;
    let field = |field: &str| field.to_owned();
    for (data, kind) in [
        (&[HE_0][..], AccumulateErrorKind::UnexpectedEvent),
        (&[START, index], AccumulateErrorKind::WrongBlock),
        (
            &[START, TEXT_0, END],
            AccumulateErrorKind::BlockNotClosed { index: 0 },
        ),
        (&[START, TOOL_0, HE_0], AccumulateErrorKind::WrongDelta),
        (
            &[r#"{"type":"message_start","message":{}}"#],
            AccumulateErrorKind::MissingField {
                field: field("message.id"),
            },
        ),
        (
            &[r#"{"type":"message_start","message":{"id":7}}"#],
            AccumulateErrorKind::WrongField {
                field: field("message.id"),
            },
        ),
        (
            &[START, TOOL_0, &cut, STOP_0],
            AccumulateErrorKind::ArgumentsNotJson {
                name: field("f"),
                raw: field(r#"{"a""#),
            },
        ),
        (&[START], AccumulateErrorKind::Truncated),
        (
            &[START, provider],
            AccumulateErrorKind::Provider {
                error_type: field("api_error"),
                message: field("x"),
            },
        ),
    ] {
        assert_eq!(error(data).kind(), &kind, "{data:?}");
    }
}

#[test]
fn first_wrong_thing_is_reported() {
    let mut bytes = body(&[START, HE_0]);
    bytes.extend_from_slice(b"data: \xff\n\n");
    let error = accumulate(API, &bytes).unwrap_err();
    assert_eq!(error.kind(), &AccumulateErrorKind::WrongBlock);
    assert_eq!((error.event_index(), error.offset()), (Some(1), 224));
}

#[test]
fn error_is_given_again_by_every_later_call() {
    let mut decoder = SseDecoder::new();
    decoder
        .push(&body(&[START, TEXT_0, HE_0, START, STOP_0, END, STOP]))
        .unwrap();
    let mut accumulator = Accumulator::new(API);
    let pushed: Vec<_> = std::iter::from_fn(|| decoder.next_event())
        .map(|event| accumulator.push(&event))
        .collect();
    let error = pushed[3].clone().unwrap_err();
    assert_eq!(error.partial(), [text("Hé")]);
    assert_eq!(pushed[..3], [Ok(()), Ok(()), Ok(())]);
    assert!(
        pushed[3..]
            .iter()
            .all(|result| *result == Err(error.clone()))
    );
    assert_eq!(accumulator.finish(), Err(error));
}

#[test]
fn accumulator_that_knows_no_body_places_the_early_end_at_its_last_event() {
    let mut decoder = SseDecoder::new();
    decoder.push(&body(&[START, TEXT_0])).unwrap();
    let mut accumulator = Accumulator::new(API);
    while let Some(event) = decoder.next_event() {
        accumulator.push(&event).unwrap();
    }
    let error = accumulator.finish().unwrap_err();
    assert_eq!((error.event_index(), error.offset()), (Some(2), 224));
}

#[test]
fn partial_has_what_was_read_and_no_unfinished_call() {
    let start = serde_json::from_str::<Value>(TOOL_1).unwrap()["content_block"].clone();
    let half = fragment(1, r#"{"a": "#);
    let unfinished = |fragments: &[&str]| Part::Unknown {
        block: start.clone(),
        deltas: fragments
            .iter()
            .map(|text| json!({"type": "input_json_delta", "partial_json": text}))
            .collect(),
    };
    let whole = call("toolu_1", "f", json!({}));
    for (data, partial) in [
        (vec![], vec![]),
        (vec![START, TEXT_0], vec![text("")]),
        (vec![START, TEXT_0, HE_0], vec![text("Hé")]),
        (vec![START, TOOL_0, STOP_0], vec![whole.clone()]),
        (
            vec![START, TOOL_0, STOP_0, TOOL_1],
            vec![whole.clone(), unfinished(&[])],
        ),
        (
            vec![START, TOOL_0, STOP_0, TOOL_1, &half],
            vec![whole.clone(), unfinished(&[r#"{"a": "#])],
        ),
        (
            vec![START, TOOL_0, STOP_0, TOOL_1, &half, STOP_1, END, STOP],
            vec![whole.clone(), unfinished(&[r#"{"a": "#])],
        ),
    ] {
        assert_eq!(error(&data).partial(), partial, "{data:?}");
    }
}

#[test]
fn message_names_no_more_than_three_open_blocks() {
    let starts: Vec<String> = (0..5)
        .map(|n| {
            let block = r#"{"type":"text","text":""}"#;
            format!(r#"{{"type":"content_block_start","index":{n},"content_block":{block}}}"#)
        })
        .collect();
    let mut data = vec![START];
    data.extend(starts.iter().map(String::as_str));
    assert_eq!(
        error(&data).expected(),
        "content_block_delta or content_block_stop of block 0 or 1 or 2 or another one that is open"
    );
}

#[test]
fn json_body_becomes_its_reply() {
    let body = br#"{"model":"m","id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":"x","citations":[{"cited_text":"y"}]},{"type":"tool_use","id":"toolu_1","name":"f","input":{"a":1}},{"type":"thinking","thinking":"Hm","signature":"c2ln"}],"stop_reason":"stop_sequence","stop_sequence":"END","usage":{"input_tokens":3,"output_tokens":2,"cache_read_input_tokens":1,"cache_creation_input_tokens":null}}"#;
    assert_eq!(
        accumulate_json(API, body),
        Ok(Reply::new(
            "msg_1".to_owned(),
            "m".to_owned(),
            vec![
                Part::CitedText {
                    text: "x".to_owned(),
                    citations: vec![Citation::raw(json!({"cited_text": "y"}))],
                },
                call("toolu_1", "f", json!({"a": 1})),
                thinking("Hm", "c2ln"),
            ],
            StopReason::StopSequence("END".to_owned()),
            Usage::input(3).output(2).cache_read(1),
        ))
    );
}

#[test]
fn input_of_a_json_body_may_be_any_value() {
    for input in ["{}", "[1]", "\"x\"", "null"] {
        let body = format!(
            r#"{{"type":"message","id":"i","role":"assistant","model":"m","content":[{{"type":"tool_use","id":"t","name":"f","input":{input}}}],"stop_reason":"tool_use"}}"#
        );
        let expected = match input {
            "null" => json!({}),
            input => serde_json::from_str(input).unwrap(),
        };
        let parts = accumulate_json(API, body.as_bytes()).unwrap().parts;
        assert_eq!(parts, [call("t", "f", expected)], "{input}");
    }
}
