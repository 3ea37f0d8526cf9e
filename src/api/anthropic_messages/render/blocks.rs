//! The blocks of a turn: adjacent text merged, ids and the like filled in.

use std::sync::Arc;

use super::{
    Block,
    block::Piece,
    call::{Call, CallKind, Caller},
    server_tool,
};
use crate::{
    api::{Context, Ids, anthropic_messages::purpose},
    json::Spacing,
    script::{
        Arguments, Citation, CitedSource, Cuts, Dice, EndsEmpty, Fragments, Message, ScriptedPart,
        ServerTool, ServerToolKind, ServerToolSays,
    },
};

/// Makes the blocks; what the turn leaves open is drawn for every part, so that naming one value leaves the
/// others as they were.
pub(super) struct Blocks {
    tool_ids: Ids,
    server_ids: Ids,
    sealed: Ids,
    ends_empty: Option<Dice>,
    blocks: Vec<Block>,
}

impl Blocks {
    pub(super) fn new(context: &Context) -> Self {
        Self {
            tool_ids: Ids::new(context.seed, purpose::TOOLS),
            server_ids: Ids::new(context.seed, purpose::SERVER_TOOLS),
            sealed: Ids::new(context.seed, purpose::SEALED),
            ends_empty: (!context.plain).then(|| Dice::branch(context.seed, purpose::ENDS_EMPTY)),
            blocks: Vec::new(),
        }
    }

    pub(super) fn all(mut self, message: &Message) -> Result<Vec<Block>, String> {
        for part in &message.parts {
            self.part(part)?;
        }
        Ok(self.blocks)
    }

    fn part(&mut self, part: &ScriptedPart) -> Result<(), String> {
        let block = match part {
            ScriptedPart::Text {
                text,
                citations,
                fragments,
            } => return self.text(text, citations.as_deref(), fragments.as_ref()),
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
                caller,
                fragments,
            } => {
                let made = self.tool_ids.base58("toolu_01", 22);
                Block::Call(Call {
                    kind: CallKind::Client,
                    id: id.clone().unwrap_or(made),
                    name: name.clone(),
                    arguments: arguments.clone(),
                    caller: caller.clone().map_or(Caller::Model, Caller::Said),
                    cuts: cuts(arguments, fragments.as_ref())?,
                })
            }
            ScriptedPart::CustomToolCall { .. } => {
                return Err(
                    "Anthropic Messages has no custom tools, whose input is any text\n  \
                            help: use `.tool_call(..)`, with the text as one of its arguments"
                        .to_owned(),
                );
            }
            ScriptedPart::ServerTool {
                tool,
                says,
                fragments,
            } => return self.server_tool(tool, *says, fragments.as_ref()),
            ScriptedPart::Compaction {
                content,
                encrypted_content,
            } => Block::Compaction {
                content: content.clone(),
                encrypted_content: encrypted_content.clone(),
            },
            ScriptedPart::Raw { start, deltas, .. } => Block::Raw {
                start: start.clone(),
                deltas: deltas.clone(),
            },
        };
        self.blocks.push(block);
        Ok(())
    }

    /// Adjacent text is one block, unless the model could cite something.
    fn text(
        &mut self,
        text: &Arc<str>,
        citations: Option<&[Citation]>,
        fragments: Option<&Fragments>,
    ) -> Result<(), String> {
        if text.is_empty() && citations.is_none() {
            return Ok(());
        }
        let piece = Piece::new(text, fragments)?;
        match (self.blocks.last_mut(), citations) {
            (
                Some(Block::Text {
                    pieces,
                    citations: None,
                }),
                None,
            ) => pieces.push(piece),
            _ => {
                let citations = citations.map(|citations| {
                    let citations = citations.iter().cloned();
                    citations.map(|citation| self.indexed(citation)).collect()
                });
                self.blocks.push(Block::Text {
                    pieces: vec![piece],
                    citations,
                });
            }
        }
        Ok(())
    }

    /// The citation with its encrypted index, where it has to have one.
    fn indexed(&mut self, mut citation: Citation) -> Citation {
        if let CitedSource::WebSearchResult {
            encrypted_index, ..
        } = &mut citation.source
        {
            let made = self.sealed();
            encrypted_index.get_or_insert(made);
        }
        citation
    }

    fn server_tool(
        &mut self,
        tool: &ServerTool,
        says: ServerToolSays,
        fragments: Option<&Fragments>,
    ) -> Result<(), String> {
        let prefix = match tool.kind {
            ServerToolKind::FileSearch => {
                return Err("Anthropic Messages has no search of files\n  \
                            help: use another tool, or `ServerTool::new(..)`"
                    .to_owned());
            }
            ServerToolKind::Mcp { .. } => "mcptoolu_01",
            ServerToolKind::WebSearch
            | ServerToolKind::WebFetch
            | ServerToolKind::Bash
            | ServerToolKind::TextEditor
            | ServerToolKind::ToolSearch
            | ServerToolKind::Other { .. } => "srvtoolu_01",
        };
        let made = self.server_ids.base58(prefix, 22);
        let id = tool.id.clone().unwrap_or(made);
        if says != ServerToolSays::Result {
            let cuts = cuts(&tool.arguments, fragments)?;
            let call = server_tool::call(tool, id.clone(), cuts);
            self.blocks.push(Block::Call(call));
        }
        if says != ServerToolSays::Call {
            let result = server_tool::result(tool, id, &mut self.sealed);
            self.blocks.push(Block::Result(result));
        }
        Ok(())
    }

    fn sealed(&mut self) -> String {
        seal(&mut self.sealed)
    }
}

/// What the service encrypts or signs: base64 of 168 bytes, which begin as those of the service do.
pub(super) fn seal(ids: &mut Ids) -> String {
    ids.base64("EqUB", 220)
}

/// How streamed arguments are cut, where the turn says it.
fn cuts(arguments: &Arguments, fragments: Option<&Fragments>) -> Result<Option<Cuts>, String> {
    let cutter = |fragments: &Fragments| fragments.cutter(&arguments.to_text(Spacing::Spaced));
    fragments.map(cutter).transpose()
}

impl Piece {
    fn new(text: &Arc<str>, fragments: Option<&Fragments>) -> Result<Self, String> {
        Ok(Self {
            text: Arc::clone(text),
            cuts: match fragments {
                Some(fragments) => fragments.cutter(text)?,
                None => Cuts::Words,
            },
        })
    }
}
