//! `docs/clients.md` shows the pinned verdicts, and every test that it names exists.

use crate::{
    client::{Client, Form},
    topics::{TABLES, Topic},
};

const DOCUMENT: &str = include_str!("../../../../docs/clients.md");

/// The files of the claims, by the name of their module.
const SOURCES: &[(&str, &str)] = &[
    ("answers", include_str!("answers.rs")),
    ("broken", include_str!("broken.rs")),
    ("cancel", include_str!("cancel.rs")),
    ("errors", include_str!("errors.rs")),
    ("provider_blocks", include_str!("provider_blocks.rs")),
    ("requests", include_str!("requests.rs")),
    ("thinking", include_str!("thinking.rs")),
    ("tools", include_str!("tools.rs")),
];

/// A table as the document has it.
fn table(rows: &[(&str, Topic)]) -> String {
    let mut table = "| topic | rig, whole | rig, streamed | genai, whole | genai, streamed | \
                     async-anthropic, whole | async-anthropic, streamed |\n\
                     | --- | --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for (_, topic) in rows {
        table += &format!("| {} |", topic.name);
        for client in Client::ALL {
            for form in [Form::Whole, Form::Streamed] {
                match topic.cell(client, form) {
                    "" => table += " |",
                    cell => table += &format!(" {cell} |"),
                }
            }
        }
        table.push('\n');
    }
    table
}

#[test]
fn the_tables_show_the_pinned_verdicts() {
    let tables = TABLES.iter().map(|(_, rows)| table(rows));
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
    assert!(named >= 8, "the document names {named} tests");
}

#[test]
fn the_document_names_the_versions_that_are_tested() {
    let manifest = include_str!("../../Cargo.toml");
    for name in ["rig-core", "rig-agent", "genai", "async-anthropic"] {
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
