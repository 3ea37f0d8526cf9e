//! From a request to the steps of its answer: route, record, rules, script, plan.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::Value;

use super::{
    fallback::Fallback,
    http1::{Body, RawRequest},
    refusal::{self, Refusal, WHY_HEADER},
    runtime::off_worker,
    shared::{Arrival, ScriptDrift, Shared},
};
use crate::{
    api::{Api, Form, Head},
    plan::{self, Steps, Unplayable},
    request::{Headers, Kind, Outcome, Received, RecordedRequest, Sketch},
    script::{self, ApiError, Claims, LiveClaim, Origin, Picked, Says, Turn},
};

/// Bodies and turns longer than this are worked on off the stub's own threads.
const LARGE: usize = 256 * 1024;

/// What is played to a request.
pub(super) struct Answer {
    pub(super) arrival: Arrival,
    pub(super) steps: Steps,
    /// What becomes of the request once the answer is complete.
    pub(super) outcome: Outcome,
    /// Held while the answer is a live turn's.
    _live: Option<LiveClaim>,
}

/// A request in the journal, before anything is decided.
pub(super) struct Recorded {
    pub(super) arrival: Arrival,
    asks: Asks,
}

/// What a request asks for.
enum Asks {
    Model {
        api: Api,
        body: Asked,
    },
    Preflight,
    /// Something for the fallback.
    Fallback(Fallback),
    /// A body over the limit, for the fallback.
    TooLong,
    /// Something that is not served.
    Other,
}

/// The body of a model call, read once; the journal keeps its bytes only.
enum Asked {
    /// Null if it is no JSON.
    Json(Arc<Value>),
    /// Longer than the limit: not read.
    TooLong,
}

/// Records the request.
pub(super) async fn record(raw: RawRequest, connection: usize, shared: &Arc<Shared>) -> Recorded {
    let path = raw.target.split('?').next().unwrap_or_default();
    let api = route(&raw.method, path, shared);
    let preflight = raw.method == "OPTIONS"
        && raw.headers.contains("origin")
        && raw.headers.contains("access-control-request-method");
    let (body, too_long) = match raw.body {
        Body::Whole(body) => (body, false),
        Body::TooLong => (bytes::Bytes::new(), true),
    };
    let (asks, sketch) = match api {
        Some(api) => {
            let (sketch, json) = if body.len() <= LARGE {
                api.sketch(&body)
            } else {
                let body = body.clone();
                let read = off_worker(move || api.sketch(&body)).await;
                read.unwrap_or_default()
            };
            let body = if too_long {
                Asked::TooLong
            } else {
                Asked::Json(Arc::new(json))
            };
            (Asks::Model { api, body }, sketch)
        }
        None => {
            let asks = match shared.config.fallback {
                Some(_) if too_long && !is_model_path(path) => Asks::TooLong,
                Some(fallback) if !is_model_path(path) => Asks::Fallback(fallback),
                _ if preflight => Asks::Preflight,
                _ => Asks::Other,
            };
            (asks, Sketch::default())
        }
    };
    let arrival = shared.record(Received {
        kind: match asks {
            Asks::Model { api, .. } => Kind::ModelCall { api, index: 0 },
            Asks::Preflight => Kind::SideRoad,
            Asks::Fallback(_) | Asks::TooLong => Kind::Fallback,
            Asks::Other => Kind::NotServed,
        },
        sketch,
        method: raw.method,
        target: raw.target,
        headers: raw.headers,
        body,
        connection,
        arrived: shared.clock.now(),
    });
    Recorded { arrival, asks }
}

impl Recorded {
    /// Who answers it, if it is for no model API.
    pub(super) fn fallback(&self) -> Option<Fallback> {
        match self.asks {
            Asks::Fallback(fallback) => Some(fallback),
            Asks::Model { .. } | Asks::Preflight | Asks::TooLong | Asks::Other => None,
        }
    }
}

/// Decides what is played to a request.
pub(super) async fn to_request(recorded: Recorded, shared: &Arc<Shared>) -> Answer {
    let Recorded { arrival, asks } = recorded;
    match asks {
        Asks::Model { api, body } => to_call(arrival, api, body, shared).await,
        Asks::Preflight => to_preflight(arrival),
        Asks::TooLong => body_too_long(arrival, shared),
        // with a fallback it does not come here
        Asks::Fallback(_) | Asks::Other => not_served(arrival, shared),
    }
}

