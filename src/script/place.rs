//! Where in an answer something happens.

use std::fmt;

/// A place in an answer: right behind what it names.
///
/// A *delta* is a non-empty fragment of text, thinking or tool arguments, a *part* a whole block; both mean
/// the same on every API. `events(n)` counts wire events and so belongs to one API. `deltas(0)`, `parts(0)`
/// and `events(0)` are [`After::head`]. A place that the answer lacks makes the turn unplayable: the call
/// is answered loudly, and `verify` fails.
///
/// ```
/// use llm_wire_stub::After;
///
/// assert_eq!(After::deltas(2).to_string(), "after 2 deltas");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct After(pub(crate) Place);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Request,
    Head,
    Deltas(usize),
    Parts(usize),
    Events(usize),
    StopReason,
}

impl After {
    /// The request was read; nothing of the answer is written.
    #[must_use]
    pub const fn request() -> Self {
        Self(Place::Request)
    }

    /// The status line and the headers are written.
    #[must_use]
    pub const fn head() -> Self {
        Self(Place::Head)
    }

    /// `n` fragments of text, thinking or tool arguments are written.
    #[must_use]
    pub const fn deltas(n: usize) -> Self {
        Self(if n == 0 {
            Place::Head
        } else {
            Place::Deltas(n)
        })
    }

    /// `n` whole blocks are written, their stop included.
    #[must_use]
    pub const fn parts(n: usize) -> Self {
        Self(if n == 0 { Place::Head } else { Place::Parts(n) })
    }

    /// `n` wire events are written, pings included.
    #[must_use]
    pub const fn events(n: usize) -> Self {
        Self(if n == 0 {
            Place::Head
        } else {
            Place::Events(n)
        })
    }

    /// The event that carries the stop reason is written.
    #[must_use]
    pub const fn stop_reason() -> Self {
        Self(Place::StopReason)
    }
}

impl fmt::Display for After {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, what) = match self.0 {
            Place::Request => return f.write_str("after the request"),
            Place::Head => return f.write_str("after the head"),
            Place::StopReason => return f.write_str("after the stop reason"),
            Place::Deltas(n) => (n, "delta"),
            Place::Parts(n) => (n, "part"),
            Place::Events(n) => (n, "event"),
        };
        write!(f, "after {}", count(n, what))
    }
}

/// `1 turn`, `2 turns`.
pub(crate) fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
