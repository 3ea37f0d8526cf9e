//! Reports of several clients on one page: clients × faults.

use std::{collections::BTreeMap, fmt, fmt::Write as _};

use serde_json::Value;

use super::json::FORMAT;
use crate::conformance::id::place;

/// A page with one column for each client and one row for each case, made of what [`Report::to_json`](super::Report::to_json)
/// wrote, so that runs of different days and machines can stand side by side. A cell opens to what was sent, wanted and
/// got under each cut. The page is one file without scripts, and asks for nothing from elsewhere.
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// use llm_wire_stub::{Api, conformance::{self, Transcript}};
///
/// let suite = conformance::suite(Api::OpenAiChat);
/// let report = suite.run(|_base_url| async { Ok::<_, String>(Transcript::text("made up")) }).await;
/// let page = conformance::html(&[("my client 1.2", &report.to_json())]).unwrap();
/// assert!(page.starts_with("<!DOCTYPE html>"));
/// # });
/// ```
///
/// # Errors
///
/// If one of the texts is no report, or one of another format.
pub fn html(clients: &[(&str, &str)]) -> Result<String, HtmlError> {
    let mut columns = Vec::new();
    for (name, json) in clients {
        columns.push(Column::read(name, json).map_err(|why| HtmlError {
            client: (*name).to_owned(),
            why,
        })?);
    }
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Conformance</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>Conformance</h1>\n<table>\n<thead>\n<tr><th>case</th>"
    );
    for column in &columns {
        let (name, api, suite) = (
            escaped(column.name),
            escaped(&column.api),
            escaped(&column.suite),
        );
        let _ = write!(
            out,
            "<th>{name}<small>{api}<br>{suite}<br>{}</small></th>",
            escaped(&column.counts)
        );
    }
    out += "</tr>\n</thead>\n<tbody>\n";
    for (_, id) in rows(&columns) {
        let cells: Vec<&[Value]> = columns.iter().map(|column| column.cases(id)).collect();
        let what = cells.iter().find_map(|cases| cases.first());
        let what = what.map_or("", |case| text(case, "what"));
        let _ = write!(
            out,
            "<tr><th>{}<small>{}</small></th>",
            escaped(id),
            escaped(what)
        );
        for cases in cells {
            write_cell(&mut out, cases);
        }
        out += "</tr>\n";
    }
    out += "</tbody>\n</table>\n</body>\n</html>\n";
    Ok(out)
}

/// A text that is no report of the suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HtmlError {
    client: String,
    why: String,
}

impl fmt::Display for HtmlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the report of `{}` cannot be read: {}\n  help: give what `Report::to_json()` wrote",
            self.client.escape_debug(),
            self.why
        )
    }
}

impl std::error::Error for HtmlError {}

/// The report of a client.
struct Column<'a> {
    name: &'a str,
    api: String,
    suite: String,
    counts: String,
    cases: BTreeMap<String, Vec<Value>>,
}

impl<'a> Column<'a> {
    fn read(name: &'a str, json: &str) -> Result<Self, String> {
        let report: Value = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let format = report.get("format");
        if format.and_then(Value::as_u64) != Some(FORMAT) {
            let found = format.map_or_else(|| "none".to_owned(), Value::to_string);
            return Err(format!("expected `format` {FORMAT}, found `{found}`"));
        }
        let list = report.get("cases").and_then(Value::as_array);
        let mut cases: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for case in list.ok_or("it has no `cases`")? {
            let id = text(case, "id").to_owned();
            cases.entry(id).or_default().push(case.clone());
        }
        let counts = report.get("counts").and_then(Value::as_object);
        let counts = counts.into_iter().flatten().filter_map(|(verdict, count)| {
            let count = count.as_u64().filter(|count| *count > 0)?;
            Some(format!("{count} {verdict}"))
        });
        Ok(Self {
            name,
            api: text(&report, "api").to_owned(),
            suite: text(&report, "suite").to_owned(),
            counts: counts.collect::<Vec<_>>().join(", "),
            cases,
        })
    }

