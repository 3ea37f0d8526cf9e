//! What a fault makes of an answer: head, writes and end, of the pieces of the answer without it. A second way to the
//! same bytes, as simple as it can be.

use llm_wire_stub::*;

use crate::socket::{API, error_of};

pub(crate) const KEEP_ALIVE: &[u8] = b": keep-alive\n\n";

/// What has to come.
#[derive(Clone)]
pub(crate) struct Expected {
    /// None if not even that comes.
    pub(crate) head: Option<Head>,
    pub(crate) writes: Vec<Vec<u8>>,
    pub(crate) end: End,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) content_type: Option<String>,
    pub(crate) encoding: Option<String>,
    pub(crate) length: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    /// The last chunk, and the connection is ready for the next request.
    Whole,
    Closed,
    Reset,
    /// Nothing more, and the stub says that it has fallen silent.
    Silent,
    /// Nothing more, although the stub says that the answer was complete.
    Open,
    /// This for ever.
    Beats(&'static [u8]),
    OpenBeats(&'static [u8]),
}

impl Expected {
    /// Of a fault, on the turn that has these pieces without it.
    pub(crate) fn of(fault: FaultVariant, turn: &Turn, pieces: &[Vec<u8>]) -> Self {
        let id = fault.id();
        let (kind, variant) = id.split_once('/').unwrap();
        let usual = Self {
            head: Some(Head {
                status: 200,
                content_type: Some("text/event-stream; charset=utf-8".to_owned()),
                encoding: None,
                length: None,
            }),
            writes: pieces.to_vec(),
            end: End::Whole,
        };
        usual
            .http(kind, variant, turn)
            .or_else(|| usual.ended(kind, variant))
            .or_else(|| usual.cut(kind, variant))
            .or_else(|| usual.split(kind, variant))
            .or_else(|| usual.zipped(fault, turn))
            .unwrap_or_else(|| panic!("{id}: nobody says what has to come"))
    }

    fn first_delta(&self) -> usize {
        let is_delta = |piece: &Vec<u8>| has(piece, "_delta\",\"");
        self.writes.iter().position(is_delta).unwrap()
    }

    fn said(&self, status: u16, content_type: &str, body: Vec<u8>) -> Self {
        let mut said = self.clone();
        let head = said.head.as_mut().unwrap();
        head.status = status;
        head.content_type = Some(content_type.to_owned());
        said.writes = vec![body];
        said
    }

    fn typed(&self, content_type: Option<&str>) -> Self {
        let mut typed = self.clone();
        typed.head.as_mut().unwrap().content_type = content_type.map(str::to_owned);
        typed
    }

    /// What is said instead of a stream.
    fn http(&self, kind: &str, variant: &str, turn: &Turn) -> Option<Self> {
        const JSON: &str = "application/json";
        let status = variant.split('-').nth(1);
        let status: u16 = status.and_then(|status| status.parse().ok()).unwrap_or(0);
        Some(match (kind, variant) {
            ("content-type-variants", "charset") => {
                self.typed(Some("text/event-stream;charset=UTF-8"))
            }
            ("content-type-variants", "upper-case") => self.typed(Some("TEXT/EVENT-STREAM")),
            ("content-type-variants", "json-and-event-stream") => {
                self.typed(Some("application/json, text/event-stream"))
            }
            ("content-type-variants", "text-plain") => self.typed(Some("text/plain")),
            ("content-type-variants", "absent") => self.typed(None),
            ("http-error-on-stream", _) if variant.ends_with("-empty") => Self {
                writes: vec![],
                ..self.said(status, JSON, vec![])
            },
            ("http-error-on-stream", _) if variant.ends_with("-cut") => {
                self.said(status, JSON, half(&error_of(status)))
            }
            ("http-error-on-stream", _) => self.said(status, JSON, error_of(status)),
            ("error-json-200", _) => self.said(200, JSON, error_of(500)),
            ("json-instead-of-sse", _) => self.said(200, JSON, json_body(API, turn).to_vec()),
            ("html-body", "mid-stream") => {
                let mut spoilt = self.clone();
                spoilt.writes.truncate(self.first_delta() + 1);
                spoilt.writes.push(page("502 Bad Gateway"));
                spoilt
            }
            ("html-body", _) => {
                let page = page(match status {
                    200 => "Sign in",
                    403 => "403 Forbidden",
                    502 => "502 Bad Gateway",
                    503 => "503 Service Unavailable",
                    _ => "520 Unknown Error",
                });
                let mut said = self.said(status, "text/html; charset=utf-8", page.clone());
                if variant.ends_with("-with-length") {
                    said.head.as_mut().unwrap().length = Some(page.len());
                    said.end = End::Closed;
                }
                said
            }
            ("empty-body", "no-byte") => self.with(vec![], End::Whole),
            ("empty-body", _) => self.with(vec![KEEP_ALIVE.to_vec(); 3], End::Whole),
            _ => return None,
        })
    }

    fn with(&self, writes: Vec<Vec<u8>>, end: End) -> Self {
        Self {
            head: self.head.clone(),
            writes,
            end,
        }
    }

    /// How the connection ends, or does not.
    fn ended(&self, kind: &str, variant: &str) -> Option<Self> {
        let end = match (kind, variant) {
            ("chunked-abort", _) => End::Closed,
            ("reset-mid-stream", _) => End::Reset,
            ("stall-mid-stream" | "stall-before-headers", _) => End::Silent,
            ("stall-heartbeat-only", "blank-lines") => End::Beats(b"\n"),
            ("stall-heartbeat-only", "pings") => {
                End::Beats(b"event: ping\ndata: {\"type\": \"ping\"}\n\n")
            }
            ("stall-heartbeat-only", _) => End::Beats(KEEP_ALIVE),
            ("open-after-terminal", "silent") => End::Open,
            ("open-after-terminal", _) => End::OpenBeats(KEEP_ALIVE),
            _ => return None,
        };
        let mut ended = self.with(self.writes.clone(), end);
        let first = self.first_delta();
        match variant {
            "length-too-large" => {
                let length = self.writes.concat().len();
                ended.head.as_mut().unwrap().length = Some(length);
                ended.writes.truncate(first + 1);
            }
            "before-headers" | "no-byte" => (ended.head, ended.writes) = (None, vec![]),
            "after-headers" | "headers-only" => ended.writes.clear(),
            "inside-a-tool-call" => {
                let is_of_call = |piece: &Vec<u8>| {
                    has(piece, "input_json_delta") && !has(piece, "\"partial_json\":\"\"")
                };
                let first = self.writes.iter().position(is_of_call).unwrap();
                ended.writes.truncate(first + 1);
            }
            "inside-event" | "inside-a-line" => {
                ended.writes.truncate(first);
                ended.writes.push(half(&self.writes[first]));
            }
            "after-finish-reason" => ended.writes.truncate(self.writes.len() - 1),
            "silent" | "heartbeats" => {}
            _ => ended.writes.truncate(first + 1),
        }
        Some(ended)
    }

    /// Where the body ends.
    fn cut(&self, kind: &str, variant: &str) -> Option<Self> {
        let mut writes = self.writes.clone();
        let last = writes.last_mut().unwrap();
        match (kind, variant) {
            ("eof-before-terminal", "all-content") => writes.truncate(self.writes.len() - 2),
            ("eof-before-terminal", "no-content") => writes.truncate(self.first_delta()),
            ("terminal-frame-cut", "cut") => {
                *last = b"event: message_stop\ndata: {\"ty".to_vec();
            }
            ("eof-no-final-blank", "no-line-end") => last.truncate(last.len() - 2),
            ("eof-mid-event", "in-character") => {
                writes.truncate(self.first_delta() + 1);
                let cut = writes.last_mut().unwrap();
                let character = cut.iter().position(|byte| !byte.is_ascii()).unwrap();
                cut.truncate(character + 1);
            }
            _ => return None,
        }
        Some(self.with(writes, End::Whole))
    }

    /// Where writes end.
    fn split(&self, kind: &str, variant: &str) -> Option<Self> {
        let pieces = &self.writes;
        let writes = match (kind, variant) {
            ("slow-but-alive", _) => pieces.clone(),
            ("buffered-burst", _) => vec![pieces.concat()],
            ("split-any-byte", "several-events") => pieces.chunks(3).map(<[_]>::concat).collect(),
            ("split-any-byte" | "split-utf8-scalar" | "split-crlf", _) => {
                let split = |piece: &Vec<u8>| split_piece(kind, variant, piece);
                pieces.iter().flat_map(split).collect()
            }
            ("tiny-fragments", _) => {
                let (mib, write) = variant.split_once("-mib-by-").unwrap();
                let first = self.first_delta();
                let large = grown(&pieces[first], mib.parse::<usize>().unwrap() << 20);
                let tiny = large.chunks(write.parse().unwrap()).map(<[u8]>::to_vec);
                let before = pieces[..first].iter().cloned();
                before
                    .chain(tiny)
                    .chain(pieces[first + 1..].iter().cloned())
                    .collect()
            }
            _ => return None,
        };
        Some(self.with(writes, End::Whole))
    }

    /// Versions of the compressor differ: what is read of each write is in the listing.
    fn zipped(&self, fault: FaultVariant, turn: &Turn) -> Option<Self> {
        if fault.fault() != Fault::GzipStream {
            return None;
        }
        let zipped = chunks(API, &turn.clone().fault(fault), Cut::PerEvent);
        let mut expected = self.with(zipped.map(|piece| piece.to_vec()).collect(), End::Whole);
        expected.head.as_mut().unwrap().encoding = Some("gzip".to_owned());
        Some(expected)
    }
}

/// The borders of writes in a piece, found byte by byte.
fn split_piece(kind: &str, variant: &str, piece: &[u8]) -> Vec<Vec<u8>> {
    let is_of_call = has(piece, "input_json_delta");
    let mut out = Vec::new();
    let mut write = Vec::new();
    for (at, byte) in piece.iter().copied().enumerate() {
        let (line, before) = match piece[..at].iter().rposition(|byte| *byte == b'\n') {
            Some(end) => (&piece[end + 1..at], piece[end]),
            None => (&piece[..at], 0),
        };
        let is_blank = byte == b'\n' && line.is_empty() && before == b'\n';
        let goes_on = (0x80..0xc0).contains(&byte);
        let ends_before = match (kind, variant) {
            ("split-any-byte", "one-byte-per-write") => true,
            ("split-any-byte", "inside-field-names") => line.len() == 2,
            ("split-any-byte", "between-lines") => {
                line.is_empty() && piece[at..].starts_with(b"data:")
            }
            ("split-any-byte", _) => is_blank,
            ("split-utf8-scalar", "in-arguments") => is_of_call && goes_on,
            ("split-utf8-scalar", _) => goes_on,
            ("split-crlf", "at-field-lines") => byte == b'\n' && !is_blank,
            ("split-crlf", "at-blank-lines") => is_blank,
            _ => byte == b'\n',
        };
        if kind == "split-crlf" && byte == b'\n' {
            write.push(b'\r');
        }
        if ends_before && !write.is_empty() {
            out.push(std::mem::take(&mut write));
        }
        write.push(byte);
    }
    out.push(write);
    out
}

/// An event whose data line has so many bytes.
fn grown(piece: &[u8], size: usize) -> Vec<u8> {
    let text = String::from_utf8(piece.to_vec()).unwrap();
    let (before, data) = text.split_once("data: ").unwrap();
    let data = data.trim_end().strip_suffix('}').unwrap();
    let spaces = " ".repeat(size - "data: }".len() - data.len());
    format!("{before}data: {data}{spaces}}}\n\n").into_bytes()
}

fn half(piece: &[u8]) -> Vec<u8> {
    piece[..piece.len() / 2].to_vec()
}

fn has(piece: &[u8], text: &str) -> bool {
    String::from_utf8_lossy(piece).contains(text)
}

fn page(title: &str) -> Vec<u8> {
    format!(
        "<!DOCTYPE html>\n<html>\n<head><title>{title}</title></head>\n<body>\n<h1>{title}</h1>\n</body>\n</html>\n"
    )
    .into_bytes()
}
