//! What a text is based on: pages of the web by name, anything else as it is.

use std::ops::Range;

use crate::{
    api::{openai::Characters, openai_responses::accumulate::read_citation},
    json::{write_number, write_str},
    script::{Citation, CitedSource, Json},
};

/// One annotation of a text.
#[derive(Clone)]
pub(super) enum Annotation {
    /// A page of the web, and the characters of the text that it stands behind.
    Page {
        characters: Range<usize>,
        title: String,
        url: String,
    },
    /// As it is.
    Raw(Json),
}

impl Annotation {
    /// The citation of these characters of a text. The words of a page have no place here.
    pub(super) fn new(citation: &Citation, characters: Range<usize>) -> Result<Self, String> {
        match &citation.source {
            CitedSource::WebSearchResult {
                url,
                encrypted_index: None,
            } => Ok(Self::Page {
                characters,
                title: citation.title.clone().unwrap_or_default(),
                url: url.clone(),
            }),
            CitedSource::WebSearchResult { .. } => Err(
                "a citation of OpenAI Responses has no encrypted index\n  \
                 help: leave out `.encrypted_index(..)`"
                    .to_owned(),
            ),
            CitedSource::Other(annotation) => Ok(Self::Raw(annotation.clone())),
            CitedSource::Characters { .. }
            | CitedSource::Pages { .. }
            | CitedSource::Blocks { .. }
            | CitedSource::SearchResult { .. } => Err(
                "OpenAI Responses cites pages of the web, and files as they are\n  \
                 help: use `Citation::web_search_result`, or `Citation::raw` with an annotation such as `file_citation`"
                    .to_owned(),
            ),
        }
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let number = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        match self {
            Self::Page {
                characters,
                title,
                url,
            } => {
                out.extend_from_slice(br#"{"type":"url_citation","end_index":"#);
                write_number(out, number(characters.end));
                out.extend_from_slice(br#","start_index":"#);
                write_number(out, number(characters.start));
                out.extend_from_slice(br#","title":"#);
                write_str(out, title);
                out.extend_from_slice(br#","url":"#);
                write_str(out, url);
                out.push(b'}');
            }
            Self::Raw(annotation) => out.extend_from_slice(annotation.as_str().as_bytes()),
        }
    }

    /// What is read of it: the cited words are those of the answer.
    pub(super) fn to_citation(&self, text: &Characters<'_>) -> Citation {
        match self {
            Self::Page {
                characters,
                title,
                url,
            } => {
                let words = text.words(characters.clone());
                let citation = Citation::web_search_result(words, url.as_str());
                if title.is_empty() {
                    citation
                } else {
                    citation.title(title.as_str())
                }
            }
            Self::Raw(annotation) => read_citation(&annotation.to_value(), text),
        }
    }
}
