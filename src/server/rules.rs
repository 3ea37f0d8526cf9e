//! The provider's rules: whether a request breaks one that is applied.

use std::sync::Arc;

use serde_json::Value;

use super::{
    refusal::{self, Refusal},
    route::{LARGE, ReadBody},
    runtime::off_worker,
    shared::Shared,
};
use crate::{api::Rule, request::RecordedRequest, script::ApiError};

type Broken = Option<(&'static Rule, ApiError)>;

/// The body, if the request keeps those of the provider's rules that are applied; `first_broken` says which of them it
/// breaks first where it was sent, and the provider's answer.
///
/// # Errors
///
/// The provider's answer to the first that it breaks; also if its body was too long to be read.
pub(super) async fn check_rules<'b>(
    request: &RecordedRequest,
    first_broken: impl FnOnce(&RecordedRequest, &Value, &dyn Fn(&Rule) -> bool) -> Broken
    + Send
    + 'static,
    body: &'b ReadBody,
    shared: &Arc<Shared>,
) -> Result<&'b Arc<Value>, Refusal> {
    let body = match body {
        ReadBody::Json(body) => body,
        ReadBody::TooLong => return Err(too_long(request, shared)),
    };
    let check = move |request: &RecordedRequest, body: &Value, shared: &Shared| {
        let applies = |rule: &Rule| shared.config.rules.applies(rule);
        first_broken(request, body, &applies)
    };
    let broken = if request.body().len() > LARGE {
        let (request, body, shared) = (request.clone(), Arc::clone(body), Arc::clone(shared));
        let checked = off_worker(move || check(&request, &body, &shared)).await;
        checked.unwrap_or_default()
    } else {
        check(request, body, shared)
    };
    match broken {
        Some((rule, error)) => Err(Refusal {
            reason: rule.name,
            problem: format!(
                "{request}: {}\n  where: rule `{name}`, known from: {}\n  \
                 help: mend the request, or accept it with `.without_rule(\"{name}\")`",
                error.message.as_deref().unwrap_or_default(),
                rule.source,
                name = rule.name,
            ),
            error: Box::new(error),
        }),
        None => Ok(body),
    }
}

fn too_long(request: &RecordedRequest, shared: &Shared) -> Refusal {
    let (message, problem) = refusal::too_long(request, shared);
    Refusal {
        reason: "body-limit",
        problem,
        error: Box::new(ApiError::request_too_large().message(message)),
    }
}
