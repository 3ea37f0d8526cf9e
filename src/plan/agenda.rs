//! What is scripted for the places of an answer, in the order in which the answer comes to them.

use std::collections::VecDeque;

use super::{Does, End, PlacedAction, Step};
use crate::script::Place;

/// A queue for each kind of place, so that an answer with many actions stays linear.
#[derive(Debug, Default)]
pub(super) struct Agenda([Queue; 6]);

/// The actions of one kind of place, by its number, and by the order given where that is the same.
type Queue = VecDeque<Entry>;

#[derive(Debug)]
struct Entry {
    number: usize,
    /// Its place in the order given.
    given: usize,
    action: PlacedAction,
}

/// The queue of a place, and its number there.
const fn slot(place: Place) -> (usize, usize) {
    match place {
        Place::Request => (0, 0),
        Place::Head => (1, 0),
        Place::Deltas(n) => (2, n),
        Place::Parts(n) => (3, n),
        Place::Events(n) => (4, n),
        Place::StopReason => (5, 0),
    }
}

impl Agenda {
    pub(super) fn new(actions: Vec<PlacedAction>) -> Self {
        let mut agenda = Self::default();
        for (given, action) in actions.into_iter().enumerate() {
            let (queue, number) = slot(action.place);
            if let Some(queue) = agenda.0.get_mut(queue) {
                let at = queue.partition_point(|entry| entry.number <= number);
                queue.insert(
                    at,
                    Entry {
                        number,
                        given,
                        action,
                    },
                );
            }
        }
        agenda
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(VecDeque::is_empty)
    }

    /// What is left for this place.
    pub(super) fn at(&self, place: Place) -> impl Iterator<Item = &PlacedAction> {
        let (queue, number) = slot(place);
        let entries = self.0.get(queue).into_iter().flatten();
        entries
            .filter(move |entry| entry.number == number)
            .map(|entry| &entry.action)
    }

    /// The next action for this place, which the answer has just come to.
    pub(super) fn take(&mut self, place: Place) -> Option<PlacedAction> {
        let (queue, number) = slot(place);
        let queue = self.0.get_mut(queue)?;
        if queue.front()?.number != number {
            return None;
        }
        queue.pop_front().map(|entry| entry.action)
    }

    /// Whether a reset is among them.
    pub(super) fn has_reset(&self) -> bool {
        let mut actions = self.0.iter().flatten().map(|entry| &entry.action);
        actions.any(|action| matches!(action.does, Does::End(_, Step::End(End::Reset))))
    }

    /// An ending that writes an error.
    pub(super) fn in_stream_error(&self) -> Option<&PlacedAction> {
        let mut actions = self.0.iter().flatten().map(|entry| &entry.action);
        actions.find(|action| matches!(action.does, Does::End(Some(_), _)))
    }

    /// The action left that was given first.
    pub(super) fn first(&self) -> Option<&PlacedAction> {
        let left = self.0.iter().flatten();
        left.min_by_key(|entry| entry.given)
            .map(|entry| &entry.action)
    }
}
