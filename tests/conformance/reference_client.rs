//! A small client that loses nothing: reqwest, our decoder and accumulators, a limit on silence and one on the lack of
//! progress.

use std::{fmt, time::Duration};

use futures_util::StreamExt as _;
use llm_wire_stub::{conformance::Transcript, *};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

/// So often a call is made in all, if its status may pass or its connection was closed before a byte of the answer.
const TRIES: usize = 3;
const BACK_OFF: Duration = Duration::from_millis(5);
/// A kept connection may be dead by the time it is used again.
pub(crate) const FOR_EVER: Duration = Duration::from_secs(3600);

/// Asks one API, with a limit on silence.
#[derive(Clone, Debug)]
pub(crate) struct ReferenceClient {
    api: Api,
    idle_limit: Duration,
    /// Whether it asks Chat for the usage of a stream.
    asks_for_usage: bool,
    http: reqwest::Client,
}

/// Asks Chat at one base URL.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    of: ReferenceClient,
    base_url: String,
}

/// What a client gives its caller.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) thinking: String,
    pub(crate) calls: Vec<ToolCall>,
    pub(crate) finish: String,
    pub(crate) input: u64,
    pub(crate) output: u64,
}

pub(crate) fn client(base_url: String) -> Client {
    Client {
        of: ReferenceClient::new(Api::OpenAiChat, FOR_EVER),
        base_url,
    }
}

impl Client {
    pub(crate) fn idle_limit(mut self, limit: Duration) -> Self {
        self.of.idle_limit = limit;
        self
    }

    pub(crate) async fn stream(&self, prompt: &str) -> Result<Answer, ClientError> {
        self.of.stream(&self.base_url, prompt).await
    }
}

/// Why a call failed.
#[derive(Debug)]
pub(crate) enum ClientError {
    Status(u16, String),
    NoStream(String),
    Transport(reqwest::Error),
    Silent(Duration),
    Malformed(String),
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status, body) => write!(f, "status {status}: {body}"),
            Self::NoStream(kind) => write!(f, "no event stream, but {kind}"),
            Self::Transport(error) => write!(f, "{error}"),
            Self::Silent(limit) => write!(f, "nothing new for {limit:?}"),
            Self::Malformed(error) => f.write_str(error),
        }
    }
}

impl ClientError {
    fn malformed(error: impl fmt::Display) -> Self {
        Self::Malformed(error.to_string())
    }
}

impl From<reqwest::Error> for ClientError {
    fn from(error: reqwest::Error) -> Self {
        Self::Transport(error)
    }
}

impl ReferenceClient {
    pub(crate) fn new(api: Api, idle_limit: Duration) -> Self {
        let http = reqwest::Client::builder();
        Self {
            api,
            idle_limit,
            asks_for_usage: true,
            // a key is for the host that it was given for
            http: http
                .redirect(reqwest::redirect::Policy::none())
                .build()
                .unwrap(),
        }
    }

    /// The same, and without usage on Chat.
    pub(crate) const fn without_usage(mut self) -> Self {
        self.asks_for_usage = false;
        self
    }

    /// Asks for a stream; what came of it.
    pub(crate) async fn ask(&self, base_url: String) -> Result<Transcript, ClientError> {
        let answer = self.stream(&base_url, "go").await?;
        Ok(Transcript::text(answer.text)
            .thinking(answer.thinking)
            .tool_calls(answer.calls)
            .stop_reason(answer.finish)
            .usage(answer.input, answer.output))
    }

    /// Asks for a stream, again after what may pass.
    pub(crate) async fn stream(&self, base_url: &str, prompt: &str) -> Result<Answer, ClientError> {
        let (path, body) = self.request(prompt);
        let url = format!("{base_url}{path}");
        let mut tries = 1;
        loop {
            let request = self
                .http
                .post(&url)
                .header("authorization", "Bearer key")
                .header("anthropic-version", "2023-06-01")
                .json(&body);
            let response = match self.in_time(request.send()).await? {
                // closed before a byte of the answer: a kept connection that was dead
                Err(error) if error.is_request() && tries < TRIES => {
                    tries += 1;
                    continue;
                }
                response => response?,
            };
            let status = response.status();
            if status.is_success() {
                return self.read(response).await;
            }
            let passes = [408, 409, 429].contains(&status.as_u16()) || status.is_server_error();
            if tries == TRIES || !passes {
                let body = self.in_time(response.text()).await??;
                return Err(ClientError::Status(status.as_u16(), body));
            }
            tries += 1;
            tokio::time::sleep(hint(&response).unwrap_or(BACK_OFF)).await;
        }
    }

