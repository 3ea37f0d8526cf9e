//! What was recorded is said again by a script that is made from it, but for what is drawn; or it is refused.

use std::{fs, path::PathBuf};

use llm_wire_stub::*;
use serde_json::{Value, json};

use crate::{API, captures::captures, post::call};

/// The value of this member, wherever it stands in a line, left out if it ends so.
fn without(line: &str, member: &str, end: char) -> String {
    match line.split_once(member) {
        Some((before, rest)) => {
            let (_, behind) = rest.split_once(end).unwrap();
            format!("{before}{member}{end}{behind}")
        }
        None => line.to_owned(),
    }
}

/// A body without what is drawn, and without the time, which stands still.
fn undrawn(body: &[u8]) -> String {
    let lines = std::str::from_utf8(body).unwrap().lines().map(|line| {
        let line = without(line, "\"created\":", ',');
        let line = without(&line, "\"obfuscation\":\"", '"');
        without(&line, "\"system_fingerprint\":\"", '"')
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn turn(name: &str, recorded: &[u8]) -> Turn {
    let script = Script::from_wire(API, recorded);
    let script = script.unwrap_or_else(|error| panic!("{name}: {error}"));
    Turn::clone(&script.turns()[0])
}

#[track_caller]
fn refusal(recorded: &[u8]) -> String {
    let error = Script::from_wire(API, recorded).unwrap_err();
    assert_eq!(error.kind(), &AccumulateErrorKind::NotSaidAgain, "{error}");
    error.to_string()
}

/// Recordings whose form a turn does not give, and the first line of why.
const REFUSED: [(&str, &str); 1] = [(
    "openai-n2-tools.sse",
    "the choices of the recorded answer differ, and those of a turn are the same",
)];

#[tokio::test]
async fn recorded_streams_are_said_again_but_for_what_is_drawn() {
    for (name, recorded) in captures("openai-", ".sse") {
        if let Some((_, why)) = REFUSED.iter().find(|(known, _)| *known == name) {
            assert!(
                refusal(&recorded).starts_with(why),
                "{name}: {}",
                refusal(&recorded)
            );
            continue;
        }
        let turn = turn(&name, &recorded).allow_script_drift();
        let reply = accumulate(API, &recorded).unwrap();
        let has = |member: &str| String::from_utf8_lossy(&recorded).contains(member);
        let stub = WireStub::builder().turn(turn.clone()).start();
        let said = call(&stub)
            .to("/v1/chat/completions")
            .header("authorization", "Bearer k")
            .streamed()
            .member("stream_options", json!({
                "include_usage": has("\"usage\":"), "include_obfuscation": has("\"obfuscation\":")
            }))
            .member("moderation", if has("\"moderation\":") { json!({"model": "m"}) } else { Value::Null });
        let said = said.send().await.body;
        assert_eq!(undrawn(&said), undrawn(&recorded), "{name}");
        assert_eq!(accumulate(API, &said).unwrap(), reply, "{name}");
        // and in the other form
        let whole = accumulate_json(API, &json_body(API, &turn)).unwrap();
        assert_eq!(
            (whole.parts, whole.stop_reason),
            (reply.parts, reply.stop_reason),
            "{name}"
        );
    }
}

#[tokio::test]
async fn recorded_bodies_and_errors_are_said_again() {
    for (name, recorded) in captures("openai-", ".json") {
        let turn = turn(&name, &recorded).allow_script_drift();
        let stub = WireStub::builder().turn(turn).start();
        let said = call(&stub)
            .to("/v1/chat/completions")
            .header("authorization", "Bearer k")
            .send()
            .await;
        assert_eq!(undrawn(&said.body), undrawn(&recorded), "{name}");
        let status = name
            .split(['-', '.'])
            .nth(2)
            .and_then(|word| word.parse().ok());
        assert_eq!(said.status, status.unwrap_or(200), "{name}");
    }
}

#[test]
fn recordings_of_other_services_are_said_again_or_refused_loudly() {
    let mut refused = 0;
    for suffix in [".sse", ".json"] {
        for (name, recorded) in captures("", suffix) {
            match Script::from_wire(API, &recorded) {
                // some have the errors of OpenAI
                Ok(_) => assert!(
                    name.starts_with("openai-") || name.contains("-error-"),
                    "{name}"
                ),
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused == 0 || refused > 15, "{refused}");
}

#[test]
fn every_fixture_is_said_again() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/openai_chat");
    let mut said_again = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let recorded = fs::read(&path).unwrap();
        let said = if name.ends_with(".sse") {
            if name == "two-choices.plain.sse" {
                let _two = turn(&name, &recorded);
                continue;
            }
            sse_body(API, &turn(&name, &recorded).plain())
        } else if name.starts_with("error-") {
            let _error = turn(&name, &recorded);
            continue;
        } else {
            json_body(API, &turn(&name, &recorded))
        };
        assert_eq!(
            String::from_utf8_lossy(&said),
            String::from_utf8_lossy(&recorded),
            "{name}"
        );
        said_again += 1;
    }
    assert!(said_again > 10, "{said_again}");
}

/// A stream of chunks of one choice.
fn stream(choices: &[&str], behind: &str) -> Vec<u8> {
    let mut body = String::new();
    for choice in choices {
        body += &format!(
            r#"data: {{"id":"c","object":"chat.completion.chunk","created":1,"model":"gpt-5","service_tier":"default","system_fingerprint":null,"choices":[{choice}]}}"#
        );
        body += "\n\n";
    }
    (body + behind).into_bytes()
}

const ROLE: &str =
    r#"{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"finish_reason":null}"#;
const HI: &str = r#"{"index":0,"delta":{"content":"Hi"},"finish_reason":null}"#;
const STOP: &str = r#"{"index":0,"delta":{},"finish_reason":"stop"}"#;

#[test]
fn what_no_turn_says_is_refused_with_its_place() {
    let error = "data: {\"error\":{\"message\":\"m\",\"type\":\"server_error\",\"param\":null,\"code\":null}}\n\n";
    let audio = r#"{"index":0,"delta":{"audio":{"id":"a"}},"finish_reason":null}"#;
    let joined = r#"{"index":0,"delta":{"role":"assistant","content":"Hi","refusal":null},"finish_reason":null}"#;
    for (recorded, expected) in [
        (
            stream(&[joined, STOP], "data: [DONE]\n\n"),
            "the recorded answer is not in today's form\n  \
             where: openai_chat, event #1, byte 0\n  \
             expected: `…choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\",\"refusal\":null},\"finish_reason\":null}]}`\n  \
             found: `…choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Hi\",\"refusal\":null},\"finish_reason\":null}]}`\n  \
             help: only what OpenAI writes today is said again; script the turn by name",
        ),
        (
            stream(&[ROLE, HI, STOP], ""),
            "the recorded answer is not in today's form\n  \
             where: openai_chat, event #4, byte 432\n  \
             expected: `[DONE]`\n  \
             found: the end of the stream\n  \
             help: only what OpenAI writes today is said again; script the turn by name",
        ),
        (
            stream(&[ROLE, audio, STOP], "data: [DONE]\n\n"),
            "the recorded message has a member that no turn says\n  \
             where: openai_chat, byte 0\n  \
             expected: text, a refusal, annotations, tool calls\n  \
             found: `audio`\n  \
             help: only what OpenAI writes today is said again; script the turn by name",
        ),
        (
            stream(&[ROLE, HI], &format!("{error}data: [DONE]\n\n")),
            "the recorded answer is not in today's form\n  \
             where: openai_chat, event #4, byte 512\n  \
             expected: the end of the stream\n  \
             found: `[DONE]`\n  \
             help: only what OpenAI writes today is said again; script the turn by name",
        ),
    ] {
        assert_eq!(refusal(&recorded), expected);
    }
}

#[test]
fn a_chunk_behind_the_providers_error_is_refused_whatever_its_numbers_are() {
    let error = "data: {\"error\":{\"message\":\"m\",\"type\":\"server_error\",\"param\":null,\"code\":null}}\n\n";
    let behind = HI.replace("\"index\":0", "\"index\":18446744073709551615");
    let mut recorded = stream(&[ROLE, HI], error);
    recorded.extend(stream(&[&behind], ""));
    let why = refusal(&recorded);
    assert!(
        why.contains("\n  expected: the end of the stream\n"),
        "{why}"
    );
}

#[test]
fn a_stream_that_ended_with_an_error_ends_so_again() {
    let error = "data: {\"error\":{\"message\":\"m\",\"type\":\"server_error\",\"param\":\"p\",\"code\":null}}\n\n";
    let recorded = stream(&[ROLE, HI], error);
    let again = turn("an error", &recorded);
    let stream = |body: &[u8]| undrawn(body).replace(",\"obfuscation\":\"\"", "");
    let said = stream(&sse_body(API, &again)).replace(",\"usage\":null", "");
    assert_eq!(said.trim(), stream(&recorded).trim());
}

#[test]
fn citations_are_said_again_where_they_stood() {
    let page = |word: &str| Citation::web_search_result("", format!("https://{word}.example"));
    let told = Turn::new()
        .text("So: ")
        .cited_text("grass", [page("a").title("A"), page("b")])
        .text(" is ")
        .cited_text("green", [page("c")]);
    let (streamed, whole) = (sse_body(API, &told), json_body(API, &told));
    let again = turn("a stream", &streamed);
    assert_eq!(undrawn(&sse_body(API, &again)), undrawn(&streamed));
    assert_eq!(json_body(API, &turn("a body", &whole)), whole);
}

#[test]
fn an_error_behind_the_end_of_the_message_is_said_again() {
    let failed = Turn::new().text("Hi").stop_reason(StopReason::MaxTokens);
    let failed = failed.end(After::events(3), ApiError::overloaded());
    let recorded = sse_body(API, &failed);
    let again = turn("an error", &recorded);
    assert_eq!(undrawn(&sse_body(API, &again)), undrawn(&recorded));
}
