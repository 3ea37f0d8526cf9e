//! Long streams: events per second, and the time to the first event.

use super::{rotated, shortest};
use crate::client::Client;
use crate::figures::{Rounds, Unit};
use crate::load::Stream;
use crate::peers::{self, Bare, Ours, Peer, Script};
use crate::table::{Bar, Row};
use llm_wire_stub::Api;
use std::time::Instant;

pub async fn events_per_second(api: Api, rounds: usize) -> Vec<Row> {
    let stream = Stream::on(api, 100_000);
    let mut figures = Rounds::default();
    let client = Client::reusing();
    let peers = match api {
        Api::AnthropicMessages => peers::streaming(),
        _ => peers::with_bar(),
    };
    for round in 0..=rounds {
        for peer in rotated(&peers, round) {
            // seconds for each stream, and far from the bar
            if peer.name() == "mockito" && !(1..=3).contains(&round) {
                continue;
            }
            let server = peer.start(Script::Stream(&stream)).await;
            let start = Instant::now();
            let seen = client.stream_on(api, &server.url()).await.rest().await;
            let elapsed = start.elapsed().as_secs_f64();
            seen.assert_events_of(&stream, peer.name());
            if round > 0 {
                figures.add(peer.name(), seen.events as f64 / elapsed);
            }
        }
    }
    let row = Row::of(
        5,
        match api {
            Api::OpenAiChat => "100 000 SSE events of OpenAI Chat, one chunk each",
            Api::OpenAiResponses => "100 000 SSE events of OpenAI Responses, one chunk each",
            _ => "100 000 SSE events, one chunk each",
        },
        Unit::EventsPerSecond,
        &figures,
        "ours",
    );
    vec![row.ratio(figures.ratio("ours", "hyper"), Bar::AtLeast(0.95), "hyper")]
}

pub async fn first_event(rounds: usize) -> Vec<Row> {
    const SAMPLES: usize = 50;
    let stream = Stream::of_words(10_000);
    let client = Client::reusing();
    let mut figures = Rounds::default();
    let mut running = Vec::new();
    let peers: [&dyn Peer; 3] = [&Ours::Default, &Bare::Same, &Bare::Shortest];
    for peer in peers {
        let server = peer.start(Script::Stream(&stream)).await;
        running.push((peer.name(), server.url(), server));
    }
    for round in 0..=rounds {
        for (name, url, _server) in rotated(&running, round) {
            let mut samples = Vec::with_capacity(SAMPLES);
            for _ in 0..SAMPLES {
                let start = Instant::now();
                let mut reader = client.stream(url).await;
                reader.events(1).await;
                samples.push(start.elapsed());
                reader.rest().await.assert_events_of(&stream, name);
            }
            if round > 0 {
                figures.add(name, crate::figures::median_of(&samples));
            }
        }
    }
    let what = "time to the first of 10 000 events";
    let row = Row::of(6, what, Unit::Time, &figures, "ours");
    vec![
        row.ratio(figures.ratio("ours", "hyper"), Bar::AtMost(1.2), "hyper"),
        shortest(6, what, &figures),
    ]
}
