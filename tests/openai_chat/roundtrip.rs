//! Both directions together: what is rendered is read back as the same turn, at every cut.

use llm_wire_stub::*;
use proptest::prelude::*;
use serde_json::json;

use crate::{API, turns::of_openai_chat, two_pieces::in_two};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_turn_is_read_back_streamed_and_not(turn in of_openai_chat()) {
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
    fn any_turn_is_read_back_in_two_pieces(turn in of_openai_chat(), at in any::<prop::sample::Index>()) {
        let expected = turn.normalized(API).unwrap();
        let body = sse_body(API, &turn);
        let at = at.index(body.len() + 1);
        prop_assert_eq!(in_two(API, &body, at), expected, "split at {}", at);
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
            assert_eq!(in_two(API, &body, at), expected, "split at {at}");
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
