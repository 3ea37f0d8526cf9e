//! Bytes go in, in writes of any size, and events come out. What the data of an event means is the
//! work of `api`.
//!
//! The place in the line under way decides what the next byte does. A line ends with LF, with CR, or
//! with CR LF (9.2.5); a CR ends its line at once, and an LF right after it is dropped.
//!
//! | line under way | CR or LF | `:` | any other byte |
//! | --- | --- | --- | --- |
//! | not begun | blank line: the block is over | a comment begins | a field line begins |
//! | comment | not begun | skipped | skipped |
//! | field line | its field is applied, not begun | kept | kept |
//!
//! Before all that, a byte order mark at the very start of the stream is dropped.
//!
//! Every byte is looked at a constant number of times, whatever the writes are: it is searched for a
//! line end once, when it arrives; it is kept if its line goes on in a later write; and it is decoded
//! and copied once, when its line ends. A line that lies within one write is never kept.

use super::error::{SseError, Tail};
use super::event::SseEvent;
use std::collections::VecDeque;
use std::fmt;
use std::mem;
use std::str;
use std::sync::Arc;
use std::time::Duration;

/// An incremental, strict decoder of one event stream.
///
/// Bytes are pushed as they arrive, in pieces of any size, and whole events are taken out:
/// [`push`](Self::push), [`next_event`](Self::next_event), and [`finish`](Self::finish) at the end of
/// the stream. It follows the HTML standard, and in two places it is louder: bytes that are not UTF-8
/// are an error instead of U+FFFD, and so is a stream that ends inside an event. Comments are skipped
/// as bytes: they are not decoded and count against no limit.
///
/// After an error every later call of `push` and `finish` returns that same error. Events before it
/// can still be taken out; no more are added.
///
/// # Examples
///
/// ```
/// use llm_wire_stub::SseDecoder;
///
/// let mut decoder = SseDecoder::new();
/// decoder.push(b"event: ping\r\ndata: caf\xc3").unwrap();
/// assert!(decoder.next_event().is_none());
///
/// decoder.push(b"\xa9\r\n\r\n").unwrap();
/// let event = decoder.next_event().unwrap();
/// assert_eq!((event.name(), event.data()), (Some("ping"), "caf\u{e9}"));
/// decoder.finish().unwrap();
/// ```
pub struct SseDecoder {
    limit: usize,
    /// Bytes of a byte order mark seen so far; `None` once the start of the stream is over.
    bom: Option<usize>,
    after_cr: bool,
    /// Bytes of the stream read so far.
    position: u64,
    line: Line,
    /// The field line under way, if it began in an earlier write.
    kept: Vec<u8>,
    block: Block,
    last_id: Option<Arc<str>>,
    dispatched: usize,
    ready: VecDeque<SseEvent>,
    failed: Option<SseError>,
    /// How often a byte was looked at or copied, in sum.
    #[cfg(test)]
    work: usize,
}

impl SseDecoder {
    /// The limit on one event of a new decoder: 32 MiB.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(llm_wire_stub::SseDecoder::DEFAULT_LIMIT, 33_554_432);
    /// ```
    pub const DEFAULT_LIMIT: usize = 32 * 1024 * 1024;

