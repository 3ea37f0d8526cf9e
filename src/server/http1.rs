//! HTTP/1.1 on one connection: requests in, bytes out. Reading is httparse's; what is written is ours.

use std::{io, time::Duration};

use bytes::{Buf, Bytes, BytesMut};
use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::{
    clock::system_wait,
    runtime::{First, race},
};

/// A request head may be this long.
const HEAD_LIMIT: usize = 64 * 1024;
/// A request may have so many headers.
const HEADERS_LIMIT: usize = 128;
/// Bytes that a client may send ahead of its next turn before they are left in its socket.
const AHEAD_LIMIT: usize = 1024 * 1024;
/// A line of a chunked body may be this long.
const CHUNK_LINE_LIMIT: usize = 4 * 1024;

/// One connection to a client.
pub(super) struct Connection {
    stream: TcpStream,
    inbox: BytesMut,
    outbox: Vec<u8>,
}

/// A request as read.
pub(super) struct RawRequest {
    pub(super) method: String,
    pub(super) target: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Body,
    pub(super) after: AfterAnswer,
}

/// The body of a request.
pub(super) enum Body {
    Whole(Bytes),
    /// Longer than the limit: not read.
    TooLong,
}

/// What happens to the connection once the answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterAnswer {
    KeepAlive,
    Close,
}

/// Why there is no request.
pub(super) enum NoRequest {
    /// The client has nothing more to ask.
    Closed,
    /// These bytes are no request: status and reason.
    Malformed(u16, String),
}

impl From<io::Error> for NoRequest {
    fn from(_: io::Error) -> Self {
        Self::Closed
    }
}

fn malformed(why: impl Into<String>) -> NoRequest {
    NoRequest::Malformed(400, why.into())
}