    fn cases(&self, id: &str) -> &[Value] {
        self.cases.get(id).map_or(&[], Vec::as_slice)
    }
}

/// Every id that a client has, in the order of the catalogue; what this version does not know stands at the end.
fn rows<'a>(columns: &'a [Column<'_>]) -> Vec<(usize, &'a str)> {
    let ids = columns.iter().flat_map(|column| column.cases.keys());
    let placed = ids.map(|id| {
        let is_reference = id.starts_with("reference/");
        let known = place(id).map_or(usize::MAX, |place| place + 1);
        (if is_reference { 0 } else { known }, id.as_str())
    });
    let mut rows: Vec<_> = placed.collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

fn write_cell(out: &mut String, cases: &[Value]) {
    if cases.is_empty() {
        *out += "<td></td>";
        return;
    }
    let is_clean = |case: &Value| case.get("clean").and_then(Value::as_bool) == Some(true);
    let shown: Vec<&Value> = if cases.iter().all(is_clean) {
        cases.iter().collect()
    } else {
        cases.iter().filter(|case| !is_clean(case)).collect()
    };
    let mut verdicts: Vec<&str> = shown.iter().map(|case| text(case, "verdict")).collect();
    verdicts.dedup();
    let class = if !cases.iter().all(is_clean) {
        "bad"
    } else if verdicts == ["skipped"] {
        "none"
    } else {
        "good"
    };
    let _ = write!(
        out,
        "<td class=\"{class}\"><details><summary>{}</summary><div>",
        escaped(&verdicts.join(", "))
    );
    for case in cases {
        let cut = case.get("cut").and_then(Value::as_str).unwrap_or("uncut");
        let _ = write!(
            out,
            "<p><b>{}</b>: {}",
            escaped(cut),
            escaped(text(case, "verdict"))
        );
        for name in ["detail", "wanted", "got"] {
            let line = text(case, name);
            if !line.is_empty() {
                let _ = write!(out, "<br><i>{name}</i> {}", escaped(line));
            }
        }
        *out += "</p>";
    }
    let sent = |case: &'_ Value| case.get("sent").cloned().unwrap_or_default();
    let mut bodies: Vec<Value> = cases.iter().map(sent).collect();
    bodies.dedup();
    for body in bodies {
        let length = body.get("length").and_then(Value::as_u64).unwrap_or(0);
        let is_base64 = text(&body, "encoding") == "base64";
        let as_base64 = if is_base64 { ", in base64" } else { "" };
        let _ = write!(
            out,
            "<p><i>sent</i> {length} bytes{as_base64}</p><pre>{}</pre>",
            visible(text(&body, "data"))
        );
    }
    *out += "</div></details></td>";
}

fn text<'a>(of: &'a Value, name: &str) -> &'a str {
    of.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// As text of a page, also inside quotes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            // those that a page may not hold, spelled
            _ if character.is_control() && !matches!(character, '\n' | '\t') => {
                let _ = write!(out, "{}", character.escape_default());
            }
            _ => out.push(character),
        }
    }
    out
}

/// Bytes of a stream: what is not seen is spelled, and a line feed ends a line too.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => out += "\\n\n",
            '\u{feff}' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "{}", character.escape_unicode());
            }
            '\t' => out += "\\t",
            _ => out.push(character),
        }
    }
    escaped(&out)
}

pub(super) const STYLE: &str = "\
body { font: 14px/1.4 sans-serif; margin: 2em; }
table { border-collapse: collapse; }
th, td { border: 1px solid #ccc; padding: 0.2em 0.5em; text-align: left; vertical-align: top; }
thead th { position: sticky; top: 0; background: #fff; }
small { display: block; font-weight: normal; color: #555; }
.good { background: #e3f4e3; }
.bad { background: #f8d7d7; }
.none { background: #eee; }
details[open] > div { max-width: 60em; max-height: 30em; overflow: auto; }
pre { background: #f6f6f6; white-space: pre-wrap; overflow-wrap: anywhere; padding: 0.5em; }
";
