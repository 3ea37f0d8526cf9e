//! Damage to when and how the bytes leave.

use super::{
    Answer, Around, Last, Length, Piece, Says,
    events::is_delta,
    framing::{end_lines, grow_event, join, split, split_piece},
    lines::{is_of_tool_call, lines_at},
};
use crate::{
    api::{Api, Mark},
    plan::End,
};

const KEEP_ALIVE: &[u8] = b": keep-alive\n\n";

/// Ends writes at places that mean nothing.
pub(super) fn split_anywhere(answer: &mut Answer, around: &Around<'_>) {
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
pub(super) fn split_characters(answer: &mut Answer, around: &Around<'_>) {
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
pub(super) fn split_line_ends(answer: &mut Answer, around: &Around<'_>) {
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
pub(super) fn crumble(answer: &mut Answer, around: &Around<'_>) {
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
pub(super) fn hold_back(answer: &mut Answer, around: &Around<'_>) {
    join(answer, usize::MAX);
    let wait = Piece {
        says: Says::Wait(around.fault.time()),
        marks: Vec::new(),
    };
    answer.pieces.insert(0, wait);
}

/// Ends the connection inside the body.
pub(super) fn abort(answer: &mut Answer, around: &Around<'_>) {
    let end = Last::End(End::Fin);
    match around.variant() {
        "inside-event" => inside_first_delta(answer, end),
        "length-too-large" => {
            answer.length = Length::Given(answer.len());
            behind(answer, is_delta, end);
        }
        _ => behind(answer, is_delta, end),
    }
}

/// Resets the connection.
pub(super) fn reset(answer: &mut Answer, around: &Around<'_>) {
    let reset = Last::End(End::Reset);
    match around.variant() {
        "before-headers" => nothing(answer, reset),
        "after-headers" => answer.end_at(0, reset),
        "after-finish-reason" => behind(answer, Mark::stops, reset),
        _ => behind(answer, is_delta, reset),
    }
}

/// Silence before the first byte, for ever.
pub(super) fn stall_before_head(answer: &mut Answer) {
    nothing(answer, Last::Stall);
}

/// Silence, for ever.
pub(super) fn stall(answer: &mut Answer, around: &Around<'_>) {
    match around.variant() {
        "headers-only" => answer.end_at(0, Last::Stall),
        "inside-a-line" => inside_first_delta(answer, Last::Stall),
        "inside-a-tool-call" => {
            if let Some(first) = answer.position_of_arguments() {
                answer.end_at(first + 1, Last::Stall);
            }
        }
        _ => behind(answer, is_delta, Last::Stall),
    }
}

/// Keep-alives, for ever.
pub(super) fn beat_for_ever(answer: &mut Answer, around: &Around<'_>) {
    let beat: &[u8] = match (around.variant(), around.api) {
        ("blank-lines", _) => b"\n",
        ("pings", Api::OpenAiResponses) => b"event: keepalive\ndata: {\"type\":\"keepalive\"}\n\n",
        ("pings", _) => b"event: ping\ndata: {\"type\": \"ping\"}\n\n",
        _ => KEEP_ALIVE,
    };
    let last = Last::Forever(around.fault.time(), beat.to_vec());
    match around.variant() {
        "after-finish-reason" => behind(answer, Mark::stops, last),
        _ => behind(answer, is_delta, last),
    }
}

/// Leaves everything open behind the last event.
pub(super) fn stay_open(answer: &mut Answer, around: &Around<'_>) {
    if around.variant() == "without-done" {
        if let Some(done) = answer.position(|mark| mark == Mark::Terminal) {
            answer.pieces.remove(done);
        }
    }
    answer.last = Last::Open(match around.variant() {
        "heartbeats" => Some((around.fault.time(), KEEP_ALIVE.to_vec())),
        _ => None,
    });
}

/// A wait before each event.
pub(super) fn slow_down(answer: &mut Answer, around: &Around<'_>) {
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

/// Drops what is behind the first event with such a mark.
fn behind(answer: &mut Answer, is: impl Fn(Mark) -> bool, last: Last) {
    if let Some(first) = answer.position(is) {
        answer.end_at(first + 1, last);
    }
}

/// Drops what is behind the first half of the first fragment's event.
fn inside_first_delta(answer: &mut Answer, last: Last) {
    if let Some(first) = answer.position(is_delta) {
        answer.end_at(first + 1, last);
        let length = answer
            .pieces
            .last()
            .map_or(0, |piece| piece.as_bytes().len());
        answer.cut_last(length / 2);
    }
}

/// Drops everything, the head too.
fn nothing(answer: &mut Answer, last: Last) {
    answer.head = None;
    answer.end_at(0, last);
}
