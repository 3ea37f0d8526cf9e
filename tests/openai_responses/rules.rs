//! The service's rules: what each refuses in which words, what each lets pass, and that none refuses what the service
//! accepted.

use std::{fs, path::PathBuf};

use llm_wire_stub::*;
use serde_json::{Value, json};

use crate::{
    call,
    openai_rules::{
        Breach, CREDENTIALS, JSON_BODY, Row, assert_documented, assert_refused, assert_words,
        builder, documented, object,
    },
    post::Call,
};

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn function_call(id: &str) -> Value {
    json!({"type": "function_call", "call_id": id, "name": "f", "arguments": "{}"})
}

fn custom_call(id: &str) -> Value {
    json!({"type": "custom_tool_call", "call_id": id, "name": "g", "input": "x"})
}

fn output(kind: &str, id: &str) -> Value {
    json!({"type": format!("{kind}_output"), "call_id": id, "output": "ok"})
}

fn reasoning(id: &str) -> Value {
    json!({"type": "reasoning", "id": id, "summary": []})
}

fn said(id: &str) -> Value {
    json!({"type": "message", "id": id, "role": "assistant", "content": [{"type": "output_text", "text": "a"}]})
}

fn talk(call: Call, input: Value) -> Call {
    call.member("input", input)
}

/// A function of this name.
fn named(name: &str) -> Value {
    json!([{"type": "function", "name": name}])
}

fn function(parameters: impl Into<Value>, strict: bool) -> Value {
    json!([{"type": "function", "name": "f", "parameters": parameters.into(), "strict": strict}])
}

fn format(call: Call, format: &Value) -> Call {
    call.member("text", json!({ "format": format }))
}

