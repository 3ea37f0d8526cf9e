//! What can be wrong with a stream of events, and where. `decode` finds it; nothing here reads a stream.

use std::error::Error;
use std::fmt;

/// Bytes of the stream that a message shows.
const SHOWN: usize = 40;

/// A stream that cannot be decoded, with the event and the byte where that was noticed.
///
/// # Examples
///
/// ```
/// use llm_wire_stub::{SseDecoder, SseErrorKind};
///
/// let mut decoder = SseDecoder::new();
/// let error = decoder.push(b"data: 1\n\ndata: caf\xe9!\n\n").unwrap_err();
/// assert_eq!(error.kind(), SseErrorKind::InvalidUtf8);
/// assert_eq!(
///     error.to_string(),
///     concat!(
///         "a line of the event stream is not UTF-8\n",
///         "  where: event #2, byte 18\n",
///         "  expected: UTF-8, the only encoding of an event stream\n",
///         "  found: `\\xe9!`\n",
///         "  help: if this damage is scripted, expect this error; \
///          if not, look at what wrote the line",
///     )
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SseError {
    kind: SseErrorKind,
    event_index: usize,
    offset: u64,
    found: String,
}

/// What is wrong with a stream of events.
///
/// # Examples
///
/// ```
/// use llm_wire_stub::{SseDecoder, SseErrorKind};
///
/// let mut decoder = SseDecoder::new();
/// decoder.push(b"data: half an ev").unwrap();
/// let error = decoder.finish().unwrap_err();
/// assert_eq!(error.kind(), SseErrorKind::UnfinishedEvent);
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SseErrorKind {
    /// The field lines of one event, without their line ends, have more bytes than the limit.
    TooLarge {
        /// The limit in force, in bytes.
        limit: usize,
    },
    /// A line is not UTF-8.
    InvalidUtf8,
    /// The stream ended inside a line, or before the blank line that ends an event.
    UnfinishedEvent,
}

impl SseError {
    /// What is wrong.
    ///
    /// # Examples
    ///
    /// ```
    /// use llm_wire_stub::{SseDecoder, SseErrorKind};
    ///
    /// let mut decoder = SseDecoder::new().with_limit(8);
    /// let error = decoder.push(b"data: too much").unwrap_err();
    /// assert_eq!(error.kind(), SseErrorKind::TooLarge { limit: 8 });
    /// ```
    #[must_use]
    pub fn kind(&self) -> SseErrorKind {
        self.kind
    }

    /// The index that the damaged event would have had, counted from 0. Messages show it from 1.
    ///
    /// # Examples
    ///
    /// ```
    /// use llm_wire_stub::SseDecoder;
    ///
    /// let mut decoder = SseDecoder::new();
    /// let error = decoder.push(b"data: 1\n\ndata: \xff\n\n").unwrap_err();
    /// assert_eq!(error.event_index(), 1);
    /// ```
    #[must_use]
    pub fn event_index(&self) -> usize {
        self.event_index
    }

    /// The offset in the stream of the first byte beyond the limit, or of the first byte that is not
    /// UTF-8, or of the end of a stream that ended too early.
    ///
    /// # Examples
    ///
    /// ```
    /// use llm_wire_stub::SseDecoder;
    ///
    /// let mut decoder = SseDecoder::new();
    /// let error = decoder.push(b"data: 1\n\ndata: \xff\n\n").unwrap_err();
    /// assert_eq!(error.offset(), 15);
    /// ```
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    pub(super) fn too_large(limit: usize, event_index: usize, offset: u64) -> Self {
        Self {
            kind: SseErrorKind::TooLarge { limit },
            event_index,
            offset,
            // The bytes at hand depend on how the stream was cut, and the message must not.
            found: String::new(),
        }
    }

    /// `rest` is the line from its first bad byte on.
    pub(super) fn invalid_utf8(rest: &[u8], event_index: usize, offset: u64) -> Self {
        let (shown, cut) = rest.split_at(rest.len().min(SHOWN));
        let found = match cut.len() {
            0 => format!("`{}`", shown.escape_ascii()),
            cut => format!(
                "`{}` and {cut} more bytes of the line",
                shown.escape_ascii()
            ),
        };
        Self {
            kind: SseErrorKind::InvalidUtf8,
            event_index,
            offset,
            found,
        }
    }

    pub(super) fn unfinished_event(tail: Tail<'_>, event_index: usize, offset: u64) -> Self {
        let found = match tail {
            Tail::Line(line) => {
                let (cut, shown) = line.split_at(line.len().saturating_sub(SHOWN));
                let shown = shown.escape_ascii();
                match cut.len() {
                    0 => format!("the end of the stream, after `{shown}`"),
                    cut => format!("the end of the stream, after {cut} bytes and `{shown}`"),
                }
            }
            Tail::Comment => "the end of the stream, inside a comment".to_owned(),
            Tail::LineEnd => "the end of the stream, after a whole line".to_owned(),
        };
        Self {
            kind: SseErrorKind::UnfinishedEvent,
            event_index,
            offset,
            found,
        }
    }
}

