//! What `anthropic-version: 2026-10-21` refuses and its predecessor does not. That it does is documented;
//! its texts are not known, so these are this crate's own.

use serde_json::Value;

use super::{
    Place, Violation,
    asked::{Asked, Role},
};

pub(super) fn sampling_parameters(asked: &Asked<'_>) -> Option<Violation> {
    if !asked.is_version_2026_10_21 {
        return None;
    }
    let mut parameters = ["temperature", "top_p", "top_k"].into_iter();
    let sent = |name: &&str| asked.body.get(*name).is_some_and(|value| !value.is_null());
    let name = parameters.find(sent)?;
    Some(Place::Sampling.refused(format!(
        "{name}: sampling parameters are not accepted by anthropic-version 2026-10-21"
    )))
}

pub(super) fn document_in_assistant(asked: &Asked<'_>) -> Option<Violation> {
    let mut blocks = asked.blocks.iter();
    let document =
        blocks.find(|block| block.kind == "document" && block.role == Role::Assistant)?;
    asked.is_version_2026_10_21.then(|| {
        let path = document.path();
        document.place().refused(format!(
            "{path}: `document` blocks are not accepted in assistant messages \
             by anthropic-version 2026-10-21"
        ))
    })
}

pub(super) fn citations_in_user_text(asked: &Asked<'_>) -> Option<Violation> {
    let mut blocks = asked.blocks.iter();
    let cited = blocks.find(|block| {
        let citations = block.json.get("citations").and_then(Value::as_array);
        block.role == Role::User
            && block.kind == "text"
            && citations.is_some_and(|citations| !citations.is_empty())
    })?;
    asked.is_version_2026_10_21.then(|| {
        let path = cited.path();
        cited.place().refused(format!(
            "{path}.citations: `citations` are not accepted on text of the user \
             by anthropic-version 2026-10-21"
        ))
    })
}
