//! How a text, or a tool call's arguments, are cut into deltas.

use std::{fmt, sync::Arc};

use super::Dice;

/// How a text, or the arguments of a tool call, are cut into deltas. See
/// [`Turn::fragments`](crate::Turn::fragments).
///
/// Without it, text is cut into words, each with the white space before it, and arguments into 2 to 14
/// characters without regard to their tokens, as the services cut them (sizes from the script's seed).
///
/// ```
/// use llm_wire_stub::{Fragments, Turn};
///
/// let turn = Turn::new().text("one two").fragments(Fragments::pieces(["o", "ne t", "wo"]));
/// # let _ = turn;
/// ```
#[derive(Clone)]
pub struct Fragments(pub(crate) Way);

#[derive(Clone)]
pub(crate) enum Way {
    Whole,
    Words,
    /// A number of characters, one or more.
    Size(usize),
    By(Arc<Cutter>),
    Pieces(Arc<[String]>),
}

pub(crate) type Cutter = dyn Fn(&str) -> Vec<String> + Send + Sync;

impl Fragments {
    /// One delta with everything.
    #[must_use]
    pub const fn whole() -> Self {
        Self(Way::Whole)
    }

    /// Words, each with the white space before it; what is left at the end joins the last one.
    #[must_use]
    pub const fn words() -> Self {
        Self(Way::Words)
    }

    /// Single characters (Unicode scalar values).
    #[must_use]
    pub const fn characters() -> Self {
        Self(Way::Size(1))
    }

    /// `characters` characters each, the last one maybe fewer.
    ///
    /// # Panics
    ///
    /// At the caller's line, if `characters` is 0.
    #[must_use]
    #[track_caller]
    pub fn size(characters: usize) -> Self {
        assert!(
            characters > 0,
            "a fragment has at least one character\n  found: `0`\n  \
             help: `Fragments::characters()` makes the smallest ones"
        );
        Self(Way::Size(characters))
    }

    /// An own function: the whole in, the pieces out. It runs off the stub's own threads; pieces that
    /// are empty, or that do not join to the whole, make the turn unplayable.
    #[must_use]
    pub fn by(cutter: impl Fn(&str) -> Vec<String> + Send + Sync + 'static) -> Self {
        Self(Way::By(Arc::new(cutter)))
    }

    /// Exactly these pieces; they have to join to the whole. Broken arguments may be cut anywhere, inside
    /// an escape, or between the two escapes of a surrogate pair.
    #[must_use]
    pub fn pieces<S: Into<String>>(pieces: impl IntoIterator<Item = S>) -> Self {
        Self(Way::Pieces(pieces.into_iter().map(Into::into).collect()))
    }

    pub(super) fn explicit(&self) -> Option<&[String]> {
        match &self.0 {
            Way::Pieces(pieces) => Some(pieces),
            Way::Whole | Way::Words | Way::Size(_) | Way::By(_) => None,
        }
    }

    /// The same way for a whole that begins with this too.
    pub(crate) fn begun(self, with: &str) -> Self {
        let Some([first, rest @ ..]) = self.explicit() else {
            return self;
        };
        let first = format!("{with}{first}");
        Self::pieces(std::iter::once(first).chain(rest.iter().cloned()))
    }

    /// Whether the pieces are given one by one, for one text only.
    pub(crate) const fn are_given(&self) -> bool {
        matches!(self.0, Way::Pieces(_))
    }

    pub(crate) fn runs_user_code(&self) -> bool {
        matches!(self.0, Way::By(_))
    }

    /// The cutter of `whole`, ready to be asked for one end after another.
    ///
    /// # Errors
    ///
    /// What is wrong with the pieces that an own function gave.
    pub(crate) fn cutter(&self, whole: &str) -> Result<Cuts, String> {
        let pieces: Vec<String> = match &self.0 {
            Way::Whole => return Ok(Cuts::Whole),
            Way::Words => return Ok(Cuts::Words),
            Way::Size(characters) => return Ok(Cuts::Size(*characters)),
            Way::Pieces(pieces) => pieces.to_vec(),
            Way::By(cutter) => cutter(whole),
        };
        check_pieces(&pieces, whole)?;
        Ok(Cuts::Lengths(
            pieces
                .iter()
                .map(String::len)
                .collect::<Vec<_>>()
                .into_iter(),
        ))
    }
}

/// Checks that `pieces` are fragments of `whole`.
pub(crate) fn check_pieces(pieces: &[String], whole: &str) -> Result<(), String> {
    if let Some(at) = pieces.iter().position(String::is_empty) {
        return Err(format!(
            "piece #{} is empty\n  help: an empty delta is no fragment; leave it out",
            at + 1
        ));
    }
    let joined = pieces.concat();
    if joined != whole {
        let same = whole
            .char_indices()
            .zip(joined.chars())
            .find(|((_, expected), found)| expected != found)
            .map_or(whole.len().min(joined.len()), |((at, _), _)| at);
        return Err(format!(
            "the pieces do not join to the whole: they differ at byte {same}\n  \
             expected: {}\n  found: {}\n  \
             help: a piece is written as it is; leave nothing out, add nothing",
            shown(whole.get(same..)),
            shown(joined.get(same..))
        ));
    }
    Ok(())
}

