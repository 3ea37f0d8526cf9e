//! One recorded block: by name where that gives its bytes again, else as it is.

use std::{borrow::Cow, sync::Arc};

use super::{compared, nothing_added, text_of};
use crate::{
    api::anthropic_messages::{accumulate, render},
    json_slices::{compact, items, member},
    script::{
        Arguments, Citation, EndsEmpty, Era, Fragments, Json, ScriptedPart, ServerTool,
        ServerToolSays, Turn,
    },
};

/// A block as it was recorded.
#[derive(Debug)]
pub(super) struct Recorded<'a> {
    /// The object in its start, or in a body.
    pub(super) start: Cow<'a, str>,
    pub(super) deltas: Vec<Cow<'a, str>>,
    pub(super) form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Whether it has stopped is not known.
    Stream,
    Body,
}

impl Recorded<'_> {
    /// Adds the block to the turn: by name as it was spelled, by name without the spaces that it was spelled with,
    /// or as it is.
    pub(super) fn add_to(&self, mut turn: Turn, era: Era) -> Turn {
        let mut said = |recorded: &Self| {
            let part = recorded.by_name()?;
            let said = !joins_the_last(&mut turn, &part) && recorded.is_said_by(&part, era);
            said.then_some(part)
        };
        let compact = self.compact();
        let exact = if self.is_on_one_line() {
            said(self)
        } else {
            None
        };
        let part = exact.or_else(|| said(&compact)).unwrap_or_else(|| {
            let is_exact = self.texts().all(|text| !has_line_break(text));
            if is_exact { self } else { &compact }.as_it_is()
        });
        turn.part(part)
    }

    /// The block without white space between its members.
    fn compact(&self) -> Self {
        let compacted = |text: &Cow<'_, str>| Cow::Owned(compact(text));
        Self {
            start: compacted(&self.start),
            deltas: self.deltas.iter().map(compacted).collect(),
            form: self.form,
        }
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.start)
            .chain(&self.deltas)
            .map(|text| &**text)
    }

    /// Whether it stands on one line; the input of a call apart, which is streamed as a string.
    fn is_on_one_line(&self) -> bool {
        let input = member(&self.start, "input").unwrap_or_default();
        let (before, behind) = self.start.split_once(input).unwrap_or_default();
        let mut rest = [before, behind].into_iter().chain(self.texts().skip(1));
        !rest.any(has_line_break)
    }

    fn as_it_is(&self) -> ScriptedPart {
        let deltas = self.deltas.iter().map(|delta| Json::spelled(delta));
        ScriptedPart::Raw {
            start: Json::spelled(&self.start),
            deltas: deltas.collect(),
            added: None,
        }
    }

    /// Whether the part gives these bytes.
    fn is_said_by(&self, part: &ScriptedPart, era: Era) -> bool {
        let turn = nothing_added().part(part.clone());
        let context = compared(era);
        match self.form {
            Form::Body => render::body(&turn, &context).is_ok_and(|body| {
                let body = String::from_utf8_lossy(&body);
                let blocks = member(&body, "content").map(items);
                blocks.as_deref() == Some(&[&*self.start])
            }),
            Form::Stream => render::Events::new(&turn, &context).is_ok_and(|events| {
                let events: Vec<_> = events.collect();
                let data = events
                    .iter()
                    .map(|event| String::from_utf8_lossy(&event.data));
                let data: Vec<_> = data.collect();
                let start = data.iter().find_map(|data| member(data, "content_block"));
                let deltas = data.iter().filter(|data| member(data, "index").is_some());
                let deltas = deltas.filter_map(|data| member(data, "delta"));
                start == Some(&*self.start) && deltas.eq(self.deltas.iter().map(|delta| &**delta))
            }),
        }
    }

    /// The part that may say this block.
    fn by_name(&self) -> Option<ScriptedPart> {
        let text = |name: &str| self.member(name);
        Some(match text("type")?.as_str() {
            "text" => self.text()?,
            "thinking" => self.thinking()?,
            "redacted_thinking" => ScriptedPart::RedactedThinking {
                data: Some(text("data")?),
            },
            "tool_use" => {
                let (arguments, fragments) = self.arguments()?;
                ScriptedPart::ToolCall {
                    id: Some(text("id")?),
                    name: text("name")?,
                    arguments,
                    caller: member(&self.start, "caller")
                        .filter(|caller| *caller != r#"{"type":"direct"}"#)
                        .map(Json::spelled),
                    fragments,
                }
            }
            "server_tool_use" | "mcp_tool_use" => {
                let (arguments, fragments) = self.arguments()?;
                let tool = match text("server_name") {
                    Some(server) => ServerTool::mcp(server, text("name")?, arguments, ""),
                    None => ServerTool::new(text("name")?, arguments, "", Json::spelled("null")),
                };
                ScriptedPart::ServerTool {
                    tool: Box::new(self.named(tool)?),
                    says: ServerToolSays::Call,
                    fragments,
                }
            }
            "compaction" => {
                let payload = |name: &str| {
                    let streamed = self.payloads(name).last().copied();
                    streamed.or(member(&self.start, name)).and_then(text_of)
                };
                ScriptedPart::Compaction {
                    content: payload("content")?,
                    encrypted_content: payload("encrypted_content"),
                }
            }
            result if accumulate::is_result(result) => {
                let content = Json::spelled(member(&self.start, "content")?);
                let tool = match result {
                    "mcp_tool_result" => {
                        ServerTool::mcp("", "", Arguments::raw(""), "").content(content)
                    }
                    result => ServerTool::new("", Arguments::raw(""), result, content),
                };
                ScriptedPart::ServerTool {
                    tool: Box::new(self.named(tool)?),
                    says: ServerToolSays::Result,
                    fragments: None,
                }
            }
            _ => return None,
        })
    }

    /// The text in this member of the start.
    fn member(&self, name: &str) -> Option<String> {
        member(&self.start, name).and_then(text_of)
    }

    fn text(&self) -> Option<ScriptedPart> {
        let given = member(&self.start, "citations").map(items);
        let citations = given.map(|given| {
            let citations = given.into_iter().chain(self.payloads("citation"));
            citations.map(citation).collect()
        });
        let (text, fragments) = self.fragments("text", self.member("text")?)?;
        Some(ScriptedPart::Text {
            text,
            citations,
            fragments,
        })
    }

    fn thinking(&self) -> Option<ScriptedPart> {
        let (text, fragments) = self.fragments("thinking", self.member("thinking")?)?;
        let given = self.member("signature").unwrap_or_default();
        let signature = self.payloads("signature").into_iter().map(text_of);
        let signature: Option<String> = signature.collect();
        let ends_empty = self.payloads("thinking").last() == Some(&"\"\"");
        Some(ScriptedPart::Thinking {
            text,
            signature: Some(given + &signature?),
            ends_empty: Some(if ends_empty {
                EndsEmpty::Yes
            } else {
                EndsEmpty::No
            }),
            fragments,
        })
    }

    /// The tool with the id and the caller that were recorded.
    fn named(&self, tool: ServerTool) -> Option<ServerTool> {
        let id = member(&self.start, "id").or(member(&self.start, "tool_use_id"))?;
        let tool = tool.id(text_of(id)?);
        Some(match member(&self.start, "caller") {
            Some(caller) => tool.caller(Json::spelled(caller)),
            None => tool,
        })
    }

    /// The spelling of this member of each delta that has it.
    fn payloads(&self, name: &str) -> Vec<&str> {
        let deltas = self.deltas.iter();
        deltas.filter_map(|delta| member(delta, name)).collect()
    }

    /// The fragments in this member of the deltas, behind what stood in the start.
    fn fragments(&self, name: &str, first: String) -> Option<(Arc<str>, Option<Fragments>)> {
        let mut pieces = vec![first];
        for payload in self.payloads(name) {
            pieces.push(text_of(payload)?);
        }
        pieces.retain(|piece| !piece.is_empty());
        let whole = pieces.concat().into();
        let fragments =
            (!pieces.is_empty() && self.form == Form::Stream).then(|| Fragments::pieces(pieces));
        Some((whole, fragments))
    }

    /// The arguments of a call, as they were spelled.
    fn arguments(&self) -> Option<(Arguments, Option<Fragments>)> {
        if self.form == Form::Body {
            let input = member(&self.start, "input")?;
            let input = if input == "{}" { "" } else { input };
            return Some((Arguments::raw(input), None));
        }
        let (whole, fragments) = self.fragments("partial_json", String::new())?;
        Some((Arguments::raw(&*whole), fragments))
    }
}

fn has_line_break(text: &str) -> bool {
    text.contains(['\n', '\r'])
}

/// Whether a part would be one block with the last one.
fn joins_the_last(turn: &mut Turn, part: &ScriptedPart) -> bool {
    let is_text = |part: &ScriptedPart| {
        matches!(
            part,
            ScriptedPart::Text {
                citations: None,
                ..
            }
        )
    };
    is_text(part) && turn.message().parts.last().is_some_and(is_text)
}

/// A citation by name if that gives its bytes again, else as it is.
fn citation(spelled: &str) -> Citation {
    let named = serde_json::from_str(spelled).map(|members| accumulate::citation(&members));
    let mut out = Vec::new();
    match named {
        Ok(named)
            if {
                render::write_citation(&mut out, &named);
                out == spelled.as_bytes()
            } =>
        {
            named
        }
        Ok(_) | Err(_) => Citation::raw(Json::spelled(spelled)),
    }
}
