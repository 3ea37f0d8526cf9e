//! One choice: its chunks in, or all of it at once; text out.

use super::Checked;
use crate::{
    api::{
        accumulate::{AccumulateErrorKind, Found, Members, Problem},
        openai_completions::words,
    },
    script::{Part, StopReason},
};

/// What was read of a choice.
#[derive(Debug, Default)]
pub(super) struct Choice {
    text: String,
    finish: Option<String>,
}

impl Choice {
    pub(super) const fn is_open(&self) -> bool {
        self.finish.is_none()
    }

    pub(super) fn read(&mut self, choice: Members<'_>) -> Checked<()> {
        let text = choice.string_or_null("text")?.unwrap_or_default();
        if let (Some(word), false) = (&self.finish, text.is_empty()) {
            return Err(Problem::new(
                AccumulateErrorKind::UnexpectedEvent,
                "a choice goes on behind its finish_reason",
                format!(
                    "nothing more of a choice that finished with `{}`",
                    word.escape_debug()
                ),
                Found::quoted(choice.to_json()),
            ));
        }
        self.text.push_str(text);
        let word = match choice.string_or_null("finish_reason")? {
            // some servers write an empty one where there is none
            None | Some("") => return Ok(()),
            Some(word) => word,
        };
        match &self.finish {
            Some(before) if before != word => Err(choice.wrong(
                "finish_reason",
                format!("`{}`, as before", before.escape_debug()),
            )),
            Some(_) => Ok(()),
            None => {
                self.finish = Some(word.to_owned());
                Ok(())
            }
        }
    }

    /// What it says, and why it stopped.
    pub(super) fn into_said(self) -> (Vec<Part>, StopReason) {
        let reason = words::stop_reason(self.finish.as_deref().unwrap_or_default());
        let text = (!self.text.is_empty()).then_some(Part::Text(self.text));
        (text.into_iter().collect(), reason)
    }
}
