//! The player of plans: a turn, a cut, an ending or a fault drawn from the input, on a stub, before a raw reader that
//! checks each byte and the ending.
#![no_main]

#[path = "../../tests/support/raw.rs"]
mod raw;

use std::time::Duration;

use fuzz::drawn::{Draw, How};
use libfuzzer_sys::fuzz_target;
use llm_wire_stub::{
    After, Api, Cut, Ending, FaultVariant, Outcome, Turn, UnplayableError, WireStub, bytes::Bytes,
    try_chunks, try_json_body,
};
use raw::{Ended, LAST_CHUNK, Raw, ascii, chunked};

/// How the answer ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    /// With the last chunk, and the connection takes the next call.
    Whole,
    Closed,
    Reset,
    /// Nothing more.
    Silent,
    /// Nothing more, although all was said.
    Open,
    /// The same bytes for ever.
    Beats,
    /// The same, although all was said.
    OpenBeats,
}

/// Whether the answer comes as events.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Stream,
    Json,
}

fuzz_target!(|input: &[u8]| {
    let mut draw = Draw::new(input);
    let api = draw.api();
    let how = draw.how(api);
    // where a body that is no stream is cut, no helper tells
    let (form, cut) = match draw.below(5) {
        0 if !matches!(how, How::Fault(_)) => (Form::Json, Cut::Whole),
        _ => (Form::Stream, draw.cut()),
    };
    let turn = draw.turn().seed(0).allow_script_drift();
    let turn = draw.gated(turn);
    let (turn, end, head) = match &how {
        How::Whole => (turn, End::Whole, true),
        How::Scripted(after, ending) => {
            let end = (scripted(ending), *after != After::request());
            (turn.end(*after, ending.clone()), end.0, end.1)
        }
        How::Stall(after) => (turn.stall(*after), End::Silent, *after != After::request()),
        How::Fault(fault) => (turn.fault(*fault), of_fault(*fault), has_head(*fault)),
    };
    let case = Case {
        api,
        form,
        cut,
        turn,
        how,
        end,
        head,
    };
    if std::env::var_os("FUZZ_SHOW").is_some() {
        eprintln!("{case:#?}");
    }
    case.play();
});

fn scripted(ending: &Ending) -> End {
    match ending {
        Ending::Fin | Ending::WrongLength(_) | Ending::CloseDelimited => End::Closed,
        Ending::Reset => End::Reset,
        _ => End::Whole,
    }
}

fn of_fault(fault: FaultVariant) -> End {
    let id = fault.id();
    match id.split_once('/').unwrap_or((&id, "")) {
        ("chunked-abort", _) => End::Closed,
        ("html-body", variant) if variant.ends_with("-with-length") => End::Closed,
        ("reset-mid-stream", _) => End::Reset,
        ("stall-mid-stream" | "stall-before-headers", _) => End::Silent,
        ("stall-heartbeat-only", _) => End::Beats,
        ("open-after-terminal", "heartbeats") => End::OpenBeats,
        ("open-after-terminal", _) => End::Open,
        _ => End::Whole,
    }
}

fn has_head(fault: FaultVariant) -> bool {
    ![
        "reset-mid-stream/before-headers",
        "stall-before-headers/no-byte",
    ]
    .contains(&fault.id().as_str())
}

#[derive(Debug)]
#[expect(dead_code, reason = "a finding shows how its answer was to end")]
struct Case {
    api: Api,
    form: Form,
    cut: Cut,
    turn: Turn,
    how: How,
    end: End,
    head: bool,
}

impl Case {
    fn play(&self) {
        let stub = WireStub::builder()
            .turn(self.turn.clone())
            .cut(self.cut.clone())
            .without_rules()
            .patience(Duration::from_secs(60))
            .without_verify_on_drop()
            .start();
        let mut client = Raw::asking(&stub, self.request());
        match self.pieces() {
            Err(error) => self.refused(&mut client, &error),
            Ok(pieces) => {
                self.played(&mut client, &pieces, &stub);
                drop(client);
                stub.settled_blocking();
                let request = &stub.requests()[0];
                assert_eq!(request.remark(), None, "{self:?}");
                let outcomes: &[Outcome] = match self.end {
                    End::Whole | End::Closed => &[Outcome::Complete, Outcome::Failed],
                    End::Reset => &[Outcome::Reset],
                    End::Silent | End::Beats => &[Outcome::Cancelled],
                    End::OpenBeats => &[Outcome::Complete],
                    // the client leaves once all events came, and the answer may wait behind the last one
                    End::Open => &[Outcome::Complete, Outcome::Cancelled],
                };
                assert!(
                    outcomes.contains(&request.outcome()),
                    "{self:?}: {:?}",
                    request.outcome()
                );
            }
        }
    }

