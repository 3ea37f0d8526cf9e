//! Events, or a whole body, in; a [`Reply`] out, or an error that says what is wrong, and where.
//!
//! What the events of one API mean, and in which order they may come, stands in that API's folder. Here
//! are the front door, the error, and the strict reading of JSON members that every API shares.

use std::{borrow::Cow, error::Error, fmt, sync::Arc};

use serde_json::{Map, Value};

use super::{Api, anthropic_messages};
use crate::{
    json::{self, Spacing},
    script::{Part, Reply},
    sse::{SseDecoder, SseError, SseErrorKind, SseEvent},
};

/// Reads the events of one streamed answer back to a [`Reply`], strictly: what a correct client must
/// not accept is an error.
///
/// Events are pushed as they are decoded; [`finish`](Self::finish) gives the reply. After an error every
/// later call gives that same error. For a body that is at hand as a whole there is [`accumulate`].
///
/// ```
/// use llm_wire_stub::{Accumulator, Api, SseDecoder, Turn, sse_body};
///
/// let mut decoder = SseDecoder::new();
/// let mut accumulator = Accumulator::new(Api::AnthropicMessages);
/// for bytes in sse_body(Api::AnthropicMessages, &Turn::new().text("Hello!")).chunks(7) {
///     decoder.push(bytes).unwrap();
///     while let Some(event) = decoder.next_event() {
///         accumulator.push(&event).unwrap();
///     }
/// }
/// decoder.finish().unwrap();
/// assert_eq!(accumulator.finish().unwrap().text(), "Hello!");
/// ```
#[derive(Debug)]
pub struct Accumulator {
    api: Api,
    machine: Machine,
    /// How many events were dispatched so far, and where the last one began.
    events: usize,
    offset: u64,
    failed: Option<AccumulateError>,
}

#[derive(Debug)]
enum Machine {
    AnthropicMessages(anthropic_messages::MessagesAccumulator),
}

impl Accumulator {
    /// An accumulator at the start of an answer.
    #[must_use]
    pub fn new(api: Api) -> Self {
        Self {
            api,
            machine: match api {
                Api::AnthropicMessages => {
                    Machine::AnthropicMessages(anthropic_messages::MessagesAccumulator::default())
                }
            },
            events: 0,
            offset: 0,
            failed: None,
        }
    }

    /// Reads the next event.
    ///
    /// # Errors
    ///
    /// What is wrong with this event, or with its place; after any error, that error again.
    pub fn push(&mut self, event: &SseEvent) -> Result<(), AccumulateError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.events = event.index().saturating_add(1);
        self.offset = event.offset();
        let pushed = match &mut self.machine {
            Machine::AnthropicMessages(messages) => messages.push(event),
        };
        pushed.map_err(|problem| self.fail(problem, Some(event.index()), event.offset()))
    }

    /// The whole answer, once its stream is over.
    ///
    /// # Errors
    ///
    /// [`Truncated`](AccumulateErrorKind::Truncated) if the event that proves completeness did not come;
    /// the offset is that of the last event, since no more is known of the body here. After any error,
    /// that error again.
    pub fn finish(self) -> Result<Reply, AccumulateError> {
        let end = self.offset;
        self.finish_at(end)
    }

    fn finish_at(mut self, end: u64) -> Result<Reply, AccumulateError> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let finished = match &mut self.machine {
            Machine::AnthropicMessages(messages) => messages.finish(self.events),
        };
        let missing = self.events;
        finished.map_err(|problem| self.fail(problem, Some(missing), end))
    }

    /// The error that `problem` is at this place; it is the last thing that happens here.
    fn fail(
        &mut self,
        problem: Box<Problem>,
        event_index: Option<usize>,
        offset: u64,
    ) -> AccumulateError {
        let partial = match &mut self.machine {
            Machine::AnthropicMessages(messages) => messages.take_partial(),
        };
        let error = AccumulateError::new(self.api, problem, event_index, offset, partial);
        self.failed = Some(error.clone());
        error
    }

    fn fail_to_decode(&mut self, cause: SseError) -> AccumulateError {
        let found = match cause.kind() {
            SseErrorKind::TooLarge { limit } => format!("an event of more than {limit} bytes"),
            SseErrorKind::InvalidUtf8 => "a line that is not UTF-8".to_owned(),
            SseErrorKind::UnfinishedEvent => "the end of the body, inside an event".to_owned(),
        };
        let expected = match &self.machine {
            Machine::AnthropicMessages(messages) => messages.expected(),
        };
        let mut problem = Problem::new(
            AccumulateErrorKind::Sse(cause.kind()),
            "the body is not a whole event stream",
            expected,
            Found::Said(found),
        );
        let (event_index, offset) = (cause.event_index(), cause.offset());
        problem.source = Some(cause);
        self.fail(problem, Some(event_index), offset)
    }
}

