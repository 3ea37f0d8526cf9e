//! Endings inside an event, of a wrong length, without a length, and bytes that are no HTTP.
#![cfg(feature = "server")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

#[path = "support/raw.rs"]
mod raw;

use llm_wire_stub::*;
use raw::{Ended, LAST_CHUNK, MODEL, Raw, chunked, not_streaming, streaming};

const API: Api = Api::AnthropicMessages;
const FILE: &str = file!();

/// Says the same on a stub as without one: `Hé`, then ` there`.
fn turn() -> Turn {
    Turn::new().text("Hé there").model(MODEL).seed(0).plain()
}

#[track_caller]
fn stub(turn: Turn) -> WireStub {
    WireStub::builder()
        .turn(turn)
        .without_verify_on_drop()
        .start()
}

/// The pieces of the whole answer; the fragments are the third and the fourth.
fn pieces() -> Vec<Vec<u8>> {
    let pieces = chunks(API, &turn(), Cut::PerEvent);
    pieces.map(|piece| piece.to_vec()).collect()
}

fn framed(pieces: &[Vec<u8>]) -> Vec<u8> {
    chunked(pieces.iter().cloned().map(Into::into))
}

/// Head, the rest, and how it ended.
#[track_caller]
fn answer(turn: Turn, request: Vec<u8>) -> (String, Vec<u8>, Ended) {
    let stub = stub(turn);
    let mut client = Raw::asking(&stub, request);
    let head = client.head();
    let (rest, ended) = client.rest();
    stub.settled_blocking();
    assert_eq!(stub.requests()[0].outcome(), Outcome::Failed);
    (head, rest, ended)
}

// --- inside an event -------------------------------------------------------------------------------

#[test]
fn an_end_inside_an_event_writes_its_first_half() {
    let all = pieces();
    let half = all[3][..all[3].len() / 2].to_vec();
    let stub = stub(turn().end(After::deltas(1), Ending::MidEvent));
    let mut client = Raw::asking(&stub, streaming());
    client.head();
    let expected = [&framed(&all[..3]), &framed(&[half])[..], LAST_CHUNK].concat();
    assert_eq!(
        client
            .read_exactly(expected.len())
            .escape_ascii()
            .to_string(),
        expected.escape_ascii().to_string()
    );
    stub.settled_blocking();
    assert_eq!(stub.requests()[0].outcome(), Outcome::Failed);
    // the body has ended properly, so that the connection takes the next call
    client.send(streaming());
    assert!(client.head().starts_with("HTTP/1.1 422 "));
}

#[test]
fn an_end_inside_a_character_writes_its_first_byte() {
    let all = pieces();
    let at = all[2].iter().position(|byte| !byte.is_ascii()).unwrap();
    let cut = all[2][..=at].to_vec();
    assert!(cut.ends_with(b"\"H\xc3"));
    let turn = turn().end(After::events(2), Ending::MidCharacter);
    let body = sse_body(API, &turn);
    assert_eq!(body, [all[..2].concat(), cut].concat());
    let error = accumulate(API, &body).unwrap_err();
    assert_eq!(
        *error.kind(),
        AccumulateErrorKind::Sse(SseErrorKind::UnfinishedEvent)
    );
}

#[test]
fn an_end_inside_an_event_cuts_a_damaged_one_and_a_whole_body_too() {
    let damaged = turn()
        .fault(Fault::EolCrlf)
        .end(After::events(1), Ending::MidEvent);
    let whole: Vec<_> = chunks(API, &turn().fault(Fault::EolCrlf), Cut::PerEvent).collect();
    let half = whole[1].slice(..whole[1].len() / 2);
    assert_eq!(sse_body(API, &damaged), [&whole[0][..], &half].concat());

    let whole = json_body(API, &turn());
    let cut = turn().end(After::head(), Ending::MidEvent);
    assert_eq!(json_body(API, &cut), whole[..whole.len() / 2]);
}

// --- lengths ---------------------------------------------------------------------------------------

