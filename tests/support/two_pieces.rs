//! A stream that arrives in two pieces.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use llm_wire_stub::*;

/// The events of a body that is split here.
pub(crate) fn events_in_two(body: &[u8], at: usize) -> Vec<SseEvent> {
    let mut decoder = SseDecoder::new();
    let mut events = Vec::new();
    let (head, tail) = body.split_at(at);
    for bytes in [head, tail] {
        decoder.push(bytes).unwrap();
        events.extend(std::iter::from_fn(|| decoder.next_event()));
    }
    decoder.finish().unwrap();
    events
}

/// What is read of it.
pub(crate) fn in_two(api: Api, body: &[u8], at: usize) -> Reply {
    let mut accumulator = Accumulator::new(api);
    for event in events_in_two(body, at) {
        accumulator.push(&event).unwrap();
    }
    accumulator.finish().unwrap()
}
