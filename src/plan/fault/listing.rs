//! What each fault does to an answer, for the eye: `fixtures/faults/` has a listing for each API, made here.

use std::{fmt::Write as _, fs, path::PathBuf, sync::Arc};

use super::references::reference;
use crate::{
    api::{Api, Context, Form},
    plan::{Cut, End, Length, Step, plan},
    script::{Fault, FaultVariant, Turn},
};

/// Bytes shown around a change, and of a piece that is not shown whole.
const AROUND: usize = 40;
const SHOWN: usize = 100;
/// Pieces shown of many in a row.
const IN_A_ROW: usize = 2;

#[test]
fn listings_show_what_each_fault_does() {
    let mut stale = Vec::new();
    for api in [
        Api::AnthropicMessages,
        Api::OpenAiChat,
        Api::OpenAiResponses,
    ] {
        let name = format!("{}.txt", api.name());
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("fixtures/faults")
            .join(&name);
        let written = fs::read_to_string(&path).unwrap_or_default();
        let made = listing(api, &written);
        if made != written {
            let made_at = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
                .join("target/tmp")
                .join(&name);
            fs::create_dir_all(made_at.parent().unwrap()).unwrap();
            fs::write(&made_at, made).unwrap();
            stale.push(made_at);
        }
    }
    assert!(
        stale.is_empty(),
        "fixtures/faults is not what the code does\n  help: if the code is right, copy {stale:?} there"
    );
}

/// The listing of an API; what this build cannot make is taken from the one that is there.
fn listing(api: Api, written: &str) -> String {
    let mut out = String::from(
        "What each fault does to the answer in which it finds what it damages: lines that it takes away (-) and\n\
         adds (+), one for each header, write, wait and the end. Long ones are shown around what differs.\n",
    );
    let variants = Fault::ALL.iter().flat_map(|fault| fault.variants());
    for fault in variants.filter(|fault| fault.applies_to(api)) {
        let title = format!("\n== {}\n", fault.id());
        if !cfg!(feature = "gzip") && fault.fault() == Fault::GzipStream {
            let there = written.split_once(&title).map(|(_, behind)| behind);
            let there = there.and_then(|behind| behind.split("\n==").next());
            write!(out, "{title}{}", there.unwrap_or_default()).unwrap();
            continue;
        }
        out += &title;
        out += &changes(api, fault);
    }
    out
}

/// What one fault does.
fn changes(api: Api, fault: FaultVariant) -> String {
    let turn = reference(api, fault);
    let before = lines(api, &turn);
    let mut after = lines(api, &turn.fault(fault));
    if fault.fault() == Fault::GzipStream {
        after = unzipped(after);
    }
    let hunks = hunks(&before, &after);
    let hunks = hunks
        .into_iter()
        .map(|(removed, added)| show_hunk(removed, added));
    let hunks: Vec<String> = hunks.collect();
    let mut out = String::new();
    for same in hunks.chunk_by(|a, b| a == b) {
        out += &same[0];
        if same.len() > 1 {
            writeln!(out, "  and at {} more places", same.len() - 1).unwrap();
        }
    }
    out
}

/// The steps of an answer, each in bytes to be shown.
fn lines(api: Api, turn: &Turn) -> Vec<Vec<u8>> {
    let context = Context::of(turn);
    let steps = plan(
        &Arc::new(turn.clone()),
        api,
        Form::Stream,
        &context,
        Cut::PerEvent,
        None,
    );
    let mut out = Vec::new();
    for step in steps.unwrap_or_else(|why| panic!("{}", why.0)) {
        match step {
            Step::Head(head, length) => {
                out.push(format!("HTTP/1.1 {}", head.status).into_bytes());
                for (name, value) in &head.headers {
                    out.push(format!("{name}: {value}").into_bytes());
                }
                out.push(match length {
                    Length::Chunked => b"Transfer-Encoding: chunked".to_vec(),
                    Length::UntilClose => b"(no length)".to_vec(),
                    Length::Given(length) => format!("Content-Length: {length}").into_bytes(),
                });
            }
            Step::Body(bytes) => out.push(bytes.to_vec()),
            Step::Wait(time) => out.push(format!("({time:?} pass)").into_bytes()),
            Step::Stall => out.push(b"(silence for ever)".to_vec()),
            Step::Beat(bytes, time) => {
                let beat = bytes.escape_ascii();
                out.push(format!("(every {time:?} for ever: {beat})").into_bytes());
            }
            Step::Open(beat) => {
                out.push(b"(the connection stays open)".to_vec());
                out.extend(beat.map(|(bytes, time)| {
                    let beat = bytes.escape_ascii();
                    format!("(every {time:?} for ever: {beat})").into_bytes()
                }));
            }
            Step::End(End::Complete | End::Early) => out.push(b"(the body ends)".to_vec()),
            Step::End(End::Fin) => out.push(b"(the connection is closed)".to_vec()),
            Step::End(End::Reset) => out.push(b"(the connection is reset)".to_vec()),
            Step::Raw(_) | Step::Hold(_) | Step::Listen(_) | Step::Break(_) => {}
        }
    }
    out
}

