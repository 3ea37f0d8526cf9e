//! The loud 404: what is served instead, and what the client's base URL may lack.

use super::{
    answer::Answer,
    control::is_control,
    plain::{plain_error, refused},
    route::{knows_path, served},
    shared::{Arrival, Shared},
};
use crate::{
    api::{Api, Provider},
    json::write_str,
    request::RecordedRequest,
    script::nearest,
};

/// The loud 404.
pub(super) fn not_served(arrival: Arrival, shared: &Shared) -> Answer {
    let request = &arrival.request;
    let message = format!(
        "nothing is served at {request}\n  where: {}\n  expected: {}\n  help: {}",
        shared.config.script.description(),
        routes(shared),
        help(request, shared),
    );
    request.set_answered_by("404: not served".to_owned());
    shared.update(|state| state.problems.push(message.clone()));
    if !is_for_openai(request) {
        return plain_error(arrival, 404, "not_found_error", &message, "not-served");
    }
    let mut body = br#"{"error":{"message":"#.to_vec();
    write_str(&mut body, &message);
    body.extend_from_slice(br#","type":"invalid_request_error","param":null,"code":null}}"#);
    refused(arrival, 404, body, "not-served")
}

/// Whether the client looks like one of OpenAI's, and so reads an error in its shape.
fn is_for_openai(request: &RecordedRequest) -> bool {
    let path = request.path();
    let whole = format!("/v1{path}");
    let known = |provider: Provider| {
        let mut apis = Api::ALL.into_iter();
        let knows = |api: Api| api.knows_path(path) || api.knows_path(&whole);
        apis.any(|api| api.provider() == provider && knows(api))
    };
    let is_unknown = || path.starts_with("/v1/") && !known(Provider::Anthropic);
    !request.has_header("anthropic-version") && (known(Provider::OpenAi) || is_unknown())
}

/// What to do about it.
fn help(request: &RecordedRequest, shared: &Shared) -> String {
    let path = request.path();
    if let Some(help) = unnamed_dialect(path, shared) {
        return help.to_owned();
    }
    if is_control(path) {
        return "the control API is off: switch it on with `.control_api()`".to_owned();
    }
    if knows_path(path, shared) {
        return "the path is right, the method is not".to_owned();
    }
    if path.starts_with("/v1/v1/") {
        return "the client adds `/v1` itself: give it `url()`".to_owned();
    }
    let whole = format!("/v1{path}");
    let lacking = served(shared).find(|api| api.knows_path(&whole));
    match lacking.map(Api::provider) {
        Some(Provider::OpenAi) => return "the base URL lacks `/v1`: use `openai_url()`".to_owned(),
        Some(Provider::Anthropic) => {
            return "the path lacks `/v1`; Anthropic's SDKs add it themselves".to_owned();
        }
        None => {}
    }
    let mut help = "check the base URL that the client was given".to_owned();
    if let Some(near) = nearest(path, &paths(shared)) {
        help.push_str(&format!("; the nearest path is `{near}`"));
    }
    help
}

/// All paths that are served.
fn paths(shared: &Shared) -> Vec<&str> {
    let apis = served(shared).flat_map(|api| {
        let more = shared
            .config
            .routes
            .iter()
            .filter(move |(_, routed)| *routed == api);
        let side_roads = api
            .provider()
            .side_roads()
            .iter()
            .map(|road| road.route().1);
        let own = shared.paths(api).into_iter();
        own.chain(more.map(|(path, _)| path.as_str()))
            .chain(side_roads)
    });
    apis.collect()
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
