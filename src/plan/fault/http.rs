//! Damage to status, headers, or the whole body.

use super::{Answer, Around, Last, Piece};
use crate::plan::End;

/// A body without an event.
pub(super) fn empty(answer: &mut Answer, around: &Around) {
    let comments = if around.variant() == "only-comments" {
        3
    } else {
        0
    };
    answer.pieces = vec![Piece::bytes(": keep-alive\n\n"); comments];
    answer.last = Last::End(End::Early);
}
