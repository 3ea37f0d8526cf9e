//! Breaches of rules, and which of several answers.

use super::Rule;
use crate::script::ApiError;

/// The first breach of a rule in a request: where, in the order in which the service is taken to look, and its answer.
pub(crate) struct Violation<P> {
    pub(crate) place: P,
    pub(crate) error: ApiError,
}

impl<P> Violation<P> {
    pub(crate) fn about(mut self, param: impl Into<String>) -> Self {
        self.error = self.error.param(param);
        self
    }

    pub(crate) fn coded(mut self, code: &str) -> Self {
        self.error = self.error.error_code(code);
        self
    }
}

/// Of these the one whose place comes first; at one place it is the one that stands first.
pub(crate) fn first<P: Ord>(
    broken: impl Iterator<Item = (&'static Rule, Violation<P>)>,
) -> Option<(&'static Rule, ApiError)> {
    let first = broken.min_by(|(_, one), (_, other)| one.place.cmp(&other.place));
    first.map(|(rule, violation)| (rule, violation.error))
}
