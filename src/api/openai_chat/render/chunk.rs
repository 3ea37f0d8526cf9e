//! Chunks and their choices, by the templates of the row.

use super::{
    said::Said,
    usage::{self, UsageOf},
};
use crate::{
    api::{
        Context, Ids,
        openai::{CREATED, Wanted},
        openai_chat::{
            dialect::{self, Escapes, Filled, Pad, Part, Slot, UsageAsked, UsageAt, UsageNull},
            purpose,
        },
    },
    json::{write_number, write_str},
    script::Dice,
};

/// Writes chunks.
pub(super) struct Chunks {
    /// What stands before the choices, and behind.
    head: Part<'static>,
    tail: Part<'static>,
    /// The head of a chunk that is neither the first nor the one with the usage.
    written_head: Vec<u8>,
    pad: Option<Dice>,
    request_id: String,
    seed: u64,
    usage: Wanted,
    nulls: bool,
    /// The text so far, where chunks have it.
    content: Option<String>,
    /// How many chunks there were.
    written: u64,
}

/// What a choice has in this chunk.
pub(super) struct Now<'a> {
    pub(super) index: usize,
    pub(super) delta: &'a [u8],
    pub(super) logprobs: &'a [u8],
    pub(super) said: &'a str,
    pub(super) finishes: bool,
}

/// What a chunk is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Has {
    Choices,
    /// The usage of the whole.
    Usage,
    Moderation,
}

impl Chunks {
    pub(super) fn new(said: &Said, context: &Context) -> Self {
        let row = said.row;
        let asked = &context.asked.chat;
        let padded = match row.pad {
            Pad::None => false,
            Pad::ToSixteen | Pad::UpTo15 => asked.obfuscation == Wanted::Yes,
            Pad::Alphabet => true,
        };
        let (head, tail) = row.stream.chunk.split(Slot::Choice);
        Self {
            head,
            tail,
            written_head: Vec::new(),
            pad: (padded && !context.plain)
                .then(|| Dice::branch(context.seed, purpose::OBFUSCATION)),
            request_id: dialect::request_id(context.seed),
            seed: number(context.seed),
            usage: match row.usage.asked {
                UsageAsked::Needed => asked.usage,
                UsageAsked::No => Wanted::Yes,
            },
            nulls: match row.usage.null {
                UsageNull::Never => false,
                UsageNull::IfAsked => asked.usage == Wanted::Yes,
                UsageNull::Always => true,
            },
            content: row.stream.choice.has(Slot::SoFar).then(String::new),
            written: 0,
        }
    }

    /// Where the usage stands; `None` if it does not.
    pub(super) fn usage_at(&self, said: &Said) -> Option<UsageAt> {
        (self.usage == Wanted::Yes).then_some(said.row.usage.at)
    }

    /// What is said of a choice is part of its text so far.
    pub(super) fn say(&mut self, text: &str) {
        if let Some(content) = &mut self.content {
            content.push_str(text);
        }
    }

    /// A chunk with this choice, or without.
    pub(super) fn written(&mut self, said: &Said, now: Option<&Now<'_>>, has: Has) -> Vec<u8> {
        let first = self.written == 0;
        let mut data = Vec::with_capacity(384);
        let varies = said.row.usage.at == UsageAt::EveryChunk;
        if first || varies || has == Has::Usage {
            self.fill_head(&mut data, said, first, has);
        } else {
            if self.written_head.is_empty() {
                let mut head = Vec::new();
                self.fill_head(&mut head, said, false, Has::Choices);
                self.written_head = head;
            }
            data.extend_from_slice(&self.written_head);
        }
        if let Some(now) = now {
            let (content, seed) = (self.content.as_deref().unwrap_or_default(), self.seed);
            said.row.stream.choice.write(&mut data, &mut |slot, out| {
                fill_choice(slot, out, said, now, content, seed)
            });
        }
        let mut pad = self.pad.take();
        let this = &*self;
        this.tail.write(&mut data, &mut |slot, out| {
            this.fill(slot, out, said, (first, has), &mut pad)
        });
        self.pad = pad;
        self.written += 1;
        match said.row.escapes {
            Escapes::Least => data,
            Escapes::Html => Escapes::Html.apply(data),
        }
    }

