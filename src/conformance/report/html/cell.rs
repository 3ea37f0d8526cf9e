//! What one client made of a case.

use std::fmt::Write as _;

use serde_json::Value;

use super::{escaped, text};

/// The verdicts; it opens to what there is to say of them.
pub(super) fn write(out: &mut String, cases: &[Value]) {
    if cases.is_empty() {
        *out += "<td></td>";
        return;
    }
    let unclean: Vec<&Value> = cases.iter().filter(|case| !is_clean(case)).collect();
    let shown = if unclean.is_empty() {
        cases.iter().collect()
    } else {
        unclean.clone()
    };
    let mut verdicts: Vec<&str> = Vec::new();
    for case in shown {
        let verdict = text(case, "verdict");
        if !verdicts.contains(&verdict) {
            verdicts.push(verdict);
        }
    }
    let class = if !unclean.is_empty() {
        "bad"
    } else if verdicts == ["skipped"] {
        "none"
    } else {
        "good"
    };
    let verdicts = escaped(&verdicts.join(", "));
    // nothing was lost, so there is nothing to say
    if cases.iter().all(is_equal) {
        let _ = write!(out, "<td class=\"{class}\">{verdicts}</td>");
        return;
    }
    let _ = write!(
        out,
        "<td class=\"{class}\"><details><summary>{verdicts}</summary><div>"
    );
    let groups = alike(cases);
    for cases in &groups {
        write_alike(out, cases, groups.len() > 1);
    }
    *out += "</div></details></td>";
}

fn is_clean(case: &Value) -> bool {
    case.get("clean").and_then(Value::as_bool) == Some(true)
}

fn is_equal(case: &Value) -> bool {
    text(case, "verdict") == "equal"
}

/// Cases that came to the same. Errors that differ in their words only do.
fn alike(cases: &[Value]) -> Vec<Vec<&Value>> {
    let is_alike = |a: &Value, b: &Value| {
        let same = |name| text(a, name) == text(b, name);
        same("verdict") && (is_equal(a) || same("wanted") && same("got"))
    };
    let mut groups: Vec<Vec<&Value>> = Vec::new();
    for case in cases {
        let mut known = groups.iter_mut();
        match known.find(|group| group.iter().all(|other| is_alike(other, case))) {
            Some(group) => group.push(case),
            None => groups.push(vec![case]),
        }
    }
    groups
}

/// What came of these; their cuts and their verdict only if other cuts came to something else.
fn write_alike(out: &mut String, cases: &[&Value], has_others: bool) {
    let Some(first) = cases.first() else { return };
    let mut lines: Vec<(&str, &str)> = Vec::new();
    if !is_equal(first) {
        lines.extend(cases.iter().map(|case| ("detail", text(case, "detail"))));
        lines.dedup();
        let got = text(first, "got");
        if !is_clean(first) {
            lines.push(("wanted", text(first, "wanted")));
        }
        // what succeeded where it must fail is told there already
        if !lines.iter().any(|(_, line)| line.contains(got)) {
            lines.push(("got", got));
        }
        lines.retain(|(_, line)| !line.is_empty());
    }
    let said = lines
        .iter()
        .map(|(name, line)| format!("<i>{name}</i> {}", escaped(line)));
    let mut said: Vec<String> = said.collect();
    if has_others {
        let cuts = cases.iter().filter_map(|case| case.get("cut")?.as_str());
        let cuts = escaped(&cuts.collect::<Vec<_>>().join(", "));
        said.insert(
            0,
            format!("<b>{cuts}</b>: {}", escaped(text(first, "verdict"))),
        );
    }
    if !said.is_empty() {
        let _ = write!(out, "<p>\n{}</p>\n", said.join("<br>\n"));
    }
}