#[test]
fn a_wrong_length_is_off_by_what_was_asked_for() {
    let body = pieces()[..3].concat();
    for by in [100, 1, -1, -100] {
        let turn = turn().end(After::deltas(1), Ending::WrongLength(by));
        let (head, rest, ended) = answer(turn, streaming());
        let length = i64::try_from(body.len()).unwrap() + by;
        assert!(
            head.contains(&format!("\r\nContent-Length: {length}\r\n")),
            "{head}"
        );
        assert!(!head.contains("Transfer-Encoding"), "{head}");
        assert_eq!((rest, ended), (body.clone(), Ended::Fin), "{by}");
    }
    let (head, rest, _) = answer(
        turn().end(After::head(), Ending::WrongLength(7)),
        not_streaming(),
    );
    assert!(head.contains("\r\nContent-Length: 7\r\n"), "{head}");
    assert_eq!(rest, b"");
}

#[test]
fn a_close_delimited_body_has_no_length_and_no_chunks() {
    let all = pieces();
    for (place, body) in [
        (After::deltas(1), all[..3].concat()),
        (After::events(all.len()), all.concat()),
    ] {
        let turn = turn().end(place, Ending::CloseDelimited);
        let (head, rest, ended) = answer(turn, streaming());
        assert!(
            !head.contains("Content-Length") && !head.contains("Transfer-Encoding"),
            "{head}"
        );
        assert!(head.contains("\r\nConnection: close\r\n"), "{head}");
        assert_eq!((rest, ended), (body, Ended::Fin));
    }
}

// --- bytes that are no HTTP ------------------------------------------------------------------------

#[test]
fn raw_bytes_are_written_as_they_are_and_the_connection_is_closed() {
    let bytes: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    for request in [streaming(), not_streaming()] {
        let stub = stub(Turn::raw(bytes.clone()));
        let mut client = Raw::asking(&stub, request);
        assert!(client.rest() == (bytes.clone(), Ended::Fin));
        stub.settled_blocking();
        let request = &stub.requests()[0];
        assert_eq!(request.outcome(), Outcome::Failed);
        assert_eq!(request.bytes_written(), 100_000);
    }
}

#[test]
fn raw_bytes_have_a_place_before_and_one_behind_them() {
    let bytes = "HTTP/1.1 200 OK\r\nContent-Ty";
    let gate = Gate::new();
    let turn = Turn::raw(bytes).gate(After::request(), &gate);

    let held = stub(turn.clone().stall(After::head()));
    let mut client = Raw::asking(&held, streaming());
    gate.reached_blocking();
    client.assert_nothing_more();
    gate.open();
    assert_eq!(client.read_exactly(bytes.len()), bytes.as_bytes());
    held.wait_for_stall_blocking();
    client.assert_nothing_more();

    let reset = stub(Turn::raw(bytes).end(After::head(), Ending::Reset));
    let mut client = Raw::asking(&reset, streaming());
    assert_eq!(client.rest(), (bytes.into(), Ended::Reset));
}

// --- what cannot be --------------------------------------------------------------------------------

