//! What the journal knows of each request.
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

use std::time::Duration;

use caught::panic_of;
use llm_wire_stub::*;
use post::{Call, KEY, call};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// A stub that answers every call, whatever it says, and is not verified.
#[track_caller]
fn any() -> WireStub {
    WireStub::builder()
        .turn("ok")
        .repeat_last()
        .without_rules()
        .without_verify_on_drop()
        .start()
}

/// The record of this call, once it was answered.
async fn record(stub: &WireStub, call: Call) -> RecordedRequest {
    call.send().await;
    stub.requests().pop().unwrap()
}

/// Sends these bytes on a connection of their own and reads all that comes back.
async fn raw_answer(stub: &StubHandle, request: &[u8]) -> Vec<u8> {
    let authority = stub.url().replace("http://", "");
    let mut stream = TcpStream::connect(authority).await.unwrap();
    stream.write_all(request).await.unwrap();
    let mut answer = Vec::new();
    // a reset is an end too
    let _ = stream.read_to_end(&mut answer).await;
    answer
}

// --- as sent ---------------------------------------------------------------------------------------

#[tokio::test]
async fn method_target_headers_and_body_are_kept_as_sent() {
    let stub = any();
    let body = b"{ \"model\":\"m\\u002d1\",\r\n\"messages\": [] , \"big\": 1e400 }\n";
    let request = record(
        &stub,
        call(&stub)
            .to("/v1/messages?beta=true&a=%20b")
            .header("X-Trace", "t-1")
            .header("x-trace", "t-2")
            .raw_body(body),
    )
    .await;

    assert_eq!(request.method(), "POST");
    assert_eq!(request.target(), "/v1/messages?beta=true&a=%20b");
    assert_eq!(request.path(), "/v1/messages");
    assert_eq!(request.query(), Some("beta=true&a=%20b"));
    assert_eq!(request.body().as_ref(), body);
    assert_eq!(request.header("X-TRACE"), Some("t-1"));
    assert_eq!(request.headers().get_all("x-trace").iter().count(), 2);
    assert_eq!(request.header("x-missing"), None);
    assert_eq!(request.api(), Some(Api::AnthropicMessages));
    assert_eq!(request.to_string(), "#1 POST /v1/messages?beta=true&a=%20b");
}

#[tokio::test]
async fn a_request_without_a_query_has_none() {
    let stub = any();
    assert_eq!(record(&stub, call(&stub)).await.query(), None);
    let empty = record(&stub, call(&stub).to("/v1/messages?")).await;
    assert_eq!((empty.path(), empty.query()), ("/v1/messages", Some("")));
}

#[tokio::test]
async fn a_body_that_is_no_json_is_null_and_has_no_meaning() {
    let stub = any();
    for body in ["", "no JSON", "\u{feff}{}", "[1]"] {
        let request = record(&stub, call(&stub).raw_body(body)).await;
        assert_eq!(request.body().as_ref(), body.as_bytes());
        let expected = serde_json::from_str::<Value>(body).unwrap_or_default();
        assert_eq!(request.json(), &expected, "{body:?}");
        assert_eq!((request.model(), request.max_tokens()), ("", None));
        assert!(request.messages().is_empty() && request.tools().is_empty());
        assert_eq!(request.text(), "");
    }
}

// --- in neutral words ------------------------------------------------------------------------------

