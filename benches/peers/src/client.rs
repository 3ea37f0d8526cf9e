//! The client of every measurement: reqwest, in the same process, on a current-thread runtime.

use crate::load::Stream;
use llm_wire_stub::Api;
use reqwest::Response;

const WHOLE: &str = r#"{"model":"claude-haiku-4-5","max_tokens":1024,"messages":[{"role":"user","content":"hello"}]}"#;
/// Asks for all that the ready frames have.
const CHAT_STREAM: &str = r#"{"model":"gpt-4o-mini","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hello"}]}"#;
const RESPONSES_STREAM: &str = r#"{"model":"gpt-4o-mini","stream":true,"input":"hello"}"#;
const STREAM: &str = r#"{"model":"claude-haiku-4-5","max_tokens":1024,"stream":true,"messages":[{"role":"user","content":"hello"}]}"#;

#[derive(Clone, Debug)]
pub struct Client(reqwest::Client);

impl Client {
    /// Keeps connections, so that all exchanges but the first are warm.
    pub fn reusing() -> Self {
        Self(reqwest::Client::new())
    }

    /// Opens a connection for each exchange: a pooled server keeps its port, and an idle connection
    /// to it would spare that peer the connect that the others pay.
    pub fn reconnecting() -> Self {
        let client = reqwest::Client::builder().pool_max_idle_per_host(0);
        Self(
            client
                .build()
                .expect("a client without TLS is always built"),
        )
    }

    /// One non-streaming exchange; its number counts only if `length` bytes came with status 200.
    pub async fn exchange(&self, url: &str, length: usize) {
        let sent = self.send(Api::AnthropicMessages, url, WHOLE).await;
        let body = sent.bytes().await;
        let body = body.expect("the whole body arrives");
        assert_eq!(
            body.len(),
            length,
            "another reply than the scripted one: {body:?}"
        );
    }

    pub async fn stream(&self, url: &str) -> Reader {
        self.stream_on(Api::AnthropicMessages, url).await
    }

    pub async fn stream_on(&self, api: Api, url: &str) -> Reader {
        let body = match api {
            Api::OpenAiChat => CHAT_STREAM,
            Api::OpenAiResponses => RESPONSES_STREAM,
            _ => STREAM,
        };
        Reader {
            response: self.send(api, url, body).await,
            seen: Seen::default(),
            last: 0,
        }
    }

    async fn send(&self, api: Api, url: &str, body: &'static str) -> Response {
        let request = match api {
            Api::OpenAiChat => self
                .0
                .post(format!("{url}/v1/chat/completions"))
                .bearer_auth("k"),
            Api::OpenAiResponses => self.0.post(format!("{url}/v1/responses")).bearer_auth("k"),
            _ => self
                .0
                .post(format!("{url}/v1/messages"))
                .header("anthropic-version", "2023-06-01")
                .header("x-api-key", "sk-ant-bench"),
        };
        let request = request
            .header("content-type", "application/json")
            .body(body);
        let response = request.send().await.expect("the server answers");
        assert_eq!(response.status(), 200);
        response
    }
}

/// Counts what a stream brings, without decoding it.
#[derive(Debug)]
pub struct Reader {
    response: Response,
    seen: Seen,
    last: u8,
}

/// An event counts when a chunk ends with its blank line, so events that were merged into one chunk
/// are too few.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    pub chunks: usize,
    pub events: usize,
    pub bytes: usize,
}

impl Reader {
    /// Reads one chunk; `None` at the end of the body.
    pub async fn chunk(&mut self) -> Option<Seen> {
        let chunk = self.response.chunk().await;
        let chunk = chunk.expect("the body is not broken off")?;
        let ends_event = match chunk[..] {
            [byte] => byte == b'\n' && self.last == b'\n',
            _ => chunk.ends_with(b"\n\n"),
        };
        self.last = *chunk.last()?;
        self.seen.chunks += 1;
        self.seen.events += usize::from(ends_event);
        self.seen.bytes += chunk.len();
        Some(self.seen)
    }

    /// Reads until `events` events have come.
    pub async fn events(&mut self, events: usize) {
        while self.seen.events < events {
            self.chunk().await.expect("the stream is longer than this");
        }
    }

    pub async fn rest(mut self) -> Seen {
        while self.chunk().await.is_some() {}
        self.seen
    }
}

impl Seen {
    /// Every event of `stream` came, and nothing else. A chunk may be one piece or, where the client's
    /// read ended inside it, two.
    #[track_caller]
    pub fn assert_events_of(self, stream: &Stream, server: &str) {
        let expected = (stream.frames.len(), stream.bytes());
        assert_eq!(
            (self.events, self.bytes),
            expected,
            "events and bytes of {server}"
        );
    }

    /// Every event of `stream` came, each byte in a chunk of its own.
    #[track_caller]
    pub fn assert_bytes_of(self, stream: &Stream, server: &str) {
        self.assert_events_of(stream, server);
        assert_eq!(self.chunks, self.bytes, "chunks of {server}");
    }
}
