//! What the stub serves besides calls of the model: token counts, models, batches.
#![cfg(feature = "server")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]

#[path = "support/post.rs"]
mod post;

use llm_wire_stub::{
    After, Api, ApiError, Arguments, BatchResult, ModelInfo, Outcome, StopReason, StubHandle, Turn,
    Usage, WireStub, WireStubBuilder,
    serde_json::{self, Value, json},
};
use post::{Answered, KEY, call};

#[track_caller]
fn builder() -> WireStubBuilder {
    WireStub::builder()
}

/// Asks for what stands at this path, with the headers of the older SDKs.
async fn ask(stub: &StubHandle, method: &str, target: &str, body: Option<Value>) -> Answered {
    let headers = [("x-api-key", KEY), ("anthropic-version", "2023-06-01")];
    ask_with(stub, method, target, body, &headers).await
}

async fn ask_with(
    stub: &StubHandle,
    method: &str,
    target: &str,
    body: Option<Value>,
    headers: &[(&str, &str)],
) -> Answered {
    post::ask_at(method, stub.anthropic_url() + target, body, headers).await
}

async fn get(stub: &StubHandle, target: &str) -> Answered {
    ask(stub, "GET", target, None).await
}

#[track_caller]
fn text(answered: &Answered) -> &str {
    std::str::from_utf8(&answered.body).unwrap()
}

/// Status, type and message of an error in the service's own shape.
#[track_caller]
fn error(answered: &Answered) -> (u16, String, String) {
    let json = answered.json();
    assert_eq!(json["type"], "error");
    assert_eq!(json["request_id"], answered.header("request-id"));
    let member = |name: &str| json["error"][name].as_str().unwrap().to_owned();
    (answered.status, member("type"), member("message"))
}

fn ids(page: &Answered) -> Vec<String> {
    let json = page.json();
    let data = json["data"].as_array().unwrap();
    let ids = data.iter().map(|item| item["id"].as_str().unwrap());
    ids.map(str::to_owned).collect()
}

// --- token counts ----------------------------------------------------------------------------------

fn question() -> Value {
    json!({"model": "m", "messages": [{"role": "user", "content": "Hello, world"}]})
}

async fn count(stub: &StubHandle, body: Value) -> Answered {
    ask(stub, "POST", "/v1/messages/count_tokens", Some(body)).await
}

#[tokio::test]
async fn a_count_is_one_member_and_nothing_else() {
    let stub = builder().count_tokens(14).start();
    let counted = count(&stub, question()).await;
    assert_eq!(
        (counted.status, text(&counted)),
        (200, r#"{"input_tokens":14}"#)
    );
    assert_eq!(counted.header("content-type"), "application/json");
    stub.verify();
}

#[tokio::test]
async fn the_estimate_is_a_token_for_four_characters_and_four_for_each_message_and_tool() {
    let stub = builder().start();
    for (body, expected) in [
        // 12 characters, one message
        (question(), 3 + 4),
        (json!({"messages": []}), 0),
        (json!({}), 0),
        // 13 characters in two pieces
        (
            json!({"system": "a".repeat(6), "messages": [{"role": "user", "content": "b".repeat(7)}]}),
            4 + 4,
        ),
        // `f` and `{"a": 1}`, then `ok`: 11 characters; an image counts nothing
        (
            json!({"messages": [
                {"role": "assistant", "content": [
                    {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}}
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"},
                    {"type": "image", "source": {"type": "base64", "data": "AAAA"}}
                ]}
            ]}),
            3 + 8,
        ),
        // `f`, `does` and `{"type": "object"}`: 23 characters
        (
            json!({"messages": [], "tools": [
                {"name": "f", "description": "does", "input_schema": {"type": "object"}}
            ]}),
            6 + 4,
        ),
    ] {
        let counted = count(&stub, body.clone()).await;
        assert_eq!(counted.json(), json!({"input_tokens": expected}), "{body}");
    }
    stub.verify();
}

#[tokio::test]
async fn a_function_counts_by_the_request() {
    let stub = builder()
        .count_tokens_by(|request| u64::try_from(request.last_user_text().len()).unwrap())
        .start();
    let counted = count(&stub, question()).await;
    assert_eq!(counted.json(), json!({"input_tokens": 12}));
    stub.verify();
}

