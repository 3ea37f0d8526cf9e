//! The bytes on the wire, against the fixtures, which were written for this crate.

use llm_wire_stub::bytes::Bytes;
use llm_wire_stub::*;
use serde_json::{Value, json};

use crate::{
    API,
    fixtures::{self, assert_bytes},
};

fn fixture(name: &str) -> Bytes {
    fixtures::fixture(&format!("openai_responses/{name}"))
}

/// A turn whose id and model are those of the fixtures.
fn turn() -> Turn {
    Turn::new()
        .plain()
        .id("resp_1")
        .model("gpt-5")
        .usage(Usage::input(10).output(9))
}

fn full_usage() -> Usage {
    let usage = Usage::input(5).output(41).cache_read(7);
    usage.cache_creation(3).thinking(23)
}

/// What the fixtures show, streamed.
fn streamed() -> Vec<(&'static str, Turn)> {
    let page = Citation::web_search_result("its own words", "https://grass.example").title("Grass");
    let file = r#"{"type":"file_citation","file_id":"file-1","filename":"a.txt","index":19}"#;
    vec![
        (
            "text.plain.sse",
            turn().text("Hé \"there\".").usage(full_usage()),
        ),
        (
            "calls.plain.sse",
            turn()
                .text("Let")
                .text(" me.")
                .tool_call_with_id("call_1", "weather", json!({"city": "Zürich"}))
                .fragments(Fragments::size(10))
                .tool_call_with_id("call_2", "now", Arguments::raw("")),
        ),
        (
            "custom-calls.plain.sse",
            turn()
                .custom_tool_call_with_id("call_1", "patch", "*** Begin\n")
                .fragments(Fragments::size(5))
                .custom_tool_call_with_id("call_2", "patch", ""),
        ),
        (
            "reasoning.plain.sse",
            turn()
                .usage(Usage::input(10).output(9).thinking(2))
                .thinking_with_signature("Hm, so.", "c2ln")
                .redacted_thinking_with_data("ZGF0YQ")
                .thinking_with_signature("Well.", "")
                .text("Yes."),
        ),
        (
            "citations.plain.sse",
            turn()
                .text("So: ")
                .fragments(Fragments::size(3))
                .cited_text("Grass is green.", [page, Citation::raw(Json::raw(file))])
                .text(" Yes."),
        ),
        (
            "refusal.plain.sse",
            turn().text("I cannot.").stop_reason(StopReason::Refusal),
        ),
        (
            "max-tokens.plain.sse",
            turn()
                .tool_call_with_id("call_1", "f", json!({}))
                .text("Half an")
                .stop_reason(StopReason::MaxTokens),
        ),
        (
            "content-filter.plain.sse",
            turn().text("Half").stop_reason(StopReason::ContentFilter),
        ),
        (
            "phases.plain.sse",
            turn()
                .model("gpt-5.5")
                .text("Look.")
                .tool_call_with_id("call_1", "f", json!({}))
                .text("Done."),
        ),
        (
            "error.plain.sse",
            turn()
                .thinking_with_signature("Hm.", "")
                .text("Half an answer")
                .end(After::deltas(2), ApiError::internal()),
        ),
    ]
}

