//! Damage to status, headers, or the whole body.

use super::{Answer, Around, Last, Length, Piece, events::is_delta};
use crate::{
    api::{Form, Head},
    plan::End,
    script::ApiError,
};

/// A body without an event.
pub(super) fn empty(answer: &mut Answer, around: &Around<'_>) {
    let comments = if around.variant() == "only-comments" {
        3
    } else {
        0
    };
    answer.pieces = vec![Piece::bytes(": keep-alive\n\n"); comments];
    answer.last = Last::End(End::Early);
}

/// Another content type, or none.
pub(super) fn change_content_type(answer: &mut Answer, around: &Around<'_>) {
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

/// The provider's error as a success.
pub(super) fn error_as_success(answer: &mut Answer, around: &Around<'_>) {
    let (_, body) = around.api.error(&ApiError::internal(), around.context);
    *answer = Answer::of_body(around.api.head(Form::Json, around.context), body);
}

/// The answer to a request that asks for no stream; as it was, if there is none.
pub(super) fn whole_instead_of_stream(answer: &mut Answer, around: &Around<'_>) {
    if let Ok(body) = around.api.body(around.turn, around.context) {
        *answer = Answer::of_body(around.api.head(Form::Json, around.context), body);
    }
}

/// The provider's error, whole, empty or cut.
pub(super) fn error_status(answer: &mut Answer, around: &Around<'_>) {
    let error = ApiError::status(status(around));
    let (head, mut body) = around.api.error(&error, around.context);
    if around.variant().ends_with("-cut") {
        body.truncate(body.len() / 2);
    }
    *answer = Answer::of_body(head, body);
    if around.variant().ends_with("-empty") {
        answer.pieces.clear();
    }
}

/// A page of a proxy.
pub(super) fn page(answer: &mut Answer, around: &Around<'_>) {
    if around.variant() == "mid-stream" {
        if let Some(first) = answer.position(is_delta) {
            answer.end_at(first + 1, Last::End(End::Early));
            answer.pieces.push(Piece::bytes(html("502 Bad Gateway")));
        }
        return;
    }
    let (status, title) = match status(around) {
        200 => (200, "Sign in"),
        403 => (403, "403 Forbidden"),
        503 => (503, "503 Service Unavailable"),
        520 => (520, "520 Unknown Error"),
        _ => (502, "502 Bad Gateway"),
    };
    // a proxy has none of the provider's headers
    let mut head = Head {
        status,
        headers: Vec::new(),
    };
    head.push("Content-Type", "text/html; charset=utf-8");
    let body = html(title);
    let length = body.len();
    *answer = Answer::of_body(head, body);
    if around.variant().ends_with("-with-length") {
        answer.length = Length::Given(length);
    }
}

fn html(title: &str) -> Vec<u8> {
    format!(
        "<!DOCTYPE html>\n<html>\n<head><title>{title}</title></head>\n\
         <body>\n<h1>{title}</h1>\n</body>\n</html>\n"
    )
    .into_bytes()
}

/// The status that a variant is named after.
fn status(around: &Around<'_>) -> u16 {
    let digits = around.variant().split('-').nth(1);
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(500)
}
