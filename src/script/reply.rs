//! What a turn comes to once it was read back.

use serde_json::Value;

use super::{StopReason, Usage};

/// What a client that reads everything and loses nothing ends up with: one part for each block of the
/// answer, ids and usage filled in.
///
/// [`accumulate`](crate::accumulate) makes one from bytes, [`Turn::normalized`](crate::Turn::normalized)
/// from a turn; the two are equal for every turn that an API can carry.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reply {
    /// The provider's id of this answer.
    pub id: String,
    /// The model that answered.
    pub model: String,
    /// What it says, in order.
    pub parts: Vec<Part>,
    /// Why the model stopped.
    pub stop_reason: StopReason,
    /// What the answer cost.
    pub usage: Usage,
}

impl Reply {
    pub(crate) const fn new(
        id: String,
        model: String,
        parts: Vec<Part>,
        stop_reason: StopReason,
        usage: Usage,
    ) -> Self {
        Self {
            id,
            model,
            parts,
            stop_reason,
            usage,
        }
    }

    /// All text, joined.
    #[must_use]
    pub fn text(&self) -> String {
        self.parts.iter().filter_map(Part::as_text).collect()
    }

    /// All thinking that is not hidden, joined.
    #[must_use]
    pub fn thinking(&self) -> String {
        let thinking = self.parts.iter().filter_map(Part::as_thinking);
        thinking.collect()
    }

    /// The tool calls, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(Part::as_tool_call)
    }
}

/// One block of an answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Part {
    /// Text for the user.
    Text(String),
    /// What the model thought before it went on.
    Thinking {
        /// Empty if it is hidden.
        text: String,
        /// The provider's proof that it is its own; empty if it gave none.
        signature: String,
    },
    /// Thinking that the provider encrypted.
    RedactedThinking {
        /// What has to be sent back as it is.
        data: String,
    },
    /// A call of one of the client's tools.
    ToolCall(ToolCall),
    /// What this crate has no word for, so that nothing is lost: a block of another kind, the citations
    /// of the text before it, or, in the partial reply of an error, a tool call that did not come to its
    /// end. The block as it started, and its deltas.
    Unknown {
        /// The block as it started.
        block: Value,
        /// Its deltas, in order.
        deltas: Vec<Value>,
    },
}

impl Part {
    /// The tool call, if this part is one.
    #[must_use]
    pub const fn as_tool_call(&self) -> Option<&ToolCall> {
        match self {
            Self::ToolCall(call) => Some(call),
            Self::Text(_)
            | Self::Thinking { .. }
            | Self::RedactedThinking { .. }
            | Self::Unknown { .. } => None,
        }
    }

    /// The text, if this part is text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Thinking { .. }
            | Self::RedactedThinking { .. }
            | Self::ToolCall(_)
            | Self::Unknown { .. } => None,
        }
    }

    /// What was thought, if this part is thinking and not encrypted.
    #[must_use]
    pub fn as_thinking(&self) -> Option<&str> {
        match self {
            Self::Thinking { text, .. } => Some(text),
            Self::Text(_)
            | Self::RedactedThinking { .. }
            | Self::ToolCall(_)
            | Self::Unknown { .. } => None,
        }
    }
}

/// A call of one of the client's tools, whole.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolCall {
    /// The id that the tool's result has to name.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it is called with. No arguments at all are an empty object.
    pub arguments: Value,
}

impl ToolCall {
    pub(crate) const fn new(id: String, name: String, arguments: Value) -> Self {
        Self {
            id,
            name,
            arguments,
        }
    }
}
