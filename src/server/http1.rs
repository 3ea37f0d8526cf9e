//! HTTP/1.1 on one connection: requests in, bytes out. Reading is httparse's; what is written is ours.

use std::{borrow::Cow, io, sync::Arc, time::Duration};

use bytes::{Buf, Bytes, BytesMut};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::{
    activity::{Activity, Watched},
    clock::system_wait,
    request_head::{
        AfterAnswer, Framing, NoRequest, RequestHead, malformed, number, parse_head, shown,
    },
    runtime::{First, race},
};
use crate::request::Headers;

/// A request head may be this long.
const HEAD_LIMIT: usize = 64 * 1024;
/// Bytes that a client may send ahead of its next turn before they are left in its socket.
const AHEAD_LIMIT: usize = 1024 * 1024;
/// Memory for what comes in: little at first, more on a connection with many requests.
const INBOX: usize = 4 * 1024;
const INBOX_LIMIT: usize = 64 * 1024;
/// A line of a chunked body may be this long.
const CHUNK_LINE_LIMIT: usize = 4 * 1024;

/// One connection to a client.
pub(super) struct Connection {
    stream: TcpStream,
    inbox: BytesMut,
    /// So much memory the inbox gets next.
    reserve: usize,
    outbox: Vec<u8>,
    /// So much of the outbox was handed over already.
    handed_over: usize,
    /// What a clock that is moved has to know of it.
    watched: Option<Watched>,
}

/// A request as read.
pub(super) struct RawRequest {
    pub(super) method: Cow<'static, str>,
    pub(super) target: String,
    pub(super) headers: Headers,
    pub(super) body: Body,
    pub(super) after: AfterAnswer,
}

/// The body of a request.
pub(super) enum Body {
    Whole(Bytes),
    /// Longer than the limit: not read.
    TooLong,
}

/// Why the rest of an answer is not written.
pub(super) enum Stopped {
    /// The client has left.
    Gone,
    /// The client read nothing for as long as it was given.
    NotRead,
}

impl From<io::Error> for Stopped {
    fn from(_: io::Error) -> Self {
        Self::Gone
    }
}

impl Connection {
    pub(super) fn new(stream: TcpStream, activity: Option<&Arc<Activity>>) -> Self {
        Self {
            // one that cannot be watched is a client that the clock does not wait for
            watched: activity.and_then(|activity| activity.watch(&stream).ok()),
            stream,
            inbox: BytesMut::new(),
            reserve: INBOX,
            outbox: Vec::new(),
            handed_over: 0,
        }
    }

    /// Reads the next request.
    pub(super) async fn read_request(
        &mut self,
        body_limit: usize,
    ) -> Result<RawRequest, NoRequest> {
        let head = loop {
            self.skip_empty_lines();
            // no more than this, so that a head is too long however its bytes arrive
            let seen = self.inbox.get(..HEAD_LIMIT).unwrap_or(&self.inbox);
            if let Some(head) = parse_head(seen)? {
                break head;
            }
            if self.inbox.len() >= HEAD_LIMIT {
                let why = format!("the request's head is longer than {HEAD_LIMIT} bytes");
                return Err(NoRequest::Malformed(431, why));
            }
            if self.fill().await == 0 {
                if self.inbox.is_empty() {
                    return Err(NoRequest::Closed);
                }
                return Err(malformed("the connection ended inside the request's head"));
            }
        };
        // head and body stay where they were read, and the journal keeps them there
        let bytes = self.inbox.split_to(head.len).freeze();
        let body = self.read_body(&head, body_limit).await?;
        let after = match body {
            Body::Whole(_) => head.after,
            Body::TooLong => AfterAnswer::Close,
        };
        Ok(RawRequest {
            method: head.method,
            target: head.target,
            headers: Headers::new(bytes, head.fields),
            body,
            after,
        })
    }

    /// Empty lines between requests are allowed (RFC 9112, section 2.2).
    fn skip_empty_lines(&mut self) {
        while let Some(b'\r' | b'\n') = self.inbox.first() {
            self.inbox.advance(1);
        }
    }

