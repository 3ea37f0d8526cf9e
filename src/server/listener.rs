//! Accepting connections, and the life of one: read, record, answer, play, again.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    pin::pin,
    sync::Arc,
    time::Duration,
};

use socket2::{Domain, Socket, Type};
use tokio::net::{TcpListener, TcpStream};

use super::{
    activity::Activity,
    answer::{self, Answer},
    clock::system_wait,
    control::{self, Control},
    http1::{Connection, RawRequest},
    plain,
    play::{self, Then},
    request_head::{AfterAnswer, NoRequest},
    route,
    runs::Runs,
    runtime::{First, race, runtime},
    shared::Shared,
};

/// Any free port, which nobody on the network reaches.
pub(super) const LOOPBACK: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// So many connections may wait to be accepted. The 128 of the standard library are soon full under many callers, and
/// who finds them full waits for a second before it tries again.
const BACKLOG: i32 = 4096;

/// Binds an address; connections wait there until the stub serves them.
#[expect(
    clippy::disallowed_types,
    reason = "bound before the runtime knows of it, so that `start` can be a plain function"
)]
pub(super) fn bind(address: SocketAddr) -> io::Result<(std::net::TcpListener, SocketAddr)> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    // elsewhere than on Unix it would let another process take the port
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    let listener = std::net::TcpListener::from(socket);
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Serves connections until the stub is dropped.
#[expect(clippy::disallowed_types, reason = "as `bind`")]
pub(super) fn serve(listener: std::net::TcpListener, runs: &Arc<Runs>) -> io::Result<()> {
    let runtime = runtime()?;
    let _entered = runtime.enter();
    if let Some(activity) = runs.clock.activity() {
        let (door, runs) = (listener.try_clone()?, Arc::downgrade(runs));
        activity.open_door(move || {
            let _entered = runtime.enter();
            while let (Some(runs), Ok((stream, _))) = (runs.upgrade(), door.accept()) {
                let stream = stream.set_nonblocking(true).map(|()| stream);
                if let Ok(stream) = stream.and_then(TcpStream::from_std) {
                    welcome(stream, runs);
                }
            }
        });
    }
    let listener = TcpListener::from_std(listener)?;
    let (stopped, accepting) = (Arc::clone(runs), Arc::clone(runs));
    spawn(runs, async move {
        race(stopped.stopped(), pin!(accept(listener, accepting))).await;
    });
    Ok(())
}

/// Runs a task of the stub; on the background runtime, which has to be entered.
fn spawn(runs: &Runs, task: impl Future<Output = ()> + Send + 'static) {
    match runs.clock.activity() {
        None => drop(tokio::spawn(task)),
        Some(activity) => drop(tokio::spawn(activity.task(task))),
    }
}

async fn accept(listener: TcpListener, runs: Arc<Runs>) {
    loop {
        // out of descriptors, or the client left in the queue: nothing to do but to go on, without haste
        let Ok((stream, _)) = listener.accept().await else {
            system_wait(Duration::from_millis(1)).await;
            continue;
        };
        welcome(stream, Arc::clone(&runs));
    }
}

/// Serves one connection.
fn welcome(stream: TcpStream, runs: Arc<Runs>) {
    let serving = Arc::clone(&runs);
    spawn(&serving, async move {
        let _ = stream.set_nodelay(true);
        let (number, _connected) = runs.connected();
        let stopped = Arc::clone(&runs);
        race(pin!(converse(stream, runs, number)), stopped.stopped()).await;
    });
}

/// One connection, from its first request to its end.
async fn converse(stream: TcpStream, runs: Arc<Runs>, number: usize) {
    let mut connection = Connection::new(stream, runs.clock.activity());
    loop {
        let read = match connection.read_request(runs.config.body_limit).await {
            Ok(raw) if is_control(&raw, &runs) => {
                if control::answer(&mut connection, &raw, &runs)
                    .await
                    .is_none()
                {
                    return;
                }
                if raw.after == AfterAnswer::Close {
                    return connection.close(runs.config.patience).await;
                }
                continue;
            }
            Ok(raw) => Ok(raw),
            Err(NoRequest::Malformed(status, why)) => Err((status, why)),
            Err(NoRequest::Closed) => return,
        };
        let run = runs.current();
        let exchanged = race(exchange(connection, read, number, &run), run.over()).await;
        match exchanged {
            First::A(Some((left, AfterAnswer::KeepAlive))) => connection = left,
            First::A(Some((left, AfterAnswer::Close))) => {
                return left.close(runs.config.patience).await;
            }
            First::A(None) | First::B(()) => return,
        }
    }
}

fn is_control(raw: &RawRequest, runs: &Runs) -> bool {
    let path = raw.target.split('?').next().unwrap_or_default();
    runs.config.control == Control::On && control::is_control(path)
}

/// One request and its answer; what is left of the connection, if anything is.
async fn exchange(
    mut connection: Connection,
    read: Result<RawRequest, (u16, String)>,
    number: usize,
    shared: &Arc<Shared>,
) -> Option<(Connection, AfterAnswer)> {
    let patience = shared.config.patience;
    let (mut answer, after) = match read {
        Ok(raw) => {
            let after = raw.after;
            // also while it waits for what is not of the stub: the user's code, the fallback
            let _work = shared.clock.activity().map(Activity::work);
            match decide(&mut connection, raw, number, shared).await {
                Ok(answer) => (answer, after),
                Err(Then::Close) => return Some((connection, AfterAnswer::Close)),
                Err(Then::Reset) => {
                    connection.reset(patience, || ()).await;
                    return None;
                }
                Err(Then::Next | Then::Drop) => return None,
            }
        }
        Err((status, why)) => (
            plain::to_malformed(status, &why, number, shared),
            AfterAnswer::Close,
        ),
    };
    match play::play(&mut connection, &mut answer, after, shared).await {
        Then::Next => Some((connection, AfterAnswer::KeepAlive)),
        // the answer is done; how long the client keeps its side open is its own affair
        Then::Close => Some((connection, AfterAnswer::Close)),
        Then::Drop => None,
        Then::Reset => {
            let request = &answer.arrival.request;
            let too_late = || request.set_remark("reset before the client had read it all");
            connection.reset(patience, too_late).await;
            None
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
    let deciding = pin!(answer::to_request(recorded, shared));
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
