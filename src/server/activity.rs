//! What of a stub is at work, so that its clock moves only while nothing is.
//!
//! A task is at work from the moment it is woken, on whatever thread, until it waits again; what keeps a task
//! waiting without being the test's to end (a closure of the user's, the fallback) is work too. That leaves
//! what no task was woken for yet, and it is looked for where it is: bytes in a connection's socket, a
//! connection that was not accepted. On Linux what a client of this machine has sent is there once its call
//! returns; elsewhere it may take a moment.

use std::{
    fmt,
    future::Future,
    mem::MaybeUninit,
    pin::Pin,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak},
    task::{Context, Poll, Wake, Waker},
    time::Duration,
};

use socket2::{SockRef, Socket};
use tokio::net::TcpStream;

use crate::script::remember;

/// What of one stub is at work.
#[derive(Default)]
pub(super) struct Activity {
    state: Mutex<State>,
    rested: Condvar,
}

#[derive(Default)]
struct State {
    /// So many tasks and other pieces of work.
    working: usize,
    /// How often something began to work, and how often something ceased to.
    begun: u64,
    ceased: u64,
    /// Answers that are being handed over: one whose task waits is full up to its client's socket.
    writing: usize,
    sockets: Vec<Weak<Socket>>,
    /// Lets in the connections that nobody accepted yet.
    door: Option<Arc<Door>>,
    wakers: Vec<Waker>,
}

type Door = dyn Fn() + Send + Sync;

/// What a look at a stub has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    /// Not everything waits.
    pub(super) at_work: bool,
    /// So often something has begun to work. If that is the same at the next look, and both find everything
    /// waiting, then everything did all the time between.
    pub(super) begun: u64,
    /// So often something has ceased to.
    pub(super) ceased: u64,
    /// Whether an answer is being handed over.
    pub(super) writing: bool,
}

impl Activity {
    /// Looks at tasks, sockets and listener.
    pub(super) fn look(&self) -> Look {
        let door = self.lock().door.clone();
        if let Some(door) = door {
            door();
        }
        let mut state = self.lock();
        let mut unread = false;
        state.sockets.retain(|socket| match socket.upgrade() {
            None => false,
            Some(socket) => {
                unread |= has_news(&socket);
                true
            }
        });
        Look {
            // behind the sockets: a task that has just read one was woken before
            at_work: unread || state.working > 0,
            begun: state.begun,
            ceased: state.ceased,
            writing: state.writing > 0,
        }
    }

    /// Waits on this thread until something has ceased to work since a look, but not for long.
    pub(super) fn block(&self, ceased: u64, limit: Duration) {
        let state = self.lock();
        let same = |state: &mut State| state.ceased == ceased;
        drop(self.rested.wait_timeout_while(state, limit, same));
    }

    /// Whether something has ceased to work since a look; if not, `waker` is called once it does.
    pub(super) fn poll_ceased(&self, ceased: u64, waker: &Waker) -> Poll<()> {
        let mut state = self.lock();
        if state.ceased != ceased {
            return Poll::Ready(());
        }
        remember(&mut state.wakers, waker);
        Poll::Pending
    }

    /// How many pieces of work there are, for a message.
    pub(super) fn working(&self) -> usize {
        self.lock().working
    }

    pub(super) fn open_door(&self, door: impl Fn() + Send + Sync + 'static) {
        self.lock().door = Some(Arc::new(door));
    }

    pub(super) fn close_door(&self) {
        let door = self.lock().door.take();
        drop(door);
    }

    /// Something that is at work until this is dropped.
    pub(super) fn work(self: &Arc<Self>) -> Work {
        self.begin();
        Work(Arc::clone(self))
    }

    /// A task of the stub.
    pub(super) fn task<F: Future<Output = ()>>(self: &Arc<Self>, future: F) -> Task<F> {
        self.begin();
        let mark = Arc::new(Mark {
            activity: Arc::clone(self),
            inner: Mutex::new((Phase::Woken, None)),
        });
        Task {
            future: Some(Box::pin(future)),
            waker: Waker::from(Arc::clone(&mark)),
            mark,
        }
    }

