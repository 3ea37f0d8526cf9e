//! The vector that an input has of itself: the same in every stub, of unit length, unlike that of any other input.
//!
//! Its numbers are of half precision, as the service's are since 2026-06, so that both spellings say the same ones.

use super::EmbeddingInput;
use crate::script::Dice;

/// A vector of so many dimensions. A shorter one is the beginning of a longer one, brought to unit length, as the
/// service shortens them (documentation).
pub(super) fn vector(input: &EmbeddingInput, dimensions: usize) -> Vec<f64> {
    let mut dice = Dice::new(fingerprint(input));
    let numbers: Vec<f64> = (0..dimensions).map(|_| between(dice.next())).collect();
    let length = numbers.iter().map(|n| n * n).sum::<f64>().sqrt();
    numbers.into_iter().map(|n| half(n / length)).collect()
}

/// FNV-1a, of 64 bits.
fn fingerprint(input: &EmbeddingInput) -> u64 {
    let add = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let start = 0xcbf2_9ce4_8422_2325;
    match input {
        EmbeddingInput::Text(text) => text.bytes().fold(start, add),
        EmbeddingInput::Tokens(tokens) => {
            // no text has this byte
            let bytes = tokens.iter().flat_map(|token| token.to_le_bytes());
            bytes.fold(add(start, 0xff), add)
        }
    }
}

/// From -1 to 1, in steps of 2 to the -52nd.
fn between(number: u64) -> f64 {
    const STEPS: f64 = (1_u64 << 52) as f64;
    (number >> 11) as f64 / STEPS - 1.0
}

/// The nearest number of half precision: eleven bits, or steps of 2 to the -24th.
fn half(number: f64) -> f64 {
    const LEAST_EXPONENT: u64 = 1023 - 14;
    let exponent = (number.to_bits() >> 52) & 0x7ff;
    let step = f64::from_bits((exponent.max(LEAST_EXPONENT) - 10) << 52);
    (number / step).round_ties_even() * step
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(vector: &[f64]) -> f64 {
        vector.iter().map(|n| n * n).sum::<f64>().sqrt()
    }

    #[test]
    fn a_vector_has_unit_length_to_half_precision() {
        for (input, dimensions) in [
            ("a".into(), 1),
            ("a".into(), 2),
            ("".into(), 256),
            ("longer".into(), 1536),
            ([1, 2].into(), 3072),
        ] {
            let vector = vector(&input, dimensions);
            assert_eq!(vector.len(), dimensions);
            let off = (length(&vector) - 1.0).abs();
            assert!(off < 5e-4, "{input:?}, {dimensions}: {off}");
        }
        assert!(vector(&"a".into(), 0).is_empty());
    }

    #[test]
    fn the_vector_of_an_input_never_changes() {
        assert_eq!(
            vector(&"hi".into(), 3),
            [-0.876_464_843_75, -0.369_384_765_625, 0.308_105_468_75]
        );
        assert_eq!(
            vector(&[104, 105].into(), 3),
            [0.577_148_437_5, 0.788_085_937_5, 0.214_965_820_312_5]
        );
    }

    #[test]
    fn other_inputs_have_other_vectors() {
        let cosine = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let inputs: [EmbeddingInput; 5] = [
            "a".into(),
            "b".into(),
            "".into(),
            [97].into(),
            [97, 0].into(),
        ];
        let vectors = inputs.map(|input| vector(&input, 1536));
        for (n, one) in vectors.iter().enumerate() {
            for other in vectors.iter().skip(n + 1) {
                assert!(cosine(one, other).abs() < 0.15);
            }
        }
    }

    #[test]
    fn a_number_is_rounded_to_half_precision() {
        for (number, expected) in [
            (1.0, 1.0),
            (0.1, 0.099_975_585_937_5),
            (-0.1, -0.099_975_585_937_5),
            (1.0 / 3.0, 0.333_251_953_125),
            // the least normal number, then steps of 2 to the -24th
            (6.103_515_625e-5, 6.103_515_625e-5),
            (8.761_9e-6, 8.761_882_781_982_422e-6),
            (1e-9, 0.0),
            (0.0, 0.0),
        ] {
            assert_eq!(half(number), expected, "{number}");
        }
    }
}
