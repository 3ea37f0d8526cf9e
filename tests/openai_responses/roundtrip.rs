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
        Just("\u{2028}\u{2029}\u{85}\u{feff}\u{0}\u{7f}".to_owned()),
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
        Just(Fragments::words()),
        Just(Fragments::whole()),
        Just(Fragments::characters()),
        (1_usize..9).prop_map(Fragments::size),
    ]
}

fn usage() -> impl Strategy<Value = Usage> {
    let tokens = || 0..u64::from(u32::MAX);
    let searches = option::of(0..9_u64);
    (
        tokens(),
        tokens(),
        tokens(),
        tokens(),
        option::of(tokens()),
        searches,
    )
        .prop_map(|(input, output, read, written, thinking, searches)| {
            let mut usage = Usage::input(input).output(output);
            usage = usage.cache_read(read).cache_creation(written);
            usage.thinking_tokens = thinking;
            usage.web_search_requests = searches;
            usage
        })
}

fn citation() -> impl Strategy<Value = Citation> {
    let page = (text(), option::of("[a-z]{1,5}")).prop_map(|(url, title)| {
        let citation = Citation::web_search_result("its own words", url);
        title.map_or(citation.clone(), |title| citation.title(title))
    });
    let file = text().prop_map(|name| {
        Citation::raw(
            json!({"type": "file_citation", "file_id": "f", "filename": name, "index": 3}),
        )
    });
    prop_oneof![page, file]
}

/// A part of a turn.
#[derive(Clone, Debug)]
enum Said {
    Text(String, Option<Vec<Citation>>),
    Thinking(String, Option<String>),
    Redacted(Option<String>),
    Call(Option<String>, String, Arguments),
    Custom(String, String),
    Compaction(Option<String>),
    Raw(String),
    Search(String, Option<String>),
    Files(String, String),
    Bash(String, String, i64),
    Mcp(Arguments, String, bool),
}

impl Said {
    fn add_to(self, turn: Turn, fragments: Option<Fragments>) -> Turn {
        let turn = match self {
            Self::Text(text, None) => turn.text(text),
            Self::Text(text, Some(citations)) => turn.cited_text(text, citations),
            Self::Thinking(text, None) => turn.thinking(text),
            Self::Thinking(text, Some(signature)) => turn.thinking_with_signature(text, signature),
            Self::Redacted(None) => return turn.redacted_thinking(),
            Self::Redacted(Some(data)) => return turn.redacted_thinking_with_data(data),
            Self::Call(None, name, arguments) => turn.tool_call(name, arguments),
            Self::Call(Some(id), name, arguments) => turn.tool_call_with_id(id, name, arguments),
            Self::Custom(name, input) => turn.custom_tool_call(name, input),
            Self::Compaction(None) => return turn.compaction(""),
            Self::Compaction(Some(data)) => {
                return turn.compaction_with_encrypted_content("", data);
            }
            Self::Search(query, None) => {
                let search = ServerTool::web_search(&query, [("T", "https://x.example")]);
                turn.server_tool(search.error("unavailable"))
            }
            Self::Search(query, Some(url)) => {
                turn.server_tool(ServerTool::web_search(&query, [("T", url)]))
            }
            Self::Files(query, text) => {
                turn.server_tool(ServerTool::file_search(&query, [("a.txt", text)]))
            }
            Self::Bash(code, output, 0) => turn.server_tool(ServerTool::bash(&code, output)),
            Self::Bash(code, output, n) => {
                turn.server_tool(ServerTool::failed_bash(&code, n, output))
            }
            Self::Mcp(arguments, text, failed) => {
                let tool = ServerTool::mcp("s", "t", arguments, text.as_str());
                turn.server_tool(if failed { tool.error(text) } else { tool })
            }
            Self::Raw(text) => {
                return turn.raw_block(json!({"id": "x_1", "type": "x", "a": text}));
            }
        };
        match fragments {
            Some(fragments) => turn.fragments(fragments),
            None => turn,
        }
    }
}

fn part() -> impl Strategy<Value = Said> {
    let name = || "[a-z_é]{1,8}";
    let call = (option::of("[a-z0-9]{1,8}"), name(), arguments());
    let given = || option::of(text());
    prop_oneof![
        4 => (text(), option::of(vec(citation(), 0..3))).prop_map(|(t, c)| Said::Text(t, c)),
        2 => (text(), given()).prop_map(|(text, signature)| Said::Thinking(text, signature)),
        2 => call.prop_map(|(id, name, arguments)| Said::Call(id, name, arguments)),
        1 => (name(), text()).prop_map(|(name, input)| Said::Custom(name, input)),
        1 => given().prop_map(Said::Redacted),
        1 => given().prop_map(Said::Compaction),
        1 => text().prop_map(Said::Raw),
        1 => (text(), given()).prop_map(|(query, url)| Said::Search(query, url)),
        1 => (text(), text()).prop_map(|(query, text)| Said::Files(query, text)),
        1 => (text(), text(), 0..2_i64).prop_map(|(code, out, n)| Said::Bash(code, out, n)),
        1 => (arguments(), text(), any::<bool>()).prop_map(|(a, t, f)| Said::Mcp(a, t, f)),
    ]
}

/// Any turn that Responses can carry.
fn turn() -> impl Strategy<Value = Turn> {
    let reason = prop_oneof![
        2 => Just(None),
        1 => Just(Some(StopReason::MaxTokens)),
        1 => Just(Some(StopReason::ContentFilter)),
    ];
    let rest = (
        reason,
        option::of(usage()),
        option::of("gpt-5|gpt-4o|gpt-5\\.5"),
        option::of("flex|priority"),
        any::<u64>(),
        any::<bool>(),
    );
    let parts = vec((part(), option::of(fragments())), 0..5);
    (parts, rest).prop_map(|(parts, rest)| {
        let (reason, usage, model, tier, seed, plain) = rest;
        let mut turn = Turn::new().seed(seed);
        for (part, fragments) in parts {
            turn = part.add_to(turn, fragments);
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
        if let Some(tier) = tier {
            turn = turn.service_tier(tier);
        }
        if plain { turn.plain() } else { turn }
    })
}

/// The events of a body that comes in these two pieces.
fn events_in_two(body: &[u8], at: usize) -> Vec<SseEvent> {
    let mut decoder = SseDecoder::new();
    let mut events = Vec::new();
    for bytes in [&body[..at], &body[at..]] {
        decoder.push(bytes).unwrap();
        events.extend(std::iter::from_fn(|| decoder.next_event()));
    }
    decoder.finish().unwrap();
    events
}

fn in_two(body: &[u8], at: usize) -> Reply {
    let mut accumulator = Accumulator::new(API);
    for event in events_in_two(body, at) {
        accumulator.push(&event).unwrap();
    }
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
            "the arguments of `f` are not JSON: EOF while parsing an object at line 1 column 1",
        ),
        (nameless, "a tool call has no id, or no name"),
        (
            lost,
            "no strict client reads this raw block: the member `item.type` is missing",
        ),
    ] {
        let error = turn.normalized(API).unwrap_err().to_string();
        assert_eq!(error.lines().next().unwrap(), expected);
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
