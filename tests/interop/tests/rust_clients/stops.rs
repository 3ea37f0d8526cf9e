//! Why an answer ends, in each client's words; a refusal.

use llm_wire_stub::{StopReason, Turn};
use serde_json::json;

use crate::{
    answers::ask,
    client::{Client, Form, Library, Seen, Wire},
    topics, turns,
};

for_each_client!(every_stop_reason_has_its_word);
for_each_client!(on (Chat Responses): a_refusal_is_no_answer);

/// A turn for every stop reason that the API can say, with the service's word for it.
fn stops(wire: Wire) -> Vec<(&'static str, Turn)> {
    let mut stops = turns::stops();
    if wire != Wire::Anthropic {
        let filtered = Turn::new()
            .text("so far")
            .stop_reason(StopReason::ContentFilter);
        stops.push(("content_filter", filtered));
    }
    // a refusal has a claim of its own where it has words of its own
    stops.retain(|(reason, turn)| {
        wire.reply(turn).is_some() && (wire == Wire::Anthropic || *reason != "refusal")
    });
    stops
}

/// The service's reasons, and the client's words for them.
type Words = &'static [(&'static str, &'static str)];

fn words(client: Client) -> Words {
    match client.wire {
        Wire::Anthropic => words_on_anthropic(client.library),
        Wire::Chat => words_on_chat(client.library),
        Wire::Responses => words_on_responses(client.library),
    }
}

fn words_on_anthropic(library: Library) -> Words {
    match library {
        // `pause_turn` asks for the turn to be sent again; here it is told apart from a finished answer by
        // `CompletionResponse::raw` only
        Library::Rig => &[
            ("end_turn", "Stop"),
            ("max_tokens", "Length"),
            ("stop_sequence", "Stop"),
            ("tool_use", "ToolCalls"),
            ("pause_turn", "Stop"),
            ("refusal", "ContentFilter"),
            ("model_context_window_exceeded", "Length"),
            ("compaction", "Other(\"compaction\")"),
            ("a_reason_of_tomorrow", "Other(\"a_reason_of_tomorrow\")"),
        ],
        Library::Genai => &[
            ("end_turn", "Completed(\"end_turn\")"),
            ("max_tokens", "MaxTokens(\"max_tokens\")"),
            ("stop_sequence", "StopSequence(\"stop_sequence\")"),
            ("tool_use", "ToolCall(\"tool_use\")"),
            ("pause_turn", "Other(\"pause_turn\")"),
            ("refusal", "ContentFilter(\"refusal\")"),
            (
                "model_context_window_exceeded",
                "MaxTokens(\"model_context_window_exceeded\")",
            ),
            ("compaction", "Other(\"compaction\")"),
            ("a_reason_of_tomorrow", "Other(\"a_reason_of_tomorrow\")"),
        ],
        Library::AsyncAnthropic => &[
            ("end_turn", "end_turn"),
            ("max_tokens", "max_tokens"),
            ("stop_sequence", "stop_sequence"),
            ("tool_use", "tool_use"),
            ("pause_turn", "pause_turn"),
            ("refusal", "refusal"),
            (
                "model_context_window_exceeded",
                "model_context_window_exceeded",
            ),
            ("compaction", "compaction"),
            ("a_reason_of_tomorrow", "a_reason_of_tomorrow"),
        ],
        Library::AsyncOpenai => &[],
    }
}

fn words_on_chat(library: Library) -> Words {
    match library {
        // a stop sequence is a `stop` on the wire, and a full context a `length`
        Library::Rig => &[
            ("end_turn", "Stop"),
            ("max_tokens", "Length"),
            ("stop_sequence", "Stop"),
            ("tool_use", "ToolCalls"),
            ("model_context_window_exceeded", "Length"),
            ("a_reason_of_tomorrow", "Other(\"a_reason_of_tomorrow\")"),
            ("content_filter", "ContentFilter"),
        ],
        Library::Genai => &[
            ("end_turn", "Completed(\"stop\")"),
            ("max_tokens", "MaxTokens(\"length\")"),
            ("stop_sequence", "Completed(\"stop\")"),
            ("tool_use", "ToolCall(\"tool_calls\")"),
            ("model_context_window_exceeded", "MaxTokens(\"length\")"),
            ("a_reason_of_tomorrow", "Other(\"a_reason_of_tomorrow\")"),
            ("content_filter", "ContentFilter(\"content_filter\")"),
        ],
        Library::AsyncOpenai => &[
            ("end_turn", "Stop"),
            ("max_tokens", "Length"),
            ("stop_sequence", "Stop"),
            ("tool_use", "ToolCalls"),
            ("model_context_window_exceeded", "Length"),
            ("a_reason_of_tomorrow", ERROR),
            ("content_filter", "ContentFilter"),
        ],
        Library::AsyncAnthropic => &[],
    }
}

