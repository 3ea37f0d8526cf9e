//! Both directions together: what is rendered is read back as the same turn, at every cut.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

#[path = "support/turns/mod.rs"]
mod turns;

use llm_wire_stub::*;
use proptest::prelude::*;
use serde_json::json;
use turns::{Form, of_anthropic};

const API: Api = Api::AnthropicMessages;

/// What is read from the turn; `None` if its era cannot say it, which is said in every form.
fn readable(turn: &Turn) -> Option<Reply> {
    match turn.normalized(API) {
        Ok(reply) => Some(reply),
        Err(error) => {
            assert!(error.to_string().contains("this era"), "{error}");
            assert_eq!(try_sse_body(API, turn), Err(error.clone()));
            assert_eq!(try_json_body(API, turn), Err(error));
            None
        }
    }
}

/// A stream without the padding of its events.
fn unpadded(body: &[u8]) -> String {
    let lines = std::str::from_utf8(body).unwrap().split_inclusive('\n');
    let lines = lines.map(|line| match line.strip_suffix("}\n") {
        Some(members) => format!("{}}}\n", members.trim_end_matches(' ')),
        None => line.to_owned(),
    });
    lines.collect()
}

/// The events of the pieces, as they come.
fn events<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<SseEvent> {
    let mut decoder = SseDecoder::new();
    let mut events = Vec::new();
    for piece in pieces {
        decoder.push(piece).unwrap();
        while let Some(event) = decoder.next_event() {
            events.push(event);
        }
    }
    decoder.finish().unwrap();
    events
}

fn read(events: &[SseEvent]) -> Reply {
    let mut accumulator = Accumulator::new(API);
    for event in events {
        accumulator.push(event).unwrap();
    }
    accumulator.finish().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_turn_is_read_back_whole_in_both_forms(turn in of_anthropic(0..6, Form::Both)) {
        if let Some(expected) = readable(&turn) {
            prop_assert_eq!(&accumulate(API, &sse_body(API, &turn)).unwrap(), &expected);
            prop_assert_eq!(&accumulate_json(API, &json_body(API, &turn)).unwrap(), &expected);
        }
    }

    #[test]
    fn a_turn_is_said_again_from_its_bytes(turn in of_anthropic(0..6, Form::Stream)) {
        if readable(&turn).is_some() {
            let recorded = sse_body(API, &turn);
            let script = Script::from_wire(API, &recorded).unwrap();
            prop_assert_eq!(unpadded(&sse_body(API, &script.turns()[0])), unpadded(&recorded));
            if let Ok(recorded) = try_json_body(API, &turn) {
                let script = Script::from_wire(API, &recorded).unwrap();
                let again = json_body(API, &script.turns()[0]);
                prop_assert_eq!(
                    std::str::from_utf8(&again).unwrap(),
                    std::str::from_utf8(&recorded).unwrap()
                );
            }
        }
    }

    #[test]
    fn a_turn_is_cut_into_the_same_bytes_however_it_is_cut(turn in of_anthropic(0..4, Form::Stream)) {
        if let Some(expected) = readable(&turn) {
            let body = sse_body(API, &turn);
            prop_assert_eq!(&accumulate(API, &body).unwrap(), &expected);
            for cut in [Cut::PerEvent, Cut::Whole, Cut::EveryByte] {
                let pieces: Vec<_> = chunks(API, &turn, cut.clone()).collect();
                prop_assert_eq!(&pieces.concat(), &body);
                prop_assert!(cut != Cut::EveryByte || pieces.len() == body.len());
                prop_assert!(cut != Cut::Whole || pieces.len() == 1);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_turn_is_read_back_at_every_two_way_split(turn in of_anthropic(1..4, Form::Stream)) {
        let Some(expected) = readable(&turn) else {
            return Ok(());
        };
        let body = sse_body(API, &turn);
        let whole = events([&body[..]]);
        prop_assert_eq!(&read(&whole), &expected);
        // the accumulator sees events only, so the same events are the same reply
        for at in 0..=body.len() {
            let (head, tail) = body.split_at(at);
            prop_assert_eq!(&events([head, tail]), &whole, "split at {}", at);
        }
        prop_assert_eq!(&events(body.chunks(1)), &whole);
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
