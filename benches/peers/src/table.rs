//! In: measured rows. Out: the Markdown table, on the terminal and in the marked section of `benches/README.md`.

use crate::figures::{Rounds, Unit, short};
use std::path::Path;

/// The columns of the other servers, in print order.
pub const OTHERS: [&str; 5] = [
    "hyper",
    "wiremock pooled",
    "wiremock",
    "httpmock",
    "mockito",
];

#[derive(Debug)]
pub struct Row {
    number: u8,
    what: String,
    ours: String,
    others: [Option<String>; OTHERS.len()],
    target: Target,
}

#[derive(Clone, Copy, Debug)]
pub enum Bar {
    AtMost(f64),
    AtLeast(f64),
}

#[derive(Debug)]
enum Target {
    Ratio { ratio: f64, bar: Bar, to: String },
    Value { value: f64, bar: Bar, unit: Unit },
    None,
}

impl Row {
    pub fn new(number: u8, what: impl Into<String>, ours: impl Into<String>) -> Self {
        Self {
            number,
            what: what.into(),
            ours: ours.into(),
            others: Default::default(),
            target: Target::None,
        }
    }

    /// A row of `rounds` where column `ours` is ours; every other server that took part is shown.
    pub fn of(number: u8, what: &str, unit: Unit, rounds: &Rounds, ours: &str) -> Self {
        let figure = rounds.figure(ours).expect("our own column is measured");
        let mut row = Self::new(number, what, unit.text(figure));
        for other in OTHERS {
            if let Some(figure) = rounds.figure(other) {
                row = row.other(other, unit.text(figure));
            }
        }
        row
    }

    pub fn other(mut self, column: &str, text: impl Into<String>) -> Self {
        let index = OTHERS.iter().position(|other| *other == column);
        self.others[index.expect("a known column")] = Some(text.into());
        self
    }

    pub fn ratio(mut self, ratio: f64, bar: Bar, to: &str) -> Self {
        let to = to.to_owned();
        self.target = Target::Ratio { ratio, bar, to };
        self
    }

    pub fn value(mut self, value: f64, bar: Bar, unit: Unit) -> Self {
        self.target = Target::Value { value, bar, unit };
        self
    }

    pub fn missed(&self) -> bool {
        self.target.met() == Some(false)
    }

    pub fn line(&self) -> String {
        let mut cells = vec![
            self.number.to_string(),
            self.what.clone(),
            self.ours.clone(),
        ];
        cells.extend(
            self.others
                .iter()
                .map(|text| text.clone().unwrap_or_default()),
        );
        cells.extend(self.target.cells());
        format!("| {} |", cells.join(" | "))
    }
}

impl Bar {
    fn holds(self, figure: f64) -> bool {
        match self {
            Self::AtMost(limit) => figure <= limit,
            Self::AtLeast(limit) => figure >= limit,
        }
    }

    fn sign_and_limit(self) -> (&'static str, f64) {
        match self {
            Self::AtMost(limit) => ("≤", limit),
            Self::AtLeast(limit) => ("≥", limit),
        }
    }
}

impl Target {
    fn met(&self) -> Option<bool> {
        match self {
            Self::Ratio { ratio, bar, .. } => Some(bar.holds(*ratio)),
            Self::Value { value, bar, .. } => Some(bar.holds(*value)),
            Self::None => None,
        }
    }

    fn cells(&self) -> [String; 3] {
        let (ratio, target) = match self {
            Self::Ratio { ratio, bar, to } => {
                let (sign, limit) = bar.sign_and_limit();
                (short(*ratio), format!("{sign} {limit} × {to}"))
            }
            Self::Value { bar, unit, .. } => {
                let (sign, limit) = bar.sign_and_limit();
                (String::new(), format!("{sign} {}", unit.text(limit)))
            }
            Self::None => (String::new(), String::new()),
        };
        let met = match self.met() {
            Some(true) => "pass",
            Some(false) => "**fail**",
            None => "",
        };
        [ratio, target, met.to_owned()]
    }
}

fn header() -> String {
    let mut cells = vec!["#", "what", "ours"];
    cells.extend(OTHERS);
    cells.extend(["ratio", "target", "met"]);
    format!(
        "| {} |\n|{}",
        cells.join(" | "),
        " --- |".repeat(cells.len())
    )
}

pub fn markdown(rows: &[Row]) -> String {
    let lines: Vec<String> = rows.iter().map(Row::line).collect();
    format!("{}\n{}\n", header(), lines.join("\n"))
}

/// Rewrites the section of `profile` in the README, see [`with_section`].
pub fn write_section(readme: &Path, profile: &str, kind: &str, facts: &str, rows: &[Row]) {
    let text = std::fs::read_to_string(readme).expect("benches/README.md is readable");
    let text = with_section(&text, profile, kind, facts, rows);
    std::fs::write(readme, text).expect("benches/README.md is writable");
}

/// Puts `rows` and the facts about the run that made them between the markers of `profile`.
///
/// Rows with a number that this run did not measure stay, and so do the facts of the other kind of
/// run: the clean builds are measured apart from everything else.
fn with_section(text: &str, profile: &str, kind: &str, facts: &str, rows: &[Row]) -> String {
    let open = format!("<!-- {profile} -->\n");
    let close = format!("<!-- /{profile} -->");
    let (before, rest) = text.split_once(&open).expect("the opening marker is there");
    let (section, after) = rest
        .split_once(&close)
        .expect("the closing marker is there");

    let label = format!("- {kind}: ");
    let mut fact_lines = kept(section, "- ", |line| !line.starts_with(&label));
    fact_lines.push(format!("{label}{facts}"));
    fact_lines.sort();

    let measured = |number| rows.iter().any(|row| row.number == number);
    let stays = |line: &str| line_number(line).is_some_and(|number| !measured(number));
    let mut lines = kept(section, "| ", stays);
    lines.extend(rows.iter().map(Row::line));
    lines.sort_by_key(|line| line_number(line));

    let (facts, header, lines) = (fact_lines.join("\n"), header(), lines.join("\n"));
    format!("{before}{open}\n{facts}\n\n{header}\n{lines}\n\n{close}{after}")
}

fn kept(section: &str, start: &str, keep: impl Fn(&str) -> bool) -> Vec<String> {
    let lines = section
        .lines()
        .filter(|line| line.starts_with(start) && keep(line));
    lines.map(str::to_owned).collect()
}

fn line_number(line: &str) -> Option<u8> {
    line.split('|').nth(1)?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_replaces_its_own_rows_and_keeps_the_others() {
        let empty = "intro\n<!-- dev -->\n<!-- /dev -->\n<!-- release -->\n<!-- /release -->\n";
        let row = |number, ours| Row::new(number, "what", ours);
        let text = with_section(
            empty,
            "dev",
            "measured",
            "a",
            &[row(4, "old"), row(11, "old")],
        );
        let text = with_section(&text, "dev", "clean builds", "b", &[row(12, "build")]);
        let text = with_section(
            &text,
            "dev",
            "measured",
            "c",
            &[row(4, "new"), row(11, "new")],
        );

        let line = |number, ours| row(number, ours).line();
        let expected = [
            "intro",
            "<!-- dev -->",
            "",
            "- clean builds: b",
            "- measured: c",
            "",
            &header(),
            &line(4, "new"),
            &line(11, "new"),
            &line(12, "build"),
            "",
            "<!-- /dev -->",
            "<!-- release -->",
            "<!-- /release -->",
            "",
        ];
        assert_eq!(text, expected.join("\n"));
    }
}
