//! An event's name and data go in, its bytes come out: the shape that every provider on SSE sends.
//! Other line ends, comments and odd spacing are faults, and `plan` makes them from these bytes.

/// How lines end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnd {
    Lf,
    CrLf,
}

impl LineEnd {
    const fn bytes(self) -> &'static [u8] {
        match self {
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
        }
    }

    /// The end of a line, and a blank line.
    const fn blank(self) -> &'static [u8] {
        match self {
            Self::Lf => b"\n\n",
            Self::CrLf => b"\r\n\r\n",
        }
    }

    /// The end of a line, and the start of the one with the data.
    const fn data(self) -> &'static [u8] {
        match self {
            Self::Lf => b"\ndata: ",
            Self::CrLf => b"\r\ndata: ",
        }
    }
}

/// Appends `: TEXT` and a blank line.
pub(crate) fn encode_comment(text: &[u8], line_end: LineEnd, out: &mut Vec<u8>) {
    out.extend_from_slice(b": ");
    out.extend_from_slice(text);
    out.extend_from_slice(line_end.blank());
}

/// Appends `event: NAME`, `data: DATA` and a blank line to `out`; without a name, no `event:` line.
///
/// `data` goes on one data line, so it must not contain CR or LF. Nor may `name`, which is not
/// checked: an API has a fixed set of them, and looks at others itself.
pub(crate) fn encode(name: Option<&str>, data: &[u8], out: &mut Vec<u8>) {
    encode_lines(name, data, LineEnd::Lf, out);
}

/// As [`encode`], with lines that end so.
pub(crate) fn encode_lines(name: Option<&str>, data: &[u8], line_end: LineEnd, out: &mut Vec<u8>) {
    debug_assert!(is_one_line(data), "data of an event must be one line");
    // The hot path of a stream, also in a dev build, where every call is paid for: nothing but few appends.
    if let Some(name) = name {
        out.extend_from_slice(b"event: ");
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(line_end.data());
    } else {
        out.extend_from_slice(b"data: ");
    }
    out.extend_from_slice(data);
    out.extend_from_slice(line_end.blank());
}

/// How many bytes [`encode_lines`] appends.
pub(crate) fn encoded_len(name: Option<&str>, data: &[u8], line_end: LineEnd) -> usize {
    let line_end = line_end.bytes().len();
    let name = name.map_or(0, |name| "event: ".len() + name.len() + line_end);
    name + "data: ".len() + data.len() + 2 * line_end
}

// `contains` of a byte runs inside the standard library, which is optimised in a dev build too; an
// iterator with a closure would make this check cost more than the encoding.
fn is_one_line(text: &[u8]) -> bool {
    !text.contains(&b'\n') && !text.contains(&b'\r')
}

#[cfg(test)]
mod tests {
    use super::super::SseDecoder;
    use super::*;

    #[test]
    fn name_and_data_become_an_event_and_a_data_line() {
        let rows: [(Option<&str>, &[u8], &[u8]); 7] = [
            (Some("ping"), b"{}", b"event: ping\ndata: {}\n\n"),
            (None, b"{}", b"data: {}\n\n"),
            (None, b"[DONE]", b"data: [DONE]\n\n"),
            (None, b"", b"data: \n\n"),
            (Some("a"), b" b", b"event: a\ndata:  b\n\n"),
            (None, b"a:b", b"data: a:b\n\n"),
            // Damage is scripted as bytes, so data need not be UTF-8.
            (None, b"\xe2\x82", b"data: \xe2\x82\n\n"),
        ];
        for (name, data, bytes) in rows {
            let mut out = Vec::new();
            encode(name, data, &mut out);
            assert_eq!(
                out.escape_ascii().to_string(),
                bytes.escape_ascii().to_string(),
                "{name:?} {data:?}"
            );
            for line_end in [LineEnd::Lf, LineEnd::CrLf] {
                out.clear();
                encode_lines(name, data, line_end, &mut out);
                assert_eq!(out.len(), encoded_len(name, data, line_end));
            }
        }
    }

    #[test]
    fn events_are_appended_to_what_is_there() {
        let mut out = b"data: 1\n\n".to_vec();
        encode(Some("two"), b"2", &mut out);
        assert_eq!(out, b"data: 1\n\nevent: two\ndata: 2\n\n");
    }

    #[test]
    fn decoder_reads_back_what_was_encoded() {
        for name in [None, Some("ping"), Some(" p")] {
            for data in ["{}", "", " x", "a:b", "caf\u{e9} \u{2028} \u{1f980}"] {
                let mut out = Vec::new();
                encode(name, data.as_bytes(), &mut out);
                let mut decoder = SseDecoder::new();
                decoder.push(&out).unwrap();
                let event = decoder.next_event().unwrap();
                assert_eq!((event.name(), event.data()), (name, data));
                assert_eq!(decoder.finish(), Ok(()), "{name:?} {data:?}");
            }
        }
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "data of an event must be one line")]
    fn line_feed_in_data_is_refused_in_a_debug_build() {
        encode(None, b"a\nb", &mut Vec::new());
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "data of an event must be one line")]
    fn carriage_return_in_data_is_refused_in_a_debug_build() {
        encode(None, b"a\rb", &mut Vec::new());
    }
}
