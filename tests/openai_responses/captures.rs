//! Recorded traffic, which lies beside the repository and is never copied into it, is accepted; and what is read from
//! it is what a naive reading of its JSON finds.

use llm_wire_stub::*;
use serde_json::Value;

use crate::{API, recorded};

fn captures(suffix: &str) -> Vec<(String, Vec<u8>)> {
    recorded::captures("openai-responses", "", suffix)
}

/// What a naive reading finds: text, thinking, calls (name, arguments), types of the items, the word for the end.
type Naive = (String, String, Vec<(String, Value)>, String);

/// Deltas joined, and calls as they are done.
fn naive(body: &[u8]) -> Naive {
    let mut found = Naive::default();
    let mut summaries = 0;
    for line in std::str::from_utf8(body).unwrap().lines() {
        let Some(data) = line.strip_prefix("data: ") else {
            continue;
        };
        let event: Value = serde_json::from_str(data).unwrap();
        let delta = event["delta"].as_str().unwrap_or_default();
        match event["type"].as_str().unwrap() {
            "response.output_text.delta" => found.0 += delta,
            "response.reasoning_summary_part.added" => {
                found.1 += if summaries > 0 { "\n\n" } else { "" };
                summaries += 1;
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                found.1 += delta;
            }
            "response.output_item.done" if event["item"]["type"] == "function_call" => {
                let item = &event["item"];
                let arguments = serde_json::from_str(item["arguments"].as_str().unwrap()).unwrap();
                found
                    .2
                    .push((item["name"].as_str().unwrap().to_owned(), arguments));
            }
            "response.completed" | "response.incomplete" => {
                event["response"]["status"]
                    .as_str()
                    .unwrap()
                    .clone_into(&mut found.3);
            }
            _ => {}
        }
    }
    found
}

fn read(reply: &Reply) -> Naive {
    let calls = reply.tool_calls();
    let calls = calls.map(|call| (call.name.clone(), call.arguments.clone()));
    let status = match reply.stop_reason {
        StopReason::EndTurn | StopReason::ToolUse => "completed",
        StopReason::MaxTokens => "incomplete",
        _ => panic!("{:?}", reply.stop_reason),
    };
    let status = status.to_owned();
    (reply.text(), reply.thinking(), calls.collect(), status)
}

