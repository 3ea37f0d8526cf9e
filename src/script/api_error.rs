//! An error that the provider answers with, naming no provider.

use std::time::Duration;

/// What kind of error it is. Each API has its own status, type and wording for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request is wrong in itself.
    InvalidRequest,
    /// The conversation is longer than the model's context window.
    ContextOverflow,
    /// The conversation and the answer that is asked for do not fit the context window together.
    ContextOverflowWithOutput,
    /// The answer that is asked for is longer than the model can give.
    OutputLimit,
    /// The model does not know this level of effort.
    EffortNotSupported,
    /// No key, or a wrong one.
    Authentication,
    /// The account has used up its credit.
    CreditTooLow,
    /// The account cannot pay.
    Billing,
    /// The key may not do this.
    Permission,
    /// There is no such model or resource.
    NotFound,
    /// The request collides with another one.
    Conflict,
    /// The body is over the provider's limit.
    RequestTooLarge,
    /// Too many requests or tokens in a time.
    RateLimited,
    /// The provider failed.
    Internal,
    /// The provider took too long.
    Timeout,
    /// The provider has no capacity left.
    Overloaded,
    /// Any other HTTP status; the type is what the API's table gives for it.
    Status(u16),
}

/// Whether the answer tells the client to try again (`x-should-retry`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RetryHint {
    Retry,
    DoNotRetry,
}

/// An error answer. It is a turn of its own, or what ends a stream that had begun well.
///
/// ```
/// use llm_wire_stub::{Api, ApiError, error_body};
/// use std::time::Duration;
///
/// let error = ApiError::rate_limited().message("slow down").retry_after(Duration::from_secs(3));
/// let body = error_body(Api::AnthropicMessages, &error);
/// assert!(body.starts_with(br#"{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}"#));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ApiError {
    pub(crate) kind: ErrorKind,
    pub(crate) message: Option<String>,
    pub(crate) error_type: Option<Box<str>>,
    pub(crate) error_code: Option<Box<str>>,
    pub(crate) param: Option<Box<str>>,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) retry_hint: Option<RetryHint>,
    pub(crate) headers: Vec<(String, String)>,
}