/// The API whose model call this is.
fn route(method: &str, path: &str, shared: &Shared) -> Option<Api> {
    let served = |api: &Api| shared.config.api.is_none_or(|only| only == *api);
    let mut apis = Api::ALL.into_iter().filter(served);
    apis.find(|api| api.route() == (method, path))
}

/// Whether a model API has this path, whatever the method.
fn is_model_path(path: &str) -> bool {
    Api::ALL.iter().any(|api| api.route().1 == path)
}

async fn to_call(arrival: Arrival, api: Api, body: Asked, shared: &Arc<Shared>) -> Answer {
    let request = &arrival.request;
    let ((steps, live), outcome) = match decide(request, api, body, shared).await {
        Ok(decided) => (decided, Outcome::Complete),
        Err(refusal) => (
            (refusal::refuse(request, api, refusal, shared), None),
            Outcome::Refused,
        ),
    };
    shared.update(|_| request.set_decided());
    Answer {
        arrival,
        steps,
        outcome,
        _live: live,
    }
}

/// Rules, then the script, then the plan.
async fn decide(
    request: &RecordedRequest,
    api: Api,
    body: Asked,
    shared: &Arc<Shared>,
) -> Result<(Steps, Option<LiveClaim>), Refusal> {
    let body = match body {
        Asked::Json(body) => body,
        Asked::TooLong => return Err(too_long(request, shared)),
    };
    check_rules(request, api, &body, shared).await?;
    let (turn, origin) = pick(request, shared).await?;
    request.set_answered_by(origin.to_string());
    if let Some(lane) = origin.lane() {
        request.set_lane(lane);
    }
    if matches!(origin, Origin::Closure(_)) {
        shared.bind_gates(&turn);
    }
    let context = shared.config.context(&turn, &origin, request.model());
    let form = if request.is_stream() {
        Form::Stream
    } else {
        Form::Json
    };
    let cut = shared.config.cut;
    let place = || {
        let (api, file, line) = (api.name(), turn.built.file(), turn.built.line());
        format!("{origin} on {api}, built at {file}:{line}, for request {request}")
    };
    check_drift(&turn, &body, api, &place, shared).await?;
    let planned = if turn.runs_user_code() || turn.is_longer_than(LARGE) {
        let turn = Arc::clone(&turn);
        off_worker(move || plan::plan(&turn, api, form, &context, cut))
            .await
            .map_err(|panic| {
                refusal::panicked("the fragments function of a turn", &panic, &place())
            })?
    } else {
        plan::plan(&turn, api, form, &context, cut)
    };
    let unplayable = |why: Unplayable| Refusal::by_stub("unplayable", why.located(&place()));
    let steps = planned.map_err(unplayable)?;
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

fn too_long(request: &RecordedRequest, shared: &Shared) -> Refusal {
    let limit = shared.config.body_limit;
    let message = format!("the request's body is longer than {limit} bytes");
    Refusal {
        reason: "body-limit",
        problem: format!("{request}: {message}\n  help: `.body_limit(bytes)` sets the limit"),
        error: Box::new(ApiError::request_too_large().message(message)),
    }
}

async fn check_rules(
    request: &RecordedRequest,
    api: Api,
    body: &Arc<Value>,
    shared: &Arc<Shared>,
) -> Result<(), Refusal> {
    let broken = if request.body().len() <= LARGE {
        shared.config.rules.first_broken(api, request, body)
    } else {
        let (shared, request, body) = (Arc::clone(shared), request.clone(), Arc::clone(body));
        let check = move || shared.config.rules.first_broken(api, &request, &body);
        off_worker(check).await.unwrap_or_default()
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
        None => Ok(()),
    }
}

/// Whether the turn fits the request.
async fn check_drift(
    turn: &Arc<Turn>,
    body: &Arc<Value>,
    api: Api,
    place: &(dyn Fn() -> String + Sync),
    shared: &Shared,
) -> Result<(), Refusal> {
    if shared.config.drift == ScriptDrift::Allowed {
        return Ok(());
    }
    let check = move |turn: &Turn, body: &Value| {
        script::drift(turn, || api.calls(body), || api.text_schema(body))
    };
    let drift = if turn.is_longer_than(LARGE) {
        let (turn, body) = (Arc::clone(turn), Arc::clone(body));
        let checked = off_worker(move || check(&turn, &body)).await;
        checked.unwrap_or_default()
    } else {
        check(turn, body)
    };
    drift.map_or(Ok(()), |drift| {
        Err(Refusal::by_stub("script-drift", drift.located(&place())))
    })
}

/// The turn that the script has for this request.
async fn pick(
    request: &RecordedRequest,
    shared: &Arc<Shared>,
) -> Result<(Arc<Turn>, Origin), Refusal> {
    let script = &shared.config.script;
    let index = match request.kind() {
        Kind::ModelCall { index, .. } => index,
        Kind::SideRoad | Kind::Fallback | Kind::NotServed | Kind::Malformed => 0,
    };
    let asked = !script.errors_at.contains_key(&index);
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
        (Says::Error(_), _) => Err(Refusal::by_stub(
            "unplayable",
            format!(
                "`.stop_reason_at({index}, ..)` has no target: {origin} is an error\n  where: {}\n  \
                 help: give it to a call that is answered",
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

/// Answers that a browser may call this server.
fn to_preflight(arrival: Arrival) -> Answer {
    let request = &arrival.request;
    request.set_answered_by("the CORS preflight".to_owned());
    let mut head = Head {
        status: 204,
        headers: Vec::new(),
    };
    let asked = |name: &str| request.header(name).map(str::to_owned);
    head.push("access-control-allow-methods", "GET, POST, DELETE, OPTIONS");
    if let Some(headers) = asked("access-control-request-headers") {
        head.push("access-control-allow-headers", headers);
    }
    head.push("access-control-max-age", "600");
    Answer {
        steps: Steps::whole(head, Vec::new()),
        arrival,
        outcome: Outcome::Complete,
        _live: None,
    }
}

/// The loud 404.
fn not_served(arrival: Arrival, shared: &Shared) -> Answer {
    let request = &arrival.request;
    let served = Api::ALL.into_iter();
    let served = served.filter(|api| shared.config.api.is_none_or(|only| only == *api));
    let served: Vec<String> = served
        .map(|api| {
            let (method, path) = api.route();
            format!("{method} {path} ({})", api.name())
        })
        .collect();
    let help = if is_model_path(request.path()) {
        "the path is right, the method is not"
    } else {
        "check the base URL that the client was given"
    };
    let message = format!(
        "nothing is served at {request}\n  where: {}\n  expected: {}\n  help: {help}",
        shared.config.script.description(),
        served.join(", ")
    );
    request.set_answered_by("404: not served".to_owned());
    shared.update(|state| state.problems.push(message.clone()));
    plain_error(arrival, 404, "not_found_error", &message, "not-served")
}

/// The loud 413 for a request that would be relayed; one of an API has its own.
fn body_too_long(arrival: Arrival, shared: &Shared) -> Answer {
    let request = &arrival.request;
    let limit = shared.config.body_limit;
    let message = format!("the request's body is longer than {limit} bytes");
    let problem = format!("{request}: {message}\n  help: `.body_limit(bytes)` sets the limit");
    request.set_answered_by("413: body over the limit".to_owned());
    shared.update(|state| state.problems.push(problem));
    plain_error(arrival, 413, "request_too_large", &message, "body-limit")
}

/// The answer to bytes that are no request.
pub(super) fn to_malformed(
    status: u16,
    why: &str,
    connection: usize,
    shared: &Arc<Shared>,
) -> Answer {
    let arrival = shared.record(Received {
        kind: Kind::Malformed,
        method: "?".into(),
        target: "?".to_owned(),
        headers: Headers::default(),
        body: bytes::Bytes::new(),
        sketch: Sketch::default(),
        connection,
        arrived: shared.clock.now(),
    });
    let request = &arrival.request;
    request.set_answered_by(format!("{status}: malformed"));
    shared.update(|state| state.problems.push(format!("{request}: {why}")));
    plain_error(arrival, status, "invalid_request_error", why, "malformed")
}

/// An error that belongs to no API, in the shape that most clients read.
pub(super) fn plain_error(
    arrival: Arrival,
    status: u16,
    error_type: &str,
    message: &str,
    reason: &'static str,
) -> Answer {
    let mut body = br#"{"type":"error","error":{"type":"#.to_vec();
    crate::json::write_str(&mut body, error_type);
    body.extend_from_slice(br#","message":"#);
    crate::json::write_str(&mut body, message);
    body.extend_from_slice(b"}}");
    let mut head = Head {
        status,
        headers: Vec::new(),
    };
    head.push("content-type", "application/json");
    head.push("x-should-retry", "false");
    head.push(WHY_HEADER, reason);
    Answer {
        steps: Steps::whole(head, body),
        arrival,
        outcome: Outcome::Refused,
        _live: None,
    }
}
