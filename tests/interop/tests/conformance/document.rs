//! `docs/conformance.md`, made of the pinned files.

use std::{fmt::Write as _, fs, path::PathBuf};

use llm_wire_stub::{Api, Fault, FaultVariant, Turn, serde_json::json, try_sse_body};

use crate::{
    SUBJECTS,
    pinned::{self, Line},
    subject::{Library, Subject},
};

const APIS: [Api; 3] = [
    Api::AnthropicMessages,
    Api::OpenAiChat,
    Api::OpenAiResponses,
];

const fn title(api: Api) -> &'static str {
    match api {
        Api::AnthropicMessages => "Anthropic Messages",
        Api::OpenAiChat => "Chat Completions",
        _ => "Responses",
    }
}

pub(crate) fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/conformance.md")
}

#[test]
fn the_document_shows_the_pinned_verdicts() {
    // then it is made while this runs
    if pinned::is_remade() {
        return;
    }
    let document = fs::read_to_string(path()).unwrap_or_default();
    assert!(
        document == made(),
        "docs/conformance.md does not show what tests/interop/tests/conformance/pinned holds\n  \
         help: `{}` in tests/interop makes both anew",
        pinned::REMAKE
    );
}

/// The whole document.
pub(crate) fn made() -> String {
    let mut out = include_str!("introduction.md").to_owned();
    out += "\nThe clients, their versions, and what there is to know of each:\n\n";
    for library in Library::ALL {
        let packages = library.packages().into_iter();
        let versions = packages.map(|(name, version)| format!("`{name}` {version}"));
        let versions = versions.collect::<Vec<_>>().join(", ");
        let _ = writeln!(out, "- {}: {versions}. {}", library.name(), library.note());
    }
    for api in APIS {
        let _ = write!(out, "\n## {}\n\n{}", title(api), table(api));
    }
    out += "\n## Every silent loss and every panic\n\n";
    out += include_str!("reproduction.md");
    for library in Library::ALL {
        out += &losses(*library);
    }
    out
}

fn subjects(api: Api) -> impl Iterator<Item = Subject> {
    SUBJECTS
        .iter()
        .copied()
        .filter(move |subject| subject.api == api)
}

/// A row for each kind that the API has.
fn table(api: Api) -> String {
    let columns: Vec<_> = subjects(api)
        .map(|subject| (subject.library.name(), pinned::read(subject)))
        .collect();
    let mut kinds: Vec<&str> = Vec::new();
    for line in columns.iter().flat_map(|(_, lines)| lines) {
        if !kinds.contains(&line.kind()) {
            kinds.push(line.kind());
        }
    }
    let names: Vec<_> = columns.iter().map(|(name, _)| *name).collect();
    let mut table = format!("| kind | {} |\n", names.join(" | "));
    table += &format!("| --- |{}\n", " --- |".repeat(names.len()));
    for kind in kinds {
        let _ = write!(table, "| `{kind}` |");
        for (_, lines) in &columns {
            let lines: Vec<_> = lines.iter().filter(|line| line.kind() == kind).collect();
            let _ = write!(table, " {} |", cell(&lines));
        }
        table.push('\n');
    }
    table
}

/// The verdicts on the variants of a kind; how many there are of each, if they differ. A variant counts by the worst of its
/// cuts.
fn cell(lines: &[&Line]) -> String {
    let mut counts: Vec<(bool, &str, usize)> = Vec::new();
    for cuts in lines.chunk_by(|a, b| a.id == b.id) {
        let worst = cuts.iter().find(|line| !line.is_clean).unwrap_or(&cuts[0]);
        let key = (worst.is_clean, worst.verdict.as_str());
        let mut known = counts.iter_mut();
        match known.find(|(is_clean, verdict, _)| (*is_clean, *verdict) == key) {
            Some((_, _, count)) => *count += 1,
            None => counts.push((key.0, key.1, 1)),
        }
    }
    counts.sort_by_key(|(is_clean, verdict, _)| (!is_clean, *verdict));
    let differ = counts.len() > 1;
    let words = counts.iter().map(|(is_clean, verdict, count)| {
        let mut word = verdict.strip_suffix("-wrong").unwrap_or(verdict).to_owned();
        if differ {
            word += &format!(" {count}");
        }
        if *is_clean {
            word
        } else {
            format!("**{word}**")
        }
    });
    words.collect::<Vec<_>>().join(", ")
}

