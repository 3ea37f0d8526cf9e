//! Batches that the service refuses when they are created. What stands in `params` is looked at later, request
//! by request: what breaks a rule there comes out as an errored result (documentation).

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::AnthropicRoad;
use crate::request::RecordedRequest;

/// The longest custom id.
const LONGEST: usize = 64;

/// Why this request creates no batch; `None` if it does, or is no such request.
pub(in super::super) fn batch_requests(
    request: &RecordedRequest,
    body: &Map<String, Value>,
) -> Option<String> {
    let creates = AnthropicRoad::CreateBatch.route() == (request.method(), request.path());
    creates.then(|| problem(body.get("requests"))).flatten()
}

fn problem(requests: Option<&Value>) -> Option<String> {
    let Some(requests) = requests else {
        return Some("requests: Field required".to_owned());
    };
    let Some(requests) = requests.as_array() else {
        return Some("requests: Input should be a valid list".to_owned());
    };
    if requests.is_empty() {
        let why = "requests: List should have at least 1 item after validation, not 0";
        return Some(why.to_owned());
    }
    let mut seen = BTreeSet::new();
    requests.iter().enumerate().find_map(|(n, request)| {
        let id = request.get("custom_id");
        let id = id_problem(id).map(|why| format!("requests.{n}.custom_id: {why}"));
        let params = || params_problem(request.get("params"));
        let twice = || {
            let id = request.get("custom_id").and_then(Value::as_str)?;
            (!seen.insert(id))
                .then(|| format!("requests.{n}.custom_id: `{id}` stands twice in this batch"))
        };
        id.or_else(|| params().map(|why| format!("requests.{n}.params: {why}")))
            .or_else(twice)
    })
}

fn id_problem(id: Option<&Value>) -> Option<&'static str> {
    let Some(id) = id else {
        return Some("Field required");
    };
    let Some(id) = id.as_str() else {
        return Some("Input should be a valid string");
    };
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    match id.chars().count() {
        0 => Some("String should have at least 1 character"),
        1..=LONGEST if id.chars().all(allowed) => None,
        1..=LONGEST => Some("String should match pattern '^[a-zA-Z0-9_-]{1,64}$'"),
        _ => Some("String should have at most 64 characters"),
    }
}

fn params_problem(params: Option<&Value>) -> Option<&'static str> {
    match params {
        None => Some("Field required"),
        Some(Value::Object(_)) => None,
        Some(_) => Some("Input should be a valid dictionary"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_batch_that_is_refused_is_told_where_and_why() {
        let longest = "a".repeat(LONGEST);
        let with =
            |id: Value| json!([{"custom_id": "x", "params": {}}, {"custom_id": id, "params": {}}]);
        for (requests, expected) in [
            (None, Some("requests: Field required")),
            (
                Some(json!({})),
                Some("requests: Input should be a valid list"),
            ),
            (
                Some(json!([])),
                Some("requests: List should have at least 1 item after validation, not 0"),
            ),
            (
                Some(json!([{"params": {}}])),
                Some("requests.0.custom_id: Field required"),
            ),
            (
                Some(json!([{"custom_id": "x"}])),
                Some("requests.0.params: Field required"),
            ),
            (
                Some(json!([{"custom_id": "x", "params": 1}])),
                Some("requests.0.params: Input should be a valid dictionary"),
            ),
            (
                Some(with(json!(1))),
                Some("requests.1.custom_id: Input should be a valid string"),
            ),
            (
                Some(with(json!(""))),
                Some("requests.1.custom_id: String should have at least 1 character"),
            ),
            (Some(with(json!(longest))), None),
            (
                Some(with(json!(longest + "a"))),
                Some("requests.1.custom_id: String should have at most 64 characters"),
            ),
            (
                Some(with(json!("a b"))),
                Some("requests.1.custom_id: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'"),
            ),
            (
                Some(with(json!("x"))),
                Some("requests.1.custom_id: `x` stands twice in this batch"),
            ),
            (Some(with(json!("y_Z-1"))), None),
        ] {
            assert_eq!(
                problem(requests.as_ref()).as_deref(),
                expected,
                "{requests:?}"
            );
        }
    }
}
