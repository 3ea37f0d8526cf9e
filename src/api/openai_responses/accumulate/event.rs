//! The words for events, and what each means to an item.

/// An event of a known type.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    /// The answer begins, waits or runs.
    Stage(Stage),
    /// The answer ended in this way.
    End(Ending),
    ItemAdded,
    ItemDone,
    PartAdded(Slots),
    PartDone(Slots),
    Annotation,
    Delta(&'static Stream),
    Done(&'static Stream),
    /// What an item of this type is doing; it says nothing else.
    Status(&'static str),
    Error,
    /// Keeps the connection alive.
    Idle,
}

/// How far an answer is, by the events that have no other place than its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    Created,
    Queued,
    InProgress,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Completed,
    Incomplete,
    Failed,
}

/// Which texts of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slots {
    /// The parts of its `content`.
    Content,
    /// The parts of its `summary`.
    Summary,
    /// The one that is a member of the item itself.
    Own,
}

/// A text that comes in deltas, and then once more as a whole.
#[derive(Debug)]
pub(super) struct Stream {
    /// The beginning of both events' names.
    pub(super) name: &'static str,
    /// The type of the items that have it.
    pub(super) item: &'static str,
    pub(super) slots: Slots,
    /// The type of its part; empty where there is none.
    pub(super) part: &'static str,
    /// The member with the whole.
    pub(super) whole: &'static str,
}

const fn stream(
    name: &'static str,
    item: &'static str,
    slots: Slots,
    part: &'static str,
    whole: &'static str,
) -> Stream {
    Stream {
        name,
        item,
        slots,
        part,
        whole,
    }
}

#[rustfmt::skip]
const STREAMS: [Stream; 8] = [
    stream("response.output_text", "message", Slots::Content, "output_text", "text"),
    stream("response.refusal", "message", Slots::Content, "refusal", "refusal"),
    stream("response.reasoning_text", "reasoning", Slots::Content, "reasoning_text", "text"),
    stream("response.reasoning_summary_text", "reasoning", Slots::Summary, "summary_text", "text"),
    stream("response.function_call_arguments", "function_call", Slots::Own, "", "arguments"),
    stream("response.custom_tool_call_input", "custom_tool_call", Slots::Own, "", "input"),
    stream("response.mcp_call_arguments", "mcp_call", Slots::Own, "", "arguments"),
    stream("response.code_interpreter_call_code", "code_interpreter_call", Slots::Own, "", "code"),
];

/// Items that say what they are doing.
const BUSY: [&str; 6] = [
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "mcp_call",
    "mcp_list_tools",
    "image_generation_call",
];

const DOINGS: [&str; 6] = [
    "in_progress",
    "searching",
    "interpreting",
    "generating",
    "completed",
    "failed",
];

/// The member of a part, or of an item, whose text streams; `None` for one of another type.
pub(super) fn text_of_part(part: &str) -> Option<&'static str> {
    let mut known = STREAMS.iter().filter(|stream| !stream.part.is_empty());
    Some(known.find(|stream| stream.part == part)?.whole)
}

/// The text that streams into an item of this type itself.
pub(super) fn own_stream(item: &str) -> Option<&'static Stream> {
    let mut own = STREAMS.iter().filter(|stream| stream.slots == Slots::Own);
    own.find(|stream| stream.item == item)
}

impl Event {
    /// The event of this type, if it is one that is known.
    pub(super) fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "response.created" => Self::Stage(Stage::Created),
            "response.queued" => Self::Stage(Stage::Queued),
            "response.in_progress" => Self::Stage(Stage::InProgress),
            "response.completed" => Self::End(Ending::Completed),
            "response.incomplete" => Self::End(Ending::Incomplete),
            "response.failed" => Self::End(Ending::Failed),
            "response.output_item.added" => Self::ItemAdded,
            "response.output_item.done" => Self::ItemDone,
            "response.content_part.added" => Self::PartAdded(Slots::Content),
            "response.content_part.done" => Self::PartDone(Slots::Content),
            "response.reasoning_summary_part.added" => Self::PartAdded(Slots::Summary),
            "response.reasoning_summary_part.done" => Self::PartDone(Slots::Summary),
            "response.output_text.annotation.added" => Self::Annotation,
            "error" => Self::Error,
            "keepalive" | "ping" => Self::Idle,
            _ => return Self::of_item(word),
        })
    }

    fn of_item(word: &str) -> Option<Self> {
        let (name, verb) = word.rsplit_once('.')?;
        if let Some(stream) = STREAMS.iter().find(|stream| stream.name == name) {
            return match verb {
                "delta" => Some(Self::Delta(stream)),
                "done" => Some(Self::Done(stream)),
                _ => None,
            };
        }
        let item = name.strip_prefix("response.")?;
        let item = BUSY.into_iter().find(|known| *known == item)?;
        DOINGS.contains(&verb).then_some(Self::Status(item))
    }
}

impl Ending {
    /// The status of a response that ended so.
    pub(super) const fn status(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Incomplete => "incomplete",
            Self::Failed => "failed",
        }
    }
}
