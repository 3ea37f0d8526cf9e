//! One stub under every runtime and under none: waits, their panics, and the user's closures.
#![cfg(feature = "server")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

#[path = "support/raw.rs"]
mod raw;

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Mutex, Once, OnceLock, mpsc},
    thread,
    time::Duration,
};

use llm_wire_stub::{
    After, Api, Gate, Outcome, StubHandle, Turn, WireStub, WireStubBuilder, accumulate, matchers,
    serde_json,
};
use raw::{Raw, Response, call, not_streaming, streaming_body};
use smol::io::{AsyncReadExt, AsyncWriteExt};

#[track_caller]
fn always(turn: impl Into<Turn>) -> WireStubBuilder {
    WireStub::builder().turn(turn).repeat_last()
}

fn request(http: &reqwest::Client, stub: &StubHandle) -> reqwest::RequestBuilder {
    http.post(stub.anthropic_url() + "/v1/messages")
        .header("x-api-key", "sk-ant-test")
        .header("anthropic-version", "2023-06-01")
        .body(streaming_body())
}

// --- every runtime ---------------------------------------------------------------------------------

/// One call held at a gate, one that leaves at a stall.
async fn walk_through_every_wait() {
    let gate = Gate::new();
    let stub = WireStub::builder()
        .turn(Turn::new().text("two words").gate(After::deltas(1), &gate))
        .turn(Turn::new().text("two words").stall(After::deltas(1)))
        .start();
    let http = reqwest::Client::new();
    let asking = tokio::spawn(request(&http, &stub).send());
    gate.reached().await;
    assert_eq!(stub.wait_for_requests(1).await.len(), 1);
    gate.open();
    let whole = asking.await.unwrap().unwrap().bytes().await.unwrap();
    assert!(whole.ends_with(b"\n\n"));
    stub.settled().await;

    let asking = tokio::spawn(request(&http, &stub).send());
    assert_eq!(stub.wait_for_stall().await.index(), 1);
    drop(asking.await.unwrap().unwrap());
    assert_eq!(stub.wait_for_cancel().await.index(), 1);
    drop(http);
    stub.drained().await;
    stub.verify();
}

