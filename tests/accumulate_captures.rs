//! Recorded traffic, which lies beside the repository and is never copied into it, is accepted; and what
//! is read from it is what a naive reading of its JSON finds.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]

use std::{fs, path::PathBuf};

use llm_wire_stub::{
    AccumulateErrorKind, Accumulator, Api, Part, Reply, SseDecoder, StopReason, Usage, accumulate,
    accumulate_json,
};
use serde_json::{Value, json};

const API: Api = Api::AnthropicMessages;

/// Name and bytes of the captures with this beginning and end, in order; none where there are no captures.
#[expect(
    clippy::print_stderr,
    reason = "a test that has nothing to look at must say so"
)]
fn captures(prefix: &str, suffix: &str) -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/captures/anthropic");
    let Ok(entries) = fs::read_dir(&folder) else {
        eprintln!(
            "NO CAPTURES, NOTHING TESTED: there is no {}",
            folder.display()
        );
        return Vec::new();
    };
    let mut files: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), path))
        .filter(|(name, _)| name.starts_with(prefix) && name.ends_with(suffix))
        .filter(|(name, _)| !name.ends_with(".meta.json"))
        .map(|(name, path)| (name, fs::read(path).unwrap()))
        .collect();
    assert!(
        !files.is_empty(),
        "no {prefix}*{suffix} in {}",
        folder.display()
    );
    files.sort();
    files
}

/// What a naive reading finds.
#[derive(Debug, Default, PartialEq)]
struct Naive {
    id: Value,
    model: Value,
    stop_reason: Value,
    /// Text, and what was thought and encrypted.
    texts: Vec<String>,
    /// Thinking and its signature.
    thoughts: Vec<(String, String)>,
    /// Id, name and arguments of each call.
    calls: Vec<(Value, Value, Value)>,
    /// Blocks of other types, in order.
    others: Vec<String>,
    deltas_of_others: usize,
    citations: usize,
    output_tokens: Value,
    input_tokens: Value,
}

impl Naive {
    fn of_reply(reply: &Reply) -> Self {
        let mut naive = Self {
            id: json!(reply.id),
            model: json!(reply.model),
            stop_reason: json!(word(&reply.stop_reason)),
            output_tokens: json!(reply.usage.output_tokens),
            input_tokens: json!(reply.usage.input_tokens),
            ..Self::default()
        };
        for part in &reply.parts {
            match part {
                Part::Text(text) => naive.texts.push(text.clone()),
                Part::Thinking { text, signature } => {
                    naive.thoughts.push((text.clone(), signature.clone()));
                }
                Part::RedactedThinking { data } => naive.texts.push(data.clone()),
                Part::ToolCall(call) => {
                    let (id, name) = (json!(call.id), json!(call.name));
                    naive.calls.push((id, name, call.arguments.clone()));
                }
                Part::Unknown { block, deltas } if block["type"] == "text" => {
                    naive.citations += deltas.len();
                }
                Part::Unknown { block, deltas } => {
                    naive
                        .others
                        .push(block["type"].as_str().unwrap().to_owned());
                    naive.deltas_of_others += deltas.len();
                }
                _ => panic!("a part this test has no word for: {part:?}"),
            }
        }
        naive
    }

    /// One block after the other, as the recorded streams have them.
    fn of_stream(body: &[u8]) -> Self {
        let mut naive = Self::default();
        let mut block = Value::Null;
        let mut input = String::new();
        for line in std::str::from_utf8(body).unwrap().lines() {
            let Some(data) = line.strip_prefix("data: ") else {
                continue;
            };
            let data: Value = serde_json::from_str(data).unwrap();
            let delta = &data["delta"];
            match data["type"].as_str().unwrap() {
                "message_start" => {
                    naive.id = data["message"]["id"].clone();
                    naive.model = data["message"]["model"].clone();
                    naive.count(&data["message"]["usage"]);
                }
                "content_block_start" => {
                    block = data["content_block"].clone();
                    input.clear();
                    naive.start(&block);
                }
                "content_block_delta" => match block["type"].as_str().unwrap() {
                    "text" if delta["type"] == "citations_delta" => naive.citations += 1,
                    "text" => {
                        let text = naive.texts.last_mut().unwrap();
                        text.push_str(delta["text"].as_str().unwrap());
                    }
                    "thinking" => {
                        let (text, signature) = naive.thoughts.last_mut().unwrap();
                        text.push_str(delta["thinking"].as_str().unwrap_or_default());
                        signature.push_str(delta["signature"].as_str().unwrap_or_default());
                    }
                    "tool_use" => input.push_str(delta["partial_json"].as_str().unwrap()),
                    _ => naive.deltas_of_others += 1,
                },
                "content_block_stop" if block["type"] == "tool_use" && !input.is_empty() => {
                    naive.calls.last_mut().unwrap().2 = serde_json::from_str(&input).unwrap();
                }
                "message_delta" => {
                    naive.stop_reason = delta["stop_reason"].clone();
                    naive.count(&data["usage"]);
                }
                _ => {}
            }
        }
        naive
    }

