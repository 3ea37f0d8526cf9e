//! The headers of a request: kept as they came, read into a map once somebody asks for one.
//!
//! Most requests of a test are never asked for their map, and it takes more memory than the request itself.

use std::{iter, sync::OnceLock};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};

/// The header lines of a request, known to be well-formed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Headers {
    lines: Bytes,
    map: OnceLock<Box<HeaderMap>>,
}

impl Headers {
    /// The headers in these lines, each with its end; an empty line, if there is one, comes last.
    pub(crate) const fn new(lines: Bytes) -> Self {
        Self {
            lines,
            map: OnceLock::new(),
        }
    }

    /// The first value of a header; `None` if it is missing or no text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let value = self.values(name).next()?;
        let visible = |b: &u8| matches!(b, b'\t' | b' '..=b'~');
        let text = value.iter().all(visible).then_some(value)?;
        std::str::from_utf8(text).ok()
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.values(name).next().is_some()
    }

    pub(crate) fn map(&self) -> &HeaderMap {
        self.map.get_or_init(|| {
            let headers = self.iter().filter_map(|(name, value)| {
                let name = HeaderName::from_bytes(name).ok()?;
                Some((name, HeaderValue::from_bytes(value).ok()?))
            });
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.append(name, value);
            }
            Box::new(map)
        })
    }

    /// The values of a header, in order.
    pub(crate) fn values(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        let named = move |(header, _): &(&[u8], _)| header.eq_ignore_ascii_case(name.as_bytes());
        self.iter().filter(named).map(|(_, value)| value)
    }

    fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mut rest = self.lines.as_ref();
        let lines = iter::from_fn(move || {
            let end = rest.iter().position(|b| *b == b'\n')?;
            let (line, after) = rest.split_at_checked(end + 1)?;
            rest = after;
            Some(line)
        });
        lines.filter_map(|line| {
            let colon = line.iter().position(|b| *b == b':')?;
            let (name, value) = line.split_at_checked(colon)?;
            // the colon, and white space on both sides of the value
            Some((name, value.get(1..)?.trim_ascii()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &'static str) -> Headers {
        Headers::new(Bytes::from_static(lines.as_bytes()))
    }

    #[test]
    fn a_header_is_found_whatever_its_case_and_line_end() {
        let headers = headers("Host: a:1\r\nX-Two:\tone \nx-two: two\r\nempty:\r\n\r\n");

        assert_eq!(headers.text("host"), Some("a:1"));
        assert_eq!(headers.text("x-TWO"), Some("one"));
        assert_eq!(headers.text("empty"), Some(""));
        assert_eq!(headers.text("x"), None);
        assert!(headers.contains("EMPTY") && !headers.contains("a"));
    }

    #[test]
    fn the_map_has_every_value_in_order() {
        let headers = headers("b: 1\r\nA: 2\r\nB: 3\r\n\r\n");

        let map: Vec<(&str, &[u8])> = headers
            .map()
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_bytes()))
            .collect();
        assert_eq!(map, [("b", &b"1"[..]), ("b", b"3"), ("a", b"2")]);
    }

    #[test]
    fn a_value_that_is_no_text_is_in_the_map_only() {
        let headers = Headers::new(Bytes::from_static(b"x: caf\xe9\r\n\r\n"));

        assert_eq!(headers.text("x"), None);
        assert!(headers.contains("x"));
        assert_eq!(headers.map().get("x").unwrap().as_bytes(), b"caf\xe9");
    }
}
