//! The commands `render` and `lint`: a script's bytes, and which API can play it, without a server.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use llm_wire_stub::*;
use serde_json::Value;

fn run(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_llm-wire-stub"));
    command.args(args).output().unwrap()
}

/// Exit status, and the texts of stdout and stderr.
fn said(args: &[&str]) -> (Option<i32>, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = run(args);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

fn file(name: &str, bytes: impl AsRef<[u8]>) -> String {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, bytes).unwrap();
    file.into_os_string().into_string().unwrap()
}

const SCRIPT: &str = r#"{"format_version": 1, "plain": true, "turns": [
    "Hello!",
    {"parts": [{"tool_call": {"name": "tides", "arguments": {"place": "Brest"}}}]},
    {"error": {"kind": "overloaded"}},
    {"parts": [{"text": "two words"}], "actions": [{"stall": {"after": {"deltas": 1}}}]}
]}"#;

// --- render ----------------------------------------------------------------------------------------

#[test]
fn what_is_rendered_is_what_a_stub_writes() {
    let name = file("rendered.json", SCRIPT);
    let script = Script::from_file(&name).unwrap();
    for api in Api::all() {
        for (turn, form) in [(1, "--json"), (1, ""), (2, ""), (3, "--json"), (4, "")] {
            let nth = turn.to_string();
            let mut args = vec!["render", &name, "--api", api.name(), "--turn", &nth];
            args.extend((!form.is_empty()).then_some(form));
            let expected = match form {
                "" => script.try_sse_body(api, turn - 1),
                _ => script.try_json_body(api, turn - 1),
            };
            let Output {
                status,
                stdout,
                stderr,
            } = run(&args);
            match expected {
                Ok(body) => assert_eq!((status.code(), stdout), (Some(0), body.to_vec())),
                Err(why) => {
                    let stderr = String::from_utf8(stderr).unwrap();
                    assert_eq!(stderr, format!("{name}: {why}\n"));
                    assert_eq!((status.code(), stdout.len()), (Some(1), 0));
                }
            }
        }
    }
    let (_, first, _) = said(&["render", &name, "--api", "anthropic_messages"]);
    let plain = Turn::new().text("Hello!").plain();
    assert_eq!(first.as_bytes(), sse_body(Api::AnthropicMessages, &plain));
}

#[tokio::test]
async fn a_stub_writes_the_same_bytes_with_the_seed_of_each_turn() {
    let script = || {
        Script::new([
            Turn::new().text("one").model("m"),
            Turn::new().text("two").model("m"),
        ])
    };
    let script = || script().seed(7).era(Era::of(2024, 3)).plain();
    let stub = WireStub::builder().script(script()).start();
    for index in 0..2 {
        let answered = reqwest::Client::new()
            .post(stub.url() + "/v1/messages")
            .header("x-api-key", "k")
            .header("anthropic-version", "2023-06-01")
            .body(r#"{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"hi"}]}"#);
        let body = answered.send().await.unwrap().bytes().await.unwrap();
        assert_eq!(
            body,
            script()
                .try_sse_body(Api::AnthropicMessages, index)
                .unwrap()
        );
    }
}

#[test]
fn a_recorded_stream_is_rendered_as_it_was() {
    let body = sse_body(Api::AnthropicMessages, &Turn::new().text("Hello there!"));
    let name = file("recorded.sse", &body);
    let Output { stdout, .. } = run(&["render", &name, "--api", "anthropic_messages"]);
    let reply = |body: &[u8]| accumulate(Api::AnthropicMessages, body).unwrap();
    assert_eq!(reply(&stdout), reply(&body));
}

#[test]
fn a_turn_that_is_not_there_is_told() {
    let name = file(
        "two.json",
        r#"{"format_version": 1, "turns": ["one", "two"]}"#,
    );
    let (code, _, told) = said(&["render", &name, "--api", "openai_chat", "--turn", "3"]);
    assert_eq!(code, Some(1));
    assert_eq!(
        told,
        format!(
            "{name}: there is no turn #3\n  where: script of 2 turns, built at {name}:1\n  help: the sequence has 2 turns\n"
        )
    );
    let (code, _, _) = said(&["render", &name, "--api", "openai_chat", "--turn", "0"]);
    assert_eq!(code, Some(2));
}

// --- lint ------------------------------------------------------------------------------------------

#[test]
fn each_api_is_told_with_what_it_cannot_play() {
    let name = file("linted.json", SCRIPT);
    let (code, told, stderr) = said(&["lint", &name]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    let script = Script::from_file(&name).unwrap();
    let one = |errors: Result<(), Vec<UnplayableError>>| {
        let [error] = &errors.unwrap_err()[..] else {
            panic!("one turn cannot be played")
        };
        error.to_string()
    };
    let stalls = |api: Api| {
        format!(
            "  - {}\n",
            one(script.check_bodies(api)).replace('\n', "\n    ")
        )
    };
    let call = one(script.check_streams(Api::OpenAiCompletions));
    assert!(
        call.contains("turn #2 on openai_completions, built at "),
        "{call}"
    );
    assert_eq!(
        told,
        format!(
            "anthropic_messages plays as streams only\n{}\
             openai_chat        plays as streams only\n{}\
             openai_responses   plays as streams only\n{}\
             openai_completions does not play\n  - {}\n",
            stalls(Api::AnthropicMessages),
            stalls(Api::OpenAiChat),
            stalls(Api::OpenAiResponses),
            call.replace('\n', "\n    "),
        )
    );
}

#[test]
fn the_api_that_is_named_decides_and_lanes_count() {
    let script = r#"{"format_version": 1, "turns": ["Hello!"], "lanes": [{
        "name": "judge", "matcher": {"model": "j"}, "turns": [{"parts": [{"thinking": "Hm."}]}]
    }]}"#;
    let name = file("lanes.json", script);
    for (api, code) in [("anthropic_messages", 0), ("openai_completions", 1)] {
        let (found, told, _) = said(&["lint", &name, "--api", api]);
        assert_eq!(found, Some(code), "{told}");
    }
    let (code, told, _) = said(&["lint", &name]);
    assert_eq!(code, Some(0));
    assert!(told.starts_with("anthropic_messages plays\n"), "{told}");
    assert!(
        told.contains("lane `judge` turn #1 on openai_completions"),
        "{told}"
    );
}

