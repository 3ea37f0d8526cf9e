//! Errors that the provider reports: in a body, in an event, or as the end of a response.

use serde_json::Value;

use crate::api::accumulate::{AccumulateErrorKind, Found, Members, Problem};

/// The error of an event `error`, be its members nested or not, or of a body that is nothing else.
pub(super) fn reported(members: Members<'_>, expected: impl Into<String>) -> Box<Problem> {
    let nested = members.get("error").filter(|error| error.is_object());
    let text = |name: &str| {
        let value = match nested {
            Some(error) => error.get(name),
            // an event has its own type there
            None if name == "type" => None,
            None => members.get(name),
        };
        match value {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        }
    };
    // some servers' error is a text beside its code
    let said = members.get("error").and_then(Value::as_str);
    let message = said.map_or_else(|| text("message"), str::to_owned);
    let words = [text("type"), text("code"), "error".to_owned()];
    let error_type = words.into_iter().find(|word| !word.is_empty());
    problem(error_type.unwrap_or_default(), message, members, expected)
}

/// The error of a response that failed.
pub(super) fn failed(response: Members<'_>, expected: impl Into<String>) -> Box<Problem> {
    let text = |name: &str| {
        let error = response.get("error")?;
        Some(error.get(name)?.as_str()?.to_owned())
    };
    let error_type = text("code").unwrap_or_else(|| "failed".to_owned());
    let message = text("message").unwrap_or_default();
    problem(error_type, message, response, expected)
}

/// An event that is named an error and does not say which.
pub(super) fn unreadable(data: &str, expected: String) -> Box<Problem> {
    Problem::new(
        AccumulateErrorKind::Provider {
            error_type: "error".to_owned(),
            message: data.to_owned(),
        },
        WHAT,
        expected,
        Found::quoted(data),
    )
}

/// Whether a body, or an event without a type, is an error and nothing else.
pub(super) fn is_one(members: Members<'_>) -> bool {
    let said = members.get("error");
    said.is_some_and(|error| error.is_object() || error.as_str().is_some_and(|e| !e.is_empty()))
}

const WHAT: &str = "the provider reported an error";

fn problem(
    error_type: String,
    message: String,
    members: Members<'_>,
    expected: impl Into<String>,
) -> Box<Problem> {
    let kind = AccumulateErrorKind::Provider {
        error_type,
        message,
    };
    Problem::new(
        kind,
        WHAT,
        expected.into(),
        Found::quoted(members.to_json()),
    )
}
