//! Citations, member by member.
//!
//! Known from traffic: `char_location` and `web_search_result_location` in a stream. The others are spelled as the
//! service's own SDKs list them, with `type` first. In a body a cited block is spelled as it starts in a stream,
//! with its citations first; no recording shows it. Neither does one show a `file_id` of its own; public reports have
//! it last.

use std::ops::Range;

use serde_json::Value;

use crate::{
    api::anthropic_messages::accumulate,
    json::{write_number, write_str},
    script::{Citation, CitedSource},
};

pub(super) fn write_all(out: &mut Vec<u8>, citations: &[Citation]) {
    out.push(b'[');
    for (n, citation) in citations.iter().enumerate() {
        if n > 0 {
            out.push(b',');
        }
        write(out, citation);
    }
    out.push(b']');
}

pub(in crate::api::anthropic_messages) fn write(out: &mut Vec<u8>, citation: &Citation) {
    match &citation.source {
        CitedSource::Characters {
            document,
            characters,
        } => {
            write_document(out, "char_location", citation, *document);
            write_range(out, ["start_char_index", "end_char_index"], characters);
            write_file(out, citation);
        }
        CitedSource::Pages { document, pages } => {
            write_document(out, "page_location", citation, *document);
            write_range(out, ["start_page_number", "end_page_number"], pages);
            write_file(out, citation);
        }
        CitedSource::Blocks { document, blocks } => {
            write_document(out, "content_block_location", citation, *document);
            write_range(out, ["start_block_index", "end_block_index"], blocks);
            write_file(out, citation);
        }
        CitedSource::SearchResult {
            index,
            source,
            blocks,
        } => {
            write_head(out, "search_result_location", citation);
            write_text(out, "source", Some(source));
            write_text(out, "title", citation.title.as_deref());
            write_count(out, "search_result_index", *index);
            write_range(out, ["start_block_index", "end_block_index"], blocks);
        }
        CitedSource::WebSearchResult {
            url,
            encrypted_index,
        } => {
            write_head(out, "web_search_result_location", citation);
            write_text(out, "url", Some(url));
            write_text(out, "title", citation.title.as_deref());
            write_text(out, "encrypted_index", encrypted_index.as_deref());
        }
        CitedSource::Other(citation) => {
            out.extend_from_slice(citation.as_str().as_bytes());
            return;
        }
    }
    out.push(b'}');
}

/// `{"type":…,"cited_text":…`
fn write_head(out: &mut Vec<u8>, kind: &str, citation: &Citation) {
    out.extend_from_slice(br#"{"type":"#);
    write_str(out, kind);
    write_text(out, "cited_text", Some(&citation.cited_text));
}

fn write_document(out: &mut Vec<u8>, kind: &str, citation: &Citation, document: u64) {
    write_head(out, kind, citation);
    write_count(out, "document_index", document);
    write_text(out, "document_title", citation.title.as_deref());
}

fn write_file(out: &mut Vec<u8>, citation: &Citation) {
    if let Some(id) = &citation.file_id {
        write_text(out, "file_id", Some(id));
    }
}

fn write_range(out: &mut Vec<u8>, [start, end]: [&str; 2], range: &Range<u64>) {
    write_count(out, start, range.start);
    write_count(out, end, range.end);
}

fn write_count(out: &mut Vec<u8>, name: &str, number: u64) {
    out.push(b',');
    write_str(out, name);
    out.push(b':');
    write_number(out, number);
}

fn write_text(out: &mut Vec<u8>, name: &str, text: Option<&str>) {
    out.push(b',');
    write_str(out, name);
    out.push(b':');
    match text {
        Some(text) => write_str(out, text),
        None => out.extend_from_slice(b"null"),
    }
}

/// The citation that a client reads: one that is given as it is may be of a kind that has a word.
pub(super) fn read_back(citation: Citation) -> Citation {
    match &citation.source {
        CitedSource::Other(json) => match json.to_value() {
            Value::Object(members) => accumulate::citation(&members),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => citation,
        },
        CitedSource::Characters { .. }
        | CitedSource::Pages { .. }
        | CitedSource::Blocks { .. }
        | CitedSource::SearchResult { .. }
        | CitedSource::WebSearchResult { .. } => citation,
    }
}
