//! The bytes on the wire: against the fixtures, which were written for this crate, and against recorded
//! traffic, which lies outside of it.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::print_stderr,
    clippy::wildcard_enum_match_arm,
    reason = "a test may panic, and says loudly what it skips"
)]

#[path = "support/fixtures.rs"]
mod fixtures;

use std::path::PathBuf;

use bytes::Bytes;
use fixtures::assert_bytes;
use llm_wire_stub::*;
use serde_json::{Value, json};

const API: Api = Api::AnthropicMessages;

fn fixture(name: &str) -> Bytes {
    fixtures::fixture(&format!("anthropic_messages/{name}"))
}

fn text_and_tools() -> Turn {
    Turn::new()
        .text("Hé there.")
        .tool_call("weather", json!({"days": [1, 2], "city": "Zürich"}))
        .tool_call("now", json!({}))
        .usage(Usage::input(579).output(41).cache_read(7).cache_creation(3))
}

fn thinking() -> Turn {
    Turn::new()
        .thinking_with_signature("Two pairs.", "EqUBc2lnbmVk")
        .empty_last_delta()
        .redacted_thinking_with_data("EqUBaGlkZGVu")
        .thinking_with_signature("", "EqUBb25seQ==")
        .text("Four.")
        .usage(Usage::input(45).output(39).thinking(23))
}

fn citations() -> Turn {
    Turn::new()
        .text("As it says: ")
        .cited_text(
            "grass is green",
            [
                Citation::characters("Grass is \"green\".", 0..17).title("facts.txt"),
                Citation::pages("Grön.", 4..5).index(1).file_id("file_01a"),
                Citation::blocks("Green.", 0..2).index(2).title("Blocks"),
                Citation::search_result("Very green.", "https://kb.example/1", 0..1)
                    .index(3)
                    .title("Lawn"),
                Citation::web_search_result("So green.", "https://grass.example")
                    .title("Grass")
                    .encrypted_index("EqUBaW5kZXg="),
            ],
        )
        .text(".")
        .cited_text("Good.", [])
        .usage(Usage::input(45).output(39))
}

/// Every tool that the service runs itself, each argument in one fragment.
fn server_tools() -> Turn {
    let tools = [
        ServerTool::web_search("tides", [("Tides today", "https://tides.example")]),
        ServerTool::web_fetch("https://tides.example", "High at 6."),
        ServerTool::bash("date", "Wed\n"),
        ServerTool::create_file("/tmp/t", "high"),
        ServerTool::view_file("/tmp/t", "high"),
        ServerTool::replace_in_file("/tmp/t", "high", "low"),
        ServerTool::view_file("/x", "").error("unavailable"),
        ServerTool::tool_search("clock", ["now"]),
        ServerTool::mcp("clocks", "now", json!({"zone": "UTC"}), "14:34"),
        ServerTool::mcp("clocks", "now", json!({}), "").error("no clock"),
        ServerTool::web_search("x", [("", "")]).error("max_uses_exceeded"),
    ];
    let mut turn = Turn::new();
    for (tool, letter) in tools.into_iter().zip('a'..) {
        let prefix = match letter {
            'i' | 'j' => "mcptoolu_01",
            _ => "srvtoolu_01",
        };
        turn = turn
            .server_tool(tool.id(format!("{prefix}{letter}")))
            .fragments(Fragments::whole());
    }
    turn.text("High.")
        .usage(Usage::input(45).output(39))
        .usage_at_start(Usage::input(9).output(3))
        .container("container_01a")
        .service_tier("priority")
        .inference_geo("global")
}

fn compaction() -> Turn {
    let counters = Usage::input(99).output(8).cache_read(7);
    Turn::new()
        .compaction("They met.")
        .compaction_with_encrypted_content("They met.", "EqUBZW5j")
        .raw_block(Json::raw(
            r#"{"type":"fallback","from":{"model":"a"},"to":{"model":"b"}}"#,
        ))
        .stop_details(
            StopDetails::new()
                .category("cyber")
                .other("recommended_model", json!("b")),
        )
        .context_management(json!({"applied_edits": []}))
        .usage(
            Usage::input(45)
                .output(39)
                .iteration(Iteration::new(
                    "compaction",
                    counters.cache_creation(6).cache_creation_1h(4),
                ))
                .iteration(
                    Iteration::new("advisor_message", Usage::input(45).output(39)).model("m"),
                ),
        )
}

