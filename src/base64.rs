//! Bytes as text, in base64.

/// The standard alphabet, with padding.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |n: usize| chunk.get(n).copied().map_or(0, usize::from);
        let group = byte(0) << 16 | byte(1) << 8 | byte(2);
        for n in 0..4 {
            let digit = ALPHABET.get(group >> (18 - 6 * n) & 0x3f);
            out.push(match digit {
                Some(digit) if n <= chunk.len() => char::from(*digit),
                _ => '=',
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_spelled_in_base64_with_padding() {
        for (bytes, expected) in [
            (&b""[..], ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"foob", "Zm9vYg=="),
            (&[0xfb, 0xff, 0xfe], "+//+"),
        ] {
            assert_eq!(base64(bytes), expected, "{bytes:?}");
        }
    }
}
