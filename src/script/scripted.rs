//! A script: everything that a stub has to say, and to whom. `pick.rs` says which of it answers.

use std::{fmt, sync::Arc};

use super::{
    Action, After, ApiError, Built, Era, GateLatch, Noise, Origin, Position, StopReason, Turn,
    count,
};
use crate::{
    request::{IntoMatcher, Matcher, RecordedRequest},
    small_map::SmallMap,
};

/// What a stub says, and to whom, as a value: turns in order, lanes, errors and stop reasons by the index of a call. A
/// stub takes it with [`WireStubBuilder::script`](crate::WireStubBuilder::script); its methods are those of the builder.
///
/// ```
/// use llm_wire_stub::{ApiError, Script, matchers};
///
/// let script = Script::new(["Hello!", "Bye!"])
///     .lane("judge", matchers::model("judge-1"), ["first is better"])
///     .error_at(1, ApiError::overloaded());
/// assert_eq!(script.turns().len(), 2);
/// ```
#[derive(Clone)]
#[must_use]
pub struct Script {
    pub(crate) turns: Vec<Arc<Turn>>,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) answer: Option<Arc<Answer>>,
    pub(crate) errors_at: SmallMap<usize, ApiError>,
    pub(crate) stops_at: SmallMap<usize, StopReason>,
    pub(crate) when_played: WhenPlayed,
    pub(crate) seed: Option<u64>,
    pub(crate) noise: Noise,
    pub(crate) era: Option<Era>,
    /// Where it was begun; that of a stub, where the stub was.
    pub(crate) built: Built,
}

pub(crate) type Answer = dyn Fn(&RecordedRequest, usize) -> Option<Turn> + Send + Sync;

/// A matcher with its own sequence.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    pub(crate) name: Arc<str>,
    pub(crate) matcher: Matcher,
    pub(crate) turns: Vec<Arc<Turn>>,
}

/// What happens when a sequence has run out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WhenPlayed {
    Refuse,
    RepeatLast,
}

impl Script {
    /// These turns, in order of arrival.
    #[track_caller]
    pub fn new<T: Into<Turn>>(turns: impl IntoIterator<Item = T>) -> Self {
        let mut script = Self::empty(Built::here());
        for turn in turns {
            script = script.turn(turn);
        }
        script
    }

    pub(crate) const fn empty(built: Built) -> Self {
        Self {
            turns: Vec::new(),
            lanes: Vec::new(),
            answer: None,
            errors_at: SmallMap::new(),
            stops_at: SmallMap::new(),
            when_played: WhenPlayed::Refuse,
            seed: None,
            noise: Noise::AsTheService,
            era: None,
            built,
        }
    }

    /// As [`WireStubBuilder::turn`](crate::WireStubBuilder::turn).
    #[track_caller]
    pub fn turn(mut self, turn: impl Into<Turn>) -> Self {
        self.turns.push(Arc::new(turn.into()));
        self
    }

    /// As [`WireStubBuilder::lane`](crate::WireStubBuilder::lane).
    ///
    /// # Panics
    ///
    /// At the caller's line, if there is a lane of this name already.
    #[track_caller]
    pub fn lane<T: Into<Turn>>(
        mut self,
        name: impl Into<String>,
        matcher: impl IntoMatcher,
        turns: impl IntoIterator<Item = T>,
    ) -> Self {
        let mut shared_turns = Vec::new();
        for turn in turns {
            shared_turns.push(Arc::new(turn.into()));
        }
        or_panic(self.add_lane(Lane {
            name: name.into().into(),
            matcher: matcher.into_matcher(),
            turns: shared_turns,
        }));
        self
    }

    /// As [`WireStubBuilder::answer`](crate::WireStubBuilder::answer).
    ///
    /// # Panics
    ///
    /// At the caller's line, if there is a closure already.
    #[track_caller]
    pub fn answer(
        mut self,
        answer: impl Fn(&RecordedRequest, usize) -> Option<Turn> + Send + Sync + 'static,
    ) -> Self {
        or_panic(self.add_answer(Arc::new(answer)));
        self
    }

