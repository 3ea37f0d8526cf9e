//! What a text is based on: pages of the web only.

use std::ops::Range;

use crate::{
    api::openai::Characters,
    json::{write_number, write_str},
    script::{Citation, CitedSource},
};

/// A page of the web, and the characters of the answer that it stands behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Annotation {
    characters: Range<usize>,
    title: String,
    url: String,
}

impl Annotation {
    /// The citation of these characters of the answer. The words of the page have no place here.
    pub(super) fn new(citation: &Citation, characters: Range<usize>) -> Result<Self, String> {
        match &citation.source {
            CitedSource::WebSearchResult {
                url,
                encrypted_index: None,
            } => Ok(Self {
                characters,
                title: citation.title.clone().unwrap_or_default(),
                url: url.clone(),
            }),
            CitedSource::WebSearchResult { .. } => {
                Err("a citation of OpenAI Chat has no encrypted index\n  \
                 help: leave out `.encrypted_index(..)`"
                    .to_owned())
            }
            CitedSource::Characters { .. }
            | CitedSource::Pages { .. }
            | CitedSource::Blocks { .. }
            | CitedSource::SearchResult { .. }
            | CitedSource::Other(_) => Err("OpenAI Chat cites pages of the web only\n  \
                 help: leave the citation out, or use `Citation::web_search_result`"
                .to_owned()),
        }
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let number = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        out.extend_from_slice(br#"{"type":"url_citation","url_citation":{"end_index":"#);
        write_number(out, number(self.characters.end));
        out.extend_from_slice(br#","start_index":"#);
        write_number(out, number(self.characters.start));
        out.extend_from_slice(br#","title":"#);
        write_str(out, &self.title);
        out.extend_from_slice(br#","url":"#);
        write_str(out, &self.url);
        out.extend_from_slice(b"}}");
    }

    /// What is read of it: the cited words are those of the answer.
    pub(super) fn to_citation(&self, content: &Characters<'_>) -> Citation {
        let words = content.words(self.characters.clone());
        let citation = Citation::web_search_result(words, self.url.as_str());
        if self.title.is_empty() {
            citation
        } else {
            citation.title(self.title.as_str())
        }
    }
}

/// `[…]`.
pub(super) fn write_all(out: &mut Vec<u8>, annotations: &[Annotation]) {
    out.push(b'[');
    for (n, annotation) in annotations.iter().enumerate() {
        if n > 0 {
            out.push(b',');
        }
        annotation.write(out);
    }
    out.push(b']');
}
