//! A request in neutral words. Each API fills this in from its own JSON.

use serde_json::Value;

/// What is read of every request as it comes: enough to refuse it, to route it, and to answer it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sketch {
    pub(crate) model: String,
    pub(crate) stream: bool,
    /// Why the body cannot be read.
    pub(crate) malformed: Option<String>,
}

/// The rest of what a request says, whatever API it was sent to; read when somebody asks.
#[derive(Clone, Debug, Default)]
pub(crate) struct View {
    /// The system prompt as text, and as sent.
    pub(crate) system: Option<(String, Value)>,
    /// So many messages at the start are part of the system prompt.
    pub(crate) system_messages: usize,
    pub(crate) messages: Vec<Message>,
    pub(crate) tools: Vec<OfferedTool>,
    pub(crate) tool_results: Vec<ToolResult>,
    pub(crate) response_format: Option<ResponseFormat>,
    pub(crate) max_tokens: Option<u64>,
    /// The whole body; null if it is no JSON.
    pub(crate) json: Value,
}

/// Who says a message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// The user, or a tool on the user's side.
    User,
    /// The model.
    Assistant,
    /// The developer.
    System,
    /// Any other word.
    Other(String),
}

/// One message of the conversation that the client sent.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What it is made of, in order.
    pub parts: Vec<MessagePart>,
}

/// A piece of a message.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MessagePart {
    /// Text.
    Text(String),
    /// A tool call that the model made earlier.
    ToolCall {
        /// Its id.
        id: String,
        /// The tool.
        name: String,
        /// Its arguments; the input of a custom tool as a string.
        arguments: Value,
    },
    /// What a tool answered.
    ToolResult(ToolResult),
    /// What the model thought earlier, from `thinking` blocks of Anthropic Messages and `reasoning` items of OpenAI
    /// Responses.
    Thinking {
        /// What it thought; empty if it was hidden.
        text: String,
        /// Its signature; empty if the client sends none.
        signature: String,
    },
    /// Anything else, as sent: redacted thinking, images, documents, tools that the provider ran.
    Other(Value),
}

/// What the client's tool answered to a call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    pub(crate) call_id: String,
    pub(crate) text: String,
    pub(crate) is_error: bool,
    pub(crate) content: Value,
}

/// A tool that the request offers to the model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OfferedTool {
    /// Its name.
    pub name: String,
    /// What it does; empty if the request does not say.
    pub description: String,
    /// The JSON schema of its arguments; null for a custom tool, whose input is any text, and
    /// for a tool that the provider runs itself.
    pub input_schema: Value,
}

/// The form that the request wants the text to have.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ResponseFormat {
    /// The schema's name, where the API has one.
    pub name: Option<String>,
    /// The JSON schema.
    pub schema: Value,
}

impl Message {
    pub(crate) const fn new(role: Role, parts: Vec<MessagePart>) -> Self {
        Self { role, parts }
    }

    /// Its text, blocks joined by newlines. Tool results are not part of it.
    #[must_use]
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.parts.iter().filter_map(MessagePart::as_text).collect();
        texts.join("\n")
    }
}

impl MessagePart {
    /// The text, if this part is text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::ToolCall { .. }
            | Self::ToolResult(_)
            | Self::Thinking { .. }
            | Self::Other(_) => None,
        }
    }
}

impl ToolResult {
    /// The id of the call that this answers.
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// Its text, blocks joined by newlines.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the tool says that it failed, as only Anthropic Messages can; on OpenAI's APIs it is always false, and
    /// [`text`](Self::text) says what there is to say.
    #[must_use]
    pub const fn is_error(&self) -> bool {
        self.is_error
    }

    /// The content as sent.
    #[must_use]
    pub const fn content(&self) -> &Value {
        &self.content
    }
}

impl OfferedTool {
    pub(crate) const fn new(name: String, description: String, input_schema: Value) -> Self {
        Self {
            name,
            description,
            input_schema,
        }
    }
}

impl ResponseFormat {
    pub(crate) const fn new(name: Option<String>, schema: Value) -> Self {
        Self { name, schema }
    }
}

impl View {
    /// The text of the last user message that has any.
    pub(crate) fn last_user_text(&self) -> String {
        let users = self.messages.iter().rev().filter(|m| m.role == Role::User);
        users
            .map(Message::text)
            .find(|text| !text.is_empty())
            .unwrap_or_default()
    }

    /// All text of the request, one piece a line: system, the other messages, tool results.
    pub(crate) fn text(&self) -> String {
        let mut lines: Vec<&str> = Vec::new();
        if let Some((system, _)) = &self.system {
            lines.push(system);
        }
        let messages = self.messages.iter().skip(self.system_messages);
        for part in messages.flat_map(|message| &message.parts) {
            match part {
                MessagePart::Text(text) => lines.push(text),
                MessagePart::ToolResult(result) => lines.push(&result.text),
                MessagePart::ToolCall { .. }
                | MessagePart::Thinking { .. }
                | MessagePart::Other(_) => {}
            }
        }
        lines.join("\n")
    }
}
