//! The only room with IO and time: a listener for each stub, on one background runtime.
//!
//! The way of one request:
//!
//! | file | does |
//! | --- | --- |
//! | `listener.rs` | accepts the connection |
//! | `http1.rs`, `request_head.rs` | read the request |
//! | `route.rs` | finds what it asks for, and records it |
//! | `answer.rs` | checks it (`rules.rs`), finds its turn (`pick.rs`, `drift.rs`) and makes the plan; `refusal.rs` says why there is none |
//! | `side_roads/`, `plain.rs` | answer what is no call of the model: token counts, models, batches; what is of no API |
//! | `not_served.rs` | says what is served where nothing is |
//! | `play.rs` | lets the plan out, waits at gates (`hold.rs`, `gates.rs`), on time (`clock/`) and for a live turn (`live.rs`) |
//! | `fallback.rs`, `relayed.rs` | relay what is for no API to another server |
//! | `control/` | answers what a test asks over HTTP; that goes none of this way |
//!
//! `builder.rs`, `stub.rs` and `moves.rs` are what a test sees of it, `wait.rs` what it awaits; `activity.rs` says
//! when a clock may be moved; `double.rs` says given bytes, for what is about connections only.
//! `shared.rs` is what all of them share in one run of the script, `runs.rs` what outlives a reset, `runtime.rs` what they
//! run on.

mod activity;
mod answer;
mod builder;
mod clock;
mod control;
#[cfg(feature = "conformance")]
mod double;
mod drift;
mod fallback;
mod gates;
mod hold;
mod http1;
mod listener;
mod live;
mod moves;
mod not_served;
mod pick;
mod plain;
mod play;
mod refusal;
mod relayed;
mod request_head;
mod responses;
mod route;
mod rules;
mod runs;
mod runtime;
mod shared;
mod side_roads;
mod stub;
mod wait;

pub use builder::{StartError, WireStubBuilder};
pub use clock::Clock;
pub use fallback::Fallback;
pub use hold::Hold;
pub use live::{Gone, Writing};
#[cfg(feature = "wiremock")]
pub(crate) use refusal::WHY_HEADER;
pub use stub::{LaneView, StubHandle, WireStub};
pub use wait::Wait;
#[cfg(feature = "conformance")]
pub(crate) use {
    clock::{Stopwatch, system_timer},
    double::{Double, Reaction, Seen},
    runtime::{First, panic_message, race, runtime},
};
