//! The provider's rules: what each refuses in which words, what each lets pass, and that none refuses what the
//! service accepted.

use std::{fs, path::PathBuf};

use llm_wire_stub::*;
use serde_json::{Value, json};

use crate::{
    openai_rules::{
        Breach, CREDENTIALS, JSON_BODY, Row, assert_documented, assert_refused, assert_words,
        builder, documented, object,
    },
    post::{Call, call},
};

/// Looks at an answer before it, and so has a test of its own.
const REASONING_PASSED_BACK: &str = "`reasoning-passed-back`";

/// A valid call.
fn chat(stub: &StubHandle) -> Call {
    call(stub)
        .to("/v1/chat/completions")
        .header("authorization", "Bearer k")
}

fn user(content: impl Into<Value>) -> Value {
    json!({"role": "user", "content": content.into()})
}

fn calls(ids: &[&str]) -> Value {
    let calls = ids.iter().map(
        |id| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}}),
    );
    json!({"role": "assistant", "content": null, "tool_calls": calls.collect::<Vec<_>>()})
}

fn result(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": "ok"})
}

fn talk(call: Call, messages: Value) -> Call {
    call.member("messages", messages)
}

/// A function of this name.
fn named(name: &str) -> Value {
    json!([{"type": "function", "function": {"name": name}}])
}

fn function(parameters: impl Into<Value>, strict: bool) -> Value {
    let parameters = parameters.into();
    json!([{"type": "function", "function": {"name": "f", "parameters": parameters, "strict": strict}}])
}

