//! Recorded traffic, which lies beside the repository and is never copied into it, is said again by a script that is
//! made from it, byte for byte but for what is drawn; or it is refused.

use std::path::PathBuf;

use llm_wire_stub::{
    serde_json::{Value, json},
    *,
};

use crate::{API, post, recorded};

/// Captures that are refused: where, what is found there, and what that is.
const REFUSED: [(&str, &str, &str, &str); 11] = [
    (
        "azure-text.sse",
        "event #1",
        "\"content_filters\":null",
        "Azure's own member",
    ),
    (
        "background-queued.sse",
        "event #1",
        "\"status\":\"queued\"",
        "made in the background",
    ),
    (
        "background-resume-starting-after.sse",
        "event #1",
        "{\"type\":\"response.queued\"",
        "goes on with what was made in the background",
    ),
    (
        "deepseek-reasoning.sse",
        "event #1",
        "\"content_filters\":null",
        "DeepSeek's: its response is Azure's",
    ),
    (
        "file-search.sse",
        "event #1",
        "{\"type\":\"response.created\",\"sequence_number\":0",
        "the order of 2025",
    ),
    (
        "function-call-2025-05.sse",
        "event #1",
        "\"status\":\"in_progress\",\"error\":null",
        "members of 2025: no `background`",
    ),
    (
        "incomplete-2025-07.sse",
        "event #1",
        "{\"type\":\"response.created\",\"sequence_number\":0",
        "the order of 2025",
    ),
    (
        "tool-search.sse",
        "event #1",
        "\"tool_choice\":\"auto\",\"tools\":",
        "members of the spring of 2026: no `tool_usage`",
    ),
    (
        "web-search.sse",
        "event #1",
        "{\"type\":\"response.created\",\"sequence_number\":0",
        "the order of 2025",
    ),
    (
        "xai-error-400-auth.json",
        "byte 0",
        "{\"code\":\"invalid-argument\",\"error\":\"",
        "xAI's error, which is a text",
    ),
    (
        "xai-function-call.sse",
        "event #1",
        "{\"sequence_number\":0,\"type\":",
        "xAI's order",
    ),
];

/// Captures with an item that is said as it is, and why.
const AS_IT_IS: [(&str, &str); 1] = [(
    "reasoning-summary.sse",
    "two summaries in one item, which no turn says by name",
)];

/// What is drawn, and what the clock says, wherever it stands.
const DRAWN: [&str; 3] = ["created_at", "completed_at", "obfuscation"];

/// A body with nothing in place of what is drawn. What is encrypted is so anew each time that it is sent: only its last
/// form, in the response that is done, is kept.
pub(crate) fn undrawn(body: &[u8]) -> String {
    let lines = std::str::from_utf8(body).unwrap().split_inclusive('\n');
    let lines = lines.map(|line| {
        let mut drawn = DRAWN.to_vec();
        if line.starts_with("data: {\"type\":\"response.output_item.") {
            drawn.push("encrypted_content");
        }
        let line = line.to_owned();
        drawn
            .into_iter()
            .fold(line, |line, name| without(&line, name))
    });
    lines.collect()
}

/// The line with nothing as the values of this member, unless these are null.
fn without(line: &str, name: &str) -> String {
    let member = format!("\"{name}\":");
    let mut parts = line.split(&member);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let value = part.trim_start();
        let rest = match value.strip_prefix('"') {
            Some(text) => text.split_once('"').unwrap().1,
            None => value.trim_start_matches(|digit: char| digit.is_ascii_digit()),
        };
        out += &format!("{member}{rest}");
    }
    out
}

#[track_caller]
pub(crate) fn from_wire(name: &str, recorded: &[u8]) -> Turn {
    let script = Script::from_wire(API, recorded);
    let script = script.unwrap_or_else(|error| panic!("{name}: {error}"));
    Turn::clone(&script.turns()[0])
}

/// The captures that are said again.
fn said_again(suffix: &str) -> impl Iterator<Item = (String, Vec<u8>)> {
    let captures = recorded::captures("openai-responses", "", suffix).into_iter();
    captures.filter(|(name, _)| REFUSED.iter().all(|(refused, ..)| refused != name))
}

#[track_caller]
fn assert_same(name: &str, said: &[u8], recorded: &[u8]) {
    let differs = first_difference(&undrawn(said), &undrawn(recorded));
    assert_eq!(differs, None, "{name}");
}

/// The lines of two texts in which they differ first.
pub(crate) fn first_difference(one: &str, other: &str) -> Option<(String, String)> {
    if one == other {
        return None;
    }
    let mut lines = one.lines().zip(other.lines());
    let differ = lines.find(|(one, other)| one != other);
    let (one, other) = differ.unwrap_or(("the same, and more", "or less"));
    Some((one.to_owned(), other.to_owned()))
}

