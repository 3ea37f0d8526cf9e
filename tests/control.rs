//! The control API: what a test in another language asks a stub and tells it.
#![cfg(feature = "server")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]

#[path = "support/post.rs"]
mod post;
#[path = "support/raw.rs"]
mod raw;

use std::time::Duration;

use llm_wire_stub::*;
use post::{Answered, KEY, ask_at, call};
use raw::{LAST_CHUNK, Raw, not_streaming, streaming};
use serde_json::{Value, json};

#[track_caller]
fn builder() -> WireStubBuilder {
    WireStub::builder().control_api().without_verify_on_drop()
}

async fn get(stub: &StubHandle, road: &str) -> Answered {
    ask_at("GET", stub.url() + "/__stub__" + road, None, &[]).await
}

/// The answer has to be that it was done.
async fn post(stub: &StubHandle, road: &str) {
    let answered = ask_at("POST", stub.url() + "/__stub__" + road, None, &[]).await;
    assert_eq!(
        (answered.status, &*answered.body),
        (200, &b"{\"ok\":true}"[..])
    );
}

/// What a refusal says.
#[track_caller]
fn told(answered: &Answered, status: u16) -> String {
    assert_eq!(answered.status, status, "{answered:?}");
    answered.json()["error"].as_str().unwrap().to_owned()
}

// --- what is asked ---------------------------------------------------------------------------------

#[test]
fn a_request_is_listed_whole_in_one_order() {
    let stub = builder()
        .clock(Clock::manual())
        .lane("judge", matchers::model("claude-haiku-4-5"), ["fine"])
        .start();
    let body = r#"{"model":"claude-haiku-4-5","max_tokens":9,"system":[{"type":"text","text":"Be brief."}],"messages":[{"role":"user","content":"ls"},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"sh","input":{"b":1.50,"a":[]}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"a.txt","is_error":true}]}],"tools":[{"name":"sh","description":"runs it","input_schema":{"type":"object"}}]}"#;
    let mut client = Raw::asking(&stub, raw::call(&["x-two: 1", "X-Two: 2"], body));
    let answer = client.response();
    stub.settled_blocking();
    client.send("GET /__stub__/requests HTTP/1.1\r\nhost: stub\r\nconnection: close\r\n\r\n");

    let head = client.head();
    let (listing, _) = client.rest();
    let written = answer.head.len() + answer.framed.len();
    let expected = format!(
        concat!(
            r#"[{{"index":0,"kind":"model_call","api":"anthropic_messages","dialect":null,"method":"POST","path":"/v1/messages","#,
            r#""query":null,"headers":{{"host":"stub","x-api-key":"sk-…6789","anthropic-version":"2023-06-01","x-two":"1, 2","#,
            r#""content-length":"{length}"}},"body":{body},"model":"claude-haiku-4-5","stream":false,"system":"Be brief.","messages":["#,
            r#"{{"role":"user","text":"ls","parts":[{{"type":"text","text":"ls"}}]}},"#,
            r#"{{"role":"assistant","text":"","parts":[{{"type":"tool_call","id":"toolu_1","name":"sh","arguments":{{"a":[],"b":1.5}}}}]}},"#,
            r#"{{"role":"user","text":"","parts":[{{"type":"tool_result","call_id":"toolu_1","text":"a.txt","is_error":true,"content":"a.txt"}}]}}],"#,
            r#""tools":[{{"name":"sh","description":"runs it","input_schema":{{"type":"object"}}}}],"#,
            r#""tool_results":[{{"call_id":"toolu_1","text":"a.txt","is_error":true,"content":"a.txt"}}],"#,
            r#""max_tokens":9,"response_format":null,"lane":"judge","answered_by":"lane `judge` turn #1","outcome":"complete","#,
            r#""remark":null,"bytes_written":{written},"connection":0,"arrived_ms":0}}]"#
        ),
        length = body.len(),
        body = body,
        written = written,
    );
    assert_eq!(String::from_utf8(listing).unwrap(), expected);
    assert_eq!(
        head,
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncache-control: no-store\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n",
            expected.len()
        )
    );
}

