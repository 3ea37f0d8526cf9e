//! Three other decoders read the same streams as ours: whole, byte by byte and at each two-way split.
//! Where one of them reads something else, that is pinned with its reason, so that a fix is noticed.

use bytes::Bytes;
use eventsource_stream::Eventsource;
use futures_util::{FutureExt, Stream, StreamExt, stream};
use llm_wire_stub::SseDecoder;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::convert::Infallible;
use std::iter;
use std::panic;
use std::pin::pin;
use std::time::Duration;

/// What a decoder made of a whole stream. Events are name and data; no name is `message`.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reading {
    Events(Vec<(String, String)>),
    /// An error after these events.
    Error(Vec<(String, String)>),
    Panic,
}

/// A stream, and the events that are in it.
type Row<'a> = (&'a [u8], Events<'a>);

type Events<'a> = &'a [(&'a str, &'a str)];

fn events(events: Events<'_>) -> Reading {
    Reading::Events(events.iter().map(|(name, data)| pair(name, data)).collect())
}

fn error(events: Events<'_>) -> Reading {
    Reading::Error(events.iter().map(|(name, data)| pair(name, data)).collect())
}

fn pair(name: &str, data: &str) -> (String, String) {
    (name.to_owned(), data.to_owned())
}

fn ours(writes: &[&[u8]]) -> Reading {
    let mut decoder = SseDecoder::new();
    let pushed = writes.iter().try_for_each(|write| decoder.push(write));
    let end = pushed.and_then(|()| decoder.finish());
    let events = iter::from_fn(|| decoder.next_event())
        .map(|event| pair(event.name().unwrap_or("message"), event.data()))
        .collect();
    match end {
        Ok(()) => Reading::Events(events),
        Err(_) => Reading::Error(events),
    }
}

fn eventsource_stream(writes: &[&[u8]]) -> Reading {
    let event = |event: eventsource_stream::Event| Some(pair(&event.event, &event.data));
    reading(|| read(body(writes).eventsource(), event))
}

// It hands out every block, also without data; `sse_stream_hands_out_blocks_without_data` below.
fn sse_stream(writes: &[&[u8]]) -> Reading {
    let event = |block: sse_stream::Sse| {
        let name = block.event.as_deref().unwrap_or("message");
        Some(pair(name, block.data.as_deref()?))
    };
    reading(|| read(sse_stream::SseByteStream::new(body(writes)), event))
}

fn sseer(writes: &[&[u8]]) -> Reading {
    let event = |event: sseer::event::Event| Some(pair(&event.event, &event.data));
    reading(|| read(sseer::EventStream::new(body(writes)), event))
}

fn reading(read: impl FnOnce() -> Reading + panic::UnwindSafe) -> Reading {
    panic::catch_unwind(read).unwrap_or(Reading::Panic)
}

fn read<T, E>(
    items: impl Stream<Item = Result<T, E>>,
    event: impl Fn(T) -> Option<(String, String)>,
) -> Reading {
    let mut items = pin!(items);
    let mut events = Vec::new();
    while let Some(item) = now(items.next()) {
        match item {
            Ok(item) => events.extend(event(item)),
            Err(_) => return Reading::Error(events),
        }
    }
    Reading::Events(events)
}

/// What a future over bytes that are all there is ready with.
#[track_caller]
fn now<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("all bytes are there")
}

type Body = stream::Iter<std::vec::IntoIter<Result<Bytes, Infallible>>>;

fn body(writes: &[&[u8]]) -> Body {
    let writes = writes.iter().map(|write| Bytes::copy_from_slice(write));
    stream::iter(writes.map(Ok).collect::<Vec<_>>())
}

