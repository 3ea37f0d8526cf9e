//! The bytes on the wire: against the fixtures, which were written for this crate, and against recorded
//! traffic, which lies outside of it.

use std::path::PathBuf;

use llm_wire_stub::bytes::Bytes;
use llm_wire_stub::*;
use serde_json::{Value, json};

use crate::{
    API,
    fixtures::{self, assert_bytes},
    post::call,
};

fn fixture(name: &str) -> Bytes {
    fixtures::fixture(&format!("openai_chat/{name}"))
}

/// A turn whose ids and model are those of the fixtures.
fn turn() -> Turn {
    Turn::new()
        .plain()
        .id("chatcmpl-1")
        .model("gpt-5")
        .usage(Usage::input(10).output(9))
}

fn calls(turn: Turn) -> Turn {
    let a = |n| json!({"a": n});
    turn.tool_call_with_id("call_1", "weather", a(1))
        .fragments(Fragments::size(4))
        .tool_call_with_id("call_2", "now", Arguments::raw(""))
        .tool_call_with_id("call_3", "weather", a(2))
        .fragments(Fragments::size(4))
}

/// What the fixtures show, streamed.
fn streamed() -> Vec<(&'static str, Turn)> {
    let usage = Usage::input(5)
        .output(41)
        .cache_read(7)
        .cache_creation(3)
        .thinking(23)
        .input_audio(2)
        .output_audio(4)
        .accepted_prediction(8)
        .rejected_prediction(6);
    let city = json!({"city": "Zürich"});
    let grass = Citation::web_search_result("Grass is green.", "https://grass.example");
    vec![
        ("text.plain.sse", turn().text("Hé \"there\".").usage(usage)),
        (
            "one-call.plain.sse",
            turn()
                .tool_call_with_id("call_1", "weather", city)
                .fragments(Fragments::size(10)),
        ),
        ("several-calls.plain.sse", calls(turn())),
        (
            "interleaved.plain.sse",
            calls(turn()).interleaved_tool_calls(),
        ),
        (
            "one-custom-call.plain.sse",
            turn()
                .custom_tool_call_with_id("call_1", "run", "say(\"é\")\n")
                .fragments(Fragments::size(5)),
        ),
        (
            "custom-and-function-calls.plain.sse",
            turn()
                .custom_tool_call_with_id("call_1", "run", "ls")
                .fragments(Fragments::whole())
                .tool_call_with_id("call_2", "now", Arguments::raw("")),
        ),
        (
            "text-and-calls.plain.sse",
            turn()
                .text("Let")
                .text(" me.")
                .tool_call_with_id("call_1", "now", Arguments::raw("")),
        ),
        (
            "refusal.plain.sse",
            turn().text("I cannot.").stop_reason(StopReason::Refusal),
        ),
        (
            "citation.plain.sse",
            turn()
                .text("So: ")
                .cited_text("grass is green", [grass.title("Grass")]),
        ),
        (
            "in-stream-error.plain.sse",
            turn()
                .text("Hé there")
                .end(After::deltas(1), ApiError::internal()),
        ),
    ]
}

#[test]
fn streams_have_the_bytes_of_the_fixtures() {
    for (name, turn) in streamed() {
        assert_bytes(name, &sse_body(API, &turn), &fixture(name));
    }
}

#[test]
fn bodies_have_the_bytes_of_the_fixtures() {
    let whole = turn()
        .model("gpt-4")
        .text("Hé \"there\".")
        .tool_call_with_id(
            "call_1",
            "weather",
            json!({"days": [1, 2], "city": "Zürich"}),
        )
        .tool_call_with_id("call_2", "now", json!({}))
        .usage(
            Usage::input(5)
                .output(41)
                .cache_read(7)
                .cache_creation(3)
                .thinking(23),
        );
    let refusal = turn().text("I cannot.").stop_reason(StopReason::Refusal);
    let custom = turn().custom_tool_call_with_id("call_1", "run", "say(\"é\")\n");
    for (name, turn) in [
        ("text-and-tools.json", whole),
        ("refusal.json", refusal),
        ("custom-call.json", custom),
    ] {
        assert_bytes(name, &json_body(API, &turn), &fixture(name));
    }
    for (name, error) in [
        ("error-context-overflow.json", ApiError::context_overflow()),
        ("error-authentication.json", ApiError::authentication()),
    ] {
        assert_bytes(name, &error_body(API, &error), &fixture(name));
    }
}