#[tokio::test]
async fn every_api_is_told_in_the_same_words() {
    let stub = builder()
        .turns(["x"; 2])
        .dialect(Dialect::OpenRouter)
        .start();
    let key = [("authorization", "Bearer sk-or-v1-0123456789")];
    let user = json!([{"role": "user", "content": "hi"}]);
    let schema = json!({"type": "json_schema", "json_schema": {"name": "n", "schema": {}}});
    let chat = json!({
        "model": "m", "messages": user, "stream": true, "max_completion_tokens": 7, "response_format": schema
    });
    let url = stub.dialect_url(Dialect::OpenRouter) + "/chat/completions";
    ask_at("POST", url, Some(chat), &key).await;
    let responses = json!({"model": "m", "input": user, "instructions": "Be brief."});
    ask_at(
        "POST",
        stub.openai_url() + "/responses",
        Some(responses),
        &key,
    )
    .await;

    let listed = get(&stub, "/requests").await.json();
    let gist = |n: usize| {
        let names = [
            "api",
            "dialect",
            "stream",
            "system",
            "max_tokens",
            "response_format",
        ];
        let mut gist: Vec<Value> = names.iter().map(|name| listed[n][name].clone()).collect();
        gist.push(listed[n]["messages"][0]["text"].clone());
        gist.push(listed[n]["headers"]["authorization"].clone());
        gist
    };
    let format = json!({"name": "n", "schema": {}});
    let masked = json!("sk-…6789");
    assert_eq!(
        json!(gist(0)),
        json!([
            "openai_chat",
            "openrouter",
            true,
            null,
            7,
            format,
            "hi",
            masked
        ])
    );
    assert_eq!(
        json!(gist(1)),
        json!([
            "openai_responses",
            null,
            false,
            "Be brief.",
            null,
            null,
            "hi",
            masked
        ])
    );
}

#[tokio::test]
async fn a_body_that_is_no_json_is_told_as_text_or_as_bytes() {
    let stub = builder().turn("x").repeat_last().without_rules().start();
    for (sent, members) in [
        (&b" {\"b\": 1e2} "[..], json!([{"b": 1e2}, null, null])),
        (b"{\"a\":", json!([null, "{\"a\":", null])),
        (b"\xff\x00", json!([null, null, "/wA="])),
        (b"\"\xff\"", json!([null, null, "Iv8i"])),
        (b"", json!([null, null, null])),
    ] {
        post(&stub, "/reset").await;
        call(&stub).raw_body(sent).send().await;
        let listed = get(&stub, "/requests").await.json();
        let found: Vec<_> = ["body", "body_text", "body_base64"]
            .map(|name| listed[0][name].clone())
            .to_vec();
        assert_eq!(json!(found), members, "{}", sent.escape_ascii());
    }
}

#[cfg(feature = "wiremock")]
#[tokio::test]
async fn the_journal_has_everything_and_the_requests_are_its_calls() {
    let mocks = wiremock::MockServer::start().await;
    let stub = builder().turn("x").fallback(&mocks).start();
    let key = [("x-api-key", KEY), ("anthropic-version", "2023-06-01")];
    ask_at("GET", stub.url() + "/v1/models?limit=2", None, &key).await;
    call(&stub).send().await;
    ask_at("GET", stub.url() + "/logs", None, &[]).await;
    ask_at("GET", stub.url() + "/v1/messages", None, &[]).await;
    Raw::asking(&stub, "nonsense\r\n\r\n").response();

    let journal = get(&stub, "/journal").await.json();
    let gist: Vec<Value> = journal
        .as_array()
        .unwrap()
        .iter()
        .map(|request| {
            json!([
                request["index"],
                request["kind"],
                request["path"],
                request["query"],
                request["outcome"]
            ])
        })
        .collect();
    assert_eq!(
        json!(gist),
        json!([
            [null, "side_road", "/v1/models", "limit=2", "complete"],
            [0, "model_call", "/v1/messages", null, "complete"],
            [null, "fallback", "/logs", null, "complete"],
            [null, "not_served", "/v1/messages", null, "refused"],
            [null, "malformed", null, null, "refused"],
        ])
    );
    assert_eq!(journal[0].get("messages"), None);
    let calls = get(&stub, "/requests").await.json();
    assert_eq!(calls, json!([journal[1]]));
}

