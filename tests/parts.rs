//! Every part of a turn in places, cuts and damaged streams: what thinking, citations, server tools and raw blocks
//! are to `After`, and that a stream that lacks one of their events is never taken for the whole.
#![cfg(feature = "server")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test may panic"
)]

#[path = "support/post.rs"]
mod post;

use llm_wire_stub::*;
use post::call;
use serde_json::json;

const API: Api = Api::AnthropicMessages;

/// One turn for each part, and what of it counts as a delta.
fn turns() -> Vec<(Turn, &'static [&'static str])> {
    let raw_delta = Json::raw(r#"{"type":"text_delta","text":"one two"}"#);
    let turns: [(Turn, &[&str]); 10] = [
        (Turn::new().text("one two"), &["one", " two"]),
        (
            Turn::new().thinking("Hm, so").empty_last_delta(),
            &["Hm,", " so"],
        ),
        (Turn::new().thinking(""), &[]),
        (Turn::new().redacted_thinking(), &[]),
        (
            Turn::new().cited_text("one two", [Citation::pages("One.", 1..2)]),
            &["one", " two"],
        ),
        (
            Turn::new()
                .tool_call("f", Arguments::raw("{\"a\": 1}"))
                .fragments(Fragments::size(4)),
            &["{\\\"a\\\"", ": 1}"],
        ),
        (
            Turn::new()
                .server_tool(ServerTool::mcp("s", "f", Arguments::raw("{\"a\": 1}"), "x"))
                .fragments(Fragments::size(4)),
            &["{\\\"a\\\"", ": 1}"],
        ),
        (Turn::new().compaction("They met."), &[]),
        (
            Turn::new()
                .raw_block(Json::raw(r#"{"type":"text","text":""}"#))
                .raw_delta(raw_delta),
            &["one two"],
        ),
        (
            Turn::new()
                .raw_block(json!({"type": "x"}))
                .raw_delta(json!({"type": "x_delta"})),
            &[],
        ),
    ];
    let usage = || Usage::input(1).output(1);
    let plain = |(turn, deltas): (Turn, _)| (turn.usage(usage()).model("m").plain(), deltas);
    turns.into_iter().map(plain).collect()
}

fn stream(turn: &Turn) -> String {
    String::from_utf8(sse_body(API, turn).to_vec()).unwrap()
}

/// The events of a stream, each with its blank line.
fn events(turn: &Turn) -> Vec<String> {
    let stream = stream(turn);
    stream.split_inclusive("\n\n").map(str::to_owned).collect()
}

#[test]
fn fragments_of_every_kind_are_deltas_and_nothing_else_is() {
    for (turn, deltas) in turns() {
        for (n, delta) in deltas.iter().enumerate() {
            let cut = stream(&turn.clone().end(After::deltas(n + 1), Ending::CleanEof));
            assert!(cut.ends_with(&format!("\"{delta}\"}}}}\n\n")), "{n}: {cut}");
        }
        let beyond = turn.end(After::deltas(deltas.len() + 1), Ending::CleanEof);
        let error = try_sse_body(API, &beyond).unwrap_err().to_string();
        let count = match deltas.len() {
            1 => "1 delta,".to_owned(),
            n => format!("{n} deltas,"),
        };
        assert!(error.contains(&count), "{error}");
    }
}

#[test]
fn a_server_tool_is_two_parts_and_every_other_part_is_one() {
    for (turn, _) in turns() {
        let blocks = stream(&turn).matches("event: content_block_stop").count();
        assert_eq!(turn.normalized(API).unwrap().parts.len(), blocks);
        for n in 1..=blocks {
            let cut = stream(&turn.clone().end(After::parts(n), Ending::CleanEof));
            let stop = format!(
                "{{\"type\":\"content_block_stop\",\"index\":{}}}\n\n",
                n - 1
            );
            assert!(cut.ends_with(&stop), "{n}: {cut}");
        }
        let beyond = turn.end(After::parts(blocks + 1), Ending::CleanEof);
        assert!(try_sse_body(API, &beyond).is_err());
    }
}

#[test]
fn an_event_that_is_missing_or_comes_twice_is_never_taken_for_the_whole() {
    for (turn, _) in turns() {
        let whole = turn.normalized(API).unwrap();
        let events = events(&turn);
        for at in 0..events.len() {
            let mut missing = events.clone();
            let event = missing.remove(at);
            // it says nothing: that thinking ends with it, or that arguments begin, is noise
            let says_nothing =
                event.contains("\"thinking\":\"\"}}") || event.contains("_json\":\"\"}}");
            let read = accumulate(API, missing.concat().as_bytes());
            assert_eq!(read == Ok(whole.clone()), says_nothing, "without {event}");

            let mut twice = events.clone();
            twice.insert(at, event.clone());
            let read = accumulate(API, twice.concat().as_bytes());
            // a second message_delta renews the counters
            let renewed = event.contains("\"message_delta\"");
            assert_eq!(
                read == Ok(whole.clone()),
                says_nothing || renewed,
                "twice {event}"
            );
        }
    }
}

#[test]
fn a_stream_cut_at_any_event_is_truncated_and_keeps_what_came() {
    for (turn, _) in turns() {
        let events = events(&turn);
        for n in 0..events.len() {
            let error = accumulate(API, events[..n].concat().as_bytes()).unwrap_err();
            assert_eq!(error.kind(), &AccumulateErrorKind::Truncated);
            let started = events[..n]
                .iter()
                .filter(|event| event.contains("_block_start"));
            assert_eq!(error.partial().len(), started.count(), "{n} events");
        }
    }
    let thinking = Turn::new().thinking("Hm, so").plain();
    let cut = thinking.end(After::deltas(1), Ending::CleanEof);
    let error = accumulate(API, &sse_body(API, &cut)).unwrap_err();
    assert_eq!(error.partial()[0].as_thinking(), Some("Hm,"));
    assert_eq!(
        error.expected(),
        "content_block_delta or content_block_stop of block 0"
    );
}

#[test]
fn a_reply_has_its_text_its_thinking_and_its_calls_apart() {
    let turn = Turn::new()
        .thinking("First. ")
        .text("a")
        .server_tool(ServerTool::bash("date", "Wed\n"))
        .cited_text("b", [])
        .redacted_thinking()
        .tool_call("f", json!({"n": 1}))
        .caller(json!({"type": "code_execution_20250825", "tool_id": "t"}))
        .thinking("Then.");
    let reply = accumulate(API, &sse_body(API, &turn)).unwrap();
    assert_eq!(reply.text(), "ab");
    assert_eq!(reply.thinking(), "First. Then.");
    let calls: Vec<_> = reply.tool_calls().map(|call| call.name.as_str()).collect();
    assert_eq!(calls, ["f"]);
    assert_eq!(
        reply.tool_calls().next().unwrap().caller,
        Some(json!({"type": "code_execution_20250825", "tool_id": "t"}))
    );
    assert_eq!(reply.stop_reason, StopReason::ToolUse);
    assert!(reply.usage.thinking_tokens.unwrap() > 0);
    assert!(reply.usage.thinking_tokens.unwrap() < reply.usage.output_tokens);
    assert_eq!(
        (
            reply.usage.web_search_requests,
            reply.usage.web_fetch_requests
        ),
        (Some(0), Some(0))
    );
}

#[test]
fn naming_one_value_leaves_the_others_as_they_were() {
    let ids = |turn: Turn| {
        let mut ids = Vec::new();
        for part in turn.normalized(API).unwrap().parts {
            match part {
                Part::ToolCall(call) => ids.push(call.id),
                Part::ServerToolCall(call) => ids.push(call.id),
                Part::Thinking { signature, .. } => ids.push(signature),
                Part::RedactedThinking { data } => ids.push(data),
                _ => {}
            }
        }
        ids
    };
    let bash = || ServerTool::bash("date", "");
    let made = ids(Turn::new()
        .thinking("a")
        .redacted_thinking()
        .tool_call("f", json!({}))
        .server_tool(bash())
        .thinking("b")
        .redacted_thinking()
        .tool_call("g", json!({}))
        .server_tool(bash()));
    let named = ids(Turn::new()
        .thinking_with_signature("a", "1")
        .redacted_thinking_with_data("2")
        .tool_call_with_id("3", "f", json!({}))
        .server_tool(bash().id("4"))
        .thinking("b")
        .redacted_thinking()
        .tool_call("g", json!({}))
        .server_tool(bash()));
    assert_eq!(named[..4], ["1", "2", "3", "4"]);
    assert_eq!(named[4..], made[4..]);
    let all: std::collections::BTreeSet<_> = made.iter().collect();
    assert_eq!(all.len(), made.len());
}

#[tokio::test]
async fn the_era_of_a_stub_is_that_of_its_answers_unless_a_turn_has_its_own() {
    let stub = WireStub::builder()
        .era(Era::of(2024, 6))
        .turn("old")
        .turn(Turn::new().text("new").era(Era::of(2026, 8)))
        .turn(ApiError::overloaded())
        .without_verify_on_drop()
        .start();
    let mut bodies = Vec::new();
    for _ in 0..4 {
        let answered = call(&stub).send().await;
        bodies.push(String::from_utf8(answered.body.to_vec()).unwrap());
    }
    let usage = |body: &str| {
        body.split_once("\"usage\":")
            .map(|(_, usage)| usage.to_owned())
    };
    assert_eq!(
        usage(&bodies[0]).unwrap(),
        r#"{"input_tokens":10,"output_tokens":1}}"#
    );
    assert!(
        usage(&bodies[1])
            .unwrap()
            .ends_with("\"inference_geo\":\"not_available\"}}")
    );
    assert_eq!(
        bodies[2],
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#
    );
    // the stub's own refusal, of a call that has no turn, is as old
    assert!(!bodies[3].contains("request_id"), "{}", bodies[3]);
}

#[tokio::test]
async fn parts_are_played_through_the_socket_in_both_forms() {
    let said = Turn::new()
        .thinking("Hm, so")
        .cited_text("one two", [Citation::pages("One.", 1..2)])
        .server_tool(ServerTool::web_search("x", [("X", "https://x.example")]))
        .compaction("They met.")
        .tool_call("f", json!({"a": 1}))
        .seed(3)
        .allow_script_drift();
    let stub = WireStub::builder()
        .turns([said.clone(), said.clone()])
        .start();
    let streamed = call(&stub).streamed().send().await;
    let whole = call(&stub).send().await;
    // the model is the one that was asked for
    let expected = said.model("m").normalized(API).unwrap();
    assert_eq!(accumulate(API, &streamed.body).unwrap(), expected);
    assert_eq!(accumulate_json(API, &whole.body).unwrap(), expected);
    stub.verify();
}
