//! How an answer ends when it does not end well, and the faults known by name.

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

/// A named damage of the fault catalogue. See [`Turn::fault`](crate::Turn::fault).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// `eof-before-terminal`: all content arrives, then the body ends properly; the event with the stop
    /// reason and the terminal event are missing.
    EofBeforeTerminal,
}

impl Fault {
    /// The stable name of this kind in the catalogue.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::EofBeforeTerminal => "eof-before-terminal",
        }
    }
}