    /// As [`WireStubBuilder::error_at`](crate::WireStubBuilder::error_at).
    ///
    /// # Panics
    ///
    /// At the caller's line, if there is an error for this index already.
    #[track_caller]
    pub fn error_at(mut self, index: usize, error: ApiError) -> Self {
        or_panic(self.add_error(index, error));
        self
    }

    /// As [`WireStubBuilder::stop_reason_at`](crate::WireStubBuilder::stop_reason_at).
    ///
    /// # Panics
    ///
    /// At the caller's line, if there is a stop reason for this index already.
    #[track_caller]
    pub fn stop_reason_at(mut self, index: usize, reason: impl Into<StopReason>) -> Self {
        or_panic(self.add_stop(index, reason.into()));
        self
    }

    /// As [`WireStubBuilder::repeat_last`](crate::WireStubBuilder::repeat_last).
    pub const fn repeat_last(mut self) -> Self {
        self.when_played = WhenPlayed::RepeatLast;
        self
    }

    /// As [`WireStubBuilder::seed`](crate::WireStubBuilder::seed).
    pub const fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// As [`WireStubBuilder::plain`](crate::WireStubBuilder::plain).
    pub const fn plain(mut self) -> Self {
        self.noise = Noise::Plain;
        self
    }

    /// As [`WireStubBuilder::era`](crate::WireStubBuilder::era).
    pub const fn era(mut self, era: Era) -> Self {
        self.era = Some(era);
        self
    }

    /// The turns of the sequence, in order.
    #[must_use]
    pub fn turns(&self) -> &[Arc<Turn>] {
        &self.turns
    }

    /// Says what this one says, and then what the other says, as if the other's methods had been called here.
    ///
    /// # Errors
    ///
    /// What both say and only one can.
    pub(crate) fn and(mut self, other: Self) -> Result<Self, String> {
        self.turns.extend(other.turns);
        for lane in other.lanes {
            self.add_lane(lane)?;
        }
        if let Some(answer) = other.answer {
            self.add_answer(answer)?;
        }
        for (index, error) in other.errors_at.iter() {
            self.add_error(*index, error.clone())?;
        }
        for (index, reason) in other.stops_at.iter() {
            self.add_stop(*index, reason.clone())?;
        }
        if other.when_played == WhenPlayed::RepeatLast {
            self = self.repeat_last();
        }
        self.seed = other.seed.or(self.seed);
        if other.noise == Noise::Plain {
            self = self.plain();
        }
        self.era = other.era.or(self.era);
        Ok(self)
    }

    /// The gates of its turns.
    pub(crate) fn gates(&self) -> impl Iterator<Item = &GateLatch> {
        self.all_turns().flat_map(|(_, turn)| turn.gates())
    }

    /// Puts other gates in the place of those for which there is one.
    pub(crate) fn change_gates(&mut self, mut other: impl FnMut(&GateLatch) -> Option<GateLatch>) {
        let lanes = self.lanes.iter_mut().flat_map(|lane| &mut lane.turns);
        for turn in self.turns.iter_mut().chain(lanes) {
            let changes = |(_, action): &(After, Action)| matches!(action, Action::Gate(_));
            if !turn.actions.iter().any(changes) {
                continue;
            }
            for (_, action) in &mut Arc::make_mut(turn).actions {
                if let Action::Gate(gate) = action {
                    if let Some(other) = other(gate) {
                        *gate = other;
                    }
                }
            }
        }
    }

    fn add_lane(&mut self, lane: Lane) -> Result<(), String> {
        let name = &lane.name;
        if self.lanes.iter().any(|known| known.name == *name) {
            return Err(format!(
                "there are two lanes named `{name}`\n  help: give each lane a name of its own"
            ));
        }
        self.lanes.push(lane);
        Ok(())
    }

    fn add_answer(&mut self, answer: Arc<Answer>) -> Result<(), String> {
        if self.answer.is_some() {
            return Err(
                "there are two closures\n  help: merge them into one, or use lanes".to_owned(),
            );
        }
        self.answer = Some(answer);
        Ok(())
    }

    fn add_error(&mut self, index: usize, error: ApiError) -> Result<(), String> {
        let before = self.errors_at.insert(index, error);
        once(before.as_ref(), "errors", index)
    }

