//! Events, or a whole body, in; a [`Reply`] out, or an error that says what is wrong, and where.
//!
//! What the events of one API mean, and in which order they may come, stands in that API's folder. Here
//! are the front door, the error, and the strict reading of JSON members that every API shares.

mod error;
mod problem;

pub use error::{AccumulateError, AccumulateErrorKind};
pub(crate) use problem::{Found, Members, Problem, body_object};

use super::{Api, anthropic_messages, openai_chat, openai_completions, openai_responses};
use crate::{
    script::Reply,
    sse::{SseDecoder, SseError, SseErrorKind, SseEvent},
};

/// Reads the events of one streamed answer back to a [`Reply`], strictly: what a correct client must
/// not accept is an error.
///
/// On OpenAI Chat a `finish_reason` for every choice proves that an answer is whole. So a stream that was cut behind it is
/// no error, even if its usage and `[DONE]` are missing, which many servers never send; a usage that did not come is read
/// as zeros.
///
/// Two things are left to the caller, since only the caller knows what to do: a tool call in an answer that
/// stopped with [`StopReason::MaxTokens`](crate::StopReason::MaxTokens) may be cut even if its arguments are
/// JSON, so it must not be run; and whole numbers beyond 64 bits are rounded as serde_json rounds them.
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
    AnthropicMessages(Box<anthropic_messages::MessagesAccumulator>),
    OpenAiChat(Box<openai_chat::ChatAccumulator>),
    OpenAiCompletions(Box<openai_completions::CompletionsAccumulator>),
    OpenAiResponses(Box<openai_responses::ResponsesAccumulator>),
}

impl Accumulator {
    /// An accumulator at the start of an answer.
    #[must_use]
    pub fn new(api: Api) -> Self {
        Self {
            api,
            machine: match api {
                Api::AnthropicMessages => Machine::AnthropicMessages(Box::default()),
                Api::OpenAiChat => Machine::OpenAiChat(Box::default()),
                Api::OpenAiCompletions => Machine::OpenAiCompletions(Box::default()),
                Api::OpenAiResponses => Machine::OpenAiResponses(Box::default()),
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
            Machine::OpenAiChat(chat) => chat.push(event),
            Machine::OpenAiCompletions(completions) => completions.push(event),
            Machine::OpenAiResponses(responses) => responses.push(event),
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
            Machine::OpenAiChat(chat) => chat.finish(self.events),
            Machine::OpenAiCompletions(completions) => completions.finish(self.events),
            Machine::OpenAiResponses(responses) => responses.finish(self.events),
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
            Machine::OpenAiChat(chat) => chat.take_partial(),
            Machine::OpenAiCompletions(completions) => completions.take_partial(),
            Machine::OpenAiResponses(responses) => responses.take_partial(),
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
            Machine::OpenAiChat(chat) => chat.expected(),
            Machine::OpenAiCompletions(completions) => completions.expected(),
            Machine::OpenAiResponses(responses) => responses.expected(),
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
///
/// What proves that a stream is whole is the API's: on OpenAI Chat the `finish_reason`, not what stands behind it.
///
/// ```
/// use llm_wire_stub::{Api, Turn, accumulate, sse_body};
///
/// let whole = sse_body(Api::OpenAiChat, &Turn::new().text("Hello!"));
/// let whole = std::str::from_utf8(&whole).unwrap();
/// let events: Vec<&str> = whole.split_inclusive("\n\n").collect();
/// let [before @ .., finish, _usage, _done] = &events[..] else { panic!() };
/// let cut = [before.concat(), finish.to_string()].concat();
/// let reply = accumulate(Api::OpenAiChat, cut.as_bytes()).unwrap();
/// assert_eq!((reply.text().as_str(), reply.usage.input_tokens), ("Hello!", 0)); // the usage did not come
/// assert!(accumulate(Api::OpenAiChat, before.concat().as_bytes()).is_err());
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

/// The events of a body that was read before.
pub(crate) fn events(body: &[u8]) -> Vec<SseEvent> {
    let mut decoder = SseDecoder::new();
    let mut events = Vec::new();
    let _ = decoder.push(body);
    while let Some(event) = decoder.next_event() {
        events.push(event);
    }
    events
}

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
        Api::OpenAiChat => openai_chat::body_to_reply(body),
        Api::OpenAiCompletions => openai_completions::body_to_reply(body),
        Api::OpenAiResponses => openai_responses::body_to_reply(body),
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
        Api::OpenAiChat => openai_chat::body_to_reply(body),
        Api::OpenAiCompletions => openai_completions::body_to_reply(body),
        Api::OpenAiResponses => openai_responses::body_to_reply(body),
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

#[cfg(test)]
mod tests {
    use std::error::Error;

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