#[tokio::test]
async fn every_wait_works_on_one_thread_of_tokio() {
    walk_through_every_wait().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_wait_works_on_several_threads_of_tokio() {
    walk_through_every_wait().await;
}

#[test]
fn every_wait_works_on_a_plain_thread() {
    let gate = Gate::new();
    let stub = WireStub::builder()
        .turn(Turn::new().text("two words").gate(After::deltas(1), &gate))
        .turn(Turn::new().text("two words").stall(After::deltas(1)))
        .start();
    let http = reqwest::blocking::Client::new();
    let url = stub.anthropic_url() + "/v1/messages";
    let post = http
        .post(url)
        .header("x-api-key", "sk-ant-test")
        .header("anthropic-version", "2023-06-01")
        .body(streaming_body());
    let (first, second) = (post.try_clone().unwrap(), post);
    let asking = thread::spawn(|| first.send().unwrap().bytes().unwrap());
    gate.reached_blocking();
    assert_eq!(stub.wait_for_requests_blocking(1).len(), 1);
    gate.open();
    assert!(asking.join().unwrap().ends_with(b"\n\n"));
    stub.settled_blocking();

    let asking = thread::spawn(|| drop(second.send().unwrap()));
    assert_eq!(stub.wait_for_stall_blocking().index(), 1);
    asking.join().unwrap();
    assert_eq!(stub.wait_for_cancel_blocking().index(), 1);
    drop(http);
    stub.drained_blocking();
    stub.verify();
}

#[test]
fn every_wait_works_under_smol() {
    smol::block_on(async {
        let gate = Gate::new();
        let stub = WireStub::builder()
            .turn(Turn::new().text("two words").gate(After::deltas(1), &gate))
            .turn(Turn::new().text("two words").stall(After::deltas(1)))
            .start();
        let address = stub.url().replace("http://", "");
        let ask = async move |address: String| {
            let mut stream = smol::net::TcpStream::connect(address).await.unwrap();
            let request = call(&["connection: close"], streaming_body());
            stream.write_all(&request).await.unwrap();
            stream
        };
        let asking = smol::spawn({
            let asked = ask(address.clone());
            async {
                let mut answer = Vec::new();
                asked.await.read_to_end(&mut answer).await.unwrap();
                answer
            }
        });
        gate.reached().await;
        assert_eq!(stub.wait_for_requests(1).await.len(), 1);
        gate.open();
        assert!(asking.await.ends_with(raw::LAST_CHUNK));
        stub.settled().await;

        let stream = ask(address).await;
        assert_eq!(stub.wait_for_stall().await.index(), 1);
        drop(stream);
        assert_eq!(stub.wait_for_cancel().await.index(), 1);
        stub.drained().await;
        stub.verify();
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_stubs_at_once_see_their_own_traffic_only() {
    const STUBS: usize = 200;
    let http = reqwest::Client::new();
    let stubs: Vec<WireStub> = (0..STUBS)
        .map(|n| {
            let texts = ["a", "b", "c"].map(|turn| format!("{turn} of {n}"));
            WireStub::builder().turns(texts).start()
        })
        .collect();
    for turn in ["a", "b", "c"] {
        let asking: Vec<_> = stubs
            .iter()
            .map(|stub| tokio::spawn(request(&http, stub).send()))
            .collect();
        for (n, asking) in asking.into_iter().enumerate() {
            let body = asking.await.unwrap().unwrap().bytes().await.unwrap();
            let reply = accumulate(Api::AnthropicMessages, &body);
            assert_eq!(reply.unwrap().text(), format!("{turn} of {n}"));
        }
    }
    for stub in stubs {
        let requests = stub.requests();
        assert_eq!(requests.len(), 3);
        assert!(requests.iter().all(|r| r.outcome() == Outcome::Complete));
        stub.verify();
    }
}

// --- panics ----------------------------------------------------------------------------------------

/// A panic: what it said, and the line of this file that raised it.
#[derive(Debug)]
struct Panic {
    message: String,
    code: &'static str,
}

thread_local! {
    /// Where the last panic of this thread was raised; `None` if it is of no interest.
    static PLACE: Cell<Option<String>> = const { Cell::new(None) };
}

/// The panic that `code` ends in. It is not printed, and those of other threads are left alone.
#[track_caller]
fn panic_of<T>(code: impl FnOnce() -> T) -> Panic {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| match PLACE.take() {
            Some(_) => {
                let place = info.location().unwrap();
                PLACE.set(Some(format!("{}:{}", place.file(), place.line())));
            }
            None => before(info),
        }));
    });
    PLACE.set(Some(String::new()));
    let caught = catch_unwind(AssertUnwindSafe(code));
    let place = PLACE.take().unwrap();
    let Err(panic) = caught else {
        panic!("it did not panic");
    };
    let line = place.strip_prefix(concat!(file!(), ":"));
    let line: usize = line.unwrap_or_else(|| panic!("{place}")).parse().unwrap();
    Panic {
        message: *panic.downcast::<String>().unwrap(),
        code: include_str!("runtimes.rs").lines().nth(line - 1).unwrap(),
    }
}

const AT_ONCE: Duration = Duration::from_millis(1);

/// What a test asks of a stub and a gate that it has.
type Ask = fn(&WireStub, &Gate);

