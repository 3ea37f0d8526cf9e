//! What a request asks for, and its place in the journal.

use std::sync::Arc;

use serde_json::Value;

use super::{
    fallback::Fallback,
    http1::{Body, RawRequest},
    runtime::off_worker,
    shared::{Arrival, Shared},
};
use crate::{
    api::{Api, SideRoad},
    request::{Headers, Kind, Received, Sketch},
};

/// Bodies and turns longer than this are worked on off the stub's own threads.
pub(super) const LARGE: usize = 256 * 1024;

/// A request in the journal, before anything is decided.
pub(super) struct Recorded {
    pub(super) arrival: Arrival,
    pub(super) asks: Asks,
}

/// What a request asks for.
pub(super) enum Asks {
    Model {
        api: Api,
        body: ReadBody,
    },
    SideRoad {
        api: Api,
        road: SideRoad,
        body: ReadBody,
    },
    Preflight,
    /// Something for the fallback.
    Fallback(Fallback),
    /// A body over the limit, for the fallback.
    TooLong,
    /// Something that is not served.
    Other,
}

/// A body, read once for all that look at it; the journal keeps its bytes only.
pub(super) enum ReadBody {
    /// Null if it is no JSON.
    Json(Arc<Value>),
    /// Longer than the limit: not read.
    TooLong,
}

/// Records the request.
pub(super) async fn record(raw: RawRequest, connection: usize, shared: &Arc<Shared>) -> Recorded {
    let path = raw.target.split('?').next().unwrap_or_default();
    let (body, too_long) = match raw.body {
        Body::Whole(body) => (body, false),
        Body::TooLong => (bytes::Bytes::new(), true),
    };
    let (asks, sketch) = match route(&raw.method, path, &raw.headers, shared) {
        Some((api, side_road)) => {
            let (sketch, json) = if body.len() <= LARGE {
                api.sketch(&body)
            } else {
                let body = body.clone();
                let read = off_worker(move || api.sketch(&body)).await;
                read.unwrap_or_default()
            };
            let body = if too_long {
                ReadBody::TooLong
            } else {
                ReadBody::Json(Arc::new(json))
            };
            let asks = match side_road {
                None => Asks::Model { api, body },
                Some(road) => Asks::SideRoad { api, road, body },
            };
            (asks, sketch)
        }
        None => {
            let preflight = raw.method == "OPTIONS"
                && raw.headers.contains("origin")
                && raw.headers.contains("access-control-request-method");
            let known = knows_path(path, shared);
            let asks = match shared.config.fallback {
                Some(_) if too_long && !known => Asks::TooLong,
                Some(fallback) if !known => Asks::Fallback(fallback),
                _ if preflight => Asks::Preflight,
                _ => Asks::Other,
            };
            (asks, Sketch::default())
        }
    };
    let arrival = shared.record(Received {
        kind: match asks {
            Asks::Model { api, .. } => Kind::ModelCall { api, index: 0 },
            Asks::SideRoad { api, .. } => Kind::SideRoad { api: Some(api) },
            Asks::Preflight => Kind::SideRoad { api: None },
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
    /// Who answers it, if it is for no API.
    pub(super) const fn fallback(&self) -> Option<Fallback> {
        match self.asks {
            Asks::Fallback(fallback) => Some(fallback),
            Asks::Model { .. }
            | Asks::SideRoad { .. }
            | Asks::Preflight
            | Asks::TooLong
            | Asks::Other => None,
        }
    }
}

/// The API that serves this, and which of its side roads it is; none for the call of the model. Where several
/// APIs share a path the headers name the one that is meant.
fn route(
    method: &str,
    path: &str,
    headers: &Headers,
    shared: &Shared,
) -> Option<(Api, Option<SideRoad>)> {
    if method == "POST" {
        // no two APIs are called at one path, and no side road has it
        let called = || served(shared).find(|api| shared.calls(*api, path));
        if let Some(api) = routed(path, shared).or_else(called) {
            return Some((api, None));
        }
    }
    let roads = served(shared).filter_map(|api| {
        let road = api.provider().side_road(method, path)?;
        Some((api, Some(road)))
    });
    roads.min_by_key(|(api, _)| api.distance(headers))
}

/// Whether anything is served at this path, whatever the method.
pub(super) fn knows_path(path: &str, shared: &Shared) -> bool {
    routed(path, shared).is_some() || served(shared).any(|api| api.knows_path(path))
}

/// The API whose model calls are served at this path by name.
fn routed(path: &str, shared: &Shared) -> Option<Api> {
    let api = *shared.config.routes.get(path)?;
    served(shared).find(|served| *served == api)
}

/// The APIs that this stub serves.
pub(super) fn served(shared: &Shared) -> impl Iterator<Item = Api> + Clone {
    let only = shared.config.api;
    let apis = Api::ALL.into_iter();
    apis.filter(move |api| only.is_none_or(|only| only == *api))
}
