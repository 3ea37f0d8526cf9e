//! The provider's rules: what each refuses in which words, what each lets pass, and that none refuses what
//! the service accepted.
#![cfg(feature = "server")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]

#[path = "support/caught.rs"]
mod caught;
#[path = "support/post.rs"]
mod post;

use std::{fs, path::PathBuf};

use caught::panic_of;
use llm_wire_stub::*;
use post::{Answered, Call, KEY, call};
use serde_json::{Value, json};

const OLD: &str = "2023-06-01";
const NEW: &str = "2026-10-21";

/// A rule, a request that breaks it, the answer's words, and a request that only just does not break it.
struct Row {
    rule: &'static str,
    breaks: Request,
    text: &'static str,
    passes: Request,
}

/// Changes a valid call.
type Request = fn(Call) -> Call;

/// The list of all rules in the documentation: name, default, what it refuses, source.
fn documented() -> Vec<[String; 4]> {
    let table = include_str!("../src/api/anthropic_messages/rules/rules.md");
    let rows = table.lines().skip(2).map(|line| {
        let cells = line.trim_matches('|').split(" | ").map(|cell| cell.trim());
        let cells: Vec<String> = cells.map(str::to_owned).collect();
        cells.try_into().unwrap()
    });
    rows.collect()
}

fn builder() -> WireStubBuilder {
    WireStub::builder().without_verify_on_drop()
}

fn talk(call: Call, messages: Value) -> Call {
    call.member("messages", messages)
}

fn user(content: impl Into<Value>) -> Value {
    json!({"role": "user", "content": content.into()})
}

fn assistant(content: impl Into<Value>) -> Value {
    json!({"role": "assistant", "content": content.into()})
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn tool_use(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "f", "input": {}})
}

fn result(id: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": "ok"})
}

fn thought() -> Value {
    json!({"type": "thinking", "thinking": "hm", "signature": "c2ln"})
}

fn unsigned() -> Value {
    json!({"type": "thinking", "thinking": "hm", "signature": ""})
}

fn cached(mut block: Value) -> Value {
    block["cache_control"] = json!({"type": "ephemeral"});
    block
}

fn tool(name: &str) -> Value {
    json!({"name": name, "input_schema": {"type": "object"}})
}

fn thinking(call: Call, budget: u64) -> Call {
    let thinking = json!({"type": "enabled", "budget_tokens": budget});
    call.member("max_tokens", 4096).member("thinking", thinking)
}

fn version(call: Call, version: &str) -> Call {
    let call = call.without_header("anthropic-version");
    call.header("anthropic-version", version)
}

/// A conversation that calls two tools and has both results.
fn tool_loop() -> Value {
    json!([
        user("go"),
        assistant(json!([text("looking"), tool_use("a"), tool_use("b")])),
        user(json!([result("a"), result("b")])),
    ])
}

/// Rules that hold on side roads only; `side_roads.rs` has requests that break them.
const ON_SIDE_ROADS: [&str; 1] = ["batch-requests"];

fn rows() -> impl Iterator<Item = &'static Row> {
    [ENVELOPE, CONVERSATION, TOOLS].into_iter().flatten()
}

