//! One call of the Messages API over reqwest, and its whole answer.
#![allow(dead_code, reason = "each test crate uses a part of it")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]

use llm_wire_stub::{
    Api, StubHandle, accumulate,
    bytes::Bytes,
    http::HeaderMap,
    serde_json::{self, Value, json},
};

/// A key as long as real ones, so that its last characters may be shown.
pub(crate) const KEY: &str = "sk-ant-test-0123456789";

/// A call, before it is sent: valid, not streamed, of the model `m`, asking `hi`.
#[derive(Clone)]
pub(crate) struct Call {
    http: reqwest::Client,
    url: String,
    headers: Vec<(String, String)>,
    body: Value,
    raw_body: Option<Vec<u8>>,
}

pub(crate) fn call(stub: &StubHandle) -> Call {
    Call {
        http: reqwest::Client::new(),
        url: stub.anthropic_url() + "/v1/messages",
        headers: vec![
            ("x-api-key".to_owned(), KEY.to_owned()),
            ("anthropic-version".to_owned(), "2023-06-01".to_owned()),
        ],
        body: json!({
            "model": "m", "max_tokens": 99, "messages": [{"role": "user", "content": "hi"}]
        }),
        raw_body: None,
    }
}

impl Call {
    pub(crate) fn on(mut self, http: &reqwest::Client) -> Self {
        self.http = http.clone();
        self
    }

    /// Sends it to this stub instead.
    pub(crate) fn at(mut self, stub: &StubHandle) -> Self {
        self.url = stub.anthropic_url() + "/v1/messages";
        self
    }

    /// Sends it to another server, at this root.
    pub(crate) fn at_url(mut self, root: &str) -> Self {
        let (_, authority_and_target) = self.url.split_once("://").unwrap();
        let (_, target) = authority_and_target.split_once('/').unwrap();
        self.url = format!("{root}/{target}");
        self
    }

    /// Sends it to this path and query instead.
    pub(crate) fn to(mut self, target: &str) -> Self {
        self.url = self.url.replace("/v1/messages", target);
        self
    }

    pub(crate) fn model(self, model: &str) -> Self {
        self.member("model", model)
    }

    pub(crate) fn streamed(self) -> Self {
        self.member("stream", true)
    }

    /// Asks this instead.
    pub(crate) fn asks(self, question: &str) -> Self {
        self.member("messages", json!([{"role": "user", "content": question}]))
    }

    /// Sets a member of the body.
    pub(crate) fn member(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.body[name] = value.into();
        self
    }

    /// Leaves a member of the body out.
    pub(crate) fn without_member(mut self, name: &str) -> Self {
        if let Value::Object(members) = &mut self.body {
            members.remove(name);
        }
        self
    }

    /// Offers tools of these names.
    pub(crate) fn offers(self, names: &[&str]) -> Self {
        let tools = names.iter();
        let tools: Value = tools
            .map(|name| json!({"name": name, "input_schema": {"type": "object"}}))
            .collect();
        self.member("tools", tools)
    }

    /// Sends these bytes as the body.
    pub(crate) fn raw_body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.raw_body = Some(body.into());
        self
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn without_header(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self
    }

    /// The body as it will be sent.
    pub(crate) fn body(&self) -> Vec<u8> {
        let json = || self.body.to_string().into_bytes();
        self.raw_body.clone().unwrap_or_else(json)
    }

    /// It as bytes, for a connection that ends with the answer.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let body = self.body();
        let (_, authority) = self.url.split_once("://").unwrap();
        let (authority, path) = authority.split_once('/').unwrap();
        let headers = self.headers.iter();
        let headers: String = headers.map(|(n, v)| format!("{n}: {v}\r\n")).collect();
        let length = body.len();
        let mut bytes = format!(
            "POST /{path} HTTP/1.1\r\nhost: {authority}\r\n{headers}\
             connection: close\r\ncontent-length: {length}\r\n\r\n"
        )
        .into_bytes();
        bytes.extend_from_slice(&body);
        bytes
    }

    /// Sends it and reads the answer to its end, which has to be proper.
    pub(crate) async fn send(self) -> Answered {
        self.try_send().await.unwrap()
    }

    /// As `send`, where it may fail.
    pub(crate) async fn try_send(self) -> reqwest::Result<Answered> {
        let response = self.request().send().await?;
        Ok(Answered {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            body: response.bytes().await?,
        })
    }

    /// It, for what else reqwest can do with it.
    pub(crate) fn request(self) -> reqwest::RequestBuilder {
        let body = self.body();
        let mut request = self.http.post(&self.url).body(body);
        for (name, value) in self.headers {
            request = request.header(name, value);
        }
        request
    }
}

/// An answer, read to its end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answered {
    /// The header's value; empty if there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().unwrap())
    }

    /// Why the stub answered, and not the script; empty if the script did.
    pub(crate) fn why(&self) -> &str {
        self.header("x-llm-wire-stub")
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The message of an error.
    #[track_caller]
    pub(crate) fn message(&self) -> String {
        let json = self.json();
        let message = json.pointer("/error/message").and_then(Value::as_str);
        message.unwrap().to_owned()
    }

    /// What the model said, streamed or not.
    #[track_caller]
    pub(crate) fn text(&self) -> String {
        assert_eq!(self.status, 200, "{self:?}");
        if self.header("content-type") == "application/json" {
            let json = self.json();
            let text = json.pointer("/content/0/text").and_then(Value::as_str);
            return text.unwrap_or_default().to_owned();
        }
        accumulate(Api::AnthropicMessages, &self.body)
            .unwrap()
            .text()
    }

    /// The text, or the status and the reason of a refusal.
    pub(crate) fn gist(&self) -> String {
        if self.status == 200 {
            self.text()
        } else {
            format!("{} {}", self.status, self.why())
                .trim_end()
                .to_owned()
        }
    }
}

/// Asks a server for what stands at this address.
pub(crate) async fn ask_at(
    method: &str,
    url: String,
    body: Option<Value>,
    headers: &[(&str, &str)],
) -> Answered {
    let mut request = reqwest::Client::new().request(method.parse().unwrap(), url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    if let Some(body) = body {
        request = request.body(body.to_string());
    }
    let response = request.send().await.unwrap();
    Answered {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        body: response.bytes().await.unwrap(),
    }
}
