//! Rules of OpenAI, each with a request that breaks it and one that only just does not.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]

use llm_wire_stub::{
    StubHandle, WireStub, WireStubBuilder,
    serde_json::{Value, json},
};

use crate::post::Call;

/// A rule, a request that breaks it, the answer (message, param, code), and one that only just does not break it.
pub(crate) struct Row {
    pub(crate) rule: &'static str,
    pub(crate) breaks: Request,
    pub(crate) text: &'static str,
    pub(crate) param: Option<&'static str>,
    pub(crate) code: Option<&'static str>,
    pub(crate) passes: Request,
}

/// Changes a valid call.
pub(crate) type Request = fn(Call) -> Call;

/// A request that breaks a rule, the words of the answer, and its param.
pub(crate) type Breach = (Request, &'static str, Option<&'static str>);

/// A valid call of an API.
type Valid = fn(&StubHandle) -> Call;

pub(crate) const CREDENTIALS: Row = Row {
    rule: "credentials",
    breaks: |call| call.without_header("authorization"),
    text: "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY), or as the password field (with blank username) if you're accessing the API from your browser and are prompted for a username and password. You can obtain an API key from https://platform.openai.com/account/api-keys.",
    param: None,
    code: None,
    passes: |call| call,
};

pub(crate) const JSON_BODY: Row = Row {
    rule: "json-body",
    breaks: |call| call.raw_body("{"),
    text: "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If you have trouble figuring out how to fix this, please contact us through our help center at help.openai.com.)",
    param: None,
    code: None,
    passes: |call| call,
};

pub(crate) fn builder() -> WireStubBuilder {
    WireStub::builder()
        .allow_script_drift()
        .without_verify_on_drop()
}

/// The table of rules of a documentation: name, default, what it refuses, source.
pub(crate) fn documented(table: &str) -> Vec<[String; 4]> {
    let rows = table.lines().skip(2).map(|line| {
        let cells = line.trim_matches('|').split(" | ").map(str::trim);
        let cells: Vec<String> = cells.map(str::to_owned).collect();
        cells.try_into().unwrap()
    });
    rows.collect()
}

/// An object with the member `a`, of this type.
pub(crate) fn object(a: impl Into<Value>, required: &[&str]) -> Value {
    let a = a.into();
    json!({"type": "object", "properties": {"a": a}, "required": required, "additionalProperties": false})
}

/// Each rule refuses its request in the words of the row, and lets the near miss pass.
pub(crate) async fn assert_refused(rows: impl Iterator<Item = &'static Row>, call: Valid) {
    for row in rows {
        let stub = builder().turn("ok").with_rule(row.rule).start();
        let refused = (row.breaks)(call(&stub)).send().await;
        let status = if row.rule == "credentials" { 401 } else { 400 };
        assert_eq!((refused.status, refused.why()), (status, row.rule));
        let expected = json!({"error": {
            "message": row.text, "type": "invalid_request_error", "param": row.param, "code": row.code,
        }});
        assert_eq!(refused.json(), expected, "{}", row.rule);
        let passed = (row.passes)(call(&stub)).send().await;
        assert_eq!(passed.status, 200, "{}: {:?}", row.rule, passed.body);
    }
}

/// Each rule is documented with its default and its source, in the order of the rows, and can be switched off.
pub(crate) async fn assert_documented(
    rows: impl Iterator<Item = &'static Row> + Clone,
    documented: Vec<[String; 4]>,
    call: Valid,
) {
    let rules: Vec<_> = rows.clone().map(|row| format!("`{}`", row.rule)).collect();
    let named: Vec<_> = documented.iter().map(|[name, ..]| name.clone()).collect();
    assert_eq!(rules, named);
    for (row, [_, default, _, source]) in rows.zip(documented) {
        let stub = builder().turn("ok").start();
        let answered = (row.breaks)(call(&stub)).send().await;
        let expected = if default == "on" { row.rule } else { "" };
        assert_eq!(answered.why(), expected, "{}", row.rule);

        let stub = builder().turn("ok").without_rule(row.rule).start();
        let answered = (row.breaks)(call(&stub)).send().await;
        assert_eq!(answered.why(), "", "{}", row.rule);

        let stub = builder().with_rule(row.rule).start();
        (row.breaks)(call(&stub)).send().await;
        let report = stub.try_verify().unwrap_err().to_string();
        let known = format!("where: rule `{}`, known from: {source}\n", row.rule);
        assert!(report.contains(&known), "{known}\n{report}");
    }
}

/// Each of these is refused in its own words.
pub(crate) async fn assert_words(breaches: &[Breach], call: Valid) {
    for (breaks, text, param) in breaches {
        let stub = builder().turn("ok").start();
        let refused = breaks(call(&stub)).send().await;
        assert_eq!(refused.message(), *text);
        assert_eq!(refused.json()["error"]["param"], json!(param), "{text}");
    }
}
