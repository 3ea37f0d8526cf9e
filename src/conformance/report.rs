//! What came of a suite.

use std::fmt;

use super::{Transcript, Verdict, case::Case, suite::names};
use crate::{api::Api, script::Requirement};

/// The verdicts on one client.
#[derive(Clone, Debug)]
#[must_use]
pub struct Report {
    api: Api,
    strict: bool,
    pins: Vec<(String, Verdict)>,
    cases: Vec<CaseReport>,
    /// What the client says nothing of.
    unseen: Vec<&'static str>,
    /// Whether the client reads undamaged answers wrong.
    pub(super) stopped: bool,
}

/// The verdict on one case.
#[derive(Clone, Debug)]
pub struct CaseReport {
    id: String,
    cut: Option<String>,
    asks: Requirement,
    also: Option<Requirement>,
    pub(super) verdict: Verdict,
    detail: String,
    wanted: Option<String>,
    calls: usize,
    sent: Vec<u8>,
}

impl CaseReport {
    pub(super) fn new(
        case: &Case,
        verdict: Verdict,
        detail: String,
        wanted: Option<String>,
        calls: usize,
        sent: Vec<u8>,
    ) -> Self {
        let (asks, also) = case.asks();
        Self {
            id: case.id(),
            cut: Some(format!("{:?}", case.cut)),
            asks,
            also,
            verdict,
            detail,
            wanted,
            calls,
            sent,
        }
    }

    pub(super) fn skipped(case: &Case, why: String) -> Self {
        Self::new(case, Verdict::Skipped, why, None, 0, Vec::new())
    }

    /// `kind/variant`; `reference/…` is an undamaged answer.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// How the answer was cut.
    #[must_use]
    pub fn cut(&self) -> Option<&str> {
        self.cut.as_deref()
    }

    /// What the client did.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// The client's error, or what it read otherwise, or why it was not asked.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// What a correct client does.
    #[must_use]
    pub const fn requirement(&self) -> Requirement {
        self.asks
    }

    /// What it should have read, where a result can be right.
    #[must_use]
    pub fn wanted(&self) -> Option<&str> {
        self.wanted.as_deref()
    }

    /// The bytes of the body that was sent.
    #[must_use]
    pub fn sent(&self) -> &[u8] {
        &self.sent
    }

    /// How many requests the client sent.
    #[must_use]
    pub const fn requests(&self) -> usize {
        self.calls
    }
}

impl Report {
    pub(super) const fn new(api: Api, strict: bool, pins: Vec<(String, Verdict)>) -> Self {
        Self {
            api,
            strict,
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
        let order: Vec<&str> = crate::script::Fault::ALL
            .iter()
            .map(|fault| fault.id())
            .collect();
        let place = |case: &CaseReport| {
            let kind = case.id.split('/').next().unwrap_or_default();
            order.iter().position(|known| *known == kind)
        };
        self.cases
            .sort_by(|a, b| (place(a), &a.id).cmp(&(place(b), &b.id)));
    }

    /// Each case and its verdict.
    pub fn cases(&self) -> impl Iterator<Item = &CaseReport> {
        self.cases.iter()
    }

    /// Whether the verdict is one that the requirement lists, or that was pinned.
    pub(super) fn accepts(&self, case: &CaseReport) -> bool {
        if case.verdict == Verdict::Skipped {
            return true;
        }
        if let Some((_, pinned)) = self.pins.iter().rev().find(|(id, _)| names(id, &case.id)) {
            return case.verdict == *pinned;
        }
        let accepted = |asks| match asks {
            Requirement::MustSucceedWithSameResult | Requirement::MustIgnore => Verdict::Equal,
            Requirement::MustError | Requirement::MustTimeOutWhenIdleLimitSet => Verdict::Loud,
        };
        let also = case.also.filter(|_| !self.strict);
        accepted(case.asks) == case.verdict
            || also.is_some_and(|also| accepted(also) == case.verdict)
    }

    /// The cases whose verdict the requirement does not list, unless it was pinned.
    pub fn unclean(&self) -> impl Iterator<Item = &CaseReport> {
        self.cases.iter().filter(|case| !self.accepts(case))
    }

    /// Whether there is none of these, and every pin was about something.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.unclean().next().is_none()
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

    fn count(&self, verdict: Verdict) -> usize {
        self.cases
            .iter()
            .filter(|case| case.verdict == verdict)
            .count()
    }
}

/// A table for a terminal: what is not clean first, each with its reason; then how many there are of each verdict.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for case in self.unclean() {
            let cut = case.cut.as_deref().unwrap_or_default();
            writeln!(f, "{:<13} {} [{cut}]", case.verdict.to_string(), case.id)?;
            write!(f, "              asked: {}", case.asks)?;
            if let Some(also) = case.also {
                write!(f, ", or {also}")?;
            }
            if let Some((_, pinned)) = self.pins.iter().rev().find(|(id, _)| names(id, &case.id)) {
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
        write!(f, "{}: {} cases", self.api.name(), self.cases.len())?;
        for verdict in [
            Verdict::Equal,
            Verdict::Loud,
            Verdict::SilentWrong,
            Verdict::Hang,
            Verdict::Panic,
            Verdict::Skipped,
        ] {
            let count = self.count(verdict);
            if count > 0 {
                write!(f, ", {count} {verdict}")?;
            }
        }
        if !self.unseen.is_empty() {
            write!(f, "; the client says nothing of {}", self.unseen.join(", "))?;
        }
        Ok(())
    }
}
