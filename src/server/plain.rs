//! Answers that belong to no API: a CORS preflight, the loud 404, bytes that are no request.

use std::sync::Arc;

use super::{
    answer::Answer,
    refusal::{self, WHY_HEADER},
    route::{knows_path, served},
    shared::{Arrival, Shared},
};
use crate::{
    api::{Head, Provider},
    plan::Steps,
    request::{Headers, Kind, Outcome, Received, Sketch},
};

/// Answers that a browser may call this server.
pub(super) fn to_preflight(arrival: Arrival) -> Answer {
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
    Answer::new(arrival, Steps::whole(head, Vec::new()), Outcome::Complete)
}

/// The loud 404.
pub(super) fn not_served(arrival: Arrival, shared: &Shared) -> Answer {
    let request = &arrival.request;
    let routes = routes(shared);
    let known_path = knows_path(request.path(), shared);
    let help = if let Some(help) = unnamed_dialect(request.path(), shared) {
        help
    } else if known_path {
        "the path is right, the method is not"
    } else {
        "check the base URL that the client was given"
    };
    let message = format!(
        "nothing is served at {request}\n  where: {}\n  expected: {routes}\n  help: {help}",
        shared.config.repertoire.description(),
    );
    request.set_answered_by("404: not served".to_owned());
    shared.update(|state| state.problems.push(message.clone()));
    plain_error(arrival, 404, "not_found_error", &message, "not-served")
}

/// What to do about a path that is served once a dialect was named.
fn unnamed_dialect(path: &str, shared: &Shared) -> Option<&'static str> {
    let mut unnamed =
        served(shared).filter(|api| api.is_called_at(path) && !shared.calls(*api, path));
    unnamed.next()?;
    Some(if path == "/chat/completions" {
        "the base URL lacks `/v1`: use `openai_url()`; or, for a vendor without it, name the dialect, with `.dialect(..)` \
         on the builder or on a turn, or with `dialect_url(..)`"
    } else {
        "name the dialect whose path this is, with `.dialect(..)` on the builder or on a turn, or with `dialect_url(..)`"
    })
}

/// All that is served: the APIs, then the side roads.
fn routes(shared: &Shared) -> String {
    let apis = served(shared).map(|api| {
        let paths = shared.paths(api).into_iter();
        let paths: Vec<String> = paths.map(|path| format!("POST {path}")).collect();
        let more = shared.config.routes.iter();
        let more = more.filter(|(_, routed)| *routed == api);
        let more = more.map(|(path, _)| format!(", POST {path}"));
        format!(
            "{}{} ({})",
            paths.join(", "),
            more.collect::<String>(),
            api.name()
        )
    });
    let is_served = |provider: &Provider| served(shared).any(|api| api.provider() == *provider);
    let side_roads = Provider::ALL.into_iter().filter(is_served).map(|provider| {
        let roads = provider.side_roads().iter().map(|road| {
            let (method, path) = road.route();
            format!("{method} {path}")
        });
        let roads: Vec<String> = roads.collect();
        format!("{} (side roads of {})", roads.join(", "), provider.name())
    });
    apis.chain(side_roads).collect::<Vec<_>>().join("; ")
}

/// The loud 413 for a request that would be relayed; one of an API has its own.
pub(super) fn body_too_long(arrival: Arrival, shared: &Shared) -> Answer {
    let request = &arrival.request;
    let (message, problem) = refusal::too_long(request, shared);
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
    Answer::new(arrival, Steps::whole(head, body), Outcome::Refused)
}
