//! The arguments of a tool call.

use serde_json::Value;

use crate::json::{self, Spacing};

/// The arguments of a tool call: a JSON value, or a string written as it is, so that broken ones can be
/// scripted.
///
/// ```
/// use llm_wire_stub::{Arguments, Turn};
/// use serde_json::json;
///
/// let whole = Turn::new().tool_call("edit", json!({"path": "a"}));
/// let broken = Turn::new().tool_call("edit", Arguments::raw(r#"{"path": "#));
/// # let _ = (whole, broken);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Arguments {
    /// A value; each API writes it as its models do, with sorted keys.
    Json(Value),
    /// A string, written as it is.
    Raw(String),
}

impl Arguments {
    /// Arguments written as they are, well-formed or not.
    #[must_use]
    pub fn raw(text: impl Into<String>) -> Self {
        Self::Raw(text.into())
    }

    /// The text of those that are written as they are.
    pub(crate) fn raw_text(&self) -> Option<&str> {
        match self {
            Self::Raw(text) => Some(text),
            Self::Json(_) => None,
        }
    }

    /// The arguments as the model would write them.
    pub(crate) fn to_text(&self, spacing: Spacing) -> String {
        match self {
            Self::Raw(text) => text.clone(),
            // a call without arguments has no text at all
            Self::Json(Value::Object(members)) if members.is_empty() => String::new(),
            Self::Json(value) => json::to_string(value, spacing),
        }
    }
}

impl From<Value> for Arguments {
    fn from(value: Value) -> Self {
        Self::Json(value)
    }
}
