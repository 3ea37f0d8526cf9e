//! Both directions together: what is rendered is read back as the same turn, at every cut.

use llm_wire_stub::*;
use proptest::{collection::vec, option, prelude::*};

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

/// Any turn that text completions can carry.
pub(crate) fn turn() -> impl Strategy<Value = Turn> {
    let fragments = prop_oneof![
        Just(Fragments::whole()),
        Just(Fragments::characters()),
        (1_usize..9).prop_map(Fragments::size),
    ];
    let reason = prop_oneof![
        Just(StopReason::EndTurn),
        Just(StopReason::MaxTokens),
        Just(StopReason::StopSequence("x".to_owned())),
        Just(StopReason::ContentFilter),
        Just(StopReason::ContextWindowExceeded),
        Just(StopReason::Other("new".to_owned())),
    ];
    let texts = vec((text(), option::of(fragments)), 0..4);
    let usage = (0..u64::from(u32::MAX), 0..u64::from(u32::MAX));
    let names = (option::of("[a-z0-9]{1,8}"), option::of("[a-z0-9-]{1,8}"));
    (
        texts,
        option::of(reason),
        option::of(usage),
        names,
        any::<u64>(),
    )
        .prop_map(|(texts, reason, usage, (id, model), seed)| {
            let mut turn = Turn::new().seed(seed);
            for (text, fragments) in texts {
                turn = turn.text(text);
                if let Some(fragments) = fragments {
                    turn = turn.fragments(fragments);
                }
            }
            if let Some(reason) = reason {
                turn = turn.stop_reason(reason);
            }
            if let Some((input, output)) = usage {
                turn = turn.usage(Usage::input(input).output(output));
            }
            if let Some(id) = id {
                turn = turn.id(id);
            }
            match model {
                Some(model) => turn.model(model),
                None => turn,
            }
        })
}

proptest! {
    #[test]
    fn what_is_rendered_is_read_back(turn in turn(), cut in 1_usize..40) {
        let expected = turn.normalized(API).unwrap();
        let body = sse_body(API, &turn);
        prop_assert_eq!(accumulate(API, &body).unwrap(), expected.clone());
        prop_assert_eq!(accumulate_json(API, &json_body(API, &turn)).unwrap(), expected.clone());

        let mut decoder = SseDecoder::new();
        let mut accumulator = Accumulator::new(API);
        for bytes in body.chunks(cut) {
            decoder.push(bytes).unwrap();
            while let Some(event) = decoder.next_event() {
                accumulator.push(&event).unwrap();
            }
        }
        decoder.finish().unwrap();
        prop_assert_eq!(accumulator.finish().unwrap(), expected);
    }
}
