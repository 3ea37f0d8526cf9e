//! What is for no model API goes to another server, and its answer comes back as it is.
#![cfg(feature = "wiremock")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]
#![expect(
    clippy::disallowed_types,
    reason = "a server that says exactly these bytes, and ends exactly so"
)]

#[path = "support/post.rs"]
mod post;
#[path = "support/raw.rs"]
mod raw;

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::mpsc,
    thread::JoinHandle,
};

use llm_wire_stub::*;
use post::call;
use raw::{Ended, Raw, ascii, not_streaming};
use socket2::{Domain, SockRef, Socket, Type};
use wiremock::{
    Mock, MockServer, ResponseTemplate,
    matchers::{any, method, path},
};

#[track_caller]
fn builder(fallback: impl Into<Fallback>) -> WireStubBuilder {
    WireStub::builder()
        .fallback(fallback)
        .without_verify_on_drop()
}

/// A server for one connection, and what it comes to.
fn server<T: Send + 'static>(
    serve: impl FnOnce(TcpStream) -> T + Send + 'static,
) -> (SocketAddr, JoinHandle<T>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let serving = std::thread::spawn(move || serve(listener.accept().unwrap().0));
    (address, serving)
}

/// An address at which nobody listens as long as the socket is there.
fn nobody() -> (Socket, SocketAddr) {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    socket.bind(&any.into()).unwrap();
    let address = socket.local_addr().unwrap().as_socket().unwrap();
    (socket, address)
}

/// Reads a request up to the end of its head, and so many bytes more.
fn read_request(stream: &mut TcpStream, body: usize) -> String {
    let (mut request, mut byte) = (Vec::new(), [0]);
    while !request.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        request.push(byte[0]);
    }
    let mut rest = vec![0; body];
    stream.read_exact(&mut rest).unwrap();
    request.extend_from_slice(&rest);
    String::from_utf8(request).unwrap()
}

const OK: &str = "HTTP/1.1 200 OK\r\nconnection: close\r\n";

// --- what arrives there ----------------------------------------------------------------------------

/// The request that a server behind the stub gets.
fn relayed(request: &str, body: usize) -> String {
    let (address, serving) = server(move |mut stream| {
        let request = read_request(&mut stream, body);
        write!(stream, "{OK}content-length: 0\r\n\r\n").unwrap();
        request
    });
    let stub = builder(address).start();
    let mut client = Raw::asking(&stub, request);
    if request.contains("100-continue") {
        client.read_until(b"HTTP/1.1 100 Continue\r\n\r\n");
        client.send("abc");
    }
    let expected = format!("{OK}content-length: 0\r\n\r\n");
    let answer = client.rest();
    assert_eq!(
        (ascii(&answer.0), answer.1),
        (ascii(expected.as_bytes()), Ended::Fin)
    );
    stub.settled_blocking();
    stub.verify();
    serving.join().unwrap()
}

#[test]
fn the_request_arrives_as_it_is_on_a_connection_of_its_own() {
    for (request, body, expected) in [
        (
            "GET /v1/logs?a=1&b=%20 HTTP/1.1\r\nHost: stub\r\nX-Chat-Id: c-42\r\n\r\n",
            0,
            "GET /v1/logs?a=1&b=%20 HTTP/1.1\r\nhost: stub\r\nx-chat-id: c-42\r\nconnection: close\r\n\r\n",
        ),
        (
            "POST / HTTP/1.1\r\ncontent-length: 3\r\nConnection: keep-alive\r\n\r\nabc",
            3,
            "POST / HTTP/1.1\r\ncontent-length: 3\r\nconnection: close\r\n\r\nabc",
        ),
        (
            "POST / HTTP/1.1\r\ncontent-length: 0\r\n\r\n",
            0,
            "POST / HTTP/1.1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
        ),
        (
            "PUT /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTrailer: t\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\nt: 1\r\n\r\n",
            3,
            "PUT /x HTTP/1.1\r\ncontent-length: 3\r\nconnection: close\r\n\r\nabc",
        ),
        (
            "POST / HTTP/1.1\r\ncontent-length: 3\r\nExpect: 100-continue\r\n\r\n",
            3,
            "POST / HTTP/1.1\r\ncontent-length: 3\r\nconnection: close\r\n\r\nabc",
        ),
        (
            "DELETE / HTTP/1.1\r\nx-a: 1\r\nX-A: 2\r\nConnection: x-hop, close\r\nX-Hop: 1\r\nTE: trailers\r\n\r\n",
            0,
            "DELETE / HTTP/1.1\r\nx-a: 1\r\nx-a: 2\r\nconnection: close\r\n\r\n",
        ),
        (
            "OPTIONS /v1/logs HTTP/1.1\r\norigin: o\r\naccess-control-request-method: GET\r\n\r\n",
            0,
            "OPTIONS /v1/logs HTTP/1.1\r\norigin: o\r\naccess-control-request-method: GET\r\nconnection: close\r\n\r\n",
        ),
    ] {
        assert_eq!(relayed(request, body), expected);
    }
}

