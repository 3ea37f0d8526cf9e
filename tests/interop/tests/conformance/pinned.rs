//! A report as a file: a line for each variant, or one for each cut where the cuts differ.
//!
//! ```text
//!   equal         eol-crlf/every-line
//! ! silent-wrong  eol-cr/every-line [EveryByte]: text "", wanted "hi"
//! ```
//!
//! A `!` stands before what the catalogue does not list. What was read is noted of silent losses only: errors have the
//! client's words, and may have the machine's.

use std::{env, fmt, fs, path::PathBuf, sync::Mutex};

use llm_wire_stub::{
    FaultVariant,
    conformance::{CaseReport, Report, Suite, Verdict},
};

use crate::{document, page, subject::Subject};

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) verdict: String,
    /// Whether the catalogue lists the verdict.
    pub(crate) is_clean: bool,
    /// `kind/variant`.
    pub(crate) id: String,
    /// If it is not so under every cut.
    pub(crate) cut: Option<String>,
    pub(crate) detail: Option<String>,
}

/// How the files and the document are made anew.
pub(crate) const REMAKE: &str = "REMAKE=1 cargo test --test conformance";

/// Runs the suite, and compares.
pub(crate) async fn hold(subject: Subject) {
    // also when it is remade: what the machine may have done is looked at again, and nothing else
    let pinned = read(subject);
    let report = subject.report(|suite| expect(suite, &pinned)).await;
    let references = report.cases().filter(|case| is_reference(case));
    assert!(
        references.count() < report.cases().count(),
        "the client reads an undamaged answer wrong\n{report}"
    );
    let found = text(subject, &report);
    if is_remade() {
        write(subject, &found);
        page::add(subject, &report);
        return;
    }
    let found = lines(&found);
    let gone = pinned.iter().filter(|line| !found.contains(line));
    let new = found.iter().filter(|line| !pinned.contains(line));
    let mut difference: Vec<_> = gone.map(|line| format!("pinned: {line}")).collect();
    difference.extend(new.map(|line| format!(" found: {line}")));
    assert!(
        difference.is_empty(),
        "tests/interop/tests/conformance/pinned/{} is not what the client does\n{}\n  \
         help: if the client or the catalogue has changed, `{REMAKE}` there makes the files and the document anew",
        subject.file(),
        difference.join("\n")
    );
    page::add(subject, &report);
}

/// Tells the suite what is known, so that it looks a second time at what differs and not at what hangs as ever.
fn expect(suite: Suite, pinned: &[Line]) -> Suite {
    let known = pinned.iter().filter(|line| line.cut.is_none());
    known.fold(suite, |suite, line| {
        let verdict = ALL
            .iter()
            .find(|verdict| verdict.to_string() == line.verdict);
        match verdict {
            // a kind that is no more would be no kind to the suite either
            Some(verdict) if line.id.parse::<FaultVariant>().is_ok() => {
                suite.pin(&line.id, *verdict)
            }
            Some(_) | None => suite,
        }
    })
}

/// What can be pinned: a case that is skipped is not judged.
const ALL: &[Verdict] = &[
    Verdict::Equal,
    Verdict::Loud,
    Verdict::SilentWrong,
    Verdict::Hang,
    Verdict::Panic,
];

/// The lines of a subject's file.
pub(crate) fn read(subject: Subject) -> Vec<Line> {
    lines(&fs::read_to_string(path(subject)).unwrap_or_default())
}

pub(crate) fn is_remade() -> bool {
    env::var_os("REMAKE").is_some_and(|value| value == "1")
}

/// Its file, and then the document from the files that there are: the test that comes last sees all.
fn write(subject: Subject, text: &str) {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock();
    fs::write(path(subject), text).expect("the folder can be written");
    fs::write(document::path(), document::made()).expect("the folder can be written");
}

fn path(subject: Subject) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/pinned");
    folder.join(subject.file())
}

fn is_reference(case: &CaseReport) -> bool {
    case.id().starts_with("reference/")
}

