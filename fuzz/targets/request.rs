//! The reader of requests: any bytes on a connection are answered, or the connection is closed, and the stub goes on.
#![no_main]

#[path = "../../tests/support/raw.rs"]
mod raw;

use fuzz::{answers, mutate, pieces};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use llm_wire_stub::{Api, Outcome, StubHandle, Turn, WireStub, bytes::Bytes, sse_body};
use raw::{Ended, MODEL, Raw, call_head, chunked, streaming};

fuzz_target!(|sent: &[u8]| {
    let stub = WireStub::builder()
        .turn(turn())
        .repeat_last()
        .body_limit(8 * 1024)
        .without_verify_on_drop()
        .start();
    anything(&stub, sent);
    as_a_body(&stub, sent);
    // whatever came before, a proper call is answered
    let before = stub.requests().len();
    let response = Raw::asking(&stub, streaming()).response();
    assert_eq!(response.status(), "HTTP/1.1 200 OK");
    assert_eq!(response.body, sse_body(Api::AnthropicMessages, &turn()));
    assert_eq!(stub.requests().len(), before + 1);
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate::lines(data, size, max_size, seed)
});

fn turn() -> Turn {
    Turn::new().text("hi").model(MODEL).seed(0)
}

/// Sends the bytes in the pieces that they draw, and nothing more: as many answers come as the journal has requests,
/// each as long as it says, and then the end.
fn anything(stub: &StubHandle, sent: &[u8]) {
    let mut client = Raw::connect(stub);
    for piece in pieces::drawn(sent).take(16) {
        client.send(piece);
    }
    let said: usize = pieces::drawn(sent).take(16).map(<[u8]>::len).sum();
    client.send(&sent[said..]);
    client.finish_sending();
    let (read, ended) = client.rest();
    assert_eq!(ended, Ended::Fin, "after {} bytes", read.len());
    stub.settled_blocking();
    let journal = stub.journal();
    let answered = journal.iter().map(|request| request.method() == "HEAD");
    let lengths = answers::lengths(&read, answered);
    let written: Vec<u64> = journal
        .iter()
        .map(|request| request.bytes_written())
        .collect();
    assert_eq!(lengths, written, "answers as long as the journal says");
    for request in &journal {
        let is_done = matches!(request.outcome(), Outcome::Complete | Outcome::Refused);
        assert!(is_done, "{request}: {:?}", request.outcome());
    }
}

/// Sends the bytes as the chunked body of a call, in the pieces that they draw: the journal has them as they are.
fn as_a_body(stub: &StubHandle, sent: &[u8]) {
    let pieces = pieces::drawn(sent).filter(|piece| !piece.is_empty());
    let body = chunked(pieces.map(Bytes::copy_from_slice));
    let head = call_head(&["Transfer-Encoding: chunked"]);
    let before = stub.requests().len();
    let mut client = Raw::asking(stub, [&head[..], &body, b"0\r\n\r\n"].concat());
    let head = client.head();
    stub.settled_blocking();
    let requests = stub.requests();
    let [request] = &requests[before..] else {
        panic!("{} requests for one", requests.len() - before);
    };
    if sent.len() > 8 * 1024 {
        assert!(head.starts_with("HTTP/1.1 413 "), "{head}");
    } else {
        assert_eq!(request.body(), sent, "the body as it was sent");
    }
}
