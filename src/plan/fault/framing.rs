//! Damage to bytes and framing.

use bytes::Bytes;

use super::{
    Answer, Around, Piece, Says,
    events::is_delta,
    lines::{field, fragment, is_of_tool_call, json, line_end, lines},
};

/// Puts bytes that are no UTF-8 at the start of a fragment.
pub(super) fn put_bytes_that_are_no_text(answer: &mut Answer, around: &Around<'_>) {
    let bad: &[u8] = match around.variant() {
        "truncated-sequence" => b"\xe2\x82?",
        _ => b"\x80",
    };
    let of_tool_call = around.variant() == "in-arguments";
    let is_meant = |piece: &&mut Piece| {
        piece.marks.iter().any(|mark| is_delta(*mark))
            && (!of_tool_call || is_of_tool_call(piece.as_bytes()))
    };
    if let Some(piece) = answer.pieces.iter_mut().find(is_meant) {
        if let Some(start) = fragment(piece.as_bytes()) {
            let (before, behind) = piece.as_bytes().split_at(start);
            piece.says = Says::Bytes([before, bad, behind].concat().into());
        }
    }
}

/// Ends each line so; `ending` gets the number of the event and the line.
pub(super) fn end_lines(answer: &mut Answer, ending: impl Fn(usize, &[u8]) -> &'static [u8]) {
    let mut event = 0;
    edit_lines(answer, |line, end, out| {
        out.extend_from_slice(line);
        if !end.is_empty() {
            out.extend_from_slice(ending(event, line));
        }
        event += usize::from(line.is_empty());
    });
}

/// Ends lines in different ways.
pub(super) fn mix_line_ends(answer: &mut Answer, around: &Around<'_>) {
    match around.variant() {
        "by-event" => end_lines(answer, |event, _| match event % 3 {
            0 => b"\n",
            1 => b"\r\n",
            _ => b"\r",
        }),
        // no CR may stand before an LF, or the two would be one end
        _ => end_lines(answer, |_, line| match line {
            b"" => b"\r",
            name if name.starts_with(b"event") => b"\r\n",
            _ => b"\n",
        }),
    }
}

/// Puts a byte order mark first.
pub(super) fn mark_byte_order(answer: &mut Answer, around: &Around<'_>) {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    match around.variant() {
        "cut" => {
            let parts = MARK.chunks(1).map(Piece::bytes);
            answer.pieces.splice(..0, parts);
        }
        // said by the turn
        "in-text" => {}
        _ => put_before(answer, 0, MARK),
    }
}

/// More or less white space behind the colons of fields.
pub(super) fn space_fields(answer: &mut Answer, around: &Around<'_>) {
    let two = around.variant() == "two";
    edit_lines(answer, |line, end, out| {
        let said = |name: &'static str| Some((name, field(line, name)?));
        match said("data").or_else(|| said("event")) {
            Some((name, data)) if two && json(line).is_some() => {
                out.extend_from_slice(name.as_bytes());
                out.extend_from_slice(b":  ");
                out.extend_from_slice(data);
            }
            Some((name, value)) if !two => {
                out.extend_from_slice(name.as_bytes());
                out.push(b':');
                out.extend_from_slice(value);
            }
            Some(_) | None => out.extend_from_slice(line),
        }
        out.extend_from_slice(end);
    });
}

/// Spreads the data of each event over several lines.
pub(super) fn spread_data(answer: &mut Answer, around: &Around<'_>) {
    let at_commas = around.variant() == "at-commas";
    edit_lines(answer, |line, end, out| {
        let Some(data) = json(line) else {
            out.extend_from_slice(line);
            return out.extend_from_slice(end);
        };
        let breaks = if at_commas {
            commas(data)
        } else {
            vec![1, data.len().saturating_sub(1)]
        };
        let mut start = 0;
        for at in breaks.into_iter().chain([data.len()]) {
            out.extend_from_slice(b"data: ");
            out.extend_from_slice(data.get(start..at).unwrap_or_default());
            out.extend_from_slice(end);
            start = at;
        }
    });
}

/// The offsets behind the commas of a JSON text that stand in no string.
fn commas(json: &[u8]) -> Vec<usize> {
    let (mut in_string, mut escaped) = (false, false);
    let mut found = Vec::new();
    for (at, byte) in json.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            b',' if !in_string => found.push(at + 1),
            _ => {}
        }
    }
    found
}

/// Takes the names of events away.
pub(super) fn drop_names(answer: &mut Answer) {
    edit_lines(answer, |line, end, out| {
        if field(line, "event").is_none() {
            out.extend_from_slice(line);
            out.extend_from_slice(end);
        }
    });
}

