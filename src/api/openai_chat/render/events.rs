//! The events of one turn, one at a time.

use std::collections::VecDeque;

use super::{
    chunk::{Chunks, Has, Now},
    delta::Deltas,
    frames::{Frame, Frames, Says},
    logprobs::Logprobs,
    said::Said,
};
use crate::{
    api::{
        Context, Mark, WireEvent,
        openai_chat::{
            dialect::{Comments, Done, UsageAt},
            purpose,
        },
    },
    script::{Dice, Turn},
};

/// The events of one turn, one at a time.
pub(crate) struct Events {
    said: Said,
    frames: Frames,
    deltas: Deltas,
    chunks: Chunks,
    /// The delta under way, and the choice that has it next.
    frame: Option<(Frame, usize)>,
    /// Its bytes.
    delta: Vec<u8>,
    /// What stands behind `"logprobs":` beside it; empty if there is no such member.
    logprobs: Vec<u8>,
    probabilities: Option<Logprobs>,
    choices: usize,
    comments: Option<(&'static str, Dice)>,
    ready: VecDeque<WireEvent>,
    next: Next,
}

/// Which event comes next.
#[derive(Clone, Copy)]
enum Next {
    Choices,
    Usage(UsageAt),
    Moderation,
    Done,
    Nothing,
}

impl Events {
    pub(crate) fn new(turn: &Turn, context: &Context) -> Result<Self, String> {
        let mut said = Said::new(turn, context)?;
        let asked = &context.asked.chat;
        let row = said.row;
        let mut ready = VecDeque::new();
        let mut comments = None;
        match row.comments {
            _ if context.plain => {}
            Comments::Often(text) => {
                let mut dice = Dice::branch(context.seed, purpose::COMMENTS);
                ready.extend((0..=dice.below(3)).map(|_| comment(text)));
                comments = Some((text, dice));
            }
            Comments::WhileWaiting { text, .. } if turn.waits_at_its_head() => {
                ready.push_back(comment(text));
            }
            Comments::None | Comments::WhileWaiting { .. } => {}
        }
        ready.extend(row.stream.prelude.map(|chunk| WireEvent {
            name: None,
            data: chunk.as_bytes().to_vec(),
            mark: Mark::Other,
        }));
        Ok(Self {
            deltas: Deltas::new(&said, Dice::branch(context.seed, purpose::TOKENS)),
            chunks: Chunks::new(&said, context),
            frames: Frames::new(&mut said),
            said,
            frame: None,
            delta: Vec::new(),
            logprobs: Vec::new(),
            probabilities: asked
                .top_logprobs
                .map(|top| Logprobs::new(context.seed, top)),
            choices: asked.choices,
            comments,
            ready,
            next: Next::Choices,
        })
    }

    /// The next chunk with a choice.
    fn choice(&mut self) -> Option<WireEvent> {
        if self.frame.is_none() {
            let frame = self.frames.next()?;
            self.write_logprobs(&frame);
            if let Says::Text(text) = &frame.says {
                self.chunks.say(text);
            }
            self.write_delta(&frame.says);
            self.frame = Some((frame, 0));
        }
        let (frame, choice) = self.frame.take()?;
        let last = choice + 1 == self.choices;
        // a usage is that of all choices
        let bill = frame.finishes
            && last
            && matches!(
                self.chunks.usage_at(&self.said),
                Some(UsageAt::WithFinish | UsageAt::EveryChunk)
            );
        let has = if bill { Has::Usage } else { Has::Choices };
        let data = self.chunk(&frame, choice, has);
        // all choices have what a place is behind of; the first one to stop is the end of all
        let counts = if frame.finishes { choice == 0 } else { last };
        let mark = if counts { frame.mark } else { Mark::Other };
        if !last {
            self.frame = Some((frame, choice + 1));
        }
        let event = WireEvent {
            name: None,
            data,
            mark,
        };
        let Some(comment) = self.comment() else {
            return Some(event);
        };
        self.ready.push_back(event);
        Some(comment)
    }

