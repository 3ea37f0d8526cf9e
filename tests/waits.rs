//! Waiting for what happens, holds and gates; under runtimes and on plain threads.
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

use std::{thread::JoinHandle, time::Duration};

use caught::{panic_at, panic_of};
use llm_wire_stub::*;
use post::{Answered, Call, call};
use tokio::{sync::oneshot, task};

/// Long enough that giving up would be noticed as a hang.
const FOR_EVER: Duration = Duration::from_secs(3600);
/// Short, where giving up is what is tested.
const AT_ONCE: Duration = Duration::from_millis(1);

#[track_caller]
fn builder() -> WireStubBuilder {
    WireStub::builder().without_verify_on_drop()
}

/// Two deltas, held after the first.
fn held(gate: &Gate) -> Turn {
    Turn::new().text("two words").gate(After::deltas(1), gate)
}

fn spawn(call: Call) -> task::JoinHandle<Answered> {
    tokio::spawn(call.send())
}

/// The call on a thread of its own.
fn on_thread<T: Send + 'static>(
    calling: impl Future<Output = T> + Send + 'static,
) -> JoinHandle<T> {
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.unwrap().block_on(calling)
    })
}

// --- what can be waited for ------------------------------------------------------------------------

#[tokio::test]
async fn waiting_for_requests_gives_them_back_in_order_of_arrival() {
    let stub = builder().turns(["x"; 3]).start();
    for question in ["1", "2", "3"] {
        call(&stub).asks(question).send().await;
    }
    let requests = stub.wait_for_requests(2).await;
    let questions: Vec<String> = requests.iter().map(|r| r.last_user_text()).collect();
    assert_eq!(questions, ["1", "2", "3"]);
    assert!(stub.wait_for_requests(0).await.len() == 3);
}

#[tokio::test]
async fn only_model_calls_are_waited_for() {
    let stub = builder().turn("x").start();
    call(&stub).to("/v1/other").send().await;
    let waiting = stub.wait_for_requests(1).patience(AT_ONCE);
    panic_at(waiting).await;

    let waiting = tokio::spawn(stub.wait_for_requests(1));
    call(&stub).send().await;
    assert_eq!(waiting.await.unwrap().len(), 1);
}

#[tokio::test]
async fn each_cancel_is_given_back_once_the_oldest_first() {
    let gate = Gate::new();
    let stub = builder().turns([held(&gate), held(&gate)]).start();
    for question in ["1", "2"] {
        let running = spawn(call(&stub).streamed().asks(question));
        let n = if question == "1" { 1 } else { 2 };
        stub.wait_for_requests(n).await;
        running.abort();
        stub.settled().await; // so that this one is the older
    }
    for question in ["1", "2"] {
        assert_eq!(stub.wait_for_cancel().await.last_user_text(), question);
    }
    panic_at(stub.wait_for_cancel().patience(AT_ONCE)).await;
}

#[tokio::test]
async fn each_stall_is_given_back_once_and_ends_with_its_client() {
    let stub = builder()
        .turn(Turn::new().text("two words").stall(After::deltas(1)))
        .start();
    let running = spawn(call(&stub).streamed());

    let stalled = stub.wait_for_stall().await;
    assert_eq!((stalled.index(), stalled.outcome()), (0, Outcome::Open));
    panic_at(stub.wait_for_stall().patience(AT_ONCE)).await;
    running.abort();
    assert_eq!(stub.wait_for_cancel().await.index(), 0);
}

#[tokio::test]
async fn a_stub_is_settled_once_no_answer_is_under_way() {
    let gate = Gate::new();
    let stub = builder().turn(held(&gate)).start();
    stub.settled().await;
    let running = spawn(call(&stub).streamed());
    gate.reached().await;
    panic_at(stub.settled().patience(AT_ONCE)).await;
    gate.open();
    stub.settled().await;
    assert_eq!(stub.single_request().outcome(), Outcome::Complete);
    running.await.unwrap();
}

#[tokio::test]
async fn a_stub_is_drained_once_every_connection_is_closed() {
    let stub = builder().turn("x").start();
    stub.drained().await;
    let client = reqwest::Client::new();
    call(&stub).on(&client).send().await;
    stub.settled().await;
    panic_at(stub.drained().patience(AT_ONCE)).await;
    drop(client);
    stub.drained().await;
}

#[test]
fn waits_work_under_another_runtime() {
    let gate = Gate::new();
    let stub = builder().turn(held(&gate)).start();
    let running = on_thread(call(&stub).streamed().send());
    smol::block_on(async {
        gate.reached().await;
        assert_eq!(stub.wait_for_requests(1).await.len(), 1);
        gate.open();
        stub.settled().await;
        panic_at(stub.wait_for_cancel().patience(AT_ONCE)).await;
    });
    assert_eq!(running.join().unwrap().text(), "two words");
}

