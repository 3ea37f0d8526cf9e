//! Where the client's tool calls stand in the events of an answer.

use super::{Answer, json_edit};
use crate::api::Api;

/// A call, by the events that are of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Call {
    /// Of which choice it is, and which of its calls; in the words of the events.
    key: (String, String),
    /// The objects that say something of it, in order; the first one opens it.
    pub(super) said: Vec<Spot>,
    /// The strings that are fragments of its arguments.
    pub(super) fragments: Vec<Spot>,
    /// The events with which it ends.
    pub(super) ends: Vec<usize>,
    /// Whether its arguments are any text.
    pub(super) is_custom: bool,
}

/// A value in an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) piece: usize,
    pub(super) path: String,
}

impl Spot {
    fn new(piece: usize, path: impl Into<String>) -> Self {
        Self {
            piece,
            path: path.into(),
        }
    }

    /// A member of the object that this is.
    pub(super) fn member(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        }
    }
}

impl Call {
    /// The events that are of it, in order.
    pub(super) fn pieces(&self) -> Vec<usize> {
        let said = self.said.iter().map(|spot| spot.piece);
        said.chain(self.ends.iter().copied()).collect()
    }

    /// Whether nothing stands between the two, and nothing is of both.
    pub(super) fn is_followed_by(&self, other: &Self) -> bool {
        let number = |call: &Self| call.key.1.parse().unwrap_or(0_usize);
        let (first, second) = (self.pieces(), other.pieces());
        self.key.0 == other.key.0
            && number(self) + 1 == number(other)
            && !first
                .iter()
                .any(|piece| second.binary_search(piece).is_ok())
    }

    /// Whether the other one begins before this one ends.
    pub(super) fn is_interleaved_with(&self, other: &Self) -> bool {
        self.pieces().last() > other.pieces().first()
    }

    /// Which of the blocks, items or calls it is, in the words of the events.
    pub(super) fn index(&self) -> &str {
        &self.key.1
    }

    /// Where a call of Chat says its name.
    pub(super) const fn name(&self) -> &'static str {
        if self.is_custom {
            "custom.name"
        } else {
            "function.name"
        }
    }

    /// Where a call of Chat has a fragment.
    pub(super) const fn text(&self) -> &'static str {
        if self.is_custom {
            "custom.input"
        } else {
            "function.arguments"
        }
    }
}

/// The calls of the client's tools, in the order in which they begin.
pub(super) fn calls(answer: &Answer, api: Api) -> Vec<Call> {
    let mut calls = Vec::new();
    for n in 0..answer.pieces.len() {
        match api {
            Api::AnthropicMessages => of_messages(answer, n, &mut calls),
            Api::OpenAiChat | Api::OpenAiCompletions => of_chat(answer, n, &mut calls),
            Api::OpenAiResponses => of_responses(answer, n, &mut calls),
        }
    }
    calls
}

/// The call with this key; it is new if it `opens`.
fn of_key<'a>(calls: &'a mut Vec<Call>, key: (&str, &str), opens: bool) -> Option<&'a mut Call> {
    let same = |call: &Call| (call.key.0.as_str(), call.key.1.as_str()) == key;
    let at = match calls.iter().rposition(same) {
        Some(at) => at,
        None if opens => {
            calls.push(Call {
                key: (key.0.to_owned(), key.1.to_owned()),
                ..Call::default()
            });
            calls.len() - 1
        }
        None => return None,
    };
    calls.get_mut(at)
}

fn of_messages(answer: &Answer, n: usize, calls: &mut Vec<Call>) {
    let json = answer.json(n);
    let Some(index) = json_edit::get(json, "index") else {
        return;
    };
    let opens = json_edit::string(json, "content_block.type") == Some("tool_use");
    let Some(call) = of_key(calls, ("", index), opens) else {
        return;
    };
    if opens {
        call.said.push(Spot::new(n, "content_block"));
    } else if answer.word(n) == "content_block_stop" {
        call.ends.push(n);
    } else {
        call.said.push(Spot::new(n, "delta"));
        call.fragments.push(Spot::new(n, "delta.partial_json"));
    }
}

fn of_chat(answer: &Answer, n: usize, calls: &mut Vec<Call>) {
    let json = answer.json(n);
    let count = |path: &str| json_edit::len(json, path);
    for i in 0..count("choices") {
        let choice = format!("choices.{i}");
        let number = json_edit::get(json, &format!("{choice}.index")).unwrap_or("0");
        let list = format!("{choice}.delta.tool_calls");
        for j in 0..count(&list) {
            let spot = Spot::new(n, format!("{list}.{j}"));
            let string = |name: &str| json_edit::string(json, &spot.member(name));
            let index = json_edit::get(json, &spot.member("index"));
            let last = calls.last().map(|call| call.key.1.clone());
            let opens = string("id").is_some_and(|id| !id.is_empty());
            let key = match (index, opens) {
                (Some(index), _) => index.to_owned(),
                (None, true) => string("id").unwrap_or_default().to_owned(),
                (None, false) => last.unwrap_or_default(),
            };
            let Some(call) = of_key(calls, (number, &key), true) else {
                continue;
            };
            call.is_custom |= json_edit::get(json, &spot.member("custom")).is_some();
            let path = spot.member(call.text());
            if json_edit::string(json, &path).is_some() {
                call.fragments.push(Spot::new(n, path));
            }
            call.said.push(spot);
        }
    }
}

fn of_responses(answer: &Answer, n: usize, calls: &mut Vec<Call>) {
    let json = answer.json(n);
    let Some(index) = json_edit::get(json, "output_index") else {
        return;
    };
    let word = answer.word(n);
    let kind = json_edit::string(json, "item.type");
    let opens = word == "response.output_item.added"
        && matches!(kind, Some("function_call" | "custom_tool_call"));
    let Some(call) = of_key(calls, ("", index), opens) else {
        return;
    };
    if opens {
        call.is_custom = kind == Some("custom_tool_call");
        call.said.push(Spot::new(n, "item"));
    } else if word.ends_with(".delta") {
        call.said.push(Spot::new(n, ""));
        call.fragments.push(Spot::new(n, "delta"));
    } else {
        call.ends.push(n);
    }
}

impl Answer {
    /// What a fragment says, as it is spelled inside its quotes.
    pub(super) fn fragment(&self, spot: &Spot) -> &str {
        json_edit::string(self.json(spot.piece), &spot.path).unwrap_or_default()
    }

    /// The arguments of a call, as they are spelled inside the quotes of a string.
    pub(super) fn arguments(&self, call: &Call) -> String {
        let fragments = call.fragments.iter().map(|spot| self.fragment(spot));
        fragments.collect()
    }

    /// The value of a spot is this one instead.
    pub(super) fn replace(&mut self, spot: &Spot, value: &str) {
        self.edit(spot.piece, |json| {
            json_edit::replace(json, &spot.path, value)
        });
    }

    /// There is no such member of the object that a spot is.
    pub(super) fn remove_member(&mut self, spot: &Spot, name: &str) {
        self.edit(spot.piece, |json| {
            json_edit::remove(json, &spot.member(name))
        });
    }

    /// The object that a spot is has this member.
    pub(super) fn set_member(&mut self, spot: &Spot, name: &str, value: &str) {
        self.edit(spot.piece, |json| {
            json_edit::set(json, &spot.member(name), value)
        });
    }
}
