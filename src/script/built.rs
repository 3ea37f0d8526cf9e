//! Where something was scripted.

use std::{fmt, panic::Location, sync::Arc};

/// A line of the user's code, or of a fixture: `tests/chat.rs:41`.
#[derive(Clone)]
pub(crate) enum Built {
    InCode(&'static Location<'static>),
    InFile { file: Arc<str>, line: usize },
}

impl Built {
    /// The caller's line.
    #[track_caller]
    pub(crate) const fn here() -> Self {
        Self::InCode(Location::caller())
    }
}

impl fmt::Debug for Built {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Built {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InCode(at) => write!(f, "{}:{}", at.file(), at.line()),
            Self::InFile { file, line } => write!(f, "{file}:{line}"),
        }
    }
}
