//! A turn in, wire events or the non-streaming body out.

use std::sync::Arc;

use serde_json::Value;

use super::{purpose, stop_reason, stop_word};
use crate::{
    api::{Context, Ids, Mark, WireEvent},
    json::{self, Spacing, write_number, write_str},
    script::{Arguments, Cuts, Dice, Part, Reply, Says, ScriptedPart, ToolCall, Turn, Usage},
};

/// The model named where neither the turn nor the request names one.
const DEFAULT_MODEL: &str = "claude-haiku-4-5-20251001";

/// A turn as this API says it: adjacent text merged, ids filled in.
struct Said {
    model: String,
    id: String,
    blocks: Vec<Block>,
    /// The stop reason's word, and the stop sequence.
    stop: (String, Option<String>),
    usage: Usage,
}

enum Block {
    /// Pieces of text, each with its own way to be cut.
    Text(Vec<(Arc<str>, Cuts)>),
    ToolUse {
        id: String,
        name: String,
        arguments: Arguments,
        /// How the streamed arguments are cut, where the turn says it.
        cuts: Option<Cuts>,
    },
}

impl Said {
    fn new(turn: &Turn, context: &Context) -> Result<Self, String> {
        let message = match &turn.says {
            Says::Message(message) => message,
            Says::Error(_) => return Err("an error turn has no message".to_owned()),
        };
        let mut tool_ids = Ids::new(context.seed, purpose::TOOLS);
        let mut blocks = Vec::new();
        for part in &message.parts {
            match part {
                ScriptedPart::Text { text, .. } if text.is_empty() => {}
                ScriptedPart::Text { text, fragments } => {
                    let cuts = match fragments {
                        Some(fragments) => fragments.cutter(text)?,
                        None => Cuts::Words,
                    };
                    match blocks.last_mut() {
                        Some(Block::Text(pieces)) => pieces.push((Arc::clone(text), cuts)),
                        _ => blocks.push(Block::Text(vec![(Arc::clone(text), cuts)])),
                    }
                }
                ScriptedPart::ToolCall {
                    id,
                    name,
                    arguments,
                    fragments,
                } => blocks.push(Block::ToolUse {
                    // drawn for every call, so that naming one id leaves the others as they were
                    id: {
                        let made = tool_ids.base58("toolu_01", 22);
                        id.clone().unwrap_or(made)
                    },
                    name: name.clone(),
                    arguments: arguments.clone(),
                    cuts: match fragments {
                        Some(fragments) => {
                            Some(fragments.cutter(&arguments.to_text(Spacing::Spaced))?)
                        }
                        None => None,
                    },
                }),
            }
        }
        let reason = message.effective_stop_reason();
        let (word, sequence) = stop_word(&reason);
        let model = message.model.as_ref().unwrap_or(&context.model);
        Ok(Self {
            model: if model.is_empty() {
                DEFAULT_MODEL
            } else {
                model
            }
            .to_owned(),
            id: Ids::new(context.seed, purpose::MESSAGE).base58("msg_011C", 20),
            blocks,
            stop: (word.to_owned(), sequence.map(str::to_owned)),
            usage: message.effective_usage(),
        })
    }
}

/// What a client that loses nothing reads from `turn`.
pub(crate) fn normalized(turn: &Turn, context: &Context) -> Result<Reply, String> {
    let said = Said::new(turn, context)?;
    let mut parts = Vec::new();
    for block in said.blocks {
        parts.push(match block {
            Block::Text(pieces) => Part::Text(pieces.iter().map(|(text, _)| &**text).collect()),
            Block::ToolUse {
                id,
                name,
                arguments,
                ..
            } => {
                if id.is_empty() || name.is_empty() {
                    return Err("a tool call has no id, or no name\n  \
                                help: such a call can be played, but no strict client reads it"
                        .to_owned());
                }
                let text = arguments.to_text(Spacing::Compact);
                let arguments = match text.as_str() {
                    "" | "null" => Value::Object(serde_json::Map::new()),
                    text => json::parse(text.as_bytes())
                        .map_err(|error| not_json(&name, text, &error))?,
                };
                Part::ToolCall(ToolCall::new(id, name, arguments))
            }
        });
    }
    let (word, sequence) = said.stop;
    let reason = stop_reason(&word, sequence.as_deref());
    Ok(Reply::new(said.id, said.model, parts, reason, said.usage))
}

