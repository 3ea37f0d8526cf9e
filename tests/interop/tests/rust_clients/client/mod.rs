//! One way to ask each client, and one form for what it gave: `tests` say what is asked and what is right,
//! the files here only translate.
//!
//! | file | client | its own tool loop |
//! | --- | --- | --- |
//! | `rig.rs` | `rig-core`, with its agent runtime `rig-agent` | the agent |
//! | `genai.rs` | `genai` | none: written as its examples write it |
//! | `async_anthropic.rs` | `async-anthropic` | none, and nothing that joins a stream's events: both written by hand |

pub(crate) mod async_anthropic;
pub(crate) mod genai;
mod rig;

use futures_util::future::BoxFuture;
use llm_wire_stub::StubHandle;
use serde_json::{Value, json};

/// A published client, at the version that `Cargo.toml` pins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Client {
    Rig,
    Genai,
    AsyncAnthropic,
}

/// The form of the answer that the client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Whole,
    Streamed,
}

/// The key that every client sends.
pub(crate) const KEY: &str = "sk-ant-api03-interop-0123";

/// What a client gave for one call.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Seen {
    /// The parts in the client's order: `{"text"[, "citations"]}`, `{"tool", "id", "arguments"}`, `{"thinking", "signature"}`,
    /// or `{"other"}`. Of a call that failed: what had arrived before.
    pub(crate) content: Vec<Value>,
    /// The stop reason in the client's own words.
    pub(crate) stop: Option<String>,
    /// Usage, id and model of the answer, as far as the client keeps them.
    pub(crate) kept: Value,
    pub(crate) failure: Option<Failure>,
}

/// A client's error: what a program can get at, and what a person reads.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Failure {
    /// The variant of the client's error type.
    pub(crate) kind: &'static str,
    pub(crate) status: Option<u16>,
    /// The provider's body, if the error holds it.
    pub(crate) body: Option<String>,
    pub(crate) request_id: Option<String>,
    pub(crate) retry_after: Option<String>,
    /// `Display`, whole.
    pub(crate) text: String,
}

/// What a client is asked for besides an answer to "hello".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wants {
    Answer,
    Thinking,
}

impl Client {
    pub(crate) const ALL: [Self; 3] = [Self::Rig, Self::Genai, Self::AsyncAnthropic];

    /// Asks once.
    pub(crate) async fn ask(self, stub: &StubHandle, form: Form, wants: Wants) -> Seen {
        match self {
            Self::Rig => rig::ask(stub, form, wants).await,
            Self::Genai => genai::ask(stub, form, wants).await,
            Self::AsyncAnthropic => async_anthropic::ask(stub, form).await,
        }
    }

    /// Asks, and answers the calls of [`weather`] until the model has none; gives the last turn.
    pub(crate) async fn tool_loop(self, stub: &StubHandle, form: Form, wants: Wants) -> Seen {
        match self {
            Self::Rig => rig::tool_loop(stub, form, wants).await,
            Self::Genai => genai::tool_loop(stub, form, wants).await,
            Self::AsyncAnthropic => async_anthropic::tool_loop(stub, form).await,
        }
    }

    /// A stream after its first fragment of text. Dropping the holder leaves the stream.
    pub(crate) async fn begin(self, stub: &StubHandle) -> Box<dyn Send> {
        match self {
            Self::Rig => rig::begin(stub).await,
            Self::Genai => genai::begin(stub).await,
            Self::AsyncAnthropic => async_anthropic::begin(stub).await,
        }
    }

    /// A streaming call as its future, so that it can be left before it is answered.
    pub(crate) fn asking(self, stub: &StubHandle, form: Form) -> BoxFuture<'static, Seen> {
        let stub = stub.clone();
        Box::pin(async move { self.ask(&stub, form, Wants::Answer).await })
    }
}

impl Seen {
    pub(crate) fn failed(content: Vec<Value>, failure: Failure) -> Self {
        Self {
            content,
            failure: Some(failure),
            ..Self::default()
        }
    }

    /// Why there is no answer.
    #[track_caller]
    pub(crate) fn failure(&self) -> &Failure {
        match &self.failure {
            Some(failure) => failure,
            None => panic!("the client saw no failure\n  found: `{self:?}`"),
        }
    }
}

/// The tool of every loop.
pub(crate) fn schema() -> Value {
    json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]})
}

pub(crate) const TOOL: &str = "weather";
pub(crate) const TOOL_DESCRIPTION: &str = "The weather in a city.";

/// What the tool answers, or how it fails.
pub(crate) fn weather(arguments: &Value) -> Result<String, String> {
    match arguments["city"].as_str() {
        Some("Atlantis") => Err("no such city".to_owned()),
        Some(city) => Ok(format!("sunny in {city}")),
        None => Err(format!("no city in {arguments}")),
    }
}

fn text(text: &str) -> Value {
    json!({"text": text})
}

/// A text with what it is based on, if it is based on anything.
fn cited(said: &str, citations: Vec<Value>) -> Value {
    let mut part = text(said);
    if !citations.is_empty() {
        part["citations"] = citations.into();
    }
    part
}

fn call(id: &str, name: &str, arguments: &Value) -> Value {
    json!({"tool": name, "id": id, "arguments": arguments})
}

fn thinking(text: &str, signature: Option<&str>) -> Value {
    json!({"thinking": text, "signature": signature})
}

/// A part that is none of those, with the name of its kind where it has one.
fn other(part: &Value) -> Value {
    json!({"other": part})
}

/// Adds a fragment of text to the part it goes on with.
fn push_text(content: &mut Vec<Value>, fragment: &str) {
    if let Some(Value::String(text)) = content.last_mut().and_then(|part| part.get_mut("text")) {
        text.push_str(fragment);
    } else {
        content.push(text(fragment));
    }
}
