//! The events of an answer by what their JSON says, and how to change them by it.

use super::{Answer, Piece, Says, json_edit};
use crate::api::Mark;

impl Answer {
    /// The JSON of an event; an empty text for what is no event, or none any more.
    pub(super) fn json(&self, n: usize) -> &str {
        match self.pieces.get(n).map(|piece| &piece.says) {
            Some(Says::Event { data, .. }) => std::str::from_utf8(data).unwrap_or_default(),
            Some(Says::Comment(_) | Says::Bytes(_) | Says::Wait(_)) | None => "",
        }
    }

    /// The type that an event says it has.
    pub(super) fn word(&self, n: usize) -> &str {
        json_edit::string(self.json(n), "type").unwrap_or_default()
    }

    /// The first event of one of these types.
    pub(super) fn find(&self, words: &[&str]) -> Option<usize> {
        self.find_from(0, words)
    }

    /// The first event of one of these types, from this piece on.
    pub(super) fn find_from(&self, from: usize, words: &[&str]) -> Option<usize> {
        (from..self.pieces.len()).find(|n| words.contains(&self.word(*n)))
    }

    /// The JSON of an event as `edit` has it, if it has it otherwise.
    pub(super) fn edit(&mut self, n: usize, edit: impl FnOnce(&str) -> Option<String>) {
        if let Some(edited) = edit(self.json(n)) {
            if let Some(Says::Event { data, .. }) = self.says(n) {
                *data = edited.into_bytes();
            }
        }
    }

    /// The JSON of each event as `edit` has it, if it has it otherwise.
    pub(super) fn edit_all(&mut self, mut edit: impl FnMut(&str) -> Option<String>) {
        for n in 0..self.pieces.len() {
            self.edit(n, &mut edit);
        }
    }

    /// Drops the pieces for which `drop` holds.
    pub(super) fn drop_pieces(&mut self, mut drop: impl FnMut(&Self, usize) -> bool) {
        let kept: Vec<bool> = (0..self.pieces.len()).map(|n| !drop(self, n)).collect();
        let mut kept = kept.into_iter();
        self.pieces.retain(|_| kept.next().unwrap_or(true));
    }

    /// Puts a piece in front of this one, or behind all.
    pub(super) fn insert(&mut self, n: usize, piece: Piece) {
        self.pieces.insert(n.min(self.pieces.len()), piece);
    }

    /// Puts a copy of a piece in front of another. It has no meaning to the places.
    pub(super) fn copy(&mut self, n: usize, before: usize) {
        if let Some(piece) = self.pieces.get(n) {
            let piece = Piece {
                says: piece.says.clone(),
                marks: vec![Mark::Other],
            };
            self.insert(before, piece);
        }
    }

    /// Takes a piece out and puts it in front of another.
    pub(super) fn displace(&mut self, n: usize, before: usize) {
        if n < self.pieces.len() {
            let piece = self.pieces.remove(n);
            self.insert(if before > n { before - 1 } else { before }, piece);
        }
    }

    /// Numbers the events anew, if they have numbers: what is damaged is not their order.
    pub(super) fn renumber(&mut self) {
        let mut number = 0_usize;
        self.edit_all(|json| {
            let edited = json_edit::replace(json, "sequence_number", &number.to_string())?;
            number += 1;
            Some(edited)
        });
    }

    fn says(&mut self, n: usize) -> Option<&mut Says> {
        Some(&mut self.pieces.get_mut(n)?.says)
    }
}

impl Piece {
    /// An event of this type, which is its name too.
    pub(super) fn event(word: &'static str, data: impl Into<String>) -> Self {
        Self {
            says: Says::Event {
                name: Some(word.into()),
                data: data.into().into_bytes(),
            },
            marks: vec![Mark::Other],
        }
    }

    /// An event without a name.
    pub(super) fn data(data: impl Into<String>) -> Self {
        Self {
            says: Says::Event {
                name: None,
                data: data.into().into_bytes(),
            },
            marks: vec![Mark::Other],
        }
    }
}
