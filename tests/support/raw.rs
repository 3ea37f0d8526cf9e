//! A client without a library: bytes out, bytes in, on a blocking socket.
#![allow(dead_code, reason = "each test crate uses a part of it")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may panic"
)]
#![expect(
    clippy::disallowed_types,
    reason = "whole bytes and both ways to end are seen on a raw socket only"
)]

use std::{
    io::{ErrorKind, Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    time::Duration,
};

use llm_wire_stub::{StubHandle, bytes::Bytes};
use socket2::{Domain, Socket, Type};

/// The model that the requests here ask for.
pub(crate) const MODEL: &str = "claude-haiku-4-5";

/// A connection, and what of it was read too far.
pub(crate) struct Raw {
    stream: TcpStream,
    unread: Vec<u8>,
    /// Where one read puts its bytes.
    piece: Vec<u8>,
}

/// The most that is read at once.
const PIECE: usize = 256 * 1024;

/// How the stub's side ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Fin,
    Reset,
}

/// One whole response with a chunked body, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Response {
    /// Status line and headers, with the empty line.
    pub(crate) head: String,
    /// The body as it came, chunk framing included.
    pub(crate) framed: Vec<u8>,
    /// The body.
    pub(crate) body: Vec<u8>,
}

impl Raw {
    #[track_caller]
    pub(crate) fn connect(stub: &StubHandle) -> Self {
        Self::try_connect(&stub.url()).unwrap()
    }

    /// `None` if nobody listens there, or not any more.
    #[track_caller]
    pub(crate) fn try_connect(url: &str) -> Option<Self> {
        Self::over(&new_socket(), url)
    }

    /// With a receive buffer of this size, so that the stub cannot write far ahead.
    #[track_caller]
    pub(crate) fn with_receive_buffer(stub: &StubHandle, bytes: usize) -> Self {
        let socket = new_socket();
        socket.set_recv_buffer_size(bytes).unwrap();
        Self::over(&socket, &stub.url()).unwrap()
    }

    #[track_caller]
    fn over(socket: &Socket, url: &str) -> Option<Self> {
        let address: SocketAddr = url.strip_prefix("http://").unwrap().parse().unwrap();
        let connected = socket.connect(&address.into());
        match connected.map_err(|error| error.kind()) {
            Err(ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset) => return None,
            connected => connected.unwrap(),
        }
        let stream = TcpStream::from(socket.try_clone().unwrap());
        // only a guard: a test that would hang fails
        let guard = Some(Duration::from_secs(60));
        stream.set_read_timeout(guard).unwrap();
        stream.set_write_timeout(guard).unwrap();
        Some(Self {
            stream,
            unread: Vec::new(),
            piece: vec![0; PIECE],
        })
    }

    /// Connects and sends.
    #[track_caller]
    pub(crate) fn asking(stub: &StubHandle, request: impl AsRef<[u8]>) -> Self {
        let mut client = Self::connect(stub);
        client.send(request);
        client
    }

