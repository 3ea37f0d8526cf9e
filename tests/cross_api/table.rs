//! What `src/api/mapping.md` says cannot be said.

use std::collections::BTreeMap;

use llm_wire_stub::*;

const DOCUMENT: &str = include_str!("../../src/api/mapping.md");

/// Where a turn is written: an API, in a vendor's form of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface {
    pub(crate) api: Api,
    /// Of OpenAI Chat.
    pub(crate) dialect: Option<Dialect>,
}

/// All surfaces: OpenAI's own form of Chat among the dialects.
pub(crate) fn surfaces() -> impl Iterator<Item = Surface> {
    let apis = [
        Api::AnthropicMessages,
        Api::OpenAiResponses,
        Api::OpenAiCompletions,
    ];
    let apis = apis.into_iter().map(|api| Surface { api, dialect: None });
    let dialects = Dialect::ALL.iter().map(|dialect| Surface {
        api: Api::OpenAiChat,
        dialect: Some(*dialect),
    });
    apis.chain(dialects)
}

impl Surface {
    pub(crate) fn name(self) -> String {
        let dialect = self.dialect.map(|dialect| format!(" {}", dialect.name()));
        self.api.name().to_owned() + &dialect.unwrap_or_default()
    }

    /// The turn in the vendor's form.
    pub(crate) fn form(self, turn: Turn) -> Turn {
        match self.dialect {
            Some(dialect) => turn.dialect(dialect),
            None => turn,
        }
    }
}

/// What stands in the way of something that a turn says.
#[derive(Clone, Debug)]
pub(crate) enum Refusal {
    /// In these words.
    Words(String),
    /// In words of the vendor's own.
    Some,
}

/// The cells of the document.
pub(crate) struct Table {
    /// By the name of a row, in the order of the columns.
    of_apis: BTreeMap<&'static str, Vec<&'static str>>,
    /// By dialect, and the name of a row of above.
    of_dialects: BTreeMap<(&'static str, &'static str), &'static str>,
}

impl Table {
    pub(crate) fn read() -> Self {
        let mut table = Self {
            of_apis: BTreeMap::new(),
            of_dialects: BTreeMap::new(),
        };
        for line in DOCUMENT.lines().filter(|line| !line.contains("| --- |")) {
            let cells = line
                .strip_prefix("| ")
                .map(|line| line.trim_end_matches(" |"));
            let cells: Vec<_> = cells.unwrap_or_default().split(" | ").collect();
            let known = match cells[..] {
                [row, ref cells @ ..] if cells.len() == 4 => {
                    table.of_apis.insert(row, cells.to_vec()).is_some()
                }
                [dialect, row, cell] => {
                    let known = table.of_dialects.insert((dialect, row), cell);
                    known.is_some()
                }
                _ => false,
            };
            assert!(!known, "two rows of one name: {line}");
        }
        table
    }

    /// What the surface says if a turn says what the row is about; `None` if it carries it.
    pub(crate) fn refusal(&self, surface: Surface, row: &str) -> Option<Refusal> {
        let Some(cells) = self.of_apis.get(row) else {
            panic!(
                "src/api/mapping.md has no row {row}\n  help: give it one in tests/mapping/rows.rs"
            );
        };
        let words = |cell: &str| Some(cell.strip_prefix("*no*: ")?.to_owned());
        let column = match surface.api {
            Api::AnthropicMessages => 0,
            Api::OpenAiChat => 1,
            Api::OpenAiResponses => 2,
            _ => 3,
        };
        let openais = words(cells[column]);
        match surface.dialect {
            None | Some(Dialect::OpenAi) => openais.map(Refusal::Words),
            Some(dialect) => match self.of_dialects.get(&(&*format!("{dialect:?}"), row)) {
                Some(cell) => words(cell).map(Refusal::Words),
                None => openais.map(|_| Refusal::Some),
            },
        }
    }
}
