//! What the service says of a member that is missing, of a wrong type, or of a value that it does not know, and of what
//! a model does not support.

use serde_json::{Map, Value};

use crate::script::ApiError;

/// A member that has to be there.
pub(crate) fn missing(param: &str) -> ApiError {
    let error = ApiError::invalid_request(format!("Missing required parameter: '{param}'."));
    error.param(param).error_code("missing_required_parameter")
}

/// A member of a wrong type.
pub(crate) fn wrong_type(param: &str, expected: &str, sent: &Value) -> ApiError {
    let found = match sent {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a decimal number",
        Value::Number(_) => "an integer",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    let text = format!("Invalid type for '{param}': expected {expected}, but got {found} instead.");
    let error = ApiError::invalid_request(text).param(param);
    error.error_code("invalid_type")
}

/// A member that is no boolean, where it is sent.
pub(crate) fn no_boolean(body: &Map<String, Value>, name: &str) -> Option<ApiError> {
    let sent = body.get(name)?;
    let is_fine = sent.is_boolean() || sent.is_null();
    (!is_fine).then(|| wrong_type(name, "a boolean", sent))
}

/// A word that is none of those that the service knows, which it lists so.
pub(crate) fn unknown_value(param: &str, sent: &str, known: &str) -> ApiError {
    let text = format!("Invalid value: '{sent}'. Supported values are: {known}.");
    let error = ApiError::invalid_request(text).param(param);
    error.error_code("invalid_value")
}

/// A name of a tool with characters that no name has, or with too many.
pub(crate) fn tool_name(param: &str, name: &str) -> Option<ApiError> {
    const LONGEST: usize = 64;
    let is_fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let length = name.chars().count();
    let (text, code) = if length > LONGEST {
        let text = format!(
            "Invalid '{param}': string too long. Expected a string with maximum length {LONGEST}, but got a string \
             with length {length} instead."
        );
        (text, "string_above_max_length")
    } else if !name.is_empty() && !name.chars().all(is_fine) {
        let text = format!(
            "Invalid '{param}': string does not match pattern. Expected a string that matches the pattern \
             '^[a-zA-Z0-9_-]+$'."
        );
        (text, "invalid_value")
    } else {
        return None;
    };
    let error = ApiError::invalid_request(text).param(param);
    Some(error.error_code(code))
}

/// The temperature, if it is sent to a model that takes its default only: told by the model's name. Those of which a
/// later version takes others are left out.
pub(crate) fn unsupported_temperature(body: &Map<String, Value>) -> Option<&Value> {
    const DEFAULT: f64 = 1.0;
    let model = body.get("model")?.as_str()?;
    let reasons = match model.strip_prefix("gpt-5") {
        Some("") => true,
        Some(rest) => ["-mini", "-nano", "-20"]
            .iter()
            .any(|size| rest.starts_with(size)),
        None => ["o1", "o3", "o4-mini"]
            .iter()
            .any(|family| model.starts_with(family)),
    };
    let sent = body.get("temperature").filter(|_| reasons)?;
    let is_default = (sent.as_f64()? - DEFAULT).abs() < f64::EPSILON;
    (!is_default).then_some(sent)
}
