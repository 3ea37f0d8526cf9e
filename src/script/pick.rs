//! Which turn answers: error by index, lane, closure, sequence, in that order. Pure: the server takes the
//! lock, and runs user closures outside it.

use std::{fmt, sync::Arc};

use super::{Lane, Script, Turn, WhenPlayed};
use crate::request::RecordedRequest;

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

/// What the script has for a request.
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

impl Script {
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
}

impl Position {
    pub(crate) fn new(script: &Script) -> Self {
        Self {
            sequence: 0,
            lanes: vec![0; script.lanes.len()],
        }
    }

    /// Whether that turn was played.
    pub(crate) fn is_past(&self, origin: &Origin) -> bool {
        match origin {
            Origin::Sequence(n) => *n < self.sequence,
            Origin::Lane { lane, n, .. } => self.lanes.get(*lane).is_some_and(|played| n < played),
            Origin::Closure(_) | Origin::ErrorAt(_) => true,
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
