//! Damage to when and how the bytes leave.

use super::{Answer, Around, Last, Length, Piece, Says, events::is_delta};
use crate::plan::End;

/// Ends the connection inside the body.
pub(super) fn abort(answer: &mut Answer, around: &Around) {
    if around.variant() == "length-too-large" {
        answer.length = Length::Given(answer.len());
    }
    behind_first_delta(answer, Last::End(End::Fin));
}

/// Silence, for ever.
pub(super) fn stall(answer: &mut Answer, around: &Around) {
    match around.variant() {
        "headers-only" => answer.end_at(0, Last::Stall),
        "inside-a-line" => {
            let Some(first) = answer.position(is_delta) else {
                return;
            };
            answer.end_at(first + 1, Last::Stall);
            if let Some(Piece {
                says: Says::Bytes(bytes),
                marks,
            }) = answer.pieces.last_mut()
            {
                bytes.truncate(bytes.len() / 2);
                marks.clear();
            }
        }
        _ => behind_first_delta(answer, Last::Stall),
    }
}

/// Keep-alives behind the first fragment, for ever.
pub(super) fn beat_for_ever(answer: &mut Answer, around: &Around) {
    let beat = b": keep-alive\n\n".to_vec();
    behind_first_delta(answer, Last::Forever(around.fault.time(), beat));
}

/// A wait before each event.
pub(super) fn slow_down(answer: &mut Answer, around: &Around) {
    let wait = Piece {
        says: Says::Wait(around.fault.time()),
        marks: Vec::new(),
    };
    let pieces = std::mem::take(&mut answer.pieces);
    answer.pieces = pieces
        .into_iter()
        .flat_map(|piece| [wait.clone(), piece])
        .collect();
}

/// Drops what is behind the first fragment.
fn behind_first_delta(answer: &mut Answer, last: Last) {
    if let Some(first) = answer.position(is_delta) {
        answer.end_at(first + 1, last);
    }
}
