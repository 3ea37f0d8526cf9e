//! Whether two documents are the same, but for what is drawn.

use super::not_said;
use crate::{
    api::accumulate::Problem,
    json_slices::{items, members},
};

/// What of the documents of an API is drawn, or says the time.
pub(crate) struct Drawn {
    /// Whether a member with this name and this value is.
    pub(crate) is_drawn: fn(&str, &str) -> bool,
    /// Members whose objects, or whose items, have such members too.
    pub(crate) inside: &'static [&'static str],
}

/// What differs first between two documents on one line.
pub(crate) fn difference(recorded: &str, said: &str, drawn: &Drawn) -> Result<(), Box<Problem>> {
    let (recorded, said) = (drawn.left_out(recorded, 0), drawn.left_out(said, 0));
    if recorded == said {
        return Ok(());
    }
    Err(not_said(
        "the recorded answer is not in today's form",
        around(&said, &recorded),
        around(&recorded, &said),
    ))
}

/// A document deeper than a response with its items has nothing that is drawn.
const DEEPEST: usize = 4;

impl Drawn {
    /// The document with what is drawn left out; that there is such a member stays.
    fn left_out(&self, document: &str, depth: usize) -> String {
        let (items, members) = (items(document), members(document));
        if depth > DEEPEST || (items.is_empty() && members.is_empty()) {
            return document.to_owned();
        }
        if !items.is_empty() {
            let items = items.into_iter().map(|item| self.left_out(item, depth + 1));
            return format!("[{}]", items.collect::<Vec<_>>().join(","));
        }
        let members = members.into_iter().map(|(name, value)| {
            if self.inside.contains(&name) {
                format!("\"{name}\":{}", self.left_out(value, depth + 1))
            } else if (self.is_drawn)(name, value) {
                format!("\"{name}\":…")
            } else {
                format!("\"{name}\":{value}")
            }
        });
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    }
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
