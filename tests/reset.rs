//! A reset: the script starts anew, what was under way ends, and nothing of it gets into the new journal.
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
#[path = "support/raw.rs"]
mod raw;

use std::{
    sync::{Arc, Mutex, mpsc},
    time::Duration,
};

use caught::{panic_at, panic_of};
use llm_wire_stub::*;
use post::{ask_at, call};
use raw::{Raw, not_streaming, streaming};
use serde_json::json;

#[track_caller]
fn builder() -> WireStubBuilder {
    WireStub::builder().without_verify_on_drop()
}

#[tokio::test]
async fn the_script_starts_anew_with_the_same_bytes() {
    let stub = WireStub::builder()
        .turns(["one", "two"])
        .lane("judge", matchers::model("judge"), ["fine"])
        .error_at(1, ApiError::overloaded())
        .stop_reason_at(2, StopReason::MaxTokens)
        .start();
    let mut runs = Vec::new();
    for run in 0..3 {
        if run > 0 {
            stub.reset();
        }
        assert_eq!((stub.requests().len(), stub.overflow()), (0, 0));
        let mut bodies = Vec::new();
        for model in ["m", "m", "m", "judge"] {
            bodies.push(call(&stub).model(model).streamed().send().await.body);
        }
        let indices: Vec<usize> = stub.requests().iter().map(|r| r.index()).collect();
        assert_eq!(indices, [0, 1, 2, 3], "run {run}");
        assert_eq!(stub.lane("judge").single_request().index(), 3);
        runs.push(bodies);
    }
    assert!(runs.iter().all(|run| *run == runs[0]));
    stub.verify();
}

#[tokio::test]
async fn evidence_is_gone() {
    let stub = builder().turn("x").start();
    call(&stub).without_member("max_tokens").send().await;
    call(&stub).send().await;
    call(&stub).send().await;
    call(&stub).to("/v1/other").send().await;
    stub.clear_requests();
    assert!(stub.try_verify().is_err());

    stub.reset();
    call(&stub).send().await;
    assert_eq!(stub.try_verify(), Ok(()));
}

#[tokio::test]
async fn what_was_kept_is_gone() {
    let stub = builder().turns(["one"; 2]).start();
    let first = {
        let body = json!({"model": "gpt-4o", "input": "hi"});
        let key = [("authorization", "Bearer k")];
        let url = stub.openai_url() + "/responses";
        ask_at("POST", url, Some(body), &key).await.json()["id"].clone()
    };
    let ask = |method: &'static str, target: String, body| {
        let keys = [
            ("authorization", "Bearer k"),
            ("x-api-key", "k"),
            ("anthropic-version", "2023-06-01"),
        ];
        let (url, openai) = (stub.url() + &target, target.contains("responses"));
        async move {
            let keys = if openai { &keys[..1] } else { &keys[1..] };
            ask_at(method, url, body, keys).await
        }
    };
    let kept = format!("/v1/responses/{}", first.as_str().unwrap());
    let params =
        json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]});
    let batch = json!({"requests": [{"custom_id": "a", "params": params}]});
    let batches = "/v1/messages/batches".to_owned();
    let made = ask("POST", batches.clone(), Some(batch)).await;
    assert_eq!(made.status, 200);
    assert_eq!(ask("GET", kept.clone(), None).await.status, 200);

    stub.reset();
    assert_eq!(ask("GET", kept, None).await.status, 404);
    assert_eq!(ask("GET", batches, None).await.json()["data"], json!([]));
}

/// What is under way when a stub is reset.
#[derive(Clone, Copy, Debug)]
enum UnderWay {
    Held,
    Gated,
    Stalled,
    Delayed,
    Live,
    Unread,
}

