//! Reports of several clients on one page: clients × faults.
//!
//! | file | holds |
//! | --- | --- |
//! | `cell.rs` | what one client made of a case |
//! | `sent.rs` | the bytes of a case |
//! | `style.css` | how the page looks |

mod cell;
mod sent;

use std::{collections::BTreeMap, fmt, fmt::Write as _};

use serde_json::Value;

use super::json::FORMAT;
use crate::conformance::id::place;

/// A page with a table for each API, one column for each client and one row for each case, made of what
/// [`Report::to_json`](super::Report::to_json) wrote, so that runs of different days and machines can stand side by side. A
/// row opens to the bytes that were sent, a cell to what was wanted and got under each cut. The page is one file without
/// scripts, and asks for nothing from elsewhere.
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
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>Conformance</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>Conformance</h1>\n{LEGEND}"
    );
    let mut apis: Vec<&str> = Vec::new();
    for column in &columns {
        if !apis.contains(&column.api.as_str()) {
            apis.push(&column.api);
        }
    }
    for api in apis {
        let columns: Vec<&Column<'_>> = columns.iter().filter(|of| of.api == api).collect();
        write_table(&mut out, api, &columns);
    }
    out += "</body>\n</html>\n";
    Ok(out)
}

pub(super) const LEGEND: &str = "\
<p>Columns are clients, rows are cases. A case opens to the bytes that were sent, a verdict to what the client made of \
them. Where nothing is said of a cut, it was so under every one. Of an undamaged answer all is shown, of another what is \
not as there, or its first lines.</p>
<p><span class=\"key good\">what the case asks for</span> <span class=\"key bad\">anything else</span> \
<span class=\"key none\">not judged</span></p>
";

pub(super) const STYLE: &str = include_str!("style.css");

fn write_table(out: &mut String, api: &str, columns: &[&Column<'_>]) {
    let _ = write!(
        out,
        "<h2>{}</h2>\n<table>\n<thead>\n<tr><th>case</th>",
        escaped(api)
    );
    for column in columns {
        let (name, suite, counts) = (
            escaped(column.name),
            escaped(&column.suite),
            escaped(&column.counts),
        );
        let _ = write!(out, "<th>{name}<small>{suite}<br>{counts}</small></th>");
    }
    *out += "</tr>\n</thead>\n<tbody>\n";
    let undamaged = sent::references(columns);
    for (_, id) in rows(columns) {
        let cells: Vec<&[Value]> = columns.iter().map(|column| column.cases(id)).collect();
        *out += "<tr><th>";
        sent::write(out, id, &cells, &undamaged);
        *out += "</th>";
        for cases in cells {
            cell::write(out, cases);
        }
        *out += "</tr>\n";
    }
    *out += "</tbody>\n</table>\n";
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
fn rows<'a>(columns: &[&'a Column<'_>]) -> Vec<(usize, &'a str)> {
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

fn text<'a>(of: &'a Value, name: &str) -> &'a str {
    of.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// As text of a page.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => out.push(character),
            _ => push_escaped(&mut out, character),
        }
    }
    out
}

/// What a page may not hold is spelled.
fn push_escaped(out: &mut String, character: char) {
    match character {
        // quotes are half of JSON, and harmless outside of tags
        '&' => *out += "&amp;",
        '<' => *out += "&lt;",
        '>' => *out += "&gt;",
        _ if character.is_control() => {
            let _ = write!(out, "{}", character.escape_default());
        }
        _ => out.push(character),
    }
}