const ENVELOPE: &[Row] = &[
    CREDENTIALS,
    JSON_BODY,
    Row {
        rule: "required-fields",
        breaks: |call| call.raw_body(r#"{"model":"m"}"#),
        text: "Missing required parameter: 'messages'.",
        param: Some("messages"),
        code: Some("missing_required_parameter"),
        passes: |call| call.raw_body(r#"{"model":"m","messages":[{"role":"user","content":""}]}"#),
    },
    Row {
        rule: "messages-not-empty",
        breaks: |call| talk(call, json!([])),
        text: "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        param: Some("messages"),
        code: Some("empty_array"),
        passes: |call| talk(call, json!([user("")])),
    },
    Row {
        rule: "field-types",
        breaks: |call| {
            talk(
                call,
                json!([user("hi"), {"role": "user", "content": {"a": 1}}]),
            )
        },
        text: "Invalid type for 'messages[1].content': expected one of a string or array of objects, but got an object instead.",
        param: Some("messages[1].content"),
        code: Some("invalid_type"),
        passes: |call| talk(call, json!([calls(&["a"]), result("a")])),
    },
    Row {
        rule: "unknown-fields",
        breaks: |call| call.member("x", 1),
        text: "Unknown parameter: 'x'.",
        param: Some("x"),
        code: Some("unknown_parameter"),
        passes: |call| call.member("verbosity", "low").member("user", "u"),
    },
    Row {
        rule: "sampling-range",
        breaks: |call| call.member("temperature", -1),
        text: "Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but got -1 instead.",
        param: Some("temperature"),
        code: Some("decimal_below_min_value"),
        passes: |call| call.member("temperature", 2).member("presence_penalty", -2),
    },
    Row {
        rule: "max-tokens-support",
        breaks: |call| call.model("gpt-5-mini"),
        text: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        param: Some("max_tokens"),
        code: Some("unsupported_parameter"),
        passes: |call| call.model("gpt-4o"),
    },
    Row {
        rule: "temperature-support",
        breaks: |call| {
            call.model("gpt-5-mini")
                .without_member("max_tokens")
                .member("temperature", 0.7)
        },
        text: "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.",
        param: Some("temperature"),
        code: Some("unsupported_value"),
        passes: |call| {
            call.model("o3")
                .without_member("max_tokens")
                .member("temperature", 1.0)
        },
    },
    Row {
        rule: "tools-needed",
        breaks: |call| call.member("tool_choice", "none"),
        text: "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
        param: Some("tool_choice"),
        code: None,
        passes: |call| call.member("tool_choice", json!(null)),
    },
    Row {
        rule: "stream-needed",
        breaks: |call| call.member("stream_options", json!({"include_usage": true})),
        text: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        param: Some("stream_options"),
        code: None,
        passes: |call| {
            call.streamed()
                .member("stream_options", json!({"include_usage": true}))
        },
    },
];

/// As Responses has it.
fn flat() -> Value {
    json!({"type": "function", "name": "g", "parameters": {"type": "object"}})
}

const SCHEMAS: &[Row] = &[
    Row {
        rule: "tool-form",
        breaks: |call| {
            call.member(
                "tools",
                json!([{"type": "function", "function": {"name": "f"}}, flat()]),
            )
        },
        text: "Missing required parameter: 'tools[1].function'.",
        param: Some("tools[1].function"),
        code: Some("missing_required_parameter"),
        passes: |call| {
            call.member(
                "tools",
                json!([{"type": "custom", "custom": {"name": "g"}}]),
            )
        },
    },
    Row {
        rule: "tool-name-pattern",
        breaks: |call| call.member("tools", named("a.b")),
        text: "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
        param: Some("tools[0].function.name"),
        code: Some("invalid_value"),
        passes: |call| call.member("tools", named(&"aB_-9".repeat(12))),
    },
    Row {
        rule: "tool-schema",
        breaks: |call| call.member("tools", function(json!({"properties": {}}), false)),
        text: "Invalid schema for function 'f': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'.",
        param: Some("tools[0].function.parameters"),
        code: Some("invalid_function_parameters"),
        passes: |call| {
            call.member(
                "tools",
                json!([{"type": "function", "function": {"name": "f"}}]),
            )
        },
    },
    Row {
        rule: "strict-schema",
        breaks: |call| call.member("tools", function(json!({"type": "object"}), true)),
        text: "Invalid schema for function 'f': In context=(), 'additionalProperties' is required to be supplied and to be false.",
        param: Some("tools[0].function.parameters"),
        code: Some("invalid_function_parameters"),
        passes: |call| {
            let strict = object(json!({"type": "string"}), &["a"]);
            call.member("tools", function(strict, true))
        },
    },
    Row {
        rule: "format-name",
        breaks: |call| {
            let format =
                json!({"type": "json_schema", "json_schema": {"schema": {"type": "object"}}});
            call.member("response_format", format)
        },
        text: "Missing required parameter: 'response_format.json_schema.name'.",
        param: Some("response_format.json_schema.name"),
        code: Some("missing_required_parameter"),
        passes: |call| {
            let format = json!({"type": "json_schema", "json_schema": {"name": "n"}});
            call.member("response_format", format)
        },
    },
];

const CONVERSATION: &[Row] = &[
    Row {
        rule: "message-roles",
        breaks: |call| talk(call, json!([user("hi"), {"role": "human", "content": "x"}])),
        text: "Invalid value: 'human'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
        param: Some("messages[1].role"),
        code: Some("invalid_value"),
        passes: |call| {
            talk(
                call,
                json!([{"role": "developer", "content": "x"}, user("hi")]),
            )
        },
    },
    Row {
        rule: "system-role-support",
        breaks: |call| {
            let system = json!({"role": "system", "content": "x"});
            let call = talk(call, json!([system, user("hi")])).model("o1-mini");
            call.member("max_tokens", json!(null))
        },
        text: "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        param: Some("messages[0].role"),
        code: Some("unsupported_value"),
        passes: |call| talk(call, json!([{"role": "system", "content": "x"}])),
    },
    Row {
        rule: "content-types",
        breaks: |call| talk(call, json!([user("a"), user(json!([{"type": "image"}]))])),
        text: "Invalid 'messages[1]'. Content blocks are expected to be either text or image_url type.",
        param: Some("messages[1]"),
        code: Some("invalid_value"),
        passes: |call| talk(call, json!([user(json!([{"type": "text", "text": "a"}]))])),
    },
    Row {
        rule: "tool-results-follow",
        breaks: |call| {
            talk(
                call,
                json!([user("go"), calls(&["a", "b"]), result("a"), user("x")]),
            )
        },
        text: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: b",
        param: Some("messages.[3].role"),
        code: None,
        passes: |call| {
            talk(
                call,
                json!([
                    user("go"),
                    calls(&["a", "b"]),
                    result("b"),
                    result("a"),
                    user("x")
                ]),
            )
        },
    },
    Row {
        rule: "tool-results-match",
        breaks: |call| talk(call, json!([user("go"), result("a")])),
        text: "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        param: Some("messages.[1].role"),
        code: None,
        passes: |call| talk(call, json!([user("go"), calls(&["a"]), result("a")])),
    },
    Row {
        rule: "one-result-per-call",
        breaks: |call| {
            let twice = json!([
                user("go"),
                calls(&["a", "b"]),
                result("a"),
                result("b"),
                result("a")
            ]);
            talk(call, twice)
        },
        text: "Invalid parameter: Duplicate value for 'tool_call_id' of 'a', in messages[2] and messages[4].",
        param: Some("messages.[4].tool_call_id"),
        code: None,
        // the id of a call of an earlier turn
        passes: |call| {
            let turn = [calls(&["a"]), result("a")];
            talk(
                call,
                [vec![user("go")], turn.to_vec(), turn.to_vec()]
                    .concat()
                    .into(),
            )
        },
    },
    Row {
        rule: "tool-calls-not-empty",
        breaks: |call| {
            let said = json!({"role": "assistant", "content": "hi", "tool_calls": []});
            talk(call, json!([user("go"), said, user("on")]))
        },
        text: "Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        param: Some("messages[1].tool_calls"),
        code: Some("empty_array"),
        // an empty content is none of them: openai/openai-python#1812
        passes: |call| {
            let said = json!({"role": "assistant", "content": [], "tool_calls": null});
            talk(call, json!([user("go"), said, user("on")]))
        },
    },
    Row {
        rule: "json-word",
        breaks: |call| call.member("response_format", json!({"type": "json_object"})),
        text: "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
        param: Some("messages"),
        code: None,
        passes: |call| {
            let format = json!({"type": "json_object"});
            talk(call, json!([user("As JSON.")])).member("response_format", format)
        },
    },
];

fn rows() -> impl Iterator<Item = &'static Row> + Clone {
    [ENVELOPE, SCHEMAS, CONVERSATION].into_iter().flatten()
}

#[tokio::test]
async fn each_rule_refuses_its_request_in_the_services_words_and_lets_the_near_miss_pass() {
    assert_refused(rows(), chat).await;
}

#[tokio::test]
async fn each_rule_is_documented_and_can_be_switched_off() {
    let table = include_str!("../../src/api/openai_chat/rules/rules.md");
    let mut documented = documented(table);
    documented.retain(|[name, ..]| name != REASONING_PASSED_BACK);
    assert_documented(rows(), documented, chat).await;
}

#[tokio::test]
async fn members_of_a_wrong_type_or_size_have_their_own_words() {
    let breaches: &[Breach] = &[
        (
            |call| talk(call, json!("hi")),
            "Invalid type for 'messages': expected an array of objects, but got a string instead.",
            Some("messages"),
        ),
        (
            |call| talk(call, json!(["hi"])),
            "Invalid type for 'messages[0]': expected an object, but got a string instead.",
            Some("messages[0]"),
        ),
        (
            |call| call.member("stream", "true"),
            "Invalid type for 'stream': expected a boolean, but got a string instead.",
            Some("stream"),
        ),
        (
            |call| talk(call, json!([{"role": "user", "content": null}])),
            "Invalid value for 'content': expected a string, got null.",
            Some("messages.[0].content"),
        ),
        (
            |call| {
                let call_a = json!({"id": "a", "type": "function", "function": {"name": "f", "arguments": {}}});
                let said = json!({"role": "assistant", "tool_calls": [call_a]});
                talk(call, json!([user("go"), said, result("a")]))
            },
            "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got an object instead.",
            Some("messages[1].tool_calls[0].function.arguments"),
        ),
        (
            |call| talk(call, json!([{"content": "hi"}])),
            "Missing required parameter: 'messages[0].role'.",
            Some("messages[0].role"),
        ),
        (
            |call| call.member("n", 0),
            "Invalid 'n': integer below minimum value. Expected a value >= 1, but got 0 instead.",
            Some("n"),
        ),
        (
            |call| call.member("max_tokens", -1),
            "Invalid 'max_tokens': integer below minimum value. Expected a value >= 1, but got -1 instead.",
            Some("max_tokens"),
        ),
        (
            |call| call.member("tools", named(&"a".repeat(65))),
            "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
            Some("tools[0].function.name"),
        ),
        (
            |call| call.member("parallel_tool_calls", true),
            "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.",
            Some("parallel_tool_calls"),
        ),
    ];
    assert_words(breaches, chat).await;
}

#[tokio::test]
async fn more_breaches_have_their_own_words() {
    let breaches: &[Breach] = &[
        (
            |call| call.raw_body("{}"),
            "you must provide a model parameter",
            None,
        ),
        (
            |call| call.member("temperature", 2.5),
            "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 2.5 instead.",
            Some("temperature"),
        ),
        (
            |call| call.member("n", 129),
            "Invalid 'n': integer above maximum value. Expected a value <= 128, but got 129 instead.",
            Some("n"),
        ),
        (
            |call| call.member("n", 128).member("top_logprobs", -1),
            "Invalid 'top_logprobs': integer below minimum value. Expected a value >= 0, but got -1 instead.",
            Some("top_logprobs"),
        ),
        (
            |call| talk(call, json!([user("go"), calls(&["a"])])),
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: a",
            Some("messages"),
        ),
        (
            |call| talk(call, json!([calls(&["a"]), result("a"), result("z")])),
            "Invalid parameter: 'tool_call_id' of 'z' not found in 'tool_calls' of previous message.",
            Some("messages.[2].tool_call_id"),
        ),
        (
            |call| {
                let bare = json!({"role": "tool", "content": "ok"});
                talk(call, json!([user("go"), calls(&["a"]), bare]))
            },
            "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.",
            Some("messages.[2].tool_call_id"),
        ),
        (
            |call| {
                let inner = json!({"type": "array", "items": object(json!({}), &[])});
                call.member("tools", function(object(inner, &["a"]), true))
            },
            "Invalid schema for function 'f': In context=('properties', 'a', 'items'), 'required' is required to be supplied and to be an array including every key in properties. Missing 'a'.",
            Some("tools[0].function.parameters"),
        ),
        (
            |call| {
                let schema = json!({"name": "n", "strict": true, "schema": {"type": "object"}});
                let format = json!({"type": "json_schema", "json_schema": schema});
                call.member("response_format", format)
            },
            "Invalid schema for response_format 'n': In context=(), 'additionalProperties' is required to be supplied and to be false.",
            Some("response_format"),
        ),
    ];
    assert_words(breaches, chat).await;
}

#[tokio::test]
async fn no_rule_refuses_a_recorded_request_that_was_answered() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/captures/openai-chat");
    let Ok(entries) = fs::read_dir(&folder) else {
        eprintln!("NO CAPTURES, NOTHING TESTED: {}", folder.display());
        return;
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    let names = paths.filter(|path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with("openai-") && name.ends_with(".meta.json")
    });
    let mut looked_at = 0;
    for path in names {
        let meta: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        if meta["status"] != 200 || !meta["request_body"].is_object() {
            continue;
        }
        looked_at += 1;
        let stub = builder().turn("ok").start();
        let body = meta["request_body"].to_string();
        let answered = chat(&stub).raw_body(body).send().await;
        assert_eq!(
            answered.status,
            200,
            "{}: {:?}",
            path.display(),
            answered.body
        );
    }
    assert!(looked_at > 3, "{looked_at}");
}

