//! Vectors through the SDKs: by default they ask for base64 and decode it themselves.

use llm_wire_stub::{ApiError, WireStub};
use llm_wire_stub_interop::{Call, Sdk};
use serde_json::{Value, json};

for_each_sdk!(
    vectors_arrive_as_numbers_whichever_way_they_are_spelled,
    tokens_and_dimensions_are_understood,
    a_derived_vector_is_the_same_in_both_spellings,
    errors_reach_their_classes,
);

const MODEL: &str = "text-embedding-3-small";

fn embed(stub: &WireStub, input: impl Into<Value>) -> Call {
    let call = Call::openai_resource(stub, "embeddings.create").param("model", MODEL);
    call.param("input", input)
}

fn vectors(answer: &Value) -> Vec<&Value> {
    let data = answer["data"].as_array().into_iter().flatten();
    data.map(|item| &item["embedding"]).collect()
}

fn vectors_arrive_as_numbers_whichever_way_they_are_spelled(sdk: Sdk) {
    // exact in 32 bits too
    let stub = WireStub::builder()
        .embedding("cat", [1.0, -0.5, 0.25])
        .embedding("dog", [0.0, 0.125, -1.0])
        .start();
    for format in [None, Some("float")] {
        let mut call = embed(&stub, json!(["cat", "dog"]));
        if let Some(format) = format {
            call = call.param("encoding_format", format);
        }
        let seen = sdk.run(&call);
        let answer = &seen["answer"];
        let numbers: Vec<Vec<f64>> = vectors(answer)
            .into_iter()
            .map(|vector| serde_json::from_value(vector.clone()).unwrap_or_default())
            .collect();
        assert_eq!(numbers, [[1.0, -0.5, 0.25], [0.0, 0.125, -1.0]], "{seen}");
        assert_eq!(answer["model"], MODEL);
        assert_eq!(
            answer["usage"],
            json!({"prompt_tokens": 2, "total_tokens": 2})
        );
        assert_eq!(answer["data"][1]["index"], 1);
    }
    let asked: Vec<_> = stub
        .journal()
        .iter()
        .map(|request| request.json()["encoding_format"].clone())
        .collect();
    assert_eq!(asked, ["base64", "float"]);
    stub.verify();
}

fn tokens_and_dimensions_are_understood(sdk: Sdk) {
    let stub = WireStub::builder().start();
    let call = embed(&stub, json!([[1, 2], [3]])).param("dimensions", 8);
    let seen = sdk.run(&call);
    let vectors = vectors(&seen["answer"]);
    let lengths = vectors.iter().map(|vector| vector.as_array().map(Vec::len));
    assert_eq!(lengths.collect::<Vec<_>>(), [Some(8), Some(8)], "{seen}");
    assert_eq!(seen["answer"]["usage"]["prompt_tokens"], 3);
    stub.verify();
}

fn a_derived_vector_is_the_same_in_both_spellings(sdk: Sdk) {
    let stub = WireStub::builder().start();
    let base64 = sdk.run(&embed(&stub, "a text"));
    let float = sdk.run(&embed(&stub, "a text").param("encoding_format", "float"));
    let (base64, float) = (vectors(&base64["answer"]), vectors(&float["answer"]));
    assert_eq!(base64[0].as_array().map(Vec::len), Some(1536));
    assert_eq!(base64, float);
    stub.verify();
}

fn errors_reach_their_classes(sdk: Sdk) {
    let stub = WireStub::builder()
        .embedding("down", ApiError::overloaded())
        .without_verify_on_drop()
        .start();
    let seen = sdk.run(&embed(&stub, "down"));
    assert_eq!(seen["error"]["class"], "InternalServerError", "{seen}");
    assert_eq!(seen["error"]["status"], 503);
    let seen = sdk.run(&embed(&stub, ""));
    assert_eq!(seen["error"]["class"], "BadRequestError", "{seen}");
    let message = seen["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("'$.input' is invalid."), "{seen}");
}
