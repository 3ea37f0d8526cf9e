//! A model as a script lists it: members in, the JSON of each provider out.

use serde_json::Value;

use super::Members;

/// A model as `GET /v1/models` shows it: as Anthropic does to a request with `anthropic-version`, as OpenAI does to any
/// other. Both list the same models.
///
/// Each provider writes its own members, in its order, with what was said for them here, and behind them all others
/// that were said: nothing is left out.
///
/// ```
/// use llm_wire_stub::{ModelInfo, WireStub};
///
/// let stub = WireStub::builder()
///     .models([
///         ModelInfo::new("claude-new").member("display_name", "Claude New").member("max_tokens", 64_000),
///         ModelInfo::new("claude-old").member("lifecycle", "deprecated"),
///         ModelInfo::new("gpt-new").member("created", 1_754_425_777).member("owned_by", "system"),
///     ])
///     .start();
/// # drop(stub);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct ModelInfo(Vec<(String, Value)>);

impl ModelInfo {
    /// A model of which nothing else is known. To Anthropic's clients it is active, has its id for a name, was made in
    /// 1970, and the rest is null; to OpenAI's it was made in 1970, and `system` owns it.
    pub fn new(id: impl Into<String>) -> Self {
        Self(vec![("id".to_owned(), id.into().into())])
    }

    /// Sets a member of the JSON. Anthropic has `display_name`, `created_at` (RFC 3339), `max_input_tokens`,
    /// `max_tokens`, `capabilities`, `deprecated_at`, `lifecycle` (`active`, `deprecated`, `retired`), `line`,
    /// `retires_at`; OpenAI `created` (seconds since 1970) and `owned_by`. Any other is written last.
    pub fn member(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        let (name, value) = (name.into(), value.into());
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, slot)) => *slot = value,
            None => self.0.push((name, value)),
        }
        self
    }

    /// What was said for this member.
    pub(crate) fn said(&self, name: &str) -> Option<&Value> {
        let mut members = self.0.iter();
        let member = members.find(|(known, _)| known == name);
        member.map(|(_, value)| value)
    }

    /// Empty, if something else than a text was said for it.
    pub(crate) fn id(&self) -> &str {
        let id = self.said("id").and_then(Value::as_str);
        id.unwrap_or_default()
    }

    /// As a provider with these members writes it, in this order, with these values where none was said.
    pub(crate) fn write(&self, own: &[(&str, Value)]) -> Vec<u8> {
        let members = own.iter().fold(Members::new(), |members, (name, value)| {
            members.value(name, self.said(name).unwrap_or(value))
        });
        let is_own = |name: &str| own.iter().any(|(own, _)| *own == name);
        let more = self.0.iter().filter(|(name, _)| !is_own(name));
        let members = more.fold(members, |members, (name, value)| members.value(name, value));
        members.end()
    }
}

impl From<&str> for ModelInfo {
    fn from(id: &str) -> Self {
        Self::new(id)
    }
}

impl From<String> for ModelInfo {
    fn from(id: String) -> Self {
        Self::new(id)
    }
}