    #[track_caller]
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).unwrap();
    }

    /// Another handle to the same connection, for another thread.
    #[track_caller]
    pub(crate) fn sender(&self) -> TcpStream {
        self.stream.try_clone().unwrap()
    }

    /// Closes the sending side only.
    #[track_caller]
    pub(crate) fn finish_sending(&self) {
        self.stream.shutdown(Shutdown::Write).unwrap();
    }

    /// Reads up to this, and gives back all of it.
    #[track_caller]
    pub(crate) fn read_until(&mut self, end: &[u8]) -> Vec<u8> {
        let mut searched = 0_usize;
        loop {
            let from = searched.saturating_sub(end.len());
            let found = self.unread[from..].windows(end.len());
            if let Some(at) = found.into_iter().position(|window| window == end) {
                return self.take(from + at + end.len());
            }
            searched = self.unread.len();
            if let Err(ended) = self.fill(PIECE) {
                let read = self.unread.escape_ascii();
                panic!("{ended:?} before `{}`, after `{read}`", end.escape_ascii());
            }
        }
    }

    /// Reads so many bytes.
    #[track_caller]
    pub(crate) fn read_exactly(&mut self, length: usize) -> Vec<u8> {
        while self.unread.len() < length {
            if let Err(ended) = self.fill(PIECE) {
                panic!("{ended:?} after {} of {length} bytes", self.unread.len());
            }
        }
        self.take(length)
    }

    /// Reads one response whose body is chunked.
    #[track_caller]
    pub(crate) fn response(&mut self) -> Response {
        let head = self.head();
        assert!(
            head.contains("\r\nTransfer-Encoding: chunked\r\n"),
            "no chunks: {head}"
        );
        let (mut framed, mut body) = (Vec::new(), Vec::new());
        loop {
            let line = self.read_until(b"\r\n");
            let size = std::str::from_utf8(&line).unwrap().trim_end();
            let size = usize::from_str_radix(size, 16).unwrap();
            let chunk = self.read_exactly(size + 2);
            assert!(chunk.ends_with(b"\r\n"), "a chunk without its line end");
            body.extend_from_slice(&chunk[..size]);
            framed.extend_from_slice(&line);
            framed.extend_from_slice(&chunk);
            if size == 0 {
                return Response { head, framed, body };
            }
        }
    }

    /// Reads status line and headers, with the empty line.
    #[track_caller]
    pub(crate) fn head(&mut self) -> String {
        String::from_utf8(self.read_until(b"\r\n\r\n")).unwrap()
    }

    /// Reads to the end of the connection.
    #[track_caller]
    pub(crate) fn rest(&mut self) -> (Vec<u8>, Ended) {
        self.rest_in_pieces(PIECE, || {})
    }

    /// Reads to the end of the connection in pieces of at most this size.
    #[track_caller]
    pub(crate) fn rest_in_pieces(&mut self, size: usize, between: impl Fn()) -> (Vec<u8>, Ended) {
        loop {
            if let Err(ended) = self.fill(size) {
                return (std::mem::take(&mut self.unread), ended);
            }
            between();
        }
    }

    /// Checks that the stub has written no more than was read.
    #[track_caller]
    pub(crate) fn assert_nothing_more(&mut self) {
        assert_eq!(self.unread.escape_ascii().to_string(), "");
        self.stream.set_nonblocking(true).unwrap();
        let read = self.stream.read(&mut [0; 64]);
        self.stream.set_nonblocking(false).unwrap();
        assert_eq!(read.map_err(|e| e.kind()), Err(ErrorKind::WouldBlock));
    }

    fn take(&mut self, length: usize) -> Vec<u8> {
        let rest = self.unread.split_off(length);
        std::mem::replace(&mut self.unread, rest)
    }

    #[track_caller]
    fn fill(&mut self, size: usize) -> Result<(), Ended> {
        let read = self.stream.read(&mut self.piece[..size]);
        match read {
            Ok(0) => Err(Ended::Fin),
            Ok(n) => {
                self.unread.extend_from_slice(&self.piece[..n]);
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::ConnectionReset => Err(Ended::Reset),
            Err(error) => panic!("the stub fell silent: {error}"),
        }
    }
}

#[track_caller]
fn new_socket() -> Socket {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.set_tcp_nodelay(true).unwrap();
    socket
}

impl Response {
    /// The status line.
    pub(crate) fn status(&self) -> &str {
        self.head.lines().next().unwrap_or_default()
    }

    /// The value of a header, under any spelling of its name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(found, _)| found.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value)
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

/// A model call with these headers besides its key and version, and this body.
pub(crate) fn call(headers: &[&str], body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let length = format!("content-length: {}", body.len());
    let mut request = call_head(&[headers, &[&length]].concat());
    request.extend_from_slice(body);
    request
}

/// The head of a model call, with these headers besides its key and version.
pub(crate) fn call_head(headers: &[&str]) -> Vec<u8> {
    let mut head = String::from(
        "POST /v1/messages HTTP/1.1\r\nhost: stub\r\nx-api-key: sk-ant-test-0123456789\r\n\
         anthropic-version: 2023-06-01\r\n",
    );
    for header in headers {
        head += header;
        head += "\r\n";
    }
    head += "\r\n";
    head.into_bytes()
}

/// The body of a model call for a stream.
pub(crate) fn streaming_body() -> String {
    body(true)
}

/// A model call for a stream.
pub(crate) fn streaming() -> Vec<u8> {
    call(&[], body(true))
}

/// A model call for an answer in one piece.
pub(crate) fn not_streaming() -> Vec<u8> {
    call(&[], body(false))
}

fn body(stream: bool) -> String {
    format!(
        r#"{{"model":"{MODEL}","max_tokens":99,"stream":{stream},"messages":[{{"role":"user","content":"go"}}]}}"#
    )
}

/// These pieces as chunks, without the last, empty one.
pub(crate) fn chunked(pieces: impl IntoIterator<Item = Bytes>) -> Vec<u8> {
    let mut out = Vec::new();
    for piece in pieces {
        out.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
        out.extend_from_slice(&piece);
        out.extend_from_slice(b"\r\n");
    }
    out
}

/// The chunk that ends a body.
pub(crate) const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

/// Bytes as a failure shows them.
pub(crate) fn ascii(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}
