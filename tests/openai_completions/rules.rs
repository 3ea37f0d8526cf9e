//! The rules: what each refuses in which words, what each lets pass, and that the documentation lists them.

use llm_wire_stub::*;
use serde_json::{Value, json};

use crate::complete;

/// A rule, a body that breaks it, the answer (status, message, param), and a body that only just does not break it.
type Row = (
    &'static str,
    Value,
    u16,
    &'static str,
    Option<&'static str>,
    Value,
);

fn rows() -> Vec<Row> {
    let body = |members: Value| {
        let mut body = json!({"model": "gpt-3.5-turbo-instruct", "prompt": "a"});
        for (name, value) in members.as_object().unwrap() {
            body[name] = value.clone();
        }
        body
    };
    let chat = "This is a chat model and not supported in the v1/completions endpoint. Did you mean to use v1/chat/completions?";
    let row = |rule, breaks, message, param, passes| {
        (rule, body(breaks), 400, message, param, body(passes))
    };
    vec![
        (
            "json-body",
            json!([]),
            400,
            "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If you have trouble figuring out how to fix this, please contact us through our help center at help.openai.com.)",
            None,
            body(json!({})),
        ),
        (
            "required-fields",
            json!({"prompt": "a"}),
            400,
            "you must provide a model parameter",
            None,
            json!({"model": "m"}),
        ),
        (
            "completion-model",
            body(json!({"model": "gpt-4o"})),
            404,
            chat,
            Some("model"),
            body(json!({"model": "gpt-3.5-turbo-instruct-0914"})),
        ),
        row(
            "sampling-range",
            json!({"n": 129}),
            "Invalid 'n': integer above maximum value. Expected a value <= 128, but got 129 instead.",
            Some("n"),
            json!({"n": 128}),
        ),
        row(
            "completion-best-of",
            json!({"best_of": 2, "n": 3}),
            "Invalid 'best_of': it must not be less than 'n'.",
            Some("best_of"),
            json!({"best_of": 3, "n": 3}),
        ),
        row(
            "completion-best-of",
            json!({"best_of": 2, "stream": true}),
            "Invalid 'best_of': results cannot be streamed.",
            Some("best_of"),
            json!({"best_of": 1, "stream": true}),
        ),
        row(
            "completion-logprobs",
            json!({"logprobs": 6}),
            "Invalid 'logprobs': the maximum value is 5.",
            Some("logprobs"),
            json!({"logprobs": 5}),
        ),
    ]
}

#[tokio::test]
async fn each_rule_refuses_in_these_words_and_can_be_switched_off() {
    for (rule, breaks, status, message, param, passes) in rows() {
        let stub = WireStub::builder()
            .turn("ok")
            .repeat_last()
            .without_verify_on_drop()
            .start();
        let refused = complete(&stub).raw_body(breaks.to_string()).send().await;
        assert_eq!((refused.status, refused.why()), (status, rule));
        let code = (rule == "sampling-range").then_some("integer_above_max_value");
        let expected = json!({"error": {
            "message": message, "type": "invalid_request_error", "param": param, "code": code
        }});
        assert_eq!(refused.json(), expected, "{rule}");
        let passed = complete(&stub).raw_body(passes.to_string()).send().await;
        assert_eq!(passed.status, 200, "{rule}: {passed:?}");

        let off = WireStub::builder()
            .turn("ok")
            .repeat_last()
            .without_rule(rule)
            .without_verify_on_drop();
        let off = off.start();
        let passed = complete(&off).raw_body(breaks.to_string()).send().await;
        assert_ne!(passed.why(), rule);
    }
}

#[tokio::test]
async fn a_key_is_asked_for() {
    let stub = WireStub::builder()
        .turn("ok")
        .without_verify_on_drop()
        .start();
    let refused = complete(&stub).without_header("authorization").send().await;
    assert_eq!((refused.status, refused.why()), (401, "credentials"));
}

#[test]
fn the_documentation_lists_the_rules() {
    let table = include_str!("../../src/api/openai_completions/rules/rules.md");
    let listed: Vec<_> = table
        .lines()
        .skip(2)
        .map(|line| line.split('`').nth(1).unwrap())
        .collect();
    let mut tested = vec!["credentials"];
    tested.extend(rows().iter().map(|row| row.0));
    tested.dedup();
    assert_eq!(listed, tested);
}
