//! One answer: its content, its stop reason, its usage, whole and streamed.

use llm_wire_stub::{Arguments, Cut, Part, Reply, Turn, WireStub};
use llm_wire_stub_interop::reply;
use serde_json::{Value, json};

use crate::{
    client::{Client, Form, Seen, Wants},
    topics::{self, Topic, verdict},
    turns,
};

for_each_client!(
    every_turn_arrives_as_it_was_said,
    text_arrives_as_it_was_said_when_every_byte_is_a_write_of_its_own,
    every_stop_reason_has_its_word,
    the_usage_of_a_cached_prompt_adds_up,
    arguments_that_are_no_json_are_never_taken_for_shorter_ones,
);

async fn ask(client: Client, form: Form, turn: &Turn) -> Seen {
    // how it is read is what is looked at, so the request offers no tools
    let stub = WireStub::builder()
        .turn(turn.clone())
        .allow_script_drift()
        .start();
    let seen = client.ask(&stub, form, Wants::Answer).await;
    assert_eq!(stub.requests().len(), 1);
    stub.verify();
    seen
}

/// The parts as a client gives them that loses nothing.
pub(crate) fn said(reply: &Reply) -> Vec<Value> {
    let parts = reply.parts.iter().map(|part| match part {
        Part::Text(text) => json!({"text": text}),
        Part::ToolCall(call) => {
            json!({"tool": call.name, "id": call.id, "arguments": call.arguments})
        }
        Part::Thinking { text, signature } => json!({"thinking": text, "signature": signature}),
        Part::RedactedThinking { data } => {
            json!({"other": {"type": "redacted_thinking", "data": data}})
        }
        other => panic!("no turn has this part\n  found: `{other:?}`"),
    });
    parts.collect()
}

fn topic(turn: &str) -> Topic {
    match turn {
        "texts and parallel calls" => topics::TEXT_BETWEEN_CALLS,
        turn if turn.contains("call") || turn.contains("arguments") => topics::TOOL_CALLS,
        _ => topics::TEXT,
    }
}

async fn every_turn_arrives_as_it_was_said(client: Client) {
    for form in [Form::Whole, Form::Streamed] {
        for (name, turn) in turns::turns() {
            let seen = ask(client, form, &turn).await;
            let reply = reply(&turn);
            let found = verdict(seen.content == said(&reply), &seen);
            topic(name).assert(client, form, found);

            let model = turns::own_model(name).unwrap_or(llm_wire_stub_interop::MODEL);
            let kept = |name, right: &str| match seen.kept[name].as_str() {
                Some(kept) => {
                    assert_eq!(kept, right);
                    true
                }
                None => false,
            };
            let found = match (kept("id", &reply.id), kept("model", model)) {
                (true, true) => "both",
                (true, false) => "id",
                (false, true) => "model",
                (false, false) => "neither",
            };
            topics::ID_AND_MODEL.assert(client, form, found);
        }
    }
}

async fn text_arrives_as_it_was_said_when_every_byte_is_a_write_of_its_own(client: Client) {
    for form in [Form::Whole, Form::Streamed] {
        let turn = Turn::new().text(turns::ODD_TEXT);
        let stub = WireStub::builder().cut(Cut::EveryByte).turn(turn).start();
        let seen = client.ask(&stub, form, Wants::Answer).await;
        let right = seen.content == [json!({"text": turns::ODD_TEXT})];
        topics::EVERY_BYTE_ALONE.assert(client, form, verdict(right, &seen));
        stub.verify();
    }
}

/// The text of both texts arrives, but in one piece and before all calls: nobody can tell any more that the
/// second was said after them. `StreamEnd` joins the text chunks (`chat_stream.rs`, "Ordering policy").
#[tokio::test]
async fn a_genai_stream_puts_text_said_after_a_tool_call_before_it() {
    let turn = Turn::new()
        .text("Let me look.")
        .tool_call_with_id("toolu_1", "weather", json!({"city": "Oslo"}))
        .text("And the time.")
        .tool_call_with_id("toolu_2", "now", json!({}));
    let oslo = json!({"tool": "weather", "id": "toolu_1", "arguments": {"city": "Oslo"}});
    let now = json!({"tool": "now", "id": "toolu_2", "arguments": {}});

    let whole = ask(Client::Genai, Form::Whole, &turn).await;
    let streamed = ask(Client::Genai, Form::Streamed, &turn).await;

    let (look, time) = (
        json!({"text": "Let me look."}),
        json!({"text": "And the time."}),
    );
    assert_eq!(whole.content, [look, oslo.clone(), time, now.clone()]);
    let joined = json!({"text": "Let me look.And the time."});
    assert_eq!(streamed.content, [joined, oslo, now]);
}

