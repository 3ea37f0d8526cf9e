//! The side roads of OpenAI.

use crate::{
    api::{
        Said,
        openai::side_roads::{OpenAiRoad, models},
    },
    request::RecordedRequest,
    server::shared::Shared,
};

/// What is answered to a request that keeps the rules.
pub(super) fn answer(road: OpenAiRoad, request: &RecordedRequest, shared: &Shared) -> Said {
    match road {
        OpenAiRoad::ListModels | OpenAiRoad::GetModel => {
            models(shared.config.side_roads.models.as_deref(), road, request)
        }
    }
}
