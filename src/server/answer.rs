//! From a request to the steps of its answer: route, record, rules, script, plan.

use std::sync::Arc;

use super::{
    http1::{Body, RawRequest},
    runtime::off_worker,
    shared::{Arrival, Shared},
};
use crate::{
    api::{Api, Context, Form, Head},
    plan::{self, Steps},
    request::{Kind, Outcome, Received, RecordedRequest, View},
    script::{ApiError, GateLatch, Noise, Origin, Picked, Says, Turn},
    verify::Problem,
};

/// The header that says why the stub, and not the script, answered.
const WHY_HEADER: &str = "x-llm-wire-stub";

/// What is played to a request.
pub(super) struct Answer {
    pub(super) request: RecordedRequest,
    pub(super) steps: Steps,
    /// What becomes of the request once the answer is complete.
    pub(super) outcome: Outcome,
    /// The hold in force when the request came.
    pub(super) hold: Option<GateLatch>,
}

/// Why the stub refuses instead of playing a turn.
struct Refusal {
    /// The header's word.
    reason: &'static str,
    /// Where the provider's rule is known from, if it is one's.
    source: Option<&'static str>,
    error: Box<ApiError>,
}

impl Refusal {
    /// A refusal by the stub itself: 422, which no client tries again.
    fn by_stub(reason: &'static str, message: String) -> Self {
        Self {
            reason,
            source: None,
            error: Box::new(ApiError::status(422).message(message).should_not_retry()),
        }
    }
}

/// Records the request and decides what is played to it.
pub(super) async fn to_request(raw: RawRequest, connection: usize, shared: &Arc<Shared>) -> Answer {
    let path = raw.target.split('?').next().unwrap_or_default();
    let api = route(&raw.method, path, shared);
    let preflight = raw.method == "OPTIONS"
        && raw.headers.contains_key("origin")
        && raw.headers.contains_key("access-control-request-method");
    let too_long = matches!(raw.body, Body::TooLong);
    let body = match raw.body {
        Body::Whole(body) => body,
        Body::TooLong => bytes::Bytes::new(),
    };
    let arrival = shared.record(Received {
        kind: match api {
            Some(api) => Kind::ModelCall { api, index: 0 },
            None if preflight => Kind::SideRoad,
            None => Kind::NotServed,
        },
        view: match api {
            Some(api) => api.view(&raw.headers, &body),
            None => View::unread(),
        },
        method: raw.method,
        target: raw.target,
        headers: raw.headers,
        body,
        connection,
        arrived: shared.clock.now(),
    });
    match api {
        Some(api) => to_call(arrival, api, too_long, shared).await,
        None if preflight => to_preflight(arrival),
        None => not_served(arrival, shared),
    }
}

/// The API whose model call this is.
fn route(method: &str, path: &str, shared: &Shared) -> Option<Api> {
    let served = |api: &Api| shared.config.api.is_none_or(|only| only == *api);
    let mut apis = Api::ALL.into_iter().filter(served);
    apis.find(|api| api.route() == (method, path))
}

async fn to_call(arrival: Arrival, api: Api, too_long: bool, shared: &Arc<Shared>) -> Answer {
    let request = arrival.request.clone();
    let (steps, outcome) = match decide(&request, api, too_long, shared).await {
        Ok(steps) => (steps, Outcome::Complete),
        Err(refusal) => (refuse(&request, api, refusal, shared), Outcome::Refused),
    };
    Answer {
        request,
        steps,
        outcome,
        hold: arrival.hold,
    }
}

/// Rules, then the script, then the plan.
async fn decide(
    request: &RecordedRequest,
    api: Api,
    too_long: bool,
    shared: &Arc<Shared>,
) -> Result<Steps, Refusal> {
    check_rules(request, api, too_long, shared)?;
    let (turn, origin) = pick(request, shared).await?;
    request.set_answered_by(origin.to_string());
    if let Some(lane) = origin.lane() {
        request.set_lane(lane);
    }
    if matches!(origin, Origin::Closure(_)) {
        shared.bind_gates(&turn);
    }
    let script = &shared.config.script;
    let context = Context {
        model: request.model().to_owned(),
        seed: turn.seed.unwrap_or_else(|| origin.seed(script.seed)),
        plain: turn.is_plain() || script.noise == Noise::Plain,
    };
    let form = if request.is_stream() {
        Form::Stream
    } else {
        Form::Json
    };
    let cut = shared.config.cut;
    let planned = if turn.runs_user_code() {
        let turn = Arc::clone(&turn);
        off_worker(move || plan::plan(&turn, api, form, &context, cut))
            .await
            .map_err(|panic| panicked("a turn's own fragments function", &panic))?
    } else {
        plan::plan(&turn, api, form, &context, cut)
    };
    planned.map_err(|why| {
        let place = format!(
            "{origin} on {}, built at {}:{}",
            api.name(),
            turn.built.file(),
            turn.built.line()
        );
        Refusal::by_stub("unplayable", why.located(&place))
    })
}