/// The client's words for each of the service's.
fn words(client: Client) -> [&'static str; 9] {
    match client {
        // `pause_turn` asks for the turn to be sent again; here it is told apart from a finished answer by
        // `CompletionResponse::raw` only
        Client::Rig => [
            "Stop",
            "Length",
            "Stop",
            "ToolCalls",
            "Stop",
            "ContentFilter",
            "Length",
            "Other(\"compaction\")",
            "Other(\"a_reason_of_tomorrow\")",
        ],
        Client::Genai => [
            "Completed(\"end_turn\")",
            "MaxTokens(\"max_tokens\")",
            "StopSequence(\"stop_sequence\")",
            "ToolCall(\"tool_use\")",
            "Other(\"pause_turn\")",
            "ContentFilter(\"refusal\")",
            "MaxTokens(\"model_context_window_exceeded\")",
            "Other(\"compaction\")",
            "Other(\"a_reason_of_tomorrow\")",
        ],
        Client::AsyncAnthropic => [
            "end_turn",
            "max_tokens",
            "stop_sequence",
            "tool_use",
            "pause_turn",
            "refusal",
            "model_context_window_exceeded",
            "compaction",
            "a_reason_of_tomorrow",
        ],
    }
}

async fn every_stop_reason_has_its_word(client: Client) {
    for form in [Form::Whole, Form::Streamed] {
        let mut plain = Vec::new();
        for ((reason, turn), word) in turns::stops().into_iter().zip(words(client)) {
            let seen = ask(client, form, &turn).await;
            assert_eq!(seen.stop.as_deref(), Some(word), "{reason}");
            assert_eq!(seen.content, [json!({"text": "so far"})], "{reason}");
            if word == words(client)[0] && reason != "end_turn" {
                plain.push(format!("`{reason}`"));
            }
            // rig alone takes a refusal for a failed turn, with its text kept
            let refused = client == Client::Rig && reason == "refusal";
            let text = seen.failure.map(|failure| failure.text);
            let refusal = "The model refused to complete the request".to_owned();
            assert_eq!(text, refused.then_some(refusal), "{reason}");
        }
        let found = if plain.is_empty() {
            "none".to_owned()
        } else {
            plain.join(", ")
        };
        topics::STOP_REASONS.assert(client, form, &found);
    }
}

async fn the_usage_of_a_cached_prompt_adds_up(client: Client) {
    let turns = turns::turns();
    let turn = turns
        .iter()
        .find(|(name, _)| *name == "a usage with caches");
    let (_, turn) = turn.expect("the turn is there");
    for form in [Form::Whole, Form::Streamed] {
        let seen = ask(client, form, turn).await;
        let kept = ["input", "output", "cache_read", "cache_creation"].map(|name| &seen.kept[name]);
        let found = match client {
            // both count the cached tokens as input
            Client::Rig | Client::Genai => {
                let all = [7 + 4_096 + 512, 123, 4_096, 512].map(Value::from);
                assert_eq!(kept, all.each_ref());
                "kept"
            }
            // the caches have no field: a prompt of 4615 tokens looks like one of 7
            Client::AsyncAnthropic => {
                let all = [json!(7), json!(123), Value::Null, Value::Null];
                assert_eq!(kept, all.each_ref());
                "**silent**"
            }
        };
        topics::CACHE_USAGE.assert(client, form, found);
    }
}

/// The stream is whole, the model's JSON is not.
async fn arguments_that_are_no_json_are_never_taken_for_shorter_ones(client: Client) {
    for (sent, read) in [
        (
            r#"{"line": 1, "path": "src/ma"#,
            json!({"line": 1, "path": "src/ma"}),
        ),
        (r#"{"line": nope}"#, json!({})),
    ] {
        let turn = Turn::new().tool_call_with_id("toolu_1", "edit", Arguments::raw(sent));
        let seen = ask(client, Form::Streamed, &turn).await;
        assert_eq!(seen.failure, None);
        let (arguments, found) = match client {
            // an object all the same, for a tool that never looks at `invalid_arguments`
            Client::Rig => (json!({"invalid": sent, "read": read}), "marked"),
            Client::Genai => (json!(sent), "given as a string"),
            Client::AsyncAnthropic => (json!({"not JSON": sent}), "given as sent"),
        };
        let call = json!({"tool": "edit", "id": "toolu_1", "arguments": arguments});
        assert_eq!(seen.content, [call]);
        topics::BAD_ARGUMENTS.assert(client, Form::Streamed, found);
    }
}