    async fn read_body(&mut self, head: &RequestHead, limit: usize) -> Result<Body, NoRequest> {
        let length = match head.framing {
            Framing::Length(length) => length,
            Framing::Chunked => {
                self.go_on(head).await;
                return self.read_chunked(limit).await;
            }
        };
        if length > limit {
            return Ok(Body::TooLong);
        }
        if self.inbox.len() < length {
            self.go_on(head).await;
            let missing = length - self.inbox.len();
            // what a client says it will send is not yet memory
            self.inbox.reserve(missing.min(AHEAD_LIMIT));
        }
        while self.inbox.len() < length {
            if self.fill().await == 0 {
                return Err(malformed("the connection ended inside the request's body"));
            }
        }
        Ok(Body::Whole(self.inbox.split_to(length).freeze()))
    }

    /// Tells a client that waits for it to send the body.
    async fn go_on(&mut self, head: &RequestHead) {
        if head.expects_continue {
            // a client that has left shows at the next read
            let go_on = b"HTTP/1.1 100 Continue\r\n\r\n";
            let _ = self.stream.write_all(go_on).await;
        }
    }

    async fn read_chunked(&mut self, limit: usize) -> Result<Body, NoRequest> {
        let mut body = BytesMut::new();
        loop {
            let size = self.read_chunk_size().await?;
            if size == 0 {
                break;
            }
            if size > limit.saturating_sub(body.len()) {
                return Ok(Body::TooLong);
            }
            while self.inbox.len().saturating_sub(2) < size {
                if self.fill().await == 0 {
                    return Err(malformed("the connection ended inside the request's body"));
                }
            }
            body.extend_from_slice(&self.inbox.split_to(size));
            if self.inbox.split_to(2).as_ref() != b"\r\n" {
                return Err(malformed(
                    "a chunk of the request's body lacks its line end",
                ));
            }
        }
        // trailers, up to the empty line
        while !self.read_line().await?.is_empty() {}
        Ok(Body::Whole(body.freeze()))
    }

    async fn read_chunk_size(&mut self) -> Result<usize, NoRequest> {
        let line = self.read_line().await?;
        // extensions mean nothing here
        let mut parts = line
            .as_ref()
            .split(|b: &u8| matches!(b, b';' | b' ' | b'\t'));
        number(parts.next().unwrap_or_default(), 16).ok_or_else(|| {
            malformed(format!(
                "the length of a chunk of the request's body is no number\n  found: {}",
                shown(&line)
            ))
        })
    }

    /// Reads a line, without its end. A bare line feed ends none here, as it does in a head (RFC 9112,
    /// section 7.1): it is told, since waiting for more would be waiting for ever.
    async fn read_line(&mut self) -> Result<BytesMut, NoRequest> {
        loop {
            if let Some(at) = self.inbox.iter().position(|b| *b == b'\n') {
                let mut line = self.inbox.split_to(at + 1);
                if !line.ends_with(b"\r\n") {
                    return Err(malformed(format!(
                        "a line of the chunked request body ends in a bare line feed\n  found: {}",
                        shown(&line)
                    )));
                }
                line.truncate(line.len() - 2);
                return Ok(line);
            }
            if self.inbox.len() > CHUNK_LINE_LIMIT {
                return Err(malformed("a line of the chunked request body is too long"));
            }
            if self.fill().await == 0 {
                return Err(malformed("the connection ended inside the request's body"));
            }
        }
    }

    /// Reads on; 0 if the client sends nothing any more, since it closed its side or left.
    async fn fill(&mut self) -> usize {
        if self.inbox.capacity() - self.inbox.len() < 512 {
            self.inbox.reserve(self.reserve);
            self.reserve = (self.reserve * 2).min(INBOX_LIMIT);
        }
        self.stream.read_buf(&mut self.inbox).await.unwrap_or(0)
    }

    /// Waits until the client has left. What it sends meanwhile (an empty line, its next request) is kept
    /// for later. A client that only closes its sending side looks the same and counts as gone.
    pub(super) async fn gone(&mut self) {
        while self.inbox.len() < AHEAD_LIMIT {
            if self.fill().await == 0 {
                return;
            }
        }
        // more than any client sends ahead: its leave shows at the next write
        self.watched = None;
        std::future::pending::<()>().await;
    }

