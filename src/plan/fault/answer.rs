//! An answer that is held whole, to be damaged.

use std::{borrow::Cow, time::Duration};

use bytes::Bytes;

use super::Head;
use crate::{
    api::{Form, Mark, WireEvent},
    plan::{End, Length},
    sse::{self, LineEnd},
};

/// Status, headers, body and end of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// None if nothing is written at all.
    pub(crate) head: Option<Head>,
    /// Whether the pieces are events, or the parts of one body.
    pub(crate) form: Form,
    /// What is written, each piece by itself.
    pub(crate) pieces: Vec<Piece>,
    pub(crate) last: Last,
    pub(crate) length: Length,
}

/// What comes behind the last piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Last {
    End(End),
    /// Silence.
    Stall,
    /// The same bytes again and again, with so much time before each.
    Forever(Duration, Vec<u8>),
    /// Nothing, or the same bytes again and again, although all was said.
    Open(Option<(Duration, Vec<u8>)>),
}

/// What is written at once, and what it means to the places of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) says: Says,
    /// Of the events that end in this piece.
    pub(crate) marks: Vec<Mark>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    Event {
        name: Option<Cow<'static, str>>,
        data: Vec<u8>,
    },
    Comment(Vec<u8>),
    Bytes(Bytes),
    /// Nothing, for so long.
    Wait(Duration),
}

impl Answer {
    /// An answer whose body is these events.
    pub(crate) fn of_events(head: Head, events: impl Iterator<Item = WireEvent>) -> Self {
        Self {
            head: Some(head),
            form: Form::Stream,
            pieces: events.map(Piece::from).collect(),
            last: Last::End(End::Complete),
            length: Length::Chunked,
        }
    }

    /// An answer with this body.
    pub(crate) fn of_body(head: Head, body: Vec<u8>) -> Self {
        Self {
            head: Some(head),
            form: Form::Json,
            pieces: vec![Piece::bytes(body)],
            last: Last::End(End::Complete),
            length: Length::Chunked,
        }
    }

    /// Makes bytes of what is still an event.
    pub(super) fn encode(&mut self, line_end: LineEnd) {
        for piece in &mut self.pieces {
            let mut out = Vec::new();
            match &piece.says {
                Says::Event { name, data } => {
                    sse::encode_lines(name.as_deref(), data, line_end, &mut out);
                }
                Says::Comment(text) => sse::encode_comment(text, line_end, &mut out),
                Says::Bytes(_) | Says::Wait(_) => continue,
            }
            piece.says = Says::Bytes(out.into());
        }
    }

    /// The events that are still events, to be changed.
    pub(super) fn events(&mut self) -> impl Iterator<Item = &mut Vec<u8>> {
        self.pieces
            .iter_mut()
            .filter_map(|piece| match &mut piece.says {
                Says::Event { data, .. } => Some(data),
                Says::Comment(_) | Says::Bytes(_) | Says::Wait(_) => None,
            })
    }

    /// Drops the pieces from this one on, and ends so instead.
    pub(super) fn end_at(&mut self, piece: usize, last: Last) {
        self.pieces.truncate(piece);
        self.last = last;
    }

    /// Which piece is the first whose marks are such.
    pub(super) fn position(&self, is: impl Fn(Mark) -> bool) -> Option<usize> {
        let has = |piece: &Piece| piece.marks.iter().any(|mark| is(*mark));
        self.pieces.iter().position(has)
    }

    /// How many bytes the body has, once it is bytes.
    pub(super) fn len(&self) -> usize {
        self.pieces.iter().map(|piece| piece.as_bytes().len()).sum()
    }
}

impl Piece {
    /// Bytes that are no event of their own.
    pub(in crate::plan) fn bytes(bytes: impl Into<Bytes>) -> Self {
        Self {
            says: Says::Bytes(bytes.into()),
            marks: Vec::new(),
        }
    }

    /// Its bytes; none before it is bytes.
    pub(super) fn as_bytes(&self) -> &[u8] {
        match &self.says {
            Says::Bytes(bytes) => bytes,
            Says::Event { .. } | Says::Comment(_) | Says::Wait(_) => &[],
        }
    }
}

impl From<WireEvent> for Piece {
    fn from(event: WireEvent) -> Self {
        if event.mark == Mark::Comment {
            Self {
                says: Says::Comment(event.data),
                marks: Vec::new(),
            }
        } else {
            Self {
                says: Says::Event {
                    name: event.name,
                    data: event.data,
                },
                marks: vec![event.mark],
            }
        }
    }
}