fn check_rules(
    request: &RecordedRequest,
    api: Api,
    too_long: bool,
    shared: &Shared,
) -> Result<(), Refusal> {
    if too_long {
        let limit = shared.config.body_limit;
        let message = format!("the request's body is longer than {limit} bytes");
        return Err(Refusal {
            reason: "body-limit",
            source: None,
            error: Box::new(ApiError::request_too_large().message(message)),
        });
    }
    let rules = api.rules().iter();
    let mut rules = rules.filter(|rule| shared.config.rules.applies(rule.name));
    let broken = rules.find_map(|rule| Some((rule, (rule.check)(request)?)));
    match broken {
        Some((rule, error)) => Err(Refusal {
            reason: rule.name,
            source: Some(rule.source),
            error: Box::new(error),
        }),
        None => Ok(()),
    }
}

/// The turn that the script has for this request.
async fn pick(
    request: &RecordedRequest,
    shared: &Arc<Shared>,
) -> Result<(Arc<Turn>, Origin), Refusal> {
    let script = &shared.config.script;
    let index = match request.kind() {
        Kind::ModelCall { index, .. } => index,
        Kind::SideRoad | Kind::NotServed => 0,
    };
    let asked = !script.errors_at.contains_key(&index);
    let (claims, answered) = if asked && script.runs_user_code() {
        let (shared, request) = (Arc::clone(shared), request.clone());
        off_worker(move || {
            let script = &shared.config.script;
            let claims = script.claims(&request);
            let unclaimed = claims.claimed.is_empty();
            let answered = if unclaimed {
                script.ask(&request, index)
            } else {
                None
            };
            (claims, answered)
        })
        .await
        .map_err(|panic| panicked("a closure of the script", &panic))?
    } else if asked {
        (script.claims(request), None)
    } else {
        Default::default()
    };
    let picked = {
        let mut state = shared.lock();
        script.pick(index, &mut state.position, claims, answered)
    };
    match picked {
        Picked::Turn(turn, origin) => Ok((stamped(turn, index, shared), origin)),
        Picked::Exhausted(lane) => {
            shared.update(|state| state.overflow += 1);
            Err(exhausted(request, lane.as_deref(), shared))
        }
        Picked::Unclaimed(mismatches) => Err(unclaimed(request, &mismatches, shared)),
        Picked::Ambiguous(lanes) => Err(ambiguous(request, &lanes, shared)),
    }
}

/// The turn with the stop reason that is scripted for this call.
fn stamped(turn: Arc<Turn>, index: usize, shared: &Shared) -> Arc<Turn> {
    match (shared.config.script.stops_at.get(&index), &turn.says) {
        (Some(reason), Says::Message(_)) => Arc::new((*turn).clone().stop_reason(reason.clone())),
        _ => turn,
    }
}

fn panicked(who: &str, message: &str) -> Refusal {
    Refusal::by_stub("panicked", format!("{who} panicked: {message}"))
}

fn exhausted(request: &RecordedRequest, lane: Option<&str>, shared: &Shared) -> Refusal {
    let script = &shared.config.script;
    let (whose, turns) = match lane {
        Some(name) => {
            let lane = script.lanes.iter().find(|lane| &*lane.name == name);
            (
                format!("lane `{name}` has"),
                lane.map_or(0, |lane| lane.turns.len()),
            )
        }
        None if script.answer.is_some() => (
            "the closure gave none, and there are".to_owned(),
            script.turns.len(),
        ),
        None => ("there are".to_owned(), script.turns.len()),
    };
    let plural = if turns == 1 { "turn" } else { "turns" };
    let played = if turns == 0 { "" } else { ", all played" };
    let message = format!(
        "no turn left for request {request}\n  where: {}; {whose} {turns} {plural}{played}\n  \
         help: add a turn, or call `.repeat_last()` if retries are expected",
        script.description()
    );
    Refusal::by_stub("exhausted", message)
}

