//! Generated ids: from the seed, in the alphabets of the services.

use crate::script::Dice;

/// Makes ids; the same seed gives the same ids in the same order.
#[derive(Clone, Debug)]
pub(crate) struct Ids(Dice);

/// Base58: no `0`, `O`, `I`, `l`.
const BASE58: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/// In the order of ASCII.
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl Ids {
    pub(crate) const fn new(seed: u64, purpose: u64) -> Self {
        Self(Dice::branch(seed, purpose))
    }

    /// `prefix` and `n` base58 characters.
    pub(crate) fn base58(&mut self, prefix: &str, n: usize) -> String {
        self.characters::<58>(prefix, n, BASE58)
    }

    /// `prefix` and `n` lower-case hexadecimal digits.
    pub(crate) fn hex(&mut self, prefix: &str, n: usize) -> String {
        self.characters::<16>(prefix, n, b"0123456789abcdef")
    }

    /// `prefix` and `n` digits.
    pub(crate) fn digits(&mut self, prefix: &str, n: usize) -> String {
        self.characters::<10>(prefix, n, b"0123456789")
    }

    /// `prefix` and `n` lower-case letters and digits.
    pub(crate) fn base36(&mut self, prefix: &str, n: usize) -> String {
        self.characters::<36>(prefix, n, b"0123456789abcdefghijklmnopqrstuvwxyz")
    }

    /// `prefix` and `n` letters and digits.
    pub(crate) fn base62(&mut self, prefix: &str, n: usize) -> String {
        self.characters::<62>(prefix, n, BASE62)
    }

    /// `prefix` and `n` characters of base64, without the padding at its end.
    pub(crate) fn base64(&mut self, prefix: &str, n: usize) -> String {
        self.characters::<64>(prefix, n, BASE64)
    }

    /// Appends `n` letters and digits.
    pub(crate) fn write_base62(&mut self, out: &mut Vec<u8>, n: usize) {
        self.write::<62>(out, n, BASE62);
    }

    fn characters<const N: u64>(&mut self, prefix: &str, n: usize, alphabet: &[u8]) -> String {
        // as bytes, since pushing a `char` costs more than drawing it
        let mut id = Vec::with_capacity(prefix.len() + n);
        id.extend_from_slice(prefix.as_bytes());
        self.write::<N>(&mut id, n, alphabet);
        String::from_utf8(id).unwrap_or_default()
    }

    fn write<const N: u64>(&mut self, out: &mut Vec<u8>, n: usize, alphabet: &[u8]) {
        /// So many are made from one number: 64 to the tenth is 2 to the 60th.
        const FROM_ONE: usize = 10;
        let (mut made, mut left) = (0, 0);
        // a plain loop, since an iterator costs a dev build more than drawing does
        while made < n {
            if made % FROM_ONE == 0 {
                left = self.0.next();
            }
            let at = usize::try_from(left % N).unwrap_or(0);
            out.push(alphabet.get(at).copied().unwrap_or(b'1'));
            left /= N;
            made += 1;
        }
    }
}
