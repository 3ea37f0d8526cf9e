//! Splitting a body: blocks of bytes in, pieces out, one at a time and each byte looked at once.

use std::{mem, vec};

use bytes::Bytes;

use crate::script::{Cut, Dice, count};

/// Pieces of a random cut are this long at most.
const LONGEST: usize = 36;

/// Splits the blocks of one body. A block is an event, or a whole body.
pub(super) struct Knife {
    cut: Cut,
    way: Way,
    /// What is split now.
    block: Bytes,
    /// The start of a piece that goes on in the next block.
    open: Vec<u8>,
    /// How long the body is, as far as it came.
    length: usize,
}

/// How the next end of a piece is found.
enum Way {
    EveryByte,
    /// At the end of a block.
    PerBlock,
    /// Nowhere.
    Whole,
    PerLine,
    InsideCharacters,
    /// Whether a CR was parted from its LF yet.
    InsideLineEnds(bool),
    /// The offsets left, in order, and where the rest of the block begins.
    At(vec::IntoIter<usize>, usize),
    /// How much of the piece's length is left.
    Random(Dice, usize),
}

impl Knife {
    pub(super) fn new(cut: &Cut) -> Self {
        let way = match cut {
            Cut::PerEvent => Way::PerBlock,
            Cut::Whole => Way::Whole,
            Cut::EveryByte => Way::EveryByte,
            Cut::PerLine => Way::PerLine,
            Cut::At(offsets) => {
                let mut offsets: Vec<usize> = offsets.iter().copied().filter(|n| *n > 0).collect();
                offsets.sort_unstable();
                offsets.dedup();
                Way::At(offsets.into_iter(), 0)
            }
            Cut::InsideCharacters => Way::InsideCharacters,
            Cut::InsideLineEnds => Way::InsideLineEnds(false),
            Cut::Random { seed } => Way::Random(Dice::new(*seed), 0),
        };
        Self {
            cut: cut.clone(),
            way,
            block: Bytes::new(),
            open: Vec::new(),
            length: 0,
        }
    }

    /// Takes the next block, once [`piece`](Self::piece) has no more of the one before.
    pub(super) fn take(&mut self, block: Bytes) {
        self.length += block.len();
        self.block = block;
    }

    /// The next piece that is whole.
    pub(super) fn piece(&mut self) -> Option<Bytes> {
        if self.block.is_empty() {
            return None;
        }
        let Some(end) = self.way.end(&self.block) else {
            self.open.extend_from_slice(&mem::take(&mut self.block));
            return None;
        };
        let piece = self.block.split_to(end.min(self.block.len()));
        if self.open.is_empty() {
            return Some(piece);
        }
        self.open.extend_from_slice(&piece);
        Some(mem::take(&mut self.open).into())
    }

    /// What goes on in the next block, to be written before something else happens.
    pub(super) fn rest(&mut self) -> Option<Bytes> {
        (!self.open.is_empty()).then(|| mem::take(&mut self.open).into())
    }

    /// Why the body, as far as it came, is not split where the cut says: it has no such place. `what` is the
    /// answer's name in a message.
    pub(super) fn problem(&self, what: &str) -> Option<String> {
        let own = "or give this turn a cut of its own with `.cut(..)`";
        match (&self.cut, &self.way) {
            (Cut::At(offsets), _) => {
                let inside = 1..self.length;
                let outside = offsets.iter().filter(|at| !inside.contains(*at)).min()?;
                let bytes = count(self.length, "byte");
                Some(format!(
                    "a cut at byte {outside} is not possible: {what} has {bytes}\n  \
                     help: leave out what is not behind its first byte and before its end, {own}"
                ))
            }
            (_, Way::InsideLineEnds(false)) => Some(format!(
                "a cut inside line ends is not possible: {what} has no CR LF\n  \
                 help: use another cut, {own}; a service that ends lines with CR LF is `Dialect::Perplexity`"
            )),
            _ => None,
        }
    }