/// What the fixtures show of what the provider does itself, streamed.
fn provided() -> Vec<(&'static str, Turn)> {
    let pages = [("A", "https://a.example"), ("B", "https://b.example")];
    let none: [(&str, &str); 0] = [];
    vec![
        (
            "tools.plain.sse",
            turn()
                .usage(Usage::input(10).output(9).web_searches(1))
                .server_tool(ServerTool::web_search("tides \"é\"", pages))
                .server_tool(ServerTool::file_search(
                    "capitals",
                    [("a.txt", "France: Paris")],
                ))
                .server_tool(ServerTool::bash("date -u", "Wed\n"))
                .fragments(Fragments::words())
                .server_tool(ServerTool::mcp(
                    "clocks",
                    "now",
                    json!({"zone": "UTC"}),
                    "14:34",
                )),
        ),
        (
            "failed-tools.plain.sse",
            turn()
                .server_tool(ServerTool::web_search("x", none).error("unavailable"))
                .server_tool(ServerTool::failed_bash("x", 1, "no x\n"))
                .server_tool(ServerTool::mcp("clocks", "now", json!({}), "").error("no clock")),
        ),
        (
            "raw.plain.sse",
            turn()
                .raw_block(Json::raw(r#"{"id":"x_1","type":"x","a":"é"}"#))
                .raw_delta(Json::raw(
                    r#"{"type":"response.x.hum","delta":"la","item_id":"x_1"}"#,
                )),
        ),
        (
            "compaction.plain.sse",
            turn().compaction_with_encrypted_content("", "c2Vh"),
        ),
    ]
}

#[test]
fn streams_have_the_bytes_of_the_fixtures() {
    for (name, turn) in streamed().into_iter().chain(provided()) {
        assert_bytes(name, &sse_body(API, &turn), &fixture(name));
    }
}

#[test]
fn bodies_have_the_bytes_of_the_fixtures() {
    let whole = turn()
        .model("gpt-4o")
        .text("Hé 😀 \"there\".")
        .tool_call_with_id(
            "call_1",
            "weather",
            json!({"days": [1, 2], "city": "Zürich"}),
        )
        .usage(full_usage());
    let cut = turn().text("Half").stop_reason(StopReason::MaxTokens);
    for (name, turn) in [("text-and-call.json", whole), ("max-tokens.json", cut)] {
        assert_bytes(name, &json_body(API, &turn), &fixture(name));
    }
    for (name, error) in [
        ("error-context-overflow.json", ApiError::context_overflow()),
        ("error-authentication.json", ApiError::authentication()),
    ] {
        assert_bytes(name, &error_body(API, &error), &fixture(name));
    }
}

/// The data of each event, and that its name is its type.
pub(crate) fn events(body: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(body).unwrap();
    let frames = text.split_terminator("\n\n");
    frames
        .map(|frame| {
            let (name, data) = frame.split_once("\ndata: ").unwrap();
            let json: Value = serde_json::from_str(data).unwrap();
            assert_eq!(name.strip_prefix("event: "), json["type"].as_str());
            json
        })
        .collect()
}

#[test]
fn the_length_of_every_fragment_is_hidden_by_its_obfuscation() {
    let mut lengths = std::collections::BTreeSet::new();
    for seed in 0..40 {
        let turn = Turn::new()
            .thinking("Hé, 漢字 😀 a bb ccc dddd eeeee ffffff ggggggg hhhhhhhh iiiiiiiii")
            .text(
                "jjjjjjjjjj kkkkkkkkkkk llllllllllll mmmmmmmmmmmmm nnnnnnnnnnnnnn ooooooooooooooo",
            )
            .tool_call("f", json!({"a": "é".repeat(60)}))
            .seed(seed);
        for event in events(&sse_body(API, &turn)) {
            let Some(delta) = event["delta"].as_str() else {
                assert_eq!(event.get("obfuscation"), None, "{event}");
                continue;
            };
            let hidden = event["obfuscation"].as_str().unwrap();
            assert!(hidden.bytes().all(|b| b.is_ascii_alphanumeric()), "{event}");
            assert_eq!((delta.chars().count() + hidden.len()) % 16, 0, "{event}");
            lengths.insert(hidden.len());
        }
        assert!(!String::from_utf8_lossy(&sse_body(API, &turn.plain())).contains("obfuscation"));
    }
    assert_eq!(
        lengths.into_iter().collect::<Vec<_>>(),
        (0..16).collect::<Vec<_>>()
    );
}

#[test]
fn ids_have_the_services_length_share_their_first_digits_and_come_from_the_seed() {
    let turn = |seed| {
        Turn::new()
            .thinking("Hm.")
            .text("x")
            .tool_call("f", json!({}))
            .compaction("")
            .seed(seed)
    };
    let json: Value = serde_json::from_slice(&json_body(API, &turn(7))).unwrap();
    let output = json["output"].as_array().unwrap();
    let ids = std::iter::once(&json).chain(output);
    let ids: Vec<&str> = ids.map(|item| item["id"].as_str().unwrap()).collect();
    let shared = &ids[0]["resp_".len()..][..26];
    for (id, (prefix, len)) in ids.iter().zip([
        ("resp_", 55),
        ("rs_", 53),
        ("msg_", 54),
        ("fc_", 53),
        ("cmp_", 54),
    ]) {
        let hex = id.strip_prefix(prefix).unwrap();
        assert_eq!(id.len(), len, "{id}");
        assert!(hex.bytes().all(|b| b.is_ascii_hexdigit()), "{id}");
        assert_eq!(&hex[..26], shared, "{id}");
    }
    let call_id = output[2]["call_id"].as_str().unwrap();
    assert_eq!((call_id.len(), &call_id[..5]), (29, "call_"));
    assert_eq!(json_body(API, &turn(7)), json_body(API, &turn(7)));
    assert_ne!(json_body(API, &turn(7)), json_body(API, &turn(8)));
}