const ENVELOPE: &[Row] = &[
    CREDENTIALS,
    JSON_BODY,
    Row {
        rule: "required-fields",
        breaks: |call| call.raw_body(r#"{"input":"hi"}"#),
        text: "Missing required parameter: 'model'.",
        param: Some("model"),
        code: Some("missing_required_parameter"),
        passes: |call| call.raw_body(r#"{"prompt":{"id":"pmpt_1"}}"#),
    },
    Row {
        rule: "field-types",
        breaks: |call| call.member("stream", "true"),
        text: "Invalid type for 'stream': expected a boolean, but got a string instead.",
        param: Some("stream"),
        code: Some("invalid_type"),
        passes: |call| call.member("stream", json!(null)),
    },
    Row {
        rule: "unknown-fields",
        breaks: |call| call.member("x", 1),
        text: "Unknown parameter: 'x'.",
        param: Some("x"),
        code: Some("unknown_parameter"),
        passes: |call| call.member("truncation", "auto").member("user", "u"),
    },
    Row {
        rule: "sampling-range",
        breaks: |call| call.model("m").member("temperature", -1),
        text: "Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but got -1 instead.",
        param: Some("temperature"),
        code: Some("decimal_below_min_value"),
        passes: |call| call.model("m").member("temperature", 2).member("top_p", 0),
    },
    Row {
        rule: "temperature-support",
        breaks: |call| call.model("gpt-5").member("temperature", 0.2),
        text: "Unsupported parameter: 'temperature' is not supported with this model.",
        param: Some("temperature"),
        code: None,
        passes: |call| call.model("gpt-5.1").member("temperature", 0.2),
    },
];

/// As Chat has it.
fn nested() -> Value {
    json!({"type": "function", "function": {"name": "g", "parameters": {"type": "object"}}})
}

const SCHEMAS: &[Row] = &[
    Row {
        rule: "tool-form",
        breaks: |call| {
            call.member(
                "tools",
                json!([{"type": "function", "name": "f"}, nested()]),
            )
        },
        text: "Missing required parameter: 'tools[1].name'.",
        param: Some("tools[1].name"),
        code: Some("missing_required_parameter"),
        passes: |call| call.member("tools", json!([{"type": "web_search"}])),
    },
    Row {
        rule: "tool-name-pattern",
        breaks: |call| call.member("tools", named("a b")),
        text: "Invalid 'tools[0].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
        param: Some("tools[0].name"),
        code: Some("invalid_value"),
        passes: |call| call.member("tools", named("a-b")),
    },
    Row {
        rule: "tool-schema",
        breaks: |call| call.member("tools", function(json!({"properties": {}}), false)),
        text: "Invalid schema for function 'f': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'.",
        param: Some("tools[0].parameters"),
        code: Some("invalid_function_parameters"),
        passes: |call| call.member("tools", function(json!(null), false)),
    },
    Row {
        rule: "strict-schema",
        breaks: |call| call.member("tools", function(json!({"type": "object"}), true)),
        text: "Invalid schema for function 'f': In context=(), 'additionalProperties' is required to be supplied and to be false.",
        param: Some("tools[0].parameters"),
        code: Some("invalid_function_parameters"),
        passes: |call| {
            let strict = object(json!({"type": "string"}), &["a"]);
            call.member("tools", function(strict, true))
        },
    },
    Row {
        rule: "format-name",
        breaks: |call| {
            format(
                call,
                &json!({"type": "json_schema", "schema": {"type": "object"}}),
            )
        },
        text: "Missing required parameter: 'text.format.name'.",
        param: Some("text.format.name"),
        code: Some("missing_required_parameter"),
        passes: |call| format(call, &json!({"type": "text"})),
    },
];

const INPUT: &[Row] = &[
    Row {
        rule: "previous-response",
        breaks: |call| call.member("previous_response_id", "resp_x"),
        text: "Previous response with id 'resp_x' not found.",
        param: Some("previous_response_id"),
        code: Some("previous_response_not_found"),
        passes: |call| call.member("previous_response_id", json!(null)),
    },
    Row {
        rule: "message-roles",
        breaks: |call| talk(call, json!([user("hi"), {"role": "tool", "content": "x"}])),
        text: "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
        param: Some("input[1]"),
        code: Some("invalid_value"),
        passes: |call| {
            talk(
                call,
                json!([{"role": "developer", "content": "x"}, user("hi")]),
            )
        },
    },
    Row {
        rule: "content-types",
        breaks: |call| {
            talk(
                call,
                json!([{"role": "user", "content": [{"type": "text", "text": "x"}]}]),
            )
        },
        text: "Invalid value: 'text'. Supported values are: 'input_text', 'input_image', 'output_text', 'refusal', 'input_file', 'computer_screenshot', and 'summary_text'.",
        param: Some("input[0].content[0].type"),
        code: Some("invalid_value"),
        passes: |call| {
            talk(
                call,
                json!([{"role": "user", "content": [{"type": "input_text", "text": "x"}]}]),
            )
        },
    },
    Row {
        rule: "tool-results-follow",
        breaks: |call| {
            let calls = [function_call("a"), function_call("b")];
            let [a, b] = calls;
            talk(
                call,
                json!([user("go"), a, b, output("function_call", "a"), user("x")]),
            )
        },
        text: "No tool output found for function call b.",
        param: Some("input"),
        code: None,
        passes: |call| {
            let outputs = [output("function_call", "b"), output("function_call", "a")];
            let [b, a] = outputs;
            talk(
                call,
                json!([user("go"), function_call("a"), function_call("b"), b, a]),
            )
        },
    },
    Row {
        rule: "tool-results-match",
        breaks: |call| talk(call, json!([user("go"), output("function_call", "a")])),
        text: "No tool call found for function call output with call_id a.",
        param: Some("input"),
        code: None,
        passes: |call| {
            let reference = json!({"type": "item_reference", "id": "fc_1"});
            talk(call, json!([reference, output("function_call", "a")]))
        },
    },
    Row {
        rule: "unique-item-ids",
        breaks: |call| {
            let item = |text: &str| json!({"id": "msg_1", "role": "assistant", "content": text});
            talk(call, json!([user("go"), item("a"), user("on"), item("b")]))
        },
        text: "Duplicate item found with id msg_1. Remove duplicate items from your input and try again.",
        param: Some("input"),
        code: None,
        passes: |call| {
            let item = |id: &str| json!({"id": id, "role": "assistant", "content": "a"});
            talk(
                call,
                json!([
                    user("go"),
                    item("msg_1"),
                    user("on"),
                    item("msg_2"),
                    item("")
                ]),
            )
        },
    },
    Row {
        rule: "reasoning-leads",
        breaks: |call| talk(call, json!([user("go"), reasoning("rs_1"), user("x")])),
        text: "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
        param: Some("input"),
        code: None,
        passes: |call| {
            talk(
                call,
                json!([
                    user("go"),
                    reasoning("rs_1"),
                    reasoning("rs_2"),
                    said("msg_1"),
                    user("x")
                ]),
            )
        },
    },
];

const JSON_WORD: Row = Row {
    rule: "json-word",
    breaks: |call| format(call, &json!({"type": "json_object"})),
    text: "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
    param: Some("input"),
    code: None,
    passes: |call| {
        let call = talk(call, json!([user("As JSON.")]));
        format(call, &json!({"type": "json_object"}))
    },
};

/// All of them, but for the one that needs an answer of the stub's.
fn rows() -> impl Iterator<Item = &'static Row> + Clone {
    let rows = [ENVELOPE, SCHEMAS, INPUT].into_iter().flatten();
    rows.chain([&JSON_WORD])
}

/// Looks at an answer before it, and so has a test of its own.
const REASONING_KEPT: &str = "`reasoning-kept`";

#[tokio::test]
async fn each_rule_refuses_its_request_in_the_services_words_and_lets_the_near_miss_pass() {
    assert_refused(rows(), call).await;
}

#[tokio::test]
async fn each_rule_is_documented_and_can_be_switched_off() {
    let mut documented = documented(include_str!(
        "../../src/api/openai_responses/rules/rules.md"
    ));
    documented.retain(|[name, ..]| name != REASONING_KEPT);
    assert_documented(rows(), documented, call).await;
}

#[tokio::test]
async fn more_breaches_have_their_own_words() {
    let breaches: &[Breach] = &[
        (
            |call| call.raw_body(r#"{"model":"m"}"#),
            r#"One of "input" or "previous_response_id" or 'prompt' or 'conversation_id' must be provided."#,
            Some("input"),
        ),
        (
            |call| call.member("temperature", 2.5),
            "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 2.5 instead.",
            Some("temperature"),
        ),
        (
            |call| call.member("max_output_tokens", 15),
            "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 15 instead.",
            Some("max_output_tokens"),
        ),
        (
            |call| {
                let content = json!([{"type": "input_text", "text": "x"}]);
                let said = json!({"role": "assistant", "content": content});
                talk(call, json!([user("go"), said]))
            },
            "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
            Some("input[1].content[0]"),
        ),
        (
            |call| talk(call, json!([custom_call("a")])),
            "No tool output found for custom tool call a.",
            Some("input"),
        ),
        (
            |call| talk(call, json!([output("custom_tool_call", "a")])),
            "No tool call found for custom tool call output with call_id a.",
            Some("input"),
        ),
        (
            |call| talk(call, json!([user("go"), reasoning("rs_1")])),
            "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
            Some("input"),
        ),
        (
            |call| {
                let items = [function_call("a"), reasoning("rs_1")];
                let [made, reason] = items;
                talk(call, json!([made, reason, output("function_call", "a")]))
            },
            "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
            Some("input"),
        ),
        (
            |call| {
                let inner = json!({"type": "array", "items": object(json!({}), &[])});
                call.member("tools", function(object(inner, &["a"]), true))
            },
            "Invalid schema for function 'f': In context=('properties', 'a', 'items'), 'required' is required to be supplied and to be an array including every key in properties. Missing 'a'.",
            Some("tools[0].parameters"),
        ),
        (
            |call| {
                let schema = json!({"type": "object"});
                format(
                    call,
                    &json!({"type": "json_schema", "name": "n", "strict": true, "schema": schema}),
                )
            },
            "Invalid schema for response_format 'n': In context=(), 'additionalProperties' is required to be supplied and to be false.",
            Some("text.format.schema"),
        ),
    ];
    assert_words(breaches, call).await;
}

#[tokio::test]
async fn no_rule_refuses_a_recorded_request_that_was_answered() {
    let folder =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/captures/openai-responses");
    let Ok(entries) = fs::read_dir(&folder) else {
        eprintln!("NO CAPTURES, NOTHING TESTED: {}", folder.display());
        return;
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut looked_at = 0;
    for path in paths.filter(|path| path.to_str().unwrap().ends_with(".meta.json")) {
        let meta: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let body = &meta["request_body"];
        if meta["status"] != 200 || !body.is_object() || body["background"] == true {
            continue;
        }
        looked_at += 1;
        let stub = builder().turn("ok").start();
        let answered = call(&stub).raw_body(body.to_string()).send().await;
        let shown = path.display();
        assert_eq!(answered.status, 200, "{shown}: {:?}", answered.body);
    }
    assert!(looked_at > 8, "{looked_at}");
}

#[tokio::test]
async fn script_drift_is_told_here_too() {
    let script = || WireStub::builder().without_verify_on_drop();
    let stub = script()
        .turn(Turn::new().tool_call("shel", json!({})))
        .start();
    let tools = json!([{"type": "function", "name": "shell"}]);
    let refused = call(&stub).member("tools", tools).send().await;
    assert_eq!((refused.status, refused.why()), (422, "script-drift"));
    assert!(
        refused.message().contains("`shel`, nearest to `shell`"),
        "{}",
        refused.message()
    );

    // one in the form of another API is not offered
    let call_g = Turn::new().tool_call("g", json!({}));
    let stub = script().turn(call_g).without_rule("tool-form").start();
    let refused = call(&stub).member("tools", json!([nested()])).send().await;
    assert_eq!((refused.status, refused.why()), (422, "script-drift"));
    assert_eq!(stub.request(0).tools(), []);

    let stub = script().turn("not JSON").start();
    let schema = object(json!({"type": "string"}), &["a"]);
    let asked = json!({"type": "json_schema", "name": "n", "strict": true, "schema": schema});
    let refused = format(call(&stub), &asked).send().await;
    assert_eq!((refused.status, refused.why()), (422, "script-drift"));
}