    /// A decoder at the start of a stream, with [`DEFAULT_LIMIT`](Self::DEFAULT_LIMIT).
    ///
    /// # Examples
    ///
    /// ```
    /// use llm_wire_stub::SseDecoder;
    ///
    /// let mut decoder = SseDecoder::new();
    /// assert!(decoder.next_event().is_none());
    /// decoder.finish().unwrap();
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self {
            limit: Self::DEFAULT_LIMIT,
            bom: Some(0),
            after_cr: false,
            position: 0,
            line: Line::NotBegun,
            kept: Vec::new(),
            block: Block::default(),
            last_id: None,
            dispatched: 0,
            ready: VecDeque::new(),
            failed: None,
            #[cfg(test)]
            work: 0,
        }
    }

    /// Sets the limit on one event: the sum of the bytes of its field lines, without line ends.
    ///
    /// Comments and blank lines never count, however long or many they are.
    ///
    /// # Examples
    ///
    /// ```
    /// use llm_wire_stub::{SseDecoder, SseErrorKind};
    ///
    /// let mut decoder = SseDecoder::new().with_limit(9);
    /// decoder.push(b": a long comment\n\ndata: 123\n\n").unwrap();
    /// let error = decoder.push(b"data: 1234").unwrap_err();
    /// assert_eq!(error.kind(), SseErrorKind::TooLarge { limit: 9 });
    /// ```
    #[must_use]
    pub fn with_limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// Reads the next bytes of the stream; events that they complete come from
    /// [`next_event`](Self::next_event).
    ///
    /// # Errors
    ///
    /// [`InvalidUtf8`](super::SseErrorKind::InvalidUtf8) for a line that is not UTF-8,
    /// [`TooLarge`](super::SseErrorKind::TooLarge) for an event beyond the limit, and the same error
    /// again after any error.
    ///
    /// # Examples
    ///
    /// ```
    /// use llm_wire_stub::SseDecoder;
    ///
    /// let mut decoder = SseDecoder::new();
    /// let error = decoder.push(b"data: 1\n\ndata: \xff\n\n").unwrap_err();
    /// assert_eq!(decoder.push(b"data: 3\n\n"), Err(error));
    ///
    /// assert_eq!(decoder.next_event().unwrap().data(), "1");
    /// assert!(decoder.next_event().is_none());
    /// ```
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), SseError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.read(bytes).map_err(|error| self.fail(error))
    }

    /// The next whole event, or `None` if more bytes are needed.
    ///
    /// # Examples
    ///
    /// ```
    /// use llm_wire_stub::SseDecoder;
    ///
    /// let mut decoder = SseDecoder::new();
    /// decoder.push(b"data: 1\n\ndata: 2\n\ndata: 3").unwrap();
    /// assert_eq!(decoder.next_event().unwrap().data(), "1");
    /// assert_eq!(decoder.next_event().unwrap().data(), "2");
    /// assert!(decoder.next_event().is_none());
    /// ```
    pub fn next_event(&mut self) -> Option<SseEvent> {
        let event = self.ready.pop_front();
        if self.ready.is_empty() && self.ready.capacity() > IDLE_EVENTS {
            self.ready = VecDeque::new();
        }
        event
    }

    /// Tells the decoder that the stream is over, and changes nothing if it ended cleanly.
    ///
    /// # Errors
    ///
    /// [`UnfinishedEvent`](super::SseErrorKind::UnfinishedEvent) if a line or a block was under way;
    /// the standard discards it without a word (9.2.6, "Once the end of the file is reached").
    /// After any error, that error again.
    ///
    /// # Examples
    ///
    /// ```
    /// use llm_wire_stub::{SseDecoder, SseErrorKind};
    ///
    /// let mut decoder = SseDecoder::new();
    /// decoder.push(b"data: 1\r\r").unwrap();
    /// assert_eq!(decoder.next_event().unwrap().data(), "1");
    /// decoder.finish().unwrap();
    ///
    /// decoder.push(b"data: 2\n").unwrap();
    /// let error = decoder.finish().unwrap_err();
    /// assert_eq!(error.kind(), SseErrorKind::UnfinishedEvent);
    /// ```
    pub fn finish(&mut self) -> Result<(), SseError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.check_end().map_err(|error| self.fail(error))
    }

    fn read(&mut self, bytes: &[u8]) -> Result<(), SseError> {
        let mut rest = self.skip_bom(bytes)?;
        while let Some(&first) = rest.first() {
            // The LF of a CR LF, wherever the writes are cut: its line ended at the CR.
            if mem::take(&mut self.after_cr) && first == b'\n' {
                self.position += 1;
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            let (part, tail) = rest.split_at(self.line_end_in(rest));
            self.begin_line(part);
            self.position += part.len() as u64;
            rest = match tail.split_first() {
                None => {
                    self.keep(part)?;
                    tail
                }
                Some((&end, tail)) => {
                    self.end_line(part)?;
                    self.after_cr = end == b'\r';
                    self.position += 1;
                    tail
                }
            };
        }
        Ok(())
    }

    /// Drops a byte order mark from the start of the stream. As long as it may still be one, its bytes
    /// are held back; if it is none, they begin the first line.
    fn skip_bom<'a>(&mut self, bytes: &'a [u8]) -> Result<&'a [u8], SseError> {
        let Some(held) = self.bom else {
            return Ok(bytes);
        };
        let wanted = BOM.get(held..).unwrap_or_default();
        let same = wanted.iter().zip(bytes).take_while(|(a, b)| a == b).count();
        let rest = bytes.get(same..).unwrap_or_default();
        self.count(same);
        self.position += same as u64;
        let held = held + same;
        if held == BOM.len() {
            self.bom = None;
        } else if rest.is_empty() {
            self.bom = Some(held);
        } else {
            self.bom = None;
            if held > 0 {
                self.line = Line::Field { start: 0 };
                self.keep(BOM.get(..held).unwrap_or_default())?;
            }
        }
        Ok(rest)
    }

    /// The place of the first line end in `bytes`, or their length.
    fn line_end_in(&mut self, bytes: &[u8]) -> usize {
        let end = bytes
            .iter()
            .position(|&byte| byte == b'\n' || byte == b'\r')
            .unwrap_or(bytes.len());
        self.count(end + 1);
        end
    }

    fn begin_line(&mut self, part: &[u8]) {
        if self.line == Line::NotBegun {
            self.line = match part.first() {
                None => Line::NotBegun,
                Some(b':') => Line::Comment,
                Some(_) => Line::Field {
                    start: self.position,
                },
            };
        }
    }

    /// Keeps a part of a field line that goes on in a later write.
    fn keep(&mut self, part: &[u8]) -> Result<(), SseError> {
        if let Line::Field { start } = self.line {
            self.check_size(part, start)?;
            self.kept.extend_from_slice(part);
            self.count(part.len());
        }
        Ok(())
    }

    fn end_line(&mut self, part: &[u8]) -> Result<(), SseError> {
        match mem::replace(&mut self.line, Line::NotBegun) {
            Line::NotBegun => self.dispatch(),
            Line::Comment => {}
            Line::Field { start } => {
                self.check_size(part, start)?;
                if self.kept.is_empty() {
                    return self.apply_field(part, start);
                }
                let mut line = mem::take(&mut self.kept);
                line.extend_from_slice(part);
                self.count(part.len());
                self.apply_field(&line, start)?;
                if line.capacity() <= IDLE_BYTES {
                    line.clear();
                    self.kept = line;
                }
            }
        }
        Ok(())
    }

    /// Checked before anything is kept or decoded, so that the answer depends on no cut.
    fn check_size(&self, part: &[u8], start: u64) -> Result<(), SseError> {
        if self.block.size + self.kept.len() + part.len() <= self.limit {
            return Ok(());
        }
        let room = self.limit.saturating_sub(self.block.size);
        let offset = start + room as u64;
        Err(SseError::too_large(self.limit, self.dispatched, offset))
    }

    // 9.2.6, "process the field". A whole line is decoded at once, so a character may be cut anywhere.
    fn apply_field(&mut self, line: &[u8], start: u64) -> Result<(), SseError> {
        // Once to decode it, and at most once each to find the colon and to copy the value.
        self.count(3 * line.len());
        let text = str::from_utf8(line).map_err(|error| {
            let valid = error.valid_up_to();
            let rest = line.get(valid..).unwrap_or_default();
            SseError::invalid_utf8(rest, self.dispatched, start + valid as u64)
        })?;
        self.block.start.get_or_insert(start);
        self.block.size += line.len();
        // "If value starts with a U+0020 SPACE character, remove it": one, and only one. A line
        // without a colon is a field name with an empty value.
        let (name, value) = match text.split_once(':') {
            Some((name, value)) => (name, value.strip_prefix(' ').unwrap_or(value)),
            None => (text, ""),
        };
        match name {
            "event" => self.block.name = Some(value.to_owned()),
            "data" => self.block.add_data(value),
            // "If the field value does not contain U+0000 NULL". In force at once, also if the block
            // turns out to have no data.
            "id" if !value.contains('\0') => {
                self.last_id = (!value.is_empty()).then(|| Arc::from(value));
            }
            "retry" => self.block.retry = milliseconds(value).or(self.block.retry),
            _ => {}
        }
        Ok(())
    }

    // 9.2.6, "dispatch the event". "If the data buffer is an empty string, set the data buffer and the
    // event type buffer to the empty string and return": an `event:` without data leaves no trace.
    fn dispatch(&mut self) {
        let block = mem::take(&mut self.block);
        if let (Some(data), Some(offset)) = (block.data, block.start) {
            self.ready.push_back(SseEvent {
                name: block.name.filter(|name| !name.is_empty()),
                data,
                id: self.last_id.clone(),
                retry: block.retry,
                index: self.dispatched,
                offset,
            });
            self.dispatched += 1;
        }
    }

    fn check_end(&self) -> Result<(), SseError> {
        let tail = match (&self.line, self.bom) {
            (_, Some(held @ 1..)) => Tail::Line(BOM.get(..held).unwrap_or_default()),
            (Line::Field { .. }, _) => Tail::Line(&self.kept),
            (Line::Comment, _) => Tail::Comment,
            (Line::NotBegun, _) if self.block.start.is_some() => Tail::LineEnd,
            (Line::NotBegun, _) => return Ok(()),
        };
        Err(SseError::unfinished_event(
            tail,
            self.dispatched,
            self.position,
        ))
    }

    fn fail(&mut self, error: SseError) -> SseError {
        self.kept = Vec::new();
        self.block = Block::default();
        self.failed = Some(error.clone());
        error
    }

    #[cfg(test)]
    fn count(&mut self, bytes: usize) {
        self.work += bytes;
    }

    #[cfg(not(test))]
    fn count(&mut self, _bytes: usize) {}
}

