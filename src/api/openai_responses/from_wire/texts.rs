//! The texts of a recorded message, in parts where they are based on something.

use std::ops::Range;

use serde_json::Value;

use super::{Item, word};
use crate::{
    api::{
        openai::from_wire::{cut, length},
        openai_responses::echo,
    },
    json_slices::{items, member},
    script::{Citation, Fragments, Json, ScriptedPart},
};

/// Fragments, and what is said of the text behind them.
#[derive(Default)]
struct Stretch {
    pieces: Vec<String>,
    /// Each as it was spelled.
    annotations: Vec<String>,
}

/// The parts that may say this message; none if it has no words.
pub(super) fn by_name(item: &Item) -> Option<Vec<ScriptedPart>> {
    let mut texts = Texts {
        is_streamed: item.is_streamed(),
        ..Texts::default()
    };
    for stretch in match item.is_streamed() {
        true => of_stream(item),
        false => of_body(item)?,
    } {
        texts.stretch(stretch);
    }
    (!texts.parts.is_empty()).then_some(texts.parts)
}

fn of_stream(item: &Item) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for event in &item.events {
        let piece = word(event, "delta");
        let annotation = member(event, "annotation");
        match stretches.last() {
            Some(last) if piece.is_none() || last.annotations.is_empty() => {}
            Some(_) | None => stretches.push(Stretch::default()),
        }
        if let Some(last) = stretches.last_mut() {
            last.pieces.extend(piece.filter(|piece| !piece.is_empty()));
            last.annotations.extend(annotation.map(str::to_owned));
        }
    }
    stretches
}

fn of_body(item: &Item) -> Option<Vec<Stretch>> {
    let content = items(member(item.whole(), "content")?);
    let part = content.first()?;
    let text = word(part, "text").or_else(|| word(part, "refusal"))?;
    let annotations = items(member(part, "annotations").unwrap_or_default());
    Some(vec![Stretch {
        pieces: Vec::from_iter((!text.is_empty()).then_some(text)),
        annotations: annotations.into_iter().map(echo::respelled).collect(),
    }])
}

#[derive(Default)]
struct Texts {
    is_streamed: bool,
    parts: Vec<ScriptedPart>,
    /// The last part's characters, if these are what its citations are of.
    cited: Option<Range<usize>>,
    /// How many characters were said before.
    said: usize,
}

impl Texts {
    /// Pages of the web are named where they are of the last characters before them; others stay as they are.
    fn stretch(&mut self, stretch: Stretch) {
        let mut left = stretch.pieces;
        for annotation in stretch.annotations {
            let end = self.said + length(&left);
            match page(&annotation) {
                Some((characters, page)) if self.cited.as_ref() == Some(&characters) => {
                    self.cite(page);
                }
                Some((characters, page)) if self.may_cite(&characters, &left, end) => {
                    let (start, end) = (characters.start - self.said, characters.end - self.said);
                    let (before, words) = (cut(&left, 0..start), cut(&left, start..end));
                    left = cut(&left, end..usize::MAX);
                    self.text(before, None);
                    self.text(words, Some(vec![page]));
                    self.cited = Some(characters);
                }
                Some(_) | None => {
                    if self.is_streamed {
                        self.text(std::mem::take(&mut left), None);
                    }
                    let citation = Citation::raw(Json::spelled(&annotation));
                    self.text(Vec::new(), Some(vec![citation]));
                }
            }
        }
        self.text(left, None);
    }

    /// Whether a part may have just these characters. A stream has cuts of its own, and annotations behind all.
    fn may_cite(&self, characters: &Range<usize>, left: &[String], end: usize) -> bool {
        if characters.start < self.said || characters.start > characters.end || characters.end > end
        {
            return false;
        }
        let mut at = self.said;
        let is_cut = characters.start == end
            || left.iter().any(|piece| {
                let start = at;
                at += piece.chars().count();
                start == characters.start
            });
        !self.is_streamed || (characters.end == end && is_cut)
    }

    /// A further page for the last part.
    fn cite(&mut self, page: Citation) {
        if let Some(ScriptedPart::Text {
            citations: Some(citations),
            ..
        }) = self.parts.last_mut()
        {
            citations.push(page);
        }
    }

    /// A part, which is of no cited characters yet; none without words and citations.
    fn text(&mut self, pieces: Vec<String>, citations: Option<Vec<Citation>>) {
        if pieces.is_empty() && citations.is_none() {
            return;
        }
        self.said += length(&pieces);
        self.cited = None;
        self.parts.push(ScriptedPart::Text {
            text: pieces.concat().into(),
            citations,
            fragments: (self.is_streamed && !pieces.is_empty()).then(|| Fragments::pieces(pieces)),
        });
    }
}

/// A page of the web and the characters that it stands behind, if these are members of the annotation.
fn page(annotation: &str) -> Option<(Range<usize>, Citation)> {
    let sent: Value = serde_json::from_str(annotation).ok()?;
    let text = |name: &str| sent.get(name)?.as_str();
    let number = |name: &str| usize::try_from(sent.get(name)?.as_u64()?).ok();
    if text("type")? != "url_citation" {
        return None;
    }
    let citation = Citation::web_search_result("", text("url")?);
    let citation = match text("title")? {
        "" => citation,
        title => citation.title(title),
    };
    Some((number("start_index")?..number("end_index")?, citation))
}