#[test]
fn every_wait_has_a_twin_for_plain_threads() {
    let gate = Gate::new();
    let stub = builder()
        .turn(held(&gate))
        .turn(Turn::new().stall(After::head()))
        .start();
    let running = on_thread(call(&stub).streamed().send());
    gate.reached_blocking();
    assert_eq!(stub.wait_for_requests_blocking(1).len(), 1);
    gate.open();
    assert_eq!(running.join().unwrap().text(), "two words");
    stub.settled_blocking();
    stub.drained_blocking();

    let (leave, left) = oneshot::channel::<()>();
    let stalling = call(&stub).streamed().send();
    let leaving = on_thread(async {
        tokio::select! { _ = stalling => {}, _ = left => {} }
    });
    assert_eq!(stub.wait_for_stall_blocking().index(), 1);
    leave.send(()).unwrap();
    assert_eq!(stub.wait_for_cancel_blocking().index(), 1);
    leaving.join().unwrap();
}

#[tokio::test]
async fn every_twin_panics_at_once_inside_a_runtime() {
    let stub = builder().patience(FOR_EVER).start();
    let gate = Gate::new();
    let twins: [(&str, &dyn Fn()); 6] = [
        ("wait_for_requests", &|| {
            drop(stub.wait_for_requests_blocking(1));
        }),
        ("wait_for_cancel", &|| drop(stub.wait_for_cancel_blocking())),
        ("wait_for_stall", &|| drop(stub.wait_for_stall_blocking())),
        ("settled", &|| stub.settled_blocking()),
        ("drained", &|| stub.drained_blocking()),
        ("reached", &|| gate.reached_blocking()),
    ];
    for (name, twin) in twins {
        let expected = format!("`{name}_blocking` would block this async runtime");
        let message = panic_of(twin).message;
        assert_eq!(message.lines().next(), Some(expected.as_str()));
    }
}

// --- holds -----------------------------------------------------------------------------------------

/// What a call that is answered while others are held says of them: nothing was written.
async fn assert_held(stub: &StubHandle, n: usize) {
    let requests = stub.wait_for_requests(n).await;
    // not held, and after them on the stub's one thread
    call(stub).to("/v1/other").send().await;
    for request in requests {
        assert_eq!(
            (request.outcome(), request.bytes_written()),
            (Outcome::Open, 0)
        );
    }
}

#[tokio::test]
async fn a_hold_keeps_every_answer_until_it_is_released_or_dropped() {
    let stub = builder().turns(["x"; 4]).start();
    let hold = stub.hold();
    let first = [spawn(call(&stub)), spawn(call(&stub).streamed())];
    assert_held(&stub, 2).await;
    hold.release();
    for answered in first {
        assert_eq!(answered.await.unwrap().text(), "x");
    }

    stub.clear_requests();
    let hold = stub.hold();
    let second = spawn(call(&stub));
    assert_held(&stub, 1).await;
    drop(hold);
    assert_eq!(second.await.unwrap().text(), "x");

    // and the hold is over
    assert_eq!(call(&stub).send().await.text(), "x");
}

#[tokio::test]
async fn a_second_hold_releases_the_first_and_outlives_its_guard() {
    let stub = builder().turns(["x"; 2]).start();
    let first = stub.hold();
    let held_by_first = spawn(call(&stub));
    assert_held(&stub, 1).await;

    let second = stub.hold();
    assert_eq!(held_by_first.await.unwrap().text(), "x");
    stub.clear_requests();
    drop(first);
    let held_by_second = spawn(call(&stub));
    assert_held(&stub, 1).await;
    second.release();
    assert_eq!(held_by_second.await.unwrap().text(), "x");
}

#[tokio::test]
async fn a_hold_leaves_alone_what_came_before_it() {
    let gate = Gate::new();
    let stub = builder().turn(held(&gate)).start();
    let before = spawn(call(&stub).streamed());
    gate.reached().await;

    let hold = stub.hold();
    gate.open();
    assert_eq!(before.await.unwrap().text(), "two words");
    hold.release();
}

#[tokio::test]
async fn refused_calls_and_errors_are_held_too() {
    let stub = builder().turn(ApiError::overloaded()).start();
    let hold = stub.hold();
    let calls = [
        call(&stub),
        call(&stub).without_header("x-api-key"),
        call(&stub),
    ];
    let mut running = Vec::new();
    for (n, call) in calls.into_iter().enumerate() {
        running.push(spawn(call));
        stub.wait_for_requests(n + 1).await;
    }
    assert_held(&stub, 3).await;
    hold.release();
    for (running, gist) in running
        .into_iter()
        .zip(["529", "401 credentials", "422 exhausted"])
    {
        assert_eq!(running.await.unwrap().gist(), gist);
    }
}

