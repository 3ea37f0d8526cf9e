//! What a turn comes to once it was read back.

use serde_json::Value;

use super::{Citation, Container, Json, StopDetails, StopReason, Usage};

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
    /// What the answer cost; all zeros where the provider does not say it, as in a stream of OpenAI Chat that was not asked
    /// for its usage, or that was cut before it.
    pub usage: Usage,
    /// Why the model refused, where the provider says it.
    pub stop_details: Option<StopDetails>,
    /// Where the provider ran code.
    pub container: Option<Container>,
    /// What the provider did with the context.
    pub context_management: Option<Json>,
    /// What the provider's moderation found in request and answer, where the request asked for it.
    pub moderation: Option<Json>,
    /// At which tier the answer was made, where the provider says it.
    pub service_tier: Option<String>,
    /// Where the answer was made, where the provider says it.
    pub inference_geo: Option<String>,
    /// The second choice and those after it, where the request asked for several.
    pub other_choices: Vec<Choice>,
}

/// One of several answers to a request, beside the first.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Choice {
    /// What it says, in order.
    pub parts: Vec<Part>,
    /// Why the model stopped.
    pub stop_reason: StopReason,
}

impl Choice {
    pub(crate) const fn new(parts: Vec<Part>, stop_reason: StopReason) -> Self {
        Self { parts, stop_reason }
    }
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
            stop_details: None,
            container: None,
            context_management: None,
            moderation: None,
            service_tier: None,
            inference_geo: None,
            other_choices: Vec::new(),
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

    /// The calls of the client's tools, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(Part::as_tool_call)
    }

    /// The calls of the client's custom tools, in order.
    pub fn custom_tool_calls(&self) -> impl Iterator<Item = &CustomToolCall> {
        self.parts.iter().filter_map(Part::as_custom_tool_call)
    }
}

/// One block of an answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Part {
    /// Text for the user.
    Text(String),
    /// Text for the user, of a model that says what it is based on.
    CitedText {
        /// The text.
        text: String,
        /// What it is based on; maybe nothing.
        citations: Vec<Citation>,
    },
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
    /// A call of one of the client's tools, whose arguments are JSON.
    ToolCall(ToolCall),
    /// A call of one of the client's custom tools, whose input is any text.
    CustomToolCall(CustomToolCall),
    /// A call of a tool that the provider runs itself.
    ServerToolCall(ServerToolCall),
    /// What came of such a call.
    ServerToolResult(ServerToolResult),
    /// A summary that stands for the conversation so far.
    Compaction {
        /// The summary.
        content: Option<String>,
        /// Its encrypted form.
        encrypted_content: Option<String>,
    },
    /// What this crate has no word for, so that nothing is lost: a block of another kind, or, in the partial
    /// reply of an error, a tool call that did not come to its end. The block as it started, and its deltas.
    Unknown {
        /// The block as it started.
        block: Value,
        /// Its deltas, in order.
        deltas: Vec<Value>,
    },
}

impl Part {
    /// The tool call, if this part is one of the client's.
    #[must_use]
    pub const fn as_tool_call(&self) -> Option<&ToolCall> {
        match self {
            Self::ToolCall(call) => Some(call),
            Self::Text(_)
            | Self::CitedText { .. }
            | Self::Thinking { .. }
            | Self::RedactedThinking { .. }
            | Self::CustomToolCall(_)
            | Self::ServerToolCall(_)
            | Self::ServerToolResult(_)
            | Self::Compaction { .. }
            | Self::Unknown { .. } => None,
        }
    }

    /// The call, if this part is one of the client's custom tools.
    #[must_use]
    pub const fn as_custom_tool_call(&self) -> Option<&CustomToolCall> {
        match self {
            Self::CustomToolCall(call) => Some(call),
            Self::Text(_)
            | Self::CitedText { .. }
            | Self::Thinking { .. }
            | Self::RedactedThinking { .. }
            | Self::ToolCall(_)
            | Self::ServerToolCall(_)
            | Self::ServerToolResult(_)
            | Self::Compaction { .. }
            | Self::Unknown { .. } => None,
        }
    }

    /// The text, if this part is text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::CitedText { text, .. } => Some(text),
            Self::Thinking { .. }
            | Self::RedactedThinking { .. }
            | Self::ToolCall(_)
            | Self::CustomToolCall(_)
            | Self::ServerToolCall(_)
            | Self::ServerToolResult(_)
            | Self::Compaction { .. }
            | Self::Unknown { .. } => None,
        }
    }

    /// What was thought, if this part is thinking and not encrypted.
    #[must_use]
    pub fn as_thinking(&self) -> Option<&str> {
        match self {
            Self::Thinking { text, .. } => Some(text),
            Self::Text(_)
            | Self::CitedText { .. }
            | Self::RedactedThinking { .. }
            | Self::ToolCall(_)
            | Self::CustomToolCall(_)
            | Self::ServerToolCall(_)
            | Self::ServerToolResult(_)
            | Self::Compaction { .. }
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
    /// Who called it, if not the model itself.
    pub caller: Option<Value>,
}

impl ToolCall {
    pub(crate) const fn new(id: String, name: String, arguments: Value) -> Self {
        Self {
            id,
            name,
            arguments,
            caller: None,
        }
    }
}

/// A call of one of the client's custom tools, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CustomToolCall {
    /// The id that the tool's result has to name.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it is called with: any text.
    pub input: String,
}

impl CustomToolCall {
    pub(crate) const fn new(id: String, name: String, input: String) -> Self {
        Self { id, name, input }
    }
}

/// A call of a tool that the provider runs itself.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ServerToolCall {
    /// The id that its result names.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The MCP server whose tool it is.
    pub server: Option<String>,
    /// What it is called with. No arguments at all are an empty object.
    pub arguments: Value,
    /// Who called it, if not the model itself.
    pub caller: Option<Value>,
}

/// What came of a tool that the provider ran itself.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ServerToolResult {
    /// The id of the call.
    pub call_id: String,
    /// The provider's word for this kind of result, such as `web_search_tool_result`.
    pub kind: String,
    /// Whether the tool failed.
    pub is_error: bool,
    /// The result as it came.
    pub content: Value,
    /// Who called the tool, if not the model itself.
    pub caller: Option<Value>,
}

impl ServerToolResult {
    /// What came of this call. The content says itself whether the tool failed, unless `failed` does.
    pub(crate) fn new(call_id: String, kind: String, failed: Option<bool>, content: Value) -> Self {
        let word = content.get("type").and_then(Value::as_str);
        Self {
            call_id,
            kind,
            is_error: failed.unwrap_or_else(|| word.is_some_and(|word| word.ends_with("_error"))),
            content,
            caller: None,
        }
    }
}
