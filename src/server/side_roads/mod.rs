//! The side roads: the provider's rules, then what is scripted for them. No turn is used.
//!
//! `builder.rs` scripts them; each provider has a file for what its roads need of the stub.

mod anthropic;
mod builder;
mod openai;

use std::sync::Arc;

use super::{
    answer::Answer,
    refusal::{self, Refusal},
    route::ReadBody,
    rules::check_rules,
    runtime::off_worker,
    shared::{Arrival, Shared},
};
use crate::{
    api::{Context, Rule, Said, SideRoad},
    plan::Steps,
    request::{Outcome, RecordedRequest},
    script::Dice,
};

/// Decides what is played to a request on a side road.
pub(super) async fn to_side_road(
    arrival: Arrival,
    road: SideRoad,
    body: ReadBody,
    shared: &Arc<Shared>,
) -> Answer {
    let number = shared.update(|state| {
        state.side_roads += 1;
        state.side_roads
    });
    let context = shared.config.turnless(seed(shared, 0, number));
    let request = &arrival.request;
    let api = road.spoken_as();
    let decided = decide(request, road, &body, &context, shared).await;
    let (steps, outcome) = match decided {
        Ok(said) => {
            if !said.used.is_empty() {
                shared.update(|state| state.used.extend(said.used));
            }
            request.set_answered_by(said.by.into_owned());
            let (mut head, body) = match said.says {
                Ok(document) => api.document(document, &context),
                Err(error) => api.error(&error, &context),
            };
            for (name, value) in said.headers {
                head.push(name, value);
            }
            (Steps::whole(head, body), Outcome::Complete)
        }
        Err(refusal) => (
            refusal::refuse(request, api, refusal, &context, shared),
            Outcome::Refused,
        ),
    };
    Answer::new(arrival, steps, outcome)
}

/// A seed that no turn of the script has.
fn seed(shared: &Shared, kind: u64, number: usize) -> u64 {
    let number = u64::try_from(number).unwrap_or(u64::MAX);
    Dice::branch(
        shared.config.script.effective_seed(),
        !((kind << 32) ^ number),
    )
    .next()
}

async fn decide(
    request: &RecordedRequest,
    road: SideRoad,
    body: &ReadBody,
    context: &Context,
    shared: &Arc<Shared>,
) -> Result<Said, Refusal> {
    let broken = move |request: &RecordedRequest, body: &_, applies: &dyn Fn(&Rule) -> bool| {
        road.first_broken(request, body, applies)
    };
    check_rules(request, broken, body, shared).await?;
    match road {
        SideRoad::Anthropic(road) => anthropic::answer(road, request, shared).await,
        SideRoad::OpenAi(road) => openai::answer(road, request, context, shared).await,
    }
}

/// What code of the user's makes of a request, off the stub's own threads; `who` says in messages whose it is.
async fn by_user_code<T: Send + 'static>(
    who: &str,
    request: &RecordedRequest,
    shared: &Arc<Shared>,
    code: impl FnOnce(&RecordedRequest, &Arc<Shared>) -> T + Send + 'static,
) -> Result<T, Refusal> {
    let made = {
        let (shared, request) = (Arc::clone(shared), request.clone());
        off_worker(move || code(&request, &shared)).await
    };
    made.map_err(|panic| {
        let script = shared.config.script.description();
        refusal::panicked(who, &panic, &format!("{script}, for request {request}"))
    })
}
