//! What a dialect says is read back, without naming the dialect; a stream that is cut is not taken for a whole one.

use super::*;
use proptest::{option, prelude::*};
use serde_json::Value;

/// The JSON of each event's data but `[DONE]`.
fn documents(body: &[u8]) -> Vec<Value> {
    let mut decoder = SseDecoder::new();
    decoder.push(body).unwrap();
    let mut documents = Vec::new();
    while let Some(event) = decoder.next_event() {
        if event.data() != "[DONE]" {
            documents.push(serde_json::from_str(event.data()).unwrap());
        }
    }
    decoder.finish().unwrap();
    documents
}

#[test]
fn every_event_and_every_body_is_json_and_is_read_back_as_the_turn() {
    for &dialect in Dialect::ALL {
        for (n, turn) in turns(dialect).into_iter().enumerate() {
            for turn in [turn.clone(), turn.plain()] {
                let row = format!("{} turn {n}", dialect.name());
                let expected = turn.normalized(API).unwrap();
                let streamed = sse_body(API, &turn);
                assert!(!documents(&streamed).is_empty(), "{row}");
                assert_eq!(accumulate(API, &streamed).as_ref(), Ok(&expected), "{row}");
                let whole = json_body(API, &turn);
                serde_json::from_slice::<Value>(&whole).unwrap();
                let read = accumulate_json(API, &whole);
                assert_eq!(read.as_ref(), Ok(&expected), "{row}");
            }
        }
    }
}

