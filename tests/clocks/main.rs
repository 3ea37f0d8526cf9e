//! The clocks of a stub: what moves them, what moves with them, and what becomes of those who wait on one.
#![cfg(feature = "server")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "a client's own timers are what is tested"
)]

mod ended;
mod manual;
mod paused;
mod settling;

#[path = "../support/caught.rs"]
mod caught;
#[path = "../support/post.rs"]
mod post;

use std::time::Duration;

use llm_wire_stub::*;
use post::{Answered, Call};

/// Short, where giving up is what is tested.
const AT_ONCE: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);

#[track_caller]
fn manual() -> WireStubBuilder {
    let builder = WireStub::builder().clock(Clock::manual());
    builder.without_verify_on_drop()
}

#[track_caller]
fn paused() -> WireStubBuilder {
    let builder = WireStub::builder().clock(Clock::tokio());
    builder.without_verify_on_drop()
}

/// A turn that answers so many seconds late.
#[track_caller]
fn late(seconds: u64) -> Turn {
    Turn::new()
        .text("late")
        .delay(After::request(), seconds_of(seconds))
}

const fn seconds_of(n: u64) -> Duration {
    Duration::from_secs(n)
}

fn spawn(call: Call) -> tokio::task::JoinHandle<Answered> {
    tokio::spawn(call.send())
}

/// Which calls have their whole answer, by index.
fn complete(stub: &StubHandle) -> Vec<usize> {
    let requests = stub.requests().into_iter();
    let complete = requests.filter(|request| request.outcome() == Outcome::Complete);
    complete.map(|request| request.index()).collect()
}

/// A current-thread runtime.
fn runtime(time: Started) -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().start_paused(time == Started::Paused);
    builder.build().unwrap()
}

/// How the time of a runtime starts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Started {
    Paused,
    Running,
}