/// What a client loses without a word, a line for each variant; APIs with the same loss are one line.
fn losses(library: Library) -> String {
    let mut losses: Vec<(Line, Vec<Api>)> = Vec::new();
    for subject in SUBJECTS.iter().filter(|subject| subject.library == library) {
        let lines = pinned::read(*subject).into_iter();
        for line in lines.filter(|line| line.verdict == "silent-wrong" || line.verdict == "panic") {
            match losses.iter_mut().find(|(known, _)| *known == line) {
                Some((_, apis)) => apis.push(subject.api),
                None => losses.push((line, vec![subject.api])),
            }
        }
    }
    let order = |id: &str| {
        let kind = id.split('/').next().unwrap_or_default();
        let place = Fault::ALL.iter().position(|fault| fault.id() == kind);
        place.unwrap_or(usize::MAX)
    };
    losses.sort_by(|(a, _), (b, _)| (order(&a.id), &a.id).cmp(&(order(&b.id), &b.id)));
    let mut out = format!("\n### {}\n\n", library.name());
    if losses.is_empty() {
        out += "None.\n";
    }
    for (line, apis) in &losses {
        let _ = writeln!(out, "- {}", loss(line, apis));
    }
    out
}

fn loss(line: &Line, apis: &[Api]) -> String {
    let names: Vec<_> = apis.iter().map(|api| title(*api)).collect();
    let mut loss = format!("`{}`, {}: ", line.id, names.join(", "));
    let fault: Option<FaultVariant> = line.id.parse().ok();
    if let Some(fault) = fault {
        let _ = write!(loss, "{}. ", fault.description());
    }
    let detail = line.detail.as_deref().unwrap_or_default();
    let came = if line.verdict == "panic" {
        "Panic"
    } else {
        "Read"
    };
    let _ = write!(loss, "{came}: `{}`. ", detail.replace('`', "'"));
    let script = fault.and_then(|fault| script(apis, fault, line.cut.as_deref()));
    loss + &script.unwrap_or_else(|| scenario(&line.id))
}

/// What takes more than one answer, in words or as the first of them is written.
fn scenario(id: &str) -> String {
    let text = r#"Turn::new().text("Hé, wörld: 日本 and 🦀, all of it.")"#;
    match id.split_once('/') {
        Some(("fail-after-partial-then-ok", "clean-eof")) => {
            format!("`{text}.end(After::deltas(2), Ending::CleanEof)`")
        }
        Some(("redirect", to)) => {
            let (status, place) = match to.split_once('-') {
                Some((status, _)) => (status, "on another port"),
                None => (to, "on the same server"),
            };
            format!(
                "A server that answers {status} with a `Location` {place}, where `{text}` is the answer"
            )
        }
        _ => format!("`suite(api).only([\"{id}\"])`"),
    }
}

/// The first of the suite's answers that the fault finds something in, as it is written.
fn script(apis: &[Api], fault: FaultVariant, cut: Option<&str>) -> Option<String> {
    let call = |turn: Turn| turn.tool_call_with_id("call_1", "f", json!({"a": "é\n", "n": 997}));
    let two = call(Turn::new()).tool_call_with_id("call_2", "g", json!({"b": "日本"}));
    let turns = [
        (
            Turn::new().text("Hé, wörld: 日本 and 🦀, all of it."),
            r#"text("Hé, wörld: 日本 and 🦀, all of it.")"#,
        ),
        (
            call(Turn::new().text("Lét me.")),
            r#"text("Lét me.").tool_call_with_id("call_1", "f", json!({"a": "é\n", "n": 997}))"#,
        ),
        (
            two,
            r#"tool_call_with_id("call_1", "f", json!({"a": "é\n", "n": 997})).tool_call_with_id("call_2", "g", json!({"b": "日本"}))"#,
        ),
        (
            Turn::new().thinking("Hm, whý?").text("Hé."),
            r#"thinking("Hm, whý?").text("Hé.")"#,
        ),
    ];
    let fits = |turn: &Turn| {
        let turn = turn.clone().fault(fault);
        apis.iter().all(|api| try_sse_body(*api, &turn).is_ok())
    };
    let (_, written) = turns.into_iter().find(|(turn, _)| fits(turn))?;
    let (kind, id) = (fault.fault(), fault.id());
    let (_, variant) = id.split_once('/')?;
    let cut = cut
        .map(|cut| format!(".cut(Cut::{cut})"))
        .unwrap_or_default();
    Some(format!(
        "`Turn::new().{written}.fault(Fault::{kind:?}.variant(\"{variant}\")){cut}`"
    ))
}