fn text(subject: Subject, report: &Report) -> String {
    let mut cases: Vec<&CaseReport> = report.cases().collect();
    // cases end in any order
    let ids: Vec<&str> = cases.iter().map(|case| case.id()).collect();
    let place = |case: &&CaseReport| ids.iter().position(|id| *id == case.id());
    cases.sort_by_key(|case| (place(case), case.cut().map(cut_order)));
    let mut text = String::new();
    for same in cases.chunk_by(|a, b| a.id() == b.id()) {
        let agree = same
            .windows(2)
            .all(|two| two[0].verdict() == two[1].verdict());
        let shown = if agree { &same[..1] } else { same };
        for case in shown {
            let tells = matches!(
                case.verdict(),
                Verdict::SilentWrong | Verdict::Panic | Verdict::Skipped
            );
            let line = Line {
                verdict: verdict(subject, case),
                is_clean: case.is_listed(false),
                id: case.id().to_owned(),
                cut: case.cut().filter(|_| !agree).map(str::to_owned),
                detail: tells.then(|| start_of(&drawn_masked(case.detail()), 200)),
            };
            text += &format!("{line}\n");
        }
    }
    text
}

/// The verdict, or the word for either of two.
pub(crate) fn verdict(subject: Subject, case: &CaseReport) -> String {
    if subject.is_race(case) {
        "either".to_owned()
    } else {
        case.verdict().to_string()
    }
}

/// As the suite has them, not by their names.
pub(crate) fn cut_order(cut: &str) -> usize {
    let known = ["PerEvent", "Whole", "EveryByte"];
    known
        .iter()
        .position(|known| *known == cut)
        .unwrap_or(known.len())
}

/// On one line, with a word in place of what is drawn anew in each run: ports, and the ids that some clients make up where
/// the answer has none.
pub(crate) fn drawn_masked(text: &str) -> String {
    let line = text.lines().map(str::trim).collect::<Vec<_>>().join("; ");
    let masked = line.split(' ').map(|word| {
        let start = word.len().saturating_sub(36);
        match word.split_at_checked(start) {
            Some((before, end)) if is_uuid(end) => format!("{before}UUID"),
            Some(_) | None => without_port(word),
        }
    });
    masked.collect::<Vec<_>>().join(" ")
}

fn without_port(word: &str) -> String {
    match word.split_once("127.0.0.1:") {
        Some((before, rest)) => {
            let rest = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
            format!("{before}127.0.0.1:PORT{rest}")
        }
        None => word.to_owned(),
    }
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// So much that a person sees what it is about.
pub(crate) fn start_of(line: &str, length: usize) -> String {
    let mut start: String = line.chars().take(length).collect();
    if start.len() < line.len() {
        start.push('…');
    }
    start.replace('\u{feff}', "\\u{feff}")
}

fn lines(text: &str) -> Vec<Line> {
    text.lines()
        .map(|line| Line::parse(line).expect("a line as they are written"))
        .collect()
}

impl Line {
    fn parse(line: &str) -> Option<Self> {
        let (mark, rest) = line.split_at_checked(2)?;
        let (verdict, rest) = rest.split_once(' ')?;
        let rest = rest.trim_start();
        let end = rest.find([' ', ':']).unwrap_or(rest.len());
        let (id, rest) = rest.split_at_checked(end)?;
        // a cut can have a colon too
        let (cut, rest) = match rest.strip_prefix(" [") {
            Some(rest) => {
                let (cut, rest) = rest.split_once(']')?;
                (Some(cut.to_owned()), rest)
            }
            None => (None, rest),
        };
        let detail = rest.strip_prefix(": ").map(str::to_owned);
        Some(Self {
            verdict: verdict.to_owned(),
            is_clean: mark != "! ",
            id: id.to_owned(),
            cut,
            detail,
        })
    }

    pub(crate) fn kind(&self) -> &str {
        self.id.split('/').next().unwrap_or_default()
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.is_clean { " " } else { "!" };
        write!(f, "{mark} {:<13} {}", self.verdict, self.id)?;
        if let Some(cut) = &self.cut {
            write!(f, " [{cut}]")?;
        }
        match &self.detail {
            Some(detail) => write!(f, ": {detail}"),
            None => Ok(()),
        }
    }
}
