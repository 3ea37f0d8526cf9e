//! The journal against the script: one report of all that does not fit.

use std::fmt;

use crate::script::count;

/// What a report is made from.
pub(crate) struct Verification {
    pub(crate) script: String,
    /// What was scripted and never played, a text each.
    pub(crate) unplayed: Vec<String>,
    /// What happened and no script asked for, a text each.
    pub(crate) problems: Vec<String>,
    /// A line of each request.
    pub(crate) calls: Vec<String>,
}

/// What does not fit between the script and what the client did: unplayed turns, calls without one,
/// refused requests, requests for something that the stub does not serve.
///
/// It shows each call with its answer and outcome, then each problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    text: String,
}

impl Verification {
    /// Everything that does not fit; there is at least one such thing.
    pub(crate) fn report(&self) -> VerifyError {
        let found = count(self.problems.len() + self.unplayed.len(), "problem");
        let problems = self.problems.iter().chain(&self.unplayed);
        let listed: String = problems
            .map(|problem| format!("\n    - {}", problem.replace('\n', "\n      ")))
            .collect();
        VerifyError {
            text: format!(
                "the client and the script do not fit: {found}\n  where: {}\n{}\n  problems:{listed}",
                self.script,
                journal_lines(&self.calls)
            ),
        }
    }
}

/// The journal, a line each.
pub(crate) fn journal_lines(requests: &[String]) -> String {
    /// So many lines of a long journal are shown.
    const SHOWN: usize = 50;
    if requests.is_empty() {
        return "  calls: none".to_owned();
    }
    let skipped = requests.len().saturating_sub(SHOWN);
    let mut lines = String::from("  calls:");
    if skipped > 0 {
        lines.push_str(&format!("\n    … {skipped} earlier ones"));
    }
    for request in requests.iter().skip(skipped) {
        lines.push_str(&format!("\n    {request}"));
    }
    lines
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for VerifyError {}
