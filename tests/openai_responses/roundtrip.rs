//! Both directions together: what is rendered is read back as the same turn, at every cut.

use llm_wire_stub::*;
use proptest::prelude::*;
use serde_json::json;

use crate::{
    API,
    turns::of_openai_responses,
    two_pieces::{events_in_two, in_two},
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_turn_is_read_back_streamed_and_not(turn in of_openai_responses()) {
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
    fn any_turn_is_read_back_in_two_pieces(turn in of_openai_responses(), at in any::<prop::sample::Index>()) {
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
        Turn::new()
            .thinking("Hm😀")
            .text("Hé😀")
            .tool_call("f", json!({"a": "漢"}))
            .custom_tool_call("g", "x\n"),
        Turn::new().cited_text("é", [page]),
        Turn::new().text("Nö.").stop_reason(StopReason::Refusal),
        Turn::new()
            .raw_block(json!({"id": "x_1", "type": "x", "a": 1}))
            .raw_delta(json!({"type": "response.x.hum", "item_id": "x_1", "tune": "la"})),
    ] {
        let body = sse_body(API, &turn);
        assert_eq!(accumulate(API, &body), Ok(turn.normalized(API).unwrap()));
        // an accumulator sees nothing of a body but its events
        let expected = events_in_two(&body, 0);
        for at in 1..=body.len() {
            assert!(events_in_two(&body, at) == expected, "split at {at}");
        }
    }
}

#[test]
fn what_a_raw_item_comes_to_depends_on_its_kind() {
    let call = r#"{"id":"fc_1","type":"function_call","status":"completed","arguments":"{}","call_id":"c","name":"f"}"#;
    let search = r#"{"id":"ws_1","type":"web_search_call","status":"completed","action":{"type":"open_page","url":"u"}}"#;
    let turn = Turn::new()
        .raw_block(Json::raw(search))
        .raw_block(Json::raw(call));
    let reply = turn.normalized(API).unwrap();
    assert_eq!(reply.stop_reason, StopReason::ToolUse);
    let [
        Part::ServerToolCall(search),
        Part::ServerToolResult(_),
        Part::ToolCall(call),
    ] = &*reply.parts
    else {
        panic!("{reply:?}")
    };
    assert_eq!((&*search.name, &*call.id), ("web_search", "c"));
    assert_eq!(accumulate_json(API, &json_body(API, &turn)), Ok(reply));
}

#[test]
fn what_no_strict_client_reads_has_no_reply() {
    let broken = Turn::new().tool_call("f", Arguments::raw("{"));
    let nameless = Turn::new().custom_tool_call("", "x");
    let lost = Turn::new().raw_block(json!({"id": "x"}));
    for (turn, expected) in [
        (
            broken,
            "the arguments of `f` are not JSON: EOF while parsing an object at line 1 column 1\n  found: `{`\n  \
             help: such a call can be played, but no strict client reads it",
        ),
        (
            nameless,
            "a tool call has no id, or no name\n  \
             help: such a call can be played, but no strict client reads it",
        ),
        (
            lost,
            "no strict client reads this raw block: the member `item.type` is missing\n  \
             help: it can be played, but there is no reply that it comes to",
        ),
    ] {
        let error = turn.normalized(API).unwrap_err().to_string();
        let (first, rest) = error.split_once("\n  where: ").unwrap();
        let rest = rest.split_once('\n').unwrap().1;
        assert_eq!(format!("{first}\n{rest}"), expected);
        assert!(accumulate(API, &sse_body(API, &turn)).is_err());
    }
}

#[test]
fn an_answer_that_is_cut_short_is_an_error_with_what_came() {
    let turn = || Turn::new().text("one two").tool_call("f", json!({"a": 1}));
    let eof = accumulate(API, &sse_body(API, &turn().fault(Fault::EofBeforeTerminal)));
    let error = eof.unwrap_err();
    assert_eq!(error.kind(), &AccumulateErrorKind::Truncated);
    assert_eq!(error.partial()[0], Part::Text("one two".to_owned()));

    let failed = turn().end(After::parts(1), ApiError::overloaded());
    let error = accumulate(API, &sse_body(API, &failed)).unwrap_err();
    let expected = AccumulateErrorKind::Provider {
        error_type: "service_unavailable_error".to_owned(),
        message: "The server is currently overloaded with other requests. Sorry about that! You can retry \
                  your request."
            .to_owned(),
    };
    assert_eq!(error.kind(), &expected);
    assert_eq!(error.partial(), [Part::Text("one two".to_owned())]);
}

#[test]
fn a_search_has_nothing_that_fragments_could_cut() {
    let searches = [
        ServerTool::web_search("tides", [("Tides", "https://tides.example")]),
        ServerTool::file_search("tides", [("a.txt", "High.")]),
    ];
    for search in searches {
        let turn = Turn::new().server_tool(search);
        let cut = turn.clone().fragments(Fragments::size(1));
        assert_eq!(sse_body(API, &cut), sse_body(API, &turn));
    }
}
