//! What a request asks of the form of its answer, read once from its body.

use serde_json::Value;

/// What the answer depends on besides the turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked;

impl Asked {
    pub(crate) const fn read(_body: &Value) -> Self {
        Self
    }
}
