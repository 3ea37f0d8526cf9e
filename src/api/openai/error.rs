//! The error table: status, type, code, param and wording of each neutral error; its body and its event.
//!
//! Known from traffic: the shape and its two printers, the key that is wrong, the model that does not exist, the
//! quota. From public reports: the limits, the long prompt, the output limit, effort, 403, billing, 500. The
//! documentation has type and code of 503. The other wordings are this crate's own.

use std::borrow::Cow;

use super::head::{TokenLimit, error_head};
use crate::{
    api::{Api, Context, Head, Mark, WireEvent},
    json::{indented, write_str},
    script::{ApiError, ErrorKind, RetryHint},
};

/// What the API says of one kind of error.
struct Row {
    status: u16,
    error_type: &'static str,
    code: Option<&'static str>,
    param: Option<&'static str>,
    message: Cow<'static, str>,
}

const INVALID: &str = "invalid_request_error";
const LIMIT_REACHED: &str = "rate_limit_exceeded";

const fn said(status: u16, error_type: &'static str, message: &'static str) -> Row {
    Row {
        status,
        error_type,
        code: None,
        param: None,
        message: Cow::Borrowed(message),
    }
}

impl Row {
    fn of(api: Api, kind: ErrorKind, context: &Context) -> Self {
        let own = match api {
            Api::OpenAiResponses => Self::of_responses(kind, context),
            Api::OpenAiCompletions => Self::of_completions(kind),
            Api::AnthropicMessages | Api::OpenAiChat => None,
        };
        own.unwrap_or_else(|| Self::of_chat(api, kind, context))
    }

    /// What text completions say otherwise, as embeddings do: known from public reports.
    fn of_completions(kind: ErrorKind) -> Option<Self> {
        let is_long = matches!(
            kind,
            ErrorKind::ContextOverflow | ErrorKind::ContextOverflowWithOutput
        );
        is_long.then_some(said(
            400,
            INVALID,
            "This model's maximum context length is 4097 tokens, however you requested 51435 tokens (51419 in \
             your prompt; 16 for the completion). Please reduce your prompt; or completion length.",
        ))
    }

    /// What Responses says otherwise. Known from traffic: the model and the long input; from public reports: the
    /// effort; the output limit is this crate's own.
    fn of_responses(kind: ErrorKind, context: &Context) -> Option<Self> {
        Some(match kind {
            ErrorKind::NotFound => Self {
                message: format!("The requested model '{}' does not exist.", model(Api::OpenAiResponses, context)).into(),
                ..said(400, INVALID, "")
                    .coded("model_not_found")
                    .about("model")
            },
            ErrorKind::ContextOverflow | ErrorKind::ContextOverflowWithOutput => said(
                400,
                INVALID,
                "Your input exceeds the context window of this model. Please adjust your input and try again.",
            )
            .coded("context_length_exceeded")
            .about("input"),
            ErrorKind::OutputLimit => said(
                400,
                INVALID,
                "Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 16384, but got \
                 128000 instead.",
            )
            .coded("integer_above_max_value")
            .about("max_output_tokens"),
            ErrorKind::EffortNotSupported => said(
                400,
                INVALID,
                "Unsupported value: 'xhigh' is not supported with this model. Supported values are: 'low', \
                 'medium', and 'high'.",
            )
            .coded("unsupported_value")
            .about("reasoning.effort"),
            ErrorKind::InvalidRequest
            | ErrorKind::Authentication
            | ErrorKind::CreditTooLow
            | ErrorKind::Billing
            | ErrorKind::Permission
            | ErrorKind::Conflict
            | ErrorKind::RequestTooLarge
            | ErrorKind::RateLimited
            | ErrorKind::Internal
            | ErrorKind::Timeout
            | ErrorKind::Overloaded
            | ErrorKind::Status(_) => return None,
        })
    }

