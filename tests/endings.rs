//! Answers that end badly, late, or not at all: exactly the bytes before the ending arrive, and the journal
//! says what happened.
#![cfg(feature = "server")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

#[path = "support/raw.rs"]
mod raw;

use std::time::Duration;

use llm_wire_stub::{
    After, Api, ApiError, Cut, Ending, Fragments, Gate, Outcome, RecordedRequest, Turn, WireStub,
    WireStubBuilder, chunks,
};
use raw::{
    Ended, LAST_CHUNK, MODEL, Raw, Response, ascii, call, chunked, not_streaming, streaming,
};

/// Says the same on every call, and what the pure helpers say.
fn turn(text: impl Into<String>) -> Turn {
    Turn::new().text(text).model(MODEL).seed(0)
}

/// A builder that gives `turn` to every call.
#[track_caller]
fn always(turn: &Turn) -> WireStubBuilder {
    WireStub::builder().turn(turn.clone()).repeat_last()
}

/// The body as it has to come, without the last chunk.
fn framed(turn: &Turn) -> Vec<u8> {
    chunked(chunks(Api::AnthropicMessages, turn, Cut::PerEvent))
}

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// How the client reads.
#[derive(Clone, Copy, Debug)]
enum Reader {
    /// As fast as it can.
    Fast,
    /// In small pieces, letting others run in between; every other time through a small receive buffer.
    Slow,
}

impl Reader {
    fn connect(self, stub: &WireStub, run: usize) -> Raw {
        match self {
            Self::Slow if run % 2 == 1 => Raw::with_receive_buffer(stub, 16 * KIB),
            Self::Slow | Self::Fast => Raw::connect(stub),
        }
    }

    #[track_caller]
    fn rest(self, client: &mut Raw, run: usize) -> (Vec<u8>, Ended) {
        match self {
            Self::Fast => client.rest(),
            Self::Slow => client.rest_in_pieces(501 + run, std::thread::yield_now),
        }
    }
}

/// Ends an answer after this much text, again and again: each time all that stands before the ending
/// arrives, and then the ending.
#[track_caller]
fn check_that_all_arrives(text: usize, ending: &Ending, ended: Ended, reader: Reader, runs: usize) {
    let turn = turn(('a'..='w').cycle().take(text).collect::<String>())
        .fragments(Fragments::whole())
        .text("never written")
        .end(After::deltas(1), ending.clone());
    let body = framed(&turn);
    let stub = always(&turn).patience(Duration::from_secs(60)).start();
    let whole = |run: &usize| {
        let mut client = reader.connect(&stub, *run);
        client.send(streaming());
        let head = client.head();
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        reader.rest(&mut client, *run) == (body.clone(), ended)
    };
    let count = (0..runs).filter(whole).count();
    assert_eq!(
        count, runs,
        "whole answers, {ending:?} after {text} bytes of text, {reader:?}"
    );
    stub.settled_blocking();
    let remarks: Vec<_> = stub.requests().iter().filter_map(|r| r.remark()).collect();
    assert_eq!(
        remarks, [""; 0],
        "{ending:?} after {text} bytes, {reader:?}"
    );
}

#[track_caller]
fn check_both_endings(text: usize, fast: usize, slow: usize) {
    for (ending, ended) in [(Ending::Reset, Ended::Reset), (Ending::Fin, Ended::Fin)] {
        check_that_all_arrives(text, &ending, ended, Reader::Fast, fast);
        check_that_all_arrives(text, &ending, ended, Reader::Slow, slow);
    }
}

#[test]
fn an_ending_after_1_byte_delivers_all_that_came_before_it() {
    check_both_endings(1, 100, 10);
}

#[test]
fn an_ending_after_64_kib_delivers_all_that_came_before_it() {
    check_both_endings(64 * KIB, 100, 10);
}

#[test]
fn an_ending_after_8_mib_delivers_all_that_came_before_it() {
    check_both_endings(8 * MIB, 5, 2);
}