    async fn read(&self, response: reqwest::Response) -> Result<Answer, ClientError> {
        let kind = response.headers().get("content-type");
        let kind = kind.map(|kind| String::from_utf8_lossy(kind.as_bytes()).to_lowercase());
        let is_other =
            |kind: &String| !kind.contains("event-stream") && !kind.contains("text/plain");
        if let Some(kind) = kind.filter(is_other) {
            // some servers answer a request for a stream as a whole
            let body = self.in_time(response.bytes()).await??;
            let reply =
                accumulate_json(self.api, &body).map_err(|_| ClientError::NoStream(kind))?;
            return answer(&reply);
        }
        let mut body = Coding::of(&response);
        let mut pieces = response.bytes_stream();
        let mut decoder = SseDecoder::new();
        let mut accumulator = Accumulator::new(self.api);
        let mut deadline = Instant::now() + self.idle_limit;
        let mut has_ended = false;
        while !has_ended {
            let Ok(piece) = timeout_at(deadline, pieces.next()).await else {
                // with the stop reason and the usage that was asked for an answer of Chat is whole; that no sentinel
                // follows is no loss
                let is_whole =
                    |reply: &Reply| self.api == Api::OpenAiChat && reply.usage.output_tokens > 0;
                let whole = accumulator.finish().ok().filter(is_whole);
                return match whole {
                    Some(reply) => answer(&reply),
                    None => Err(ClientError::Silent(self.idle_limit)),
                };
            };
            let Some(piece) = piece else { break };
            let piece = body.decode(&piece?).map_err(ClientError::malformed)?;
            decoder.push(&piece).map_err(ClientError::malformed)?;
            while let (false, Some(event)) = (has_ended, decoder.next_event()) {
                accumulator.push(&event).map_err(ClientError::malformed)?;
                has_ended = self.ends(&event);
                // keep-alives are no progress
                if !["ping", "keepalive"].contains(&event.name().unwrap_or_default()) {
                    deadline = Instant::now() + self.idle_limit;
                }
            }
        }
        if !has_ended {
            decoder.finish().map_err(ClientError::malformed)?;
        }
        answer(&accumulator.finish().map_err(ClientError::malformed)?)
    }

    /// Whether nothing can follow this event.
    fn ends(&self, event: &SseEvent) -> bool {
        let kind = || {
            let data: Option<Value> = serde_json::from_str(event.data()).ok();
            data.and_then(|data| data["type"].as_str().map(str::to_owned))
                .unwrap_or_default()
        };
        match self.api {
            Api::OpenAiChat => event.data() == "[DONE]",
            Api::AnthropicMessages => kind() == "message_stop",
            _ => ["response.completed", "response.incomplete"].contains(&kind().as_str()),
        }
    }

    async fn in_time<T>(&self, other: impl Future<Output = T>) -> Result<T, ClientError> {
        let timed = tokio::time::timeout(self.idle_limit, other).await;
        timed.map_err(|_| ClientError::Silent(self.idle_limit))
    }

    fn request(&self, prompt: &str) -> (&'static str, Value) {
        let message = json!([{"role": "user", "content": prompt}]);
        match self.api {
            Api::AnthropicMessages => (
                "/v1/messages",
                json!({"model": "m", "max_tokens": 100, "stream": true, "messages": message}),
            ),
            Api::OpenAiResponses => (
                "/responses",
                json!({"model": "m", "stream": true, "input": message}),
            ),
            _ => (
                "/chat/completions",
                json!({
                    "model": "m", "stream": true, "messages": message,
                    "stream_options": {"include_usage": self.asks_for_usage}
                }),
            ),
        }
    }
}

/// How the bytes of a body are coded.
enum Coding {
    Plain,
    #[cfg(feature = "gzip")]
    Gzip(Box<flate2::write::GzDecoder<Vec<u8>>>),
}

impl Coding {
    fn of(response: &reqwest::Response) -> Self {
        match response.headers().get("content-encoding") {
            #[cfg(feature = "gzip")]
            Some(coding) if coding == "gzip" => {
                Self::Gzip(Box::new(flate2::write::GzDecoder::new(Vec::new())))
            }
            _ => Self::Plain,
        }
    }

    /// What can be read of the body with this piece.
    fn decode(&mut self, piece: &[u8]) -> std::io::Result<Vec<u8>> {
        match self {
            Self::Plain => Ok(piece.to_vec()),
            #[cfg(feature = "gzip")]
            Self::Gzip(decoder) => {
                use std::io::Write as _;
                decoder.write_all(piece)?;
                decoder.flush()?;
                Ok(std::mem::take(decoder.get_mut()))
            }
        }
    }
}

/// How long the server asks to wait.
fn hint(response: &reqwest::Response) -> Option<Duration> {
    let seconds: u64 = response
        .headers()
        .get("retry-after")?
        .to_str()
        .ok()?
        .parse()
        .ok()?;
    Some(Duration::from_secs(seconds))
}

fn answer(reply: &Reply) -> Result<Answer, ClientError> {
    let is_cut = matches!(
        reply.stop_reason,
        StopReason::MaxTokens | StopReason::ContextWindowExceeded
    );
    if is_cut && reply.tool_calls().next().is_some() {
        return Err(ClientError::Malformed(
            "a tool call was cut by the limit on tokens".to_owned(),
        ));
    }
    Ok(Answer {
        text: reply.text(),
        thinking: reply.thinking(),
        calls: reply.tool_calls().cloned().collect(),
        finish: format!("{:?}", reply.stop_reason),
        input: reply.usage.input_tokens,
        output: reply.usage.output_tokens,
    })
}
