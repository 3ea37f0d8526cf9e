//! llm-wire-stub itself.

use super::gated::{Gated, Layout};
use super::{Peer, Script, Server};
use crate::load::{self, Head, Reply, Stream};
use bytes::Bytes;
use futures_util::future::LocalBoxFuture;
use llm_wire_stub::{After, Api, Cut, Gate, Turn, WireStub, WireStubBuilder, json_body, sse_body};
use std::io::{Read, Write};
use std::net::TcpStream;
use tokio::task::yield_now;

/// The same ids and padding in every answer, so that what comes can be compared with what was expected.
const SEED: u64 = 7;

pub enum Ours {
    Default,
    /// Without the service's own response headers and other noise.
    Plain,
    /// Answered by a closure instead of from a sequence.
    Closure,
}

impl Peer for Ours {
    fn name(&self) -> &'static str {
        match self {
            Self::Default => "ours",
            Self::Plain => "ours plain",
            Self::Closure => "ours by a closure",
        }
    }

    fn start<'a>(&'a self, script: Script<'a>) -> LocalBoxFuture<'a, Box<dyn Server>> {
        let stub = match script {
            Script::Nothing => WireStub::builder(),
            Script::Reply(Reply { text, .. }) => self.stub(text),
            Script::Stream(Stream { api, text, .. }) => self.stub_on(*api, text),
        };
        let stub = stub.start();
        Box::pin(async { Box::new(stub) as Box<dyn Server> })
    }
}

impl Ours {
    fn stub(&self, text: &str) -> WireStubBuilder {
        self.stub_on(Api::AnthropicMessages, text)
    }

    fn stub_on(&self, api: Api, text: &str) -> WireStubBuilder {
        let stub = WireStub::builder();
        match self {
            Self::Default => stub.turn(turn_on(api, text)).repeat_last(),
            Self::Plain => stub.turn(turn_on(api, text).plain()).repeat_last(),
            Self::Closure => {
                let text = text.to_owned();
                stub.answer(move |_request, _index| Some(turn_on(api, &text)))
            }
        }
    }
}

impl Server for WireStub {
    fn url(&self) -> String {
        self.anthropic_url().to_string()
    }
}

/// The body of the non-streaming answer.
pub fn reply(text: &str) -> Bytes {
    json_body(Api::AnthropicMessages, &turn(text))
}

/// The headers of an answer, framing apart; `members` are those of its request besides what every call has.
fn head_of(ours: &Ours, text: &str, members: &str) -> Head {
    let stub = ours.stub(text).start();
    let mut socket =
        TcpStream::connect(stub.url().trim_start_matches("http://")).expect("the stub listens");
    let body = format!(
        r#"{{"model":"m","max_tokens":1{members},"messages":[{{"role":"user","content":"hello"}}]}}"#
    );
    let request = format!(
        "POST /v1/messages HTTP/1.1\r\nx-api-key: k\r\nanthropic-version: 2023-06-01\r\n\
         connection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    socket
        .write_all(request.as_bytes())
        .expect("the stub reads");
    let mut answer = String::new();
    socket
        .read_to_string(&mut answer)
        .expect("the stub answers");
    let (head, _) = answer.split_once("\r\n\r\n").expect("a head");
    let lines = head.lines().skip(1).map(|line| {
        let (name, value) = line.split_once(": ").expect("a header");
        (name.to_owned(), value.to_owned())
    });
    let framing = ["transfer-encoding", "connection"];
    lines
        .filter(|(name, _)| !framing.contains(&&*name.to_lowercase()))
        .collect()
}

/// The headers of the non-streaming answer.
pub fn head(ours: &Ours, text: &str) -> Head {
    head_of(ours, text, "")
}

/// The headers of the streaming answer.
pub fn stream_head() -> Head {
    head_of(&Ours::Default, "hi", r#","stream":true"#)
}

/// The body of the streaming answer.
pub fn events(api: Api, text: &str) -> Bytes {
    sse_body(api, &turn_on(api, text))
}

pub fn cut_every_byte(stream: &Stream) -> Box<dyn Server> {
    let stub = WireStub::builder()
        .turn(turn(&stream.text))
        .cut(Cut::EveryByte);
    Box::new(stub.start())
}

/// Streams so many words without holding more than them.
pub fn stream_of_words(words: usize) -> Box<dyn Server> {
    Box::new(WireStub::builder().turn(turn(&load::text(words))).start())
}

pub fn gated(stream: &Stream, layout: Layout) -> Box<dyn Gated> {
    let mut gates = Vec::new();
    let mut stub = WireStub::builder();
    for _ in 0..layout.streams {
        let mut turn = turn(&stream.text);
        for delta in 1..=layout.gates {
            let gate = Gate::new();
            turn = turn.gate(After::deltas(delta), &gate);
            gates.push(gate);
        }
        stub = stub.turn(turn);
    }
    let stub = stub.start();
    Box::new(GatedStub {
        stub,
        gates,
        streams: layout.streams,
    })
}

fn turn(text: &str) -> Turn {
    turn_on(Api::AnthropicMessages, text)
}

fn turn_on(api: Api, text: &str) -> Turn {
    let model = match api {
        Api::AnthropicMessages => "claude-haiku-4-5",
        _ => "gpt-4o-mini",
    };
    Turn::new().text(text).model(model).seed(SEED)
}

struct GatedStub {
    stub: WireStub,
    /// Of each stream in turn.
    gates: Vec<Gate>,
    streams: usize,
}

impl Server for GatedStub {
    fn url(&self) -> String {
        self.stub.url()
    }
}

impl Gated for GatedStub {
    fn in_flight(&self, streams: usize) -> LocalBoxFuture<'_, ()> {
        Box::pin(async move {
            self.stub.wait_for_requests(streams).await;
            let gates_each = self.gates.len() / self.streams;
            for first in self.gates.iter().step_by(gates_each).take(streams) {
                first.reached().await;
            }
        })
    }

    fn open_in_turn(&self) -> LocalBoxFuture<'_, ()> {
        Box::pin(async {
            for gate in &self.gates {
                gate.open();
                yield_now().await;
            }
        })
    }

    fn open_when_reached(&self) -> LocalBoxFuture<'_, ()> {
        Box::pin(async {
            for gate in &self.gates {
                gate.reached().await;
                gate.open();
            }
        })
    }

    fn client_left(&self) -> LocalBoxFuture<'_, ()> {
        Box::pin(async {
            self.stub.wait_for_cancel().await;
        })
    }
}
