//! A report for a terminal.

use std::fmt;

use super::Report;

/// A table for a terminal: what is not clean first, each with its reason; then how many there are of each verdict.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for case in self.unclean() {
            write!(f, "{:<13} {}", case.verdict.to_string(), case.id)?;
            if let Some(cut) = &case.cut {
                write!(f, " [{cut}]")?;
            }
            writeln!(f)?;
            write!(f, "              asked: {}", case.asks)?;
            if let Some(also) = case.also {
                write!(f, ", or {also}")?;
            }
            if let Some(pinned) = self.pinned(case) {
                write!(f, "; pinned: {pinned}")?;
            }
            writeln!(f, "\n              {}", case.detail)?;
        }
        if self.stopped {
            writeln!(
                f,
                "the client reads an undamaged answer wrong, so nothing was damaged\n  \
                 help: let the closure ask once, for a stream, and say in the `Transcript` what the client read"
            )?;
        }
        write!(f, "{}: {}", self.api.name(), self.summary())
    }
}
