//! The paused time of a tokio runtime, shared by the stubs that were started in it.
//!
//! Paused time jumps to the next timer once the runtime has nothing else to do, and waiting for a socket is
//! nothing to do. It does not while a blocking task of the runtime runs, so one is kept there as long as there is
//! a stub. It is let go while the time is moved; then the mover (`mover.rs`) sees to it that the runtime is never
//! without work but for the step that the time is to make.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    time::Duration,
};

use tokio::{
    runtime::{Handle, RuntimeFlavor},
    sync::oneshot,
    task::AbortHandle,
    time::Instant,
};

use super::{Activity, Waited};

/// So long a blocking task holds the time before another one takes over: a runtime that is shut down while a stub
/// goes on waits for its blocking tasks, and one with a single thread for them has others to run.
const SHIFT: Duration = Duration::from_millis(50);

/// What is further away than this is as far for tokio too, whose instants have an end.
pub(super) const FAR: Duration = Duration::from_secs(60 * 60 * 24 * 365 * 30);

/// Those that are in use. The time is the runtime's and not a stub's, so the stubs of a runtime have to find each
/// other.
static RUNTIMES: Mutex<Vec<Weak<Paused>>> = Mutex::new(Vec::new());

/// The paused time of one runtime.
pub(super) struct Paused {
    handle: Handle,
    base: Instant,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    stubs: Vec<Weak<Activity>>,
    /// So many moves are under way.
    moves: usize,
    /// Ends the blocking task when it is dropped.
    held: Option<Sender<()>>,
    /// The ends of the stubs' pauses, and their numbers.
    pauses: BTreeSet<(Duration, u64)>,
    begun: u64,
    /// What a step leads to: what happens inside it is taken to happen at its end, so that the same test always
    /// has the same times.
    step: Duration,
    /// Tells when the runtime has ended.
    keeper: Option<AbortHandle>,
    ended: bool,
}

impl Paused {
    /// # Errors
    ///
    /// If this is no place where time is paused, in words.
    pub(super) fn of_this_runtime() -> Result<Arc<Self>, String> {
        let refusal = |found: &str, help: &str| {
            Err(format!(
                "`Clock::tokio()` is the paused clock of a tokio runtime, and there is none\n  \
                 found: {found}\n  help: {help}"
            ))
        };
        let Ok(handle) = Handle::try_current() else {
            return refusal(
                "no tokio runtime",
                "start the stub inside `#[tokio::test(start_paused = true)]`",
            );
        };
        if handle.runtime_flavor() != RuntimeFlavor::CurrentThread {
            return refusal(
                "a runtime of several threads, whose time cannot be paused",
                "use `#[tokio::test(start_paused = true)]`, without another flavor",
            );
        }
        if !stands_still() {
            return refusal(
                "a runtime whose time is not paused",
                "use `#[tokio::test(start_paused = true)]`, or call `tokio::time::pause()` before the stub starts",
            );
        }
        let mut runtimes = RUNTIMES.lock().unwrap_or_else(PoisonError::into_inner);
        runtimes.retain(|known| known.strong_count() > 0);
        let mut known = runtimes.iter().filter_map(Weak::upgrade);
        if let Some(known) = known.find(|known| known.handle.id() == handle.id()) {
            return Ok(known);
        }
        let paused = Arc::new(Self {
            handle,
            base: Instant::now(),
            state: Mutex::default(),
        });
        let keeper = Keeper(Arc::downgrade(&paused));
        let keeping = paused.handle.spawn(async move {
            let _keeper = keeper;
            std::future::pending::<()>().await;
        });
        paused.lock().keeper = Some(keeping.abort_handle());
        runtimes.push(Arc::downgrade(&paused));
        Ok(paused)
    }

    /// One more stub.
    pub(super) fn join(&self, stub: &Arc<Activity>) {
        let mut state = self.lock();
        state.stubs.push(Arc::downgrade(stub));
        self.hold_or_let_go(&mut state);
    }

    /// One stub less.
    pub(super) fn leave(&self, stub: &Arc<Activity>) {
        let mut state = self.lock();
        state
            .stubs
            .retain(|other| !other.ptr_eq(&Arc::downgrade(stub)));
        self.hold_or_let_go(&mut state);
    }

    /// What of the stubs is at work.
    pub(super) fn stubs(&self) -> Vec<Arc<Activity>> {
        self.lock().stubs.iter().filter_map(Weak::upgrade).collect()
    }

