//! The user's side, patient: a client that asks again after a cut stream and a 429, and ends a call that is silent
//! for too long. Its timers are tokio's, as those of real clients are. It knows nothing of the library under test.
#![allow(dead_code, reason = "each test crate uses a part of it")]
#![allow(
    clippy::disallowed_methods,
    reason = "a client backs off by tokio's timers"
)]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]

use std::{fmt, time::Duration};

use eventsource_stream::Eventsource;
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

/// So often it asks at most.
const ATTEMPTS: u32 = 4;
/// So long it waits before it asks again, unless it is told how long.
const BACK_OFF: Duration = Duration::from_millis(500);

/// A client of the Messages API; of Chat Completions, where the base URL ends in `/v1`.
#[derive(Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    base_url: String,
    idle_limit: Duration,
}

pub(crate) fn client(base_url: String) -> Client {
    Client {
        http: reqwest::Client::new(),
        base_url,
        idle_limit: Duration::from_secs(600),
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Error {
    /// Nothing came for too long behind this text.
    Idle {
        partial: String,
    },
    /// The stream ended early.
    Cut,
    /// The service wants to be asked later.
    Later(Duration),
    Refused(String),
}

impl Error {
    pub(crate) fn is_idle_timeout(&self) -> bool {
        matches!(self, Self::Idle { .. })
    }

    pub(crate) fn partial_text(&self) -> &str {
        match self {
            Self::Idle { partial } => partial,
            Self::Cut | Self::Later(_) | Self::Refused(_) => "",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl Client {
    /// Ends a call of which nothing comes for so long.
    pub(crate) fn idle_limit(mut self, limit: Duration) -> Self {
        self.idle_limit = limit;
        self
    }

    /// Asks one question, again and again if need be.
    pub(crate) fn ask(
        &self,
        question: &str,
    ) -> impl Future<Output = Result<String, Error>> + Send + use<> {
        let (this, question) = (self.clone(), question.to_owned());
        async move {
            let mut attempts = 0;
            loop {
                attempts += 1;
                let error = match this.attempt(&question).await {
                    Ok(text) => return Ok(text),
                    Err(error) => error,
                };
                let wait = match error {
                    Error::Cut => BACK_OFF * 2_u32.pow(attempts - 1),
                    Error::Later(wait) => wait,
                    Error::Idle { .. } | Error::Refused(_) => return Err(error),
                };
                if attempts == ATTEMPTS {
                    return Err(error);
                }
                sleep(wait).await;
            }
        }
    }

    async fn attempt(&self, question: &str) -> Result<String, Error> {
        let messages = json!([{"role": "user", "content": question}]);
        let request = if self.base_url.ends_with("/v1") {
            let url = format!("{}/chat/completions", self.base_url);
            let request = self.http.post(url).bearer_auth("sk-test-0123456789");
            request.json(&json!({"model": "gpt-4o", "stream": true, "messages": messages}))
        } else {
            let url = format!("{}/v1/messages", self.base_url);
            let request = self.http.post(url).header("x-api-key", "sk-ant-test-0123");
            request
                .header("anthropic-version", "2023-06-01")
                .json(&json!({
                    "model": "claude-haiku-4-5", "max_tokens": 9, "stream": true, "messages": messages
                }))
        };
        let response = request.send().await.map_err(|_| Error::Cut)?;
        if let Some(seconds) = response.headers().get("retry-after") {
            let seconds = seconds.to_str().unwrap().parse().unwrap();
            return Err(Error::Later(Duration::from_secs(seconds)));
        }
        if !response.status().is_success() {
            return Err(Error::Refused(response.text().await.unwrap()));
        }
        let mut events = response.bytes_stream().eventsource();
        let mut text = String::new();
        loop {
            let Ok(event) = timeout(self.idle_limit, events.next()).await else {
                return Err(Error::Idle { partial: text });
            };
            let Some(Ok(event)) = event else {
                return Err(Error::Cut);
            };
            if event.data == "[DONE]" || event.event == "message_stop" {
                return Ok(text);
            }
            let data: Value = serde_json::from_str(&event.data).map_err(|_| Error::Cut)?;
            text += data["delta"]["text"].as_str().unwrap_or_default();
            text += data["choices"][0]["delta"]["content"]
                .as_str()
                .unwrap_or_default();
        }
    }
}
