//! What an item streams between its opening and its end.

use super::{
    annotation::Annotation,
    item::{ContentKind, Item, Message, Stage, member, write_summary},
    tool::{Kind, Tool},
};
use crate::{
    api::{Mark, openai::Piece},
    json::{write_number, write_str},
    script::Json,
};

/// An event of an item, without what numbers it. Members stand in the order of the alphabet, so these are cut where
/// the item's id, its index and the event's number go.
pub(super) struct Inner {
    pub(super) name: &'static str,
    pub(super) mark: Mark,
    /// `,"…":…` before `item_id`.
    pub(super) first: Vec<u8>,
    /// Behind `item_id`.
    pub(super) second: &'static [u8],
    /// Behind `output_index`.
    pub(super) third: Vec<u8>,
    /// Behind `sequence_number`.
    pub(super) last: Vec<u8>,
}

/// A fragment, likewise. There are many of these, so nothing is written twice.
pub(super) struct Delta {
    pub(super) name: &'static str,
    /// Before `delta`.
    pub(super) first: &'static [u8],
    pub(super) fragment: String,
    /// Behind `item_id`.
    pub(super) second: &'static [u8],
    /// Behind `sequence_number`.
    pub(super) last: &'static [u8],
}

/// An event of an item.
pub(super) enum Event {
    Inner(Box<Inner>),
    Delta(Delta),
    /// As it is, and its numbers behind its members.
    Raw(Json),
    /// As it was recorded, but for its numbers.
    Recorded(Json),
}

impl From<Inner> for Event {
    fn from(event: Inner) -> Self {
        Self::Inner(Box::new(event))
    }
}

/// The events of one item, made one at a time.
pub(super) type Source = Box<dyn Iterator<Item = Event> + Send>;

impl Inner {
    const fn new(name: &'static str, mark: Mark) -> Self {
        Self {
            name,
            mark,
            first: Vec::new(),
            second: b"",
            third: Vec::new(),
            last: Vec::new(),
        }
    }
}

/// What the item streams.
pub(super) fn events(item: &Item) -> Source {
    match item {
        Item::Message(message) => message_events(message),
        Item::Reasoning {
            summary: Some(summary),
            ..
        } => summary_events(summary),
        Item::Reasoning { summary: None, .. } | Item::Compaction { .. } => {
            Box::new(std::iter::empty())
        }
        Item::FunctionCall { arguments, .. } => arguments_events(
            arguments,
            "response.function_call_arguments.delta",
            "response.function_call_arguments.done",
            "arguments",
        ),
        Item::CustomCall { input, .. } => arguments_events(
            input,
            "response.custom_tool_call_input.delta",
            "response.custom_tool_call_input.done",
            "input",
        ),
        Item::Tool(tool) => tool_events(tool),
        Item::Raw { events, added, .. } => {
            let event = match added {
                Some(_) => Event::Recorded,
                None => Event::Raw,
            };
            Box::new(events.clone().into_iter().map(event))
        }
    }
}

const CONTENT_INDEX: &[u8] = br#","content_index":0"#;
const SUMMARY_INDEX: &[u8] = br#","summary_index":0"#;

fn message_events(message: &Message) -> Source {
    let kind = message.kind;
    let part = |stage| {
        let mut part = br#","part":"#.to_vec();
        message.write_part(&mut part, stage);
        part
    };
    let added = Inner {
        first: CONTENT_INDEX.to_vec(),
        third: part(Stage::Added),
        ..Inner::new("response.content_part.added", Mark::Other)
    };
    let mut annotations = 0;
    let texts = message.texts.clone().into_iter().flat_map(move |text| {
        let first = annotations;
        annotations += text.annotations.len();
        let fragments = text.piece.fragments();
        let fragments = fragments.map(move |fragment| text_delta(kind, fragment.text));
        let behind = text.annotations.into_iter().zip(first..);
        fragments.chain(behind.map(|(annotation, n)| annotation_event(&annotation, n).into()))
    });
    let text = message.text();
    let mut done = match kind {
        ContentKind::Text => {
            let mut done = Inner::new("response.output_text.done", Mark::Closing);
            done.second = br#","logprobs":[]"#;
            member(&mut done.last, "text", &text);
            done
        }
        ContentKind::Refusal => {
            let mut done = Inner::new("response.refusal.done", Mark::Closing);
            member(&mut done.third, "refusal", &text);
            done
        }
    };
    done.first = CONTENT_INDEX.to_vec();
    let part_done = Inner {
        first: CONTENT_INDEX.to_vec(),
        third: part(Stage::Done),
        ..Inner::new("response.content_part.done", Mark::Closing)
    };
    let events = std::iter::once(added.into()).chain(texts);
    Box::new(events.chain([done.into(), part_done.into()]))
}

