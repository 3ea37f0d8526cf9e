//! How far an answer has come that is relayed as it is: its bytes in, whether it is whole out.
//!
//! ```text
//! Head ─► Length ─► Whole
//!      ─► Size ─► Data ─► Size …
//!              ─► Trailers ─► Whole
//!      ─► UntilClose
//! ```

use super::request_head::number;

/// A head may be this long; behind that nothing is known.
const HEAD_LIMIT: usize = 64 * 1024;

/// And so long a line between chunks.
const LINE_LIMIT: usize = 64 * 1024;

/// Reads a relayed answer along.
pub(super) struct Relayed {
    state: State,
    /// Whether it answers `HEAD`: then it has no body, whatever its head says.
    to_head: bool,
}

enum State {
    /// These bytes of the head so far.
    Head(Vec<u8>),
    /// So many bytes of the body are missing.
    Length(usize),
    /// The line with a chunk's size so far.
    Size(Vec<u8>),
    /// So many bytes of a chunk are missing, its line end included.
    Data(usize),
    /// A line behind the last chunk so far.
    Trailers(Vec<u8>),
    /// Only the end of the connection ends it.
    UntilClose,
    Whole,
}

impl Relayed {
    pub(super) fn new(method: &str) -> Self {
        Self {
            state: State::Head(Vec::new()),
            to_head: method == "HEAD",
        }
    }

    /// Whether nothing is missing.
    pub(super) const fn is_whole(&self) -> bool {
        matches!(self.state, State::Whole)
    }

    /// Whether nothing is missing if the connection ends here.
    pub(super) const fn may_end(&self) -> bool {
        matches!(self.state, State::Whole | State::UntilClose)
    }

    /// Reads what came.
    pub(super) fn read(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            bytes = self.step(bytes);
        }
    }

    /// Reads some of it; gives back what is left.
    fn step<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        match &mut self.state {
            State::Head(head) => {
                head.extend_from_slice(bytes);
                let head = std::mem::take(head);
                self.head(head);
                &[]
            }
            State::Length(missing) => {
                let (_, rest) = bytes.split_at((*missing).min(bytes.len()));
                *missing -= bytes.len() - rest.len();
                if *missing == 0 {
                    self.state = State::Whole;
                }
                rest
            }
            State::Data(missing) => {
                let (_, rest) = bytes.split_at((*missing).min(bytes.len()));
                *missing -= bytes.len() - rest.len();
                if *missing == 0 {
                    self.state = State::Size(Vec::new());
                }
                rest
            }
            State::Size(line) => {
                let (rest, ended) = read_line(line, bytes);
                if ended {
                    let mut parts = line.split(|b| matches!(b, b';' | b' ' | b'\t' | b'\r'));
                    self.state = match number(parts.next().unwrap_or_default(), 16) {
                        Some(0) => State::Trailers(Vec::new()),
                        Some(size) => State::Data(size.saturating_add(2)),
                        None => State::UntilClose,
                    };
                } else if line.len() > LINE_LIMIT {
                    self.state = State::UntilClose;
                }
                rest
            }
            State::Trailers(line) => {
                let (rest, ended) = read_line(line, bytes);
                if ended {
                    self.state = match line.as_slice() {
                        b"" | b"\r" => State::Whole,
                        _ => State::Trailers(Vec::new()),
                    };
                } else if line.len() > LINE_LIMIT {
                    self.state = State::UntilClose;
                }
                rest
            }
            State::UntilClose | State::Whole => &[],
        }
    }

    /// Reads the head, once all of it is there, and what came with it.
    fn head(&mut self, bytes: Vec<u8>) {
        let mut slots = [httparse::EMPTY_HEADER; 256];
        let mut parsed = httparse::Response::new(&mut slots);
        let len = match parsed.parse(&bytes) {
            Ok(httparse::Status::Complete(len)) => len,
            Ok(httparse::Status::Partial) if bytes.len() < HEAD_LIMIT => {
                self.state = State::Head(bytes);
                return;
            }
            Ok(httparse::Status::Partial) | Err(_) => {
                self.state = State::UntilClose;
                return;
            }
        };
        let value = |name: &str| {
            let mut headers = parsed.headers.iter();
            let found = headers.find(|header| header.name.eq_ignore_ascii_case(name));
            found.map(|header| header.value)
        };
        let encodings = parsed.headers.iter();
        let mut encodings = encodings
            .filter(|header| header.name.eq_ignore_ascii_case("transfer-encoding"))
            .flat_map(|header| header.value.split(|b| *b == b','));
        let encoding = encodings.next_back();
        let length = value("content-length").and_then(|length| number(length, 10));
        self.state = match (parsed.code.unwrap_or_default(), length) {
            (101, _) => State::UntilClose,
            // an interim answer goes before the real one
            (100..=199, _) => State::Head(Vec::new()),
            (204 | 304, _) => State::Whole,
            _ if self.to_head => State::Whole,
            // the last one frames; under any other the end of the connection does (RFC 9112, section 6.3)
            _ if encoding.is_some_and(is_chunked) => State::Size(Vec::new()),
            _ if encoding.is_some() => State::UntilClose,
            (_, Some(0)) => State::Whole,
            (_, Some(length)) => State::Length(length),
            (_, None) => State::UntilClose,
        };
        self.read(bytes.get(len..).unwrap_or_default());
    }
}

