//! Sizes that faults are about arrive byte for byte, in writes as many as were asked for.

use llm_wire_stub::*;

use crate::{
    raw::{LAST_CHUNK, Raw, chunked},
    socket::{asking, of_stub, stub},
};

const API: Api = Api::AnthropicMessages;
const MIB: usize = 1024 * 1024;

/// Plays the turn over a socket; gives back how many writes its body had, and how many bytes these.
#[track_caller]
fn played(turn: Turn) -> (usize, usize) {
    let turn = of_stub(turn);
    let pieces: Vec<_> = chunks(API, &turn, Cut::PerEvent).collect();
    let size = (pieces.len(), pieces.iter().map(|piece| piece.len()).sum());
    let expected = chunked(pieces);
    let stub = stub(turn);
    let mut client = Raw::asking(&stub, asking(API));
    client.head();
    assert!(
        client.read_exactly(expected.len()) == expected,
        "other bytes than those of the plan"
    );
    assert_eq!(client.read_exactly(LAST_CHUNK.len()), LAST_CHUNK);
    size
}

/// Pieces of `hi` besides that with the text, and bytes besides it.
fn around_the_text() -> (usize, usize) {
    let pieces: Vec<_> = chunks(API, &of_stub("hi".into()), Cut::PerEvent).collect();
    let is_text =
        |piece: &&bytes::Bytes| String::from_utf8_lossy(piece).contains("\"text\":\"hi\"");
    let text = pieces.iter().find(is_text).unwrap().len();
    (
        pieces.len() - 1,
        pieces.concat().len() - text + "event: content_block_delta\n\n\n".len(),
    )
}

#[test]
fn an_event_of_16_mib_arrives_in_writes_of_16_bytes() {
    let (writes, bytes) = around_the_text();
    let large = Turn::from("hi")
        .fault(Fault::LargeEvent.variant("16-mib"))
        .fault(Fault::TinyFragments.variant("1-mib-by-16"));
    let event = 16 * MIB + "event: content_block_delta\n\n\n".len();
    let expected = (writes + event.div_ceil(16), bytes + 16 * MIB);
    assert_eq!(played(large), expected);
}

#[test]
fn writes_of_a_large_event_are_as_many_as_its_bytes_ask_for() {
    let (writes, bytes) = around_the_text();
    for (variant, mib, write) in [
        ("1-mib-by-16", 1, 16),
        ("1-mib-by-1024", 1, 1024),
        ("8-mib-by-1024", 8, 1024),
    ] {
        let turn = Turn::from("hi").fault(Fault::TinyFragments.variant(variant));
        let event = mib * MIB + "event: content_block_delta\n\n\n".len();
        let expected = (writes + event.div_ceil(write), bytes + mib * MIB);
        assert_eq!(played(turn), expected, "{variant}");
    }
}

#[test]
fn twenty_thousand_events_arrive_100_in_a_write() {
    let turn = Turn::from("hi").plain().fault(Fault::ManyTinyEvents);
    // and what stands around the text
    let events = chunks(API, &of_stub("hi".into()).plain(), Cut::PerEvent).count() - 1;
    let (writes, _) = played(turn);
    assert_eq!(writes, (20_000 + events).div_ceil(100));
}

#[test]
fn eight_mib_arrive_in_one_write() {
    let turn = Turn::from("x".repeat(8 * MIB))
        .fragments(Fragments::whole())
        .fault(Fault::BufferedBurst);
    let (writes, bytes) = played(turn);
    assert_eq!(writes, 1);
    assert!(bytes > 8 * MIB, "{bytes}");
}
