//! Time that a test steps: the stub's own pauses, under every runtime and none.

use std::thread;

use super::{caught::panic_at, post::call, *};

#[tokio::test]
async fn a_pause_ends_when_its_time_has_come_and_not_before() {
    let stub = manual().turn(late(60)).start();
    let running = spawn(call(&stub));

    stub.advance(seconds_of(59)).await;
    assert_eq!(stub.single_request().bytes_written(), 0);
    stub.advance(SECOND).await;
    assert_eq!(complete(&stub), [0]);
    assert_eq!(running.await.unwrap().text(), "late");
}

#[tokio::test]
async fn moving_by_nothing_lets_what_is_on_its_way_arrive() {
    let stub = manual().turn(late(1)).start();
    let running = spawn(call(&stub));
    stub.advance(Duration::ZERO).await;
    assert_eq!(stub.requests().len(), 1);
    assert_eq!(stub.single_request().arrived(), Duration::ZERO);
    running.abort();
}

#[tokio::test]
async fn moving_as_far_as_can_be_ends_every_pause() {
    let turn = Turn::new().text("one two three").pace(Pace::every(HOUR));
    let stub = manual().turn(turn).start();
    let running = spawn(call(&stub).streamed());
    stub.advance(Duration::MAX).await;
    assert_eq!(running.await.unwrap().text(), "one two three");
    stub.advance(Duration::MAX).await;
}

#[tokio::test]
async fn a_pause_without_length_and_one_without_end_are_pauses() {
    let turn = late(0).delay(After::head(), Duration::MAX);
    let stub = manual().turn(turn).start();
    let running = spawn(call(&stub).streamed());
    stub.advance(HOUR).await;
    assert_eq!(complete(&stub), [0_usize; 0]);
    assert!(stub.single_request().bytes_written() > 0);
    stub.advance_to_next().await;
    assert_eq!(running.await.unwrap().text(), "late");
}

#[tokio::test]
async fn pauses_of_concurrent_answers_end_in_the_order_of_their_times() {
    let stub = manual().turns([late(3), late(1), late(2)]).start();
    let mut running = Vec::new();
    for n in 1..=3 {
        running.push(spawn(call(&stub)));
        stub.wait_for_requests(n).await;
    }
    let mut done = Vec::new();
    for _ in 0..3 {
        assert_eq!(stub.advance_to_next().await, SECOND);
        done.push(complete(&stub));
    }
    assert_eq!(done, [vec![1], vec![1, 2], vec![0, 1, 2]]);
    for running in running {
        assert_eq!(running.await.unwrap().text(), "late");
    }
}

#[tokio::test]
async fn pauses_that_end_at_one_time_are_one_step() {
    let stub = manual().turns([late(5), late(5)]).start();
    let running = [spawn(call(&stub)), spawn(call(&stub))];
    stub.wait_for_requests(2).await;
    assert_eq!(stub.advance_to_next().await, seconds_of(5));
    assert_eq!(complete(&stub), [0, 1]);
    for running in running {
        running.await.unwrap();
    }
}

#[tokio::test]
async fn a_pause_that_its_client_left_is_no_pause_any_more() {
    let stub = manual().turns([late(60), late(90)]).start();
    let leaving = spawn(call(&stub));
    stub.wait_for_requests(1).await;
    let staying = spawn(call(&stub));
    stub.wait_for_requests(2).await;
    leaving.abort();
    assert_eq!(stub.wait_for_cancel().await.index(), 0);
    assert_eq!(stub.advance_to_next().await, seconds_of(90));
    assert_eq!(staying.await.unwrap().text(), "late");
    panic_at(stub.advance_to_next().patience(AT_ONCE)).await;
}

#[tokio::test]
async fn a_next_pause_is_waited_for() {
    let stub = manual().turn(late(7)).start();
    let moving = tokio::spawn(stub.advance_to_next());
    let answer = call(&stub).send().await;
    assert_eq!(answer.text(), "late");
    assert_eq!(moving.await.unwrap(), seconds_of(7));
}

#[tokio::test]
async fn the_pause_of_a_live_turn_waits_on_the_clock() {
    let live = Live::new();
    let stub = manual().turn(&live).start();
    let running = spawn(call(&stub).streamed());
    let writing = tokio::spawn(async move {
        live.text("a").await;
        live.pause(HOUR).await;
        live.text("b").await;
        live.finish().await;
    });
    assert_eq!(stub.advance_to_next().await, HOUR);
    writing.await.unwrap();
    assert_eq!(running.await.unwrap().text(), "ab");
}

#[tokio::test]
async fn the_time_to_a_request_is_that_of_the_pauses_before_it() {
    let stub = manual().turns([late(10), late(20)]).start();
    let (one, two) = (call(&stub), call(&stub));
    let running = tokio::spawn(async move {
        one.send().await;
        two.send().await
    });
    // both are sent as soon as they can be: nothing passes but what the stub waits for
    assert_eq!(stub.time_to_request(2).await, Duration::ZERO);
    assert_eq!(stub.requests()[1].arrived(), seconds_of(10));
    stub.advance_to_next().await;
    assert_eq!(running.await.unwrap().text(), "late");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_moves_under_several_threads() {
    let stub = manual().turn(late(60)).start();
    let running = spawn(call(&stub));
    assert_eq!(stub.advance_to_next().await, seconds_of(60));
    assert_eq!(running.await.unwrap().text(), "late");
}

#[test]
fn it_moves_under_smol() {
    let stub = manual().turn(late(60)).start();
    let asking = call(&stub);
    let running = thread::spawn(|| runtime(Started::Running).block_on(asking.send()));
    smol::block_on(async {
        stub.wait_for_requests(1).await;
        stub.advance(seconds_of(60)).await;
    });
    assert_eq!(running.join().unwrap().text(), "late");
}

#[test]
fn it_moves_without_a_runtime() {
    let stub = manual().turns([late(60), late(30)]).start();
    let asking = [call(&stub), call(&stub)];
    let running = thread::spawn(|| {
        runtime(Started::Running).block_on(async {
            for call in asking {
                call.send().await;
            }
        });
    });
    stub.wait_for_requests_blocking(1);
    stub.advance_blocking(seconds_of(60));
    assert_eq!(stub.time_to_request_blocking(2), Duration::ZERO);
    assert_eq!(stub.advance_to_next_blocking(), seconds_of(30));
    running.join().unwrap();
    assert_eq!(complete(&stub), [0, 1]);
}

#[tokio::test]
async fn on_the_systems_clock_the_time_to_a_request_is_waited_for() {
    let stub = WireStub::builder().turns(["a", "b"]).start();
    let waiting = tokio::spawn(stub.time_to_request(2));
    call(&stub).send().await;
    call(&stub).send().await;
    waiting.await.unwrap();
    stub.time_to_request(1).await;
}
