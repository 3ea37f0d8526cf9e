//! Memory: of a thousand streams held open at once, and of one very long stream.
//!
//! The server runs in a child and its client in a child of that, so that the growth of the server's
//! resident set is the server's alone.

use crate::child::{self, Reporting, current_thread};
use crate::client::Client;
use crate::figures::{Unit, short};
use crate::load::Stream;
use crate::peers::gated::{self, Layout};
use crate::peers::{Hyper, Server, ours};
use crate::table::{Bar, Row};
use serde_json::json;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const STREAMS: usize = 1_000;
const WORDS: usize = 20;

/// Descriptors of one side: a socket for each stream, and room for the rest.
const DESCRIPTORS: u64 = 2 * STREAMS as u64;

pub fn held_streams() -> Vec<Row> {
    let what = format!("{STREAMS} streams held open at once, memory of each");
    // children inherit the limit
    let limit = rlimit::increase_nofile_limit(DESCRIPTORS).unwrap_or(0);
    if limit < DESCRIPTORS {
        let skipped = format!("SKIPPED: {limit} descriptors, {DESCRIPTORS} needed");
        eprintln!("{what}: {skipped}");
        return vec![Row::new(8, what, skipped)];
    }
    let [ours, hyper] = ["ours", "hyper"].map(|peer| {
        let said = child::run(&["held", peer]);
        said["kib"]
            .as_f64()
            .expect("the child says how much it grew")
            / STREAMS as f64
    });
    let row = Row::new(8, what, Unit::KiB.text(ours)).other("hyper", Unit::KiB.text(hyper));
    vec![row.value(ours, Bar::AtMost(64.0), Unit::KiB)]
}

/// The child with the server. Its growth includes the script, the gates and the server itself.
pub fn held_server(peer: &str) {
    let stream = Stream::of_words(WORDS);
    let before = resident_kib();
    let layout = Layout {
        streams: STREAMS,
        gates: 1,
    };
    let server = match peer {
        "ours" => ours::gated(&stream, layout),
        _ => gated::bare(&stream, layout),
    };
    let mut client = Reporting::start(&["held-client", &server.url()]);
    assert_eq!(client.report(), json!({ "open": STREAMS }));
    let runtime = current_thread();
    runtime.block_on(server.in_flight(STREAMS));
    let kib = resident_kib() - before;
    runtime.block_on(server.open_in_turn());
    client.go_ahead();
    assert_eq!(client.report(), json!({ "whole": STREAMS }));
    client.end();
    child::say(&json!({ "kib": kib }));
}

/// The client of the held streams: opens all, and reads them to the end once it is told to.
pub fn held_client(url: &str) {
    let stream = Stream::of_words(WORDS);
    let first = stream.events_to_first_delta();
    let client = Client::reusing();
    current_thread().block_on(async {
        let open = (0..STREAMS).map(|_| async {
            let mut reader = client.stream(url).await;
            reader.events(first).await;
            reader
        });
        let open = futures_util::future::join_all(open).await;
        child::say(&json!({ "open": open.len() }));
        child::go_ahead();
        let whole = open.into_iter().map(|reader| async {
            reader
                .rest()
                .await
                .assert_events_of(&stream, "the held streams");
        });
        let whole = futures_util::future::join_all(whole).await;
        child::say(&json!({ "whole": whole.len() }));
    });
}

pub fn long_stream() -> Vec<Row> {
    /// Flat: not even two bytes for each event more.
    const ROOM: f64 = 2.0 * 900_000.0 / 1024.0;
    let growth = |peer| {
        ["100000", "1000000"].map(|words| {
            let said = child::run(&["long", peer, words]);
            said["kib"]
                .as_f64()
                .expect("the child says how much it grew")
        })
    };
    let (ours, hyper) = (growth("ours"), growth("hyper"));
    let text = |[short_stream, long_stream]: [f64; 2]| {
        format!("{}, {} KiB", short(short_stream), short(long_stream))
    };
    let what = "growth while 100 000, 1 000 000 events are streamed; target for the difference";
    let row = Row::new(9, what, text(ours)).other("hyper", text(hyper));
    vec![row.value(ours[1] - ours[0], Bar::AtMost(ROOM.round()), Unit::KiB)]
}

/// The child with the server. A short stream comes first, so that the growth is the long one's.
pub fn long_server(peer: &str, words: &str) {
    let words = words.parse().expect("a number of words");
    let short = Stream::of_words(WORDS);
    let events_besides_words = short.frames.len() - WORDS;
    let start = |words| -> Box<dyn Server> {
        match peer {
            "ours" => ours::stream_of_words(words),
            _ => Box::new(Hyper::cycling(&short.frames, words + events_besides_words)),
        }
    };
    let stream_whole = |server: &dyn Server, words| {
        let said = child::run(&["long-client", &server.url()]);
        assert_eq!(said, json!({ "events": words + events_besides_words }));
    };
    stream_whole(start(WORDS).as_ref(), WORDS);

    let server = start(words);
    let before = resident_kib();
    let done = AtomicBool::new(false);
    let peak = std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut peak = before;
            while !done.load(Ordering::Relaxed) {
                peak = peak.max(resident_kib());
                std::thread::sleep(Duration::from_millis(2));
            }
            peak
        });
        stream_whole(server.as_ref(), words);
        done.store(true, Ordering::Relaxed);
        watch.join().expect("the watch does not panic")
    });
    child::say(&json!({ "kib": peak - before }));
}

/// The client of a long stream: reads and forgets it.
pub fn long_client(url: &str) {
    current_thread().block_on(async {
        let seen = Client::reusing().stream(url).await.rest().await;
        child::say(&json!({ "events": seen.events }));
    });
}

/// The resident set: what `/proc/self/statm` counts in pages, in KiB.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has /proc");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse().ok());
    kib.expect("the kernel tells the resident set")
}
