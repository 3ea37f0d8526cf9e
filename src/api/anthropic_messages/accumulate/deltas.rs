//! Which deltas a block may have, and what is in them.

use super::Checked;
use crate::api::accumulate::{AccumulateErrorKind, Found, Members, Problem};

/// The deltas that a block of a known type may have; `None` for an unknown type.
fn deltas_of(block_type: &str) -> Option<&'static [&'static str]> {
    match block_type {
        "text" => Some(&["text_delta", "citations_delta"]),
        "tool_use" | "server_tool_use" | "mcp_tool_use" => Some(&["input_json_delta"]),
        "thinking" => Some(&["thinking_delta", "signature_delta"]),
        "compaction" => Some(&["compaction_delta"]),
        "redacted_thinking"
        | "web_search_tool_result"
        | "web_fetch_tool_result"
        | "bash_code_execution_tool_result"
        | "text_editor_code_execution_tool_result"
        | "code_execution_tool_result"
        | "tool_search_tool_result"
        | "mcp_tool_result"
        | "advisor_tool_result"
        | "fallback"
        | "container_upload"
        | "mcp_tool_listing" => Some(&[]),
        _ => None,
    }
}

/// The members that carry the data of each known delta; none of another type may have them.
const PAYLOADS: [(&str, &[&str]); 6] = [
    ("text_delta", &["text"]),
    ("input_json_delta", &["partial_json"]),
    ("thinking_delta", &["thinking"]),
    ("signature_delta", &["signature"]),
    ("citations_delta", &["citation"]),
    ("compaction_delta", &["content", "encrypted_content"]),
];

fn is_known_delta(delta_type: &str) -> bool {
    PAYLOADS.iter().any(|(known, _)| *known == delta_type)
}

/// Whether a block of this known type is kept as it came, deltas of unknown types included.
fn is_kept_as_it_came(block_type: &str) -> bool {
    matches!(
        block_type,
        "fallback" | "container_upload" | "mcp_tool_listing"
    )
}

/// Checks that a block of this type may have a delta of this type.
///
/// A delta of an unknown type is kept where there is a place for it: in a block that is kept as it came.
pub(super) fn check_fit(block_type: &str, index: usize, delta_type: &str) -> Checked<()> {
    let fits = match deltas_of(block_type) {
        None => true,
        Some(_) if !is_known_delta(delta_type) => is_kept_as_it_came(block_type),
        Some(deltas) => deltas.contains(&delta_type),
    };
    if fits {
        return Ok(());
    }
    let expected = match deltas_of(block_type) {
        None | Some([]) => format!("no delta, for block {index} of the type {block_type}"),
        Some(deltas) => {
            let deltas = deltas.join(" or ");
            format!("{deltas}, for block {index} of the type {block_type}")
        }
    };
    Err(Problem::new(
        AccumulateErrorKind::WrongDelta,
        "a delta does not fit its block",
        expected,
        Found::quoted(delta_type),
    ))
}

/// Checks that a known delta has the members of its type and none of another's.
pub(super) fn check_payload(delta_type: &str, delta: Members<'_>) -> Checked<()> {
    if !is_known_delta(delta_type) {
        return Ok(());
    }
    for (known, payload) in PAYLOADS {
        let foreign = payload.iter().find(|name| delta.get(name).is_some());
        if let (Some(name), true) = (foreign, known != delta_type) {
            return Err(Problem::new(
                AccumulateErrorKind::WrongDelta,
                "a delta carries a member of another type of delta",
                format!("`{name}` only in {known}, not in {delta_type}"),
                Found::quoted(name),
            ));
        }
    }
    match delta_type {
        "text_delta" => delta.string("text").map(drop),
        "input_json_delta" => delta.string("partial_json").map(drop),
        "thinking_delta" => delta.string("thinking").map(drop),
        "signature_delta" => delta.string("signature").map(drop),
        "citations_delta" => delta.object("citation").map(drop),
        _ => {
            delta.string_or_null("content")?;
            delta.string_or_null("encrypted_content").map(drop)
        }
    }
}