fn unclaimed(
    request: &RecordedRequest,
    mismatches: &[(Arc<str>, String)],
    shared: &Shared,
) -> Refusal {
    let lanes = mismatches
        .iter()
        .map(|(name, why)| format!("\n  lane `{name}` {why}"));
    let message = format!(
        "no lane claims request {request}\n  where: {}{}\n  \
         help: add a lane for it, or turns or a closure for what no lane claims",
        shared.config.script.description(),
        lanes.collect::<String>()
    );
    Refusal::by_stub("unclaimed", message)
}

fn ambiguous(request: &RecordedRequest, lanes: &[Arc<str>], shared: &Shared) -> Refusal {
    let names: Vec<String> = lanes.iter().map(|name| format!("`{name}`")).collect();
    let message = format!(
        "several lanes claim request {request}\n  where: {}\n  expected: one lane\n  found: {}\n  \
         help: make their matchers exclude each other",
        shared.config.script.description(),
        names.join(", ")
    );
    Refusal::by_stub("ambiguous", message)
}

/// The answer of a call that the stub refuses, and the problem that `verify` will show.
fn refuse(request: &RecordedRequest, api: Api, refusal: Refusal, shared: &Shared) -> Steps {
    let Refusal {
        reason,
        source,
        error,
    } = refusal;
    let script = &shared.config.script;
    request.set_answered_by(format!("refused: {reason}"));
    let index = request.index();
    let context = Context {
        model: String::new(),
        seed: Origin::ErrorAt(index).seed(script.seed),
        plain: script.noise == Noise::Plain,
    };
    let message = error.message.as_deref().unwrap_or_default();
    let source = source.map(|source| format!("\n  known from: {source}"));
    note(
        request,
        format!("{reason}: {message}{}", source.unwrap_or_default()),
        shared,
    );
    let (mut head, body) = api.error(&error, &context);
    head.push(WHY_HEADER, reason);
    Steps::whole(head, body)
}

/// Answers that a browser may call this server.
fn to_preflight(arrival: Arrival) -> Answer {
    let request = arrival.request;
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
        request,
        outcome: Outcome::Complete,
        hold: None,
    }
}

/// The loud 404.
fn not_served(arrival: Arrival, shared: &Shared) -> Answer {
    let request = arrival.request;
    let served = Api::ALL.into_iter();
    let served = served.filter(|api| shared.config.api.is_none_or(|only| only == *api));
    let served: Vec<String> = served
        .map(|api| {
            let (method, path) = api.route();
            format!("{method} {path} ({})", api.name())
        })
        .collect();
    let message = format!(
        "nothing is served at {request}\n  where: {}\n  expected: {}\n  \
         help: check the base URL that the client was given",
        shared.config.script.description(),
        served.join(", ")
    );
    request.set_answered_by("404: not served".to_owned());
    note(&request, message.clone(), shared);
    plain_error(request, 404, "not_found_error", &message, "not-served")
}

/// The answer to bytes that are no request.
pub(super) fn to_malformed(status: u16, why: &str, connection: usize, shared: &Shared) -> Answer {
    let arrival = shared.record(Received {
        kind: Kind::NotServed,
        method: "?".to_owned(),
        target: "?".to_owned(),
        headers: crate::request::Headers::new(),
        body: bytes::Bytes::new(),
        view: View::unread(),
        connection,
        arrived: shared.clock.now(),
    });
    let request = arrival.request;
    request.set_answered_by(format!("{status}: malformed"));
    note(&request, format!("malformed: {why}"), shared);
    plain_error(request, status, "invalid_request_error", why, "malformed")
}

/// An error that belongs to no API, in the shape that most clients read.
fn plain_error(
    request: RecordedRequest,
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
        request,
        outcome: Outcome::Refused,
        hold: None,
    }
}

fn note(request: &RecordedRequest, what: String, shared: &Shared) {
    let request = request.to_string();
    shared.update(|state| state.problems.push(Problem { request, what }));
}