impl fmt::Display for SseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            SseErrorKind::TooLarge { limit } => {
                writeln!(f, "an event is larger than the limit of {limit} bytes")?;
            }
            SseErrorKind::InvalidUtf8 => writeln!(f, "a line of the event stream is not UTF-8")?,
            SseErrorKind::UnfinishedEvent => writeln!(f, "the stream ended inside an event")?,
        }
        // Indices count from 0, people from 1.
        let number = self.event_index + 1;
        writeln!(f, "  where: event #{number}, byte {}", self.offset)?;
        let found = &self.found;
        match self.kind {
            SseErrorKind::TooLarge { .. } => f.write_str(
                "  help: raise the limit with `SseDecoder::with_limit`, \
                 or look for a blank line that is missing before this byte",
            ),
            SseErrorKind::InvalidUtf8 => write!(
                f,
                "  expected: UTF-8, the only encoding of an event stream\n  found: {found}\n  \
                 help: if this damage is scripted, expect this error; \
                 if not, look at what wrote the line",
            ),
            SseErrorKind::UnfinishedEvent => write!(
                f,
                "  expected: a blank line, which ends an event\n  found: {found}\n  \
                 help: this event was not handed out; if the early end is scripted, expect this \
                 error; if not, end the last event with a blank line",
            ),
        }
    }
}

impl Error for SseError {}

/// What the stream ended with, when it ended inside an event.
#[derive(Clone, Copy)]
pub(super) enum Tail<'a> {
    /// The bytes of a line without its line end.
    Line(&'a [u8]),
    /// A comment without its line end, whose bytes are not kept.
    Comment,
    /// A line end, but no blank line after it.
    LineEnd,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_message(error: &SseError, lines: &[&str]) {
        assert_eq!(error.to_string(), lines.join("\n"));
        assert!(error.source().is_none());
    }

    const UNFINISHED_HELP: &str = "  help: this event was not handed out; if the early end is \
        scripted, expect this error; if not, end the last event with a blank line";
    const UTF8_HELP: &str = "  help: if this damage is scripted, expect this error; if not, look at \
        what wrote the line";

    #[test]
    fn too_large_names_the_limit_and_the_way_to_raise_it() {
        assert_message(
            &SseError::too_large(16, 2, 57),
            &[
                "an event is larger than the limit of 16 bytes",
                "  where: event #3, byte 57",
                "  help: raise the limit with `SseDecoder::with_limit`, or look for a blank line that \
                 is missing before this byte",
            ],
        );
    }

    #[test]
    fn invalid_utf8_shows_the_line_from_its_first_bad_byte() {
        assert_message(
            &SseError::invalid_utf8(b"\xff\xc3(\"}", 0, 6),
            &[
                "a line of the event stream is not UTF-8",
                "  where: event #1, byte 6",
                "  expected: UTF-8, the only encoding of an event stream",
                "  found: `\\xff\\xc3(\\\"}`",
                UTF8_HELP,
            ],
        );
    }

    #[test]
    fn invalid_utf8_cuts_a_long_line_and_says_by_how_much() {
        let mut rest = vec![b'x'; 40];
        rest[0] = 0xff;
        rest.extend_from_slice(b"123");
        assert_message(
            &SseError::invalid_utf8(&rest, 0, 6),
            &[
                "a line of the event stream is not UTF-8",
                "  where: event #1, byte 6",
                "  expected: UTF-8, the only encoding of an event stream",
                "  found: `\\xffxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx` and 3 more bytes of the line",
                UTF8_HELP,
            ],
        );
    }

    #[test]
    fn unfinished_event_shows_what_the_stream_ended_with() {
        let long = b"data: 0123456789012345678901234567890123456789".as_slice();
        let rows = [
            (
                Tail::Line(b"data: {\"te\xe2\x82"),
                "the end of the stream, after `data: {\\\"te\\xe2\\x82`",
            ),
            (
                Tail::Line(long),
                "the end of the stream, after 6 bytes and \
                 `0123456789012345678901234567890123456789`",
            ),
            (Tail::Comment, "the end of the stream, inside a comment"),
            (Tail::LineEnd, "the end of the stream, after a whole line"),
        ];
        for (tail, found) in rows {
            assert_message(
                &SseError::unfinished_event(tail, 1, 99),
                &[
                    "the stream ended inside an event",
                    "  where: event #2, byte 99",
                    "  expected: a blank line, which ends an event",
                    &format!("  found: {found}"),
                    UNFINISHED_HELP,
                ],
            );
        }
    }
}
