//! The journal against the script: one report of all that does not fit.

use std::{fmt, panic::Location};

use crate::{
    request::{Kind, RecordedRequest},
    script::Origin,
};

/// Something that happened and that no script asked for.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// The request, as in the journal.
    pub(crate) request: String,
    pub(crate) what: String,
}

/// What a report is made from.
pub(crate) struct Verification {
    pub(crate) script: String,
    pub(crate) unplayed: Vec<(Origin, &'static Location<'static>)>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) calls: Vec<RecordedRequest>,
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
    /// # Errors
    ///
    /// The report, if anything does not fit.
    pub(crate) fn result(&self) -> Result<(), VerifyError> {
        let mut problems: Vec<String> = Vec::new();
        for problem in &self.problems {
            let what = problem.what.replace('\n', "\n      ");
            problems.push(format!("{}: {what}", problem.request));
        }
        for (origin, built) in &self.unplayed {
            problems.push(format!(
                "{origin}, built at {}:{}, was never played",
                built.file(),
                built.line()
            ));
        }
        if problems.is_empty() {
            return Ok(());
        }
        let count = problems.len();
        let plural = if count == 1 { "" } else { "s" };
        let listed: String = problems
            .iter()
            .map(|problem| format!("\n    - {problem}"))
            .collect();
        Err(VerifyError {
            text: format!(
                "the client and the script do not fit: {count} problem{plural}\n  where: {}\n{}\n  problems:{listed}",
                self.script,
                journal_lines(&self.calls)
            ),
        })
    }
}

/// The journal, a line each.
pub(crate) fn journal_lines(requests: &[RecordedRequest]) -> String {
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
        let model = match request.kind() {
            Kind::ModelCall { .. } if !request.model().is_empty() => {
                format!(" [{}]", request.model())
            }
            Kind::ModelCall { .. } | Kind::SideRoad | Kind::NotServed => String::new(),
        };
        lines.push_str(&format!("\n    {}{model}", request.line()));
    }
    lines
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for VerifyError {}
