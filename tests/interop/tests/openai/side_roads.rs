//! Models and moderations through the SDKs.

use llm_wire_stub::{ModelInfo, Moderation, WireStub};
use llm_wire_stub_interop::{Call, Sdk};
use serde_json::{Value, json};

for_each_sdk!(
    models_are_listed_and_found,
    moderations_have_every_category,
    texts_and_images_are_moderated,
);

fn models_are_listed_and_found(sdk: Sdk) {
    let stub = WireStub::builder()
        .models([ModelInfo::new("gpt-a").member("created", 7), "m/b".into()])
        .start();
    let a = json!({"id": "gpt-a", "object": "model", "created": 7, "owned_by": "system"});
    let b = json!({"id": "m/b", "object": "model", "created": 0, "owned_by": "system"});
    let seen = sdk.run(&Call::openai_resource(&stub, "models.list"));
    assert_eq!(seen["answer"]["data"], json!([a, b]), "{seen}");
    let seen = sdk.run(&Call::openai_resource(&stub, "models.retrieve").id("m/b"));
    assert_eq!(seen["answer"], b, "{seen}");
    let seen = sdk.run(&Call::openai_resource(&stub, "models.retrieve").id("gpt-c"));
    let error = &seen["error"];
    assert_eq!(
        (&error["class"], &error["code"], &error["param"]),
        (
            &json!("NotFoundError"),
            &json!("model_not_found"),
            &json!("model")
        ),
        "{seen}"
    );
    stub.verify();
}

fn moderations_have_every_category(sdk: Sdk) {
    let stub = WireStub::builder()
        .moderation(
            "I will find you",
            Moderation::flagged(["violence"]).score("violence", 0.97),
        )
        .start();
    let call = Call::openai_resource(&stub, "moderations.create");
    let seen = sdk.run(&call.param("input", json!(["hi", "I will find you"])));
    let results = &seen["answer"]["results"];
    assert_eq!(
        (&results[0]["flagged"], &results[1]["flagged"]),
        (&json!(false), &json!(true)),
        "{seen}"
    );
    assert_eq!(seen["answer"]["model"], "omni-moderation-latest");
    assert_eq!(results[1]["category_scores"]["violence"], 0.97);
    for member in [
        "categories",
        "category_scores",
        "category_applied_input_types",
    ] {
        let names = results[0][member].as_object().map(serde_json::Map::len);
        assert_eq!(names, Some(13), "{member}");
    }
    stub.verify();
}

fn texts_and_images_are_moderated(sdk: Sdk) {
    let stub = WireStub::builder().start();
    let image = json!({"type": "image_url", "image_url": {"url": "https://a.example/a.png"}});
    let input = json!([{"type": "text", "text": "hi"}, image]);
    let call = Call::openai_resource(&stub, "moderations.create").param("input", input);
    let seen = sdk.run(&call);
    let results: &Value = &seen["answer"]["results"];
    assert_eq!(results.as_array().map(Vec::len), Some(1), "{seen}");
    let types = &results[0]["category_applied_input_types"];
    assert_eq!(types["violence"], json!(["text", "image"]));
    assert_eq!(types["hate"], json!(["text"]));
    stub.verify();
}
