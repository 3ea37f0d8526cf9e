//! The rules of the side roads: what each refuses in which words, what each lets pass, and that the documentation
//! lists them.

use llm_wire_stub::serde_json::{Value, json};

use crate::{ask, ask_with, builder, error};

/// A rule, a request that breaks it, the answer (status, message, type, param, code), and one that only just does not
/// break it.
struct Row {
    rule: &'static str,
    path: &'static str,
    breaks: Value,
    message: &'static str,
    kind: &'static str,
    param: Option<&'static str>,
    code: Option<&'static str>,
    passes: Value,
}

const INVALID: &str = "invalid_request_error";
const MALFORMED: &str = "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.";

fn row(rule: &'static str, breaks: Value, message: &'static str, passes: Value) -> Row {
    Row {
        rule,
        path: "/embeddings",
        breaks,
        message,
        kind: INVALID,
        param: None,
        code: None,
        passes,
    }
}

fn of(input: impl Into<Value>) -> Value {
    json!({"model": "text-embedding-3-small", "input": input.into(), "dimensions": 2})
}

fn rows() -> Vec<Row> {
    let mut rows = vec![
        row("json-body", json!([]), JSON_BODY, of("a")),
        row(
            "required-fields",
            json!({"input": "a"}),
            "you must provide a model parameter",
            json!({"input": "a", "model": "m"}),
        ),
    ];
    rows.extend(inputs());
    rows.extend(dimensions());
    rows.extend(moderations());
    rows
}

fn moderations() -> [Row; 3] {
    let image = json!({"type": "image_url", "image_url": {"url": "https://a.example/a.png"}});
    let breaks = [
        (json!({}), json!({"input": ""})),
        (json!({"input": []}), json!({"input": ["a", "b"]})),
        (
            json!({"input": [{"type": "text"}, image]}),
            json!({"input": [{"type": "text", "text": "a"}, image]}),
        ),
    ];
    breaks.map(|(breaks, passes)| {
        let message =
            "Invalid 'input': expected a string, a list of strings, or a list of texts and images.";
        let row = row("moderation-input", breaks, message, passes);
        let (path, param) = ("/moderations", Some("input"));
        Row { path, param, ..row }
    })
}

fn inputs() -> Vec<Row> {
    let tokens = |n: usize| vec![7; n];
    vec![
        row("embedding-input", of(""), MALFORMED, of(" ")),
        row(
            "embedding-input",
            of(json!(["a", ""])),
            MALFORMED,
            of(json!(["a", "b"])),
        ),
        row(
            "embedding-input",
            of(json!([[]])),
            MALFORMED,
            of(json!([[1]])),
        ),
        row(
            "embedding-input",
            of(json!(["a", 1])),
            MALFORMED,
            of(json!([2, 1])),
        ),
        row("embedding-input", json!({"model": "m"}), MALFORMED, of("a")),
        row(
            "embedding-list-length",
            of(vec!["a"; 2049]),
            MALFORMED,
            of(vec!["a"; 2048]),
        ),
        row(
            "embedding-token-limits",
            of(tokens(8193)),
            "Invalid 'input': maximum context length is 8192 tokens.",
            of(tokens(8192)),
        ),
        Row {
            kind: "max_tokens_per_request",
            code: Some("max_tokens_per_request"),
            ..row(
                "embedding-token-limits",
                of(json!(vec![tokens(5000); 61])),
                "Requested 305000 tokens, max 300000 tokens per request",
                of(json!(vec![tokens(5000); 60])),
            )
        },
    ]
}

fn dimensions() -> Vec<Row> {
    let form = |name: &'static str, value: Value, message| {
        let mut breaks = of("a");
        breaks[name] = value;
        let row = row("embedding-form", breaks, message, of("a"));
        Row {
            param: Some(name),
            ..row
        }
    };
    vec![
        row(
            "embedding-dimensions-support",
            json!({"model": "text-embedding-ada-002", "input": "a", "dimensions": 2}),
            "This model does not support specifying dimensions.",
            json!({"model": "text-embedding-ada-002", "input": "a", "dimensions": null}),
        ),
        form(
            "dimensions",
            json!(1537),
            "Invalid 'dimensions': expected a number from 1 to 1536.",
        ),
        form(
            "dimensions",
            json!(0),
            "Invalid 'dimensions': expected a number from 1 to 1536.",
        ),
        form(
            "encoding_format",
            json!("int8"),
            "Invalid 'encoding_format': expected 'float' or 'base64'.",
        ),
    ]
}

const JSON_BODY: &str = "We could not parse the JSON body of your request. (HINT: This likely means you aren't using \
    your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If you \
    have trouble figuring out how to fix this, please contact us through our help center at help.openai.com.)";

#[tokio::test]
async fn each_rule_refuses_in_the_words_of_the_service_and_nothing_more() {
    let stub = builder().without_verify_on_drop().start();
    for row in rows() {
        let refused = ask(&stub, "POST", row.path, Some(row.breaks.clone())).await;
        assert_eq!(
            (refused.status, refused.why()),
            (400, row.rule),
            "{}",
            row.rule
        );
        let expected = error(row.message, row.kind, row.param, row.code);
        assert_eq!(refused.json(), expected, "{}", row.rule);
        let passes = ask(&stub, "POST", row.path, Some(row.passes)).await;
        assert_eq!(passes.status, 200, "{}: {passes:?}", row.rule);
    }
}

#[tokio::test]
async fn each_rule_can_be_switched_off() {
    for row in rows() {
        let stub = builder().without_rule(row.rule).start();
        let passes = ask(&stub, "POST", row.path, Some(row.breaks.clone())).await;
        let other = passes.why();
        let is_free = passes.status == 200 || (!other.is_empty() && other != row.rule);
        assert!(is_free, "{}: {passes:?}", row.rule);
        let _ = stub.try_verify();
    }
}

#[tokio::test]
async fn a_key_is_asked_for_on_every_road() {
    let stub = builder().without_verify_on_drop().start();
    for (method, path) in [
        ("GET", "/models"),
        ("GET", "/models/gpt-4o"),
        ("POST", "/embeddings"),
        ("POST", "/moderations"),
    ] {
        let body = (method == "POST").then(|| of("a"));
        let refused = ask_with(&stub, method, path, body, &[]).await;
        assert_eq!(
            (refused.status, refused.why()),
            (401, "credentials"),
            "{path}"
        );
    }
}

#[test]
fn the_documentation_lists_the_rules() {
    let table = include_str!("../../src/api/openai/side_roads/rules.md");
    let listed = table.lines().skip(2).map(|line| {
        let name = line.split('`').nth(1).unwrap();
        assert!(line.contains("| on |"), "{line}");
        name.to_owned()
    });
    let listed: Vec<String> = listed.collect();
    let mut tested: Vec<String> = vec!["credentials".to_owned()];
    for row in rows() {
        if !tested.contains(&row.rule.to_owned()) {
            tested.push(row.rule.to_owned());
        }
    }
    assert_eq!(listed, tested);
}
