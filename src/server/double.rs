//! A server that says given bytes, whatever is asked: for what is about connections and not about answers.
//!
//! It knows no API, script or rule. The suite of `conformance` plays with it what a [`WireStub`](super::WireStub) never
//! does: a redirect, or a connection that is gone when it is used again.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
};

use super::{
    http1::{Body, Connection},
    listener,
    runtime::{race, runtime},
};
use crate::request::Headers;

/// What comes in is small, and what leaves is read at once.
const BODY_LIMIT: usize = 8 * 1024 * 1024;
const PATIENCE: Duration = Duration::from_secs(5);

/// See the module; it stops when it is dropped.
pub(crate) struct Double {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    stop: watch::Sender<bool>,
}

/// A request as it came.
#[derive(Clone)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Headers,
    pub(crate) body: Bytes,
    /// How many came before it on the same connection.
    pub(crate) earlier: usize,
}

/// What is done about a request.
pub(crate) enum Reaction {
    Say(Vec<u8>),
    SayAndClose(Vec<u8>),
    /// The connection is closed, without a byte.
    Leave,
}

impl Double {
    pub(crate) fn start(
        react: impl Fn(&Seen) -> Reaction + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let (bound, address) = listener::bind(listener::LOOPBACK)?;
        let runtime = runtime()?;
        let entered = runtime.enter();
        let bound = TcpListener::from_std(bound)?;
        drop(entered);
        let double = Self {
            address,
            seen: Arc::default(),
            stop: watch::Sender::new(false),
        };
        let (seen, stop) = (Arc::clone(&double.seen), double.stop.clone());
        let react = Arc::new(react);
        runtime.spawn(async move {
            let accept = async {
                while let Ok((stream, _)) = bound.accept().await {
                    let (seen, react) = (Arc::clone(&seen), Arc::clone(&react));
                    let stopped = stop.subscribe();
                    tokio::spawn(async move {
                        race(converse(stream, &seen, &*react), until(stopped)).await;
                    });
                }
            };
            race(accept, until(stop.subscribe())).await;
        });
        Ok(double)
    }

    /// Where it is, without a path.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What came so far, in order.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Drop for Double {
    fn drop(&mut self) {
        self.stop.send_replace(true);
    }
}

async fn until(mut stopped: watch::Receiver<bool>) {
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

async fn converse(stream: TcpStream, seen: &Mutex<Vec<Seen>>, react: &impl Fn(&Seen) -> Reaction) {
    let _ = stream.set_nodelay(true);
    let mut connection = Connection::new(stream, None);
    let mut earlier = 0;
    while let Ok(raw) = connection.read_request(BODY_LIMIT).await {
        let request = Seen {
            method: raw.method.into_owned(),
            target: raw.target,
            headers: raw.headers,
            body: match raw.body {
                Body::Whole(body) => body,
                Body::TooLong => Bytes::new(),
            },
            earlier,
        };
        earlier += 1;
        let reaction = react(&request);
        // before the answer, so that it is there once the client returns
        seen.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(request);
        let (bytes, closes) = match reaction {
            Reaction::Say(bytes) => (bytes, false),
            Reaction::SayAndClose(bytes) => (bytes, true),
            Reaction::Leave => (Vec::new(), true),
        };
        connection.outbox().extend_from_slice(&bytes);
        if connection.flush(0, None, |_| ()).await.is_err() {
            return;
        }
        if closes {
            return connection.close(PATIENCE).await;
        }
    }
}