const ENVELOPE: &[Row] = &[
    Row {
        rule: "credentials",
        breaks: |call| call.without_header("x-api-key"),
        text: "x-api-key header is required",
        passes: |call| {
            call.without_header("x-api-key")
                .header("authorization", "bearer k")
        },
    },
    Row {
        rule: "anthropic-version",
        breaks: |call| call.without_header("anthropic-version"),
        text: "anthropic-version: header is required",
        passes: |call| version(call, NEW),
    },
    Row {
        rule: "anthropic-version-value",
        breaks: |call| version(call, "2023-10-01"),
        text: "anthropic-version: \"2023-10-01\" is not a valid version",
        passes: |call| version(call, NEW),
    },
    Row {
        rule: "json-body",
        breaks: |call| call.raw_body("[]"),
        text: "the body is no JSON object",
        passes: |call| {
            let body = String::from_utf8(call.body()).unwrap();
            call.raw_body(format!(" \n{body}\r\n"))
        },
    },
    Row {
        rule: "required-fields",
        breaks: |call| {
            call.raw_body(r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#)
        },
        text: "max_tokens: Field required",
        passes: |call| call.member("max_tokens", 0),
    },
    Row {
        rule: "field-types",
        breaks: |call| call.member("max_tokens", "99"),
        text: "max_tokens: Input should be a valid integer",
        passes: |call| call.member("max_tokens", 99.0),
    },
    Row {
        rule: "unknown-fields",
        breaks: |call| call.member("foo", 1).member("zoo", 1),
        text: "foo: Extra inputs are not permitted",
        passes: |call| {
            call.member("foo", 1)
                .header("anthropic-beta", "foo-2026-01-01")
        },
    },
    Row {
        rule: "sampling-parameters",
        breaks: |call| version(call, NEW).member("temperature", 1.0),
        text: "temperature: Extra inputs are not permitted",
        passes: |call| {
            version(call, OLD)
                .member("temperature", 1.0)
                .member("top_k", 5)
        },
    },
    Row {
        rule: "thinking-budget",
        breaks: |call| thinking(call, 4096),
        text: "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our \
                   documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking\
                   #max-tokens-and-context-window-size",
        passes: |call| thinking(call, 4095),
    },
];

const CONVERSATION: &[Row] = &[
    Row {
        rule: "messages-not-empty",
        breaks: |call| talk(call, json!([])),
        text: "messages: at least one message is required",
        passes: |call| talk(call, json!([user("hi")])),
    },
    Row {
        rule: "first-message-user",
        breaks: |call| talk(call, json!([assistant("I am here"), user("hi")])),
        text: "messages: first message must use the \"user\" role",
        passes: |call| {
            let summary = json!({"type": "compaction", "content": "they met"});
            talk(call, json!([assistant(json!([summary])), user("hi")]))
        },
    },
    Row {
        rule: "roles-alternate",
        breaks: |call| talk(call, json!([user("a"), user("b")])),
        text: "messages: roles must alternate between \"user\" and \"assistant\", but found multiple \
                   \"user\" roles in a row",
        passes: |call| talk(call, json!([user("a"), assistant("b"), user("c")])),
    },
    Row {
        rule: "non-empty-messages",
        breaks: |call| talk(call, json!([user("a"), assistant(json!([])), user("b")])),
        text: "messages.1: all messages must have non-empty content except for the optional final \
                   assistant message",
        passes: |call| talk(call, json!([user("a"), assistant("")])),
    },
    Row {
        rule: "non-empty-text",
        breaks: |call| talk(call, json!([user(json!([text("a"), text("")]))])),
        text: "messages: text content blocks must be non-empty",
        passes: |call| talk(call, json!([user(json!([text("a"), text(" ")]))])),
    },
    Row {
        rule: "non-blank-text",
        breaks: |call| talk(call, json!([user(json!([text(" "), text("\n")]))])),
        text: "messages: text content blocks must contain non-whitespace text",
        passes: |call| talk(call, json!([user(json!([text(" "), text("a")]))])),
    },
    Row {
        rule: "document-in-assistant",
        breaks: |call| {
            let document = json!({"type": "document", "source": {}});
            version(
                talk(
                    call,
                    json!([user("a"), assistant(json!([document])), user("b")]),
                ),
                NEW,
            )
        },
        text: "messages.1.content.0: `document` blocks are not accepted in assistant messages by \
                   anthropic-version 2026-10-21",
        passes: |call| {
            let document = json!({"type": "document", "source": {}});
            version(talk(call, json!([user(json!([document]))])), NEW)
        },
    },
    Row {
        rule: "citations-in-user-text",
        breaks: |call| {
            let mut cited = text("a");
            cited["citations"] = json!([{"type": "char_location"}]);
            version(talk(call, json!([user(json!([cited]))])), NEW)
        },
        text: "messages.0.content.0.citations: `citations` are not accepted on text of the user by \
                   anthropic-version 2026-10-21",
        passes: |call| {
            let mut cited = text("a");
            cited["citations"] = json!([]);
            version(talk(call, json!([user(json!([cited]))])), NEW)
        },
    },
    Row {
        rule: "prefill-whitespace",
        breaks: |call| talk(call, json!([user("a"), assistant("It is ")])),
        text: "messages: final assistant content cannot end with trailing whitespace",
        passes: |call| talk(call, json!([user("a"), assistant("It is "), user("b")])),
    },
    Row {
        rule: "prefill-support",
        breaks: |call| talk(call, json!([user("a"), assistant("It is")])).model("claude-opus-4-6"),
        text: "This model does not support assistant message prefill. The conversation must end with \
                   a user message.",
        passes: |call| talk(call, json!([user("a"), assistant("It is")])).model("claude-opus-4-5"),
    },
    Row {
        rule: "cache-points",
        breaks: |call| {
            let mut nested = result("a");
            nested["content"] = json!([cached(text("x"))]);
            let call = call.member("system", json!([cached(text("s"))]));
            let call = call.member("tools", json!([cached(tool("f")), cached(tool("g"))]));
            let content = json!([nested, cached(text("u"))]);
            talk(
                call,
                json!([user("go"), assistant(json!([tool_use("a")])), user(content)]),
            )
        },
        text: "A maximum of 4 blocks with cache_control may be provided. Found 5.",
        passes: |call| {
            let call = call.member("system", json!([cached(text("s"))]));
            let call = call.member("tools", json!([cached(tool("f")), cached(tool("g"))]));
            let mut unmarked = text("v");
            unmarked["cache_control"] = Value::Null;
            talk(call, json!([user(json!([cached(text("u")), unmarked]))]))
        },
    },
];

const TOOLS: &[Row] = &[
    Row {
        rule: "tool-schema",
        breaks: |call| call.member("tools", json!([tool("f"), {"name": "g"}])),
        text: "tools.1.custom.input_schema: Field required",
        passes: |call| {
            let search = json!({"type": "web_search_20250305", "name": "web_search"});
            let servers = json!({"type": "mcp_toolset", "mcp_server_name": "s"});
            call.member(
                "tools",
                json!([search, servers, {"type": "bash_20250124", "name": "bash"}]),
            )
        },
    },
    Row {
        rule: "tool-name-pattern",
        breaks: |call| call.member("tools", json!([tool("f.g")])),
        text: "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
        passes: |call| call.member("tools", json!([tool(&"f-G_1".repeat(25))])),
    },
    Row {
        rule: "unique-tool-names",
        breaks: |call| call.member("tools", json!([tool("f"), tool("g"), tool("f")])),
        text: "tools: Tool names must be unique.",
        passes: |call| call.member("tools", json!([tool("f"), tool("F")])),
    },
    Row {
        rule: "unique-tool-ids",
        breaks: |call| {
            let calls = json!([text("x"), tool_use("a"), tool_use("a")]);
            talk(
                call,
                json!([user("go"), assistant(calls), user(json!([result("a")]))]),
            )
        },
        text: "messages.1.content.2: `tool_use` ids must be unique",
        passes: |call| talk(call, tool_loop()),
    },
    Row {
        rule: "tool-results-follow",
        breaks: |call| {
            let calls = json!([tool_use("a"), tool_use("b"), tool_use("c")]);
            talk(
                call,
                json!([user("go"), assistant(calls), user(json!([result("b")]))]),
            )
        },
        text: "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: \
                   a, c. Each `tool_use` block must have a corresponding `tool_result` block in the next \
                   message.",
        passes: |call| {
            // results in messages of their own are merged
            let calls = json!([tool_use("a"), tool_use("b")]);
            let results = [
                user(json!([result("b")])),
                user(json!([result("a"), text("and?")])),
            ];
            let [first, second] = results;
            talk(call, json!([user("go"), assistant(calls), first, second]))
        },
    },
    Row {
        rule: "tool-results-match",
        breaks: |call| {
            talk(
                call,
                json!([
                    user("a"),
                    assistant("b"),
                    user(json!([text("c"), result("x")]))
                ]),
            )
        },
        text: "messages.2.content.1: unexpected `tool_use_id` found in `tool_result` blocks: x. Each \
                   `tool_result` block must have a corresponding `tool_use` block in the previous message.",
        passes: |call| {
            let served = json!({"type": "mcp_tool_use", "id": "x", "name": "f", "input": {}});
            talk(
                call,
                json!([
                    user("a"),
                    assistant(json!([served])),
                    user(json!([result("x")]))
                ]),
            )
        },
    },
    Row {
        rule: "one-result-per-call",
        breaks: |call| {
            let results = json!([result("a"), result("a")]);
            talk(
                call,
                json!([user("go"), assistant(json!([tool_use("a")])), user(results)]),
            )
        },
        text: "messages.2.content.1: each tool_use must have a single result. Found multiple \
                   `tool_result` blocks with id: a",
        passes: |call| talk(call, tool_loop()),
    },
    Row {
        rule: "thinking-first",
        breaks: |call| talk(thinking(call, 1024), tool_loop()),
        text: "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`. \
                   When `thinking` is enabled, a final `assistant` message must start with a thinking block \
                   (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you \
                   include thinking blocks from previous turns. To avoid this requirement, disable \
                   `thinking`. Please consult our documentation at \
                   https://docs.claude.com/en/docs/build-with-claude/extended-thinking",
        passes: |call| {
            // the second step of the loop has none, as the model that plays it thinks once a turn
            let messages = json!([
                user("go"),
                assistant(json!([thought(), tool_use("a")])),
                user(json!([result("a")])),
                assistant(json!([tool_use("b")])),
                user(json!([result("b")])),
            ]);
            talk(thinking(call, 1024), messages)
        },
    },
    Row {
        rule: "thinking-signature",
        breaks: |call| {
            let said = json!([unsigned(), text("b")]);
            talk(call, json!([user("a"), assistant(said), user("c")]))
        },
        text: "messages.1.content.0: Invalid `signature` in `thinking` block",
        passes: |call| {
            // what a test made up, and thinking that is hidden
            let hidden = json!({"type": "thinking", "thinking": "", "signature": "sig"});
            let said = json!([thought(), hidden, text("b")]);
            talk(call, json!([user("a"), assistant(said), user("c")]))
        },
    },
];

/// The body of the refusal, whole.
fn refusal(answered: &Answered, error_type: &str, text: &str) -> String {
    let (text, id) = (json!(text), answered.header("request-id"));
    format!(
        r#"{{"type":"error","error":{{"type":"{error_type}","message":{text}}},"request_id":"{id}"}}"#
    )
}

#[track_caller]
fn assert_refused(answered: &Answered, rule: &str, text: &str) {
    let (status, error_type) = match rule {
        "credentials" => (401, "authentication_error"),
        _ => (400, "invalid_request_error"),
    };
    assert_eq!(answered.body, refusal(answered, error_type, text), "{rule}");
    assert_eq!((answered.why(), answered.status), (rule, status));
    assert_eq!(answered.header("x-should-retry"), "false", "{rule}");
}

// --- each rule -------------------------------------------------------------------------------------

#[test]
fn every_rule_is_documented_and_has_a_row() {
    let panic = panic_of(|| builder().with_rule("?")).message;
    let (_, names) = panic.split_once("one of ").unwrap();
    let documented: Vec<String> = documented().into_iter().map(|[name, ..]| name).collect();
    // those of other APIs come behind
    let names = names
        .lines()
        .next()
        .unwrap()
        .split(", ")
        .take(documented.len());
    let names: Vec<&str> = names.collect();
    assert_eq!(names, documented);

    let rows = rows().map(|row| row.rule).chain(ON_SIDE_ROADS);
    let mut rows: Vec<String> = rows.map(|rule| format!("`{rule}`")).collect();
    rows.sort_unstable();
    let mut names: Vec<&str> = names;
    names.sort_unstable();
    assert_eq!(rows, names);
}

#[tokio::test]
async fn each_rule_refuses_its_request_in_the_services_words_and_lets_the_near_miss_pass() {
    for row in rows() {
        let stub = builder().turn("ok").with_rule(row.rule).start();
        let refused = (row.breaks)(call(&stub)).send().await;
        assert_refused(&refused, row.rule, row.text);
        let passed = (row.passes)(call(&stub)).send().await;
        assert_eq!(passed.gist(), "ok", "{}: {:?}", row.rule, passed.body);
    }
}

#[tokio::test]
async fn each_rule_has_the_default_and_the_source_that_are_documented() {
    for [name, default, _, source] in documented() {
        let name = name.trim_matches('`');
        if ON_SIDE_ROADS.contains(&name) {
            continue;
        }
        let row = rows().find(|row| row.rule == name).unwrap();

        let stub = builder().turn("ok").start();
        let answered = (row.breaks)(call(&stub)).send().await;
        let expected = if default == "on" { name } else { "" };
        assert_eq!(answered.why(), expected, "{default}");

        let stub = builder().with_rule(name).start();
        (row.breaks)(call(&stub)).send().await;
        let report = stub.try_verify().unwrap_err().to_string();
        let known = format!("where: rule `{name}`, known from: {source}\n");
        assert!(report.contains(&known), "{known}\n{report}");
    }
}

#[tokio::test]
async fn each_rule_can_be_switched_off_alone_and_all_at_once() {
    for row in rows() {
        let off = builder()
            .turn("ok")
            .with_rule(row.rule)
            .without_rule(row.rule)
            .start();
        assert_eq!(
            (row.breaks)(call(&off)).send().await.gist(),
            "ok",
            "{}",
            row.rule
        );
        let none = builder()
            .turn("ok")
            .with_rule(row.rule)
            .without_rules()
            .start();
        assert_eq!(
            (row.breaks)(call(&none)).send().await.gist(),
            "ok",
            "{}",
            row.rule
        );
        let only = builder()
            .turn("ok")
            .without_rules()
            .with_rule(row.rule)
            .start();
        let refused = (row.breaks)(call(&only)).send().await;
        assert_refused(&refused, row.rule, row.text);
    }
}

#[test]
fn a_rule_that_does_not_exist_is_refused_at_the_callers_line() {
    for (caught, line) in [
        (panic_of(|| builder().with_rule("roles")), line!()),
        (panic_of(|| builder().without_rule("roles")), line!()),
    ] {
        assert_eq!(caught.line, line);
        let (first, _) = caught.message.split_once('\n').unwrap();
        assert_eq!(first, "there is no rule `roles`");
    }
    let caught = panic_of(|| builder().without_rule("tool-shema"));
    let first = "there is no rule `tool-shema`, nearest to `tool-schema`\n";
    assert!(caught.message.starts_with(first), "{}", caught.message);
}

// --- more that one rule refuses or lets pass -------------------------------------------------------

const BY_PATH: &[(&str, &str, Request)] = &[
    ("required-fields", "model: Field required", |call| {
        call.raw_body("{}")
    }),
    ("required-fields", "messages: Field required", |call| {
        call.raw_body(r#"{"model":"m","max_tokens":1}"#)
    }),
    (
        "field-types",
        "messages: Input should be a valid list",
        |call| talk(call, json!("hi")),
    ),
    (
        "field-types",
        "messages.1.role: Input should be 'user' or 'assistant'",
        |call| talk(call, json!([user("a"), {"role": "tool", "content": "b"}])),
    ),
    ("field-types", "messages.0.role: Field required", |call| {
        talk(call, json!([{"content": "b"}]))
    }),
    (
        "field-types",
        "messages.0.content: Field required",
        |call| talk(call, json!([{"role": "user"}])),
    ),
    (
        "field-types",
        "messages.1.content: Input should be a valid list",
        |call| {
            talk(
                call,
                json!([user("a"), {"role": "assistant", "content": null}]),
            )
        },
    ),
    (
        "field-types",
        "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
        |call| {
            let mut broken = tool_use("a");
            broken["input"] = json!("{}");
            talk(
                call,
                json!([
                    user("a"),
                    assistant(json!([broken])),
                    user(json!([result("a")]))
                ]),
            )
        },
    ),
    (
        "unknown-fields",
        "messages.1.name: Extra inputs are not permitted",
        |call| {
            talk(
                call,
                json!([user("a"), {"role": "user", "name": "x", "content": "b"}]),
            )
        },
    ),
    (
        "non-empty-text",
        "system: text content blocks must be non-empty",
        |call| call.member("system", json!([text("be brief"), text("")])),
    ),
    (
        "thinking-budget",
        "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
        |call| thinking(call, 1023),
    ),
    (
        // documented: a call that only warms the cache takes no such thinking; the text is that of any budget
        "thinking-budget",
        "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our \
         documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking\
         #max-tokens-and-context-window-size",
        |call| thinking(call, 1024).member("max_tokens", 0),
    ),
    (
        "first-message-user",
        "messages: first message must use the \"user\" role",
        |call| talk(call, json!([assistant("a")])),
    ),
    (
        "non-empty-messages",
        "messages.0: all messages must have non-empty content except for the optional final \
         assistant message",
        |call| talk(call, json!([user("")])),
    ),
    (
        "non-blank-text",
        "messages: text content blocks must contain non-whitespace text",
        |call| talk(call, json!([user("a"), assistant("\n\n"), user("b")])),
    ),
    (
        "tool-name-pattern",
        "tools.1.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
        |call| call.member("tools", json!([tool("f"), tool("")])),
    ),
    (
        "one-result-per-call",
        "messages.3.content.0: each tool_use must have a single result. Found multiple `tool_result` \
         blocks with id: a",
        |call| {
            // messages of one role are one turn
            let calls = assistant(json!([tool_use("a")]));
            let again = user(json!([result("a")]));
            talk(call, json!([user("go"), calls, again, again]))
        },
    ),
    (
        "thinking-signature",
        "messages.1.content.1.thinking.signature: Field required",
        |call| {
            let bare = json!({"type": "thinking", "thinking": "hm"});
            let said = json!([thought(), bare, text("b")]);
            talk(call, json!([user("a"), assistant(said), user("c")]))
        },
    ),
    (
        "thinking-signature",
        "messages.1.content.0: Invalid `signature` in `thinking` block",
        |call| {
            // what the service does not hold yet comes with the request
            let thread = json!({"type": "continue", "previous_message_id": "msg_1"});
            let call = call.header("anthropic-beta", "message-threads-2026-08-12");
            talk(
                call.member("thread", thread),
                json!([user("a"), assistant(json!([unsigned()])), user("b")]),
            )
        },
    ),
];

/// A question with a member that is nested so deep, the body's own braces counted.
fn nested(call: Call, levels: usize) -> Call {
    let (open, close) = ("[".repeat(levels - 1), "]".repeat(levels - 1));
    let message = r#"{"role":"user","content":"hi"}"#;
    call.raw_body(format!(
        r#"{{"model":"m","max_tokens":1,"messages":[{message}],"metadata":{open}{close}}}"#
    ))
}

#[tokio::test]
async fn body_that_is_nested_too_deep_is_refused_as_such() {
    let stub = builder().turns(["ok"; 2]).start();
    assert_eq!(nested(call(&stub), 127).send().await.status, 200);
    let text = "the body is nested deeper than 127 levels, which this crate does not read: \
                line 1 column 210";
    assert_refused(&nested(call(&stub), 128).send().await, "json-body", text);
}

#[tokio::test]
async fn fields_are_refused_by_their_path() {
    for (rule, text, request) in BY_PATH {
        let stub = builder().turn("ok").start();
        assert_refused(&request(call(&stub)).send().await, rule, text);
    }
}

const ACCEPTED: &[(&str, Request)] = &[
    (
        "the cache is warmed for thinking without a budget",
        |call| {
            call.member("max_tokens", 0)
                .member("thinking", json!({"type": "adaptive"}))
        },
    ),
    ("messages of one role are merged", |call| {
        talk(
            call,
            json!([
                user("a"),
                user("b"),
                assistant("c"),
                assistant("d"),
                user("e")
            ]),
        )
    }),
    ("all members that SDKs know", |call| {
        let call = call
            .member("mcp_servers", json!([]))
            .member("context_management", json!({}));
        call.member("container", Value::Null)
            .member("speed", "fast")
            .member("top_p", 0.5)
    }),
    ("a conversation that the service holds", |call| {
        let thread = json!({"type": "continue", "previous_message_id": "msg_1"});
        let call = call.header("anthropic-beta", "message-threads-2026-08-12");
        talk(
            call.member("thread", thread),
            json!([user(json!([result("a")]))]),
        )
    }),
    ("a paused answer is sent back to go on", |call| {
        let search = json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}});
        talk(
            call,
            json!([user("a"), assistant(json!([text("wait "), search]))]),
        )
        .model("claude-opus-4-6")
    }),
    ("a paused answer in several messages is one turn", |call| {
        let search = json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}});
        talk(
            call,
            json!([user("a"), assistant(json!([search])), assistant("so far ")]),
        )
        .model("claude-opus-4-6")
    }),
    (
        "a refused answer is gone on with by another model",
        |call| {
            let call = call.model("claude-opus-4-6");
            let call = call.member("fallback_credit_token", "token");
            talk(call, json!([user("a"), assistant("I was about to")]))
        },
    ),
    (
        "a conversation that is to be compacted ends as it ended",
        |call| {
            let call = call.model("claude-opus-4-6");
            let call = call.member("compaction", json!({"type": "summarize"}));
            talk(call, json!([user("a"), assistant("the last word \n")]))
        },
    ),
    ("a member that requests of a batch have", |call| {
        call.member("user_profile_id", "profile_1")
    }),
    ("results of every kind in any order", |call| {
        let results = json!([
            {"type": "tool_result", "tool_use_id": "d", "is_error": true},
            {"type": "tool_result", "tool_use_id": "c", "content": ""},
            {"type": "text", "text": "and"},
            {"type": "tool_result", "tool_use_id": "a", "content": [
                {"type": "text", "text": ""},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "eA=="}},
                {"type": "search_result", "source": "s", "title": "t", "content": [text("x")],
                 "citations": {"enabled": true}},
                {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}},
                {"type": "tool_reference", "tool_name": "f"}
            ]}
        ]);
        let late = json!([result("b"), {"type": "container_upload", "file_id": "file_1"}]);
        talk(
            version(call, "2026-10-21"),
            json!([
                user("go"),
                assistant(json!([text("x"), tool_use("a"), tool_use("b")])),
                assistant(json!([tool_use("c"), tool_use("d")])),
                user(results),
                user(late)
            ]),
        )
    }),
    ("what stood before a compaction is left out", |call| {
        let summary = json!({"type": "compaction", "content": "they met"});
        let calls = json!([summary, tool_use("b")]);
        let old = assistant(json!([tool_use("a")]));
        talk(
            call,
            json!([
                user("x"),
                old,
                user("y"),
                assistant(calls),
                user(json!([result("b")]))
            ]),
        )
    }),
    ("a system message in the middle", |call| {
        let system = json!({"role": "system", "content": "be brief"});
        let call = call.header("anthropic-beta", "mid-conversation-system-2026-04-07");
        let calls = assistant(json!([tool_use("a")]));
        talk(
            call,
            json!([user("x"), calls, system, user(json!([result("a")])), system]),
        )
    }),
    ("blank text beside what is no text or not blank", |call| {
        talk(
            call,
            json!([
                user(json!([text("go"), text(" ")])),
                assistant(json!([thought(), text("\n\n"), tool_use("a")])),
                user(json!([result("a"), text(" ")])),
            ]),
        )
    }),
    ("one id in two loops has one result in each", |call| {
        // calls of two turns that bear one id are another rule's
        let search = json!({"type": "mcp_tool_use", "id": "a", "name": "f", "input": {}});
        talk(
            call,
            json!([
                user("go"),
                assistant(json!([search])),
                user(json!([result("a")])),
                assistant(json!([search])),
                user(json!([result("a")])),
            ]),
        )
    }),
    ("a system message in the middle that says nothing", |call| {
        let call = call.header("anthropic-beta", "mid-conversation-system-2026-04-07");
        talk(
            call,
            json!([
                user("a"),
                {"role": "system", "content": ""},
                assistant("b"),
                {"role": "system", "content": " "},
                user("c"),
                {"role": "system", "content": []}
            ]),
        )
    }),
    (
        "the names of the provider's own tools are its affair",
        |call| {
            let toolset = json!({"type": "browser_toolset_20260801", "name": "a.b"});
            call.member("tools", json!([toolset]))
        },
    ),
    ("an empty last message of the assistant's", |call| {
        talk(call, json!([user("a"), assistant("")])).model("claude-opus-4-6")
    }),
    ("interleaved thinking spends more than one answer", |call| {
        thinking(call, 9000).header("anthropic-beta", "x,interleaved-thinking-2025-05-14")
    }),
    ("adaptive thinking need not think", |call| {
        talk(
            call.member("thinking", json!({"type": "adaptive"})),
            tool_loop(),
        )
    }),
    ("thinking is wanted of the last loop only", |call| {
        let mut messages = tool_loop();
        let more = [assistant("done"), user("more")];
        messages.as_array_mut().unwrap().extend(more);
        talk(thinking(call, 1024), messages)
    }),
    ("thinking without a signature before a compaction", |call| {
        let summary = json!({"type": "compaction", "content": "they met"});
        talk(
            call,
            json!([
                user("x"),
                assistant(json!([unsigned(), text("y")])),
                user("z"),
                assistant(json!([summary, thought(), text("so")])),
                user("go on")
            ]),
        )
    }),
    ("a redacted thought is one", |call| {
        let hidden = json!({"type": "redacted_thinking", "data": "eA=="});
        let calls = assistant(json!([hidden, tool_use("a")]));
        talk(
            thinking(call, 1024),
            json!([user("go"), calls, user(json!([result("a")]))]),
        )
    }),
];

