//! A turn answers in somebody's own mock server, in the bytes that a stub would write.
#![cfg(feature = "wiremock")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]

#[path = "support/post.rs"]
mod post;

use std::time::Duration;

use llm_wire_stub::*;
use post::{Answered, Call, call};
use serde_json::json;
use wiremock::{Mock, MockServer, matchers::path};

const API: Api = Api::AnthropicMessages;

async fn mocks(turn: impl Into<Turn>) -> MockServer {
    let mocks = MockServer::start().await;
    let mock = Mock::given(path("/v1/messages")).respond_with(turn.into().responder(API));
    mock.mount(&mocks).await;
    mocks
}

/// The answer without what belongs to its connection.
async fn answer(call: Call) -> Answered {
    let mut answered = call.send().await;
    for framing in ["connection", "content-length", "transfer-encoding"] {
        answered.headers.remove(framing);
    }
    answered
}

#[tokio::test]
async fn a_turn_answers_as_a_stub_that_repeats_it() {
    for turn in [
        Turn::new().text("Hi there!"),
        Turn::new().text("Hi").plain(),
        Turn::new().text("Hi").seed(7).model("m-2"),
        Turn::new()
            .tool_call("edit", json!({"path": "a"}))
            .usage(Usage::input(1).output(2))
            .allow_script_drift(), // a stub looks at what the request offers
        Turn::new().text("two words").fragments(Fragments::by(|_| {
            vec!["two ".to_owned(), "words".to_owned()]
        })),
        Turn::error(ApiError::overloaded()),
        Turn::error(
            ApiError::rate_limited()
                .retry_after(Duration::from_secs(3))
                .header("x-a", "b"),
        ),
    ] {
        let mocks = mocks(turn.clone()).await;
        let stub = WireStub::builder().turn(turn.clone()).repeat_last().start();
        for streamed in [true, false, true] {
            let ask = |url: Option<String>| {
                let asked = call(&stub).model("m-1");
                let asked = if streamed { asked.streamed() } else { asked };
                match url {
                    Some(url) => asked.at_url(&url),
                    None => asked,
                }
            };
            let [expected, found] = [
                answer(ask(None)).await,
                answer(ask(Some(mocks.uri()))).await,
            ];
            assert_eq!(found, expected, "{turn:?}, streamed: {streamed}");
        }
    }
}

#[tokio::test]
async fn each_answer_has_ids_of_its_own_unless_the_turn_has_a_seed() {
    let ids = async |turn: Turn| {
        let mocks = mocks(turn).await;
        let stub = WireStub::builder().without_verify_on_drop().start();
        let mut ids = Vec::new();
        for _ in 0..2 {
            let answered = call(&stub).at_url(&mocks.uri()).send().await;
            ids.push(answered.json()["id"].as_str().unwrap().to_owned());
        }
        ids
    };
    let own = ids(Turn::new()).await;
    assert_ne!(own[0], own[1]);
    let seeded = ids(Turn::new().seed(3)).await;
    assert_eq!(seeded[0], seeded[1]);
    // the first one is that of the pure helpers
    let pure: serde_json::Value = serde_json::from_slice(&json_body(API, &Turn::new())).unwrap();
    assert_eq!(own[0], pure["id"]);
}

#[tokio::test]
async fn a_turn_that_can_only_be_streamed_is_refused_as_a_stub_refuses_it() {
    let line = line!() + 1;
    let turn = Turn::new().tool_call("edit", Arguments::raw(r#"{"path": "#));
    let mocks = mocks(turn).await;
    let stub = WireStub::builder().without_verify_on_drop().start();
    let streamed = call(&stub).at_url(&mocks.uri()).streamed().send().await;
    assert_eq!(streamed.status, 200);
    let refused = call(&stub).at_url(&mocks.uri()).send().await;
    assert_eq!(refused.gist(), "422 unplayable");
    assert_eq!(refused.header("x-should-retry"), "false");
    let expected = format!(
        "the arguments of `edit` are not JSON: EOF while parsing a value at line 1 column 9\n  \
         where: anthropic_messages, turn built at {}:{line}\n  found: `{{\\\"path\\\": `\n  \
         help: broken arguments can only be streamed; here `input` is a JSON value",
        file!()
    );
    assert_eq!(refused.message(), expected);
}

#[tokio::test]
async fn one_mock_server_has_both_kinds_of_mocks() {
    let mocks = mocks("Hi there!").await;
    let logs = Mock::given(path("/v1/logs")).respond_with(wiremock::ResponseTemplate::new(204));
    logs.mount(&mocks).await;
    let stub = WireStub::builder().without_verify_on_drop().start();
    let hi = call(&stub).at_url(&mocks.uri()).streamed().send().await;
    assert_eq!(hi.text(), "Hi there!");
    let logged = call(&stub).to("/v1/logs").at_url(&mocks.uri()).send().await;
    assert_eq!(logged.status, 204);
}
