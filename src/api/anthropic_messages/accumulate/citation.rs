//! A citation, read back. One that has not the members of its kind is kept as it is.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::script::{Citation, CitedSource, Json};

/// The citation with these members.
pub(in crate::api::anthropic_messages) fn read(members: &Map<String, Value>) -> Citation {
    known(members).unwrap_or_else(|| Citation::raw(Json::read(Value::Object(members.clone()))))
}

fn known(members: &Map<String, Value>) -> Option<Citation> {
    let text = |name: &str| Some(members.get(name)?.as_str()?.to_owned());
    let number = |name: &str| members.get(name)?.as_u64();
    let range =
        |start: &str, end: &str| -> Option<Range<u64>> { Some(number(start)?..number(end)?) };
    let title = |name: &str| match members.get(name)? {
        Value::Null => Some(None),
        Value::String(title) => Some(Some(title.clone())),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    };
    let (title, source) = match members.get("type")?.as_str()? {
        "char_location" => (
            title("document_title")?,
            CitedSource::Characters {
                document: number("document_index")?,
                characters: range("start_char_index", "end_char_index")?,
            },
        ),
        "page_location" => (
            title("document_title")?,
            CitedSource::Pages {
                document: number("document_index")?,
                pages: range("start_page_number", "end_page_number")?,
            },
        ),
        "content_block_location" => (
            title("document_title")?,
            CitedSource::Blocks {
                document: number("document_index")?,
                blocks: range("start_block_index", "end_block_index")?,
            },
        ),
        "search_result_location" => (
            title("title")?,
            CitedSource::SearchResult {
                index: number("search_result_index")?,
                source: text("source")?,
                blocks: range("start_block_index", "end_block_index")?,
            },
        ),
        "web_search_result_location" => (
            title("title")?,
            CitedSource::WebSearchResult {
                url: text("url")?,
                encrypted_index: Some(text("encrypted_index")?),
            },
        ),
        _ => return None,
    };
    Some(Citation {
        cited_text: text("cited_text")?,
        title,
        source,
    })
}
