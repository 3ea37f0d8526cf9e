//! Recorded traffic of OpenAI, which lies beside the repository and is never copied into it, is accepted; and what
//! is read from it is what a naive reading of its JSON finds.

#[path = "../support/captures.rs"]
mod recorded;

use llm_wire_stub::*;
use serde_json::Value;

use crate::API;

/// Name and bytes of the captures with this beginning and end, in order; none where there are no captures.
pub(crate) fn captures(prefix: &str, suffix: &str) -> Vec<(String, Vec<u8>)> {
    recorded::captures("openai-chat", prefix, suffix)
}

/// Text, calls (name, arguments) and stop reason of each choice, as a naive reading finds them.
type Naive<A = Value> = Vec<(String, Vec<(String, A)>, String)>;

fn naive(body: &[u8]) -> Naive {
    let mut choices: Naive<String> = Vec::new();
    for line in std::str::from_utf8(body).unwrap().lines() {
        let data = line.strip_prefix("data: ").unwrap_or("[DONE]");
        let chunk: Value = serde_json::from_str(data).unwrap_or_default();
        for choice in chunk["choices"].as_array().into_iter().flatten() {
            let index = usize::try_from(choice["index"].as_u64().unwrap()).unwrap();
            if index == choices.len() {
                choices.push(Default::default());
            }
            let (text, calls, reason) = &mut choices[index];
            let delta = &choice["delta"];
            text.push_str(delta["content"].as_str().unwrap_or_default());
            reason.push_str(choice["finish_reason"].as_str().unwrap_or_default());
            for call in delta["tool_calls"].as_array().into_iter().flatten() {
                let at = usize::try_from(call["index"].as_u64().unwrap()).unwrap();
                if at == calls.len() {
                    calls.push(Default::default());
                }
                let said = |name: &str| call["function"][name].as_str().unwrap_or_default();
                calls[at].0.push_str(said("name"));
                calls[at].1.push_str(said("arguments"));
            }
        }
    }
    let parsed = |(name, text): (String, String)| (name, serde_json::from_str(&text).unwrap());
    choices
        .into_iter()
        .map(|(text, calls, reason)| (text, calls.into_iter().map(parsed).collect(), reason))
        .collect()
}

fn read(reply: &Reply) -> Naive {
    let first = (&reply.parts, &reply.stop_reason);
    let others = reply.other_choices.iter();
    let choices = std::iter::once(first).chain(others.map(|c| (&c.parts, &c.stop_reason)));
    choices
        .map(|(parts, reason)| {
            let text = parts.iter().filter_map(Part::as_text).collect();
            let calls = parts.iter().filter_map(Part::as_tool_call);
            let calls = calls.map(|call| (call.name.clone(), call.arguments.clone()));
            let word = match reason {
                StopReason::EndTurn => "stop",
                StopReason::ToolUse => "tool_calls",
                StopReason::MaxTokens => "length",
                other => panic!("{other:?}"),
            };
            (text, calls.collect(), word.to_owned())
        })
        .collect()
}

#[test]
fn every_recorded_stream_is_read_as_a_naive_reading_finds_it() {
    for (name, body) in captures("openai-", ".sse") {
        match accumulate(API, &body) {
            Ok(reply) => assert_eq!(read(&reply), naive(&body), "{name}"),
            Err(error) => panic!("{name}: {error}"),
        }
    }
}

#[test]
fn the_recorded_body_is_read_and_recorded_errors_are_the_providers() {
    for (name, body) in captures("openai-", ".json") {
        match accumulate_json(API, &body) {
            Ok(reply) => {
                assert_eq!(name, "openai-completion-tool.json");
                assert_eq!(reply.tool_calls().count(), 1);
                assert_eq!(
                    (reply.usage.input_tokens, reply.usage.output_tokens),
                    (67, 18)
                );
            }
            Err(error) => {
                assert!(name.starts_with("openai-error-"), "{name}: {error}");
                let kind = error.kind();
                assert!(
                    matches!(kind, AccumulateErrorKind::Provider { error_type, .. } if error_type == "invalid_request_error"),
                    "{name}: {kind:?}"
                );
            }
        }
    }
}
