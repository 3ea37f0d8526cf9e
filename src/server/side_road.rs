//! The side roads: the provider's rules, then what is scripted for them. No turn is used.

use std::sync::Arc;

use super::{
    answer::Answer,
    drift::drift,
    refusal::{self, Refusal},
    route::ReadBody,
    rules::check_rules,
    runtime::off_worker,
    shared::{Arrival, Shared},
};
use crate::{
    api::{Api, Drafting, Rule, Said, SideRoad, Unsayable},
    plan::{Steps, Unplayable},
    request::{Outcome, RecordedRequest},
    script::Dice,
};

/// Decides what is played to a request on a side road.
pub(super) async fn to_side_road(
    arrival: Arrival,
    api: Api,
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
    let (steps, outcome) = match decide(request, api, road, &body, shared).await {
        Ok(said) => {
            request.set_answered_by(said.by.into_owned());
            let (head, body) = match said.says {
                Ok(document) => api.document(document, &context),
                Err(error) => api.error(&error, &context),
            };
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
    Dice::branch(shared.config.repertoire.seed, !((kind << 32) ^ number)).next()
}

async fn decide(
    request: &RecordedRequest,
    api: Api,
    road: SideRoad,
    body: &ReadBody,
    shared: &Arc<Shared>,
) -> Result<Said, Refusal> {
    let holds = move |rule: &Rule| road.keeps(rule);
    check_rules(request, api, holds, body, shared).await?;
    let scripted = &shared.config.side_roads;
    match road {
        SideRoad::CountTokens => count(request, shared).await,
        SideRoad::ListModels | SideRoad::GetModel => Ok(scripted.models.answer(road, request)),
        SideRoad::CreateBatch => create_batch(request, api, shared).await,
        SideRoad::ListBatches
        | SideRoad::GetBatch
        | SideRoad::DeleteBatch
        | SideRoad::CancelBatch
        | SideRoad::BatchResults => {
            let base_url = base_url(request, shared);
            Ok(shared.update(|state| state.batches.answer(road, request, &base_url)))
        }
    }
}

async fn count(request: &RecordedRequest, shared: &Arc<Shared>) -> Result<Said, Refusal> {
    let counting = {
        let (shared, request) = (Arc::clone(shared), request.clone());
        move || shared.config.side_roads.count.answer(&request)
    };
    let who = "the function of `.count_tokens_by(..)`";
    off_worker(counting)
        .await
        .map_err(|panic| panicked(who, &panic, request, shared))
}

/// Its results are made before it is created, so that what cannot be said is told at once.
async fn create_batch(
    request: &RecordedRequest,
    api: Api,
    shared: &Arc<Shared>,
) -> Result<Said, Refusal> {
    let number = shared.update(|state| state.batches.begin());
    let code = {
        let (shared, request) = (Arc::clone(shared), request.clone());
        move || {
            let config = &shared.config;
            let applies = |rule: &Rule| config.rules.applies(rule);
            let drafting = Drafting {
                script: &config.side_roads.batches,
                drift: &|turn, asked| drift(turn, asked.json(), api, &shared),
                broken: &|asked| api.first_broken(asked, asked.json(), &applies),
                context: config.turnless(seed(&shared, 1, number)),
            };
            drafting.draft(&request)
        }
    };
    let who = "the function of `.batch_results(..)`";
    let draft = off_worker(code)
        .await
        .map_err(|panic| panicked(who, &panic, request, shared))?
        .map_err(|unsayable| {
            let place = |place| format!("{place}, for request {request}");
            match unsayable {
                Unsayable::Unplayable(why, at) => {
                    Refusal::by_stub("unplayable", Unplayable(why).located(&place(at)))
                }
                Unsayable::Drift(drift, at) => {
                    Refusal::by_stub("script-drift", drift.located(&place(at)))
                }
            }
        })?;
    Ok(shared.update(|state| {
        let broken = draft.problems.iter();
        let broken = broken.map(|problem| format!("{request}: {problem}"));
        state.problems.extend(broken);
        let script = &shared.config.side_roads.batches;
        state.batches.create(number, draft, script)
    }))
}

fn panicked(who: &str, panic: &str, request: &RecordedRequest, shared: &Shared) -> Refusal {
    let script = shared.config.repertoire.description();
    refusal::panicked(who, panic, &format!("{script}, for request {request}"))
}

/// The root URL by the name that the client has for this stub.
fn base_url(request: &RecordedRequest, shared: &Shared) -> String {
    let port = format!(":{}", shared.address.port());
    let host = request.header("host").filter(|host| host.ends_with(&port));
    match host {
        Some(host) => format!("http://{host}"),
        None => format!("http://{}", shared.address),
    }
}
