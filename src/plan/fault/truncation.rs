//! Bodies that end too early, and properly.

use super::{
    Answer, Around, Last, Piece, Says,
    events::is_delta,
    json_edit,
    lines::{is_of_tool_call, line_end, lines_at},
};
use crate::{
    api::{Api, Mark},
    plan::End,
};

const TOO_EARLY: Last = Last::End(End::Early);

/// Ends the body before the event that carries the stop reason, or earlier.
pub(super) fn end_before_terminal(answer: &mut Answer, around: &Around<'_>) {
    let proves = |mark: Mark| mark.stops() || mark == Mark::Terminal;
    let behind = |at: Option<usize>| at.map(|at| at + 1);
    let end = match around.variant() {
        "done-without-finish-reason" => {
            // some services say the reason again, beside the usage
            let reason = "choices.0.finish_reason";
            answer.drop_pieces(|answer, n| {
                let stops = |piece: &Piece| piece.marks.iter().any(|mark| mark.stops());
                answer.pieces.get(n).is_some_and(stops)
                    || json_edit::string(answer.json(n), reason)
                        .is_some_and(|said| !said.is_empty())
            });
            answer.last = TOO_EARLY;
            return;
        }
        "no-content" => answer.position(is_delta),
        "one-fragment" => behind(answer.position(is_delta)),
        "open-tool-call" => {
            let stops = answer.position(Mark::stops);
            behind(
                answer
                    .position_of_arguments()
                    .filter(|at| Some(*at) != stops),
            )
        }
        _ => answer.position(proves),
    };
    if let Some(end) = end {
        answer.end_at(end, TOO_EARLY);
    }
}

/// Cuts the last event, or drops it.
pub(super) fn cut_terminal(answer: &mut Answer, around: &Around<'_>) {
    let proves = |mark: Mark| matches!(mark, Mark::Last | Mark::Terminal);
    let Some(terminal) = answer.position(proves) else {
        return;
    };
    match around.variant() {
        "missing" => answer.end_at(terminal, TOO_EARLY),
        _ => cut_behind(answer, terminal, |bytes| Some(data(bytes)?.0 + 4)),
    }
}

/// Ends the body with the last event, without its blank line, or without any line end.
pub(super) fn end_without_blank_line(answer: &mut Answer, around: &Around<'_>) {
    let no_line_end = around.variant() == "no-line-end";
    // the sentinel of Chat proves nothing that the chunks do not
    let sentinel = match around.api {
        Api::OpenAiChat | Api::OpenAiCompletions => answer.position(|mark| mark == Mark::Terminal),
        Api::AnthropicMessages | Api::OpenAiResponses => None,
    };
    let end = sentinel.unwrap_or(answer.pieces.len());
    let Some(last) = end.checked_sub(1) else {
        return;
    };
    cut_behind(answer, last, |bytes| {
        let (start, data) = data(bytes)?;
        let line_end = if no_line_end {
            0
        } else {
            line_end(bytes).len()
        };
        Some(start + data.len() + line_end)
    });
}

/// Ends the body inside an event.
pub(super) fn end_inside_event(answer: &mut Answer, around: &Around<'_>) {
    let in_character = around.variant() == "in-character";
    let first = answer.pieces.iter().position(|piece| {
        piece.marks.iter().any(|mark| is_delta(*mark))
            && (!in_character || !piece.as_bytes().is_ascii())
    });
    let Some(first) = first else {
        return;
    };
    cut_behind(answer, first, |bytes| match around.variant() {
        "in-character" => Some(bytes.iter().position(|byte| !byte.is_ascii())? + 1),
        "in-field-name" => Some(2),
        _ => {
            let (start, data) = data(bytes)?;
            let half = data.get(..data.len() / 2)?;
            // not within a character
            let whole = half
                .utf8_chunks()
                .map(|chunk| chunk.valid().len())
                .sum::<usize>();
            Some(start + whole)
        }
    });
}

/// Ends the body inside this piece, behind so many of its bytes.
fn cut_behind(answer: &mut Answer, piece: usize, length: impl Fn(&[u8]) -> Option<usize>) {
    let Some(cut) = answer.pieces.get(piece) else {
        return;
    };
    if let Some(length) = length(cut.as_bytes()) {
        answer.end_at(piece + 1, TOO_EARLY);
        answer.cut_last(length);
    }
}

/// The data of an event on one line, and where they begin.
fn data(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut lines = lines_at(bytes);
    lines.find_map(|(start, line, _)| {
        let value = line.strip_prefix(b"data:")?;
        let data = value.strip_prefix(b" ").unwrap_or(value);
        Some((start + line.len() - data.len(), data))
    })
}

impl Answer {
    /// Which piece has the first fragment of a tool call's arguments.
    pub(super) fn position_of_arguments(&self) -> Option<usize> {
        self.pieces.iter().position(|piece| {
            let said = match &piece.says {
                Says::Event { data, .. } => data,
                Says::Bytes(bytes) => &bytes[..],
                Says::Comment(_) | Says::Wait(_) => &[],
            };
            piece.marks.iter().any(|mark| is_delta(*mark)) && is_of_tool_call(said)
        })
    }

    /// Leaves so many bytes of the last piece, which is no whole event any more.
    pub(super) fn cut_last(&mut self, length: usize) {
        if let Some(piece) = self.pieces.last_mut() {
            piece.marks.clear();
            if let Says::Bytes(bytes) = &mut piece.says {
                bytes.truncate(length);
            }
        }
    }
}
