//! What a choice streams, one delta at a time, in neutral words: the same in every choice. How a delta is written is
//! `delta.rs`'s.

use std::collections::VecDeque;

use super::{
    annotation::Annotation,
    said::{Call, ContentKind, Said},
};
use crate::{
    api::{
        Mark,
        openai::Fragment,
        openai_chat::dialect::{CallChunks, FinishAt},
    },
    script::{CallOrder, Extent, ToolKind},
};

/// One delta of a choice, and what it means.
pub(super) struct Frame {
    pub(super) says: Says,
    pub(super) mark: Mark,
    /// Whether it begins a text.
    pub(super) begins: bool,
    /// The last of a choice.
    pub(super) finishes: bool,
}

/// What a delta says.
pub(super) enum Says {
    /// Nothing yet: a delta as it is.
    Begin(&'static str),
    /// Nothing more.
    End,
    Text(String),
    Refusal(String),
    Thinking(String),
    Signature(String),
    Annotations(Vec<Annotation>),
    /// Calls that open, or that are whole.
    Calls(Vec<Opening>),
    /// More of a call.
    More {
        index: usize,
        kind: ToolKind,
        text: String,
    },
}

/// A call that opens, or that is whole.
pub(super) struct Opening {
    pub(super) index: usize,
    pub(super) id: String,
    pub(super) kind: ToolKind,
    pub(super) name: String,
    pub(super) arguments: String,
    /// Whether it is all that is said.
    pub(super) only: bool,
}

type Source = Box<dyn Iterator<Item = Frame> + Send>;

/// The deltas of a choice, in order.
pub(super) struct Frames {
    sources: VecDeque<Source>,
    merges_end: bool,
    held: Option<Frame>,
}

impl Frames {
    /// Takes the pieces of what is said.
    pub(super) fn new(said: &mut Said) -> Self {
        let row = said.row;
        let mut sources: VecDeque<Source> = VecDeque::new();
        let (pieces, annotations) = (
            std::mem::take(&mut said.pieces),
            std::mem::take(&mut said.annotations),
        );
        let calls = std::mem::take(&mut said.calls);
        let has_text = !(pieces.is_empty() && annotations.is_empty())
            || calls.is_empty()
            || said.extent == Extent::SoFar;
        let [of_text, of_thinking, of_calls] = row.stream.begin;
        let only = row.calls.as_ref().is_some_and(|calls| calls.only.is_some());
        // exactly one call may stand in the chunk with the role
        let merged = !has_text && calls.len() == 1 && only && said.thought.is_none();
        if let Some(thought) = said.thought.take() {
            sources.push_back(Box::new(
                of_thinking.iter().map(|delta| Frame::begin(delta)),
            ));
            let (count, signed) = (thought.pieces.len(), thought.signature.is_some());
            let pieces = thought.pieces.into_iter().enumerate();
            let fragments = pieces.flat_map(move |(n, piece)| {
                let fragments = piece.fragments();
                fragments.map(move |fragment| {
                    let ends = fragment.last && n + 1 == count && !signed;
                    Frame::new(Says::Thinking(fragment.text), delta_mark(ends))
                })
            });
            sources.push_back(Box::new(fragments));
            let signature = thought.signature.into_iter();
            sources.push_back(Box::new(
                signature.map(|text| Frame::new(Says::Signature(text), Mark::PartEnd)),
            ));
        } else if has_text {
            let refusal = row
                .stream
                .refusal
                .as_ref()
                .filter(|_| said.kind == ContentKind::Refusal);
            match refusal {
                Some((begin, _)) => sources.push_back(once(Frame {
                    begins: true,
                    ..Frame::begin(begin)
                })),
                None => sources.push_back(Box::new(of_text.iter().map(|delta| Frame {
                    begins: true,
                    ..Frame::begin(delta)
                }))),
            }
        } else if !merged {
            sources.push_back(Box::new(of_calls.iter().map(|delta| Frame::begin(delta))));
        }
        let (kind, count, cited) = (said.kind, pieces.len(), !annotations.is_empty());
        let texts = pieces.into_iter().enumerate().flat_map(move |(n, piece)| {
            let fragments = piece.fragments();
            fragments.map(move |fragment| {
                Frame::text(
                    kind,
                    fragment.text,
                    fragment.last && n + 1 == count && !cited,
                )
            })
        });
        sources.push_back(Box::new(texts));
        if cited {
            sources.push_back(once(Frame::new(
                Says::Annotations(annotations),
                Mark::PartLast,
            )));
        }
        push_calls(&mut sources, calls, merged, said);
        sources.push_back(once(Frame {
            finishes: true,
            ..Frame::new(Says::End, Mark::StopReason)
        }));
        Self {
            sources,
            merges_end: row.finish == FinishAt::WithLast && said.extent == Extent::Whole,
            held: None,
        }
    }

