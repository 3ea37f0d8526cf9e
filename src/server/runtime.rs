//! The one background runtime of the process, and what runs on it.

use std::{
    any::Any,
    cell::Cell,
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::OnceLock,
    task::Poll,
};

use tokio::runtime::{Builder, Runtime};

/// The background runtime, started on first use and never stopped.
///
/// # Errors
///
/// If the operating system has no thread left for it.
pub(crate) fn runtime() -> std::io::Result<&'static Runtime> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    let made = Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("llm-wire-stub")
        // every one of them may hold a closure of the user's that waits for another one
        .max_blocking_threads(MAX_CLOSURES)
        .on_thread_start(|| OURS.set(true))
        .enable_all()
        .build()?;
    // another thread may have been faster; a runtime that was not used may not be dropped inside another
    if let Err(surplus) = RUNTIME.set(made) {
        surplus.shutdown_background();
    }
    RUNTIME
        .get()
        .ok_or_else(|| std::io::Error::other("the runtime is gone"))
}

/// So many closures of users run at once in a process; the next ones wait for their turn.
const MAX_CLOSURES: usize = 8 * 1024;

thread_local! {
    /// Whether this is one of the runtime's threads.
    static OURS: Cell<bool> = const { Cell::new(false) };
}

/// Drops what the user gave away from the runtime's workers: a destructor may take its time, or panic.
pub(super) fn drop_off_worker<T: Send + 'static>(value: T) {
    match runtime() {
        Ok(runtime) if OURS.get() => drop(runtime.spawn_blocking(move || drop(value))),
        _ => drop(value),
    }
}

/// Which of two futures was ready first.
pub(crate) enum First<A, B> {
    A(A),
    B(B),
}

/// Waits for the first of two; the first is asked first. A large one is given pinned: by value it would be held twice,
/// as what was given and as what is polled.
pub(crate) async fn race<A: Future, B: Future>(a: A, b: B) -> First<A::Output, B::Output> {
    let (mut a, mut b) = (pin!(a), pin!(b));
    poll_fn(move |context| {
        if let Poll::Ready(output) = a.as_mut().poll(context) {
            return Poll::Ready(First::A(output));
        }
        b.as_mut().poll(context).map(First::B)
    })
    .await
}

/// Runs the user's code off the runtime's workers.
///
/// # Errors
///
/// The message of its panic.
pub(super) async fn off_worker<T: Send + 'static>(
    code: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    let caught = tokio::task::spawn_blocking(|| catch_unwind(AssertUnwindSafe(code))).await;
    match caught {
        Ok(Ok(output)) => Ok(output),
        Ok(Err(panic)) => Err(panic_message(panic.as_ref())),
        Err(_) => Err("it was stopped with the runtime".to_owned()),
    }
}

pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}
