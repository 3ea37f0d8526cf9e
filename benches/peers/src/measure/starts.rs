//! Starting and stopping a server, with and without one exchange in between.

use super::rotated;
use crate::client::Client;
use crate::figures::{Rounds, Unit, median_of};
use crate::load::Reply;
use crate::peers::{self, Peer, Script};
use crate::table::{Bar, Row};
use std::time::{Duration, Instant};

const SAMPLES: usize = 100;

pub async fn start_and_drop(rounds: usize) -> Vec<Row> {
    let peers = peers::all();
    let mut figures = Rounds::default();
    for round in 0..=rounds {
        for peer in rotated(&peers, round) {
            let mut samples = Samples::default();
            for _ in 0..SAMPLES {
                let start = Instant::now();
                drop(peer.start(Script::Nothing).await);
                samples.add(start.elapsed()).await;
            }
            samples.record(&mut figures, round, peer.as_ref()).await;
        }
    }
    let row = Row::of(1, "start and drop one stub", Unit::Time, &figures, "ours");
    vec![row.ratio(figures.ratio("ours", "hyper"), Bar::AtMost(1.5), "hyper")]
}

pub async fn start_exchange_drop(rounds: usize) -> Vec<Row> {
    let client = Client::reconnecting();
    let reply = Reply::small();
    let peers = peers::all();
    let mut figures = Rounds::default();
    for round in 0..=rounds {
        for peer in rotated(&peers, round) {
            let mut samples = Samples::default();
            for _ in 0..SAMPLES {
                let start = Instant::now();
                let server = peer.start(Script::Reply(&reply)).await;
                client.exchange(&server.url(), reply.body.len()).await;
                drop(server);
                samples.add(start.elapsed()).await;
            }
            samples.record(&mut figures, round, peer.as_ref()).await;
        }
    }
    let row = Row::of(2, "start, one exchange, drop", Unit::Time, &figures, "ours");
    vec![row.ratio(figures.ratio("ours", "hyper"), Bar::AtMost(1.0), "hyper")]
}

/// The samples of one peer in one round.
#[derive(Default)]
struct Samples(Vec<Duration>);

impl Samples {
    /// Yields, outside the timed part: wiremock's drop hangs after 25 starts in a task that never does.
    async fn add(&mut self, sample: Duration) {
        self.0.push(sample);
        tokio::task::yield_now().await;
    }

    /// The first round warms everybody up and does not count. The pause lets the runtimes behind the
    /// servers close what was dropped before the next peer's turn.
    async fn record(self, figures: &mut Rounds, round: usize, peer: &dyn Peer) {
        if round > 0 {
            figures.add(peer.name(), median_of(&self.0));
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
