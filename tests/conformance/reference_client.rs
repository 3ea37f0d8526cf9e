//! A small client that loses nothing: reqwest, our decoder and accumulators, a limit on silence and one on the lack of
//! progress.

use std::{fmt, time::Duration};

use futures_util::StreamExt as _;
use llm_wire_stub::{conformance::Transcript, *};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

/// So often a status that may pass is asked again in all.
const TRIES: usize = 2;
const BACK_OFF: Duration = Duration::from_millis(5);

/// Asks one API, with a limit on silence.
#[derive(Clone, Debug)]
pub(crate) struct ReferenceClient {
    api: Api,
    idle_limit: Duration,
    http: reqwest::Client,
}

/// Why a call failed.
#[derive(Debug)]
pub(crate) enum Failure {
    Status(u16, String),
    NoStream(String),
    Transport(reqwest::Error),
    Silent(Duration),
    Malformed(String),
}

impl fmt::Display for Failure {
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

impl Failure {
    fn malformed(error: impl fmt::Display) -> Self {
        Self::Malformed(error.to_string())
    }
}

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        Self::Transport(error)
    }
}

impl ReferenceClient {
    pub(crate) fn new(api: Api, idle_limit: Duration) -> Self {
        Self {
            api,
            idle_limit,
            http: reqwest::Client::new(),
        }
    }

    /// Asks for a stream, again after a status that may pass; what came of it.
    pub(crate) async fn ask(&self, base_url: String) -> Result<Transcript, Failure> {
        let (path, body) = self.request();
        let url = base_url + path;
        let mut tries = 1;
        loop {
            let request = self
                .http
                .post(&url)
                .header("authorization", "Bearer key")
                .header("anthropic-version", "2023-06-01")
                .json(&body);
            let response = self.in_time(request.send()).await??;
            let status = response.status();
            if status.is_success() {
                return self.read(response).await;
            }
            let passes = [408, 409, 429].contains(&status.as_u16()) || status.is_server_error();
            if tries == TRIES || !passes {
                let body = self.in_time(response.text()).await??;
                return Err(Failure::Status(status.as_u16(), body));
            }
            tries += 1;
            tokio::time::sleep(hint(&response).unwrap_or(BACK_OFF)).await;
        }
    }

    async fn read(&self, response: reqwest::Response) -> Result<Transcript, Failure> {
        let kind = response.headers().get("content-type");
        let kind = kind.map(|kind| String::from_utf8_lossy(kind.as_bytes()).to_lowercase());
        let is_other =
            |kind: &String| !kind.contains("event-stream") && !kind.contains("text/plain");
        if let Some(kind) = kind.filter(is_other) {
            // some servers answer a request for a stream as a whole
            let body = self.in_time(response.bytes()).await??;
            let reply = accumulate_json(self.api, &body).map_err(|_| Failure::NoStream(kind))?;
            return transcript(&reply);
        }
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
                    Some(reply) => transcript(&reply),
                    None => Err(Failure::Silent(self.idle_limit)),
                };
            };
            let Some(piece) = piece else { break };
            decoder.push(&piece?).map_err(Failure::malformed)?;
            while let (false, Some(event)) = (has_ended, decoder.next_event()) {
                accumulator.push(&event).map_err(Failure::malformed)?;
                has_ended = self.ends(&event);
                // keep-alives are no progress
                if !["ping", "keepalive"].contains(&event.name().unwrap_or_default()) {
                    deadline = Instant::now() + self.idle_limit;
                }
            }
        }
        if !has_ended {
            decoder.finish().map_err(Failure::malformed)?;
        }
        transcript(&accumulator.finish().map_err(Failure::malformed)?)
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

    async fn in_time<T>(&self, other: impl Future<Output = T>) -> Result<T, Failure> {
        let timed = tokio::time::timeout(self.idle_limit, other).await;
        timed.map_err(|_| Failure::Silent(self.idle_limit))
    }

    fn request(&self) -> (&'static str, Value) {
        let message = json!([{"role": "user", "content": "go"}]);
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
                    "stream_options": {"include_usage": true}
                }),
            ),
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

fn transcript(reply: &Reply) -> Result<Transcript, Failure> {
    let is_cut = matches!(
        reply.stop_reason,
        StopReason::MaxTokens | StopReason::ContextWindowExceeded
    );
    if is_cut && reply.tool_calls().next().is_some() {
        return Err(Failure::Malformed(
            "a tool call was cut by the limit on tokens".to_owned(),
        ));
    }
    Ok(Transcript::text(reply.text())
        .thinking(reply.thinking())
        .tool_calls(reply.tool_calls().cloned())
        .stop_reason(format!("{:?}", reply.stop_reason))
        .usage(reply.usage.input_tokens, reply.usage.output_tokens))
}
