//! Server-sent events: named data goes in and `text/event-stream` bytes come out, and the other way
//! round. What an event means belongs to `api`; how its bytes are cut and when they leave, to `plan`.
//!
//! | file | in | out |
//! | --- | --- | --- |
//! | `encode` | an optional name and one line of data | the event's bytes |
//! | `decode` | bytes, in writes of any size | [`SseEvent`]s, or an [`SseError`] |
//! | `event` | | what one decoded event carries |
//! | `error` | | what can be wrong, and where |
//!
//! The format is the one of the HTML standard, sections 9.2.5 "Parsing an event stream" and 9.2.6
//! "Interpreting an event stream". Two things are stricter here than there, because a test wants to
//! hear of damage: bytes that are not UTF-8 are an error instead of U+FFFD, and so is a stream that
//! ends inside an event, which the standard discards without a word.

mod decode;
mod encode;
mod error;
mod event;

pub use decode::SseDecoder;
pub(crate) use encode::{LineEnd, encode, encode_comment, encode_lines, encoded_len};
pub use error::{SseError, SseErrorKind};
pub use event::SseEvent;
