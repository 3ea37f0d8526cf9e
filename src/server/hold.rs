//! Holding every answer, and waiting at gates.

use std::{future::poll_fn, task::Poll};

use super::{
    shared::Shared,
    wait::{Found, PATIENCE, Wait},
};
use crate::script::{Gate, GateLatch, Lock, Reached};
use std::sync::Arc;

/// Makes every answer wait until it is released or dropped. See [`StubHandle::hold`](crate::StubHandle::hold).
#[must_use = "the hold ends when this is dropped"]
#[derive(Debug)]
pub struct Hold {
    gate: Gate,
    shared: Arc<Shared>,
}

impl Hold {
    pub(super) fn new(shared: &Arc<Shared>) -> Self {
        let gate = Gate::new();
        shared.put_hold(Some(gate.latch().clone()));
        Self {
            gate,
            shared: Arc::clone(shared),
        }
    }

    /// Lets the waiting answers go, and ends the hold.
    pub fn release(self) {
        drop(self);
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.shared.update(|state| {
            let mine = |hold: &GateLatch| hold.is_same(self.gate.latch());
            if state.hold.as_ref().is_some_and(mine) {
                state.hold = None;
            }
        });
        self.gate.open();
    }
}

impl Shared {
    /// Puts this hold in force, or none, and releases the one before.
    pub(super) fn put_hold(&self, hold: Option<GateLatch>) {
        let before = self.update(|state| std::mem::replace(&mut state.hold, hold));
        if let Some(before) = before {
            before.open();
        }
    }
}

impl Gate {
    /// Waits until an answer has come to the gate; it is there at once if one did earlier.
    ///
    /// # Panics
    ///
    /// At the `.await`, with the journal, when it gives up after the stub's patience (5 seconds of the
    /// system's time), or when the stub or the gate was dropped.
    pub fn reached(&self) -> Wait<()> {
        let (latch, reporter) = (self.latch().clone(), self.latch().clone());
        Wait::new(
            "an answer to come to the gate".to_owned(),
            self.latch()
                .stub()
                .map_or(PATIENCE, |(_, patience)| patience),
            move |waker| match latch.poll_reached(waker) {
                Reached::Yes => Found::Yes(()),
                Reached::NotYet => Found::NotYet,
                Reached::GateDropped => Found::Never("the gate was dropped".to_owned()),
                Reached::StubsDropped => {
                    Found::Never("every stub with this gate was dropped".to_owned())
                }
            },
            move || match reporter.stub() {
                Some((report, _)) => report(),
                None => "  where: no stub has a turn with this gate\n  \
                         help: give the turn to a stub, or let a closure answer with it"
                    .to_owned(),
            },
        )
    }

    /// As [`Gate::reached`], on this thread.
    ///
    /// # Panics
    ///
    /// At the caller's line, as [`Gate::reached`]; at once inside an async runtime.
    #[track_caller]
    pub fn reached_blocking(&self) {
        self.reached().block("reached");
    }
}

/// Waits until the gate is open; `Aborted` if nobody will open it any more.
pub(super) async fn passed(gate: &GateLatch) -> Lock {
    poll_fn(|context| match gate.poll_lock(context.waker()) {
        Lock::Closed => Poll::Pending,
        lock @ (Lock::Open | Lock::Aborted) => Poll::Ready(lock),
    })
    .await
}
