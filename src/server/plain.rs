//! Answers that belong to no API: a CORS preflight, a body that is too long, bytes that are no request.

use std::sync::Arc;

use super::{
    answer::Answer,
    refusal::{self, WHY_HEADER},
    shared::{Arrival, Shared},
};
use crate::{
    api::Head,
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
    refused(arrival, status, body, reason)
}

/// An answer with this body that no client asks for again.
pub(super) fn refused(
    arrival: Arrival,
    status: u16,
    body: Vec<u8>,
    reason: &'static str,
) -> Answer {
    let mut head = Head {
        status,
        headers: Vec::new(),
    };
    head.push("content-type", "application/json");
    head.push("x-should-retry", "false");
    head.push(WHY_HEADER, reason);
    Answer::new(arrival, Steps::whole(head, body), Outcome::Refused)
}
