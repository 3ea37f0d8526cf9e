//! Where there is no paused time, and what becomes of a stub whose runtime has ended.

use std::thread;

use super::{caught::panic_at, post::call, *};

/// Why a stub with tokio's clock does not start here.
#[track_caller]
fn refusal() -> String {
    paused().try_start().unwrap_err().to_string()
}

fn refused(found: &str, help: &str) -> String {
    format!(
        "`Clock::tokio()` is the paused clock of a tokio runtime, and there is none\n  \
         found: {found}\n  help: {help}"
    )
}

#[test]
fn a_stub_without_a_runtime_does_not_start() {
    let expected = refused(
        "no tokio runtime",
        "start the stub inside `#[tokio::test(start_paused = true)]`",
    );
    assert_eq!(refusal(), expected);
    let caught = caught::panic_of(|| paused().start());
    assert_eq!((caught.message, caught.line), (expected, line!() - 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_stub_in_a_runtime_of_several_threads_does_not_start() {
    let expected = refused(
        "a runtime of several threads, whose time cannot be paused",
        "use `#[tokio::test(start_paused = true)]`, without another flavor",
    );
    assert_eq!(refusal(), expected);
}

#[tokio::test]
async fn a_stub_in_a_runtime_whose_time_runs_does_not_start() {
    let expected = refused(
        "a runtime whose time is not paused",
        "use `#[tokio::test(start_paused = true)]`, or call `tokio::time::pause()` before the stub starts",
    );
    assert_eq!(refusal(), expected);
}

#[test]
fn a_runtime_ends_although_its_stub_goes_on() {
    let ends: [fn(tokio::runtime::Runtime); 3] = [
        |runtime| drop(runtime),
        |runtime| runtime.shutdown_timeout(HOUR),
        |runtime| runtime.shutdown_background(),
    ];
    for end in ends {
        let runtime = runtime(Started::Paused);
        let stub = runtime.block_on(async {
            let stub = paused().turns(["x", "y"]).start();
            call(&stub).send().await;
            stub
        });
        end(runtime);
        // what does not wait on the clock goes on
        let answer = super::runtime(Started::Running).block_on(call(&stub).send());
        assert_eq!(answer.text(), "y");
    }
}

#[test]
fn a_stub_ends_although_its_runtime_goes_on_elsewhere() {
    let runtime = runtime(Started::Paused);
    let stub = runtime.block_on(async { paused().start() });
    drop(stub);
    // it was not run in between, and has nothing left that holds its time
    let before = runtime.block_on(async { tokio::time::Instant::now() });
    runtime.block_on(async { tokio::time::sleep(HOUR).await });
    assert_eq!(runtime.block_on(async move { before.elapsed() }), HOUR);
}

#[test]
fn what_waits_on_the_clock_of_a_runtime_that_ended_waits_until_its_client_leaves() {
    let runtime = runtime(Started::Paused);
    let stub = runtime.block_on(async { paused().turns([late(1), late(1)]).start() });
    let here = super::runtime(Started::Running);
    let (first, second) = here.block_on(async {
        let first = spawn(call(&stub));
        stub.wait_for_requests(1).await;
        drop_elsewhere(runtime);
        // and one that comes when it has ended
        let second = spawn(call(&stub));
        stub.wait_for_requests(2).await;
        (first, second)
    });
    here.block_on(async {
        let caught = panic_at(stub.advance(SECOND)).await;
        let start =
            "gave up waiting for the clock to move by 1s: the runtime of this clock has ended\n";
        assert!(caught.message.starts_with(start), "{}", caught.message);
        for running in [first, second] {
            running.abort();
            let left = stub.wait_for_cancel().await;
            assert_eq!(
                left.remark().unwrap(),
                "it waits for ever: the runtime of its clock has ended"
            );
        }
    });
}

/// A runtime may not be dropped inside another one.
fn drop_elsewhere(runtime: tokio::runtime::Runtime) {
    thread::spawn(|| drop(runtime)).join().unwrap();
}

#[test]
fn another_runtime_cannot_move_the_clock() {
    let runtime = runtime(Started::Paused);
    let stub = runtime.block_on(async { paused().start() });
    let expected = "gave up waiting for the clock to move by 1s: this clock moves only while its own runtime awaits that\n";
    let elsewhere = super::runtime(Started::Paused);
    let caught = [
        elsewhere.block_on(panic_at(stub.advance(SECOND))),
        smol::block_on(panic_at(stub.advance(SECOND))),
    ];
    for caught in caught {
        assert!(caught.message.starts_with(expected), "{}", caught.message);
    }
}

#[tokio::test(start_paused = true)]
async fn a_clock_does_not_move_for_a_stub_that_was_dropped() {
    let stub = paused().start();
    let handle = stub.handle();
    let other = paused().start(); // whose time is held
    drop(stub);
    for caught in [
        panic_at(handle.advance(SECOND)).await,
        panic_at(handle.advance_to_next()).await,
        panic_at(handle.time_to_request(1)).await,
    ] {
        assert!(
            caught.message.contains(": the stub was dropped\n"),
            "{}",
            caught.message
        );
    }
    drop(other);
}

#[tokio::test]
async fn a_move_that_is_under_way_ends_with_its_stub() {
    let stub = manual().start();
    let waiting = tokio::spawn(panic_at(stub.advance_to_next()));
    tokio::task::yield_now().await;
    drop(stub);
    let caught = waiting.await.unwrap();
    assert!(
        caught.message.contains(": the stub was dropped\n"),
        "{}",
        caught.message
    );
}