#[test]
fn a_wait_that_gives_up_panics_at_the_line_of_its_await_under_every_runtime() {
    let stub = always("hi").without_verify_on_drop().start();
    let asked = async || {
        let wait = stub.wait_for_requests(1).patience(AT_ONCE);
        let _requests = wait.await;
    };
    let one = tokio::runtime::Builder::new_current_thread().build();
    let several = tokio::runtime::Builder::new_multi_thread().build();
    for panic in [
        panic_of(|| one.unwrap().block_on(asked())),
        panic_of(|| several.unwrap().block_on(asked())),
        panic_of(|| smol::block_on(asked())),
    ] {
        assert_eq!(panic.code.trim(), "let _requests = wait.await;");
        let said = "gave up waiting for 1 request: ";
        assert!(panic.message.starts_with(said), "{panic:?}");
    }
}

#[test]
fn whatever_is_asked_in_vain_panics_at_the_line_that_asks() {
    let gate = Gate::new();
    let stub = WireStub::builder()
        .lane(
            "a",
            matchers::model("m"),
            [Turn::new().gate(After::head(), &gate)],
        )
        .patience(AT_ONCE)
        .start();
    // two answers under way, on connections of their own
    let hold = stub.hold();
    let request = call(&[], r#"{"model":"other"}"#);
    let clients = [(); 2].map(|()| Raw::asking(&stub, &request));
    smol::block_on(stub.wait_for_requests(2).patience(Duration::from_secs(60)));
    let in_vain: [(&str, Ask); 10] = [
        ("settled_blocking()", |stub, _| stub.settled_blocking()),
        ("drained_blocking()", |stub, _| stub.drained_blocking()),
        ("wait_for_requests_blocking(9)", |stub, _| {
            drop(stub.wait_for_requests_blocking(9));
        }),
        ("wait_for_cancel_blocking()", |stub, _| {
            drop(stub.wait_for_cancel_blocking());
        }),
        ("wait_for_stall_blocking()", |stub, _| {
            drop(stub.wait_for_stall_blocking());
        }),
        ("reached_blocking()", |_, gate| gate.reached_blocking()),
        ("lane(\"b\")", |stub, _| drop(stub.lane("b"))),
        ("lane(\"a\").single_request()", |stub, _| {
            drop(stub.lane("a").single_request());
        }),
        ("single_request()", |stub, _| drop(stub.single_request())),
        ("verify()", |stub, _| stub.verify()),
    ];
    for (code, ask) in in_vain {
        let panic = panic_of(|| ask(&stub, &gate));
        assert!(panic.code.contains(code), "{code}: {panic:?}");
    }
    drop((hold, clients));
}

#[test]
fn a_blocking_wait_panics_at_once_inside_a_runtime_of_tokio() {
    let gate = Gate::new();
    let stub = always(Turn::new().gate(After::head(), &gate))
        .without_verify_on_drop()
        .start();
    // the first of them has nothing to wait for
    let twins: [(&str, Ask); 6] = [
        ("wait_for_requests", |stub, _| {
            drop(stub.wait_for_requests_blocking(0));
        }),
        ("wait_for_cancel", |stub, _| {
            drop(stub.wait_for_cancel_blocking());
        }),
        ("wait_for_stall", |stub, _| {
            drop(stub.wait_for_stall_blocking());
        }),
        ("settled", |stub, _| stub.settled_blocking()),
        ("drained", |stub, _| stub.drained_blocking()),
        ("reached", |_, gate| gate.reached_blocking()),
    ];
    let one = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let several = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    for (name, ask) in twins {
        for runtime in [&one, &several] {
            let panic = panic_of(|| runtime.block_on(async { ask(&stub, &gate) }));
            let expected = format!("`{name}_blocking` would block this async runtime\n");
            assert!(panic.message.starts_with(&expected), "{panic:?}");
            assert!(
                panic.code.contains(&format!("{name}_blocking(")),
                "{panic:?}"
            );
        }
    }
}

// --- the user's closures ---------------------------------------------------------------------------

#[track_caller]
fn assert_panicked(response: &Response, who: &str) {
    assert!(
        response.status().starts_with("HTTP/1.1 422 "),
        "{}",
        response.head
    );
    assert_eq!(response.header("x-llm-wire-stub"), Some("panicked"));
    let body: serde_json::Value = serde_json::from_slice(&response.body).unwrap();
    let message = body.pointer("/error/message").unwrap();
    let message = message.as_str().unwrap();
    assert!(
        message.starts_with(&format!("{who} panicked: no idea")),
        "{message}"
    );
}

#[test]
fn a_panic_of_a_closure_or_a_matcher_is_told_to_the_client_and_to_verify() {
    let closure = WireStub::builder().answer(|_, index| match index {
        0 => panic!("no idea"),
        _ => Some("hi".into()),
    });
    let matcher = WireStub::builder().turn("hi").lane(
        "a",
        matchers::by(|request| {
            assert!(request.index() > 0, "no idea");
            false
        }),
        [""; 0],
    );
    for (builder, who) in [
        (closure, "the closure"),
        (matcher, "the matcher of lane `a`"),
    ] {
        let stub = builder.start();
        let mut client = Raw::asking(&stub, not_streaming());
        assert_panicked(&client.response(), who);
        // on the same connection, and nothing else is broken
        client.send(not_streaming());
        assert_eq!(client.response().status(), "HTTP/1.1 200 OK");
        let outcomes: Vec<_> = stub.requests().iter().map(|r| r.outcome()).collect();
        assert_eq!(outcomes, [Outcome::Refused, Outcome::Complete]);
        let report = stub.try_verify().unwrap_err().to_string();
        assert!(
            report.contains(&format!("{who} panicked: no idea")),
            "{report}"
        );
    }
}

#[test]
fn a_closure_may_ask_its_own_stub() {
    static HANDLE: OnceLock<StubHandle> = OnceLock::new();
    let seen = || {
        let stub = HANDLE.get().unwrap();
        format!("{} of {}", stub.requests().len(), stub.journal().len())
    };
    let stub = WireStub::builder()
        .lane("never", matchers::by(move |_| seen().is_empty()), [""; 0])
        .answer(move |_, _| Some(seen().into()))
        .start();
    HANDLE.set(stub.handle()).unwrap();
    let mut client = Raw::asking(&stub, b"GET / HTTP/1.1\r\n\r\n");
    client.response();
    for seen in ["1 of 2", "2 of 3"] {
        client.send(not_streaming());
        let body = client.response();
        assert!(
            body.text().contains(&format!(r#""text":"{seen}""#)),
            "{}",
            body.text()
        );
    }
    let _ = stub.try_verify();
}

#[test]
fn closures_that_block_hold_up_nobody_else() {
    const BLOCKED: usize = 50;
    let (let_go, blocked) = mpsc::channel::<()>();
    let blocked = Mutex::new(blocked);
    let (entered, inside) = mpsc::channel();
    let stub = WireStub::builder()
        .answer(move |request, _| {
            if request.query() == Some("block") {
                entered.send(()).unwrap();
                // until the sender is gone
                let _ = blocked.lock().unwrap().recv();
            }
            Some("hi".into())
        })
        .start();
    let blocking = String::from_utf8(not_streaming()).unwrap();
    let blocking = blocking.replacen("/v1/messages", "/v1/messages?block", 1);
    let mut waiting: Vec<_> = (0..BLOCKED)
        .map(|_| Raw::asking(&stub, &blocking))
        .collect();
    for _ in 0..BLOCKED {
        inside.recv().unwrap();
    }
    // all of them are inside the closure, and so is this one a moment later
    let response = Raw::asking(&stub, not_streaming()).response();
    assert_eq!(response.status(), "HTTP/1.1 200 OK");
    let open = stub
        .requests()
        .into_iter()
        .filter(|r| r.outcome() == Outcome::Open);
    assert_eq!(open.count(), BLOCKED);
    drop(let_go);
    for client in &mut waiting {
        assert_eq!(client.response().status(), "HTTP/1.1 200 OK");
    }
    stub.verify();
}
