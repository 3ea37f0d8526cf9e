//! What one run of a stub is: the script and how far it was played, the journal, and who waits for what.

use std::{
    collections::VecDeque,
    fmt,
    net::SocketAddr,
    ops::Deref,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::Waker,
    time::Duration,
};

use serde_json::Value;
use tokio::sync::Semaphore;

use super::{
    builder::VerifyOnDrop,
    clock::{Clock, Time},
    control::Control,
    fallback::Fallback,
    gates::Gates,
    runtime::drop_off_worker,
};
use crate::{
    api::{
        Api, ByDefault, Context, Rule, SideScript, anthropic_messages::side_roads::Batches,
        openai::side_roads::Responses,
    },
    request::{Kind, Outcome, Received, RecordedRequest},
    script::{
        Built, Cut, Dialect, GateLatch, Origin, Pace, Position, Report, Script, Turn, remember,
    },
    small_map::SmallMap,
    verify::{Verification, VerifyError, journal_lines},
};

/// How the stub was built.
pub(super) struct Config {
    pub(super) script: Script,
    /// Those that the script names.
    pub(super) gates: Gates,
    /// The only API served, if one was named.
    pub(super) api: Option<Api>,
    /// The form of all answers of OpenAI Chat, if it is the same.
    pub(super) dialect: Option<Dialect>,
    /// Further paths of model calls.
    pub(super) routes: SmallMap<String, Api>,
    pub(super) cut: Cut,
    pub(super) pace: Option<Pace>,
    pub(super) body_limit: usize,
    pub(super) patience: Duration,
    pub(super) rules: Rules,
    pub(super) side_roads: SideScript,
    pub(super) drift: ScriptDrift,
    /// Who answers what is for no model API.
    pub(super) fallback: Option<Fallback>,
    pub(super) clock: Clock,
    pub(super) verify_on_drop: VerifyOnDrop,
    pub(super) control: Control,
    /// Where it listens.
    pub(super) address: SocketAddr,
}

/// What becomes of a turn that does not fit its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScriptDrift {
    Refused,
    Allowed,
}

impl Config {
    /// What an answer without a turn depends on.
    pub(super) fn turnless(&self, seed: u64) -> Context {
        Context {
            era: self.script.era.unwrap_or_default(),
            ..Context::unasked(seed, self.script.is_plain())
        }
    }

    /// The dialect of a request's answer, unless its turn names another.
    pub(super) fn dialect_of(&self, api: Api, request: &RecordedRequest) -> Dialect {
        self.dialect.unwrap_or_else(|| api.dialect_of(request))
    }

    /// What the answer to a call with this body depends on besides its turn; `None` is a body that no one sent.
    pub(super) fn context(
        &self,
        turn: &Turn,
        origin: &Origin,
        asked: Option<(Api, &Value, &[u8])>,
    ) -> Context {
        let mut context = Context::of_script(&self.script, turn, origin);
        context.dialect = turn.dialect.or(self.dialect).unwrap_or_default();
        if let Some((api, body, sent)) = asked {
            let model = body.get("model").and_then(Value::as_str);
            model.unwrap_or_default().clone_into(&mut context.model);
            api.ask(body, sent, &mut context);
        }
        context
    }
}

/// The config of a stub that has started. What of it is the user's is dropped off the runtime's workers.
pub(super) struct InUse(Config);

impl InUse {
    pub(super) const fn new(config: Config) -> Self {
        Self(config)
    }
}

impl Deref for InUse {
    type Target = Config;

    fn deref(&self) -> &Config {
        &self.0
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        let script = std::mem::replace(&mut self.0.script, Script::empty(Built::here()));
        let side_roads = std::mem::take(&mut self.0.side_roads);
        if script.holds_user_code() || side_roads.holds_user_code() {
            drop_off_worker((script, side_roads));
        }
    }
}

/// Which of the providers' rules are applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rules {
    pub(super) unnamed: UnnamedRules,
    /// Those that were switched by name.
    pub(super) named: SmallMap<&'static str, ByDefault>,
}

