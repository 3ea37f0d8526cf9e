//! `async-openai` 0.43.
//!
//! | file | holds |
//! | --- | --- |
//! | `chat.rs` | Chat Completions |
//! | `responses.rs` | Responses |
//! | `completions.rs` | legacy text completions |
//! | `embeddings.rs` | embeddings |

mod chat;
mod completions;
mod embeddings;
mod responses;

pub(crate) use completions::{COMPLETION_MODEL, complete};
pub(super) use embeddings::embed;
pub(crate) use embeddings::{embed_as_base64, embed_tokens};
pub(crate) use responses::kept;

use async_openai::{
    Client,
    config::OpenAIConfig,
    error::OpenAIError,
    middleware::ReqwestService,
    types::{
        models::Model,
        moderations::{CreateModerationRequest, ModerationInput},
    },
};
use llm_wire_stub::{Dialect, StubHandle};
use serde_json::{Value, json};

use super::{Failure, Form, KEY, Seen, Wants, Wire};

fn config(stub: &StubHandle) -> OpenAIConfig {
    let config = OpenAIConfig::new().with_api_base(stub.openai_url());
    config.with_api_key(KEY)
}

/// Without the retries that are its default.
fn client(stub: &StubHandle) -> Client<OpenAIConfig> {
    Client::with_config(config(stub)).with_http_service(ReqwestService::default())
}

pub(super) async fn ask(wire: Wire, stub: &StubHandle, form: Form, wants: Wants) -> Seen {
    ask_by(&client(stub), wire, form, wants).await
}

/// Asks a vendor at the base URL that its users give.
pub(super) async fn ask_vendor(stub: &StubHandle, vendor: Dialect, form: Form) -> Seen {
    let config = config(stub).with_api_base(stub.dialect_url(vendor));
    let client = Client::with_config(config).with_http_service(ReqwestService::default());
    chat::ask(&client, form, Wants::Answer).await
}

/// Asks once, and again where the client tries again unless told otherwise.
pub(crate) async fn ask_as_it_comes(wire: Wire, stub: &StubHandle, form: Form) -> Seen {
    let client = Client::with_config(config(stub));
    ask_by(&client, wire, form, Wants::Answer).await
}

async fn ask_by(client: &Client<OpenAIConfig>, wire: Wire, form: Form, wants: Wants) -> Seen {
    match wire {
        Wire::Anthropic => unreachable!("it speaks OpenAI's APIs"),
        Wire::Chat => chat::ask(client, form, wants).await,
        Wire::Responses => responses::ask(client, form, wants).await,
    }
}

/// The whole answer as the client's types write it again, to a request with nothing but a model and "hello".
pub(crate) async fn whole_answer(wire: Wire, stub: &StubHandle) -> Value {
    match wire {
        Wire::Anthropic => unreachable!("it speaks OpenAI's APIs"),
        Wire::Chat => chat::whole_answer(&client(stub)).await,
        Wire::Responses => responses::whole_answer(&client(stub)).await,
    }
}

pub(super) async fn tool_loop(wire: Wire, stub: &StubHandle, form: Form, wants: Wants) -> Seen {
    match wire {
        Wire::Anthropic => unreachable!("it speaks OpenAI's APIs"),
        Wire::Chat => chat::tool_loop(&client(stub), form).await,
        Wire::Responses => responses::tool_loop(&client(stub), form, wants).await,
    }
}

pub(super) async fn begin(wire: Wire, stub: &StubHandle) -> Box<dyn Send> {
    match wire {
        Wire::Anthropic => unreachable!("it speaks OpenAI's APIs"),
        Wire::Chat => chat::begin(&client(stub)).await,
        Wire::Responses => responses::begin(&client(stub)).await,
    }
}

pub(super) async fn model_ids(stub: &StubHandle) -> Vec<String> {
    let listed = client(stub).models().list().await.expect("a list");
    let models = listed.data.into_iter();
    models.map(|model| model.id).collect()
}

/// One model, as the client's type has it.
pub(crate) async fn model(stub: &StubHandle, id: &str) -> Result<Model, Failure> {
    let model = client(stub).models().retrieve(id).await;
    model.map_err(|error| failure(&error))
}

/// What is said of a text, as the client's type writes it again.
pub(crate) async fn moderation(stub: &StubHandle, text: &str) -> Result<Value, Failure> {
    let request = CreateModerationRequest {
        input: ModerationInput::String(text.to_owned()),
        model: None,
    };
    let answer = client(stub).moderations().create(request).await;
    let answer = answer.map_err(|error| failure(&error))?;
    Ok(json!(answer.results[0]))
}

fn failure(error: &OpenAIError) -> Failure {
    let text = error.to_string();
    let kind = match error {
        OpenAIError::ApiError(said) => {
            let error = &said.api_error;
            // of a 5xx it reads nothing: the whole body is the message
            let read = error.r#type.is_some();
            return Failure {
                kind: "ApiError",
                status: Some(said.status_code.as_u16()),
                body: read.then(|| json!({"error": error}).to_string()),
                text,
                ..Failure::default()
            };
        }
        OpenAIError::Reqwest(_) => "Reqwest",
        OpenAIError::JSONDeserialize(..) => "JSONDeserialize",
        OpenAIError::StreamError(_) => "StreamError",
        error => panic!("there is a new error\n  found: `{error:?}`"),
    };
    Failure {
        kind,
        text,
        ..Failure::default()
    }
}
