//! What every server is asked to say: one Anthropic turn of so many words, whole or as ready events.

use crate::peers::{Ours, ours};
use bytes::Bytes;

/// The answer of the small exchanges.
#[derive(Debug)]
pub struct Reply {
    pub text: String,
    pub body: Bytes,
    /// The headers of ours, framing apart; empty where a head is no part of what is measured.
    pub head: Head,
    /// The same of ours without noise.
    pub plain_head: Head,
}

/// Header lines: name and value.
pub type Head = Vec<(String, String)>;

impl Reply {
    pub fn small() -> Self {
        let text = Self::small_text();
        let body = ours::reply(&text);
        let head = ours::head(&Ours::Default, &text);
        let plain_head = ours::head(&Ours::Plain, &text);
        Self {
            text,
            body,
            head,
            plain_head,
        }
    }

    pub fn small_text() -> String {
        text(12)
    }
}

/// A streamed answer, one frame for each event.
#[derive(Debug)]
pub struct Stream {
    pub text: String,
    pub frames: Vec<Bytes>,
}

impl Stream {
    /// A turn of `words` words, so of as many text deltas.
    pub fn of_words(words: usize) -> Self {
        let text = text(words);
        let frames = split_events(&ours::events(&text));
        let stream = Self { text, frames };
        let deltas = stream.frames.iter().filter(|frame| is_delta(frame)).count();
        assert_eq!(deltas, words, "deltas in a turn of {words} words");
        stream
    }

    pub fn bytes(&self) -> usize {
        self.frames.iter().map(Bytes::len).sum()
    }

    /// The stream with each byte a frame of its own.
    pub fn single_bytes(&self) -> Vec<Bytes> {
        let single_bytes = |frame: &Bytes| {
            let frame = frame.clone();
            (0..frame.len()).map(move |at| frame.slice(at..=at))
        };
        self.frames.iter().flat_map(single_bytes).collect()
    }

    /// How many events come up to and including the first text delta.
    pub fn events_to_first_delta(&self) -> usize {
        let first = self.frames.iter().position(is_delta);
        1 + first.expect("a turn of text has deltas")
    }
}

pub fn text(words: usize) -> String {
    const WORDS: [&str; 6] = ["stub ", "plays ", "a ", "scripted ", "turn ", "exactly "];
    WORDS.into_iter().cycle().take(words).collect()
}

fn is_delta(frame: &Bytes) -> bool {
    frame.starts_with(b"event: content_block_delta\n")
}

fn split_events(body: &Bytes) -> Vec<Bytes> {
    let mut frames = Vec::new();
    let mut start = 0;
    for (at, pair) in body.windows(2).enumerate() {
        if pair == b"\n\n" {
            frames.push(body.slice(start..at + 2));
            start = at + 2;
        }
    }
    assert_eq!(start, body.len(), "the body ends with a whole event");
    frames
}
