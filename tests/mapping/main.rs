//! What each API carries of a turn, and where on the wire: `src/api/mapping.md`, which stands in the documentation of
//! `Api`, is made of answers, so that it cannot say anything else than what is written.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]

mod leaves;
mod rows;

use std::{fs, path::PathBuf};

use leaves::{Leaf, Leaves, places};
use llm_wire_stub::*;
use rows::{MARK, Row, Section, Shows};

/// Whose answers a column shows.
struct Column {
    name: &'static str,
    api: Api,
    dialect: Option<Dialect>,
}

/// One line for each API.
const APIS: &[Column] = &[
    Column {
        name: "Anthropic Messages",
        api: Api::AnthropicMessages,
        dialect: None,
    },
    Column {
        name: "OpenAI Chat",
        api: Api::OpenAiChat,
        dialect: None,
    },
    Column {
        name: "OpenAI Responses",
        api: Api::OpenAiResponses,
        dialect: None,
    },
    Column {
        name: "OpenAI Completions",
        api: Api::OpenAiCompletions,
        dialect: None,
    },
];

/// One line for each dialect of OpenAI Chat.
const DIALECTS: &[Dialect] = &[
    Dialect::OpenRouter,
    Dialect::Azure,
    Dialect::DeepSeek,
    Dialect::Groq,
    Dialect::Mistral,
    Dialect::Perplexity,
    Dialect::Xai,
    Dialect::Together,
    Dialect::Ollama,
    Dialect::Vllm,
];

const DOCUMENT: &str = include_str!("../../src/api/mapping.md");

const BEFORE: &str = "\
What each API carries of a turn, and where in the body of an answer, or in an event of a stream: the members that have
what the turn says, behind the type of the object that they are in. A cell that begins with *no* is the error that an
unplayable turn gets. This is made of answers, and checked against them.
";

impl Column {
    const fn of(dialect: Dialect) -> Self {
        Self {
            name: "OpenAI Chat",
            api: Api::OpenAiChat,
            dialect: Some(dialect),
        }
    }

    fn form(&self, turn: &Turn) -> Turn {
        let turn = turn.clone();
        self.dialect
            .map_or(turn.clone(), |dialect| turn.dialect(dialect))
    }

    /// What stands in the column for a row.
    fn cell(&self, row: &Row) -> String {
        let turn = self.form(&row.turn);
        let streamed = match try_sse_body(self.api, &turn) {
            Ok(streamed) => streamed,
            Err(error) => return refused(&error),
        };
        let body = try_json_body(self.api, &turn).map(|body| {
            let of = |turn: &Turn| Leaves::of_body(&json_body(self.api, turn));
            self.shown(row, &Leaves::of_body(&body), of)
        });
        let shown = body.unwrap_or_default();
        let shown = if shown.is_empty() {
            let of = |turn: &Turn| Leaves::of_stream(&sse_body(self.api, turn));
            self.shown(row, &Leaves::of_stream(&streamed), of)
        } else {
            shown
        };
        assert!(!shown.is_empty(), "{} loses {}", self.name, row.name);
        let reply = turn.normalized(self.api).unwrap();
        let read = accumulate(self.api, &streamed);
        assert_eq!(read.as_ref(), Ok(&reply), "{}: {}", self.name, row.name);
        shown + &row.read_as(&reply)
    }

    /// Where the row is seen in an answer; nothing if it is not.
    fn shown(&self, row: &Row, leaves: &Leaves, of: impl Fn(&Turn) -> Leaves) -> String {
        let of = |turn: &Turn| of(&self.form(turn));
        match &row.shows {
            Shows::Form => "yes, in the form of the answer".to_owned(),
            Shows::Marked => places(&leaves.marked(MARK)),
            Shows::Members(without) => places(&leaves.less(&of(without))),
            Shows::Values(bases) => {
                let differences = bases.iter().map(|base| {
                    let other = of(base);
                    let members = leaves.less(&other).into_iter().map(Leaf::member);
                    members.collect::<Vec<_>>().join(", ")
                });
                let mut differences = differences.filter(|members| !members.is_empty());
                differences.next().unwrap_or_default()
            }
        }
    }
}

impl Row {
    /// How a stop reason is read where that is another one.
    fn read_as(&self, reply: &Reply) -> String {
        match &self.reason {
            Some(said) if reply.stop_reason != *said => {
                format!("; read as `{:?}`", reply.stop_reason)
            }
            Some(_) | None => String::new(),
        }
    }
}

/// The first line of an error, without the name of the API's column.
fn refused(error: &UnplayableError) -> String {
    let error = error.to_string();
    let (what, _) = error.split_once('\n').unwrap();
    format!("*no*: {what}")
}

fn table(section: &Section, columns: &[Column]) -> String {
    let names: Vec<_> = columns.iter().map(|column| column.name).collect();
    let mut table = format!("| {} | {} |\n", section.name, names.join(" | "));
    table += &format!("| --- |{}\n", " --- |".repeat(columns.len()));
    for row in &section.rows {
        let cells: Vec<_> = columns.iter().map(|column| column.cell(row)).collect();
        table += &format!("| {} | {} |\n", row.name, cells.join(" | "));
    }
    table
}

/// What each dialect says otherwise than OpenAI.
fn dialects() -> String {
    let of = |dialect, row: &Row| Column::of(dialect).cell(row);
    let mut table =
        "| dialect of OpenAI Chat | | otherwise than OpenAI |\n| --- | --- | --- |\n".to_owned();
    for dialect in DIALECTS {
        for row in rows::sections().iter().flat_map(|section| &section.rows) {
            let (said, openais) = (of(*dialect, row), of(Dialect::OpenAi, row));
            let both_refuse = [&said, &openais]
                .iter()
                .all(|cell| cell.starts_with("*no*"));
            if said != openais && !both_refuse {
                table += &format!("| {dialect:?} | {} | {said} |\n", row.name);
            }
        }
    }
    table
}

fn document() -> String {
    let tables = rows::sections();
    let tables = tables.iter().map(|section| table(section, APIS));
    std::iter::once(BEFORE.to_owned())
        .chain(tables)
        .chain([dialects()])
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn the_documentation_shows_what_is_written() {
    let made = document();
    if made != DOCUMENT {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("mapping.md");
        fs::write(&path, &made).unwrap();
        let differing = made.lines().zip(DOCUMENT.lines()).find(|(a, b)| a != b);
        panic!(
            "src/api/mapping.md is not what is written: {differing:#?}\n  \
             help: if it is meant, copy {} there",
            path.display()
        );
    }
}
