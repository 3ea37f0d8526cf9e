//! The request as the rules look at it: borrowed from its JSON, read once for all of them.

use serde_json::{Map, Value};

use crate::request::RecordedRequest;

/// A request whose body is a JSON object.
pub(super) struct Asked<'a> {
    pub(super) request: &'a RecordedRequest,
    pub(super) body: &'a Map<String, Value>,
    messages: &'a [Value],
    tools: &'a [Value],
    /// Every piece of every message, in order.
    pub(super) blocks: Vec<Block<'a>>,
    pub(super) is_version_2026_10_21: bool,
    /// Whether it sends only what is new in a conversation that the service holds.
    pub(super) continues: bool,
}

/// One content block; a content that is a string counts as a block of text.
pub(super) struct Block<'a> {
    pub(super) message: usize,
    /// Its index; `None` if the content is a string.
    pub(super) at: Option<usize>,
    pub(super) role: Role,
    /// Which turn it belongs to: messages of one role in a row are one turn.
    pub(super) turn: usize,
    pub(super) kind: &'a str,
    pub(super) json: &'a Value,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Assistant,
    /// `system` in the middle of a conversation, or a word that is none.
    Other,
}

impl<'a> Asked<'a> {
    pub(super) fn new(request: &'a RecordedRequest, body: &'a Value) -> Option<Self> {
        let body = body.as_object()?;
        let thread = body.get("thread").and_then(|thread| thread.get("type"));
        let messages = items(body.get("messages")).as_slice();
        Some(Self {
            request,
            body,
            messages,
            tools: items(body.get("tools")).as_slice(),
            is_version_2026_10_21: request.header("anthropic-version") == Some("2026-10-21"),
            blocks: blocks(messages),
            continues: thread.is_some_and(|kind| kind == "continue"),
        })
    }

    pub(super) fn messages(&self) -> std::slice::Iter<'a, Value> {
        self.messages.iter()
    }

    pub(super) fn tools(&self) -> std::slice::Iter<'a, Value> {
        self.tools.iter()
    }

    /// The blocks of a turn.
    pub(super) fn turn(&self, turn: usize) -> &[Block<'a>] {
        let from = self.blocks.partition_point(|block| block.turn < turn);
        let rest = self.blocks.get(from..).unwrap_or_default();
        let count = rest.partition_point(|block| block.turn == turn);
        rest.get(..count).unwrap_or_default()
    }

    /// The message from which on the service reads the conversation: what stands before a compaction is
    /// dropped.
    pub(super) fn read_from(&self) -> usize {
        let mut blocks = self.blocks.iter().rev();
        blocks
            .find(|block| block.kind == "compaction")
            .map_or(0, |block| block.message)
    }

    /// Whether the body has this member, and it is not null.
    pub(super) fn says(&self, member: &str) -> bool {
        self.body.get(member).is_some_and(|value| !value.is_null())
    }

    /// Whether a beta whose name contains `name` is switched on; any, if `name` is empty.
    pub(super) fn has_beta(&self, name: &str) -> bool {
        let mut sent = self.request.header_values("anthropic-beta");
        sent.any(|value| String::from_utf8_lossy(value).contains(name))
    }
}

impl<'a> Block<'a> {
    /// A member that is a string; empty if there is none.
    pub(super) fn word(&self, member: &str) -> &'a str {
        word(self.json, member)
    }

    /// The text of a text block.
    pub(super) fn text(&self) -> Option<&'a str> {
        match self.kind {
            "text" if self.at.is_none() => self.json.as_str(),
            "text" => self.json.get("text")?.as_str(),
            _ => None,
        }
    }

    /// `messages.0`, or `messages.0.content.1`.
    pub(super) fn path(&self) -> String {
        match self.at {
            Some(at) => format!("messages.{}.content.{at}", self.message),
            None => format!("messages.{}", self.message),
        }
    }

    pub(super) const fn place(&self) -> super::Place {
        super::Place::Message(self.message, self.at)
    }
}

fn blocks(messages: &[Value]) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let (mut turn, mut speaker) = (0, Role::Other);
    for (message, sent) in messages.iter().enumerate() {
        let role = role(sent);
        if role != Role::Other && role != speaker {
            turn += usize::from(speaker != Role::Other);
            speaker = role;
        }
        let block = |at, kind, json| Block {
            message,
            at,
            role,
            turn,
            kind,
            json,
        };
        match sent.get("content") {
            Some(text @ Value::String(_)) => blocks.push(block(None, "text", text)),
            content => {
                let sent = items(content).enumerate();
                blocks.extend(sent.map(|(at, json)| block(Some(at), word(json, "type"), json)));
            }
        }
    }
    blocks
}

pub(super) fn role(message: &Value) -> Role {
    match word(message, "role") {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        _ => Role::Other,
    }
}

pub(super) fn items(value: Option<&Value>) -> std::slice::Iter<'_, Value> {
    value
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice)
        .iter()
}

pub(super) fn word<'a>(json: &'a Value, member: &str) -> &'a str {
    json.get(member).and_then(Value::as_str).unwrap_or_default()
}
