//! Log probabilities, made up.

use crate::script::Dice;

/// A logarithm between `-whole` and `-whole - 1`.
pub(crate) fn drawn_logprob(dice: &mut Dice, whole: usize) -> String {
    format!("-{whole}.{:07}1", dice.below(10_000_000))
}
