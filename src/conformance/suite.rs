//! What is run against the client, and in what order.

use std::{
    fmt::{self, Display},
    future::Future,
    sync::Arc,
    time::Duration,
};

use super::{
    CaseReport, Report, Transcript, Verdict,
    case::{self, Case, What},
    id::{known, names},
    judge::{Came, Words},
    rounds::Done,
};
use crate::{
    api::Api,
    script::{Cut, Reply, Requirement},
};

/// Every fault of the catalogue that this API's answers can have, and every scenario, against a client of yours.
///
/// ```no_run
/// use llm_wire_stub::{Api, conformance::{self, Transcript, Verdict}};
/// use std::time::Duration;
/// # struct Reply { text: String, calls: Vec<(String, String, serde_json::Value)>, finish: Option<String>, input: u64, output: u64 }
/// # struct Client; impl Client { async fn stream(&self, _: &str) -> Result<Reply, std::io::Error> { todo!() } }
/// # fn client(base_url: String, idle_limit: Duration) -> Client { Client }
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let limit = Duration::from_millis(50);
/// conformance::suite(Api::OpenAiChat)
///     .idle_limit(limit)
///     .skip("gzip-stream", "the client never offers gzip")
///     .pin("done-missing", Verdict::Loud) // stricter than it has to be; known
///     .run(move |base_url| async move {
///         let reply = client(base_url, limit).stream("go").await?;
///         Ok::<_, std::io::Error>(Transcript::text(reply.text)
///             .tool_calls(reply.calls)
///             .stop_reason(reply.finish)
///             .usage(reply.input, reply.output))
///     })
///     .await
///     .assert_clean();
/// # });
/// ```
pub const fn suite(api: Api) -> Suite {
    Suite {
        api,
        idle_limit: None,
        skips: Vec::new(),
        pins: Vec::new(),
        only: Vec::new(),
        cuts: Vec::new(),
        strict: false,
        sizes: None,
        at_once: 16,
        on_case: None,
    }
}

pub(super) type OnCase = dyn Fn(usize, usize, &CaseReport) + Send + Sync;

/// See [`suite`].
#[derive(Clone)]
#[must_use]
pub struct Suite {
    pub(super) api: Api,
    pub(super) idle_limit: Option<Duration>,
    skips: Vec<(String, String)>,
    pins: Vec<(String, Verdict)>,
    only: Vec<String>,
    cuts: Vec<Cut>,
    strict: bool,
    pub(super) sizes: Option<Duration>,
    at_once: usize,
    on_case: Option<Arc<OnCase>>,
}

impl Suite {
    /// Tells the suite how long the client bears silence. Without it the kinds about silence are skipped, since waiting
    /// for ever is then allowed. No call is waited for longer than six times this limit, whatever the answer asks for: a
    /// client that waits longer before it asks again is not judged there. Without a limit that is 5 seconds.
    pub const fn idle_limit(mut self, limit: Duration) -> Self {
        self.idle_limit = Some(limit);
        self
    }

    /// Leaves a kind, or one variant of it (`kind/variant`), out, for this reason, which stands in the report. A client
    /// that cannot read thinking at all is given nothing that needs it by `reference/thinking`: neither the undamaged
    /// answer nor what damages it. The report of an untouched suite names the others.
    ///
    /// # Panics
    ///
    /// At the caller's line, if no case and no undamaged answer has this id.
    #[track_caller]
    pub fn skip(mut self, id: &str, reason: impl Into<String>) -> Self {
        let id = if case::is_reference(id) {
            id.to_owned()
        } else {
            known(id)
        };
        self.skips.push((id, reason.into()));
        self
    }

    /// Expects exactly this verdict of a kind, or of one variant of it: anything else is not clean, a better one too.
    ///
    /// # Panics
    ///
    /// At the caller's line, if no case has this id.
    #[track_caller]
    pub fn pin(mut self, id: &str, verdict: Verdict) -> Self {
        self.pins.push((known(id), verdict));
        self
    }

