//! The command `check` on answers of our own, on damaged ones, and on all recorded traffic.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]

#[path = "support/captures.rs"]
mod captures;

use std::{
    io::Write as _,
    process::{Command, Output, Stdio},
};

use llm_wire_stub::{Api, Part, Turn, accumulate, accumulate_json, json_body, sse_body};
use serde_json::{Value, json};

/// What the command makes of these bytes on its stdin.
fn check(api: &str, options: &[&str], body: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_llm-wire-stub"))
        .args(["check", "--api", api])
        .args(options)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(body).unwrap();
    child.wait_with_output().unwrap()
}

/// The object that it prints.
#[track_caller]
fn object(api: &str, body: &[u8]) -> Value {
    let output = check(api, &["--json"], body);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), said.as_str()), (Some(0), ""));
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(stdout.lines().count(), 1, "{stdout}");
    serde_json::from_str(&stdout).unwrap()
}

/// What it says on stderr about an answer that is not whole; it prints nothing.
#[track_caller]
fn refusal(api: &str, body: &[u8]) -> String {
    let output = check(api, &["--json"], body);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!((output.status.code(), printed.as_str()), (Some(1), ""));
    String::from_utf8(output.stderr).unwrap()
}

fn looked_up() -> Turn {
    Turn::new()
        .text("Let me look.")
        .tool_call("weather", json!({"city": "Zürich"}))
        .plain()
}

#[test]
fn an_answer_is_printed_as_one_object() {
    let body = sse_body(Api::AnthropicMessages, &looked_up());
    let seen = object("anthropic_messages", &body);
    let call = &seen["message"]["content"][1];
    assert_eq!(
        seen,
        json!({
            "api": "anthropic_messages",
            "text": "Let me look.",
            "thinking": "",
            "tool_calls": [{"id": call["id"], "name": "weather", "arguments": {"city": "Zürich"}}],
            "stop_reason": "tool_use",
            "usage": seen["usage"],
            "events": body.windows(2).filter(|two| two == b"\n\n").count(),
            "message": seen["message"],
        })
    );
    let whole: Value =
        serde_json::from_slice(&json_body(Api::AnthropicMessages, &looked_up())).unwrap();
    assert_eq!(seen["message"]["content"], whole["content"]);
    assert_eq!(
        seen["usage"]["output_tokens"],
        whole["usage"]["output_tokens"]
    );
}

/// The words of each API for the same turn.
#[test]
fn the_stop_reason_is_as_it_was_sent() {
    for (api, stop_reason) in [
        (Api::AnthropicMessages, "tool_use"),
        (Api::OpenAiChat, "tool_calls"),
        (Api::OpenAiResponses, "completed"),
    ] {
        for body in [sse_body(api, &looked_up()), json_body(api, &looked_up())] {
            let seen = object(api.name(), &body);
            assert_eq!(seen["stop_reason"], stop_reason, "{api:?}");
            assert_eq!(seen["text"], "Let me look.", "{api:?}");
            let call = &seen["tool_calls"][0];
            assert_eq!(call["arguments"], json!({"city": "Zürich"}), "{api:?}");
            let id = call["id"].as_str().unwrap();
            assert!(id.starts_with("toolu_") || id.starts_with("call_"), "{id}");
        }
    }
    let seen = object(
        "openai_completions",
        &sse_body(Api::OpenAiCompletions, &Turn::new().text(" upon a time.")),
    );
    assert_eq!(
        (
            &seen["text"],
            &seen["stop_reason"],
            &seen["message"]["choices"][0]["text"]
        ),
        (
            &json!(" upon a time."),
            &json!("stop"),
            &json!(" upon a time.")
        )
    );
}

