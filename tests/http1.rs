//! HTTP/1.1 as it is read and written: requests in any shape, whole responses byte by byte.
#![cfg(feature = "server")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

#[path = "support/raw.rs"]
mod raw;
#[path = "support/routes.rs"]
mod routes;

use std::io::Write;

use llm_wire_stub::{After, ApiError, Gate, Outcome, Turn, WireStub, bytes::Bytes};
use raw::{
    Ended, LAST_CHUNK, Raw, ascii, call, call_head, chunked, not_streaming, streaming,
    streaming_body,
};

/// A stub that says `hi` to every call.
fn hi() -> WireStub {
    WireStub::builder()
        .turn(Turn::new().text("hi").plain())
        .repeat_last()
        .without_verify_on_drop()
        .start()
}

const OK: &str = "HTTP/1.1 200 OK";

// --- whole responses -------------------------------------------------------------------------------

/// The response to one request on a connection of its own, head, framing and all.
#[track_caller]
fn whole_response(turn: impl Into<Turn>, request: impl AsRef<[u8]>) -> String {
    let stub = WireStub::builder()
        .turn(turn)
        .without_verify_on_drop()
        .start();
    let mut client = Raw::asking(&stub, request);
    let response = client.response();
    client.assert_nothing_more();
    response.head + std::str::from_utf8(&response.framed).unwrap()
}

const COMMON: &str =
    "Date: Wed, 19 Aug 2026 14:34:12 GMT\r\nrequest-id: req_011CD8jRFjoipZeUB1dqxXKn\r\n";
const FRAMING: &str = "Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n";

/// A response with these chunks.
fn response(status: &str, headers: &[&str], chunks: &[&str]) -> String {
    let chunks = chunks.iter().map(|chunk| Bytes::from((*chunk).to_owned()));
    let body = chunked(chunks);
    let body = std::str::from_utf8(&body).unwrap();
    let headers = headers.concat();
    format!("HTTP/1.1 {status}\r\n{headers}{FRAMING}{body}0\r\n\r\n")
}