fn not_json(name: &str, text: &str, error: &serde_json::Error) -> String {
    format!(
        "the arguments of `{name}` are not JSON: {error}\n  found: `{}`\n  \
         help: broken arguments can only be streamed; here `input` is a JSON value",
        text.escape_debug()
    )
}

/// The body of the non-streaming answer: compact, no final newline.
pub(crate) fn body(turn: &Turn, context: &Context) -> Result<Vec<u8>, String> {
    let said = Said::new(turn, context)?;
    let mut out = Vec::with_capacity(1024);
    write_envelope_start(&mut out, &said);
    for (n, block) in said.blocks.iter().enumerate() {
        if n > 0 {
            out.push(b',');
        }
        match block {
            Block::Text(pieces) => {
                let text: String = pieces.iter().map(|(text, _)| &**text).collect();
                out.extend_from_slice(br#"{"type":"text","text":"#);
                write_str(&mut out, &text);
                out.push(b'}');
            }
            Block::ToolUse {
                id,
                name,
                arguments,
                ..
            } => {
                let text = arguments.to_text(Spacing::Compact);
                let input = if text.is_empty() { "{}" } else { text.as_str() };
                serde_json::from_str::<Value>(input)
                    .map_err(|error| not_json(name, input, &error))?;
                write_tool_use(&mut out, id, name, input);
            }
        }
    }
    out.extend_from_slice(b"],");
    write_stop(&mut out, Some(&said.stop));
    out.extend_from_slice(br#","usage":"#);
    write_usage(&mut out, &said.usage, said.usage.output_tokens);
    out.push(b'}');
    Ok(out)
}

/// `{"model":…,"content":[`
fn write_envelope_start(out: &mut Vec<u8>, said: &Said) {
    out.extend_from_slice(br#"{"model":"#);
    write_str(out, &said.model);
    out.extend_from_slice(br#","id":"#);
    write_str(out, &said.id);
    out.extend_from_slice(br#","type":"message","role":"assistant","content":["#);
}

fn write_tool_use(out: &mut Vec<u8>, id: &str, name: &str, input: &str) {
    out.extend_from_slice(br#"{"type":"tool_use","id":"#);
    write_str(out, id);
    out.extend_from_slice(br#","name":"#);
    write_str(out, name);
    out.extend_from_slice(br#","input":"#);
    out.extend_from_slice(input.as_bytes());
    out.extend_from_slice(br#","caller":{"type":"direct"}}"#);
}

/// `"stop_reason":…,"stop_sequence":…,"stop_details":…`; only a refusal has details.
fn write_stop(out: &mut Vec<u8>, stop: Option<&(String, Option<String>)>) {
    let (word, sequence) = match stop {
        Some((word, sequence)) => (Some(word.as_str()), sequence.as_deref()),
        None => (None, None),
    };
    for (name, value) in [
        (&br#""stop_reason":"#[..], word),
        (br#","stop_sequence":"#, sequence),
    ] {
        out.extend_from_slice(name);
        match value {
            Some(value) => write_str(out, value),
            None => out.extend_from_slice(b"null"),
        }
    }
    out.extend_from_slice(match word {
        Some("refusal") => {
            br#","stop_details":{"type":"refusal","category":null,"explanation":null}"#
        }
        _ => br#","stop_details":null"#.as_slice(),
    });
}

/// The usage of the envelope; `message_start` has a smaller `output_tokens` than the whole.
fn write_usage(out: &mut Vec<u8>, usage: &Usage, output_tokens: u64) {
    write_prompt_usage(out, usage);
    out.extend_from_slice(br#","cache_creation":{"ephemeral_5m_input_tokens":"#);
    write_number(out, usage.cache_creation_tokens);
    out.extend_from_slice(br#","ephemeral_1h_input_tokens":0},"output_tokens":"#);
    write_number(out, output_tokens);
    out.extend_from_slice(br#","service_tier":"standard","inference_geo":"not_available"}"#);
}

/// `{"input_tokens":…,"cache_creation_input_tokens":…,"cache_read_input_tokens":…`
fn write_prompt_usage(out: &mut Vec<u8>, usage: &Usage) {
    for (name, tokens) in [
        (&br#"{"input_tokens":"#[..], usage.input_tokens),
        (
            br#","cache_creation_input_tokens":"#,
            usage.cache_creation_tokens,
        ),
        (br#","cache_read_input_tokens":"#, usage.cache_read_tokens),
    ] {
        out.extend_from_slice(name);
        write_number(out, tokens);
    }
}

/// The events of one turn, one at a time.
pub(crate) struct Events {
    said: Said,
    next: Next,
    seed: u64,
    padding: Option<Dice>,
    /// Frames still to be written before the ping; counted from the first `content_block_start`.
    ping_in: Option<usize>,
}

/// Which event comes next.
enum Next {
    MessageStart,
    BlockStart(usize),
    /// The empty delta that opens the arguments of a tool call.
    EmptyDelta(usize),
    TextDelta {
        block: usize,
        piece: usize,
        at: usize,
    },
    InputDelta {
        block: usize,
        text: String,
        at: usize,
        cuts: Cuts,
    },
    BlockStop(usize),
    MessageDelta,
    MessageStop,
    Nothing,
}

impl Events {
    pub(crate) fn new(turn: &Turn, context: &Context) -> Result<Self, String> {
        let said = Said::new(turn, context)?;
        let noisy = !context.plain;
        Ok(Self {
            said,
            next: Next::MessageStart,
            seed: context.seed,
            padding: noisy.then(|| Dice::branch(context.seed, purpose::PADDING)),
            ping_in: noisy.then(|| {
                // right behind the first block start in 85 of 100 streams, else a few frames later
                let mut dice = Dice::branch(context.seed, purpose::PING);
                if dice.below(100) < 85 {
                    0
                } else {
                    1 + dice.below(3)
                }
            }),
        })
    }

    /// Tokens already produced when the answer starts: 1 in half the streams, else 2 to 8.
    fn start_tokens(&self) -> u64 {
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
        pad(&mut data, self.padding.as_mut());
        data.push(b'}');
        WireEvent {
            name: Some(name),
            data,
            mark,
        }
    }

    fn ping(&mut self) -> Option<WireEvent> {
        let due = match (&self.next, self.ping_in) {
            (Next::MessageStart | Next::BlockStart(0), _) | (_, None) => false,
            (Next::MessageDelta, Some(_)) => true,
            (_, Some(frames)) => {
                self.ping_in = Some(frames.saturating_sub(1));
                frames == 0
            }
        };
        due.then(|| {
            self.ping_in = None;
            WireEvent {
                name: Some("ping"),
                data: br#"{"type": "ping"}"#.to_vec(),
                mark: Mark::Other,
            }
        })
    }

    fn message_start(&mut self) -> WireEvent {
        let tokens = self.start_tokens();
        self.event("message_start", Mark::Other, |out, said| {
            out.extend_from_slice(br#"{"type":"message_start","message":"#);
            write_envelope_start(out, said);
            out.extend_from_slice(b"],");
            write_stop(out, None);
            out.extend_from_slice(br#","usage":"#);
            write_usage(out, &said.usage, tokens);
            out.push(b'}');
        })
    }

    fn block_start(&mut self, index: usize) -> WireEvent {
        self.event("content_block_start", Mark::Other, |out, said| {
            write_head(out, "content_block_start", index);
            out.extend_from_slice(br#","content_block":"#);
            match said.blocks.get(index) {
                Some(Block::ToolUse { id, name, .. }) => write_tool_use(out, id, name, "{}"),
                Some(Block::Text(_)) | None => {
                    out.extend_from_slice(br#"{"type":"text","text":""}"#);
                }
            }
        })
    }

    fn delta(&mut self, index: usize, kind: &[u8], fragment: &str, mark: Mark) -> WireEvent {
        self.event("content_block_delta", mark, |out, _| {
            write_head(out, "content_block_delta", index);
            out.extend_from_slice(kind);
            write_str(out, fragment);
            out.push(b'}');
        })
    }

    fn block_stop(&mut self, index: usize) -> WireEvent {
        self.event("content_block_stop", Mark::PartEnd, |out, _| {
            write_head(out, "content_block_stop", index);
        })
    }

    fn message_delta(&mut self) -> WireEvent {
        self.event("message_delta", Mark::StopReason, |out, said| {
            out.extend_from_slice(br#"{"type":"message_delta","delta":{"#);
            write_stop(out, Some(&said.stop));
            out.extend_from_slice(br#"},"usage":"#);
            write_prompt_usage(out, &said.usage);
            out.extend_from_slice(br#","output_tokens":"#);
            write_number(out, said.usage.output_tokens);
            out.push(b'}');
        })
    }

    /// What comes after the start of this block.
    fn open(&self, index: usize) -> Next {
        match self.said.blocks.get(index) {
            Some(Block::Text(_)) => Next::TextDelta {
                block: index,
                piece: 0,
                at: 0,
            },
            Some(Block::ToolUse { .. }) => Next::EmptyDelta(index),
            None => Next::MessageDelta,
        }
    }

    /// What comes after the empty delta of this tool call.
    fn open_input(&self, index: usize) -> Next {
        let Some(Block::ToolUse {
            arguments, cuts, ..
        }) = self.said.blocks.get(index)
        else {
            return Next::BlockStop(index);
        };
        let text = arguments.to_text(Spacing::Spaced);
        if text.is_empty() {
            return Next::BlockStop(index);
        }
        let block = u64::try_from(index).unwrap_or(u64::MAX);
        let seed = Dice::branch(self.seed, purpose::FRAGMENTS).next() ^ block;
        Next::InputDelta {
            block: index,
            text,
            at: 0,
            cuts: cuts.clone().unwrap_or_else(|| Cuts::Dealt(Dice::new(seed))),
        }
    }

    fn text_delta(&mut self, block: usize, piece: usize, at: usize) -> WireEvent {
        let Some(Block::Text(pieces)) = self.said.blocks.get_mut(block) else {
            return self.block_stop(block);
        };
        let last_piece = piece + 1 == pieces.len();
        let (text, cuts) = match pieces.get_mut(piece) {
            Some((text, cuts)) => (Arc::clone(text), cuts),
            None => return self.block_stop(block),
        };
        let rest = text.get(at..).unwrap_or_default();
        let len = cuts.next_len(rest);
        self.next = match (len < rest.len(), last_piece) {
            (true, _) => Next::TextDelta {
                block,
                piece,
                at: at + len,
            },
            (false, false) => Next::TextDelta {
                block,
                piece: piece + 1,
                at: 0,
            },
            (false, true) => Next::BlockStop(block),
        };
        let fragment = rest.get(..len).unwrap_or_default();
        self.delta(
            block,
            br#","delta":{"type":"text_delta","text":"#,
            fragment,
            Mark::Delta,
        )
    }
}

const INPUT_DELTA: &[u8] = br#","delta":{"type":"input_json_delta","partial_json":"#;

impl Iterator for Events {
    type Item = WireEvent;

    fn next(&mut self) -> Option<WireEvent> {
        if let Some(ping) = self.ping() {
            return Some(ping);
        }
        let (event, next) = match std::mem::replace(&mut self.next, Next::Nothing) {
            Next::MessageStart => (
                self.message_start(),
                if self.said.blocks.is_empty() {
                    Next::MessageDelta
                } else {
                    Next::BlockStart(0)
                },
            ),
            Next::BlockStart(index) => (self.block_start(index), self.open(index)),
            Next::EmptyDelta(index) => (
                self.delta(index, INPUT_DELTA, "", Mark::Other),
                self.open_input(index),
            ),
            Next::TextDelta { block, piece, at } => return Some(self.text_delta(block, piece, at)),
            Next::InputDelta {
                block,
                text,
                at,
                mut cuts,
            } => {
                let rest = text.get(at..).unwrap_or_default();
                let len = cuts.next_len(rest);
                let fragment = rest.get(..len).unwrap_or_default();
                let event = self.delta(block, INPUT_DELTA, fragment, Mark::Delta);
                let next = if len < rest.len() {
                    let at = at + len;
                    Next::InputDelta {
                        block,
                        text,
                        at,
                        cuts,
                    }
                } else {
                    Next::BlockStop(block)
                };
                (event, next)
            }
            Next::BlockStop(index) => {
                let more = index + 1 < self.said.blocks.len();
                (
                    self.block_stop(index),
                    if more {
                        Next::BlockStart(index + 1)
                    } else {
                        Next::MessageDelta
                    },
                )
            }
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

/// `{"type":…,"index":…`
fn write_head(out: &mut Vec<u8>, kind: &str, index: usize) {
    out.extend_from_slice(br#"{"type":""#);
    out.extend_from_slice(kind.as_bytes());
    out.extend_from_slice(br#"","index":"#);
    write_number(out, u64::try_from(index).unwrap_or(u64::MAX));
}

/// 0 to 15 spaces, before the last brace.
pub(super) fn pad(out: &mut Vec<u8>, dice: Option<&mut Dice>) {
    const SPACES: &[u8; 15] = b"               ";
    if let Some(dice) = dice {
        let n = dice.below(16);
        out.extend_from_slice(SPACES.get(..n).unwrap_or_default());
    }
}
