//! The events of one turn, one at a time.

use std::iter::Peekable;

use super::{choice::Choice, logprobs::Logprobs, said::Said};
use crate::{
    api::{Context, Mark, WireEvent, openai::Piece, openai_completions::asked::Usage},
    script::{Extent, Turn},
};

/// The events of one turn, one at a time.
pub(crate) struct Events {
    said: Said,
    fragments: Peekable<Box<dyn Iterator<Item = String> + Send>>,
    /// What every choice says next, and the choice that says it next.
    frame: Option<(Frame, usize)>,
    /// How many characters every choice has said.
    characters: usize,
    logprobs: Option<Logprobs>,
    usage: Usage,
    next: Next,
}

/// What a chunk of every choice says.
enum Frame {
    /// Its prompt, or nothing yet.
    Opening,
    Text {
        text: String,
        ends: bool,
    },
    /// Why it stops.
    Finish,
}

/// Which event comes next.
#[derive(Clone, Copy)]
enum Next {
    Opening,
    Text,
    Usage,
    Done,
    Nothing,
}

impl Events {
    pub(crate) fn new(turn: &Turn, context: &Context) -> Result<Self, String> {
        let mut said = Said::new(turn, context)?;
        let asked = &context.asked.completions;
        let pieces = std::mem::take(&mut said.pieces);
        let fragments = pieces.into_iter().flat_map(Piece::fragments);
        let texts = fragments.map(|fragment| fragment.text);
        let fragments: Box<dyn Iterator<Item = String> + Send> = Box::new(texts);
        // a live turn begins before it says anything
        let opens = said.extent == Extent::SoFar || said.echoes.iter().any(|e| !e.is_empty());
        Ok(Self {
            said,
            fragments: fragments.peekable(),
            frame: None,
            characters: 0,
            logprobs: asked
                .top_logprobs
                .map(|top| Logprobs::new(context.seed, top)),
            usage: asked.usage,
            next: if opens { Next::Opening } else { Next::Text },
        })
    }

    /// What every choice says next.
    fn frame(&mut self) -> Option<Frame> {
        Some(match self.next {
            Next::Opening => {
                self.next = Next::Text;
                Frame::Opening
            }
            Next::Text => match self.fragments.next() {
                Some(text) => Frame::Text {
                    text,
                    ends: self.fragments.peek().is_none(),
                },
                None => {
                    self.next = Next::Usage;
                    Frame::Finish
                }
            },
            Next::Usage | Next::Done | Next::Nothing => return None,
        })
    }

    /// The next chunk with a choice.
    fn choice(&mut self) -> Option<WireEvent> {
        let (frame, index) = match self.frame.take() {
            Some(under_way) => under_way,
            None => (self.frame()?, 0),
        };
        let start = self.said.starts.get(index).copied().unwrap_or(0) + self.characters;
        let echo = self.said.echoes.get(index).map_or("", String::as_str);
        let (text, finish) = match &frame {
            Frame::Opening => (echo, None),
            Frame::Text { text, .. } => (text.as_str(), None),
            Frame::Finish => ("", Some(self.said.finish.as_str())),
        };
        let logprobs = match (&mut self.logprobs, &frame) {
            (Some(logprobs), Frame::Opening) => Some(logprobs.write(echo, &[], 0)),
            (Some(logprobs), Frame::Text { text, .. }) => Some(logprobs.write("", &[text], start)),
            (Some(_), Frame::Finish) | (None, _) => None,
        };
        let choice = Choice {
            index,
            text,
            logprobs,
            finish,
        };
        let mut data = Vec::with_capacity(256);
        self.said.write_start(&mut data);
        data.extend_from_slice(br#","choices":["#);
        choice.write(&mut data);
        let last = index + 1 == self.said.echoes.len();
        // all choices have what a place is behind of; the first one to stop is the end of all
        let mark = match &frame {
            Frame::Finish if index == 0 => Mark::StopReason,
            Frame::Text { ends: true, .. } if last => Mark::LastDelta,
            Frame::Text { ends: false, .. } if last => Mark::Delta,
            Frame::Opening | Frame::Text { .. } | Frame::Finish => Mark::Other,
        };
        if !last {
            self.frame = Some((frame, index + 1));
        } else if let Frame::Text { text, .. } = &frame {
            self.characters += text.chars().count();
        }
        Some(self.chunk(data, mark))
    }

    /// A chunk whose data are written up to its last choice.
    fn chunk(&self, mut data: Vec<u8>, mark: Mark) -> WireEvent {
        data.push(b']');
        self.said.write_model(&mut data);
        if self.usage == Usage::Said {
            data.extend_from_slice(br#","usage":null"#);
        }
        data.push(b'}');
        WireEvent {
            name: None,
            data,
            mark,
        }
    }

    fn usage_chunk(&self) -> WireEvent {
        let mut data = Vec::with_capacity(256);
        self.said.write_start(&mut data);
        data.extend_from_slice(br#","choices":[]"#);
        self.said.write_model(&mut data);
        self.said.write_usage(&mut data);
        data.push(b'}');
        WireEvent {
            name: None,
            data,
            mark: Mark::Other,
        }
    }
}

impl Iterator for Events {
    type Item = WireEvent;

    fn next(&mut self) -> Option<WireEvent> {
        if let Some(event) = self.choice() {
            return Some(event);
        }
        match self.next {
            Next::Usage if self.usage == Usage::Said => {
                self.next = Next::Done;
                Some(self.usage_chunk())
            }
            Next::Usage | Next::Done => {
                self.next = Next::Nothing;
                Some(WireEvent {
                    name: None,
                    data: b"[DONE]".to_vec(),
                    mark: Mark::Terminal,
                })
            }
            Next::Opening | Next::Text | Next::Nothing => None,
        }
    }
}
