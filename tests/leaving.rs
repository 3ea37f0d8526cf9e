//! Clients that leave: noticed wherever the stub waits, and never taken for a whole answer or the reverse.
#![cfg(feature = "server")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

#[path = "support/raw.rs"]
mod raw;

use std::time::Duration;

use futures_util::StreamExt;
use llm_wire_stub::{After, Fragments, Gate, Outcome, Turn, WireStub, WireStubBuilder};
use raw::{LAST_CHUNK, Raw, not_streaming, streaming};

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

#[track_caller]
fn always(turn: impl Into<Turn>) -> WireStubBuilder {
    WireStub::builder().turn(turn).repeat_last()
}

/// How a client leaves.
#[derive(Clone, Copy, Debug)]
enum Leave {
    /// It has read all that there was.
    HavingRead,
    /// It leaves bytes unread, so that its system resets the connection.
    Unread,
    /// It sent an empty line behind its request.
    AfterEmptyLine,
    /// It sent its next request already.
    AfterNextRequest,
    /// It closes its sending side and keeps the other.
    HalfClose,
}

impl Leave {
    const ALL: [Self; 5] = [
        Self::HavingRead,
        Self::Unread,
        Self::AfterEmptyLine,
        Self::AfterNextRequest,
        Self::HalfClose,
    ];

    /// Gives back what is left of the client.
    fn leave(self, mut client: Raw, written: u64) -> Option<Raw> {
        match self {
            Self::HavingRead => {
                client.read_exactly(usize::try_from(written).unwrap());
            }
            Self::Unread => {}
            Self::AfterEmptyLine => client.send(b"\r\n"),
            Self::AfterNextRequest => client.send(streaming()),
            Self::HalfClose => {
                client.finish_sending();
                return Some(client);
            }
        }
        None
    }
}

/// The client leaves in this way once the answer has come to where it waits.
#[track_caller]
fn check_that_it_is_noticed(leave: Leave, turn: Turn, comes_to_its_place: impl FnOnce(&WireStub)) {
    let stub = always(turn).start();
    let client = Raw::asking(&stub, streaming());
    comes_to_its_place(&stub);
    let request = stub.single_request();
    assert_eq!(request.outcome(), Outcome::Open, "{leave:?}");
    let half = leave.leave(client, request.bytes_written());
    let cancelled = stub.wait_for_cancel_blocking();
    assert_eq!(cancelled.index(), request.index(), "{leave:?}");
    assert_eq!(request.outcome(), Outcome::Cancelled, "{leave:?}");
    stub.drained_blocking();
    if let Some(mut half) = half {
        half.rest();
    }
    assert_eq!(stub.requests().len(), 1, "{leave:?}");
}

const PLACES: [After; 4] = [
    After::request(),
    After::head(),
    After::deltas(1),
    After::stop_reason(),
];

#[test]
fn a_leave_is_noticed_at_a_gate() {
    for leave in Leave::ALL {
        for place in PLACES.repeat(10) {
            let gate = Gate::new();
            let turn = Turn::new().text("two words").gate(place, &gate);
            check_that_it_is_noticed(leave, turn, |_| gate.reached_blocking());
        }
    }
}

#[test]
fn a_leave_is_noticed_at_a_stall() {
    for leave in Leave::ALL {
        for place in PLACES {
            let turn = Turn::new().text("two words").stall(place);
            check_that_it_is_noticed(leave, turn, |stub| drop(stub.wait_for_stall_blocking()));
        }
    }
}

#[test]
fn a_leave_is_noticed_during_a_delay() {
    let day = Duration::from_secs(24 * 60 * 60);
    for leave in Leave::ALL {
        for place in PLACES {
            let turn = Turn::new().text("two words").delay(place, day);
            check_that_it_is_noticed(leave, turn, |stub| {
                drop(stub.wait_for_requests_blocking(1));
            });
        }
    }
}

#[test]
fn a_leave_is_noticed_under_a_hold() {
    for leave in Leave::ALL {
        let stub = always("hi").start();
        let hold = stub.hold();
        let client = Raw::asking(&stub, streaming());
        stub.wait_for_requests_blocking(1);
        let half = leave.leave(client, 0);
        let request = stub.wait_for_cancel_blocking();
        assert_eq!(request.outcome(), Outcome::Cancelled, "{leave:?}");
        assert_eq!(request.bytes_written(), 0, "{leave:?}");
        drop((half, hold));
    }
}