/// A conversation with every kind of part.
fn conversation() -> Value {
    json!([
        {"role": "user", "content": "run both"},
        {"role": "assistant", "content": [
            {"type": "text", "text": "Both."},
            {"type": "tool_use", "id": "toolu_1", "name": "shell", "input": {"cmd": "ls"}},
            {"type": "tool_use", "id": "toolu_2", "name": "now", "input": {}},
            {"type": "tool_use", "id": "toolu_3", "name": "shell", "input": {"cmd": "?"}}
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": "a.txt"},
            {"type": "tool_result", "tool_use_id": "toolu_2", "content": [
                {"type": "text", "text": "12"}, {"type": "image", "source": {}},
                {"type": "text", "text": "o'clock"}
            ]},
            {"type": "tool_result", "tool_use_id": "toolu_3", "is_error": true, "content": "no"},
            {"type": "text", "text": "and?"},
            {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
            {"type": "text", "text": "go on"}
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1"}
        ]},
        {"role": "system", "content": "be quick"},
        {"role": "narrator", "content": []}
    ])
}

#[tokio::test]
async fn model_stream_limit_and_whole_json_are_read_on_both_forms() {
    let stub = any();
    for stream in [false, true] {
        let request = record(
            &stub,
            call(&stub)
                .model("m-1")
                .member("max_tokens", 7)
                .member("stream", stream),
        )
        .await;
        assert_eq!(request.model(), "m-1");
        assert_eq!(request.is_stream(), stream);
        assert_eq!(request.max_tokens(), Some(7));
        assert_eq!(request.json()["stream"], stream);
        assert_eq!(request.last_user_text(), "hi");
    }
    assert!(!record(&stub, call(&stub)).await.is_stream());
}

#[tokio::test]
async fn the_system_prompt_is_a_string_blocks_or_absent() {
    let stub = any();
    let blocks = json!([
        {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": "Be kind."}
    ]);
    for (sent, text) in [
        (Some(json!("Be brief.")), Some("Be brief.")),
        (Some(blocks), Some("Be brief.\nBe kind.")),
        (None, None),
    ] {
        let open = call(&stub);
        let request = match &sent {
            Some(sent) => open.member("system", sent.clone()),
            None => open,
        };
        let request = record(&stub, request).await;
        assert_eq!(request.system(), text);
        assert_eq!(request.system_as_sent(), sent.as_ref());
    }
}

#[tokio::test]
async fn messages_have_their_roles_and_parts_in_order() {
    let stub = any();
    let request = record(&stub, call(&stub).member("messages", conversation())).await;

    let roles: Vec<Role> = request.messages().iter().map(|m| m.role.clone()).collect();
    let other = Role::Other("narrator".to_owned());
    let (user, assistant, system) = (Role::User, Role::Assistant, Role::System);
    let expected = [user.clone(), assistant, user.clone(), user, system, other];
    assert_eq!(roles, expected);

    let [asked, called, answered, ..] = request.messages() else {
        panic!("{request:?}");
    };
    assert_eq!(asked.parts, [MessagePart::Text("run both".to_owned())]);
    let [
        MessagePart::Text(said),
        MessagePart::ToolCall {
            id,
            name,
            arguments,
            ..
        },
        ..,
    ] = called.parts.as_slice()
    else {
        panic!("{called:?}");
    };
    assert_eq!(
        (said.as_str(), id.as_str(), name.as_str()),
        ("Both.", "toolu_1", "shell")
    );
    assert_eq!(arguments, &json!({"cmd": "ls"}));
    assert_eq!(called.parts.len(), 4);
    assert!(matches!(&answered.parts[0], MessagePart::ToolResult(r) if r.call_id() == "toolu_1"));
    assert!(matches!(&answered.parts[4], MessagePart::Other(image) if image["type"] == "image"));
    assert_eq!(answered.parts[3].as_text(), Some("and?"));
    assert_eq!(answered.parts[0].as_text(), None);
    assert_eq!(answered.text(), "and?\ngo on");
}

#[tokio::test]
async fn thinking_that_comes_back_has_its_text_and_its_signature() {
    let stub = any();
    let hidden = json!({"type": "redacted_thinking", "data": "eA=="});
    let messages = json!([
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "Hm, b?", "signature": "c2ln"},
            {"type": "thinking", "thinking": "", "signature": "c2ln"},
            {"type": "thinking", "thinking": "bare"},
            hidden,
            {"type": "text", "text": "b"},
        ]},
        {"role": "user", "content": "c"},
    ]);
    let request = record(&stub, call(&stub).member("messages", messages)).await;
    let thought = |text: &str, signature: &str| MessagePart::Thinking {
        text: text.to_owned(),
        signature: signature.to_owned(),
    };
    let said = &request.messages()[1];
    assert_eq!(
        said.parts,
        [
            thought("Hm, b?", "c2ln"),
            thought("", "c2ln"),
            thought("bare", ""),
            MessagePart::Other(hidden),
            MessagePart::Text("b".to_owned()),
        ]
    );
    assert_eq!(said.parts[0].as_text(), None);
    assert_eq!(said.text(), "b");
    assert_eq!(request.text(), "a\nb\nc");
}