#[test]
fn an_answer_of_every_era_is_what_its_fixture_says_byte_by_byte() {
    let fixture = fixture("eras.txt");
    let mut found = String::new();
    for (year, month) in [
        (2024, 4),
        (2024, 12),
        (2025, 6),
        (2025, 10),
        (2025, 11),
        (2026, 2),
        (2026, 3),
        (2026, 4),
    ] {
        let turn = Turn::new()
            .tool_call_with_id("toolu_01a", "now", json!({}))
            .usage(Usage::input(9).output(5))
            .era(Era::of(year, month))
            .plain();
        found += &format!("era {year}-{month:02}\n");
        for body in [sse_body(API, &turn), json_body(API, &turn)] {
            found += std::str::from_utf8(&body).unwrap();
        }
        found += "\n\n";
    }
    assert_bytes("eras.txt", found.as_bytes(), &fixture);

    let error = ApiError::overloaded();
    let in_stream = |era| {
        let turn = Turn::new().era(era).plain();
        let body = sse_body(API, &turn.end(After::head(), error.clone()));
        String::from_utf8(body.to_vec()).unwrap()
    };
    assert_eq!(
        in_stream(Era::of(2024, 12)),
        "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\
         \"message\":\"Overloaded\"}}\n\n"
    );
    assert!(in_stream(Era::of(2025, 1)).contains("\"details\":null"));
    assert!(in_stream(Era::of(2025, 1)).contains("\"request_id\":\"req_"));
}

#[test]
fn a_stream_is_what_its_fixture_says_byte_by_byte() {
    for (name, turn) in [
        ("text-and-tools.sse", text_and_tools()),
        ("text-and-tools.plain.sse", text_and_tools().plain()),
        ("thinking.plain.sse", thinking().plain()),
        ("citations.plain.sse", citations().plain()),
        ("server-tools.plain.sse", server_tools().plain()),
        ("compaction.plain.sse", compaction().plain()),
        (
            "no-blocks.sse",
            Turn::new().stop_reason(StopReason::Refusal),
        ),
        (
            "stop-sequence.plain.sse",
            Turn::new()
                .text("a \"b\"\n\u{2028}😀</>&\u{1}")
                .stop_reason(StopReason::StopSequence("\nHuman:".to_owned()))
                .model("claude-sonnet-4-6")
                .plain(),
        ),
        (
            "in-stream-error.sse",
            Turn::new()
                .text("two words")
                .end(After::deltas(1), ApiError::overloaded()),
        ),
    ] {
        assert_bytes(name, &sse_body(API, &turn), &fixture(name));
    }
}

#[test]
fn a_whole_body_is_what_its_fixture_says_byte_by_byte() {
    let name = "text-and-tools.json";
    assert_bytes(name, &json_body(API, &text_and_tools()), &fixture(name));
    for (name, turn) in [
        ("thinking.json", thinking()),
        ("citations.json", citations()),
        ("server-tools.json", server_tools()),
        ("compaction.json", compaction()),
    ] {
        assert_bytes(name, &json_body(API, &turn), &fixture(name));
    }
    let name = "error-context-overflow.json";
    assert_bytes(
        name,
        &error_body(API, &ApiError::context_overflow()),
        &fixture(name),
    );
}

