//! Requests that a client must not send: of each kind of the catalogue one that each API refuses, by which rule.

use llm_wire_stub::*;

use crate::{APIS, catalogue, raw::Raw};

/// Kind, and of each API the rule and the list of its messages that breaks it; none where its service accepts it.
type Row = (&'static str, [Option<(&'static str, &'static str)>; 3]);

const KINDS: [Row; 6] = [
    (
        "req-orphan-tool-use",
        [
            Some((
                "tool-results-follow",
                r#"{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":"on"}"#,
            )),
            Some((
                "tool-results-follow",
                r#"{"role":"user","content":"go"},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"user","content":"on"}"#,
            )),
            Some((
                "tool-results-follow",
                r#"{"role":"user","content":"go"},{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"role":"user","content":"on"}"#,
            )),
        ],
    ),
    (
        "req-orphan-tool-result",
        [
            Some((
                "tool-results-match",
                r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"ok"}]}"#,
            )),
            Some((
                "tool-results-match",
                r#"{"role":"user","content":"go"},{"role":"tool","tool_call_id":"a","content":"ok"}"#,
            )),
            Some((
                "tool-results-match",
                r#"{"role":"user","content":"go"},{"type":"function_call_output","call_id":"a","output":"ok"}"#,
            )),
        ],
    ),
    (
        "req-duplicate-tool-id",
        [
            Some((
                "unique-tool-ids",
                r#"{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"ok"}]}"#,
            )),
            Some((
                "one-result-per-call",
                r#"{"role":"user","content":"go"},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"1"},{"role":"tool","tool_call_id":"a","content":"2"}"#,
            )),
            Some((
                "unique-item-ids",
                r#"{"role":"user","content":"go"},{"type":"function_call","id":"fc_1","call_id":"a","name":"f","arguments":"{}"},{"type":"function_call","id":"fc_1","call_id":"a","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":"ok"}"#,
            )),
        ],
    ),
    (
        "req-empty-text-block",
        [
            Some((
                "non-empty-text",
                r#"{"role":"user","content":[{"type":"text","text":""}]}"#,
            )),
            // OpenAI answers an empty list of content, and an empty text: openai/openai-python#1812. What it refuses
            // is the list of calls of a message that has none.
            Some((
                "tool-calls-not-empty",
                r#"{"role":"user","content":"go"},{"role":"assistant","content":"","tool_calls":[]},{"role":"user","content":"on"}"#,
            )),
            None,
        ],
    ),
    (
        "req-unsigned-thinking",
        [
            Some((
                "thinking-signature",
                r#"{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":""},{"type":"text","text":"hi"}]},{"role":"user","content":"on"}"#,
            )),
            None,
            Some((
                "reasoning-leads",
                r#"{"role":"user","content":"go"},{"type":"reasoning","id":"rs_1","summary":[]},{"role":"user","content":"on"}"#,
            )),
        ],
    ),
    (
        "req-lone-surrogate",
        [
            Some(("json-body", r#"{"role":"user","content":"\ud83d"}"#)),
            Some(("json-body", r#"{"role":"user","content":"\ud83d"}"#)),
            Some(("json-body", r#"{"role":"user","content":"\ud83d"}"#)),
        ],
    ),
];

/// A request with these messages, and as many members as each API asks for.
#[expect(clippy::wildcard_enum_match_arm, reason = "there are three APIs here")]
fn request(api: Api, messages: &str) -> Vec<u8> {
    let (path, list) = match api {
        Api::OpenAiChat => ("/v1/chat/completions", "messages"),
        Api::OpenAiResponses => ("/v1/responses", "input"),
        _ => ("/v1/messages", "messages"),
    };
    let most = if list == "input" {
        ""
    } else {
        r#""max_tokens":9,"#
    };
    let body = format!(r#"{{"model":"gpt-4o",{most}"{list}":[{messages}]}}"#);
    format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer k\r\nx-api-key: k\r\n\
         anthropic-version: 2023-06-01\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

#[test]
fn a_request_that_no_client_may_send_is_refused_by_a_rule_of_its_provider() {
    for (kind, of_each) in KINDS {
        for (api, breach) in APIS.into_iter().zip(of_each) {
            let Some((rule, messages)) = breach else {
                continue;
            };
            let stub = WireStub::builder()
                .turn("never said")
                .without_verify_on_drop()
                .start();
            let mut client = Raw::asking(&stub, request(api, messages));
            let head = client.head();
            assert!(
                head.starts_with("HTTP/1.1 400 "),
                "{kind} on {api:?}: {head}"
            );
            let seen = stub.single_request();
            assert_eq!(
                seen.answered_by(),
                format!("refused: {rule}"),
                "{kind} on {api:?}"
            );
            // and with the rule off it is answered, so nothing else refuses it; JSON is needed for an answer
            if rule != "json-body" {
                let stub = WireStub::builder()
                    .turn("said")
                    .without_rule(rule)
                    .without_rule("tool-results-follow")
                    .without_rule("one-result-per-call")
                    .without_verify_on_drop()
                    .start();
                let mut client = Raw::asking(&stub, request(api, messages));
                let head = client.head();
                assert!(
                    head.starts_with("HTTP/1.1 200 "),
                    "{kind} on {api:?}: {head}"
                );
            }
        }
    }
}

#[test]
fn every_kind_of_a_request_that_the_catalogue_names_has_a_row() {
    for (place, family) in ["A", "C", "R"].into_iter().enumerate() {
        let Some(mut asked) = catalogue::asked(family, |_| true) else {
            return;
        };
        asked.retain(|kind| kind.starts_with("req-"));
        for kind in asked {
            let row = KINDS.iter().find(|(known, _)| *known == kind);
            let breach = row.and_then(|(_, of_each)| of_each[place]);
            assert!(breach.is_some(), "{family} has no request for {kind}");
        }
    }
}