#[tokio::test]
async fn tool_results_are_a_string_blocks_an_error_or_empty() {
    let stub = any();
    let request = record(&stub, call(&stub).member("messages", conversation())).await;

    let found: Vec<_> = request
        .tool_results()
        .iter()
        .map(|result| (result.call_id(), result.text(), result.is_error()))
        .collect();
    let expected = [
        ("toolu_1", "a.txt", false),
        ("toolu_2", "12\no'clock", false),
        ("toolu_3", "no", true),
        ("toolu_1", "", false),
    ];
    assert_eq!(found, expected);
    assert_eq!(request.tool_results()[0].content(), &json!("a.txt"));
    assert_eq!(request.tool_results()[1].content()[1]["type"], "image");
    assert_eq!(request.tool_results()[3].content(), &Value::Null);
    assert_eq!(request.tool_result("toolu_3").unwrap().text(), "no");
    // the last one with this id
    assert_eq!(request.tool_result("toolu_1").unwrap().text(), "");
    assert_eq!(request.tool_result("toolu_9"), None);
    assert_eq!(request.expect_tool_result("toolu_3").text(), "no");
    let caught = panic_of(|| request.expect_tool_result("toolu_9"));
    assert_eq!(caught.line, line!() - 1);
    assert_eq!(
        caught.message,
        "there is no result of the tool call `toolu_9`\n  where: request #1 POST /v1/messages\n  \
         found: results of `toolu_1`, `toolu_2`, `toolu_3`, `toolu_1`\n  \
         help: `.tool_call_with_id(id, ..)` scripts a call with an id of your choice"
    );
}

#[tokio::test]
async fn the_texts_of_a_conversation_can_be_searched() {
    let stub = any();
    let request = record(
        &stub,
        call(&stub)
            .member("system", "Be brief.")
            .member("messages", conversation()),
    )
    .await;

    // the last user message has results only
    assert_eq!(request.last_user_text(), "and?\ngo on");
    let expected = "Be brief.\nrun both\nBoth.\na.txt\n12\no'clock\nno\nand?\ngo on\n\nbe quick";
    assert_eq!(request.text(), expected);
}

#[tokio::test]
async fn offered_tools_have_name_description_and_schema_where_they_were_sent() {
    let stub = any();
    let schema = json!({"type": "object", "properties": {"cmd": {"type": "string"}}});
    let tools = json!([
        {"name": "shell", "description": "Runs it.", "input_schema": schema},
        {"name": "bare", "input_schema": {}},
        {"type": "web_search_20250305", "name": "web_search"}
    ]);
    let request = record(&stub, call(&stub).member("tools", tools)).await;

    let found: Vec<_> = request
        .tools()
        .iter()
        .map(|tool| {
            (
                tool.name.as_str(),
                tool.description.as_str(),
                &tool.input_schema,
            )
        })
        .collect();
    let expected = [
        ("shell", "Runs it.", &schema),
        ("bare", "", &json!({})),
        ("web_search", "", &Value::Null),
    ];
    assert_eq!(found, expected);
}

#[tokio::test]
async fn a_response_format_is_read_in_its_newer_and_its_older_spelling() {
    let stub = any();
    let schema = json!({"type": "object"});
    let unnamed = json!({"type": "json_schema", "schema": schema});
    let named = json!({"type": "json_schema", "name": "verdict", "schema": schema});
    for (member, value, name) in [
        ("output_config", json!({"format": unnamed}), None),
        ("output_format", named, Some("verdict")),
    ] {
        let request = record(&stub, call(&stub).member(member, value)).await;
        let format = request.response_format().unwrap();
        assert_eq!(
            (format.name.as_deref(), &format.schema),
            (name, &schema),
            "{member}"
        );
    }
    let effort = call(&stub).member("output_config", json!({"effort": "low"}));
    assert_eq!(record(&stub, effort).await.response_format(), None);
}

// --- keys ------------------------------------------------------------------------------------------

#[tokio::test]
async fn the_key_is_read_from_either_header_and_hidden_in_debug() {
    let stub = any();
    let bare = call(&stub).without_header("x-api-key");
    for (name, value, key) in [
        ("x-api-key", KEY.to_owned(), Some(KEY)),
        ("authorization", format!("Bearer {KEY}"), Some(KEY)),
        ("authorization", format!("bearer  {KEY}"), Some(KEY)),
        ("authorization", format!("Basic {KEY}"), None),
        ("cookie", format!("session={KEY}"), None),
        ("x-api-key", "short-key".to_owned(), Some("short-key")),
    ] {
        let request = record(&stub, bare.clone().header(name, &value)).await;
        assert_eq!(request.api_key(), key, "{name}: {value}");
        assert_eq!(request.header(name), Some(value.as_str()));

        let shown = format!("{request:?} {request:#?} {:?}", stub.requests());
        for secret in [KEY, "0123456789", "short-key"] {
            assert!(!shown.contains(secret), "`{secret}` in {shown}");
        }
        let last = if value.ends_with(KEY) {
            "sk-…6789"
        } else {
            "sk-…"
        };
        assert!(shown.contains(last), "{shown}");
    }
    assert_eq!(record(&stub, bare).await.api_key(), None);
}

