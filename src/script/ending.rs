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
}

impl From<ApiError> for Ending {
    fn from(error: ApiError) -> Self {
        Self::InStreamError(error)
    }
}
