//! The command `serve`: a provider in a process of its own, and its verdict.
#![cfg(unix)]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]

use std::{
    io::{BufRead as _, BufReader, Read as _},
    net::SocketAddr,
    path::PathBuf,
    process::{Child, Command, Output, Stdio},
};

use llm_wire_stub::{Api, Script, Turn, WireStub, accumulate, sse_body};
use serde_json::{Value, json};

const API: Api = Api::AnthropicMessages;

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_llm-wire-stub"));
    command.args(["serve"]).args(args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A server, and the URL that it has printed.
struct Served {
    child: Child,
    url: String,
    stdout: BufReader<std::process::ChildStdout>,
}

impl Served {
    #[track_caller]
    fn start(args: &[&str]) -> Self {
        let mut child = command(args).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut url = String::new();
        stdout.read_line(&mut url).unwrap();
        if url.is_empty() {
            let mut said = String::new();
            child
                .stderr
                .take()
                .unwrap()
                .read_to_string(&mut said)
                .unwrap();
            panic!("it has printed no URL: {said}");
        }
        Self {
            url: url.strip_suffix('\n').unwrap().to_owned(),
            child,
            stdout,
        }
    }

    fn call(&self) -> String {
        let response = reqwest::blocking::Client::new()
            .post(format!("{}/v1/messages", self.url))
            .header("x-api-key", "sk-ant-test-0123456789")
            .header("anthropic-version", "2023-06-01")
            .json(&json!({
                "model": "m", "max_tokens": 9, "stream": true,
                "messages": [{"role": "user", "content": "hi"}]
            }))
            .send()
            .unwrap();
        let status = response.status();
        let body = response.bytes().unwrap();
        match status.as_u16() {
            200 => accumulate(API, &body).unwrap().text(),
            status => format!("{status}"),
        }
    }

    fn control(&self, method: &str, road: &str) -> Value {
        let url = format!("{}/__stub__/{road}", self.url);
        let request = reqwest::blocking::Client::new().request(method.parse().unwrap(), url);
        request.send().unwrap().json().unwrap()
    }

    /// Its exit status and what it said on stderr, after this signal.
    #[track_caller]
    fn stop(mut self, signal: &str) -> (Option<i32>, String) {
        let kill = format!("kill -{signal} {}", self.child.id());
        assert!(
            Command::new("sh")
                .args(["-c", &kill])
                .status()
                .unwrap()
                .success()
        );
        let mut said = String::new();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut said)
            .unwrap();
        let mut more = String::new();
        self.stdout.read_to_string(&mut more).unwrap();
        assert_eq!(more, "", "the URL is all that it prints");
        (self.child.wait().unwrap().code(), said)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // one that was stopped is gone already
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A file of this name that holds a recorded answer of this text.
fn recorded(name: &str, text: &str) -> String {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, sse_body(API, &Turn::new().text(text))).unwrap();
    file.into_os_string().into_string().unwrap()
}

/// What it says when it does not start.
#[track_caller]
fn refusal(args: &[&str]) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = command(args).output().unwrap();
    assert_eq!((status.code(), stdout.is_empty()), (Some(2), true));
    String::from_utf8(stderr).unwrap()
}

#[test]
fn it_answers_from_its_first_line_on_and_ends_well_when_all_was_played() {
    let (one, two) = (
        recorded("one.sse", "The first."),
        recorded("two.sse", "The second."),
    );
    for signal in ["TERM", "INT"] {
        let served = Served::start(&["--api", "anthropic_messages", &one, &two]);
        assert!(
            served.url.starts_with("http://127.0.0.1:"),
            "{}",
            served.url
        );
        assert_eq!(
            [served.call(), served.call()],
            ["The first.", "The second."]
        );
        assert_eq!(
            served.control("GET", "requests")[1]["answered_by"],
            "turn #2"
        );
        assert_eq!(served.stop(signal), (Some(0), String::new()));
    }
}

#[test]
fn it_ends_with_the_report_when_not_all_is_as_scripted() {
    let file = recorded("never.sse", "Nobody asks.");
    let served = Served::start(&["--api", "anthropic_messages", &file]);
    let told = served.control("GET", "verify");
    let (code, said) = served.stop("TERM");
    assert_eq!(code, Some(1));
    assert_eq!(said, format!("{}\n", told["report"].as_str().unwrap()));
    assert!(said.contains("was never played"), "{said}");
}

#[test]
fn a_reset_is_a_new_start_for_its_verdict_too() {
    let file = recorded("again.sse", "Again.");
    let served = Served::start(&["--api", "anthropic_messages", &file]);
    assert_eq!([served.call(), served.call()], ["Again.", "422"]);
    assert_eq!(served.control("POST", "reset"), json!({"ok": true}));
    assert_eq!(served.call(), "Again.");
    assert_eq!(served.stop("TERM"), (Some(0), String::new()));
}

