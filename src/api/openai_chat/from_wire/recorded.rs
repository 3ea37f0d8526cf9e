//! What a recorded message says, cut as it was; and the turn that says it.

use std::ops::Range;

use serde_json::Value;

use crate::{
    api::{
        accumulate::Problem,
        openai::from_wire::{cut, length, not_said},
        sketch::items,
    },
    json_slices::member,
    script::{
        Arguments, CallOrder, Citation, Fragments, Json, Part, Reply, ScriptedPart, StopReason,
        ToolKind, Turn,
    },
};

/// The first choice, whose twins the others are.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    form: Form,
    id: String,
    model: String,
    tier: Option<String>,
    text: Vec<String>,
    refusal: Vec<String>,
    annotations: Vec<Value>,
    calls: Vec<Call>,
    order: CallOrder,
    /// The last choice's index.
    last: usize,
    moderation: Option<Json>,
    has_usage: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Form {
    #[default]
    Stream,
    Body,
}

#[derive(Debug)]
struct Call {
    kind: ToolKind,
    id: String,
    name: String,
    pieces: Vec<String>,
}

impl Recorded {
    /// Reads a chunk of a stream, with its spelling.
    pub(super) fn chunk(&mut self, chunk: &Value, spelled: &str) -> Result<(), Box<Problem>> {
        self.envelope(chunk, spelled);
        for choice in items(chunk.get("choices")) {
            if self.is_first(choice) {
                self.message(choice.get("delta").unwrap_or(&Value::Null))?;
            }
        }
        Ok(())
    }

    /// Reads a body, with its spelling on one line.
    pub(super) fn body(&mut self, body: &Value, spelled: &str) -> Result<(), Box<Problem>> {
        self.form = Form::Body;
        self.envelope(body, spelled);
        for choice in items(body.get("choices")) {
            if self.is_first(choice) {
                self.message(choice.get("message").unwrap_or(&Value::Null))?;
            }
        }
        Ok(())
    }

    pub(super) const fn choices(&self) -> usize {
        self.last + 1
    }

    fn is_first(&mut self, choice: &Value) -> bool {
        let index = choice.get("index").and_then(Value::as_u64);
        let index = index.and_then(|index| usize::try_from(index).ok());
        self.last = self.last.max(index.unwrap_or(0));
        index.unwrap_or(0) == 0
    }

    fn envelope(&mut self, sent: &Value, spelled: &str) {
        let text = |name: &str| sent.get(name).and_then(Value::as_str);
        for (known, name) in [(&mut self.id, "id"), (&mut self.model, "model")] {
            if known.is_empty() {
                text(name).unwrap_or_default().clone_into(known);
            }
        }
        if let Some(tier) = text("service_tier") {
            self.tier = Some(tier.to_owned());
        }
        if sent.get("moderation").is_some_and(Value::is_object) {
            self.moderation = member(spelled, "moderation").map(Json::spelled);
        }
        self.has_usage |= sent.get("usage").is_some_and(Value::is_object);
    }

    /// Reads a message, or what a delta has of one.
    fn message(&mut self, sent: &Value) -> Result<(), Box<Problem>> {
        for (pieces, name) in [(&mut self.text, "content"), (&mut self.refusal, "refusal")] {
            let piece = sent.get(name).and_then(Value::as_str).unwrap_or_default();
            if !piece.is_empty() {
                pieces.push(piece.to_owned());
            }
        }
        self.annotations
            .extend(items(sent.get("annotations")).cloned());
        for (n, call) in items(sent.get("tool_calls")).enumerate() {
            let index = call.get("index").and_then(Value::as_u64);
            let index = index.map_or(n, |index| usize::try_from(index).unwrap_or(usize::MAX));
            self.call(index, call)?;
        }
        Ok(())
    }

    fn call(&mut self, index: usize, sent: &Value) -> Result<(), Box<Problem>> {
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let (kind, said, written) = match (sent.get("function"), sent.get("custom")) {
            (_, Some(custom)) => (ToolKind::Custom, Some(custom), "input"),
            (function, None) => (ToolKind::Function, function, "arguments"),
        };
        let said = said.unwrap_or(&Value::Null);
        if index == self.calls.len() {
            self.calls.push(Call {
                kind,
                id: text(sent.get("id")).unwrap_or_default(),
                name: text(said.get("name")).unwrap_or_default(),
                pieces: Vec::new(),
            });
        }
        let last = self.calls.len();
        let Some(call) = self.calls.get_mut(index) else {
            return Err(not_said(
                "a recorded tool call starts with an index that is not its turn".to_owned(),
                format!("an index up to {last}"),
                format!("{index}"),
            ));
        };
        let piece = text(said.get(written)).unwrap_or_default();
        if !piece.is_empty() {
            call.pieces.push(piece);
            if index + 1 < last {
                self.order = CallOrder::Interleaved;
            }
        }
        Ok(())
    }