/// The message is what the answer would have been without a stream.
#[test]
fn the_message_of_a_stream_is_the_body_of_the_same_answer() {
    for api in [
        Api::AnthropicMessages,
        Api::OpenAiChat,
        Api::OpenAiResponses,
        Api::OpenAiCompletions,
    ] {
        let turn = match api {
            Api::OpenAiCompletions => Turn::new().text("Let me look.").plain(),
            _ => looked_up(),
        };
        let seen = object(api.name(), &sse_body(api, &turn));
        let mut whole: Value = serde_json::from_slice(&json_body(api, &turn)).unwrap();
        let mut message = seen["message"].clone();
        // a stream of Chat does not say what there is none of
        for choice in choices(&mut whole) {
            if let Some(Value::Object(said)) = choice.get_mut("message") {
                said.retain(|name, value| name != "annotations" || value != &json!([]));
            }
        }
        // nor is a call's index a member of a body
        for choice in choices(&mut message) {
            let calls = choice.pointer_mut("/message/tool_calls");
            for call in calls.and_then(Value::as_array_mut).into_iter().flatten() {
                call.as_object_mut().unwrap().remove("index");
            }
        }
        // and this of Responses stands in a body only
        if let Some(members) = whole.as_object_mut() {
            members.remove("billing");
        }
        assert_eq!(message, whole, "{api:?}");
    }
}

fn choices(message: &mut Value) -> impl Iterator<Item = &mut Value> {
    let choices = message.get_mut("choices").and_then(Value::as_array_mut);
    choices.into_iter().flatten()
}

#[test]
fn the_summary_is_for_a_person() {
    let turn = Turn::new()
        .text("A".repeat(70))
        .tool_call_with_id("call_1", "weather", json!({"city": "Oslo"}))
        .plain();
    let output = check("openai_chat", &[], &sse_body(Api::OpenAiChat, &turn));
    assert_eq!(output.status.code(), Some(0));
    let shown = String::from_utf8(output.stdout).unwrap();
    let expected = format!(
        "openai_chat        whole, 8 events\n\
         model              gpt-4o-mini-2024-07-18\n\
         part #1            text \"{}\"… of 70 characters\n\
         part #2            call call_1 weather {{\"city\":\"Oslo\"}}\n\
         stop reason        tool_calls\n\
         usage              {{\"completion_tokens\":24,",
        "A".repeat(60)
    );
    assert!(shown.starts_with(&expected), "{shown}");
}

#[test]
fn what_is_wrong_is_said_with_event_and_byte() {
    let body = sse_body(Api::AnthropicMessages, &looked_up());
    let text = std::str::from_utf8(&body).unwrap();
    let cut = text.find("event: message_delta").unwrap();
    for (api, body, expected) in [
        (
            "anthropic_messages",
            &body[..cut],
            "the answer ended before `message_stop`\n  \
               where: anthropic_messages, event #13, byte 1852\n  \
               expected: content_block_start of block 2, or message_delta\n  \
               found: the end of the stream, after 12 events\n",
        ),
        (
            "anthropic_messages",
            b"",
            "the answer ended before `message_stop`\n  \
               where: anthropic_messages, event #1, byte 0\n  \
               expected: message_start\n  \
               found: the end of the stream, after 0 events\n",
        ),
        (
            "openai_chat",
            b"<html>busy</html>",
            "the body is no event stream\n  \
               where: openai_chat, byte 0\n  \
               expected: lines of an event stream\n  \
               found: `<html>busy</html>`\n",
        ),
    ] {
        assert_eq!(refusal(api, body), format!("-: {expected}"));
    }
}

#[test]
fn what_cannot_be_read_is_told_from_what_is_wrong() {
    let run = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_llm-wire-stub"))
            .args(args)
            .output()
            .unwrap();
        assert!(output.stdout.is_empty());
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, said) = run(&["check", "--api", "openai_chat", "no/such/file.sse"]);
    assert_eq!(code, Some(2));
    let expected = "cannot read no/such/file.sse: No such file or directory (os error 2)\n  \
                    help: give the path of a file that holds the body of one answer\n";
    assert_eq!(said, expected);
    let (code, said) = run(&["check", "--api", "openai_chats", "no/such/file.sse"]);
    assert_eq!(code, Some(2));
    assert!(
        said.contains("no API is called `openai_chats`\n  help: did you mean `openai_chat`?"),
        "{said}"
    );
}

const RECORDED: [(&str, Api); 3] = [
    ("anthropic", Api::AnthropicMessages),
    ("openai-chat", Api::OpenAiChat),
    ("openai-responses", Api::OpenAiResponses),
];

/// Streams that a provider ended with its error.
const ERRORS: [&str; 2] = ["groq-midstream-error.sse", "openrouter-midstream-error.sse"];

