//! The parts of a turn, as scripted.

use std::sync::Arc;

use super::{Arguments, Fragments};
use crate::json::Spacing;

#[derive(Clone, Debug)]
pub(crate) enum ScriptedPart {
    Text {
        text: Arc<str>,
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
        fragments: Option<Fragments>,
    },
}

/// Whether an empty delta stands between what was thought and its signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndsEmpty {
    Yes,
    #[expect(
        dead_code,
        reason = "what was recorded without it is said again without it"
    )]
    No,
}

/// What is cut into fragments.
pub(super) enum Whole<'a> {
    Known(&'a str),
    /// Its spelling is the API's.
    Spelled,
}

impl ScriptedPart {
    /// Whether the client has to answer it with a result.
    pub(super) const fn calls_the_client(&self) -> bool {
        match self {
            Self::ToolCall { .. } => true,
            Self::Text { .. } | Self::Thinking { .. } | Self::RedactedThinking { .. } => false,
        }
    }

    /// How many characters the model wrote for it.
    pub(super) fn characters(&self) -> usize {
        match self {
            Self::Text { text, .. } | Self::Thinking { text, .. } => text.chars().count(),
            Self::RedactedThinking { .. } => 0,
            Self::ToolCall {
                name, arguments, ..
            } => name.chars().count() + arguments.to_text(Spacing::Spaced).chars().count(),
        }
    }

    /// How many of these characters are thinking; `None` if there is no thinking in it.
    pub(super) fn thought(&self) -> Option<usize> {
        match self {
            Self::Thinking { .. } | Self::RedactedThinking { .. } => Some(self.characters()),
            Self::Text { .. } | Self::ToolCall { .. } => None,
        }
    }

    /// The bytes of what it says, as far as they are known before it is rendered.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Text { text, .. } | Self::Thinking { text, .. } => text.len(),
            Self::RedactedThinking { data } => data.as_ref().map_or(0, String::len),
            // a value is as good as never long
            Self::ToolCall { arguments, .. } => arguments.raw_text().map_or(0, str::len),
        }
    }

    pub(super) const fn fragments(&self) -> Option<&Fragments> {
        match self {
            Self::Text { fragments, .. }
            | Self::Thinking { fragments, .. }
            | Self::ToolCall { fragments, .. } => fragments.as_ref(),
            Self::RedactedThinking { .. } => None,
        }
    }

    /// What is cut into fragments, and the slot for how; `None` if the part is never cut.
    pub(super) fn uncut(&mut self) -> Option<(Whole<'_>, &mut Option<Fragments>)> {
        match self {
            Self::Text { text, fragments }
            | Self::Thinking {
                text, fragments, ..
            } => Some((Whole::Known(text), fragments)),
            Self::ToolCall {
                arguments,
                fragments,
                ..
            } => Some((
                arguments.raw_text().map_or(Whole::Spelled, Whole::Known),
                fragments,
            )),
            Self::RedactedThinking { .. } => None,
        }
    }
}