// --- when and where --------------------------------------------------------------------------------

#[tokio::test]
async fn requests_on_one_connection_share_its_number_and_a_new_connection_gets_the_next() {
    let stub = any();
    let kept = reqwest::Client::new();
    for client in [&kept, &kept, &reqwest::Client::new(), &kept] {
        call(&stub).on(client).send().await;
    }
    let requests = stub.requests();
    let numbers: Vec<usize> = requests.iter().map(RecordedRequest::connection).collect();
    assert_eq!(numbers, [0, 0, 1, 0]);
}

#[tokio::test]
async fn arrival_times_never_go_back() {
    let stub = any();
    for _ in 0..5 {
        call(&stub).send().await;
    }
    let requests = stub.requests();
    let arrived: Vec<Duration> = requests.iter().map(RecordedRequest::arrived).collect();
    assert!(arrived.is_sorted(), "{arrived:?}");
    assert!(arrived[4] > Duration::ZERO);
}

// --- what answered ---------------------------------------------------------------------------------

#[tokio::test]
async fn a_request_knows_what_answered_it_and_which_lane_claimed_it() {
    let stub = WireStub::builder()
        .lane("lane", matchers::model("lane"), ["x"])
        .answer(|request, _| (request.model() == "closure").then(|| "x".into()))
        .turn("x")
        .error_at(3, ApiError::overloaded())
        .without_verify_on_drop()
        .start();
    for (model, answered_by, lane) in [
        ("lane", "lane `lane` turn #1", Some("lane")),
        ("closure", "the closure's turn", None),
        ("m", "turn #1", None),
        ("lane", "the error for call #4", None),
        ("lane", "refused: exhausted", Some("lane")),
        ("m", "refused: exhausted", None),
    ] {
        let request = record(&stub, call(&stub).model(model)).await;
        assert_eq!(request.answered_by(), answered_by);
        assert_eq!(request.lane().as_deref(), lane, "{answered_by}");
    }
    let claimed = stub.lane("lane").requests();
    let claimed: Vec<usize> = claimed.iter().map(RecordedRequest::index).collect();
    assert_eq!(claimed, [0, 4]);
    assert_eq!(stub.lane("lane").request(1).index(), 4);
    let lane = stub.lane("lane");
    let caught = panic_of(|| lane.request(2));
    assert_eq!(caught.line, line!() - 1);
    let start = "there is no request with index 2 in lane `lane`: 2 came\n";
    assert!(caught.message.starts_with(start), "{}", caught.message);
    let help = "\n  help: indices count from 0";
    assert!(caught.message.ends_with(help), "{}", caught.message);
}

#[tokio::test]
async fn outcome_and_bytes_written_are_what_a_raw_socket_read() {
    let text = || Turn::new().text("some words to be cut");
    let place = After::deltas(2);
    for (turn, outcome) in [
        (text(), Outcome::Complete),
        (Turn::error(ApiError::overloaded()), Outcome::Complete),
        (text().end(place, Ending::Fin), Outcome::Failed),
        (text().end(place, Ending::CleanEof), Outcome::Failed),
        (text().end(place, ApiError::overloaded()), Outcome::Failed),
        (text().end(place, Ending::Reset), Outcome::Reset),
        (text().fault(Fault::EofBeforeTerminal), Outcome::Failed),
        (text().end(After::deltas(99), Ending::Fin), Outcome::Refused),
    ] {
        let what = format!("{turn:?}");
        let stub = WireStub::builder()
            .turn(turn)
            .without_verify_on_drop()
            .start();
        let answer = raw_answer(&stub, &call(&stub).streamed().to_bytes()).await;
        stub.settled().await;

        let request = stub.single_request();
        assert_eq!(request.outcome(), outcome, "{what}");
        assert_eq!(request.bytes_written(), answer.len() as u64, "{what}");
    }
}

#[tokio::test]
async fn a_whole_answer_is_counted_like_a_stream() {
    let stub = any();
    let answer = raw_answer(&stub, &call(&stub).to_bytes()).await;
    stub.settled().await;
    let request = stub.single_request();
    assert_eq!(request.outcome(), Outcome::Complete);
    assert_eq!(request.bytes_written(), answer.len() as u64);
}