/// Each part in a word.
fn shape(reply: &Reply) -> String {
    let words = reply.parts.iter().map(|part| match part {
        Part::Text(_) => "text".to_owned(),
        Part::CitedText { citations, .. } => format!("cited({})", citations.len()),
        Part::Thinking { signature, .. } if signature.is_empty() => "unsigned".to_owned(),
        Part::Thinking { .. } => "thinking".to_owned(),
        Part::RedactedThinking { .. } => "redacted".to_owned(),
        Part::ToolCall(call) => format!("call {}", call.name),
        Part::ServerToolCall(call) => format!("server {}", call.name),
        Part::ServerToolResult(result) => result.kind.clone(),
        Part::Unknown { block, deltas } => {
            format!("{}({})", block["type"].as_str().unwrap(), deltas.len())
        }
        other => panic!("{other:?}"),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Name; parts; tokens of input (from a cache, to a cache) and output (thought).
#[rustfmt::skip]
const STREAMS: &[(&str, &str, [u64; 5])] = &[
    ("azure-text.sse", "redacted, text", [18, 0, 0, 120, 64]),
    ("background-queued.sse", "text", [15, 0, 0, 9, 0]),
    ("background-resume-starting-after.sse", "text", [15, 0, 0, 9, 0]),
    ("deepseek-reasoning.sse", "unsigned, text", [95, 0, 0, 14, 12]),
    ("file-search.sse", "server file_search, file_search_call, cited(1)", [1177, 0, 0, 37, 0]),
    ("function-call-2025-05.sse", "call get_current_weather", [75, 0, 0, 23, 0]),
    ("function-call-2026-08.sse", "redacted, call weather", [87, 0, 0, 339, 256]),
    ("incomplete-2025-07.sse", "text", [0, 0, 0, 0, 0]),
    ("phase-and-tools.sse", "redacted, text, call get_capital", [63, 0, 0, 69, 26]),
    ("reasoning-summary.sse", "thinking, text", [36, 0, 0, 518, 448]),
    ("text-reasoning-2026-08.sse", "redacted, text", [13, 0, 0, 284, 256]),
    ("tool-search.sse", "tool_search_call(0), tool_search_output(0), call get_exchange_rate", [600, 0, 0, 47, 21]),
    ("web-search.sse", "redacted, server web_search, web_search_call, redacted, text", [1143, 8320, 0, 582, 512]),
    ("xai-function-call.sse", "thinking, call weather", [20, 320, 0, 105, 83]),
];

#[test]
fn every_recorded_stream_is_read_as_a_naive_reading_finds_it() {
    let streams = captures(".sse");
    if streams.is_empty() {
        return;
    }
    assert_eq!(streams.len(), STREAMS.len());
    for ((name, body), (known, parts, tokens)) in streams.iter().zip(STREAMS) {
        assert_eq!(name, known);
        let reply = accumulate(API, body).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(read(&reply), naive(body), "{name}");
        assert_eq!(shape(&reply), *parts, "{name}");
        let Usage {
            input_tokens,
            cache_read_tokens,
            cache_creation_tokens,
            output_tokens,
            thinking_tokens,
            ..
        } = reply.usage;
        let found = [
            input_tokens,
            cache_read_tokens,
            cache_creation_tokens,
            output_tokens,
            thinking_tokens.unwrap(),
        ];
        assert_eq!(found, *tokens, "{name}");
    }
}

#[test]
fn a_recorded_stream_without_its_end_or_without_one_of_its_events_is_refused() {
    // these say what other events say too, or what is nothing of the answer
    const SPARE: [&str; 6] = [
        "response.queued",
        "response.in_progress",
        "response.content_part.done",
        "response.reasoning_summary_part.done",
        "response.web_search_call",
        "response.file_search_call",
    ];
    for (name, body) in captures(".sse") {
        let body = std::str::from_utf8(&body).unwrap();
        let events: Vec<&str> = body.split_inclusive("\n\n").collect();
        for n in 0..events.len() {
            let mut left = events.clone();
            let lost = left.remove(n);
            let word = lost.lines().next().unwrap().trim_start_matches("event: ");
            let numbered = lost.contains("\"sequence_number\":");
            // what is left is a stream that goes on
            let first = n == 0 && numbered;
            let spare = SPARE.iter().any(|spare| word.starts_with(spare));
            let read = accumulate(API, left.concat().as_bytes());
            let may = first || (spare && !numbered);
            assert_eq!(read.is_ok(), may, "{name}: {n} {word}: {read:?}");
        }
    }
}

#[test]
fn the_recorded_body_is_read_and_recorded_errors_are_the_providers() {
    let errors = [
        ("error-400-context-length.json", "invalid_request_error"),
        ("error-401.json", "invalid_request_error"),
        ("xai-error-400-auth.json", "invalid-argument"),
    ];
    for (name, body) in captures(".json") {
        match accumulate_json(API, &body) {
            Ok(reply) => {
                assert_eq!(name, "response-function-call.json");
                assert_eq!(shape(&reply), "redacted, call weather");
                assert_eq!(reply.stop_reason, StopReason::ToolUse);
            }
            Err(error) => {
                let known = errors.iter().find(|(known, _)| *known == name);
                let expected = known.unwrap_or_else(|| panic!("{name}: {error}")).1;
                let AccumulateErrorKind::Provider { error_type, .. } = error.kind() else {
                    panic!("{name}: {error}");
                };
                assert_eq!(error_type, expected, "{name}");
            }
        }
    }
}
