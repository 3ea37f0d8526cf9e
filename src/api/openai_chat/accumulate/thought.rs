//! What the model thought, wherever a dialect says it: `reasoning_content`, `reasoning`, `reasoning_details`, or a list as
//! `content`.
//!
//! Where two members say the same, the first of them is read; signatures stand in `reasoning_details` only.

use serde_json::Value;

use super::{
    Checked,
    choice::{array, object},
};
use crate::{api::accumulate::Members, script::Part};

/// What was read of it.
#[derive(Debug, Default)]
pub(super) struct Thought {
    text: String,
    signature: String,
    /// Details of other kinds than text, and parts of other types, as they came.
    others: Vec<Value>,
}

impl Thought {
    /// Reads the members of a delta, or of a message.
    pub(super) fn read(&mut self, members: Members<'_>) -> Checked<()> {
        let said = members.string_or_null("reasoning_content")?;
        let said = match said {
            None | Some("") => members.string_or_null("reasoning")?,
            said => said,
        };
        let said = said.unwrap_or_default();
        self.text.push_str(said);
        for (n, detail) in array(members, "reasoning_details")?.iter().enumerate() {
            let path = format!("{}reasoning_details[{n}].", members.path());
            let detail = object(members, "reasoning_details", detail, &path)?;
            match detail.string_or_null("type")? {
                None | Some("reasoning.text") => {
                    let text = detail.string_or_null("text")?.unwrap_or_default();
                    if said.is_empty() {
                        self.text.push_str(text);
                    }
                    let signature = detail.string_or_null("signature")?;
                    self.signature.push_str(signature.unwrap_or_default());
                }
                Some("reasoning.summary") if said.is_empty() => {
                    let summary = detail.string_or_null("summary")?;
                    self.text.push_str(summary.unwrap_or_default());
                }
                Some("reasoning.summary") => {}
                Some(_) => self.others.push(detail.to_value()),
            }
        }
        Ok(())
    }

    /// Reads one of the items of `content`, if it is a list: those that are text are given back, those of types that
    /// are not known are kept.
    pub(super) fn item<'a>(&mut self, item: Members<'a>) -> Checked<&'a str> {
        match item.string_or_null("type")? {
            Some("text") => item.string("text"),
            Some("thinking") => {
                for (n, text) in item.array("thinking")?.iter().enumerate() {
                    let path = format!("{}thinking[{n}].", item.path());
                    let text = object(item, "thinking", text, &path)?;
                    let text = text.string("text")?;
                    self.text.push_str(text);
                }
                Ok("")
            }
            Some(_) => {
                self.others.push(item.to_value());
                Ok("")
            }
            None => Err(item.missing("type", "the type of the part")),
        }
    }

    pub(super) fn into_parts(self) -> impl Iterator<Item = Part> {
        let thinking = !(self.text.is_empty() && self.signature.is_empty());
        let thinking = thinking.then_some(Part::Thinking {
            text: self.text,
            signature: self.signature,
        });
        let others = self.others.into_iter().map(|detail| Part::Unknown {
            block: detail,
            deltas: Vec::new(),
        });
        thinking.into_iter().chain(others)
    }
}