#[tokio::test]
async fn a_mock_server_sees_what_the_client_sent() {
    let mocks = MockServer::start().await;
    let mock = Mock::given(method("POST")).and(path("/v1/logs"));
    mock.respond_with(ResponseTemplate::new(201).set_body_string("kept"))
        .mount(&mocks)
        .await;
    let stub = builder(&mocks).start();

    let sent = call(&stub).to("/v1/logs?a=1").header("x-chat-id", "c-42");
    let body = sent.body();
    let answered = sent.send().await;
    assert_eq!((answered.status, &*answered.body), (201, &b"kept"[..]));
    let received = mocks.received_requests().await.unwrap();
    assert_eq!(received.len(), 1);
    assert_eq!(received[0].url.as_str(), "http://localhost/v1/logs?a=1");
    assert_eq!(received[0].headers["x-chat-id"], "c-42");
    assert_eq!(received[0].body, body);
    stub.verify();
}

#[tokio::test]
async fn model_calls_and_the_rest_share_one_base_url() {
    let mocks = MockServer::start().await;
    Mock::given(any())
        .respond_with(ResponseTemplate::new(204))
        .mount(&mocks)
        .await;
    let stub = builder(&mocks).turns(["1", "2"]).start();
    let http = reqwest::Client::new();
    let mut found = Vec::new();
    for target in ["/v1/messages", "/a", "/b", "/v1/messages", "/c"] {
        let answered = call(&stub).on(&http).to(target).send().await;
        found.push((answered.status, answered.body.len() > 1));
    }
    let (model, other) = ((200, true), (204, false));
    assert_eq!(found, [model, other, other, model, other]);
    assert_eq!(stub.requests().len(), 2);
    let journal = stub.journal();
    let by: Vec<_> = journal
        .iter()
        .map(|r| (r.answered_by(), r.outcome()))
        .collect();
    let row = |by: &str| (by.to_owned(), Outcome::Complete);
    let fallback = || row("the fallback");
    assert_eq!(
        by,
        [
            row("turn #1"),
            fallback(),
            fallback(),
            row("turn #2"),
            fallback()
        ]
    );
    assert_eq!((journal[1].path(), journal[1].api()), ("/a", None));
    stub.verify();
}

#[tokio::test]
async fn a_hold_and_the_matchers_leave_it_alone() {
    let mocks = MockServer::start().await;
    Mock::given(any())
        .respond_with(ResponseTemplate::new(204))
        .mount(&mocks)
        .await;
    let stub = builder(&mocks)
        .lane(
            "all",
            matchers::by(|request| request.path() == "/v1/messages" || panic!()),
            ["x"],
        )
        .start();
    let hold = stub.hold();
    assert_eq!(call(&stub).to("/a").send().await.status, 204);
    hold.release();
    assert_eq!(call(&stub).send().await.text(), "x");
    stub.verify();
}

#[tokio::test]
async fn a_path_of_a_model_api_never_goes_there() {
    let mocks = MockServer::start().await;
    Mock::given(any())
        .respond_with(ResponseTemplate::new(204))
        .mount(&mocks)
        .await;
    let stub = builder(&mocks).start();
    let http = reqwest::Client::new();
    let url = stub.anthropic_url() + "/v1/messages";
    let wrong_method = http.get(&url).send().await.unwrap();
    assert_eq!(wrong_method.headers()["x-llm-wire-stub"], "not-served");
    let preflight = http
        .request(reqwest::Method::OPTIONS, &url)
        .header("origin", "o");
    let preflight = preflight
        .header("access-control-request-method", "POST")
        .send()
        .await;
    assert_eq!(
        preflight.unwrap().headers()["access-control-max-age"],
        "600"
    );
    let exhausted = call(&stub).send().await;
    assert_eq!(exhausted.gist(), "422 exhausted");
    assert_eq!(mocks.received_requests().await.unwrap().len(), 0);
}

// --- what comes back -------------------------------------------------------------------------------

