//! Where something was scripted.

use std::{fmt, panic::Location};

/// A line of the user's code: `tests/chat.rs:41`.
#[derive(Clone, Debug)]
pub(crate) enum Built {
    InCode(&'static Location<'static>),
}

impl Built {
    /// The caller's line.
    #[track_caller]
    pub(crate) const fn here() -> Self {
        Self::InCode(Location::caller())
    }
}

impl fmt::Display for Built {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InCode(at) => write!(f, "{}:{}", at.file(), at.line()),
        }
    }
}
