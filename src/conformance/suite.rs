//! What is run against the client, and the running of it.

use std::{fmt::Display, future::Future, time::Duration};

use super::{
    Report, Transcript, Verdict,
    case::{self, Case},
    crowd,
    judge::{self, Came, Words},
    report::CaseReport,
};
use crate::{
    api::Api,
    script::{Cut, FaultVariant, Reply, Requirement, UnknownFaultError},
    server::{First, WireStub, race, runtime, system_timer},
};

/// Every fault of the catalogue that this API's answers can have, against a client of yours.
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
    }
}

/// See [`suite`].
#[derive(Clone, Debug)]
#[must_use]
pub struct Suite {
    api: Api,
    idle_limit: Option<Duration>,
    skips: Vec<(String, String)>,
    pins: Vec<(String, Verdict)>,
    only: Vec<String>,
    cuts: Vec<Cut>,
    strict: bool,
    sizes: Option<Duration>,
    at_once: usize,
}

/// How long a client without a limit of its own may take.
const PATIENCE: Duration = Duration::from_secs(5);

impl Suite {
    /// Tells the suite how long the client bears silence. Without it the kinds about silence are skipped, since waiting
    /// for ever is then allowed. No case waits longer than six times this limit.
    pub const fn idle_limit(mut self, limit: Duration) -> Self {
        self.idle_limit = Some(limit);
        self
    }

    /// Leaves a kind, or one variant of it (`kind/variant`), out, for this reason, which stands in the report.
    ///
    /// # Panics
    ///
    /// At the caller's line, if no fault has this id.
    #[track_caller]
    pub fn skip(mut self, id: &str, reason: impl Into<String>) -> Self {
        self.skips.push((known(id), reason.into()));
        self
    }

    /// Expects exactly this verdict of a kind, or of one variant of it: anything else is not clean, a better one too.
    ///
    /// # Panics
    ///
    /// At the caller's line, if no fault has this id.
    #[track_caller]
    pub fn pin(mut self, id: &str, verdict: Verdict) -> Self {
        self.pins.push((known(id), verdict));
        self
    }

    /// Runs only these kinds or variants; called again, these too.
    ///
    /// # Panics
    ///
    /// At the caller's line, if no fault has this id.
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

    /// Runs the client, which gets a base URL as the provider's SDKs take it ([`WireStub::anthropic_url`] or
    /// [`WireStub::openai_url`]) and asks once, for a stream. Each case has a stub of its own.
    ///
    /// First the client reads undamaged answers. If it reads one of them wrong, only that is in the report: no verdict
    /// on a damaged answer would mean anything.
    pub async fn run<C, F, E>(self, client: C) -> Report
    where
        C: Fn(String) -> F,
        F: Future<Output = Result<Transcript, E>>,
        E: Display,
    {
        let mut report = Report::new(self.api, self.strict, self.pins.clone());
        let mut words = Words::default();
        for case in case::references(self.api) {
            let ran = self.call(&case, &client).await;
            let wanted = self.wanted(&case);
            if let (Came::Read(read), Some(wanted)) = (&ran.came, &wanted) {
                words.learn(wanted, read);
                report.sees(read);
            }
            let case = self.judged(&case, &ran, wanted.as_ref(), &words);
            report.add(case);
        }
        if !report.is_clean() {
            report.stopped = true;
            return report;
        }
        let (mut cases, mut large) = (Vec::new(), Vec::new());
        for case in case::cases(self.api, &self.all_cuts()) {
            match self.why_not(&case) {
                Some(why) => report.add(CaseReport::skipped(&case, why)),
                None if !self.is_wanted(&case) => {}
                None if case.is_large() => large.push(case),
                None => cases.push(case),
            }
        }
        self.run_all(&cases, self.at_once, &client, &words, &mut report)
            .await;
        self.run_all(&large, 1, &client, &words, &mut report).await;
        report.sort();
        report
    }

