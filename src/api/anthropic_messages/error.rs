//! The error table: status, type and wording of each neutral error; its body and its event.
//!
//! Statuses and types are documented by the service. Bodies, `request_id`, the wordings of the long prompt,
//! of effort, of 401 and of 529 are known from traffic; those of the output limit, of credit and of 429 from
//! public reports, which show other numbers; that of input and output together is shown by few. The others
//! are this crate's own.

use super::{DEFAULT_MODEL, era::Envelope, purpose, render::pad};
use crate::{
    api::{Context, Head, Mark, WireEvent},
    json::write_str,
    script::{ApiError, Dice, ErrorKind, RetryHint},
};

/// Status, type and message of each kind.
const fn row(kind: ErrorKind) -> (u16, &'static str, &'static str) {
    match kind {
        ErrorKind::InvalidRequest => (400, "invalid_request_error", "invalid request"),
        ErrorKind::ContextOverflow => (
            400,
            "invalid_request_error",
            "prompt is too long: 200001 tokens > 200000 maximum",
        ),
        ErrorKind::ContextOverflowWithOutput => (
            400,
            "invalid_request_error",
            "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, \
             decrease input length or `max_tokens` and try again",
        ),
        ErrorKind::OutputLimit => (
            400,
            "invalid_request_error",
            "max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens \
             for claude-haiku-4-5-20251001",
        ),
        ErrorKind::EffortNotSupported => (
            400,
            "invalid_request_error",
            "This model does not support effort level 'xhigh'. \
             Supported levels: high, low, max, medium.",
        ),
        ErrorKind::CreditTooLow => (
            400,
            "invalid_request_error",
            "Your credit balance is too low to access the Anthropic API. \
             Please go to Plans & Billing to upgrade or purchase credits.",
        ),
        ErrorKind::Authentication => (401, "authentication_error", "invalid x-api-key"),
        ErrorKind::Billing => (402, "billing_error", "there is a problem with your billing"),
        ErrorKind::Permission => (
            403,
            "permission_error",
            "your API key does not have permission to use this resource",
        ),
        ErrorKind::NotFound => (404, "not_found_error", "the resource was not found"),
        ErrorKind::Conflict => (
            409,
            "conflict_error",
            "the request conflicts with another one",
        ),
        ErrorKind::RequestTooLarge => (
            413,
            "request_too_large",
            "request exceeds the maximum allowed number of bytes",
        ),
        ErrorKind::RateLimited => (
            429,
            "rate_limit_error",
            "This request would exceed your organization's rate limit of 50,000 input tokens per \
             minute (org: 3f1c0a52-7d0e-4b7e-9a65-0c4f7e21b8d4, model: claude-haiku-4-5-20251001). \
             For details, refer to: https://docs.claude.com/en/api/rate-limits. You can see the \
             response headers for current usage. Please reduce the prompt length or the maximum \
             tokens requested, or try again later. You may also contact sales at \
             https://www.anthropic.com/contact-sales to discuss your options for a rate limit \
             increase.",
        ),
        ErrorKind::Internal => (500, "api_error", "Internal server error"),
        ErrorKind::Timeout => (504, "timeout_error", "the request timed out"),
        ErrorKind::Overloaded => (529, "overloaded_error", "Overloaded"),
        ErrorKind::Status(status) => status_row(status),
    }
}

/// The kind whose error has this type; that of 400 is the plain one.
pub(super) fn kind_of(error_type: &str) -> Option<ErrorKind> {
    [
        ErrorKind::InvalidRequest,
        ErrorKind::Authentication,
        ErrorKind::Billing,
        ErrorKind::Permission,
        ErrorKind::NotFound,
        ErrorKind::Conflict,
        ErrorKind::RequestTooLarge,
        ErrorKind::RateLimited,
        ErrorKind::Internal,
        ErrorKind::Timeout,
        ErrorKind::Overloaded,
    ]
    .into_iter()
    .find(|kind| row(*kind).1 == error_type)
}

/// The row of a status that was given as a number.
const fn status_row(status: u16) -> (u16, &'static str, &'static str) {
    let kind = match status {
        401 => ErrorKind::Authentication,
        402 => ErrorKind::Billing,
        403 => ErrorKind::Permission,
        404 => ErrorKind::NotFound,
        409 => ErrorKind::Conflict,
        413 => ErrorKind::RequestTooLarge,
        429 => ErrorKind::RateLimited,
        504 => ErrorKind::Timeout,
        529 => ErrorKind::Overloaded,
        500..=599 => ErrorKind::Internal,
        // every 4xx that is not listed has the type of 400
        _ => ErrorKind::InvalidRequest,
    };
    let (_, error_type, message) = row(kind);
    (status, error_type, message)
}

/// Status, headers and body of an error answer.
pub(crate) fn error_answer(error: &ApiError, context: &Context) -> (Head, Vec<u8>) {
    let (status, ..) = row(error.kind);
    let mut head = super::head::error_head(status, context);
    let retry = match error.retry_hint {
        Some(RetryHint::Retry) => true,
        Some(RetryHint::DoNotRetry) => false,
        None => matches!(status, 408 | 409 | 429 | 500..),
    };
    head.push("x-should-retry", if retry { "true" } else { "false" });
    if let Some(wait) = error.retry_after {
        head.push("retry-after", wait.as_secs_f64().to_string());
    }
    for (name, _) in &error.headers {
        head.remove(name);
    }
    for (name, value) in &error.headers {
        head.push(name.clone(), value.clone());
    }
    let mut body = Vec::new();
    write_error(&mut body, error, context, false);
    body.push(b'}');
    (head, body)
}

/// The event that reports `error` inside a stream.
pub(crate) fn error_event(error: &ApiError, context: &Context) -> WireEvent {
    let mut data = Vec::new();
    write_error(&mut data, error, context, true);
    if !context.plain {
        let mut dice = Dice::branch(context.seed, purpose::PADDING);
        pad(&mut data, Some(&mut dice));
    }
    data.push(b'}');
    WireEvent {
        name: Some("error".into()),
        data,
        mark: Mark::Other,
    }
}

/// `{"type":"error","error":{…},"request_id":…`, the last brace left to the caller. Inside a stream the
/// newer form with `details` is what was seen. The oldest errors have no id.
fn write_error(out: &mut Vec<u8>, error: &ApiError, context: &Context, in_stream: bool) {
    let envelope = Envelope::at(context.era);
    let (_, table_type, table_message) = row(error.kind);
    out.extend_from_slice(br#"{"type":"error","error":{"#);
    match &error.error_code {
        Some(code) => {
            out.extend_from_slice(br#""details":{"error_code":"#);
            write_str(out, code);
            out.extend_from_slice(b"},");
        }
        None if in_stream && envelope.request_id => out.extend_from_slice(br#""details":null,"#),
        None => {}
    }
    out.extend_from_slice(br#""type":"#);
    write_str(out, error.error_type.as_deref().unwrap_or(table_type));
    out.extend_from_slice(br#","message":"#);
    match &error.message {
        Some(message) => write_str(out, message),
        None if context.model.is_empty() => write_str(out, table_message),
        None => write_str(out, &table_message.replace(DEFAULT_MODEL, &context.model)),
    }
    out.push(b'}');
    if envelope.request_id {
        out.extend_from_slice(br#","request_id":"#);
        write_str(out, &super::head::request_id(context));
    }
}
