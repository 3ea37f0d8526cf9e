//! How an answer ends when it does not end well.

use super::ApiError;

/// What ends an answer before its time. See [`Turn::end`](crate::Turn::end).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Ending {
    /// The provider's own error event (on OpenAI Responses its two), then the proper end of the body. An [`ApiError`]
    /// converts into it.
    InStreamError(ApiError),
    /// The body ends properly, as if the answer were whole: on the wire only the missing events tell.
    CleanEof,
    /// The connection is closed without the last chunk: the transport says that the body is incomplete.
    Fin,
    /// The connection is reset, after all that was written before has arrived.
    Reset,
    /// The head says a `Content-Length`, and the connection is closed behind so many bytes fewer than that; behind more, if
    /// the number is negative.
    WrongLength(i64),
    /// The head says nothing of a length, so that the body goes on until the connection is closed, which happens here: a
    /// client cannot tell it from the end of a whole answer, but by the missing events.
    CloseDelimited,
    /// Of the next event (or of the whole body, if it is no stream) the first half of its bytes is written, and then the
    /// body ends properly.
    MidEvent,
    /// Of the next event (or of the whole body) only what stands before its first character of several bytes, and the
    /// first byte of that character is written; then the body ends properly.
    MidCharacter,
}

impl From<ApiError> for Ending {
    fn from(error: ApiError) -> Self {
        Self::InStreamError(error)
    }
}