/// A body that stays open after its bytes.
fn open_body(bytes: &[u8]) -> impl Stream<Item = Result<Bytes, Infallible>> + Unpin + use<> {
    body(&[bytes]).chain(stream::pending())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judge {
    EventsourceStream,
    SseStream,
    Sseer,
}

use Judge::{EventsourceStream, SseStream, Sseer};

impl Judge {
    const ALL: [Self; 3] = [EventsourceStream, SseStream, Sseer];

    fn read(self, writes: &[&[u8]]) -> Reading {
        match self {
            EventsourceStream => eventsource_stream(writes),
            SseStream => sse_stream(writes),
            Sseer => sseer(writes),
        }
    }
}

/// Whole, byte by byte, and each two-way split.
fn every_cut(bytes: &[u8]) -> Vec<Vec<&[u8]>> {
    let splits = (0..=bytes.len()).map(|cut| {
        let (first, second) = bytes.split_at(cut);
        vec![first, second]
    });
    [vec![bytes], bytes.chunks(1).collect()]
        .into_iter()
        .chain(splits)
        .collect()
}

/// Asserts what we read, and that each judge reads it too or else exactly what `differences` says.
#[track_caller]
fn assert_readings(bytes: &[u8], expected: &Reading, differences: &[(Judge, Reading)]) {
    let row = bytes.escape_ascii();
    for writes in every_cut(bytes) {
        assert_eq!(ours(&writes), *expected, "{row}: ours, writes {writes:?}");
        for judge in Judge::ALL {
            let difference = differences.iter().find(|(who, _)| *who == judge);
            let expected = difference.map_or(expected, |(_, reading)| reading);
            assert_eq!(
                judge.read(&writes),
                *expected,
                "{row}: {judge:?}, writes {writes:?}"
            );
        }
    }
}

#[test]
fn judges_agree_on_well_formed_streams() {
    let rows: [Row<'_>; 34] = [
        (b"", &[]),
        (b"data: 1\n\n", &[("message", "1")]),
        // line ends
        (
            b"event: a\ndata: 1\ndata: 2\n\ndata: 3\n\n",
            &[("a", "1\n2"), ("message", "3")],
        ),
        (
            b"event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n",
            &[("a", "1"), ("message", "2")],
        ),
        (
            b"event: a\rdata: 1\r\rdata: 2\r\r\n",
            &[("a", "1"), ("message", "2")],
        ),
        (
            b"event: a\r\ndata: 1\n\rdata: 2\n\n",
            &[("a", "1"), ("message", "2")],
        ),
        // a byte order mark that is not at the start is content
        (b"data:\xef\xbb\xbf1\n\n", &[("message", "\u{feff}1")]),
        (b"data: 1\n\n\xef\xbb\xbfdata: 2\n\n", &[("message", "1")]),
        (b"\n\xef\xbb\xbfdata: 1\n\n", &[]),
        (b": c\n\xef\xbb\xbfdata: 1\n\n", &[]),
        (b"\xef\xbf\xbd: x\ndata: 1\n\n", &[("message", "1")]),
        // code points of 2, 3 and 4 bytes, and separators that end no line
        (
            b"event: \xc3\xa9\ndata: \xe2\x82\xac \xf0\x9f\xa6\x80\n\n",
            &[("\u{e9}", "\u{20ac} \u{1f980}")],
        ),
        (
            b"data: a\xe2\x80\xa8b\xe2\x80\xa9c\xc2\x85d\x0be\x0cf\x1cg\0h\n\n",
            &[(
                "message",
                "a\u{2028}b\u{2029}c\u{85}d\u{b}e\u{c}f\u{1c}g\0h",
            )],
        ),
        // comments and blank lines
        (
            b": first\n\nevent: a\n: mid\ndata: 1\n:\n\n:\n",
            &[("a", "1")],
        ),
        (b":\n\n:\r\n\r\ndata: 1\n\n", &[("message", "1")]),
        (
            b"\n\n\n\rdata: 1\n\n\n\n\r\n\r\ndata: 2\n\n\n",
            &[("message", "1"), ("message", "2")],
        ),
        // spaces after the colon, and no colon
        (
            b"event:a\ndata:1\n\nevent:  b\ndata:  2 \n\n",
            &[("a", "1"), (" b", " 2 ")],
        ),
        (b"data\n\n", &[("message", "")]),
        (b"data\ndata\n\n", &[("message", "\n")]),
        // empty data, and none
        (b"data:\n\n", &[("message", "")]),
        (b"event: a\ndata: \n\n", &[("a", "")]),
        (b"data: 1\ndata:\n\n", &[("message", "1\n")]),
        (b"data:\ndata: 1\n\n", &[("message", "\n1")]),
        (b"event: a\n\ndata: 1\n\n", &[("message", "1")]),
        (b"event: a\n\n\n", &[]),
        (b"id: 1\n\nretry: 2\n\ndata: 1\n\n", &[("message", "1")]),
        // other fields
        (b"event: a\nevent: b\ndata: 1\n\n", &[("b", "1")]),
        (b"foo: 1\nword\ndata: 1\n\n", &[("message", "1")]),
        (
            b"Data: 2\ndata : 3\n data: 4\ndata: 1\n\n",
            &[("message", "1")],
        ),
        (b"retry: 10\nretry: x\ndata: 1\n\n", &[("message", "1")]),
        (b"id: a\0b\ndata: 1\n\n", &[("message", "1")]),
        (
            b"id: 1\ndata: 1\n\n: c\n\ndata: 2\n\n",
            &[("message", "1"), ("message", "2")],
        ),
        (b"event: a\n:c\n\ndata: 1\n\n", &[("message", "1")]),
        (
            b"data: 1\n:c\n\ndata: 2\n\n",
            &[("message", "1"), ("message", "2")],
        ),
    ];
    for (bytes, expected) in rows {
        assert_readings(bytes, &events(expected), &[]);
    }
}

#[test]
fn judges_agree_on_bytes_that_are_not_utf8_in_a_field_they_read() {
    let rows: [Row<'_>; 6] = [
        (b"data: \xff\n\n", &[]),
        (b"data: \xe2\x82\n\n", &[]),
        (
            b"data: 1\n\ndata: \xe2\x82(\n\ndata: 3\n\n",
            &[("message", "1")],
        ),
        (b"data: 1\n\nid: \xff\ndata: 2\n\n", &[("message", "1")]),
        (b"data: 1\n\nevent: \xff\ndata: 2\n\n", &[("message", "1")]),
        (b"data: 1\n\nretry: \xff\ndata: 2\n\n", &[("message", "1")]),
    ];
    for (bytes, expected) in rows {
        assert_readings(bytes, &error(expected), &[]);
    }
}

// It cuts the byte order mark, three bytes long, off its text as if it were one byte.
#[test]
fn eventsource_stream_panics_on_a_leading_byte_order_mark() {
    let rows: [Row<'_>; 5] = [
        (b"\xef\xbb\xbf", &[]),
        (b"\xef\xbb\xbfdata: 1\n\n", &[("message", "1")]),
        (b"\xef\xbb\xbf: c\ndata: 1\n\n", &[("message", "1")]),
        (b"\xef\xbb\xbf\ndata: 1\n\n", &[("message", "1")]),
        (
            b"\xef\xbb\xbf\xef\xbb\xbfdata: 1\n\ndata: 2\n\n",
            &[("message", "2")],
        ),
    ];
    for (bytes, expected) in rows {
        let panics = (EventsourceStream, Reading::Panic);
        assert_readings(bytes, &events(expected), &[panics]);
    }
}

// It waits for an LF after the CR, and drops the CR when the stream ends instead.
#[test]
fn eventsource_stream_loses_an_event_whose_blank_line_is_a_final_cr() {
    let rows: [(&[u8], Reading, Reading); 2] = [
        (
            b"event: a\rdata: 1\r\rdata: 2\r\r",
            events(&[("a", "1"), ("message", "2")]),
            events(&[("a", "1")]),
        ),
        (b"data: 1\r\n\r", events(&[("message", "1")]), events(&[])),
    ];
    for (bytes, expected, loses) in rows {
        assert_readings(bytes, &expected, &[(EventsourceStream, loses)]);
    }
}

// 9.2.6: the type changes only "if the event type buffer has a value other than the empty string".
// sse-stream leaves that step to its caller and hands out the empty name.
#[test]
fn sse_stream_hands_out_an_empty_name() {
    for bytes in [
        b"event:\ndata: 1\n\n".as_slice(),
        b"event\ndata: 1\n\n",
        b"event: a\nevent:\ndata: 1\n\n",
    ] {
        let empty = (SseStream, events(&[("", "1")]));
        assert_readings(bytes, &events(&[("message", "1")]), &[empty]);
    }
}

// 9.2.6: a line without a colon is processed with "the empty string as the field value", so it takes
// the name back. sseer passes over such an `event`.
#[test]
fn sseer_keeps_the_name_that_an_event_line_without_a_colon_takes_back() {
    let empty = (SseStream, events(&[("", "1")]));
    let keeps = (Sseer, events(&[("a", "1")]));
    assert_readings(
        b"event: a\nevent\ndata: 1\n\n",
        &events(&[("message", "1")]),
        &[empty, keeps],
    );
}

// A line of an unknown field is dropped before it is decoded: by sse-stream always, by sseer if the
// damage is in the name.
#[test]
fn sse_stream_and_sseer_pass_over_bytes_that_are_not_utf8_in_unknown_fields() {
    let ours = error(&[("message", "1")]);
    let both = events(&[("message", "1"), ("message", "2")]);
    assert_readings(
        b"data: 1\n\nfoo: \xff\ndata: 2\n\n",
        &ours,
        &[(SseStream, both.clone())],
    );
    assert_readings(
        b"data: 1\n\nfo\xffo: x\ndata: 2\n\n",
        &ours,
        &[(SseStream, both.clone()), (Sseer, both)],
    );
}

// It decodes the stream before it looks for lines; the others skip comments as bytes.
#[test]
fn eventsource_stream_rejects_bytes_that_are_not_utf8_in_a_comment() {
    assert_readings(
        b"data: 1\n\n:\xff\ndata: 2\n\n",
        &events(&[("message", "1"), ("message", "2")]),
        &[(EventsourceStream, error(&[("message", "1")]))],
    );
}

// 9.2.6: "Once the end of the file is reached, any pending data must be discarded." That is what the
// judges do. We report it, because a cut stream must not pass for a short answer.
#[test]
fn judges_discard_an_unfinished_event_that_we_report() {
    for tail in [
        b"data: 1".as_slice(),
        b"data: 1\n",
        b"data: 1\r",
        b"data: 1\r\n",
        b"id: 1\n",
        b"event: x",
        b": x",
    ] {
        let bytes = [b"data: 0\n\n", tail].concat();
        let whole = [("message", "0")];
        let discards = Judge::ALL.map(|judge| (judge, events(&whole)));
        assert_readings(&bytes, &error(&whole), &discards);
    }
}

// It flushes its UTF-8 buffer at the end of the stream, which the others discard with the line.
#[test]
fn eventsource_stream_too_reports_an_end_inside_a_code_point() {
    let rows: [Row<'_>; 2] = [
        (b"data: 0\n\ndata: \xe2\x82", &[("message", "0")]),
        (b"\xef\xbb", &[]),
    ];
    for (bytes, whole) in rows {
        let discards = [SseStream, Sseer].map(|judge| (judge, events(whole)));
        assert_readings(bytes, &error(whole), &discards);
    }
}

// 9.2.6: "If the field value consists of only ASCII digits". Two judges parse without that check, and
// Rust's integers take a leading `+`.
#[test]
fn eventsource_stream_and_sseer_accept_a_retry_with_a_plus() {
    let bytes = b"retry: +5\ndata: 1\n\n".as_slice();

    let mut decoder = SseDecoder::new();
    decoder.push(bytes).unwrap();
    assert_eq!(decoder.next_event().unwrap().retry(), None);

    let mut events = sse_stream::SseByteStream::new(body(&[bytes]));
    assert_eq!(now(events.next()).unwrap().unwrap().retry, None);

    let five = Some(Duration::from_millis(5));
    let mut events = body(&[bytes]).eventsource();
    assert_eq!(now(events.next()).unwrap().unwrap().retry, five);

    let mut events = sseer::EventStream::new(body(&[bytes]));
    assert_eq!(now(events.next()).unwrap().unwrap().retry, five);
}

// By its documentation: "Returns raw blocks, including metadata-only blocks".
#[test]
fn sse_stream_hands_out_blocks_without_data() {
    let mut blocks = sse_stream::SseByteStream::new(body(&[b"event: a\n\ndata: 1\n\n"]));
    let block = now(blocks.next()).unwrap().unwrap();
    assert_eq!((block.event.as_deref(), block.data), (Some("a"), None));
    let block = now(blocks.next()).unwrap().unwrap();
    assert_eq!((block.event, block.data.as_deref()), (None, Some("1")));
}

// It keeps what is not UTF-8 for the next write, as if the rest of a code point were still to come, so
// the error waits for the end of the stream.
#[test]
fn eventsource_stream_waits_after_bytes_that_are_not_utf8_in_an_open_stream() {
    let bytes = b"data: \xff\n\ndata: 2\n\n".as_slice();

    assert!(SseDecoder::new().push(bytes).is_err());

    let mut events = sse_stream::SseByteStream::new(open_body(bytes));
    assert!(now(events.next()).unwrap().is_err());

    let mut events = sseer::EventStream::new(open_body(bytes));
    assert!(now(events.next()).unwrap().is_err());

    let mut events = open_body(bytes).eventsource();
    assert!(events.next().now_or_never().is_none());
}

// Both want to see whether an LF follows before they take the CR for a line end.
#[test]
fn eventsource_stream_and_sseer_wait_after_a_final_cr_in_an_open_stream() {
    let bytes = b"data: 1\r\r".as_slice();

    let mut decoder = SseDecoder::new();
    decoder.push(bytes).unwrap();
    assert_eq!(decoder.next_event().unwrap().data(), "1");

    let mut events = sse_stream::SseByteStream::new(open_body(bytes));
    let block = now(events.next()).unwrap().unwrap();
    assert_eq!(block.data.as_deref(), Some("1"));

    let mut events = sseer::EventStream::new(open_body(bytes));
    assert!(events.next().now_or_never().is_none());

    let mut events = open_body(bytes).eventsource();
    assert!(events.next().now_or_never().is_none());
}

/// An event as it is put into a stream, and as it has to come out.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Written {
    name: Option<String>,
    id: Option<String>,
    data: Vec<String>,
}

