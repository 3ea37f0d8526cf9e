//! What an SDK is asked to do, as the drivers read it.

use llm_wire_stub::StubHandle;
use serde_json::{Value, json};

use crate::{Provider, Sdk};

/// The model that every call asks for, unless it says otherwise.
pub const MODEL: &str = "claude-sonnet-4-5";

/// The model that every call of Chat Completions asks for.
pub const CHAT_MODEL: &str = "gpt-4o-mini-2024-07-18";

/// The model that every call of Responses asks for.
pub const RESPONSES_MODEL: &str = "gpt-5-nano-2025-08-07";

/// One call of an SDK's public interface.
#[derive(Clone, Debug)]
#[must_use]
pub struct Call(Value);

impl Call {
    fn new(stub: &StubHandle, what: &str) -> Self {
        Self(json!({
            "do": what,
            "url": stub.anthropic_url(),
            "params": {
                "model": MODEL,
                "max_tokens": 1024,
                "messages": [{"role": "user", "content": "hello"}],
            },
            "client": {"key": "sk-ant-api03-interop-0123"},
            "max_retries": 0,
            "beta": false,
        }))
    }

    /// A call of OpenAI's SDKs on Chat Completions: `create`, `raw` (a stream, chunk by chunk), `helper` (the SDK's
    /// own stream), `parse` (structured output) or `loop` (tools, by hand).
    pub fn chat(stub: &StubHandle, what: &str) -> Self {
        let params = json!({
            "model": CHAT_MODEL,
            "messages": [{"role": "user", "content": "hello"}],
        });
        Self::openai(stub, "chat", what).field("params", params)
    }

    /// A call of OpenAI's SDKs on Responses: `create`, `raw` (a stream, event by event), `helper` (the SDK's own stream),
    /// `parse` (structured output), `loop` (tools, by hand; all items go back), `chain` (the same by
    /// `previous_response_id`) or `kept` (a response that is looked at again, and deleted).
    pub fn responses(stub: &StubHandle, what: &str) -> Self {
        let params = json!({"model": RESPONSES_MODEL, "input": "hello"});
        Self::openai(stub, "responses", what).field("params", params)
    }

    /// A method of a resource of OpenAI's SDKs by its path, such as `embeddings.create`, without parameters.
    pub fn openai_resource(stub: &StubHandle, method: &str) -> Self {
        let call = Self::openai(stub, "any", "resource").field("method", method);
        call.field("params", json!({})).field("ids", json!([]))
    }

    fn openai(stub: &StubHandle, api: &str, what: &str) -> Self {
        let call = Self::new(stub, what).field("provider", "openai");
        call.field("api", api).field("url", stub.openai_url())
    }

    /// A call of another vendor's SDK (`groq`, `mistral`) on its dialect of Chat: `create` or `stream`.
    pub fn vendor(stub: &StubHandle, vendor: &str, what: &str) -> Self {
        let call = Self::chat(stub, what).field("provider", "vendors");
        call.field("url", stub.url()).field("vendor", vendor)
    }

    pub(crate) fn provider(&self) -> Provider {
        match self.0["provider"].as_str() {
            Some("vendors") => Provider::Vendors,
            Some(_) => Provider::OpenAi,
            None => Provider::Anthropic,
        }
    }

    /// `messages.create(..)`.
    pub fn create(stub: &StubHandle) -> Self {
        Self::new(stub, "create")
    }

    /// `messages.stream(..)`, to its final message.
    pub fn helper(stub: &StubHandle) -> Self {
        Self::new(stub, "helper")
    }

    /// `messages.create(stream = true)`, event by event.
    pub fn raw(stub: &StubHandle) -> Self {
        Self::new(stub, "raw")
    }

    /// A tool loop over `messages.create(..)`, as the SDK's users write it. It goes on after a pause too.
    pub fn tool_loop(stub: &StubHandle) -> Self {
        Self::new(stub, "loop").field("stream", false)
    }

    /// The same over the final messages of `messages.stream(..)`.
    pub fn streaming_tool_loop(stub: &StubHandle) -> Self {
        Self::new(stub, "loop").field("stream", true)
    }

    /// The SDK's own tool loop, `beta.messages.tool_runner(..)`.
    pub fn tool_runner(stub: &StubHandle) -> Self {
        Self::new(stub, "runner").beta().field("stream", false)
    }

    /// The SDK's own tool loop over streams.
    pub fn streaming_tool_runner(stub: &StubHandle) -> Self {
        Self::new(stub, "runner").beta().field("stream", true)
    }

    /// The client's own `post(..)`, below the resources.
    pub fn post(stub: &StubHandle, path: &str) -> Self {
        Self::new(stub, "post").field("path", path)
    }

    /// A method of a resource by its path, such as `models.list`, without parameters.
    pub fn resource(stub: &StubHandle, method: &str) -> Self {
        let call = Self::new(stub, "resource").field("method", method);
        let call = call.field("params", json!({})).field("ids", json!([]));
        call.field("each", false)
    }

    /// Names the object that a [`resource`](Self::resource) is asked for.
    pub fn id(self, id: &str) -> Self {
        self.field("ids", json!([id]))
    }

    /// Reads every item of what a [`resource`](Self::resource) gives, over all pages.
    pub fn each(self) -> Self {
        self.field("each", true)
    }

    /// A request without the SDK, on the HTTP client that it uses.
    pub fn fetch(stub: &StubHandle, method: &str, path: &str, headers: Value) -> Self {
        let call = Self::new(stub, "fetch").field("method", method);
        call.field("path", path).field("headers", headers)
    }

    /// Looks at the SDK's own types too, where the language has them: the classes that it chose, and the members
    /// that do not fit them.
    pub fn types(self) -> Self {
        self.field("types", true)
    }

    /// Goes by way of `client.beta`.
    pub fn beta(self) -> Self {
        self.field("beta", true)
    }

    /// Sets a parameter of the request.
    pub fn param(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0["params"][name] = value.into();
        self
    }

    /// Sets the body of a [`fetch`](Self::fetch).
    pub fn body(self, body: Value) -> Self {
        self.field("body", body)
    }

    /// Goes to this base URL instead of the stub's.
    pub fn at(self, url: impl Into<String>) -> Self {
        self.field("url", url.into())
    }

    /// Lets the SDK try so many times more.
    pub fn retries(self, n: usize) -> Self {
        self.field("max_retries", n)
    }

    /// Sets the options of the client: `key`, `token`, `headers`; for TypeScript also `browser`.
    pub fn client(self, options: Value) -> Self {
        self.field("client", options)
    }

    /// Leaves the call in the middle, in this way, once the test says so.
    pub fn leave(self, way: &str) -> Self {
        self.field("leave", way)
    }

    fn field(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0[name] = value.into();
        self
    }

    pub(crate) fn line(&self, sdk: Sdk, times: usize) -> String {
        let mut call = self.0.clone();
        call["async"] = (sdk == Sdk::PythonAsync).into();
        call["times"] = times.into();
        call.to_string()
    }
}
