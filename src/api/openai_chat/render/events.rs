//! The events of one turn, one at a time.

use super::{
    envelope::write_usage,
    frames::{Frame, Frames, Token},
    logprobs::Logprobs,
    said::Said,
};
use crate::{
    api::{
        Context, Ids, Mark, WireEvent,
        openai_chat::{asked::Wanted, purpose},
    },
    json::{write_number, write_str},
    script::{Dice, Json, Turn},
};

/// The events of one turn, one at a time.
pub(crate) struct Events {
    said: Said,
    frames: Frames,
    /// The delta under way, and the choice that has it next.
    frame: Option<(Frame, usize)>,
    /// What stands behind `"logprobs":` for the delta under way; empty if there is no such member.
    logprobs: Vec<u8>,
    probabilities: Option<Logprobs>,
    choices: usize,
    usage: Wanted,
    obfuscation: Option<Obfuscation>,
    next: Next,
}

/// Which event comes next.
#[derive(Clone, Copy)]
enum Next {
    Choices,
    Usage,
    Moderation,
    Done,
    Nothing,
}

impl Events {
    pub(crate) fn new(turn: &Turn, context: &Context) -> Result<Self, String> {
        let mut said = Said::new(turn, context)?;
        let asked = &context.asked.chat;
        let obfuscated = !context.plain && asked.obfuscation == Wanted::Yes;
        let probabilities = asked.top_logprobs;
        Ok(Self {
            frames: Frames::new(&mut said),
            said,
            frame: None,
            logprobs: Vec::new(),
            probabilities: probabilities.map(|top| Logprobs::new(context.seed, top)),
            choices: asked.choices,
            usage: asked.usage,
            obfuscation: obfuscated.then(|| Obfuscation::new(context.seed)),
            next: Next::Choices,
        })
    }

    /// The next chunk with a choice.
    fn choice(&mut self) -> Option<WireEvent> {
        if self.frame.is_none() {
            let frame = self.frames.next()?;
            self.logprobs = self.logprobs_of(&frame);
            self.frame = Some((frame, 0));
        }
        let (frame, choice) = self.frame.take()?;
        let mut data = Vec::with_capacity(320);
        self.write_start(&mut data);
        data.extend_from_slice(br#"{"index":"#);
        write_number(&mut data, u64::try_from(choice).unwrap_or(u64::MAX));
        data.extend_from_slice(br#","delta":"#);
        data.extend_from_slice(&frame.delta);
        if !self.logprobs.is_empty() {
            data.extend_from_slice(br#","logprobs":"#);
            data.extend_from_slice(&self.logprobs);
        }
        data.extend_from_slice(br#","finish_reason":"#);
        if frame.finishes {
            write_str(&mut data, &self.said.finish);
        } else {
            data.extend_from_slice(b"null");
        }
        data.extend_from_slice(b"}]");
        if self.usage == Wanted::Yes {
            data.extend_from_slice(br#","usage":null"#);
        }
        // all choices have what a place is behind of; the first one to stop is the end of all
        let counts = if frame.finishes {
            choice == 0
        } else {
            choice + 1 == self.choices
        };
        let mark = if counts { frame.mark } else { Mark::Other };
        if choice + 1 < self.choices {
            self.frame = Some((frame, choice + 1));
        }
        Some(self.chunk(data, mark))
    }

    fn logprobs_of(&mut self, frame: &Frame) -> Vec<u8> {
        let mut out = Vec::new();
        match (&mut self.probabilities, &frame.token) {
            (Some(logprobs), Token::Begin) => {
                logprobs.write(&mut out, self.said.kind, std::iter::empty());
            }
            (Some(logprobs), Token::Said(token)) => {
                logprobs.write(&mut out, self.said.kind, std::iter::once(token.as_str()));
            }
            (None, _) if !self.said.envelope.says_no_logprobs => {}
            (Some(_), Token::None) | (None, _) => out.extend_from_slice(b"null"),
        }
        out
    }

    /// `{"id":…,"choices":[`
    fn write_start(&self, out: &mut Vec<u8>) {
        self.said.envelope.write_start(out, "chat.completion.chunk");
        self.said.envelope.write_tier(out);
        out.extend_from_slice(br#","choices":["#);
    }

    fn usage_chunk(&mut self) -> WireEvent {
        let mut data = Vec::with_capacity(480);
        self.write_start(&mut data);
        data.extend_from_slice(br#"],"usage":"#);
        write_usage(&mut data, &self.said.usage);
        self.chunk(data, Mark::Other)
    }

    fn moderation_chunk(&mut self, found: &Json) -> WireEvent {
        let mut data = Vec::with_capacity(4096);
        self.write_start(&mut data);
        data.extend_from_slice(br#"],"moderation":"#);
        data.extend_from_slice(found.as_str().as_bytes());
        if self.usage == Wanted::Yes {
            data.extend_from_slice(br#","usage":null"#);
        }
        self.chunk(data, Mark::Other)
    }

    /// A chunk whose data lack their obfuscation and their last brace.
    fn chunk(&mut self, mut data: Vec<u8>, mark: Mark) -> WireEvent {
        if let Some(obfuscation) = &mut self.obfuscation {
            obfuscation.write(&mut data);
        }
        data.push(b'}');
        WireEvent {
            name: None,
            data,
            mark,
        }
    }
}

impl Iterator for Events {
    type Item = WireEvent;

    fn next(&mut self) -> Option<WireEvent> {
        loop {
            match self.next {
                Next::Choices => match self.choice() {
                    Some(event) => return Some(event),
                    None if self.usage == Wanted::Yes => self.next = Next::Usage,
                    None => self.next = Next::Moderation,
                },
                Next::Usage => {
                    self.next = Next::Moderation;
                    return Some(self.usage_chunk());
                }
                Next::Moderation => {
                    self.next = Next::Done;
                    if let Some(found) = self.said.moderation.take() {
                        return Some(self.moderation_chunk(&found));
                    }
                }
                Next::Done => {
                    self.next = Next::Nothing;
                    return Some(WireEvent {
                        name: None,
                        data: b"[DONE]".to_vec(),
                        mark: Mark::Terminal,
                    });
                }
                Next::Nothing => return None,
            }
        }
    }
}

/// What hides the length of a chunk: so many letters and digits that the chunk has 1 more character than a multiple of 16.
struct Obfuscation {
    dice: Dice,
}

impl Obfuscation {
    const fn new(seed: u64) -> Self {
        Self {
            dice: Dice::branch(seed, purpose::OBFUSCATION),
        }
    }

    /// Written before the last brace.
    fn write(&mut self, data: &mut Vec<u8>) {
        const START: &[u8] = br#","obfuscation":""#;
        data.extend_from_slice(START);
        // characters, so bytes that do not continue one; a quote and a brace follow
        let characters = data.iter().filter(|byte| **byte & 0xc0 != 0x80).count() + 2;
        let n = (17 - characters % 16) % 16;
        let made = Ids::new(self.dice.next(), purpose::OBFUSCATION).base62("", n);
        data.extend_from_slice(made.as_bytes());
        data.push(b'"');
    }
}
