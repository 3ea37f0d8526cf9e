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

/// Another content type, or none.
pub(super) fn change_content_type(answer: &mut Answer, around: &Around) {
    if let Some(head) = &mut answer.head {
        head.remove("content-type");
        let said = match around.variant() {
            "absent" => return,
            "upper-case" => "TEXT/EVENT-STREAM",
            "json-and-event-stream" => "application/json, text/event-stream",
            "text-plain" => "text/plain",
            _ => "text/event-stream;charset=UTF-8",
        };
        head.push("Content-Type", said);
    }
}
