//! A text in the pieces that it was streamed in, and its characters, which annotations count.

use std::ops::Range;

/// How many characters the pieces have.
pub(crate) fn length(pieces: &[String]) -> usize {
    pieces.iter().map(|piece| piece.chars().count()).sum()
}

/// These characters of the text, in pieces that are cut as it was.
pub(crate) fn cut(pieces: &[String], characters: Range<usize>) -> Vec<String> {
    let mut start = 0;
    let mut own = Vec::new();
    for piece in pieces {
        let end = start + piece.chars().count();
        let from = characters.start.clamp(start, end) - start;
        let to = characters.end.clamp(start, end) - start;
        own.push(piece.chars().skip(from).take(to - from).collect::<String>());
        start = end;
    }
    own.retain(|piece| !piece.is_empty());
    own
}
