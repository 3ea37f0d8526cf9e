//! The official SDKs, each as a process of its language: their streaming helpers, which join a stream themselves, and what
//! they give in the end. They show everything; Chat has no thinking.

use std::time::Duration;

use llm_wire_stub::{
    Api, Turn, WireStub,
    conformance::Transcript,
    serde_json::{Value, json},
};
use llm_wire_stub_interop::{CHAT_MODEL, MODEL, Provider, RESPONSES_MODEL, Sdk, node, python};

use super::KEY;
use crate::process::Driver;

/// The SDK's own option `timeout`.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(1);

/// An SDK on an API.
pub(crate) struct Client {
    driver: Driver,
    call: Value,
}

impl Client {
    pub(crate) fn new(sdk: Sdk, provider: Provider, api: Api) -> Self {
        let package = package(sdk, provider);
        let (start, client): (fn() -> _, _) = if sdk == Sdk::TypeScript {
            let options = json!({"apiKey": KEY, "timeout": TIMEOUT.as_secs_f64() * 1e3});
            (
                || node(include_str!("../../../node/conformance.mjs")),
                options,
            )
        } else {
            let options = json!({"api_key": KEY, "timeout": TIMEOUT.as_secs_f64()});
            (|| python("python/conformance.py"), options)
        };
        let (api, params) = request(api);
        Self {
            driver: Driver::new(sdk.version(provider), move || {
                let mut command = start();
                command.arg(package);
                command
            }),
            call: json!({"api": api, "client": client, "params": params}),
        }
    }

    /// Starts the process and lets the SDK load what it loads with its first call, which takes long and is not judged.
    pub(crate) async fn warm_up(&self) {
        let turn = Turn::new().text("hi");
        let stub = WireStub::builder()
            .turn(turn)
            .without_verify_on_drop()
            .start();
        let base_url = if self.call["api"] == "messages" {
            stub.anthropic_url()
        } else {
            stub.openai_url()
        };
        let _ = self.ask(base_url).await;
    }

    pub(crate) async fn ask(&self, base_url: String) -> Result<Transcript, String> {
        let mut call = self.call.clone();
        call["url"] = base_url.into();
        let said = self.driver.ask(&call).await;
        if let Some(message) = said["panicked"].as_str() {
            panic!("{message}");
        }
        match said["failed"].as_str() {
            Some(error) => Err(error.to_owned()),
            None => transcript(&said["read"]).ok_or_else(|| panic!("no transcript: `{said}`")),
        }
    }
}

/// As its registry calls it.
pub(crate) const fn package(sdk: Sdk, provider: Provider) -> &'static str {
    match (sdk, provider) {
        (Sdk::TypeScript, Provider::Anthropic) => "@anthropic-ai/sdk",
        (_, Provider::Anthropic) => "anthropic",
        _ => "openai",
    }
}

/// As the drivers call the API, and what it is asked.
fn request(api: Api) -> (&'static str, Value) {
    let messages = json!([{"role": "user", "content": "hello"}]);
    match api {
        Api::AnthropicMessages => (
            "messages",
            json!({"model": MODEL, "max_tokens": 1024, "messages": messages}),
        ),
        Api::OpenAiChat => (
            "chat",
            json!({
                "model": CHAT_MODEL, "messages": messages,
                "stream_options": {"include_usage": true},
            }),
        ),
        _ => (
            "responses",
            json!({"model": RESPONSES_MODEL, "input": "hello"}),
        ),
    }
}

/// What the driver read, if it has that form.
fn transcript(read: &Value) -> Option<Transcript> {
    let mut calls = Vec::new();
    for call in read["tool_calls"].as_array()? {
        let text = |at: usize| call[at].as_str().unwrap_or_default().to_owned();
        calls.push((text(0), text(1), call[2].clone()));
    }
    let number = |at: usize| read["usage"][at].as_u64().unwrap_or_default();
    let transcript = Transcript::text(read["text"].as_str()?)
        .tool_calls(calls)
        .stop_reason(read["stop_reason"].as_str())
        .usage(number(0), number(1));
    Some(match read["thinking"].as_str() {
        Some(thinking) => transcript.thinking(thinking),
        None => transcript,
    })
}