fn text_delta(kind: ContentKind, fragment: String) -> Event {
    let (name, second): (_, &[u8]) = match kind {
        ContentKind::Text => ("response.output_text.delta", br#","logprobs":[]"#),
        ContentKind::Refusal => ("response.refusal.delta", b""),
    };
    Event::Delta(Delta {
        name,
        first: CONTENT_INDEX,
        fragment,
        second,
        last: b"",
    })
}

fn annotation_event(annotation: &Annotation, n: usize) -> Inner {
    let mut event = Inner::new("response.output_text.annotation.added", Mark::Other);
    event.first.extend_from_slice(br#","annotation":"#);
    annotation.write(&mut event.first);
    event.first.extend_from_slice(br#","annotation_index":"#);
    write_number(&mut event.first, u64::try_from(n).unwrap_or(u64::MAX));
    event.first.extend_from_slice(CONTENT_INDEX);
    event
}

fn summary_events(summary: &Piece) -> Source {
    let part = |name, mark, text: &str| {
        let mut part = br#","part":"#.to_vec();
        write_summary(&mut part, text);
        Inner {
            third: part,
            last: SUMMARY_INDEX.to_vec(),
            ..Inner::new(name, mark)
        }
    };
    let added = part("response.reasoning_summary_part.added", Mark::Other, "");
    let deltas = summary.clone().fragments().map(|fragment| {
        Event::Delta(Delta {
            name: "response.reasoning_summary_text.delta",
            first: b"",
            fragment: fragment.text,
            second: b"",
            last: SUMMARY_INDEX,
        })
    });
    let mut done = Inner::new("response.reasoning_summary_text.done", Mark::Closing);
    done.last.extend_from_slice(SUMMARY_INDEX);
    member(&mut done.last, "text", &summary.text);
    let part_done = part(
        "response.reasoning_summary_part.done",
        Mark::Closing,
        &summary.text,
    );
    let events = std::iter::once(added.into()).chain(deltas);
    Box::new(events.chain([done.into(), part_done.into()]))
}

/// What the tool is doing, around what is streamed of it.
fn tool_events(tool: &Tool) -> Source {
    let doing = |names: &'static [&'static str]| {
        let events = names.iter().map(|name| Inner::new(name, Mark::Other));
        events.map(Event::from)
    };
    let (before, behind): (&[&str], &[&str]) = match (tool.kind, tool.failed) {
        (Kind::WebSearch, true) => (&WEB_SEARCH, &[]),
        (Kind::WebSearch, false) => (&WEB_SEARCH, &["response.web_search_call.completed"]),
        (Kind::FileSearch, true) => (&FILE_SEARCH, &[]),
        (Kind::FileSearch, false) => (&FILE_SEARCH, &["response.file_search_call.completed"]),
        (Kind::Code, true) => (&CODE, &["response.code_interpreter_call.interpreting"]),
        (Kind::Code, false) => (
            &CODE,
            &[
                "response.code_interpreter_call.interpreting",
                "response.code_interpreter_call.completed",
            ],
        ),
        (Kind::Mcp, true) => (&MCP, &["response.mcp_call.failed"]),
        (Kind::Mcp, false) => (&MCP, &["response.mcp_call.completed"]),
    };
    let streamed: Source = match (tool.kind, &tool.streamed) {
        (Kind::Code, Some(code)) => arguments_events(
            code,
            "response.code_interpreter_call_code.delta",
            "response.code_interpreter_call_code.done",
            "code",
        ),
        (_, Some(arguments)) => arguments_events(
            arguments,
            "response.mcp_call_arguments.delta",
            "response.mcp_call_arguments.done",
            "arguments",
        ),
        (_, None) => Box::new(std::iter::empty()),
    };
    Box::new(doing(before).chain(streamed).chain(doing(behind)))
}

const WEB_SEARCH: [&str; 2] = [
    "response.web_search_call.in_progress",
    "response.web_search_call.searching",
];
const FILE_SEARCH: [&str; 2] = [
    "response.file_search_call.in_progress",
    "response.file_search_call.searching",
];
const CODE: [&str; 1] = ["response.code_interpreter_call.in_progress"];
const MCP: [&str; 1] = ["response.mcp_call.in_progress"];

/// Fragments, and the whole under this name.
fn arguments_events(
    arguments: &Piece,
    delta: &'static str,
    done: &'static str,
    member: &str,
) -> Source {
    let mut end = Inner::new(done, Mark::Closing);
    end.first = format!(",\"{member}\":").into_bytes();
    write_str(&mut end.first, &arguments.text);
    let deltas = arguments.clone().fragments();
    let deltas = deltas.map(move |fragment| {
        Event::Delta(Delta {
            name: delta,
            first: b"",
            fragment: fragment.text,
            second: b"",
            last: b"",
        })
    });
    Box::new(deltas.chain([end.into()]))
}
