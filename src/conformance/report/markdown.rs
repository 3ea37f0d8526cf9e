//! A report in Markdown, for a comment on a change or a page of a manual.

use std::fmt::Write as _;

use super::{CaseReport, Report, json::SUITE};
use crate::conformance::Verdict;

impl Report {
    /// In Markdown: how many there are of each verdict, what is not clean with its reasons, and a table of all cases, one
    /// line for each id.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut out = format!("# {}, {SUITE}\n\n{}.\n", self.api.name(), self.summary());
        if self.stopped {
            out += "\nThe client reads an undamaged answer wrong, so nothing was damaged.\n";
        }
        if self.unclean().next().is_some() {
            out += "\n## Not clean\n";
        }
        let mut before = None;
        for case in self.unclean() {
            if before != Some(&case.id) {
                let _ = write!(
                    out,
                    "\n### `{}`\n\n{}. Asked: {}.\n\n",
                    case.id,
                    upper(case.what),
                    asks(case)
                );
            }
            before = Some(&case.id);
            self.write_unclean(&mut out, case);
        }
        out += "\n## All cases\n\n| case | asked | verdict |\n| --- | --- | --- |\n";
        for cases in self.cases.chunk_by(|a, b| a.id == b.id) {
            let Some(first) = cases.first() else { continue };
            let verdicts = Verdict::ALL.iter().filter_map(|verdict| {
                let count = cases.iter().filter(|case| case.verdict == *verdict).count();
                match count {
                    0 => None,
                    1 => Some(verdict.to_string()),
                    n => Some(format!("{verdict} × {n}")),
                }
            });
            let verdicts: Vec<String> = verdicts.collect();
            let is_clean = cases.iter().all(|case| self.accepts(case));
            let (open, close) = if is_clean { ("", "") } else { ("**", "**") };
            let (id, asks, verdicts) = (&first.id, asks(first), verdicts.join(", "));
            let _ = writeln!(out, "| `{id}` | {asks} | {open}{verdicts}{close} |");
        }
        out
    }

    fn write_unclean(&self, out: &mut String, case: &CaseReport) {
        let _ = write!(out, "- **{}**", case.verdict);
        if let Some(cut) = &case.cut {
            let _ = write!(out, ", cut {}", code(cut));
        }
        if let Some(pinned) = self.pinned(case) {
            let _ = write!(out, ", pinned as {pinned}");
        }
        if !case.detail.is_empty() {
            let _ = write!(out, ": {}", code(&case.detail));
        }
        out.push('\n');
        for (what, line) in [("wanted", &case.wanted), ("got", &case.got)] {
            if let Some(line) = line {
                let _ = writeln!(out, "  - {what}: {}", code(line));
            }
        }
    }
}

fn asks(case: &CaseReport) -> String {
    match case.also {
        Some(also) => format!("`{}` or `{also}`", case.asks),
        None => format!("`{}`", case.asks),
    }
}

/// In a code span, on one line, whatever it holds.
fn code(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let longest = line.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if line.starts_with('`') || line.ends_with('`') {
        format!("{fence} {line} {fence}")
    } else {
        format!("{fence}{line}{fence}")
    }
}

fn upper(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters
        .next()
        .map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + characters.as_str()
}
