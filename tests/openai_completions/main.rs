//! OpenAI's legacy text completions, from their bytes to their rules.
#![cfg(feature = "server")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]

#[path = "../support/post.rs"]
mod post;

mod asked;
mod bytes;
mod live;
mod resay;
mod roundtrip;
mod rules;
mod served;
mod unplayable;

use llm_wire_stub::{
    Api, StubHandle,
    serde_json::{Value, json},
};
use post::{Answered, Call, call};

const API: Api = Api::OpenAiCompletions;

/// A valid call: of the model `m`, to complete `Once`.
fn complete(stub: &StubHandle) -> Call {
    let body = json!({"model": "m", "prompt": "Once"});
    call(stub)
        .to("/v1/completions")
        .header("authorization", "Bearer k")
        .raw_body(body.to_string())
}

/// It with these members, too.
fn complete_with(stub: &StubHandle, members: &Value) -> Call {
    let mut body = json!({"model": "m", "prompt": "Once"});
    for (name, value) in members.as_object().unwrap() {
        body[name] = value.clone();
    }
    complete(stub).raw_body(body.to_string())
}

#[track_caller]
fn text(answered: &Answered) -> &str {
    assert_eq!(answered.status, 200, "{answered:?}");
    std::str::from_utf8(&answered.body).unwrap()
}
