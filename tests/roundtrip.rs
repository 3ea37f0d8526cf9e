//! Both directions together: what is rendered is read back as the same turn, at every cut.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

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
    CitedText(String, Vec<Citation>),
    Thinking(String, Option<String>),
    Redacted(Option<String>),
    Call(Option<String>, String, Arguments, Option<Value>),
    ServerTool(ServerTool),
    ServerToolCall(ServerTool),
    ServerToolResult(ServerTool),
    Compaction(String, Option<String>),
    Raw(Json, Vec<Json>),
}

impl Said {
    fn add_to(self, turn: Turn) -> Turn {
        match self {
            Self::Text(text) => turn.text(text),
            Self::CitedText(text, citations) => turn.cited_text(text, citations),
            Self::Thinking(text, None) => turn.thinking(text),
            Self::Thinking(text, Some(signature)) => turn
                .thinking_with_signature(text, signature)
                .empty_last_delta(),
            Self::Redacted(None) => turn.redacted_thinking(),
            Self::Redacted(Some(data)) => turn.redacted_thinking_with_data(data),
            Self::Call(id, name, arguments, caller) => {
                let turn = match id {
                    Some(id) => turn.tool_call_with_id(id, name, arguments),
                    None => turn.tool_call(name, arguments),
                };
                match caller {
                    Some(caller) => turn.caller(caller),
                    None => turn,
                }
            }
            Self::ServerTool(tool) => turn.server_tool(tool),
            Self::ServerToolCall(tool) => turn.server_tool_call(tool),
            Self::ServerToolResult(tool) => turn.server_tool_result(tool),
            Self::Compaction(content, None) => turn.compaction(content),
            Self::Compaction(content, Some(encrypted)) => {
                turn.compaction_with_encrypted_content(content, encrypted)
            }
            Self::Raw(start, deltas) => {
                let turn = turn.raw_block(start);
                deltas.into_iter().fold(turn, Turn::raw_delta)
            }
        }
    }

    const fn is_cut(&self) -> bool {
        match self {
            Self::Text(_)
            | Self::CitedText(..)
            | Self::Thinking(..)
            | Self::Call(..)
            | Self::ServerToolCall(_) => true,
            Self::Redacted(_)
            | Self::ServerTool(_)
            | Self::ServerToolResult(_)
            | Self::Compaction(..)
            | Self::Raw(..) => false,
        }
    }
}

fn citation() -> impl Strategy<Value = Citation> {
    let range = || (any::<u64>(), any::<u64>()).prop_map(|(start, end)| start..end);
    let of_the_request = prop_oneof![
        (text(), range()).prop_map(|(text, range)| Citation::characters(text, range)),
        (text(), range()).prop_map(|(text, range)| Citation::pages(text, range)),
        (text(), range()).prop_map(|(text, range)| Citation::blocks(text, range)),
        (text(), text(), range())
            .prop_map(|(text, source, range)| Citation::search_result(text, source, range)),
    ];
    let of_the_request =
        (of_the_request, any::<u64>(), option::of(text())).prop_map(|(citation, index, file)| {
            match file {
                Some(file) if !matches!(citation.source, CitedSource::SearchResult { .. }) => {
                    citation.index(index).file_id(file)
                }
                _ => citation.index(index),
            }
        });
    let of_the_web = (text(), text(), option::of(text())).prop_map(|(text, url, index)| {
        let citation = Citation::web_search_result(text, url);
        match index {
            Some(index) => citation.encrypted_index(index),
            None => citation,
        }
    });
    let other = (text(), value()).prop_map(|(text, value)| {
        Citation::raw(json!({"type": "x_location", "cited_text": text, "x": value}))
    });
    let known_as_it_is = (text(), text()).prop_map(|(text, url)| {
        Citation::raw(json!({
            "type": "web_search_result_location", "cited_text": text, "url": url, "title": null,
            "encrypted_index": "ZQ=="
        }))
    });
    let titled = |(citation, title): (Citation, Option<String>)| match title {
        // that of a raw one is among its members
        Some(title) if !matches!(citation.source, CitedSource::Other(_)) => citation.title(title),
        _ => citation,
    };
    (
        prop_oneof![of_the_request, of_the_web, other, known_as_it_is],
        option::of(text()),
    )
        .prop_map(titled)
}