    fn following(&mut self) -> Option<Frame> {
        loop {
            match self.sources.front_mut()?.next() {
                Some(frame) => return Some(frame),
                None => self.sources.pop_front(),
            };
        }
    }
}

/// Tool calls, as the row streams them.
fn push_calls(sources: &mut VecDeque<Source>, calls: Vec<Call>, only: bool, said: &Said) {
    let chunks = said.row.calls.as_ref().map(|calls| calls.chunks);
    match chunks {
        None => {}
        Some(_) if calls.is_empty() => {}
        Some(CallChunks::All) if said.extent == Extent::Whole => {
            let speaks = |call: &&Call| !call.arguments.text.is_empty();
            let mark = Mark::Several {
                deltas: calls.iter().filter(speaks).count(),
                parts: calls.len(),
                stops: false,
            };
            let calls = calls.into_iter().enumerate();
            let calls = calls.map(|(index, call)| Opening::whole(index, call));
            sources.push_back(once(Frame::new(Says::Calls(calls.collect()), mark)));
        }
        Some(CallChunks::Each | CallChunks::All) => {
            let calls = calls.into_iter().enumerate().map(|(index, call)| {
                let empty = call.arguments.text.is_empty();
                let mark = if empty {
                    Mark::PartLast
                } else {
                    Mark::LastDelta
                };
                Frame::new(Says::Calls(vec![Opening::whole(index, call)]), mark)
            });
            sources.push_back(Box::new(calls));
        }
        Some(CallChunks::Fragments) => {
            let mut arguments: Vec<Source> = Vec::new();
            for (index, call) in calls.into_iter().enumerate() {
                let empty = call.arguments.text.is_empty();
                let opening = Frame::new(
                    Says::Calls(vec![Opening::of(index, &call, only)]),
                    if empty { Mark::PartLast } else { Mark::Other },
                );
                let (kind, fragments) = (call.kind, call.arguments.fragments());
                let fragments =
                    Box::new(fragments.map(move |fragment| Frame::more(index, kind, fragment)));
                match said.call_order {
                    CallOrder::OneAfterTheOther => {
                        sources.extend([once(opening), fragments as Source]);
                    }
                    CallOrder::Interleaved => {
                        sources.push_back(once(opening));
                        arguments.push(fragments);
                    }
                }
            }
            sources.push_back(Box::new(InTurns(arguments.into())));
        }
    }
}

impl Opening {
    /// A call without its arguments.
    fn of(index: usize, call: &Call, only: bool) -> Self {
        Self {
            index,
            id: call.id.clone(),
            kind: call.kind,
            name: call.name.clone(),
            arguments: String::new(),
            only,
        }
    }

    pub(super) fn whole(index: usize, call: Call) -> Self {
        Self {
            index,
            id: call.id,
            kind: call.kind,
            name: call.name,
            arguments: call.arguments.text.to_string(),
            only: false,
        }
    }
}

fn once(frame: Frame) -> Source {
    Box::new(std::iter::once(frame))
}

impl Iterator for Frames {
    type Item = Frame;

    fn next(&mut self) -> Option<Frame> {
        if !self.merges_end {
            return self.following();
        }
        let frame = match self.held.take() {
            Some(frame) => frame,
            None => self.following()?,
        };
        let next = self.following();
        if next.as_ref().is_some_and(|next| next.finishes) && frame.can_finish() {
            return Some(Frame {
                finishes: true,
                mark: frame.mark.stopping(),
                ..frame
            });
        }
        self.held = next;
        Some(frame)
    }
}

/// One frame of each, again and again.
struct InTurns(VecDeque<Source>);

impl Iterator for InTurns {
    type Item = Frame;

    fn next(&mut self) -> Option<Frame> {
        loop {
            let mut source = self.0.pop_front()?;
            if let Some(frame) = source.next() {
                self.0.push_back(source);
                return Some(frame);
            }
        }
    }
}

impl Frame {
    const fn new(says: Says, mark: Mark) -> Self {
        Self {
            says,
            mark,
            begins: false,
            finishes: false,
        }
    }

    const fn begin(delta: &'static str) -> Self {
        Self::new(Says::Begin(delta), Mark::Other)
    }

    fn text(kind: ContentKind, text: String, ends: bool) -> Self {
        let says = match kind {
            ContentKind::Text => Says::Text(text),
            ContentKind::Refusal => Says::Refusal(text),
        };
        Self::new(says, delta_mark(ends))
    }

    fn more(index: usize, kind: ToolKind, fragment: Fragment) -> Self {
        let mark = delta_mark(fragment.last);
        let text = fragment.text;
        Self::new(Says::More { index, kind, text }, mark)
    }

    /// Whether the reason why the answer stops may stand beside it.
    const fn can_finish(&self) -> bool {
        matches!(self.says, Says::Text(_) | Says::Calls(_))
    }
}

impl Mark {
    /// What an event means that carries the stop reason too.
    const fn stopping(self) -> Self {
        let (deltas, parts) = match self {
            Self::Delta => (1, 0),
            Self::LastDelta => (1, 1),
            Self::PartEnd | Self::PartLast => (0, 1),
            Self::Several { deltas, parts, .. } => (deltas, parts),
            Self::Closing
            | Self::StopReason
            | Self::Terminal
            | Self::Last
            | Self::Comment
            | Self::Other => (0, 0),
        };
        Self::Several {
            deltas,
            parts,
            stops: true,
        }
    }
}

const fn delta_mark(ends: bool) -> Mark {
    if ends { Mark::LastDelta } else { Mark::Delta }
}