#[test]
fn endings_without_their_target_say_what_is_missing() {
    let line = line!() + 1;
    let turn = Turn::new().text("Hé there").plain();
    let place = format!("where: anthropic_messages, turn built at {FILE}:{line}");
    let stop_reason = After::stop_reason;
    for (turn, expected) in [
        (
            turn.clone().end(After::request(), Ending::CloseDelimited),
            format!(
                "close-delimited end after the request is not possible: there is no head that could say it\n  {place}\n  \
                 help: use a place behind it, or `Ending::Fin`"
            ),
        ),
        (
            turn.clone().end(After::request(), Ending::WrongLength(1)),
            format!(
                "wrong length after the request is not possible: there is no head that could say it\n  {place}\n  \
                 help: use a place behind it, or `Ending::Fin`"
            ),
        ),
        (
            turn.clone().end(After::head(), Ending::WrongLength(-1)),
            format!(
                "wrong length after the head is not possible: 0 bytes are written there, and the length is wrong by -1\n  {place}\n  \
                 help: no length is below 0, and one that is wrong by 0 is right"
            ),
        ),
        (
            turn.clone().end(After::request(), Ending::MidEvent),
            format!(
                "end inside an event after the request is not possible: there is no body yet\n  {place}\n  \
                 help: use `After::head()`, or an error turn (`Turn::error(..)`) to answer with an error"
            ),
        ),
        (
            turn.clone().end(After::events(7), Ending::MidEvent),
            format!(
                "end inside an event after 7 events is not possible: no event follows\n  {place}\n  \
                 help: move it to a place before the last event"
            ),
        ),
        (
            turn.clone().end(stop_reason(), Ending::MidCharacter),
            format!(
                "end inside a character after the stop reason is not possible: the event behind it has no character of several bytes\n  {place}\n  \
                 help: move it to a place before one that has"
            ),
        ),
        (
            turn.clone()
                .end(After::deltas(1), Ending::MidEvent)
                .stall(After::deltas(2)),
            format!(
                "stall after 2 deltas is never reached: the answer ends before it\n  {place}\n  \
                 help: remove one of the two"
            ),
        ),
    ] {
        let error = try_sse_body(API, &turn).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn raw_bytes_say_nothing_and_cannot_be_damaged() {
    let line = line!() + 1;
    let raw = Turn::raw("x");
    let place = format!("{FILE}:{line}");
    let pure = format!(
        "raw bytes are no answer of the model\n  where: anthropic_messages, turn built at {place}\n  \
         help: give the turn to a stub; what a client reads are these bytes"
    );
    assert_eq!(try_sse_body(API, &raw).unwrap_err().to_string(), pure);
    assert_eq!(try_json_body(API, &raw).unwrap_err().to_string(), pure);
    assert_eq!(raw.normalized(API).unwrap_err().to_string(), pure);
    for (turn, expected) in [
        (
            raw.clone().fault(Fault::EolCrlf),
            "fault `eol-crlf` has no target in raw bytes\n",
        ),
        (
            raw.clone().end(After::deltas(1), Ending::Fin),
            "FIN after 1 delta is not possible: a turn of raw bytes has no places inside\n",
        ),
    ] {
        let stub = stub(turn);
        let response = Raw::asking(&stub, streaming()).response();
        assert_eq!(response.status(), "HTTP/1.1 422 Unprocessable Entity");
        let body: serde_json::Value = serde_json::from_slice(&response.body).unwrap();
        let message = body["error"]["message"].as_str().unwrap();
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
#[should_panic(expected = "a turn of raw bytes says nothing but these\n  \
                           help: use `Turn::new()` for an answer of the model")]
fn raw_bytes_take_no_parts() {
    let _ = Turn::raw("x").text("y");
}

#[test]
fn a_live_turn_knows_neither_its_length_nor_its_next_event() {
    let stub = |live: &Live| WireStub::builder().turn(live).start();
    for (ending, expected) in [
        (
            Ending::CloseDelimited,
            "a live answer's head is written before it is known how it ends, which ended the answer\n  \
         help: script the turn, or end it with `Ending::Fin`",
        ),
        (
            Ending::WrongLength(1),
            "a live answer's head is written before it is known how it ends, which ended the answer\n  \
         help: script the turn, or end it with `Ending::Fin`",
        ),
        (
            Ending::MidEvent,
            "a live answer ends behind what was said: there is no next event, which ended the answer\n  \
         help: script the turn, or end it with `Ending::CleanEof`",
        ),
        (
            Ending::MidCharacter,
            "a live answer ends behind what was said: there is no next event, which ended the answer\n  \
         help: script the turn, or end it with `Ending::CleanEof`",
        ),
    ] {
        let live = Live::new();
        let stub = stub(&live);
        let mut client = Raw::asking(&stub, streaming());
        live.fail(ending).or_gone_blocking().unwrap_err();
        client.head();
        assert_eq!(client.rest().1, Ended::Reset);
        stub.settled_blocking();
        let report = stub.try_verify().unwrap_err().to_string();
        let expected = expected.replace("\n", "\n      ");
        assert!(report.contains(&expected), "{report}");
    }
}
