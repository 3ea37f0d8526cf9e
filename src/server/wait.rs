//! Waiting for something to happen: a future for any runtime, and its blocking twin.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::Thread,
    time::Duration,
};

use tokio::time::Sleep;

use super::{
    clock::{Deadline, system_timer},
    runtime::runtime,
};

/// How long a wait lasts before it gives up, in the system's time.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// What a wait found.
pub(super) enum Found<T> {
    /// It has happened.
    Yes(T),
    /// Not yet; the waker is kept and will be called.
    NotYet,
    /// It can never happen, for this reason.
    Never(String),
}

type Check<T> = dyn FnMut(&Waker) -> Found<T> + Send;

/// Something that a test waits for, under any async runtime.
///
/// It gives up after 5 seconds of the system's time ([`Wait::patience`] changes that) with a panic at the
/// `.await`, with the journal in the message.
#[must_use = "nothing is waited for until this is awaited"]
pub struct Wait<T> {
    /// What is waited for, in words.
    what: String,
    check: Box<Check<T>>,
    /// What there is to say when giving up.
    report: Box<dyn Fn() -> String + Send>,
    patience: Duration,
    timer: Option<Pin<Box<Sleep>>>,
    progress: Option<Progress>,
}

/// How far it has come; as long as that changes, its patience begins anew.
struct Progress {
    now: Box<dyn Fn() -> Duration + Send>,
    seen: Duration,
}

impl<T> Wait<T> {
    pub(super) fn new(
        what: String,
        patience: Duration,
        check: impl FnMut(&Waker) -> Found<T> + Send + 'static,
        report: impl Fn() -> String + Send + 'static,
    ) -> Self {
        Self {
            what,
            check: Box::new(check),
            report: Box::new(report),
            patience,
            timer: None,
            progress: None,
        }
    }

    /// Gives up only once this has been the same for all its patience.
    pub(super) fn while_same(mut self, now: impl Fn() -> Duration + Send + 'static) -> Self {
        self.progress = Some(Progress {
            seen: now(),
            now: Box::new(now),
        });
        self
    }

    /// Whether it has come further since it was asked last.
    fn goes_on(&mut self) -> bool {
        let Some(progress) = &mut self.progress else {
            return false;
        };
        let before = std::mem::replace(&mut progress.seen, (progress.now)());
        progress.seen != before
    }

    /// Waits for a future; an error is why it can never be done.
    pub(super) fn by(
        what: String,
        patience: Duration,
        future: impl Future<Output = Result<T, String>> + Send + 'static,
        report: impl Fn() -> String + Send + 'static,
    ) -> Self {
        let mut future = Box::pin(future);
        let check = move |waker: &Waker| match future.as_mut().poll(&mut Context::from_waker(waker))
        {
            Poll::Ready(Ok(value)) => Found::Yes(value),
            Poll::Ready(Err(why)) => Found::Never(why),
            Poll::Pending => Found::NotYet,
        };
        Self::new(what, patience, check, report)
    }

    /// Gives up after this much of the system's time.
    pub const fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Waits on this thread.
    #[track_caller]
    pub(super) fn block(mut self, name: &str) -> T {
        self.block_as(&format!("{name}_blocking"), name)
    }

    /// As [`block`](Self::block), for a method of this name whose future is made by that one.
    #[track_caller]
    pub(super) fn block_as(&mut self, name: &str, future: &str) -> T {
        assert!(
            tokio::runtime::Handle::try_current().is_err(),
            "`{name}` would block this async runtime\n  \
             help: `{future}` is a future for it; await that, or block on it where blocking is allowed"
        );
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        let mut deadline = Deadline::after(self.patience);
        loop {
            match (self.check)(&waker) {
                Found::Yes(value) => return value,
                Found::Never(why) => self.give_up(&why),
                Found::NotYet => {}
            }
            match deadline.left() {
                Some(left) => std::thread::park_timeout(left),
                None if self.goes_on() => deadline = Deadline::after(self.patience),
                None => self.give_up(&self.out_of_patience()),
            }
        }
    }

    fn out_of_patience(&self) -> String {
        format!("not within {:?}", self.patience)
    }

    #[track_caller]
    pub(super) fn give_up(&self, why: &str) -> ! {
        panic!(
            "gave up waiting for {}: {why}\n{}",
            self.what,
            (self.report)()
        )
    }
}

impl<T> Future for Wait<T> {
    type Output = T;

    #[track_caller]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let this = &mut *self;
        match (this.check)(context.waker()) {
            Found::Yes(value) => return Poll::Ready(value),
            Found::Never(why) => this.give_up(&why),
            Found::NotYet => {}
        }
        if this.timer.is_none() {
            let patience = this.patience;
            match runtime() {
                Ok(runtime) => this.timer = Some(system_timer(runtime, patience)),
                Err(error) => this.give_up(&format!("there is no timer: {error}")),
            }
        }
        let passed = match &mut this.timer {
            Some(timer) => timer.as_mut().poll(context).is_ready(),
            None => false,
        };
        if passed {
            if !this.goes_on() {
                this.give_up(&this.out_of_patience());
            }
            this.timer = None;
            context.waker().wake_by_ref();
        }
        Poll::Pending
    }
}

impl<T> fmt::Debug for Wait<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wait")
            .field("what", &self.what)
            .field("patience", &self.patience)
            .finish_non_exhaustive()
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