#[tokio::test]
async fn a_client_that_leaves_during_a_hold_has_cancelled_and_used_its_turn() {
    let stub = builder().turns(["first", "second"]).start();
    let hold = stub.hold();
    let running = spawn(call(&stub));
    stub.wait_for_requests(1).await;
    running.abort();
    assert_eq!(stub.wait_for_cancel().await.bytes_written(), 0);
    hold.release();
    assert_eq!(call(&stub).send().await.text(), "second");
}

#[tokio::test]
async fn a_hold_may_outlive_its_stub() {
    let stub = builder().start();
    let hold = stub.hold();
    drop(stub);
    hold.release();
}

// --- gates -----------------------------------------------------------------------------------------

#[tokio::test]
async fn a_gate_that_was_opened_before_holds_nobody_and_is_reached_all_the_same() {
    let gate = Gate::new();
    gate.open();
    let stub = builder().turn(held(&gate)).start();
    assert_eq!(call(&stub).streamed().send().await.text(), "two words");
    gate.reached().await;
    gate.reached().await;
}

#[tokio::test]
async fn one_gate_lets_two_turns_go_at_once() {
    let gate = Gate::new();
    let stub = builder().turns([held(&gate), held(&gate)]).start();
    let running = [call(&stub).streamed(), call(&stub).streamed()].map(spawn);
    stub.wait_for_requests(2).await;
    gate.reached().await;
    gate.open();
    for answered in running {
        assert_eq!(answered.await.unwrap().text(), "two words");
    }
}

#[tokio::test]
async fn a_gate_in_a_turn_of_the_closure_works_like_any_other() {
    let gate = std::sync::Arc::new(Gate::new());
    let stub = {
        let gate = std::sync::Arc::clone(&gate);
        builder().answer(move |_, _| Some(held(&gate))).start()
    };
    let running = spawn(call(&stub).streamed());
    gate.reached().await;
    gate.open();
    assert_eq!(running.await.unwrap().text(), "two words");
}

// --- giving up -------------------------------------------------------------------------------------

#[tokio::test]
async fn a_wait_gives_up_at_its_own_line_with_the_journal() {
    let stub = builder().turn("x").start();
    call(&stub).send().await;
    let caught = panic_at(async {
        stub.wait_for_requests(2).patience(AT_ONCE).await;
    })
    .await;
    assert_eq!(caught.line, line!() - 3);
    for part in [
        "gave up waiting for 2 requests: not within 1ms\n",
        "#1 POST /v1/messages [m]: turn #1, Complete",
    ] {
        assert!(caught.message.contains(part), "{}", caught.message);
    }
}

#[test]
fn a_blocking_wait_gives_up_at_its_own_line_with_the_journal() {
    let stub = builder().patience(AT_ONCE).start();
    let caught = panic_of(|| stub.wait_for_stall_blocking());
    assert_eq!(caught.line, line!() - 1);
    let expected = "gave up waiting for an answer to stall: not within 1ms\n";
    assert!(caught.message.starts_with(expected), "{}", caught.message);
    assert!(caught.message.contains("calls: none"), "{}", caught.message);
}

#[tokio::test]
async fn the_patience_of_a_stub_is_that_of_its_waits() {
    let stub = builder().patience(AT_ONCE).start();
    let caught = panic_at(stub.wait_for_requests(1)).await;
    assert!(
        caught.message.contains("not within 1ms"),
        "{}",
        caught.message
    );
}

#[tokio::test]
async fn what_cannot_happen_any_more_is_given_up_at_once_when_the_stub_is_gone() {
    let stub = builder().patience(FOR_EVER).start();
    let handle = stub.handle();
    // one that is asked before the drop, the others after it
    let early = tokio::spawn(panic_at(handle.wait_for_requests(1)));
    task::yield_now().await;
    drop(stub);
    for caught in [
        early.await.unwrap(),
        panic_at(handle.wait_for_requests(1)).await,
        panic_at(handle.wait_for_cancel()).await,
        panic_at(handle.wait_for_stall()).await,
    ] {
        assert!(
            caught.message.contains(": the stub was dropped\n"),
            "{caught:?}"
        );
    }
}

#[tokio::test]
async fn a_stub_that_is_gone_settles_and_drains() {
    let gate = Gate::new();
    let stub = builder().patience(FOR_EVER).turn(held(&gate)).start();
    let running = spawn(call(&stub).streamed());
    gate.reached().await;
    let handle = stub.handle();
    drop(stub);
    handle.settled().await;
    handle.drained().await;
    assert!(running.await.is_err(), "its stream ended");
    gate.reached().await; // it was, and stays so
}

