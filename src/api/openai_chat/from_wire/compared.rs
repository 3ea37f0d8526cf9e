//! Whether what is said is what was recorded, but for what is drawn: the time, the fingerprint, the obfuscation.

use super::not_said;
use crate::{api::accumulate::Problem, json_slices::members};

/// What differs first between two documents on one line.
pub(super) fn difference(recorded: &str, said: &str) -> Result<(), Box<Problem>> {
    let (recorded, said) = (undrawn(recorded), undrawn(said));
    if recorded == said {
        return Ok(());
    }
    Err(not_said(
        "the recorded answer is not in today's form".to_owned(),
        around(&said, &recorded),
        around(&recorded, &said),
    ))
}

/// The document with what is drawn left out; that there is such a member stays.
fn undrawn(document: &str) -> String {
    let members = members(document);
    if members.is_empty() {
        return document.to_owned();
    }
    let members = members.into_iter().map(|(name, value)| {
        let is_drawn = match name {
            "created" => value.bytes().all(|byte| byte.is_ascii_digit()),
            "system_fingerprint" | "obfuscation" => value.starts_with('"'),
            _ => false,
        };
        format!("\"{name}\":{}", if is_drawn { "…" } else { value })
    });
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

/// The text around its first difference from another one.
fn around(text: &str, other: &str) -> String {
    const BEFORE: usize = 60;
    const SHOWN: usize = 160;
    if text.is_empty() {
        return "the end of the stream".to_owned();
    }
    let same = text.chars().zip(other.chars()).take_while(|(a, b)| a == b);
    let from = same.count().saturating_sub(BEFORE);
    let shown: String = text.chars().skip(from).take(SHOWN).collect();
    let before = if from > 0 { "…" } else { "" };
    let behind = if text.chars().count() > from + SHOWN {
        "…"
    } else {
        ""
    };
    format!("`{before}{shown}{behind}`")
}
