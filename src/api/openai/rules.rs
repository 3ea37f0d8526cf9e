//! Rules that hold on every API and side road of OpenAI. What only looks at one of them stands there.

use serde_json::{Map, Value};

use crate::{
    api::{ByDefault, Rule},
    request::RecordedRequest,
    script::{ApiError, ErrorKind},
};

pub(crate) const CREDENTIALS: Rule = Rule {
    name: "credentials",
    source: "public reports: 401 without `authorization: Bearer`",
    by_default: ByDefault::On,
};

pub(crate) const JSON_BODY: Rule = Rule {
    name: "json-body",
    source: "public reports",
    by_default: ByDefault::On,
};

/// [`CREDENTIALS`].
pub(crate) fn credentials(request: &RecordedRequest) -> Option<ApiError> {
    const TEXT: &str = "You didn't provide an API key. You need to provide your API key in an \
        Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY), or as the password field \
        (with blank username) if you're accessing the API from your browser and are prompted for a username and \
        password. You can obtain an API key from https://platform.openai.com/account/api-keys.";
    request.api_key().is_none().then(|| {
        // there is no code
        ApiError::new(ErrorKind::Authentication)
            .message(TEXT)
            .error_code("")
    })
}

/// A body without the name of a model.
pub(crate) fn model(body: &Value) -> Option<ApiError> {
    let is_missing = body.get("model").is_none_or(Value::is_null);
    is_missing.then(|| ApiError::invalid_request("you must provide a model parameter"))
}

/// [`JSON_BODY`], as in ChatGPTNextWeb/NextChat#4064.
pub(crate) fn json_body(request: &RecordedRequest) -> Option<ApiError> {
    const TEXT: &str = "We could not parse the JSON body of your request. (HINT: This likely means you \
        aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not \
        valid JSON. If you have trouble figuring out how to fix this, please contact us through our help center at \
        help.openai.com.)";
    let refused = |_| ApiError::invalid_request(TEXT);
    request.malformed().map(refused)
}

/// The first member, by name, that the API does not know.
pub(crate) fn unknown_member(body: &Map<String, Value>, known: &[&str]) -> Option<ApiError> {
    let unknown = body.keys().filter(|name| !known.contains(&name.as_str()));
    // whatever order the map keeps
    let name = unknown.min()?;
    let error = ApiError::invalid_request(format!("Unknown parameter: '{name}'."));
    Some(error.param(name).error_code("unknown_parameter"))
}

/// What the service calls a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    Decimal,
    Integer,
}

/// The first of these numbers that is out of its range: its name, the least and the most that it may be.
pub(crate) fn out_of_range(
    body: &Map<String, Value>,
    number: Number,
    ranges: &[(&str, i32, i32)],
) -> Option<ApiError> {
    let kind = match number {
        Number::Decimal => "decimal",
        Number::Integer => "integer",
    };
    let ranges = ranges
        .iter()
        .map(|&(name, least, most)| (name, f64::from(least), f64::from(most)));
    first_outside(body, kind, ranges)
}

/// The first of these integers that is below the least that it may be.
pub(crate) fn too_small(body: &Map<String, Value>, least: &[(&str, i32)]) -> Option<ApiError> {
    let ranges = least
        .iter()
        .map(|&(name, least)| (name, f64::from(least), f64::INFINITY));
    first_outside(body, "integer", ranges)
}

fn first_outside<'a>(
    body: &Map<String, Value>,
    kind: &str,
    mut ranges: impl Iterator<Item = (&'a str, f64, f64)>,
) -> Option<ApiError> {
    ranges.find_map(|(name, least, most)| {
        let sent = body.get(name)?;
        let value = sent.as_f64()?;
        let (side, sign, bound, code) = if value < least {
            ("below minimum", ">=", least, "below_min_value")
        } else if value > most {
            ("above maximum", "<=", most, "above_max_value")
        } else {
            return None;
        };
        let text = format!(
            "Invalid '{name}': {kind} {side} value. Expected a value {sign} {bound}, but got {sent} instead."
        );
        let error = ApiError::invalid_request(text).param(name);
        Some(error.error_code(format!("{kind}_{code}")))
    })
}

/// Ids that a request names, to be asked whether one is among them.
#[derive(Default)]
pub(crate) struct Ids<'a>(Vec<&'a str>);

impl<'a> Ids<'a> {
    pub(crate) fn new(ids: impl Iterator<Item = &'a str>) -> Self {
        let mut ids: Vec<&str> = ids.collect();
        ids.sort_unstable();
        Self(ids)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn contain(&self, id: &str) -> bool {
        self.0.binary_search(&id).is_ok()
    }
}
