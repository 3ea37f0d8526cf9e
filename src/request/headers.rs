//! The headers of a request: kept as they came, read into a map once somebody asks for one.
//!
//! Most requests of a test are never asked for their map, and it takes more memory than the request itself.

use std::{ops::Range, sync::OnceLock};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};

/// The headers of a request, known to be well-formed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Headers {
    head: Bytes,
    fields: Vec<Field>,
    map: OnceLock<Box<HeaderMap>>,
}

/// Where a header stands in the head.
#[derive(Clone, Debug, Default)]
pub(crate) struct Field {
    pub(crate) name: Range<u32>,
    pub(crate) value: Range<u32>,
}

impl Headers {
    /// The headers that stand at these places of the head.
    pub(crate) const fn new(head: Bytes, fields: Vec<Field>) -> Self {
        Self {
            head,
            fields,
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
            let headers = self.fields.iter().filter_map(|field| {
                let name = HeaderName::from_bytes(self.at(&field.name)).ok()?;
                Some((name, HeaderValue::from_bytes(self.at(&field.value)).ok()?))
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
        // by the length first and without the range's own iterator, for dev builds: the rules ask for many
        let length = u32::try_from(name.len()).unwrap_or(u32::MAX);
        let named = self.fields.iter();
        let named = named.filter(move |field| {
            field.name.end.saturating_sub(field.name.start) == length
                && self.at(&field.name).eq_ignore_ascii_case(name.as_bytes())
        });
        named.map(|field| self.at(&field.value))
    }

    fn at(&self, place: &Range<u32>) -> &[u8] {
        let place = usize::try_from(place.start)
            .ok()
            .zip(usize::try_from(place.end).ok());
        place
            .and_then(|(start, end)| self.head.get(start..end))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands in these lines, each a name, a colon and a value, with single spaces.
    fn headers(lines: &'static [u8]) -> Headers {
        let mut fields = Vec::new();
        let mut at = 0;
        for line in lines.split_inclusive(|b| *b == b'\n') {
            let colon = line.iter().position(|b| *b == b':').unwrap();
            let place = |start: usize, end: usize| {
                u32::try_from(at + start).unwrap()..u32::try_from(at + end).unwrap()
            };
            fields.push(Field {
                name: place(0, colon),
                value: place(colon + 2, line.len() - 2),
            });
            at += line.len();
        }
        Headers::new(Bytes::from_static(lines), fields)
    }

    #[test]
    fn a_header_is_found_whatever_its_case() {
        let headers = headers(b"Host: a:1\r\nX-Two: one\r\nx-two: two\r\nempty: \r\n");

        assert_eq!(headers.text("host"), Some("a:1"));
        assert_eq!(headers.text("x-TWO"), Some("one"));
        assert_eq!(headers.text("empty"), Some(""));
        assert_eq!(headers.text("x"), None);
        assert!(headers.contains("EMPTY") && !headers.contains("a"));
    }

    #[test]
    fn the_map_has_every_value_in_order() {
        let headers = headers(b"b: 1\r\nA: 2\r\nB: 3\r\n");

        let map: Vec<(&str, &[u8])> = headers
            .map()
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_bytes()))
            .collect();
        assert_eq!(map, [("b", &b"1"[..]), ("b", b"3"), ("a", b"2")]);
    }

    #[test]
    fn a_value_that_is_no_text_is_in_the_map_only() {
        let headers = headers(b"x: caf\xe9\r\n");

        assert_eq!(headers.text("x"), None);
        assert!(headers.contains("x"));
        assert_eq!(headers.map().get("x").unwrap().as_bytes(), b"caf\xe9");
    }
}
