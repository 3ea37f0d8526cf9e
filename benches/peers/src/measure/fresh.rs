//! The first stub of a fresh process: the process times itself, from `main` to the reply in hand.

use super::{rotated, shortest};
use crate::child::{self, current_thread};
use crate::client::Client;
use crate::figures::{Rounds, Unit};
use crate::load::Reply;
use crate::peers::{self, Bare, Script};
use crate::table::{Bar, Row};
use bytes::Bytes;
use std::time::Instant;

/// Processes of each peer in each round.
const SAMPLES: usize = 5;

pub async fn fresh_process(rounds: usize) -> Vec<Row> {
    let reply = Reply::small();
    let length = reply.body.len().to_string();
    let head = serde_json::to_string(&reply.head).expect("headers are text");
    let mut peers = peers::all();
    peers.push(Box::new(Bare::Shortest));
    let mut figures = Rounds::default();
    for round in 0..=rounds {
        for peer in rotated(&peers, round) {
            let times = (0..SAMPLES).map(|_| {
                let said = child::run(&["first", peer.name(), &length, &head]);
                said["seconds"]
                    .as_f64()
                    .expect("the child says how long it took")
            });
            let median = crate::figures::median(times.collect());
            if round > 0 {
                figures.add(peer.name(), median);
            }
        }
    }
    let what = "first stub of a fresh process, with one exchange";
    let row = Row::of(3, what, Unit::Time, &figures, "ours");
    vec![
        row.ratio(figures.ratio("ours", "hyper"), Bar::AtMost(1.2), "hyper"),
        shortest(3, "first stub of a fresh process", &figures),
    ]
}

/// The child. Its peers answer as many bytes as ours does; rendering them is no part of the time.
pub fn first_exchange(entered: Instant, peer: &str, length: &str, head: &str) {
    let head = serde_json::from_str(head).expect("headers");
    let length = length.parse().expect("a length");
    let reply = Reply {
        text: Reply::small_text(),
        body: Bytes::from(vec![b' '; length]),
        head,
        plain_head: Vec::new(),
    };
    let peer = peers::named(peer);
    current_thread().block_on(async {
        let server = peer.start(Script::Reply(&reply)).await;
        Client::reusing().exchange(&server.url(), length).await;
        let seconds = entered.elapsed().as_secs_f64();
        child::say(&serde_json::json!({ "seconds": seconds }));
    });
}
