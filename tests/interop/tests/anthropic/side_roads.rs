//! Token counts, models and message batches, as the SDKs ask for them and read them.

use llm_wire_stub::{ApiError, BatchResult, ModelInfo, Turn, Usage, WireStub};
use llm_wire_stub_interop::{Call, MODEL, Sdk};
use serde_json::{Value, json};

for_each_sdk!(
    tokens_are_counted,
    models_are_listed_over_all_pages,
    the_default_models_have_every_member,
    a_model_is_retrieved_by_its_id_and_by_its_alias,
    a_model_that_is_not_there_is_the_sdks_not_found_error,
    a_batch_lives_from_its_creation_to_its_deletion,
    a_batch_is_canceled,
    batches_are_listed_over_all_pages,
    a_batch_that_is_not_there_is_the_sdks_not_found_error,
    results_that_are_not_there_yet_are_said_so_by_the_sdk,
);

/// What an SDK gave; times as Python's SDK writes them, which reads and writes them anew.
#[track_caller]
fn given(sdk: Sdk, call: &Call, member: &str) -> Value {
    let seen = sdk.run(call);
    assert_eq!(seen["error"], Value::Null, "{seen:#}");
    with_utc(&seen[member])
}

fn with_utc(value: &Value) -> Value {
    match value {
        Value::String(text) => json!(
            text.strip_suffix("+00:00")
                .map_or_else(|| text.clone(), |time| format!("{time}Z"))
        ),
        Value::Array(items) => items.iter().map(with_utc).collect(),
        Value::Object(members) => {
            let members = members.iter();
            Value::Object(
                members
                    .map(|(name, value)| (name.clone(), with_utc(value)))
                    .collect(),
            )
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn tokens_are_counted(sdk: Sdk) {
    let stub = WireStub::builder().count_tokens(14).start();
    let call = Call::resource(&stub, "messages.count_tokens")
        .param("model", MODEL)
        .param("messages", json!([{"role": "user", "content": "hello"}]));

    assert_eq!(given(sdk, &call, "value"), json!({"input_tokens": 14}));

    let request = stub.journal().remove(0);
    assert_eq!(
        (request.model(), request.answered_by().as_str()),
        (MODEL, "the token count")
    );
    assert_eq!(request.header("anthropic-version"), Some("2026-10-21"));
    stub.verify();
}

/// A model whose every member says something.
fn whole_model(id: &str) -> (ModelInfo, Value) {
    let members = json!({
        "display_name": "A model", "created_at": "2026-02-04T00:00:00Z", "max_input_tokens": 200_000,
        "max_tokens": 64_000, "deprecated_at": "2026-05-04T00:00:00Z", "lifecycle": "deprecated",
        "line": "opus", "retires_at": "2027-02-04T00:00:00Z",
    });
    let mut model = ModelInfo::new(id);
    for (name, value) in members.as_object().into_iter().flatten() {
        model = model.member(name, value.clone());
    }
    let mut expected = members;
    expected["id"] = id.into();
    expected["type"] = "model".into();
    expected["capabilities"] = Value::Null;
    (model, expected)
}

fn models_are_listed_over_all_pages(sdk: Sdk) {
    let (models, expected): (Vec<_>, Vec<_>) = ["a", "b", "c", "d", "e"]
        .map(whole_model)
        .into_iter()
        .unzip();
    let stub = WireStub::builder().models(models).start();

    let call = Call::resource(&stub, "models.list")
        .param("limit", 2)
        .each();
    assert_eq!(given(sdk, &call, "items"), Value::from(expected.clone()));
    let queries: Vec<_> = stub
        .journal()
        .iter()
        .map(|r| r.query().map(str::to_owned))
        .collect();
    assert_eq!(queries.len(), 3);
    assert!(
        queries[2].as_ref().unwrap().contains("after_id=d"),
        "{queries:?}"
    );

    let call = call.param("before_id", "e");
    let backwards = given(sdk, &call, "items");
    assert_eq!(
        backwards,
        json!([expected[2], expected[3], expected[0], expected[1]])
    );

    let call =
        Call::resource(&stub, "models.list").param("lifecycle", json!(["active", "retired"]));
    assert_eq!(given(sdk, &call.each(), "items"), json!([]));
    stub.verify();
}

fn the_default_models_have_every_member(sdk: Sdk) {
    let stub = WireStub::builder().start();
    let models = given(sdk, &Call::resource(&stub, "models.list").each(), "items");
    let ids: Vec<_> = models
        .as_array()
        .unwrap()
        .iter()
        .map(|model| model["id"].clone())
        .collect();
    assert_eq!(
        ids,
        [
            "claude-sonnet-4-6",
            "claude-opus-4-6",
            "claude-haiku-4-5-20251001"
        ]
    );
    for pointer in [
        "/capabilities/batch/supported",
        "/capabilities/citations/supported",
        "/capabilities/code_execution/supported",
        "/capabilities/context_management/clear_thinking_20251015/supported",
        "/capabilities/context_management/clear_tool_uses_20250919/supported",
        "/capabilities/context_management/compact_20260112/supported",
        "/capabilities/context_management/supported",
        "/capabilities/effort/high/supported",
        "/capabilities/effort/low/supported",
        "/capabilities/effort/max/supported",
        "/capabilities/effort/medium/supported",
        "/capabilities/effort/supported",
        "/capabilities/image_input/supported",
        "/capabilities/pdf_input/supported",
        "/capabilities/server_tools/code_execution/supported",
        "/capabilities/server_tools/supported",
        "/capabilities/server_tools/web_search/supported",
        "/capabilities/structured_outputs/supported",
        "/capabilities/thinking/supported",
        "/capabilities/thinking/types/adaptive/supported",
        "/capabilities/thinking/types/disabled/supported",
        "/capabilities/thinking/types/enabled/supported",
    ] {
        assert_eq!(models[0].pointer(pointer), Some(&json!(true)), "{pointer}");
    }
    for pointer in [
        "/capabilities/effort/xhigh/supported",
        "/capabilities/thinking/types/between_tools/supported",
    ] {
        assert_eq!(models[0].pointer(pointer), Some(&json!(false)), "{pointer}");
    }
    stub.verify();
}

fn a_model_is_retrieved_by_its_id_and_by_its_alias(sdk: Sdk) {
    let (model, expected) = whole_model("claude/new-20260204");
    let stub = WireStub::builder().models([model]).start();
    for id in ["claude/new-20260204", "claude/new"] {
        let call = Call::resource(&stub, "models.retrieve").id(id);
        assert_eq!(given(sdk, &call, "value"), expected, "{id}");
    }
    stub.verify();
}

#[track_caller]
fn not_found(sdk: Sdk, call: &Call, message: &str) {
    let error = &sdk.run(call)["error"];
    assert_eq!(error["class"], "NotFoundError", "{error:#}");
    assert_eq!(
        (&error["status"], &error["type"]),
        (&json!(404), &json!("not_found_error"))
    );
    let said = error["message"].as_str().unwrap();
    assert!(said.contains(message), "{said}");
}

fn a_model_that_is_not_there_is_the_sdks_not_found_error(sdk: Sdk) {
    let stub = WireStub::builder().start();
    let call = Call::resource(&stub, "models.retrieve").id("claude-x");
    not_found(sdk, &call, "model: claude-x");
    stub.verify();
}

/// The creation of a batch of these requests.
fn create(stub: &WireStub, ids: &[&str]) -> Call {
    let requests = ids.iter().map(|id| {
        let messages = json!([{"role": "user", "content": format!("hello from {id}")}]);
        json!({"custom_id": id, "params": {"model": MODEL, "max_tokens": 9, "messages": messages}})
    });
    let requests: Vec<Value> = requests.collect();
    Call::resource(stub, "messages.batches.create").param("requests", requests)
}

/// A batch in progress, created at this time of the day.
fn in_progress(id: &Value, requests: usize, created: &str) -> Value {
    json!({
        "id": id,
        "type": "message_batch",
        "processing_status": "in_progress",
        "request_counts": {
            "processing": requests, "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0
        },
        "ended_at": null,
        "created_at": format!("2026-08-19T{created}.250000Z"),
        "expires_at": format!("2026-08-20T{created}.250000Z"),
        "archived_at": null,
        "cancel_initiated_at": null,
        "results_url": null,
    })
}

fn a_batch_lives_from_its_creation_to_its_deletion(sdk: Sdk) {
    let turn = Turn::new()
        .text("Paris.")
        .usage(Usage::input(3).output(4))
        .seed(5);
    let stub = WireStub::builder()
        .batch_polls(1)
        .batch_result("a", turn.clone())
        .batch_result("b", ApiError::overloaded())
        .batch_result("c", BatchResult::Canceled)
        .batch_result("d", BatchResult::Expired)
        .start();

    let batch = given(sdk, &create(&stub, &["a", "b", "c", "d"]), "value");
    let id = batch["id"].as_str().unwrap();
    let mut expected = in_progress(&batch["id"], 4, "14:34:12");
    assert_eq!(batch, expected);
    let retrieve = Call::resource(&stub, "messages.batches.retrieve").id(id);
    assert_eq!(given(sdk, &retrieve, "value"), expected);

    expected["processing_status"] = "ended".into();
    expected["ended_at"] = "2026-08-19T14:35:12.250000Z".into();
    expected["request_counts"] =
        json!({"processing": 0, "succeeded": 1, "errored": 1, "canceled": 1, "expired": 1});
    expected["results_url"] = format!("{}/v1/messages/batches/{id}/results", stub.url()).into();
    assert_eq!(given(sdk, &retrieve, "value"), expected);

    let results = Call::resource(&stub, "messages.batches.results")
        .id(id)
        .each();
    let results = given(sdk, &results, "items");
    let mut succeeded = llm_wire_stub_interop::message(&turn, None);
    succeeded["usage"]["service_tier"] = "batch".into();
    let request_id = &results[1]["result"]["error"]["request_id"];
    assert!(request_id.as_str().unwrap().starts_with("req_"));
    let errored = json!({
        "type": "error",
        "error": {"type": "overloaded_error", "message": "Overloaded"},
        "request_id": request_id,
    });
    assert_eq!(
        results,
        json!([
            {"custom_id": "a", "result": {"type": "succeeded", "message": succeeded}},
            {"custom_id": "b", "result": {"type": "errored", "error": errored}},
            {"custom_id": "c", "result": {"type": "canceled"}},
            {"custom_id": "d", "result": {"type": "expired"}},
        ])
    );

    let delete = Call::resource(&stub, "messages.batches.delete").id(id);
    let deleted = json!({"id": id, "type": "message_batch_deleted"});
    assert_eq!(given(sdk, &delete, "value"), deleted);
    not_found(
        sdk,
        &retrieve,
        &format!("there is no message batch with the id `{id}`"),
    );
    stub.verify();
}

fn a_batch_is_canceled(sdk: Sdk) {
    let stub = WireStub::builder().start();
    let batch = given(sdk, &create(&stub, &["a", "b"]), "value");
    let id = batch["id"].as_str().unwrap();
    let mut expected = in_progress(&batch["id"], 2, "14:34:12");
    expected["processing_status"] = "canceling".into();
    expected["cancel_initiated_at"] = "2026-08-19T14:34:42.250000Z".into();
    let cancel = Call::resource(&stub, "messages.batches.cancel").id(id);
    assert_eq!(given(sdk, &cancel, "value"), expected);

    // the SDK asks for the batch before it asks for its results
    let results = Call::resource(&stub, "messages.batches.results")
        .id(id)
        .each();
    assert_eq!(
        given(sdk, &results, "items"),
        json!([
            {"custom_id": "a", "result": {"type": "canceled"}},
            {"custom_id": "b", "result": {"type": "canceled"}},
        ])
    );
    stub.verify();
}

fn batches_are_listed_over_all_pages(sdk: Sdk) {
    let stub = WireStub::builder().start();
    let mut batches: Vec<Value> = ["a", "b", "c"]
        .iter()
        .map(|id| given(sdk, &create(&stub, &[id]), "value"))
        .collect();
    batches.reverse();
    assert_eq!(batches[0], in_progress(&batches[0]["id"], 1, "14:34:14"));
    let list = Call::resource(&stub, "messages.batches.list")
        .param("limit", 2)
        .each();
    assert_eq!(given(sdk, &list, "items"), Value::from(batches));
    stub.verify();
}

fn a_batch_that_is_not_there_is_the_sdks_not_found_error(sdk: Sdk) {
    let stub = WireStub::builder().start();
    for method in ["retrieve", "cancel", "delete", "results"] {
        let call = Call::resource(&stub, &format!("messages.batches.{method}")).id("msgbatch_1");
        not_found(
            sdk,
            &call,
            "there is no message batch with the id `msgbatch_1`",
        );
    }
    stub.verify();
}

fn results_that_are_not_there_yet_are_said_so_by_the_sdk(sdk: Sdk) {
    let stub = WireStub::builder().batch_polls(1).start();
    let batch = given(sdk, &create(&stub, &["a"]), "value");
    let results = Call::resource(&stub, "messages.batches.results");
    let results = results.id(batch["id"].as_str().unwrap()).each();
    let error = &sdk.run(&results)["error"];
    assert_eq!(error["class"], "AnthropicError", "{error:#}");
    let said = error["message"].as_str().unwrap();
    assert!(
        said.contains("Has it finished processing? in_progress"),
        "{said}"
    );
    assert_eq!(given(sdk, &results, "items")[0]["custom_id"], "a");
    stub.verify();
}
