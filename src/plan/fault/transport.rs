//! Damage to when and how the bytes leave.

use super::{
    Answer, Around, Last, Length, Piece, Says,
    events::is_delta,
    framing::{end_lines, grow_event, join, split, split_piece},
    lines::{is_of_tool_call, lines_at},
};
use crate::plan::End;

/// Ends writes at places that mean nothing.
pub(super) fn split_anywhere(answer: &mut Answer, around: &Around) {
    match around.variant() {
        "several-events" => join(answer, 3),
        "inside-field-names" => split_lines(answer, |line, _| (!line.is_empty()).then_some(2)),
        "between-lines" => split_lines(answer, |line, end| {
            line.starts_with(b"event:")
                .then_some(line.len() + end.len())
        }),
        "inside-blank-lines" => split_lines(answer, |line, _| line.is_empty().then_some(0)),
        _ => split(answer, |bytes| (1..bytes.len()).collect()),
    }
}

/// Splits every character of several bytes behind each of its bytes.
pub(super) fn split_characters(answer: &mut Answer, around: &Around) {
    let in_arguments = around.variant() == "in-arguments";
    split(answer, |bytes| {
        if in_arguments && !is_of_tool_call(bytes) {
            return Vec::new();
        }
        let inside = |(at, byte): (usize, &u8)| (0x80..0xc0).contains(byte).then_some(at);
        bytes.iter().enumerate().filter_map(inside).collect()
    });
}

/// Ends lines in CR LF, and writes between the two.
pub(super) fn split_line_ends(answer: &mut Answer, around: &Around) {
    end_lines(answer, |_, _| b"\r\n");
    let fields = around.variant() != "at-blank-lines";
    let blank_lines = around.variant() != "at-field-lines";
    split_lines(answer, |line, _| {
        let is_meant = if line.is_empty() { blank_lines } else { fields };
        is_meant.then_some(line.len() + 1)
    });
}

/// Splits each line at the offset that `at` gives for it and its end.
fn split_lines(answer: &mut Answer, at: impl Fn(&[u8], &[u8]) -> Option<usize>) {
    split(answer, |bytes| {
        let offsets = lines_at(bytes).filter_map(|(start, line, end)| Some(start + at(line, end)?));
        offsets.collect()
    });
}

/// A large event in tiny writes.
pub(super) fn crumble(answer: &mut Answer, around: &Around) {
    const MIB: usize = 1024 * 1024;
    let (length, write) = match around.variant() {
        "1-mib-by-1024" => (MIB, 1024),
        "8-mib-by-16" => (8 * MIB, 16),
        "8-mib-by-1024" => (8 * MIB, 1024),
        _ => (MIB, 16),
    };
    let Some(first) = answer.position(is_delta) else {
        return;
    };
    grow_event(answer, length);
    let behind = answer.pieces.split_off(first + 1);
    if let Some(event) = answer.pieces.pop() {
        let offsets = |bytes: &[u8]| (write..bytes.len()).step_by(write).collect();
        split_piece(event, offsets, &mut answer.pieces);
    }
    answer.pieces.extend(behind);
}

/// The whole body at once, and late.
pub(super) fn hold_back(answer: &mut Answer, around: &Around) {
    join(answer, usize::MAX);
    let wait = Piece {
        says: Says::Wait(around.fault.time()),
        marks: Vec::new(),
    };
    answer.pieces.insert(0, wait);
}

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
