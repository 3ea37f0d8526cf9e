//! A body that is compressed.

use super::{Answer, Around};

/// Compresses the body; each write is readable by itself, or none before the end.
#[cfg(feature = "gzip")]
pub(super) fn compress(answer: &mut Answer, around: &Around<'_>) {
    use std::io::Write as _;

    use super::{Last, Piece, Says};
    use crate::plan::End;

    let at_end = around.variant() == "flushed-at-end";
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    let mut marks = Vec::new();
    let mut out: Vec<Piece> = Vec::with_capacity(answer.pieces.len() + 1);
    for mut piece in std::mem::take(&mut answer.pieces) {
        // writing to memory cannot fail
        let _ = encoder.write_all(piece.as_bytes());
        if at_end {
            marks.append(&mut piece.marks);
            if matches!(piece.says, Says::Wait(_)) {
                out.push(piece);
            }
            continue;
        }
        let _ = encoder.flush();
        if matches!(piece.says, Says::Bytes(_)) {
            piece.says = Says::Bytes(std::mem::take(encoder.get_mut()).into());
        }
        out.push(piece);
    }
    // what breaks off has no end
    if matches!(answer.last, Last::End(End::Complete | End::Early)) {
        let end = encoder.finish().unwrap_or_default();
        out.push(Piece {
            marks,
            ..Piece::bytes(end)
        });
    }
    answer.pieces = out;
    if let Some(head) = &mut answer.head {
        head.remove("content-length");
        head.push("Content-Encoding", "gzip");
    }
}

/// Never called: a turn with the fault is unplayable.
#[cfg(not(feature = "gzip"))]
pub(super) const fn compress(_: &mut Answer, _: &Around<'_>) {}
