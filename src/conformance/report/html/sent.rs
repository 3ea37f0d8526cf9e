//! The bytes of a case: where they are those of an undamaged answer, only that is said.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Column, escaped, push_escaped, text};

/// An undamaged answer.
pub(super) struct Undamaged<'a> {
    id: &'a str,
    lines: Vec<&'a str>,
}

/// Those that a client of this API was given.
pub(super) fn references<'a>(columns: &[&'a Column<'_>]) -> Vec<Undamaged<'a>> {
    let cases = columns.iter().flat_map(|column| column.cases.values());
    let mut references: Vec<Undamaged<'a>> = Vec::new();
    for case in cases.filter_map(|cases| cases.first()) {
        let id = text(case, "id");
        let is_known = references.iter().any(|known| known.id == id);
        match case.get("sent") {
            Some(sent) if id.starts_with("reference/") && is_text(sent) && !is_known => {
                let lines = lines(text(sent, "data"));
                references.push(Undamaged { id, lines });
            }
            Some(_) | None => {}
        }
    }
    references
}

/// The name of a case; it opens to what was asked and sent.
pub(super) fn write(out: &mut String, id: &str, cells: &[&[Value]], undamaged: &[Undamaged<'_>]) {
    let Some(first) = cells.iter().find_map(|cases| cases.first()) else {
        return;
    };
    let mut bodies: Vec<&Value> = Vec::new();
    for sent in cells
        .iter()
        .copied()
        .flatten()
        .filter_map(|case| case.get("sent"))
    {
        // of a case that was skipped nothing was
        if length(sent) > 0 && !bodies.contains(&sent) {
            bodies.push(sent);
        }
    }
    let also = match text(first, "also") {
        "" => String::new(),
        also => format!(" or {}", escaped(also)),
    };
    let _ = write!(
        out,
        "<details><summary>{}</summary><div><p><i>asked</i> {}{also}</p>",
        escaped(id),
        escaped(text(first, "requirement"))
    );
    for body in bodies {
        write_body(out, id, body, undamaged);
    }
    let _ = write!(
        out,
        "</div></details><small>{}</small>",
        escaped(text(first, "what"))
    );
}

fn write_body(out: &mut String, id: &str, sent: &Value, undamaged: &[Undamaged<'_>]) {
    let data = text(sent, "data");
    let _ = write!(out, "\n<p><i>sent</i> {} bytes", length(sent));
    if !is_text(sent) {
        let _ = write!(out, ", in base64</p><pre>{}</pre>", escaped(data));
        return;
    }
    let is_whole = data.len() == length(sent);
    if !is_whole {
        let _ = write!(out, ", the first {} of them", data.len());
    }
    let lines = lines(data);
    // of several alike the first
    let others = undamaged.iter().rev().filter(|of| of.id != id);
    let common = others.map(|of| (Common::of(&lines, &of.lines, is_whole), of.id));
    let shown = match common.max_by_key(|(common, _)| common.start + common.end) {
        Some((common, id)) if common.start + common.end > 0 => {
            let _ = write!(out, "; as {}", escaped(id));
            let shown = lines.get(common.start..lines.len() - common.end);
            let shown = shown.unwrap_or_default();
            if shown.is_empty() {
                *out += if common.is_all {
                    ""
                } else {
                    ", of which the end is missing"
                };
            } else {
                let (start, end) = (common.start, common.end);
                let _ = write!(
                    out,
                    " but for this, {start} lines before it and {end} behind"
                );
            }
            shown
        }
        Some(_) | None => &lines,
    };
    let start = if id.starts_with("reference/") {
        shown
    } else {
        start_of(shown)
    };
    if start.len() < shown.len() {
        let _ = write!(out, ", of which these are the first lines");
    }
    *out += "</p>";
    if !start.is_empty() {
        let _ = write!(out, "<pre>{}</pre>", visible(&start.concat()));
    }
}

/// So much of what is damaged is shown; the report itself has more.
const SHOWN: usize = 1_500;

fn start_of<'a>(lines: &'a [&'a str]) -> &'a [&'a str] {
    let mut length = 0;
    let enough = lines.iter().position(|line| {
        length += line.len();
        length >= SHOWN
    });
    enough.map_or(lines, |last| lines.get(..=last).unwrap_or(lines))
}

/// How many lines of whole events two bodies have in common at their start and at their end.
struct Common {
    start: usize,
    end: usize,
    is_all: bool,
}

impl Common {
    fn of(lines: &[&str], other: &[&str], is_whole: bool) -> Self {
        let same = |(a, b): &(&&str, &&str)| a == b;
        let mut start = lines.iter().zip(other).take_while(same).count();
        let rest = lines.len().min(other.len()) - start;
        let from_end = lines.iter().rev().zip(other.iter().rev());
        let mut end = if is_whole {
            from_end.take(rest).take_while(same).count()
        } else {
            0
        };
        let is_blank = |at: usize| lines.get(at).is_some_and(|line| *line == "\n");
        while start > 0 && !is_blank(start - 1) {
            start -= 1;
        }
        while end > 0 && !is_blank(lines.len() - end - 1) {
            end -= 1;
        }
        Self {
            start,
            end,
            is_all: lines.len() == other.len(),
        }
    }
}

fn is_text(sent: &Value) -> bool {
    text(sent, "encoding") == "text"
}

fn length(sent: &Value) -> usize {
    let length = sent.get("length").and_then(Value::as_u64);
    length
        .and_then(|length| usize::try_from(length).ok())
        .unwrap_or(0)
}

fn lines(data: &str) -> Vec<&str> {
    data.split_inclusive('\n').collect()
}

/// Bytes of a stream: what is not seen is spelled, and a line feed ends a line too.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => out += "\\n\n",
            '\u{feff}' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "{}", character.escape_unicode());
            }
            _ => push_escaped(&mut out, character),
        }
    }
    out
}
