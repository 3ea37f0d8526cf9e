//! The user's side, longer: an agent that keeps its history from one prompt to the next, can be cancelled
//! inside an answer, and tells a log collector what it did. It knows nothing of the library under test.
#![allow(dead_code, reason = "each test crate uses a part of it")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]

use std::sync::{Arc, Mutex};

use eventsource_stream::Eventsource;
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::sync::{Notify, watch};

/// An agent; clones are the same one.
#[derive(Clone)]
pub(crate) struct Session {
    http: reqwest::Client,
    base_url: String,
    chat_id: &'static str,
    history: Arc<Mutex<Vec<Value>>>,
    /// The text of the answer so far.
    text: Arc<watch::Sender<String>>,
    cancel: Arc<Notify>,
}

#[derive(Debug)]
pub(crate) enum Error {
    Cancelled,
    Failed(String),
}

impl Error {
    pub(crate) fn is_cancelled(&self) -> bool {
        matches!(self, Self::Cancelled)
    }
}

impl<E: std::error::Error> From<E> for Error {
    fn from(error: E) -> Self {
        Self::Failed(error.to_string())
    }
}

pub(crate) fn session(base_url: String) -> Session {
    Session {
        http: reqwest::Client::new(),
        base_url,
        chat_id: "c-42",
        history: Arc::default(),
        text: Arc::new(watch::Sender::default()),
        cancel: Arc::default(),
    }
}

impl Session {
    /// Answers a prompt. If it is cancelled, what was said so far stays in the history; a tool call that
    /// has not come to its end does not, since nothing will answer it.
    pub(crate) fn run(
        &self,
        prompt: &str,
    ) -> impl Future<Output = Result<String, Error>> + Send + use<> {
        let (this, prompt) = (self.clone(), prompt.to_owned());
        async move {
            this.push("user", &prompt);
            this.text.send_replace(String::new());
            let ended = tokio::select! {
                ended = this.answer() => ended,
                () = this.cancel.notified() => Err(Error::Cancelled),
            };
            let text = this.text.borrow().clone();
            if !text.is_empty() {
                this.push("assistant", &text);
            }
            ended.map(|()| text)
        }
    }

    /// Ends the answer that is being read.
    pub(crate) fn cancel(&self) {
        self.cancel.notify_one();
    }

    pub(crate) async fn wait_for_text(&self, text: &str) {
        let mut seen = self.text.subscribe();
        seen.wait_for(|so_far| so_far == text).await.unwrap();
    }

    /// Tells the log collector that it is done.
    pub(crate) async fn shutdown(&self) {
        let told = self.post("/v1/logs").json(&json!({"done": true}));
        told.send().await.unwrap().error_for_status().unwrap();
    }

    fn push(&self, role: &str, text: &str) {
        let message = json!({"role": role, "content": text.trim_end()});
        self.history.lock().unwrap().push(message);
    }

    fn post(&self, path: &str) -> reqwest::RequestBuilder {
        let request = self.http.post(format!("{}{path}", self.base_url));
        request.header("x-chat-id", self.chat_id)
    }

    async fn answer(&self) -> Result<(), Error> {
        let messages = self.history.lock().unwrap().clone();
        let request = self
            .post("/v1/messages")
            .header("x-api-key", "sk-ant-test-0123456789")
            .header("anthropic-version", "2023-06-01")
            .json(&json!({
                "model": "claude-haiku-4-5", "max_tokens": 1024, "stream": true,
                "messages": messages, "tools": [{
                    "name": "edit",
                    "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}}
                }]
            }));
        let response = request.send().await?;
        if !response.status().is_success() {
            return Err(Error::Failed(response.text().await?));
        }
        let mut events = response.bytes_stream().eventsource();
        while let Some(event) = events.next().await {
            let event = event.map_err(|error| Error::Failed(error.to_string()))?;
            let data: Value = serde_json::from_str(&event.data)?;
            match event.event.as_str() {
                "content_block_delta" => {
                    let more = data["delta"]["text"].as_str().unwrap_or_default();
                    self.text.send_modify(|text| text.push_str(more));
                }
                "message_stop" => return Ok(()),
                _ => {}
            }
        }
        Err(Error::Failed(
            "the stream ended before message_stop".to_owned(),
        ))
    }
}
