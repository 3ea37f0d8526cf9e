//! No client: `reqwest`, `eventsource-stream` and the loop that people write. It looks at the events that it needs and at no
//! other, and takes the end of the stream for the end of the answer. It shows everything.

use std::{collections::BTreeMap, time::Duration};

use eventsource_stream::{Event, Eventsource as _};
use futures_util::StreamExt as _;
use llm_wire_stub::{Api, conformance::Transcript};
use llm_wire_stub_interop::{CHAT_MODEL, MODEL, RESPONSES_MODEL};
use serde_json::{Value, json};

use super::{KEY, arguments, said};

/// Between two reads, as long as the body goes on.
pub(crate) const READ_TIMEOUT: Duration = Duration::from_secs(1);

pub(crate) async fn ask(api: Api, base_url: String) -> Result<Transcript, String> {
    let client = reqwest::Client::builder().read_timeout(READ_TIMEOUT);
    let client = client.build().map_err(said)?;
    let (path, body) = request(api);
    let response = client
        .post(base_url + path)
        .header("x-api-key", KEY)
        .header("anthropic-version", "2023-06-01")
        .bearer_auth(KEY)
        .json(&body)
        .send()
        .await
        .and_then(reqwest::Response::error_for_status)
        .map_err(said)?;
    let mut events = response.bytes_stream().eventsource();
    let mut read = Read::default();
    while let Some(event) = events.next().await {
        let Event { data, .. } = event.map_err(said)?;
        if data == "[DONE]" {
            break;
        }
        let data: Value = serde_json::from_str(&data).map_err(said)?;
        match api {
            Api::AnthropicMessages => read.anthropic(&data),
            Api::OpenAiChat => read.chat(&data),
            _ => read.responses(&data),
        }
    }
    read.transcript()
}

fn request(api: Api) -> (&'static str, Value) {
    let messages = json!([{"role": "user", "content": "hello"}]);
    match api {
        Api::AnthropicMessages => (
            "/v1/messages",
            json!({"model": MODEL, "max_tokens": 1024, "messages": messages, "stream": true}),
        ),
        Api::OpenAiChat => (
            "/chat/completions",
            json!({
                "model": CHAT_MODEL, "messages": messages, "stream": true,
                "stream_options": {"include_usage": true},
            }),
        ),
        _ => (
            "/responses",
            json!({"model": RESPONSES_MODEL, "input": messages, "stream": true}),
        ),
    }
}

/// What was read so far.
#[derive(Default)]
struct Read {
    text: String,
    thinking: String,
    /// By index: id, name, arguments.
    calls: BTreeMap<u64, (String, String, String)>,
    stop: Option<String>,
    input: u64,
    output: u64,
}

impl Read {
    fn anthropic(&mut self, data: &Value) {
        let index = data["index"].as_u64().unwrap_or_default();
        match text(&data["type"]) {
            "message_start" => {
                self.input = number(&data["message"]["usage"]["input_tokens"]);
            }
            "content_block_start" if data["content_block"]["type"] == "tool_use" => {
                let block = &data["content_block"];
                let call = (text(&block["id"]), text(&block["name"]));
                let call = (call.0.to_owned(), call.1.to_owned(), String::new());
                self.calls.insert(index, call);
            }
            "content_block_delta" => {
                let delta = &data["delta"];
                self.text += text(&delta["text"]);
                self.thinking += text(&delta["thinking"]);
                if let Some((_, _, arguments)) = self.calls.get_mut(&index) {
                    *arguments += text(&delta["partial_json"]);
                }
            }
            "message_delta" => {
                self.stop = Some(text(&data["delta"]["stop_reason"]).to_owned());
                self.output = number(&data["usage"]["output_tokens"]);
            }
            _ => {}
        }
    }

    fn chat(&mut self, chunk: &Value) {
        if chunk["usage"].is_object() {
            self.input = number(&chunk["usage"]["prompt_tokens"]);
            self.output = number(&chunk["usage"]["completion_tokens"]);
        }
        let choice = &chunk["choices"][0];
        let delta = &choice["delta"];
        self.text += text(&delta["content"]);
        for part in delta["tool_calls"].as_array().into_iter().flatten() {
            let call = self.calls.entry(number(&part["index"])).or_default();
            call.0 += text(&part["id"]);
            call.1 += text(&part["function"]["name"]);
            call.2 += text(&part["function"]["arguments"]);
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.stop = Some(reason.to_owned());
        }
    }

    fn responses(&mut self, data: &Value) {
        let index = number(&data["output_index"]);
        let item = &data["item"];
        match text(&data["type"]) {
            "response.output_text.delta" => self.text += text(&data["delta"]),
            "response.reasoning_summary_text.delta" => self.thinking += text(&data["delta"]),
            "response.output_item.added" if item["type"] == "function_call" => {
                let (id, name) = (text(&item["call_id"]), text(&item["name"]));
                let call = (id.to_owned(), name.to_owned(), String::new());
                self.calls.insert(index, call);
            }
            "response.function_call_arguments.delta" => {
                if let Some((_, _, arguments)) = self.calls.get_mut(&index) {
                    *arguments += text(&data["delta"]);
                }
            }
            "response.completed" | "response.incomplete" => {
                let response = &data["response"];
                self.stop = Some(text(&response["status"]).to_owned());
                self.input = number(&response["usage"]["input_tokens"]);
                self.output = number(&response["usage"]["output_tokens"]);
            }
            _ => {}
        }
    }

    fn transcript(self) -> Result<Transcript, String> {
        let mut calls = Vec::new();
        for (id, name, sent) in self.calls.into_values() {
            calls.push((id, name, arguments(&sent)?));
        }
        Ok(Transcript::text(self.text)
            .thinking(self.thinking)
            .tool_calls(calls)
            .stop_reason(self.stop)
            .usage(self.input, self.output))
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}
