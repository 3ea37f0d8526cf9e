//! One small non-streaming exchange over a warm connection.
//!
//! Client and server take turns in it, so a second core brings nothing but the scheduler's choice whether both
//! run on one, which doubles the time of either server for whole rounds. So it is measured in a child process that
//! has one core.

use super::{rotated, shortest};
use crate::child::{self, current_thread};
use crate::client::Client;
use crate::figures::{Rounds, Unit, median_of};
use crate::load::Reply;
use crate::peers::{self, Bare, Ours, Peer, Script};
use crate::table::{Bar, Row};
use std::time::Instant;

const SAMPLES: usize = 500;

fn everyone() -> Vec<Box<dyn Peer>> {
    let mut peers = peers::all();
    peers.push(Box::new(Ours::Plain));
    peers.push(Box::new(Ours::Closure));
    peers.push(Box::new(Bare::SamePlain));
    peers.push(Box::new(Bare::Shortest));
    peers
}

/// The child, on one core.
pub fn warm_rounds(rounds: &str) {
    let rounds: usize = rounds.parse().expect("a number of rounds");
    child::pin_to_one_core();
    let figures = current_thread().block_on(measure(rounds));
    child::say(&figures.to_json());
}

async fn measure(rounds: usize) -> Rounds {
    let client = Client::reusing();
    let reply = Reply::small();
    let peers = everyone();
    let mut figures = Rounds::default();
    let mut running = Vec::new();
    for peer in &peers {
        let server = peer.start(Script::Reply(&reply)).await;
        running.push((peer.name(), server.url(), server));
    }
    for round in 0..=rounds {
        for (name, url, _server) in rotated(&running, round) {
            let mut samples = Vec::with_capacity(SAMPLES);
            for _ in 0..SAMPLES {
                let start = Instant::now();
                // as many bytes from everyone, noise or not
                client.exchange(url, reply.body.len()).await;
                samples.push(start.elapsed());
            }
            if round > 0 {
                figures.add(name, median_of(&samples));
            }
        }
    }
    figures
}

pub fn warm(rounds: usize) -> Vec<Row> {
    let peers = everyone();
    let names: Vec<_> = peers.iter().map(|peer| peer.name()).collect();
    let said = child::run(&["warm", &rounds.to_string()]);
    let figures = Rounds::said(&said, &names);
    let time = |column| Unit::Time.text(figures.figure(column).expect("it took part"));
    let row = |what: &str, ours, hyper, bar| {
        let row = Row::of(4, what, Unit::Time, &figures, ours).other("hyper", time(hyper));
        row.ratio(figures.ratio(ours, hyper), bar, "hyper")
    };
    vec![
        row("warm exchange", "ours", "hyper", Bar::AtMost(1.1)),
        row(
            "warm exchange, `.plain()`",
            "ours plain",
            "hyper plain",
            Bar::AtMost(1.1),
        ),
        row(
            "warm exchange, `.answer(closure)`",
            "ours by a closure",
            "hyper",
            Bar::AtMost(1.4),
        ),
        shortest(4, "warm exchange", &figures),
    ]
}
