//! Recorded traffic, which lies beside the repository and is never copied into it, is said again by a script that is
//! made from it: the same events, the pings among them, with the same members in the same order and the same values.
#![cfg(feature = "server")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]

#[path = "support/captures.rs"]
mod captures;
#[path = "support/post.rs"]
mod post;

use llm_wire_stub::*;
use post::call;

const API: Api = Api::AnthropicMessages;

/// What it is, why it is there, and a body without it.
type Difference = (&'static str, &'static str, fn(&str) -> String);

/// What differs on purpose, and why: each row takes its difference out of a body.
const DIFFERENCES: [Difference; 2] = [
    (
        "the spaces before the last brace of an event",
        "padding is random; ours comes from the seed",
        without_padding,
    ),
    (
        "the request id of an error",
        "it names an exchange, and this is another one; the header has the same one",
        without_request_id,
    ),
];

/// The text of a body without what differs on purpose.
fn comparable(body: &[u8]) -> String {
    let text = std::str::from_utf8(body).unwrap().to_owned();
    let rows = DIFFERENCES.iter();
    rows.fold(text, |text, (_, _, without)| without(&text))
}

/// Name and bytes of the captures with this beginning and end, in order; none where there are no captures.
fn captures(prefix: &str, suffix: &str) -> Vec<(String, Vec<u8>)> {
    captures::captures("anthropic", prefix, suffix)
}

fn without_padding(text: &str) -> String {
    let lines = text
        .split_inclusive('\n')
        .map(|line| match line.strip_suffix("}\n") {
            Some(members) => format!("{}}}\n", members.trim_end_matches(' ')),
            None => line.to_owned(),
        });
    lines.collect()
}

fn without_request_id(text: &str) -> String {
    match text.split_once("\"request_id\":\"req_") {
        Some((head, tail)) => {
            let (_, tail) = tail.split_once('"').unwrap();
            format!("{head}\"request_id\":\"\"{tail}")
        }
        None => text.to_owned(),
    }
}

#[track_caller]
fn script(name: &str, body: &[u8]) -> Script {
    let script = Script::from_wire(API, body).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(script.turns().len(), 1, "{name}");
    script
}

#[test]
fn recorded_streams_are_said_again_event_by_event() {
    for (name, recorded) in captures("", ".sse") {
        let script = script(&name, &recorded);
        let again = sse_body(API, &script.turns()[0]);
        let (found, expected) = (comparable(&again), comparable(&recorded));
        for (n, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
            assert_eq!(found, expected, "{name}, line {}", n + 1);
        }
        assert_eq!(found.len(), expected.len(), "{name}");
        let reply = accumulate(API, &recorded).unwrap();
        assert_eq!(script.turns()[0].normalized(API).unwrap(), reply, "{name}");
        assert_eq!(script.text(), reply.text(), "{name}");
        // by name, not as raw bytes
        assert!(
            !format!("{script:?}").contains("Raw {"),
            "{name}: {script:?}"
        );
    }
}

#[test]
fn recorded_bodies_are_said_again_byte_for_byte() {
    for (name, recorded) in captures("message-", ".json") {
        let script = script(&name, &recorded);
        let again = json_body(API, &script.turns()[0]);
        assert_eq!(
            std::str::from_utf8(&again).unwrap(),
            std::str::from_utf8(&recorded).unwrap(),
            "{name}"
        );
        let reply = accumulate_json(API, &recorded).unwrap();
        assert_eq!(script.turns()[0].normalized(API).unwrap(), reply, "{name}");
    }
}

#[test]
fn recorded_answers_can_be_played_in_the_other_form() {
    for (name, recorded) in captures("", ".sse") {
        let reply = accumulate(API, &recorded).unwrap();
        let body = json_body(API, &script(&name, &recorded).turns()[0]);
        assert_eq!(accumulate_json(API, &body).unwrap(), reply, "{name}");
    }
    for (name, recorded) in captures("message-", ".json") {
        let reply = accumulate_json(API, &recorded).unwrap();
        let body = sse_body(API, &script(&name, &recorded).turns()[0]);
        assert_eq!(accumulate(API, &body).unwrap(), reply, "{name}");
    }
}

#[tokio::test]
async fn recorded_errors_are_said_again_but_for_their_request_id() {
    for (name, recorded) in captures("error-", ".json") {
        let script = script(&name, &recorded);
        let stub = WireStub::builder().script(script).start();
        let answered = call(&stub).send().await;
        let status: u16 = name.split('-').nth(1).unwrap().parse().unwrap();
        assert_eq!(answered.status, status, "{name}");
        assert_eq!(comparable(&answered.body), comparable(&recorded), "{name}");
    }
}
