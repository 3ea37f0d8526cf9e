//! The events of one turn, one at a time.

use std::collections::VecDeque;

use super::{
    Said,
    deltas::{Deltas, Last},
    envelope,
};
use crate::{
    api::{Context, Mark, WireEvent, anthropic_messages::purpose},
    json::write_number,
    script::{Dice, Turn},
};

/// The events of one turn, one at a time.
pub(crate) struct Events {
    said: Said,
    next: Next,
    /// What is left of the block under way.
    deltas: Deltas,
    seed: u64,
    padding: Option<Dice>,
    pings: Pings,
    /// Events that were written.
    written: usize,
}

/// Where pings stand.
enum Pings {
    /// One, after so many more frames, counted from the first `content_block_start`.
    In(usize),
    /// These events, counted from 0.
    At(VecDeque<usize>),
    Over,
}

impl Pings {
    /// Right behind the first block start in 85 of 100 streams, else a few frames later.
    fn drawn(seed: u64) -> Self {
        let mut dice = Dice::branch(seed, purpose::PING);
        Self::In(if dice.below(100) < 85 {
            0
        } else {
            1 + dice.below(3)
        })
    }
}

/// Pings have no padding, and a space that the others have not.
fn a_ping() -> WireEvent {
    WireEvent {
        name: Some("ping".into()),
        data: br#"{"type": "ping"}"#.to_vec(),
        mark: Mark::Other,
    }
}

/// Which event comes next.
#[derive(Clone, Copy)]
enum Next {
    MessageStart,
    BlockStart(usize),
    /// A delta of the block, or its stop.
    InBlock(usize),
    MessageDelta,
    MessageStop,
    Nothing,
}

impl Events {
    pub(crate) fn new(turn: &Turn, context: &Context) -> Result<Self, String> {
        let said = Said::new(turn, context)?;
        let noisy = !context.plain;
        let extras = said.extras.as_deref();
        let pings = match extras.and_then(|extras| extras.pings.as_ref()) {
            Some(places) => Pings::At(places.clone().into()),
            None if noisy => Pings::drawn(context.seed),
            None => Pings::Over,
        };
        Ok(Self {
            said,
            next: Next::MessageStart,
            deltas: Deltas::default(),
            seed: context.seed,
            padding: noisy.then(|| Dice::branch(context.seed, purpose::PADDING)),
            pings,
            written: 0,
        })
    }

    /// Tokens already produced when the answer starts: 1 in half the streams, else 2 to 8.
    fn start_tokens(&self) -> u64 {
        let extras = self.said.extras.as_deref();
        if let Some(start) = extras.and_then(|extras| extras.usage_at_start.as_ref()) {
            return start.output_tokens;
        }
        let mut dice = Dice::branch(self.seed, purpose::START_TOKENS);
        let drawn = if self.padding.is_none() || dice.next() % 2 == 0 {
            1
        } else {
            2 + dice.next() % 7
        };
        drawn.min(self.said.usage.output_tokens)
    }

    fn event(
        &mut self,
        name: &'static str,
        mark: Mark,
        write: impl FnOnce(&mut Vec<u8>, &Said),
    ) -> WireEvent {
        let mut data = Vec::with_capacity(160);
        write(&mut data, &self.said);
        self.padded(name, mark, data)
    }

    /// An event whose data lack their padding and their last brace.
    fn padded(&mut self, name: &'static str, mark: Mark, mut data: Vec<u8>) -> WireEvent {
        pad(&mut data, self.padding.as_mut());
        data.push(b'}');
        WireEvent {
            name: Some(name.into()),
            data,
            mark,
        }
    }

    fn ping(&mut self) -> Option<WireEvent> {
        let due = match (&mut self.pings, self.next) {
            (Pings::Over, _) | (Pings::In(_), Next::MessageStart | Next::BlockStart(0)) => false,
            (Pings::In(_), Next::MessageDelta) => true,
            (Pings::In(frames), _) => {
                let due = *frames == 0;
                *frames = frames.saturating_sub(1);
                due
            }
            (Pings::At(places), _) => match places.front() {
                Some(place) if *place == self.written => {
                    places.pop_front();
                    return Some(a_ping());
                }
                Some(_) | None => false,
            },
        };
        due.then(|| {
            self.pings = Pings::Over;
            a_ping()
        })
    }

