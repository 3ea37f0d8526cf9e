//! Bytes as text, in base64.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The standard alphabet, with padding.
pub(crate) fn base64(bytes: &[u8]) -> String {
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

/// The bytes of a text in the standard alphabet, with padding; `None` if it is no such text, or not what [`base64`] writes
/// of these bytes.
pub(crate) fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    let mut out = Vec::with_capacity(digits.len() * 3 / 4);
    for group in digits.as_bytes().chunks(4) {
        let mut bits = 0_u32;
        for n in 0..4 {
            let digit = match group.get(n) {
                Some(digit) => ALPHABET.iter().position(|known| known == digit)?,
                None => 0,
            };
            bits = bits << 6 | u32::try_from(digit).ok()?;
        }
        let [_, bytes @ ..] = bits.to_be_bytes();
        out.extend_from_slice(bytes.get(..group.len() - 1)?);
    }
    (base64(&out) == text).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn a_text_that_is_no_base64_has_no_bytes() {
        for text in [
            "Zg", "Zg=", "Zg===", "Z", "Zh==", "Zm9v\n", "Zm_v", "=", "Zg==Zg==",
        ] {
            assert_eq!(super::bytes(text), None, "{text:?}");
        }
    }

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
            assert_eq!(super::bytes(expected).as_deref(), Some(bytes));
        }
    }
}