    fn add_stop(&mut self, index: usize, reason: StopReason) -> Result<(), String> {
        let before = self.stops_at.insert(index, reason);
        once(before.as_ref(), "stop reasons", index)
    }

    /// What ids, padding and fragment sizes are made from.
    pub(crate) fn effective_seed(&self) -> u64 {
        self.seed.unwrap_or(0)
    }

    pub(crate) fn is_plain(&self) -> bool {
        self.noise == Noise::Plain
    }

    /// Whether something of it may be dropped by the user's own code.
    pub(crate) fn holds_user_code(&self) -> bool {
        self.runs_user_code() || self.all_turns().any(|(_, turn)| turn.runs_user_code())
    }

    /// Whether picking runs a closure of the user's.
    pub(crate) fn runs_user_code(&self) -> bool {
        self.answer.is_some() || self.lanes.iter().any(|lane| lane.matcher.runs_user_code())
    }

    /// Every turn that is known before the first request.
    pub(crate) fn all_turns(&self) -> impl Iterator<Item = (Origin, &Arc<Turn>)> {
        let lanes = self.lanes.iter().enumerate().flat_map(|(at, lane)| {
            let origin = move |n| Origin::Lane {
                lane: at,
                name: Arc::clone(&lane.name),
                n,
            };
            lane.turns
                .iter()
                .enumerate()
                .map(move |(n, turn)| (origin(n), turn))
        });
        let sequence = self.turns.iter().enumerate();
        sequence
            .map(|(n, turn)| (Origin::Sequence(n), turn))
            .chain(lanes)
    }

    /// `script of 2 turns and 1 lane, built at tests/chat.rs:41`.
    pub(crate) fn description(&self) -> String {
        let mut said = format!("script of {}", count(self.turns.len(), "turn"));
        if !self.lanes.is_empty() {
            let turns: usize = self.lanes.iter().map(|lane| lane.turns.len()).sum();
            said = format!(
                "{said} and {} with {}",
                count(self.lanes.len(), "lane"),
                count(turns, "turn")
            );
        }
        if self.answer.is_some() {
            said.push_str(" and a closure");
        }
        format!("{said}, built at {}", self.built)
    }

    /// What was never played: turns, and what is scripted for a call that never came.
    pub(crate) fn unplayed(&self, position: &Position, calls: usize) -> Vec<String> {
        let turns = self
            .all_turns()
            .filter(|(origin, _)| !position.is_past(origin));
        let turns = turns
            .map(|(origin, turn)| format!("{origin}, built at {}, was never played", turn.built));
        let errors = self.errors_at.iter().map(|(index, _)| ("error_at", index));
        let stops = self
            .stops_at
            .iter()
            .map(|(index, _)| ("stop_reason_at", index));
        let never_came = errors.chain(stops).filter(|(_, index)| **index >= calls);
        let never_came = never_came.map(|(what, index)| {
            let came = match calls {
                0 => "no call came".to_owned(),
                _ => format!("only {} came", count(calls, "call")),
            };
            let call = index + 1;
            format!("`.{what}({index}, ..)`, for call #{call}, was never played: {came}")
        });
        turns.chain(never_came).collect()
    }
}

/// There was none before for this call.
fn once<T>(before: Option<&T>, what: &str, index: usize) -> Result<(), String> {
    match before {
        None => Ok(()),
        Some(_) => Err(format!(
            "there are two {what} for the call with index {index}\n  help: remove one of the two"
        )),
    }
}

#[track_caller]
fn or_panic(said: Result<(), String>) {
    if let Err(why) = said {
        panic!("{why}");
    }
}

impl Default for Script {
    #[track_caller]
    fn default() -> Self {
        Self::empty(Built::here())
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script")
            .field("turns", &self.turns)
            .field("lanes", &self.lanes)
            .field("answers_by_closure", &self.answer.is_some())
            .field("errors_at", &self.errors_at)
            .field("stop_reasons_at", &self.stops_at)
            .field("when_played", &self.when_played)
            .finish_non_exhaustive()
    }
}