impl ApiError {
    /// An error of `kind`, with the API's status, type and wording for it.
    ///
    /// # Panics
    ///
    /// At the caller's line, if it is a [`ErrorKind::Status`] that is not from 400 to 599.
    #[must_use]
    #[track_caller]
    pub fn new(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Status(status) => Self::status(status),
            ErrorKind::InvalidRequest
            | ErrorKind::ContextOverflow
            | ErrorKind::ContextOverflowWithOutput
            | ErrorKind::OutputLimit
            | ErrorKind::EffortNotSupported
            | ErrorKind::CreditTooLow
            | ErrorKind::Authentication
            | ErrorKind::Billing
            | ErrorKind::Permission
            | ErrorKind::NotFound
            | ErrorKind::Conflict
            | ErrorKind::RequestTooLarge
            | ErrorKind::RateLimited
            | ErrorKind::Internal
            | ErrorKind::Timeout
            | ErrorKind::Overloaded => Self::of(kind),
        }
    }

    const fn of(kind: ErrorKind) -> Self {
        Self {
            kind,
            message: None,
            error_type: None,
            error_code: None,
            param: None,
            retry_after: None,
            retry_hint: None,
            headers: Vec::new(),
        }
    }

    /// An error with this HTTP status, its type from the API's table.
    ///
    /// # Panics
    ///
    /// At the caller's line, unless `status` is from 400 to 599.
    #[must_use]
    #[track_caller]
    pub fn status(status: u16) -> Self {
        if let Err(why) = check_status(status) {
            panic!("{why}");
        }
        Self::of(ErrorKind::Status(status))
    }

    /// The request is wrong, in these words.
    #[must_use]
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::of(ErrorKind::InvalidRequest).message(message)
    }

    /// The conversation does not fit the model's context window, in the provider's status and wording.
    #[must_use]
    pub const fn context_overflow() -> Self {
        Self::of(ErrorKind::ContextOverflow)
    }

    /// The conversation and `max_tokens` do not fit the model's context window together, in the provider's
    /// status and wording.
    #[must_use]
    pub const fn context_overflow_with_output() -> Self {
        Self::of(ErrorKind::ContextOverflowWithOutput)
    }

    /// `max_tokens` is more than the model can give, in the provider's status and wording.
    #[must_use]
    pub const fn output_limit() -> Self {
        Self::of(ErrorKind::OutputLimit)
    }

    /// The model does not know the level of effort that is asked for, in the provider's status and wording.
    #[must_use]
    pub const fn effort_not_supported() -> Self {
        Self::of(ErrorKind::EffortNotSupported)
    }

    /// The account's credit is used up, in the provider's status and wording. Anthropic says this with 400;
    /// its 402 is [`ApiError::billing`].
    #[must_use]
    pub const fn credit_too_low() -> Self {
        Self::of(ErrorKind::CreditTooLow)
    }

    /// The key is wrong.
    #[must_use]
    pub const fn authentication() -> Self {
        Self::of(ErrorKind::Authentication)
    }

    /// The account cannot pay.
    #[must_use]
    pub const fn billing() -> Self {
        Self::of(ErrorKind::Billing)
    }

    /// The key may not do this.
    #[must_use]
    pub const fn permission() -> Self {
        Self::of(ErrorKind::Permission)
    }

    /// What was asked for is not there, such as an unknown model; [`ApiError::message`] says which.
    #[must_use]
    pub const fn not_found() -> Self {
        Self::of(ErrorKind::NotFound)
    }

    /// The request collides with another one.
    #[must_use]
    pub const fn conflict() -> Self {
        Self::of(ErrorKind::Conflict)
    }

    /// The body is over the provider's limit.
    #[must_use]
    pub const fn request_too_large() -> Self {
        Self::of(ErrorKind::RequestTooLarge)
    }

    /// Too many requests. It has no `retry-after` header unless [`ApiError::retry_after`] gives one, so that
    /// a test decides how long its client waits.
    #[must_use]
    pub const fn rate_limited() -> Self {
        Self::of(ErrorKind::RateLimited)
    }

    /// The provider failed.
    #[must_use]
    pub const fn internal() -> Self {
        Self::of(ErrorKind::Internal)
    }

    /// The provider took too long.
    #[must_use]
    pub const fn timeout() -> Self {
        Self::of(ErrorKind::Timeout)
    }

    /// The provider has no capacity left.
    #[must_use]
    pub const fn overloaded() -> Self {
        Self::of(ErrorKind::Overloaded)
    }

    /// Whether it says anything that only headers can say.
    pub(crate) fn has_headers(&self) -> bool {
        self.retry_after.is_some() || self.retry_hint.is_some() || !self.headers.is_empty()
    }

    /// Says it in these words instead of the API's own.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Names this type instead of the one of the API's table.
    #[must_use]
    pub fn error_type(mut self, error_type: impl Into<String>) -> Self {
        self.error_type = Some(error_type.into().into());
        self
    }

    /// Gives the finer code that SDKs pick their error classes by, where the API has one (Anthropic's
    /// `error.details.error_code`, OpenAI's `error.code`, where an empty one is null).
    #[must_use]
    pub fn error_code(mut self, code: impl Into<String>) -> Self {
        self.error_code = Some(code.into().into());
        self
    }

    /// Names the member of the request that is wrong, where the API does so (OpenAI's `error.param`).
    #[must_use]
    pub fn param(mut self, param: impl Into<String>) -> Self {
        self.param = Some(param.into().into());
        self
    }

    /// Adds the header `retry-after`, in seconds, and beside it OpenAI's `retry-after-ms`. A part of a second is written as a decimal (10 ms as
    /// `0.01`), which the official SDKs obey; the services send whole seconds, and clients that read only
    /// those will pass it over.
    #[must_use]
    pub const fn retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// Tells the client to try again (`x-should-retry: true`), whatever the status says.
    #[must_use]
    pub const fn should_retry(mut self) -> Self {
        self.retry_hint = Some(RetryHint::Retry);
        self
    }

    /// Tells the client not to try again (`x-should-retry: false`), whatever the status says.
    #[must_use]
    pub const fn should_not_retry(mut self) -> Self {
        self.retry_hint = Some(RetryHint::DoNotRetry);
        self
    }

    /// Adds a header to the answer, in place of the API's own of that name.
    ///
    /// # Panics
    ///
    /// At the caller's line, if HTTP does not allow this name or value, or if the header belongs to the
    /// framing of the answer (`connection`, `content-length`, `transfer-encoding`).
    #[must_use]
    #[track_caller]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        add_header(&mut self.headers, name.into(), value.into());
        self
    }
}

/// # Errors
///
/// If no error answer has this status.
pub(crate) fn check_status(status: u16) -> Result<(), String> {
    if (400..600).contains(&status) {
        return Ok(());
    }
    Err(format!(
        "an error answer has a status from 400 to 599\n  found: `{status}`\n  \
         help: a turn that succeeds is made by `Turn::new()`"
    ))
}

/// Adds a header.
///
/// # Panics
///
/// At the caller's line, if [`check_header`] refuses it.
#[track_caller]
pub(crate) fn add_header(headers: &mut Vec<(String, String)>, name: String, value: String) {
    if let Err(why) = check_header(&name, &value) {
        panic!("{why}");
    }
    headers.push((name, value));
}

/// # Errors
///
/// If HTTP does not allow this header, or if it belongs to the framing of an answer.
pub(crate) fn check_header(name: &str, value: &str) -> Result<(), String> {
    let legal = http::HeaderName::from_bytes(name.as_bytes()).is_ok()
        && http::HeaderValue::from_str(value).is_ok();
    if !legal {
        return Err(format!(
            "HTTP does not allow this header\n  found: `{}: {}`\n  \
             help: a name is made of letters, digits and `-`; a value has no line ends",
            name.escape_debug(),
            value.escape_debug()
        ));
    }
    let mut framing = ["connection", "content-length", "transfer-encoding"].into_iter();
    if framing.any(|framing| name.eq_ignore_ascii_case(framing)) {
        return Err(format!(
            "the framing of an answer is the stub's\n  found: `{name}: {value}`\n  \
             help: leave this header out"
        ));
    }
    Ok(())
}
