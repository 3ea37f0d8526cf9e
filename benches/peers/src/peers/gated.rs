//! Servers whose streams wait at closed gates: ours, and the same built on hyper for a yardstick.

use super::{Hyper, Server};
use crate::load;
use bytes::Bytes;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::{self, Stream, StreamExt};
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::yield_now;

pub trait Gated: Server {
    /// Done when `streams` streams are in flight.
    fn in_flight(&self, streams: usize) -> LocalBoxFuture<'_, ()>;

    /// Opens the gates one after another, wherever the stream is.
    fn open_in_turn(&self) -> LocalBoxFuture<'_, ()>;

    /// Opens the gates one after another, each once the stream waits at it.
    fn open_when_reached(&self) -> LocalBoxFuture<'_, ()>;

    /// Done when the server has noticed that a client left.
    fn client_left(&self) -> LocalBoxFuture<'_, ()>;
}

/// Where the gates stand: after each of the first `gates` text deltas of each stream.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub streams: usize,
    pub gates: usize,
}

pub fn bare(stream: &load::Stream, layout: Layout) -> Box<dyn Gated> {
    let state = Arc::new(State {
        total: layout.streams * layout.gates,
        reached: Semaphore::new(0),
        open: Semaphore::new(0),
        left: Semaphore::new(0),
    });
    let frames: Arc<[Bytes]> = stream.frames.as_slice().into();
    let first = stream.events_to_first_delta();
    let gates = first..first + layout.gates;
    let server = Hyper::stream({
        let state = state.clone();
        move || gated_frames(frames.clone(), gates.clone(), state.clone())
    });
    Box::new(BareGated { server, state })
}

struct BareGated {
    server: Hyper,
    state: Arc<State>,
}

struct State {
    total: usize,
    /// A permit for each gate that a stream has come to.
    reached: Semaphore,
    /// A permit for each gate that is open.
    open: Semaphore,
    /// A permit for each stream that was dropped.
    left: Semaphore,
}

fn gated_frames(
    frames: Arc<[Bytes]>,
    gates: std::ops::Range<usize>,
    state: Arc<State>,
) -> impl Stream<Item = Bytes> {
    let leave = Leave(state);
    stream::iter(0..frames.len()).then(move |index| {
        let frame = frames[index].clone();
        let gate = gates.contains(&index).then(|| leave.0.clone());
        async move {
            if let Some(state) = gate {
                state.reached.add_permits(1);
                take(&state.open, 1).await;
            }
            frame
        }
    })
}

/// Lives as long as its stream.
struct Leave(Arc<State>);

impl Drop for Leave {
    fn drop(&mut self) {
        self.0.left.add_permits(1);
    }
}

async fn take(permits: &Semaphore, count: usize) {
    let count = u32::try_from(count).expect("permits fit");
    let taken = permits.acquire_many(count).await;
    taken.expect("the semaphore is never closed").forget();
}

impl Server for BareGated {
    fn url(&self) -> String {
        self.server.url()
    }
}

impl Gated for BareGated {
    fn in_flight(&self, streams: usize) -> LocalBoxFuture<'_, ()> {
        Box::pin(take(&self.state.reached, streams))
    }

    fn open_in_turn(&self) -> LocalBoxFuture<'_, ()> {
        Box::pin(async {
            for _ in 0..self.state.total {
                self.state.open.add_permits(1);
                yield_now().await;
            }
        })
    }

    fn open_when_reached(&self) -> LocalBoxFuture<'_, ()> {
        Box::pin(async {
            for _ in 0..self.state.total {
                take(&self.state.reached, 1).await;
                self.state.open.add_permits(1);
            }
        })
    }

    fn client_left(&self) -> LocalBoxFuture<'_, ()> {
        Box::pin(take(&self.state.left, 1))
    }
}