/// What a client gets of an answer.
fn handed_on(method: &str, answer: Vec<u8>) -> (Vec<u8>, Ended, RecordedRequest, bool) {
    let (address, serving) = server(move |mut stream| {
        read_request(&mut stream, 0);
        stream.write_all(&answer).unwrap();
    });
    let stub = builder(address).start();
    let mut client = Raw::asking(&stub, format!("{method} /x HTTP/1.1\r\nhost: s\r\n\r\n"));
    let (read, ended) = client.rest();
    serving.join().unwrap();
    stub.settled_blocking();
    let request = stub.journal().remove(0);
    (read, ended, request, stub.try_verify().is_ok())
}

#[test]
fn the_answer_comes_back_byte_by_byte_as_it_was_said() {
    for (method, answer) in [
        (
            "GET",
            format!("{OK}Content-Length: 3\r\nX-ODD: \t a  b\r\n\r\nabc"),
        ),
        ("HEAD", format!("{OK}content-length: 3\r\n\r\n")),
        (
            "GET",
            format!("{OK}transfer-encoding: chunked\r\n\r\n2;x=y\r\nab\r\n0\r\nt: 1\r\n\r\n"),
        ),
        ("GET", "HTTP/1.0 404 No\r\n\r\nup to the end".to_owned()),
        (
            "GET",
            "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n".to_owned(),
        ),
        ("GET", "no HTTP at all".to_owned()),
    ] {
        let (read, ended, request, verified) = handed_on(method, answer.clone().into_bytes());
        assert_eq!(
            (ascii(&read), ended),
            (ascii(answer.as_bytes()), Ended::Fin)
        );
        assert_eq!(
            (request.outcome(), verified),
            (Outcome::Complete, true),
            "{answer}"
        );
        assert_eq!(
            request.bytes_written(),
            u64::try_from(answer.len()).unwrap()
        );
    }
}

#[test]
fn a_big_answer_comes_back_whole() {
    let mut answer = format!("{OK}content-length: 8388608\r\n\r\n").into_bytes();
    answer.extend((0..8_388_608_u32).map(|n| n.to_le_bytes()[1]));
    let (read, ended, request, _) = handed_on("GET", answer.clone());
    assert!(read == answer, "{} of {} bytes", read.len(), answer.len());
    assert_eq!((ended, request.outcome()), (Ended::Fin, Outcome::Complete));
}

#[test]
fn an_answer_is_handed_on_while_it_comes() {
    let (go_on, wait) = mpsc::channel();
    let (address, serving) = server(move |mut stream| {
        read_request(&mut stream, 0);
        write!(stream, "{OK}content-length: 6\r\n\r\nabc").unwrap();
        wait.recv().unwrap();
        write!(stream, "def").unwrap();
    });
    let stub = builder(address).start();
    let mut client = Raw::asking(&stub, "GET / HTTP/1.1\r\n\r\n");
    client.read_until(b"\r\n\r\nabc");
    assert_eq!(stub.journal()[0].outcome(), Outcome::Open);
    go_on.send(()).unwrap();
    client.read_until(b"def");
    assert_eq!(stub.journal()[0].outcome(), Outcome::Complete);
    serving.join().unwrap();
}

#[test]
fn a_server_may_answer_before_it_has_read_the_body() {
    let body = 8 * 1024 * 1024;
    let (address, serving) = server(move |mut stream| {
        read_request(&mut stream, 0);
        write!(stream, "{OK}content-length: 3\r\n\r\nno!").unwrap();
        // the rest is read away, so that the close is none that takes the answer back
        stream.read_to_end(&mut Vec::new()).unwrap_or_default()
    });
    let stub = builder(address).start();
    let mut client = Raw::connect(&stub);
    client.send(format!("POST / HTTP/1.1\r\ncontent-length: {body}\r\n\r\n"));
    client.send(vec![b'x'; body]);
    client.read_until(b"\r\n\r\nno!");
    stub.settled_blocking();
    stub.verify();
    serving.join().unwrap();
}

#[test]
fn a_request_that_follows_on_the_same_connection_is_not_answered() {
    let (address, serving) = server(|mut stream| {
        read_request(&mut stream, 0);
        write!(stream, "{OK}content-length: 0\r\n\r\n").unwrap();
    });
    let stub = builder(address).start();
    let mut pipelined = b"GET / HTTP/1.1\r\n\r\n".to_vec();
    pipelined.extend_from_slice(&not_streaming());
    let (read, ended) = Raw::asking(&stub, pipelined).rest();
    let expected = format!("{OK}content-length: 0\r\n\r\n");
    assert_eq!(
        (ascii(&read), ended),
        (ascii(expected.as_bytes()), Ended::Fin)
    );
    assert_eq!(stub.requests().len(), 0);
    serving.join().unwrap();
}