impl Connection {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            inbox: BytesMut::new(),
            outbox: Vec::new(),
        }
    }

    /// Reads the next request.
    pub(super) async fn read_request(
        &mut self,
        body_limit: usize,
    ) -> Result<RawRequest, NoRequest> {
        let head = loop {
            self.skip_empty_lines();
            if let Some(head) = parse_head(&self.inbox)? {
                break head;
            }
            if self.inbox.len() >= HEAD_LIMIT {
                let why = format!("the request's head is longer than {HEAD_LIMIT} bytes");
                return Err(NoRequest::Malformed(431, why));
            }
            if self.fill().await? == 0 {
                if self.inbox.is_empty() {
                    return Err(NoRequest::Closed);
                }
                return Err(malformed("the connection ended inside the request's head"));
            }
        };
        self.inbox.advance(head.len);
        let body = self.read_body(&head, body_limit).await?;
        let after = match body {
            Body::Whole(_) => head.after,
            Body::TooLong => AfterAnswer::Close,
        };
        Ok(RawRequest {
            method: head.method,
            target: head.target,
            headers: head.headers,
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
                self.go_on(head).await?;
                return self.read_chunked(limit).await;
            }
        };
        if length > limit {
            return Ok(Body::TooLong);
        }
        if self.inbox.len() < length {
            self.go_on(head).await?;
            self.inbox.reserve(length - self.inbox.len());
        }
        while self.inbox.len() < length {
            if self.fill().await? == 0 {
                return Err(malformed("the connection ended inside the request's body"));
            }
        }
        Ok(Body::Whole(self.inbox.split_to(length).freeze()))
    }

    /// Tells a client that waits for it to send the body.
    async fn go_on(&mut self, head: &RequestHead) -> Result<(), NoRequest> {
        if head.expects_continue {
            self.stream
                .write_all(b"HTTP/1.1 100 Continue\r\n\r\n")
                .await?;
        }
        Ok(())
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
            while self.inbox.len() < size + 2 {
                if self.fill().await? == 0 {
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
        let mut line = self.read_line().await?.to_vec();
        line.extend_from_slice(b"\r\n");
        match httparse::parse_chunk_size(&line) {
            Ok(httparse::Status::Complete((_, size))) => {
                usize::try_from(size).map_err(|_| malformed("a chunk is too long to be read"))
            }
            Ok(httparse::Status::Partial) | Err(_) => Err(malformed(format!(
                "the length of a chunk of the request's body is no number: `{}`",
                line.trim_ascii_end().escape_ascii()
            ))),
        }
    }

    /// Reads a line, without its end.
    async fn read_line(&mut self) -> Result<BytesMut, NoRequest> {
        loop {
            if let Some(at) = self.inbox.windows(2).position(|pair| pair == b"\r\n") {
                let line = self.inbox.split_to(at);
                self.inbox.advance(2);
                return Ok(line);
            }
            if self.inbox.len() > CHUNK_LINE_LIMIT {
                return Err(malformed("a line of the chunked request body is too long"));
            }
            if self.fill().await? == 0 {
                return Err(malformed("the connection ended inside the request's body"));
            }
        }
    }

    async fn fill(&mut self) -> io::Result<usize> {
        if self.inbox.capacity() - self.inbox.len() < 512 {
            self.inbox.reserve(4096);
        }
        self.stream.read_buf(&mut self.inbox).await
    }

    /// Waits until the client has left. What it sends meanwhile (an empty line, its next request) is kept
    /// for later. A client that only closes its sending side looks the same and counts as gone.
    pub(super) async fn gone(&mut self) {
        loop {
            if self.inbox.len() >= AHEAD_LIMIT {
                // more than any client sends ahead: its leave shows at the next write
                std::future::pending::<()>().await;
            }
            match self.fill().await {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
        }
    }

    /// Bytes to be written at the next flush.
    pub(super) fn outbox(&mut self) -> &mut Vec<u8> {
        &mut self.outbox
    }

    /// Writes what is in the outbox; gives back how many bytes went out, and whether all of them did.
    pub(super) async fn flush(&mut self) -> (usize, io::Result<()>) {
        let mut written = 0;
        let mut result = Ok(());
        while let Some(rest) = self.outbox.get(written..).filter(|rest| !rest.is_empty()) {
            match self.stream.write(rest).await {
                Ok(0) => {
                    result = Err(io::ErrorKind::WriteZero.into());
                    break;
                }
                Ok(n) => written += n,
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        self.outbox.clear();
        (written, result)
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
            loop {
                self.inbox.clear();
                match self.fill().await {
                    Ok(0) | Err(_) => return,
                    Ok(_) => {}
                }
            }
        };
        race(drained, system_wait(patience)).await;
    }

    /// Resets the connection once everything written has arrived.
    ///
    /// Gives back `false` if the client did not read it all within `patience`; it is reset all the same.
    pub(super) async fn reset(self, patience: Duration) -> bool {
        let Ok(stream) = self.stream.into_std() else {
            return false;
        };
        let socket = socket2::Socket::from(stream);
        // writable only once nothing is left to be sent
        #[cfg(target_os = "linux")]
        let waits = socket.set_tcp_notsent_lowat(1).is_ok();
        #[cfg(not(target_os = "linux"))]
        let waits = false;
        // registered anew, so that the level is reported and not only the next edge
        let Ok(stream) = TcpStream::from_std(socket.into()) else {
            return false;
        };
        let arrived = waits
            && matches!(
                race(stream.writable(), system_wait(patience)).await,
                First::A(_)
            );
        let _ = socket2::SockRef::from(&stream).set_linger(Some(Duration::ZERO));
        arrived
    }
}

/// The head of a request.
struct RequestHead {
    /// Its length in bytes.
    len: usize,
    method: String,
    target: String,
    headers: HeaderMap,
    framing: Framing,
    expects_continue: bool,
    after: AfterAnswer,
}

enum Framing {
    Length(usize),
    Chunked,
}

/// The head, once all of it is there.
fn parse_head(bytes: &[u8]) -> Result<Option<RequestHead>, NoRequest> {
    let mut slots = [httparse::EMPTY_HEADER; HEADERS_LIMIT];
    let mut parsed = httparse::Request::new(&mut slots);
    let len = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(len)) => len,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => {
            let why = format!("the request has more than {HEADERS_LIMIT} headers");
            return Err(NoRequest::Malformed(431, why));
        }
        Err(error) => {
            return Err(malformed(format!(
                "the request's head is malformed: {error}"
            )));
        }
    };
    if parsed.version != Some(1) {
        let why = "only HTTP/1.1 is served; an HTTP/1.0 client cannot read chunks";
        return Err(NoRequest::Malformed(505, why.to_owned()));
    }
    let mut headers = HeaderMap::with_capacity(parsed.headers.len());
    for header in parsed.headers.iter() {
        let name = HeaderName::from_bytes(header.name.as_bytes());
        let value = HeaderValue::from_bytes(header.value);
        let (Ok(name), Ok(value)) = (name, value) else {
            return Err(malformed(format!(
                "the header `{}` is malformed",
                header.name
            )));
        };
        headers.append(name, value);
    }
    let says = |name: &str, word: &str| {
        let values = headers
            .get_all(name)
            .iter()
            .filter_map(|value| value.to_str().ok());
        values
            .flat_map(|value| value.split(','))
            .any(|token| token.trim().eq_ignore_ascii_case(word))
    };
    Ok(Some(RequestHead {
        len,
        method: parsed.method.unwrap_or_default().to_owned(),
        target: parsed.path.unwrap_or_default().to_owned(),
        framing: framing(&headers)?,
        expects_continue: says("expect", "100-continue"),
        after: if says("connection", "close") {
            AfterAnswer::Close
        } else {
            AfterAnswer::KeepAlive
        },
        headers,
    }))
}

fn framing(headers: &HeaderMap) -> Result<Framing, NoRequest> {
    let mut lengths = headers.get_all("content-length").iter();
    let length = lengths.next();
    if lengths.any(|other| Some(other) != length) {
        return Err(malformed("the request has two lengths"));
    }
    let encoding = headers.get_all("transfer-encoding").iter().next_back();
    match (encoding, length) {
        (None, None) => Ok(Framing::Length(0)),
        (Some(_), Some(_)) => Err(malformed(
            "the request has both a length and a transfer encoding",
        )),
        (Some(encoding), None) if encoding.as_bytes().eq_ignore_ascii_case(b"chunked") => {
            Ok(Framing::Chunked)
        }
        (Some(encoding), None) => Err(NoRequest::Malformed(
            501,
            format!(
                "transfer encoding `{}` is not known",
                encoding.as_bytes().escape_ascii()
            ),
        )),
        (None, Some(length)) => {
            let digits = length
                .to_str()
                .ok()
                .filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
            match digits.and_then(|text| text.parse().ok()) {
                Some(length) => Ok(Framing::Length(length)),
                None => Err(malformed(format!(
                    "the request's length is no number: `{}`",
                    length.as_bytes().escape_ascii()
                ))),
            }
        }
    }
}
