//! Requests that the service refuses: a table of named rules, in the order in which it is taken to look; the first that
//! a request breaks answers. Rules of the same name hold the same on other APIs, and are switched with them.

use serde_json::Value;

use crate::{
    api::{
        ByDefault, Rule,
        openai::rules::{self as shared, Number},
    },
    request::RecordedRequest,
    script::{ApiError, ErrorKind},
};

/// The service's answer to a request that breaks a rule.
type Check = fn(&RecordedRequest, &Value) -> Option<ApiError>;

const fn on(name: &'static str, source: &'static str, check: Check) -> (Rule, Check) {
    let rule = Rule {
        name,
        source,
        by_default: ByDefault::On,
    };
    (rule, check)
}

const TABLE: &[(Rule, Check)] = &[
    (shared::CREDENTIALS, |request, _| {
        shared::credentials(request)
    }),
    (shared::JSON_BODY, |request, _| shared::json_body(request)),
    on("required-fields", "public reports", |_, body| {
        shared::model(body)
    }),
    on(
        "completion-model",
        "public reports: models of Chat, told by the model's name",
        |_, body| completion_model(body),
    ),
    on(
        "sampling-range",
        "public reports: `n`, as on Chat",
        |_, body| shared::out_of_range(body.as_object()?, Number::Integer, &[("n", 1, 128)]),
    ),
    on(
        "completion-best-of",
        "the documentation; the text is this crate's own",
        |_, body| best_of(body),
    ),
    on(
        "completion-logprobs",
        "the documentation; the text is this crate's own",
        |_, body| logprobs(body),
    ),
];

/// The rules, without what applies them.
pub(crate) fn rules() -> impl Iterator<Item = &'static Rule> {
    TABLE.iter().map(|(rule, _)| rule)
}

/// Of the rules that apply the one that the request breaks first, and the service's answer.
pub(crate) fn first_broken(
    request: &RecordedRequest,
    body: &Value,
    applies: &dyn Fn(&Rule) -> bool,
) -> Option<(&'static Rule, ApiError)> {
    let mut applied = TABLE.iter().filter(|(rule, _)| applies(rule));
    applied.find_map(|(rule, check)| Some((rule, check(request, body)?)))
}

fn completion_model(body: &Value) -> Option<ApiError> {
    const TEXT: &str = "This is a chat model and not supported in the v1/completions endpoint. Did you mean to \
        use v1/chat/completions?";
    const CHAT: [&str; 7] = [
        "gpt-4",
        "gpt-5",
        "gpt-3.5-turbo",
        "chatgpt-",
        "o1",
        "o3",
        "o4",
    ];
    let model = body.get("model")?.as_str()?;
    let is_chat = CHAT.iter().any(|family| model.starts_with(family));
    (is_chat && !model.contains("-instruct")).then(|| {
        // there is no code
        ApiError::new(ErrorKind::NotFound)
            .message(TEXT)
            .param("model")
            .error_code("")
    })
}

fn best_of(body: &Value) -> Option<ApiError> {
    let number = |name: &str| body.get(name).and_then(Value::as_u64);
    let best_of = number("best_of")?;
    let text = if best_of < number("n").unwrap_or(1) {
        "Invalid 'best_of': it must not be less than 'n'."
    } else if best_of > 1 && body.get("stream") == Some(&Value::Bool(true)) {
        "Invalid 'best_of': results cannot be streamed."
    } else {
        return None;
    };
    Some(ApiError::invalid_request(text).param("best_of"))
}

fn logprobs(body: &Value) -> Option<ApiError> {
    let asked = body.get("logprobs").and_then(Value::as_u64)?;
    (asked > 5).then(|| {
        ApiError::invalid_request("Invalid 'logprobs': the maximum value is 5.").param("logprobs")
    })
}
