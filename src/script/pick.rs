//! Which turn answers: error by index, lane, closure, sequence, in that order. Pure: the server takes the
//! lock, and runs user closures outside it.

use std::{fmt, panic::Location, sync::Arc};

use super::{ApiError, Era, Noise, StopReason, Turn, count};
use crate::{
    request::{Matcher, RecordedRequest},
    small_map::SmallMap,
};

/// Everything a stub has to say, and to whom: what messages call its script.
#[derive(Clone)]
pub(crate) struct Repertoire {
    pub(crate) turns: Vec<Arc<Turn>>,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) answer: Option<Arc<Answer>>,
    pub(crate) errors_at: SmallMap<usize, ApiError>,
    pub(crate) stops_at: SmallMap<usize, StopReason>,
    pub(crate) when_played: WhenPlayed,
    pub(crate) seed: u64,
    pub(crate) noise: Noise,
    pub(crate) era: Era,
    /// Where the stub was begun.
    pub(crate) built: &'static Location<'static>,
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

/// How far each sequence was played.
#[derive(Clone, Debug)]
pub(crate) struct Position {
    sequence: usize,
    lanes: Vec<usize>,
}

/// Where a turn comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The sequence's nth turn, from 0; it grows on when the last one is repeated.
    Sequence(usize),
    Lane {
        lane: usize,
        name: Arc<str>,
        n: usize,
    },
    /// The closure, for this call.
    Closure(usize),
    /// The error for this call's index.
    ErrorAt(usize),
}

/// What the repertoire has for a request.
#[derive(Clone, Debug)]
pub(crate) enum Picked {
    Turn(Arc<Turn>, Origin),
    /// The lane that claims it has no turn left.
    ExhaustedLane(Lane),
    /// No lane claims it, and the sequence has no turn left.
    Exhausted(Vec<Mismatch>),
    /// There are lanes and no sequence, and none claims it.
    Unclaimed(Vec<Mismatch>),
    /// Several lanes claim it.
    Ambiguous(Vec<Arc<str>>),
}

/// A lane, and why it does not claim a request.
pub(crate) type Mismatch = (Arc<str>, String);

/// Which lanes claim a request, and why the others do not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Claims {
    pub(crate) claimed: Vec<usize>,
    pub(crate) mismatches: Vec<Mismatch>,
}

impl Repertoire {
    pub(crate) fn new(built: &'static Location<'static>) -> Self {
        Self {
            turns: Vec::new(),
            lanes: Vec::new(),
            answer: None,
            errors_at: SmallMap::new(),
            stops_at: SmallMap::new(),
            when_played: WhenPlayed::Refuse,
            seed: 0,
            noise: Noise::AsTheService,
            era: Era::today(),
            built,
        }
    }

    /// Whether picking runs a closure of the user's.
    /// Whether something of it may be dropped by the user's own code.
    pub(crate) fn holds_user_code(&self) -> bool {
        self.runs_user_code() || self.all_turns().any(|(_, turn)| turn.runs_user_code())
    }

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

    /// Asks every lane's matcher, after it was named to `asking`. Runs user code.
    pub(crate) fn claims(&self, request: &RecordedRequest, asking: impl Fn(usize)) -> Claims {
        let mut claims = Claims::default();
        for (at, lane) in self.lanes.iter().enumerate() {
            asking(at);
            match lane.matcher.check(request) {
                Ok(()) => claims.claimed.push(at),
                Err(why) => claims.mismatches.push((Arc::clone(&lane.name), why)),
            }
        }
        claims
    }

    /// Asks the closure. Runs user code.
    pub(crate) fn ask(&self, request: &RecordedRequest, index: usize) -> Option<Arc<Turn>> {
        let answer = self.answer.as_ref()?;
        answer(request, index).map(Arc::new)
    }

