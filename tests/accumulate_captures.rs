//! Recorded traffic, which lies beside the repository and is never copied into it, is accepted; and what
//! is read from it is what a naive reading of its JSON finds.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]

#[path = "support/captures.rs"]
mod captures;

use llm_wire_stub::{
    AccumulateErrorKind, Accumulator, Api, Citation, CitedSource, Container, Json, Part, Reply,
    SseDecoder, StopReason, Usage, accumulate, accumulate_json,
};
use serde_json::{Map, Value, json};

const API: Api = Api::AnthropicMessages;

/// Name and bytes of the captures with this beginning and end, in order; none where there are no captures.
fn captures(prefix: &str, suffix: &str) -> Vec<(String, Vec<u8>)> {
    captures::captures("anthropic", prefix, suffix)
}

/// What a naive reading finds.
#[derive(Debug, Default, PartialEq)]
struct Naive {
    id: Value,
    model: Value,
    stop_reason: Value,
    stop_details: Value,
    container: Value,
    context_management: Value,
    service_tier: Value,
    inference_geo: Value,
    /// As they would stand in a body, without `caller`.
    blocks: Vec<Value>,
    /// The last value of each member.
    usage: Map<String, Value>,
}

impl Naive {
    fn of_reply(reply: &Reply) -> Self {
        let or_null = |json: Option<&Json>| json.map_or(Value::Null, Json::to_value);
        let container =
            |container: &Container| json!({"id": container.id, "expires_at": container.expires_at});
        Self {
            id: json!(reply.id),
            model: json!(reply.model),
            stop_reason: json!(word(&reply.stop_reason)),
            stop_details: json!(
                reply
                    .stop_details
                    .as_ref()
                    .map(|details| format!("{details:?}"))
            ),
            container: reply.container.as_ref().map_or(Value::Null, container),
            context_management: or_null(reply.context_management.as_ref()),
            service_tier: json!(reply.service_tier),
            inference_geo: json!(reply.inference_geo),
            blocks: reply.parts.iter().map(block).collect(),
            usage: usage(&reply.usage),
        }
    }

    /// One block after the other, as the recorded streams have them.
    fn of_stream(body: &[u8]) -> Self {
        let mut naive = Self::default();
        let mut input = String::new();
        for line in std::str::from_utf8(body).unwrap().lines() {
            let Some(data) = line.strip_prefix("data: ") else {
                continue;
            };
            let data: Value = serde_json::from_str(data).unwrap();
            let delta = &data["delta"];
            let block = naive.blocks.last_mut();
            match data["type"].as_str().unwrap() {
                "message_start" => naive.envelope(&data["message"]),
                "content_block_start" => {
                    input.clear();
                    naive.blocks.push(data["content_block"].clone());
                }
                "content_block_delta" => {
                    let block = block.unwrap();
                    for name in ["text", "thinking", "signature", "content"] {
                        if let Some(more) = delta[name].as_str() {
                            let so_far = block[name].as_str().unwrap_or_default();
                            block[name] = json!(format!("{so_far}{more}"));
                        }
                    }
                    if let Some(citation) = delta.get("citation") {
                        block["citations"]
                            .as_array_mut()
                            .unwrap()
                            .push(citation.clone());
                    }
                    input += delta["partial_json"].as_str().unwrap_or_default();
                }
                "content_block_stop" if !input.is_empty() => {
                    block.unwrap()["input"] = serde_json::from_str(&input).unwrap();
                }
                "message_delta" => {
                    naive.stop(delta);
                    naive.count(&data["usage"]);
                    naive.context_management = data["context_management"].clone();
                }
                _ => {}
            }
        }
        naive.without_callers()
    }

    fn of_body(body: &[u8]) -> Self {
        let body: Value = serde_json::from_slice(body).unwrap();
        let mut naive = Self {
            blocks: body["content"].as_array().unwrap().clone(),
            context_management: body["context_management"].clone(),
            ..Self::default()
        };
        naive.envelope(&body);
        naive.stop(&body);
        naive.without_callers()
    }

    fn envelope(&mut self, message: &Value) {
        self.id = message["id"].clone();
        self.model = message["model"].clone();
        self.service_tier = message["usage"]["service_tier"].clone();
        self.inference_geo = message["usage"]["inference_geo"].clone();
        self.count(&message["usage"]);
    }

