//! Accepting connections, and the life of one: read, record, answer, play, again.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use tokio::net::{TcpListener, TcpStream};

use super::{
    activity::Activity,
    answer::{self, Answer},
    clock::system_wait,
    http1::{Connection, RawRequest},
    plain,
    play::{self, Then},
    request_head::{AfterAnswer, NoRequest},
    route,
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
pub(super) fn serve(listener: std::net::TcpListener, shared: &Arc<Shared>) -> io::Result<()> {
    let runtime = runtime()?;
    let _entered = runtime.enter();
    if let Some(activity) = shared.clock.activity() {
        let (door, shared) = (listener.try_clone()?, Arc::downgrade(shared));
        activity.open_door(move || {
            let _entered = runtime.enter();
            while let (Some(shared), Ok((stream, _))) = (shared.upgrade(), door.accept()) {
                let stream = stream.set_nonblocking(true).map(|()| stream);
                if let Ok(stream) = stream.and_then(TcpStream::from_std) {
                    welcome(stream, shared);
                }
            }
        });
    }
    let listener = TcpListener::from_std(listener)?;
    let (stopped, accepting) = (Arc::clone(shared), Arc::clone(shared));
    spawn(shared, async move {
        race(stopped.stopped(), accept(listener, accepting)).await;
    });
    Ok(())
}

/// Runs a task of the stub; on the background runtime, which has to be entered.
fn spawn(shared: &Shared, task: impl Future<Output = ()> + Send + 'static) {
    match shared.clock.activity() {
        None => drop(tokio::spawn(task)),
        Some(activity) => drop(tokio::spawn(activity.task(task))),
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    loop {
        // out of descriptors, or the client left in the queue: nothing to do but to go on, without haste
        let Ok((stream, _)) = listener.accept().await else {
            system_wait(Duration::from_millis(1)).await;
            continue;
        };
        welcome(stream, Arc::clone(&shared));
    }
}

/// Serves one connection.
fn welcome(stream: TcpStream, shared: Arc<Shared>) {
    let serving = Arc::clone(&shared);
    spawn(&serving, async move {
        let _ = stream.set_nodelay(true);
        let number = shared.update(|state| {
            state.connections += 1;
            state.connections_seen += 1;
            state.connections_seen - 1
        });
        let _counted = Counted(Arc::clone(&shared));
        let stopped = Arc::clone(&shared);
        race(converse(stream, shared, number), stopped.stopped()).await;
    });
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
    let activity = shared.clock.activity();
    let mut connection = Connection::new(stream, activity);
    loop {
        let (mut answer, after) = match connection.read_request(shared.config.body_limit).await {
            Ok(raw) => {
                let after = raw.after;
                // also while it waits for what is not of the stub: the user's code, the fallback
                let _work = activity.map(Activity::work);
                match decide(&mut connection, raw, number, &shared).await {
                    Ok(answer) => (answer, after),
                    Err(Then::Close) => return connection.close(patience).await,
                    Err(Then::Reset) => return connection.reset(patience, || ()).await,
                    Err(Then::Next | Then::Drop) => return,
                }
            }
            Err(NoRequest::Malformed(status, why)) => (
                plain::to_malformed(status, &why, number, &shared),
                AfterAnswer::Close,
            ),
            Err(NoRequest::Closed) => return,
        };
        match play::play(&mut connection, &mut answer, after, &shared).await {
            Then::Next => {}
            Then::Close => {
                // the answer is done; how long the client keeps its side open is its own affair
                drop(answer);
                return connection.close(patience).await;
            }
            Then::Drop => return,
            Then::Reset => {
                let request = &answer.arrival.request;
                let too_late = || request.set_remark("reset before the client had read it all");
                return connection.reset(patience, too_late).await;
            }
        }
    }
}

/// Decides what is played to a request.
///
/// # Errors
///
/// What happens to the connection, if nothing is played: the client has left, or the fallback answered.
async fn decide(
    connection: &mut Connection,
    raw: RawRequest,
    number: usize,
    shared: &Arc<Shared>,
) -> Result<Answer, Then> {
    let recorded = route::record(raw, number, shared).await;
    if let Some(fallback) = recorded.fallback() {
        return fallback.relay(connection, recorded.arrival, shared).await;
    }
    let request = recorded.arrival.request.clone();
    let deciding = answer::to_request(recorded, shared);
    let decided = if shared.config.script.runs_user_code() {
        while_client_stays(connection, deciding).await
    } else {
        Some(deciding.await)
    };
    decided.ok_or_else(|| {
        play::cancelled(&request, shared);
        Then::Drop
    })
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
