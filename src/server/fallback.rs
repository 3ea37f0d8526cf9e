//! The fallback: a request for no model API is relayed to another server of the loopback address, and its
//! answer is handed on as it comes. Neither is understood more than it has to be.

use std::{net::SocketAddr, pin::pin, sync::Arc};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpStream, tcp::ReadHalf},
};

use super::{
    answer::Answer,
    http1::Connection,
    listener::while_client_stays,
    plain::plain_error,
    play::Then,
    relayed::Relayed,
    route::served,
    runtime::{First, race},
    shared::{Arrival, Shared},
};
use crate::request::{Outcome, RecordedRequest};

/// A server that gets what is for no model API: its [`SocketAddr`], or a `&wiremock::MockServer`. See
/// [`WireStubBuilder::fallback`](crate::WireStubBuilder::fallback).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fallback(SocketAddr);

impl From<SocketAddr> for Fallback {
    fn from(address: SocketAddr) -> Self {
        Self(address)
    }
}

/// As many bytes of an answer are read at once.
const PIECE: usize = 64 * 1024;

impl Fallback {
    /// Relays a request; the loud answer, if there is none from the fallback.
    ///
    /// # Errors
    ///
    /// What happens to the connection, once the fallback has answered.
    pub(super) async fn relay(
        self,
        connection: &mut Connection,
        arrival: Arrival,
        shared: &Arc<Shared>,
    ) -> Result<Answer, Then> {
        let request = arrival.request.clone();
        request.set_answered_by("the fallback".to_owned());
        if let Some(path) = served(shared)
            .map(|api| api.route().1)
            .find(|path| request.path().ends_with(path))
        {
            request.set_remark(format!("it ends like {path}: check the client's base URL"));
        }
        let unanswered = |why: &str| self.unanswered(arrival, why, shared);
        let mut stream = match while_client_stays(connection, TcpStream::connect(self.0)).await {
            Some(Ok(stream)) => stream,
            Some(Err(error)) => {
                return Ok(unanswered(&format!("cannot be reached: {error}")));
            }
            None => return Err(gone(&request, shared)),
        };
        let _ = stream.set_nodelay(true);
        let (mut read, mut write) = stream.split();
        let sending = pin!(async {
            // while the answer is read: a server may answer before it has read everything. That it does
            // not take the rest shows in its answer.
            let _ = write.write_all(&head_of(&request)).await;
            let _ = write.write_all(request.body()).await;
            std::future::pending().await
        });
        let relaying = pin!(hand_on(&mut read, connection, &request, shared));
        match race(relaying, sending).await {
            First::A(Handed::Whole) => Err(Then::Close),
            First::A(Handed::Gone) => Err(gone(&request, shared)),
            First::A(Handed::Broken) => Err(self.broken(&request, shared)),
            First::A(Handed::Nothing) => Ok(unanswered("closed the connection without an answer")),
            First::B(never) => never,
        }
    }

    /// The loud 502.
    fn unanswered(self, arrival: Arrival, why: &str, shared: &Shared) -> Answer {
        let request = &arrival.request;
        let message = format!(
            "the fallback for {request} {why}\n  where: {}, the fallback at {}\n  \
             help: keep the mock server until the stub is dropped",
            shared.config.script.description(),
            self.0
        );
        request.set_answered_by("502: no fallback".to_owned());
        shared.update(|state| state.problems.push(message.clone()));
        plain_error(arrival, 502, "api_error", &message, "fallback")
    }

    fn broken(self, request: &RecordedRequest, shared: &Shared) -> Then {
        request.set_remark("the fallback broke it off");
        let problem = format!(
            "{request}: the fallback at {} broke off its answer\n  \
             help: keep the mock server until the client has its answer",
            self.0
        );
        shared.update(|state| {
            request.set_outcome(Outcome::Failed);
            state.problems.push(problem);
        });
        Then::Reset
    }
}

/// What became of an answer of the fallback.
enum Handed {
    Whole,
    /// It broke off.
    Broken,
    /// There was none.
    Nothing,
    /// The client has left.
    Gone,
}

/// Hands on the answer as it comes, as long as the client stays.
async fn hand_on(
    answer: &mut ReadHalf<'_>,
    connection: &mut Connection,
    request: &RecordedRequest,
    shared: &Shared,
) -> Handed {
    let mut relayed = Relayed::new(request.method());
    let mut piece = vec![0; PIECE];
    let mut nothing = true;
    loop {
        let read = while_client_stays(connection, answer.read(&mut piece)).await;
        let came = match read {
            None => return Handed::Gone,
            Some(Ok(n)) => piece.get(..n).unwrap_or_default(),
            Some(Err(_)) => &[],
        };
        if came.is_empty() {
            if nothing {
                return Handed::Nothing;
            }
            if matches!(read, Some(Ok(_))) && relayed.may_end() {
                shared.update(|_| request.set_outcome(Outcome::Complete));
                return Handed::Whole;
            }
            return Handed::Broken;
        }
        nothing = false;
        relayed.read(came);
        if relayed.is_whole() {
            // before the last write, so that it is there once the client returns
            shared.update(|_| request.set_outcome(Outcome::Complete));
        }
        connection.outbox().extend_from_slice(came);
        let written = |n| request.add_written(n);
        if connection.flush(0, None, written).await.is_err() {
            return Handed::Gone;
        }
        if relayed.is_whole() {
            return Handed::Whole;
        }
    }
}

/// The client has left before it had its answer.
fn gone(request: &RecordedRequest, shared: &Shared) -> Then {
    shared.update(|_| request.set_outcome(Outcome::Cancelled));
    Then::Drop
}

/// The head that the fallback gets: the client's, but for what belongs to its connection (RFC 9110, section
/// 7.6.1). The body goes with its length, however it came.
fn head_of(request: &RecordedRequest) -> Vec<u8> {
    let mut head = Vec::with_capacity(1024);
    let mut line = |parts: [&[u8]; 3]| {
        parts.iter().for_each(|part| head.extend_from_slice(part));
    };
    let target = request.target().as_bytes();
    line([request.method().as_bytes(), b" ", target]);
    line([b" HTTP/1.1", b"", b"\r\n"]);
    for (name, value) in request.headers() {
        if !belongs_to_connection(name.as_str(), request.headers()) {
            line([name.as_str().as_bytes(), b": ", value.as_bytes()]);
            line([b"", b"", b"\r\n"]);
        }
    }
    let headers = request.headers();
    let has_body =
        headers.contains_key("content-length") || headers.contains_key("transfer-encoding");
    if has_body {
        let length = request.body().len().to_string();
        line([b"content-length: ", length.as_bytes(), b"\r\n"]);
    }
    line([b"connection: close", b"\r\n", b"\r\n"]);
    head
}

fn belongs_to_connection(name: &str, headers: &http::HeaderMap) -> bool {
    const ALWAYS: [&str; 9] = [
        "connection",
        "content-length",
        "expect",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ];
    let named = headers.get_all("connection").iter();
    let mut named = named
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    ALWAYS.contains(&name) || named.any(|option| option.trim().eq_ignore_ascii_case(name))
}
