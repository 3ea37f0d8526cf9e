//! Small reports, whole.

use serde_json::Value;

use super::{
    CaseReport, Report,
    html::{LEGEND, STYLE},
    json::SUITE,
};
use crate::{
    api::Api,
    conformance::{Verdict, html},
    script::Requirement,
};

fn case(id: &str, cut: Option<&str>, verdict: Verdict, detail: &str) -> CaseReport {
    CaseReport {
        id: id.to_owned(),
        what: "every LF becomes CR LF",
        cut: cut.map(str::to_owned),
        asks: Requirement::MustSucceedWithSameResult,
        also: None,
        verdict,
        detail: detail.to_owned(),
        wanted: None,
        got: None,
        calls: 1,
        sent: b"data: 1\r\n\r\n".to_vec(),
        sent_length: 11,
    }
}

fn report() -> Report {
    let limit = std::time::Duration::from_millis(50);
    let pins = vec![("redirect".to_owned(), Verdict::Loud)];
    let mut report = Report::new(Api::OpenAiChat, false, Some(limit), pins);
    report.unseen = vec!["usage"];
    report.add(case(
        "eol-crlf/every-line",
        Some("Whole"),
        Verdict::Equal,
        "",
    ));
    let detail = "text \"<b>`|`&'\u{1}\", wanted \"a\"";
    let mut wrong = case(
        "eol-crlf/every-line",
        Some("EveryByte"),
        Verdict::SilentWrong,
        detail,
    );
    wrong.wanted = Some("text \"a\"".to_owned());
    wrong.got = Some("text \"<b>`|`&'\"".to_owned());
    wrong.sent = b"\xff\n".to_vec();
    wrong.sent_length = 70_000;
    report.add(wrong);
    let mut moved = case("redirect/301", None, Verdict::Loud, "status 301");
    moved.asks = Requirement::MustError;
    moved.also = Some(Requirement::MustSucceedWithSameResult);
    report.add(moved);
    report.add(case("redirect/302", None, Verdict::Skipped, "no"));
    report
}

#[test]
fn a_report_in_markdown_is_exact() {
    let expected = format!(
        r#"# openai_chat, {SUITE}

4 cases, 1 equal, 1 loud, 1 silent-wrong, 1 skipped; the client says nothing of usage.

## Not clean

### `eol-crlf/every-line`

Every LF becomes CR LF. Asked: `must-succeed-with-same-result`.

- **silent-wrong**, cut `EveryByte`: ``text "<b>`|`&'{control}", wanted "a"``
  - wanted: `text "a"`
  - got: ``text "<b>`|`&'"``

## All cases

| case | asked | verdict |
| --- | --- | --- |
| `eol-crlf/every-line` | `must-succeed-with-same-result` | **equal, silent-wrong** |
| `redirect/301` | `must-error` or `must-succeed-with-same-result` | loud |
| `redirect/302` | `must-succeed-with-same-result` | skipped |
"#,
        control = '\u{1}'
    );
    assert_eq!(report().to_markdown(), expected);
}

