//! A text whose characters are counted, as citations count them.

use std::ops::Range;

/// A text that many citations are of: their words are found without counting from its start each time.
pub(crate) struct Characters<'a> {
    text: &'a str,
    /// Where every so many characters begin.
    marks: Vec<usize>,
}

const STEP: usize = 64;

impl<'a> Characters<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        let starts = text.char_indices().map(|(at, _)| at);
        Self {
            text,
            marks: starts.step_by(STEP).collect(),
        }
    }

    /// The words of these characters; those that the text does not have are left out.
    pub(crate) fn words(&self, characters: Range<usize>) -> &'a str {
        let (start, end) = (self.start(characters.start), self.start(characters.end));
        self.text.get(start..end).unwrap_or_default()
    }

    /// Where the character of this number begins.
    fn start(&self, character: usize) -> usize {
        let end = self.text.len();
        let Some(&mark) = self.marks.get(character / STEP) else {
            return end;
        };
        let mut rest = self.text.get(mark..).unwrap_or_default().char_indices();
        rest.nth(character % STEP).map_or(end, |(at, _)| mark + at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_that_counting_from_the_start_finds() {
        for text in ["", "a", "é漢😀", &"aé漢😀".repeat(50), &"x".repeat(128)] {
            let characters = Characters::of(text);
            let length = text.chars().count();
            for start in 0..length + 2 {
                for end in [start, start + 1, start + 63, start + 64, length, usize::MAX] {
                    let counted = text.chars().skip(start).take(end.saturating_sub(start));
                    let counted: String = counted.collect();
                    assert_eq!(characters.words(start..end), counted, "{start}..{end}");
                }
            }
        }
    }
}
