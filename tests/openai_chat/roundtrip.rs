//! Both directions together: what is rendered is read back as the same turn, at every cut.

use llm_wire_stub::*;
use proptest::{collection::vec, option, prelude::*};
use serde_json::{Value, json};

use crate::API;

/// Text that is likely to break something: escapes, 2 to 4 byte characters, separators, white space.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("é漢字😀".to_owned()),
        Just("\"\\/\n\r\t\u{8}\u{1f}".to_owned()),
        Just("\u{2028}\u{2029}\u{85}\u{feff}\u{0}".to_owned()),
        Just("\\u00e9 data: [DONE]\n\ndata: [DONE]\n\n".to_owned()),
        "[a-z ]{0,8}",
        any::<char>().prop_map(String::from),
    ];
    vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

fn arguments() -> impl Strategy<Value = Arguments> {
    let object = || {
        let value = prop_oneof![
            text().prop_map(Value::from),
            any::<i64>().prop_map(Value::from)
        ];
        vec((text(), value), 0..3).prop_map(|members| Value::Object(members.into_iter().collect()))
    };
    prop_oneof![
        object().prop_map(Arguments::from),
        object().prop_map(|value| Arguments::raw(serde_json::to_string_pretty(&value).unwrap())),
        Just(Arguments::raw(r#"{"a": "\u00e9 \ud83d\ude00 \/"}"#)),
        Just(Arguments::raw("")),
    ]
}

fn fragments() -> impl Strategy<Value = Fragments> {
    prop_oneof![
        Just(Fragments::whole()),
        Just(Fragments::characters()),
        (1_usize..9).prop_map(Fragments::size),
    ]
}

fn usage() -> impl Strategy<Value = Usage> {
    let tokens = || 0..u64::from(u32::MAX);
    let details = (tokens(), tokens(), tokens(), tokens());
    let counters = (tokens(), tokens(), tokens(), tokens(), option::of(tokens()));
    (counters, details).prop_map(
        |((input, output, read, written, thinking), (heard, spoken, accepted, rejected))| {
            let usage = Usage::input(input).output(output);
            let usage = usage.cache_read(read).cache_creation(written);
            let usage = usage.input_audio(heard).output_audio(spoken);
            let usage = usage
                .accepted_prediction(accepted)
                .rejected_prediction(rejected);
            thinking.map_or(usage.clone(), |tokens| usage.thinking(tokens))
        },
    )
}

/// Any turn that Chat can carry.
fn turn() -> impl Strategy<Value = Turn> {
    let cited = (text(), option::of("[a-z]{1,5}")).prop_map(|(url, title)| {
        let citation = Citation::web_search_result("its own words", url);
        title.map_or(citation.clone(), |title| citation.title(title))
    });
    let said = (
        text(),
        option::of(vec(cited, 0..3)),
        option::of(fragments()),
    );
    let call = (
        option::of("[a-z0-9]{1,8}"),
        "[a-z_é]{1,8}",
        prop_oneof![arguments().prop_map(Ok), text().prop_map(Err)],
        option::of(fragments()),
    );
    let reason = prop_oneof![
        Just(StopReason::EndTurn),
        Just(StopReason::MaxTokens),
        Just(StopReason::ToolUse),
        Just(StopReason::ContentFilter),
        Just(StopReason::Refusal),
        Just(StopReason::Other("a_word_of_tomorrow".to_owned())),
    ];
    let rest = (
        option::of(reason),
        option::of(usage()),
        option::of("gpt-5|gpt-4o|gpt-4|gpt-4o-search-preview"),
        any::<u64>(),
        any::<(bool, bool)>(),
    );
    (vec(said, 0..3), vec(call, 0..4), rest).prop_map(|(said, calls, rest)| {
        let (reason, usage, model, seed, (plain, interleaved)) = rest;
        let refuses = reason == Some(StopReason::Refusal);
        let mut turn = Turn::new().seed(seed);
        if refuses {
            turn = turn.text("No: ");
        }
        for (text, citations, fragments) in said {
            turn = match citations {
                Some(citations) if !refuses => turn.cited_text(text, citations),
                _ => turn.text(text),
            };
            if let Some(fragments) = fragments {
                turn = turn.fragments(fragments);
            }
        }
        for (id, name, arguments, fragments) in calls.into_iter().filter(|_| !refuses) {
            turn = match (id, arguments) {
                (Some(id), Ok(arguments)) => turn.tool_call_with_id(id, name, arguments),
                (None, Ok(arguments)) => turn.tool_call(name, arguments),
                (Some(id), Err(input)) => turn.custom_tool_call_with_id(id, name, input),
                (None, Err(input)) => turn.custom_tool_call(name, input),
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
        if interleaved {
            turn = turn.interleaved_tool_calls();
        }
        if plain { turn.plain() } else { turn }
    })
}

/// The events of a body that comes in these two pieces, read.
fn in_two(body: &[u8], at: usize) -> Reply {
    let mut decoder = SseDecoder::new();
    let mut accumulator = Accumulator::new(API);
    for bytes in [&body[..at], &body[at..]] {
        decoder.push(bytes).unwrap();
        while let Some(event) = decoder.next_event() {
            accumulator.push(&event).unwrap();
        }
    }
    decoder.finish().unwrap();
    accumulator.finish().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_turn_is_read_back_streamed_and_not(turn in turn()) {
        let expected = turn.normalized(API).unwrap();
        let streamed = accumulate(API, &sse_body(API, &turn));
        prop_assert_eq!(streamed.as_ref(), Ok(&expected));
        let whole = accumulate_json(API, &json_body(API, &turn));
        prop_assert_eq!(whole.as_ref(), Ok(&expected));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_turn_is_read_back_in_two_pieces(turn in turn(), at in any::<prop::sample::Index>()) {
        let expected = turn.normalized(API).unwrap();
        let body = sse_body(API, &turn);
        let at = at.index(body.len() + 1);
        prop_assert_eq!(in_two(&body, at), expected, "split at {}", at);
    }
}

#[test]
fn a_turn_with_everything_is_read_back_at_every_two_way_split() {
    let page = Citation::web_search_result("", "https://é.example").title("\"T\"");
    for turn in [
        Turn::new().text("Hé😀").tool_call("f", json!({"a": "漢"})),
        Turn::new().cited_text("é", [page]),
        Turn::new().text("Nö.").stop_reason(StopReason::Refusal),
    ] {
        let expected = turn.normalized(API).unwrap();
        let body = sse_body(API, &turn);
        for at in 0..=body.len() {
            assert_eq!(in_two(&body, at), expected, "split at {at}");
        }
    }
}

#[test]
fn places_count_fragments_and_parts_as_on_every_api() {
    let turn = || {
        Turn::new()
            .text("one two")
            .tool_call("f", json!({"a": 1}))
            .fragments(Fragments::size(4))
            .tool_call("g", Arguments::raw(""))
    };
    let cut = |after: After| sse_body(API, &turn().plain().end(after, Ending::CleanEof));
    let events = |body: &[u8]| String::from_utf8_lossy(body).matches("data: ").count();
    for (after, expected) in [
        (After::deltas(1), 2),
        (After::deltas(2), 3),
        (After::parts(1), 3),
        (After::deltas(3), 5),
        (After::parts(2), 6),
        (After::parts(3), 7),
        (After::stop_reason(), 8),
    ] {
        assert_eq!(events(&cut(after)), expected, "{after}");
    }
    let eof = sse_body(API, &turn().fault(Fault::EofBeforeTerminal));
    let error = accumulate(API, &eof).unwrap_err();
    assert_eq!(error.kind(), &AccumulateErrorKind::Truncated);
    assert_eq!(error.partial()[0], Part::Text("one two".to_owned()));
}
