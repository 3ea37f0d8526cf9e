//! The side roads of Anthropic.

use std::sync::Arc;

use super::{by_user_code, seed};
use crate::{
    api::{
        Api, Rule, Said,
        anthropic_messages::side_roads::{AnthropicRoad, Drafting, Unsayable, models},
    },
    plan::Unplayable,
    request::RecordedRequest,
    server::{drift::drift, refusal::Refusal, shared::Shared},
};

/// What is answered to a request that keeps the rules.
pub(super) async fn answer(
    road: AnthropicRoad,
    request: &RecordedRequest,
    shared: &Arc<Shared>,
) -> Result<Said, Refusal> {
    match road {
        AnthropicRoad::CountTokens => {
            let who = "the function of `.count_tokens_by(..)`";
            by_user_code(who, request, shared, |request, shared| {
                shared.config.side_roads.count.answer(request)
            })
            .await
        }
        AnthropicRoad::ListModels | AnthropicRoad::GetModel => {
            let scripted = shared.config.side_roads.models.as_deref();
            Ok(models(scripted, road, request))
        }
        AnthropicRoad::CreateBatch => create_batch(request, shared).await,
        AnthropicRoad::ListBatches
        | AnthropicRoad::GetBatch
        | AnthropicRoad::DeleteBatch
        | AnthropicRoad::CancelBatch
        | AnthropicRoad::BatchResults => {
            let base_url = base_url(request, shared);
            Ok(shared.update(|state| state.batches.answer(road, request, &base_url)))
        }
    }
}

/// Its results are made before it is created, so that what cannot be said is told at once.
async fn create_batch(request: &RecordedRequest, shared: &Arc<Shared>) -> Result<Said, Refusal> {
    let api = Api::AnthropicMessages;
    let number = shared.update(|state| state.batches.begin());
    let who = "the function of `.batch_results(..)`";
    let draft = by_user_code(who, request, shared, move |request, shared| {
        let config = &shared.config;
        let applies = |rule: &Rule| config.rules.applies(rule);
        let drafting = Drafting {
            script: &config.side_roads.batches,
            drift: &|turn, asked| drift(turn, asked.json(), api, shared),
            broken: &|asked| api.first_broken(asked, asked.json(), &applies),
            context: config.turnless(seed(shared, 1, number)),
        };
        drafting.draft(request)
    });
    let draft = draft.await?.map_err(|unsayable| {
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

/// The root URL by the name that the client has for this stub.
fn base_url(request: &RecordedRequest, shared: &Shared) -> String {
    let port = format!(":{}", shared.address.port());
    let host = request.header("host").filter(|host| host.ends_with(&port));
    match host {
        Some(host) => format!("http://{host}"),
        None => format!("http://{}", shared.address),
    }
}