#[test]
fn recorded_streams_are_said_again_but_for_what_is_drawn() {
    for (name, recorded) in said_again(".sse") {
        let turn = from_wire(&name, &recorded);
        let said = sse_body(API, &turn);
        assert_same(&name, &said, &recorded);
        let reply = accumulate(API, &recorded).unwrap();
        assert_eq!(accumulate(API, &said).as_ref(), Ok(&reply), "{name}");
        assert_eq!(turn.normalized(API).as_ref(), Ok(&reply), "{name}");
        let plain = sse_body(API, &turn.clone().plain());
        assert!(
            !String::from_utf8_lossy(&plain).contains("obfuscation\":\""),
            "{name}"
        );
        // and in the other form
        let whole = accumulate_json(API, &json_body(API, &turn));
        assert_eq!(whole.as_ref(), Ok(&reply), "{name}");
        let is_raw = format!("{turn:?}").contains("Raw {");
        let expected = AS_IT_IS.iter().any(|(known, _)| *known == name);
        assert_eq!(is_raw, expected, "{name}: {turn:?}");
    }
}

#[test]
fn recorded_bodies_and_errors_are_said_again() {
    for (name, recorded) in said_again(".json") {
        let turn = from_wire(&name, &recorded);
        if name.starts_with("error-") {
            continue;
        }
        assert_same(&name, &json_body(API, &turn), &recorded);
        let reply = accumulate_json(API, &recorded).unwrap();
        assert_eq!(accumulate(API, &sse_body(API, &turn)), Ok(reply), "{name}");
    }
}

#[test]
fn recordings_of_other_forms_are_refused_with_their_place() {
    let captures = [".sse", ".json"].map(|end| recorded::captures("openai-responses", "", end));
    let captures = captures.concat();
    for (name, place, found, what) in REFUSED {
        let Some((_, recorded)) = captures.iter().find(|(known, _)| known == name) else {
            assert!(captures.is_empty(), "{name}");
            continue;
        };
        let error = Script::from_wire(API, recorded).unwrap_err().to_string();
        let (_, rest) = error.split_once("  where: openai_responses, ").unwrap();
        assert!(rest.starts_with(place), "{name}, {what}: {error}");
        let (_, rest) = rest.split_once("  found: ").unwrap();
        assert!(rest.contains(found), "{name}, {what}: {error}");
    }
}

#[test]
fn recordings_of_other_apis_are_refused() {
    for folder in ["anthropic", "openai-chat", "gemini"] {
        for (name, recorded) in recorded::captures(folder, "", ".sse") {
            assert!(
                Script::from_wire(API, &recorded).is_err(),
                "{folder}/{name}"
            );
        }
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

#[tokio::test]
async fn recorded_answers_are_said_again_to_their_own_requests() {
    for (name, recorded) in said_again("") {
        let turn = from_wire(&name, &recorded);
        // what is told of a request may be less than what was sent
        let stub = WireStub::builder().turn(turn).without_rules().start();
        let call = post::call(&stub).to("/v1/responses");
        let call = call.header("authorization", "Bearer k");
        let said = call.raw_body(request(&name)).send().await;
        assert_same(&name, &said.body, &recorded);
        let status = name.strip_prefix("error-").map(|name| &name[..3]);
        assert_eq!(said.status.to_string(), status.unwrap_or("200"), "{name}");
    }
}

/// As it is recorded where a request has its own words for some of it.
fn asked() -> Vec<u8> {
    let turn = Turn::new().text("Hi.").id("resp_1").model("gpt-5");
    let body = sse_body(API, &turn);
    let said = String::from_utf8_lossy(&body)
        .replace("\"temperature\":1.0", "\"temperature\":0.25")
        .replace("\"metadata\":{}", "\"metadata\":{\"é\":\"1\"}")
        .replace("\"tools\":[]", "\"tools\":[{\"type\":\"tomorrow\"}]")
        .replace("\"top_p\":1.0", "\"top_p\":0.98")
        .replace("\"service_tier\":\"auto\"", "\"service_tier\":\"flex\"");
    said.into_bytes()
}

#[tokio::test]
async fn what_a_request_says_wins_over_what_was_recorded() {
    let turn = from_wire("asked", &asked());
    assert_same("asked", &sse_body(API, &turn), &asked());
    let stub = WireStub::builder().turn(turn).repeat_last().start();
    let same = crate::call(&stub).streamed().send().await;
    assert_same("asked", &same.body, &asked());
    let other = crate::call(&stub)
        .member("temperature", 1)
        .member("metadata", json!({}))
        .member("tools", json!([]))
        .send()
        .await
        .json();
    let expected = json!({
        "id": "resp_1", "model": "gpt-5", "temperature": 1.0, "metadata": {}, "tools": [], "top_p": 0.98
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&other[name], value, "{name}");
    }
    assert_eq!(other["output"][0]["content"][0]["text"], Value::from("Hi."));
}
