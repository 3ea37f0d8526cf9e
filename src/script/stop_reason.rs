//! Why the model stopped, naming no provider.

/// Why the model stopped.
///
/// Without one, a turn stops with [`StopReason::ToolUse`] if it calls a tool, else with
/// [`StopReason::EndTurn`]. Each API writes its own word; a string stands for itself, known or not:
///
/// ```
/// use llm_wire_stub::{StopReason, Turn};
///
/// let turn = Turn::new().text("cut").stop_reason(StopReason::MaxTokens);
/// let odd = Turn::new().text("odd").stop_reason("a_reason_of_tomorrow");
/// # let _ = (turn, odd);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// The model had said all it wanted to.
    EndTurn,
    /// The limit on the answer's tokens was reached.
    MaxTokens,
    /// One of the request's stop sequences came up: this one. It is not part of the text.
    StopSequence(String),
    /// The model waits for the results of its tool calls.
    ToolUse,
    /// The provider paused a long turn; the client sends it back to go on.
    PauseTurn,
    /// The model refused. Its words are the turn's text: Anthropic sends them as text, OpenAI as the member
    /// `refusal` of the message, with `finish_reason: "stop"`; without words OpenAI cannot say it.
    Refusal,
    /// A filter of the provider's cut the answer, or stood before it: OpenAI's `content_filter`. Anthropic has
    /// one word for this and for a refusal.
    ContentFilter,
    /// The model's context window was full.
    ContextWindowExceeded,
    /// The model compacted the conversation instead of answering.
    Compaction,
    /// Any other word, written as it is.
    Other(String),
}

impl From<&str> for StopReason {
    fn from(word: &str) -> Self {
        Self::Other(word.to_owned())
    }
}

impl From<String> for StopReason {
    fn from(word: String) -> Self {
        Self::Other(word)
    }
}
