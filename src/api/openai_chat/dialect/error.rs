//! Errors of a row: its own words where they are known; where they are not OpenAI's in its shape, but for those that name
//! OpenAI's own models, sites and organisations.

use super::{Done, Escapes, Filled, Printed, Row, Slot, Template, row};
use crate::{
    api::{
        Api, Context, Head, Mark, WireEvent,
        openai::{self, CREATED, Words},
        openai_chat::render::Envelope,
    },
    json::{indented, write_number, write_str},
    script::{ApiError, Dialect, ErrorKind, Message, Says, Turn},
};

/// The errors of a vendor.
#[derive(Debug)]
pub(super) struct ErrorTable {
    /// What is said to who sends no key, if it is not what is said of a wrong one.
    pub(super) without_key: Option<&'static str>,
    pub(super) shape: &'static str,
    pub(super) printed: Printed,
    pub(super) content_type: &'static str,
    pub(super) rows: &'static [ErrorRow],
    pub(super) stream: StreamError,
}

/// What the vendor says of one kind of error.
#[derive(Clone, Copy, Debug)]
pub(super) struct ErrorRow {
    pub(super) kind: ErrorKind,
    pub(super) status: u16,
    /// OpenAI's if it is empty.
    pub(super) error_type: &'static str,
    pub(super) code: &'static str,
    /// `{model}` is the model that was asked for, `{key}` the end of the key.
    pub(super) message: &'static str,
    /// Whether `ApiError::error_code` chooses it, and not its kind alone.
    pub(super) by_code: bool,
    pub(super) shape: Option<&'static str>,
    /// Its shape in a stream.
    pub(super) in_stream: Option<&'static str>,
    pub(super) printed: Option<Printed>,
    pub(super) content_type: Option<&'static str>,
    pub(super) headers: &'static [Header],
}

/// Name and value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header(pub(super) &'static str, pub(super) &'static str);

/// An error inside a stream.
#[derive(Debug)]
pub(super) struct StreamError {
    /// The name of its event.
    pub(super) name: Option<&'static str>,
    pub(super) shape: &'static str,
    /// Whether `[DONE]` follows.
    pub(super) done: Done,
}

pub(super) const fn coded(
    kind: ErrorKind,
    status: u16,
    error_type: &'static str,
    code: &'static str,
    message: &'static str,
) -> ErrorRow {
    ErrorRow {
        kind,
        status,
        error_type,
        code,
        message,
        by_code: false,
        shape: None,
        in_stream: None,
        printed: None,
        content_type: None,
        headers: &[],
    }
}

pub(super) const fn uncoded(kind: ErrorKind, status: u16, message: &'static str) -> ErrorRow {
    coded(kind, status, "", "", message)
}

/// This crate's words for an error, where those of OpenAI are about OpenAI only.
const fn neutral(kind: ErrorKind) -> Option<&'static str> {
    Some(match kind {
        ErrorKind::Authentication | ErrorKind::Status(401) => "The API key is missing or wrong.",
        ErrorKind::CreditTooLow => "The account has used up its credit.",
        ErrorKind::Billing => "The account is not active.",
        ErrorKind::Permission | ErrorKind::Status(403) => "The API key may not do this.",
        ErrorKind::RateLimited | ErrorKind::Status(429) => {
            "The rate limit is reached. Please try again later."
        }
        ErrorKind::InvalidRequest
        | ErrorKind::ContextOverflow
        | ErrorKind::ContextOverflowWithOutput
        | ErrorKind::OutputLimit
        | ErrorKind::EffortNotSupported
        | ErrorKind::NotFound
        | ErrorKind::Conflict
        | ErrorKind::RequestTooLarge
        | ErrorKind::Internal
        | ErrorKind::Timeout
        | ErrorKind::Overloaded
        | ErrorKind::Status(_) => return None,
    })
}

impl ErrorTable {
    /// The row of an error; of an error that only has a status, that of the kind which has it.
    fn find(&self, error: &ApiError) -> Option<&'static ErrorRow> {
        let code = error.error_code.as_deref();
        let by_code = |row: &&ErrorRow| row.by_code && code == Some(row.code);
        let is_it = |row: &ErrorRow| {
            let by_status = matches!(error.kind, ErrorKind::Status(status) if row.status == status);
            by_status || row.kind == error.kind
        };
        let mut rows = self.rows.iter();
        let by_kind = |row: &&ErrorRow| !row.by_code && is_it(row);
        let found = rows.clone().find(by_code);
        found.or_else(|| rows.find(by_kind))
    }

    /// The words of an error.
    fn words(&self, error: &ApiError, context: &Context) -> (Option<&'static ErrorRow>, Words) {
        let mut context = context.clone();
        if context.model.is_empty() {
            row(context.dialect).model.clone_into(&mut context.model);
        }
        let mut words = openai::words(Api::OpenAiChat, error, &context);
        let Some(row) = self.find(error) else {
            if let (None, Some(neutral)) = (&error.message, neutral(error.kind)) {
                neutral.clone_into(&mut words.message);
            }
            return (None, words);
        };
        words.status = row.status;
        if error.message.is_none() {
            // a row names one of both
            words.message = match row.message.contains("{key}") {
                true => row.message.replace("{key}", openai::end_of_key(&context)),
                false => row.message.replace("{model}", &context.model),
            };
        }
        if error.error_type.is_none() && !row.error_type.is_empty() {
            row.error_type.clone_into(&mut words.error_type);
        }
        if error.error_code.is_none() {
            words.code = Some(row.code)
                .filter(|code| !code.is_empty())
                .map(str::to_owned);
        }
        if error.param.is_none() {
            words.param = None;
        }
        (Some(row), words)
    }
}

