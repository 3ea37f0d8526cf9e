//! A second decoder of event streams, as simple as it can be: the whole stream, line by line, as the HTML standard says
//! it, and strict where ours is.

use std::time::Duration;

/// One event: name, data, id, retry.
pub type Event = (Option<String>, String, Option<String>, Option<Duration>);

/// Why the stream ends.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    Clean,
    Unfinished,
    InvalidUtf8,
    TooLarge,
}

/// The fields of one event, as far as they came.
#[derive(Default)]
struct Block {
    is_begun: bool,
    size: usize,
    name: Option<String>,
    data: Option<String>,
    retry: Option<Duration>,
}

/// The events of a stream, and how it ends.
pub fn decode(stream: &[u8], limit: usize) -> (Vec<Event>, End) {
    const BOM: &[u8] = "\u{feff}".as_bytes();
    let mut events = Vec::new();
    if !stream.is_empty() && stream.len() < BOM.len() && BOM.starts_with(stream) {
        return (events, End::Unfinished);
    }
    let (lines, tail) = lines(stream.strip_prefix(BOM).unwrap_or(stream));
    let mut block = Block::default();
    let mut last_id = None;
    for line in lines {
        if line.is_empty() {
            let Block {
                name, data, retry, ..
            } = std::mem::take(&mut block);
            if let Some(data) = data {
                let name = name.filter(|name| !name.is_empty());
                events.push((name, data, last_id.clone(), retry));
            }
            continue;
        }
        if line.starts_with(b":") {
            continue;
        }
        block.size += line.len();
        if block.size > limit {
            return (events, End::TooLarge);
        }
        let Ok(line) = std::str::from_utf8(line) else {
            return (events, End::InvalidUtf8);
        };
        block.is_begun = true;
        field(line, &mut block, &mut last_id);
    }
    let end = match tail {
        [] if block.is_begun => End::Unfinished,
        [] => End::Clean,
        [b':', ..] => End::Unfinished,
        line if block.size + line.len() > limit => End::TooLarge,
        _ => End::Unfinished,
    };
    (events, end)
}

/// The whole lines, without their ends, and what stands behind the last end.
fn lines(mut stream: &[u8]) -> (Vec<&[u8]>, &[u8]) {
    let mut lines = Vec::new();
    while let Some(at) = stream.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
        lines.push(&stream[..at]);
        let end = if stream[at..].starts_with(b"\r\n") {
            2
        } else {
            1
        };
        stream = &stream[at + end..];
    }
    (lines, stream)
}

fn field(line: &str, block: &mut Block, last_id: &mut Option<String>) {
    let (name, value) = line.split_once(':').unwrap_or((line, ""));
    let value = value.strip_prefix(' ').unwrap_or(value);
    match name {
        "event" => block.name = Some(value.to_owned()),
        "data" => {
            block.data = Some(match block.data.take() {
                None => value.to_owned(),
                Some(before) => before + "\n" + value,
            });
        }
        "id" if !value.contains('\0') => {
            *last_id = Some(value.to_owned()).filter(|id| !id.is_empty())
        }
        "retry" if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
            let number = value.parse().unwrap_or(u64::MAX);
            block.retry = Some(Duration::from_millis(number));
        }
        _ => {}
    }
}
