//! Time that stands still until a test moves it, and the pauses that wait on it.

use std::{
    collections::BTreeMap,
    future::poll_fn,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
    time::Duration,
};

/// A clock that nothing but [`Manual::end_pause`] and [`Manual::set`] moves.
#[derive(Default)]
pub(super) struct Manual(Mutex<State>);

#[derive(Default)]
struct State {
    now: Duration,
    /// By their ends, those of one time in the order in which they began; each has the waker of who waits.
    pauses: BTreeMap<Key, Option<Waker>>,
    begun: u64,
}

/// When a pause ends, and its number.
type Key = (Duration, u64);

impl Manual {
    pub(super) fn now(&self) -> Duration {
        self.lock().now
    }

    pub(super) async fn wait(&self, time: Duration) {
        let pause = self.begin(time);
        poll_fn(|context| {
            // it is taken off the list by its end
            match self.lock().pauses.get_mut(&pause.key) {
                None => Poll::Ready(()),
                Some(waker) => {
                    *waker = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await;
    }

    fn begin(&self, time: Duration) -> Pause<'_> {
        let mut state = self.lock();
        let key = (state.now.saturating_add(time), state.begun);
        state.begun += 1;
        state.pauses.insert(key, None);
        Pause { clock: self, key }
    }

    /// When the next pause ends.
    pub(super) fn next_pause(&self) -> Option<Duration> {
        let state = self.lock();
        state.pauses.keys().next().map(|(end, _)| *end)
    }

    /// Moves to the end of the next pause, and ends it: one at a time, so that those of one time end in order.
    pub(super) fn end_pause(&self) {
        let mut state = self.lock();
        let Some(((end, _), waker)) = state.pauses.pop_first() else {
            return;
        };
        state.now = state.now.max(end);
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Moves to this time, before which no pause ends.
    pub(super) fn set(&self, time: Duration) {
        let mut state = self.lock();
        state.now = state.now.max(time);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes the pause off the list once nobody waits any more.
struct Pause<'a> {
    clock: &'a Manual,
    key: Key,
}

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        let waker = self.clock.lock().pauses.remove(&self.key);
        drop(waker);
    }
}