#[tokio::test]
async fn deepseek_wants_back_what_it_thought_before_a_call() {
    let turn = || {
        Turn::new()
            .thinking("Hm.")
            .tool_call_with_id("a", "f", json!({}))
    };
    let started = |dialect| {
        let stub = builder()
            .turns([turn(), turn()])
            .repeat_last()
            .dialect(dialect);
        stub.without_rule("tool-results-follow").start()
    };
    let back = |reasoning: Value| {
        let mut said = calls(&["a"]);
        if !reasoning.is_null() {
            said["reasoning_content"] = reasoning;
        }
        json!([user("go"), said, result("a")])
    };
    let tools = json!([{"type": "function", "function": {"name": "f"}}]);
    let stub = started(Dialect::DeepSeek);
    let ask = |stub: &StubHandle, messages: Value| {
        talk(chat(stub), messages).member("tools", tools.clone())
    };
    // nobody knows yet what was thought before this call
    assert_eq!(ask(&stub, back(json!(null))).send().await.status, 200);
    for (reasoning, status) in [(json!(null), 400), (json!("Hm."), 200), (json!(""), 200)] {
        let answered = ask(&stub, back(reasoning.clone())).send().await;
        assert_eq!(answered.status, status, "{reasoning}");
    }
    let refused = ask(&stub, back(json!(null))).send().await;
    assert_eq!(refused.why(), "reasoning-passed-back");
    assert_eq!(refused.header("content-type"), "application/octet-stream");
    let expected = r#"{"error":{"message":"The `reasoning_content` in the thinking mode must be passed back to the API.","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}"#;
    assert_eq!(refused.body, expected);

    let stub = started(Dialect::Groq);
    for _ in 0..2 {
        assert_eq!(ask(&stub, back(json!(null))).send().await.status, 200);
    }
}

