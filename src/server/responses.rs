//! What the stub keeps of its answers for the requests that go on from them, and what of OpenAI Responses it does not
//! serve.

use std::sync::Arc;

use serde_json::Value;

use super::{refusal::Refusal, route::ReadBody, runtime::off_worker, shared::Shared};
use crate::{
    api::{
        Api, Context, Said,
        openai::side_roads::{Kept, NotKnown, OpenAiRoad},
        openai_responses::Earlier,
        reasoned_calls,
    },
    request::RecordedRequest,
    script::{Dialect, Turn},
};

/// What the stub has answered before, as far as a request with this body speaks of it.
pub(super) async fn earlier(api: Api, body: &ReadBody, shared: &Arc<Shared>) -> Earlier {
    if api == Api::OpenAiChat {
        return Earlier {
            reasoned_calls: Arc::clone(&shared.lock().reasoned_calls),
            ..Earlier::default()
        };
    }
    let (Api::OpenAiResponses, ReadBody::Json(body)) = (api, body) else {
        return Earlier::default();
    };
    let before = shared.lock().responses.before(body);
    if before.is_empty() {
        return Earlier::default();
    }
    // answers are made again there, maybe by functions of the user's
    let known = off_worker(move || before.earlier()).await;
    known.unwrap_or_default()
}

/// The response that `turn` is, to be kept until it shows whether it comes to its end.
pub(super) fn kept(
    api: Api,
    request: &RecordedRequest,
    body: &Value,
    turn: &Arc<Turn>,
    context: &Context,
) -> Option<Kept> {
    if api != Api::OpenAiResponses {
        return None;
    }
    Kept::new(request, body, turn, context)
}

/// Remembers which calls an answer of DeepSeek's makes behind thinking, to look for it when they come back.
pub(super) fn remember_reasoning(api: Api, turn: &Turn, context: &Context, shared: &Shared) {
    if api == Api::OpenAiChat && context.dialect == Dialect::DeepSeek {
        let calls = reasoned_calls(turn, context);
        Arc::make_mut(&mut shared.lock().reasoned_calls).extend(calls);
    }
}

/// Refuses what a request to Responses may ask for and the stub does not do.
pub(super) fn check_served(
    request: &RecordedRequest,
    api: Api,
    body: &Value,
) -> Result<(), Refusal> {
    if api != Api::OpenAiResponses {
        return Ok(());
    }
    let asks = |name: &str| match body.get(name) {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(_) => true,
    };
    let (what, help) = if asks("background") {
        (
            "`background`: a response that is made while nobody waits",
            "leave `background` out of the request; its answer is then streamed, or whole",
        )
    } else if asks("conversation") {
        (
            "`conversation`: one that the service keeps",
            "go on with `previous_response_id`, or send the items again",
        )
    } else {
        return Ok(());
    };
    Err(not_served(request, what, help))
}

fn not_served(request: &RecordedRequest, what: &str, help: &str) -> Refusal {
    let message =
        format!("the stub does not serve {what}\n  where: request {request}\n  help: {help}");
    Refusal::by_stub("not-served", message)
}

/// What is answered on a side road of responses.
pub(super) async fn answer(
    road: OpenAiRoad,
    request: &RecordedRequest,
    shared: &Arc<Shared>,
) -> Result<Said, Refusal> {
    let streamed = request.query().is_some_and(|query| {
        let mut members = query.split('&');
        members.any(|member| member == "stream=true")
    });
    if streamed {
        return Err(not_served(
            request,
            "`stream=true` here: it goes on with a response that is made in the background",
            "stream the response when it is created",
        ));
    }
    let line = shared.update(|state| state.responses.asked(road, &road.id(request)));
    let said = {
        let request = request.clone();
        off_worker(move || line.answer(road, &request)).await
    };
    let (what, help) = match said {
        Ok(Ok(said)) => return Ok(said),
        Ok(Err(NotKnown::Deleted)) => (
            "the input of a response that goes on from a deleted one",
            "list the input before the responses that it goes on from are deleted",
        ),
        Ok(Err(NotKnown::Live)) | Err(_) => (
            "what a live turn said once more",
            "script the answer as a turn that is whole",
        ),
    };
    Err(not_served(request, what, help))
}