    /// The turn for a request, once lanes and closure were asked.
    pub(crate) fn pick(
        &self,
        index: usize,
        position: &mut Position,
        claims: Claims,
        answered: Option<Arc<Turn>>,
    ) -> Picked {
        if let Some(error) = self.errors_at.get(&index) {
            return Picked::Turn(Arc::new(Turn::error(error.clone())), Origin::ErrorAt(index));
        }
        match claims.claimed.as_slice() {
            [] => {}
            [lane] => return self.next_in_lane(*lane, position),
            several => {
                let names = several.iter().filter_map(|at| self.lanes.get(*at));
                return Picked::Ambiguous(names.map(|lane| Arc::clone(&lane.name)).collect());
            }
        }
        if let Some(turn) = answered {
            return Picked::Turn(turn, Origin::Closure(index));
        }
        if self.turns.is_empty() && !self.lanes.is_empty() {
            return Picked::Unclaimed(claims.mismatches);
        }
        let n = position.sequence;
        match self.nth(&self.turns, n) {
            Some(turn) => {
                position.sequence += 1;
                Picked::Turn(turn, Origin::Sequence(n))
            }
            None => Picked::Exhausted(claims.mismatches),
        }
    }

    fn next_in_lane(&self, at: usize, position: &mut Position) -> Picked {
        let (Some(lane), Some(played)) = (self.lanes.get(at), position.lanes.get_mut(at)) else {
            return Picked::Exhausted(Vec::new());
        };
        let n = *played;
        match self.nth(&lane.turns, n) {
            Some(turn) => {
                *played += 1;
                let name = Arc::clone(&lane.name);
                Picked::Turn(turn, Origin::Lane { lane: at, name, n })
            }
            None => Picked::ExhaustedLane(lane.clone()),
        }
    }

    fn nth(&self, turns: &[Arc<Turn>], n: usize) -> Option<Arc<Turn>> {
        let turn = turns.get(n).or_else(|| match self.when_played {
            WhenPlayed::Refuse => None,
            WhenPlayed::RepeatLast => turns.last(),
        });
        turn.map(Arc::clone)
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
        format!(
            "{said}, built at {}:{}",
            self.built.file(),
            self.built.line()
        )
    }

    /// What was never played: turns, and what is scripted for a call that never came.
    pub(crate) fn unplayed(&self, position: &Position, calls: usize) -> Vec<String> {
        let played = |origin: &Origin| match origin {
            Origin::Sequence(n) => *n < position.sequence,
            Origin::Lane { lane, n, .. } => position.lanes.get(*lane).is_some_and(|p| n < p),
            Origin::Closure(_) | Origin::ErrorAt(_) => true,
        };
        let turns = self.all_turns().filter(|(origin, _)| !played(origin));
        let turns = turns.map(|(origin, turn)| {
            let (file, line) = (turn.built.file(), turn.built.line());
            format!("{origin}, built at {file}:{line}, was never played")
        });
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

impl Position {
    pub(crate) fn new(repertoire: &Repertoire) -> Self {
        Self {
            sequence: 0,
            lanes: vec![0; repertoire.lanes.len()],
        }
    }
}

impl Origin {
    /// The seed of this answer. That of a lane's turn does not depend on the order in which concurrent
    /// callers arrive; that of a closure's turn, and of an error by index, is that of its index.
    pub(crate) fn seed(&self, script_seed: u64) -> u64 {
        let number = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        let (queue, n) = match self {
            Self::Sequence(n) => (0, *n),
            Self::Closure(n) => (1, *n),
            Self::ErrorAt(n) => (2, *n),
            Self::Lane { lane, n, .. } => (3 + number(*lane), *n),
        };
        if (queue, n) == (0, 0) {
            // the first turn of a sequence says what the pure helpers say
            return script_seed;
        }
        let mut dice = super::Dice::branch(script_seed, (queue << 32) ^ number(n));
        dice.next()
    }

    /// The lane's name, if it is a lane's.
    pub(crate) fn lane(&self) -> Option<&Arc<str>> {
        match self {
            Self::Lane { name, .. } => Some(name),
            Self::Sequence(_) | Self::Closure(_) | Self::ErrorAt(_) => None,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sequence(n) => write!(f, "turn #{}", n + 1),
            Self::Lane { name, n, .. } => write!(f, "lane `{name}` turn #{}", n + 1),
            Self::Closure(_) => f.write_str("the closure's turn"),
            Self::ErrorAt(index) => write!(f, "the error for call #{}", index + 1),
        }
    }
}
