//! What every server is asked to say: one turn of so many words, whole or as ready events; Anthropic's but for the
//! streams that say which API they are of.

use crate::peers::{Ours, ours};
use bytes::Bytes;
use llm_wire_stub::Api;

/// The answer of the small exchanges.
#[derive(Debug)]
pub struct Reply {
    pub text: String,
    pub body: Bytes,
    /// The headers of ours, framing apart.
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
    pub api: Api,
    pub text: String,
    pub frames: Vec<Bytes>,
    /// The headers of Anthropic's from ours, framing apart.
    pub head: Head,
}

impl Stream {
    /// A turn of `words` words, so of as many text deltas.
    pub fn of_words(words: usize) -> Self {
        Self::on(Api::AnthropicMessages, words)
    }

    /// The same turn on another API.
    pub fn on(api: Api, words: usize) -> Self {
        let text = text(words);
        let frames = split_events(&ours::events(api, &text));
        let head = ours::stream_head();
        let stream = Self {
            api,
            text,
            frames,
            head,
        };
        let is_delta = |frame: &&Bytes| is_delta(api, frame);
        let deltas = stream.frames.iter().filter(is_delta).count();
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
        let is_delta = |frame: &Bytes| is_delta(self.api, frame);
        let first = self.frames.iter().position(is_delta);
        1 + first.expect("a turn of text has deltas")
    }
}

pub fn text(words: usize) -> String {
    const WORDS: [&str; 6] = ["stub ", "plays ", "a ", "scripted ", "turn ", "exactly "];
    WORDS.into_iter().cycle().take(words).collect()
}

fn is_delta(api: Api, frame: &Bytes) -> bool {
    let part: &[u8] = match api {
        Api::AnthropicMessages => b"event: content_block_delta\n",
        Api::OpenAiChat => br#","choices":[{"index":0,"delta":{"content":""#,
        Api::OpenAiResponses => b"event: response.output_text.delta\n",
        other => panic!("no stream is measured on {}", other.name()),
    };
    frame.windows(part.len()).any(|bytes| bytes == part)
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
