//! A stub from its start to its drop, as runs of its script: a reset ends one and begins the next.
//!
//! ```text
//! start ─► run ── reset ─► run ── reset ─► run ── drop
//! ```
//!
//! A request belongs to the run in which it had been read, whatever becomes of it later: all that is written
//! down of it is written down there. So an answer that a reset has cut off finds its own journal and its own
//! indices, and never those of the next run. Connections outlive runs; those whose answer is cut off end.

use std::{
    fmt,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicBool},
    task::Waker,
};

use tokio::sync::Semaphore;

use super::{
    clock::Time,
    shared::{Config, InUse, Shared},
};
use crate::script::remember;

/// Why a run has ended.
pub(super) const DROPPED: &str = "the stub was dropped";
pub(super) const RESET: &str = "the stub was reset";

/// What the stub, its handles and its connections share.
pub(super) struct Runs {
    pub(super) config: Arc<InUse>,
    pub(super) clock: Arc<Time>,
    pub(super) address: SocketAddr,
    dialects: Arc<AtomicBool>,
    run: Mutex<Run>,
    connections: Mutex<Connections>,
    /// Without a permit, and closed once the stub is dropped. A `watch` would tell it too, with eight locks.
    stop: Semaphore,
}

struct Run {
    current: Arc<Shared>,
    /// Whether it is the last one.
    stopped: bool,
}

#[derive(Default)]
struct Connections {
    open: usize,
    seen: usize,
    wakers: Vec<Waker>,
}

impl Runs {
    pub(super) fn new(config: Config, clock: Time, address: SocketAddr) -> Arc<Self> {
        let (config, clock) = (Arc::new(InUse::new(config)), Arc::new(clock));
        let dialects = Arc::default();
        let current = Shared::new(&config, &clock, address, &dialects);
        Arc::new(Self {
            config,
            clock,
            address,
            dialects,
            run: Mutex::new(Run {
                current,
                stopped: false,
            }),
            connections: Mutex::default(),
            stop: Semaphore::new(0),
        })
    }

    /// The run that a request of this moment belongs to.
    pub(super) fn current(&self) -> Arc<Shared> {
        Arc::clone(&self.run().current)
    }

    /// Ends the run, and begins the next; gives back the one that has ended. A stub that was dropped has no next
    /// one.
    pub(super) fn reset(&self) -> Option<Arc<Shared>> {
        let (before, ended) = {
            let mut run = self.run();
            if run.stopped {
                return None;
            }
            let next = Shared::new(&self.config, &self.clock, self.address, &self.dialects);
            let before = std::mem::replace(&mut run.current, next);
            // in this order, and before anyone is answered in the next run: its gates are reached by its answers only
            let ended = before.end(RESET);
            self.config.close_gates();
            (before, ended)
        };
        ended.tell();
        Some(before)
    }

    /// Ends every answer, every wait and every connection.
    pub(super) fn stop(&self) {
        self.clock.leave();
        let last = {
            let mut run = self.run();
            run.stopped = true;
            Arc::clone(&run.current)
        };
        last.end(DROPPED).tell();
        self.stop.close();
    }

    /// Waits until the stub is dropped.
    pub(super) async fn stopped(&self) {
        let _ = self.stop.acquire().await;
    }

    /// Counts a connection, and gives it its number.
    pub(super) fn connected(self: &Arc<Self>) -> (usize, Connected) {
        let mut connections = self.connections();
        connections.open += 1;
        connections.seen += 1;
        (connections.seen - 1, Connected(Arc::clone(self)))
    }

    /// Whether no connection is open; if one is, `waker` is called once that changes.
    pub(super) fn poll_drained(&self, waker: &Waker) -> bool {
        let mut connections = self.connections();
        if connections.open > 0 {
            remember(&mut connections.wakers, waker);
        }
        connections.open == 0
    }

    fn run(&self) -> MutexGuard<'_, Run> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        let connections = self.connections.lock();
        connections.unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Runs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shared = self.current();
        let state = shared.lock();
        f.debug_struct("WireStub")
            .field("script", &self.config.script.description())
            .field("calls", &state.calls)
            .field("in_flight", &state.in_flight)
            .field("connections", &self.connections().open)
            .finish_non_exhaustive()
    }
}

/// Takes a connection off the count when its task ends, however it ends.
pub(super) struct Connected(Arc<Runs>);

impl Drop for Connected {
    fn drop(&mut self) {
        let mut connections = self.0.connections();
        connections.open -= 1;
        let wakers = std::mem::take(&mut connections.wakers);
        drop(connections);
        wakers.into_iter().for_each(Waker::wake);
    }
}
