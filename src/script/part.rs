//! The parts of a turn, as scripted.

use std::sync::Arc;

use super::{Arguments, Citation, Fragments, Json, ServerTool};
use crate::json::Spacing;

#[derive(Clone, Debug)]
pub(crate) enum ScriptedPart {
    Text {
        text: Arc<str>,
        /// A block of its own, if there are any; an empty list is one too.
        citations: Option<Vec<Citation>>,
        fragments: Option<Fragments>,
    },
    Thinking {
        /// Empty if it is hidden.
        text: Arc<str>,
        /// Made from the seed if it is not given; none is streamed if it is empty.
        signature: Option<String>,
        ends_empty: Option<EndsEmpty>,
        fragments: Option<Fragments>,
    },
    RedactedThinking {
        /// Made from the seed if it is not given.
        data: Option<String>,
    },
    ToolCall {
        id: Option<String>,
        name: String,
        arguments: Arguments,
        caller: Option<Json>,
        fragments: Option<Fragments>,
    },
    CustomToolCall {
        id: Option<String>,
        name: String,
        input: Arc<str>,
        fragments: Option<Fragments>,
    },
    ServerTool {
        tool: Box<ServerTool>,
        says: ServerToolSays,
        fragments: Option<Fragments>,
    },
    Compaction {
        content: String,
        encrypted_content: Option<String>,
    },
    Raw {
        start: Json,
        deltas: Vec<Json>,
        /// A recorded item of OpenAI Responses as it was added; then the deltas have their numbers in their places.
        added: Option<Json>,
    },
}

/// What a tool of the client's is called with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToolKind {
    /// Arguments, which are JSON.
    Function,
    /// Any text.
    Custom,
}

/// Whether an empty delta stands between what was thought and its signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndsEmpty {
    Yes,
    No,
}

/// How much of a server tool stands here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServerToolSays {
    CallAndResult,
    Call,
    Result,
}

/// What is cut into fragments.
pub(super) enum Whole<'a> {
    Known(&'a str),
    /// Its spelling is the API's.
    Spelled,
}

impl<'a> Whole<'a> {
    fn of(arguments: &'a Arguments) -> Self {
        arguments.raw_text().map_or(Self::Spelled, Self::Known)
    }
}

impl ScriptedPart {
    /// Whether the client has to answer it with a result.
    pub(super) const fn calls_the_client(&self) -> bool {
        matches!(self, Self::ToolCall { .. } | Self::CustomToolCall { .. })
    }

    pub(super) const fn runs_on_the_server(&self) -> bool {
        matches!(self, Self::ServerTool { .. })
    }

    /// The tool that the provider calls here.
    pub(super) fn server_tool(&self) -> Option<&ServerTool> {
        match self {
            Self::ServerTool { tool, says, .. } => {
                (*says != ServerToolSays::Result).then_some(tool)
            }
            Self::Text { .. }
            | Self::Thinking { .. }
            | Self::RedactedThinking { .. }
            | Self::ToolCall { .. }
            | Self::CustomToolCall { .. }
            | Self::Compaction { .. }
            | Self::Raw { .. } => None,
        }
    }

    /// How many characters the model wrote for it.
    pub(super) fn characters(&self) -> usize {
        match self {
            Self::Text { text, .. } | Self::Thinking { text, .. } => text.chars().count(),
            Self::ToolCall {
                name, arguments, ..
            } => name.chars().count() + arguments.to_text(Spacing::Spaced).chars().count(),
            Self::CustomToolCall { name, input, .. } => {
                name.chars().count() + input.chars().count()
            }
            Self::ServerTool { .. } => self.server_tool().map_or(0, |tool| {
                tool.arguments.to_text(Spacing::Spaced).chars().count()
            }),
            Self::Compaction { content, .. } => content.chars().count(),
            Self::RedactedThinking { .. } | Self::Raw { .. } => 0,
        }
    }

    /// How many of these characters are thinking; `None` if there is no thinking in it.
    pub(super) fn thought(&self) -> Option<usize> {
        match self {
            Self::Thinking { .. } | Self::RedactedThinking { .. } => Some(self.characters()),
            Self::Text { .. }
            | Self::ToolCall { .. }
            | Self::CustomToolCall { .. }
            | Self::ServerTool { .. }
            | Self::Compaction { .. }
            | Self::Raw { .. } => None,
        }
    }

    /// The bytes of what it says, as far as they are known before it is rendered.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Text { text, .. } | Self::Thinking { text, .. } => text.len(),
            Self::RedactedThinking { data } => data.as_ref().map_or(0, String::len),
            // a value is as good as never long
            Self::ToolCall { arguments, .. } => arguments.raw_text().map_or(0, str::len),
            Self::CustomToolCall { input, .. } => input.len(),
            Self::ServerTool { tool, .. } => tool.len(),
            Self::Compaction {
                content,
                encrypted_content,
            } => content.len() + encrypted_content.as_ref().map_or(0, String::len),
            Self::Raw { start, deltas, .. } => {
                let deltas = deltas.iter().map(|delta| delta.as_str().len());
                start.as_str().len() + deltas.sum::<usize>()
            }
        }
    }

    pub(super) const fn fragments(&self) -> Option<&Fragments> {
        match self {
            Self::Text { fragments, .. }
            | Self::Thinking { fragments, .. }
            | Self::ToolCall { fragments, .. }
            | Self::CustomToolCall { fragments, .. }
            | Self::ServerTool { fragments, .. } => fragments.as_ref(),
            Self::RedactedThinking { .. } | Self::Compaction { .. } | Self::Raw { .. } => None,
        }
    }

    /// What is cut into fragments, and the slot for how; `None` if the part is never cut.
    pub(super) fn uncut(&mut self) -> Option<(Whole<'_>, &mut Option<Fragments>)> {
        match self {
            Self::Text {
                text, fragments, ..
            }
            | Self::Thinking {
                text, fragments, ..
            }
            | Self::CustomToolCall {
                input: text,
                fragments,
                ..
            } => Some((Whole::Known(text), fragments)),
            Self::ToolCall {
                arguments,
                fragments,
                ..
            } => Some((Whole::of(arguments), fragments)),
            Self::ServerTool {
                tool,
                says: ServerToolSays::CallAndResult | ServerToolSays::Call,
                fragments,
            } => Some((Whole::of(&tool.arguments), fragments)),
            Self::RedactedThinking { .. }
            | Self::ServerTool { .. }
            | Self::Compaction { .. }
            | Self::Raw { .. } => None,
        }
    }
}
