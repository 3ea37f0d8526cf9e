//! The measurements, one file for each kind. In: the number of rounds. Out: rows of the table.
//!
//! Every figure stands for work that was checked: status, number of events, number of bytes.

mod cuts;
mod exchanges;
mod fresh;
mod leave;
mod memory;
mod starts;
mod streams;
mod tree;

use crate::figures::{Rounds, Unit};
use crate::table::Row;
use futures_util::future::LocalBoxFuture;
use llm_wire_stub::Api;

pub use self::exchanges::warm_rounds;
pub use self::fresh::first_exchange;
pub use self::memory::{held_client, held_server, long_client, long_server};

pub struct Measurement {
    pub name: &'static str,
    pub run: fn(rounds: usize) -> LocalBoxFuture<'static, Vec<Row>>,
}

/// All but the clean builds, in the order of the table.
pub const ALL: [Measurement; 13] = [
    Measurement {
        name: "start",
        run: |rounds| Box::pin(starts::start_and_drop(rounds)),
    },
    Measurement {
        name: "start-exchange",
        run: |rounds| Box::pin(starts::start_exchange_drop(rounds)),
    },
    Measurement {
        name: "fresh",
        run: |rounds| Box::pin(fresh::fresh_process(rounds)),
    },
    Measurement {
        name: "warm",
        run: |rounds| Box::pin(async move { exchanges::warm(rounds) }),
    },
    Measurement {
        name: "events",
        run: |rounds| Box::pin(streams::events_per_second(Api::AnthropicMessages, rounds)),
    },
    Measurement {
        name: "events-chat",
        run: |rounds| Box::pin(streams::events_per_second(Api::OpenAiChat, rounds)),
    },
    Measurement {
        name: "events-responses",
        run: |rounds| Box::pin(streams::events_per_second(Api::OpenAiResponses, rounds)),
    },
    Measurement {
        name: "first-event",
        run: |rounds| Box::pin(streams::first_event(rounds)),
    },
    Measurement {
        name: "cuts",
        run: |rounds| Box::pin(cuts::cuts_and_gates(rounds)),
    },
    Measurement {
        name: "held",
        run: |_| Box::pin(async { memory::held_streams() }),
    },
    Measurement {
        name: "long",
        run: |_| Box::pin(async { memory::long_stream() }),
    },
    Measurement {
        name: "leave",
        run: |rounds| Box::pin(leave::noticed(rounds)),
    },
    Measurement {
        name: "crates",
        run: |_| Box::pin(async { tree::crates() }),
    },
];

/// The clean builds, which take minutes.
pub const BUILD: Measurement = Measurement {
    name: "build",
    run: |rounds| Box::pin(async move { tree::clean_builds(rounds) }),
};

/// Ours beside a hyper that writes the shortest head it can; without a target.
fn shortest(number: u8, what: &str, figures: &Rounds) -> Row {
    let time = |column| Unit::Time.text(figures.figure(column).expect("it took part"));
    let what = format!("{what}, hyper with its shortest head");
    Row::new(number, what, time("ours")).other("hyper", time("hyper shortest"))
}

/// The items in another order each round, so that no one always follows the same neighbour.
fn rotated<T>(items: &[T], round: usize) -> impl Iterator<Item = &T> {
    let start = round % items.len();
    items[start..].iter().chain(&items[..start])
}