    /// Runs only these kinds or variants; called again, these too.
    ///
    /// # Panics
    ///
    /// At the caller's line, if no case has this id.
    #[track_caller]
    pub fn only<'a>(mut self, ids: impl IntoIterator<Item = &'a str>) -> Self {
        for id in ids {
            self.only.push(known(id));
        }
        self
    }

    /// Plays each answer under these cuts; without it, one piece for each event, all in one, every byte, and random
    /// pieces.
    pub fn cuts(mut self, cuts: impl IntoIterator<Item = Cut>) -> Self {
        self.cuts = cuts.into_iter().collect();
        self
    }

    /// Takes only what the catalogue asks for as clean, not what it accepts besides.
    pub const fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Runs the kinds about size too (`large-event`, `tiny-fragments`, `many-tiny-events`), each alone, and lets the client
    /// take so long for each: over it is a hang. Without it they are skipped.
    pub const fn sizes(mut self, budget: Duration) -> Self {
        self.sizes = Some(budget);
        self
    }

    /// Runs so many cases at once; 16 without it.
    pub const fn at_once(mut self, cases: usize) -> Self {
        self.at_once = cases;
        self
    }

    /// Calls this after each case with how many are done, how many there are, and the verdict: for a progress bar, or a
    /// line for each. It is called in the task that runs the suite. A client that reads undamaged answers wrong ends
    /// the suite before all are done.
    ///
    /// ```
    /// use llm_wire_stub::{Api, conformance};
    ///
    /// let suite = conformance::suite(Api::OpenAiChat)
    ///     .on_case(|done, total, case| eprint!("\r{done}/{total} {:<60}", case.id()));
    /// # let _ = suite;
    /// ```
    pub fn on_case(
        mut self,
        tell: impl Fn(usize, usize, &CaseReport) + Send + Sync + 'static,
    ) -> Self {
        self.on_case = Some(Arc::new(tell));
        self
    }

    /// Runs the client, which gets a base URL as the provider's SDKs take it
    /// ([`anthropic_url`](crate::StubHandle::anthropic_url) or [`openai_url`](crate::StubHandle::openai_url)) and asks
    /// once, for a stream. Each case has a server of its own. A few scenarios call the client twice with one base URL.
    ///
    /// First the client reads undamaged answers. If it reads one of them wrong, only that is in the report: no verdict
    /// on a damaged answer would mean anything.
    ///
    /// It runs under any async runtime, in the task that awaits it; the client's futures need not be `Send`. What a
    /// busy machine can cause, a client that fails, hangs or sends no request where it should not, is run again, alone, and a
    /// few times more while the machine is late; what is said of the verdict then tells how late.
    pub async fn run<C, F, E>(self, client: C) -> Report
    where
        C: Fn(String) -> F,
        F: Future<Output = Result<Transcript, E>>,
        E: Display,
    {
        let mut report = Report::new(self.api, self.strict, self.idle_limit, self.pins.clone());
        let mut words = Words::default();
        let references = case::references(self.api);
        let mut cases = case::cases(self.api, &self.all_cuts());
        cases.retain(|case| self.is_wanted(case));
        let mut done = Done {
            report: &mut report,
            total: references.len() + cases.len(),
            on_case: self.on_case.as_deref(),
        };
        for case in references {
            if let Some(why) = self.why_skipped(&case) {
                done.with(CaseReport::new(&case, Verdict::Skipped, why));
                continue;
            }
            let (ran, judged) = self.alone(&case, &client, &mut words, done.report).await;
            if let Came::Read(read) = &ran.came {
                done.report.sees(read);
            }
            done.with(judged);
        }
        if done.report.unclean().next().is_some() {
            report.stopped = true;
            return report;
        }
        let (mut open, mut large) = (Vec::new(), Vec::new());
        for case in cases {
            match self.why_not(&case) {
                Some(why) => done.with(CaseReport::new(&case, Verdict::Skipped, why)),
                None if case.is_large() => large.push(case),
                None => open.push(case),
            }
        }
        self.run_all(&open, self.at_once, &client, &mut words, &mut done)
            .await;
        self.run_all(&large, 1, &client, &mut words, &mut done)
            .await;
        report.sort();
        report
    }

    /// What the client should end up with, where a result can be right.
    pub(super) fn wanted(&self, case: &Case) -> Option<Reply> {
        let (asks, also) = case.asks();
        let succeeds = |asks| {
            matches!(
                asks,
                Requirement::MustSucceedWithSameResult | Requirement::MustIgnore
            )
        };
        if !succeeds(asks) && !also.is_some_and(succeeds) {
            return None;
        }
        case.turn(self.pause(case)).normalized(self.api).ok()
    }

    /// Why it was to be left out, or the answer that it damages.
    fn why_skipped(&self, case: &Case) -> Option<String> {
        let (id, reference) = (case.id(), case.reference_id());
        let is_meant = |skipped: &str| names(skipped, &id) || skipped == reference;
        let skip = self.skips.iter().find(|(skipped, _)| is_meant(skipped));
        skip.map(|(_, reason)| reason.clone())
    }

    fn why_not(&self, case: &Case) -> Option<String> {
        if let Some(why) = self.why_skipped(case) {
            return Some(why);
        }
        if case.is_silent() && self.idle_limit.is_none() {
            return Some("the suite was told no limit on silence (`.idle_limit(..)`)".to_owned());
        }
        let What::Fault(_) = case.what else {
            return None;
        };
        if case.is_large() && self.sizes.is_none() {
            return Some(
                "the suite was told no budget for cases about size (`.sizes(..)`)".to_owned(),
            );
        }
        // a fault of a feature that is off
        let played = crate::pure::try_sse_body(self.api, &case.turn(self.pause(case)));
        played.err().map(|error| error.to_string())
    }

    fn is_wanted(&self, case: &Case) -> bool {
        let id = case.id();
        self.only.is_empty() || self.only.iter().any(|only| names(only, &id))
    }

    fn all_cuts(&self) -> Vec<Cut> {
        if self.cuts.is_empty() {
            vec![
                Cut::PerEvent,
                Cut::Whole,
                Cut::EveryByte,
                Cut::Random { seed: 7 },
            ]
        } else {
            self.cuts.clone()
        }
    }
}

impl fmt::Debug for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Suite")
            .field("api", &self.api)
            .field("idle_limit", &self.idle_limit)
            .field("skips", &self.skips)
            .field("pins", &self.pins)
            .field("only", &self.only)
            .field("cuts", &self.cuts)
            .field("strict", &self.strict)
            .field("sizes", &self.sizes)
            .field("at_once", &self.at_once)
            .finish_non_exhaustive()
    }
}
