//! The user's side: a small client and agent on reqwest and eventsource-stream, as they are written
//! everywhere. It knows nothing of the library under test.
#![allow(dead_code, reason = "each test crate uses a part of it")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]

mod chat;
mod responses;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use eventsource_stream::Eventsource;
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::{sync::watch, task::JoinHandle};

pub(crate) type Error = Box<dyn std::error::Error + Send + Sync>;

/// A client of the Messages API; where the base URL ends in `/v1` of Chat Completions, or of Responses if it says so.
#[derive(Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    base_url: String,
    model: String,
    on_responses: bool,
}

/// One answer, read to its end.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) calls: Vec<Call>,
    pub(crate) finish: String,
}

/// A tool call of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) input: Value,
}

pub(crate) fn client(base_url: String) -> Client {
    Client {
        http: reqwest::Client::new(),
        base_url,
        model: "claude-haiku-4-5".to_owned(),
        on_responses: false,
    }
}

impl Client {
    pub(crate) fn model(mut self, model: &str) -> Self {
        self.model = model.to_owned();
        self
    }

    /// Goes to OpenAI Responses.
    pub(crate) fn on_responses(mut self) -> Self {
        self.on_responses = true;
        self
    }

    fn is_chat(&self) -> bool {
        self.base_url.ends_with("/v1") && !self.on_responses
    }

    pub(crate) fn post(&self, body: &Value) -> reqwest::RequestBuilder {
        self.http
            .post(format!("{}/v1/messages", self.base_url))
            .header("x-api-key", "sk-ant-test-0123456789")
            .header("anthropic-version", "2023-06-01")
            .json(body)
    }

    pub(crate) fn body(&self, messages: &[Value]) -> Value {
        let shell = json!({"name": "shell", "input_schema": {"type": "object"}});
        json!({
            "model": self.model, "max_tokens": 1024, "stream": true, "tools": [shell],
            "messages": messages,
        })
    }

    /// Asks one question.
    pub(crate) async fn ask(&self, question: &str) -> Result<String, Error> {
        let messages = [json!({"role": "user", "content": question})];
        Ok(self.answer(&messages, |_| {}).await?.text)
    }

    /// Streams one answer; `on_call` sees each tool call as soon as it is whole.
    pub(crate) async fn answer(
        &self,
        messages: &[Value],
        mut on_call: impl FnMut(&Call),
    ) -> Result<Answer, Error> {
        if self.on_responses {
            return responses::answer(self, messages, on_call).await;
        }
        if self.is_chat() {
            return chat::answer(self, messages, on_call).await;
        }
        let response = self.post(&self.body(messages)).send().await?;
        let status = response.status();
        if !status.is_success() {
            let body: Value = response.json().await?;
            return Err(body["error"]["message"].as_str().unwrap_or_default().into());
        }
        let mut events = response.bytes_stream().eventsource();
        let mut answer = Answer::default();
        let mut open: BTreeMap<u64, (Call, String)> = BTreeMap::new();
        while let Some(event) = events.next().await {
            let event = event?;
            let data: Value = serde_json::from_str(&event.data)?;
            let index = data["index"].as_u64().unwrap_or_default();
            match event.event.as_str() {
                "content_block_start" if data["content_block"]["type"] == "tool_use" => {
                    let block = &data["content_block"];
                    let call = Call {
                        id: block["id"].as_str().unwrap_or_default().to_owned(),
                        name: block["name"].as_str().unwrap_or_default().to_owned(),
                        input: json!({}),
                    };
                    open.insert(index, (call, String::new()));
                }
                "content_block_delta" => {
                    let delta = &data["delta"];
                    answer.text += delta["text"].as_str().unwrap_or_default();
                    if let Some((_, input)) = open.get_mut(&index) {
                        *input += delta["partial_json"].as_str().unwrap_or_default();
                    }
                }
                "content_block_stop" => {
                    if let Some((mut call, input)) = open.remove(&index) {
                        if !input.is_empty() {
                            call.input = serde_json::from_str(&input)?;
                        }
                        on_call(&call);
                        answer.calls.push(call);
                    }
                }
                "message_delta" => {
                    let reason = data["delta"]["stop_reason"].as_str();
                    answer.finish = reason.unwrap_or_default().to_owned();
                }
                "message_stop" => return Ok(answer),
                "error" => return Err(data["error"]["message"].as_str().unwrap_or("?").into()),
                _ => {}
            }
        }
        Err("the stream ended before message_stop".into())
    }
}

