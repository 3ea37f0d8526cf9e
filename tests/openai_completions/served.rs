//! Where it is served, in whose words, and what is seen of a request.

use llm_wire_stub::*;
use serde_json::json;

use crate::{API, complete, complete_with, text};

#[tokio::test]
async fn a_prompt_is_the_users_text() {
    let stub = WireStub::builder()
        .lane(
            "twice",
            matchers::by(|r| r.last_user_text() == "Twice"),
            [" as much"],
        )
        .turn(" upon a time")
        .start();
    let once = complete_with(&stub, &json!({"max_tokens": 7})).send().await;
    assert_eq!(once.json()["choices"][0]["text"], " upon a time");
    assert_eq!(once.header("content-type"), "application/json");
    let twice = complete_with(&stub, &json!({"prompt": ["Once", "Twice"]}))
        .send()
        .await;
    assert_eq!(twice.json()["choices"][1]["text"], " as much");

    let request = stub.request(0);
    assert_eq!(
        (request.api(), request.model(), request.max_tokens()),
        (Some(API), "m", Some(7))
    );
    assert_eq!(
        (request.last_user_text().as_str(), request.messages().len()),
        ("Once", 1)
    );
    assert_eq!(request.api_key(), Some("k"));
    let texts: Vec<_> = stub
        .request(1)
        .messages()
        .iter()
        .map(Message::text)
        .collect();
    assert_eq!(texts, ["Once", "Twice"]);
    stub.verify();
}

#[tokio::test]
async fn a_stub_of_this_api_checks_its_turns_at_the_start_and_serves_the_side_roads_too() {
    let stub = WireStub::builder().api(API).turn("a").start();
    assert!(text(&complete(&stub).send().await).contains("\"text\": \"a\""));
    let listed = reqwest::Client::new()
        .get(stub.openai_url() + "/models")
        .bearer_auth("k");
    assert_eq!(listed.send().await.unwrap().status(), 200);
    stub.verify();

    let turn = Turn::new().tool_call("f", json!({}));
    let error = WireStub::builder()
        .api(API)
        .turn(turn)
        .try_start()
        .unwrap_err();
    let error = error.to_string();
    assert!(
        error.starts_with(
            "OpenAI Completions cannot say a tool call\n  where: turn #1 on openai_completions"
        ),
        "{error}"
    );
}

#[tokio::test]
async fn errors_and_refusals_are_in_the_envelope_of_openai() {
    let stub = WireStub::builder()
        .turn(ApiError::not_found())
        .without_verify_on_drop()
        .start();
    let missing = complete(&stub).send().await;
    assert_eq!(missing.status, 404);
    assert_eq!(
        missing.message(),
        "The model `m` does not exist or you do not have access to it."
    );
    let exhausted = complete(&stub).send().await;
    assert_eq!((exhausted.status, exhausted.why()), (422, "exhausted"));
    assert!(
        exhausted
            .body
            .starts_with(b"{\n  \"error\": {\n    \"message\": \"no turn left for request #2 ")
    );
}