#[test]
fn one_count_of_server_tools_brings_the_other_since_both_are_there() {
    let both = |searches: u64, fetches: u64| {
        format!(
            r#","server_tool_use":{{"web_search_requests":{searches},"web_fetch_requests":{fetches}}}}}"#
        )
    };
    for (usage, era, expected) in [
        (Usage::input(1).web_searches(2), Era::today(), both(2, 0)),
        (Usage::input(1).web_fetches(3), Era::of(2026, 4), both(0, 3)),
        (
            Usage::input(1).web_searches(2).web_fetches(3),
            Era::today(),
            both(2, 3),
        ),
        (
            Usage::input(1).web_searches(2),
            Era::of(2026, 3),
            r#","server_tool_use":{"web_search_requests":2}}"#.to_owned(),
        ),
    ] {
        let turn = Turn::new().text("hi").usage(usage).era(era).plain();
        for bytes in [sse_body(API, &turn), json_body(API, &turn)] {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            assert!(text.contains(&expected), "{era:?}: {text}");
        }
    }
}

#[test]
fn noise_never_changes_what_is_said_and_every_kind_of_it_occurs() {
    let turn = text_and_tools();
    let plain = strip_noise(&sse_body(API, &turn.clone().plain()));
    let (mut late_pings, mut paddings) = (0, [false; 16]);
    for seed in 0..200 {
        let body = sse_body(API, &turn.clone().seed(seed));
        let text = std::str::from_utf8(&body).unwrap();
        assert_eq!(
            text.matches("event: ping\ndata: {\"type\": \"ping\"}\n\n")
                .count(),
            1
        );
        let first_start = text.find("content_block_start").unwrap();
        let before_ping = &text[first_start..text.find("event: ping").unwrap()];
        late_pings += usize::from(before_ping.contains("content_block_delta"));
        for line in text
            .lines()
            .filter(|line| line.starts_with("data: ") && !line.contains("ping"))
        {
            let members = line.strip_suffix('}').unwrap();
            paddings[members.len() - members.trim_end_matches(' ').len()] = true;
        }
        let normalized = turn.clone().seed(seed).normalized(API).unwrap();
        assert_eq!(accumulate(API, &body).unwrap(), normalized, "seed {seed}");
        if seed == 0 {
            assert_eq!(strip_noise(&body), plain);
        }
    }
    assert!(
        (10..60).contains(&late_pings),
        "{late_pings} of 200 pings came late"
    );
    assert_eq!(paddings, [true; 16]);
}

/// Without padding, pings, and the tokens of `message_start`.
fn strip_noise(body: &[u8]) -> String {
    let text = std::str::from_utf8(body).unwrap();
    let text = text.replace("event: ping\ndata: {\"type\": \"ping\"}\n\n", "");
    let lines = text.lines().map(|line| match line.strip_suffix('}') {
        Some(members) => format!("{}}}\n", members.trim_end_matches(' ')),
        None => format!("{line}\n"),
    });
    mask_start_tokens(&lines.collect::<String>())
}

/// The tokens of `message_start` as `N`: the service's are known only when it has begun.
fn mask_start_tokens(text: &str) -> String {
    let mut masked = String::new();
    for line in text.lines() {
        match line.split_once("\"output_tokens\":") {
            Some((head, tail)) if line.contains("message_start") => {
                masked += &format!(
                    "{head}\"output_tokens\":N{}",
                    tail.trim_start_matches(|c: char| c.is_ascii_digit())
                );
            }
            _ => masked += line,
        }
        masked.push('\n');
    }
    masked
}

/// The message id as `msg_`: ours and theirs are made, not said.
fn mask_message_id(text: &str) -> String {
    match text.split_once("\"msg_") {
        Some((head, tail)) => format!("{head}\"msg_{}", &tail[24..]),
        None => text.to_owned(),
    }
}

/// A recorded body; `None`, said loudly, where the recordings are not there.
fn capture(name: &str) -> Option<String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/captures/anthropic");
    match std::fs::read_to_string(path.join(name)) {
        Ok(text) => Some(text),
        Err(error) => {
            eprintln!("SKIPPED: no capture {name} here ({error}); it lies beside the repository");
            None
        }
    }
}