fn words_on_responses(library: Library) -> Words {
    match library {
        Library::Rig => &[
            ("end_turn", "Stop"),
            ("max_tokens", "Length"),
            ("content_filter", "ContentFilter"),
        ],
        Library::Genai => &[
            ("end_turn", "Completed(\"completed\")"),
            ("max_tokens", "MaxTokens(\"incomplete\")"),
            ("content_filter", "MaxTokens(\"incomplete\")"),
        ],
        Library::AsyncOpenai => &[
            ("end_turn", "Completed"),
            ("max_tokens", "Incomplete: max_output_tokens"),
            ("content_filter", "Incomplete: content_filter"),
        ],
        Library::AsyncAnthropic => &[],
    }
}

/// In place of a word: the answer cannot be read.
const ERROR: &str = "error";

async fn every_stop_reason_has_its_word(client: Client) {
    for form in [Form::Whole, Form::Streamed] {
        let mut plain = Vec::new();
        let stops = stops(client.wire);
        assert_eq!(stops.len(), words(client).len());
        for ((reason, turn), (known, word)) in stops.into_iter().zip(words(client)) {
            assert_eq!(reason, *known);
            let seen = ask(client, form, &turn).await;
            if reason == "a_reason_of_tomorrow" {
                let found = if *word == ERROR { ERROR } else { "kept" };
                topics::NEW_STOP_REASON.assert(client, form, found);
            }
            if *word == ERROR {
                assert_unknown_reason(&seen);
                continue;
            }
            assert_eq!(seen.stop.as_deref(), Some(*word), "{reason}");
            assert_eq!(seen.content, [json!({"text": "so far"})], "{reason}");
            let same_on_the_wire = client.wire != Wire::Anthropic && reason == "stop_sequence";
            if *word == words(client)[0].1 && reason != "end_turn" && !same_on_the_wire {
                plain.push(format!("`{reason}`"));
            }
            if *word == words(client)[1].1 && reason == "content_filter" {
                plain.push("**none, but `content_filter` as `max_tokens`**".to_owned());
            }
            assert_eq!(
                seen.failure.map(|failure| failure.text),
                fails(client, reason)
            );
        }
        let found = if plain.is_empty() {
            "none".to_owned()
        } else {
            plain.join(", ")
        };
        topics::STOP_REASONS.assert(client, form, &found);
    }
}

/// `FinishReason` is a closed enum, so the answer is lost for a word.
#[track_caller]
fn assert_unknown_reason(seen: &Seen) {
    let failure = seen.failure();
    assert_eq!(failure.kind, "JSONDeserialize");
    let text = "failed to deserialize api response: error:unknown variant `a_reason_of_tomorrow`, expected one of \
                `stop`, `length`, `tool_calls`, `content_filter`, `function_call` at line ";
    assert!(failure.text.starts_with(text), "{}", failure.text);
}

/// rig alone takes a refusal for a failed turn, with its text kept.
fn fails(client: Client, reason: &str) -> Option<String> {
    let text = match reason {
        "refusal" => "The model refused to complete the request",
        _ => return None,
    };
    (client.library == Library::Rig).then(|| text.to_owned())
}

/// The words stand in a member of their own, and the stop reason is that of any answer.
async fn a_refusal_is_no_answer(client: Client) {
    for form in [Form::Whole, Form::Streamed] {
        let turn = Turn::new().text("I cannot help with that.");
        let seen = ask(client, form, &turn.stop_reason(StopReason::Refusal)).await;
        assert_eq!(seen.failure, None);
        let found = match seen.content.as_slice() {
            [] => "**silent**",
            [part] if *part == json!({"refusal": "I cannot help with that."}) => "equal",
            [part] if *part == json!({"text": "I cannot help with that."}) => "**as an answer**",
            other => panic!("another part\n  found: `{other:?}`"),
        };
        topics::REFUSAL.assert(client, form, found);
    }
}