impl Default for SseDecoder {
    fn default() -> Self {
        Self::new()
    }
}

// Short on purpose: what is buffered may be megabytes.
impl fmt::Debug for SseDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SseDecoder")
            .field("limit", &self.limit)
            .field("position", &self.position)
            .field("dispatched", &self.dispatched)
            .field("ready", &self.ready.len())
            .field("failed", &self.failed)
            .finish_non_exhaustive()
    }
}

/// The line under way; the table at the head of this file.
#[derive(PartialEq, Eq)]
enum Line {
    NotBegun,
    Comment,
    Field { start: u64 },
}

/// What the field lines since the last blank line said.
#[derive(Default)]
struct Block {
    /// Where the first field line began; `None` as long as there is none.
    start: Option<u64>,
    /// Bytes of the field lines.
    size: usize,
    name: Option<String>,
    data: Option<String>,
    retry: Option<Duration>,
}

impl Block {
    // 9.2.6 appends the value and an LF to the data buffer, and takes the last LF away at dispatch. An
    // LF before each value but the first gives the same data, and `None` is the empty buffer: even an
    // empty `data:` puts its LF there, so it is dispatched, with empty data.
    fn add_data(&mut self, value: &str) {
        match &mut self.data {
            None => self.data = Some(value.to_owned()),
            Some(data) => {
                data.push('\n');
                data.push_str(value);
            }
        }
    }
}