    /// Bytes to be written at the next flush.
    pub(super) fn outbox(&mut self) -> &mut Vec<u8> {
        &mut self.outbox
    }

    /// How many bytes were not handed over yet.
    pub(super) fn unwritten(&self) -> usize {
        self.outbox.len().saturating_sub(self.handed_over)
    }

    /// Hands over what is in the outbox, but for its last `kept` bytes; `written` hears of each write. What
    /// an interrupted flush has not handed over stays in the outbox.
    ///
    /// # Errors
    ///
    /// If the client has left, or read nothing for `patience`.
    pub(super) async fn flush(
        &mut self,
        kept: usize,
        patience: Option<Duration>,
        mut written: impl FnMut(usize),
    ) -> Result<(), Stopped> {
        let until = self.outbox.len().saturating_sub(kept);
        let _writing = self.watched.as_ref().map(Watched::writing);
        while let Some(rest) = self.outbox.get(self.handed_over..until) {
            if rest.is_empty() {
                break;
            }
            let write = self.stream.write(rest);
            let n = match patience {
                None => write.await?,
                Some(patience) => match race(write, system_wait(patience)).await {
                    First::A(n) => n?,
                    First::B(()) => return Err(Stopped::NotRead),
                },
            };
            if n == 0 {
                return Err(Stopped::Gone);
            }
            self.handed_over += n;
            written(n);
        }
        self.outbox.drain(..self.handed_over);
        self.handed_over = 0;
        Ok(())
    }

    /// Gives the outbox's memory back before a long wait.
    pub(super) fn shrink(&mut self) {
        self.outbox = Vec::new();
    }

    /// Closes so that everything written arrives: the sending side first, then the rest of what the
    /// client sends is read away. A plain close with unread bytes would turn the FIN into a reset.
    pub(super) async fn close(mut self, patience: Duration) {
        if self.stream.shutdown().await.is_err() {
            return;
        }
        let drained = async {
            self.inbox.clear();
            while self.fill().await > 0 {
                self.inbox.clear();
            }
        };
        race(drained, system_wait(patience)).await;
    }

    /// Resets the connection once everything written has arrived.
    ///
    /// If the client did not take it all, since it left or since it read nothing for `patience`, `too_late`
    /// is called, and then the connection is reset all the same. Only Linux tells what has arrived;
    /// elsewhere the reset follows at once and may overtake what was written.
    pub(super) async fn reset(self, patience: Duration, too_late: impl FnOnce()) {
        let all_written = self.outbox.is_empty();
        // from here on nothing else may keep it open, or take its error
        let _work = self.watched.map(|watched| watched.work());
        let Ok(stream) = self.stream.into_std() else {
            return;
        };
        let socket = socket2::Socket::from(stream);
        // from here on closing it, for whatever reason, is a reset
        let _ = socket.set_linger(Some(Duration::ZERO));
        if !all_written || !arrived(&socket, patience).await {
            too_late();
        }
    }
}

/// Waits until everything written has arrived in the client's socket; `false` if it never will, or did not
/// within `patience`.
///
/// What tells is that all was sent. The client's system could still drop some of it and ask for it again:
/// that was seen with a receive buffer of 2 KiB, and never with one of 4 KiB or more.
#[cfg(any(target_os = "linux", target_os = "android"))]
async fn arrived(socket: &socket2::Socket, patience: Duration) -> bool {
    // writable only once nothing is left to be sent
    let Ok(()) = socket.set_tcp_notsent_lowat(1) else {
        return false;
    };
    // registered anew, so that the level is reported and not only the next edge
    let Ok(stream) = socket
        .try_clone()
        .and_then(|clone| TcpStream::from_std(clone.into()))
    else {
        return false;
    };
    let sent = race(stream.writable(), system_wait(patience)).await;
    // a client that leaves with bytes unread answers with a reset, and that makes it writable too
    matches!(sent, First::A(Ok(()))) && matches!(stream.take_error(), Ok(None))
}

/// Nothing tells.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
async fn arrived(_: &socket2::Socket, _: Duration) -> bool {
    true
}