/// What each write of a compressed body adds to what can be read: other versions of the compressor have other bytes.
#[cfg(feature = "gzip")]
fn unzipped(lines: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    use std::io::Write as _;

    let mut decoder = flate2::write::GzDecoder::new(Vec::new());
    let mut is_body = false;
    let unzipped = lines.into_iter().map(|line| {
        is_body |= line.starts_with(b"\x1f\x8b");
        if !is_body || line.starts_with(b"(the ") {
            return line;
        }
        decoder.write_all(&line).unwrap();
        decoder.flush().unwrap();
        [b"(gzip of) ", &std::mem::take(decoder.get_mut())[..]].concat()
    });
    unzipped.collect()
}

#[cfg(not(feature = "gzip"))]
fn unzipped(_: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    unreachable!("it is not listed")
}

type Hunk<'a> = (&'a [Vec<u8>], &'a [Vec<u8>]);

/// The runs of lines that differ.
fn hunks<'a>(before: &'a [Vec<u8>], after: &'a [Vec<u8>]) -> Vec<Hunk<'a>> {
    let same = |(a, b): &(&Vec<u8>, &Vec<u8>)| a == b;
    let start = before.iter().zip(after).take_while(same).count();
    let (before, after) = (&before[start..], &after[start..]);
    let end = before.iter().rev().zip(after.iter().rev());
    let end = end.take_while(same).count();
    let before = &before[..before.len() - end];
    let after = &after[..after.len() - end];
    if before.len() * after.len() > 100_000 {
        return vec![(before, after)];
    }
    // how many lines the rest of both has in common
    let mut common = vec![vec![0_usize; after.len() + 1]; before.len() + 1];
    for b in (0..before.len()).rev() {
        for a in (0..after.len()).rev() {
            common[b][a] = if before[b] == after[a] {
                common[b + 1][a + 1] + 1
            } else {
                common[b + 1][a].max(common[b][a + 1])
            };
        }
    }
    let mut found = Vec::new();
    let (mut b, mut a) = (0, 0);
    while b < before.len() || a < after.len() {
        let (from_b, from_a) = (b, a);
        while b < before.len() || a < after.len() {
            if b < before.len() && a < after.len() && before[b] == after[a] {
                break;
            } else if a == after.len() || (b < before.len() && common[b + 1][a] >= common[b][a + 1])
            {
                b += 1;
            } else {
                a += 1;
            }
        }
        if (from_b, from_a) != (b, a) {
            found.push((&before[from_b..b], &after[from_a..a]));
        }
        b += 1;
        a += 1;
    }
    found
}

fn show_hunk(removed: &[Vec<u8>], added: &[Vec<u8>]) -> String {
    let mut out = String::new();
    let pairs = removed.len() == added.len();
    if pairs {
        for (before, after) in removed.iter().zip(added).take(IN_A_ROW) {
            let same = before.iter().zip(after).take_while(|(a, b)| a == b).count();
            let ends = before.iter().rev().zip(after.iter().rev());
            let same_end = ends.take_while(|(a, b)| a == b).count();
            let same_end = same_end.min(before.len().min(after.len()) - same);
            writeln!(out, "- {}", shown(before, same, same_end)).unwrap();
            writeln!(out, "+ {}", shown(after, same, same_end)).unwrap();
        }
        if removed.len() > IN_A_ROW {
            writeln!(out, "  and {} more like these", removed.len() - IN_A_ROW).unwrap();
        }
        return out;
    }
    for (sign, lines) in [('-', removed), ('+', added)] {
        let cut = IN_A_ROW..lines.len().saturating_sub(1);
        for (n, line) in lines.iter().enumerate() {
            if cut.len() < 2 || !cut.contains(&n) {
                writeln!(out, "{sign} {}", shown(line, 0, 0)).unwrap();
            } else if n == cut.start {
                writeln!(out, "{sign} ({} more)", cut.len()).unwrap();
            }
        }
    }
    out
}

/// A line, without what is far from the part that differs, and without the middle of that.
fn shown(line: &[u8], same: usize, same_end: usize) -> String {
    let mut out = String::new();
    let start = if same > AROUND + 10 { same - AROUND } else { 0 };
    let end = if same_end > AROUND + 10 {
        line.len() - same_end + AROUND
    } else {
        line.len()
    };
    if start > 0 {
        write!(out, "({start} bytes)…").unwrap();
    }
    let part = &line[start..end];
    if part.len() > SHOWN + 10 {
        let (first, rest) = part.split_at(SHOWN - AROUND);
        let (cut, last) = rest.split_at(rest.len() - AROUND);
        let (first, last) = (text(first), text(last));
        write!(out, "{first}…({} bytes)…{last}", cut.len()).unwrap();
    } else {
        out += &text(part);
    }
    if end < line.len() {
        write!(out, "…({} bytes)", line.len() - end).unwrap();
    }
    out
}

/// With what cannot be seen as escapes; whole characters stay.
fn text(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\n' => out += "\\n",
                '\r' => out += "\\r",
                c if c.is_control() || "\u{2028}\u{2029}\u{feff}".contains(c) => {
                    write!(out, "\\u{{{:x}}}", u32::from(c)).unwrap();
                }
                c => out.push(c),
            }
        }
        for byte in chunk.invalid() {
            write!(out, "\\x{byte:02x}").unwrap();
        }
    }
    out
}
