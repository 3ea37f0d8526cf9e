//! Both directions together: what is rendered is read back as the same turn, at every cut.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use llm_wire_stub::*;
use proptest::{collection::vec, option, prelude::*};
use serde_json::{Value, json};

const API: Api = Api::AnthropicMessages;

/// Text that is likely to break something: escapes, 2 to 4 byte characters, separators, white space.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("é".to_owned()),
        Just("漢字".to_owned()),
        Just("😀".to_owned()),
        Just("\"\\/\n\r\t\u{8}\u{1f}".to_owned()),
        Just("\u{2028}\u{2029}\u{85}\u{feff}\u{0}".to_owned()),
        Just("\\u00e9 data: x\n\nevent: error\n".to_owned()),
        Just("  ".to_owned()),
        "[a-z ]{0,8}",
        any::<char>().prop_map(String::from),
    ];
    vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e9_f64..1e9).prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec((text(), inner), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn arguments() -> impl Strategy<Value = Arguments> {
    let object = || {
        vec((text(), value()), 0..3)
            .prop_map(|members| Value::Object(members.into_iter().collect()))
    };
    prop_oneof![
        object().prop_map(Arguments::from),
        object().prop_map(|value| Arguments::raw(serde_json::to_string_pretty(&value).unwrap())),
        // the same character written as escapes, that of a surrogate pair too
        Just(Arguments::raw(r#"{"a": "\u00e9 \ud83d\ude00 \/"}"#)),
        Just(Arguments::raw("")),
    ]
}

fn fragments() -> impl Strategy<Value = Fragments> {
    prop_oneof![
        Just(Fragments::whole()),
        Just(Fragments::words()),
        Just(Fragments::characters()),
        (1_usize..9).prop_map(Fragments::size),
        Just(Fragments::by(|whole| whole
            .chars()
            .map(String::from)
            .collect())),
    ]
}

#[derive(Clone, Debug)]
enum Said {
    Text(String),
    Thinking(String, Option<String>),
    Redacted(Option<String>),
    Call(Option<String>, String, Arguments),
}

fn said() -> impl Strategy<Value = Said> {
    prop_oneof![
        text().prop_map(Said::Text),
        (text(), option::of("[A-Za-z0-9+/]{0,9}=?"))
            .prop_map(|(text, signature)| Said::Thinking(text, signature)),
        option::of("[A-Za-z0-9+/]{0,9}=?").prop_map(Said::Redacted),
        (option::of("toolu_[a-z]{1,4}"), "[a-z_]{1,8}", arguments())
            .prop_map(|(id, name, arguments)| Said::Call(id, name, arguments)),
    ]
}

fn stop_reason() -> impl Strategy<Value = StopReason> {
    prop_oneof![
        Just(StopReason::EndTurn),
        Just(StopReason::MaxTokens),
        text().prop_map(StopReason::StopSequence),
        Just(StopReason::ToolUse),
        Just(StopReason::PauseTurn),
        Just(StopReason::Refusal),
        Just(StopReason::ContextWindowExceeded),
        Just(StopReason::Compaction),
        text().prop_map(StopReason::Other),
        Just(StopReason::from("end_turn")),
    ]
}

fn usage() -> impl Strategy<Value = Usage> {
    (any::<u64>(), any::<u64>(), 0_u64..9, 0_u64..9).prop_map(|(input, output, read, creation)| {
        Usage::input(input)
            .output(output)
            .cache_read(read)
            .cache_creation(creation)
    })
}

fn turn(parts: std::ops::Range<usize>) -> impl Strategy<Value = Turn> {
    let extras = (
        option::of(stop_reason()),
        option::of(usage()),
        option::of("[a-z0-9-]{1,12}"),
        any::<u64>(),
        any::<bool>(),
    );
    (vec((said(), option::of(fragments())), parts), extras).prop_map(
        |(parts, (reason, usage, model, seed, plain))| {
            let mut turn = Turn::new().seed(seed);
            for (said, fragments) in parts {
                turn = match said {
                    Said::Text(text) => turn.text(text),
                    Said::Thinking(text, None) => turn.thinking(text),
                    Said::Thinking(text, Some(signature)) => turn
                        .thinking_with_signature(text, signature)
                        .empty_last_delta(),
                    Said::Redacted(None) => {
                        turn = turn.redacted_thinking();
                        continue;
                    }
                    Said::Redacted(Some(data)) => {
                        turn = turn.redacted_thinking_with_data(data);
                        continue;
                    }
                    Said::Call(Some(id), name, arguments) => {
                        turn.tool_call_with_id(id, name, arguments)
                    }
                    Said::Call(None, name, arguments) => turn.tool_call(name, arguments),
                };
                if let Some(fragments) = fragments {
                    turn = turn.fragments(fragments);
                }
            }
            if let Some(reason) = reason {
                turn = turn.stop_reason(reason);
            }
            if let Some(usage) = usage {
                turn = turn.usage(usage);
            }
            if let Some(model) = model {
                turn = turn.model(model);
            }
            if plain { turn.plain() } else { turn }
        },
    )
}

/// Reads the pieces as they come.
fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Reply {
    let mut decoder = SseDecoder::new();
    let mut accumulator = Accumulator::new(API);
    for piece in pieces {
        decoder.push(piece).unwrap();
        while let Some(event) = decoder.next_event() {
            accumulator.push(&event).unwrap();
        }
    }
    decoder.finish().unwrap();
    accumulator.finish().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_turn_is_read_back_whole_in_both_forms(turn in turn(0..6)) {
        let expected = turn.normalized(API).unwrap();
        prop_assert_eq!(&accumulate(API, &sse_body(API, &turn)).unwrap(), &expected);
        prop_assert_eq!(&accumulate_json(API, &json_body(API, &turn)).unwrap(), &expected);
    }

    #[test]
    fn a_turn_is_cut_into_the_same_bytes_however_it_is_cut(turn in turn(0..4)) {
        let body = sse_body(API, &turn);
        for cut in [Cut::PerEvent, Cut::Whole, Cut::EveryByte] {
            let pieces: Vec<_> = chunks(API, &turn, cut).collect();
            prop_assert_eq!(&pieces.concat(), &body);
            prop_assert!(cut != Cut::EveryByte || pieces.len() == body.len());
            prop_assert!(cut != Cut::Whole || pieces.len() == 1);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_turn_is_read_back_at_every_two_way_split(turn in turn(1..3)) {
        let expected = turn.normalized(API).unwrap();
        let body = sse_body(API, &turn);
        for at in 0..=body.len() {
            let (head, tail) = body.split_at(at);
            prop_assert_eq!(&read([head, tail]), &expected, "split at {}", at);
        }
        prop_assert_eq!(&read(body.chunks(1)), &expected);
    }
}

#[test]
fn raw_arguments_may_be_cut_inside_an_escape_and_between_the_escapes_of_a_surrogate_pair() {
    let raw = r#"{"a":"\ud83d\ude00\n"}"#;
    for at in 1..raw.len() {
        let (head, tail) = raw.split_at(at);
        let turn = Turn::new()
            .tool_call("f", Arguments::raw(raw))
            .fragments(Fragments::pieces([head, tail]));
        let reply = accumulate(API, &sse_body(API, &turn)).unwrap();
        let call = reply.tool_calls().next().unwrap();
        assert_eq!(call.arguments, json!({"a": "😀\n"}), "cut at {at}");
    }
}

#[test]
fn raw_arguments_that_are_no_json_can_be_streamed_but_not_sent_whole() {
    for raw in ["{\"a\": ", "{}{}", "nonsense", "{\"a\": \"\\ud83d\"}"] {
        let turn = Turn::new().tool_call("f", Arguments::raw(raw));
        assert!(!sse_body(API, &turn).is_empty());
        let error = try_json_body(API, &turn).unwrap_err().to_string();
        assert!(
            error.contains("the arguments of `f` are not JSON"),
            "{error}"
        );
        assert!(accumulate(API, &sse_body(API, &turn)).is_err(), "{raw}");
        assert_eq!(turn.normalized(API).unwrap_err().to_string(), error);
    }
}
