//! The body of the non-streaming answer, by the templates of the row.

use super::{
    annotation,
    chunk::{fill_envelope, number, write_or_null},
    delta::write_call,
    frames::Opening,
    logprobs::Logprobs,
    said::{ContentKind, Said},
    usage::{self, UsageOf},
};
use crate::{
    api::{
        Context,
        openai::Piece,
        openai_chat::dialect::{Comments, Escapes, Filled, Slot, request_id},
    },
    json::{write_number, write_str},
    script::Turn,
};

/// The body of the non-streaming answer to `turn`.
pub(crate) fn body(turn: &Turn, context: &Context) -> Result<Vec<u8>, String> {
    let said = Said::new(turn, context)?;
    let row = said.row;
    let choice = Choice::new(&said, context);
    let mut out = Vec::with_capacity(1024);
    let mut fill = |slot: Slot, out: &mut Vec<u8>| {
        if slot == Slot::Choice {
            for n in 0..context.asked.chat.choices {
                if n > 0 {
                    out.push(b',');
                }
                choice.write(out, n);
            }
        } else if slot == Slot::Usage {
            usage::write(out, &said, UsageOf::Whole);
        } else if slot == Slot::RequestId {
            write_str(out, &request_id(context.seed));
        } else if slot == Slot::Seed {
            write_number(out, number(context.seed));
        } else {
            return fill_envelope(slot, out, &said);
        }
        Filled::Yes
    };
    row.body.whole.write(&mut out, &mut fill);
    if let Escapes::Html = row.escapes {
        out = Escapes::Html.apply(out);
    }
    let out = row.body.printed.of(out);
    match row.comments {
        Comments::WhileWaiting { in_body, .. } if turn.waits_at_its_head() && !context.plain => {
            Ok([in_body.as_bytes(), &out].concat())
        }
        Comments::None | Comments::Often(_) | Comments::WhileWaiting { .. } => Ok(out),
    }
}

/// A choice, the same for each index.
struct Choice<'a> {
    said: &'a Said,
    content: String,
    thinking: Option<String>,
    logprobs: Option<Vec<u8>>,
    seed: u64,
}

impl<'a> Choice<'a> {
    fn new(said: &'a Said, context: &Context) -> Self {
        Self {
            said,
            content: said.content(),
            thinking: said.thought.as_ref().map(super::thought::Thought::text),
            logprobs: logprobs(said, context),
            seed: number(context.seed),
        }
    }

    fn write(&self, out: &mut Vec<u8>, index: usize) {
        let template = &self.said.row.body.choice;
        template.write(out, &mut |slot, out| self.fill(slot, out, index));
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "a choice has few of the slots; a test fills those of every row"
    )]
    fn fill(&self, slot: Slot, out: &mut Vec<u8>, index: usize) -> Filled {
        let said = self.said;
        let is_text = said.kind == ContentKind::Text;
        let text = self.content.as_str();
        let thinking = self.thinking.as_deref();
        let has_text = is_text && (said.calls.is_empty() || !text.is_empty());
        match slot {
            Slot::Index => write_number(out, u64::try_from(index).unwrap_or(u64::MAX)),
            Slot::IfThinks => return Filled::when(thinking.is_some()),
            Slot::IfUnthinking => return Filled::when(thinking.is_none()),
            Slot::IfTexts => return Filled::when(has_text),
            Slot::Text => write_str(out, text),
            Slot::TextOrNull => write_or_null(out, has_text.then_some(text)),
            Slot::Refusal => write_or_null(out, (!is_text).then_some(text)),
            Slot::Thinking => match thinking {
                Some(thinking) => write_str(out, thinking),
                None => return Filled::No,
            },
            Slot::ThinkingOrNull => write_or_null(out, thinking),
            Slot::Signed => {
                let thought = said.thought.as_ref();
                if let Some(signature) = thought.and_then(|thought| thought.signature.as_deref()) {
                    out.extend_from_slice(br#","signature":"#);
                    write_str(out, signature);
                }
            }
            Slot::Calls if said.calls.is_empty() => return Filled::No,
            Slot::Calls | Slot::CallsOrNothing => self.write_calls(out),
            Slot::CallsOrNull if said.calls.is_empty() => out.extend_from_slice(b"null"),
            Slot::CallsOrNull => {
                out.push(b'[');
                self.write_calls(out);
                out.push(b']');
            }
            Slot::AnnotationsOrAbsent if said.annotations.is_empty() => return Filled::No,
            Slot::Annotations | Slot::AnnotationsOrAbsent => {
                annotation::write_all(out, &said.annotations);
            }
            Slot::Logprobs => match &self.logprobs {
                Some(logprobs) => out.extend_from_slice(logprobs),
                None => return Filled::No,
            },
            Slot::Finish => write_str(out, &said.finish),
            Slot::Native => write_str(out, said.native()),
            Slot::Seed => write_number(out, self.seed),
            _ => return Filled::No,
        }
        Filled::Yes
    }

    fn write_calls(&self, out: &mut Vec<u8>) {
        for (n, call) in self.said.calls.iter().enumerate() {
            if n > 0 {
                out.push(b',');
            }
            let call = Opening::whole(n, call.clone());
            write_call(out, &call, |form| &form.whole, self.said.row.calls.as_ref());
        }
    }
}

/// What stands behind `"logprobs":`; `None` where there is no such member.
fn logprobs(said: &Said, context: &Context) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    match context.asked.chat.top_logprobs {
        Some(top) if !said.pieces.is_empty() => {
            let pieces = said.pieces.iter().cloned();
            let tokens: Vec<_> = pieces.flat_map(Piece::fragments).collect();
            let tokens = tokens.iter().map(|token| token.text.as_str());
            Logprobs::new(context.seed, top).write(&mut out, said.kind, tokens);
        }
        None if !said.envelope.says_no_logprobs => return None,
        Some(_) | None => out.extend_from_slice(b"null"),
    }
    Some(out)
}
