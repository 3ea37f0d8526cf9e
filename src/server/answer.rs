//! From a request to the steps of its answer: rules, script, drift, plan.

use std::sync::Arc;

use super::{
    drift::check_drift,
    not_served::not_served,
    pick::pick,
    plain,
    refusal::{self, Refusal},
    responses,
    route::{Asks, LARGE, ReadBody, Recorded},
    rules::{check_rules, in_dialect},
    runtime::off_worker,
    shared::{Arrival, Shared},
    side_roads::to_side_road,
};
use crate::{
    api::{Api, Form, Rule},
    plan::{self, Steps, Unplayable},
    request::{Outcome, RecordedRequest},
    script::{LiveClaim, Origin, Says},
};

/// What is played to a request.
pub(super) struct Answer {
    pub(super) arrival: Arrival,
    pub(super) steps: Steps,
    /// What becomes of the request once the answer is complete.
    pub(super) outcome: Outcome,
    /// Held while the answer is a live turn's.
    _live: Option<Playing>,
}

impl Answer {
    pub(super) const fn new(arrival: Arrival, steps: Steps, outcome: Outcome) -> Self {
        Self {
            arrival,
            steps,
            outcome,
            _live: None,
        }
    }
}

/// A live turn that is played in a run.
struct Playing {
    claim: LiveClaim,
    shared: Arc<Shared>,
}

impl Drop for Playing {
    fn drop(&mut self) {
        let ended = self.shared.lock().ended;
        if let Some(why) = ended {
            self.claim.end(why);
        }
    }
}

/// Decides what is played to a request.
pub(super) async fn to_request(recorded: Recorded, shared: &Arc<Shared>) -> Answer {
    let Recorded { arrival, asks } = recorded;
    match asks {
        Asks::Model { api, body } => to_call(arrival, api, body, shared).await,
        Asks::SideRoad { road, body, .. } => to_side_road(arrival, road, body, shared).await,
        Asks::Preflight => plain::to_preflight(arrival),
        Asks::TooLong => plain::body_too_long(arrival, shared),
        // with a fallback it does not come here
        Asks::Fallback(_) | Asks::Other => not_served(arrival, shared),
    }
}

async fn to_call(arrival: Arrival, api: Api, body: ReadBody, shared: &Arc<Shared>) -> Answer {
    let request = &arrival.request;
    if api == Api::OpenAiChat {
        request.set_dialect(shared.config.dialect_of(api, request));
    }
    let ((steps, live), outcome) = match decide(request, api, &body, shared).await {
        Ok(decided) => (decided, Outcome::Complete),
        Err(refusal) => {
            let seed = Origin::ErrorAt(request.index()).seed(shared.config.script.effective_seed());
            let mut context = shared.config.turnless(seed);
            context.dialect = shared.config.dialect_of(api, request);
            let steps = refusal::refuse(request, api, refusal, &context, shared);
            ((steps, None), Outcome::Refused)
        }
    };
    shared.update(|_| request.set_decided());
    Answer {
        arrival,
        steps,
        outcome,
        _live: live.map(|claim| Playing {
            claim,
            shared: Arc::clone(shared),
        }),
    }
}

/// Rules, then the script, then the plan.
async fn decide(
    request: &RecordedRequest,
    api: Api,
    body: &ReadBody,
    shared: &Arc<Shared>,
) -> Result<(Steps, Option<LiveClaim>), Refusal> {
    let earlier = responses::earlier(api, body, shared).await;
    let dialect = shared.config.dialect_of(api, request);
    let config = Arc::clone(shared);
    let broken = move |request: &RecordedRequest, body: &_, applies: &dyn Fn(&Rule) -> bool| {
        in_dialect(api, dialect, &config.config.rules, applies, |applies| {
            api.first_broken_after(request, body, &earlier, applies)
        })
    };
    let body = check_rules(request, broken, body, shared).await?;
    responses::check_served(request, api, body)?;
    let (turn, origin) = pick(request, shared).await?;
    request.set_answered_by(origin.to_string());
    if let Some(lane) = origin.lane() {
        request.set_lane(lane);
    }
    let place = || {
        let (api, built) = (api.name(), &turn.built);
        format!("{origin} on {api}, built at {built}, for request {request}")
    };
    let unplayable = |why: Unplayable| Refusal::by_stub("unplayable", why.located(&place()));
    if matches!(origin, Origin::Closure(_)) {
        shared.config.check_gates(&turn).map_err(unplayable)?;
        shared.bind_gates(&turn);
    }
    let asked = Some((api, &**body, &**request.body()));
    let mut context = shared.config.context(&turn, &origin, asked);
    context.dialect = turn.dialect.unwrap_or(dialect);
    if api == Api::OpenAiChat {
        request.set_dialect(context.dialect);
    }
    if let (Says::Error(_), Some(key)) = (&turn.says, request.api_key()) {
        key.clone_into(&mut context.key);
    }
    let form = if request.is_stream() {
        Form::Stream
    } else {
        Form::Json
    };
    let cut = turn.cut.as_ref().unwrap_or(&shared.config.cut).clone();
    check_drift(&turn, body, api, &place, shared).await?;
    let kept = responses::kept(api, request, body, &turn, &context);
    responses::remember_reasoning(api, &turn, &context, shared);
    let planned = if turn.runs_user_code() || turn.is_longer_than(LARGE) {
        let (turn, pace) = (Arc::clone(&turn), shared.config.pace.clone());
        off_worker(move || plan::plan(&turn, api, form, &context, cut, pace.as_ref()))
            .await
            .map_err(|panic| {
                refusal::panicked("the fragments function of a turn", &panic, &place())
            })?
    } else {
        let pace = shared.config.pace.as_ref();
        plan::plan(&turn, api, form, &context, cut, pace)
    };
    let steps = planned.map_err(unplayable)?;
    if let Some(kept) = kept {
        shared.lock().responses.keep(kept);
    }
    let live = match steps.live() {
        None => None,
        Some(line) => Some(line.claim().ok_or_else(|| {
            unplayable(Unplayable(
                "a live turn answers one request, and another one had it before\n  \
                 help: make a `Live` for each request"
                    .to_owned(),
            ))
        })?),
    };
    Ok((steps, live))
}
