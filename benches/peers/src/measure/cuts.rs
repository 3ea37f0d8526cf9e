//! The same stream cut at every byte, and held by gates: the cost of one step, and that it does not
//! grow with the stream.
//!
//! A step is one write: a byte in a chunk of its own, or what lies between two gates. Its time is the
//! whole exchange, from sending the request to the end of the body, divided by the number of steps.
//! Gates are opened in two ways. Ahead of the stream, one after another, a gate is a step like any
//! other. In lockstep each is opened once the stream was seen to wait at it, so its time holds two
//! wake-ups from thread to thread, which cost hyper as much: there the bar is hyper's time.

use super::rotated;
use crate::client::{Client, Seen};
use crate::figures::{Rounds, Unit};
use crate::load::Stream;
use crate::peers::gated::{self, Gated, Layout};
use crate::peers::{Hyper, Server, ours};
use crate::table::{Bar, Row};
use std::time::Instant;

/// How much more a step may cost in a stream of four times the length. Quadratic time gives 4; the rest
/// is room for noise.
const LINEAR: Bar = Bar::AtMost(1.5);
/// 10 µs, and in the dev profile six times that: the client's own share of a step is not optimised either.
const STEP: Bar = Bar::AtMost(if cfg!(debug_assertions) { 60e-6 } else { 10e-6 });

pub async fn cuts_and_gates(rounds: usize) -> Vec<Row> {
    let mut rows = every_byte(rounds).await;
    rows.extend(gates(rounds, Opening::Ahead).await);
    rows.extend(gates(rounds, Opening::Lockstep).await);
    rows
}

async fn every_byte(rounds: usize) -> Vec<Row> {
    let streams = [Stream::of_words(250), Stream::of_words(1_000)];
    let client = Client::reusing();
    let mut figures = Sizes::default();
    for round in 0..=rounds {
        for (size, stream) in streams.iter().enumerate() {
            let servers: [(_, Box<dyn Server>); 2] = [
                ("ours", ours::cut_every_byte(stream)),
                ("hyper", Box::new(Hyper::ready(&stream.single_bytes()))),
            ];
            for (name, server) in rotated(&servers, round) {
                let start = Instant::now();
                let seen = client.stream(&server.url()).await.rest().await;
                let elapsed = start.elapsed().as_secs_f64();
                seen.assert_bytes_of(stream, name);
                figures.add(round, size, name, elapsed / seen.bytes as f64);
            }
        }
    }
    let what = "cut at every byte, each byte";
    vec![
        figures.cost(what).value(figures.ours(), STEP, Unit::Time),
        figures.growth(what),
    ]
}

#[derive(Clone, Copy)]
enum Opening {
    Ahead,
    Lockstep,
}

async fn gates(rounds: usize, opening: Opening) -> Vec<Row> {
    let sizes = [1_000, 4_000];
    let client = Client::reusing();
    let mut figures = Sizes::default();
    for round in 0..=rounds {
        for (size, &gates) in sizes.iter().enumerate() {
            let stream = Stream::of_words(gates + 1);
            let layout = Layout { streams: 1, gates };
            let servers = [
                ("ours", ours::gated(&stream, layout)),
                ("hyper", gated::bare(&stream, layout)),
            ];
            for (name, server) in rotated(&servers, round) {
                let start = Instant::now();
                let seen = held_stream(&client, server.as_ref(), opening).await;
                let elapsed = start.elapsed().as_secs_f64();
                seen.assert_events_of(&stream, name);
                figures.add(round, size, name, elapsed / gates as f64);
            }
        }
    }
    match opening {
        Opening::Ahead => {
            let what = "gates opened ahead of the stream, each gate";
            vec![
                figures.cost(what).value(figures.ours(), STEP, Unit::Time),
                figures.growth(what),
            ]
        }
        Opening::Lockstep => {
            let what = "gates opened in lockstep, each gate";
            vec![figures.cost(what), figures.growth(what)]
        }
    }
}

async fn held_stream(client: &Client, server: &dyn Gated, opening: Opening) -> Seen {
    let read = async { client.stream(&server.url()).await.rest().await };
    let open = async {
        match opening {
            Opening::Ahead => server.open_in_turn().await,
            Opening::Lockstep => server.open_when_reached().await,
        }
    };
    let (seen, ()) = tokio::join!(read, open);
    seen
}

/// Figures of the small size and of the one that is four times as large.
#[derive(Default)]
struct Sizes([Rounds; 2]);

impl Sizes {
    fn add(&mut self, round: usize, size: usize, column: &'static str, figure: f64) {
        if round > 0 {
            self.0[size].add(column, figure);
        }
    }

    fn ours(&self) -> f64 {
        self.0[1].figure("ours").expect("ours is measured")
    }

    /// What a step of the large size costs.
    fn cost(&self, what: &str) -> Row {
        Row::of(7, what, Unit::Time, &self.0[1], "ours")
    }

    /// That against a step of the small size.
    fn growth(&self, what: &str) -> Row {
        let growth = |column| {
            let [small, large] = [0, 1].map(|size| self.0[size].figure(column));
            large.expect("both sizes are measured") / small.expect("both sizes are measured")
        };
        let (ours, hyper) = (growth("ours"), growth("hyper"));
        let what = format!("{what}: growth when the stream is four times as long");
        let row = Row::new(7, what, Unit::Times.text(ours)).other("hyper", Unit::Times.text(hyper));
        row.value(ours, LINEAR, Unit::Times)
    }
}