/// Makes the `data:` line of the first fragment at least so long, by white space of its JSON.
pub(super) fn grow_event(answer: &mut Answer, length: usize) {
    let Some(piece) = answer
        .position(is_delta)
        .and_then(|first| answer.pieces.get_mut(first))
    else {
        return;
    };
    let bytes = piece.as_bytes();
    let mut out = Vec::with_capacity(length + 256);
    for (line, end) in lines(bytes) {
        let missing = length.saturating_sub(line.len());
        match json(line).and(line.split_last()) {
            Some((brace, before)) => {
                out.extend_from_slice(before);
                out.resize(out.len() + missing, b' ');
                out.push(*brace);
            }
            None => out.extend_from_slice(line),
        }
        out.extend_from_slice(end);
    }
    piece.says = Says::Bytes(out.into());
}

/// Changes the lines of each piece: a line and its end in, any bytes out.
pub(super) fn edit_lines(answer: &mut Answer, mut edit: impl FnMut(&[u8], &[u8], &mut Vec<u8>)) {
    for piece in &mut answer.pieces {
        if let Says::Bytes(bytes) = &mut piece.says {
            let mut out = Vec::with_capacity(bytes.len() + 16);
            for (line, end) in lines(bytes) {
                edit(line, end, &mut out);
            }
            *bytes = out.into();
        }
    }
}

/// Puts bytes before those of this piece.
pub(super) fn put_before(answer: &mut Answer, piece: usize, bytes: &[u8]) {
    if let Some(piece) = answer.pieces.get_mut(piece) {
        piece.says = Says::Bytes([bytes, piece.as_bytes()].concat().into());
    }
}

/// Puts a piece between each two of which the first ends a line: `made` gets the one before and the one behind.
pub(super) fn put_between(answer: &mut Answer, made: impl Fn(&Piece, &Piece) -> Vec<u8>) {
    let mut out: Vec<Piece> = Vec::with_capacity(answer.pieces.len() * 2);
    for piece in std::mem::take(&mut answer.pieces) {
        if let Some(before) = out.last().filter(|before| ends_line(before)) {
            let between = made(before, &piece);
            out.push(Piece::bytes(between));
        }
        out.push(piece);
    }
    answer.pieces = out;
}

/// Whether something can stand behind this piece that begins with a line.
pub(super) fn ends_line(piece: &Piece) -> bool {
    matches!(piece.as_bytes(), [.., b'\n' | b'\r'])
}

/// These lines, ended as those of the piece.
pub(super) fn ended_as<'a>(piece: &Piece, added: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    for line in added {
        out.extend_from_slice(line);
        out.extend_from_slice(line_end(piece.as_bytes()));
    }
    out
}

/// Splits each piece at these offsets; what it means to the places stays with its last part.
pub(super) fn split(answer: &mut Answer, at: impl Fn(&[u8]) -> Vec<usize>) {
    let whole = std::mem::take(&mut answer.pieces);
    for piece in whole {
        split_piece(piece, &at, &mut answer.pieces);
    }
}

/// Splits one piece, likewise.
pub(super) fn split_piece(piece: Piece, at: impl Fn(&[u8]) -> Vec<usize>, out: &mut Vec<Piece>) {
    let Piece {
        says: Says::Bytes(mut rest),
        marks,
    } = piece
    else {
        return out.push(piece);
    };
    let mut start = 0;
    for end in at(&rest) {
        let length = end.saturating_sub(start);
        if (1..rest.len()).contains(&length) {
            out.push(Piece::bytes(rest.split_to(length)));
            start = end;
        }
    }
    out.push(Piece {
        says: Says::Bytes(rest),
        marks,
    });
}

/// Joins so many pieces to one; what waits between them goes before it.
pub(super) fn join(answer: &mut Answer, number: usize) {
    let whole = std::mem::take(&mut answer.pieces);
    let mut whole = whole.into_iter().peekable();
    while whole.peek().is_some() {
        let (mut bytes, mut marks) = (Vec::new(), Vec::new());
        for piece in whole.by_ref().take(number) {
            match piece.says {
                Says::Bytes(part) => bytes.extend_from_slice(&part),
                says @ (Says::Event { .. } | Says::Comment(_) | Says::Wait(_)) => {
                    answer.pieces.push(Piece {
                        says,
                        marks: Vec::new(),
                    });
                }
            }
            marks.extend(piece.marks);
        }
        if !bytes.is_empty() {
            answer.pieces.push(Piece {
                says: Says::Bytes(Bytes::from(bytes)),
                marks,
            });
        }
    }
}
