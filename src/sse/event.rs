//! One event as the decoder hands it out. Finding its bytes in a stream is the work of `decode`.

use std::sync::Arc;
use std::time::Duration;

/// One decoded event.
///
/// # Examples
///
/// ```
/// use llm_wire_stub::SseDecoder;
///
/// let mut decoder = SseDecoder::new();
/// decoder.push(b": hello\n\nevent: ping\ndata: {}\n\n").unwrap();
///
/// let event = decoder.next_event().unwrap();
/// assert_eq!(event.name(), Some("ping"));
/// assert_eq!(event.data(), "{}");
/// assert_eq!((event.index(), event.offset()), (0, 9));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SseEvent {
    pub(super) name: Option<String>,
    pub(super) data: String,
    // Shared, because one `id:` stays in force for every later event: a copy for each of them would
    // make a long id cost its length again and again.
    pub(super) id: Option<Arc<str>>,
    pub(super) retry: Option<Duration>,
    pub(super) index: usize,
    pub(super) offset: u64,
}

impl SseEvent {
    /// The value of the `event:` field, or `None` if there was none or an empty one.
    ///
    /// # Examples
    ///
    /// ```
    /// use llm_wire_stub::SseDecoder;
    ///
    /// let mut decoder = SseDecoder::new();
    /// decoder.push(b"event: ping\ndata: 1\n\nevent:\ndata: 2\n\n").unwrap();
    /// assert_eq!(decoder.next_event().unwrap().name(), Some("ping"));
    /// assert_eq!(decoder.next_event().unwrap().name(), None);
    /// ```
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The values of the `data:` fields, joined by LF.
    ///
    /// # Examples
    ///
    /// ```
    /// use llm_wire_stub::SseDecoder;
    ///
    /// let mut decoder = SseDecoder::new();
    /// decoder.push(b"data: first\ndata: second\n\n").unwrap();
    /// assert_eq!(decoder.next_event().unwrap().data(), "first\nsecond");
    /// ```
    #[must_use]
    pub fn data(&self) -> &str {
        &self.data
    }

    /// The last event id in force: of this event's block, or else of an earlier one.
    ///
    /// `None` if no `id:` came yet, or if the last one was empty, which takes the id back. An id that
    /// contains NUL is ignored.
    ///
    /// # Examples
    ///
    /// ```
    /// use llm_wire_stub::SseDecoder;
    ///
    /// let mut decoder = SseDecoder::new();
    /// decoder.push(b"id: 7\ndata: 1\n\ndata: 2\n\nid\ndata: 3\n\n").unwrap();
    /// assert_eq!(decoder.next_event().unwrap().id(), Some("7"));
    /// assert_eq!(decoder.next_event().unwrap().id(), Some("7"));
    /// assert_eq!(decoder.next_event().unwrap().id(), None);
    /// ```
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The `retry:` field of this event's block, if it has nothing but ASCII digits.
    ///
    /// A number of milliseconds beyond `u64` counts as the largest one.
    ///
    /// # Examples
    ///
    /// ```
    /// use llm_wire_stub::SseDecoder;
    /// use std::time::Duration;
    ///
    /// let mut decoder = SseDecoder::new();
    /// decoder.push(b"retry: 3000\ndata: 1\n\nretry: +5\ndata: 2\n\n").unwrap();
    /// assert_eq!(decoder.next_event().unwrap().retry(), Some(Duration::from_secs(3)));
    /// assert_eq!(decoder.next_event().unwrap().retry(), None);
    /// ```
    #[must_use]
    pub fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// The place of this event among the dispatched events, counted from 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use llm_wire_stub::SseDecoder;
    ///
    /// let mut decoder = SseDecoder::new();
    /// decoder.push(b"data: 1\n\nevent: no data, so no event\n\ndata: 2\n\n").unwrap();
    /// assert_eq!(decoder.next_event().unwrap().index(), 0);
    /// assert_eq!(decoder.next_event().unwrap().index(), 1);
    /// ```
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// The offset in the stream of the first byte of the event's first field line.
    ///
    /// Comments and blank lines before that line are skipped; a leading byte order mark counts.
    ///
    /// # Examples
    ///
    /// ```
    /// use llm_wire_stub::SseDecoder;
    ///
    /// let mut decoder = SseDecoder::new();
    /// decoder.push(b"data: 1\n\n\n: note\ndata: 2\n\n").unwrap();
    /// assert_eq!(decoder.next_event().unwrap().offset(), 0);
    /// assert_eq!(decoder.next_event().unwrap().offset(), 17);
    /// ```
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accessors_hand_out_what_the_decoder_put_in() {
        let event = SseEvent {
            name: Some("ping".to_owned()),
            data: "a\nb".to_owned(),
            id: Some(Arc::from("7")),
            retry: Some(Duration::from_millis(5)),
            index: 3,
            offset: 41,
        };
        assert_eq!(event.name(), Some("ping"));
        assert_eq!(event.data(), "a\nb");
        assert_eq!(event.id(), Some("7"));
        assert_eq!(event.retry(), Some(Duration::from_millis(5)));
        assert_eq!(event.index(), 3);
        assert_eq!(event.offset(), 41);
    }
}