// 9.2.6: "If the field value consists of only ASCII digits". Parsing alone is no check, because it
// takes a leading `+`; after the check it can only fail for a number that is too large.
fn milliseconds(value: &str) -> Option<Duration> {
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| Duration::from_millis(value.parse().unwrap_or(u64::MAX)))
}

/// U+FEFF in UTF-8. 9.2.5: `stream = [ bom ] *event`, so only the first one is no content.
const BOM: [u8; 3] = [0xef, 0xbb, 0xbf];

/// The largest line buffer that is used again for the next line.
const IDLE_BYTES: usize = 8 * 1024;

/// The largest queue of events, in events, that is used again once it is empty.
const IDLE_EVENTS: usize = 64;

#[cfg(test)]
mod tests {
    use super::super::SseErrorKind;
    use super::*;

    #[derive(Debug, PartialEq, Eq)]
    struct Decoded {
        events: Vec<SseEvent>,
        end: Result<(), SseError>,
    }

    impl Decoded {
        fn names_and_data(&self) -> Vec<(Option<&str>, &str)> {
            let pair = |event| (SseEvent::name(event), SseEvent::data(event));
            self.events.iter().map(pair).collect()
        }

        fn offsets(&self) -> Vec<u64> {
            self.events.iter().map(SseEvent::offset).collect()
        }

        #[track_caller]
        fn error(self) -> SseError {
            self.end.expect_err("the stream is damaged")
        }
    }

