//! What came of a suite.
//!
//! | file | writes it |
//! | --- | --- |
//! | `case.rs` | holds the verdict on one case |
//! | `table.rs` | as a table for a terminal |
//! | `markdown.rs`, `json.rs`, `junit.rs` | in Markdown, as JSON, as JUnit XML |
//! | `html.rs` | the JSON of several clients on one page |

mod case;
mod html;
mod json;
#[cfg(feature = "junit")]
mod junit;
mod markdown;
mod table;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use case::CaseReport;
pub use html::{HtmlError, html};

use super::{
    Transcript, Verdict,
    id::{names, place},
};
use crate::api::Api;

/// The verdicts on one client.
#[derive(Clone, Debug)]
#[must_use]
pub struct Report {
    api: Api,
    strict: bool,
    idle_limit: Option<Duration>,
    pins: Vec<(String, Verdict)>,
    cases: Vec<CaseReport>,
    /// What the client says nothing of.
    unseen: Vec<&'static str>,
    /// Whether the client reads undamaged answers wrong.
    pub(super) stopped: bool,
}

impl Report {
    pub(super) const fn new(
        api: Api,
        strict: bool,
        idle_limit: Option<Duration>,
        pins: Vec<(String, Verdict)>,
    ) -> Self {
        Self {
            api,
            strict,
            idle_limit,
            pins,
            cases: Vec::new(),
            unseen: Vec::new(),
            stopped: false,
        }
    }

    /// Notes what the client says something of.
    pub(super) fn sees(&mut self, read: &Transcript) {
        let unseen = [
            (read.thinking.is_none(), "thinking"),
            (read.tool_calls.is_none(), "tool calls"),
            (read.stop_reason.is_none(), "the stop reason"),
            (read.usage.is_none(), "usage"),
        ];
        let unseen = unseen.into_iter().filter(|(unseen, _)| *unseen);
        self.unseen = unseen.map(|(_, what)| what).collect();
    }

    pub(super) fn add(&mut self, case: CaseReport) {
        self.cases.push(case);
    }

    /// In the order of the catalogue, as the cases were made.
    pub(super) fn sort(&mut self) {
        self.cases
            .sort_by(|a, b| (place(&a.id), &a.id).cmp(&(place(&b.id), &b.id)));
    }

    /// Each case and its verdict.
    pub fn cases(&self) -> impl Iterator<Item = &CaseReport> {
        self.cases.iter()
    }

    /// Whether the verdict is one that the requirement lists, or that was pinned.
    pub(super) fn accepts(&self, case: &CaseReport) -> bool {
        match self.pinned(case) {
            Some(pinned) if case.verdict != Verdict::Skipped => case.verdict == pinned,
            Some(_) | None => case.is_listed(self.strict),
        }
    }

    /// What was pinned last of this case.
    fn pinned(&self, case: &CaseReport) -> Option<Verdict> {
        let mut pins = self.pins.iter().rev();
        let pin = pins.find(|(id, _)| names(id, &case.id));
        pin.map(|(_, pinned)| *pinned)
    }

    /// The cases whose verdict the requirement does not list, unless it was pinned.
    pub fn unclean(&self) -> impl Iterator<Item = &CaseReport> {
        self.cases.iter().filter(|case| !self.accepts(case))
    }

    /// Whether there is none of these, and every pin was about something.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.unclean().next().is_none() && self.idle_pins().is_empty()
    }

    /// Fails the test unless the report is clean.
    ///
    /// # Panics
    ///
    /// At the caller's line, with the table.
    #[track_caller]
    pub fn assert_clean(&self) {
        let idle = self.idle_pins();
        assert!(
            idle.is_empty(),
            "pinned, but no case of this API is called so: {}\n  help: remove the pin",
            idle.join(", ")
        );
        assert!(self.is_clean(), "the client is not clean\n{self}");
    }

    fn idle_pins(&self) -> Vec<&str> {
        let pins = self.pins.iter().map(|(id, _)| id.as_str());
        let is_idle = |id: &&str| self.cases.iter().all(|case| !names(id, &case.id));
        if self.stopped {
            return Vec::new();
        }
        pins.filter(is_idle).collect()
    }

    /// How many there are of each verdict, and what was not seen.
    fn summary(&self) -> String {
        let mut summary = format!("{} cases", self.cases.len());
        for verdict in Verdict::ALL {
            let count = self.count(verdict);
            if count > 0 {
                summary += &format!(", {count} {verdict}");
            }
        }
        if !self.unseen.is_empty() {
            summary += &format!("; the client says nothing of {}", self.unseen.join(", "));
        }
        summary
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.cases
            .iter()
            .filter(|case| case.verdict == verdict)
            .count()
    }
}
