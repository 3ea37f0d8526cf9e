//! The only room with IO and time: a listener for each stub, on one background runtime.
//!
//! The way of one request: `listener.rs` accepts, `http1.rs` reads, `answer.rs` records it and finds its
//! turn and plan, `play.rs` lets the plan out. `stub.rs` is what a test sees of it, `shared.rs` what all of
//! them share.

mod answer;
mod builder;
mod clock;
mod hold;
mod http1;
mod listener;
mod play;
mod runtime;
mod shared;
mod stub;
mod wait;

pub use builder::{StartError, WireStubBuilder};
pub use hold::Hold;
pub use stub::{LaneView, StubHandle, WireStub};
pub use wait::Wait;