#[tokio::test]
async fn a_wait_at_a_gate_gives_up_at_once_when_its_stub_is_gone_with_the_journal_as_it_was() {
    let gate = Gate::new();
    let stub = builder().turns(["x".into(), held(&gate)]).start();
    call(&stub).send().await;
    stub.settled().await;
    let waiting = gate.reached().patience(FOR_EVER);
    let handle = stub.handle();
    drop(stub);
    handle.drained().await;
    drop(handle);
    let message = panic_at(waiting).await.message;
    for part in [
        ": every stub with this gate was dropped\n",
        "#1 POST /v1/messages [m]: turn #1, Complete",
    ] {
        assert!(message.contains(part), "{message}");
    }
}

#[tokio::test]
async fn a_wait_at_a_gate_that_no_stub_has_says_so() {
    let gate = Gate::new();
    let message = panic_at(gate.reached().patience(AT_ONCE)).await.message;
    assert!(
        message.contains("no stub has a turn with this gate"),
        "{message}"
    );
}

// --- what is known once a wait is over -------------------------------------------------------------

#[tokio::test]
async fn what_answers_a_request_is_known_once_it_was_waited_for() {
    for run in 0..100 {
        let stub = builder()
            .lane("a", matchers::model("m"), ["x"])
            .lane("b", matchers::by(|request| request.model() == "b"), ["y"])
            .start();
        let hold = stub.hold();
        let running = [spawn(call(&stub)), spawn(call(&stub).model("b"))];
        stub.wait_for_requests(2).await;
        for lane in ["a", "b"] {
            let request = stub.lane(lane).single_request();
            let expected = format!("lane `{lane}` turn #1");
            assert_eq!(request.answered_by(), expected, "run {run}");
        }
        hold.release();
        for call in running {
            call.await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_client_that_leaves_while_a_closure_thinks_has_cancelled() {
    let (entered, inside) = oneshot::channel();
    let (let_go, thinking) = std::sync::mpsc::channel::<()>();
    let once = std::sync::Mutex::new(Some((entered, thinking)));
    let stub = builder()
        .answer(move |_, _| {
            let (entered, thinking) = once.lock().unwrap().take()?;
            entered.send(()).unwrap();
            let _ = thinking.recv();
            Some("too late".into())
        })
        .start();
    let running = spawn(call(&stub));
    inside.await.unwrap();
    running.abort();
    let request = stub.wait_for_cancel().await;
    assert_eq!(request.outcome(), Outcome::Cancelled);
    assert_eq!(request.bytes_written(), 0);
    drop(let_go);
}

#[tokio::test]
async fn a_gate_that_two_stubs_play_outlives_one_of_them() {
    let gate = Gate::new();
    let (first, second) = (
        builder().turn(held(&gate)).start(),
        builder().turn(held(&gate)).start(),
    );
    let running = spawn(call(&second).streamed());
    second.wait_for_requests(1).await;
    drop(first);
    gate.reached().await;
    gate.open();
    running.await.unwrap();
    assert_eq!(second.single_request().outcome(), Outcome::Complete);
    second.verify();
}

#[tokio::test]
async fn what_was_cleared_is_given_back_by_no_wait_and_stays_in_the_report() {
    let gate = Gate::new();
    let stub = builder().turns([held(&gate), "never".into()]).start();
    let running = spawn(call(&stub).streamed());
    gate.reached().await;
    running.abort();
    stub.settled().await;
    stub.clear_requests();
    panic_at(stub.wait_for_cancel().patience(AT_ONCE)).await;
    assert!(stub.journal().is_empty());
    let report = stub.try_verify().unwrap_err().to_string();
    assert!(
        report.contains("#1 POST /v1/messages [m]: turn #1, Cancelled"),
        "{report}"
    );
}

#[test]
fn what_a_closure_holds_is_dropped_where_it_may_block() {
    /// Takes as long as it is made to.
    struct Slow(std::sync::mpsc::Receiver<()>);
    impl Drop for Slow {
        fn drop(&mut self) {
            let _ = self.0.recv();
        }
    }
    let (let_go, slow) = std::sync::mpsc::channel();
    let slow = std::sync::Mutex::new(Slow(slow));
    let stub = builder()
        .answer(move |_, _| {
            let _ = &slow;
            Some("x".into())
        })
        .start();
    // a connection that is still open takes the closure with it when it ends
    let connection = on_thread(call(&stub).send());
    connection.join().unwrap();
    let dropping = std::thread::spawn(move || drop(stub));
    // meanwhile the stub of another test goes on
    let other = builder().turn("y").start();
    on_thread(call(&other).send()).join().unwrap();
    drop(let_go);
    dropping.join().unwrap();
}
