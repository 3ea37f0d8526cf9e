//! The paused time of the test's own runtime: one clock for client and stub.

use tokio::time::{Instant, sleep};

use super::{caught::panic_at, post::call, *};

/// Asks, and asks again so long after each answer that is an error; gives back how often it has asked.
async fn ask_until_answered(call: Call, back_off: Duration) -> usize {
    let mut asked = 1;
    while call.clone().send().await.status != 200 {
        sleep(back_off).await;
        asked += 1;
    }
    asked
}

#[tokio::test(start_paused = true)]
async fn time_stands_still_while_a_socket_is_waited_for() {
    let stub = paused().turn("x").repeat_last().start();
    let client = reqwest::Client::builder()
        .timeout(AT_ONCE)
        .connect_timeout(AT_ONCE)
        .build()
        .unwrap();
    let before = Instant::now();
    for _ in 0..50 {
        call(&stub).on(&client).send().await;
    }
    assert_eq!(before.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn the_back_off_of_a_real_client_is_measured() {
    for back_off in [3_000, 523, 60_000, 1] {
        let back_off = Duration::from_millis(back_off);
        let errors = [ApiError::rate_limited(), ApiError::overloaded()];
        let stub = paused().turns(errors).turn("x").start();
        let asking = tokio::spawn(ask_until_answered(call(&stub), back_off));
        assert_eq!(stub.time_to_request(1).await, Duration::ZERO);
        for n in [2, 3] {
            let waited = stub.time_to_request(n).await;
            let excess = waited.checked_sub(back_off);
            assert!(
                excess.unwrap() <= back_off / 100,
                "{waited:?} of {back_off:?}"
            );
        }
        assert_eq!(asking.await.unwrap(), 3);
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_to_a_request_that_came_is_told_without_moving() {
    let stub = paused().turn(ApiError::overloaded()).turn("x").start();
    let asking = tokio::spawn(ask_until_answered(call(&stub), seconds_of(2)));
    stub.advance(seconds_of(10)).await;
    asking.await.unwrap();
    let before = Instant::now();
    assert_eq!(stub.time_to_request(1).await, Duration::ZERO);
    assert_eq!(stub.time_to_request(2).await, seconds_of(2));
    assert_eq!(before.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_never_comes_is_told_loudly() {
    let stub = paused().turn("x").start();
    call(&stub).send().await;
    let before = Instant::now();
    let caught = panic_at(stub.time_to_request(2)).await;
    let start = "gave up waiting for request #2: not within a day of its clock's time\n";
    assert!(caught.message.starts_with(start), "{}", caught.message);
    assert_eq!(before.elapsed(), 24 * HOUR);
}

#[tokio::test(start_paused = true)]
async fn moving_further_than_tokio_can_is_told_loudly() {
    let stub = paused().start();
    let caught = panic_at(stub.advance(Duration::MAX)).await;
    let start = "gave up waiting for the clock to move by ";
    let why = ": the time of a tokio runtime ends after 30 years\n";
    assert!(
        caught.message.starts_with(start) && caught.message.contains(why),
        "{}",
        caught.message
    );
    // and it can be moved all the same
    let before = Instant::now();
    stub.advance(HOUR).await;
    assert_eq!(before.elapsed(), HOUR);
}

#[tokio::test(start_paused = true)]
async fn a_pause_ends_when_its_time_has_come_and_not_before() {
    let stub = paused().turn(late(60)).start();
    let running = spawn(call(&stub));
    stub.advance(seconds_of(59)).await;
    assert_eq!(stub.single_request().bytes_written(), 0);
    stub.advance(SECOND).await;
    assert_eq!(complete(&stub), [0]);
    assert_eq!(running.await.unwrap().text(), "late");
}

#[tokio::test(start_paused = true)]
async fn pauses_of_concurrent_answers_end_in_the_order_of_their_times() {
    let stub = paused().turns([late(3), late(1), late(2)]).start();
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

#[tokio::test(start_paused = true)]
async fn the_clients_timers_go_off_between_the_stubs_pauses() {
    let pace = Pace::every(seconds_of(20));
    let stub = paused()
        .turns([Turn::new().text("a b c").pace(pace), late(40)])
        .start();
    let client = reqwest::Client::builder().read_timeout(seconds_of(30));
    let client = client.build().unwrap();
    let slow = spawn(call(&stub).streamed().on(&client));
    stub.advance(seconds_of(200)).await;
    assert_eq!(slow.await.unwrap().text(), "a b c");

    let silent = tokio::spawn(call(&stub).on(&client).try_send());
    stub.advance(seconds_of(31)).await;
    assert!(
        silent.await.unwrap().is_err(),
        "it gave up after 30 seconds"
    );
    assert_eq!(stub.wait_for_cancel().await.index(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_takes_its_pause_along() {
    let stub = paused().turn(late(60)).start();
    let leaving = spawn(call(&stub));
    stub.wait_for_requests(1).await;
    stub.advance(seconds_of(30)).await;
    leaving.abort();
    stub.wait_for_cancel().await;
    panic_at(stub.advance_to_next().patience(AT_ONCE)).await;
    stub.advance(HOUR).await;
    assert_eq!(stub.single_request().outcome(), Outcome::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn the_tests_own_moves_of_tokios_clock_move_the_stub_too() {
    let stub = paused().turn(late(60)).start();
    let running = spawn(call(&stub));
    stub.wait_for_requests(1).await;
    stub.advance(Duration::ZERO).await; // so that its pause has begun
    tokio::time::advance(seconds_of(60)).await;
    assert_eq!(running.await.unwrap().text(), "late");
}

#[tokio::test(start_paused = true)]
async fn stubs_of_one_runtime_share_its_time() {
    let (one, two) = (
        paused().turn(late(10)).start(),
        paused().turn(late(20)).start(),
    );
    let running = [spawn(call(&one)), spawn(call(&two))];
    one.wait_for_requests(1).await;
    two.wait_for_requests(1).await;
    assert_eq!(one.advance_to_next().await, seconds_of(10));
    assert_eq!((complete(&one).len(), complete(&two).len()), (1, 0));
    assert_eq!(one.advance_to_next().await, seconds_of(10));
    assert_eq!(complete(&two), [0]);
    for running in running {
        running.await.unwrap();
    }
    let before = Instant::now();
    tokio::join!(one.advance(HOUR), two.advance(HOUR));
    assert_eq!(before.elapsed(), HOUR);
}

#[tokio::test(start_paused = true)]
async fn time_is_free_again_once_the_last_stub_is_dropped() {
    let (one, two) = (paused().start(), paused().turn("x").start());
    drop(one);
    let before = Instant::now();
    let limit = reqwest::Client::builder().timeout(AT_ONCE);
    call(&two).on(&limit.build().unwrap()).send().await;
    assert_eq!(before.elapsed(), Duration::ZERO);
    drop(two);
    sleep(HOUR).await;
    assert_eq!(before.elapsed(), HOUR);
    // and a stub that starts later holds it again
    let stub = paused().turn("x").start();
    call(&stub).on(&reqwest::Client::new()).send().await;
    assert_eq!(before.elapsed(), HOUR);
}

#[tokio::test(start_paused = true)]
async fn a_move_that_is_dropped_leaves_time_held() {
    let stub = paused().turn("x").repeat_last().start();
    let client = reqwest::Client::builder().timeout(SECOND).build().unwrap();
    let asking = call(&stub).on(&client);
    tokio::select! {
        biased;
        _ = stub.time_to_request(9) => panic!("it never came"),
        answer = asking.clone().send() => assert_eq!(answer.text(), "x"),
    }
    let before = Instant::now();
    for _ in 0..20 {
        asking.clone().send().await;
    }
    assert_eq!(before.elapsed(), Duration::ZERO);
}

#[tokio::test]
async fn time_may_be_paused_by_the_test_itself() {
    tokio::time::pause();
    let stub = paused().turn(late(60)).start();
    let running = spawn(call(&stub));
    stub.advance(seconds_of(60)).await;
    assert_eq!(running.await.unwrap().text(), "late");
}