#[test]
fn what_is_under_way_ends_and_is_in_no_new_journal() {
    for under_way in [
        UnderWay::Held,
        UnderWay::Gated,
        UnderWay::Stalled,
        UnderWay::Delayed,
        UnderWay::Live,
        UnderWay::Unread,
    ] {
        let (gate, live) = (Gate::new(), Live::new());
        let text = Turn::new().text("two words");
        let turn = match under_way {
            UnderWay::Held => text,
            UnderWay::Gated => text.gate(After::deltas(1), &gate),
            UnderWay::Stalled => text.stall(After::deltas(1)),
            UnderWay::Delayed => text.delay(After::request(), Duration::from_secs(3600)),
            UnderWay::Live => Turn::from(&live),
            UnderWay::Unread => Turn::new().text("x".repeat(32 << 20)),
        };
        let stub = builder().turn(turn).start();
        let hold = matches!(under_way, UnderWay::Held).then(|| stub.hold());
        let mut client = Raw::asking(&stub, streaming());
        match under_way {
            UnderWay::Gated => gate.reached_blocking(),
            UnderWay::Stalled => drop(stub.wait_for_stall_blocking()),
            UnderWay::Live => live.text("two").blocking(),
            UnderWay::Unread => drop(client.head()),
            UnderWay::Held | UnderWay::Delayed => {}
        }
        let [request] = &stub.wait_for_requests_blocking(1)[..] else {
            panic!("one request")
        };
        let before = stub.settled();
        stub.reset();

        let (read, _) = client.rest();
        assert!(!read.ends_with(b"0\r\n\r\n"), "{under_way:?}");
        tokio::runtime::Runtime::new().unwrap().block_on(before);
        assert_eq!(request.outcome(), Outcome::Open, "{under_way:?}");
        assert!(stub.journal().is_empty(), "{under_way:?}");
        stub.settled_blocking();
        drop(hold);
    }
}

#[tokio::test]
async fn what_a_closure_says_after_the_reset_gets_nowhere() {
    let (tells, told) = mpsc::channel();
    let (lets_go, let_go) = mpsc::channel::<()>();
    let let_go = Mutex::new(let_go);
    let stub = builder()
        .answer(move |request, index| {
            if request.last_user_text() != "slow" {
                return Some(format!("answer to {index}").into());
            }
            tells.send(()).unwrap();
            let_go.lock().unwrap().recv().unwrap();
            panic!("too late for anybody")
        })
        .start();
    let slow = tokio::spawn(call(&stub).asks("slow").try_send());
    tokio::task::spawn_blocking(move || told.recv().unwrap())
        .await
        .unwrap();
    stub.reset();

    assert!(slow.await.unwrap().is_err());
    assert_eq!(call(&stub).send().await.text(), "answer to 0");
    lets_go.send(()).unwrap();
    assert_eq!(call(&stub).send().await.text(), "answer to 1");
    assert_eq!(stub.requests().len(), 2);
    stub.verify();
}

#[test]
fn a_connection_between_two_requests_stays() {
    let stub = builder().turn("x").start();
    let mut client = Raw::connect(&stub);
    let mut bytes = Vec::new();
    for _ in 0..3 {
        client.send(not_streaming());
        bytes.push(client.response());
        assert_eq!(stub.single_request().connection(), 0);
        stub.reset();
    }
    assert_eq!(bytes[0], bytes[2]);
}

#[test]
fn a_request_of_which_the_end_was_missing_belongs_to_what_follows() {
    let stub = builder().turn("x").start();
    let request = not_streaming();
    let (begin, end) = request.split_at(request.len() - 5);
    let mut client = Raw::asking(&stub, begin);
    stub.reset();
    client.send(end);
    assert_eq!(client.response().status(), "HTTP/1.1 200 OK");
    assert_eq!(stub.single_request().index(), 0);
    stub.verify();
}

#[tokio::test]
async fn the_hold_is_gone_and_its_guard_ends_no_later_one() {
    let stub = builder().turn("x").start();
    let first = stub.hold();
    stub.reset();
    assert_eq!(call(&stub).send().await.text(), "x");

    stub.reset();
    let second = stub.hold();
    drop(first);
    let waiting = tokio::spawn(call(&stub).send());
    assert_eq!(stub.wait_for_requests(1).await[0].bytes_written(), 0);
    second.release();
    assert_eq!(waiting.await.unwrap().text(), "x");
}

#[tokio::test]
async fn gates_stay_as_they_are_and_are_waited_for_across_a_reset() {
    let gate = Gate::new();
    let turn = Turn::new().text("two words").gate(After::deltas(1), &gate);
    let stub = builder().turn(turn).start();
    let reached = gate.reached();
    stub.reset();
    let running = tokio::spawn(call(&stub).streamed().send());
    reached.await;
    gate.open();
    assert_eq!(running.await.unwrap().text(), "two words");

    stub.reset();
    assert_eq!(call(&stub).streamed().send().await.text(), "two words");
}

#[tokio::test]
async fn a_live_turn_that_was_played_is_refused_and_one_that_was_not_is_played() {
    let live = Live::new();
    let stub = builder().turn(&live).start();
    stub.reset();
    let running = tokio::spawn(call(&stub).streamed().try_send());
    live.text("Once").await;
    stub.reset();
    assert!(running.await.unwrap().is_err());
    let gone = live.text(" more").or_gone().await.unwrap_err();
    assert_eq!(gone.to_string(), "the stub was reset");
    assert_eq!(call(&stub).streamed().send().await.gist(), "422 unplayable");
}

