//! Hostile input on the port: whatever comes is answered or ended, and a good request beside it and behind it is served.
#![cfg(feature = "server")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may panic"
)]
#![expect(
    clippy::disallowed_types,
    reason = "connections that say nothing, and those that say nonsense"
)]

#[path = "support/raw.rs"]
mod raw;

use std::{io::Write, net::TcpStream, time::Duration};

use llm_wire_stub::*;
use raw::{Raw, call_head, not_streaming, streaming};

const OK: &str = "HTTP/1.1 200 OK";

fn stub() -> WireStub {
    WireStub::builder()
        .turn("hi")
        .repeat_last()
        .control_api()
        .without_verify_on_drop()
        .start()
}

/// A good request on a connection of its own, and on the control API.
#[track_caller]
fn assert_serves(stub: &StubHandle) {
    let mut client = Raw::asking(stub, streaming());
    assert_eq!(client.response().status(), OK);
    client.send("GET /__stub__/journal HTTP/1.1\r\n\r\n");
    assert_eq!(client.head().lines().next(), Some(OK));
}

/// Numbers that look random and are the same each time (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end).unwrap()).unwrap()
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next().to_le_bytes()[0]).collect()
    }
}

/// What comes back to these bytes, after which nothing more is sent.
fn told(stub: &StubHandle, bytes: &[u8]) -> Vec<u8> {
    let mut client = Raw::connect(stub);
    // the stub may have answered and closed before it is all sent
    let _ = client.sender().write_all(bytes);
    client.finish_sending();
    client.rest().0
}

#[test]
fn random_bytes_are_answered_400_each() {
    let stub = stub();
    let mut random = Random(1);
    for n in 0..500 {
        let length = 1 + random.below(if n % 50 == 0 { 200_000 } else { 200 });
        let mut bytes = random.bytes(length);
        // nothing but line ends is nothing at all
        bytes[0] |= 0x80;
        let told = told(&stub, &bytes);
        let status = told
            .get(..13)
            .unwrap_or_default()
            .escape_ascii()
            .to_string();
        assert_eq!(status, "HTTP/1.1 400 ", "of {}", bytes.escape_ascii());
    }
    assert_serves(&stub);
    let report = stub.try_verify().unwrap_err().to_string();
    assert!(report.contains(": 500 problems\n"), "{report}");
    assert!(
        report.contains("a malformed request: 400: malformed, Refused"),
        "{report}"
    );
}

#[test]
fn a_request_with_damaged_bytes_is_answered_in_http_whatever_it_says() {
    let stub = stub();
    let mut random = Random(2);
    let chunked = [
        &call_head(&["transfer-encoding: chunked"])[..],
        b"1\r\n{\r\n1\r\n}\r\n0\r\n\r\n",
    ]
    .concat();
    for n in 0..1_000 {
        let mut bytes = [not_streaming(), chunked.clone()][n % 2].clone();
        for _ in 0..=random.below(4) {
            if bytes.len() < 2 {
                break;
            }
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[at] = random.bytes(1)[0],
                1 => drop(bytes.remove(at)),
                _ => bytes.truncate(at.max(1)),
            }
        }
        // the last of them may end anywhere, as its client leaves when it has said all
        let told = told(&stub, &bytes);
        assert!(
            told.starts_with(b"HTTP/1.1 ") || told.is_empty(),
            "{} to {}",
            told.escape_ascii(),
            bytes.escape_ascii()
        );
    }
    assert_serves(&stub);
    stub.settled_blocking();
}

#[test]
fn heads_that_come_byte_by_byte_hold_nobody_up() {
    const SLOW: usize = 100;
    let stub = stub();
    let request = not_streaming();
    let mut slow: Vec<Raw> = (0..SLOW).map(|_| Raw::connect(&stub)).collect();
    for (n, byte) in request.iter().enumerate() {
        for client in &mut slow {
            client.send([*byte]);
        }
        if n % 50 == 0 {
            assert_serves(&stub);
        }
    }
    for client in &mut slow {
        assert_eq!(client.response().status(), OK);
    }
    stub.verify();
}

#[test]
fn bodies_that_are_announced_and_never_sent_hold_nobody_up() {
    const SILENT: usize = 100;
    let stub = stub();
    let head = call_head(&["content-length: 33554432"]);
    let silent: Vec<Raw> = (0..SILENT).map(|_| Raw::asking(&stub, &head)).collect();
    assert_serves(&stub);
    drop(silent);
    stub.drained_blocking();
    assert_serves(&stub);
}

#[test]
fn a_body_over_the_limit_is_told_in_the_words_of_its_provider() {
    let stub = WireStub::builder()
        .plain()
        .body_limit(1_000)
        .without_verify_on_drop()
        .start();
    let anthropic = r#"{"type":"error","error":{"type":"request_too_large","message":"the request's body is longer than 1000 bytes"},"request_id":"req_"#;
    let openai = r#"{"error":{"message":"the request's body is longer than 1000 bytes","type":"invalid_request_error","#;
    for (path, expected) in [
        ("/v1/messages", anthropic),
        ("/v1/messages/count_tokens", anthropic),
        ("/v1/chat/completions", openai),
        ("/v1/responses", openai),
        ("/v1/completions", openai),
        ("/v1/embeddings", openai),
    ] {
        for framing in ["content-length: 4294967296", "transfer-encoding: chunked"] {
            let head = format!("POST {path} HTTP/1.1\r\n{framing}\r\n\r\nffffffff\r\n");
            let response = Raw::asking(&stub, head).response();
            assert!(
                response.status().starts_with("HTTP/1.1 413 "),
                "{}",
                response.head
            );
            let found = response
                .text()
                .replace("\n", "")
                .replace("  ", "")
                .replace("\": ", "\":");
            assert!(found.starts_with(expected), "{path}: {found}");
            assert_eq!(response.header("x-llm-wire-stub"), Some("body-limit"));
        }
    }
}

#[test]
fn ten_thousand_connections_that_are_opened_and_dropped_leave_nothing() {
    const BATCHES: usize = 100;
    let stub = stub();
    let address = stub.url().replace("http://", "");
    for batch in 0..BATCHES {
        // so many at once, since each is two descriptors of this process
        let connections: Vec<TcpStream> = (0..100)
            .map(|_| TcpStream::connect(&address).unwrap())
            .collect();
        for (n, connection) in connections.iter().enumerate() {
            if n % 3 == 0 {
                // closed by a reset instead
                let socket = socket2::SockRef::from(connection);
                socket.set_linger(Some(Duration::ZERO)).unwrap();
            }
        }
        drop(connections);
        if batch % 25 == 0 {
            assert_serves(&stub);
        }
    }
    assert_serves(&stub);
    stub.drained_blocking();
    assert_eq!(stub.journal().len(), 5);
    stub.verify();
}

#[test]
fn connections_that_are_dropped_inside_a_request_are_told_of() {
    let stub = stub();
    for _ in 0..100 {
        drop(Raw::asking(&stub, "POST /v1/messages HTTP/1.1\r\nhost"));
    }
    assert_serves(&stub);
    stub.drained_blocking();
    let report = stub.try_verify().unwrap_err().to_string();
    assert!(report.contains(": 100 problems\n"), "{report}");
    assert!(
        report.ends_with("- a malformed request: the connection ended inside the request's head"),
        "{report}"
    );
}