/// The turn that says what a recorded message says, cut as it was recorded.
fn turn_from(events: &[Value]) -> Turn {
    let start = &events[0]["message"];
    let delta = events
        .iter()
        .find(|event| event["type"] == "message_delta")
        .unwrap();
    let number = |usage: &Value, name: &str| usage[name].as_u64().unwrap();
    let usage = &delta["usage"];
    let mut turn = Turn::new()
        .model(start["model"].as_str().unwrap())
        .stop_reason(delta["delta"]["stop_reason"].as_str().unwrap())
        .usage(
            Usage::input(number(usage, "input_tokens"))
                .output(number(usage, "output_tokens"))
                .cache_read(number(usage, "cache_read_input_tokens"))
                .cache_creation(number(usage, "cache_creation_input_tokens")),
        );
    for block in events
        .iter()
        .filter(|event| event["type"] == "content_block_start")
    {
        let pieces: Vec<String> = events
            .iter()
            .filter(|event| {
                event["type"] == "content_block_delta" && event["index"] == block["index"]
            })
            .map(|event| {
                event["delta"]["text"]
                    .as_str()
                    .or(event["delta"]["partial_json"].as_str())
            })
            .map(|piece| piece.unwrap().to_owned())
            .filter(|piece| !piece.is_empty())
            .collect();
        let block = &block["content_block"];
        turn = match block["type"].as_str().unwrap() {
            "text" => turn.text(pieces.concat()),
            "tool_use" => turn.tool_call_with_id(
                block["id"].as_str().unwrap(),
                block["name"].as_str().unwrap(),
                Arguments::raw(pieces.concat()),
            ),
            other => panic!("{other} is not part of this test"),
        };
        turn = turn.fragments(Fragments::pieces(pieces));
    }
    turn
}

#[test]
fn recorded_streams_of_today_are_said_again_byte_for_byte() {
    for name in ["text-basic.sse", "tool-no-args.sse", "tool-args.sse"] {
        let Some(recorded) = capture(name) else {
            return;
        };
        let events: Vec<Value> = recorded
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .map(|data| serde_json::from_str(data).unwrap())
            .collect();
        let ours = sse_body(API, &turn_from(&events));
        assert!(
            ours.windows(12).any(|bytes| bytes == b"event: ping\n"),
            "seed 0 has its ping"
        );
        let ours = mask_message_id(&strip_noise(&ours));
        assert_eq!(
            ours,
            mask_message_id(&strip_noise(recorded.as_bytes())),
            "{name}"
        );
        let place = |text: &str| {
            let pings = text
                .split("event: ")
                .position(|event| event.starts_with("ping"));
            pings.unwrap()
        };
        let ours = sse_body(API, &turn_from(&events));
        let ours = std::str::from_utf8(&ours).unwrap();
        assert_eq!(place(ours), place(&recorded), "{name}: the ping's place");
    }
}

#[test]
fn recorded_bodies_of_today_are_said_again_byte_for_byte() {
    for name in ["message-tool-use.json", "message-parallel-tools.json"] {
        let Some(recorded) = capture(name) else {
            return;
        };
        let message: Value = serde_json::from_str(&recorded).unwrap();
        let usage = &message["usage"];
        let number = |name: &str| usage[name].as_u64().unwrap();
        let mut turn = Turn::new()
            .model(message["model"].as_str().unwrap())
            .usage(Usage::input(number("input_tokens")).output(number("output_tokens")));
        for block in message["content"].as_array().unwrap() {
            turn = turn.tool_call_with_id(
                block["id"].as_str().unwrap(),
                block["name"].as_str().unwrap(),
                block["input"].clone(),
            );
        }
        let ours = String::from_utf8(json_body(API, &turn).to_vec()).unwrap();
        assert_eq!(mask_message_id(&ours), mask_message_id(&recorded), "{name}");
    }
}

#[test]
fn recorded_errors_are_said_again_byte_for_byte() {
    let overflow = "prompt is too long: 3333404 tokens > 200000 maximum";
    for (name, error) in [
        ("error-401-auth.json", ApiError::authentication()),
        (
            "error-400-prompt-too-long.json",
            ApiError::context_overflow().message(overflow),
        ),
    ] {
        let Some(recorded) = capture(name) else {
            return;
        };
        let ours = String::from_utf8(error_body(API, &error).to_vec()).unwrap();
        let mask = |text: &str| text[..text.find("\"req_").unwrap()].to_owned();
        assert_eq!(mask(&ours), mask(&recorded), "{name}");
        let tail = |text: &str| text.len() - text.find("\"req_").unwrap();
        assert_eq!(
            tail(&ours),
            tail(&recorded),
            "{name}: the request id's length"
        );
    }
}