/// The first 40 characters of what is left, escaped.
fn shown(rest: Option<&str>) -> String {
    let rest = rest.unwrap_or_default();
    if rest.is_empty() {
        return "the end".to_owned();
    }
    let (head, tail) = rest.split_at(characters_len(rest, 40));
    match tail.len() {
        0 => format!("`{}`", head.escape_debug()),
        more => format!("`{}`… ({more} more bytes)", head.escape_debug()),
    }
}

/// Where the next fragment ends.
#[derive(Clone, Debug)]
pub(crate) enum Cuts {
    Whole,
    Words,
    Size(usize),
    /// 2 to 14 characters, as services cut arguments.
    Dealt(Dice),
    Lengths(std::vec::IntoIter<usize>),
}

impl Cuts {
    /// The length in bytes of the next fragment of `rest`, which is not empty.
    pub(crate) fn next_len(&mut self, rest: &str) -> usize {
        let len = match self {
            Self::Whole => rest.len(),
            Self::Words => word_len(rest),
            Self::Size(characters) => characters_len(rest, *characters),
            Self::Dealt(dice) => characters_len(rest, 2 + dice.below(13)),
            Self::Lengths(lengths) => lengths.next().unwrap_or(rest.len()),
        };
        len.min(rest.len())
    }
}

fn word_len(rest: &str) -> usize {
    let mut seen_word = false;
    for (at, character) in rest.char_indices() {
        if !character.is_whitespace() {
            seen_word = true;
        } else if seen_word {
            // white space to the very end joins this word
            let tail = rest.get(at..).unwrap_or_default();
            let only_space = tail.chars().all(char::is_whitespace);
            return if only_space { rest.len() } else { at };
        }
    }
    rest.len()
}

fn characters_len(rest: &str, characters: usize) -> usize {
    rest.char_indices()
        .nth(characters)
        .map_or(rest.len(), |(at, _)| at)
}

impl fmt::Debug for Fragments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Way::Whole => f.write_str("Whole"),
            Way::Words => f.write_str("Words"),
            Way::Size(n) => write!(f, "Size({n})"),
            Way::By(_) => f.write_str("By(..)"),
            Way::Pieces(pieces) => f.debug_tuple("Pieces").field(pieces).finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(mut cuts: Cuts, mut rest: &str) -> Vec<&str> {
        let mut pieces = Vec::new();
        while !rest.is_empty() {
            let (piece, tail) = rest.split_at(cuts.next_len(rest));
            pieces.push(piece);
            rest = tail;
        }
        pieces
    }

    #[test]
    fn words_carry_the_white_space_before_them_and_the_last_one_what_is_left() {
        for (text, expected) in [
            ("half an answer", vec!["half", " an", " answer"]),
            ("Let me look. ", vec!["Let", " me", " look. "]),
            ("  a\n\nb", vec!["  a", "\n\nb"]),
            (" \n ", vec![" \n "]),
            ("", vec![]),
            ("é\u{3000}漢", vec!["é", "\u{3000}漢"]),
        ] {
            assert_eq!(cut(Cuts::Words, text), expected, "{text:?}");
        }
    }

    #[test]
    fn sizes_count_characters_not_bytes() {
        assert_eq!(cut(Cuts::Size(2), "aé漢😀b"), ["aé", "漢😀", "b"]);
        assert_eq!(cut(Cuts::Whole, "a b"), ["a b"]);
    }

    #[test]
    fn dealt_fragments_have_two_to_fourteen_characters_and_repeat_with_their_seed() {
        let text = "x".repeat(5_000);
        let pieces = cut(Cuts::Dealt(Dice::new(7)), &text);
        let (last, others) = pieces.split_last().unwrap();
        assert!(others.iter().all(|piece| (2..=14).contains(&piece.len())));
        assert!(last.len() <= 14);
        for size in 2..=14 {
            assert!(
                others.iter().any(|piece| piece.len() == size),
                "{size} never dealt"
            );
        }
        assert_eq!(cut(Cuts::Dealt(Dice::new(7)), &text), pieces);
    }

    #[test]
    fn pieces_that_are_no_fragments_are_said_so() {
        for (pieces, message) in [
            (
                vec!["a", ""],
                "piece #2 is empty\n  help: an empty delta is no fragment; leave it out",
            ),
            (
                vec!["a", "\n"],
                "the pieces do not join to the whole: they differ at byte 1\n  \
                 expected: `b`\n  found: `\\n`\n  \
                 help: a piece is written as it is; leave nothing out, add nothing",
            ),
            (
                vec!["a"],
                "the pieces do not join to the whole: they differ at byte 1\n  \
                 expected: `b`\n  found: the end\n  \
                 help: a piece is written as it is; leave nothing out, add nothing",
            ),
        ] {
            let error = Fragments::pieces(pieces).cutter("ab").unwrap_err();
            assert_eq!(error, message);
        }
    }
}