#[test]
fn it_listens_where_it_is_told_to() {
    let file = recorded("there.sse", "x");
    let first = Served::start(&["--api", "anthropic_messages", "--host", "127.0.0.2", &file]);
    let address: SocketAddr = first.url.replace("http://", "").parse().unwrap();
    let (host, port) = (address.ip().to_string(), address.port().to_string());
    assert_eq!(host, "127.0.0.2");

    let args = [
        "--api",
        "anthropic_messages",
        "--host",
        &host,
        "--port",
        &port,
        &file,
    ];
    #[expect(clippy::disallowed_types, reason = "the system's own words")]
    let why = std::net::TcpListener::bind(address).unwrap_err();
    assert_eq!(
        refusal(&args),
        format!(
            "the stub could not start at {address}: {why}\n  \
             help: give it an address of this machine and a port that nobody has, or port 0 for any that is free\n"
        )
    );
    assert_eq!(first.call(), "x");
    first.stop("TERM");
    let second = Served::start(&args);
    assert_eq!(second.url, format!("http://{address}"));
    second.stop("TERM");
}

#[test]
fn other_apis_than_the_one_named_are_not_served() {
    let file = recorded("only.sse", "x");
    let served = Served::start(&["--api", "anthropic_messages", &file]);
    let url = format!("{}/v1/chat/completions", served.url);
    let response = reqwest::blocking::Client::new().post(url).send().unwrap();
    assert_eq!(response.status(), 404);
    assert_eq!(served.call(), "x");
    let (code, said) = served.stop("TERM");
    assert_eq!(code, Some(1));
    assert!(
        said.contains("nothing is served at POST /v1/chat/completions"),
        "{said}"
    );
}

#[test]
fn what_cannot_be_played_is_told_and_nothing_is_served() {
    let file = recorded("half.sse", "x");
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let why = Script::from_wire(API, &whole[..whole.len() / 2]).unwrap_err();
    assert_eq!(
        refusal(&["--api", "anthropic_messages", &file]),
        format!("{file}: {why}\n")
    );
    assert_eq!(
        refusal(&[&file]),
        format!(
            "{file} is a recorded answer, and nothing says of which API\n  help: name it with `--api`\n"
        )
    );
    let missing = std::fs::read("missing.sse").unwrap_err();
    assert_eq!(
        refusal(&["--api", "anthropic_messages", "missing.sse"]),
        format!(
            "cannot read missing.sse: {missing}\n  help: give the path of a file that holds the body of one answer\n"
        )
    );
    assert!(
        refusal(&[])
            .starts_with("error: the following required arguments were not provided:\n  <FILE>...")
    );
}

/// A fixture of this name.
fn fixture(name: &str, json: &str) -> String {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, json).unwrap();
    file.into_os_string().into_string().unwrap()
}

#[test]
fn fixtures_and_recordings_are_played_as_one_script() {
    let greets = fixture(
        "greets.json",
        r#"{"format_version": 1, "turns": [{
            "parts": [{"text": "Good day."}],
            "actions": [{"gate": {"after": {"deltas": 1}, "name": "day"}}]
        }]}"#,
    );
    let judges = fixture(
        "judges.json",
        r#"{"format_version": 1, "errors_at": [{"index": 1, "error": {"kind": "overloaded"}}]}"#,
    );
    let recorded = recorded("behind.sse", "The last.");
    let served = Served::start(&[
        "--api",
        "anthropic_messages",
        "--seed",
        "7",
        "--plain",
        &greets,
        &judges,
        &recorded,
    ]);
    let opened = served.control("POST", "gates/day/open");
    assert_eq!(opened, json!({"ok": true}));
    assert_eq!(
        [served.call(), served.call(), served.call()],
        ["Good day.", "529", "The last."]
    );
    assert_eq!(served.stop("TERM"), (Some(0), String::new()));
}

#[test]
fn what_two_files_say_and_one_can_is_told() {
    let lane = r#"{"format_version": 1, "lanes": [{"name": "judge", "matcher": {"model": "j"}, "turns": ["x"]}]}"#;
    let (one, two) = (fixture("lane-1.json", lane), fixture("lane-2.json", lane));
    assert_eq!(
        refusal(&[&one, &two]),
        "there are two lanes named `judge`\n  help: give each lane a name of its own\n"
    );
}

#[test]
fn a_turn_that_the_api_cannot_play_is_told_before_anyone_asks() {
    let file = fixture(
        "thinks.json",
        r#"{"format_version": 1, "turns": [{"parts": [{"thinking": "Hm."}]}]}"#,
    );
    let script = Script::from_file(&file).unwrap();
    let why = WireStub::builder()
        .script(script)
        .api(Api::OpenAiCompletions)
        .try_start();
    let args = ["--api", "openai_completions", &file];
    assert_eq!(refusal(&args), format!("{}\n", why.unwrap_err()));
}
