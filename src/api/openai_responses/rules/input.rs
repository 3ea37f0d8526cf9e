//! The input: every call has its output and every output its call, reasoning stands with what it led to.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{Place, Violation};
use crate::api::{
    openai::rules::Ids,
    openai_responses::{Earlier, Previous, call_of, output_of, word},
    sketch::items,
};

pub(super) fn input(body: &Map<String, Value>) -> impl Iterator<Item = (usize, &Value)> {
    items(body.get("input")).enumerate()
}

/// Whether the service may know items that neither the request nor the stub shows.
fn is_partly_hidden(body: &Map<String, Value>, earlier: &Earlier) -> bool {
    let sent = |name: &str| body.get(name).is_some_and(|value| !value.is_null());
    let unknown = sent("previous_response_id") && !matches!(earlier.previous, Previous::Kept(_));
    let mut items = input(body);
    unknown || sent("conversation") || items.any(|(_, item)| word(item, "type") == "item_reference")
}

/// The items of the responses that the request goes on from.
fn kept(earlier: &Earlier) -> &[Value] {
    match &earlier.previous {
        Previous::Kept(items) => items,
        Previous::Unknown | Previous::NotKept => &[],
    }
}

/// Every call has an output: those of the responses before, too. That of a custom tool: as in
/// diegosouzapw/OmniRoute#8946.
pub(super) fn answered(body: &Map<String, Value>, earlier: &Earlier) -> Option<Violation> {
    let before = kept(earlier).iter().map(|item| (0, item));
    let all: Vec<(usize, &Value)> = before.chain(input(body)).collect();
    let outputs = all.iter().filter_map(|(_, item)| output_of(item));
    let outputs = Ids::new(outputs);
    let mut calls = all
        .iter()
        .filter_map(|&(n, item)| Some((n, item, call_of(item)?)));
    let (n, item, id) = calls.find(|(_, _, id)| !outputs.contain(id))?;
    let kind = match word(item, "type") {
        "custom_tool_call" => "custom tool call",
        _ => "function call",
    };
    let violation = Place::Item(n).refused(format!("No tool output found for {kind} {id}."));
    Some(violation.about("input"))
}

/// Every output has a call. The words for the output of a custom tool are those of a function's.
pub(super) fn matched(body: &Map<String, Value>, earlier: &Earlier) -> Option<Violation> {
    if is_partly_hidden(body, earlier) {
        return None;
    }
    let sent = input(body).map(|(_, item)| item);
    let calls = kept(earlier).iter().chain(sent).filter_map(call_of);
    let calls = Ids::new(calls);
    let mut outputs = input(body).filter_map(|(n, item)| Some((n, item, output_of(item)?)));
    let (n, item, id) = outputs.find(|(_, _, id)| !calls.contain(id))?;
    let kind = match word(item, "type") {
        "custom_tool_call_output" => "custom tool call",
        _ => "function call",
    };
    let text = format!("No tool call found for {kind} output with call_id {id}.");
    Some(Place::Item(n).refused(text).about("input"))
}

/// An item stands once: in the input, and in that and the responses that the request goes on from.
pub(super) fn items_stand_once(body: &Map<String, Value>, earlier: &Earlier) -> Option<Violation> {
    let id_of = |item| Some(word(item, "id")).filter(|id| !id.is_empty());
    let mut seen: BTreeSet<&str> = kept(earlier).iter().filter_map(id_of).collect();
    let mut sent = input(body).filter_map(|(n, item)| Some((n, id_of(item)?)));
    let (n, id) = sent.find(|(_, id)| !seen.insert(id))?;
    let text = format!(
        "Duplicate item found with id {id}. Remove duplicate items from your input and try again."
    );
    Some(Place::Item(n).refused(text).about("input"))
}

/// Reasoning is followed by what it led to: another item of the model's.
pub(super) fn reasoning_leads_somewhere(body: &Map<String, Value>) -> Option<Violation> {
    let mut open: Option<(usize, &str)> = None;
    for (n, item) in input(body) {
        match word(item, "type") {
            "reasoning" => {
                let id = word(item, "id");
                open = open.or((!id.is_empty()).then_some((n, id)));
                continue;
            }
            "item_reference" => {}
            kind if open.is_some() && is_from_outside(kind, item) => break,
            _ => {}
        }
        open = None;
    }
    let (n, id) = open?;
    let text = format!(
        "Item '{id}' of type 'reasoning' was provided without its required following item."
    );
    Some(Place::Item(n).refused(text).about("input"))
}

/// Whether an item is not the model's.
fn is_from_outside(kind: &str, item: &Value) -> bool {
    match kind {
        "" | "message" => word(item, "role") != "assistant",
        kind => kind.ends_with("_output") || kind == "mcp_approval_response",
    }
}

/// What the model did after it reasoned comes with that reasoning.
pub(super) fn reasoning_is_kept(body: &Map<String, Value>, earlier: &Earlier) -> Option<Violation> {
    if is_partly_hidden(body, earlier) {
        return None;
    }
    let sent = |id: &str| input(body).any(|(_, item)| word(item, "id") == id);
    input(body).find_map(|(n, item)| {
        let id = word(item, "id");
        let mut reasons = earlier.reasoned.iter();
        let (_, reason) = reasons.find(|(led_to, _)| led_to == id && !id.is_empty())?;
        if sent(reason) {
            return None;
        }
        let kind = match word(item, "type") {
            "" => "message",
            kind => kind,
        };
        let text = format!(
            "Item '{id}' of type '{kind}' was provided without its required 'reasoning' item: '{reason}'."
        );
        Some(Place::Item(n).refused(text).about("input"))
    })
}

/// Who asks for any JSON has to say so in words too. Instructions count here, so that nothing is refused that may pass.
pub(super) fn json_word(body: &Map<String, Value>) -> Option<Violation> {
    const TEXT: &str = "Response input messages must contain the word 'json' in some form to use 'text.format' of \
        type 'json_object'.";
    let asks = word(body.get("text")?.get("format")?, "type") == "json_object";
    let sent = |name: &str| body.get(name).filter(|value| !value.is_null());
    let hidden = ["previous_response_id", "conversation", "prompt"];
    let hidden = hidden.into_iter().any(|name| sent(name).is_some());
    let says = |name: &str| {
        let said = sent(name).map(|value| value.to_string().to_lowercase());
        said.is_some_and(|said| said.contains("json"))
    };
    (asks && !hidden && !says("input") && !says("instructions"))
        .then(|| Place::Whole.refused(TEXT).about("input"))
}