#[test]
fn a_stream_is_a_chunk_for_each_event() {
    const USAGE: &str = concat!(
        r#""usage":{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"#,
        r#""cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"#,
        r#""output_tokens":1,"service_tier":"standard","inference_geo":"not_available"}"#
    );
    let event =
        |name: &str, rest: &str| format!("event: {name}\ndata: {{\"type\":\"{name}\"{rest}}}\n\n");
    let start = format!(
        r#","message":{{"model":"claude-haiku-4-5","id":"msg_011C3svmt1gxWiGZNJE4uDFK","type":"message","role":"assistant","content":[],"stop_reason":null,"stop_sequence":null,"stop_details":null,{USAGE}}}"#
    );
    let delta = r#","delta":{"stop_reason":"end_turn","stop_sequence":null,"stop_details":null},"usage":{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":1}"#;
    let events = [
        event("message_start", &start),
        event(
            "content_block_start",
            r#","index":0,"content_block":{"type":"text","text":""}"#,
        ),
        event(
            "content_block_delta",
            r#","index":0,"delta":{"type":"text_delta","text":"hi"}"#,
        ),
        event("content_block_stop", r#","index":0"#),
        event("message_delta", delta),
        event("message_stop", ""),
    ];
    let expected = response(
        "200 OK",
        &[
            COMMON,
            "Content-Type: text/event-stream; charset=utf-8\r\n",
            "Cache-Control: no-cache\r\n",
        ],
        &events.each_ref().map(String::as_str),
    );
    let turn = Turn::new().text("hi").plain();
    assert_eq!(whole_response(turn.clone(), streaming()), expected);

    let body = concat!(
        r#"{"model":"claude-haiku-4-5","id":"msg_011C3svmt1gxWiGZNJE4uDFK","type":"message","#,
        r#""role":"assistant","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","#,
        r#""stop_sequence":null,"stop_details":null,"#
    );
    let expected = response(
        "200 OK",
        &[COMMON, "Content-Type: application/json\r\n"],
        &[&format!("{body}{USAGE}}}")],
    );
    assert_eq!(whole_response(turn, not_streaming()), expected);
}

#[test]
fn an_error_is_one_chunk() {
    let expected = response(
        "529 Unknown",
        &[
            COMMON,
            "Content-Type: application/json\r\n",
            "x-should-retry: true\r\n",
        ],
        &[concat!(
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"#,
            r#""request_id":"req_011CD8jRFjoipZeUB1dqxXKn"}"#
        )],
    );
    let turn = Turn::error(ApiError::overloaded()).plain();
    assert_eq!(whole_response(turn, streaming()), expected);
}

#[test]
fn a_path_that_is_not_served_is_a_404_that_says_what_is() {
    let stub = hi();
    let get = "GET /v1/model HTTP/1.1\r\nhost: stub\r\n\r\n";
    let mut client = Raw::asking(&stub, get);
    let found = client.response();
    let (place, served) = (place_of_script(&stub), routes::everything());
    let expected = response(
        "404 Not Found",
        &[
            "content-type: application/json\r\n",
            "x-should-retry: false\r\n",
            "x-llm-wire-stub: not-served\r\n",
        ],
        &[&format!(
            r#"{{"error":{{"message":"nothing is served at GET /v1/model\n  where: {place}\n  expected: {served}\n  help: check the base URL that the client was given; the nearest path is `/v1/models`","type":"invalid_request_error","param":null,"code":null}}}}"#
        )],
    );
    assert_eq!(
        found.head + std::str::from_utf8(&found.framed).unwrap(),
        expected
    );

    // the same head without a body, and the connection is still in step
    client.send(get.replace("GET", "HEAD"));
    let head = client.head();
    assert_eq!(
        head,
        "HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\nx-should-retry: false\r\n\
         x-llm-wire-stub: not-served\r\nConnection: keep-alive\r\n\r\n"
    );
    client.send(streaming());
    assert_eq!(client.response().status(), OK);

    let journal = stub.journal();
    let asked: Vec<_> = journal.iter().map(|r| (r.method(), r.outcome())).collect();
    assert_eq!(
        asked,
        [
            ("GET", Outcome::Refused),
            ("HEAD", Outcome::Refused),
            ("POST", Outcome::Complete)
        ]
    );
    let report = stub.try_verify().unwrap_err().to_string();
    assert!(
        report.contains("nothing is served at GET /v1/model\n"),
        "{report}"
    );
    assert!(
        report.contains("nothing is served at HEAD /v1/model\n"),
        "{report}"
    );
}

/// `script of 1 turn, built at …`, as its stub says it.
fn place_of_script(stub: &WireStub) -> String {
    let shown = format!("{:?}", stub.handle());
    let (_, rest) = shown.split_once("script: \"").unwrap();
    rest.split_once('"').unwrap().0.to_owned()
}

#[test]
fn a_preflight_is_answered_with_what_it_asks_for() {
    let preflight = |extra: &str| {
        format!(
            "OPTIONS /v1/messages HTTP/1.1\r\nhost: stub\r\norigin: http://a\r\n\
             access-control-request-method: POST\r\n{extra}\r\n"
        )
    };
    for (asked, allowed) in [
        ("", ""),
        (
            "access-control-request-headers: x-api-key, content-type\r\n",
            "access-control-allow-headers: x-api-key, content-type\r\n",
        ),
    ] {
        let stub = hi();
        let mut client = Raw::asking(&stub, preflight(asked));
        assert_eq!(
            client.head(),
            format!(
                "HTTP/1.1 204 No Content\r\n\
                 access-control-allow-methods: GET, POST, DELETE, OPTIONS\r\n{allowed}\
                 access-control-max-age: 600\r\naccess-control-allow-origin: *\r\n\
                 access-control-expose-headers: *\r\nConnection: keep-alive\r\n\r\n"
            )
        );
        client.send(streaming());
        assert_eq!(client.response().status(), OK);
        assert_eq!(stub.journal()[0].outcome(), Outcome::Complete);
        assert_eq!(stub.requests().len(), 1);
        stub.verify();
    }
}

#[test]
fn every_answer_to_a_browser_may_be_read_by_its_page_and_no_other_says_so() {
    let stub = hi();
    let mut client = Raw::connect(&stub);
    for (request, origin) in [
        (call(&["origin: null"], streaming_body()), true),
        (call(&["Origin: http://a"], "no JSON"), true),
        (b"GET / HTTP/1.1\r\norigin: http://a\r\n\r\n".to_vec(), true),
        (streaming(), false),
    ] {
        client.send(&request);
        let response = client.response();
        let (any, none) = (
            origin.then_some("*"),
            response.header("access-control-max-age"),
        );
        assert_eq!(response.header("access-control-allow-origin"), any);
        assert_eq!(response.header("access-control-expose-headers"), any);
        assert_eq!(none, None);
    }
}

#[test]
fn the_body_asks_for_a_stream_and_the_accept_header_never_does() {
    let stub = hi();
    let mut client = Raw::connect(&stub);
    let body = |stream: &str| {
        let messages = r#"[{"role":"user","content":"hi"}]"#;
        format!(r#"{{"model":"m","max_tokens":9,"messages":{messages}{stream}}}"#)
    };
    for (stream, form) in [
        (r#","stream":true"#, "text/event-stream; charset=utf-8"),
        (r#","stream":false"#, "application/json"),
        ("", "application/json"),
    ] {
        for accept in ["application/json", "text/event-stream", "*/*"] {
            client.send(call(&[&format!("accept: {accept}")], body(stream)));
            let response = client.response();
            assert_eq!(
                response.header("content-type"),
                Some(form),
                "{stream} {accept}"
            );
        }
    }
}

#[test]
fn a_query_is_recorded_and_changes_nothing() {
    let stub = hi();
    let request = ascii_replace(&streaming(), "/v1/messages ", "/v1/messages?beta=true&x ");
    assert_eq!(Raw::asking(&stub, request).response().status(), OK);
    let request = stub.single_request();
    assert_eq!(request.target(), "/v1/messages?beta=true&x");
    assert_eq!(request.path(), "/v1/messages");
    assert_eq!(request.query(), Some("beta=true&x"));
    stub.verify();
}

#[test]
fn a_whole_url_is_recorded_as_its_path_and_query() {
    for (target, recorded) in [
        ("http://api.test/v1/messages?a=/b", "/v1/messages?a=/b"),
        ("HTTPS://api.test/v1/messages", "/v1/messages"),
        ("http://api.test", "/"),
        ("http://api.test?a=http://b", "/?a=http://b"),
        ("/v1/http://b", "/v1/http://b"),
        ("http:/v1/messages", "http:/v1/messages"),
        ("*", "*"),
    ] {
        let stub = hi();
        let request = ascii_replace(&streaming(), "/v1/messages", target);
        Raw::asking(&stub, request).response();
        assert_eq!(stub.journal()[0].target(), recorded, "{target}");
    }
}

fn ascii_replace(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let text = std::str::from_utf8(bytes).unwrap();
    assert!(text.contains(from), "{text}");
    text.replace(from, to).into_bytes()
}

// --- connections -----------------------------------------------------------------------------------

#[test]
fn requests_share_a_connection_one_after_the_other_or_ahead_of_their_answers() {
    let stub = hi();
    let mut client = Raw::connect(&stub);
    client.send(streaming());
    let stream = client.response();
    client.send(not_streaming());
    let whole = client.response();

    let get = b"GET / HTTP/1.1\r\n\r\n".to_vec();
    client.send([streaming(), get, not_streaming()].concat());
    assert_eq!(
        client.response().header("content-type"),
        stream.header("content-type")
    );
    assert_eq!(client.response().status(), "HTTP/1.1 404 Not Found");
    assert_eq!(
        client.response().header("content-type"),
        whole.header("content-type")
    );
    client.assert_nothing_more();

    assert_eq!(stub.requests().len(), 4);
    assert!(
        stub.journal()
            .iter()
            .all(|request| request.connection() == 0)
    );
    assert_eq!(Raw::asking(&stub, streaming()).response().status(), OK);
    assert_eq!(stub.requests()[4].connection(), 1);
}

#[test]
fn a_connection_is_closed_behind_the_answer_when_the_client_asks_for_it() {
    for value in ["close", "Close", "foo, close"] {
        let stub = hi();
        let request = call(&[&format!("connection: {value}")], streaming_body());
        // the second one is not answered
        let mut client = Raw::asking(&stub, [request, streaming()].concat());
        let response = client.response();
        assert_eq!(response.header("connection"), Some("close"), "{value}");
        assert_eq!(client.rest(), (Vec::new(), Ended::Fin), "{value}");
        assert_eq!(stub.single_request().outcome(), Outcome::Complete);
        stub.settled_blocking();
    }
}

#[test]
fn an_answer_that_closes_is_settled_while_its_client_keeps_the_connection() {
    let stub = hi();
    let mut client = Raw::asking(&stub, call(&["connection: close"], streaming_body()));
    client.response();
    stub.settled_blocking();
    drop(client);
    stub.drained_blocking();
}

#[test]
fn a_huge_backlog_of_requests_waits_at_a_gate_and_is_answered_in_order() {
    const REQUESTS: usize = 6_000;
    let gate = Gate::new();
    let stub = WireStub::builder()
        .turn(Turn::new().text("first").gate(After::head(), &gate))
        .answer(|request, _| (request.query() != Some("n=0")).then(|| "".into()))
        .without_verify_on_drop()
        .start();
    let mut client = Raw::connect(&stub);
    let mut sender = client.sender();
    let body = r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}"#;
    let numbered = move |n: usize| {
        let target = format!("/v1/messages?n={n} ");
        ascii_replace(&call(&[], body), "/v1/messages ", &target)
    };
    let backlog: Vec<u8> = (0..REQUESTS).flat_map(numbered).collect();
    assert!(backlog.len() > 1024 * 1024, "{}", backlog.len());
    let sending = std::thread::spawn(move || sender.write_all(&backlog).unwrap());
    gate.reached_blocking();
    assert_eq!(stub.requests().len(), 1);
    gate.open();
    for _ in 0..REQUESTS {
        assert_eq!(client.response().status(), OK);
    }
    sending.join().unwrap();
    client.assert_nothing_more();
    for (n, request) in stub.requests().iter().enumerate() {
        assert_eq!(request.query().unwrap(), format!("n={n}"));
    }
}

// --- requests in any shape -------------------------------------------------------------------------

/// Requests whose body is `streaming_body()`, with the interim response they get.
fn shapes() -> Vec<(&'static str, Vec<u8>)> {
    let body = streaming_body();
    let (start, end) = body.split_at(40);
    let framed = |headers: &[&str], body: String| {
        let headers = [headers, &["transfer-encoding: chunked"]].concat();
        [call_head(&headers), body.into_bytes()].concat()
    };
    let size = body.len();
    let (start_size, end_size) = (start.len(), end.len());
    vec![
        ("a length", streaming()),
        ("the same length twice", {
            call(&[&format!("content-length: {size}")], &body)
        }),
        (
            "one chunk",
            framed(&[], format!("{size:x}\r\n{body}\r\n0\r\n\r\n")),
        ),
        (
            "two chunks, in upper case and with leading zeros",
            framed(
                &[],
                format!("{start_size:X}\r\n{start}\r\n000{end_size:X}\r\n{end}\r\n000\r\n\r\n"),
            ),
        ),
        (
            "chunk extensions",
            framed(
                &[],
                format!(
                    "{start_size:x};a=b;c=\"d;e\"\r\n{start}\r\n{end_size:x} ;f\r\n{end}\r\n0;g\r\n\r\n"
                ),
            ),
        ),
        (
            "trailers",
            framed(
                &["trailer: x-sum"],
                format!("{size:x}\r\n{body}\r\n0\r\nx-sum: 1\r\nother: 2\r\n\r\n"),
            ),
        ),
        (
            "empty lines before it",
            [b"\r\n\n\r\n".to_vec(), streaming()].concat(),
        ),
        (
            "the whole URL, as to a proxy",
            ascii_replace(&streaming(), " /v1", " http://api.test:80/v1"),
        ),
        (
            "bare line feeds in its head",
            ascii_replace(&streaming(), "\r\n", "\n"),
        ),
        (
            "a header that is not UTF-8",
            [
                b"POST /v1/messages HTTP/1.1\r\nx-name: caf\xe9\r\n".to_vec(),
                streaming()["POST /v1/messages HTTP/1.1\r\n".len()..].to_vec(),
            ]
            .concat(),
        ),
    ]
}

#[track_caller]
fn assert_asked(stub: &WireStub, what: &str) {
    let requests = stub.requests();
    let request = requests.last().unwrap();
    let body = std::str::from_utf8(request.body()).unwrap();
    assert_eq!(body, streaming_body(), "{what}");
    assert!(request.is_stream(), "{what}");
}

#[test]
fn a_request_is_read_in_every_shape_whole_and_byte_by_byte() {
    let stub = hi();
    let mut client = Raw::connect(&stub);
    for (what, request) in shapes() {
        client.send(&request);
        assert_eq!(client.response().status(), OK, "{what}");
        assert_asked(&stub, what);
        for byte in request {
            client.send([byte]);
        }
        assert_eq!(client.response().status(), OK, "{what}, byte by byte");
        assert_asked(&stub, what);
    }
    client.assert_nothing_more();
    stub.verify();
}

#[test]
fn a_request_is_read_in_every_shape_however_it_is_split_in_two() {
    let stub = hi();
    let mut client = Raw::connect(&stub);
    for (what, request) in shapes() {
        for at in 1..request.len() {
            let (start, end) = request.split_at(at);
            client.send(start);
            std::thread::yield_now();
            client.send(end);
            assert_eq!(client.response().status(), OK, "{what}, split at {at}");
        }
        assert_asked(&stub, what);
    }
    stub.verify();
}

#[test]
fn a_header_value_that_is_no_text_is_kept_as_it_came() {
    let stub = hi();
    let (_, request) = shapes().pop().unwrap();
    Raw::asking(&stub, request).response();
    let request = stub.single_request();
    assert_eq!(request.headers()["x-name"].as_bytes(), b"caf\xe9");
    assert_eq!(request.header("x-name"), None);
}

const GO_ON: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

#[test]
fn a_client_that_asks_first_is_told_to_go_on() {
    let body = streaming_body();
    let length = format!("content-length: {}", body.len());
    let chunks = chunked([Bytes::from(body.clone())]);
    for (framing, body) in [
        (length.as_str(), body.clone().into_bytes()),
        ("transfer-encoding: chunked", [&chunks, LAST_CHUNK].concat()),
    ] {
        let stub = hi();
        let mut client = Raw::asking(&stub, call_head(&["expect: 100-continue", framing]));
        assert_eq!(client.read_exactly(GO_ON.len()), GO_ON, "{framing}");
        client.assert_nothing_more();
        client.send(body);
        assert_eq!(client.response().status(), OK, "{framing}");
        assert_asked(&stub, framing);
    }
}

#[test]
fn a_client_that_asks_first_is_not_told_to_go_on_where_there_is_no_need() {
    let stub = hi();
    let expects = call(&["expect: 100-continue"], streaming_body());
    // in one write with its body, or without one
    let nothing = b"GET / HTTP/1.1\r\nexpect: 100-continue\r\n\r\n".to_vec();
    for (request, status) in [(expects, OK), (nothing, "HTTP/1.1 404 Not Found")] {
        assert_eq!(Raw::asking(&stub, request).response().status(), status);
    }
    let stub = WireStub::builder()
        .body_limit(9)
        .without_verify_on_drop()
        .start();
    let head = call_head(&["expect: 100-continue", "content-length: 10"]);
    let mut client = Raw::asking(&stub, head);
    assert!(client.response().status().starts_with("HTTP/1.1 413 "));
}

// --- what is too long ------------------------------------------------------------------------------

#[test]
fn a_body_may_be_as_long_as_the_limit() {
    let body = streaming_body();
    let stub = WireStub::builder()
        .turn("hi")
        .repeat_last()
        .body_limit(body.len())
        .start();
    let mut client = Raw::connect(&stub);
    for (what, request) in shapes() {
        client.send(request);
        assert_eq!(client.response().status(), OK, "{what}");
    }
}

#[test]
fn a_body_over_the_limit_is_refused_by_the_provider_while_the_client_still_sends() {
    const SENT: usize = 24 * 1024 * 1024;
    let length = format!("content-length: {SENT}");
    let one_chunk = format!("{SENT:x}\r\n");
    let no_size = "content-length: 99999999999999999999999999";
    for (what, framing, start) in [
        ("length", length.as_str(), ""),
        ("chunked", "transfer-encoding: chunked", one_chunk.as_str()),
        ("many chunks", "transfer-encoding: chunked", "3e8\r\n"),
        ("a length that is no size", no_size, ""),
        (
            "a chunk length that is no size",
            "transfer-encoding: chunked",
            "fffffffffffffffffffff\r\n",
        ),
    ] {
        let stub = WireStub::builder()
            .body_limit(1_000)
            .plain()
            .without_verify_on_drop()
            .start();
        let mut client = Raw::asking(&stub, call_head(&[framing]));
        client.send(start);
        let mut sender = client.sender();
        let sending = std::thread::spawn(move || {
            let chunk = [&[b'x'; 1_000][..], b"\r\n3e8\r\n"].concat();
            let chunks = chunk.repeat(SENT / chunk.len() + 1);
            sender.write_all(&chunks[..SENT])
        });
        let response = client.response();
        assert!(
            response.status().starts_with("HTTP/1.1 413 "),
            "{what}: {}",
            response.head
        );
        assert_eq!(response.header("x-llm-wire-stub"), Some("body-limit"));
        assert_eq!(response.header("connection"), Some("close"));
        let envelope = r#"{"type":"error","error":{"type":"request_too_large","message":"the request's body is longer than 1000 bytes"},"request_id":"#;
        assert!(response.text().starts_with(envelope), "{}", response.text());
        sending.join().unwrap().unwrap();
        assert_eq!(client.rest(), (Vec::new(), Ended::Fin), "{what}");

        let request = stub.single_request();
        assert_eq!(
            (request.outcome(), request.body().len()),
            (Outcome::Refused, 0)
        );
        let report = stub.try_verify().unwrap_err().to_string();
        assert!(
            report.contains("the request's body is longer than 1000 bytes"),
            "{report}"
        );
    }
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_where_reqwest_can_read_it() {
    let stub = WireStub::builder()
        .body_limit(1_000)
        .without_verify_on_drop()
        .start();
    let request = reqwest::Client::new()
        .post(stub.anthropic_url() + "/v1/messages")
        .header("x-api-key", "sk-ant-test")
        .body(vec![b'x'; 8 * 1024 * 1024]);
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 413);
    let body = response.text().await.unwrap();
    assert!(body.contains("request_too_large"), "{body}");
}

#[test]
fn a_head_may_be_long_and_have_many_headers() {
    let stub = hi();
    let mut client = Raw::connect(&stub);
    let long = format!("x-long: {}", "x".repeat(60_000));
    // beside host, key, version and length
    let many = vec!["x-many: 1"; 124];
    for request in [
        call(&[&long], streaming_body()),
        call(&many, streaming_body()),
    ] {
        client.send(request);
        assert_eq!(client.response().status(), OK);
    }
    assert_eq!(
        stub.requests()[1]
            .headers()
            .get_all("x-many")
            .iter()
            .count(),
        124
    );
}

// --- what is no request ----------------------------------------------------------------------------

/// Sends it, closes the sending side or not, and checks answer, journal and verdict.
#[track_caller]
fn check_malformed(what: &str, bytes: &[u8], sends_on: SendsOn, status: &str, why: &str) {
    let stub = hi();
    let mut client = Raw::asking(&stub, bytes);
    if sends_on == SendsOn::No {
        client.finish_sending();
    }
    let response = client.response();
    assert_eq!(response.status(), format!("HTTP/1.1 {status}"), "{what}");
    assert_eq!(
        response.header("x-llm-wire-stub"),
        Some("malformed"),
        "{what}"
    );
    assert_eq!(response.header("connection"), Some("close"), "{what}");
    let said: serde_json::Value = serde_json::from_slice(&response.body).unwrap();
    let said = said.pointer("/error/message").unwrap();
    let said = said.as_str().unwrap();
    assert!(
        said.starts_with(why),
        "{what}\n  expected: {why}\n  found: {said}"
    );
    if sends_on == SendsOn::Yes {
        client.finish_sending();
    }
    assert_eq!(client.rest(), (Vec::new(), Ended::Fin), "{what}");

    let journal = stub.journal();
    assert_eq!(journal.len(), 1, "{what}");
    assert_eq!(journal[0].outcome(), Outcome::Refused, "{what}");
    assert_eq!(stub.requests().len(), 0, "{what}");
    let report = stub.try_verify().unwrap_err().to_string();
    let first_line = why.lines().next().unwrap();
    assert!(report.contains(first_line), "{what}: {report}");
}

/// Whether the client keeps its sending side open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SendsOn {
    Yes,
    No,
}

#[test]
fn a_malformed_head_is_answered_and_fails_the_test() {
    let with = |header: &str| call_head(&[header]);
    for (what, bytes) in [
        ("no HTTP at all", b"hello\r\n\r\n".to_vec()),
        (
            "TLS",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        ),
        ("HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec()),
        ("another version", b"GET / HTTP/1.2\r\n\r\n".to_vec()),
        ("no version", b"GET /\r\n\r\n".to_vec()),
        ("no colon", with("header")),
        ("no name", with(": value")),
        ("a space in a name", with("na me: value")),
        ("a space behind a name", with("name : value")),
        ("a folded header", with("name: a\r\n b")),
        ("a zero in a value", with("name: a\0b")),
        ("a carriage return in a value", with("name: a\rb")),
    ] {
        let why = "the request's head is malformed: ";
        check_malformed(what, &bytes, SendsOn::Yes, "400 Bad Request", why);
    }
}

#[test]
fn a_head_that_is_too_long_is_answered_and_fails_the_test() {
    let long = format!("x-long: {}", "x".repeat(64 * 1024));
    let why = "the request's head is longer than 65536 bytes";
    let unfinished = &call_head(&[&long])[..65_536];
    let whole = call(&[&long], streaming_body());
    for bytes in [unfinished, &whole] {
        let status = "431 Request Header Fields Too Large";
        check_malformed("a long head", bytes, SendsOn::Yes, status, why);
    }
    let many = call(&["x-many: 1"; 125], streaming_body());
    let why = "the request has more than 128 headers";
    let status = "431 Request Header Fields Too Large";
    check_malformed("many headers", &many, SendsOn::Yes, status, why);
}

#[test]
fn a_body_that_cannot_be_framed_is_answered_and_fails_the_test() {
    let (bad, unknown) = ("400 Bad Request", "501 Not Implemented");
    for (what, headers, status, why) in [
        (
            "two lengths",
            &["content-length: 1", "content-length: 2"][..],
            bad,
            "the request has several lengths\n  found: `1`, `2`",
        ),
        (
            "a list of lengths",
            &["content-length: 1, 1"][..],
            bad,
            "the request's length is no number\n  found: `1, 1`",
        ),
        (
            "a signed length",
            &["content-length: +1"][..],
            bad,
            "the request's length is no number\n  found: `+1`",
        ),
        (
            "an empty length",
            &["content-length: "][..],
            bad,
            "the request's length is no number\n  found: ``",
        ),
        (
            "length and chunks",
            &["content-length: 5", "transfer-encoding: chunked"][..],
            bad,
            "the request has both a length and a transfer encoding",
        ),
        (
            "an unknown encoding",
            &["transfer-encoding: gzip"][..],
            unknown,
            "this transfer encoding is not known\n  expected: `chunked`\n  found: `gzip`",
        ),
        (
            "two encodings",
            &["transfer-encoding: gzip", "transfer-encoding: chunked"][..],
            unknown,
            "this transfer encoding is not known\n  expected: `chunked`\n  found: `gzip`, `chunked`",
        ),
    ] {
        let bytes = call_head(headers);
        check_malformed(what, &bytes, SendsOn::Yes, status, why);
    }
}

#[test]
fn a_chunk_that_is_malformed_is_answered_and_fails_the_test() {
    let endless = "0".repeat(5_000);
    let endless_trailer = format!("0\r\n{endless}");
    for (what, body, why) in [
        (
            "a chunk length that is no number",
            "five\r\nxxxxx\r\n0\r\n\r\n",
            "the length of a chunk of the request's body is no number\n  found: `five`",
        ),
        (
            "a signed chunk length",
            "-1\r\n",
            "the length of a chunk of the request's body is no number\n  found: `-1`",
        ),
        (
            "an empty chunk length",
            "\r\n",
            "the length of a chunk of the request's body is no number\n  found: ``",
        ),
        (
            "an extension without a chunk length",
            ";a\r\n",
            "the length of a chunk of the request's body is no number\n  found: `;a`",
        ),
        (
            "a chunk longer than it says",
            "2\r\nxxxx\r\n0\r\n\r\n",
            "a chunk of the request's body lacks its line end",
        ),
        (
            "a chunk length with a bare line feed",
            "5\nxxxxx\n0\n\n",
            "a line of the chunked request body ends in a bare line feed\n  found: `5\\n`",
        ),
        (
            "a trailer with a bare line feed",
            "0\r\na: b\n\n",
            "a line of the chunked request body ends in a bare line feed\n  found: `a: b\\n`",
        ),
        (
            "an endless chunk line",
            &endless,
            "a line of the chunked request body is too long",
        ),
        (
            "an endless trailer",
            &endless_trailer,
            "a line of the chunked request body is too long",
        ),
    ] {
        let head = call_head(&["transfer-encoding: chunked"]);
        let bytes = [head, body.as_bytes().to_vec()].concat();
        check_malformed(what, &bytes, SendsOn::Yes, "400 Bad Request", why);
    }
}

#[test]
fn a_request_that_breaks_off_is_answered_and_fails_the_test() {
    for (what, request) in shapes() {
        let start = request.windows(4).position(|word| word == b"POST");
        for (end, part) in [(start.unwrap() + 4, "head"), (request.len() - 1, "body")] {
            let what = format!("{what}, {end} bytes of it");
            let why = format!("the connection ended inside the request's {part}");
            check_malformed(&what, &request[..end], SendsOn::No, "400 Bad Request", &why);
        }
    }
}

#[test]
fn a_connection_that_ends_between_requests_is_no_matter() {
    for (sent, requests) in [(vec![], 0), (b"\r\n\r\n".to_vec(), 0), (streaming(), 1)] {
        let stub = hi();
        let mut client = Raw::asking(&stub, sent);
        client.finish_sending();
        let (_, ended) = client.rest();
        assert_eq!(ended, Ended::Fin);
        let journal = stub.journal();
        assert_eq!(journal.len(), requests);
        assert!(journal.iter().all(|r| r.outcome() == Outcome::Complete));
    }
}

#[test]
fn a_client_of_http_1_0_is_told_so_without_chunks() {
    let stub = hi();
    let request = ascii_replace(&streaming(), "HTTP/1.1", "HTTP/1.0");
    let mut client = Raw::asking(&stub, request);
    client.finish_sending();
    let (response, ended) = client.rest();
    assert_eq!(
        ascii(&response)
            .replace("\\r\\n", "\r\n")
            .replace("\\\"", "\""),
        "HTTP/1.1 505 HTTP Version Not Supported\r\ncontent-type: application/json\r\n\
         x-should-retry: false\r\nx-llm-wire-stub: malformed\r\nConnection: close\r\n\r\n\
         {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"only HTTP/1.1 \
         is served; an HTTP/1.0 client cannot read chunks\"}}"
    );
    assert_eq!(ended, Ended::Fin);
    let report = stub.try_verify().unwrap_err().to_string();
    assert!(report.contains("only HTTP/1.1 is served"), "{report}");
}

#[test]
fn a_request_with_any_byte_of_its_head_damaged_is_answered_and_the_connection_ends() {
    let stub = hi();
    let request = streaming();
    let head = request.len() - streaming_body().len();
    for at in 0..head {
        for damage in [0, b'\n', b' ', b':', b'9', 0xff] {
            let mut damaged = request.clone();
            damaged[at] = damage;
            let mut client = Raw::asking(&stub, &damaged);
            client.finish_sending();
            let (answer, ended) = client.rest();
            assert_eq!(ended, Ended::Fin, "{}", ascii(&damaged));
            assert!(answer.starts_with(b"HTTP/1.1 "), "{}", ascii(&damaged));
        }
    }
    assert_eq!(Raw::asking(&stub, request).response().status(), OK);
}