#[test]
fn every_recorded_answer_is_whole_or_the_providers_error() {
    for (folder, api) in RECORDED {
        for suffix in [".sse", ".json"] {
            for (name, body) in captures::captures(folder, "", suffix) {
                if ERRORS.contains(&name.as_str()) || name.contains("error-4") {
                    let said = refusal(api.name(), &body);
                    assert!(
                        said.starts_with("-: the provider reported an error\n"),
                        "{name}: {said}"
                    );
                    continue;
                }
                let read = if suffix == ".sse" {
                    accumulate
                } else {
                    accumulate_json
                };
                let reply = read(api, &body).unwrap();
                let seen = object(api.name(), &body);
                assert_eq!(seen["text"], reply.text(), "{name}");
                assert_eq!(seen["text"], text_of(api, &seen["message"]), "{name}");
                assert!(seen["stop_reason"].is_string(), "{name}");
                // of Chat only what the request asked for
                assert_eq!(seen["usage"], usage_of(&body), "{name}");
                let calls = reply
                    .parts
                    .iter()
                    .filter(|part| matches!(part, Part::ToolCall(_) | Part::CustomToolCall(_)));
                assert_eq!(
                    seen["tool_calls"].as_array().unwrap().len(),
                    calls.count(),
                    "{name}"
                );
            }
        }
    }
}

/// The last usage of a body, or of the data of a stream's events, wherever it stands.
fn usage_of(body: &[u8]) -> Value {
    let text = std::str::from_utf8(body).unwrap();
    let whole: Vec<Value> = match serde_json::from_str(text) {
        Ok(whole) => vec![whole],
        Err(_) => {
            let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
            data.filter_map(|data| serde_json::from_str(data).ok())
                .collect()
        }
    };
    let usages = whole.iter().flat_map(|event| {
        [
            &event["message"]["usage"],
            &event["response"]["usage"],
            &event["usage"],
        ]
    });
    let mut sent = usages.filter(|usage| usage.is_object());
    sent.next_back().cloned().unwrap_or_default()
}

/// All text of a message, as it stands in its JSON.
fn text_of(api: Api, message: &Value) -> String {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let of = |blocks: Vec<Value>, kind: &str| -> String {
        let texts = blocks.iter().filter(|block| block["type"] == kind);
        texts.filter_map(|block| block["text"].as_str()).collect()
    };
    match api {
        Api::AnthropicMessages => of(list(&message["content"]), "text"),
        Api::OpenAiResponses => {
            let items = list(&message["output"]);
            items
                .iter()
                .map(|item| of(list(&item["content"]), "output_text"))
                .collect()
        }
        _ => match &message["choices"][0]["message"]["content"] {
            Value::String(text) => text.clone(),
            content => of(list(content), "text"),
        },
    }
}

/// Where the answer is proved complete: the event that this is part of.
fn proof(api: Api, body: &[u8]) -> (usize, usize) {
    let find = |word: &[u8]| {
        let mut places = body.windows(word.len()).enumerate();
        places
            .find(|(_, bytes)| *bytes == word)
            .map(|(at, _)| (at, word.len()))
    };
    match api {
        Api::AnthropicMessages => find(b"event: message_stop"),
        Api::OpenAiResponses => {
            find(b"event: response.completed").or_else(|| find(b"event: response.incomplete"))
        }
        // said twice by OpenRouter
        _ => find(b"\"finish_reason\":\""),
    }
    .unwrap()
}

/// Cut before its proof, in the middle, inside an event, inside the event of the proof itself.
#[test]
fn every_recorded_stream_that_is_cut_short_is_refused() {
    for (folder, api) in RECORDED {
        for (name, body) in captures::captures(folder, "", ".sse") {
            if ERRORS.contains(&name.as_str()) {
                continue;
            }
            let (at, long) = proof(api, &body);
            let before = body[..at]
                .windows(2)
                .rposition(|two| two == b"\n\n" || two == b"\n\r")
                .unwrap()
                + 2;
            for cut in [before, body.len() / 2, at / 2, at - 1, at + long] {
                let said = refusal(api.name(), &body[..cut]);
                assert!(said.contains("expected: "), "{name} at {cut}: {said}");
            }
        }
    }
}