    async fn run_all<C, F, E>(
        &self,
        cases: &[Case],
        at_once: usize,
        client: &C,
        words: &Words,
        report: &mut Report,
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
                    Some(case) => Some((case, self.call(case, client).await)),
                    None => None,
                }
            }
        };
        crowd::run(cases.len(), at_once, call, |_, ran| {
            let Some((case, ran)) = ran else { return };
            let judged = self.judged(case, &ran, self.wanted(case).as_ref(), words);
            // what a busy machine can cause is looked at again, alone
            let may_be_the_machine = matches!(judged.verdict, Verdict::Hang | Verdict::Loud);
            if may_be_the_machine && !report.accepts(&judged) {
                doubtful.push(case);
            } else {
                report.add(judged);
            }
        })
        .await;
        for case in doubtful {
            let ran = self.call(case, client).await;
            report.add(self.judged(case, &ran, self.wanted(case).as_ref(), words));
        }
    }

    /// One call of the client.
    async fn call<C, F, E>(&self, case: &Case, client: &C) -> Ran
    where
        C: Fn(String) -> F,
        F: Future<Output = Result<Transcript, E>>,
        E: Display,
    {
        let stub = self.stub(case);
        let url = match self.api {
            Api::AnthropicMessages => stub.anthropic_url(),
            Api::OpenAiChat | Api::OpenAiResponses | Api::OpenAiCompletions => stub.openai_url(),
        };
        let cap = self.cap(case);
        let back = race(crowd::caught(|| client(url)), timer(cap)).await;
        let came = match back {
            First::B(()) => Came::NotBack(cap),
            First::A(Err(message)) => Came::Panicked(message),
            First::A(Ok(Ok(read))) => Came::Read(read),
            First::A(Ok(Err(error))) => {
                let error = error.to_string();
                let is_silent = case.asks().0 == Requirement::MustTimeOutWhenIdleLimitSet;
                if is_silent && !self.lets_go(case, &stub).await {
                    Came::KeptOpen(error)
                } else {
                    Came::Failed(error)
                }
            }
        };
        let requests = stub.requests();
        Ran {
            came,
            calls: requests.len(),
            asked_for_a_stream: requests.iter().all(|request| request.is_stream()),
        }
    }

    /// Whether the client closes the connection of a silent answer.
    async fn lets_go(&self, case: &Case, stub: &WireStub) -> bool {
        let left = race(
            stub.wait_for_cancel().patience(PATIENCE * 2),
            timer(self.cap(case)),
        )
        .await;
        matches!(left, First::A(_))
    }

    fn stub(&self, case: &Case) -> WireStub {
        WireStub::builder()
            .turn(case.turn(self.pause()))
            .repeat_last()
            .cut(case.cut.clone())
            .without_verify_on_drop()
            .start()
    }

    /// What the client should end up with, where a result can be right.
    fn wanted(&self, case: &Case) -> Option<Reply> {
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
        case.turn(self.pause()).normalized(self.api).ok()
    }

    fn judged(&self, case: &Case, ran: &Ran, wanted: Option<&Reply>, words: &Words) -> CaseReport {
        let (mut verdict, mut detail) = judge::judge(&ran.came, wanted, words);
        if ran.calls == 0 {
            detail =
                format!("the client sent no request to the base URL that it was given; {detail}");
        } else if !ran.asked_for_a_stream {
            verdict = Verdict::SilentWrong;
            detail = "the client did not ask for a stream".to_owned();
        }
        let wanted = wanted.map(|reply| {
            format!(
                "text {:?}, stop reason {:?}",
                reply.text(),
                reply.stop_reason
            )
        });
        CaseReport::new(case, verdict, detail, wanted, ran.calls, self.sent(case))
    }

    /// The body, as far as it is one.
    fn sent(&self, case: &Case) -> Vec<u8> {
        let body = crate::pure::try_sse_body(self.api, &case.turn(self.pause()));
        body.map(|body| body.to_vec()).unwrap_or_default()
    }

    fn why_not(&self, case: &Case) -> Option<String> {
        let id = case.id();
        let skip = self.skips.iter().find(|(skipped, _)| names(skipped, &id));
        if let Some((_, reason)) = skip {
            return Some(reason.clone());
        }
        let is_silent = case.asks().0 == Requirement::MustTimeOutWhenIdleLimitSet;
        if is_silent && self.idle_limit.is_none() {
            return Some("the suite was told no limit on silence (`.idle_limit(..)`)".to_owned());
        }
        if case.is_large() && self.sizes.is_none() {
            return Some(
                "the suite was told no budget for cases about size (`.sizes(..)`)".to_owned(),
            );
        }
        // a fault of a feature that is off
        let played = crate::pure::try_sse_body(self.api, &case.turn(self.pause()));
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

    /// How long a client may take.
    fn cap(&self, case: &Case) -> Duration {
        if let (true, Some(budget)) = (case.is_large(), self.sizes) {
            return budget;
        }
        self.idle_limit
            .map_or(PATIENCE, |limit| limit.saturating_mul(6))
    }

    /// Between what a fault writes slowly: below half of the limit.
    fn pause(&self) -> Duration {
        self.idle_limit
            .map_or(Duration::from_millis(20), |limit| limit / 3)
    }
}

struct Ran {
    came: Came,
    calls: usize,
    asked_for_a_stream: bool,
}

/// Whether this kind or variant is meant by the id of a case.
pub(super) fn names(given: &str, id: &str) -> bool {
    id.strip_prefix(given)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The id, if there is such a fault.
#[track_caller]
fn known(id: &str) -> String {
    let parsed: Result<FaultVariant, UnknownFaultError> = id.parse();
    match parsed {
        Ok(_) => id.to_owned(),
        Err(unknown) => panic!("{unknown}"),
    }
}

async fn timer(time: Duration) {
    match runtime() {
        Ok(runtime) => system_timer(runtime, time).await,
        // without it no stub had started
        Err(error) => panic!("{error}"),
    }
}