#[tokio::test]
async fn what_the_service_accepts_passes() {
    for (what, request) in ACCEPTED {
        let stub = builder().turn("ok").start();
        let passed = request(call(&stub)).send().await;
        assert_eq!(passed.gist(), "ok", "{what}: {:?}", passed.body);
    }
}

/// Looked at one against the other these would take minutes.
#[tokio::test]
async fn a_turn_may_call_very_many_tools() {
    const CALLS: usize = 20_000;
    let ids = || (0..CALLS).map(|n| format!("toolu_{n}"));
    let calls: Value = ids().map(|id| tool_use(&id)).collect();
    let results: Value = ids().map(|id| result(&id)).collect();
    let stub = builder().turn("ok").start();

    let messages = json!([user("go"), assistant(calls), user(results)]);
    let passed = talk(call(&stub), messages).send().await;

    assert_eq!(passed.gist(), "ok", "{:?}", passed.body);
}

// --- order -----------------------------------------------------------------------------------------

const TWICE_BROKEN: &[(&str, &str, Request)] = &[
    ("headers, credentials first", "credentials", |call| {
        let call = call.without_header("anthropic-version");
        call.without_header("x-api-key").raw_body("no JSON")
    }),
    ("headers before the body", "anthropic-version", |call| {
        call.without_header("anthropic-version").raw_body("no JSON")
    }),
    ("model before messages", "required-fields", |call| {
        call.raw_body(r#"{"max_tokens":"1","messages":[]}"#)
    }),
    ("max_tokens before messages", "field-types", |call| {
        talk(call.member("max_tokens", Value::Null), json!([]))
    }),
    ("thinking before tools", "thinking-budget", |call| {
        thinking(call, 1).member("tools", json!([{"name": "f"}]))
    }),
    ("a tool before the list of tools", "tool-schema", |call| {
        call.member("tools", json!([tool("f"), tool("f"), {"name": "g"}]))
    }),
    ("fields before messages", "unknown-fields", |call| {
        talk(call.member("foo", 1), json!([]))
    }),
    (
        "an earlier message before a later one",
        "non-empty-text",
        |call| {
            talk(
                call,
                json!([
                    user(json!([text("")])),
                    assistant(json!([tool_use("a")])),
                    user("b")
                ]),
            )
        },
    ),
    ("and the other way round", "tool-results-follow", |call| {
        let later = user(json!([text("")]));
        talk(
            call,
            json!([user("go"), assistant(json!([tool_use("a")])), later]),
        )
    }),
    (
        "a message before its blocks",
        "tool-results-follow",
        |call| {
            talk(
                call,
                json!([
                    user("go"),
                    assistant(json!([text(""), tool_use("a")])),
                    user("b")
                ]),
            )
        },
    ),
    (
        "an earlier block before a later one",
        "non-empty-text",
        |call| {
            talk(
                call,
                json!([
                    user("go"),
                    assistant("x"),
                    user(json!([text(""), result("a")]))
                ]),
            )
        },
    ),
    (
        "messages before what the whole request breaks",
        "prefill-whitespace",
        |call| talk(call, json!([user("a"), assistant("b ")])).model("claude-opus-4-6"),
    ),
];

#[tokio::test]
async fn of_two_broken_rules_the_one_whose_place_comes_first_answers() {
    for (what, rule, request) in TWICE_BROKEN {
        let stub = builder().turn("ok").start();
        assert_eq!(request(call(&stub)).send().await.why(), *rule, "{what}");
    }
}

// --- recorded requests -----------------------------------------------------------------------------

/// A recorded request: its capture, the body, the answer's status and bytes.
struct Recorded {
    name: String,
    request: Value,
    status: u64,
    answer: Vec<u8>,
}

/// None where there are no captures.
#[expect(
    clippy::print_stderr,
    reason = "a test that has nothing to look at must say so"
)]
fn recorded() -> Vec<Recorded> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/captures/anthropic");
    let Ok(entries) = fs::read_dir(&folder) else {
        eprintln!(
            "NO CAPTURES, NOTHING TESTED: there is no {}",
            folder.display()
        );
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort_unstable();
    let mut found = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap().to_str().unwrap();
        let Some(answer) = name.strip_suffix(".meta.json") else {
            continue;
        };
        let meta: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let body = meta["request_body"].as_str();
        let request: Value = body.map_or_else(
            || meta["request_body"].clone(),
            |body| serde_json::from_str(body).unwrap(),
        );
        if request.is_object() {
            found.push(Recorded {
                name: answer.to_owned(),
                request,
                status: meta["status"].as_u64().unwrap(),
                answer: fs::read(folder.join(answer)).unwrap(),
            });
        }
    }
    assert!(found.len() > 10, "{} in {}", found.len(), folder.display());
    found
}