    fn stop(&mut self, stop: &Value) {
        self.stop_reason = stop["stop_reason"].clone();
        self.stop_details = stop["stop_details"].clone();
        self.container = stop["container"].clone();
    }

    fn count(&mut self, usage: &Value) {
        for (name, value) in usage.as_object().unwrap() {
            if !matches!(name.as_str(), "service_tier" | "inference_geo") {
                self.usage.insert(name.clone(), value.clone());
            }
        }
    }

    fn without_callers(mut self) -> Self {
        for block in &mut self.blocks {
            let caller = block.as_object_mut().unwrap().remove("caller");
            assert_eq!(caller.unwrap_or_else(direct), direct());
        }
        self
    }
}

fn direct() -> Value {
    json!({"type": "direct"})
}

/// The block that a part was.
fn block(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::CitedText { text, citations } => {
            let citations: Vec<_> = citations.iter().map(citation).collect();
            json!({"type": "text", "text": text, "citations": citations})
        }
        Part::Thinking { text, signature } => {
            json!({"type": "thinking", "thinking": text, "signature": signature})
        }
        Part::RedactedThinking { data } => json!({"type": "redacted_thinking", "data": data}),
        Part::ToolCall(call) => {
            json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments})
        }
        Part::ServerToolCall(call) => match &call.server {
            None => json!({
                "type": "server_tool_use", "id": call.id, "name": call.name, "input": call.arguments
            }),
            Some(server) => json!({
                "type": "mcp_tool_use", "id": call.id, "name": call.name, "input": call.arguments,
                "server_name": server
            }),
        },
        Part::ServerToolResult(result) => {
            let mut block = json!({
                "type": result.kind, "tool_use_id": result.call_id, "content": result.content
            });
            if result.kind == "mcp_tool_result" {
                block["is_error"] = json!(result.is_error);
            }
            block
        }
        Part::Compaction {
            content,
            encrypted_content: None,
        } => json!({"type": "compaction", "content": content}),
        _ => panic!("a part this test has no word for: {part:?}"),
    }
}

fn citation(citation: &Citation) -> Value {
    match &citation.source {
        CitedSource::Characters {
            document,
            characters,
        } => json!({
            "type": "char_location", "cited_text": citation.cited_text, "document_index": document,
            "document_title": citation.title, "start_char_index": characters.start,
            "end_char_index": characters.end
        }),
        CitedSource::WebSearchResult {
            url,
            encrypted_index,
        } => json!({
            "type": "web_search_result_location", "cited_text": citation.cited_text, "url": url,
            "title": citation.title, "encrypted_index": encrypted_index
        }),
        other => panic!("a citation this test has no word for: {other:?}"),
    }
}

/// The members of a usage that were recorded; those that are zero where an era has none are left out below.
fn usage(usage: &Usage) -> Map<String, Value> {
    let counters = |usage: &Usage| {
        let hour = usage.cache_creation_1h_tokens;
        json!({
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cache_read_input_tokens": usage.cache_read_tokens,
            "cache_creation_input_tokens": usage.cache_creation_tokens,
            "cache_creation": {
                "ephemeral_5m_input_tokens": usage.cache_creation_tokens - hour,
                "ephemeral_1h_input_tokens": hour,
            },
        })
    };
    let mut members = counters(usage);
    if let Some(tokens) = usage.thinking_tokens {
        members["output_tokens_details"] = json!({"thinking_tokens": tokens});
    }
    if let Some(searches) = usage.web_search_requests {
        members["server_tool_use"] = json!({"web_search_requests": searches});
    }
    if let Some(fetches) = usage.web_fetch_requests {
        members["server_tool_use"]["web_fetch_requests"] = json!(fetches);
    }
    let passes = usage.iterations.iter().map(|pass| {
        let mut members = counters(&pass.usage);
        members["type"] = json!(pass.kind);
        members
    });
    let passes: Vec<_> = passes.collect();
    if !passes.is_empty() {
        members["iterations"] = json!(passes);
    }
    members.as_object().unwrap().clone()
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
        let mut found = Naive::of_reply(&reply);
        if name == "text-2024-06.sse" {
            // it has no counters of a cache, which are read as zero
            found
                .usage
                .retain(|member, _| !member.starts_with("cache_"));
        }
        assert_eq!(found, Naive::of_stream(&body), "{name}");
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