#[test]
fn a_report_in_json_has_its_members_in_order() {
    let expected = r#"{
  "format": 1,
  "suite": "SUITE",
  "api": "openai_chat",
  "strict": false,
  "idle_limit_ms": 50.0,
  "stopped": false,
  "clean": false,
  "unseen": [
    "usage"
  ],
  "counts": {
    "equal": 1,
    "loud": 1,
    "silent-wrong": 1,
    "hang": 0,
    "panic": 0,
    "bad-request": 0,
    "skipped": 1
  },
  "cases": [
    {
      "id": "eol-crlf/every-line",
      "what": "every LF becomes CR LF",
      "cut": "Whole",
      "requirement": "must-succeed-with-same-result",
      "also": null,
      "pinned": null,
      "verdict": "equal",
      "clean": true,
      "detail": "",
      "wanted": null,
      "got": null,
      "sent": {
        "length": 11,
        "encoding": "text",
        "data": "data: 1\r\n\r\n"
      },
      "requests": 1
    },
    {
      "id": "eol-crlf/every-line",
      "what": "every LF becomes CR LF",
      "cut": "EveryByte",
      "requirement": "must-succeed-with-same-result",
      "also": null,
      "pinned": null,
      "verdict": "silent-wrong",
      "clean": false,
      "detail": "text \"<b>`|`&'\u0001\", wanted \"a\"",
      "wanted": "text \"a\"",
      "got": "text \"<b>`|`&'\"",
      "sent": {
        "length": 70000,
        "encoding": "base64",
        "data": "/wo="
      },
      "requests": 1
    },
"#
    .replace("SUITE", SUITE);
    let json = report().to_json();
    assert!(json.starts_with(&expected), "{json}");
    let read: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(read["cases"][2]["pinned"], "loud");
    assert_eq!(read["cases"][3]["verdict"], "skipped");
    assert_eq!(read["cases"].as_array().unwrap().len(), 4);
}

#[cfg(feature = "junit")]
#[test]
fn a_report_as_junit_is_exact_and_read_back() {
    let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="conformance" tests="4" skipped="1" failures="1" errors="0">
    <testsuite name="openai_chat" tests="4" skipped="1" errors="0" failures="1">
        <properties>
            <property name="suite" value="SUITE"/>
        </properties>
        <testcase name="eol-crlf/every-line [Whole]" classname="openai_chat"/>
        <testcase name="eol-crlf/every-line [EveryByte]" classname="openai_chat">
            <failure message="text &quot;&lt;b&gt;`|`&amp;&apos;&quot;, wanted &quot;a&quot;" type="silent-wrong">every LF becomes CR LF
asked: must-succeed-with-same-result
wanted: text &quot;a&quot;
got: text &quot;&lt;b&gt;`|`&amp;&apos;&quot;</failure>
        </testcase>
        <testcase name="redirect/301" classname="openai_chat"/>
        <testcase name="redirect/302" classname="openai_chat">
            <skipped message="no"/>
        </testcase>
    </testsuite>
</testsuites>
"#
    .replace("SUITE", SUITE);
    let xml = report().to_junit();
    assert_eq!(xml, expected);
    let read = quick_junit::Report::deserialize_from_str(&xml).unwrap();
    assert_eq!((read.tests, read.failures), (4, 1));
    let cases = &read.test_suites[0].test_cases;
    assert_eq!(cases[3].name.as_str(), "redirect/302");
}

#[test]
fn a_page_of_two_clients_is_exact() {
    let mut other = Report::new(Api::OpenAiChat, true, None, Vec::new());
    other.add(case("reference/text", Some("PerEvent"), Verdict::Hang, ""));
    let page = html(&[
        ("<a> & \"b\"", &report().to_json()),
        ("c", &other.to_json()),
    ])
    .unwrap();
    let expected = r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Conformance</title>
<style>
STYLE</style>
</head>
<body>
<h1>Conformance</h1>
LEGEND<h2>openai_chat</h2>
<table>
<thead>
<tr><th>case</th><th>&lt;a&gt; &amp; "b"<small>SUITE<br>1 equal, 1 loud, 1 silent-wrong, 1 skipped</small></th><th>c<small>SUITE<br>1 hang</small></th></tr>
</thead>
<tbody>
<tr><th><details><summary>reference/text</summary><div><p><i>asked</i> must-succeed-with-same-result</p>
<p><i>sent</i> 11 bytes</p><pre>data: 1\r\n
\r\n
</pre></div></details><small>every LF becomes CR LF</small></th><td></td><td class="bad"><details><summary>hang</summary><div></div></details></td></tr>
<tr><th><details><summary>eol-crlf/every-line</summary><div><p><i>asked</i> must-succeed-with-same-result</p>
<p><i>sent</i> 11 bytes</p><pre>data: 1\r\n
\r\n
</pre>
<p><i>sent</i> 70000 bytes, in base64</p><pre>/wo=</pre></div></details><small>every LF becomes CR LF</small></th><td class="bad"><details><summary>silent-wrong</summary><div><p>
<b>Whole</b>: equal</p>
<p>
<b>EveryByte</b>: silent-wrong<br>
<i>detail</i> text "&lt;b&gt;`|`&amp;'\u{1}", wanted "a"<br>
<i>wanted</i> text "a"<br>
<i>got</i> text "&lt;b&gt;`|`&amp;'"</p>
</div></details></td><td></td></tr>
<tr><th><details><summary>redirect/301</summary><div><p><i>asked</i> must-error or must-succeed-with-same-result</p>
<p><i>sent</i> 11 bytes</p><pre>data: 1\r\n
\r\n
</pre></div></details><small>every LF becomes CR LF</small></th><td class="good"><details><summary>loud</summary><div><p>
<i>detail</i> status 301</p>
</div></details></td><td></td></tr>
<tr><th><details><summary>redirect/302</summary><div><p><i>asked</i> must-succeed-with-same-result</p>
<p><i>sent</i> 11 bytes</p><pre>data: 1\r\n
\r\n
</pre></div></details><small>every LF becomes CR LF</small></th><td class="none"><details><summary>skipped</summary><div><p>
<i>detail</i> no</p>
</div></details></td><td></td></tr>
</tbody>
</table>
</body>
</html>
"#
    .replace("STYLE", STYLE)
    .replace("LEGEND", LEGEND)
    .replace("SUITE", SUITE);
    assert_eq!(page, expected);
}

#[test]
fn a_page_has_of_a_damaged_answer_the_events_that_are_not_those_of_the_undamaged_one() {
    let sent = |id: &str, body: &str| {
        let mut case = case(id, None, Verdict::Loud, "");
        case.sends(body.as_bytes());
        case
    };
    let mut report = Report::new(Api::OpenAiChat, false, None, Vec::new());
    report.add(sent("reference/text", "data: 1\n\ndata: 2\n\ndata: 3\n\n"));
    report.add(sent("redirect/301", "data: 1\n\ndata: 2\n\ndata: 3\n\n"));
    report.add(sent(
        "eol-mixed/by-line",
        "data: 1\n\ndata: 2\r\n\ndata: 3\n\n",
    ));
    report.add(sent("eof-before-terminal/cut", "data: 1\n\ndata: 2\n\n"));
    let page = html(&[("a", &report.to_json())]).unwrap();
    for expected in [
        "<p><i>sent</i> 27 bytes</p><pre>data: 1\\n\n\\n\ndata: 2\\n\n",
        "<p><i>sent</i> 27 bytes; as reference/text</p></div>",
        "<p><i>sent</i> 28 bytes; as reference/text but for this, 2 lines before it and 2 behind</p><pre>data: 2\\r\\n\n\\n\n</pre>",
        "<p><i>sent</i> 18 bytes; as reference/text, of which the end is missing</p></div>",
    ] {
        assert!(page.contains(expected), "{expected}\n{page}");
    }
}

#[test]
fn a_text_that_is_no_report_is_refused_by_the_name_of_its_client() {
    let text = |json: &str| html(&[("a\n", json)]).unwrap_err().to_string();
    assert_eq!(
        text("{}"),
        "the report of `a\\n` cannot be read: expected `format` 1, found `none`\n  \
         help: give what `Report::to_json()` wrote"
    );
    assert_eq!(
        text(r#"{"format":1}"#),
        "the report of `a\\n` cannot be read: it has no `cases`\n  help: give what `Report::to_json()` wrote"
    );
    assert!(text("").starts_with("the report of `a\\n` cannot be read: EOF"));
}
