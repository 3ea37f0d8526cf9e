//! What `anthropic-version: 2026-10-21` refuses and its predecessor does not. That it does is documented; the
//! text on sampling parameters is known from public reports, the others are this crate's own.

use serde_json::Value;

use super::{
    Place, Violation,
    asked::{Asked, Role, items, word},
};

pub(super) fn sampling_parameters(asked: &Asked<'_>) -> Option<Violation> {
    if !asked.is_version_2026_10_21 {
        return None;
    }
    let mut parameters = ["temperature", "top_p", "top_k"].into_iter();
    let name = parameters.find(|name| asked.body.contains_key(*name))?;
    Some(Place::Sampling.refused(format!("{name}: Extra inputs are not permitted")))
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
    if !asked.is_version_2026_10_21 {
        return None;
    }
    let of_user = asked.blocks.iter();
    let mut of_user = of_user.filter(|block| block.role == Role::User);
    of_user.find_map(|block| {
        let path = cited(block.json, block.path())?;
        Some(block.place().refused(format!(
            "{path}.citations: `citations` are not accepted on text of the user \
             by anthropic-version 2026-10-21"
        )))
    })
}

/// The path of the text with citations, this block or one in a search result.
fn cited(block: &Value, path: String) -> Option<String> {
    let has_citations = || items(block.get("citations")).next().is_some();
    match word(block, "type") {
        "text" => has_citations().then_some(path),
        "search_result" => {
            let mut texts = items(block.get("content")).enumerate();
            texts.find_map(|(at, text)| cited(text, format!("{path}.content.{at}")))
        }
        _ => None,
    }
}