/// The refusal of a request without a key.
pub(crate) fn without_key(dialect: Dialect) -> ApiError {
    let error = ApiError::authentication();
    let table = row(dialect).errors.as_ref();
    match table.and_then(|table| table.without_key) {
        Some(text) => error.message(text),
        None => error,
    }
}

/// Status, headers and body of an error answer.
pub(crate) fn error_answer(error: &ApiError, context: &Context) -> (Head, Vec<u8>) {
    let dialect = row(context.dialect);
    let (Some(table), Some(headers)) = (&dialect.errors, &dialect.head) else {
        return openai::error_answer(Api::OpenAiChat, error, context);
    };
    let (row, words) = table.words(error, context);
    let shape = row.and_then(|row| row.shape).unwrap_or(table.shape);
    let printed = row.and_then(|row| row.printed).unwrap_or(table.printed);
    let content_type = row.and_then(|row| row.content_type);
    let mut head = headers.written(
        words.status,
        content_type.unwrap_or(table.content_type),
        context,
    );
    for Header(name, value) in row.map_or(&[][..], |row| row.headers) {
        head.push(*name, *value);
    }
    openai::add_headers(&mut head, error);
    let body = written(shape, &words, None, dialect, context);
    (head, printed.of(body))
}

/// The events that report `error` inside the stream of `turn`.
pub(crate) fn error_events(error: &ApiError, turn: &Turn, context: &Context) -> Vec<WireEvent> {
    let dialect = row(context.dialect);
    let Some(table) = &dialect.errors else {
        return vec![openai::error_event(Api::OpenAiChat, error, context)];
    };
    let (row, words) = table.words(error, context);
    let shape = row
        .and_then(|row| row.in_stream)
        .unwrap_or(table.stream.shape);
    let nothing = Message::default();
    let message = match &turn.says {
        Says::Message(message) => message,
        Says::Error(_) | Says::Raw(_) | Says::Recorded(_) => &nothing,
    };
    let extras = message.extras.as_deref().cloned().unwrap_or_default();
    let envelope = Envelope::new(message, &extras, context);
    let mut events = vec![WireEvent {
        name: table.stream.name.map(Into::into),
        data: written(shape, &words, Some(&envelope), dialect, context),
        mark: Mark::Other,
    }];
    if table.stream.done == Done::Yes {
        events.push(WireEvent {
            name: None,
            data: b"[DONE]".to_vec(),
            mark: Mark::Terminal,
        });
    }
    events
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "an error has few of the slots; a test fills those of every row"
)]
fn written(
    shape: &'static str,
    words: &Words,
    envelope: Option<&Envelope>,
    dialect: &Row,
    context: &Context,
) -> Vec<u8> {
    let made;
    let envelope = match envelope {
        Some(envelope) => envelope,
        None => {
            made = Envelope::new(
                &Message::default(),
                &crate::script::Extras::default(),
                context,
            );
            &made
        }
    };
    let or_null = |value: Option<&String>, out: &mut Vec<u8>| match value {
        Some(value) => write_str(out, value),
        None => out.extend_from_slice(b"null"),
    };
    let mut fill = |slot: Slot, out: &mut Vec<u8>| {
        match slot {
            Slot::Message => write_str(out, &words.message),
            Slot::Type => write_str(out, &words.error_type),
            Slot::Param => or_null(words.param.as_ref(), out),
            Slot::Code => or_null(words.code.as_ref(), out),
            Slot::CodeIfAny if words.code.is_none() => return Filled::No,
            Slot::CodeIfAny => or_null(words.code.as_ref(), out),
            Slot::Status => write_number(out, words.status.into()),
            Slot::Id => write_str(out, &envelope.id),
            Slot::Model => write_str(out, &envelope.model),
            Slot::Created => write_number(out, CREATED),
            _ => return Filled::No,
        }
        Filled::Yes
    };
    let mut out = Vec::with_capacity(256);
    Template::new(shape).write(&mut out, &mut fill);
    match dialect.escapes {
        Escapes::Least => out,
        Escapes::Html => Escapes::Html.apply(out),
    }
}

impl Printed {
    /// The body as it is printed.
    pub(in crate::api::openai_chat) fn of(self, compact: Vec<u8>) -> Vec<u8> {
        let mut out = match self {
            Self::Compact => return compact,
            Self::Indented => return indented(&compact, 2),
            Self::CompactLine => compact,
            Self::IndentedLine => indented(&compact, 2),
        };
        out.push(b'\n');
        out
    }
}