#[tokio::test]
async fn verify_says_what_verify_says_and_disarms_nothing() {
    let stub = WireStub::builder().turn("x").control_api().start();
    let before = get(&stub, "/verify").await;
    assert_eq!(before.status, 409);
    call(&stub).send().await;
    let after = get(&stub, "/verify").await;
    assert_eq!((after.status, after.json()), (200, json!({"ok": true})));

    stub.reset();
    let error = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(stub)));
    let report = *error.unwrap_err().downcast::<String>().unwrap();
    assert_eq!(before.json(), json!({"ok": false, "report": report}));
}

// --- what is told ----------------------------------------------------------------------------------

#[tokio::test]
async fn a_hold_shows_that_calls_overlap_and_is_no_obstacle_here() {
    let stub = builder().turns(["one", "two"]).start();
    post(&stub, "/hold").await;
    let waiting = [0, 1].map(|_| tokio::spawn(call(&stub).send()));
    let came = get(&stub, "/requests?wait=2").await.json();
    let outcomes: Vec<&Value> = came
        .as_array()
        .unwrap()
        .iter()
        .map(|r| &r["outcome"])
        .collect();
    assert_eq!(outcomes, ["open", "open"]);
    post(&stub, "/release").await;
    for waiting in waiting {
        assert_eq!(waiting.await.unwrap().status, 200);
    }
    assert_eq!(get(&stub, "/verify").await.status, 200);
}

#[tokio::test]
async fn a_second_hold_releases_the_first_and_release_is_for_any() {
    let stub = builder().turns(["x"; 3]).start();
    post(&stub, "/release").await;
    post(&stub, "/hold").await;
    let first = tokio::spawn(call(&stub).send());
    stub.wait_for_requests(1).await;
    post(&stub, "/hold").await;
    first.await.unwrap();
    post(&stub, "/release").await;
    call(&stub).send().await;

    let hold = stub.hold();
    let third = tokio::spawn(call(&stub).send());
    stub.wait_for_requests(3).await;
    post(&stub, "/release").await;
    third.await.unwrap();
    hold.release();
}

#[test]
fn a_reset_is_answered_once_all_that_was_under_way_has_ended() {
    let stub = builder()
        .turn(Turn::new().text("two words").stall(After::deltas(1)))
        .repeat_last()
        .start();
    let mut running: Vec<Raw> = (0..3).map(|_| Raw::asking(&stub, streaming())).collect();
    stub.wait_for_requests_blocking(3);
    let mut control = Raw::connect(&stub);
    for _ in 0..2 {
        control.send("POST /__stub__/reset HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}");
        assert!(control.head().starts_with("HTTP/1.1 200 OK\r\n"));
        assert_eq!(control.read_exactly(11), b"{\"ok\":true}");
    }
    for client in &mut running {
        let (read, _) = client.rest();
        assert!(!read.ends_with(LAST_CHUNK));
    }
    assert!(stub.journal().is_empty());
    // a control connection is one like any other
    control.send(streaming());
    stub.wait_for_stall_blocking();
    assert_eq!(stub.single_request().connection(), 3);
}

#[cfg(feature = "fixture")]
#[tokio::test]
async fn a_gate_of_a_fixture_is_opened_by_its_name_and_closed_by_a_reset() {
    let script: Script = r#"{"format_version": 1, "turns": [{
        "parts": [{"text": "two words"}],
        "actions": [{"gate": {"after": {"deltas": 1}, "name": "first word"}}]
    }]}"#
        .parse()
        .unwrap();
    let stub = builder().script(script).start();
    for _ in 0..3 {
        let running = tokio::spawn(call(&stub).streamed().send());
        stub.gate("first word").reached().await;
        assert_eq!(stub.request(0).outcome(), Outcome::Open);
        post(&stub, "/gates/first%20word/open").await;
        assert_eq!(running.await.unwrap().text(), "two words");
        post(&stub, "/reset").await;
    }
    let url = stub.url() + "/__stub__/gates/first/open";
    let unknown = told(&ask_at("POST", url, None, &[]).await, 404);
    let line = unknown.lines().nth(1).unwrap();
    assert_eq!(
        unknown.replace(line, "  where"),
        "there is no gate `first`\n  where\n  help: it has `first word`"
    );
}

