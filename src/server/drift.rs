//! Script drift: whether a turn still fits the request that it is about to answer.

use std::sync::Arc;

use serde_json::Value;

use super::{
    refusal::Refusal,
    route::LARGE,
    runtime::off_worker,
    shared::{ScriptDrift, Shared},
};
use crate::{
    api::Api,
    script::{self, Drift, Turn},
};

/// Whether the turn fits the request.
pub(super) async fn check_drift(
    turn: &Arc<Turn>,
    body: &Arc<Value>,
    api: Api,
    place: &(dyn Fn() -> String + Sync),
    shared: &Arc<Shared>,
) -> Result<(), Refusal> {
    let drift = if turn.is_longer_than(LARGE) {
        let (turn, body, shared) = (Arc::clone(turn), Arc::clone(body), Arc::clone(shared));
        let checked = off_worker(move || drift(&turn, &body, api, &shared)).await;
        checked.unwrap_or_default()
    } else {
        drift(turn, body, api, shared)
    };
    drift.map_or(Ok(()), |drift| {
        Err(Refusal::by_stub("script-drift", drift.located(&place())))
    })
}

/// What the turn says and the request does not allow for, unless that is allowed.
pub(super) fn drift(turn: &Turn, body: &Value, api: Api, shared: &Shared) -> Option<Drift> {
    let refused = shared.config.drift == ScriptDrift::Refused;
    let drift = || {
        let (calls, server_tools) = (|| api.calls(body), || api.server_tools(body));
        script::drift(turn, calls, server_tools, || api.text_schema(body))
    };
    refused.then(drift).flatten()
}
