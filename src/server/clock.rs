//! Time: the only file that reads a clock or waits on one.
#![expect(
    clippy::disallowed_methods,
    reason = "the one place where the library reads time and waits on it"
)]

use std::{
    pin::Pin,
    time::{Duration, Instant},
};

use tokio::{runtime::Runtime, time::Sleep};

/// The stub's clock. Pacing, delays and arrival times run on it.
#[derive(Debug)]
pub(super) struct Clock {
    started: Instant,
}

impl Clock {
    pub(super) fn system() -> Self {
        Self {
            started: Instant::now(),
        }
    }

    /// Time since the stub's start.
    pub(super) fn now(&self) -> Duration {
        self.started.elapsed()
    }

    /// Waits on the stub's clock.
    pub(super) async fn wait(&self, time: Duration) {
        tokio::time::sleep(time).await;
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
