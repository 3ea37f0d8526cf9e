//! Matchers of wiremock select turns.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]
#![cfg(feature = "wiremock")]

#[path = "support/post.rs"]
mod post;

use llm_wire_stub::{IntoMatcher, Turn, WireStub, WireStubBuilder, matchers as own};
use post::{Call, KEY, call};
use serde_json::json;
use wiremock::{Request, matchers};

#[track_caller]
fn lane(matcher: impl IntoMatcher) -> WireStubBuilder {
    WireStub::builder().lane("chat", matcher, ["claimed"])
}

/// A call that every matcher here claims.
fn claimed(stub: &WireStub) -> Call {
    call(stub)
        .to("/v1/messages?beta=true")
        .header("x-chat-id", "c-42")
        .member("metadata", json!({"user_id": "u-1", "more": 1}))
}

#[tokio::test]
async fn a_header_matcher_claims_what_it_would_claim_in_wiremock() {
    let stub = WireStub::builder()
        .lane("chat", matchers::header("x-chat-id", "c-42"), ["Hi"])
        .turn("passed")
        .start();
    let passed = call(&stub).header("x-chat-id", "c-43").send().await;
    assert_eq!(passed.text(), "passed");
    assert_eq!(claimed(&stub).send().await.text(), "Hi");
    stub.verify();
}

#[tokio::test]
async fn a_matcher_sees_method_path_query_headers_and_body() {
    let part = json!({"metadata": {"user_id": "u-1"}});
    for (name, builder) in [
        ("method", lane(matchers::method("POST"))),
        ("path", lane(matchers::path("/v1/messages"))),
        ("query", lane(matchers::query_param("beta", "true"))),
        ("header", lane(matchers::header("x-api-key", KEY))),
        ("body", lane(matchers::body_partial_json(part))),
        ("text", lane(matchers::body_string_contains("u-1"))),
        (
            "closure",
            lane(|request: &Request| {
                let json: serde_json::Value = request.body_json().unwrap();
                json["max_tokens"] == 99 && request.url.path() == "/v1/messages"
            }),
        ),
    ] {
        let stub = builder.start();
        assert_eq!(claimed(&stub).send().await.gist(), "claimed", "{name}");
    }
}

#[tokio::test]
async fn a_matcher_that_does_not_match_passes_on() {
    let part = json!({"metadata": {"user_id": "u-2"}});
    for (name, builder) in [
        ("method", lane(matchers::method("PUT"))),
        ("path", lane(matchers::path("/v1/message"))),
        ("query", lane(matchers::query_param("beta", "false"))),
        ("header", lane(matchers::header_exists("x-other"))),
        ("body", lane(matchers::body_partial_json(part))),
        ("closure", lane(|_: &Request| false)),
    ] {
        let stub = builder.without_verify_on_drop().start();
        let refused = claimed(&stub).send().await;
        assert_eq!(refused.gist(), "422 unclaimed", "{name}");
        let line = "\n  lane `chat` has a wiremock matcher that did not match\n";
        assert!(refused.message().contains(line), "{}", refused.message());
    }
}

#[tokio::test]
async fn own_matchers_and_wiremocks_can_be_joined() {
    let stub = lane(own::model("m-1").and(matchers::header_exists("x-chat-id")))
        .turns(["passed"; 2])
        .start();
    let calls = [
        (call(&stub).model("m-1"), "passed"),
        (claimed(&stub), "passed"),
        (claimed(&stub).model("m-1"), "claimed"),
    ];
    for (call, expected) in calls {
        assert_eq!(call.send().await.text(), expected);
    }
}

#[tokio::test]
async fn a_matcher_that_panics_fails_its_call_and_the_test() {
    let stub = lane(|request: &Request| -> bool {
        panic!("no {} here", request.method);
    })
    .turn(Turn::new())
    .without_verify_on_drop()
    .start();
    let refused = claimed(&stub).send().await;
    assert_eq!(refused.gist(), "422 panicked");
    let who = "the matcher of lane `chat` panicked: no POST here\n";
    assert!(refused.message().starts_with(who), "{}", refused.message());
    let report = stub.try_verify().unwrap_err().to_string();
    assert!(report.contains(who), "{report}");
}