/// An agent: asks, runs the tools that the model calls, asks again.
pub(crate) struct Agent {
    client: Client,
    shell: Shell,
    history: Vec<Value>,
}

pub(crate) fn agent(base_url: String) -> Agent {
    Agent {
        client: client(base_url),
        shell: Shell::recording(),
        history: Vec::new(),
    }
}

impl Agent {
    /// Goes to OpenAI Responses.
    pub(crate) fn on_responses(mut self) -> Self {
        self.client = self.client.on_responses();
        self
    }

    pub(crate) fn with_shell(mut self, shell: &Shell) -> Self {
        self.shell = shell.clone();
        self
    }

    pub(crate) fn with_history(mut self, history: Vec<Value>) -> Self {
        self.history = history;
        self
    }

    /// Answers a prompt; a conversation that is too long for the model is summarized once.
    pub(crate) async fn run(mut self, prompt: &str) -> Result<String, Error> {
        self.history
            .push(json!({"role": "user", "content": prompt}));
        let mut compacted = false;
        loop {
            match self.step().await {
                Ok(Some(text)) => return Ok(text),
                Ok(None) => {}
                Err(error) if is_overflow(&error) && !compacted => {
                    compacted = true;
                    self.compact().await?;
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn step(&mut self) -> Result<Option<String>, Error> {
        let mut running: Vec<(Call, JoinHandle<String>)> = Vec::new();
        let shell = self.shell.clone();
        let answer = self.client.answer(&self.history, |call| {
            running.push((call.clone(), shell.start(&call.input)));
        });
        let answer = answer.await?;
        if answer.calls.is_empty() {
            return Ok(Some(answer.text));
        }
        let mut calls = Vec::new();
        for (call, result) in running {
            calls.push((call, result.await?));
        }
        if self.client.on_responses {
            self.history.extend(responses::exchange(&calls));
            return Ok(None);
        }
        if self.client.is_chat() {
            self.history.extend(chat::exchange(&calls));
            return Ok(None);
        }
        let uses = calls.iter().map(|(call, _)| {
            json!({
                "type": "tool_use", "id": call.id, "name": call.name, "input": call.input
            })
        });
        let uses: Vec<Value> = uses.collect();
        let results = calls.iter().map(|(call, result)| {
            json!({
                "type": "tool_result", "tool_use_id": call.id, "content": result
            })
        });
        let results: Vec<Value> = results.collect();
        self.history
            .push(json!({"role": "assistant", "content": uses}));
        self.history
            .push(json!({"role": "user", "content": results}));
        Ok(None)
    }

    async fn compact(&mut self) -> Result<(), Error> {
        let question = self.history.pop();
        let talk: Vec<String> = self
            .history
            .iter()
            .map(|m| m["content"].to_string())
            .collect();
        let request = format!("Summarize: {}", talk.join("\n"));
        let summary = self.client.ask(&request).await?;
        self.history = vec![
            json!({"role": "user", "content": summary}),
            json!({"role": "assistant", "content": "I see."}),
        ];
        self.history.extend(question);
        Ok(())
    }
}

/// Whether a conversation is too long for the model, in the words of each API.
fn is_overflow(error: &Error) -> bool {
    let text = error.to_string();
    let words = [
        "too long",
        "maximum context length",
        "exceeds the context window",
    ];
    words.iter().any(|words| text.contains(words))
}

/// A tool that says its own command, and tells who started.
#[derive(Clone)]
pub(crate) struct Shell {
    started: Arc<Mutex<watch::Sender<usize>>>,
}

impl Shell {
    pub(crate) fn recording() -> Self {
        Self {
            started: Arc::new(Mutex::new(watch::Sender::new(0))),
        }
    }

    fn start(&self, input: &Value) -> JoinHandle<String> {
        let command = input["cmd"].as_str().unwrap_or_default().to_owned();
        self.started.lock().unwrap().send_modify(|n| *n += 1);
        tokio::spawn(async move { command })
    }

    pub(crate) async fn wait_for_starts(&self, n: usize) {
        let mut started = self.started.lock().unwrap().subscribe();
        started.wait_for(|so_far| *so_far >= n).await.unwrap();
    }
}
