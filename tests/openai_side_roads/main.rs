//! What the stub serves of OpenAI besides calls of the model.
#![cfg(feature = "server")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]

#[path = "../support/caught.rs"]
mod caught;
#[path = "../support/post.rs"]
mod post;
#[path = "../support/routes.rs"]
mod routes;

mod embeddings;
mod models;
mod moderations;
mod rules;

use llm_wire_stub::{
    StubHandle, WireStub, WireStubBuilder,
    serde_json::{Value, json},
};
use post::{Answered, KEY};

/// No noise in its headers.
#[track_caller]
fn builder() -> WireStubBuilder {
    WireStub::builder().plain()
}

/// Asks for what stands at this path below `/v1`, with the headers of OpenAI's clients.
async fn ask(stub: &StubHandle, method: &str, path: &str, body: Option<Value>) -> Answered {
    let bearer = format!("Bearer {KEY}");
    ask_with(stub, method, path, body, &[("authorization", &bearer)]).await
}

async fn ask_with(
    stub: &StubHandle,
    method: &str,
    path: &str,
    body: Option<Value>,
    headers: &[(&str, &str)],
) -> Answered {
    post::ask_at(method, stub.openai_url() + path, body, headers).await
}

async fn get(stub: &StubHandle, path: &str) -> Answered {
    ask(stub, "GET", path, None).await
}

async fn embed(stub: &StubHandle, body: Value) -> Answered {
    ask(stub, "POST", "/embeddings", Some(body)).await
}

/// Where the script of a stub was built, as messages say it.
fn place_of_script(stub: &WireStub) -> String {
    let shown = format!("{:?}", stub.handle());
    let (_, rest) = shown.split_once("script: \"").unwrap();
    rest.split_once('"').unwrap().0.to_owned()
}

#[track_caller]
fn text(answered: &Answered) -> &str {
    std::str::from_utf8(&answered.body).unwrap()
}

/// An error's body, its members by name.
fn error(message: &str, kind: &str, param: Option<&str>, code: Option<&str>) -> Value {
    json!({"error": {"message": message, "type": kind, "param": param, "code": code}})
}