#[test]
fn a_stream_starts_with_one_token_in_half_the_seeds_else_with_two_to_eight() {
    let mut seen = [0_usize; 9];
    for seed in 0..400 {
        let body = sse_body(API, &text_and_tools().seed(seed));
        let text = std::str::from_utf8(&body).unwrap();
        let start = text.lines().nth(1).unwrap();
        let start: Value = serde_json::from_str(start.strip_prefix("data: ").unwrap()).unwrap();
        let tokens = start["message"]["usage"]["output_tokens"].as_u64().unwrap();
        seen[usize::try_from(tokens).unwrap()] += 1;
    }
    assert_eq!(seen[0], 0);
    assert!((160..240).contains(&seen[1]), "{seen:?}");
    assert!(seen[2..].iter().all(|times| *times > 0), "{seen:?}");
    // never more than the whole
    let short = Turn::new().text("x").usage(Usage::input(1).output(1));
    for seed in 0..50 {
        let body = sse_body(API, &short.clone().seed(seed));
        assert!(
            body.windows(17)
                .all(|bytes| bytes != b"\"output_tokens\":2")
        );
    }
}

#[test]
fn thinking_ends_with_an_empty_delta_in_about_one_stream_of_five() {
    let empty = |turn: Turn| {
        let body = sse_body(API, &turn);
        let text = std::str::from_utf8(&body).unwrap();
        text.contains("\"thinking_delta\",\"thinking\":\"\"}")
    };
    let seeds = (0..400).filter(|seed| empty(Turn::new().thinking("Hm.").seed(*seed)));
    let empty_ones = seeds.count();
    assert!((50..110).contains(&empty_ones), "{empty_ones} of 400");
    assert!((0..100).all(|seed| !empty(Turn::new().thinking("Hm.").seed(seed).plain())));
    assert!((0..100).all(|seed| !empty(Turn::new().thinking("").seed(seed))));
}

#[test]
fn ids_have_the_alphabets_and_lengths_of_the_service() {
    let base58 = |text: &str| {
        text.bytes()
            .all(|b| b.is_ascii_alphanumeric() && !b"0OIl".contains(&b))
    };
    let base64 = |text: &str| {
        text.bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"+/".contains(&b))
    };
    for seed in 0..100 {
        let turn = text_and_tools()
            .thinking("x")
            .server_tool(ServerTool::bash("date", ""))
            .server_tool(ServerTool::mcp("s", "f", json!({}), ""));
        let reply = turn.seed(seed).normalized(API).unwrap();
        let server: Vec<&str> = reply.parts.iter().filter_map(server_call_id).collect();
        let signature = reply.parts.iter().find_map(|part| match part {
            Part::Thinking { signature, .. } => Some(signature.as_str()),
            _ => None,
        });
        let made = signature.unwrap().strip_prefix("EqUB");
        assert!(made.is_some_and(|made| base64(made) && made.len() == 220));
        let error: Value = serde_json::from_slice(&error_body(API, &ApiError::internal())).unwrap();
        let calls: Vec<&str> = reply.tool_calls().map(|call| call.id.as_str()).collect();
        assert_ne!(calls[0], calls[1]);
        for (id, prefix, length) in [
            (reply.id.as_str(), "msg_011C", 28),
            (error["request_id"].as_str().unwrap(), "req_011C", 28),
            (calls[0], "toolu_01", 30),
            (calls[1], "toolu_01", 30),
            (server[0], "srvtoolu_01", 33),
            (server[1], "mcptoolu_01", 33),
        ] {
            let made = id.strip_prefix(prefix);
            assert!(made.is_some_and(base58) && id.len() == length, "{id}");
        }
    }
}

fn server_call_id(part: &Part) -> Option<&str> {
    match part {
        Part::ServerToolCall(call) => Some(&call.id),
        _ => None,
    }
}