    /// The writes of the answer, from the helpers that need no server.
    fn pieces(&self) -> Result<Vec<Bytes>, UnplayableError> {
        match self.form {
            Form::Stream => Ok(try_chunks(self.api, &self.turn, self.cut.clone())?.collect()),
            Form::Json => {
                let body = try_json_body(self.api, &self.turn)?;
                Ok(Some(body)
                    .filter(|body| !body.is_empty())
                    .into_iter()
                    .collect())
            }
        }
    }

    /// A turn that no helper can play, the stub refuses, in the same words.
    fn refused(&self, client: &mut Raw, error: &UnplayableError) {
        let response = client.response();
        assert_eq!(
            response.header("x-llm-wire-stub"),
            Some("unplayable"),
            "{self:?}"
        );
        let why = error.to_string();
        let why = why.lines().next().unwrap_or_default();
        let said: serde_json::Value =
            serde_json::from_slice(&response.body).expect("an error is JSON");
        let said = said["error"]["message"].as_str().unwrap_or_default();
        assert!(
            said.contains(why),
            "{self:?}\n  expected: {why}\n  found: {said}"
        );
    }

    fn played(&self, client: &mut Raw, pieces: &[Bytes], stub: &WireStub) {
        let head = if self.head {
            client.head()
        } else {
            String::new()
        };
        assert!(
            !head.contains("\r\nx-llm-wire-stub: unplayable"),
            "{self:?}\n{head}"
        );
        let is_chunked = head.contains("\r\nTransfer-Encoding: chunked\r\n");
        let body = if is_chunked {
            chunked(pieces.iter().cloned())
        } else {
            pieces.concat()
        };
        if matches!(self.end, End::Closed | End::Reset) {
            let (found, ended) = client.rest();
            self.same(&found, &body);
            let expected = if self.end == End::Reset {
                Ended::Reset
            } else {
                Ended::Fin
            };
            assert_eq!(ended, expected, "{self:?}");
            return;
        }
        assert!(is_chunked || body.is_empty(), "{self:?}\n{head}");
        self.same_chunks(client, &body);
        match self.end {
            End::Whole => {
                self.same_chunks(client, LAST_CHUNK);
                // the next call is answered on the same connection, if only by a refusal
                client.send(self.request());
                assert!(client.head().starts_with("HTTP/1.1 422 "), "{self:?}");
            }
            End::Silent => {
                stub.wait_for_stall_blocking();
                client.assert_nothing_more();
            }
            End::Open => client.assert_nothing_more(),
            End::Beats | End::OpenBeats => {
                let beats = client.read_exactly(2);
                assert!(beats.iter().all(u8::is_ascii), "{self:?}");
            }
            End::Closed | End::Reset => {}
        }
    }

    /// Reads chunk by chunk, so that what differs is seen before it is waited for.
    fn same_chunks(&self, client: &mut Raw, mut expected: &[u8]) {
        while !expected.is_empty() {
            let mut chunk = client.read_until(b"\r\n");
            let size =
                std::str::from_utf8(&chunk).map(|line| usize::from_str_radix(line.trim_end(), 16));
            let line = expected.len().min(chunk.len());
            if chunk == expected[..line] {
                let size = size
                    .ok()
                    .and_then(Result::ok)
                    .expect("a line with the size of a chunk");
                chunk.extend(client.read_exactly(size + 2));
            }
            let (start, rest) = expected.split_at(expected.len().min(chunk.len()));
            self.same(&chunk, start);
            expected = rest;
        }
    }

    fn same(&self, found: &[u8], expected: &[u8]) {
        if found != expected {
            panic!(
                "{self:?}\n  expected: {}\n  found:    {}",
                ascii(expected),
                ascii(found)
            );
        }
    }

    /// Asks for the model of which the helpers speak, who know no request.
    fn request(&self) -> Vec<u8> {
        let model = match self.api {
            Api::AnthropicMessages => "claude-haiku-4-5-20251001",
            Api::OpenAiCompletions => "gpt-3.5-turbo-instruct",
            _ => "gpt-4o-mini-2024-07-18",
        };
        let (path, asks) = match self.api {
            Api::AnthropicMessages => (
                "/v1/messages",
                r#""max_tokens":99,"messages":[{"role":"user","content":"go"}]"#,
            ),
            Api::OpenAiChat => (
                "/v1/chat/completions",
                r#""messages":[{"role":"user","content":"go"}],"stream_options":{"include_usage":true}"#,
            ),
            Api::OpenAiResponses => (
                "/v1/responses",
                r#""input":"go","include":["reasoning.encrypted_content"]"#,
            ),
            _ => (
                "/v1/completions",
                r#""prompt":"go","stream_options":{"include_usage":true}"#,
            ),
        };
        let is_stream = self.form == Form::Stream;
        let body = format!(r#"{{"model":"{model}","stream":{is_stream},{asks}}}"#);
        let length = body.len();
        format!(
            "POST {path} HTTP/1.1\r\nhost: stub\r\nauthorization: Bearer sk-test\r\n\
             x-api-key: sk-ant-test-0123456789\r\nanthropic-version: 2023-06-01\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .into_bytes()
    }
}
