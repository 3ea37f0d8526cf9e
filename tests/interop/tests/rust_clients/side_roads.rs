//! What clients ask besides answers: the list of models, moderations.

use llm_wire_stub::{ApiError, ModelInfo, Moderation, WireStub};
use serde_json::json;

use crate::client::{Client, Library, Wire, async_openai};

fn models() -> [ModelInfo; 2] {
    let first = ModelInfo::new("first").member("created", 1_754_425_777);
    [first, ModelInfo::new("second")]
}

#[tokio::test]
async fn every_client_lists_the_models() {
    for wire in [Wire::Anthropic, Wire::Chat] {
        for library in wire.libraries() {
            if library == Library::AsyncAnthropic {
                continue;
            }
            let stub = WireStub::builder().models(models()).start();
            let ids = Client { library, wire }.model_ids(&stub).await;
            assert_eq!(ids, ["first", "second"], "{library:?}");
            assert_eq!(stub.requests().len(), 0);
            stub.verify();
        }
    }
}

#[tokio::test]
async fn async_openai_asks_for_one_model() {
    let stub = WireStub::builder().models(models()).start();
    let first = async_openai::model(&stub, "first").await.expect("a model");
    let expected =
        json!({"id": "first", "object": "model", "created": 1_754_425_777, "owned_by": "system"});
    assert_eq!(json!(first), expected);

    let failure = async_openai::model(&stub, "third").await;
    assert_eq!(
        failure.expect_err("there is none").text,
        "404 Not Found invalid_request_error: The model 'third' does not exist (param: model) (code: model_not_found)"
    );
    stub.verify();
}

#[tokio::test]
async fn async_openai_reads_what_a_moderation_says() {
    let stub = WireStub::builder()
        .moderation("boo", Moderation::flagged(["violence"]))
        .moderation("boom", ApiError::rate_limited().message("slow down"))
        .start();

    let flagged = async_openai::moderation(&stub, "boo")
        .await
        .expect("a judgement");
    let harmless = async_openai::moderation(&stub, "hi")
        .await
        .expect("a judgement");
    let failure = async_openai::moderation(&stub, "boom").await;

    let said = |judged: &serde_json::Value| {
        let categories = judged["categories"].as_object().expect("categories");
        let yes = categories.iter().filter(|(_, said)| **said == json!(true));
        let names: Vec<String> = yes.map(|(name, _)| name.clone()).collect();
        (judged["flagged"].clone(), names)
    };
    assert_eq!(said(&flagged), (json!(true), vec!["violence".to_owned()]));
    assert_eq!(said(&harmless), (json!(false), Vec::new()));
    assert!(flagged["category_scores"]["violence"].as_f64() > Some(0.5));
    assert_eq!(
        flagged["category_applied_input_types"]["violence"],
        json!(["text"])
    );
    assert_eq!(failure.expect_err("it was refused").status, Some(429));
    stub.verify();
}