#[tokio::test]
async fn a_function_that_panics_fails_the_request_and_the_test_with_its_own_message() {
    let built = line!() + 1;
    let stub = builder().count_tokens_by(|_| panic!("no abacus")).start();
    let counted = count(&stub, question()).await;
    let message = format!(
        "the function of `.count_tokens_by(..)` panicked: no abacus\n  \
         where: script of 0 turns, built at {}:{built}, for request POST /v1/messages/count_tokens\n  \
         help: standard error has the line of the panic",
        file!()
    );
    assert_eq!(
        error(&counted),
        (422, "invalid_request_error".to_owned(), message)
    );
    assert_eq!(counted.why(), "panicked");
    let report = stub.try_verify().unwrap_err().to_string();
    assert!(report.contains("no abacus"), "{report}");
}

#[tokio::test]
async fn a_count_keeps_the_rules_that_make_sense_there() {
    let builder = || builder().without_verify_on_drop();
    let stub = builder().start();
    let path = "/v1/messages/count_tokens";
    let key = ("x-api-key", KEY);
    let newer = ("anthropic-version", "2026-10-21");
    let mut warm = question();
    warm["temperature"] = json!(1);
    for (headers, body, why, message) in [
        (
            &[][..],
            question(),
            "credentials",
            "x-api-key header is required",
        ),
        (
            &[key][..],
            question(),
            "anthropic-version",
            "anthropic-version: header is required",
        ),
        (
            &[key, ("anthropic-version", "2020-01-01")],
            question(),
            "anthropic-version-value",
            "anthropic-version: \"2020-01-01\" is not a valid version",
        ),
        (
            &[key, newer],
            json!([]),
            "json-body",
            "the body is no JSON object",
        ),
        (
            &[key, newer],
            warm,
            "sampling-parameters",
            "temperature: Extra inputs are not permitted",
        ),
    ] {
        let refused = ask_with(&stub, "POST", path, Some(body.clone()), headers).await;
        assert_eq!((refused.why(), error(&refused).2.as_str()), (why, message));
        assert_eq!(refused.header("x-should-retry"), "false");
        let lenient = builder().without_rule(why).start();
        let next = ask_with(&lenient, "POST", path, Some(body), headers).await;
        assert_ne!(next.why(), why);
    }
    // no `max_tokens`, no `model`: a count needs neither
    assert_eq!(count(&stub, question()).await.status, 200);
    let report = stub.try_verify().unwrap_err().to_string();
    assert!(
        report.contains("POST /v1/messages/count_tokens [m]: refused: credentials, Refused"),
        "{report}"
    );
}

// --- models ----------------------------------------------------------------------------------------

#[tokio::test]
async fn the_model_list_is_a_page_of_models_as_the_service_shows_them() {
    let stub = builder().models([
        ModelInfo::new("claude-a")
            .member("display_name", "Claude A")
            .member("created_at", "2026-02-04T00:00:00Z")
            .member("max_input_tokens", 200_000)
            .member("max_tokens", 64_000)
            .member("capabilities", json!({"batch": {"supported": true}}))
            .member("line", "opus"),
        ModelInfo::new("claude-b").member("new_member", [1]),
    ]);
    let stub = stub.plain().start();

    let list = get(&stub, "/v1/models").await;
    let a = r#"{"type":"model","id":"claude-a","display_name":"Claude A","created_at":"2026-02-04T00:00:00Z","max_input_tokens":200000,"max_tokens":64000,"capabilities":{"batch":{"supported":true}},"deprecated_at":null,"lifecycle":"active","line":"opus","retires_at":null}"#;
    let b = r#"{"type":"model","id":"claude-b","display_name":"claude-b","created_at":"1970-01-01T00:00:00Z","max_input_tokens":null,"max_tokens":null,"capabilities":null,"deprecated_at":null,"lifecycle":"active","line":null,"retires_at":null,"new_member":[1]}"#;
    let expected = format!(
        r#"{{"data":[{a},{b}],"has_more":false,"first_id":"claude-a","last_id":"claude-b"}}"#
    );
    assert_eq!((list.status, text(&list)), (200, expected.as_str()));
    assert_eq!(list.header("content-type"), "application/json");

    assert_eq!(text(&get(&stub, "/v1/models/claude-a").await), a);
    assert_eq!(text(&get(&stub, "/v1/models/claude%2Db").await), b);
    stub.verify();
}

