//! One way to ask each client, and one form for what it gave: `tests` say what is asked and what is right,
//! the files here only translate.
//!
//! | file | client | its own tool loop |
//! | --- | --- | --- |
//! | `rig.rs` | `rig-core`, with its agent runtime `rig-agent` | the agent |
//! | `genai.rs` | `genai` | none: written as its examples write it |
//! | `async_anthropic.rs` | `async-anthropic` | none, and nothing that joins a stream's events: both written by hand |
//! | `async_openai/` | `async-openai` | none, and nothing that joins a stream's events: both written by hand |

pub(crate) mod async_anthropic;
pub(crate) mod async_openai;
pub(crate) mod genai;
pub(crate) mod rig;

use futures_util::future::BoxFuture;
use llm_wire_stub::{Api, Dialect, Reply, StubHandle, Turn};
use llm_wire_stub_interop::{CHAT_MODEL, MODEL};
use serde_json::{Value, json};

/// A published client, at the version that `Cargo.toml` pins, on one API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Client {
    pub(crate) library: Library,
    pub(crate) wire: Wire,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Library {
    Rig,
    Genai,
    AsyncAnthropic,
    AsyncOpenai,
}

/// An API that clients are asked to speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    Anthropic,
    Chat,
    Responses,
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
    /// The parts in the client's order: `{"text"[, "citations"]}`, `{"refusal"}`, `{"tool", "id", "arguments"}`,
    /// `{"thinking", "signature"}`, or `{"other"}`. Of a call that failed: what had arrived before.
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

/// What a client gave for inputs to embed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Embedded {
    pub(crate) vectors: Vec<Vec<f32>>,
    pub(crate) model: Option<String>,
    pub(crate) tokens: Option<u64>,
}

/// The model of every embedding.
pub(crate) const EMBEDDING_MODEL: &str = "text-embedding-3-small";

/// What a client is asked for besides an answer to "hello".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wants {
    Answer,
    Thinking,
    /// An answer that fits [`best`].
    Structured,
}

impl Wire {
    pub(crate) const ALL: [Self; 3] = [Self::Anthropic, Self::Chat, Self::Responses];
    /// The APIs of OpenAI.
    pub(crate) const OPENAI: [Self; 2] = [Self::Chat, Self::Responses];

    /// The clients of this API, in the order of the tables.
    pub(crate) const fn libraries(self) -> [Library; 3] {
        let own = match self {
            Self::Anthropic => Library::AsyncAnthropic,
            Self::Chat | Self::Responses => Library::AsyncOpenai,
        };
        [Library::Rig, Library::Genai, own]
    }

    pub(crate) const fn api(self) -> Api {
        match self {
            Self::Anthropic => Api::AnthropicMessages,
            Self::Chat => Api::OpenAiChat,
            Self::Responses => Api::OpenAiResponses,
        }
    }

    /// The model that every call asks for.
    pub(crate) const fn model(self) -> &'static str {
        match self {
            Self::Anthropic => MODEL,
            Self::Chat | Self::Responses => CHAT_MODEL,
        }
    }

    /// What a client reads of `turn` that loses nothing, if this API can say the turn.
    pub(crate) fn reply(self, turn: &Turn) -> Option<Reply> {
        turn.normalized(self.api()).ok()
    }
}

impl Library {
    /// Those that embed.
    pub(crate) const EMBEDDING: [Self; 3] = [Self::Rig, Self::Genai, Self::AsyncOpenai];

    /// Embeds the inputs, in so many dimensions where they are given.
    pub(crate) async fn embed(
        self,
        stub: &StubHandle,
        inputs: &[&str],
        dimensions: Option<u16>,
    ) -> Result<Embedded, Failure> {
        let inputs = inputs.iter().map(|input| (*input).to_owned()).collect();
        match self {
            Self::Rig => rig::embed(stub, inputs, dimensions).await,
            Self::Genai => genai::embed(stub, inputs, dimensions).await,
            Self::AsyncOpenai => async_openai::embed(stub, inputs, dimensions).await,
            Self::AsyncAnthropic => panic!("its service has no embeddings"),
        }
    }
}

impl Client {
    /// The ids of the models that the provider lists.
    pub(crate) async fn model_ids(self, stub: &StubHandle) -> Vec<String> {
        match self.library {
            Library::Rig => rig::model_ids(self.wire, stub).await,
            Library::Genai => genai::model_ids(self.wire, stub).await,
            Library::AsyncOpenai => async_openai::model_ids(stub).await,
            Library::AsyncAnthropic => panic!("it lists no models"),
        }
    }

    /// Asks once.
    pub(crate) async fn ask(self, stub: &StubHandle, form: Form, wants: Wants) -> Seen {
        match self.library {
            Library::Rig => rig::ask(self.wire, stub, form, wants).await,
            Library::Genai => genai::ask(self.wire, stub, form, wants).await,
            Library::AsyncAnthropic => async_anthropic::ask(stub, form).await,
            Library::AsyncOpenai => async_openai::ask(self.wire, stub, form, wants).await,
        }
    }

    /// Asks a vendor that speaks Chat in its own way.
    pub(crate) async fn ask_vendor(self, stub: &StubHandle, vendor: Dialect, form: Form) -> Seen {
        match self.library {
            Library::Rig => rig::ask_vendor(stub, vendor, form).await,
            Library::Genai => genai::ask_vendor(stub, vendor, form).await,
            Library::AsyncOpenai => async_openai::ask_vendor(stub, vendor, form).await,
            Library::AsyncAnthropic => panic!("it speaks to Anthropic"),
        }
    }

    /// Asks, and answers the calls of [`weather`] until the model has none; gives the last turn.
    pub(crate) async fn tool_loop(self, stub: &StubHandle, form: Form, wants: Wants) -> Seen {
        match self.library {
            Library::Rig => rig::tool_loop(self.wire, stub, form, wants).await,
            Library::Genai => genai::tool_loop(self.wire, stub, form, wants).await,
            Library::AsyncAnthropic => async_anthropic::tool_loop(stub, form).await,
            Library::AsyncOpenai => async_openai::tool_loop(self.wire, stub, form, wants).await,
        }
    }

    /// A stream after its first fragment of text. Dropping the holder leaves the stream.
    pub(crate) async fn begin(self, stub: &StubHandle) -> Box<dyn Send> {
        match self.library {
            Library::Rig => rig::begin(self.wire, stub).await,
            Library::Genai => genai::begin(self.wire, stub).await,
            Library::AsyncAnthropic => async_anthropic::begin(stub).await,
            Library::AsyncOpenai => async_openai::begin(self.wire, stub).await,
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

/// What an answer is to fit where it is [structured](Wants::Structured).
pub(crate) fn best() -> Value {
    json!({
        "type": "object",
        "properties": {"best": {"type": "integer"}},
        "required": ["best"],
        "additionalProperties": false,
    })
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