/// Reads a whole streamed body back to a [`Reply`], strictly.
///
/// # Errors
///
/// The first thing that is wrong, in the order of the bytes: with the encoding of the events, their
/// order, their content, or the end of the body. A body that is no event stream is an error too.
///
/// ```
/// use llm_wire_stub::{AccumulateErrorKind, Api, Turn, accumulate, sse_body};
///
/// let whole = sse_body(Api::AnthropicMessages, &Turn::new().text("Hello!"));
/// assert_eq!(accumulate(Api::AnthropicMessages, &whole).unwrap().text(), "Hello!");
///
/// let stop = b"event: message_stop";
/// let at = whole.windows(stop.len()).position(|bytes| bytes == stop).unwrap();
/// let error = accumulate(Api::AnthropicMessages, &whole[..at]).unwrap_err();
/// assert_eq!(error.kind(), &AccumulateErrorKind::Truncated);
/// assert_eq!(error.expected(), "message_stop");
/// ```
pub fn accumulate(api: Api, body: &[u8]) -> Result<Reply, AccumulateError> {
    let mut decoder = SseDecoder::new();
    let mut accumulator = Accumulator::new(api);
    // in pieces, so that not all events are held at once
    for bytes in body.chunks(PIECE) {
        let pushed = decoder.push(bytes);
        while let Some(event) = decoder.next_event() {
            accumulator.push(&event)?;
        }
        if let Err(cause) = pushed {
            return Err(undecodable(accumulator, body, cause));
        }
    }
    match decoder.finish() {
        Err(cause) => Err(undecodable(accumulator, body, cause)),
        Ok(()) if accumulator.events == 0 && !begins_as_events(body) => {
            Err(not_an_event_stream(api, body, None))
        }
        Ok(()) => accumulator.finish_at(length(body)),
    }
}

const PIECE: usize = 16 * 1024;

fn undecodable(mut accumulator: Accumulator, body: &[u8], cause: SseError) -> AccumulateError {
    if accumulator.events == 0 && !begins_as_events(body) {
        not_an_event_stream(accumulator.api, body, Some(cause))
    } else {
        accumulator.fail_to_decode(cause)
    }
}

/// Whether the first line that is neither blank nor a comment has a field name of an event stream, or
/// may have been going to have one when the body ended.
fn begins_as_events(body: &[u8]) -> bool {
    const FIELDS: [&[u8]; 4] = [b"event", b"data", b"id", b"retry"];
    let body = body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body);
    let mut lines = body.split(|&byte| byte == b'\n' || byte == b'\r');
    let Some(line) = lines.find(|line| !matches!(line.first(), None | Some(b':'))) else {
        return true;
    };
    let cut = lines.next().is_none();
    let name = line.split(|&byte| byte == b':').next().unwrap_or_default();
    FIELDS
        .iter()
        .any(|field| *field == name || (cut && field.starts_with(line)))
}

/// A body without any event that is none: an error page, or JSON.
fn not_an_event_stream(api: Api, body: &[u8], cause: Option<SseError>) -> AccumulateError {
    let read = match api {
        Api::AnthropicMessages => anthropic_messages::body_to_reply(body),
    };
    let mut problem = match read {
        Err(problem) if matches!(problem.kind, AccumulateErrorKind::Provider { .. }) => problem,
        read => {
            let problem = Problem::new(
                AccumulateErrorKind::NotAnEventStream,
                "the body is no event stream",
                "lines of an event stream",
                Found::quoted(body),
            );
            match read {
                Ok(_) => {
                    problem.help("this is a whole JSON answer; read it with `accumulate_json`")
                }
                Err(_) => problem,
            }
        }
    };
    problem.source = cause;
    AccumulateError::new(api, problem, None, 0, Vec::new())
}

/// Reads the body of a non-streaming answer back to a [`Reply`], strictly: the members that the API
/// documents have the documented types, others are ignored.
///
/// # Errors
///
/// The first thing that is wrong. An error body is an error of the kind
/// [`Provider`](AccumulateErrorKind::Provider), a body that ends too early one of the kind
/// [`Truncated`](AccumulateErrorKind::Truncated).
///
/// ```
/// use llm_wire_stub::{Api, StopReason, Turn, accumulate_json, json_body};
///
/// let body = json_body(Api::AnthropicMessages, &Turn::new().text("Hello!"));
/// let reply = accumulate_json(Api::AnthropicMessages, &body).unwrap();
/// assert_eq!((reply.text().as_str(), reply.stop_reason), ("Hello!", StopReason::EndTurn));
/// ```
pub fn accumulate_json(api: Api, body: &[u8]) -> Result<Reply, AccumulateError> {
    let read = match api {
        Api::AnthropicMessages => anthropic_messages::body_to_reply(body),
    };
    read.map_err(|problem| {
        let truncated = matches!(problem.kind, AccumulateErrorKind::Truncated);
        let offset = if truncated { length(body) } else { 0 };
        AccumulateError::new(api, problem, None, offset, Vec::new())
    })
}

