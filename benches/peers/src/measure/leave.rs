//! How long it takes until a client's leave is noticed while the stream waits at a closed gate.

use super::rotated;
use crate::client::Client;
use crate::figures::{Rounds, Unit, median_of};
use crate::load::Stream;
use crate::peers::gated::{self, Layout};
use crate::peers::ours;
use crate::table::Row;
use std::time::{Duration, Instant};

const SAMPLES: usize = 50;

pub async fn noticed(rounds: usize) -> Vec<Row> {
    let stream = Stream::of_words(10);
    let layout = Layout {
        streams: 1,
        gates: 1,
    };
    let client = Client::reusing();
    let mut medians = Rounds::default();
    let mut longest = Rounds::default();
    for round in 0..=rounds {
        for name in rotated(&["ours", "hyper"], round) {
            let mut samples = Vec::with_capacity(SAMPLES);
            for _ in 0..SAMPLES {
                let server = match *name {
                    "ours" => ours::gated(&stream, layout),
                    _ => gated::bare(&stream, layout),
                };
                let mut reader = client.stream(&server.url()).await;
                reader.events(stream.events_to_first_delta()).await;
                server.in_flight(1).await;
                let start = Instant::now();
                drop(reader);
                server.client_left().await;
                samples.push(start.elapsed());
            }
            if round > 0 {
                medians.add(name, median_of(&samples));
                let longest_sample = samples.iter().max().map_or(0.0, Duration::as_secs_f64);
                longest.add(name, longest_sample);
            }
        }
    }
    let what = "a client's leave noticed at a closed gate";
    vec![
        Row::of(10, &format!("{what}: median"), Unit::Time, &medians, "ours"),
        Row::of(
            10,
            &format!("{what}: longest of {SAMPLES}"),
            Unit::Time,
            &longest,
            "ours",
        ),
    ]
}