#[tokio::test]
async fn no_rule_refuses_a_recorded_request_that_was_answered() {
    for recorded in recorded() {
        if recorded.status != 200 {
            continue;
        }
        // also of those that are off by default
        let mut stub = builder().turn("ok");
        for [name, ..] in documented() {
            stub = stub.with_rule(name.trim_matches('`'));
        }
        let stub = stub.start();
        let call = call(&stub).raw_body(recorded.request.to_string());
        let answered = call.send().await;
        assert_eq!(
            answered.gist(),
            "ok",
            "{}: {:?}",
            recorded.name,
            answered.body
        );
    }
}

#[tokio::test]
async fn a_recorded_refusal_is_said_again_by_the_error_that_is_ready_for_it() {
    for recorded in recorded() {
        let answer: Value = serde_json::from_slice(&recorded.answer).unwrap_or_default();
        // neither a key that is wrong nor the length of a prompt can be told from the request
        let error = match recorded.status {
            200 => continue,
            401 => ApiError::authentication(),
            _ => ApiError::context_overflow().message(answer["error"]["message"].as_str().unwrap()),
        };
        let stub = builder().turn(error).start();
        let call = call(&stub).raw_body(recorded.request.to_string());
        let answered = call.send().await;
        assert_eq!(
            u64::from(answered.status),
            recorded.status,
            "{}",
            recorded.name
        );
        assert_eq!(answered.why(), "", "{}", recorded.name);
        assert_eq!(
            answered.json()["error"],
            answer["error"],
            "{}",
            recorded.name
        );
    }
}

#[tokio::test]
async fn a_key_is_a_key_in_either_header() {
    let stub = builder().turn("ok").start();
    let bearer = call(&stub).without_header("x-api-key");
    let bearer = bearer.header("authorization", &format!("Bearer {KEY}"));
    assert_eq!(version(bearer, NEW).send().await.gist(), "ok");
}
