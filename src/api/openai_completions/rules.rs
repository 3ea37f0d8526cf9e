//! Requests that the provider refuses.

use serde_json::Value;

use crate::{api::Rule, request::RecordedRequest, script::ApiError};

pub(crate) fn rules() -> impl Iterator<Item = &'static Rule> {
    std::iter::empty()
}

pub(crate) fn first_broken(
    _request: &RecordedRequest,
    _body: &Value,
    _applies: &dyn Fn(&Rule) -> bool,
) -> Option<(&'static Rule, ApiError)> {
    None
}
