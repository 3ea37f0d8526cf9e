//! Panics as values: the message and the line, quietly, also while other tests run beside.
#![allow(dead_code, reason = "each test crate uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    cell::Cell,
    panic::{self, AssertUnwindSafe, catch_unwind},
    sync::Once,
};

use futures_util::FutureExt;

/// What a panic said, and the line at which it was raised.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Panic {
    pub(crate) message: String,
    pub(crate) line: u32,
}

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    static LINE: Cell<u32> = const { Cell::new(0) };
}

/// The panic that `code` ends in.
#[track_caller]
pub(crate) fn panic_of<T>(code: impl FnOnce() -> T) -> Panic {
    listen();
    let caught = catch_unwind(AssertUnwindSafe(code));
    heard(caught)
}

/// The panic that `future` ends in.
pub(crate) async fn panic_at<F: Future>(future: F) -> Panic {
    listen();
    let caught = AssertUnwindSafe(future).catch_unwind().await;
    heard(caught)
}

/// From here on this thread's panics are kept and not printed.
fn listen() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if CATCHING.get() {
                LINE.set(info.location().map_or(0, panic::Location::line));
            } else {
                before(info);
            }
        }));
    });
    CATCHING.set(true);
}

#[track_caller]
fn heard<T>(caught: std::thread::Result<T>) -> Panic {
    CATCHING.set(false);
    let Err(panic) = caught else {
        panic!("it did not panic");
    };
    let message = match panic.downcast::<String>() {
        Ok(message) => *message,
        Err(panic) => (*panic.downcast::<&str>().unwrap()).to_owned(),
    };
    Panic {
        message,
        line: LINE.get(),
    }
}
