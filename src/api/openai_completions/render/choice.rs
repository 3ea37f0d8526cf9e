//! One choice: the same object in a chunk and in a body.

use crate::json::{write_number, write_str};

/// What of a choice is written.
pub(super) struct Choice<'a> {
    pub(super) index: usize,
    pub(super) text: &'a str,
    /// JSON, if any are asked for.
    pub(super) logprobs: Option<Vec<u8>>,
    pub(super) finish: Option<&'a str>,
}

impl Choice<'_> {
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(br#"{"text":"#);
        write_str(out, self.text);
        out.extend_from_slice(br#","index":"#);
        write_number(out, u64::try_from(self.index).unwrap_or(u64::MAX));
        out.extend_from_slice(br#","logprobs":"#);
        out.extend_from_slice(self.logprobs.as_deref().unwrap_or(b"null"));
        out.extend_from_slice(br#","finish_reason":"#);
        match self.finish {
            Some(word) => write_str(out, word),
            None => out.extend_from_slice(b"null"),
        }
        out.push(b'}');
    }
}
