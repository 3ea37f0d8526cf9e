//! Numbers that look random and are not: same seed, same numbers.

/// A stream of numbers from a seed (the splitmix64 generator).
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `n - 1`; 0 if `n` is 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        let n = u64::try_from(n).unwrap_or(u64::MAX).max(1);
        // below `n`, which came from a usize
        usize::try_from(self.next() % n).unwrap_or(0)
    }

    /// A seed for one purpose, independent of the others.
    pub(crate) const fn branch(seed: u64, purpose: u64) -> Self {
        let mut dice = Self(seed ^ purpose.wrapping_mul(0xd6e8_feb8_6659_fd93));
        let _ = dice.next();
        dice
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_a_seed_never_change() {
        let mut dice = Dice::new(0);
        assert_eq!(dice.next(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(dice.next(), 0x6e78_9e6a_a1b9_65f4);
        assert_eq!(dice.below(1), 0);
    }
}