    fn of_body(body: &[u8]) -> Self {
        let body: Value = serde_json::from_slice(body).unwrap();
        let mut naive = Self {
            id: body["id"].clone(),
            model: body["model"].clone(),
            stop_reason: body["stop_reason"].clone(),
            ..Self::default()
        };
        naive.count(&body["usage"]);
        for block in body["content"].as_array().unwrap() {
            naive.start(block);
        }
        naive
    }

    fn start(&mut self, block: &Value) {
        match block["type"].as_str().unwrap() {
            "text" => self.texts.push(block["text"].as_str().unwrap().to_owned()),
            "tool_use" => self.calls.push((
                block["id"].clone(),
                block["name"].clone(),
                block["input"].clone(),
            )),
            "thinking" => self.thoughts.push((
                block["thinking"].as_str().unwrap().to_owned(),
                block["signature"].as_str().unwrap().to_owned(),
            )),
            "redacted_thinking" => self.texts.push(block["data"].as_str().unwrap().to_owned()),
            other => self.others.push(other.to_owned()),
        }
    }

    fn count(&mut self, usage: &Value) {
        for (name, counter) in [
            ("output_tokens", &mut self.output_tokens),
            ("input_tokens", &mut self.input_tokens),
        ] {
            if let Some(tokens) = usage.get(name) {
                *counter = tokens.clone();
            }
        }
    }
}

/// The service's word, for the reasons that were recorded.
fn word(reason: &StopReason) -> &str {
    [
        (StopReason::EndTurn, "end_turn"),
        (StopReason::ToolUse, "tool_use"),
        (StopReason::MaxTokens, "max_tokens"),
        (StopReason::PauseTurn, "pause_turn"),
    ]
    .into_iter()
    .find_map(|(known, word)| (known == *reason).then_some(word))
    .unwrap_or_else(|| panic!("a reason this test has no word for: {reason:?}"))
}

#[test]
fn recorded_streams_are_accepted_and_read_as_a_naive_reader_reads_them() {
    for (name, body) in captures("", ".sse") {
        let reply = accumulate(API, &body).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(Naive::of_reply(&reply), Naive::of_stream(&body), "{name}");
        for size in [1, 7] {
            assert_eq!(in_pieces(&body, size), reply, "{name} in pieces of {size}");
        }
    }
}

fn in_pieces(body: &[u8], size: usize) -> Reply {
    let mut decoder = SseDecoder::new();
    let mut accumulator = Accumulator::new(API);
    for piece in body.chunks(size) {
        decoder.push(piece).unwrap();
        while let Some(event) = decoder.next_event() {
            accumulator.push(&event).unwrap();
        }
    }
    decoder.finish().unwrap();
    accumulator.finish().unwrap()
}

#[test]
fn recorded_streams_cut_at_any_event_are_refused() {
    for (name, body) in captures("", ".sse") {
        let text = std::str::from_utf8(&body).unwrap();
        for (at, _) in text.match_indices("event: ") {
            let error = accumulate(API, &body[..at]).unwrap_err();
            assert_eq!(
                error.kind(),
                &AccumulateErrorKind::Truncated,
                "{name} at {at}"
            );
        }
    }
}

#[test]
fn recorded_bodies_are_accepted_and_read_as_a_naive_reader_reads_them() {
    for (name, body) in captures("message-", ".json") {
        let reply = accumulate_json(API, &body).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(Naive::of_reply(&reply), Naive::of_body(&body), "{name}");
        assert_ne!(reply.usage, Usage::default(), "{name}");
    }
}

#[test]
fn recorded_errors_are_the_errors_of_the_provider() {
    for (name, body) in captures("error-", ".json") {
        let error = accumulate_json(API, &body).unwrap_err();
        let json: Value = serde_json::from_slice(&body).unwrap();
        let AccumulateErrorKind::Provider {
            error_type,
            message,
        } = error.kind()
        else {
            panic!("{name}: {error}");
        };
        assert_eq!(json["error"]["type"], *error_type, "{name}");
        assert_eq!(json["error"]["message"], *message, "{name}");
    }
}
