//! Time: the only folder that reads a clock or waits on one.
//!
//! | file | has |
//! | --- | --- |
//! | `manual.rs` | time that a test steps |
//! | `paused.rs` | the paused time of the test's tokio runtime |
//! | `mover.rs` | moving either of them, and letting sockets settle |
#![expect(
    clippy::disallowed_methods,
    reason = "the one place where the library reads time and waits on it"
)]

mod manual;
mod mover;
mod paused;

use std::{
    fmt,
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{runtime::Runtime, time::Sleep};

use super::activity::Activity;
use manual::Manual;
pub(super) use mover::Mover;
use paused::Paused;

/// The clock of a stub: its paces, delays and pauses run on it, and the times of arrival are read from it. See
/// [`WireStubBuilder::clock`](crate::WireStubBuilder::clock).
///
/// | clock | moves | cannot |
/// | --- | --- | --- |
/// | [`Clock::system`] | by itself | be moved |
/// | [`Clock::manual`] | when the test says so: the stub's own pauses, under any runtime or none | move the client's timers: its back-off and its time-outs take as long as they take |
/// | [`Clock::tokio`] | when the test says so: the stub's pauses and every timer of the test's own tokio runtime, the client's included | move timers of other threads, runtimes and processes, or what reads [`std::time::Instant`] |
///
/// Whatever the clock, a wait gives up after the stub's
/// [`patience`](crate::WireStubBuilder::patience) of the system's time; one that moves the clock if that has stood
/// still for so long.
pub struct Clock(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    System,
    Manual,
    Tokio,
}

impl Clock {
    /// The system's clock, which is the default.
    #[must_use]
    pub const fn system() -> Self {
        Self(Kind::System)
    }

    /// A clock that stands still until the test moves it:
    /// [`advance`](crate::StubHandle::advance),
    /// [`advance_to_next`](crate::StubHandle::advance_to_next) and
    /// [`time_to_request`](crate::StubHandle::time_to_request), or their `*_blocking` twins.
    ///
    /// It has the stub's own pauses only. The client's timers go on with the system's time, or with tokio's if that
    /// is paused: then its time-outs fire while a socket is waited for, and [`Clock::tokio`] is what helps.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use llm_wire_stub::{After, Clock, Turn, WireStub};
    /// use std::time::Duration;
    ///
    /// let minute = Duration::from_secs(60);
    /// let stub = WireStub::builder()
    ///     .clock(Clock::manual())
    ///     .turn(Turn::new().text("late").delay(After::request(), minute))
    ///     .start();
    /// # let call = tokio::spawn(reqwest::Client::new()
    /// #     .post(stub.anthropic_url() + "/v1/messages").header("x-api-key", "k")
    /// #     .header("anthropic-version", "2023-06-01")
    /// #     .body(r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}"#).send());
    /// stub.wait_for_requests(1).await; // your client has asked
    /// stub.advance(minute).await;
    /// assert!(call.await.unwrap().is_ok());
    /// # });
    /// ```
    #[must_use]
    pub const fn manual() -> Self {
        Self(Kind::Manual)
    }

    /// The paused clock of the tokio runtime that the stub is started in: one clock for client and stub.
    ///
    /// The stub's pauses are timers of that runtime. Its time no longer jumps ahead while a socket is waited for:
    /// it stands still until the stub moves it, with [`advance`](crate::StubHandle::advance),
    /// [`advance_to_next`](crate::StubHandle::advance_to_next) or
    /// [`time_to_request`](crate::StubHandle::time_to_request), and then in small steps, between which what was
    /// sent arrives and is answered. This is the one clock with which a test may use `start_paused`.
    ///
    /// So a `sleep` of the test's own, or of the client's, does not end until the clock was moved past it: await
    /// the client after that, or beside it. As long as a stub has this clock, one blocking task of the runtime
    /// keeps the time from jumping; it ends with the last such stub, and with the runtime. Several stubs of one
    /// runtime share its time: moving it for one moves it for all.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap().block_on(async {
    /// use llm_wire_stub::{ApiError, Clock, WireStub};
    /// use std::time::Duration;
    ///
    /// // in a `#[tokio::test(start_paused = true)]`
    /// let stub = WireStub::builder()
    ///     .clock(Clock::tokio())
    ///     .turn(ApiError::rate_limited().retry_after(Duration::from_secs(3)))
    ///     .turn("Hello!")
    ///     .start();
    /// # let url = stub.anthropic_url() + "/v1/messages";
    /// let call = tokio::spawn(async move {
    ///     // your client: it asks, waits for 3 seconds, asks again
    /// #   let ask = reqwest::Client::new().post(url).header("x-api-key", "k")
    /// #       .header("anthropic-version", "2023-06-01")
    /// #       .body(r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}"#);
    /// #   ask.try_clone().unwrap().send().await.unwrap();
    /// #   tokio::time::sleep(Duration::from_secs(3)).await;
    /// #   ask.send().await.unwrap();
    /// });
    /// assert_eq!(stub.time_to_request(2).await, Duration::from_secs(3));
    /// call.await.unwrap();
    /// # });
    /// ```
    ///
    /// The stub does not start elsewhere than inside a tokio runtime of one thread whose time is paused already.
    /// A runtime that ends before its stub takes the time along: what waits on the clock then waits until its
    /// client leaves.
    #[must_use]
    pub const fn tokio() -> Self {
        Self(Kind::Tokio)
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::system()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.0 {
            Kind::System => "system",
            Kind::Manual => "manual",
            Kind::Tokio => "tokio",
        };
        f.debug_tuple("Clock").field(&name).finish()
    }
}

/// The time of one stub, from its start on.
pub(super) enum Time {
    System { started: Instant },
    Moved(Moved),
}

/// Time that is moved by the test.
pub(super) struct Moved {
    pub(super) activity: Arc<Activity>,
    source: Source,
}

enum Source {
    Manual(Manual),
    /// And what its time was when the stub started.
    Paused(Arc<Paused>, Duration),
}

/// How a pause has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waited {
    Through,
    /// It never will: its clock has ended.
    ClockEnded,
}

