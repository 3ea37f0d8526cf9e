//! A mutator that knows events and JSON: bytes alone seldom change an event and leave it JSON.

use std::ops::Range;

use libfuzzer_sys::fuzzer_mutate;

/// Values that stand where others are expected.
const ODD: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "1",
    "-1",
    "2.5",
    "1e400",
    "18446744073709551615",
    "18446744073709551616",
    "\"\"",
    "\" \"",
    "\"é\"",
    "\"\\ud83d\"",
    "\"\\u0000\"",
    "\"{}\"",
    "\"{\"",
    "[]",
    "{}",
    "[{}]",
    "[null]",
];

/// Changes events, or the JSON in them, or any bytes.
pub fn events(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut dice = Dice(u64::from(seed) << 1 | 1);
    let whole = &data[..size];
    let changed = match dice.roll(8) {
        0..3 => change_token(whole, &mut dice),
        3..5 => change_order(whole, &mut dice),
        5 => change_member(whole, &mut dice),
        _ => None,
    };
    let Some(changed) = changed.filter(|changed| changed.len() <= max_size) else {
        return fuzzer_mutate(data, size, max_size);
    };
    data[..changed.len()].copy_from_slice(&changed);
    changed.len()
}

/// What stands in requests.
const OF_REQUESTS: &[&str] = &[
    "POST /v1/messages HTTP/1.1\r\n",
    "GET /v1/models HTTP/1.1\r\n",
    "HEAD / HTTP/1.1\r\n",
    "OPTIONS * HTTP/1.1\r\n",
    "POST http://h/v1/chat/completions HTTP/1.1\r\n",
    "content-length: 5\r\n",
    "content-length: 0\r\n",
    "content-length: 18446744073709551616\r\n",
    "content-length: -1\r\n",
    "content-length: +5\r\n",
    "transfer-encoding: chunked\r\n",
    "transfer-encoding: gzip, chunked\r\n",
    "expect: 100-continue\r\n",
    "connection: close\r\n",
    "origin: x\r\naccess-control-request-method: POST\r\n",
    "x-api-key: k\r\n",
    "anthropic-version: 2023-06-01\r\n",
    "\r\n",
    "\n",
    "5\r\nhello\r\n",
    "0\r\n\r\n",
    "0\r\nx: y\r\n\r\n",
    "ffffffffffffffff\r\n",
    "10000000000000000\r\n",
    "5;x=y\r\n",
    "hello",
    "\u{e9}",
    "\0",
];

/// Changes the lines of requests, or the JSON in them, or any bytes.
pub fn lines(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut dice = Dice(u64::from(seed) << 1 | 1);
    let whole = &data[..size];
    if dice.roll(3) > 0 {
        return events(data, size, max_size, seed);
    }
    let line = dice.pick(OF_REQUESTS).map_or("", |line| line);
    let starts = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let starts: Vec<usize> = starts.map(|(at, _)| at + 1).chain([0]).collect();
    let at = dice.pick(&starts).copied().unwrap_or(0);
    let changed = [&whole[..at], line.as_bytes(), &whole[at..]].concat();
    if changed.len() > max_size {
        return fuzzer_mutate(data, size, max_size);
    }
    data[..changed.len()].copy_from_slice(&changed);
    changed.len()
}

/// Another value, or another name of a member: an odd one, or one that stands elsewhere.
fn change_token(whole: &[u8], dice: &mut Dice) -> Option<Vec<u8>> {
    let tokens = tokens(whole);
    let old = dice.pick(&tokens)?.clone();
    let new = match dice.roll(2) {
        0 => dice.pick(ODD)?.as_bytes(),
        _ => &whole[dice.pick(&tokens)?.clone()],
    };
    Some([&whole[..old.start], new, &whole[old.end..]].concat())
}

/// A member more, fewer, or twice: what stands between two commas.
fn change_member(whole: &[u8], dice: &mut Dice) -> Option<Vec<u8>> {
    let commas = || {
        whole
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b',')
            .map(|(at, _)| at)
    };
    let start = dice.roll(commas().count());
    let at: Vec<usize> = commas().skip(start).take(2).collect();
    let [from, to] = at[..] else {
        return None;
    };
    Some(match dice.roll(2) {
        0 => [&whole[..from], &whole[to..]].concat(),
        _ => [&whole[..to], &whole[from..to], &whole[to..]].concat(),
    })
}

/// An event fewer, or twice, or two that changed places.
fn change_order(whole: &[u8], dice: &mut Dice) -> Option<Vec<u8>> {
    let mut blocks: Vec<&[u8]> = Vec::new();
    let mut rest = whole;
    while let Some(at) = rest.windows(2).position(|end| end == b"\n\n") {
        let (block, more) = rest.split_at(at + 2);
        blocks.push(block);
        rest = more;
    }
    blocks.push(rest);
    let (one, other) = (dice.roll(blocks.len()), dice.roll(blocks.len()));
    match dice.roll(4) {
        0 => drop(blocks.remove(one)),
        1 => blocks.insert(other, blocks[one]),
        2 => blocks.swap(one, other),
        _ => blocks.truncate(one + 1),
    }
    Some(blocks.concat())
}

/// Where strings, numbers and words stand.
fn tokens(whole: &[u8]) -> Vec<Range<usize>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&first) = whole.get(at) {
        let rest = &whole[at + 1..];
        let is_of_word =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+' | b'_');
        let length = match first {
            b'"' => {
                let mut is_escaped = false;
                let end = rest.iter().position(|byte| {
                    let ends = *byte == b'"' && !is_escaped;
                    is_escaped = *byte == b'\\' && !is_escaped;
                    ends
                });
                end.map_or(rest.len() + 1, |end| end + 2)
            }
            _ if is_of_word(&first) => 1 + rest.iter().take_while(|byte| is_of_word(byte)).count(),
            _ => {
                at += 1;
                continue;
            }
        };
        tokens.push(at..at + length);
        at += length;
    }
    tokens
}

/// Numbers from a seed (splitmix64).
struct Dice(u64);

impl Dice {
    /// A number below `sides`; 0 if there are none.
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z >> 33) as usize % sides.max(1)
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.roll(from.len()))
    }
}