    fn of_chat(api: Api, kind: ErrorKind, context: &Context) -> Self {
        match kind {
            ErrorKind::InvalidRequest => said(400, INVALID, "invalid request"),
            ErrorKind::ContextOverflow => said(
                400,
                INVALID,
                "This model's maximum context length is 128000 tokens. However, your messages \
                 resulted in 200001 tokens. Please reduce the length of the messages.",
            )
            .coded("context_length_exceeded")
            .about("messages"),
            ErrorKind::ContextOverflowWithOutput => said(
                400,
                INVALID,
                "This model's maximum context length is 128000 tokens. However, you requested \
                 138240 tokens (121856 in the messages, 16384 in the completion). Please reduce the \
                 length of the messages or completion.",
            )
            .coded("context_length_exceeded")
            .about("messages"),
            ErrorKind::OutputLimit => said(
                400,
                INVALID,
                "max_tokens is too large: 128000. This model supports at most 16384 completion \
                 tokens, whereas you provided 128000.",
            )
            .coded("invalid_value")
            .about("max_tokens"),
            ErrorKind::EffortNotSupported => said(
                400,
                INVALID,
                "Unsupported value: 'reasoning_effort' does not support 'xhigh' with this model. \
                 Supported values are: 'low', 'medium', and 'high'.",
            )
            .coded("unsupported_value")
            .about("reasoning_effort"),
            ErrorKind::CreditTooLow => said(
                429,
                "insufficient_quota",
                "You exceeded your current quota, please check your plan and billing details. For \
                 more information on this error, read the docs: \
                 https://platform.openai.com/docs/guides/error-codes/api-errors.",
            )
            .coded("insufficient_quota"),
            ErrorKind::RateLimited => Self {
                message: format!(
                    "Rate limit reached for {} in organization org-7dTqKcVx2mWbRfYhZ4sLp9Na on tokens per min \
                     (TPM): Limit 200000, Used 200000, Requested 1026. Please try again in 308ms. Visit \
                     https://platform.openai.com/account/rate-limits to learn more.",
                    model(api, context)
                )
                .into(),
                ..said(429, "tokens", "").coded(LIMIT_REACHED)
            },
            ErrorKind::Authentication
            | ErrorKind::Billing
            | ErrorKind::Permission
            | ErrorKind::NotFound => Self::of_account(api, kind, context),
            ErrorKind::Conflict => said(409, INVALID, "The request conflicts with another one."),
            ErrorKind::RequestTooLarge => said(413, INVALID, "The request's body is too large."),
            ErrorKind::Internal => said(
                500,
                "server_error",
                "The server had an error while processing your request. Sorry about that!",
            ),
            ErrorKind::Timeout => said(504, "server_error", "The request timed out."),
            ErrorKind::Overloaded => said(
                503,
                "service_unavailable_error",
                "The server is currently overloaded with other requests. Sorry about that! You can \
                 retry your request.",
            )
            .coded("server_is_overloaded"),
            ErrorKind::Status(status) => Self::of_status(api, status, context),
        }
    }

    /// Errors about who asks, and for which model.
    fn of_account(api: Api, kind: ErrorKind, context: &Context) -> Self {
        if kind == ErrorKind::Authentication {
            let text = format!(
                "Incorrect API key provided: {}. You can find your API key at \
                 https://platform.openai.com/account/api-keys.",
                masked(key(context))
            );
            return Self {
                message: text.into(),
                ..said(401, INVALID, "").coded("invalid_api_key")
            };
        }
        if kind == ErrorKind::Billing {
            return said(
                429,
                "billing_not_active",
                "Your account is not active, please check your billing details on our website.",
            )
            .coded("billing_not_active");
        }
        if kind == ErrorKind::Permission {
            return said(
                403,
                "request_forbidden",
                "Country, region, or territory not supported",
            )
            .coded("unsupported_country_region_territory");
        }
        Self {
            message: format!(
                "The model `{}` does not exist or you do not have access to it.",
                model(api, context)
            )
            .into(),
            ..said(404, INVALID, "").coded("model_not_found")
        }
    }

    /// The row of a status that was given as a number.
    fn of_status(api: Api, status: u16, context: &Context) -> Self {
        let kind = match status {
            401 => ErrorKind::Authentication,
            403 => ErrorKind::Permission,
            404 => ErrorKind::NotFound,
            409 => ErrorKind::Conflict,
            413 => ErrorKind::RequestTooLarge,
            429 => ErrorKind::RateLimited,
            503 | 529 => ErrorKind::Overloaded,
            504 => ErrorKind::Timeout,
            500..=599 => ErrorKind::Internal,
            // every 4xx that is not listed has the type of 400
            _ => ErrorKind::InvalidRequest,
        };
        Self {
            status,
            ..Self::of(api, kind, context)
        }
    }

