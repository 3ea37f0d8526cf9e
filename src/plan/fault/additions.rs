//! What is added between events and in them, and means nothing.

use super::{
    Answer, Around, Piece, Says,
    framing::{edit_lines, ended_as, ends_line, put_before, put_between},
    lines::{field, json, line_end, lines},
};

const COMMENT: &[u8] = b": keep-alive";

/// Comments.
pub(super) fn comments(answer: &mut Answer, around: &Around<'_>) {
    match around.variant() {
        "before-data" => edit_lines(answer, |line, end, out| {
            if field(line, "data").is_some() {
                out.extend_from_slice(COMMENT);
                out.extend_from_slice(end);
            }
            out.extend_from_slice(line);
            out.extend_from_slice(end);
        }),
        "after-data" => edit_lines(answer, |line, end, out| {
            out.extend_from_slice(line);
            out.extend_from_slice(end);
            if field(line, "data").is_some() {
                out.extend_from_slice(COMMENT);
                out.extend_from_slice(end);
            }
        }),
        "before-first-event" => {
            if let Some(first) = answer.pieces.first() {
                let comment = Piece::bytes(ended_as(first, [COMMENT, b""]));
                answer.pieces.insert(0, comment);
            }
        }
        "bare-colon" => put_between(answer, |before, _| ended_as(before, [&b":"[..]])),
        "hundreds" => {
            if let Some(at) = answer.pieces.iter().position(ends_line) {
                let first = answer.pieces.get(at);
                let comments = first.map(|first| ended_as(first, [COMMENT; 300]));
                let comments = Piece::bytes(comments.unwrap_or_default());
                answer.pieces.insert(at + 1, comments);
            }
        }
        _ => put_between(answer, |before, _| ended_as(before, [COMMENT, b""])),
    }
}

/// So many blank lines between events.
pub(super) fn blank_lines(answer: &mut Answer, around: &Around<'_>) {
    let number = match around.variant() {
        "four-hundred" => 400,
        "two" => 2,
        _ => 1,
    };
    put_between(answer, |before, _| {
        line_end(before.as_bytes()).repeat(number)
    });
}

/// Blocks without data.
pub(super) fn empty_events(answer: &mut Answer, around: &Around<'_>) {
    let name = |piece: &Piece| -> Vec<u8> {
        let mut lines = lines(piece.as_bytes());
        let named = lines.find(|(line, _)| field(line, "event").is_some());
        named.map(|(line, _)| line.to_vec()).unwrap_or_default()
    };
    put_between(answer, |before, behind| match around.variant() {
        "name-only" => ended_as(before, [&name(behind)[..], b""]),
        "name-and-empty-data" => ended_as(before, [&name(behind)[..], b"data:", b""]),
        "unknown-name-only" => ended_as(before, [&b"event: x_new"[..], b""]),
        "empty-data" => ended_as(before, [&b"data:"[..], b""]),
        "comment-after-id" => ended_as(before, [COMMENT, b""]),
        _ => ended_as(before, [&b"id: 7"[..], b""]),
    });
    if around.variant() == "comment-after-id" {
        begin_events(answer, b"id: 7");
    }
}

/// Lines that the provider does not send.
pub(super) fn extra_fields(answer: &mut Answer, around: &Around<'_>) {
    let line: &[u8] = match around.variant() {
        "data-without-colon" => {
            return edit_lines(answer, |line, end, out| {
                if json(line).is_some() {
                    out.extend_from_slice(b"data");
                    out.extend_from_slice(end);
                }
                out.extend_from_slice(line);
                out.extend_from_slice(end);
            });
        }
        "retry" => b"retry: 3000",
        "retry-no-number" => b"retry: x",
        "unknown-field" => b"foo: 1",
        "word-without-colon" => b"foo",
        _ => b"id: 7",
    };
    begin_events(answer, line);
}

/// Puts this line first in each event.
fn begin_events(answer: &mut Answer, line: &[u8]) {
    for n in 0..answer.pieces.len() {
        let event = answer.pieces.get(n).filter(|piece| has_data(piece));
        if let Some(first) = event.map(|piece| ended_as(piece, [line])) {
            put_before(answer, n, &first);
        }
    }
}

fn has_data(piece: &Piece) -> bool {
    matches!(piece.says, Says::Bytes(_))
        && lines(piece.as_bytes()).any(|(line, _)| field(line, "data").is_some())
}
