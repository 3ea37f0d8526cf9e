//! Pace over a socket: what is written before a wait has arrived, and the bytes are those without it. Which event
//! waits for how long is tested on the plan.
#![cfg(feature = "server")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

#[path = "support/raw.rs"]
mod raw;

use std::time::Duration;

use llm_wire_stub::*;
use raw::{LAST_CHUNK, Raw, ascii, chunked, not_streaming, streaming};

const API: Api = Api::AnthropicMessages;
const MS: Duration = Duration::from_millis(1);

fn words() -> Turn {
    Turn::new()
        .text("one two")
        .plain()
        .seed(7)
        .model(raw::MODEL)
}

/// A wait that no test sees the end of.
fn for_ever() -> Pace {
    Pace::every(Duration::MAX)
}

#[test]
fn a_paced_answer_is_the_same_bytes_in_the_same_pieces() {
    let framed = [
        chunked(chunks(API, &words(), Cut::PerEvent)),
        LAST_CHUNK.to_vec(),
    ]
    .concat();
    for pace in [
        Pace::every(MS),
        Pace::tokens_per_second(1_000).first_token_after(MS),
        Pace::every(MS).jitter(MS, 7),
        Pace::recorded([MS, MS]),
    ] {
        let stub = WireStub::builder()
            .turn(words().pace(pace.clone()))
            .turn(words())
            .pace(pace.clone())
            .start();
        let mut client = Raw::connect(&stub);
        for _ in 0..2 {
            client.send(streaming());
            assert_eq!(ascii(&client.response().framed), ascii(&framed), "{pace:?}");
        }
        stub.verify();
        assert_eq!(sse_body(API, &words().pace(pace)), sse_body(API, &words()));
    }
}

#[test]
fn the_head_is_read_while_the_first_event_waits() {
    let stub = WireStub::builder().turn(words()).pace(for_ever()).start();
    let mut client = Raw::asking(&stub, streaming());
    client.head();
    client.assert_nothing_more();
    drop(client);
    let request = stub.wait_for_cancel_blocking();
    assert_eq!(request.outcome(), Outcome::Cancelled);
}

#[test]
fn the_events_before_a_wait_are_read_whatever_the_cut() {
    let pace = Pace::recorded([Duration::ZERO, Duration::ZERO, Duration::MAX]);
    let events: Vec<_> = chunks(API, &words(), Cut::PerEvent).collect();
    for cut in [
        Cut::PerEvent,
        Cut::Whole,
        Cut::at([20]),
        Cut::Random { seed: 1 },
    ] {
        let turn = words().pace(pace.clone()).cut(cut.clone());
        let stub = WireStub::builder().turn(turn.clone()).start();
        let mut client = Raw::asking(&stub, streaming());
        client.head();
        // up to the wait all pieces are those of the same answer without a socket
        let before = events[..2].concat();
        let mut length = 0;
        let pieces = chunks(API, &turn, cut.clone()).take_while(|piece| {
            length += piece.len();
            length <= before.len()
        });
        let pieces: Vec<_> = pieces.collect();
        assert_eq!(ascii(&pieces.concat()), ascii(&before), "{cut:?}");
        let expected = chunked(pieces);
        let found = client.read_exactly(expected.len());
        assert_eq!(ascii(&found), ascii(&expected), "{cut:?}");
        client.assert_nothing_more();
        drop(client);
        stub.wait_for_cancel_blocking();
    }
}

#[test]
fn the_pace_of_a_turn_goes_before_that_of_its_stub() {
    let stub = WireStub::builder()
        .turn(words().pace(Pace::every(Duration::ZERO)))
        .pace(for_ever())
        .start();
    let response = Raw::asking(&stub, streaming()).response();
    assert_eq!(ascii(&response.body), ascii(&sse_body(API, &words())));
    stub.verify();
}

#[test]
fn a_body_and_an_error_wait_for_no_event() {
    let stub = WireStub::builder()
        .turn(words())
        .turn(ApiError::overloaded())
        .pace(for_ever())
        .start();
    let response = Raw::asking(&stub, not_streaming()).response();
    assert_eq!(ascii(&response.body), ascii(&json_body(API, &words())));
    let response = Raw::asking(&stub, streaming()).response();
    assert!(response.status().contains(" 529 "), "{}", response.head);
    stub.verify();
}

#[test]
fn a_body_waits_for_its_first_token_before_its_head() {
    let pace = Pace::every(Duration::ZERO).first_token_after(Duration::MAX);
    let live = Live::new();
    let live_turn = Turn::from(&live).pace(pace.clone());
    for turn in [words().pace(pace), live_turn] {
        let stub = WireStub::builder()
            .turn(turn)
            .without_verify_on_drop()
            .start();
        let mut client = Raw::asking(&stub, not_streaming());
        stub.wait_for_requests_blocking(1);
        client.assert_nothing_more();
        assert_eq!(stub.single_request().bytes_written(), 0);
    }
}

#[test]
fn what_a_live_turn_says_keeps_its_pace() {
    let live = Live::new();
    let pace = Pace::recorded([MS, MS, MS, Duration::MAX]);
    let stub = WireStub::builder()
        .turn(Turn::from(&live).plain().pace(pace))
        .start();
    let mut client = Raw::asking(&stub, streaming());
    live.text("one").blocking();
    client.head();
    let read = client.read_until(b"\"text\":\"one\"}");
    assert!(ascii(&read).contains("message_start"));
    drop(client);
    stub.wait_for_cancel_blocking();
    drop(live);
}