#[test]
#[ignore = "the full bar, some minutes: `cargo test --release --test endings -- --ignored`"]
fn every_ending_of_a_thousand_delivers_all_that_came_before_it() {
    for text in [1, 64 * KIB, 8 * MIB] {
        check_both_endings(text, 1_000, 100);
    }
}

#[test]
fn an_ending_delivers_all_that_came_before_it_although_the_client_sent_more_than_was_read() {
    let ahead = [streaming(), vec![b'x'; 64 * KIB]].concat();
    for (ending, ended) in [(Ending::Reset, Ended::Reset), (Ending::Fin, Ended::Fin)] {
        let turn = turn("x".repeat(64 * KIB)).end(After::parts(1), ending.clone());
        let body = framed(&turn);
        let stub = always(&turn).start();
        for run in 0..100 {
            let mut client = Raw::asking(&stub, &ahead);
            client.head();
            assert!(
                client.rest() == (body.clone(), ended),
                "run {run}, {ending:?}"
            );
        }
    }
}

/// Every place of `three_words()` but the request, and how many of its events stand before it.
const PLACES: [(After, usize); 7] = [
    (After::head(), 0),
    (After::events(1), 1),
    (After::deltas(1), 4),
    (After::deltas(3), 6),
    (After::parts(1), 7),
    (After::stop_reason(), 8),
    (After::events(9), 9),
];

/// `message_start`, `content_block_start`, `ping`, three deltas, `content_block_stop`, `message_delta`,
/// `message_stop`.
fn three_words() -> Turn {
    turn("one two three")
}

/// The first events of `three_words()`, a chunk each.
fn first_events(n: usize) -> Vec<u8> {
    let events: Vec<_> = chunks(Api::AnthropicMessages, &three_words(), Cut::PerEvent).collect();
    assert_eq!(events.len(), 9);
    chunked(events.into_iter().take(n))
}

#[test]
fn reset_and_fin_cut_an_answer_at_every_place() {
    for (ending, ended, outcome) in [
        (Ending::Reset, Ended::Reset, Outcome::Reset),
        (Ending::Fin, Ended::Fin, Outcome::Failed),
    ] {
        for (place, events) in PLACES {
            let stub = always(&three_words().end(place, ending.clone())).start();
            let mut client = Raw::asking(&stub, streaming());
            let head = client.head();
            assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
            assert_eq!(client.rest(), (first_events(events), ended), "{place}");
            assert_eq!(stub.single_request().outcome(), outcome, "{place}");
        }
        let stub = always(&three_words().end(After::request(), ending.clone())).start();
        let mut client = Raw::asking(&stub, streaming());
        assert_eq!(client.rest(), (Vec::new(), ended), "{ending:?}");
        assert_eq!(stub.single_request().outcome(), outcome, "{ending:?}");
    }
}

#[test]
fn reset_and_fin_cut_a_non_streaming_answer_before_and_after_its_head() {
    for (ending, ended) in [(Ending::Reset, Ended::Reset), (Ending::Fin, Ended::Fin)] {
        let stub = always(&turn("hi").end(After::head(), ending.clone())).start();
        let mut client = Raw::asking(&stub, not_streaming());
        let (head, how) = client.rest();
        assert!(head.ends_with(b"\r\n\r\n"), "{}", head.escape_ascii());
        assert_eq!(how, ended);

        let stub = always(&turn("hi").end(After::request(), ending)).start();
        let mut client = Raw::asking(&stub, not_streaming());
        assert_eq!(client.rest(), (Vec::new(), ended));
    }
}

/// Plays the turn twice on one connection; gives back its request and the first response.
#[track_caller]
fn twice_on_one_connection(turn: &Turn, place: After) -> (RecordedRequest, Response) {
    let stub = always(turn).start();
    let mut client = Raw::asking(&stub, streaming());
    let first = client.response();
    client.send(streaming());
    assert_eq!(client.response(), first, "{place}");
    let [request, again] = <[_; 2]>::try_from(stub.requests()).unwrap();
    assert_eq!(request.connection(), again.connection(), "{place}");
    (request, first)
}