#[tokio::test]
async fn models_are_listed_in_pages_and_by_lifecycle() {
    let stages = ["active", "deprecated", "retired", "active"];
    let models = stages
        .iter()
        .enumerate()
        .map(|(n, stage)| ModelInfo::new(format!("m{n}")).member("lifecycle", *stage));
    let stub = builder().models(models).start();
    for (query, expected) in [
        ("", &["m0", "m1", "m3"][..]),
        ("?limit=2", &["m0", "m1"]),
        ("?limit=2&after_id=m1", &["m3"]),
        ("?limit=1&before_id=m3", &["m1"]),
        ("?lifecycle[]=retired&lifecycle[]=deprecated", &["m1", "m2"]),
        ("?lifecycle%5B%5D=active", &["m0", "m3"]),
        ("?beta=true&limit=1000", &["m0", "m1", "m3"]),
    ] {
        let page = get(&stub, &format!("/v1/models{query}")).await;
        assert_eq!(ids(&page), expected, "{query}");
    }
    for (query, message) in [
        (
            "?limit=0",
            "limit: Input should be greater than or equal to 1",
        ),
        (
            "?after_id=x",
            "after_id: there is no object with the id `x`",
        ),
        (
            "?lifecycle[]=active&lifecycle[]=new",
            "lifecycle.1: Input should be 'active', 'deprecated' or 'retired'",
        ),
    ] {
        let refused = get(&stub, &format!("/v1/models{query}")).await;
        let expected = (400, "invalid_request_error".to_owned(), message.to_owned());
        assert_eq!(error(&refused), expected, "{query}");
    }
    // the service's own errors are answers like any other
    assert_eq!(stub.journal().pop().unwrap().outcome(), Outcome::Complete);
    stub.verify();
}

#[tokio::test]
async fn three_models_are_there_by_default() {
    let stub = builder().start();
    let list = get(&stub, "/v1/models").await;
    let expected = [
        "claude-sonnet-4-6",
        "claude-opus-4-6",
        "claude-haiku-4-5-20251001",
    ];
    assert_eq!(ids(&list), expected);
    let model = get(&stub, "/v1/models/claude-opus-4-6").await.json();
    assert_eq!(model, list.json()["data"][1]);
    assert_eq!(model["capabilities"]["effort"]["max"]["supported"], true);
    // an alias is the model behind it
    let alias = get(&stub, "/v1/models/claude-haiku-4-5").await.json();
    assert_eq!(alias, list.json()["data"][2]);
    stub.verify();
}

#[tokio::test]
async fn the_model_list_keeps_the_rules_on_headers() {
    // beside other providers it is theirs without the version
    let stub = builder().api(Api::AnthropicMessages).start();
    let path = "/v1/models";
    let key = ("authorization", "Bearer k");
    for (headers, status, why) in [
        (&[][..], 401, "credentials"),
        (&[key][..], 400, "anthropic-version"),
        (&[key, ("anthropic-version", "2023-06-01")], 200, ""),
        (&[key, ("anthropic-version", "2026-10-21")], 200, ""),
    ] {
        let answered = ask_with(&stub, "GET", path, None, headers).await;
        assert_eq!((answered.status, answered.why()), (status, why));
    }
    let report = stub.try_verify().unwrap_err().to_string();
    assert!(
        report.contains("GET /v1/models: refused: credentials, Refused"),
        "{report}"
    );
}

#[tokio::test]
async fn a_model_that_is_not_there_is_not_found() {
    let stub = builder().start();
    let expected = |id: &str| (404, "not_found_error".to_owned(), format!("model: {id}"));
    for (path, id) in [
        ("/v1/models/claude-x", "claude-x"),
        ("/v1/models/claude-haiku", "claude-haiku"),
        ("/v1/models/a%2Fb", "a/b"),
    ] {
        let missing = get(&stub, path).await;
        assert_eq!(error(&missing), expected(id));
        assert_eq!(
            (missing.why(), missing.header("x-should-retry")),
            ("", "false")
        );
    }
    let none = builder().models::<&str>([]).start();
    assert_eq!(
        text(&get(&none, "/v1/models").await),
        r#"{"data":[],"has_more":false,"first_id":null,"last_id":null}"#
    );
    stub.verify();
}

// --- batches ---------------------------------------------------------------------------------------

const BATCHES: &str = "/v1/messages/batches";

fn params() -> Value {
    json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]})
}

fn batch_of(ids: &[&str]) -> Value {
    let requests = ids.iter();
    let requests = requests.map(|id| json!({"custom_id": id, "params": params()}));
    json!({"requests": requests.collect::<Vec<_>>()})
}

async fn create(stub: &StubHandle, ids: &[&str]) -> Value {
    let created = ask(stub, "POST", BATCHES, Some(batch_of(ids))).await;
    assert_eq!(created.status, 200, "{created:?}");
    created.json()
}

