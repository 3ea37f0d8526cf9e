//! The versions of the API: which are served, and what the newer one refuses.
#![cfg(feature = "server")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]

#[path = "support/post.rs"]
mod post;

use llm_wire_stub::{
    StubHandle, WireStub, WireStubBuilder,
    serde_json::{Value, json},
};
use post::{Answered, Call, call};

const OLDER: &str = "2023-06-01";
const NEWER: &str = "2026-10-21";

fn builder() -> WireStubBuilder {
    let builder = WireStub::builder().turn("accepted").repeat_last();
    builder.without_verify_on_drop()
}

fn versioned(stub: &StubHandle, version: &str) -> Call {
    let call = call(stub).without_header("anthropic-version");
    call.header("anthropic-version", version)
}

/// What was said: the text, or status, rule and message of the refusal.
fn said(answered: &Answered) -> String {
    match answered.status {
        200 => answered.text(),
        _ => format!("{}: {}", answered.gist(), answered.message()),
    }
}

/// A member of the body, and what the newer version says to it; `None` if it accepts it.
fn rows() -> Vec<(&'static str, Value, Option<&'static str>)> {
    let document = || json!({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a"}});
    let citation = || json!([{"type": "char_location", "cited_text": "a"}]);
    let cited = || json!({"type": "text", "text": "a", "citations": citation()});
    let text = || json!({"type": "text", "text": "a"});
    let said_by = |role: &str, blocks: Value| json!([{"role": "user", "content": "hi"}, {"role": role, "content": blocks}]);
    let result = |content: Value| {
        json!({
            "type": "search_result", "source": "s", "title": "t",
            "citations": {"enabled": true}, "content": content
        })
    };
    vec![
        (
            "temperature",
            json!(1.0),
            Some("400 sampling-parameters: temperature: Extra inputs are not permitted"),
        ),
        (
            "top_p",
            json!(0.5),
            Some("400 sampling-parameters: top_p: Extra inputs are not permitted"),
        ),
        (
            "top_k",
            Value::Null,
            Some("400 sampling-parameters: top_k: Extra inputs are not permitted"),
        ),
        (
            "messages",
            said_by("assistant", json!([text(), document()])),
            Some(
                "400 document-in-assistant: messages.1.content.1: `document` blocks are not accepted in assistant messages by anthropic-version 2026-10-21",
            ),
        ),
        ("messages", said_by("user", json!([document()])), None),
        (
            "messages",
            said_by(
                "assistant",
                json!([{"type": "web_fetch_tool_result", "tool_use_id": "srvtoolu_1", "content": {"type": "web_fetch_result", "content": document()}}]),
            ),
            None,
        ),
        (
            "messages",
            said_by("user", json!([text(), cited()])),
            Some(
                "400 citations-in-user-text: messages.1.content.1.citations: `citations` are not accepted on text of the user by anthropic-version 2026-10-21",
            ),
        ),
        (
            "messages",
            said_by("user", json!([result(json!([text(), cited()]))])),
            Some(
                "400 citations-in-user-text: messages.1.content.0.content.1.citations: `citations` are not accepted on text of the user by anthropic-version 2026-10-21",
            ),
        ),
        (
            "messages",
            said_by("user", json!([result(json!([text()]))])),
            None,
        ),
        (
            "messages",
            said_by(
                "user",
                json!([{"type": "text", "text": "a", "citations": []}]),
            ),
            None,
        ),
        ("messages", said_by("assistant", json!([cited()])), None),
    ]
}

#[tokio::test]
async fn the_newer_version_refuses_what_the_documentation_says_and_the_older_one_does_not() {
    let stub = builder().start();
    for (member, value, refused) in rows() {
        let asked = |version| versioned(&stub, version).member(member, value.clone());
        let newer = said(&asked(NEWER).send().await);
        assert_eq!(newer, refused.unwrap_or("accepted"), "{member}: {value}");
        let older = said(&asked(OLDER).send().await);
        assert_eq!(older, "accepted", "{member}: {value}");
    }
}

#[tokio::test]
async fn a_rule_of_a_version_can_be_switched_off_alone() {
    for (member, value, refused) in rows() {
        let Some(refused) = refused else { continue };
        let (rule, _) = refused.trim_start_matches("400 ").split_once(':').unwrap();
        let stub = builder().without_rule(rule).start();
        let asked = versioned(&stub, NEWER).member(member, value);
        assert_eq!(said(&asked.send().await), "accepted", "{rule}");
    }
}

#[tokio::test]
async fn any_other_version_is_refused_in_the_services_words() {
    let stub = builder().start();
    for (version, message) in [
        (
            "2023-10-01",
            r#"anthropic-version: "2023-10-01" is not a valid version"#,
        ),
        ("", r#"anthropic-version: "" is not a valid version"#),
        (
            "2023-06-01, 2023-06-01",
            r#"anthropic-version: "2023-06-01, 2023-06-01" is not a valid version"#,
        ),
    ] {
        let answered = versioned(&stub, version).send().await;
        let expected = format!("400 anthropic-version-value: {message}");
        assert_eq!(said(&answered), expected);
    }
    // a header that stands twice is one value
    let twice = versioned(&stub, OLDER).header("anthropic-version", NEWER);
    let expected = "400 anthropic-version-value: \
        anthropic-version: \"2023-06-01, 2026-10-21\" is not a valid version";
    assert_eq!(said(&twice.send().await), expected);

    let lenient = builder().without_rule("anthropic-version-value").start();
    let answered = versioned(&lenient, "2023-10-01").send().await;
    assert_eq!(said(&answered), "accepted");
}

#[tokio::test]
async fn a_broken_rule_of_a_version_fails_verify_with_its_source() {
    let stub = builder().start();
    let call = versioned(&stub, NEWER).member("temperature", 1.0);
    call.send().await;
    let report = stub.try_verify().unwrap_err().to_string();
    let problem = "    - #1 POST /v1/messages: temperature: Extra inputs are not permitted
        where: rule `sampling-parameters`, known from: the documentation of version 2026-10-21, and public reports: 400, also at the default value
        help: mend the request, or accept it with `.without_rule(\"sampling-parameters\")`";
    assert!(report.contains(problem), "{report}");
}