    /// Now and then a comment.
    fn comment(&mut self) -> Option<WireEvent> {
        /// One in so many chunks has a comment before it.
        const RARITY: usize = 16;
        let (text, dice) = self.comments.as_mut()?;
        (dice.below(RARITY) == 0).then(|| comment(text))
    }

    fn chunk(&mut self, frame: &Frame, choice: usize, has: Has) -> Vec<u8> {
        let now = Now {
            index: choice,
            delta: &self.delta,
            logprobs: &self.logprobs,
            said: match &frame.says {
                Says::Text(text) => text,
                Says::Begin(_)
                | Says::End
                | Says::Refusal(_)
                | Says::Thinking(_)
                | Says::Signature(_)
                | Says::Annotations(_)
                | Says::Calls(_)
                | Says::More { .. } => "",
            },
            finishes: frame.finishes,
        };
        self.chunks.written(&self.said, Some(&now), has)
    }

    fn write_delta(&mut self, says: &Says) {
        self.delta.clear();
        self.deltas.write(&mut self.delta, says);
    }

    fn write_logprobs(&mut self, frame: &Frame) {
        let out = &mut self.logprobs;
        out.clear();
        match (&mut self.probabilities, &frame.says) {
            (Some(logprobs), Says::Text(token) | Says::Refusal(token)) => {
                logprobs.write(out, self.said.kind, std::iter::once(token.as_str()));
            }
            (Some(logprobs), _) if frame.begins => {
                logprobs.write(out, self.said.kind, std::iter::empty());
            }
            (None, _) if !self.said.envelope.says_no_logprobs => {}
            (Some(_) | None, _) => out.extend_from_slice(b"null"),
        }
    }

    /// The chunk with the usage, if it has one of its own.
    fn usage_chunk(&mut self, at: UsageAt) -> Option<WireEvent> {
        let data = match at {
            UsageAt::OwnChunk => self.chunks.written(&self.said, None, Has::Usage),
            UsageAt::AgainWithFinish => {
                self.write_delta(&Says::End);
                let now = Now {
                    index: 0,
                    delta: &self.delta,
                    logprobs: &self.logprobs,
                    said: "",
                    finishes: true,
                };
                self.chunks.written(&self.said, Some(&now), Has::Usage)
            }
            UsageAt::WithFinish | UsageAt::EveryChunk => return None,
        };
        Some(WireEvent {
            name: None,
            data,
            mark: Mark::Other,
        })
    }
}

fn comment(text: &'static str) -> WireEvent {
    WireEvent {
        name: None,
        data: text.as_bytes().to_vec(),
        mark: Mark::Comment,
    }
}

impl Iterator for Events {
    type Item = WireEvent;

    fn next(&mut self) -> Option<WireEvent> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            match self.next {
                Next::Choices => match self.choice() {
                    Some(event) => return Some(event),
                    None => {
                        let usage = self.chunks.usage_at(&self.said);
                        self.next = usage.map_or(Next::Moderation, Next::Usage);
                    }
                },
                Next::Usage(at) => {
                    self.next = Next::Moderation;
                    let chunk = self.usage_chunk(at);
                    self.ready.extend(chunk);
                }
                Next::Moderation => {
                    self.next = Next::Done;
                    if self.said.moderation.is_some() {
                        let data = self.chunks.written(&self.said, None, Has::Moderation);
                        return Some(WireEvent {
                            name: None,
                            data,
                            mark: Mark::Other,
                        });
                    }
                }
                Next::Done => {
                    self.next = Next::Nothing;
                    if self.said.row.done == Done::Yes {
                        return Some(WireEvent {
                            name: None,
                            data: b"[DONE]".to_vec(),
                            mark: Mark::Terminal,
                        });
                    }
                }
                Next::Nothing => return None,
            }
        }
    }
}
