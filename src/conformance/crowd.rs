//! Many calls at once in one task, under any async runtime.

use std::{
    any::Any,
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::Poll,
};

use crate::server::panic_message;

/// Runs `make(0)` to `make(count - 1)`, so many at once, and gives each output to `done` as it comes.
pub(super) async fn run<F: Future>(
    count: usize,
    at_once: usize,
    make: impl Fn(usize) -> F,
    mut done: impl FnMut(usize, F::Output),
) {
    let mut next = 0;
    let mut running: Vec<(usize, Pin<Box<F>>)> = Vec::new();
    poll_fn(move |context| {
        loop {
            while next < count && running.len() < at_once.max(1) {
                running.push((next, Box::pin(make(next))));
                next += 1;
            }
            let before = running.len();
            running.retain_mut(|(n, call)| match call.as_mut().poll(context) {
                Poll::Ready(output) => {
                    done(*n, output);
                    false
                }
                Poll::Pending => true,
            });
            if running.is_empty() && next == count {
                return Poll::Ready(());
            }
            if running.len() == before {
                return Poll::Pending;
            }
        }
    })
    .await;
}

/// A call of the user's, whose panics are results: when it is made, polled, and dropped.
pub(super) struct Call<F>(Option<Pin<Box<F>>>);

impl<F: Future> Call<F> {
    /// Makes it.
    pub(super) fn new(make: impl FnOnce() -> F) -> Result<Self, String> {
        let made = catch_unwind(AssertUnwindSafe(|| Box::pin(make())));
        made.map(|call| Self(Some(call))).map_err(message)
    }

    /// What it comes to.
    pub(super) async fn output(&mut self) -> Result<F::Output, String> {
        poll_fn(|context| {
            let Some(call) = &mut self.0 else {
                return Poll::Ready(Err("it was polled after its end".to_owned()));
            };
            let polled = catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(context)));
            match polled {
                Ok(polled) => polled.map(Ok),
                Err(panic) => Poll::Ready(Err(message(panic))),
            }
        })
        .await
    }

    /// Drops it, whether it has come to its end or not.
    pub(super) fn end(mut self) -> Result<(), String> {
        let call = self.0.take();
        catch_unwind(AssertUnwindSafe(|| drop(call))).map_err(message)
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "this is what a caught panic is"
)]
fn message(panic: Box<dyn Any + Send>) -> String {
    panic_message(panic.as_ref())
}