#[test]
fn an_early_end_closes_the_body_at_every_place_and_leaves_the_connection_usable() {
    for (place, events) in PLACES {
        let turn = three_words().end(place, Ending::CleanEof);
        let (request, response) = twice_on_one_connection(&turn, place);
        let body = [first_events(events), LAST_CHUNK.to_vec()].concat();
        assert_eq!(ascii(&response.framed), ascii(&body), "{place}");
        assert_eq!(request.outcome(), Outcome::Failed, "{place}");
    }
}

#[test]
fn an_in_stream_error_is_one_event_more_at_every_place_and_leaves_the_connection_usable() {
    const ERROR: &str = "event: error\ndata: {\"type\":\"error\",\"error\":{\"details\":null,\
        \"type\":\"overloaded_error\",\"message\":\"Overloaded\"},\
        \"request_id\":\"req_011CD8jRFjoipZeUB1dqxXKn\"               }\n\n";
    for (place, events) in PLACES {
        let turn = three_words().end(place, ApiError::overloaded());
        let (request, response) = twice_on_one_connection(&turn, place);
        let error = chunked([ERROR.into()]);
        let body = [first_events(events), error, LAST_CHUNK.to_vec()].concat();
        assert_eq!(ascii(&response.framed), ascii(&body), "{place}");
        assert_eq!(request.outcome(), Outcome::Failed, "{place}");
    }
}

#[test]
fn a_gate_holds_back_everything_behind_its_place() {
    for (place, events) in PLACES {
        let gate = Gate::new();
        let stub = always(&three_words().gate(place, &gate)).start();
        let mut client = Raw::asking(&stub, streaming());
        gate.reached_blocking();
        let head = client.head();
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        let before = first_events(events);
        assert_eq!(client.read_exactly(before.len()), before, "{place}");
        client.assert_nothing_more();
        assert_eq!(stub.single_request().outcome(), Outcome::Open, "{place}");

        gate.open();
        let whole = [first_events(9), LAST_CHUNK.to_vec()].concat();
        let after = client.read_exactly(whole.len() - before.len());
        assert_eq!(after, &whole[before.len()..], "{place}");
        client.assert_nothing_more();
        assert_eq!(stub.single_request().outcome(), Outcome::Complete);
    }
}

#[test]
fn a_gate_after_the_request_holds_back_the_head() {
    for (request, body_end) in [(streaming(), LAST_CHUNK), (not_streaming(), LAST_CHUNK)] {
        let gate = Gate::new();
        let stub = always(&turn("hi").gate(After::request(), &gate)).start();
        let mut client = Raw::asking(&stub, request);
        gate.reached_blocking();
        client.assert_nothing_more();
        gate.open();
        assert!(client.response().framed.ends_with(body_end));
    }
}

#[test]
fn a_stall_and_a_delay_let_out_what_stands_before_them() {
    let day = Duration::from_secs(24 * 60 * 60);
    for (place, events) in PLACES {
        for turn in [three_words().stall(place), three_words().delay(place, day)] {
            let stub = always(&turn).start();
            let mut client = Raw::asking(&stub, streaming());
            client.head();
            let before = first_events(events);
            assert_eq!(client.read_exactly(before.len()), before, "{place}");
            drop(client);
            let request = stub.wait_for_cancel_blocking();
            assert_eq!(request.outcome(), Outcome::Cancelled, "{place}");
        }
    }
}

#[test]
fn a_stall_is_told_to_who_waits_for_it() {
    let stub = always(&three_words().stall(After::deltas(2))).start();
    let mut client = Raw::asking(&stub, streaming());
    let request = stub.wait_for_stall_blocking();
    assert_eq!(request.outcome(), Outcome::Open);
    client.head();
    let before = first_events(5);
    assert_eq!(client.read_exactly(before.len()), before);
    client.assert_nothing_more();
}