/// What becomes of the rules that nobody named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnnamedRules {
    Default,
    None,
}

impl Rules {
    pub(super) const fn new(unnamed: UnnamedRules) -> Self {
        Self {
            unnamed,
            named: SmallMap::new(),
        }
    }

    pub(super) fn applies(&self, rule: &Rule) -> bool {
        let named = self.named.get(rule.name).copied();
        let state = named.unwrap_or(match self.unnamed {
            UnnamedRules::Default => rule.by_default,
            UnnamedRules::None => ByDefault::Off,
        });
        state == ByDefault::On
    }

    /// Whether the rule was switched on by its name.
    pub(super) fn has_asked_for(&self, rule: &Rule) -> bool {
        self.named.get(rule.name) == Some(&ByDefault::On)
    }
}

/// One run of the script, from the start or a reset to the next one or the drop.
pub(super) struct Shared {
    pub(super) config: Arc<InUse>,
    pub(super) clock: Arc<Time>,
    pub(super) address: SocketAddr,
    state: Mutex<State>,
    /// Without a permit, and closed once the run has ended. A `watch` would tell it too, with eight locks.
    over: Semaphore,
    /// Whether a dialect was named, so that the paths of all of them are served; in later runs too.
    dialects: Arc<AtomicBool>,
    /// What its gates say when a wait for one gives up.
    report: OnceLock<Arc<Report>>,
}

pub(super) struct State {
    pub(super) journal: Vec<RecordedRequest>,
    /// What was cleared from the journal, for `verify`.
    pub(super) past: Vec<Past>,
    pub(super) calls: usize,
    /// When the run began, on the stub's clock.
    pub(super) began: Duration,
    /// When each call came, and when its answer was done.
    pub(super) times: Vec<Times>,
    pub(super) position: Position,
    pub(super) problems: Vec<String>,
    pub(super) overflow: usize,
    /// The hold in force: a gate in front of every answer.
    pub(super) hold: Option<GateLatch>,
    pub(super) in_flight: usize,
    pub(super) cancels: VecDeque<RecordedRequest>,
    pub(super) stalls: VecDeque<RecordedRequest>,
    /// Why it is over.
    pub(super) ended: Option<&'static str>,
    pub(super) verify_on_drop: VerifyOnDrop,
    pub(super) batches: Batches,
    /// Those of [`SideScript::calls`] that something was answered from.
    pub(super) used: Vec<String>,
    /// Answers of OpenAI Responses.
    pub(super) responses: Responses,
    /// The ids of calls that answers of DeepSeek's made behind thinking.
    pub(super) reasoned_calls: Arc<Vec<String>>,
    /// Requests on side roads so far.
    pub(super) side_roads: usize,
    gates: Vec<GateLatch>,
    wakers: Vec<Waker>,
}

impl Shared {
    pub(super) fn new(
        config: &Arc<InUse>,
        clock: &Arc<Time>,
        address: SocketAddr,
        dialects: &Arc<AtomicBool>,
    ) -> Arc<Self> {
        let state = State {
            journal: Vec::new(),
            past: Vec::new(),
            calls: 0,
            began: clock.now(),
            times: Vec::new(),
            position: Position::new(&config.script),
            problems: Vec::new(),
            overflow: 0,
            hold: None,
            in_flight: 0,
            cancels: VecDeque::new(),
            stalls: VecDeque::new(),
            ended: None,
            verify_on_drop: config.verify_on_drop,
            batches: Batches::default(),
            used: Vec::new(),
            responses: Responses::default(),
            reasoned_calls: Arc::default(),
            side_roads: 0,
            gates: Vec::new(),
            wakers: Vec::new(),
        };
        let shared = Arc::new(Self {
            config: Arc::clone(config),
            clock: Arc::clone(clock),
            address,
            state: Mutex::new(state),
            over: Semaphore::new(0),
            dialects: Arc::clone(dialects),
            report: OnceLock::new(),
        });
        let turns = shared.config.script.all_turns();
        let mut named = shared.config.dialect.is_some();
        turns.for_each(|(_, turn)| {
            named |= turn.dialect.is_some();
            shared.bind_gates(turn);
        });
        if named {
            shared.serve_dialects();
        }
        shared
    }

