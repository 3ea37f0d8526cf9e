//! A report as JUnit XML, for the page of a build server.

use std::fmt::Write as _;

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use super::{CaseReport, Report, json::SUITE};
use crate::conformance::Verdict;

impl Report {
    /// As JUnit XML (feature `junit`): one suite for the API, one test for each case, called `kind/variant [cut]`. What is
    /// not clean is a failure whose type is the verdict; a panic is an error.
    #[must_use]
    pub fn to_junit(&self) -> String {
        let mut suite = TestSuite::new(self.api.name());
        suite.add_property(("suite", SUITE));
        suite.add_test_cases(self.cases.iter().map(|case| self.test(case)));
        let mut report = quick_junit::Report::new("conformance");
        report.add_test_suite(suite);
        // written to memory, so nothing in it can fail
        report.to_string().unwrap_or_default()
    }

    fn test(&self, case: &CaseReport) -> TestCase {
        let status = if case.verdict == Verdict::Skipped {
            let mut skipped = TestCaseStatus::skipped();
            skipped.set_message(case.detail.as_str());
            skipped
        } else if self.accepts(case) {
            TestCaseStatus::success()
        } else {
            let mut failed = TestCaseStatus::non_success(match case.verdict {
                Verdict::Panic => NonSuccessKind::Error,
                Verdict::Equal
                | Verdict::Loud
                | Verdict::SilentWrong
                | Verdict::Hang
                | Verdict::BadRequest
                | Verdict::Skipped => NonSuccessKind::Failure,
            });
            failed.set_type(case.verdict.to_string());
            failed.set_message(case.detail.as_str());
            failed.set_description(self.told(case));
            failed
        };
        let name = match &case.cut {
            Some(cut) => format!("{} [{cut}]", case.id),
            None => case.id.clone(),
        };
        let mut test = TestCase::new(name, status);
        test.set_classname(self.api.name());
        test
    }

    fn told(&self, case: &CaseReport) -> String {
        let mut told = format!("{}\nasked: {}", case.what, case.asks);
        if let Some(also) = case.also {
            let _ = write!(told, ", or {also}");
        }
        if let Some(pinned) = self.pinned(case) {
            let _ = write!(told, "; pinned: {pinned}");
        }
        for (what, line) in [("wanted", &case.wanted), ("got", &case.got)] {
            if let Some(line) = line {
                let _ = write!(told, "\n{what}: {line}");
            }
        }
        told
    }
}