fn length(body: &[u8]) -> u64 {
    u64::try_from(body.len()).unwrap_or(u64::MAX)
}

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
    /// The bytes cannot be decoded to events; the [`SseError`] is the
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
}

impl AccumulateError {
    fn new(
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
    /// length of the body; from [`Accumulator::finish`], which knows no body, where the last event
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

/// What an API's accumulator finds wrong; the place is added here.
#[derive(Debug, PartialEq)]
pub(crate) struct Problem {
    kind: AccumulateErrorKind,
    what: Cow<'static, str>,
    expected: Cow<'static, str>,
    found: Found,
    help: Option<&'static str>,
    source: Option<SseError>,
}

/// What was there: bytes or words of the answer, or a description.
#[derive(Debug, PartialEq)]
pub(crate) enum Found {
    Quoted { shown: String, cut: usize },
    Said(String),
}

impl Problem {
    pub(crate) fn new(
        kind: AccumulateErrorKind,
        what: impl Into<Cow<'static, str>>,
        expected: impl Into<Cow<'static, str>>,
        found: Found,
    ) -> Box<Self> {
        Box::new(Self {
            kind,
            what: what.into(),
            expected: expected.into(),
            found,
            help: None,
            source: None,
        })
    }

    pub(crate) fn help(mut self: Box<Self>, help: &'static str) -> Box<Self> {
        self.help = Some(help);
        self
    }
}

impl Found {
    const SHOWN: usize = 200;

    pub(crate) fn quoted(bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        let mut shown = String::new();
        let (mut characters, mut taken) = (0, 0);
        'all: for chunk in bytes.utf8_chunks() {
            for character in chunk.valid().chars() {
                if characters == Self::SHOWN {
                    break 'all;
                }
                // JSON is full of quotes, and between backticks they need no escape
                if matches!(character, '"' | '\'') {
                    shown.push(character);
                } else {
                    shown.extend(character.escape_debug());
                }
                characters += 1;
                taken += character.len_utf8();
            }
            for byte in chunk.invalid() {
                if characters == Self::SHOWN {
                    break 'all;
                }
                shown.push_str(&byte.escape_ascii().to_string());
                characters += 1;
                taken += 1;
            }
        }
        Self::Quoted {
            shown,
            cut: bytes.len() - taken,
        }
    }

    fn json(value: &Value) -> Self {
        Self::quoted(json::to_string(value, Spacing::Compact))
    }
}

/// A JSON object and its path, read member by member. `null` counts as absent where a member may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Members<'a> {
    /// Empty, or ending in a dot.
    path: &'a str,
    map: &'a Map<String, Value>,
}

impl<'a> Members<'a> {
    /// The members of the object at `path`, which is empty or ends in a dot.
    pub(crate) const fn new(path: &'a str, map: &'a Map<String, Value>) -> Self {
        Self { path, map }
    }

    /// The member, if there is one and it is not `null`.
    pub(crate) fn get(self, name: &str) -> Option<&'a Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// Whether the member is there, be it `null`.
    pub(crate) fn has(self, name: &str) -> bool {
        self.map.contains_key(name)
    }