    /// Serves the paths of every dialect from now on.
    pub(super) fn serve_dialects(&self) {
        self.dialects.store(true, Ordering::Relaxed);
    }

    /// Whether the model of `api` is called at this path: a path of another dialect than OpenAI's counts once a dialect
    /// was named.
    pub(super) fn calls(&self, api: Api, path: &str) -> bool {
        let named = || self.dialects.load(Ordering::Relaxed);
        api.route().1 == path || (named() && api.is_called_at(path))
    }

    /// The paths at which the model of `api` is called.
    pub(super) fn paths(&self, api: Api) -> Vec<&'static str> {
        let mut paths = api.paths();
        if !self.dialects.load(Ordering::Relaxed) {
            paths.truncate(1);
        }
        paths
    }

    /// Tells the gates of a turn whose they are.
    pub(super) fn bind_gates(self: &Arc<Self>, turn: &Turn) {
        if turn.gates().next().is_none() {
            return;
        }
        let report = self.report.get_or_init(|| {
            let shared = Arc::downgrade(self);
            Arc::new(move || match shared.upgrade() {
                Some(shared) => shared.report(),
                None => "  where: a stub that is gone".to_owned(),
            })
        });
        for gate in turn.gates() {
            gate.bind(report, self.config.patience);
        }
        let ended = self.update(|state| {
            if state.ended.is_none() {
                // what only this list still knows is of no use to anybody
                state.gates.retain(GateLatch::is_shared);
                state.gates.extend(turn.gates().cloned());
            }
            state.ended.is_some()
        });
        if ended {
            turn.gates().for_each(|gate| gate.unbind(report, report));
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and wakes whoever waits for a change.
    pub(super) fn update<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.lock();
        let output = change(&mut state);
        let wakers = std::mem::take(&mut state.wakers);
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
        output
    }

    /// Looks at the state; if `look` finds nothing, `waker` is called at the next change.
    pub(super) fn poll<T>(
        &self,
        waker: &Waker,
        look: impl FnOnce(&mut State) -> Option<T>,
    ) -> Option<T> {
        let mut state = self.lock();
        let found = look(&mut state);
        if found.is_none() {
            remember(&mut state.wakers, waker);
        }
        found
    }

    /// Puts a request into the journal; model calls are counted here, in order of arrival.
    pub(super) fn record(self: &Arc<Self>, mut received: Received) -> Arrival {
        // nobody is woken yet: a wait for requests ends once it is known what answers them
        let (request, hold) = {
            let mut state = self.lock();
            if let Kind::ModelCall { index, .. } = &mut received.kind {
                *index = state.calls;
                state.calls += 1;
                state.times.push(Times {
                    arrived: received.arrived,
                    done: None,
                });
            }
            let call = matches!(received.kind, Kind::ModelCall { .. });
            let request = RecordedRequest::new(received);
            state.journal.push(request.clone());
            state.in_flight += 1;
            let hold = if call { state.hold.clone() } else { None };
            (request, hold)
        };
        Arrival {
            request,
            hold,
            _in_flight: InFlight(Arc::clone(self)),
        }
    }

    /// Ends it: from now on nothing counts. Its answers and waits end once they are told.
    pub(super) fn end(self: &Arc<Self>, why: &'static str) -> Ended {
        let mut state = self.lock();
        state.ended = Some(why);
        Ended {
            gates: std::mem::take(&mut state.gates),
            wakers: std::mem::take(&mut state.wakers),
            shared: Arc::clone(self),
        }
    }

    /// An answer of this run has come to a gate; if the run has ended, the gate may be the next one's already.
    pub(super) fn reach(&self, gate: &GateLatch) {
        let state = self.lock();
        let wakers = match state.ended {
            None => gate.reach(),
            Some(_) => Vec::new(),
        };
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Waits until it has ended.
    pub(super) async fn over(&self) {
        let _ = self.over.acquire().await;
    }

    /// Script and journal, for a message.
    pub(super) fn report(&self) -> String {
        let state = self.lock();
        let lines: Vec<String> = state.journal.iter().map(RecordedRequest::line).collect();
        format!(
            "  where: {}\n{}",
            self.config.script.description(),
            journal_lines(&lines)
        )
    }

    /// The journal against the script.
    ///
    /// # Errors
    ///
    /// The report, if anything does not fit; it is written only then.
    pub(super) fn verify(&self) -> Result<(), VerifyError> {
        let state = self.lock();
        let mut unplayed = self.config.script.unplayed(&state.position, state.calls);
        let never_came = state.batches.never_came(&self.config.side_roads.batches);
        unplayed.extend(never_came.map(|id| {
            format!(
                "`.batch_result(\"{id}\", ..)` was never used: no batch had a request with this id"
            )
        }));
        let scripted = self.config.side_roads.calls();
        let unused = scripted.filter(|call| !state.used.contains(call));
        unplayed.extend(unused.map(|call| format!("{call} was never used: nobody asked for it")));
        if unplayed.is_empty() && state.problems.is_empty() {
            return Ok(());
        }
        let verification = Verification {
            script: self.config.script.description(),
            unplayed,
            problems: state.problems.clone(),
            calls: {
                let past = state.past.iter().map(Past::line);
                past.chain(state.journal.iter().map(RecordedRequest::line))
                    .collect()
            },
        };
        Err(verification.report())
    }
}

/// A run that has ended, while its answers and waits do not know it yet.
#[must_use = "answers and waits go on until they are told"]
pub(super) struct Ended {
    shared: Arc<Shared>,
    gates: Vec<GateLatch>,
    wakers: Vec<Waker>,
}

impl Ended {
    /// Ends answers and waits.
    pub(super) fn tell(self) {
        self.wakers.into_iter().for_each(Waker::wake);
        if let Some(report) = self.shared.report.get() {
            // as it is now: the journal goes with the run
            let last = self.shared.report();
            let last: Arc<Report> = Arc::new(move || last.clone());
            self.gates
                .iter()
                .for_each(|gate| gate.unbind(report, &last));
        }
        self.shared.over.close();
    }
}

/// A request that was cleared from the journal.
pub(super) enum Past {
    /// Its line in a report.
    Done(String),
    /// Its answer was still under way.
    Running(RecordedRequest),
}

impl Past {
    fn line(&self) -> String {
        match self {
            Self::Done(line) => line.clone(),
            Self::Running(request) => request.line(),
        }
    }
}

/// When a call came and when its answer was done, on the stub's clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    pub(super) arrived: Duration,
    pub(super) done: Option<Duration>,
}