    fn decoded_from<'a>(
        mut decoder: SseDecoder,
        writes: impl IntoIterator<Item = &'a [u8]>,
    ) -> Decoded {
        let mut events = Vec::new();
        let mut end = Ok(());
        for write in writes {
            let result = decoder.push(write);
            if end.is_ok() {
                end = result;
            } else {
                assert_eq!(result, end, "an error stays");
            }
            events.extend(std::iter::from_fn(|| decoder.next_event()));
        }
        let result = decoder.finish();
        if end.is_ok() {
            end = result;
        } else {
            assert_eq!(result, end, "an error stays");
        }
        Decoded { events, end }
    }

    /// What `bytes` decode to: whole, byte by byte, and at each two-way split.
    #[track_caller]
    fn decoded_within(limit: usize, bytes: &[u8]) -> Decoded {
        let decoder = || SseDecoder::new().with_limit(limit);
        let whole = decoded_from(decoder(), [bytes]);
        let by_byte = decoded_from(decoder(), bytes.chunks(1));
        assert_eq!(by_byte, whole, "byte by byte: {}", bytes.escape_ascii());
        for cut in 0..=bytes.len() {
            let (first, second) = bytes.split_at(cut);
            let split = decoded_from(decoder(), [first, second]);
            assert_eq!(split, whole, "cut at {cut}: {}", bytes.escape_ascii());
        }
        whole
    }

    #[track_caller]
    fn decoded(bytes: &[u8]) -> Decoded {
        decoded_within(SseDecoder::DEFAULT_LIMIT, bytes)
    }

    type Row<'a> = (&'a [u8], &'a [(Option<&'a str>, &'a str)]);

    #[track_caller]
    fn assert_events(rows: &[Row<'_>]) {
        for (bytes, events) in rows {
            let got = decoded(bytes);
            assert_eq!(got.names_and_data(), *events, "{}", bytes.escape_ascii());
            assert_eq!(got.end, Ok(()), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn line_ends_with_lf_cr_or_cr_lf_in_any_mixture() {
        let two = [(Some("a"), "1\n2"), (None, "3")].as_slice();
        assert_events(&[
            (b"event: a\ndata: 1\ndata: 2\n\ndata: 3\n\n", two),
            (b"event: a\rdata: 1\rdata: 2\r\rdata: 3\r\r", two),
            (
                b"event: a\r\ndata: 1\r\ndata: 2\r\n\r\ndata: 3\r\n\r\n",
                two,
            ),
            (b"event: a\r\ndata: 1\ndata: 2\r\rdata: 3\n\r", two),
            (b"event: a\ndata: 1\rdata: 2\n\r\ndata: 3\r\r\n", two),
            (b"event: a\rdata: 1\r\ndata: 2\r\n\ndata: 3\r\n\r", two),
            (b"event: a\rdata: 1\ndata: 2\r\r\ndata: 3\r\n\n", two),
        ]);
    }

    #[test]
    fn lf_after_cr_is_no_second_line_end() {
        let rows: [(&[u8], usize); 3] = [
            (b"data: 1\r\ndata: 2\n\n", 1),
            (b"data: 1\r\n\ndata: 2\n\n", 2),
            (b"data: 1\n\rdata: 2\n\n", 2),
        ];
        for (bytes, events) in rows {
            assert_eq!(
                decoded(bytes).events.len(),
                events,
                "{}",
                bytes.escape_ascii()
            );
        }
    }

    #[test]
    fn blank_line_of_a_lone_cr_dispatches_without_waiting_for_an_lf() {
        for bytes in [b"data: 1\r\r".as_slice(), b"data: 1\r\n\r", b"data: 1\n\r"] {
            let mut decoder = SseDecoder::new();
            decoder.push(bytes).unwrap();
            assert_eq!(decoder.next_event().unwrap().data(), "1");
            assert_eq!(decoder.finish(), Ok(()), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn other_separators_end_no_line() {
        assert_events(&[(
            b"data: a\x0bb\x0cc\x1cd\x1de\x1ef\xc2\x85g\xe2\x80\xa8h\xe2\x80\xa9i\0j\n\n",
            &[(
                None,
                "a\u{b}b\u{c}c\u{1c}d\u{1d}e\u{1e}f\u{85}g\u{2028}h\u{2029}i\0j",
            )],
        )]);
    }

    #[test]
    fn byte_order_mark_is_dropped_at_the_start_and_content_elsewhere() {
        assert_events(&[
            (b"\xef\xbb\xbfdata: 1\n\n", &[(None, "1")]),
            (b"\xef\xbb\xbf: note\ndata: 1\n\n", &[(None, "1")]),
            (b"\xef\xbb\xbf\n\ndata: 1\n\n", &[(None, "1")]),
            (b"\xef\xbb\xbf", &[]),
            // The second one makes the field name unknown.
            (b"\xef\xbb\xbf\xef\xbb\xbfdata: 1\n\n", &[]),
            (b"\n\xef\xbb\xbfdata: 1\n\n", &[]),
            (b"data: 1\n\n\xef\xbb\xbfdata: 2\n\n", &[(None, "1")]),
            (b"data:\xef\xbb\xbf1\n\n", &[(None, "\u{feff}1")]),
            // The first one or two of its bytes begin other characters.
            (b"\xef\xbf\xbd: x\ndata: 1\n\n", &[(None, "1")]),
            (b"\xef\xbb\xbe: x\ndata: 1\n\n", &[(None, "1")]),
        ]);
    }

    #[test]
    fn half_a_byte_order_mark_is_not_utf8_at_byte_0() {
        for bytes in [b"\xef\ndata: 1\n\n".as_slice(), b"\xef\xbbdata: 1\n\n"] {
            let error = decoded(bytes).error();
            assert_eq!(error.kind(), SseErrorKind::InvalidUtf8);
            assert_eq!(error.offset(), 0, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn code_points_of_two_three_and_four_bytes_survive_every_cut() {
        assert_events(&[(
            b"event: \xc3\xa9\ndata: \xe2\x82\xac \xf0\x9f\xa6\x80\n\n",
            &[(Some("\u{e9}"), "\u{20ac} \u{1f980}")],
        )]);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_an_error_at_the_first_bad_byte() {
        let rows: [(&[u8], usize, u64); 9] = [
            (b"data: \x80\n\n", 0, 6),
            (b"data: a\xffb\n\n", 0, 7),
            (b"data: \xe2\x82(\n\n", 0, 6),
            (b"data: \xe2\x82\n\n", 0, 6),
            (b"data: \xe2\x82\r\xac\n\n", 0, 6),
            (b"data: \xc0\xaf\n\n", 0, 6),
            (b"data: \xed\xa0\x80\n\n", 0, 6),
            (b"unknown: \xff\n\n", 0, 9),
            (b"\xef\xbb\xbfdata: 1\n\nev\xffent: 2\n\n", 1, 14),
        ];
        for (bytes, index, offset) in rows {
            let error = decoded(bytes).error();
            assert_eq!(error.kind(), SseErrorKind::InvalidUtf8);
            assert_eq!(
                (error.event_index(), error.offset()),
                (index, offset),
                "{}",
                bytes.escape_ascii()
            );
        }
    }

    #[test]
    fn events_before_an_error_can_still_be_taken_out() {
        let mut decoder = SseDecoder::new();
        let error = decoder
            .push(b"data: 1\n\ndata: 2\n\ndata: \xff\n\ndata: 4\n\n")
            .unwrap_err();
        assert_eq!(decoder.push(b"data: 5\n\n"), Err(error.clone()));
        assert_eq!(decoder.push(b""), Err(error.clone()));
        assert_eq!(decoder.finish(), Err(error));
        assert_eq!(decoder.next_event().unwrap().data(), "1");
        assert_eq!(decoder.next_event().unwrap().data(), "2");
        assert_eq!(decoder.next_event(), None);
    }

    #[test]
    fn comments_leave_no_trace() {
        let one = [(Some("a"), "1")].as_slice();
        assert_events(&[
            (b": first\nevent: a\ndata: 1\n\n", one),
            (
                b":\n\n: x\n\nevent: a\n:\n: data: 2\ndata: 1\n:end\n\n",
                one,
            ),
            (b":\r\n:\r\revent: a\rdata: 1\r\r:\r", one),
            // Skipped as bytes, so they need not even be UTF-8.
            (b":\xff\nevent: a\ndata: 1\n\n", one),
            (b": only\n\n: comments\n\n", &[]),
        ]);
    }

    #[test]
    fn runs_of_blank_lines_dispatch_nothing() {
        let mut run = vec![b'\n'; 100];
        run.extend_from_slice(b"data: 1\n\n");
        run.extend_from_slice(b"\r\n\r\r\n\n");
        run.extend_from_slice(b"data: 2\n\n\n\n");
        assert_events(&[(&run, &[(None, "1"), (None, "2")]), (b"", &[])]);
    }

    #[test]
    fn one_space_after_the_colon_is_dropped_and_only_one() {
        assert_events(&[
            (b"event:a\ndata:1\n\n", &[(Some("a"), "1")]),
            (b"event: a\ndata: 1\n\n", &[(Some("a"), "1")]),
            (b"event:  a\ndata:  1 \n\n", &[(Some(" a"), " 1 ")]),
            (b"data:\t1\n\n", &[(None, "\t1")]),
            (b"data:a: b\n\n", &[(None, "a: b")]),
        ]);
    }

    #[test]
    fn line_without_a_colon_is_a_field_with_an_empty_value() {
        assert_events(&[
            (b"data\n\n", &[(None, "")]),
            (b"data\ndata\n\n", &[(None, "\n")]),
            (b"event: a\nevent\ndata: 1\n\n", &[(None, "1")]),
            (b"word\ndata: 1\n\n", &[(None, "1")]),
        ]);
    }

    #[test]
    fn unknown_fields_are_ignored() {
        assert_events(&[
            (b"foo: 1\ndata: 1\n: x\nbar:2\n\n", &[(None, "1")]),
            (b"Data: 0\ndata : 0\n data: 0\ndata: 1\n\n", &[(None, "1")]),
            (b"foo: 1\n\n", &[]),
        ]);
    }

    #[test]
    fn block_without_data_dispatches_nothing_and_forgets_its_name() {
        assert_events(&[
            (b"event: a\n\ndata: 1\n\n", &[(None, "1")]),
            (b"event: a\n\n", &[]),
            (b"id: 1\n\nretry: 1\n\n", &[]),
        ]);
    }

    #[test]
    fn empty_data_field_dispatches_empty_data() {
        assert_events(&[
            (b"data:\n\n", &[(None, "")]),
            (b"event: a\ndata: \n\n", &[(Some("a"), "")]),
            (b"data:\ndata:\n\n", &[(None, "\n")]),
            (b"data: 1\ndata:\n\n", &[(None, "1\n")]),
            (b"data:\ndata: 1\n\n", &[(None, "\n1")]),
        ]);
    }

    #[test]
    fn last_name_of_a_block_counts_and_an_empty_one_is_none() {
        assert_events(&[
            (b"event: a\nevent: b\ndata: 1\n\n", &[(Some("b"), "1")]),
            (b"event: a\nevent:\ndata: 1\n\n", &[(None, "1")]),
            (
                b"event: a\ndata: 1\n\ndata: 2\n\n",
                &[(Some("a"), "1"), (None, "2")],
            ),
        ]);
    }

    #[test]
    fn id_stays_in_force_until_the_next_one() {
        let got = decoded(
            b"data: 0\n\nid: a\ndata: 1\n\ndata: 2\n\nid: b\n\ndata: 3\n\nid: x\0y\ndata: 4\n\n\
              id:\ndata: 5\n\nid:  c\ndata: 6\nid:d\n\n",
        );
        let ids: Vec<_> = got.events.iter().map(SseEvent::id).collect();
        let expected = [
            None,
            Some("a"),
            Some("a"),
            Some("b"),
            Some("b"),
            None,
            Some("d"),
        ];
        assert_eq!(ids, expected);
    }

    #[test]
    fn retry_counts_for_its_block_if_it_is_all_digits() {
        let rows: [(&[u8], Option<u64>); 10] = [
            (b"retry: 3000\ndata: 1\n\n", Some(3000)),
            (b"data: 1\nretry:007\n\n", Some(7)),
            (b"retry: 1\nretry: x\ndata: 1\n\n", Some(1)),
            (b"retry: 18446744073709551616\ndata: 1\n\n", Some(u64::MAX)),
            (b"retry: +5\ndata: 1\n\n", None),
            (b"retry: -5\ndata: 1\n\n", None),
            (b"retry:  5\ndata: 1\n\n", None),
            (b"retry: 5s\ndata: 1\n\n", None),
            (b"retry\ndata: 1\n\n", None),
            (b"retry: 5\n\ndata: 1\n\n", None),
        ];
        for (bytes, millis) in rows {
            let got = decoded(bytes);
            assert_eq!(
                got.events[0].retry(),
                millis.map(Duration::from_millis),
                "{}",
                bytes.escape_ascii()
            );
        }
    }

    #[test]
    fn offset_is_the_first_field_line_and_index_counts_dispatched_events() {
        let got = decoded(b"data: 0\n\n\n: x\nfoo: 1\ndata: 1\n\nevent: a\n\n:\r\ndata: 2\r\n\r\n");
        assert_eq!(got.offsets(), [0, 14, 43]);
        let indices: Vec<_> = got.events.iter().map(SseEvent::index).collect();
        assert_eq!(indices, [0, 1, 2]);
        assert_eq!(decoded(b"\xef\xbb\xbfdata: 0\n\n").offsets(), [3]);
    }

    #[test]
    fn stream_that_ends_inside_an_event_is_an_error_at_its_end() {
        let rows: [(&[u8], usize, &str); 11] = [
            (b"da", 0, "after `da`"),
            (b"data: 1", 0, "after `data: 1`"),
            (b"data: 1\n", 0, "after a whole line"),
            (b"data: 1\r", 0, "after a whole line"),
            (b"data: 1\r\n", 0, "after a whole line"),
            (b"data: 1\n\nid: 2\n", 1, "after a whole line"),
            (b"data: 1\n\nfoo\n: x\n", 1, "after a whole line"),
            (b"data: 1\n\n: x", 1, "inside a comment"),
            (b"data: 1\n\ndata: \xe2\x82", 1, "after `data: \\xe2\\x82`"),
            (b"\xef", 0, "after `\\xef`"),
            (b"\xef\xbb", 0, "after `\\xef\\xbb`"),
        ];
        for (bytes, index, found) in rows {
            let row = bytes.escape_ascii();
            let got = decoded(bytes);
            assert_eq!(got.events.len(), index, "{row}");
            let error = got.error();
            assert_eq!(error.kind(), SseErrorKind::UnfinishedEvent, "{row}");
            assert_eq!(error.event_index(), index, "{row}");
            assert_eq!(error.offset(), bytes.len() as u64, "{row}");
            let found = format!("\n  found: the end of the stream, {found}\n");
            assert!(error.to_string().contains(&found), "{row}: {error}");
        }
    }

    #[test]
    fn stream_that_ends_between_events_is_whole() {
        assert_events(&[
            (b"", &[]),
            (b": x\n", &[]),
            (b"data: 1\n\n: x\r", &[(None, "1")]),
            (b"data: 1\n\n\n", &[(None, "1")]),
        ]);
    }

    #[test]
    fn event_of_exactly_the_limit_is_decoded_and_one_byte_more_is_not() {
        let got = decoded_within(16, b"event: a\ndata: 12\n\n");
        assert_eq!(got.end, Ok(()));
        assert_eq!(got.names_and_data(), [(Some("a"), "12")]);

        let rows: [(&[u8], usize, u64); 5] = [
            (b"event: a\ndata: 123\n\n", 0, 17),
            (b"data: 0123456789\xff and more", 0, 16),
            (b"foo\nfoo\nfoo\nfoo\nfoo\nfoo\n", 0, 21),
            (b"\xef\xbb\xbfdata: 0123456789+", 0, 19),
            (b"data: 1\n\n:\r\ndata: 0123456789+\n\n", 1, 28),
        ];
        for (bytes, index, offset) in rows {
            let error = decoded_within(16, bytes).error();
            assert_eq!(error.kind(), SseErrorKind::TooLarge { limit: 16 });
            assert_eq!(
                (error.event_index(), error.offset()),
                (index, offset),
                "{}",
                bytes.escape_ascii()
            );
        }
    }

    #[test]
    fn limit_below_a_byte_order_mark_counts_only_what_is_none() {
        assert_eq!(decoded_within(0, b"\xef\xbb\xbf\n: x\n").end, Ok(()));
        let error = decoded_within(1, b"\xef\xbb!\n").error();
        assert_eq!(error.kind(), SseErrorKind::TooLarge { limit: 1 });
        assert_eq!(error.offset(), 1);
    }

    #[test]
    fn comments_blank_lines_and_other_events_count_against_no_limit() {
        let mut bytes = Vec::new();
        for _ in 0..20 {
            bytes.extend_from_slice(b": a long comment\n\n\r\r\ndata: 1\n:comment\n\n");
        }
        let got = decoded_within(7, &bytes);
        assert_eq!(got.end, Ok(()));
        assert_eq!(got.events.len(), 20);
    }

    #[test]
    fn long_comment_is_not_kept() {
        let mut decoder = SseDecoder::new().with_limit(16);
        decoder.push(b"data: 1\n:").unwrap();
        for _ in 0..1024 {
            decoder.push(&[b'x'; 1024]).unwrap();
            assert_eq!(decoder.kept.capacity(), 0);
        }
        decoder.push(b"\n\n").unwrap();
        assert_eq!(decoder.next_event().unwrap().data(), "1");
    }

    #[test]
    fn line_within_one_write_is_not_kept() {
        let mut decoder = SseDecoder::new();
        decoder.push(b"data: 1\ndata: 2\n\n").unwrap();
        assert_eq!(decoder.kept.capacity(), 0);
    }

    #[test]
    fn idle_decoder_holds_no_large_buffer() {
        let mut decoder = SseDecoder::new();
        for write in long_line().chunks(4096) {
            decoder.push(write).unwrap();
        }
        for _ in 0..1000 {
            decoder.push(b"data: 1\n\n").unwrap();
        }
        while decoder.next_event().is_some() {}
        assert!(decoder.kept.capacity() <= IDLE_BYTES);
        assert!(decoder.ready.capacity() <= IDLE_EVENTS);
        assert!(decoder.block.data.is_none());
    }

    #[test]
    fn failed_decoder_holds_no_large_buffer() {
        let mut decoder = SseDecoder::new().with_limit(1024 * 1024);
        let error = long_line()
            .chunks(4096)
            .find_map(|write| decoder.push(write).err())
            .unwrap();
        assert_eq!(error.offset(), 1024 * 1024);
        assert_eq!(decoder.kept.capacity(), 0);
    }

    /// An event of one data line of 1 MiB and a few bytes.
    fn long_line() -> Vec<u8> {
        let mut bytes = b"data: ".to_vec();
        bytes.resize(bytes.len() + 1024 * 1024, b'x');
        bytes.extend_from_slice(b"\n\n");
        bytes
    }

    /// Searched, kept, decoded, split at its colon and copied: once each.
    const LOOKS_PER_BYTE: usize = 5;

    #[track_caller]
    fn assert_linear(claim: &str, bytes: &[u8], events: usize) {
        for size in [1, 16, 1000, bytes.len()] {
            let mut decoder = SseDecoder::new();
            let mut got = 0;
            for write in bytes.chunks(size) {
                decoder.push(write).unwrap();
                while decoder.next_event().is_some() {
                    got += 1;
                }
            }
            assert_eq!(got, events, "{claim} in writes of {size}");
            // A search that finds nothing counts its end as a byte, so one more for each write.
            let bound = LOOKS_PER_BYTE * bytes.len() + bytes.len().div_ceil(size);
            let work = decoder.work;
            assert!(
                work <= bound,
                "{claim} in writes of {size}: {work} > {bound}"
            );
        }
    }

    #[test]
    fn each_byte_is_looked_at_a_constant_number_of_times() {
        assert_linear("one line of 1 MiB", &long_line(), 1);
        assert_linear("tiny events", &b"data: 1\n\n".repeat(20_000), 20_000);
        assert_linear("tiny events, CR", &b"data: 1\r\r".repeat(20_000), 20_000);
        assert_linear(
            "many lines",
            &[b"data: 1\n".repeat(20_000), b"\n".to_vec()].concat(),
            1,
        );
        assert_linear("comments", &b":\n: x\n\n".repeat(20_000), 0);
        assert_linear("blank lines", &b"\r\n".repeat(20_000), 0);
    }

    #[test]
    fn long_id_is_shared_by_the_events_it_is_in_force_for() {
        let mut decoder = SseDecoder::new();
        decoder.push(b"id: 7\ndata: 1\n\ndata: 2\n\n").unwrap();
        let first = decoder.next_event().unwrap().id.unwrap();
        let second = decoder.next_event().unwrap().id.unwrap();
        assert!(Arc::ptr_eq(&first, &second));
    }

    #[test]
    fn debug_shows_counts_and_no_buffers() {
        let mut decoder = SseDecoder::default();
        decoder.push(b"data: 1\n\ndata: secret").unwrap();
        assert_eq!(
            format!("{decoder:?}"),
            "SseDecoder { limit: 33554432, position: 21, dispatched: 1, ready: 1, failed: None, .. }"
        );
    }
}