/// How a line is written, and a line that means nothing before it.
#[derive(Clone, Debug)]
struct Style {
    space: Space,
    end: &'static str,
    noise: Option<(&'static str, &'static str)>,
}

#[derive(Clone, Copy, Debug)]
enum Space {
    None,
    One,
}

fn written() -> impl Strategy<Value = Written> {
    let name = proptest::option::of("[^\r\n]{1,8}");
    let id = proptest::option::of("[^\r\n\0]{1,8}");
    let data = proptest::collection::vec("[^\r\n]{0,12}", 1..4);
    (name, id, data).prop_map(|(name, id, data)| Written { name, id, data })
}

fn style() -> impl Strategy<Value = Style> {
    let noise = [
        ":",
        ": note",
        ":data: 0",
        "foo: 1",
        "word",
        "retry: +5",
        "Data: 0",
    ];
    (
        select(vec![Space::None, Space::One]),
        select(END.to_vec()),
        proptest::option::weighted(0.2, (select(noise.to_vec()), select(END.to_vec()))),
    )
        .prop_map(|(space, end, noise)| Style { space, end, noise })
}

const END: [&str; 3] = ["\n", "\r", "\r\n"];

/// Writes `events` in the styles given, over and over, and returns the offset of each event too.
fn stream_of(events: &[Written], styles: &[Style]) -> (String, Vec<u64>) {
    let mut styles = styles.iter().cycle();
    let mut stream = String::new();
    let mut offsets = Vec::new();
    for event in events {
        let mut offset = None;
        let name = event.name.iter().map(|name| ("event", name));
        let id = event.id.iter().map(|id| ("id", id));
        let data = event.data.iter().map(|data| ("data", data));
        for (field, value) in name.chain(id).chain(data) {
            let style = styles.next().expect("styles go on");
            if let Some((noise, end)) = style.noise {
                let at = push_line(&mut stream, noise, end);
                if !noise.starts_with(':') {
                    offset.get_or_insert(at);
                }
            }
            // The first space of a value would be taken for the one after the colon.
            let line = match style.space {
                Space::None if !value.starts_with(' ') => format!("{field}:{value}"),
                Space::None | Space::One => format!("{field}: {value}"),
            };
            let at = push_line(&mut stream, &line, style.end);
            offset.get_or_insert(at);
        }
        push_line(&mut stream, "", styles.next().expect("styles go on").end);
        offsets.extend(offset);
    }
    (stream, offsets)
}

