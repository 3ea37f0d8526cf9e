//! Running cases: many at once, and those alone again whose verdict may be the machine's doing.

use std::{fmt::Display, future::Future};

use super::{
    CaseReport, Report, Suite, Transcript, Verdict,
    case::{Case, What},
    crowd,
    judge::{Came, Words},
    runner::Ran,
    suite::OnCase,
};

/// So often a client that fails where it should not is asked alone.
const RUNS: usize = 3;
/// So often at most while the machine is late.
const RUNS_WHILE_LATE: usize = 10;

impl Suite {
    /// All of them, so many at once.
    pub(super) async fn run_all<C, F, E>(
        &self,
        cases: &[Case],
        at_once: usize,
        client: &C,
        words: &mut Words,
        done: &mut Done<'_>,
    ) where
        C: Fn(String) -> F,
        F: Future<Output = Result<Transcript, E>>,
        E: Display,
    {
        let mut doubtful = Vec::new();
        let call = |n: usize| {
            let case = cases.get(n);
            async move {
                match case {
                    Some(case) => Some((case, self.play(case, client).await)),
                    None => None,
                }
            }
        };
        crowd::run(cases.len(), at_once, call, |_, ran| {
            let Some((case, ran)) = ran else { return };
            let judged = self.judged(case, &ran, self.wanted(case).as_ref(), words);
            if self.is_doubtful(case, &ran, &judged, done.report) {
                doubtful.push(case);
            } else {
                done.with(judged);
            }
        })
        .await;
        for case in doubtful {
            let (_, judged) = self.alone(case, client, words, done.report).await;
            done.with(judged);
        }
    }

    /// One case alone; again while the machine is so late that the verdict may be its doing.
    pub(super) async fn alone<C, F, E>(
        &self,
        case: &Case,
        client: &C,
        words: &mut Words,
        report: &Report,
    ) -> (Ran, CaseReport)
    where
        C: Fn(String) -> F,
        F: Future<Output = Result<Transcript, E>>,
        E: Display,
    {
        let wanted = self.wanted(case);
        let mut runs = 0;
        loop {
            let ran = self.play(case, client).await;
            if let (What::Reference, Came::Read(read), Some(wanted)) =
                (case.what, &ran.came, &wanted)
            {
                words.learn(wanted, read);
            }
            let mut judged = self.judged(case, &ran, wanted.as_ref(), words);
            if !self.is_doubtful(case, &ran, &judged, report) {
                return (ran, judged);
            }
            runs += 1;
            let is_late = self.is_late(case, &ran, &judged);
            let enough = if is_late { RUNS_WHILE_LATE } else { RUNS };
            if runs < enough && (is_late || judged.verdict != Verdict::Hang) {
                continue;
            }
            if is_late {
                judged.lateness(ran.late);
            }
            return (ran, judged);
        }
    }

    /// Whether the verdict may be the machine's doing: a client that had no time to run fails, is not back or asks nothing
    /// where it should not; on a machine that was late no verdict that is not clean counts, nor that the client waited.
    fn is_doubtful(&self, case: &Case, ran: &Ran, judged: &CaseReport, report: &Report) -> bool {
        match judged.verdict {
            Verdict::Skipped => ran.waits.is_some() && self.is_late(case, ran, judged),
            _ if report.accepts(judged) => false,
            Verdict::Hang | Verdict::Loud | Verdict::BadRequest => true,
            Verdict::Equal | Verdict::SilentWrong | Verdict::Panic => {
                self.is_late(case, ran, judged)
            }
        }
    }

    fn is_late(&self, case: &Case, ran: &Ran, judged: &CaseReport) -> bool {
        // a client that gives up does so at its limit, a sixth of what is waited for; delays add up to it
        let is_over_time = matches!(judged.verdict, Verdict::Hang | Verdict::Skipped);
        ran.late > self.cap_of(case) / if is_over_time { 12 } else { 48 }
    }
}

/// What is done so far, and who is told.
pub(super) struct Done<'a> {
    pub(super) report: &'a mut Report,
    pub(super) total: usize,
    pub(super) on_case: Option<&'a OnCase>,
}

impl Done<'_> {
    /// This one too.
    pub(super) fn with(&mut self, case: CaseReport) {
        let done = self.report.cases().count() + 1;
        if let Some(tell) = self.on_case {
            tell(done, self.total, &case);
        }
        self.report.add(case);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{
        api::Api,
        conformance::{case, suite},
    };

    #[test]
    fn a_verdict_that_the_machine_may_have_made_is_doubtful() {
        let api = Api::OpenAiChat;
        let limit = Duration::from_millis(300);
        let suite = suite(api).idle_limit(limit);
        let report = Report::new(api, true, Some(limit), Vec::new());
        let case = case::references(api).remove(0);
        let waits = Some("it waits".to_owned());
        // in time, and a little and much too late
        let times = [Duration::ZERO, limit / 4, limit];
        for (verdict, waits, expected) in [
            (Verdict::Equal, &None, [false, false, false]),
            (Verdict::Loud, &None, [true, true, true]),
            (Verdict::Hang, &None, [true, true, true]),
            (Verdict::BadRequest, &None, [true, true, true]),
            (Verdict::SilentWrong, &None, [false, true, true]),
            (Verdict::Panic, &None, [false, true, true]),
            (Verdict::Skipped, &None, [false, false, false]),
            (Verdict::Skipped, &waits, [false, false, true]),
        ] {
            let judged = CaseReport::new(&case, verdict, String::new());
            let found = times.map(|late| {
                let mut ran = Ran::new(Came::LetGo, 1);
                (ran.late, ran.waits) = (late, waits.clone());
                suite.is_doubtful(&case, &ran, &judged, &report)
            });
            assert_eq!(found, expected, "{verdict}, {waits:?}");
        }
    }
}
