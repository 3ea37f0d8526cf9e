//! `docs/conformance.html`: the reports of all clients on one page, made by a run over all of them.

use std::{fs, mem, path::PathBuf, sync::Mutex};

use llm_wire_stub::{
    conformance::{self, Report},
    serde_json::{Value, from_str},
};

use crate::{
    SUBJECTS,
    pinned::{self, drawn_masked, start_of},
    subject::Subject,
};

/// Takes a report; with the last of them the page is made, or compared.
pub(crate) fn add(subject: Subject, report: &Report) {
    static REPORTS: Mutex<Vec<(Subject, String)>> = Mutex::new(Vec::new());
    let mut reports = REPORTS.lock().expect("no test has failed in here");
    reports.push((subject, published(subject, report)));
    if reports.len() < SUBJECTS.len() {
        return;
    }
    let page = made(&reports);
    drop(reports);
    if pinned::is_remade() {
        fs::write(path(), page).expect("the folder can be written");
        return;
    }
    let published = fs::read_to_string(path()).unwrap_or_default();
    let (found, published) = (fixed(&page), fixed(&published));
    let difference = found.iter().zip(&published).find(|(a, b)| a != b);
    assert!(
        found == published,
        "docs/conformance.html does not show what the clients do\n  first difference: {difference:?}\n  \
         help: `{}` in tests/interop makes it anew",
        pinned::REMAKE
    );
}

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/conformance.html")
}

fn made(reports: &[(Subject, String)]) -> String {
    let columns: Vec<(String, &str)> = SUBJECTS
        .iter()
        .filter_map(|subject| {
            let (_, json) = reports.iter().find(|(known, _)| known == subject)?;
            Some((subject.library.title(), json.as_str()))
        })
        .collect();
    let columns: Vec<(&str, &str)> = columns
        .iter()
        .map(|(title, json)| (title.as_str(), *json))
        .collect();
    conformance::html(&columns).expect("reports")
}

/// A report as the page shows it: by the catalogue alone, whatever was pinned, and without what may be another in each run.
fn published(subject: Subject, report: &Report) -> String {
    let mut json: Value = from_str(&report.to_json()).expect("JSON");
    let mut cases = json["cases"].take();
    let cases = cases.as_array_mut().expect("a list");
    for (case, shown) in report.cases().zip(cases.iter_mut()) {
        shown["clean"] = case.is_listed(false).into();
        for name in ["detail", "wanted", "got"] {
            if let Some(text) = shown[name].as_str() {
                let text = drawn_masked(text);
                shown[name] = start_of(&text, 200).into();
            }
        }
        if subject.is_race(case) {
            let count = &mut json["counts"][case.verdict().to_string()];
            *count = count.as_u64().map(|count| count - 1).into();
            json["counts"]["either"] = 1.into();
            shown["verdict"] = "either".into();
            for name in ["detail", "wanted", "got"] {
                shown[name] = Value::Null;
            }
        }
    }
    // they end in any order
    cases.sort_by_key(|case| case["cut"].as_str().map(pinned::cut_order));
    json["cases"] = mem::take(cases).into();
    json.to_string()
}

/// The lines of a page that are the same in every run: not the words of an error, which may be the machine's.
fn fixed(page: &str) -> Vec<String> {
    let lines = page.lines();
    // the last of them ends its paragraph
    let kept = lines.filter(|line| !line.starts_with("<i>detail</i>"));
    kept.map(|line| line.replace("<br>", "").replace("</p>", ""))
        .filter(|line| !line.is_empty())
        .collect()
}
