//! A citation, read back. One that has not the members of its kind, or has others besides, is kept as it is.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::script::{Citation, CitedSource, Json};

/// The citation with these members.
pub(in crate::api::anthropic_messages) fn read(members: &Map<String, Value>) -> Citation {
    known(members).unwrap_or_else(|| Citation::raw(Json::read(Value::Object(members.clone()))))
}

const INDEX: &str = "document_index";
const TITLE: &str = "document_title";
const FILE: &str = "file_id";

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
    // the official SDKs' types have it for documents only, and it may be null
    let file_id = match members.get(FILE) {
        None | Some(Value::Null) => None,
        Some(id) => Some(id.as_str()?.to_owned()),
    };
    let (names, title, source): (&[&str], _, _) = match members.get("type")?.as_str()? {
        "char_location" => (
            &[INDEX, TITLE, "start_char_index", "end_char_index", FILE],
            title(TITLE)?,
            CitedSource::Characters {
                document: number(INDEX)?,
                characters: range("start_char_index", "end_char_index")?,
            },
        ),
        "page_location" => (
            &[INDEX, TITLE, "start_page_number", "end_page_number", FILE],
            title(TITLE)?,
            CitedSource::Pages {
                document: number(INDEX)?,
                pages: range("start_page_number", "end_page_number")?,
            },
        ),
        "content_block_location" => (
            &[INDEX, TITLE, "start_block_index", "end_block_index", FILE],
            title(TITLE)?,
            CitedSource::Blocks {
                document: number(INDEX)?,
                blocks: range("start_block_index", "end_block_index")?,
            },
        ),
        "search_result_location" => (
            &[
                "title",
                "source",
                "search_result_index",
                "start_block_index",
                "end_block_index",
            ],
            title("title")?,
            CitedSource::SearchResult {
                index: number("search_result_index")?,
                source: text("source")?,
                blocks: range("start_block_index", "end_block_index")?,
            },
        ),
        "web_search_result_location" => (
            &["title", "url", "encrypted_index"],
            title("title")?,
            CitedSource::WebSearchResult {
                url: text("url")?,
                encrypted_index: Some(text("encrypted_index")?),
            },
        ),
        _ => return None,
    };
    let is_known = |name: &str| matches!(name, "type" | "cited_text") || names.contains(&name);
    if !members.keys().all(|name| is_known(name)) {
        return None;
    }
    Some(Citation {
        cited_text: text("cited_text")?,
        title,
        file_id,
        source,
    })
}