fn is_chunked(encoding: &[u8]) -> bool {
    encoding.trim_ascii().eq_ignore_ascii_case(b"chunked")
}

/// Adds to the line up to its end; gives back what is left, and whether the end came.
fn read_line<'a>(line: &mut Vec<u8>, bytes: &'a [u8]) -> (&'a [u8], bool) {
    let end = bytes.iter().position(|b| *b == b'\n');
    let (more, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
    line.extend_from_slice(more);
    (rest.get(1..).unwrap_or_default(), end.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How an answer to `method` stands behind `bytes`, however they are cut.
    #[track_caller]
    fn stands(method: &str, bytes: &str) -> (bool, bool) {
        let bytes = bytes.as_bytes();
        let found = |pieces: &[&[u8]]| {
            let mut relayed = Relayed::new(method);
            pieces.iter().for_each(|piece| relayed.read(piece));
            (relayed.is_whole(), relayed.may_end())
        };
        let whole = found(&[bytes]);
        let each: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(found(&each), whole, "byte by byte");
        for at in 0..bytes.len() {
            let (a, b) = bytes.split_at(at);
            assert_eq!(found(&[a, b]), whole, "cut at {at}");
        }
        whole
    }

    const MISSING: (bool, bool) = (false, false);
    const OPEN: (bool, bool) = (false, true);
    const WHOLE: (bool, bool) = (true, true);

    #[test]
    fn an_answer_is_whole_when_its_framing_says_so() {
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        for (bytes, expected) in [
            ("", MISSING),
            ("HTTP/1.1 200 OK\r\n", MISSING),
            ("HTTP/1.1 200 OK\r\n\r\n", OPEN),
            ("HTTP/1.1 200 OK\r\n\r\nsome", OPEN),
            ("HTTP/1.1 204 No Content\r\n\r\n", WHOLE),
            (
                "HTTP/1.1 304 Not Modified\r\ncontent-length: 9\r\n\r\n",
                WHOLE,
            ),
            ("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", WHOLE),
            ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\na", MISSING),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab", WHOLE),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc", WHOLE),
            ("HTTP/1.1 200 OK\r\ncontent-length: +2\r\n\r\nab", OPEN),
            ("HTTP/1.1 100 Continue\r\n\r\n", MISSING),
            (
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
                WHOLE,
            ),
            ("HTTP/1.1 101 Switching Protocols\r\n\r\nx", OPEN),
            ("not HTTP", OPEN),
            (chunked, MISSING),
            (&format!("{chunked}3\r\nabc\r\n"), MISSING),
            (
                &format!("{chunked}a;x=y\r\n0\r\n\r\n0\r\n\r\n\r\n0\r\n"),
                MISSING,
            ),
            (
                &format!("{chunked}a;x=y\r\n0\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n"),
                WHOLE,
            ),
            (&format!("{chunked}0\r\nx: y\r\n"), MISSING),
            (&format!("{chunked}0\r\nx: y\r\n\r\n"), WHOLE),
            (&format!("{chunked}x\r\n"), OPEN),
            (
                "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\ncontent-length: 1\r\n\r\n0\n\n",
                OPEN,
            ),
            (
                "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, Chunked \r\n\r\n0\r\n\r\n",
                WHOLE,
            ),
            (
                "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                WHOLE,
            ),
        ] {
            assert_eq!(stands("GET", bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn the_answer_to_head_has_no_body() {
        let head = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n";
        assert_eq!(stands("HEAD", head), WHOLE);
        assert_eq!(stands("GET", head), MISSING);
    }

    #[test]
    fn a_line_that_never_ends_is_given_up() {
        for start in ["", "0\r\n"] {
            let mut relayed = Relayed::new("GET");
            relayed.read(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
            relayed.read(start.as_bytes());
            assert!(!relayed.may_end());
            for _ in 0..3 {
                relayed.read(&vec![b'1'; HEAD_LIMIT]);
            }
            assert!(relayed.may_end(), "{start:?}");
        }
    }

    #[test]
    fn a_head_that_never_ends_is_given_up() {
        let mut relayed = Relayed::new("GET");
        relayed.read(b"HTTP/1.1 200 OK\r\nx: ");
        relayed.read(&vec![b'y'; HEAD_LIMIT]);
        assert!(relayed.may_end());
    }
}
