//! The head of a request: bytes in, method, target, headers and framing out, or why they are none.

use std::borrow::Cow;

use crate::request::Field;

/// How a TLS handshake begins.
const TLS: &[u8] = b"\x16\x03";
/// How an HTTP/2 connection begins.
const HTTP2: &[u8] = b"PRI * HTTP/2.0";
/// A request may have so many headers.
const HEADERS_LIMIT: usize = 128;

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

pub(super) fn malformed(why: impl Into<String>) -> NoRequest {
    NoRequest::Malformed(400, why.into())
}

/// The head of a request.
pub(super) struct RequestHead {
    /// Its length in bytes.
    pub(super) len: usize,
    /// Where its headers stand.
    pub(super) fields: Vec<Field>,
    pub(super) method: Cow<'static, str>,
    pub(super) target: String,
    pub(super) framing: Framing,
    pub(super) expects_continue: bool,
    pub(super) after: AfterAnswer,
}

pub(super) enum Framing {
    Length(usize),
    Chunked,
}

/// The head, once all of it is there.
pub(super) fn parse_head(bytes: &[u8]) -> Result<Option<RequestHead>, NoRequest> {
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
            let help = if bytes.starts_with(TLS) {
                "\n  help: this is TLS; give the client an `http://` URL"
            } else if bytes.starts_with(HTTP2) {
                "\n  help: this is HTTP/2; turn off the client's prior knowledge of it"
            } else {
                ""
            };
            return Err(malformed(format!(
                "the request's head is malformed: {error}\n  expected: HTTP/1.1\n  found: {}{help}",
                shown(bytes)
            )));
        }
    };
    if parsed.version != Some(1) {
        let why = "only HTTP/1.1 is served; an HTTP/1.0 client cannot read chunks";
        return Err(NoRequest::Malformed(505, why.to_owned()));
    }
    let headers: &[httparse::Header<'_>] = parsed.headers;
    let says = |name, word: &str| {
        values(headers, name)
            .flat_map(|value| value.split(|b| *b == b','))
            .any(|token| token.trim_ascii().eq_ignore_ascii_case(word.as_bytes()))
    };
    Ok(Some(RequestHead {
        len,
        fields: headers.iter().map(|header| field(bytes, header)).collect(),
        method: match parsed.method.unwrap_or_default() {
            "POST" => Cow::Borrowed("POST"),
            "GET" => Cow::Borrowed("GET"),
            other => Cow::Owned(other.to_owned()),
        },
        target: target(parsed.path.unwrap_or_default()),
        framing: framing(headers)?,
        expects_continue: says("expect", "100-continue"),
        after: if says("connection", "close") {
            AfterAnswer::Close
        } else {
            AfterAnswer::KeepAlive
        },
    }))
}

/// Where a header stands in these bytes, of which it is a part.
fn field(bytes: &[u8], header: &httparse::Header<'_>) -> Field {
    let place = |part: &[u8]| {
        let start = part.as_ptr().addr().wrapping_sub(bytes.as_ptr().addr());
        // a head is far shorter than this
        let at = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        at(start)..at(start.saturating_add(part.len()))
    };
    Field {
        name: place(header.name.as_bytes()),
        value: place(header.value),
    }
}

/// Path and query. A client that takes this server for a proxy sends the whole URL, which every server has
/// to accept (RFC 9112, section 3.2.2).
fn target(sent: &str) -> String {
    let url = sent.split_once("://").filter(|(scheme, _)| {
        scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
    });
    let Some((_, rest)) = url else {
        return sent.to_owned();
    };
    let authority = rest.find(['/', '?']).unwrap_or(rest.len());
    let (_, target) = rest.split_at(authority);
    if target.starts_with('/') {
        target.to_owned()
    } else {
        format!("/{target}")
    }
}

/// The values of a header, in order.
fn values<'h>(headers: &'h [httparse::Header<'_>], name: &str) -> impl Iterator<Item = &'h [u8]> {
    let named = move |header: &&httparse::Header<'_>| header.name.eq_ignore_ascii_case(name);
    headers.iter().filter(named).map(|header| header.value)
}

fn framing(headers: &[httparse::Header<'_>]) -> Result<Framing, NoRequest> {
    let lengths: Vec<&[u8]> = values(headers, "content-length").collect();
    let encodings: Vec<&[u8]> = values(headers, "transfer-encoding").collect();
    match (encodings.as_slice(), lengths.as_slice()) {
        ([], []) => Ok(Framing::Length(0)),
        ([], [length, others @ ..]) if others.iter().all(|other| other == length) => {
            number(length, 10).map(Framing::Length).ok_or_else(|| {
                malformed(format!(
                    "the request's length is no number\n  found: {}",
                    shown(length)
                ))
            })
        }
        ([], lengths) => Err(malformed(format!(
            "the request has several lengths\n  found: {}",
            listed(lengths)
        ))),
        ([encoding], []) if encoding.eq_ignore_ascii_case(b"chunked") => Ok(Framing::Chunked),
        (encodings, []) => Err(NoRequest::Malformed(
            501,
            format!(
                "this transfer encoding is not known\n  expected: `chunked`\n  found: {}",
                listed(encodings)
            ),
        )),
        _ => Err(malformed(
            "the request has both a length and a transfer encoding",
        )),
    }
}

/// A number without a sign. One that does not fit is over every limit, so the largest will do.
pub(super) fn number(digits: &[u8], radix: u32) -> Option<usize> {
    let is_digit = |b: &u8| char::from(*b).is_digit(radix);
    if digits.is_empty() || !digits.iter().all(is_digit) {
        return None;
    }
    let digits = std::str::from_utf8(digits).ok()?;
    Some(usize::from_str_radix(digits, radix).unwrap_or(usize::MAX))
}

fn listed(values: &[&[u8]]) -> String {
    let shown = values.iter().map(|value| shown(value));
    shown.collect::<Vec<_>>().join(", ")
}

/// The first bytes, escaped, and how many more there are.
pub(super) fn shown(bytes: &[u8]) -> String {
    const SHOWN: usize = 40;
    match bytes.split_at_checked(SHOWN) {
        Some((start, more)) if !more.is_empty() => {
            format!("`{}` … ({} more bytes)", start.escape_ascii(), more.len())
        }
        _ => format!("`{}`", bytes.escape_ascii()),
    }
}
