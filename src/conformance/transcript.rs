//! What a client read, as far as it says it.

use serde_json::Value;

use crate::script::ToolCall;

/// What a client read of an answer. What it does not say is not compared; [`Report`](super::Report) lists it.
///
/// ```
/// use llm_wire_stub::conformance::Transcript;
/// use serde_json::json;
///
/// let read = Transcript::text("Let me look.")
///     .tool_calls([("call_1", "shell", json!({"cmd": "ls"}))])
///     .stop_reason("tool_use")
///     .usage(12, 7);
/// # let _ = read;
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Transcript {
    pub(super) text: String,
    pub(super) thinking: Option<String>,
    pub(super) tool_calls: Option<Vec<ToolCall>>,
    pub(super) stop_reason: Option<Option<String>>,
    pub(super) usage: Option<(u64, u64)>,
}

impl Transcript {
    /// All text, joined.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            thinking: None,
            tool_calls: None,
            stop_reason: None,
            usage: None,
        }
    }

    /// All thinking, joined.
    pub fn thinking(mut self, thinking: impl Into<String>) -> Self {
        self.thinking = Some(thinking.into());
        self
    }

    /// The tool calls that the client would run, in order: id, name and arguments as JSON, or a
    /// [`ToolCall`]. An empty list says that it would run none.
    pub fn tool_calls<C: Into<ToolCall>>(mut self, calls: impl IntoIterator<Item = C>) -> Self {
        self.tool_calls = Some(calls.into_iter().map(Into::into).collect());
        self
    }

    /// Why the model stopped, in the client's own words: the suite learns these from undamaged answers. `None` if the
    /// client has no word for it.
    pub fn stop_reason(mut self, reason: impl IntoStopReason) -> Self {
        self.stop_reason = Some(reason.into_stop_reason());
        self
    }

    /// The tokens of the prompt and of the answer.
    pub fn usage(mut self, input: u64, output: u64) -> Self {
        self.usage = Some((input, output));
        self
    }
}

/// Longer texts are cut in a report.
pub(super) const SHORT: usize = 120;

impl Transcript {
    /// What was read, in a line; what is empty or was not said is left out, but for the text.
    pub(super) fn shown(&self) -> String {
        let mut shown = format!("text {}", excerpt(&format!("{:?}", self.text)));
        if let Some(thinking) = self.thinking.as_ref().filter(|text| !text.is_empty()) {
            shown += &format!("; thinking {}", excerpt(&format!("{thinking:?}")));
        }
        if let Some(calls) = self.tool_calls.as_ref().filter(|calls| !calls.is_empty()) {
            shown += &format!("; tool calls {}", excerpt(&calls_shown(calls)));
        }
        match &self.stop_reason {
            Some(Some(reason)) => shown += &format!("; stop reason `{reason}`"),
            Some(None) => shown += "; no stop reason",
            None => {}
        }
        if let Some((input, output)) = self.usage {
            shown += &format!("; usage {input} in, {output} out");
        }
        shown
    }
}

/// Calls of tools, as they would be run.
pub(super) fn calls_shown<'a>(calls: impl IntoIterator<Item = &'a ToolCall>) -> String {
    let calls = calls
        .into_iter()
        .map(|call| format!("{} {}({})", call.id, call.name, call.arguments));
    format!("[{}]", calls.collect::<Vec<_>>().join(", "))
}

/// A long text without its middle.
pub(super) fn excerpt(text: &str) -> String {
    let count = text.chars().count();
    if count <= SHORT {
        return text.to_owned();
    }
    let start: String = text.chars().take(SHORT * 3 / 4).collect();
    let end: String = text.chars().skip(count - SHORT / 4).collect();
    format!("{start}…{end} ({count} characters)")
}

/// A stop reason, or none.
pub trait IntoStopReason {
    /// In the client's own words.
    fn into_stop_reason(self) -> Option<String>;
}

impl IntoStopReason for &str {
    fn into_stop_reason(self) -> Option<String> {
        Some(self.to_owned())
    }
}

impl IntoStopReason for String {
    fn into_stop_reason(self) -> Option<String> {
        Some(self)
    }
}

impl<T: Into<String>> IntoStopReason for Option<T> {
    fn into_stop_reason(self) -> Option<String> {
        self.map(Into::into)
    }
}

impl<I: Into<String>, N: Into<String>> From<(I, N, Value)> for ToolCall {
    fn from((id, name, arguments): (I, N, Value)) -> Self {
        Self::new(id.into(), name.into(), arguments)
    }
}
