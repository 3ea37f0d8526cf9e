//! The verdict on one case.

use std::time::Duration;

use crate::{
    conformance::{Verdict, case::Case},
    script::Requirement,
};

/// So much of what was sent is kept.
const KEPT: usize = 16 * 1024;
/// So much of what a client says.
const SAID: usize = 2_000;

/// The verdict on one case.
#[derive(Clone, Debug)]
pub struct CaseReport {
    pub(super) id: String,
    pub(super) what: &'static str,
    pub(super) cut: Option<String>,
    pub(super) asks: Requirement,
    pub(super) also: Option<Requirement>,
    pub(in crate::conformance) verdict: Verdict,
    pub(super) detail: String,
    pub(in crate::conformance) wanted: Option<String>,
    pub(in crate::conformance) got: Option<String>,
    pub(in crate::conformance) calls: usize,
    pub(super) sent: Vec<u8>,
    pub(super) sent_length: usize,
}

impl CaseReport {
    pub(in crate::conformance) fn new(case: &Case, verdict: Verdict, mut detail: String) -> Self {
        if let Some((end, _)) = detail.char_indices().nth(SAID) {
            detail.truncate(end);
            detail.push('…');
        }
        let (asks, also) = case.asks();
        Self {
            id: case.id(),
            what: case.description(),
            cut: case.cut(),
            asks,
            also,
            verdict,
            detail,
            wanted: None,
            got: None,
            calls: 0,
            sent: Vec::new(),
            sent_length: 0,
        }
    }

    /// Notes that the machine may be to blame.
    pub(in crate::conformance) fn lateness(&mut self, late: Duration) {
        self.detail += &format!("; the machine was up to {late:?} late, which may be the reason");
    }

    /// Notes the body that was sent.
    pub(in crate::conformance) fn sends(&mut self, body: &[u8]) {
        let kept = body.get(..KEPT).unwrap_or(body);
        // not half a character
        let whole = match std::str::from_utf8(kept) {
            Err(error) if error.error_len().is_none() && kept.len() < body.len() => {
                error.valid_up_to()
            }
            Ok(_) | Err(_) => kept.len(),
        };
        self.sent = kept.get(..whole).unwrap_or(kept).to_vec();
        self.sent_length = body.len();
    }

    /// `kind/variant`; `reference/…` is an undamaged answer.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What is done to the answer, in a sentence.
    #[must_use]
    pub const fn description(&self) -> &'static str {
        self.what
    }

    /// How the answer was cut; none of a scenario of several answers.
    #[must_use]
    pub fn cut(&self) -> Option<&str> {
        self.cut.as_deref()
    }

    /// What the client did.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// The client's error, or what it read otherwise, or why it was not judged.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// What a correct client does.
    #[must_use]
    pub const fn requirement(&self) -> Requirement {
        self.asks
    }

    /// What is accepted besides, unless the suite is strict.
    #[must_use]
    pub const fn also_accepted(&self) -> Option<Requirement> {
        self.also
    }

    /// Whether the requirement lists the verdict or, unless it is read strictly, accepts it besides. What was skipped is
    /// not judged.
    #[must_use]
    pub fn is_listed(&self, strict: bool) -> bool {
        let listed = |asks| match asks {
            Requirement::MustSucceedWithSameResult | Requirement::MustIgnore => Verdict::Equal,
            Requirement::MustError | Requirement::MustTimeOutWhenIdleLimitSet => Verdict::Loud,
        };
        let also = self.also.filter(|_| !strict).map(listed);
        [Some(listed(self.asks)), also, Some(Verdict::Skipped)].contains(&Some(self.verdict))
    }

    /// What it should have read, where a result can be right.
    #[must_use]
    pub fn wanted(&self) -> Option<&str> {
        self.wanted.as_deref()
    }

    /// What it read, if it says that it succeeded.
    #[must_use]
    pub fn got(&self) -> Option<&str> {
        self.got.as_deref()
    }

    /// The bytes of the body that was sent, without the framing of HTTP: the first 16 KiB of them. Of a scenario the body of
    /// the answer that should be read in the end.
    #[must_use]
    pub fn sent(&self) -> &[u8] {
        &self.sent
    }

    /// How many bytes that body has.
    #[must_use]
    pub const fn sent_length(&self) -> usize {
        self.sent_length
    }

    /// How many requests the client sent.
    #[must_use]
    pub const fn requests(&self) -> usize {
        self.calls
    }
}