// --- what goes wrong -------------------------------------------------------------------------------

#[tokio::test]
async fn without_a_server_there_is_a_502_and_verify_fails() {
    let (_nobody, address) = nobody();
    let stub = builder(address).turn("x").start();
    let answered = call(&stub).to("/a").send().await;
    assert_eq!((answered.status, answered.why()), (502, "fallback"));
    let request = &stub.journal()[0];
    assert_eq!(request.outcome(), Outcome::Refused);
    assert_eq!(request.answered_by(), "502: no fallback");
    // the connection goes on
    assert_eq!(call(&stub).send().await.text(), "x");
    let report = stub.try_verify().unwrap_err().to_string();
    assert!(
        report.contains(&answered.message().replace('\n', "\n      ")),
        "{report}"
    );
}

#[tokio::test]
async fn a_server_that_closes_without_an_answer_is_a_502_too() {
    let (address, serving) = server(|mut stream| {
        read_request(&mut stream, 0);
    });
    let stub = builder(address).start();
    let answered = reqwest::get(stub.url() + "/a").await.unwrap();
    assert_eq!(answered.status(), 502);
    serving.join().unwrap();
    stub.try_verify().unwrap_err();
}

#[test]
fn an_answer_that_breaks_off_is_a_reset_and_fails_verify() {
    for answer in [
        "HTTP/1.1 200",
        "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n",
    ] {
        let (read, ended, request, verified) = handed_on("GET", answer.into());
        assert_eq!(
            (ascii(&read), ended),
            (ascii(answer.as_bytes()), Ended::Reset)
        );
        assert_eq!((request.outcome(), verified), (Outcome::Failed, false));
        assert_eq!(request.remark().unwrap(), "the fallback broke it off");
    }
    // up to the end of the connection is not up to its reset
    let (go_on, wait) = mpsc::channel();
    let (address, serving) = server(move |mut stream| {
        read_request(&mut stream, 0);
        write!(stream, "HTTP/1.1 200 OK\r\n\r\nup to the").unwrap();
        wait.recv().unwrap();
        let linger = Some(std::time::Duration::ZERO);
        SockRef::from(&stream).set_linger(linger).unwrap();
    });
    let stub = builder(address).start();
    let mut client = Raw::asking(&stub, "GET / HTTP/1.1\r\n\r\n");
    client.read_until(b"up to the");
    go_on.send(()).unwrap();
    assert_eq!(client.rest(), (Vec::new(), Ended::Reset));
    serving.join().unwrap();
    stub.try_verify().unwrap_err();
}

#[test]
fn a_client_that_leaves_is_noticed_before_and_inside_the_answer() {
    for said in ["", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc"] {
        let (came, comes) = mpsc::channel();
        let (address, serving) = server(move |mut stream| {
            read_request(&mut stream, 0);
            write!(stream, "{said}").unwrap();
            came.send(()).unwrap();
            // until the stub lets go
            stream.read(&mut [0; 1]).unwrap_or_default()
        });
        let stub = builder(address).start();
        let mut client = Raw::asking(&stub, "GET / HTTP/1.1\r\n\r\n");
        comes.recv().unwrap();
        client.read_exactly(said.len());
        drop(client);
        assert_eq!(serving.join().unwrap(), 0);
        stub.drained_blocking();
        assert_eq!(stub.journal()[0].outcome(), Outcome::Cancelled);
        stub.verify();
    }
}

#[test]
fn a_stub_that_is_dropped_lets_go_of_both_sides() {
    let (came, comes) = mpsc::channel();
    let (address, serving) = server(move |mut stream| {
        read_request(&mut stream, 0);
        came.send(()).unwrap();
        stream.read(&mut [0; 1]).unwrap_or_default()
    });
    let stub = builder(address).start();
    let mut client = Raw::asking(&stub, "GET / HTTP/1.1\r\n\r\n");
    comes.recv().unwrap();
    drop(stub);
    client.rest();
    assert_eq!(serving.join().unwrap(), 0);
}

#[tokio::test]
async fn a_body_over_the_limit_is_not_relayed() {
    let mocks = MockServer::start().await;
    let stub = builder(&mocks).body_limit(9).start();
    let answered = call(&stub).to("/a").send().await;
    assert_eq!((answered.status, answered.why()), (413, "body-limit"));
    assert_eq!(mocks.received_requests().await.unwrap().len(), 0);
    stub.try_verify().unwrap_err();
}
