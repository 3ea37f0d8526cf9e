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
pub struct Json {
    text: Arc<str>,
    /// What a reader makes of the text; numbers with many digits are rounded.
    value: Arc<Value>,
}

impl Json {
    /// A document in this spelling.
    ///
    /// # Panics
    ///
    /// At the caller's line, if it is no JSON document, or not on one line.
    #[must_use]
    #[track_caller]
    pub fn raw(text: impl Into<String>) -> Self {
        match Self::checked(&text.into()) {
            Ok(json) => json,
            Err(why) => panic!("{why}"),
        }
    }

    /// As [`raw`](Self::raw).
    ///
    /// # Errors
    ///
    /// If it is no JSON document, or not on one line.
    pub(crate) fn checked(text: &str) -> Result<Self, String> {
        let value = serde_json::from_str(text).map_err(|error| {
            format!(
                "this is no JSON document: {error}\n  found: `{}`\n  \
                 help: what is broken on purpose can be scripted as arguments, with `Arguments::raw(..)`",
                text.escape_debug()
            )
        })?;
        if text.contains(['\n', '\r']) {
            return Err(format!(
                "a JSON document on the wire stands on one line\n  found: `{}`\n  \
                 help: leave out the line breaks between its members",
                text.escape_debug()
            ));
        }
        Ok(Self::of(text, value))
    }

    /// A document that is known to be one.
    pub(crate) fn spelled(text: &str) -> Self {
        Self::of(text, serde_json::from_str(text).unwrap_or_default())
    }

    /// A document that was read.
    pub(crate) fn read(value: Value) -> Self {
        Self::of(&json::to_string(&value, Spacing::Compact), value)
    }

    fn of(text: &str, value: Value) -> Self {
        Self {
            text: text.into(),
            value: Arc::new(value),
        }
    }

    /// The document as it is spelled.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The document as a value.
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.value.as_ref().clone()
    }
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        Self::spelled(&json::to_string(&value, Spacing::Compact))
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
