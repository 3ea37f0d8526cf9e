//! What stands around the blocks, and when it is from.

use crate::{
    api::{
        accumulate::{AccumulateErrorKind, Found, Problem},
        anthropic_messages::era::{ERAS, Envelope, First},
    },
    json_slices::{compact, items, member, members},
    script::{Era, Json, Lacks, Reply, Turn},
};

/// The newest era whose messages have these members; the newest of all if there is none.
///
/// `message` is the object of the start, or the body; `blocks` are the objects of its blocks; `error` is what ended
/// it.
pub(super) fn era<'a>(
    message: Option<&str>,
    blocks: impl Iterator<Item = &'a str>,
    error: Option<&str>,
) -> Era {
    let request_id = error.map(|error| member(error, "request_id").is_some());
    let Some(message) = message else {
        return era_of_error(request_id);
    };
    let has = |object: &str, name: &str| member(object, name).is_some();
    let names: Vec<_> = members(message).into_iter().map(|(name, _)| name).collect();
    let place = |wanted: &str| names.iter().position(|name| *name == wanted);
    let first = if place("model") < place("id") {
        First::Model
    } else {
        First::Id
    };
    let usage = member(message, "usage");
    let says = |name: &str| usage.map(|usage| has(usage, name));
    let mut calls = blocks.filter(|block| member(block, "type") == Some("\"tool_use\""));
    let caller = calls.next().map(|call| has(call, "caller"));
    let is_of = |envelope: &&Envelope| {
        envelope.first == first
            && says("cache_read_input_tokens").is_none_or(|says| says == envelope.cache_counters)
            && says("service_tier").is_none_or(|says| says == envelope.service_tier)
            && says("cache_creation").is_none_or(|says| says == envelope.cache_creation)
            && says("inference_geo").is_none_or(|says| says == envelope.inference_geo)
            && envelope.stop_details == has(message, "stop_details")
            && request_id.is_none_or(|request_id| request_id == envelope.request_id)
    };
    let of_the_envelope = || ERAS.iter().rev().filter(is_of);
    // a block can be said as it is, the envelope cannot
    let of_the_calls =
        of_the_envelope().find(|envelope| caller.is_none_or(|has| has == envelope.caller));
    let known = of_the_calls.or_else(|| of_the_envelope().next());
    known.map_or(Era::today(), |envelope| envelope.since)
}

/// The newest era whose errors have a request id, or have none.
fn era_of_error(request_id: Option<bool>) -> Era {
    let is_of = |envelope: &&Envelope| request_id.is_none_or(|id| id == envelope.request_id);
    let known = ERAS.iter().rev().find(is_of);
    known.map_or(Era::today(), |envelope| envelope.since)
}

/// What the recorded objects lack: that with the usage at the start, that with the usage at the end, that with the
/// stop reason. A body is all three.
pub(super) fn lacks(start: Option<&str>, end: Option<&str>, stop: Option<&str>) -> Lacks {
    let lacks = |object: Option<&str>, name: &str| {
        object.is_some_and(|object| member(object, name).is_none())
    };
    Lacks {
        usage_at_start: lacks(start, "usage"),
        usage_at_end: lacks(end, "usage"),
        stop_details: lacks(stop, "stop_details"),
    }
}

/// What is wrong if the turn says a member that the recording lacks.
pub(super) fn check_added(recorded: &str, said: &str) -> Result<(), Box<Problem>> {
    let Some(field) = added(recorded, said, "") else {
        return Ok(());
    };
    let kind = AccumulateErrorKind::MissingField {
        field: field.clone(),
    };
    let what =
        format!("the recorded answer has no member `{field}`, and cannot be said without it");
    let expected = format!("`{field}`, as the provider's answers of that form have it");
    Err(Problem::new(kind, what, expected, Found::quoted(recorded))
        .help("add the member to the recording, or script the turn by name"))
}

/// The path of the first member that only `said` has. A counter that is null is none.
fn added(recorded: &str, said: &str, path: &str) -> Option<String> {
    let mut members = members(said).into_iter();
    members.find_map(|(name, value)| {
        let path = format!("{path}{name}");
        let is_counter = value.starts_with(|first: char| first.is_ascii_digit());
        let known = member(recorded, name).filter(|known| !(is_counter && *known == "null"));
        let Some(known) = known else {
            return Some(path);
        };
        let items = items(known).into_iter().zip(items(value)).enumerate();
        added(known, value, &format!("{path}.")).or_else(|| {
            let mut items = items;
            items.find_map(|(n, (known, value))| added(known, value, &format!("{path}[{n}].")))
        })
    })
}

/// Says of the answer what was read of it, its parts apart. What has no words is spelled as it was, in the object
/// with the stop reason and in the member `context_management`.
pub(super) fn say(
    turn: Turn,
    reply: &Reply,
    stop: Option<&str>,
    context_management: Option<&str>,
) -> Turn {
    let mut turn = turn
        .id(&reply.id)
        .model(&reply.model)
        .stop_reason(reply.stop_reason.clone())
        .usage(reply.usage.clone());
    let extras = turn.extras();
    extras.stop_details.clone_from(&reply.stop_details);
    let spelled = stop.and_then(|stop| member(stop, "stop_details"));
    if let (Some(details), Some(spelled)) = (&mut extras.stop_details, spelled) {
        for (name, value) in &mut details.others {
            if let Some(spelled) = member(spelled, name) {
                *value = Json::spelled(&compact(spelled));
            }
        }
    }
    extras.container.clone_from(&reply.container);
    extras.service_tier.clone_from(&reply.service_tier);
    extras.inference_geo.clone_from(&reply.inference_geo);
    let applied = context_management.map(compact);
    extras.context_management = applied.as_deref().map(Json::spelled);
    turn
}
