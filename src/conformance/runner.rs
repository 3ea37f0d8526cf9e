//! One case against the client: a stub of its own, one call, and what came of it.

use std::{
    fmt::Display,
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use serde_json::Value;
use tokio::{runtime::Runtime, task::AbortHandle};

use super::{
    CaseReport, Suite, Transcript, Verdict,
    case::{Case, What},
    crowd::Call,
    judge::{self, Came, Words},
};
use crate::{
    api::Api,
    request::{Outcome, RecordedRequest},
    script::Reply,
    server::{First, Stopwatch, WireStub, race, runtime, system_timer},
};

/// How long a client without a limit of its own may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// What answers a request whose turn cannot be played.
const UNPLAYABLE: &str = "refused: unplayable";
/// So often it is looked at how late the machine is.
const TICK: Duration = Duration::from_millis(5);

/// What came of a case.
pub(super) struct Ran {
    pub(super) came: Came,
    /// How many requests there were.
    pub(super) calls: usize,
    /// Why no result could mean anything.
    pub(super) unfit: Option<String>,
    /// Why this client's requests have no answer that could be damaged so.
    pub(super) unplayable: Option<String>,
    /// What else the client did that it may not do in silence.
    pub(super) breach: Option<String>,
    /// What it waits for, if it is no hang that it is not back.
    pub(super) waits: Option<String>,
    /// What there is to say of a call that is not back.
    pub(super) hint: Option<String>,
    /// How much later than asked this task ran meanwhile, at worst.
    pub(super) late: Duration,
}

impl Ran {
    pub(super) const fn new(came: Came, calls: usize) -> Self {
        Self {
            came,
            calls,
            unfit: None,
            unplayable: None,
            breach: None,
            waits: None,
            hint: None,
            late: Duration::ZERO,
        }
    }
}

impl Suite {
    /// One case, and how late the machine was meanwhile.
    pub(super) async fn play<C, F, E>(&self, case: &Case, client: &C) -> Ran
    where
        C: Fn(String) -> F,
        F: Future<Output = Result<Transcript, E>>,
        E: Display,
    {
        let lateness = Lateness::start();
        let ran = self.play_once(case, client).await;
        Ran {
            late: lateness.so_far(),
            ..ran
        }
    }

    async fn play_once<C, F, E>(&self, case: &Case, client: &C) -> Ran
    where
        C: Fn(String) -> F,
        F: Future<Output = Result<Transcript, E>>,
        E: Display,
    {
        match case.what {
            What::Reference | What::Fault(_) => {
                let stub = WireStub::builder().turn(case.turn(self.pause(case)));
                let stub = stub.cut(case.cut.clone()).repeat_last();
                let stub = stub.without_verify_on_drop().start();
                let mut ran = self.ask(&stub, case, client).await;
                if matches!(case.what, What::Reference) && ran.calls > 1 {
                    ran.breach = Some(format!("{} requests for one answer", ran.calls));
                }
                ran
            }
            What::Scenario(form) => self.stage(form.variant.play, case, client).await,
        }
    }

    /// One call on a stub.
    pub(super) async fn ask<C, F, E>(&self, stub: &WireStub, case: &Case, client: &C) -> Ran
    where
        C: Fn(String) -> F,
        F: Future<Output = Result<Transcript, E>>,
        E: Display,
    {
        let mut came = self
            .call(&self.base_url(&stub.url()), self.cap_of(case), client)
            .await;
        if let Came::Failed(error) = came {
            let holds = case.is_silent() && !self.lets_go(stub).await;
            came = if holds {
                Came::KeptOpen(error)
            } else {
                Came::Failed(error)
            };
        }
        self.ran(came, stub)
    }

    /// What came, and whether its requests were fit for an answer.
    pub(super) fn ran(&self, came: Came, stub: &WireStub) -> Ran {
        let requests = stub.requests();
        let mut ran = Ran::new(came, requests.len());
        ran.unfit = unfit(self.api, stub, &requests);
        let asks_for_usage = requests.iter().all(asks_for_usage);
        if let (Came::Read(read), false) = (&mut ran.came, asks_for_usage) {
            // there is none to be read
            read.usage = None;
        }
        let is_unplayable = |request: &RecordedRequest| request.answered_by() == UNPLAYABLE;
        if requests.iter().any(is_unplayable) {
            let mut why = "the answer to the client's request has nothing that could be damaged so"
                .to_owned();
            if !asks_for_usage {
                why += "; the request asks for no usage (`stream_options.include_usage`)";
            }
            ran.unplayable = Some(why);
        }
        let is_over = |request: &RecordedRequest| request.outcome() != Outcome::Open;
        if !requests.is_empty() && requests.iter().all(is_over) {
            ran.hint = Some(
                "every answer was over: if the client waits before it asks again, give it a shorter wait, or the suite \
                 a longer limit"
                    .to_owned(),
            );
        }
        ran
    }

    /// One call of the client.
    pub(super) async fn call<C, F, E>(&self, url: &str, cap: Duration, client: &C) -> Came
    where
        C: Fn(String) -> F,
        F: Future<Output = Result<Transcript, E>>,
        E: Display,
    {
        let mut call = match Call::new(|| client(url.to_owned())) {
            Ok(call) => call,
            Err(message) => return Came::Panicked(message),
        };
        let back = race(call.output(), timer(cap)).await;
        let came = match back {
            First::B(()) => Came::NotBack(cap),
            First::A(Err(message)) => Came::Panicked(message),
            First::A(Ok(Ok(read))) => Came::Read(read),
            First::A(Ok(Err(error))) => Came::Failed(error.to_string()),
        };
        match call.end() {
            Ok(()) => came,
            Err(message) => Came::Panicked(message),
        }
    }

    /// Whether the client closes a connection whose answer is still open.
    pub(super) async fn lets_go(&self, stub: &WireStub) -> bool {
        let cap = self.cap();
        // the wait gives up with a panic, and must not do so first
        let gone = stub.wait_for_cancel().patience(cap * 2 + PATIENCE);
        matches!(race(gone, timer(cap)).await, First::A(_))
    }

    /// As this API's clients expect it.
    pub(super) fn base_url(&self, root: &str) -> String {
        match self.api {
            Api::AnthropicMessages => root.to_owned(),
            Api::OpenAiChat | Api::OpenAiResponses | Api::OpenAiCompletions => format!("{root}/v1"),
        }
    }

    /// The verdict.
    pub(super) fn judged(
        &self,
        case: &Case,
        ran: &Ran,
        wanted: Option<&Reply>,
        words: &Words,
    ) -> CaseReport {
        let (mut verdict, mut detail) = judge::judge(&ran.came, wanted, words);
        let is_back = matches!(
            verdict,
            Verdict::Equal | Verdict::Loud | Verdict::SilentWrong
        );
        if let Some(why) = &ran.unplayable {
            let mut report = CaseReport::new(case, Verdict::Skipped, why.clone());
            report.calls = ran.calls;
            return report;
        }
        match (&ran.unfit, &ran.breach, &ran.waits) {
            (Some(unfit), _, _) if is_back => {
                let said = match (&ran.came, detail.is_empty()) {
                    (Came::Failed(_), false) => format!("; the client says: {detail}"),
                    _ => String::new(),
                };
                (verdict, detail) = (Verdict::BadRequest, format!("{unfit}{said}"));
            }
            (Some(unfit), _, _) => detail = format!("{detail}; {unfit}"),
            (None, Some(breach), _) if is_back => {
                (verdict, detail) = (Verdict::SilentWrong, breach.clone());
            }
            (None, _, Some(waits)) if verdict == Verdict::Hang => {
                (verdict, detail) = (Verdict::Skipped, waits.clone());
            }
            (None, ..) => {}
        }
        if let (Verdict::Hang, Came::NotBack(_), Some(hint)) = (verdict, &ran.came, &ran.hint) {
            detail = format!("{detail}; {hint}");
        }
        let mut report = CaseReport::new(case, verdict, detail);
        report.calls = ran.calls;
        report.wanted = wanted.map(|reply| judge::wanted(reply, words));
        if let Came::Read(read) = &ran.came {
            report.got = Some(read.shown());
        }
        report.sends(&case.body(self.api, self.pause(case)));
        report
    }

    /// How long a client may take.
    pub(super) fn cap(&self) -> Duration {
        self.idle_limit
            .map_or(PATIENCE, |limit| limit.saturating_mul(6))
    }

    /// How long the client may take for this case.
    pub(super) fn cap_of(&self, case: &Case) -> Duration {
        match self.sizes {
            Some(budget) if case.is_large() => budget,
            _ => self.cap(),
        }
    }

    /// Between what a fault writes slowly: below half of the limit, and so that a whole answer of that pace takes longer
    /// than any limit on all of it should be, and less than the suite waits.
    pub(super) fn pause(&self, case: &Case) -> Duration {
        let pause = self
            .idle_limit
            .map_or(Duration::from_millis(20), |limit| limit / 3);
        let events = u32::try_from(case.events(self.api)).unwrap_or(u32::MAX);
        pause.min(self.cap() / 2 / events.max(1))
    }
}

/// How late a timer of the servers' thread is at worst. What the client does to its own thread does not count.
struct Lateness {
    seen: Arc<Seen>,
    watch: AbortHandle,
}

struct Seen {
    started: Stopwatch,
    /// When the last tick began, and the worst so far, in microseconds.
    tick: AtomicU64,
    worst: AtomicU64,
}

impl Lateness {
    fn start() -> Self {
        let seen = Arc::new(Seen {
            started: Stopwatch::start(),
            tick: AtomicU64::new(0),
            worst: AtomicU64::new(0),
        });
        let watched = Arc::clone(&seen);
        let watch = background().spawn(async move {
            loop {
                watched.tick.store(watched.now(), Ordering::Relaxed);
                timer(TICK).await;
                let worst = watched.worst_until_now();
                watched.worst.store(worst, Ordering::Relaxed);
            }
        });
        Self {
            seen,
            watch: watch.abort_handle(),
        }
    }

    fn so_far(&self) -> Duration {
        Duration::from_micros(self.seen.worst_until_now())
    }
}

impl Drop for Lateness {
    fn drop(&mut self) {
        self.watch.abort();
    }
}

impl Seen {
    /// With the tick that is under way: where it is overdue, the client may have been told before this was.
    fn worst_until_now(&self) -> u64 {
        let passed = self.now().saturating_sub(self.tick.load(Ordering::Relaxed));
        let tick = u64::try_from(TICK.as_micros()).unwrap_or(u64::MAX);
        let worst = self.worst.load(Ordering::Relaxed);
        worst.max(passed.saturating_sub(tick))
    }

    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

/// Why the answer to these requests says nothing of the client.
fn unfit(api: Api, stub: &WireStub, requests: &[RecordedRequest]) -> Option<String> {
    if requests.is_empty() {
        let other = stub.journal().first().map_or_else(
            || "the client sent no request to the base URL that it was given".to_owned(),
            |other| format!("the client asked for `{other}`, which is no call of the model"),
        );
        return Some(other);
    }
    let refused = requests.iter().find_map(|request| {
        let answered = request.answered_by();
        let rule = answered.strip_prefix("refused: ")?;
        api.rules()
            .any(|known| known.name == rule)
            .then(|| format!("its request was refused, as it breaks the provider's rule `{rule}`"))
    });
    let another = || {
        let mut apis = requests.iter().filter_map(RecordedRequest::api);
        let asked = apis.find(|asked| *asked != api)?;
        let (asked, api) = (asked.name(), api.name());
        Some(format!(
            "its request was for {asked}, and the suite is about {api}"
        ))
    };
    let streams = requests.iter().all(RecordedRequest::is_stream);
    let unstreamed = || (!streams).then(|| "its request did not ask for a stream".to_owned());
    refused.or_else(another).or_else(unstreamed)
}

/// Whether the answer has a usage: streams of Chat have one if the request says so.
fn asks_for_usage(request: &RecordedRequest) -> bool {
    request.api() != Some(Api::OpenAiChat)
        || request.json().pointer("/stream_options/include_usage") == Some(&Value::Bool(true))
}

pub(super) async fn timer(time: Duration) {
    system_timer(background(), time).await;
}

fn background() -> &'static Runtime {
    match runtime() {
        Ok(runtime) => runtime,
        // without it no stub had started
        Err(error) => panic!("{error}"),
    }
}
