//! Script drift: a turn that does not fit its request is refused, and nothing that fits is.
#![cfg(feature = "server")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]

#[path = "support/post.rs"]
mod post;

use llm_wire_stub::*;
use post::{Call, call};
use serde_json::{Value, json};

const FILE: &str = file!();

#[track_caller]
fn builder() -> WireStubBuilder {
    WireStub::builder().without_verify_on_drop()
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["best"],
        "properties": {"best": {"type": "integer"}, "mood": {"enum": ["good", "bad"]}},
    })
}

/// Asks for a text that fits the schema.
fn asking_for_json(call: Call) -> Call {
    let format = json!({"type": "json_schema", "schema": schema()});
    call.member("output_config", json!({"format": format}))
}

/// Offers a tool that the provider runs.
fn offering_a_search(call: Call) -> Call {
    let search = json!({"type": "web_search_20250305", "name": "web_search"});
    call.member("tools", json!([search]))
}

#[track_caller]
fn calls(tool: &str) -> Turn {
    Turn::new().tool_call(tool, json!({}))
}

// --- refused ---------------------------------------------------------------------------------------

#[tokio::test]
async fn a_call_of_a_tool_that_is_not_offered_is_refused_with_the_nearest_name() {
    let built = line!() + 1;
    let turns = ["shel", "weather", "x", "shel", "shel"].map(|tool| calls(tool));
    let stub = builder().turns(turns).start();
    let all = ["read_file", "sh", "shell"];
    let none = call(&stub).member("tools", json!([]));
    let forbidden = call(&stub)
        .offers(&["shel"])
        .member("tool_choice", json!({"type": "none"}));
    for (n, (call, expected, found)) in [
        (
            call(&stub).offers(&all),
            "one of `read_file`, `sh`, `shell`",
            "`shel`, nearest to `shell`",
        ),
        (
            call(&stub).offers(&all),
            "one of `read_file`, `sh`, `shell`",
            "`weather`",
        ),
        (call(&stub).offers(&["sh"]), "`sh`", "`x`"),
        (
            none,
            "no tool call, since the request offers no tools",
            "`shel`",
        ),
        (
            forbidden,
            "no tool call, since `tool_choice` is `none`",
            "`shel`",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let n = n + 1;
        let message = format!(
            "the script calls a tool that the request does not offer\n  \
             where: turn #{n} on anthropic_messages, built at {FILE}:{built}, \
             for request #{n} POST /v1/messages\n  \
             expected: {expected}\n  found: {found}\n  \
             help: mend the request or the script; if it is meant, say so with \
             `.allow_script_drift()` on the turn or on the stub"
        );
        let refused = call.send().await;
        let id = refused.header("request-id");
        let body = format!(
            r#"{{"type":"error","error":{{"type":"invalid_request_error","message":{}}},"request_id":"{id}"}}"#,
            json!(message)
        );
        assert_eq!(refused.body, body);
        assert_eq!(refused.gist(), "422 script-drift");
        assert_eq!(refused.header("x-should-retry"), "false");
        let request = stub.request(n - 1);
        assert_eq!(request.outcome(), Outcome::Refused);
        assert_eq!(request.answered_by(), "refused: script-drift");
    }
    assert_eq!(stub.overflow(), 0);
    let report = stub.try_verify().unwrap_err().to_string();
    assert!(
        report.starts_with("the client and the script do not fit: 5 problems\n"),
        "{report}"
    );
}

#[tokio::test]
async fn a_tool_of_the_providers_is_refused_where_none_is_offered() {
    let bash = || ServerTool::bash("date", "Wed").id("srvtoolu_b");
    let search = || ServerTool::web_search("q", [("title", "http://a.test")]);
    for (turn, name) in [
        (Turn::new().server_tool(search()), "web_search"),
        (
            Turn::new()
                .server_tool_call(bash())
                .stop_reason(StopReason::PauseTurn),
            "bash_code_execution",
        ),
        (
            Turn::new().server_tool(ServerTool::mcp("clocks", "now", json!({}), "6")),
            "now",
        ),
        (
            Turn::new().tool_call("g", json!({})).server_tool(search()),
            "web_search",
        ),
    ] {
        let stub = builder().turns([turn.clone(), turn]).start();
        // a tool of the client's own is none of the provider's
        let calls = [call(&stub), call(&stub).offers(&["f"])];
        for call in calls {
            let refused = call.send().await;
            assert_eq!(refused.gist(), "422 script-drift");
            let message = refused.message();
            let (what, rest) = message.split_once("\n  where: turn #").unwrap();
            assert_eq!(
                what,
                "the script calls a tool that the request does not offer"
            );
            let (_, rest) = rest.split_once('\n').unwrap();
            let expected = format!(
                "  expected: no tool of the provider's, since the request offers none\n  \
                 found: `{name}`\n  \
                 help: mend the request or the script; if it is meant, say so with \
                 `.allow_script_drift()` on the turn or on the stub"
            );
            assert_eq!(rest, expected);
        }
    }
    let turn = Turn::new().server_tool(search()).allow_script_drift();
    let stub = WireStub::builder().turn(turn).start();
    assert_eq!(call(&stub).send().await.status, 200);
    stub.verify();
}

#[tokio::test]
async fn a_text_that_does_not_fit_the_schema_is_refused_and_says_where() {
    for (turn, expected, found) in [
        (
            Turn::new().text("The first."),
            "JSON",
            "none: expected value at line 1 column 1",
        ),
        (
            Turn::new(),
            "JSON",
            "none: EOF while parsing a value at line 1 column 0",
        ),
        (
            Turn::new().text("{\"best\": "),
            "JSON",
            "none: EOF while parsing a value at line 1 column 9",
        ),
        (Turn::new().json(json!([1])), "type `object`", "`[1]`"),
        (Turn::new().json(json!({})), "a member `best`", "`{}`"),
        (
            Turn::new().json(json!({"best": "1"})),
            "type `integer` at `/best`",
            "`\"1\"`",
        ),
        (
            Turn::new().text("{\"best\":1,").text("\"mood\":\"so so\"}"),
            "one of `\"good\"`, `\"bad\"` at `/mood`",
            "`\"so so\"`",
        ),
    ] {
        let stub = builder().turn(turn).start();
        let refused = asking_for_json(call(&stub)).streamed().send().await;
        assert_eq!(refused.gist(), "422 script-drift");
        let message = refused.message();
        let (what, rest) = message.split_once("\n  where: turn #1 on ").unwrap();
        assert_eq!(
            what,
            "the script's text does not fit the schema that the request asks for"
        );
        let (_, rest) = rest.split_once('\n').unwrap();
        let (rest, help) = rest.split_once("\n  help: ").unwrap();
        assert_eq!(rest, format!("  expected: {expected}\n  found: {found}"));
        assert!(
            help.starts_with("mend the request or the script; "),
            "{help}"
        );
    }
}

#[tokio::test]
async fn lanes_closure_and_sequence_may_drift_and_a_drifted_turn_is_used_up() {
    let stub = builder()
        .lane(
            "a",
            matchers::model("a"),
            [calls("f"), Turn::new().text("lane")],
        )
        .answer(|request, _| (request.model() == "b").then(|| calls("f")))
        .turns([calls("f"), Turn::new().text("sequence")])
        .start();
    for (model, expected) in [
        ("a", "422 script-drift"),
        ("a", "lane"),
        ("b", "422 script-drift"),
        ("m", "422 script-drift"),
        ("m", "sequence"),
    ] {
        let answered = call(&stub).offers(&["g"]).model(model).send().await;
        assert_eq!(answered.gist(), expected, "{model}");
    }
}

#[tokio::test]
async fn a_huge_text_is_checked_too() {
    let text = format!("{{\"best\":\"{}\"}}", "x".repeat(1024 * 1024));
    let stub = builder()
        .turns([Turn::new().text(&text), Turn::new().text(text)])
        .start();
    let refused = asking_for_json(call(&stub)).send().await;
    assert!(
        refused.message().contains("found: `\"xxx"),
        "{}",
        refused.message()
    );
    assert_eq!(call(&stub).send().await.status, 200);
}

// --- accepted --------------------------------------------------------------------------------------

#[tokio::test]
async fn drift_is_allowed_for_a_stub_or_for_a_turn() {
    let text = || Turn::new().text("no JSON");
    let stub = WireStub::builder()
        .turns([calls("f"), text()])
        .allow_script_drift()
        .start();
    assert_eq!(call(&stub).send().await.status, 200);
    assert_eq!(asking_for_json(call(&stub)).send().await.status, 200);
    stub.verify();

    let stub = builder()
        .turns([calls("f").allow_script_drift(), calls("f")])
        .start();
    assert_eq!(call(&stub).send().await.status, 200);
    assert_eq!(call(&stub).send().await.gist(), "422 script-drift");
}

/// What it is, the turn, and the call that it fits.
type Fitting = (&'static str, fn() -> Turn, fn(Call) -> Call);

const FITTING: &[Fitting] = &[
    (
        "a tool that is offered",
        || calls("f"),
        |call| call.offers(&["g", "f"]),
    ),
    (
        "a tool that the service defines",
        || calls("bash"),
        |call| call.member("tools", json!([{"type": "bash_20250124", "name": "bash"}])),
    ),
    (
        "a tool that is loaded later",
        || calls("f"),
        |call| {
            let search =
                json!({"type": "tool_search_tool_regex", "name": "tool_search_tool_regex"});
            let later = json!({"name": "f", "input_schema": {}, "defer_loading": true});
            call.member("tools", json!([search, later]))
        },
    ),
    (
        "a tool of a toolset",
        || calls("browser_click"),
        |call| call.member("tools", json!([{"type": "browser_toolset_20260801"}])),
    ),
    (
        "a conversation that the service holds",
        || calls("f"),
        |call| {
            let call = call.header("anthropic-beta", "message-threads-2026-08-12");
            call.member(
                "thread",
                json!({"type": "continue", "previous_message_id": "msg_1"}),
            )
        },
    ),
    (
        "a text that fits",
        || Turn::new().json(json!({"best": 1})),
        asking_for_json,
    ),
    (
        "white space around it",
        || Turn::new().text(" {\"best\" : 1.0, \"mood\": \"bad\"}\n"),
        asking_for_json,
    ),
    (
        "another call for tools",
        || Turn::new().text("first").tool_call("f", json!({})),
        |call| asking_for_json(call.offers(&["f"])),
    ),
    (
        "a text that was cut short",
        || Turn::new().text("{\"be").stop_reason(StopReason::MaxTokens),
        asking_for_json,
    ),
    (
        "a refusal",
        || {
            Turn::new()
                .text("I cannot")
                .stop_reason(StopReason::Refusal)
        },
        asking_for_json,
    ),
    (
        "words before the provider's own tool",
        || {
            let search = ServerTool::web_search("q", [("title", "http://a.test")]);
            let turn = Turn::new().text("Let me look.").server_tool(search);
            turn.json(json!({"best": 1}))
        },
        |call| asking_for_json(offering_a_search(call)),
    ),
    (
        "a tool that another of the provider's runs",
        || Turn::new().server_tool(ServerTool::bash("date", "Wed")),
        offering_a_search,
    ),
    (
        "a tool of an MCP server",
        || Turn::new().server_tool(ServerTool::mcp("clocks", "now", json!({}), "6")),
        |call| {
            let server = json!({"type": "url", "name": "clocks", "url": "https://clocks.example"});
            call.header("anthropic-beta", "mcp-client-2025-04-04")
                .member("mcp_servers", json!([server]))
        },
    ),
    (
        "a skill's command",
        || Turn::new().server_tool(ServerTool::bash("date", "Wed")),
        |call| call.member("container", json!({"skills": []})),
    ),
    (
        "a provider's tool in a conversation that the service holds",
        || Turn::new().server_tool(ServerTool::bash("date", "Wed")),
        |call| {
            let call = call.header("anthropic-beta", "message-threads-2026-08-12");
            call.member(
                "thread",
                json!({"type": "continue", "previous_message_id": "msg_1"}),
            )
        },
    ),
    (
        "the result alone of a call that was paused",
        || Turn::new().server_tool_result(ServerTool::bash("date", "Wed").id("srvtoolu_b")),
        |call| call,
    ),
    (
        "thinking that was not asked for, and citations without documents",
        || {
            let turn = Turn::new().thinking("Hm.");
            turn.cited_text("a", [Citation::pages("One.", 1..2)])
        },
        |call| call,
    ),
    (
        "words before a block of any kind",
        || {
            let block = json!({"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}});
            let turn = Turn::new().text("I cann").raw_block(block);
            turn.json(json!({"best": 1}))
        },
        asking_for_json,
    ),
    (
        "a text that no schema binds",
        || Turn::new().text("x"),
        |call| call.member("output_config", json!({"effort": "low"})),
    ),
];

#[tokio::test]
async fn what_fits_its_request_is_played() {
    for (what, turn, request) in FITTING {
        let stub = WireStub::builder().turns([turn(), turn()]).start();
        let whole = request(call(&stub)).send().await;
        assert_eq!(whole.status, 200, "{what}: {:?}", whole.body);
        assert_eq!(
            request(call(&stub)).streamed().send().await.status,
            200,
            "{what}"
        );
        stub.verify();
    }
}

#[tokio::test]
async fn an_error_is_no_drift() {
    let stub = WireStub::builder()
        .turn(ApiError::overloaded())
        .error_at(1, ApiError::internal())
        .start();
    assert_eq!(asking_for_json(call(&stub)).send().await.status, 529);
    assert_eq!(asking_for_json(call(&stub)).send().await.status, 500);
    stub.verify();
}

#[tokio::test]
async fn a_stop_reason_for_one_call_counts_as_the_turns_own() {
    let stub = WireStub::builder()
        .turn("{\"best\"")
        .stop_reason_at(0, StopReason::MaxTokens)
        .start();
    assert_eq!(asking_for_json(call(&stub)).send().await.status, 200);
}