#[tokio::test]
async fn waits_from_before_say_that_the_stub_was_reset() {
    let stub = builder().turn("x").start();
    let waiting = stub.wait_for_requests(1);
    stub.reset();
    let message = panic_at(waiting).await.message;
    assert_eq!(
        message.lines().next(),
        Some("gave up waiting for 1 request: the stub was reset")
    );
}

#[tokio::test]
async fn a_moved_clock_goes_on_and_nothing_of_before_waits_on_it() {
    let minute = Duration::from_secs(60);
    let late = Turn::new().text("late").delay(After::request(), minute);
    let stub = builder().clock(Clock::manual()).turn(late).start();
    let running = tokio::spawn(call(&stub).try_send());
    stub.wait_for_requests(1).await;
    stub.advance(minute / 2).await;
    stub.reset();
    assert!(running.await.unwrap().is_err());

    let running = tokio::spawn(call(&stub).send());
    assert_eq!(stub.time_to_request(1).await, Duration::ZERO);
    assert_eq!(stub.advance_to_next().await, minute);
    assert_eq!(running.await.unwrap().text(), "late");
    assert_eq!(stub.request(0).arrived(), minute / 2);
}

#[test]
fn the_check_on_drop_is_armed_again() {
    let stub = WireStub::builder().repeat_last().start();
    stub.verify();
    stub.reset();
    drop(stub);

    let stub = WireStub::builder().turn("x").start();
    assert!(stub.try_verify().is_err());
    stub.reset();
    let message = panic_of(|| drop(stub)).message;
    assert!(message.contains("turn #1, built at"), "{message}");
}

#[test]
fn a_dropped_stub_is_not_started_again() {
    let stub = builder().turn("x").start();
    let handle = stub.handle();
    drop(stub);
    handle.reset();
    let message = panic_of(|| handle.wait_for_requests_blocking(1)).message;
    assert_eq!(
        message.lines().next(),
        Some("gave up waiting for 1 request: the stub was dropped")
    );
    handle.drained_blocking();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_callers_across_many_resets_never_meet() {
    const CALLERS: usize = 8;
    let stub = Arc::new(
        builder()
            .answer(|_, index| Some(format!("{index}").into()))
            .start(),
    );
    let calling: Vec<_> = (0..CALLERS)
        .map(|_| {
            let stub = stub.handle();
            tokio::spawn(async move {
                let mut answered = 0;
                while answered < 50 {
                    answered += usize::from(call(&stub).streamed().try_send().await.is_ok());
                }
            })
        })
        .collect();
    let resetting = {
        let stub = stub.handle();
        tokio::spawn(async move {
            for _ in 0..200 {
                stub.reset();
                let journal = stub.journal();
                for (n, request) in journal.iter().enumerate() {
                    assert_eq!(request.index(), n);
                }
                tokio::task::yield_now().await;
            }
        })
    };
    resetting.await.unwrap();
    for caller in calling {
        caller.await.unwrap();
    }
    stub.reset();
    assert_eq!(call(&stub).send().await.text(), "0");
    stub.settled().await;
    assert_eq!(stub.requests().len(), 1);
    stub.verify();
}

#[cfg(feature = "fixture")]
#[tokio::test]
async fn the_gate_of_a_fixture_is_as_new() {
    let script: Script = r#"{"format_version": 1, "turns": [{
        "parts": [{"text": "two words"}],
        "actions": [{"gate": {"after": {"deltas": 1}, "name": "g"}}]
    }]}"#
        .parse()
        .unwrap();
    let stub = builder().script(script).start();
    for _ in 0..3 {
        let running = tokio::spawn(call(&stub).streamed().try_send());
        stub.gate("g").reached().await;
        stub.reset();
        assert!(running.await.unwrap().is_err());
        let waiting = stub.gate("g").reached().patience(Duration::from_millis(1));
        panic_at(waiting).await;
    }
    stub.gate("g").open();
    assert_eq!(call(&stub).streamed().send().await.text(), "two words");
    stub.reset();
    let running = tokio::spawn(call(&stub).streamed().send());
    stub.gate("g").reached().await;
    assert_eq!(stub.request(0).outcome(), Outcome::Open);
    stub.gate("g").open();
    running.await.unwrap();
}