impl Time {
    /// # Errors
    ///
    /// If there is no such clock here, in words.
    pub(super) fn start(clock: &Clock) -> Result<Self, String> {
        let activity = Arc::default();
        let source = match clock.0 {
            Kind::System => {
                return Ok(Self::System {
                    started: Instant::now(),
                });
            }
            Kind::Manual => Source::Manual(Manual::default()),
            Kind::Tokio => {
                let paused = Paused::of_this_runtime()?;
                paused.join(&activity);
                let started = paused.now();
                Source::Paused(paused, started)
            }
        };
        Ok(Self::Moved(Moved { activity, source }))
    }

    /// Time since the stub's start.
    pub(super) fn now(&self) -> Duration {
        match self {
            Self::System { started } => started.elapsed(),
            Self::Moved(moved) => moved.now(),
        }
    }

    /// What of the stub is at work, if that is of interest.
    pub(super) const fn activity(&self) -> Option<&Arc<Activity>> {
        match self {
            Self::System { .. } => None,
            Self::Moved(moved) => Some(&moved.activity),
        }
    }

    pub(super) async fn wait(&self, time: Duration) -> Waited {
        match self {
            Self::System { .. } => tokio::time::sleep(time).await,
            Self::Moved(_) if time.is_zero() => {}
            Self::Moved(moved) => match &moved.source {
                Source::Manual(manual) => manual.wait(time).await,
                Source::Paused(paused, _) => return paused.wait(time).await,
            },
        }
        Waited::Through
    }

    /// The stub is dropped: its clock is of no use any more.
    pub(super) fn leave(&self) {
        if let Self::Moved(moved) = self {
            moved.leave();
        }
    }
}

impl Moved {
    fn now(&self) -> Duration {
        match &self.source {
            Source::Manual(manual) => manual.now(),
            Source::Paused(paused, started) => paused.now().saturating_sub(*started),
        }
    }

    /// When the next pause ends, of all stubs on this clock.
    pub(in crate::server) fn next_pause(&self) -> Option<Duration> {
        match &self.source {
            Source::Manual(manual) => manual.next_pause(),
            Source::Paused(paused, started) => {
                let next = paused.next_pause()?;
                Some(next.saturating_sub(*started))
            }
        }
    }

    /// Whether the client's timers move with it.
    pub(super) const fn has_timers(&self) -> bool {
        matches!(self.source, Source::Paused(..))
    }

    /// The stub is dropped: its clock is of no use any more.
    fn leave(&self) {
        self.activity.close_door();
        if let Source::Paused(paused, _) = &self.source {
            paused.leave(&self.activity);
        }
    }
}

impl Drop for Moved {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Waits on the system's time, whatever the stub's clock says. For limits on patience only.
pub(super) async fn system_wait(time: Duration) {
    tokio::time::sleep(time).await;
}

/// As [`system_wait`], to be awaited under any runtime: the background runtime wakes it, without a task.
pub(crate) fn system_timer(runtime: &Runtime, time: Duration) -> Pin<Box<Sleep>> {
    let _entered = runtime.enter();
    Box::pin(tokio::time::sleep(time))
}

/// The system's time from now on.
pub(super) struct Deadline(Option<Instant>);

impl Deadline {
    pub(super) fn after(time: Duration) -> Self {
        Self(Instant::now().checked_add(time))
    }

    /// What is left; `None` once it has passed.
    pub(super) fn left(&self) -> Option<Duration> {
        match self.0 {
            Some(end) => end
                .checked_duration_since(Instant::now())
                .filter(|left| !left.is_zero()),
            None => Some(Duration::MAX),
        }
    }
}

/// The system's time since it was started.
#[cfg(feature = "conformance")]
pub(crate) struct Stopwatch(Instant);

#[cfg(feature = "conformance")]
impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
