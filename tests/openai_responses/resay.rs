//! Recorded traffic, which lies beside the repository and is never copied into it, is said again by turns: the same
//! events with the same members in the same order, and the same values but for those that are drawn.

use std::path::PathBuf;

use llm_wire_stub::*;
use serde_json::Value;

use crate::{API, bytes::events, post, recorded};

/// Captures that are said again.
const SAID_AGAIN: [&str; 4] = [
    "function-call-2026-08.sse",
    "phase-and-tools.sse",
    "response-function-call.json",
    "text-reasoning-2026-08.sse",
];

/// Captures that are not, and why.
const NOT_SAID_AGAIN: [(&str, &str); 12] = [
    ("azure-text.sse", "Azure's: it has `content_filters`"),
    ("background-queued.sse", "nothing runs in the background"),
    (
        "background-resume-starting-after.sse",
        "nothing runs in the background",
    ),
    (
        "deepseek-reasoning.sse",
        "DeepSeek's: it streams what was thought as text",
    ),
    ("error-400-context-length.json", "an error, of the table"),
    (
        "error-401.json",
        "an error, of the table but for the key that it shows",
    ),
    (
        "file-search.sse",
        "of 2025: its members stand in another order",
    ),
    (
        "function-call-2025-05.sse",
        "of 2025: its events have no number, and fewer members",
    ),
    (
        "incomplete-2025-07.sse",
        "of 2025: its members stand in another order",
    ),
    (
        "reasoning-summary.sse",
        "two summaries in one item, which a turn cannot say, and encrypted reasoning that was not asked for",
    ),
    (
        "tool-search.sse",
        "of the spring of 2026: it lacks `tool_usage`, and its call is in a namespace",
    ),
    (
        "web-search.sse",
        "of 2025: its members stand in another order",
    ),
];

/// Of other vendors.
const NOT_OPENAI: [&str; 2] = ["xai-error-400-auth.json", "xai-function-call.sse"];

/// What is drawn, and what the clock says.
const DRAWN: [&str; 6] = [
    "id",
    "item_id",
    "encrypted_content",
    "obfuscation",
    "created_at",
    "completed_at",
];

#[test]
fn every_capture_is_said_again_or_there_is_a_reason() {
    let mut known = SAID_AGAIN.to_vec();
    known.extend(NOT_SAID_AGAIN.iter().map(|(name, _)| *name));
    known.extend(NOT_OPENAI);
    known.sort_unstable();
    let all = ["sse", "json"].map(|ext| recorded::captures("openai-responses", "", ext));
    let mut all: Vec<String> = all.concat().into_iter().map(|(name, _)| name).collect();
    all.sort_unstable();
    if !all.is_empty() {
        assert_eq!(all, known);
    }
}

/// The body of the request behind a capture, as it was spelled.
fn request(name: &str) -> String {
    let captures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/captures");
    let meta = captures
        .join("openai-responses")
        .join(name.to_owned() + ".meta.json");
    let meta = std::fs::read_to_string(meta).unwrap();
    let (_, rest) = meta.split_once("\"request_body\": ").unwrap();
    rest.split_once(",\n \"status\"").unwrap().0.to_owned()
}

/// A turn that says these items; `pieces` are the fragments that belong to the item with this id.
fn turn(response: &Value, pieces: impl Fn(&str) -> Vec<String>) -> Turn {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let number = |pointer: &str| response.pointer(pointer).unwrap().as_u64().unwrap();
    let usage = Usage::input(number("/usage/input_tokens"))
        .output(number("/usage/output_tokens"))
        .thinking(number("/usage/output_tokens_details/reasoning_tokens"));
    let mut turn = Turn::new()
        .id(text(&response["id"]))
        .model(text(&response["model"]))
        .usage(usage);
    for item in response["output"].as_array().unwrap() {
        let pieces = pieces(item["id"].as_str().unwrap());
        turn = match item["type"].as_str().unwrap() {
            "reasoning" => turn.redacted_thinking_with_data(text(&item["encrypted_content"])),
            "message" => turn.text(text(&item["content"][0]["text"])),
            "function_call" => turn.tool_call_with_id(
                text(&item["call_id"]),
                text(&item["name"]),
                Arguments::raw(text(&item["arguments"])),
            ),
            other => panic!("{other}"),
        };
        if !pieces.is_empty() {
            turn = turn.fragments(Fragments::pieces(pieces));
        }
    }
    turn
}

/// The text with what is drawn as its length; an id with its prefix.
fn masked(text: &str) -> String {
    let mut text = text.to_owned();
    for name in DRAWN {
        let member = format!("\"{name}\":");
        let mut parts = text.split(&member);
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let part = part.trim_start();
            let len = match part.strip_prefix('"') {
                Some(rest) => rest.find('"').unwrap() + 2,
                None => part.find([',', '}']).unwrap(),
            };
            let (value, rest) = part.split_at(len);
            let prefix = value.split_once('_').map_or("", |(prefix, _)| prefix);
            let prefix = if prefix.len() < 8 { prefix } else { "" };
            // reasoning is encrypted to any length
            let len = if name == "encrypted_content" { 0 } else { len };
            out += &format!("{member}{prefix}…{len}{rest}");
        }
        text = out;
    }
    text
}

#[tokio::test]
async fn recorded_answers_are_said_again() {
    for name in SAID_AGAIN {
        for (_, body) in recorded::captures("openai-responses", name, "") {
            let recorded = String::from_utf8(body).unwrap();
            let turn = if name.ends_with(".json") {
                turn(&serde_json::from_str(&recorded).unwrap(), |_| Vec::new())
            } else {
                let events = events(recorded.as_bytes());
                let response = &events.last().unwrap()["response"];
                turn(response, |id| {
                    let of_item = events.iter().filter(|event| event["item_id"] == id);
                    let deltas = of_item.filter_map(|event| event["delta"].as_str());
                    deltas.map(str::to_owned).collect()
                })
            };
            let stub = WireStub::builder().turn(turn).start();
            let call = post::call(&stub).to("/v1/responses");
            let call = call.header("authorization", "Bearer k");
            let said = call.raw_body(request(name)).send().await;
            let said = String::from_utf8_lossy(&said.body).into_owned();
            let lines = |text: &str| -> Vec<String> { text.lines().map(masked).collect() };
            let (found, expected) = (lines(&said), lines(&recorded));
            for (n, (found, expected)) in found.iter().zip(&expected).enumerate() {
                assert_eq!(found, expected, "{name}, line {n}");
            }
            assert_eq!(found.len(), expected.len(), "{name}");
            assert_eq!(said.ends_with('\n'), recorded.ends_with('\n'), "{name}");
        }
    }
}

#[test]
fn recorded_errors_are_those_of_the_table() {
    for (_, body) in recorded::captures("openai-responses", "error-400-context-length.json", "") {
        assert_eq!(error_body(API, &ApiError::context_overflow()), body);
    }
    for (_, body) in recorded::captures("openai-responses", "error-401.json", "") {
        let said = error_body(API, &ApiError::authentication());
        let said = String::from_utf8_lossy(&said).replace("sk-wrong****-key", "invalid-key");
        assert_eq!(said, String::from_utf8(body).unwrap());
    }
}
