//! The only room with IO and time: a listener for each stub, on one background runtime.
//!
//! The way of one request:
//!
//! | file | does |
//! | --- | --- |
//! | `listener.rs` | accepts the connection |
//! | `http1.rs`, `request_head.rs` | read the request |
//! | `answer.rs` | records it, and finds its turn and plan; `refusal.rs` says why there is none |
//! | `play.rs` | lets the plan out, waits at gates (`hold.rs`), on time (`clock.rs`) and for a live turn (`live.rs`) |
//! | `fallback.rs`, `relayed.rs` | relay what is for no model API to another server |
//!
//! `builder.rs` and `stub.rs` are what a test sees of it, `wait.rs` what it awaits; `shared.rs` is what all
//! of them share, `runtime.rs` what they run on.

mod answer;
mod builder;
mod clock;
mod fallback;
mod hold;
mod http1;
mod listener;
mod live;
mod play;
mod refusal;
mod relayed;
mod request_head;
mod runtime;
mod shared;
mod stub;
mod wait;

pub use builder::{StartError, WireStubBuilder};
pub use fallback::Fallback;
pub use hold::Hold;
pub use live::{Gone, Writing};
#[cfg(feature = "wiremock")]
pub(crate) use refusal::WHY_HEADER;
pub use stub::{LaneView, StubHandle, WireStub};
pub use wait::Wait;
