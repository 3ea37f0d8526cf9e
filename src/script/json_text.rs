//! A JSON document, and how it is spelled.

use std::{fmt, sync::Arc};

use serde_json::Value;

use crate::json::{self, Spacing};

/// A JSON document that is written as it is spelled: a value is spelled compact and with sorted keys, a text
/// stays as it is. Two are equal if they say the same, however they are spelled.
///
/// ```
/// use llm_wire_stub::Json;
/// use serde_json::json;
///
/// let sorted = Json::from(json!({"type": "fallback", "from": 1}));
/// let spelled = Json::raw(r#"{"type":"fallback","from":1}"#);
/// assert_eq!(sorted.as_str(), r#"{"from":1,"type":"fallback"}"#);
/// assert_eq!(sorted, spelled);
/// ```
#[derive(Clone)]
pub struct Json(Arc<str>);

impl Json {
    /// A document in this spelling.
    ///
    /// # Panics
    ///
    /// At the caller's line, if it is no JSON document, or not on one line.
    #[must_use]
    #[track_caller]
    pub fn raw(text: impl Into<String>) -> Self {
        let text = text.into();
        if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(&text) {
            panic!(
                "this is no JSON document: {error}\n  found: `{}`\n  \
                 help: what is broken on purpose can be scripted as arguments, with `Arguments::raw(..)`",
                text.escape_debug()
            );
        }
        assert!(
            !text.contains(['\n', '\r']),
            "a JSON document on the wire stands on one line\n  found: `{}`\n  \
             help: leave out the line breaks between its members",
            text.escape_debug()
        );
        Self(text.into())
    }

    /// A document that is known to be one.
    pub(crate) fn spelled(text: &str) -> Self {
        Self(text.into())
    }

    /// The document as it is spelled.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The document as a value.
    #[must_use]
    pub fn to_value(&self) -> Value {
        serde_json::from_str(&self.0).unwrap_or_default()
    }
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        Self(json::to_string(&value, Spacing::Compact).into())
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 || self.to_value() == other.to_value()
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
