//! A turn as this API says it, and what is read back from it.

use std::sync::Arc;

use super::{Block, block::Piece};
use crate::{
    api::{
        Context, Ids,
        anthropic_messages::{era::Envelope, purpose, stop_reason, stop_word},
    },
    json::Spacing,
    script::{Cuts, Dice, EndsEmpty, Message, Part, Reply, Says, ScriptedPart, Turn, Usage},
};

/// The model named where neither the turn nor the request names one.
const DEFAULT_MODEL: &str = "claude-haiku-4-5-20251001";

/// A turn as this API says it: adjacent text merged, ids filled in.
pub(super) struct Said {
    pub(super) model: String,
    pub(super) id: String,
    pub(super) blocks: Vec<Block>,
    /// The stop reason's word, and the stop sequence.
    pub(super) stop: (String, Option<String>),
    pub(super) usage: Usage,
    pub(super) envelope: &'static Envelope,
}

impl Said {
    pub(super) fn new(turn: &Turn, context: &Context) -> Result<Self, String> {
        let message = match &turn.says {
            Says::Message(message) => message,
            Says::Error(_) => return Err("an error turn has no message".to_owned()),
        };
        let (word, sequence) = {
            let reason = message.effective_stop_reason();
            let (word, sequence) = stop_word(&reason);
            (word.to_owned(), sequence.map(str::to_owned))
        };
        let envelope = Envelope::at(context.era);
        let model = message.model.as_ref().unwrap_or(&context.model);
        Ok(Self {
            model: if model.is_empty() {
                DEFAULT_MODEL
            } else {
                model
            }
            .to_owned(),
            id: Ids::new(context.seed, purpose::MESSAGE).base58("msg_011C", 20),
            blocks: Blocks::new(context).all(message)?,
            stop: (word, sequence),
            usage: usage(message, envelope)?,
            envelope,
        })
    }
}

/// The usage of the answer, as far as its era can say it.
fn usage(message: &Message, envelope: &Envelope) -> Result<Usage, String> {
    let mut usage = message.effective_usage();
    let said = message.usage.as_ref();
    if !envelope.details && said.is_none_or(|said| said.thinking_tokens.is_none()) {
        usage.thinking_tokens = None;
    }
    for (has, tokens, what) in [
        (
            envelope.cache_counters,
            usage.cache_read_tokens,
            "cache_read_input_tokens",
        ),
        (
            envelope.cache_counters,
            usage.cache_creation_tokens,
            "cache_creation_input_tokens",
        ),
        (
            envelope.cache_creation,
            usage.cache_creation_1h_tokens,
            "ephemeral_1h_input_tokens",
        ),
    ] {
        if !has && tokens > 0 {
            return Err(format!(
                "an answer of this era has no `{what}`\n  found: `{tokens}` tokens\n  \
                 help: leave them out of the usage, or choose a later era"
            ));
        }
    }
    Ok(usage)
}

/// Makes the blocks; what the turn leaves open is drawn for every part, so that naming one value leaves the
/// others as they were.
struct Blocks {
    tool_ids: Ids,
    sealed: Ids,
    ends_empty: Option<Dice>,
    blocks: Vec<Block>,
}

impl Blocks {
    fn new(context: &Context) -> Self {
        Self {
            tool_ids: Ids::new(context.seed, purpose::TOOLS),
            sealed: Ids::new(context.seed, purpose::SEALED),
            ends_empty: (!context.plain).then(|| Dice::branch(context.seed, purpose::ENDS_EMPTY)),
            blocks: Vec::new(),
        }
    }

    fn all(mut self, message: &Message) -> Result<Vec<Block>, String> {
        for part in &message.parts {
            self.part(part)?;
        }
        Ok(self.blocks)
    }

    fn part(&mut self, part: &ScriptedPart) -> Result<(), String> {
        let block = match part {
            ScriptedPart::Text { text, .. } if text.is_empty() => return Ok(()),
            ScriptedPart::Text { text, fragments } => {
                let piece = Piece::new(text, fragments.as_ref())?;
                if let Some(Block::Text(pieces)) = self.blocks.last_mut() {
                    pieces.push(piece);
                    return Ok(());
                }
                Block::Text(vec![piece])
            }
            ScriptedPart::Thinking {
                text,
                signature,
                ends_empty,
                fragments,
            } => {
                let made = self.sealed();
                // about one stream in five ends thinking with an empty delta
                let drawn = self.ends_empty.as_mut().map(|dice| dice.below(5) == 0);
                Block::Thinking {
                    piece: Piece::new(text, fragments.as_ref())?,
                    ends_empty: match ends_empty {
                        Some(EndsEmpty::Yes) => true,
                        Some(EndsEmpty::No) => false,
                        None => drawn == Some(true) && !text.is_empty(),
                    },
                    signature: signature.clone().unwrap_or(made),
                }
            }
            ScriptedPart::RedactedThinking { data } => {
                let made = self.sealed();
                Block::RedactedThinking {
                    data: data.clone().unwrap_or(made),
                }
            }
            ScriptedPart::ToolCall {
                id,
                name,
                arguments,
                fragments,
            } => {
                let made = self.tool_ids.base58("toolu_01", 22);
                Block::ToolUse {
                    id: id.clone().unwrap_or(made),
                    name: name.clone(),
                    arguments: arguments.clone(),
                    cuts: match fragments {
                        Some(fragments) => {
                            Some(fragments.cutter(&arguments.to_text(Spacing::Spaced))?)
                        }
                        None => None,
                    },
                }
            }
        };
        self.blocks.push(block);
        Ok(())
    }

    /// What the service encrypts or signs: base64 of 168 bytes, which begin as those of the service do.
    fn sealed(&mut self) -> String {
        self.sealed.base64("EqUB", 220)
    }
}

impl Piece {
    fn new(text: &Arc<str>, fragments: Option<&crate::script::Fragments>) -> Result<Self, String> {
        Ok(Self {
            text: Arc::clone(text),
            cuts: match fragments {
                Some(fragments) => fragments.cutter(text)?,
                None => Cuts::Words,
            },
        })
    }
}

/// What a client that loses nothing reads from `turn`.
pub(crate) fn normalized(turn: &Turn, context: &Context) -> Result<Reply, String> {
    let said = Said::new(turn, context)?;
    let parts: Result<Vec<Part>, String> = said.blocks.into_iter().map(Block::into_part).collect();
    let (word, sequence) = said.stop;
    let reason = stop_reason(&word, sequence.as_deref());
    Ok(Reply::new(said.id, said.model, parts?, reason, said.usage))
}
