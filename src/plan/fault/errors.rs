//! Errors inside a stream, and events that are no JSON.

use std::sync::Arc;

use super::{Answer, Around, Last, Piece, Says, events::is_delta, json_edit, lines::lines_at};
use crate::{plan::End, script::ApiError};

/// An error behind the first fragment, in the form that the API has for it, or in one that others have.
pub(super) fn break_off(answer: &mut Answer, around: &Around<'_>) {
    let Some(first) = answer.position(is_delta) else {
        return;
    };
    let end = first + 1;
    let mut events = match around.variant() {
        "without-data" => vec![Piece::bytes("event: error\n\n")],
        "finish-reason-error" => {
            let mut chunk = answer.json(first).to_owned();
            for (path, value) in [("delta", "{}"), ("finish_reason", "\"error\"")] {
                let edited = json_edit::edit_items(&chunk, "choices", |choice| {
                    json_edit::set(choice, path, value)
                });
                chunk = edited.unwrap_or(chunk);
            }
            vec![Piece::data(chunk)]
        }
        _ => reported(around, numbered(answer, end)),
    };
    match around.variant() {
        "beside-empty-choices" => {
            let chunk = answer.json(first);
            let error = events
                .first()
                .and_then(|event| json_edit::get(event.said(), "error"));
            let chunk = json_edit::replace(chunk, "choices", "[]")
                .and_then(|chunk| json_edit::set(&chunk, "error", error?));
            events = chunk.map(Piece::data).into_iter().collect();
        }
        "flat" => {
            if let Some(event) = events.first_mut() {
                let error = json_edit::get(event.said(), "error").unwrap_or_default();
                let code = json_edit::get(error, "type").unwrap_or("null");
                let message = json_edit::get(error, "message").unwrap_or("null");
                let number = json_edit::get(event.said(), "sequence_number").unwrap_or("0");
                *event = Piece::event(
                    "error",
                    format!(
                        "{{\"type\":\"error\",\"code\":{code},\"message\":{message},\"param\":null,\"sequence_number\":{number}}}"
                    ),
                );
            }
            events.truncate(1);
        }
        "response-failed" => {
            events.retain(|event| json_edit::string(event.said(), "type") != Some("error"));
            for event in &mut events {
                if let Some(json) = json_edit::replace(
                    event.said(),
                    "sequence_number",
                    &numbered(answer, end).to_string(),
                ) {
                    *event = Piece::event("response.failed", json);
                }
            }
        }
        "then-done" => events.push(Piece::data("[DONE]")),
        _ => {}
    }
    if !events.is_empty() {
        answer.end_at(end, Last::End(End::Early));
        answer.pieces.append(&mut events);
    }
}

/// An error and nothing else.
pub(super) fn break_at_once(answer: &mut Answer, around: &Around<'_>) {
    answer.pieces = reported(around, 0);
    answer.last = Last::End(End::Early);
}

/// The events that report the error of the variant, behind so many.
fn reported(around: &Around<'_>, written: usize) -> Vec<Piece> {
    let error = match around.variant() {
        "rate-limited" => ApiError::rate_limited(),
        "invalid-request" => ApiError::invalid_request("The request was refused while it ran."),
        _ => ApiError::overloaded(),
    };
    let turn = Arc::new(around.turn.clone());
    let events = around
        .api
        .error_events(&error, &turn, around.context, written);
    events.into_iter().map(Piece::from).collect()
}

/// How many events there are before this piece.
fn numbered(answer: &Answer, end: usize) -> usize {
    let pieces = answer.pieces.iter().take(end);
    pieces
        .filter(|piece| matches!(piece.says, Says::Event { .. }))
        .count()
}

/// An event that is not the JSON object that it has to be.
pub(super) fn malform(answer: &mut Answer, around: &Around<'_>) {
    let at = match around.variant() {
        "in-tool-call" => answer.position_of_arguments(),
        _ => answer.position(is_delta),
    };
    let Some(at) = at else { return };
    answer.edit(at, |json| {
        Some(match around.variant() {
            "plain-text" => "upstream connect error".to_owned(),
            "html-line" => "<html><body><h1>502 Bad Gateway</h1></body></html>".to_owned(),
            "array" => format!("[{json}]"),
            _ => half(json).to_owned(),
        })
    });
}

/// The first half of a text.
fn half(text: &str) -> &str {
    let mut starts = text.char_indices().map(|(at, _)| at);
    let middle = starts.find(|at| *at >= text.len() / 2);
    text.get(..middle.unwrap_or(0)).unwrap_or_default()
}

/// A keep-alive that is the data of an event.
pub(super) fn keep_alive_as_data(answer: &mut Answer) {
    if let Some(first) = answer.position(is_delta) {
        answer.insert(first + 1, Piece::data(": keepalive"));
    }
}

/// A keep-alive within the line with the data of the first fragment.
pub(super) fn keep_alive_inside(answer: &mut Answer) {
    let Some(first) = answer.position(is_delta) else {
        return;
    };
    let Some(piece) = answer.pieces.get_mut(first) else {
        return;
    };
    let bytes = piece.as_bytes();
    let data = lines_at(bytes).find(|(_, line, _)| line.starts_with(b"data:"));
    let Some((start, line, end)) = data else {
        return;
    };
    // not within a character
    let middle = line.len() / 2;
    let ahead = line.iter().skip(middle).position(u8::is_ascii).unwrap_or(0);
    let (before, behind) = bytes.split_at(start + middle + ahead);
    piece.says = Says::Bytes([before, b": keepalive", end, end, behind].concat().into());
}

impl Piece {
    /// The JSON of an event.
    fn said(&self) -> &str {
        match &self.says {
            Says::Event { data, .. } => std::str::from_utf8(data).unwrap_or_default(),
            Says::Comment(_) | Says::Bytes(_) | Says::Wait(_) => "",
        }
    }
}