#[test]
fn a_leave_is_noticed_while_a_big_body_waits_for_a_client_that_does_not_read() {
    let text = "x".repeat(64 * MIB);
    for fragments in [Fragments::whole(), Fragments::size(10 * KIB)] {
        let turn = Turn::new().text(text.as_str()).fragments(fragments);
        for request in [streaming(), not_streaming()] {
            let stub = always(turn.clone()).start();
            let mut client = Raw::asking(&stub, request);
            client.head();
            // it cannot be anything else before most of it was read
            let request = stub.single_request();
            assert_eq!(request.outcome(), Outcome::Open);
            drop(client);
            stub.wait_for_cancel_blocking();
            assert_eq!(request.outcome(), Outcome::Cancelled);
            stub.settled_blocking();
            assert!(request.bytes_written() < 64 * 1024 * 1024);
        }
    }
}

#[test]
fn a_client_that_closes_its_sending_side_gets_an_answer_without_waits_whole() {
    let big = Turn::new()
        .text("x".repeat(8 * MIB))
        .fragments(Fragments::size(KIB));
    for (turn, runs) in [("two words".into(), 300), (big, 2)] {
        let stub = always(turn).start();
        for request in [streaming(), not_streaming()] {
            for _ in 0..runs {
                let mut client = Raw::asking(&stub, &request);
                client.finish_sending();
                assert!(client.response().framed.ends_with(LAST_CHUNK));
            }
        }
        let requests = stub.requests();
        assert!(requests.iter().all(|r| r.outcome() == Outcome::Complete));
    }
}

#[test]
fn the_oldest_cancel_that_was_not_given_back_is_given_back_first() {
    let stub = always(Turn::new().text("hi").stall(After::head())).start();
    let leave = || {
        let client = Raw::asking(&stub, streaming());
        stub.wait_for_stall_blocking();
        drop(client);
        stub.drained_blocking();
    };
    leave();
    leave();
    assert_eq!(stub.wait_for_cancel_blocking().index(), 0);
    leave();
    assert_eq!(stub.wait_for_cancel_blocking().index(), 1);
    assert_eq!(stub.wait_for_cancel_blocking().index(), 2);
}

#[test]
fn a_short_answer_is_complete_although_its_client_leaves_after_the_first_bytes() {
    let stub = always("a short answer of some more than a few words").start();
    for run in 0..300 {
        let mut client = Raw::asking(&stub, streaming());
        client.read_exactly(1);
        drop(client);
        stub.drained_blocking();
        assert_eq!(
            stub.requests()[run].outcome(),
            Outcome::Complete,
            "run {run}"
        );
    }
}

#[test]
fn the_outcome_is_complete_when_the_client_has_the_last_event() {
    // around the sizes at which the stub hands bytes over
    let around = |size: usize| (size - 1_500..size + 100).step_by(40);
    let sizes = [1; 300].into_iter();
    let sizes = sizes
        .chain(around(4 * KIB))
        .chain(around(8 * KIB))
        .chain(around(64 * KIB));
    for size in sizes {
        let turn = Turn::new()
            .text("x".repeat(size))
            .fragments(Fragments::whole());
        let stub = always(turn.plain()).start();
        let mut client = Raw::asking(&stub, streaming());
        client.read_until(b"\"message_stop\"}\n\n");
        let outcome = stub.single_request().outcome();
        assert_eq!(outcome, Outcome::Complete, "{size} bytes of text");
    }
}

#[tokio::test]
async fn reqwest_leaves_when_its_future_or_its_stream_is_dropped() {
    let http = reqwest::Client::new();
    let post = |stub: &WireStub| {
        http.post(stub.anthropic_url() + "/v1/messages")
            .header("x-api-key", "sk-ant-test")
            .header("anthropic-version", "2023-06-01")
            .body(raw::streaming_body())
            .send()
    };

    let gate = Gate::new();
    let stub = always(Turn::new().text("hi").gate(After::request(), &gate)).start();
    let asking = tokio::spawn(post(&stub));
    gate.reached().await;
    asking.abort();
    let request = stub.wait_for_cancel().await;
    assert_eq!(request.outcome(), Outcome::Cancelled);

    let gate = Gate::new();
    let stub = always(Turn::new().text("two words").gate(After::deltas(1), &gate)).start();
    let mut stream = post(&stub).await.unwrap().bytes_stream();
    assert!(
        stream
            .next()
            .await
            .unwrap()
            .unwrap()
            .starts_with(b"event: message_start")
    );
    drop(stream);
    let request = stub.wait_for_cancel().await;
    assert_eq!(request.outcome(), Outcome::Cancelled);
}