    const fn coded(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    const fn about(mut self, param: &'static str) -> Self {
        self.param = Some(param);
        self
    }
}

/// The model that was asked for, or that an answer of this API is from where nobody asked.
fn model(api: Api, context: &Context) -> &str {
    match context.model.as_str() {
        "" if api == Api::OpenAiCompletions => super::DEFAULT_MODEL_OF_COMPLETIONS,
        "" => super::DEFAULT_MODEL,
        model => model,
    }
}

/// The key that was sent.
fn key(context: &Context) -> &str {
    match context.key.as_str() {
        "" => "sk-wrong-key-key",
        key => key,
    }
}

/// The last four characters of the key that was sent.
pub(crate) fn end_of_key(context: &Context) -> &str {
    let key = key(context);
    let at = key.char_indices().rev().nth(3).map_or(0, |(at, _)| at);
    key.get(at..).unwrap_or(key)
}

/// A key as a 401 shows it: eight characters, stars, four characters; one that is not longer is shown whole, as in the
/// recorded answers.
fn masked(key: &str) -> String {
    const START: usize = 8;
    const END: usize = 4;
    let length = key.chars().count();
    let hidden = START..length.saturating_sub(END);
    let shown = key.chars().enumerate();
    let shown = shown.map(|(n, c)| if hidden.contains(&n) { '*' } else { c });
    shown.collect()
}

/// The kind of error that has this type and this code; it settles the status.
pub(crate) fn kind_of(error_type: &str, code: Option<&str>) -> ErrorKind {
    match (error_type, code.unwrap_or_default()) {
        (_, "invalid_api_key") => ErrorKind::Authentication,
        (_, "model_not_found") => ErrorKind::NotFound,
        (_, "context_length_exceeded") => ErrorKind::ContextOverflow,
        (_, "insufficient_quota") => ErrorKind::CreditTooLow,
        (_, "billing_not_active") => ErrorKind::Billing,
        (_, "rate_limit_exceeded") => ErrorKind::RateLimited,
        (_, "unsupported_country_region_territory") => ErrorKind::Permission,
        (_, "server_is_overloaded") | ("service_unavailable_error", _) => ErrorKind::Overloaded,
        ("server_error", _) => ErrorKind::Internal,
        _ => ErrorKind::InvalidRequest,
    }
}

/// Who prints the body.
#[derive(Clone, Copy)]
enum Printer {
    /// Two spaces, no newline at the end.
    Api,
    /// Four spaces, a newline at the end: what refuses a key.
    Edge,
    /// One line: inside a stream.
    Compact,
}

/// Status, headers and body of an error answer.
pub(crate) fn error_answer(api: Api, error: &ApiError, context: &Context) -> (Head, Vec<u8>) {
    let row = Row::of(api, error.kind, context);
    let responses = api == Api::OpenAiResponses;
    let (printer, content_type) = match row.status {
        401 if !responses => (Printer::Edge, "application/json; charset=utf-8"),
        404 if !responses => (Printer::Api, "application/json; charset=utf-8"),
        _ => (Printer::Api, "application/json"),
    };
    let limit = match row.code {
        Some(LIMIT_REACHED) => TokenLimit::Reached,
        _ => TokenLimit::Left,
    };
    let mut head = error_head(row.status, content_type, limit, context);
    if responses && row.status == 401 {
        head.push("www-authenticate", "Bearer realm=\"OpenAI API\"");
    }
    add_headers(&mut head, error);
    (head, written(error, &row, printer))
}

/// Adds the headers that the error itself has, in place of others of their names.
pub(crate) fn add_headers(head: &mut Head, error: &ApiError) {
    if let Some(hint) = error.retry_hint {
        let retry = match hint {
            RetryHint::Retry => "true",
            RetryHint::DoNotRetry => "false",
        };
        head.push("x-should-retry", retry);
    }
    if let Some(wait) = error.retry_after {
        head.push("retry-after", wait.as_secs_f64().to_string());
        head.push("retry-after-ms", wait.as_millis().to_string());
    }
    for (name, _) in &error.headers {
        head.remove(name);
    }
    for (name, value) in &error.headers {
        head.push(name.clone(), value.clone());
    }
}

/// The event that reports `error` inside a stream.
pub(crate) fn error_event(api: Api, error: &ApiError, context: &Context) -> WireEvent {
    let row = Row::of(api, error.kind, context);
    WireEvent {
        name: None,
        data: written(error, &row, Printer::Compact),
        mark: Mark::Other,
    }
}

/// What is said of an error.
#[derive(Debug)]
pub(crate) struct Words {
    pub(crate) status: u16,
    pub(crate) message: String,
    pub(crate) error_type: String,
    pub(crate) param: Option<String>,
    pub(crate) code: Option<String>,
}

/// What this API says of `error`.
pub(crate) fn words(api: Api, error: &ApiError, context: &Context) -> Words {
    Words::of(error, &Row::of(api, error.kind, context))
}

impl Words {
    fn of(error: &ApiError, row: &Row) -> Self {
        // what the table's words are about, other words need not be
        let param = row.param.filter(|_| error.message.is_none());
        let code = error.error_code.as_deref().or(row.code);
        Self {
            status: row.status,
            message: error.message.as_deref().unwrap_or(&row.message).to_owned(),
            error_type: error
                .error_type
                .as_deref()
                .unwrap_or(row.error_type)
                .to_owned(),
            param: error.param.as_deref().or(param).map(str::to_owned),
            code: code.filter(|code| !code.is_empty()).map(str::to_owned),
        }
    }
}

fn written(error: &ApiError, row: &Row, printer: Printer) -> Vec<u8> {
    let words = Words::of(error, row);
    let mut out = br#"{"error":{"message":"#.to_vec();
    write_str(&mut out, &words.message);
    for (name, value) in [
        (&br#","type":"#[..], Some(&words.error_type)),
        (br#","param":"#, words.param.as_ref()),
        (br#","code":"#, words.code.as_ref()),
    ] {
        out.extend_from_slice(name);
        match value {
            Some(value) => write_str(&mut out, value),
            None => out.extend_from_slice(b"null"),
        }
    }
    out.extend_from_slice(b"}}");
    match printer {
        Printer::Api => indented(&out, 2),
        Printer::Edge => {
            let mut printed = indented(&out, 4);
            printed.push(b'\n');
            printed
        }
        Printer::Compact => out,
    }
}