#[test]
fn after_a_delay_the_answer_goes_on() {
    let turn = three_words().delay(After::deltas(1), Duration::from_millis(1));
    let stub = always(&turn).start();
    let response = Raw::asking(&stub, streaming()).response();
    assert_eq!(
        response.framed,
        [first_events(9), LAST_CHUNK.to_vec()].concat()
    );
}

/// How the client knows that it has its answer.
#[derive(Clone, Copy, Debug)]
enum Has {
    LastChunk,
    EndOfConnection,
}

#[test]
fn the_outcome_is_in_the_journal_when_the_client_has_its_answer() {
    const RUNS: usize = 300;
    let ending = |ending: Ending| three_words().end(After::deltas(2), ending);
    let before_head = three_words().end(After::request(), Ending::Reset);
    let error = Turn::error(ApiError::overloaded());
    for (turn, request, has, outcome) in [
        (
            three_words(),
            streaming(),
            Has::LastChunk,
            Outcome::Complete,
        ),
        (
            three_words(),
            not_streaming(),
            Has::LastChunk,
            Outcome::Complete,
        ),
        (error, streaming(), Has::LastChunk, Outcome::Complete),
        (
            three_words(),
            call(&[], "no JSON"),
            Has::LastChunk,
            Outcome::Refused,
        ),
        (
            ending(ApiError::overloaded().into()),
            streaming(),
            Has::LastChunk,
            Outcome::Failed,
        ),
        (
            ending(Ending::CleanEof),
            streaming(),
            Has::LastChunk,
            Outcome::Failed,
        ),
        (
            ending(Ending::Fin),
            streaming(),
            Has::EndOfConnection,
            Outcome::Failed,
        ),
        (
            ending(Ending::Reset),
            streaming(),
            Has::EndOfConnection,
            Outcome::Reset,
        ),
        (
            before_head,
            streaming(),
            Has::EndOfConnection,
            Outcome::Reset,
        ),
    ] {
        let stub = always(&turn).without_verify_on_drop().start();
        for run in 0..RUNS {
            let mut client = Raw::asking(&stub, &request);
            match has {
                Has::LastChunk => drop(client.response()),
                Has::EndOfConnection => drop(client.rest()),
            }
            let found = stub.requests()[run].outcome();
            assert_eq!(found, outcome, "run {run} of {turn:?}");
        }
    }
}

#[tokio::test]
async fn a_client_that_does_not_read_is_reset_all_the_same_and_the_journal_says_so() {
    let patience = Duration::from_millis(50);
    for (size, fragments) in [
        (64 * KIB, Fragments::whole()),
        (32 * MIB, Fragments::whole()),
        (32 * MIB, Fragments::size(64 * KIB)),
    ] {
        let reset = turn("x".repeat(size))
            .fragments(fragments)
            .end(After::parts(1), Ending::Reset);
        let body = framed(&reset);
        let stub = always(&reset).patience(patience).start();
        // small, so that also the smaller answer does not fit in
        let mut client = Raw::with_receive_buffer(&stub, 4 * KIB);
        client.send(streaming());
        let request = stub
            .wait_for_requests(1)
            .patience(Duration::from_secs(60))
            .await
            .remove(0);
        // the stub's own patience is short, for the sake of the client that does not read
        stub.settled().patience(Duration::from_secs(60)).await;
        assert_eq!(request.outcome(), Outcome::Reset);
        assert_eq!(
            request.remark().as_deref(),
            Some("reset before the client had read it all")
        );
        client.head();
        let (found, ended) = client.rest();
        assert!(found.len() < body.len(), "{} bytes", found.len());
        assert!(body.starts_with(&found));
        assert_eq!(ended, Ended::Reset);
    }
}

#[test]
fn a_client_that_reads_all_is_not_remarked_on() {
    for ending in [Ending::Reset, Ending::Fin] {
        let stub = always(&turn("x".repeat(MIB)).end(After::parts(1), ending)).start();
        Raw::asking(&stub, streaming()).rest();
        stub.settled_blocking();
        assert_eq!(stub.single_request().remark(), None);
    }
}
