//! Many calls at once in one task, under any async runtime.

use std::{
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
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

/// What a future comes to, or the message of its panic; making it may panic too.
pub(super) async fn caught<F: Future>(make: impl FnOnce() -> F) -> Result<F::Output, String> {
    let message = |panic: Box<dyn std::any::Any + Send>| panic_message(panic.as_ref());
    let made = catch_unwind(AssertUnwindSafe(make)).map_err(message)?;
    let mut made = pin!(made);
    poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| made.as_mut().poll(context)));
        match polled {
            Ok(polled) => polled.map(Ok),
            Err(panic) => Poll::Ready(Err(message(panic))),
        }
    })
    .await
}
