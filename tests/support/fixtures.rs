//! The fixtures, which were written for this crate, and bytes compared with theirs.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::PathBuf;

use llm_wire_stub::bytes::Bytes;

/// The file at this path below `fixtures`.
pub(crate) fn fixture(path: &str) -> Bytes {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    std::fs::read(folder.join(path)).unwrap().into()
}

#[track_caller]
pub(crate) fn assert_bytes(name: &str, found: &[u8], expected: &[u8]) {
    if found != expected {
        let same = |(a, b): &(&u8, &u8)| a == b;
        let at = found.iter().zip(expected).take_while(same).count();
        let around = |bytes: &[u8]| {
            let end = bytes.len().min(at + 80);
            let start = at.saturating_sub(80).min(end);
            bytes.get(start..end).unwrap().escape_ascii().to_string()
        };
        panic!(
            "{name}: the bytes differ at {at}\n  expected: `{}`\n  found: `{}`",
            around(expected),
            around(found)
        );
    }
}
