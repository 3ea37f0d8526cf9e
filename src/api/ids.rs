//! Generated ids: from the seed, in the alphabets of the services.

use crate::script::Dice;

/// Makes ids; the same seed gives the same ids in the same order.
#[derive(Clone, Debug)]
pub(crate) struct Ids(Dice);

/// Base58: no `0`, `O`, `I`, `l`.
const BASE58: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

impl Ids {
    pub(crate) const fn new(seed: u64, purpose: u64) -> Self {
        Self(Dice::branch(seed, purpose))
    }

    /// `prefix` and `n` base58 characters.
    pub(crate) fn base58(&mut self, prefix: &str, n: usize) -> String {
        self.characters(prefix, n, BASE58)
    }

    /// `prefix` and `n` lower-case hexadecimal digits.
    pub(crate) fn hex(&mut self, prefix: &str, n: usize) -> String {
        self.characters(prefix, n, b"0123456789abcdef")
    }

    fn characters(&mut self, prefix: &str, n: usize, alphabet: &[u8]) -> String {
        let mut id = String::with_capacity(prefix.len() + n);
        id.push_str(prefix);
        for _ in 0..n {
            let at = self.0.below(alphabet.len());
            id.push(alphabet.get(at).copied().map_or('1', char::from));
        }
        id
    }
}