    /// The turn that may say it; `reply` is what was read of it, if it came to its end.
    pub(super) fn turn(&self, reply: Option<&Reply>) -> Result<Turn, Box<Problem>> {
        check(reply)?;
        let mut turn = Turn::new().id(&self.id).model(&self.model);
        let extras = turn.extras();
        extras.is_recorded = true;
        extras.service_tier.clone_from(&self.tier);
        extras.moderation.clone_from(&self.moderation);
        if let Some(reply) = reply {
            turn = turn.stop_reason(reply.stop_reason.clone());
            if self.has_usage {
                turn = turn.usage(reply.usage.clone());
            }
        }
        let refuses = !self.refusal.is_empty();
        if refuses {
            turn = turn.stop_reason(StopReason::Refusal);
        }
        let (text, annotations) = match refuses {
            true => (&self.refusal, &[][..]),
            false => (&self.text, &*self.annotations),
        };
        turn = self.texts(turn, text, annotations)?;
        for call in &self.calls {
            let whole = call.pieces.concat();
            let fragments = self.fragments(call.pieces.clone());
            let (id, name) = (Some(call.id.clone()), call.name.clone());
            turn = turn.part(match call.kind {
                ToolKind::Function => ScriptedPart::ToolCall {
                    id,
                    name,
                    arguments: Arguments::raw(whole),
                    caller: None,
                    fragments,
                },
                ToolKind::Custom => ScriptedPart::CustomToolCall {
                    id,
                    name,
                    input: whole.into(),
                    fragments,
                },
            });
        }
        turn.message().call_order = self.order;
        Ok(turn)
    }

    fn fragments(&self, pieces: Vec<String>) -> Option<Fragments> {
        let cut = self.form == Form::Stream && !pieces.is_empty();
        cut.then(|| Fragments::pieces(pieces))
    }

    /// The text, in parts where it is based on something.
    fn texts(
        &self,
        mut turn: Turn,
        pieces: &[String],
        annotations: &[Value],
    ) -> Result<Turn, Box<Problem>> {
        let mut at = 0;
        for (cited, citations) in cited(annotations)? {
            if cited.start > at {
                turn = self.text(turn, pieces, at..cited.start, None);
            }
            at = cited.end;
            turn = self.text(turn, pieces, cited, Some(citations));
        }
        let end = length(pieces);
        Ok(if end > at {
            self.text(turn, pieces, at..end, None)
        } else {
            turn
        })
    }

    /// These characters of the text, cut as it was.
    fn text(
        &self,
        turn: Turn,
        pieces: &[String],
        characters: Range<usize>,
        citations: Option<Vec<Citation>>,
    ) -> Turn {
        let own = cut(pieces, characters);
        turn.part(ScriptedPart::Text {
            text: own.concat().into(),
            citations,
            fragments: self.fragments(own),
        })
    }
}

/// Refuses what was read and has no words in a turn.
fn check(reply: Option<&Reply>) -> Result<(), Box<Problem>> {
    let Some(reply) = reply else { return Ok(()) };
    let unknown = reply.parts.iter().find_map(|part| match part {
        Part::Unknown { block, .. } => Some(block),
        Part::Text(_)
        | Part::CitedText { .. }
        | Part::Thinking { .. }
        | Part::RedactedThinking { .. }
        | Part::ToolCall(_)
        | Part::CustomToolCall(_)
        | Part::ServerToolCall(_)
        | Part::ServerToolResult(_)
        | Part::Compaction { .. } => None,
    });
    if let Some(block) = unknown {
        let names: Vec<&str> = block
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| &**name)
            .collect();
        return Err(not_said(
            "the recorded message has a member that no turn says".to_owned(),
            "text, a refusal, annotations, tool calls",
            format!("`{}`", names.join("`, `")),
        ));
    }
    let twin = (&reply.parts, &reply.stop_reason);
    let mut others = reply.other_choices.iter();
    match others.position(|other| (&other.parts, &other.stop_reason) != twin) {
        Some(n) => Err(not_said(
            "the choices of the recorded answer differ, and those of a turn are the same"
                .to_owned(),
            "what choice 0 says",
            format!("something else in choice {}", n + 1),
        )),
        None => Ok(()),
    }
}

/// Characters of the text, and what they are based on.
type Cited = (Range<usize>, Vec<Citation>);

/// Which characters are based on what, in order.
fn cited(annotations: &[Value]) -> Result<Vec<Cited>, Box<Problem>> {
    let mut all: Vec<Cited> = Vec::new();
    for sent in annotations {
        let Some((characters, citation)) = citation(sent) else {
            return Err(not_said(
                "the recorded message has an annotation that no turn says".to_owned(),
                "a `url_citation`",
                format!("`{sent}`"),
            ));
        };
        let end = all.last().map_or(0, |(before, _)| before.end);
        match all.last_mut() {
            Some((before, citations)) if *before == characters => citations.push(citation),
            Some(_) | None if characters.start >= end => all.push((characters, vec![citation])),
            Some(_) | None => {
                return Err(not_said(
                    "the annotations of the recorded message overlap".to_owned(),
                    format!("one that starts at character {end} or behind"),
                    format!("one that starts at {}", characters.start),
                ));
            }
        }
    }
    Ok(all)
}

fn citation(sent: &Value) -> Option<(Range<usize>, Citation)> {
    let page = sent.get("url_citation")?;
    let number = |name: &str| usize::try_from(page.get(name)?.as_u64()?).ok();
    let text = |name: &str| page.get(name).and_then(Value::as_str);
    let (start, end) = (number("start_index")?, number("end_index")?);
    let citation = Citation::web_search_result("", text("url")?);
    let title = text("title").unwrap_or_default();
    (start <= end).then(|| (start..end, citation.title(title)))
}
