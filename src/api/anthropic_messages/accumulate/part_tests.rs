//! What each kind of block comes to, on byte literals; every message pinned whole.

use serde_json::{Value, json};

use super::tests::{API, END, START, STOP, block, call, error, reply, thinking};
use crate::{
    api::accumulate_json,
    script::{
        Citation, CitedSource, Container, Iteration, Json, Part, ServerToolCall, ServerToolResult,
        StopDetails, Usage,
    },
};

#[test]
fn thinking_is_joined_and_its_signature_may_be_all_of_it_or_missing() {
    let start = r#"{"type":"thinking","thinking":"","signature":""}"#;
    let (hm, empty, signature) = (
        r#"{"type":"thinking_delta","thinking":"Hm"}"#,
        r#"{"type":"thinking_delta","thinking":""}"#,
        r#"{"type":"signature_delta","signature":"c2ln"}"#,
    );
    for (start, deltas, expected) in [
        (
            start,
            &[hm, hm, empty, signature][..],
            thinking("HmHm", "c2ln"),
        ),
        (start, &[signature], thinking("", "c2ln")),
        (start, &[hm], thinking("Hm", "")),
        (start, &[], thinking("", "")),
        (
            r#"{"type":"thinking","thinking":"Oh. "}"#,
            &[hm, signature],
            thinking("Oh. Hm", "c2ln"),
        ),
        (
            r#"{"type":"redacted_thinking","data":"ZGF0YQ=="}"#,
            &[],
            Part::RedactedThinking {
                data: "ZGF0YQ==".to_owned(),
            },
        ),
    ] {
        assert_eq!(
            block(start, deltas),
            Ok(vec![expected]),
            "{start} {deltas:?}"
        );
    }
}

#[test]
fn thinking_behind_its_signature_is_rejected() {
    let start = r#"{"type":"thinking","thinking":"","signature":""}"#;
    let signature = r#"{"type":"signature_delta","signature":"c2ln"}"#;
    let more = r#"{"type":"thinking_delta","thinking":"Hm"}"#;
    let error = block(start, &[signature, more]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "thinking goes on behind its signature\n  \
         where: anthropic_messages, event #4, byte 493\n  \
         expected: no more of the thinking of block 0, which is signed\n  \
         found: `thinking_delta`"
    );
}