#[tokio::test]
async fn a_kept_request_stays_current_until_its_client_has_left() {
    let gate = Gate::new();
    let stub = WireStub::builder()
        .turn(Turn::new().text("two words").gate(After::deltas(1), &gate))
        .start();
    let running = tokio::spawn(call(&stub).streamed().send());
    gate.reached().await;
    let kept = stub.single_request();
    assert_eq!(kept.outcome(), Outcome::Open);
    assert_eq!(kept.answered_by(), "turn #1");
    assert!(kept.bytes_written() > 0);

    running.abort();
    assert_eq!(stub.wait_for_cancel().await.index(), kept.index());
    assert_eq!(kept.outcome(), Outcome::Cancelled);
}

#[tokio::test]
async fn an_answer_whose_gate_was_dropped_has_failed_and_says_so() {
    let gate = Gate::new();
    let stub = WireStub::builder()
        .turn(Turn::new().text("two words").gate(After::head(), &gate))
        .start();
    let running = tokio::spawn(call(&stub).streamed().send());
    gate.reached().await;
    drop(gate);

    assert!(running.await.is_err(), "the client read an end");
    let request = stub.single_request();
    assert_eq!(request.outcome(), Outcome::Failed);
    let remark = request.remark();
    assert_eq!(remark.as_deref(), Some("its gate was dropped while closed"));
    let report = stub.try_verify().unwrap_err().to_string();
    let problem = "    - #1 POST /v1/messages: its gate was dropped while closed, which ended the answer\n        \
        help: open the gate, or keep it until the end of the test";
    assert!(report.ends_with(problem), "{report}");
}

#[tokio::test]
async fn a_request_is_asked_for_by_its_index() {
    let stub = any();
    call(&stub).model("one").send().await;
    call(&stub).model("two").send().await;
    assert_eq!(stub.request(1).model(), "two");
    assert_eq!(stub.request(0).index(), 0);
}

// --- the journal -----------------------------------------------------------------------------------

#[tokio::test]
async fn the_journal_has_everything_and_requests_the_model_calls_only() {
    let stub = any();
    call(&stub).send().await;
    call(&stub).to("/v1/other").send().await;
    let preflight = b"OPTIONS /v1/messages HTTP/1.1\r\nhost: x\r\norigin: http://a\r\n\
        access-control-request-method: POST\r\nconnection: close\r\n\r\n";
    raw_answer(&stub, preflight).await;
    raw_answer(&stub, b"no request\r\n\r\n").await;
    call(&stub).send().await;

    let shown = |requests: Vec<RecordedRequest>| -> Vec<String> {
        let line = |r: &RecordedRequest| format!("{r}: {}, {:?}", r.answered_by(), r.outcome());
        requests.iter().map(line).collect()
    };
    let expected = [
        "#1 POST /v1/messages: turn #1, Complete",
        "POST /v1/other: 404: not served, Refused",
        "OPTIONS /v1/messages: the CORS preflight, Complete",
        "a malformed request: 400: malformed, Refused",
        "#2 POST /v1/messages: turn #2, Complete",
    ];
    assert_eq!(shown(stub.journal()), expected);
    assert_eq!(shown(stub.requests()), [expected[0], expected[4]]);
    assert_eq!(stub.journal()[1].api(), None);
    assert_eq!(stub.journal()[1].model(), "");
}

#[tokio::test]
async fn cleared_requests_are_gone_but_counted_and_still_evidence() {
    let stub = any();
    call(&stub).send().await;
    call(&stub).to("/v1/other").send().await;
    stub.clear_requests();
    assert!(stub.requests().is_empty() && stub.journal().is_empty());

    call(&stub).send().await;
    let second = stub.single_request();
    assert_eq!(second.index(), 1);
    assert_eq!(second.answered_by(), "turn #2");
    assert_eq!(stub.wait_for_requests(1).await.len(), 1);

    let report = stub.try_verify().unwrap_err().to_string();
    assert!(report.contains("#1 POST /v1/messages"), "{report}");
    assert!(
        report.contains("nothing is served at POST /v1/other"),
        "{report}"
    );
}

#[tokio::test]
async fn a_handle_sees_the_stub_from_another_task_and_outlives_it() {
    let stub = any();
    let handle = stub.handle();
    let seen = tokio::spawn(async move {
        let requests = handle.wait_for_requests(1).await;
        (requests.len(), handle)
    });
    call(&stub).send().await;
    let (seen, handle) = seen.await.unwrap();
    assert_eq!(seen, 1);
    assert_eq!(handle.url(), stub.url());

    stub.verify();
    drop(stub);
    assert_eq!(handle.requests().len(), 1);
    assert_eq!(handle.overflow(), 0);
}