    /// The member, of whatever type; `null` is one.
    pub(crate) fn required(
        self,
        name: &str,
        expected: &'static str,
    ) -> Result<&'a Value, Box<Problem>> {
        self.map
            .get(name)
            .ok_or_else(|| self.missing(name, expected))
    }

    pub(crate) fn string(self, name: &str) -> Result<&'a str, Box<Problem>> {
        let value = self.required(name, A_STRING)?;
        value.as_str().ok_or_else(|| self.wrong(name, A_STRING))
    }

    pub(crate) fn non_empty_string(self, name: &str) -> Result<&'a str, Box<Problem>> {
        match self.string(name)? {
            "" => Err(self.wrong(name, "a string that is not empty")),
            text => Ok(text),
        }
    }

    pub(crate) fn string_or_null(self, name: &str) -> Result<Option<&'a str>, Box<Problem>> {
        match self.get(name) {
            None => Ok(None),
            Some(value) => match value.as_str() {
                Some(text) => Ok(Some(text)),
                None => Err(self.wrong(name, "a string or null")),
            },
        }
    }

    pub(crate) fn number_or_null(self, name: &str) -> Result<Option<u64>, Box<Problem>> {
        match self.get(name) {
            None => Ok(None),
            Some(value) => match value.as_u64() {
                Some(number) => Ok(Some(number)),
                None => Err(self.wrong(name, "a whole number from 0 on, or null")),
            },
        }
    }

    pub(crate) fn object(self, name: &str) -> Result<&'a Map<String, Value>, Box<Problem>> {
        let value = self.required(name, AN_OBJECT)?;
        value.as_object().ok_or_else(|| self.wrong(name, AN_OBJECT))
    }

    pub(crate) fn object_or_null(
        self,
        name: &str,
    ) -> Result<Option<&'a Map<String, Value>>, Box<Problem>> {
        match self.get(name) {
            None => Ok(None),
            Some(value) => match value.as_object() {
                Some(object) => Ok(Some(object)),
                None => Err(self.wrong(name, "an object or null")),
            },
        }
    }

    pub(crate) fn array(self, name: &str) -> Result<&'a [Value], Box<Problem>> {
        let value = self.required(name, AN_ARRAY)?;
        match value.as_array() {
            Some(items) => Ok(items),
            None => Err(self.wrong(name, AN_ARRAY)),
        }
    }

    /// The member `name` is missing.
    pub(crate) fn missing(
        self,
        name: &str,
        expected: impl Into<Cow<'static, str>>,
    ) -> Box<Problem> {
        let field = format!("{}{name}", self.path);
        Problem::new(
            AccumulateErrorKind::MissingField {
                field: field.clone(),
            },
            format!("the member `{field}` is missing"),
            expected,
            Found::json(&Value::Object(self.map.clone())),
        )
    }

    /// The member `name` is not what is `expected`.
    pub(crate) fn wrong(self, name: &str, expected: impl Into<Cow<'static, str>>) -> Box<Problem> {
        let field = format!("{}{name}", self.path);
        Problem::new(
            AccumulateErrorKind::WrongField {
                field: field.clone(),
            },
            format!("the member `{field}` has a wrong type or value"),
            expected,
            Found::json(self.map.get(name).unwrap_or(&Value::Null)),
        )
    }
}

const A_STRING: &str = "a string";
const AN_OBJECT: &str = "an object";
const AN_ARRAY: &str = "an array";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_bytes_are_escaped_and_cut_at_two_hundred_characters() {
        let x = "x".repeat(199);
        for (bytes, shown, cut) in [
            (b"".to_vec(), String::new(), 0),
            (b"{\"a\": '\\n'}".to_vec(), "{\"a\": '\\\\n'}".to_owned(), 0),
            ("é\u{2028}\n".into(), "é\\u{2028}\\n".to_owned(), 0),
            (b"\xffa\xc3".to_vec(), "\\xffa\\xc3".to_owned(), 0),
            (format!("{x}é").into(), format!("{x}é"), 0),
            (format!("{x}éé漢").into(), format!("{x}é"), 5),
            (
                [x.as_bytes(), b"\xff\xff\xff"].concat(),
                format!("{x}\\xff"),
                2,
            ),
        ] {
            assert_eq!(Found::quoted(&bytes), Found::Quoted { shown, cut });
        }
    }

    #[test]
    fn body_is_one_of_events_if_its_first_line_may_be_a_field() {
        for (body, expected) in [
            (&b""[..], true),
            (b"\n\r\n: comment\n", true),
            (b"event: x", true),
            (b"\xef\xbb\xbf: hi\r\rdata\r", true),
            (b"retry:1\n", true),
            (b"id\n", true),
            (b"ev", true),
            (b"ev\n", false),
            (b"eventful: x\n", false),
            (b"Data: x\n", false),
            (b" data: x\n", false),
            (b": hi\n<html>", false),
            (b"{\n", false),
        ] {
            assert_eq!(begins_as_events(body), expected, "{}", body.escape_ascii());
        }
    }

    #[test]
    fn cause_of_an_undecodable_body_is_its_source_and_stands_in_no_message() {
        let mut decoder = SseDecoder::new();
        let cause = decoder.push(b"data: \xff\n").unwrap_err();
        let error = accumulate(Api::AnthropicMessages, b"data: \xff\n").unwrap_err();
        let source = error.source().unwrap().downcast_ref::<SseError>();
        assert_eq!(source, Some(&cause));
        assert_eq!(error.kind(), &AccumulateErrorKind::Sse(cause.kind()));
        assert_eq!(
            (error.event_index(), error.offset()),
            (Some(0), cause.offset())
        );
        assert_eq!(
            error.to_string(),
            "the body is not a whole event stream\n  \
             where: anthropic_messages, event #1, byte 6\n  \
             expected: message_start\n  \
             found: a line that is not UTF-8"
        );
    }

    #[test]
    fn event_beyond_the_limit_is_an_error_that_names_the_limit() {
        let body = [b"data: ".to_vec(), vec![b'x'; SseDecoder::DEFAULT_LIMIT]].concat();
        let error = accumulate(Api::AnthropicMessages, &body).unwrap_err();
        assert_eq!(error.found(), "an event of more than 33554432 bytes");
    }
}