    fn fill_head(&self, out: &mut Vec<u8>, said: &Said, first: bool, has: Has) {
        self.head.write(out, &mut |slot, out| {
            self.fill(slot, out, said, (first, has), &mut None)
        });
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "a chunk has few of the slots; a test fills those of every row"
    )]
    fn fill(
        &self,
        slot: Slot,
        out: &mut Vec<u8>,
        said: &Said,
        (first, has): (bool, Has),
        pad: &mut Option<Dice>,
    ) -> Filled {
        let bill = has == Has::Usage;
        match slot {
            Slot::Moderation if has != Has::Moderation => return Filled::No,
            Slot::IfFirst => return Filled::when(first),
            Slot::IfLater => return Filled::when(!first),
            Slot::IfBill => return Filled::when(bill),
            Slot::IfUnbilled => return Filled::when(!bill),
            Slot::Usage if bill => usage::write(out, said, UsageOf::Whole),
            Slot::Usage if said.row.usage.at == UsageAt::EveryChunk => {
                usage::write(out, said, UsageOf::SoFar(self.written + 1));
            }
            Slot::Usage if self.nulls => out.extend_from_slice(b"null"),
            Slot::Usage => return Filled::No,
            Slot::Pad => return padding(out, said.row.pad, pad, first),
            Slot::RequestId => write_str(out, &self.request_id),
            Slot::Seed => write_number(out, self.seed),
            slot => return fill_envelope(slot, out, said),
        }
        Filled::Yes
    }
}

/// What stands in chunks and bodies.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "an envelope has few of the slots; a test fills those of every row"
)]
pub(super) fn fill_envelope(slot: Slot, out: &mut Vec<u8>, said: &Said) -> Filled {
    let envelope = &said.envelope;
    match slot {
        Slot::Id => write_str(out, &envelope.id),
        Slot::Created => write_number(out, CREATED),
        Slot::Model => write_str(out, &envelope.model),
        Slot::Tier => match &envelope.service_tier {
            Some(tier) => write_str(out, tier),
            None => return Filled::No,
        },
        Slot::TierOrNull => write_or_null(out, envelope.service_tier.as_deref()),
        Slot::Moderation => match &said.moderation {
            Some(found) => out.extend_from_slice(found.as_str().as_bytes()),
            None => return Filled::No,
        },
        Slot::Fingerprint => write_or_null(out, envelope.fingerprint.as_deref()),
        _ => return Filled::No,
    }
    Filled::Yes
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a choice has few of the slots; a test fills those of every row"
)]
fn fill_choice(
    slot: Slot,
    out: &mut Vec<u8>,
    said: &Said,
    now: &Now<'_>,
    content: &str,
    seed: u64,
) -> Filled {
    match slot {
        Slot::Index => write_number(out, u64::try_from(now.index).unwrap_or(u64::MAX)),
        Slot::Delta => out.extend_from_slice(now.delta),
        Slot::Logprobs if now.logprobs.is_empty() => return Filled::No,
        Slot::Logprobs => out.extend_from_slice(now.logprobs),
        Slot::Finish | Slot::FinishOrEmpty | Slot::FinishOrAbsent if now.finishes => {
            write_str(out, &said.finish);
        }
        Slot::Native if now.finishes => write_str(out, said.native()),
        Slot::Finish | Slot::Native => out.extend_from_slice(b"null"),
        Slot::FinishOrEmpty => out.extend_from_slice(b"\"\""),
        Slot::FinishOrAbsent => return Filled::No,
        Slot::Said => write_str(out, now.said),
        Slot::SoFar => write_str(out, content),
        Slot::Seed => write_number(out, seed),
        Slot::IfSays => return Filled::when(!now.said.is_empty()),
        Slot::IfStops => return Filled::when(now.finishes),
        Slot::IfGoesOn => return Filled::when(!now.finishes),
        _ => return Filled::No,
    }
    Filled::Yes
}

pub(super) fn write_or_null(out: &mut Vec<u8>, text: Option<&str>) {
    match text {
        Some(text) => write_str(out, text),
        None => out.extend_from_slice(b"null"),
    }
}

/// The number that some services draw for each answer.
pub(super) fn number(seed: u64) -> u64 {
    Dice::branch(seed, purpose::SEED).next() >> 33
}

/// What hides the length of a chunk.
fn padding(out: &mut Vec<u8>, form: Pad, dice: &mut Option<Dice>, first: bool) -> Filled {
    let Some(dice) = dice else {
        return Filled::No;
    };
    match form {
        Pad::None => return Filled::No,
        Pad::ToSixteen => {
            let characters = if out.is_ascii() {
                out.len()
            } else {
                String::from_utf8_lossy(out).chars().count()
            };
            // a quote and a brace follow
            let characters = characters + 2;
            letters(out, dice, (17 - characters % 16) % 16);
        }
        Pad::UpTo15 => {
            let len = dice.below(16);
            letters(out, dice, len);
        }
        Pad::Alphabet if first => return Filled::No,
        Pad::Alphabet => {
            const ALPHABET: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
            let len = 1 + dice.below(ALPHABET.len());
            out.extend_from_slice(ALPHABET.get(..len).unwrap_or(ALPHABET));
        }
    }
    Filled::Yes
}

fn letters(out: &mut Vec<u8>, dice: &mut Dice, len: usize) {
    Ids::new(dice.next(), purpose::OBFUSCATION).write_base62(out, len);
}