async fn poll(stub: &StubHandle, batch: &Value) -> Value {
    get(stub, &path_of(batch)).await.json()
}

fn path_of(batch: &Value) -> String {
    format!("{BATCHES}/{}", batch["id"].as_str().unwrap())
}

async fn results(stub: &StubHandle, batch: &Value) -> Vec<Value> {
    let answered = get(stub, &format!("{}/results", path_of(batch))).await;
    assert_eq!(answered.status, 200, "{answered:?}");
    let lines = text(&answered).lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[tokio::test]
async fn a_batch_is_created_ends_and_has_its_results_byte_for_byte() {
    let stub = builder()
        .plain()
        .batch_result("b", ApiError::overloaded())
        .batch_result("c", BatchResult::Canceled)
        .batch_result("d", BatchResult::Expired)
        .start();
    let ids = ["a", "b", "c", "d"];
    let created = ask(&stub, "POST", BATCHES, Some(batch_of(&ids))).await;
    let id = created.json()["id"].as_str().unwrap().to_owned();
    assert!(id.starts_with("msgbatch_01") && id.len() == 33, "{id}");
    let in_progress = format!(
        r#"{{"id":"{id}","type":"message_batch","processing_status":"in_progress","request_counts":{{"processing":4,"succeeded":0,"errored":0,"canceled":0,"expired":0}},"ended_at":null,"created_at":"2026-08-19T14:34:12.250000+00:00","expires_at":"2026-08-20T14:34:12.250000+00:00","archived_at":null,"cancel_initiated_at":null,"results_url":null}}"#
    );
    assert_eq!(
        (created.status, text(&created)),
        (200, in_progress.as_str())
    );

    let ended = get(&stub, &format!("{BATCHES}/{id}")).await;
    let url = format!("{}{BATCHES}/{id}/results", stub.url());
    let expected = format!(
        r#"{{"id":"{id}","type":"message_batch","processing_status":"ended","request_counts":{{"processing":0,"succeeded":1,"errored":1,"canceled":1,"expired":1}},"ended_at":"2026-08-19T14:35:12.250000+00:00","created_at":"2026-08-19T14:34:12.250000+00:00","expires_at":"2026-08-20T14:34:12.250000+00:00","archived_at":null,"cancel_initiated_at":null,"results_url":"{url}"}}"#
    );
    assert_eq!(text(&ended), expected);

    let results = get(&stub, &format!("{BATCHES}/{id}/results")).await;
    assert_eq!(results.header("content-type"), "application/x-jsonl");
    let lines: Vec<&str> = text(&results).split_inclusive('\n').collect();
    let message = lines[0];
    let message_id =
        serde_json::from_str::<Value>(message).unwrap()["result"]["message"]["id"].clone();
    let error = serde_json::from_str::<Value>(lines[1]).unwrap();
    let request_id = &error["result"]["error"]["request_id"];
    assert_eq!(
        lines,
        [
            format!(
                r#"{{"custom_id":"a","result":{{"type":"succeeded","message":{{"model":"m","id":{message_id},"type":"message","role":"assistant","content":[{{"type":"text","text":"ok"}}],"stop_reason":"end_turn","stop_sequence":null,"stop_details":null,"usage":{{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0}},"output_tokens":1,"service_tier":"batch","inference_geo":"not_available"}}}}}}}}"#
            ) + "\n",
            format!(
                r#"{{"custom_id":"b","result":{{"type":"errored","error":{{"type":"error","error":{{"type":"overloaded_error","message":"Overloaded"}},"request_id":{request_id}}}}}}}"#
            ) + "\n",
            "{\"custom_id\":\"c\",\"result\":{\"type\":\"canceled\"}}\n".to_owned(),
            "{\"custom_id\":\"d\",\"result\":{\"type\":\"expired\"}}\n".to_owned(),
        ]
    );
    stub.verify();
}

#[tokio::test]
async fn a_result_is_scripted_by_id_then_by_content_then_ok() {
    let stub = builder()
        .allow_script_drift()
        .batch_result(
            "by-id",
            Turn::new()
                .tool_call_with_id("toolu_1", "f", json!({"a": 1}))
                .usage(Usage::input(3).output(4)),
        )
        .batch_results(|custom_id, request| {
            let asked = request.last_user_text();
            let known = custom_id.starts_with("by-");
            known.then(|| {
                let said = format!("{custom_id}: {asked} of {}", request.model());
                Turn::new()
                    .text(said)
                    .stop_reason(StopReason::MaxTokens)
                    .into()
            })
        })
        .start();
    let batch = create(&stub, &["by-id", "by-content", "neither"]).await;
    poll(&stub, &batch).await;
    let results = results(&stub, &batch).await;
    let ids: Vec<_> = results
        .iter()
        .map(|line| line["custom_id"].clone())
        .collect();
    assert_eq!(ids, ["by-id", "by-content", "neither"]);
    let messages: Vec<_> = results
        .iter()
        .map(|line| &line["result"]["message"])
        .collect();
    let content = json!([{
        "type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}, "caller": {"type": "direct"}
    }]);
    assert_eq!(messages[0]["content"], content);
    assert_eq!(messages[0]["usage"]["output_tokens"], 4);
    assert_eq!(messages[1]["content"][0]["text"], "by-content: hi of m");
    assert_eq!(messages[1]["stop_reason"], "max_tokens");
    assert_eq!(messages[2]["content"][0]["text"], "ok");
    let message_ids: std::collections::BTreeSet<_> = messages
        .iter()
        .map(|message| message["id"].as_str())
        .collect();
    assert_eq!(message_ids.len(), 3);
    stub.verify();
}

#[tokio::test]
async fn the_same_script_makes_the_same_batches() {
    let mut seen = Vec::new();
    for _ in 0..2 {
        let stub = builder().seed(7).start();
        let first = create(&stub, &["a"]).await;
        let second = create(&stub, &["a"]).await;
        assert_ne!(first["id"], second["id"]);
        let mut bytes = Vec::new();
        for batch in [first, second] {
            poll(&stub, &batch).await;
            bytes.push(results(&stub, &batch).await);
        }
        assert_ne!(bytes[0], bytes[1]);
        seen.push(bytes);
    }
    assert_eq!(seen[0], seen[1]);
}

#[tokio::test]
async fn a_batch_is_in_progress_as_often_as_it_is_scripted() {
    let stub = builder().batch_polls(2).start();
    let batch = create(&stub, &["a"]).await;
    let not_yet = get(&stub, &format!("{}/results", path_of(&batch))).await;
    let message = format!(
        "message batch `{}`: it has no results before it has ended",
        batch["id"].as_str().unwrap()
    );
    assert_eq!(
        error(&not_yet),
        (400, "invalid_request_error".to_owned(), message)
    );
    let mut seen = Vec::new();
    for _ in 0..4 {
        // a list is no poll
        let listed = get(&stub, BATCHES).await.json()["data"][0]["processing_status"].clone();
        let polled = poll(&stub, &batch).await;
        seen.push((listed, polled["processing_status"].clone()));
    }
    let row = |listed: &str, polled: &str| (json!(listed), json!(polled));
    assert_eq!(
        seen,
        [
            row("in_progress", "in_progress"),
            row("in_progress", "in_progress"),
            row("in_progress", "ended"),
            row("ended", "ended"),
        ]
    );
    stub.verify();
}

#[tokio::test]
async fn a_canceled_batch_keeps_what_is_scripted_and_cancels_the_rest() {
    let stub = builder().batch_polls(1).batch_result("b", "done").start();
    let batch = create(&stub, &["a", "b"]).await;
    let cancel = format!("{}/cancel", path_of(&batch));
    let canceling = ask(&stub, "POST", &cancel, None).await.json();
    let expected =
        json!({"processing": 2, "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0});
    assert_eq!(canceling["processing_status"], "canceling");
    assert_eq!(canceling["request_counts"], expected);
    assert_eq!(
        canceling["cancel_initiated_at"],
        "2026-08-19T14:34:42.250000+00:00"
    );
    assert_eq!(poll(&stub, &batch).await, canceling);
    // once more changes nothing
    assert_eq!(ask(&stub, "POST", &cancel, None).await.json(), canceling);

    let ended = poll(&stub, &batch).await;
    let expected =
        json!({"processing": 0, "succeeded": 1, "errored": 0, "canceled": 1, "expired": 0});
    assert_eq!(ended["processing_status"], "ended");
    assert_eq!(ended["request_counts"], expected);
    let results = results(&stub, &batch).await;
    assert_eq!(
        results[0],
        json!({"custom_id": "a", "result": {"type": "canceled"}})
    );
    assert_eq!(
        results[1]["result"]["message"]["content"][0]["text"],
        "done"
    );

    let again = ask(&stub, "POST", &cancel, None).await;
    let message = format!(
        "message batch `{}`: it has ended, and only a batch in progress can be canceled",
        batch["id"].as_str().unwrap()
    );
    assert_eq!(
        error(&again),
        (400, "invalid_request_error".to_owned(), message)
    );
    stub.verify();
}

#[tokio::test]
async fn batches_are_listed_most_recent_first_and_deleted_once_they_have_ended() {
    let stub = builder().start();
    let mut made = Vec::new();
    for _ in 0..3 {
        made.push(create(&stub, &["a"]).await);
    }
    let id = |n: usize| made[n]["id"].as_str().unwrap().to_owned();
    assert_eq!(made[2]["created_at"], "2026-08-19T14:34:14.250000+00:00");
    assert_eq!(ids(&get(&stub, BATCHES).await), [id(2), id(1), id(0)]);
    let page = get(&stub, &format!("{BATCHES}?limit=1&after_id={}", id(2))).await;
    assert_eq!(
        (ids(&page), page.json()["has_more"].clone()),
        (vec![id(1)], json!(true))
    );

    let path = path_of(&made[1]);
    let delete = || ask(&stub, "DELETE", &path, None);
    let refused = delete().await;
    let message = format!(
        "message batch `{}`: only a batch that has ended can be deleted; cancel it first",
        id(1)
    );
    assert_eq!(
        error(&refused),
        (400, "invalid_request_error".to_owned(), message)
    );
    poll(&stub, &made[1]).await;
    assert_eq!(
        text(&delete().await),
        format!(r#"{{"id":"{}","type":"message_batch_deleted"}}"#, id(1))
    );
    assert_eq!(ids(&get(&stub, BATCHES).await), [id(2), id(0)]);
    let gone = (
        404,
        "not_found_error".to_owned(),
        format!("there is no message batch with the id `{}`", id(1)),
    );
    assert_eq!(error(&delete().await), gone);
    for target in ["", "/results"] {
        let missing = get(&stub, &format!("{path}{target}")).await;
        assert_eq!(error(&missing), gone, "{target}");
    }
    stub.verify();
}

#[tokio::test]
async fn a_batch_with_wrong_custom_ids_is_refused() {
    let builder = || builder().without_verify_on_drop();
    let stub = builder().start();
    let long = "x".repeat(65);
    for (requests, message) in [
        (
            &["a", "a"][..],
            "requests.1.custom_id: `a` stands twice in this batch",
        ),
        (
            &[],
            "requests: List should have at least 1 item after validation, not 0",
        ),
        (
            &["a", &long],
            "requests.1.custom_id: String should have at most 64 characters",
        ),
    ] {
        let body = batch_of(requests);
        let refused = ask(&stub, "POST", BATCHES, Some(body.clone())).await;
        let expected = (400, "invalid_request_error".to_owned(), message.to_owned());
        assert_eq!(
            (error(&refused), refused.why()),
            (expected, "batch-requests")
        );
        let lenient = builder().without_rule("batch-requests").start();
        let accepted = ask(&lenient, "POST", BATCHES, Some(body)).await;
        assert_eq!(accepted.status, 200, "{message}");
    }
    assert_eq!(ids(&get(&stub, BATCHES).await), [""; 0]);
    let report = stub.try_verify().unwrap_err().to_string();
    assert!(
        report.contains(
            "POST /v1/messages/batches: requests.1.custom_id: `a` stands twice in this batch\n        \
             where: rule `batch-requests`, known from: the documentation, and a public report (64 characters)"
        ),
        "{report}"
    );
}

#[tokio::test]
async fn a_request_of_a_batch_that_breaks_a_rule_is_errored_and_fails_verify() {
    let stub = builder().without_verify_on_drop().start();
    let mut body = batch_of(&["cold", "warm"]);
    body["requests"][1]["params"]["temperature"] = json!(0.5);
    let headers = [("x-api-key", KEY), ("anthropic-version", "2026-10-21")];
    let created = ask_with(&stub, "POST", BATCHES, Some(body), &headers).await;
    let batch = created.json();
    poll(&stub, &batch).await;
    let results = results(&stub, &batch).await;
    assert_eq!(results[0]["result"]["type"], "succeeded");
    assert_eq!(
        results[1]["result"]["error"]["error"],
        json!({"type": "invalid_request_error", "message": "temperature: Extra inputs are not permitted"})
    );
    let report = stub.try_verify().unwrap_err().to_string();
    let problem = "    - POST /v1/messages/batches: temperature: Extra inputs are not permitted
        where: rule `sampling-parameters`, the request `warm` of a batch
        help: mend the request, or accept it with `.without_rule(\"sampling-parameters\")`";
    assert!(report.contains(problem), "{report}");
}

#[tokio::test]
async fn a_result_that_cannot_be_said_is_told_when_the_batch_is_created() {
    let built = line!() + 1;
    let broken = || Turn::new().tool_call("f", Arguments::raw("{"));
    let stub = builder()
        .batch_result("a", broken())
        .allow_script_drift()
        .start();
    let refused = ask(&stub, "POST", BATCHES, Some(batch_of(&["a"]))).await;
    let message = format!(
        "the arguments of `f` are not JSON: EOF while parsing an object at line 1 column 1\n  \
         where: the result of `a` in a batch, built at {}:{built}, for request POST /v1/messages/batches\n  \
         found: `{{`\n  \
         help: broken arguments can only be streamed; here `input` is a JSON value",
        file!()
    );
    assert_eq!(
        error(&refused),
        (422, "invalid_request_error".to_owned(), message)
    );
    assert_eq!(refused.why(), "unplayable");
    stub.try_verify().unwrap_err();
}

#[tokio::test]
async fn a_function_for_results_that_panics_or_gives_what_cannot_be_said_fails_the_creation() {
    let at = |built: u32| format!("script of 0 turns, built at {}:{built}", file!());
    let built = line!() + 1;
    let stub = builder().batch_results(|_, _| panic!("no printer")).start();
    let refused = ask(&stub, "POST", BATCHES, Some(batch_of(&["a"]))).await;
    let message = format!(
        "the function of `.batch_results(..)` panicked: no printer\n  \
         where: {}, for request POST /v1/messages/batches\n  \
         help: standard error has the line of the panic",
        at(built)
    );
    let expected = (422, "invalid_request_error".to_owned(), message);
    assert_eq!((error(&refused), refused.why()), (expected, "panicked"));
    stub.try_verify().unwrap_err();

    let built = line!() + 1;
    let stalled = || Turn::new().text("x").stall(After::request());
    let stub = builder()
        .batch_results(move |_, _| Some(stalled().into()))
        .start();
    let refused = ask(&stub, "POST", BATCHES, Some(batch_of(&["a"]))).await;
    let message = format!(
        "a result of a batch is a line of a file: nothing happens to it on its way\n  \
         where: the result of `a` in a batch, built at {}:{built}, for request POST /v1/messages/batches\n  \
         help: leave gates, delays, stalls, endings, faults, cut and pace out of this turn",
        file!()
    );
    let expected = (422, "invalid_request_error".to_owned(), message);
    assert_eq!((error(&refused), refused.why()), (expected, "unplayable"));
    stub.try_verify().unwrap_err();
}

#[tokio::test]
async fn a_result_that_does_not_fit_its_request_is_script_drift() {
    let call = || Turn::new().tool_call("f", json!({}));
    let built = line!() - 1;
    let stub = builder().batch_result("a", call()).start();
    let refused = ask(&stub, "POST", BATCHES, Some(batch_of(&["a"]))).await;
    let place = format!(
        "\n  where: the result of `a` in a batch, built at {}:{built}, for request POST /v1/messages/batches\n",
        file!()
    );
    assert!(refused.message().contains(&place), "{}", refused.message());
    assert_eq!((refused.status, refused.why()), (422, "script-drift"));
    stub.try_verify().unwrap_err();

    let stub = builder()
        .batch_result("a", call())
        .allow_script_drift()
        .start();
    create(&stub, &["a"]).await;
    stub.verify();
}

#[tokio::test]
async fn a_result_whose_request_never_comes_fails_verify() {
    let stub = builder()
        .batch_result("a", "x")
        .batch_result("b", "x")
        .start();
    create(&stub, &["a"]).await;
    let report = stub.try_verify().unwrap_err().to_string();
    let problem =
        "\n    - `.batch_result(\"b\", ..)` was never used: no batch had a request with this id";
    assert!(report.ends_with(problem), "{report}");
    assert!(!report.contains("`.batch_result(\"a\""), "{report}");
}

#[tokio::test]
async fn the_results_are_at_the_name_that_the_client_has_for_the_stub() {
    let stub = builder().start();
    let port = stub.url().rsplit(':').next().unwrap().to_owned();
    let batch = create(&stub, &["a"]).await;
    for (host, expected) in [
        (
            format!("localhost:{port}"),
            format!("http://localhost:{port}"),
        ),
        ("stub".to_owned(), stub.url()),
    ] {
        let headers = [
            ("x-api-key", KEY),
            ("anthropic-version", "2023-06-01"),
            ("host", host.as_str()),
        ];
        let polled = ask_with(&stub, "GET", &path_of(&batch), None, &headers).await;
        let url = polled.json()["results_url"].as_str().unwrap().to_owned();
        assert_eq!(url, format!("{expected}{}/results", path_of(&batch)));
    }
    stub.verify();
}

// --- beside the script -----------------------------------------------------------------------------

#[tokio::test]
async fn side_roads_use_no_turn_and_are_in_the_journal_only() {
    let stub = builder().turn("the only one").start();
    let hold = stub.hold();
    count(&stub, question()).await;
    get(&stub, "/v1/models").await;
    get(&stub, "/v1/models/claude-opus-4-6").await;
    get(&stub, "/v1/models/none").await;
    let batch = create(&stub, &["a"]).await;
    get(&stub, BATCHES).await;
    poll(&stub, &batch).await;
    results(&stub, &batch).await;
    ask(&stub, "DELETE", &path_of(&batch), None).await;
    assert!(stub.requests().is_empty());
    hold.release();
    assert_eq!(call(&stub).send().await.text(), "the only one");

    stub.wait_for_requests(1).await;
    let answered: Vec<_> = stub.journal().iter().map(|r| r.answered_by()).collect();
    assert_eq!(
        answered,
        [
            "the token count",
            "the model list",
            "the model",
            "404: no such model",
            "the new batch",
            "the batch list",
            "the batch",
            "the batch's results",
            "the deleted batch",
            "turn #1",
        ]
    );
    let [counted, ..] = &stub.journal()[..] else {
        panic!("nothing came")
    };
    assert_eq!(counted.api(), Some(Api::AnthropicMessages));
    assert_eq!(counted.json(), &question());
    assert_eq!(
        (counted.model(), counted.last_user_text()),
        ("m", "Hello, world".to_owned())
    );
    assert!(
        stub.journal()
            .iter()
            .all(|r| r.outcome() == Outcome::Complete)
    );
    assert_eq!(stub.single_request().index(), 0);
    stub.verify();
}

#[tokio::test]
async fn a_browser_may_ask_on_a_side_road_too() {
    let stub = builder().start();
    let origin = ("origin", "http://app.example");
    let headers = [
        origin,
        ("access-control-request-method", "GET"),
        ("access-control-request-headers", "x-api-key"),
    ];
    let preflight = ask_with(&stub, "OPTIONS", "/v1/models", None, &headers).await;
    assert_eq!((preflight.status, preflight.body.len()), (204, 0));
    assert_eq!(preflight.header("access-control-allow-origin"), "*");
    assert_eq!(
        preflight.header("access-control-allow-methods"),
        "GET, POST, DELETE, OPTIONS"
    );
    assert_eq!(
        preflight.header("access-control-allow-headers"),
        "x-api-key"
    );
    let headers = [
        origin,
        ("x-api-key", KEY),
        ("anthropic-version", "2023-06-01"),
    ];
    let list = ask_with(&stub, "GET", "/v1/models", None, &headers).await;
    assert_eq!(
        (list.status, list.header("access-control-allow-origin")),
        (200, "*")
    );
    stub.verify();
}

#[tokio::test]
async fn another_method_on_a_known_path_is_said_to_be_wrong() {
    for (method, path) in [
        ("HEAD", "/v1/models"),
        ("OPTIONS", "/v1/models"),
        ("POST", "/v1/models"),
        ("GET", "/v1/messages/count_tokens"),
        ("PATCH", "/v1/messages/batches/msgbatch_1"),
        ("GET", "/v1/messages/batches/msgbatch_1/cancel"),
    ] {
        let stub = builder().without_verify_on_drop().start();
        let refused = ask(&stub, method, path, None).await;
        assert_eq!((refused.status, refused.why()), (404, "not-served"));
        let help = "\n  help: the path is right, the method is not";
        let report = stub.try_verify().unwrap_err().to_string();
        assert!(
            report.replace("\n        ", "\n  ").ends_with(help),
            "{report}"
        );
        match method {
            "HEAD" => assert!(refused.body.is_empty()),
            _ => assert!(refused.message().ends_with(help), "{}", refused.message()),
        }
    }
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_on_a_side_road_too() {
    let stub = builder().body_limit(9).start();
    let refused = count(&stub, question()).await;
    let message = "the request's body is longer than 9 bytes".to_owned();
    assert_eq!(
        error(&refused),
        (413, "request_too_large".to_owned(), message)
    );
    stub.try_verify().unwrap_err();
}
