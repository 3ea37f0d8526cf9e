//! Text with what it is based on.

use llm_wire_stub::{Citation, Json};
use serde_json::json;

use super::Case;

pub(super) fn citations() -> Vec<Case> {
    let grass = "The grass is green.";
    vec![
        Case::new(
            "citations of every kind",
            |turn| {
                turn.text("As they say: ")
                    .cited_text(
                        "grass is green",
                        [
                            Citation::characters(grass, 0..19).title("facts.txt"),
                            Citation::characters("é😀", 3..5).index(2),
                            Citation::pages(grass, 4..6).title("facts.pdf").index(1),
                            Citation::blocks(grass, 0..2),
                        ],
                    )
                    .text(", and ")
                    .cited_text(
                        "so on.",
                        [
                            Citation::search_result(grass, "https://s.example", 1..3).title("S").index(1),
                            Citation::web_search_result(grass, "https://w.example")
                                .title("W")
                                .encrypted_index("aW5kZXg="),
                        ],
                    )
                    .cited_text(" Nothing cited.", [])
            },
            json!([
                {"type": "text", "text": "As they say: "},
                {"type": "text", "text": "grass is green", "citations": [
                    {"type": "char_location", "cited_text": grass, "document_index": 0, "document_title": "facts.txt",
                     "start_char_index": 0, "end_char_index": 19},
                    {"type": "char_location", "cited_text": "é😀", "document_index": 2, "document_title": null,
                     "start_char_index": 3, "end_char_index": 5},
                    {"type": "page_location", "cited_text": grass, "document_index": 1, "document_title": "facts.pdf",
                     "start_page_number": 4, "end_page_number": 6},
                    {"type": "content_block_location", "cited_text": grass, "document_index": 0,
                     "document_title": null, "start_block_index": 0, "end_block_index": 2},
                ]},
                {"type": "text", "text": ", and "},
                {"type": "text", "text": "so on.", "citations": [
                    {"type": "search_result_location", "cited_text": grass, "source": "https://s.example",
                     "title": "S", "search_result_index": 1, "start_block_index": 1, "end_block_index": 3},
                    {"type": "web_search_result_location", "cited_text": grass, "url": "https://w.example",
                     "title": "W", "encrypted_index": "aW5kZXg="},
                ]},
                {"type": "text", "text": " Nothing cited.", "citations": []},
            ]),
        ),
        Case::new(
            "citations as they are",
            |turn| {
                let of_a_file = r#"{"type":"char_location","cited_text":"G","document_index":0,"document_title":null,"start_char_index":0,"end_char_index":1,"file_id":"file_01a"}"#;
                let of_tomorrow = r#"{"type":"scent_location","cited_text":"G","rose":{"petals":5}}"#;
                turn.cited_text("G", [Citation::raw(Json::raw(of_a_file))])
                    .cited_text("H", [Citation::raw(Json::raw(of_tomorrow))])
            },
            json!([
                {"type": "text", "text": "G", "citations": [
                    {"type": "char_location", "cited_text": "G", "document_index": 0, "document_title": null,
                     "start_char_index": 0, "end_char_index": 1, "file_id": "file_01a"},
                ]},
                {"type": "text", "text": "H", "citations": [
                    {"type": "scent_location", "cited_text": "G", "rose": {"petals": 5}},
                ]},
            ]),
        )
        .unknown(&["content.1"]),
    ]
}
