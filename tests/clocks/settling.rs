//! What a clock waits for before it moves.

use std::sync::mpsc;

use futures_util::StreamExt;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    time::{Instant, sleep},
};

use super::{post::call, *};

/// A client that gives up after a second: it must not while the clock is moved by an hour.
fn hasty() -> reqwest::Client {
    reqwest::Client::builder().timeout(SECOND).build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_closure_that_takes_its_time_is_waited_for() {
    let (asked, asking) = mpsc::channel();
    let (answer, answering) = mpsc::channel();
    let answering = std::sync::Mutex::new(answering);
    let stub = paused()
        .answer(move |_, _| {
            asked.send(()).unwrap();
            Some(answering.lock().unwrap().recv().unwrap())
        })
        .start();
    let running = spawn(call(&stub).on(&hasty()));
    let moving = tokio::spawn(stub.advance(HOUR));
    // it has begun to move, and has not moved when the closure runs
    let before = Instant::now();
    tokio::task::spawn_blocking(move || asking.recv().unwrap())
        .await
        .unwrap();
    assert_eq!(before.elapsed(), Duration::ZERO);
    answer.send(Turn::new().text("at last")).unwrap();
    assert_eq!(running.await.unwrap().text(), "at last");
    moving.await.unwrap();
    assert_eq!(before.elapsed(), HOUR);
}

#[tokio::test(start_paused = true)]
async fn the_fallback_is_waited_for() {
    let fallback = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let stub = paused().fallback(fallback.local_addr().unwrap()).start();
    let running = spawn(call(&stub).to("/v1/logs").on(&hasty()));
    let moving = tokio::spawn(stub.advance(HOUR));
    let before = Instant::now();
    let (mut stream, _) = fallback.accept().await.unwrap();
    let mut request = [0; 1024];
    assert!(stream.read(&mut request).await.unwrap() > 0);
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(before.elapsed(), Duration::ZERO);
    let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    stream.write_all(answer).await.unwrap();
    assert_eq!(running.await.unwrap().status, 200);
    moving.await.unwrap();
    assert_eq!(before.elapsed(), HOUR);
}

#[tokio::test(start_paused = true)]
async fn a_long_answer_to_a_client_that_reads_is_waited_for() {
    let text = "word ".repeat(40_000);
    let stub = paused().turn(text.as_str()).start();
    let running = spawn(call(&stub).streamed().on(&hasty()));
    stub.advance(HOUR).await;
    assert_eq!(complete(&stub), [0]);
    assert_eq!(running.await.unwrap().text(), text);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_now_and_then_is_not() {
    // more than sockets keep
    const LENGTH: usize = 20_000_000;
    const PORTION: usize = 5_000_000;
    let turn = Turn::new().text("x".repeat(LENGTH));
    let stub = paused().turn(turn.fragments(Fragments::whole())).start();
    let asking = call(&stub).streamed().request();
    let reading = tokio::spawn(async move {
        let mut pieces = asking.send().await.unwrap().bytes_stream();
        let (mut bytes, mut portion) = (0, 0);
        while let Some(piece) = pieces.next().await {
            bytes += piece.unwrap().len();
            if bytes / PORTION > portion {
                portion = bytes / PORTION;
                sleep(SECOND).await;
            }
        }
        bytes
    });
    stub.advance(seconds_of(5)).await;
    assert!(reading.await.unwrap() > LENGTH);
    assert_eq!(complete(&stub), [0]);
}

#[tokio::test(start_paused = true)]
async fn many_clients_that_come_back_at_one_time_are_waited_for() {
    const CLIENTS: usize = 100;
    let stub = paused().turns(["x"; 2 * CLIENTS]).start();
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let call = call(&stub).on(&hasty());
            tokio::spawn(async move {
                call.clone().send().await;
                sleep(HOUR).await;
                call.send().await
            })
        })
        .collect();
    stub.advance(HOUR).await;
    assert_eq!(complete(&stub).len(), 2 * CLIENTS);
    for client in clients {
        assert_eq!(client.await.unwrap().text(), "x");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_ends_in_a_reset_is_waited_for() {
    let turn = Turn::new()
        .text("Hey, how are")
        .end(After::deltas(2), Ending::Reset);
    let stub = paused().turn(turn).start();
    let running = tokio::spawn(call(&stub).streamed().try_send());
    stub.advance(HOUR).await;
    assert!(running.is_finished());
    let request = stub.single_request();
    assert_eq!(
        (request.outcome(), request.remark()),
        (Outcome::Reset, None)
    );
    assert!(running.await.unwrap().is_err());
}

#[tokio::test(start_paused = true)]
async fn a_request_that_comes_in_two_halves_goes_on_when_its_client_does() {
    let stub = paused().turn("x").start();
    let body = call(&stub).body();
    let middle = body.len() / 2;
    let halves = async_stream::stream! {
        yield Ok::<_, std::io::Error>(body[..middle].to_vec());
        sleep(seconds_of(60)).await;
        yield Ok(body[middle..].to_vec());
    };
    let asking = call(&stub)
        .request()
        .body(reqwest::Body::wrap_stream(halves));
    let running = tokio::spawn(asking.send());
    assert_eq!(stub.time_to_request(1).await, seconds_of(60));
    assert_eq!(running.await.unwrap().unwrap().status(), 200);
}