    /// Where blocks go that are never split: to the end of the piece that they all are.
    pub(super) fn gathered(&mut self) -> Option<&mut Vec<u8>> {
        matches!(self.way, Way::Whole).then_some(&mut self.open)
    }

    /// Whether each block is a piece, so that there is nothing to do.
    pub(super) const fn is_idle(&self) -> bool {
        matches!(self.way, Way::PerBlock)
    }
}

impl Way {
    /// Where in the rest of a block, which is not empty, the next piece ends; `None` if it goes on in the next
    /// block.
    fn end(&mut self, rest: &[u8]) -> Option<usize> {
        let behind = |at: Option<usize>| Some(at.map_or(rest.len(), |at| at + 1));
        match self {
            Self::EveryByte => Some(1),
            Self::PerBlock => Some(rest.len()),
            Self::Whole => None,
            Self::PerLine => {
                let at = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
                let parted = at.is_some_and(|at| rest.get(at..at + 2) == Some(b"\r\n"));
                behind(at.map(|at| at + usize::from(parted)))
            }
            // a byte of a character that has several, and no other, has the highest bit
            Self::InsideCharacters => behind(rest.iter().position(|byte| !byte.is_ascii())),
            Self::InsideLineEnds(found) => {
                let at = rest.windows(2).position(|two| two == b"\r\n");
                *found |= at.is_some();
                behind(at)
            }
            Self::At(offsets, begins) => {
                let next = *offsets.as_slice().first()?;
                let end = next - *begins;
                *begins += end.min(rest.len());
                (end <= rest.len()).then(|| {
                    offsets.next();
                    end
                })
            }
            Self::Random(dice, left) => {
                if *left == 0 {
                    *left = 1 + dice.below(LONGEST);
                }
                let end = *left;
                *left -= end.min(rest.len());
                (end <= rest.len()).then_some(end)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces of these blocks, and what is wrong with the cut.
    fn pieces(cut: &Cut, blocks: &[&[u8]]) -> (Vec<String>, Option<String>) {
        let mut knife = Knife::new(cut);
        let mut pieces = Vec::new();
        for block in blocks {
            knife.take(Bytes::copy_from_slice(block));
            while let Some(piece) = knife.piece() {
                pieces.push(piece.escape_ascii().to_string());
            }
        }
        let rest = knife.rest().map(|rest| rest.escape_ascii().to_string());
        pieces.extend(rest);
        assert!(knife.rest().is_none());
        (pieces, knife.problem("a text"))
    }

    /// A cut, the blocks, the pieces.
    type Row<'a> = (Cut, &'a [&'a [u8]], &'a [&'a str]);

    #[test]
    fn each_cut_splits_where_it_says() {
        let crlf: &[&[u8]] = &[b"a: 1\r\n\r\n", b"b\r\n\r\n"];
        let japanese: &[&[u8]] = &["é \u{65e5}".as_bytes(), "😀".as_bytes(), b"x\n"];
        let rows: [Row; 13] = [
            (Cut::PerEvent, crlf, &[r"a: 1\r\n\r\n", r"b\r\n\r\n"]),
            (Cut::Whole, crlf, &[r"a: 1\r\n\r\nb\r\n\r\n"]),
            (Cut::EveryByte, &[b"a\r", b"\nb"], &["a", r"\r", r"\n", "b"]),
            (
                Cut::PerLine,
                crlf,
                &[r"a: 1\r\n", r"\r\n", r"b\r\n", r"\r\n"],
            ),
            // all three line ends; what has none ends with its block
            (
                Cut::PerLine,
                &[b"\n\r\r\n\na\rb", b"c", b"d\r"],
                &[r"\n", r"\r", r"\r\n", r"\n", r"a\r", "b", "c", r"d\r"],
            ),
            (
                Cut::InsideCharacters,
                japanese,
                &[
                    r"\xc3", r"\xa9", r" \xe6", r"\x97", r"\xa5", r"\xf0", r"\x9f", r"\x98",
                    r"\x80", r"x\n",
                ],
            ),
            (
                Cut::InsideCharacters,
                crlf,
                &[r"a: 1\r\n\r\n", r"b\r\n\r\n"],
            ),
            (
                Cut::InsideLineEnds,
                crlf,
                &[r"a: 1\r", r"\n\r", r"\n", r"b\r", r"\n\r", r"\n"],
            ),
            (Cut::InsideLineEnds, &[b"\r\r\n\n\r"], &[r"\r\r", r"\n\n\r"]),
            (Cut::at([3, 1]), &[b"abcd"], &["a", "bc", "d"]),
            (Cut::at([2, 2]), &[b"a", b"b", b"c", b"d"], &["ab", "cd"]),
            (
                Cut::at([1, 2, 3]),
                &[b"ab", b"", b"cd"],
                &["a", "b", "c", "d"],
            ),
            (Cut::at([]), &[b"ab", b"c"], &["abc"]),
        ];
        for (cut, blocks, expected) in rows {
            let (found, problem) = pieces(&cut, blocks);
            assert_eq!(found, expected, "{cut:?}");
            assert_eq!(problem, None, "{cut:?}");
        }
    }

    #[test]
    fn a_random_cut_has_every_length_up_to_36_and_repeats_with_its_seed() {
        let blocks: Vec<Vec<u8>> = (0..1000).map(|n| vec![b'x'; n % 50]).collect();
        let blocks: Vec<&[u8]> = blocks.iter().map(Vec::as_slice).collect();
        let of = |seed| pieces(&Cut::Random { seed }, &blocks).0;
        let mut lengths: Vec<usize> = of(7).iter().map(String::len).collect();
        assert_eq!(lengths.iter().sum::<usize>(), blocks.concat().len());
        lengths.pop();
        for length in 1..=LONGEST {
            assert!(lengths.contains(&length), "{length} never dealt");
        }
        assert_eq!(lengths.iter().max(), Some(&LONGEST));
        assert_eq!(of(7), of(7));
        assert_ne!(of(7), of(8));
        // how the body comes does not matter
        assert_eq!(
            of(7),
            pieces(&Cut::Random { seed: 7 }, &[&blocks.concat()]).0
        );
    }

    #[test]
    fn what_has_to_be_written_early_does_not_move_the_ends_behind_it() {
        let mut knife = Knife::new(&Cut::at([2, 4]));
        let mut found = Vec::new();
        for block in ["a", "bc", "def"] {
            knife.take(Bytes::from_static(block.as_bytes()));
            while let Some(piece) = knife.piece() {
                found.push(piece);
            }
            found.extend(knife.rest());
        }
        assert_eq!(found, ["a", "b", "c", "d", "ef"]);
    }

    #[test]
    fn an_offset_that_is_not_inside_the_body_is_a_problem() {
        for (offsets, at) in [(vec![0], 0), (vec![3], 3), (vec![1, 9, 7], 7)] {
            let (found, problem) = pieces(&Cut::at(offsets), &[b"ab", b"c"]);
            assert_eq!(found.concat(), "abc");
            let problem = problem.unwrap();
            let expected = format!("a cut at byte {at} is not possible: a text has 3 bytes\n");
            assert!(problem.starts_with(&expected), "{problem}");
        }
    }

    #[test]
    fn a_body_without_cr_lf_is_a_problem_to_a_cut_inside_it() {
        let (found, problem) = pieces(&Cut::InsideLineEnds, &[b"a\n\r", b"\n"]);
        assert_eq!(found, [r"a\n\r", r"\n"]);
        let expected = "a cut inside line ends is not possible: a text has no CR LF\n";
        assert!(problem.unwrap().starts_with(expected));
    }
}
