//! Which turn answers: the script is asked, and what it has is made a turn or a refusal.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use super::{
    refusal::{self, Refusal},
    runtime::off_worker,
    shared::Shared,
};
use crate::{
    request::{Kind, RecordedRequest},
    script::{Claims, Origin, Picked, Says, Turn},
};

/// The turn that the script has for this request.
pub(super) async fn pick(
    request: &RecordedRequest,
    shared: &Arc<Shared>,
) -> Result<(Arc<Turn>, Origin), Refusal> {
    let script = &shared.config.script;
    let index = match request.kind() {
        Kind::ModelCall { index, .. } => index,
        Kind::SideRoad { .. } | Kind::Fallback | Kind::NotServed | Kind::Malformed => 0,
    };
    let asked = script.errors_at.get(&index).is_none();
    let (claims, answered) = if asked && script.runs_user_code() {
        ask(request, index, shared).await?
    } else if asked {
        (script.claims(request, |_| ()), None)
    } else {
        Default::default()
    };
    let picked = {
        let mut state = shared.lock();
        script.pick(index, &mut state.position, claims, answered)
    };
    match picked {
        Picked::Turn(turn, origin) => Ok((stamped(turn, index, &origin, shared)?, origin)),
        Picked::ExhaustedLane(lane) => {
            request.set_lane(&lane.name);
            let queue = format!("lane `{}`", lane.name);
            Err(refusal::exhausted(
                request,
                &queue,
                lane.turns.len(),
                "",
                shared,
            ))
        }
        Picked::Exhausted(mismatches) => Err(refusal::exhausted(
            request,
            "the sequence",
            script.turns.len(),
            &refusal::passed_on(&mismatches, shared),
            shared,
        )),
        Picked::Unclaimed(mismatches) => Err(refusal::unclaimed(request, &mismatches, shared)),
        Picked::Ambiguous(lanes) => Err(refusal::ambiguous(request, &lanes, shared)),
    }
}

/// The turn with the stop reason that is scripted for this call.
fn stamped(
    turn: Arc<Turn>,
    index: usize,
    origin: &Origin,
    shared: &Shared,
) -> Result<Arc<Turn>, Refusal> {
    let Some(reason) = shared.config.script.stops_at.get(&index) else {
        return Ok(turn);
    };
    match (&turn.says, origin) {
        (Says::Message(_), _) => Ok(Arc::new((*turn).clone().stop_reason(reason.clone()))),
        // an error for this call goes before its stop reason
        (Says::Error(_), Origin::ErrorAt(_)) => Ok(turn),
        (says @ (Says::Error(_) | Says::Raw(_) | Says::Recorded(_)), _) => Err(Refusal::by_stub(
            "unplayable",
            format!(
                "`.stop_reason_at({index}, ..)` has no target: {origin} is {}\n  where: {}\n  \
                 help: give it to a call that is answered",
                match says {
                    Says::Raw(_) => "raw bytes",
                    Says::Recorded(_) => "a recorded answer",
                    Says::Error(_) | Says::Message(_) => "an error",
                },
                shared.config.script.description()
            ),
        )),
    }
}

/// Asks the lanes' matchers, then the closure, off the stub's own threads.
async fn ask(
    request: &RecordedRequest,
    index: usize,
    shared: &Arc<Shared>,
) -> Result<(Claims, Option<Arc<Turn>>), Refusal> {
    /// The closure's place behind the lanes.
    const CLOSURE: usize = usize::MAX;
    let asked = Arc::new(AtomicUsize::new(CLOSURE));
    let code = {
        let (shared, request, asked) = (Arc::clone(shared), request.clone(), Arc::clone(&asked));
        move || {
            let script = &shared.config.script;
            let claims = script.claims(&request, |lane| asked.store(lane, Ordering::Relaxed));
            asked.store(CLOSURE, Ordering::Relaxed);
            let unclaimed = claims.claimed.is_empty();
            let answered = unclaimed.then(|| script.ask(&request, index)).flatten();
            (claims, answered)
        }
    };
    off_worker(code).await.map_err(|panic| {
        let script = &shared.config.script;
        let who = match script.lanes.get(asked.load(Ordering::Relaxed)) {
            Some(lane) => format!("the matcher of lane `{}`", lane.name),
            None => "the closure".to_owned(),
        };
        let place = format!("{}, for request {request}", script.description());
        refusal::panicked(&who, &panic, &place)
    })
}