#[tokio::test]
async fn a_request_for_two_choices_gets_the_same_turn_twice() {
    let stub = WireStub::builder()
        .turn(turn().text("Hi"))
        .turn(turn().text("Hi"))
        .start();
    let ask = || {
        call(&stub)
            .to("/v1/chat/completions")
            .header("authorization", "Bearer k")
            .member("n", 2)
    };
    let name = "two-choices.plain.sse";
    let streamed = ask().streamed().send().await;
    assert_bytes(name, &streamed.body, &fixture(name));
    assert_eq!(
        streamed.header("content-type"),
        "text/event-stream; charset=utf-8"
    );

    let whole = ask().send().await;
    assert_eq!(whole.header("content-type"), "application/json");
    for read in [
        accumulate(API, &streamed.body).unwrap(),
        accumulate_json(API, &whole.body).unwrap(),
    ] {
        let [other] = &*read.other_choices else {
            panic!("{read:?}")
        };
        assert_eq!(
            (&other.parts, &other.stop_reason),
            (&read.parts, &read.stop_reason)
        );
        assert_eq!(read.text(), "Hi");
    }
}

/// The data of each event but the last, which is `[DONE]`.
fn chunks_of(body: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(body).unwrap();
    let text = text.strip_suffix("data: [DONE]\n\n").unwrap();
    let frames = text.split_terminator("\n\n");
    frames
        .map(|frame| frame.strip_prefix("data: ").unwrap().to_owned())
        .collect()
}

#[test]
fn the_length_of_every_chunk_is_hidden_by_its_obfuscation() {
    let mut lengths = std::collections::BTreeSet::new();
    for seed in 0..40 {
        let turn = Turn::new()
            .text("Hé, 漢字 😀 a bb ccc dddd eeeee ffffff ggggggg hhhhhhhh iiiiiiiii jjjjjjjjjj kkkkkkkkkkk")
            .tool_call("f", json!({"a": "é".repeat(60)}))
            .seed(seed);
        let body = sse_body(API, &turn);
        for chunk in chunks_of(&body) {
            assert_eq!(chunk.chars().count() % 16, 1, "{chunk}");
            let json: Value = serde_json::from_str(&chunk).unwrap();
            let hidden = json["obfuscation"].as_str().unwrap();
            assert!(hidden.bytes().all(|b| b.is_ascii_alphanumeric()), "{chunk}");
            lengths.insert(hidden.len());
        }
        assert_eq!(body, sse_body(API, &turn));
        let plain = sse_body(API, &turn.plain());
        assert!(!String::from_utf8_lossy(&plain).contains("obfuscation"));
    }
    assert_eq!(lengths, (0..16).collect());
}

#[tokio::test]
async fn usage_obfuscation_and_logprobs_are_as_the_request_asks() {
    let stub = WireStub::builder().turn("Hé there").repeat_last().start();
    let ask = |stream_options: Value| {
        call(&stub)
            .to("/v1/chat/completions")
            .header("authorization", "Bearer k")
            .model("gpt-4o")
            .streamed()
            .member("stream_options", stream_options)
    };
    for (options, has_usage, has_obfuscation) in [
        (json!(null), false, true),
        (json!({"include_usage": true}), true, true),
        (json!({"include_obfuscation": false}), false, false),
    ] {
        let chunks = chunks_of(&ask(options.clone()).send().await.body);
        assert_eq!(chunks.len(), if has_usage { 5 } else { 4 }, "{options}");
        for chunk in &chunks {
            assert_eq!(chunk.contains("\"usage\":"), has_usage, "{options} {chunk}");
            let hidden = chunk.contains("\"obfuscation\":");
            assert_eq!(hidden, has_obfuscation, "{options} {chunk}");
        }
    }

    let asked = ask(json!(null)).member("logprobs", true);
    let chunks = chunks_of(&asked.member("top_logprobs", 2).send().await.body);
    let logprobs: Vec<Value> = chunks
        .iter()
        .map(|chunk| serde_json::from_str::<Value>(chunk).unwrap()["choices"][0]["logprobs"].take())
        .collect();
    assert_eq!(logprobs[0], json!({"content": [], "refusal": null}));
    assert_eq!(logprobs[3], Value::Null);
    for (logprobs, token) in logprobs[1..3].iter().zip(["Hé", " there"]) {
        let said = &logprobs["content"][0];
        assert_eq!(
            (&said["token"], &logprobs["refusal"]),
            (&json!(token), &Value::Null)
        );
        assert_eq!(said["bytes"], json!(token.as_bytes()));
        let logprob = said["logprob"].as_f64().unwrap();
        assert!((-1.0..0.0).contains(&logprob), "{said}");
        let top = said["top_logprobs"].as_array().unwrap();
        assert_eq!(top.len(), 2, "{said}");
        assert_eq!(
            (&top[0]["token"], &top[0]["logprob"]),
            (&said["token"], &said["logprob"])
        );
        assert!(top[1]["logprob"].as_f64().unwrap() < logprob, "{said}");
    }

    let whole = call(&stub)
        .to("/v1/chat/completions")
        .header("authorization", "Bearer k")
        .member("logprobs", true);
    let whole = whole.send().await.json();
    let tokens = whole["choices"][0]["logprobs"]["content"]
        .as_array()
        .unwrap();
    let tokens: Vec<_> = tokens.iter().map(|said| said["token"].clone()).collect();
    assert_eq!(tokens, [json!("Hé"), json!(" there")]);
}

