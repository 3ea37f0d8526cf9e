//! The value of the member `delta`, by the templates of the row.

use super::{
    annotation::write_all,
    frames::{Opening, Says},
    said::Said,
};
use crate::{
    api::openai_chat::dialect::{CallForm, Calls, Filled, Row, Slot, Template},
    json::{write_number, write_str},
    script::{Dice, ToolKind},
};

/// The delta of what a row cannot say, which its turns do not have.
static NOTHING: Template = Template::new("{}");

/// Writes deltas.
pub(super) struct Deltas {
    row: &'static Row,
    thinks: bool,
    /// How many said something.
    said: usize,
    tokens: Dice,
}

impl Deltas {
    pub(super) const fn new(said: &Said, tokens: Dice) -> Self {
        Self {
            row: said.row,
            thinks: said.thought.is_some(),
            said: 0,
            tokens,
        }
    }

    /// Appends the delta that says this.
    pub(super) fn write(&mut self, out: &mut Vec<u8>, says: &Says) {
        let stream = &self.row.stream;
        let calls = self.row.calls.as_ref();
        let template = match says {
            Says::Begin(delta) => return out.extend_from_slice(delta.as_bytes()),
            Says::End => Some(&stream.finish),
            Says::Text(_) => Some(&stream.text),
            Says::Refusal(_) => stream.refusal.as_ref().map(|(_, more)| more),
            Says::Thinking(_) => stream.thinking.as_ref(),
            Says::Signature(_) => stream.signature.as_ref(),
            Says::Annotations(_) => stream.annotations.as_ref(),
            Says::Calls(opened) => calls.map(|calls| match (&calls.only, opened.as_slice()) {
                (Some(only), [Opening { only: true, .. }]) => only,
                (_, _) => &calls.delta,
            }),
            Says::More { .. } => calls.map(|calls| &calls.delta),
        };
        let (first, thinks) = (self.said == 0, self.thinks);
        self.said += 1;
        let token = self.tokens.below(128_000);
        let template = template.unwrap_or(&NOTHING);
        template.write(out, &mut |slot, out| {
            fill(slot, out, says, calls, [first, thinks], token)
        });
    }
}

fn fill(
    slot: Slot,
    out: &mut Vec<u8>,
    says: &Says,
    calls: Option<&Calls>,
    [first, thinks]: [bool; 2],
    token: usize,
) -> Filled {
    match (slot, says) {
        (Slot::IfFirst, _) => return Filled::when(first),
        (Slot::IfLater, _) => return Filled::when(!first),
        (Slot::IfThinks, _) => return Filled::when(thinks),
        (Slot::Text, Says::Text(text) | Says::Refusal(text) | Says::Thinking(text))
        | (Slot::Signature, Says::Signature(text)) => write_str(out, text),
        (Slot::Annotations, Says::Annotations(annotations)) => write_all(out, annotations),
        (Slot::Token, _) => write_number(out, u64::try_from(token).unwrap_or(0)),
        (Slot::Calls, Says::Calls(opened)) => {
            for (n, call) in opened.iter().enumerate() {
                if n > 0 {
                    out.push(b',');
                }
                write_call(out, call, |form| &form.item, calls);
            }
        }
        (Slot::Calls, Says::More { index, kind, text }) => {
            let more = Opening {
                index: *index,
                id: String::new(),
                kind: *kind,
                name: String::new(),
                arguments: text.clone(),
                only: false,
            };
            write_call(out, &more, |form| &form.more, calls);
        }
        _ => return Filled::No,
    }
    Filled::Yes
}

/// An item of `tool_calls`, in one of its forms.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a call has few of the slots; a test fills those of every row"
)]
pub(super) fn write_call(
    out: &mut Vec<u8>,
    call: &Opening,
    form: fn(&CallForm) -> &Template,
    calls: Option<&Calls>,
) {
    let of_kind = calls.and_then(|calls| match call.kind {
        ToolKind::Function => Some(&calls.function),
        ToolKind::Custom => calls.custom.as_ref(),
    });
    let Some(of_kind) = of_kind else {
        return;
    };
    let mut fill = |slot: Slot, out: &mut Vec<u8>| {
        match slot {
            Slot::CallIndex => write_number(out, u64::try_from(call.index).unwrap_or(u64::MAX)),
            Slot::CallId => write_str(out, &call.id),
            Slot::Name => write_str(out, &call.name),
            Slot::Arguments => write_str(out, &call.arguments),
            _ => return Filled::No,
        }
        Filled::Yes
    };
    form(of_kind).write(out, &mut fill);
}