#[test]
fn a_signature_may_come_in_pieces() {
    let start = r#"{"type":"thinking","thinking":"","signature":""}"#;
    let piece = |text: &str| format!(r#"{{"type":"signature_delta","signature":"{text}"}}"#);
    let read = block(start, &[&piece("c2"), &piece("ln")]);
    assert_eq!(read, Ok(vec![thinking("", "c2ln")]));
}

#[test]
fn counters_of_every_kind_are_read() {
    let usage = r#"{"input_tokens":1,"cache_creation_input_tokens":9,"cache_read_input_tokens":2,"cache_creation":{"ephemeral_5m_input_tokens":6,"ephemeral_1h_input_tokens":3},"output_tokens":5,"output_tokens_details":{"thinking_tokens":4},"server_tool_use":{"web_search_requests":7,"web_fetch_requests":8},"iterations":[{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":3,"cache_creation_input_tokens":4,"cache_creation":{"ephemeral_5m_input_tokens":4,"ephemeral_1h_input_tokens":0},"type":"compaction"},{"input_tokens":1,"output_tokens":2,"type":"message","model":"m"}]}"#;
    let expected = Usage::input(1)
        .output(5)
        .cache_read(2)
        .cache_creation(9)
        .cache_creation_1h(3)
        .thinking(4)
        .web_searches(7)
        .web_fetches(8)
        .iteration(Iteration::new(
            "compaction",
            Usage::input(1).output(2).cache_read(3).cache_creation(4),
        ))
        .iteration(Iteration::new("message", Usage::input(1).output(2)).model("m"));
    let delta = END.replace(r#"{"output_tokens":2}"#, usage);
    assert_eq!(reply(&[START, &delta, STOP]).usage, expected);

    let wrong = END.replace(r#"{"output_tokens":2}"#, r#"{"iterations":[{"type":1}]}"#);
    assert_eq!(
        error(&[START, &wrong]).to_string(),
        "the member `usage.iterations[0].type` has a wrong type or value\n  \
         where: anthropic_messages, event #2, byte 224\n  \
         expected: a string\n  \
         found: `1`"
    );
}

const CITING: &str = r#"{"citations":[],"type":"text","text":""}"#;
const CITED: &str = r#"{"type":"text_delta","text":"x is so"}"#;

/// This citation is read as the expected one, before its text and behind it, twice, and in a body.
#[track_caller]
fn assert_cites(citation: &str, expected: &Citation) {
    let cited = |citations: Vec<Citation>| Part::CitedText {
        text: "x is so".to_owned(),
        citations,
    };
    let delta = format!(r#"{{"type":"citations_delta","citation":{citation}}}"#);
    for order in [[&delta, CITED], [CITED, &delta]] {
        let parts = block(CITING, &order).unwrap();
        assert_eq!(parts, [cited(vec![expected.clone()])], "{order:?}");
    }
    let twice = block(CITING, &[&delta, &delta, CITED]).unwrap();
    assert_eq!(twice, [cited(vec![expected.clone(), expected.clone()])]);
    let body = format!(
        r#"{{"type":"message","id":"i","role":"assistant","model":"m","content":[{{"citations":[{citation}],"type":"text","text":"x is so"}}],"stop_reason":"end_turn"}}"#
    );
    let parts = accumulate_json(API, body.as_bytes()).unwrap().parts;
    assert_eq!(parts, [cited(vec![expected.clone()])], "{body}");
}

#[test]
fn text_of_a_model_that_cites_has_its_citations() {
    let page = |encrypted: &str| {
        Citation::web_search_result("x.", "https://x.example").encrypted_index(encrypted)
    };
    for (citation, expected) in [
        (
            r#"{"type":"char_location","cited_text":"x.","document_index":0,"document_title":"X","start_char_index":0,"end_char_index":2}"#,
            Citation::characters("x.", 0..2).title("X"),
        ),
        (
            r#"{"type":"page_location","cited_text":"x.","document_index":1,"document_title":null,"start_page_number":5,"end_page_number":6}"#,
            Citation::pages("x.", 5..6).index(1),
        ),
        (
            r#"{"type":"content_block_location","cited_text":"x.","document_index":2,"document_title":null,"start_block_index":3,"end_block_index":4}"#,
            Citation::blocks("x.", 3..4).index(2),
        ),
        (
            r#"{"type":"search_result_location","cited_text":"x.","source":"kb","title":null,"search_result_index":7,"start_block_index":0,"end_block_index":1}"#,
            Citation::search_result("x.", "kb", 0..1).index(7),
        ),
        (
            r#"{"type":"web_search_result_location","cited_text":"x.","url":"https://x.example","title":"X","encrypted_index":"ZQ=="}"#,
            page("ZQ==").title("X"),
        ),
        (
            r#"{"type":"char_location","cited_text":"x.","document_index":0,"document_title":null,"start_char_index":0,"end_char_index":2,"file_id":"file_1"}"#,
            Citation::characters("x.", 0..2).file_id("file_1"),
        ),
        (
            r#"{"type":"page_location","cited_text":"x.","document_index":0,"document_title":"X","file_id":"file_1","start_page_number":5,"end_page_number":6}"#,
            Citation::pages("x.", 5..6).title("X").file_id("file_1"),
        ),
        (
            r#"{"type":"content_block_location","cited_text":"x.","document_index":0,"document_title":null,"start_block_index":3,"end_block_index":4,"file_id":"file_1"}"#,
            Citation::blocks("x.", 3..4).file_id("file_1"),
        ),
        (
            r#"{"type":"page_location","cited_text":"x.","document_index":0,"document_title":null,"file_id":null,"start_page_number":5,"end_page_number":6}"#,
            Citation::pages("x.", 5..6),
        ),
    ] {
        assert_cites(citation, &expected);
    }
    let unused = block(CITING, &[CITED]).unwrap();
    assert_eq!(
        unused,
        [Part::CitedText {
            text: "x is so".to_owned(),
            citations: vec![],
        }]
    );
}

#[test]
fn citation_that_no_word_says_whole_is_kept_as_it_is() {
    for (citation, expected) in [
        // one that has a member more, or a wrong one, or lacks one, and a kind of tomorrow
        (
            r#"{"type":"page_location","cited_text":"x.","document_index":0,"document_title":null,"file_id":7,"start_page_number":5,"end_page_number":6}"#,
            Citation::raw(json!({
                "type": "page_location", "cited_text": "x.", "document_index": 0, "document_title": null,
                "file_id": 7, "start_page_number": 5, "end_page_number": 6
            })),
        ),
        (
            r#"{"type":"search_result_location","cited_text":"x.","source":"kb","title":"X","search_result_index":7,"start_block_index":0,"end_block_index":1,"score":0.5}"#,
            Citation::raw(json!({
                "type": "search_result_location", "cited_text": "x.", "source": "kb", "title": "X",
                "search_result_index": 7, "start_block_index": 0, "end_block_index": 1, "score": 0.5
            })),
        ),
        (
            r#"{"type":"char_location","cited_text":"x."}"#,
            Citation::raw(json!({"type": "char_location", "cited_text": "x."})),
        ),
        (
            r#"{"type":"moon_location","crater":[1]}"#,
            Citation::raw(json!({"type": "moon_location", "crater": [1]})),
        ),
    ] {
        assert_cites(citation, &expected);
    }
    let kept = Citation::raw(json!({"type": "x", "cited_text": "a", "document_title": "T"}));
    assert_eq!(
        (kept.cited_text.as_str(), kept.title.as_deref()),
        ("a", Some("T"))
    );
    assert!(matches!(kept.source, CitedSource::Other(_)));
}

/// A call of a tool that the service runs.
fn server_call(id: &str, name: &str, server: Option<&str>, arguments: Value) -> Part {
    Part::ServerToolCall(ServerToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        server: server.map(str::to_owned),
        arguments,
        caller: None,
    })
}

#[test]
fn tools_of_the_service_are_called_as_those_of_the_client_are() {
    let input = r#"{"type":"input_json_delta","partial_json":"{\"q\": 1}"}"#;
    let by_code = r#","caller":{"type":"code_execution_20250825","tool_id":"srvtoolu_1"}"#;
    let direct = r#","caller":{"type":"direct"}"#;
    let code = json!({"type": "code_execution_20250825", "tool_id": "srvtoolu_1"});
    for (kind, server, caller) in [
        ("server_tool_use", "", ""),
        ("server_tool_use", "", direct),
        ("server_tool_use", "", by_code),
        ("mcp_tool_use", r#","server_name":"clocks""#, ""),
        ("tool_use", "", direct),
        ("tool_use", "", by_code),
    ] {
        let start =
            format!(r#"{{"type":"{kind}","id":"t_1","name":"f","input":{{}}{server}{caller}}}"#);
        let server = (!server.is_empty()).then_some("clocks");
        let mut expected = match kind {
            "tool_use" => call("t_1", "f", json!({"q": 1})),
            _ => server_call("t_1", "f", server, json!({"q": 1})),
        };
        if caller == by_code {
            if let Part::ToolCall(call) = &mut expected {
                call.caller = Some(code.clone());
            }
            if let Part::ServerToolCall(call) = &mut expected {
                call.caller = Some(code.clone());
            }
        }
        assert_eq!(block(&start, &[input]).unwrap(), [expected], "{start}");
    }
}

#[test]
fn results_say_whose_they_are_and_whether_the_tool_failed() {
    for (rest, failed) in [
        (r#""content":[{"type":"web_search_result"}]"#, false),
        (
            r#""content":{"type":"web_search_tool_result_error","error_code":"unavailable"}"#,
            true,
        ),
        (
            r#""is_error":true,"content":[{"type":"text","text":"x"}]"#,
            true,
        ),
        (r#""is_error":false,"content":[]"#, false),
        (r#""content":null"#, false),
    ] {
        for kind in [
            "web_search_tool_result",
            "web_fetch_tool_result",
            "bash_code_execution_tool_result",
            "text_editor_code_execution_tool_result",
            "code_execution_tool_result",
            "tool_search_tool_result",
            "mcp_tool_result",
            "advisor_tool_result",
        ] {
            let start = format!(r#"{{"type":"{kind}","tool_use_id":"t_1",{rest}}}"#);
            let value: Value = serde_json::from_str(&start).unwrap();
            let expected = ServerToolResult {
                call_id: "t_1".to_owned(),
                kind: kind.to_owned(),
                is_error: failed,
                content: value["content"].clone(),
                caller: None,
            };
            assert_eq!(
                block(&start, &[]).unwrap(),
                [Part::ServerToolResult(expected)],
                "{start}"
            );
        }
    }
}

#[test]
fn compaction_is_joined_and_may_be_empty() {
    let compaction = |content: Option<&str>, encrypted: Option<&str>| Part::Compaction {
        content: content.map(str::to_owned),
        encrypted_content: encrypted.map(str::to_owned),
    };
    let start = r#"{"type":"compaction","content":null}"#;
    for (start, deltas, expected) in [
        (
            start,
            &[r#"{"type":"compaction_delta","content":"short"}"#][..],
            compaction(Some("short"), None),
        ),
        (
            r#"{"type":"compaction","content":null,"encrypted_content":null}"#,
            &[r#"{"type":"compaction_delta","content":"short","encrypted_content":"ZQ=="}"#],
            compaction(Some("short"), Some("ZQ==")),
        ),
        (
            start,
            &[r#"{"type":"compaction_delta","content":null}"#],
            compaction(None, None),
        ),
        (
            r#"{"type":"compaction","content":"a"}"#,
            &[r#"{"type":"compaction_delta","content":"b"}"#],
            compaction(Some("ab"), None),
        ),
    ] {
        assert_eq!(
            block(start, deltas).unwrap(),
            [expected],
            "{start} {deltas:?}"
        );
    }
}

#[test]
fn deltas_of_another_block_are_rejected() {
    let citation = r#"{"type":"citations_delta","citation":{"type":"char_location"}}"#;
    let hm = r#"{"type":"thinking_delta","thinking":"Hm"}"#;
    let text = r#"{"type":"text_delta","text":"x"}"#;
    for (start, delta, expected, found) in [
        (
            r#"{"type":"thinking","thinking":""}"#,
            citation,
            "thinking_delta or signature_delta, for block 0 of the type thinking",
            "citations_delta",
        ),
        (
            r#"{"type":"thinking","thinking":""}"#,
            r#"{"type":"x_delta"}"#,
            "thinking_delta or signature_delta, for block 0 of the type thinking",
            "x_delta",
        ),
        (
            r#"{"type":"server_tool_use","id":"t","name":"f","input":{}}"#,
            hm,
            "input_json_delta, for block 0 of the type server_tool_use",
            "thinking_delta",
        ),
        (
            r#"{"type":"mcp_tool_use","id":"t","name":"f","input":{},"server_name":"s"}"#,
            citation,
            "input_json_delta, for block 0 of the type mcp_tool_use",
            "citations_delta",
        ),
        (
            r#"{"type":"mcp_tool_result","tool_use_id":"t","content":[]}"#,
            text,
            "no delta, for block 0 of the type mcp_tool_result",
            "text_delta",
        ),
        (
            r#"{"type":"compaction","content":null}"#,
            text,
            "compaction_delta, for block 0 of the type compaction",
            "text_delta",
        ),
    ] {
        let error = block(start, &[delta]).unwrap_err();
        let offset = error.offset();
        assert_eq!(
            error.to_string(),
            format!(
                "a delta does not fit its block\n  \
                 where: anthropic_messages, event #3, byte {offset}\n  \
                 expected: {expected}\n  found: `{found}`"
            ),
            "{start}"
        );
    }
}

#[test]
fn blocks_without_the_members_of_their_type_are_rejected() {
    for (start, expected) in [
        (
            r#"{"type":"thinking"}"#,
            "the member `content_block.thinking` is missing\n  WHERE\n  expected: a string\n  \
             found: `{\"type\":\"thinking\"}`",
        ),
        (
            r#"{"type":"thinking","thinking":"","signature":1}"#,
            "the member `content_block.signature` has a wrong type or value\n  WHERE\n  \
             expected: a string or null\n  found: `1`",
        ),
        (
            r#"{"type":"redacted_thinking","data":null}"#,
            "the member `content_block.data` has a wrong type or value\n  WHERE\n  \
             expected: a string\n  found: `null`",
        ),
        (
            r#"{"type":"text","text":"","citations":[1]}"#,
            "the member `content_block.citations` has a wrong type or value\n  WHERE\n  \
             expected: an array of objects\n  found: `[1]`",
        ),
        (
            r#"{"type":"server_tool_use","id":"","name":"f","input":{}}"#,
            "the member `content_block.id` has a wrong type or value\n  WHERE\n  \
             expected: a string that is not empty\n  found: `\"\"`",
        ),
        (
            r#"{"type":"mcp_tool_use","id":"t","name":"f","server_name":1}"#,
            "the member `content_block.server_name` has a wrong type or value\n  WHERE\n  \
             expected: a string or null\n  found: `1`",
        ),
        (
            r#"{"type":"mcp_tool_result","tool_use_id":"t"}"#,
            "the member `content_block.content` is missing\n  WHERE\n  \
             expected: the result, as a JSON value\n  \
             found: `{\"tool_use_id\":\"t\",\"type\":\"mcp_tool_result\"}`",
        ),
        (
            r#"{"type":"compaction","content":1}"#,
            "the member `content_block.content` has a wrong type or value\n  WHERE\n  \
             expected: a string or null\n  found: `1`",
        ),
    ] {
        let error = block(start, &[]).unwrap_err();
        let place = "where: anthropic_messages, event #2, byte 224";
        assert_eq!(
            error.to_string(),
            expected.replace("WHERE", place),
            "{start}"
        );
    }
}

#[test]
fn a_call_of_a_server_tool_with_broken_arguments_is_rejected() {
    let start = r#"{"type":"server_tool_use","id":"t","name":"web_search","input":{}}"#;
    let error = block(
        start,
        &[r#"{"type":"input_json_delta","partial_json":"{\"q"}"#],
    );
    assert_eq!(
        error.unwrap_err().to_string(),
        "the arguments of the tool call `web_search` are not JSON\n  \
         where: anthropic_messages, event #4, byte 515\n  \
         expected: one JSON document, when the fragments are joined\n  \
         found: `{\"q`\n  \
         help: this is not the call that the model meant; it must not be run"
    );
}

#[test]
fn what_stands_beside_the_stop_reason_and_the_usage_is_read() {
    let end = r#"{"type":"message_delta","delta":{"stop_reason":"refusal","stop_sequence":null,"stop_details":{"type":"refusal","category":"cyber","explanation":null,"recommended_model":"m-2"},"container":{"id":"container_1","expires_at":"2026-08-19T15:34:12Z"}},"usage":{"output_tokens":2,"service_tier":"batch","inference_geo":"global"},"context_management":{"applied_edits":[]}}"#;
    let reply = reply(&[START, end, STOP]);
    assert_eq!(
        reply.stop_details,
        Some(
            StopDetails::new()
                .category("cyber")
                .other("recommended_model", json!("m-2"))
        )
    );
    assert_eq!(
        reply.container,
        Some(Container::new("container_1").expires_at("2026-08-19T15:34:12Z"))
    );
    assert_eq!(
        reply.context_management,
        Some(Json::from(json!({"applied_edits": []})))
    );
    assert_eq!(reply.service_tier.as_deref(), Some("batch"));
    assert_eq!(reply.inference_geo.as_deref(), Some("global"));

    for (member, rest) in [
        ("stop_details", r#""stop_details":1"#),
        ("container", r#""container":"c""#),
    ] {
        let end = END.replace(r#""stop_sequence":null"#, rest);
        let error = error(&[START, &end]);
        assert!(
            error.to_string().starts_with(&format!(
                "the member `delta.{member}` has a wrong type or value\n"
            )),
            "{error}"
        );
    }
}