    /// Watches the socket of a connection.
    ///
    /// # Errors
    ///
    /// If the operating system has no descriptor left for it.
    pub(super) fn watch(self: &Arc<Self>, stream: &TcpStream) -> std::io::Result<Watched> {
        let socket = Arc::new(SockRef::from(stream).try_clone()?);
        self.lock().sockets.push(Arc::downgrade(&socket));
        Ok(Watched {
            _socket: socket,
            activity: Arc::clone(self),
        })
    }

    fn begin(&self) {
        let mut state = self.lock();
        state.working += 1;
        state.begun += 1;
    }

    fn cease(&self) {
        let mut state = self.lock();
        state.working -= 1;
        state.ceased += 1;
        let wakers = std::mem::take(&mut state.wakers);
        drop(state);
        self.rested.notify_all();
        wakers.into_iter().for_each(Waker::wake);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Activity")
            .field("working", &self.working())
            .finish_non_exhaustive()
    }
}

/// Whether something came that its task has not read: bytes, an end, an error.
fn has_news(socket: &Socket) -> bool {
    let mut byte = [MaybeUninit::uninit()];
    match socket.peek(&mut byte) {
        Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
        Ok(_) => true,
    }
}

/// A piece of work, until it is dropped.
pub(super) struct Work(Arc<Activity>);

impl Drop for Work {
    fn drop(&mut self) {
        self.0.cease();
    }
}

/// A connection whose socket is watched, until this is dropped.
pub(super) struct Watched {
    _socket: Arc<Socket>,
    activity: Arc<Activity>,
}

impl Watched {
    /// Its answer is being handed over, until that is dropped.
    pub(super) fn writing(&self) -> Writing {
        self.activity.lock().writing += 1;
        Writing(Arc::clone(&self.activity))
    }

    /// As [`Activity::work`].
    pub(super) fn work(&self) -> Work {
        self.activity.work()
    }
}

/// See [`Watched::writing`].
pub(super) struct Writing(Arc<Activity>);

impl Drop for Writing {
    fn drop(&mut self) {
        self.0.lock().writing -= 1;
    }
}

/// A future that is at work from being woken until it waits again.
///
/// ```text
///          wake            poll             pending
///   Rests ─────► Woken ─────────► Runs ─────────────► Rests
///                  ▲                │ wake
///                  └────────────────┘
/// ```
pub(super) struct Task<F> {
    /// `None` only while it is dropped.
    future: Option<Pin<Box<F>>>,
    mark: Arc<Mark>,
    /// Calls [`Mark::wake`].
    waker: Waker,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Rests,
    Woken,
    Runs,
    Over,
}

struct Mark {
    activity: Arc<Activity>,
    /// And the waker of whoever polls the task.
    inner: Mutex<(Phase, Option<Waker>)>,
}

impl Mark {
    fn lock(&self) -> MutexGuard<'_, (Phase, Option<Waker>)> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Mark {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut inner = self.lock();
        match inner.0 {
            Phase::Rests => {
                self.activity.begin();
                inner.0 = Phase::Woken;
            }
            Phase::Runs => inner.0 = Phase::Woken,
            Phase::Woken => {}
            Phase::Over => return,
        }
        let waker = inner.1.clone();
        drop(inner);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<F: Future<Output = ()>> Future for Task<F> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        {
            let mut inner = this.mark.lock();
            if inner.0 == Phase::Rests {
                this.mark.activity.begin();
            }
            *inner = (Phase::Runs, Some(context.waker().clone()));
        }
        let Some(future) = &mut this.future else {
            return Poll::Ready(());
        };
        let polled = future.as_mut().poll(&mut Context::from_waker(&this.waker));
        let mut inner = this.mark.lock();
        if polled.is_pending() && inner.0 == Phase::Runs {
            inner.0 = Phase::Rests;
            drop(inner);
            this.mark.activity.cease();
        }
        polled
    }
}

impl<F> Drop for Task<F> {
    fn drop(&mut self) {
        // what it does while it is dropped is work as well
        drop(self.future.take());
        let (before, _) = std::mem::replace(&mut *self.mark.lock(), (Phase::Over, None));
        if matches!(before, Phase::Woken | Phase::Runs) {
            self.mark.activity.cease();
        }
    }
}