    fn message_start(&mut self) -> WireEvent {
        let tokens = self.start_tokens();
        self.event("message_start", Mark::Other, |out, said| {
            out.extend_from_slice(br#"{"type":"message_start","message":"#);
            envelope::write_start(out, said);
            out.extend_from_slice(b"],");
            envelope::write_no_stop(out, said.envelope);
            envelope::write_first_usage(out, said, tokens);
            out.push(b'}');
        })
    }

    fn block_start(&mut self, index: usize) -> WireEvent {
        let event = self.event("content_block_start", Mark::Other, |out, said| {
            write_head(out, br#"{"type":"content_block_start","index":"#, index);
            out.extend_from_slice(br#","content_block":"#);
            if let Some(block) = said.blocks.get(index) {
                block.write_start(out, said.envelope);
            }
        });
        if let Some(block) = self.said.blocks.get_mut(index) {
            self.deltas = block.open(index, self.seed);
        }
        event
    }

    /// The next delta of the block, if there is one left.
    fn delta(&mut self, index: usize) -> Option<WireEvent> {
        let delta = self.deltas.next()?;
        let mut data = Vec::with_capacity(160);
        write_head(
            &mut data,
            br#"{"type":"content_block_delta","index":"#,
            index,
        );
        let (mark, last) = delta.write(&mut data);
        if last == Last::Yes {
            self.deltas.pop();
        }
        Some(self.padded("content_block_delta", mark, data))
    }

    /// The start of the block with this index, or what follows the last block.
    fn block_or_end(&self, index: usize) -> Next {
        if index < self.said.blocks.len() {
            Next::BlockStart(index)
        } else {
            Next::MessageDelta
        }
    }

    fn block_stop(&mut self, index: usize) -> WireEvent {
        self.event("content_block_stop", Mark::PartEnd, |out, _| {
            write_head(out, br#"{"type":"content_block_stop","index":"#, index);
        })
    }

    fn message_delta(&mut self) -> WireEvent {
        self.event("message_delta", Mark::StopReason, |out, said| {
            out.extend_from_slice(br#"{"type":"message_delta","delta":{"#);
            envelope::write_stop(out, said);
            out.push(b'}');
            envelope::write_last_usage(out, said);
            envelope::write_context_management(out, said);
        })
    }
}

impl Iterator for Events {
    type Item = WireEvent;

    fn next(&mut self) -> Option<WireEvent> {
        let ping = self.ping();
        self.written += 1;
        if ping.is_some() {
            return ping;
        }
        let (event, next) = match self.next {
            Next::MessageStart => (self.message_start(), self.block_or_end(0)),
            Next::BlockStart(index) => (self.block_start(index), Next::InBlock(index)),
            Next::InBlock(index) => match self.delta(index) {
                Some(delta) => (delta, Next::InBlock(index)),
                None => (self.block_stop(index), self.block_or_end(index + 1)),
            },
            Next::MessageDelta => (self.message_delta(), Next::MessageStop),
            Next::MessageStop => {
                let stop = self.event("message_stop", Mark::Terminal, |out, _| {
                    out.extend_from_slice(br#"{"type":"message_stop""#);
                });
                (stop, Next::Nothing)
            }
            Next::Nothing => return None,
        };
        self.next = next;
        Some(event)
    }
}

/// `{"type":…,"index":…`, given up to the number.
fn write_head(out: &mut Vec<u8>, head: &[u8], index: usize) {
    out.extend_from_slice(head);
    write_number(out, u64::try_from(index).unwrap_or(u64::MAX));
}

/// 0 to 15 spaces, before the last brace.
pub(in crate::api::anthropic_messages) fn pad(out: &mut Vec<u8>, dice: Option<&mut Dice>) {
    const SPACES: &[u8; 15] = b"               ";
    if let Some(dice) = dice {
        let n = dice.below(16);
        out.extend_from_slice(SPACES.get(..n).unwrap_or_default());
    }
}
