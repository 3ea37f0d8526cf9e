//! Bytes in pieces, which the bytes themselves decide: so a fixture is an input as it is, and a mutation that changes a
//! byte changes the cuts too.

/// Pieces of 1 to 13 bytes. One in a few is empty.
pub fn drawn(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    let mut salt = bytes.len();
    std::iter::from_fn(move || {
        let first = *rest.first()?;
        salt = salt.wrapping_mul(31).wrapping_add(first.into());
        let (piece, more) = rest.split_at(rest.len().min(salt % 14));
        rest = more;
        Some(piece)
    })
}

/// Two pieces.
pub fn two(bytes: &[u8]) -> [&[u8]; 2] {
    let sum = bytes.iter().map(|byte| usize::from(*byte)).sum::<usize>();
    let (head, tail) = bytes.split_at(sum % (bytes.len() + 1));
    [head, tail]
}
