//! The error of an accumulator: what, where, expected, found.

use std::{error::Error, fmt, sync::Arc};

use super::{Found, Problem};
use crate::{api::Api, script::Part, sse::SseErrorKind};

/// Why bytes, or events, are no whole answer: what is wrong, and where.
///
/// ```
/// use llm_wire_stub::{AccumulateErrorKind, Api, Turn, accumulate, sse_body};
///
/// let body = sse_body(Api::AnthropicMessages, &Turn::new().text("hi").plain());
/// let text = std::str::from_utf8(&body).unwrap().replace("text_delta", "thinking_delta");
/// let error = accumulate(Api::AnthropicMessages, text.as_bytes()).unwrap_err();
/// assert_eq!(error.kind(), &AccumulateErrorKind::WrongDelta);
/// assert_eq!(error.event_index(), Some(2));
/// assert!(error.to_string().ends_with(
///     "  expected: text_delta or citations_delta, for block 0 of the type text\n  \
///      found: `thinking_delta`"
/// ));
/// ```
// behind a pointer, so that a `Result` with it stays small, and giving it again costs nothing
#[derive(Clone, Debug, PartialEq)]
pub struct AccumulateError(Arc<Details>);

#[derive(Debug, PartialEq)]
struct Details {
    api: Api,
    problem: Problem,
    event_index: Option<usize>,
    offset: u64,
    partial: Vec<Part>,
}

/// What is wrong with an answer.
///
/// ```
/// use llm_wire_stub::{AccumulateErrorKind, Api, accumulate_json};
///
/// let body = br#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
/// let error = accumulate_json(Api::AnthropicMessages, body).unwrap_err();
/// assert_eq!(
///     error.kind(),
///     &AccumulateErrorKind::Provider {
///         error_type: "overloaded_error".to_owned(),
///         message: "Overloaded".to_owned(),
///     }
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AccumulateErrorKind {
    /// The bytes cannot be decoded to events; the [`SseError`](crate::SseError) is the
    /// [`source`](std::error::Error::source).
    Sse(SseErrorKind),
    /// The body holds no event and does not begin as an event stream: a web page, or JSON.
    NotAnEventStream,
    /// The data of an event, or the JSON body, is not one JSON object.
    MalformedJson,
    /// The name of an event and the type in its data differ.
    NameMismatch,
    /// An event came where the order of the API has no place for it.
    UnexpectedEvent,
    /// A block has an index that is not its turn, or a delta or stop belongs to no open block.
    WrongBlock,
    /// The answer was about to end while this block had no stop.
    BlockNotClosed {
        /// The index of the block.
        index: usize,
    },
    /// A delta does not fit its block, or its members do not fit its type.
    WrongDelta,
    /// A member that the API always writes is missing.
    MissingField {
        /// The path of the member in the event's data or in the body, such as `message.id`.
        field: String,
    },
    /// A member has a type or a value that the API never writes.
    WrongField {
        /// The path of the member in the event's data or in the body, such as `message.role`.
        field: String,
    },
    /// A tool call ended and its arguments are not one JSON document.
    ArgumentsNotJson {
        /// The tool.
        name: String,
        /// The arguments as they came, whole.
        raw: String,
    },
    /// The answer ended, at the end of an event, before the event that proves it complete; or a JSON
    /// body ended too early.
    Truncated,
    /// The provider itself reported an error.
    Provider {
        /// The provider's type of error.
        error_type: String,
        /// The provider's message.
        message: String,
    },
    /// [`Script::from_wire`](crate::Script::from_wire) does not say this answer again: its form is one that no turn
    /// gives.
    NotSaidAgain,
}

impl AccumulateError {
    pub(in crate::api) fn new(
        api: Api,
        problem: Box<Problem>,
        event_index: Option<usize>,
        offset: u64,
        partial: Vec<Part>,
    ) -> Self {
        Self(Arc::new(Details {
            api,
            problem: *problem,
            event_index,
            offset,
            partial,
        }))
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &AccumulateErrorKind {
        &self.0.problem.kind
    }

    /// The event, counted from 0; messages show it from 1. For an answer that ended too early, the event
    /// that is missing. `None` for a JSON body, and for a body that is no event stream.
    #[must_use]
    pub fn event_index(&self) -> Option<usize> {
        self.0.event_index
    }

    /// Where that event begins in the body, in bytes.
    ///
    /// For bytes that cannot be decoded, where that was noticed. For an answer that ended too early, the
    /// length of the body; from [`Accumulator::finish`](crate::Accumulator::finish), which knows no body, where the last event
    /// began. Otherwise 0 where there is no event.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.0.offset
    }

    /// What would have been right.
    #[must_use]
    pub fn expected(&self) -> &str {
        &self.0.problem.expected
    }

    /// What was there instead, as the message shows it: escaped, and at most 200 characters of it.
    #[must_use]
    pub fn found(&self) -> &str {
        match &self.0.problem.found {
            Found::Quoted { shown, .. } => shown,
            Found::Said(text) => text,
        }
    }

    /// What was read before the error, blocks under way included. Nothing for a JSON body.
    ///
    /// Only a tool call that ended well is a [`Part::ToolCall`]. One under way, or with broken arguments,
    /// is a [`Part::Unknown`]: its block as it started, and one delta with the arguments so far. So
    /// nothing is lost, and no half call can be taken for a whole one.
    #[must_use]
    pub fn partial(&self) -> &[Part] {
        &self.0.partial
    }
}

impl fmt::Display for AccumulateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details {
            api,
            problem,
            event_index,
            offset,
            ..
        } = &*self.0;
        write!(f, "{}\n  where: {}", problem.what, api.name())?;
        if let Some(index) = event_index {
            write!(f, ", event #{}", index.saturating_add(1))?;
        }
        let expected = &problem.expected;
        write!(f, ", byte {offset}\n  expected: {expected}\n  found: ")?;
        match &problem.found {
            Found::Quoted { shown, cut: 0 } => write!(f, "`{shown}`")?,
            Found::Quoted { shown, cut } => write!(f, "`{shown}` and {cut} more bytes")?,
            Found::Said(text) => f.write_str(text)?,
        }
        match problem.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

impl Error for AccumulateError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let cause = self.0.problem.source.as_ref()?;
        Some(cause)
    }
}