impl State {
    /// The answer to a request is done, however it ended.
    pub(super) fn done(&mut self, request: &RecordedRequest, now: Duration) {
        if let Kind::ModelCall { index, .. } = request.kind() {
            if let Some(times) = self.times.get_mut(index) {
                times.done.get_or_insert(now);
            }
        }
    }

    /// Forgets what the journal shows; `verify` keeps a line of each request.
    pub(super) fn clear(&mut self) {
        for request in std::mem::take(&mut self.journal) {
            self.past.push(match request.outcome() {
                Outcome::Open => Past::Running(request),
                Outcome::Complete
                | Outcome::Cancelled
                | Outcome::Reset
                | Outcome::Failed
                | Outcome::Refused => Past::Done(request.line()),
            });
        }
        self.cancels.clear();
        self.stalls.clear();
    }
}

/// A request in the journal, and the hold that was in force when it came.
pub(super) struct Arrival {
    pub(super) request: RecordedRequest,
    pub(super) hold: Option<GateLatch>,
    _in_flight: InFlight,
}

/// Takes the answer off the count when it is done with, however it ends.
pub(super) struct InFlight(Arc<Shared>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.update(|state| state.in_flight -= 1);
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("script", &self.config.script.description())
            .finish_non_exhaustive()
    }
}
