//! The decoder of event streams: any bytes, cut anywhere.
#![no_main]

use fuzz::{
    memory, mutate,
    naive_sse::{self, End, Event},
    pieces,
};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use llm_wire_stub::{SseDecoder, SseError, SseErrorKind, SseEvent};

#[global_allocator]
static COUNTED: memory::Counting = memory::Counting;

fuzz_target!(|stream: &[u8]| {
    let limits = [SseDecoder::DEFAULT_LIMIT, stream.len() / 3];
    for limit in limits {
        check(stream, limit);
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate::events(data, size, max_size, seed)
});

type Decoded = (Vec<SseEvent>, Result<(), SseError>);

fn check(stream: &[u8], limit: usize) {
    let whole = decode([stream], limit);
    assert_eq!(decode(pieces::drawn(stream), limit), whole, "cut as drawn");
    assert_eq!(decode(pieces::two(stream), limit), whole, "cut in two");
    assert_eq!(decode(stream.chunks(1), limit), whole, "cut at every byte");

    let (events, end) = naive_sse::decode(stream, limit);
    let ours: Vec<Event> = whole.0.iter().map(plain).collect();
    assert_eq!((ours, ended(&whole.1)), (events, end), "limit {limit}");

    // what is held of a stream depends on the limit, not on its length
    let held = memory::peak(|| drain(stream, limit)).1;
    assert!(
        held < 8 * limit.min(stream.len()) + 16 * 1024,
        "{held} bytes held, limit {limit}"
    );

    for (index, event) in whole.0.iter().enumerate() {
        assert_eq!(event.index(), index);
        round_trip(event);
    }
}

fn decode<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, limit: usize) -> Decoded {
    let mut decoder = SseDecoder::new().with_limit(limit);
    let mut events = Vec::new();
    for piece in pieces {
        let pushed = decoder.push(piece);
        events.extend(std::iter::from_fn(|| decoder.next_event()));
        if let Err(error) = pushed {
            assert_eq!(decoder.finish(), Err(error.clone()), "an error stays");
            return (events, Err(error));
        }
    }
    (events, decoder.finish())
}

/// Decodes in small pieces and keeps nothing.
fn drain(stream: &[u8], limit: usize) {
    let mut decoder = SseDecoder::new().with_limit(limit);
    for piece in pieces::drawn(stream) {
        let _ = decoder.push(piece);
        while decoder.next_event().is_some() {}
    }
}

fn plain(event: &SseEvent) -> Event {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    (
        owned(event.name()),
        event.data().to_owned(),
        owned(event.id()),
        event.retry(),
    )
}

fn ended(end: &Result<(), SseError>) -> End {
    let Err(error) = end else {
        return End::Clean;
    };
    assert!(!error.to_string().is_empty());
    match error.kind() {
        SseErrorKind::UnfinishedEvent => End::Unfinished,
        SseErrorKind::InvalidUtf8 => End::InvalidUtf8,
        SseErrorKind::TooLarge { .. } => End::TooLarge,
        other => panic!("an unknown kind: {other:?}"),
    }
}

/// Written as the providers write it, the event is read again as it was.
fn round_trip(event: &SseEvent) {
    let mut written = String::new();
    if let Some(name) = event.name() {
        written += &format!("event: {name}\n");
    }
    for line in event.data().split('\n') {
        written += &format!("data: {line}\n");
    }
    written.push('\n');
    let (again, end) = decode([written.as_bytes()], usize::MAX);
    assert_eq!(end, Ok(()));
    let [again] = &again[..] else {
        panic!("one event is read as {}", again.len());
    };
    assert_eq!((again.name(), again.data()), (event.name(), event.data()));
}