fn server_tool() -> impl Strategy<Value = ServerTool> {
    let tool = prop_oneof![
        (text(), vec((text(), text()), 0..3))
            .prop_map(|(query, pages)| ServerTool::web_search(&query, pages)),
        (text(), text()).prop_map(|(url, text)| ServerTool::web_fetch(&url, text)),
        (text(), text()).prop_map(|(command, stdout)| ServerTool::bash(&command, stdout)),
        (text(), any::<i64>(), text())
            .prop_map(|(command, code, stderr)| ServerTool::failed_bash(&command, code, stderr)),
        (text(), text()).prop_map(|(path, text)| ServerTool::create_file(&path, &text)),
        (text(), text()).prop_map(|(path, text)| ServerTool::view_file(&path, text)),
        (text(), text(), text())
            .prop_map(|(path, old, new)| ServerTool::replace_in_file(&path, &old, &new)),
        (text(), vec(text(), 0..3))
            .prop_map(|(query, tools)| ServerTool::tool_search(&query, tools)),
        (text(), "[a-z]{1,3}", arguments(), text()).prop_map(|(server, tool, arguments, text)| {
            ServerTool::mcp(server, tool, arguments, text)
        }),
        (
            "[a-z]{1,3}",
            arguments(),
            "(advisor|code_execution|x)_tool_result",
            value()
        )
            .prop_map(|(name, arguments, kind, content)| ServerTool::new(
                name, arguments, kind, content
            )),
    ];
    let given = (
        option::of("[a-z_]{1,4}"),
        option::weighted(0.2, text()),
        option::weighted(0.2, value()),
        option::weighted(0.2, value()),
    );
    (tool, given).prop_map(|(mut tool, (id, error, content, caller))| {
        if let Some(id) = id {
            tool = tool.id(id);
        }
        if let Some(error) = error {
            tool = tool.error(error);
        }
        if let Some(content) = content {
            tool = tool.content(content);
        }
        if let Some(caller) = caller {
            tool = tool.caller(caller);
        }
        tool
    })
}

