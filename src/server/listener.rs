//! Accepting connections, and the life of one: read, record, answer, play, again.

use std::{io, net::SocketAddr, sync::Arc};

use tokio::net::{TcpListener, TcpStream};

use super::{
    answer,
    http1::{AfterAnswer, Connection, NoRequest},
    play,
    runtime::{First, race, runtime},
    shared::Shared,
};

/// Binds a port of the loopback address; connections wait there until the stub serves them.
#[expect(
    clippy::disallowed_types,
    reason = "bound before the runtime knows of it, so that `start` can be a plain function"
)]
pub(super) fn bind() -> io::Result<(std::net::TcpListener, SocketAddr)> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Serves connections until the stub is dropped.
#[expect(clippy::disallowed_types, reason = "as `bind`")]
pub(super) fn serve(listener: std::net::TcpListener, shared: Arc<Shared>) -> io::Result<()> {
    let runtime = runtime()?;
    let entered = runtime.enter();
    let listener = TcpListener::from_std(listener)?;
    drop(entered);
    runtime.spawn(async move {
        let stopped = Arc::clone(&shared);
        race(stopped.stopped(), accept(listener, shared)).await;
    });
    Ok(())
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    loop {
        // out of descriptors, or the client left in the queue: nothing to do but to go on
        let Ok((stream, _)) = listener.accept().await else {
            tokio::task::yield_now().await;
            continue;
        };
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            let _ = stream.set_nodelay(true);
            let number = shared.update(|state| {
                state.connections += 1;
                state.connections_seen += 1;
                state.connections_seen - 1
            });
            let _counted = Counted(Arc::clone(&shared));
            let stopped = Arc::clone(&shared);
            race(stopped.stopped(), converse(stream, shared, number)).await;
        });
    }
}

/// Takes the connection off the count when its task ends, however it ends.
struct Counted(Arc<Shared>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.update(|state| state.connections -= 1);
    }
}

/// One connection, from its first request to its end.
async fn converse(stream: TcpStream, shared: Arc<Shared>, number: usize) {
    let patience = shared.config.patience;
    let mut connection = Connection::new(stream);
    loop {
        let (answer, after) = match connection.read_request(shared.config.body_limit).await {
            Ok(raw) => {
                let after = raw.after;
                (answer::to_request(raw, number, &shared).await, after)
            }
            Err(NoRequest::Malformed(status, why)) => (
                answer::to_malformed(status, &why, number, &shared),
                AfterAnswer::Close,
            ),
            Err(NoRequest::Closed) => return,
        };
        let request = answer.request.clone();
        let _in_flight = InFlight(Arc::clone(&shared));
        match play::play(&mut connection, answer, after, &shared).await {
            play::Then::Next => {}
            play::Then::Close => return connection.close(patience).await,
            play::Then::Drop => return,
            play::Then::Reset => {
                if !connection.reset(patience).await {
                    request.set_remark("reset before the client had read it all");
                }
                return;
            }
        }
    }
}

/// Takes the answer off the count when it is done with, however it ends.
struct InFlight(Arc<Shared>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.update(|state| state.in_flight -= 1);
    }
}

/// Waits for `other` as long as the client stays.
pub(super) async fn while_client_stays<F: Future>(
    connection: &mut Connection,
    other: F,
) -> Option<F::Output> {
    match race(other, connection.gone()).await {
        First::A(output) => Some(output),
        First::B(()) => None,
    }
}