/// vLLM renamed the member: its earlier versions wrote the old name, or both, and a client still meets these.
#[test]
fn vllm_thinks_in_the_member_of_today_and_those_of_its_earlier_versions_are_read_as_the_same() {
    let turn = Turn::new().thinking("Hm.").text("Hi.");
    let turn = turn.dialect(Dialect::Vllm).plain();
    let expected = turn.normalized(API).unwrap();
    let as_text = |body: &[u8]| String::from_utf8(body.to_vec()).unwrap();
    let streamed = as_text(&sse_body(API, &turn));
    let whole = as_text(&json_body(API, &turn));
    let (today, old) = (r#""reasoning":"Hm.""#, r#""reasoning_content":"Hm.""#);
    assert!(streamed.contains(&format!(r#""delta":{{{today}}}"#)));
    let message = format!(
        r#""message":{{"role":"assistant","content":"Hi.","refusal":null,"annotations":null,"audio":null,"function_call":null,"tool_calls":[],{today}}}"#
    );
    assert!(whole.contains(&message), "{whole}");
    for said in [today, old, &format!("{today},{old}")] {
        let streamed = streamed.replace(today, said);
        let read = accumulate(API, streamed.as_bytes());
        assert_eq!(read.as_ref(), Ok(&expected), "{said}");
        let whole = whole.replace(today, said);
        let read = accumulate_json(API, whole.as_bytes());
        assert_eq!(read.as_ref(), Ok(&expected), "{said}");
    }
}

/// A client may go on behind `finish_reason`, since some services never send `[DONE]`; what it has by then is the whole answer.
#[test]
fn a_stream_that_is_cut_before_its_finish_reason_is_truncated_and_behind_it_says_the_same() {
    for &dialect in Dialect::ALL {
        for (n, turn) in turns(dialect).into_iter().enumerate() {
            let whole = turn.normalized(API).unwrap();
            let stopped = sse_body(
                API,
                &turn.clone().end(After::stop_reason(), Ending::CleanEof),
            );
            let count = documents(&sse_body(API, &turn)).len();
            for events in 1..=count {
                let cut = turn.clone().end(After::events(events), Ending::CleanEof);
                let Ok(body) = try_sse_body(API, &cut) else {
                    panic!("{} turn {n}: no event {events}", dialect.name());
                };
                let row = format!("{} turn {n}, after {events} events", dialect.name());
                match accumulate(API, &body) {
                    Ok(reply) => {
                        assert!(body.len() >= stopped.len(), "{row}");
                        assert_eq!(reply.parts, whole.parts, "{row}");
                        assert_eq!(reply.stop_reason, whole.stop_reason, "{row}");
                    }
                    Err(error) => {
                        assert!(body.len() < stopped.len(), "{row}");
                        assert_eq!(error.kind(), &AccumulateErrorKind::Truncated, "{row}");
                    }
                }
            }
            let open = turn.fault(Fault::EofBeforeTerminal);
            let error = accumulate(API, &sse_body(API, &open)).unwrap_err();
            assert_eq!(
                error.kind(),
                &AccumulateErrorKind::Truncated,
                "{}",
                dialect.name()
            );
        }
    }
}

#[test]
fn a_stream_is_read_back_at_every_two_way_split() {
    for &dialect in Dialect::ALL {
        let turn = Turn::new().text("é").dialect(dialect);
        let expected = turn.normalized(API).unwrap();
        let body = sse_body(API, &turn);
        for at in 0..=body.len() {
            let read = crate::two_pieces::in_two(API, &body, at);
            assert_eq!(read, expected, "{} at {at}", dialect.name());
        }
    }
}

/// Any turn that a dialect can carry.
fn turn() -> impl Strategy<Value = Turn> {
    let dialect = prop::sample::select(Dialect::ALL);
    let tokens = || option::of(0..u64::from(u32::MAX));
    (
        dialect,
        prop::collection::vec("\\PC{0,12}", 0..3),
        option::of("\\PC{1,12}"),
        prop::collection::vec(("[a-z]{1,6}", "\\PC{0,9}"), 0..3),
        option::of(1_usize..5),
        (tokens(), tokens(), any::<u64>(), any::<bool>()),
    )
        .prop_map(|(dialect, texts, thought, tools, cut, rest)| {
            let mut turn = Turn::new().dialect(dialect).seed(rest.2);
            if let (Some(thought), true) = (thought, thinks(dialect)) {
                turn = turn.thinking(thought);
                if let Some(cut) = cut {
                    turn = turn.fragments(Fragments::size(cut));
                }
            }
            for text in texts {
                turn = turn.text(text);
                if let Some(cut) = cut {
                    turn = turn.fragments(Fragments::size(cut));
                }
            }
            for (name, text) in tools.into_iter().filter(|_| calls(dialect)) {
                turn = turn.tool_call(name, json!({ "a": text }));
            }
            if let (Some(input), Some(output)) = (rest.0, rest.1) {
                turn = turn.usage(Usage::input(input).output(output));
            }
            if rest.3 { turn.plain() } else { turn }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_turn_is_read_back_in_any_dialect_streamed_and_not(turn in turn()) {
        let expected = turn.normalized(API).unwrap();
        let streamed = accumulate(API, &sse_body(API, &turn));
        prop_assert_eq!(streamed.as_ref(), Ok(&expected));
        let whole = accumulate_json(API, &json_body(API, &turn));
        prop_assert_eq!(whole.as_ref(), Ok(&expected));
    }
}

#[test]
fn places_are_the_same_in_every_dialect_that_streams_so() {
    for &dialect in Dialect::ALL {
        let turn = Turn::new().text("one two three").dialect(dialect).plain();
        for (n, text) in [(1, "one"), (2, "one two")] {
            let cut = turn.clone().end(After::deltas(n), Ending::CleanEof);
            let error = accumulate(API, &sse_body(API, &cut)).unwrap_err();
            let expected = [Part::Text(text.to_owned())];
            assert_eq!(error.partial(), expected, "{}", dialect.name());
        }
    }
}

#[test]
fn a_chunk_of_azures_filter_without_delta_leaves_no_trace() {
    let turn = Turn::new().text("one two").dialect(Dialect::Azure).plain();
    let body = sse_body(API, &turn);
    let body = std::str::from_utf8(&body).unwrap();
    let late = "data: {\"choices\":[{\"content_filter_offsets\":{\"check_offset\":1,\"start_offset\":1,\"end_offset\":7},\
                \"content_filter_results\":{\"hate\":{\"filtered\":false,\"severity\":\"safe\"}},\
                \"finish_reason\":null,\"index\":0}],\"created\":0,\"id\":\"\",\"model\":\"\",\"object\":\"\"}\n\n";
    let done = body.find("data: [DONE]").unwrap();
    let filtered = [&body[..done], late, &body[done..]].concat();
    let read = accumulate(API, filtered.as_bytes());
    assert_eq!(read, turn.normalized(API).map_err(|_| unreachable!()));
}

#[test]
fn a_text_so_far_that_is_not_what_the_deltas_came_to_is_an_error() {
    let turn = Turn::new()
        .text("one two")
        .dialect(Dialect::Perplexity)
        .plain();
    let body = sse_body(API, &turn.model("m").id("c"));
    let body = String::from_utf8(body.to_vec()).unwrap();
    let odd = body.replace("\"content\":\"one two\"", "\"content\":\"one 2\"");
    let error = accumulate(API, odd.as_bytes()).unwrap_err();
    assert_eq!(
        error.kind(),
        &AccumulateErrorKind::WrongField {
            field: "choices[0].message.content".to_owned()
        }
    );
    assert_eq!(error.expected(), "`one two`, as the deltas come to");
}
