//! The provider's rules: whether a request breaks one that is applied.

use std::sync::Arc;

use serde_json::Value;

use super::{
    refusal::{self, Refusal},
    route::{LARGE, ReadBody},
    runtime::off_worker,
    shared::{Rules, Shared},
};
use crate::{
    api::{Api, REASONING_PASSED_BACK, Rule, RulesOf, rules_of, without_key},
    request::RecordedRequest,
    script::{ApiError, Dialect},
};

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

/// The first rule that is broken, of those that hold for this dialect too or were asked for by name, and the answer in
/// its vendor's words.
pub(super) fn in_dialect(
    api: Api,
    dialect: Dialect,
    rules: &Rules,
    applies: &dyn Fn(&Rule) -> bool,
    first_broken: impl FnOnce(&dyn Fn(&Rule) -> bool) -> Broken,
) -> Broken {
    if api != Api::OpenAiChat {
        return first_broken(applies);
    }
    let mut broken = first_broken(&|rule| {
        applies(rule) && (holds_for(dialect, rule) || rules.has_asked_for(rule))
    });
    if let Some((rule, error)) = &mut broken {
        // who has no key is told so in the vendor's words
        if rule.name == "credentials" && dialect != Dialect::OpenAi {
            *error = without_key(dialect);
        }
    }
    broken
}

/// Whether a rule of OpenAI's holds for a dialect too.
fn holds_for(dialect: Dialect, rule: &Rule) -> bool {
    let of_deepseek = *rule == REASONING_PASSED_BACK;
    match rules_of(dialect) {
        RulesOf::OpenAi => !of_deepseek,
        RulesOf::OpenAiDeployment => !of_deepseek && rule.name != "required-fields",
        RulesOf::KeyAndBody => matches!(rule.name, "credentials" | "json-body"),
        RulesOf::KeyBodyAndReasoning => {
            of_deepseek || matches!(rule.name, "credentials" | "json-body")
        }
        RulesOf::Body => rule.name == "json-body",
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
