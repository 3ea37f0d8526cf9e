//! A gate: where an answer waits until the test opens it. Plain state and wakers; the player in `server`
//! is the one who waits.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Waker,
    time::Duration,
};

/// Holds an answer at a place until the test opens it. See [`Turn::gate`](crate::Turn::gate).
///
/// A gate that was opened stays open. Dropping one that is still closed ends the answer that waits at it,
/// or comes to it later, and fails `verify`: a forgotten gate fails the test instead of hanging it.
///
/// ```
/// use llm_wire_stub::{After, Gate, Turn};
///
/// let gate = Gate::new();
/// let turn = Turn::new().text("two words").gate(After::deltas(1), &gate);
/// gate.open();
/// # let _ = turn;
/// ```
#[must_use = "a gate that is dropped while closed aborts the answer"]
pub struct Gate {
    latch: GateLatch,
}

impl Gate {
    /// A closed gate.
    pub fn new() -> Self {
        Self {
            latch: GateLatch::default(),
        }
    }

    /// Opens the gate for good: whoever waits goes on, whoever comes later does not wait.
    pub fn open(&self) {
        self.latch.open();
    }

    /// The handle to this latch.
    pub(crate) const fn of(latch: GateLatch) -> Self {
        Self { latch }
    }

    pub(crate) fn latch(&self) -> &GateLatch {
        &self.latch
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.latch.abort();
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.latch, f)
    }
}

/// The gate as a turn names it.
#[derive(Clone, Default)]
pub(crate) struct GateLatch(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// By which a test finds the gate of a fixture.
    name: Option<Arc<str>>,
    lock: Lock,
    reached: bool,
    wakers: Vec<Waker>,
    /// What the stub that plays this gate has to say when a wait for it gives up, and its patience.
    stub: Option<(Arc<Report>, Duration)>,
    /// How many stubs play it.
    stubs: usize,
}

pub(crate) type Report = dyn Fn() -> String + Send + Sync;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Lock {
    #[default]
    Closed,
    Open,
    /// The gate was dropped while it was closed.
    Aborted,
}

/// Whether an answer has come to a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reached {
    Yes,
    NotYet,
    /// It never will.
    GateDropped,
    /// It never will.
    StubsDropped,
}

impl GateLatch {
    /// A gate that a fixture names; each stub has its own in its place.
    pub(crate) fn named(name: Arc<str>) -> Self {
        let latch = Self::default();
        latch.state().name = Some(name);
        latch
    }

    /// A closed one of the same name.
    pub(crate) fn renewed(&self) -> Self {
        self.name().map(Self::named).unwrap_or_default()
    }

    pub(crate) fn name(&self) -> Option<Arc<str>> {
        self.state().name.clone()
    }

    /// An answer has come to the gate; who waits for that is to be woken.
    pub(crate) fn reach(&self) -> Vec<Waker> {
        let mut state = self.state();
        state.reached = true;
        std::mem::take(&mut state.wakers)
    }

    /// It is as new: closed, and no answer has come to it.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.reached = false;
        state.lock = Lock::Closed;
    }

    /// Whoever waits goes on, whoever comes later does not wait.
    pub(crate) fn open(&self) {
        self.update(|state| {
            if state.lock == Lock::Closed {
                state.lock = Lock::Open;
            }
        });
    }

    /// Nobody will open this gate any more.
    pub(crate) fn abort(&self) {
        self.update(|state| {
            if state.lock == Lock::Closed {
                state.lock = Lock::Aborted;
            }
        });
    }

    pub(crate) fn is_open(&self) -> bool {
        self.state().lock == Lock::Open
    }

    /// How the gate stands; while it is closed, `waker` is called at the next change.
    pub(crate) fn poll_lock(&self, waker: &Waker) -> Lock {
        let mut state = self.state();
        if state.lock == Lock::Closed {
            remember(&mut state.wakers, waker);
        }
        state.lock
    }

    /// Whether an answer has come to it, or will. While it is still to come, `waker` is called at the next
    /// change.
    pub(crate) fn poll_reached(&self, waker: &Waker) -> Reached {
        let mut state = self.state();
        if state.reached {
            return Reached::Yes;
        }
        if state.lock == Lock::Aborted {
            return Reached::GateDropped;
        }
        if state.stub.is_some() && state.stubs == 0 {
            return Reached::StubsDropped;
        }
        remember(&mut state.wakers, waker);
        Reached::NotYet
    }

    /// Names the stub that plays this gate: its journal, and its patience.
    pub(crate) fn bind(&self, report: &Arc<Report>, patience: Duration) {
        let mut state = self.state();
        state.stub = Some((Arc::clone(report), patience));
        state.stubs += 1;
    }

    /// The stub that was named with this report is gone; its last one stands in for that, as long as no other
    /// stub was named.
    pub(crate) fn unbind(&self, report: &Arc<Report>, last: &Arc<Report>) {
        self.update(|state| {
            state.stubs = state.stubs.saturating_sub(1);
            if let Some((named, _)) = &mut state.stub {
                if Arc::ptr_eq(named, report) {
                    *named = Arc::clone(last);
                }
            }
        });
    }

    /// The stub that plays this gate: its journal, and its patience.
    pub(crate) fn stub(&self) -> Option<(Arc<Report>, Duration)> {
        self.state().stub.clone()
    }

    /// Whether anybody else knows this gate.
    pub(crate) fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn update(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        change(&mut state);
        let wakers = std::mem::take(&mut state.wakers);
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps `waker` unless one that wakes the same task is there already.
pub(crate) fn remember(wakers: &mut Vec<Waker>, waker: &Waker) {
    if !wakers.iter().any(|known| known.will_wake(waker)) {
        wakers.push(waker.clone());
    }
}

impl fmt::Debug for GateLatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        f.debug_struct("Gate")
            .field("lock", &state.lock)
            .field("reached", &state.reached)
            .finish()
    }
}