    pub(super) fn now(&self) -> Duration {
        let now = {
            let _entered = self.handle.enter();
            Instant::now()
        };
        self.lock()
            .step
            .max(now.saturating_duration_since(self.base))
    }

    /// When the next pause ends.
    pub(super) fn next_pause(&self) -> Option<Duration> {
        self.lock().pauses.first().map(|(end, _)| *end)
    }

    /// Waits on a timer of the runtime.
    pub(super) async fn wait(self: &Arc<Self>, time: Duration) -> Waited {
        let pause = self.begin(time);
        let timer = self.timer(pause.key.0);
        let (through, passed) = oneshot::channel();
        // a task there, since a timer that is polled after the end of its runtime panics
        let waiting = self.handle.spawn(async move {
            timer.await;
            let _ = through.send(());
        });
        let _aborted = Aborted(waiting.abort_handle());
        match passed.await {
            Ok(()) => Waited::Through,
            Err(_) => Waited::ClockEnded,
        }
    }

    fn begin(&self, time: Duration) -> Pause<'_> {
        let end = self.now().saturating_add(time.min(FAR));
        let mut state = self.lock();
        let key = (end, state.begun);
        state.begun += 1;
        state.pauses.insert(key);
        Pause { clock: self, key }
    }

    /// Lets the time go, to be moved, until that is dropped.
    ///
    /// # Errors
    ///
    /// If it is not the time of the runtime that asks, in words.
    pub(super) fn let_go(self: &Arc<Self>) -> Result<LetGo, String> {
        let mut state = self.lock();
        if state.ended {
            return Err("the runtime of this clock has ended".to_owned());
        }
        if Handle::try_current().map(|here| here.id()).ok() != Some(self.handle.id()) {
            return Err("this clock moves only while its own runtime awaits that".to_owned());
        }
        state.moves += 1;
        self.hold_or_let_go(&mut state);
        Ok(LetGo(Arc::clone(self)))
    }

    fn hold_or_let_go(&self, state: &mut State) {
        if state.stubs.is_empty() || state.moves > 0 || state.ended {
            state.held = None;
        } else if state.held.is_none() {
            let (held, let_go) = channel();
            hold(&self.handle, let_go);
            state.held = Some(held);
        }
    }

    /// A timer of the runtime, from whatever thread.
    fn timer(&self, end: Duration) -> tokio::time::Sleep {
        let _entered = self.handle.enter();
        // what is too far for an instant is as far as this
        let end = self.base.checked_add(end);
        tokio::time::sleep_until(end.unwrap_or_else(|| self.base + FAR))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Paused {
    fn drop(&mut self) {
        if let Some(keeper) = self.lock().keeper.take() {
            keeper.abort();
        }
    }
}

/// Whether this runtime's time is paused: then it is the same although the system's has gone on.
fn stands_still() -> bool {
    let before = Instant::now();
    let system = std::time::Instant::now();
    while std::time::Instant::now() == system {}
    Instant::now() == before
}

/// Keeps the time of this runtime from jumping until the sender is dropped, or the runtime ends.
fn hold(handle: &Handle, let_go: Receiver<()>) {
    let next = handle.clone();
    handle.spawn_blocking(move || {
        if let_go.recv_timeout(SHIFT) == Err(RecvTimeoutError::Timeout) {
            hold(&next, let_go);
        }
    });
}

/// The time was let go, until this is dropped.
pub(super) struct LetGo(Arc<Paused>);

impl LetGo {
    /// Lets the time run to there; in between, timers go off in their order.
    pub(super) async fn step(&self, end: Duration) {
        self.0.lock().step = end;
        self.0.timer(end).await;
    }
}

impl Drop for LetGo {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.moves -= 1;
        state.step = Duration::ZERO;
        self.0.hold_or_let_go(&mut state);
    }
}

/// Takes the pause off the list once nobody waits any more.
struct Pause<'a> {
    clock: &'a Paused,
    key: (Duration, u64),
}

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        self.clock.lock().pauses.remove(&self.key);
    }
}

struct Aborted(AbortHandle);

impl Drop for Aborted {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Part of a task of the runtime that ends with it.
struct Keeper(Weak<Paused>);

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Some(paused) = self.0.upgrade() {
            let mut state = paused.lock();
            state.ended = true;
            state.held = None;
        }
    }
}