#[tokio::test]
async fn the_control_api_counts_nowhere_and_needs_nothing() {
    let stub = builder()
        .turn("x")
        .api(Api::OpenAiChat)
        .body_limit(4)
        .start();
    for road in ["/requests", "/journal", "/verify", "/nothing"] {
        get(&stub, road).await;
    }
    post(&stub, "/hold").await;
    let body = Some(json!({"longer": "than the limit"}));
    let answered = ask_at("POST", stub.url() + "/__stub__/release", body, &[]).await;
    assert_eq!(answered.status, 200);
    assert!(stub.journal().is_empty());
    stub.settled().await;
}

#[test]
fn what_is_asked_of_it_may_stand_before_a_call_in_one_write() {
    let stub = builder().turn("x").start();
    let both = [
        b"HEAD /__stub__/verify HTTP/1.1\r\n\r\n",
        &not_streaming()[..],
    ]
    .concat();
    let mut client = Raw::asking(&stub, both);
    assert!(
        client
            .head()
            .starts_with("HTTP/1.1 405 Method Not Allowed\r\n")
    );
    assert_eq!(client.response().status(), "HTTP/1.1 200 OK");
    stub.verify();
}

// --- what it refuses, in these words ---------------------------------------------------------------

#[tokio::test]
async fn what_is_not_there_is_told_with_what_is() {
    let stub = builder().start();
    let roads = "GET /__stub__/requests, GET /__stub__/journal, GET /__stub__/verify, POST /__stub__/hold, \
                 POST /__stub__/release, POST /__stub__/gates/NAME/open, POST /__stub__/reset";
    for road in ["", "/", "/request", "/requests/"] {
        assert_eq!(
            told(&get(&stub, road).await, 404),
            format!(
                "the control API has no `GET /__stub__{road}`\n  expected: {roads}\n  help: check the path"
            )
        );
    }
    assert_eq!(
        told(&get(&stub, "/reset").await, 405),
        "`/__stub__/reset` is asked for with another method\n  expected: POST\n  found: GET\n  help: `POST` it"
    );
    let other = get(&stub, "by").await;
    assert_eq!(other.why(), "not-served");
}

#[tokio::test]
async fn a_query_has_to_be_understood() {
    let stub = builder().start();
    for query in ["wait", "wait=", "wait=-1", "n=2", ""] {
        assert_eq!(
            told(&get(&stub, &format!("/requests?{query}")).await, 400),
            format!(
                "the query of `GET /__stub__/requests` is not understood\n  expected: `wait=` and a number\n  \
                 found: `{query}`\n  help: `?wait=2` answers once two calls have come"
            )
        );
    }
    assert_eq!(get(&stub, "/requests?wait=0").await.json(), json!([]));
}

#[tokio::test]
async fn a_wait_that_gives_up_says_what_came() {
    let at_once = Duration::from_millis(1);
    let stub = builder().turn("x").patience(at_once).start();
    call(&stub).send().await;
    stub.settled().await;
    let gave_up = told(&get(&stub, "/requests?wait=2").await, 409);
    let line = gave_up.lines().nth(1).unwrap();
    assert!(
        line.starts_with("  where: script of 1 turn, built at "),
        "{line}"
    );
    assert_eq!(
        gave_up.replace(line, "  where"),
        format!(
            "gave up waiting for 2 requests: not within 1ms\n  where\n  calls:\n    \
             #1 POST /v1/messages [m]: turn #1, Complete, {} bytes",
            stub.request(0).bytes_written()
        )
    );
}

#[tokio::test]
async fn a_wait_ends_with_a_reset() {
    let stub = builder().turn("x").start();
    let waiting = tokio::spawn({
        let stub = stub.handle();
        async move { get(&stub, "/requests?wait=1").await }
    });
    // whichever comes first: a wait that begins behind the reset sees the call
    post(&stub, "/reset").await;
    call(&stub).send().await;
    let answered = waiting.await.unwrap();
    if answered.status == 409 {
        let message = told(&answered, 409);
        assert_eq!(
            message.lines().next(),
            Some("gave up waiting for 1 request: the stub was reset")
        );
    } else {
        assert_eq!(answered.json()[0]["index"], 0);
    }
}

#[tokio::test]
async fn without_it_its_paths_are_not_served() {
    let stub = WireStub::builder().without_verify_on_drop().start();
    let answered = get(&stub, "/requests").await;
    assert_eq!((answered.status, answered.why()), (404, "not-served"));
    assert!(
        answered
            .message()
            .ends_with("\n  help: the control API is off: switch it on with `.control_api()`")
    );
    assert!(stub.try_verify().is_err());
}