#[tokio::test]
async fn script_drift_is_told_on_chat_too() {
    let script = || WireStub::builder().without_verify_on_drop();
    let stub = script()
        .turn(Turn::new().tool_call("shel", json!({})))
        .start();
    let tools = json!([{"type": "function", "function": {"name": "shell"}}]);
    let refused = chat(&stub).member("tools", tools).send().await;
    assert_eq!((refused.status, refused.why()), (422, "script-drift"));
    assert!(
        refused.message().contains("`shel`, nearest to `shell`"),
        "{}",
        refused.message()
    );

    // one in the form of another API is not offered
    let call_g = Turn::new().tool_call("g", json!({}));
    let stub = script().turn(call_g).without_rule("tool-form").start();
    let refused = chat(&stub).member("tools", json!([flat()])).send().await;
    assert_eq!((refused.status, refused.why()), (422, "script-drift"));
    assert_eq!(stub.request(0).tools(), []);

    let stub = script().turn("not JSON").start();
    let schema = object(json!({"type": "string"}), &["a"]);
    let format = json!({"type": "json_schema", "json_schema": {"name": "n", "strict": true, "schema": schema}});
    let refused = chat(&stub).member("response_format", format).send().await;
    assert_eq!((refused.status, refused.why()), (422, "script-drift"));
}
