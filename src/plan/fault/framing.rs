//! Damage to bytes and framing.

use super::{Answer, Piece, Says};

/// Splits every character of several bytes behind each of its bytes.
pub(super) fn split_characters(answer: &mut Answer) {
    split(answer, |bytes| {
        let inside = |(at, byte): (usize, &u8)| (0x80..0xc0).contains(byte).then_some(at);
        bytes.iter().enumerate().filter_map(inside).collect()
    });
}

/// Ends each line so; `ending` gets the number of the line within its piece.
pub(super) fn end_lines(answer: &mut Answer, ending: impl Fn(usize) -> &'static [u8]) {
    edit_bytes(answer, |bytes| {
        let mut out = Vec::with_capacity(bytes.len() + 8);
        for (n, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            match line.strip_suffix(b"\n") {
                Some(line) => {
                    out.extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
                    out.extend_from_slice(ending(n));
                }
                None => out.extend_from_slice(line),
            }
        }
        *bytes = out;
    });
}

/// Changes the bytes of each piece.
pub(super) fn edit_bytes(answer: &mut Answer, mut edit: impl FnMut(&mut Vec<u8>)) {
    for piece in &mut answer.pieces {
        if let Says::Bytes(bytes) = &mut piece.says {
            edit(bytes);
        }
    }
}

/// Splits each piece at these offsets; what it means to the places stays with its last part.
pub(super) fn split(answer: &mut Answer, at: impl Fn(&[u8]) -> Vec<usize>) {
    let whole = std::mem::take(&mut answer.pieces);
    for mut piece in whole {
        let Says::Bytes(bytes) = &mut piece.says else {
            answer.pieces.push(piece);
            continue;
        };
        let mut start = 0;
        for end in at(bytes) {
            if let Some(part) = bytes.get(start..end).filter(|part| !part.is_empty()) {
                answer.pieces.push(Piece::bytes(part));
                start = end;
            }
        }
        bytes.drain(..start);
        answer.pieces.push(piece);
    }
}
