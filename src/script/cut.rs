//! Where the body of an answer is split into writes.

use std::sync::Arc;

/// Where the body of an answer is split into writes. Joined, its pieces are always the same body.
///
/// A client that decodes chunk by chunk (hyper, so reqwest) sees each piece as a read of its own; a raw
/// reader may see several at once. Whatever the cut, a piece ends where the answer waits: at a gate, a
/// delay, a stall, a pause of its [`Pace`](crate::Pace).
///
/// A cut at named places needs them: [`At`](Self::At) and [`InsideLineEnds`](Self::InsideLineEnds) make an
/// answer without them unplayable, instead of testing nothing.
///
/// ```
/// use llm_wire_stub::{Api, Cut, Turn, chunks};
///
/// let turn = Turn::new().text("日").plain();
/// let body = chunks(Api::AnthropicMessages, &turn, Cut::Whole).next().unwrap();
/// let at = body.windows(3).position(|bytes| bytes == "日".as_bytes()).unwrap();
///
/// let pieces: Vec<_> = chunks(Api::AnthropicMessages, &turn, Cut::at([at + 1])).collect();
/// assert_eq!(pieces.len(), 2);
/// assert!(pieces[1].starts_with(b"\x97\xa5"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cut {
    /// One piece for each event, as the services send them.
    #[default]
    PerEvent,
    /// As few pieces as the waits of the answer allow.
    Whole,
    /// One piece for each byte.
    EveryByte,
    /// One piece for each line, with its end; the blank line behind an event is one too.
    PerLine,
    /// Two pieces and more: split before the bytes with these indices, and nowhere else. [`Cut::at`] makes it
    /// of any list. An index that is not inside the body makes the answer unplayable.
    At(Arc<[usize]>),
    /// As [`PerEvent`](Self::PerEvent), and behind each byte of every character that has several in UTF-8.
    InsideCharacters,
    /// As [`PerEvent`](Self::PerEvent), and between CR and LF of each CR LF. A body without one makes the
    /// answer unplayable: nearly all services end lines with LF.
    InsideLineEnds,
    /// Pieces of 1 to 36 bytes, over the ends of events; the same for the same seed, in every body from its
    /// start.
    Random {
        /// What the lengths are made of.
        seed: u64,
    },
}

impl Cut {
    /// Splits before the bytes of the body with these indices, in any order, and nowhere else.
    ///
    /// ```
    /// use llm_wire_stub::{Api, Cut, Turn, chunks};
    ///
    /// let pieces = chunks(Api::AnthropicMessages, &Turn::new().text("hi"), Cut::at([3, 70]));
    /// let lengths: Vec<_> = pieces.map(|piece| piece.len()).take(2).collect();
    /// assert_eq!(lengths, [3, 67]);
    /// ```
    #[must_use]
    pub fn at(offsets: impl IntoIterator<Item = usize>) -> Self {
        Self::At(offsets.into_iter().collect())
    }
}