/// Raw blocks of known and unknown types; those of a stream have deltas.
fn raw(form: Form) -> impl Strategy<Value = Said> {
    let (start, deltas) = match form {
        Form::Both => (r#"{"text":"é","type":"text"}"#, vec![]),
        Form::Stream => (
            r#"{"type":"text","text":"é"}"#,
            vec![Json::raw(r#"{"type":"text_delta","text":"漢字"}"#)],
        ),
    };
    let known = Said::Raw(Json::raw(start), deltas);
    let unknown = (value(), vec(value(), 0..3)).prop_map(move |(a, deltas)| {
        let deltas = deltas
            .into_iter()
            .take(if form == Form::Stream { 3 } else { 0 });
        let deltas = deltas.map(|b| json!({"type": "x_delta", "b": b}).into());
        Said::Raw(json!({"type": "x", "a": a}).into(), deltas.collect())
    });
    prop_oneof![Just(known), unknown]
}

/// Which forms of an answer can have a part.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Both,
    Stream,
}

fn said(form: Form) -> impl Strategy<Value = Said> {
    prop_oneof![
        3 => text().prop_map(Said::Text),
        1 => (text(), vec(citation(), 0..3))
            .prop_map(|(text, citations)| Said::CitedText(text, citations)),
        1 => (text(), option::of("[A-Za-z0-9+/]{0,9}=?"))
            .prop_map(|(text, signature)| Said::Thinking(text, signature)),
        1 => option::of("[A-Za-z0-9+/]{0,9}=?").prop_map(Said::Redacted),
        2 => (
            option::of("toolu_[a-z]{1,4}"),
            "[a-z_]{1,8}",
            arguments(),
            option::weighted(0.2, value()),
        )
            .prop_map(|(id, name, arguments, caller)| Said::Call(id, name, arguments, caller)),
        2 => server_tool().prop_map(Said::ServerTool),
        1 => server_tool().prop_map(Said::ServerToolCall),
        1 => server_tool().prop_map(|tool| Said::ServerToolResult(tool.id("srvtoolu_x"))),
        1 => (text(), option::of(text()))
            .prop_map(|(content, encrypted)| Said::Compaction(content, encrypted)),
        1 => raw(form),
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
    let counters = || {
        (any::<u64>(), any::<u64>(), 0_u64..9, 0_u64..9).prop_map(
            |(input, output, read, creation)| {
                Usage::input(input)
                    .output(output)
                    .cache_read(read)
                    .cache_creation(creation)
            },
        )
    };
    let said = (
        0_u64..3,
        option::of(any::<u64>()),
        option::of(0_u64..9),
        option::of(0_u64..9),
        vec(("[a-z]{1,7}", option::of("[a-z]{1,3}"), counters()), 0..2),
    );
    (counters(), said).prop_map(|(mut usage, (hour, thinking, searches, fetches, passes))| {
        usage = usage.cache_creation_1h(hour);
        if let Some(tokens) = thinking {
            usage = usage.thinking(tokens);
        }
        if let Some(requests) = searches {
            usage = usage.web_searches(requests);
        }
        if let Some(requests) = fetches {
            usage = usage.web_fetches(requests);
        }
        for (kind, model, counters) in passes {
            let pass = Iteration::new(kind, counters);
            usage = usage.iteration(match model {
                Some(model) => pass.model(model),
                None => pass,
            });
        }
        usage
    })
}

/// What stands in the envelope of a turn.
fn envelope() -> impl Strategy<Value = Vec<Envelope>> {
    let member = prop_oneof![
        text()
            .prop_filter("an id is not empty", |id| !id.is_empty())
            .prop_map(Envelope::Id),
        stop_reason().prop_map(Envelope::StopReason),
        usage().prop_map(Envelope::Usage),
        usage().prop_map(Envelope::UsageAtStart),
        "[a-z0-9-]{1,12}".prop_map(Envelope::Model),
        (option::of(text()), option::of(text()), option::of(value())).prop_map(
            |(category, explanation, other)| {
                let mut details = StopDetails::new();
                if let Some(category) = category {
                    details = details.category(category);
                }
                if let Some(explanation) = explanation {
                    details = details.explanation(explanation);
                }
                if let Some(other) = other {
                    details = details.other("recommended_model", other);
                }
                Envelope::StopDetails(details)
            }
        ),
        (text(), text())
            .prop_map(|(id, time)| Envelope::Container(Container::new(id).expires_at(time))),
        value().prop_map(Envelope::ContextManagement),
        text().prop_map(Envelope::ServiceTier),
        text().prop_map(Envelope::InferenceGeo),
        (2023_u16..2028, 1_u8..=12).prop_map(|(year, month)| Envelope::Era(Era::of(year, month))),
    ];
    vec(member, 0..5)
}

#[derive(Clone, Debug)]
enum Envelope {
    Id(String),
    StopReason(StopReason),
    Usage(Usage),
    UsageAtStart(Usage),
    Model(String),
    StopDetails(StopDetails),
    Container(Container),
    ContextManagement(Value),
    ServiceTier(String),
    InferenceGeo(String),
    Era(Era),
}

impl Envelope {
    fn add_to(self, turn: Turn) -> Turn {
        match self {
            Self::Id(id) => turn.id(id),
            Self::StopReason(reason) => turn.stop_reason(reason),
            Self::Usage(usage) => turn.usage(usage),
            Self::UsageAtStart(usage) => turn.usage_at_start(usage),
            Self::Model(model) => turn.model(model),
            Self::StopDetails(details) => turn.stop_details(details),
            Self::Container(container) => turn.container(container),
            Self::ContextManagement(applied) => turn.context_management(applied),
            Self::ServiceTier(tier) => turn.service_tier(tier),
            Self::InferenceGeo(geo) => turn.inference_geo(geo),
            Self::Era(era) => turn.era(era),
        }
    }
}

fn turn(parts: std::ops::Range<usize>, form: Form) -> impl Strategy<Value = Turn> {
    let parts = vec((said(form), option::of(fragments())), parts);
    (parts, envelope(), any::<u64>(), any::<bool>()).prop_map(|(parts, envelope, seed, plain)| {
        let mut turn = Turn::new().seed(seed);
        for (said, fragments) in parts {
            let is_cut = said.is_cut();
            turn = said.add_to(turn);
            if let (Some(fragments), true) = (fragments, is_cut) {
                turn = turn.fragments(fragments);
            }
        }
        turn = envelope
            .into_iter()
            .fold(turn, |turn, member| member.add_to(turn));
        if plain { turn.plain() } else { turn }
    })
}

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
    fn a_turn_is_read_back_whole_in_both_forms(turn in turn(0..6, Form::Both)) {
        if let Some(expected) = readable(&turn) {
            prop_assert_eq!(&accumulate(API, &sse_body(API, &turn)).unwrap(), &expected);
            prop_assert_eq!(&accumulate_json(API, &json_body(API, &turn)).unwrap(), &expected);
        }
    }

    #[test]
    fn a_turn_is_said_again_from_its_bytes(turn in turn(0..6, Form::Stream)) {
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
    fn a_turn_is_cut_into_the_same_bytes_however_it_is_cut(turn in turn(0..4, Form::Stream)) {
        if let Some(expected) = readable(&turn) {
            let body = sse_body(API, &turn);
            prop_assert_eq!(&accumulate(API, &body).unwrap(), &expected);
            for cut in [Cut::PerEvent, Cut::Whole, Cut::EveryByte] {
                let pieces: Vec<_> = chunks(API, &turn, cut).collect();
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
    fn a_turn_is_read_back_at_every_two_way_split(turn in turn(1..4, Form::Stream)) {
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
