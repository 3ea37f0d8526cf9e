//! What a choice streams, one delta at a time: the same in every choice.

use std::collections::VecDeque;

use super::{
    annotation::write_all,
    body::write_call,
    said::{Call, ContentKind, Fragment, Said},
};
use crate::{
    api::Mark,
    json::{write_number, write_str},
    script::{CallOrder, Extent, ToolKind},
};

/// One delta of a choice, and what it means.
pub(super) struct Frame {
    /// The value of the member `delta`.
    pub(super) delta: Vec<u8>,
    pub(super) mark: Mark,
    /// The words of it that have a probability.
    pub(super) token: Token,
    /// The last of a choice.
    pub(super) finishes: bool,
}

/// What a delta has of text.
pub(super) enum Token {
    /// Nothing.
    None,
    /// It begins a text.
    Begin,
    Said(String),
}

type Source = Box<dyn Iterator<Item = Frame> + Send>;

/// The deltas of a choice, in order.
pub(super) struct Frames {
    sources: VecDeque<Source>,
}

impl Frames {
    /// Takes the pieces of what is said.
    pub(super) fn new(said: &mut Said) -> Self {
        let mut sources: VecDeque<Source> = VecDeque::new();
        let pieces = std::mem::take(&mut said.pieces);
        let calls = std::mem::take(&mut said.calls);
        let has_text = !(pieces.is_empty() && said.annotations.is_empty())
            || calls.is_empty()
            || said.extent == Extent::SoFar;
        // exactly one call stands in the chunk with the role
        let merged = !has_text && calls.len() == 1;
        if has_text {
            let (kind, annotations) = (said.kind, std::mem::take(&mut said.annotations));
            sources.push_back(once(Frame::role(kind)));
            let (count, cited) = (pieces.len(), !annotations.is_empty());
            let texts = pieces.into_iter().enumerate().flat_map(move |(n, piece)| {
                let fragments = piece.fragments();
                fragments.map(move |fragment| {
                    let ends = fragment.last && n + 1 == count && !cited;
                    Frame::text(kind, fragment, ends)
                })
            });
            sources.push_back(Box::new(texts));
            if cited {
                sources.push_back(once(Frame::annotations(&annotations)));
            }
        } else if !merged {
            let role = br#"{"role":"assistant","content":null}"#.to_vec();
            sources.push_back(once(Frame::new(role, Mark::Other)));
        }
        let mut arguments: Vec<Source> = Vec::new();
        for (index, call) in calls.into_iter().enumerate() {
            let opening = once(Frame::call(index, &call, merged));
            let (kind, fragments) = (call.kind, call.arguments.fragments());
            let fragments =
                Box::new(fragments.map(move |fragment| Frame::argument(index, kind, &fragment)));
            match said.call_order {
                CallOrder::OneAfterTheOther => sources.extend([opening, fragments as Source]),
                CallOrder::Interleaved => {
                    sources.push_back(opening);
                    arguments.push(fragments);
                }
            }
        }
        sources.push_back(Box::new(InTurns(arguments.into())));
        sources.push_back(once(Frame {
            finishes: true,
            ..Frame::new(b"{}".to_vec(), Mark::StopReason)
        }));
        Self { sources }
    }
}

fn once(frame: Frame) -> Source {
    Box::new(std::iter::once(frame))
}

impl Iterator for Frames {
    type Item = Frame;

    fn next(&mut self) -> Option<Frame> {
        loop {
            match self.sources.front_mut()?.next() {
                Some(frame) => return Some(frame),
                None => self.sources.pop_front(),
            };
        }
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
    const fn new(delta: Vec<u8>, mark: Mark) -> Self {
        Self {
            delta,
            mark,
            token: Token::None,
            finishes: false,
        }
    }

    /// The first chunk of a text, or of a refusal.
    fn role(kind: ContentKind) -> Self {
        let delta = match kind {
            ContentKind::Text => br#"{"role":"assistant","content":"","refusal":null}"#.as_slice(),
            ContentKind::Refusal => br#"{"role":"assistant","content":null,"refusal":""}"#,
        };
        Self {
            token: Token::Begin,
            ..Self::new(delta.to_vec(), Mark::Other)
        }
    }

    fn text(kind: ContentKind, fragment: Fragment, ends: bool) -> Self {
        let mut delta = match kind {
            ContentKind::Text => br#"{"content":"#.to_vec(),
            ContentKind::Refusal => br#"{"refusal":"#.to_vec(),
        };
        write_str(&mut delta, &fragment.text);
        delta.push(b'}');
        Self {
            token: Token::Said(fragment.text),
            ..Self::new(delta, delta_mark(ends))
        }
    }

    fn annotations(annotations: &[super::annotation::Annotation]) -> Self {
        let mut delta = br#"{"annotations":"#.to_vec();
        write_all(&mut delta, annotations);
        delta.push(b'}');
        Self::new(delta, Mark::PartLast)
    }

    /// The chunk that opens a call: alone, or merged into the one with the role.
    fn call(index: usize, call: &Call, merged: bool) -> Self {
        let mut delta = if merged {
            br#"{"role":"assistant","content":null,"tool_calls":[{"index":"#.to_vec()
        } else {
            br#"{"tool_calls":[{"index":"#.to_vec()
        };
        write_number(&mut delta, u64::try_from(index).unwrap_or(u64::MAX));
        delta.push(b',');
        write_call(&mut delta, call, "");
        delta.extend_from_slice(if merged {
            br#"],"refusal":null}"#.as_slice()
        } else {
            b"]}"
        });
        let empty = call.arguments.text.is_empty();
        Self::new(delta, if empty { Mark::PartLast } else { Mark::Other })
    }

    fn argument(index: usize, kind: ToolKind, fragment: &Fragment) -> Self {
        let mut delta = br#"{"tool_calls":[{"index":"#.to_vec();
        write_number(&mut delta, u64::try_from(index).unwrap_or(u64::MAX));
        delta.extend_from_slice(match kind {
            ToolKind::Function => br#","function":{"arguments":"#.as_slice(),
            // not recorded, and in no type of the SDKs: as the function's is
            ToolKind::Custom => br#","custom":{"input":"#,
        });
        write_str(&mut delta, &fragment.text);
        delta.extend_from_slice(b"}}]}");
        Self::new(delta, delta_mark(fragment.last))
    }
}

const fn delta_mark(ends: bool) -> Mark {
    if ends { Mark::LastDelta } else { Mark::Delta }
}