#[test]
fn a_recorded_stream_is_linted_for_all_apis() {
    let body = sse_body(Api::AnthropicMessages, &Turn::new().text("Hello there!"));
    let name = file("linted.sse", body);
    let (code, told, _) = said(&["lint", &name, "--api", "anthropic_messages"]);
    assert_eq!(code, Some(0), "{told}");
    assert!(told.starts_with("anthropic_messages plays\n"), "{told}");
}

#[test]
fn what_is_no_script_is_told_in_the_words_of_the_library() {
    let name = file("broken.json", "{\"format_version\": 1,\n \"turn\": []}");
    let why = Script::from_file(&name).unwrap_err();
    let missing = Script::from_file("missing.json").unwrap_err();
    for command in ["lint", "render", "serve"] {
        let api: &[&str] = if command == "render" {
            &["--api", "openai_chat"]
        } else {
            &[]
        };
        for (name, why) in [(name.as_str(), &why), ("missing.json", &missing)] {
            let (code, stdout, told) = said(&[&[command, name], api].concat());
            assert_eq!((code, stdout.as_str()), (Some(2), ""));
            assert_eq!(told, format!("{why}\n"));
        }
    }
}

#[test]
fn every_command_has_examples() {
    for command in ["check", "serve", "render", "lint"] {
        let (code, told, _) = said(&[command, "--help"]);
        assert_eq!(code, Some(0));
        assert!(
            told.contains(&format!("Examples:\n  llm-wire-stub {command} ")),
            "{told}"
        );
        assert!(told.contains("Exit status:\n  0  "), "{told}");
    }
}

#[test]
fn the_shared_fixtures_can_be_played() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    for fixture in std::fs::read_dir(fixtures).unwrap() {
        let path = fixture.unwrap().path();
        let (code, told, stderr) = said(&["lint", path.to_str().unwrap()]);
        assert_eq!(code, Some(0), "{told}{stderr}");
    }
}

#[test]
fn json_goes_through_a_pipe() {
    let name = file(
        "piped.json",
        r#"{"format_version": 1, "turns": ["Hello!"]}"#,
    );
    let Output { stdout, .. } = run(&["render", &name, "--api", "openai_chat", "--json"]);
    let body: Value = serde_json::from_slice(&stdout).unwrap();
    assert_eq!(body["choices"][0]["message"]["content"], "Hello!");
}