/// Appends a line and returns its offset.
fn push_line(stream: &mut String, line: &str, end: &str) -> u64 {
    // A blank line of one LF after a CR would be the second half of a CR LF.
    let end = match (line, end) {
        ("", "\n") if stream.ends_with('\r') => "\r\n",
        _ => end,
    };
    let offset = stream.len() as u64;
    stream.push_str(line);
    stream.push_str(end);
    offset
}

fn cut_at<'a>(bytes: &'a [u8], cuts: &[Index]) -> Vec<&'a [u8]> {
    let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    cuts.sort_unstable();
    let mut writes = Vec::new();
    let mut rest = bytes;
    let mut start = 0;
    for cut in cuts {
        let (write, after) = rest.split_at(cut - start);
        writes.push(write);
        (rest, start) = (after, cut);
    }
    writes.push(rest);
    writes
}

fn generated() -> impl Strategy<Value = (Vec<Written>, Vec<Style>, Vec<Index>)> {
    (
        proptest::collection::vec(written(), 0..6),
        proptest::collection::vec(style(), 1..20),
        proptest::collection::vec(any::<Index>(), 0..12),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn events_in_any_spelling_and_at_any_cuts_decode_to_themselves(
        (written, styles, cuts) in generated(),
        bom in select(vec!["", "\u{feff}"]),
    ) {
        let (stream, offsets) = stream_of(&written, &styles);
        let stream = format!("{bom}{stream}");

        let mut decoder = SseDecoder::new();
        let mut events = Vec::new();
        for write in cut_at(stream.as_bytes(), &cuts) {
            prop_assert_eq!(decoder.push(write), Ok(()));
            events.extend(iter::from_fn(|| decoder.next_event()));
        }
        prop_assert_eq!(decoder.finish(), Ok(()));

        prop_assert_eq!(events.len(), written.len());
        let mut id = None;
        for (index, (event, written)) in events.iter().zip(&written).enumerate() {
            id = written.id.as_deref().or(id);
            prop_assert_eq!(event.name(), written.name.as_deref());
            prop_assert_eq!(event.data(), written.data.join("\n"));
            prop_assert_eq!(event.id(), id);
            prop_assert_eq!(event.retry(), None);
            prop_assert_eq!(event.index(), index);
            prop_assert_eq!(event.offset(), offsets[index] + bom.len() as u64);
        }
    }

    // Without a byte order mark, and with a last line end that is no lone CR: both are pinned above.
    #[test]
    fn judges_agree_on_events_in_any_spelling_and_at_any_cuts(
        (written, styles, cuts) in generated(),
    ) {
        let (mut stream, _) = stream_of(&written, &styles);
        stream.push_str(": end\n");
        let writes = cut_at(stream.as_bytes(), &cuts);
        let expected = written.iter().map(|written| {
            pair(written.name.as_deref().unwrap_or("message"), &written.data.join("\n"))
        });
        let expected = Reading::Events(expected.collect());
        prop_assert_eq!(&ours(&writes), &expected);
        for judge in Judge::ALL {
            prop_assert_eq!(&judge.read(&writes), &expected, "{:?}", judge);
        }
    }
}
