//! `docs/clients.md` shows the pinned verdicts, and every test that it names exists.

use crate::{
    client::{Client, Form, Library, Wire},
    topics::{TABLES, Topic},
};

const DOCUMENT: &str = include_str!("../../../../docs/clients.md");

/// The files of the claims, by the name of their module.
const SOURCES: &[(&str, &str)] = &[
    ("answers", include_str!("answers.rs")),
    ("broken", include_str!("broken.rs")),
    ("cancel", include_str!("cancel.rs")),
    ("completions", include_str!("completions.rs")),
    ("embeddings", include_str!("embeddings.rs")),
    ("errors", include_str!("errors.rs")),
    ("provider_blocks", include_str!("provider_blocks.rs")),
    ("requests", include_str!("requests.rs")),
    ("side_roads", include_str!("side_roads.rs")),
    ("stops", include_str!("stops.rs")),
    ("thinking", include_str!("thinking.rs")),
    ("tools", include_str!("tools.rs")),
    ("vendors", include_str!("vendors.rs")),
];

const fn name(library: Library) -> &'static str {
    match library {
        Library::Rig => "rig",
        Library::Genai => "genai",
        Library::AsyncAnthropic => "async-anthropic",
        Library::AsyncOpenai => "async-openai",
    }
}

/// A table of one API as the document has it: the rows that the API has, if it has any.
fn table(wire: Wire, rows: &[(&str, Topic)]) -> Option<String> {
    let mut table = "| topic |".to_owned();
    for library in wire.libraries() {
        let name = name(library);
        table += &format!(" {name}, whole | {name}, streamed |");
    }
    table += "\n| --- | --- | --- | --- | --- | --- | --- |\n";
    let empty = table.len();
    for (_, topic) in rows {
        let cells = wire.libraries().map(|library| {
            let client = Client { library, wire };
            [Form::Whole, Form::Streamed].map(|form| topic.cell(client, form))
        });
        let cells = cells.as_flattened();
        if cells.iter().all(|cell| cell.is_empty()) {
            continue;
        }
        table += &format!("| {} |", topic.name);
        for cell in cells {
            match *cell {
                "" => table += " |",
                cell => table += &format!(" {cell} |"),
            }
        }
        table.push('\n');
    }
    (table.len() > empty).then_some(table)
}

#[test]
fn the_tables_show_the_pinned_verdicts() {
    let tables = TABLES
        .iter()
        .flat_map(|(_, rows)| Wire::ALL.map(|wire| table(wire, rows)))
        .flatten();
    let missing: Vec<_> = tables
        .filter(|table| !DOCUMENT.contains(&format!("\n{table}\n")))
        .collect();
    assert!(
        missing.is_empty(),
        "docs/clients.md has other tables\n  help: put these there\n\n{}",
        missing.join("\n")
    );
}

#[test]
fn every_pinned_verdict_is_measured_by_a_claim() {
    for (topic, _) in TABLES.iter().flat_map(|(_, rows)| *rows) {
        let measured = SOURCES
            .iter()
            .any(|(_, source)| source.contains(&format!("topics::{topic}")));
        assert!(measured, "nothing measures `{topic}`");
    }
}

/// They are written as `module::name`.
#[test]
fn every_test_that_the_document_names_exists() {
    let mut named = 0;
    for word in DOCUMENT.split('`') {
        let Some((module, name)) = word.split_once("::") else {
            continue;
        };
        let Some((_, source)) = SOURCES.iter().find(|(known, _)| *known == module) else {
            continue;
        };
        assert!(
            source.contains(&format!("async fn {name}(")),
            "there is no `{word}`"
        );
        named += 1;
    }
    assert!(named >= 16, "the document names {named} tests");
}

#[test]
fn the_document_names_the_versions_that_are_tested() {
    let manifest = include_str!("../../Cargo.toml");
    for name in [
        "rig-core",
        "rig-agent",
        "genai",
        "async-anthropic",
        "async-openai",
    ] {
        let (_, rest) = manifest
            .split_once(&format!("\n{name} = {{ version = \"="))
            .expect("pinned");
        let (version, _) = rest.split_once('"').expect("quoted");
        let words = format!("`{name}` {version}");
        assert!(
            DOCUMENT.contains(&words),
            "docs/clients.md does not say {words}"
        );
    }
}