#[test]
fn members_differ_between_models_as_recorded() {
    for (model, logprobs, tier, fingerprint) in [
        ("gpt-4o-mini-2024-07-18", true, true, true),
        ("gpt-4.1", true, true, true),
        ("gpt-4-0613", true, true, false),
        ("gpt-3.5-turbo-0125", true, true, false),
        ("gpt-5-2025-08-07", false, true, false),
        ("gpt-4o-search-preview", false, false, false),
    ] {
        let turn = Turn::new().text("x").model(model);
        let body: Value = serde_json::from_slice(&json_body(API, &turn)).unwrap();
        let chunk = &chunks_of(&sse_body(API, &turn))[0];
        let chunk: Value = serde_json::from_str(chunk).unwrap();
        for json in [body, chunk] {
            let choice = json["choices"][0].as_object().unwrap();
            assert_eq!(choice.contains_key("logprobs"), logprobs, "{model}");
            assert_eq!(json.get("service_tier").is_some(), tier, "{model}");
            assert_eq!(
                json["system_fingerprint"].is_string(),
                fingerprint,
                "{model}"
            );
        }
    }
}

#[test]
fn ids_have_the_length_and_the_letters_of_the_services() {
    let turn = Turn::new().tool_call("f", json!({}));
    let reply = turn.normalized(API).unwrap();
    let call = reply.tool_calls().next().unwrap();
    for (id, prefix, len) in [(&reply.id, "chatcmpl-", 38), (&call.id, "call_", 29)] {
        let rest = id.strip_prefix(prefix).unwrap();
        assert!(rest.bytes().all(|b| b.is_ascii_alphanumeric()), "{id}");
        assert_eq!(id.len(), len, "{id}");
    }
}

/// A capture; nothing where there are none.
fn capture(name: &str) -> Option<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/captures/openai-chat");
    let read = std::fs::read(folder.join(name)).ok();
    if read.is_none() {
        eprintln!("NO CAPTURE, NOTHING TESTED: {name}");
    }
    read
}

/// The text without its numbers.
fn uncounted(json: &str) -> String {
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-');
    let mut parts = json.split('"').enumerate();
    let mut all = String::new();
    for (n, part) in &mut parts {
        let part: String = match n % 2 {
            0 => part
                .replace("e-", "")
                .chars()
                .filter(|c| !is_number(*c))
                .collect(),
            _ => format!("\"{part}\""),
        };
        all += &part;
    }
    all
}

#[tokio::test]
async fn moderation_flags_nothing_unless_the_turn_says_what_it_found() {
    let found = json!({"input": {"type": "error"}, "output": {"type": "error"}});
    let stub = WireStub::builder()
        .turns(vec![Turn::new().text("x").seed(1); 3])
        .turn(Turn::new().text("x").moderation(found.clone()))
        .turn(Turn::new().text("x").moderation(found.clone()))
        .start();
    let asked = call(&stub)
        .to("/v1/chat/completions")
        .header("authorization", "Bearer k");
    let moderated = asked
        .clone()
        .member("moderation", json!({"model": "omni-moderation-latest"}));
    let whole = moderated.clone().send().await;
    let whole = accumulate_json(API, &whole.body).unwrap().moderation;
    let streamed = moderated.clone().streamed().send().await.body;
    assert_eq!(accumulate(API, &streamed).unwrap().moderation, whole);
    let last = chunks_of(&streamed).pop().unwrap();
    assert!(
        !last.contains(r#""usage""#),
        "usage was not asked for: {last}"
    );
    let choices = moderated.clone().member("n", 2).send().await.json();
    let results = choices["moderation"]["output"]["results"].as_array();
    assert_eq!(results.unwrap().len(), 2);

    let told = moderated.streamed().send().await.body;
    let told = accumulate(API, &told).unwrap().moderation;
    assert_eq!(told, Some(Json::from(found)));
    let unasked = asked.streamed().send().await.body;
    assert_eq!(accumulate(API, &unasked).unwrap().moderation, None);

    let Some(recorded) = capture("openai-moderation.sse") else {
        return;
    };
    let undrawn = |body: &[u8]| {
        let last = chunks_of(body).pop().unwrap();
        let (_, found) = last.split_once(r#","moderation":"#).unwrap();
        let (found, _) = found.split_once("}]}}").unwrap();
        uncounted(found)
    };
    assert_eq!(undrawn(&streamed), undrawn(&recorded));
}
