//! What a text is based on.

use std::ops::Range;

use super::Json;

/// A place in a source that a text is based on.
///
/// ```
/// use llm_wire_stub::{Citation, CitedSource, Turn};
///
/// let turn = Turn::new().cited_text(
///     "Grass is green.",
///     [
///         Citation::characters("The grass is green.", 0..19).title("facts.txt"),
///         Citation::web_search_result("Grass: a green plant.", "https://plants.example/grass"),
///     ],
/// );
/// # let _ = turn;
/// let third = Citation::pages("Grass.", 4..5).index(2);
/// assert_eq!(third.source, CitedSource::Pages { document: 2, pages: 4..5 });
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Citation {
    /// The words of the source.
    pub cited_text: String,
    /// The title of the source, if it has one.
    pub title: Option<String>,
    /// The id of the file that the source is, if it is one that was uploaded.
    pub file_id: Option<String>,
    /// Where the words stand.
    pub source: CitedSource,
}

/// Where cited words stand. Ranges end before their last number.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CitedSource {
    /// In the text of a document of the request.
    Characters {
        /// Which document of the request, from 0.
        document: u64,
        /// Its characters, from 0.
        characters: Range<u64>,
    },
    /// On pages of a document of the request.
    Pages {
        /// Which document of the request, from 0.
        document: u64,
        /// Its pages, from 1.
        pages: Range<u64>,
    },
    /// In blocks of a document of the request.
    Blocks {
        /// Which document of the request, from 0.
        document: u64,
        /// Its blocks, from 0.
        blocks: Range<u64>,
    },
    /// In a search result of the request.
    SearchResult {
        /// Which search result of the request, from 0.
        index: u64,
        /// Where the result is from.
        source: String,
        /// Its blocks, from 0.
        blocks: Range<u64>,
    },
    /// On a page of the web that the provider found.
    WebSearchResult {
        /// The page.
        url: String,
        /// What has to be sent back as it is; made from the seed where a turn does not give it.
        encrypted_index: Option<String>,
    },
    /// What this crate has no word for: the citation as it is.
    Other(Json),
}

impl Citation {
    const fn of(cited_text: String, source: CitedSource) -> Self {
        Self {
            cited_text,
            title: None,
            file_id: None,
            source,
        }
    }

    /// These characters of the first document.
    #[must_use]
    pub fn characters(cited_text: impl Into<String>, characters: Range<u64>) -> Self {
        let source = CitedSource::Characters {
            document: 0,
            characters,
        };
        Self::of(cited_text.into(), source)
    }

    /// These pages of the first document.
    #[must_use]
    pub fn pages(cited_text: impl Into<String>, pages: Range<u64>) -> Self {
        Self::of(cited_text.into(), CitedSource::Pages { document: 0, pages })
    }

    /// These blocks of the first document.
    #[must_use]
    pub fn blocks(cited_text: impl Into<String>, blocks: Range<u64>) -> Self {
        let source = CitedSource::Blocks {
            document: 0,
            blocks,
        };
        Self::of(cited_text.into(), source)
    }

    /// These blocks of the first search result, which is from this source.
    #[must_use]
    pub fn search_result(
        cited_text: impl Into<String>,
        source: impl Into<String>,
        blocks: Range<u64>,
    ) -> Self {
        let source = CitedSource::SearchResult {
            index: 0,
            source: source.into(),
            blocks,
        };
        Self::of(cited_text.into(), source)
    }

    /// This page of the web, with an encrypted index made from the seed.
    #[must_use]
    pub fn web_search_result(cited_text: impl Into<String>, url: impl Into<String>) -> Self {
        let source = CitedSource::WebSearchResult {
            url: url.into(),
            encrypted_index: None,
        };
        Self::of(cited_text.into(), source)
    }

    /// Any other citation, as it is.
    #[must_use]
    pub fn raw(citation: impl Into<Json>) -> Self {
        let citation = citation.into();
        let value = citation.to_value();
        let text = |name: &str| Some(value.get(name)?.as_str()?.to_owned());
        Self {
            cited_text: text("cited_text").unwrap_or_default(),
            title: text("title").or_else(|| text("document_title")),
            file_id: text("file_id"),
            source: CitedSource::Other(citation),
        }
    }

    /// Sets the title of the source.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Says which document, or search result, of the request it is, from 0.
    ///
    /// # Panics
    ///
    /// At the caller's line, if its source is not one of the request.
    #[must_use]
    #[track_caller]
    pub fn index(mut self, n: u64) -> Self {
        match &mut self.source {
            CitedSource::Characters { document, .. }
            | CitedSource::Pages { document, .. }
            | CitedSource::Blocks { document, .. } => *document = n,
            CitedSource::SearchResult { index, .. } => *index = n,
            CitedSource::WebSearchResult { .. } | CitedSource::Other(_) => panic!(
                "only documents and search results of the request are counted\n  \
                 help: leave `.index(..)` out"
            ),
        }
        self
    }

    /// Sets the id of the file that the document is.
    ///
    /// # Panics
    ///
    /// At the caller's line, if its source is no document of the request.
    #[must_use]
    #[track_caller]
    pub fn file_id(mut self, id: impl Into<String>) -> Self {
        assert!(
            matches!(
                self.source,
                CitedSource::Characters { .. }
                    | CitedSource::Pages { .. }
                    | CitedSource::Blocks { .. }
            ),
            "only a document of the request may be a file\n  help: leave `.file_id(..)` out"
        );
        self.file_id = Some(id.into());
        self
    }

    /// Sets the encrypted index of a page of the web.
    ///
    /// # Panics
    ///
    /// At the caller's line, if its source is no page of the web.
    #[must_use]
    #[track_caller]
    pub fn encrypted_index(mut self, index: impl Into<String>) -> Self {
        match &mut self.source {
            CitedSource::WebSearchResult {
                encrypted_index, ..
            } => *encrypted_index = Some(index.into()),
            CitedSource::Characters { .. }
            | CitedSource::Pages { .. }
            | CitedSource::Blocks { .. }
            | CitedSource::SearchResult { .. }
            | CitedSource::Other(_) => panic!(
                "only a page of the web has an encrypted index\n  \
                 help: leave `.encrypted_index(..)` out"
            ),
        }
        self
    }
}
