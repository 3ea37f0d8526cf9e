//! The side roads of OpenAI.

use std::sync::Arc;

use super::by_user_code;
use crate::{
    api::{
        Context, Said,
        openai::side_roads::{Misfit, OpenAiRoad, embed, models, moderate},
    },
    request::RecordedRequest,
    server::{
        refusal::Refusal,
        responses,
        shared::{ScriptDrift, Shared},
    },
};

/// What is answered to a request that keeps the rules.
pub(super) async fn answer(
    road: OpenAiRoad,
    request: &RecordedRequest,
    context: &Context,
    shared: &Arc<Shared>,
) -> Result<Said, Refusal> {
    let misfit = |misfit| refused(misfit, request, shared);
    match road {
        OpenAiRoad::ListModels | OpenAiRoad::GetModel => {
            let scripted = shared.config.side_roads.models.as_deref();
            Ok(models(scripted, road, request))
        }
        OpenAiRoad::Embed => {
            let who = "the function of `.embeddings_by(..)`";
            let context = context.clone();
            let embedded = by_user_code(who, request, shared, move |request, shared| {
                let may_drift = shared.config.drift == ScriptDrift::Allowed;
                let script = &shared.config.side_roads.embeddings;
                embed(script, request, may_drift, &context)
            });
            embedded.await?.map_err(misfit)
        }
        OpenAiRoad::GetResponse | OpenAiRoad::DeleteResponse | OpenAiRoad::ListInputItems => {
            responses::answer(road, request, shared).await
        }
        OpenAiRoad::Moderate => {
            let who = "the function of `.moderations_by(..)`";
            let context = context.clone();
            let moderated = by_user_code(who, request, shared, move |request, shared| {
                moderate(&shared.config.side_roads.moderations, request, &context)
            });
            moderated.await?.map_err(misfit)
        }
    }
}

/// What is not said.
fn refused(misfit: Misfit, request: &RecordedRequest, shared: &Shared) -> Refusal {
    let script = shared.config.script.description();
    let place = format!("{script}, for request {request}");
    match misfit {
        Misfit::Unplayable { what, found, help } => Refusal::by_stub(
            "unplayable",
            format!("{what}\n  where: {place}\n  found: {found}\n  help: {help}"),
        ),
        Misfit::Drift {
            of,
            expected,
            found,
        } => Refusal::by_stub(
            "script-drift",
            format!(
                "the scripted {of} does not fit the request\n  where: {place}\n  \
                 expected: {expected}\n  found: {found}\n  help: mend the request or the script; if it is \
                 meant, say so with `.allow_script_drift()` on the stub"
            ),
        ),
    }
}
