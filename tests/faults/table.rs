//! The table in the documentation of [`Fault`] is made of the rows that the code works by.

use std::{fmt::Write as _, fs, path::PathBuf};

use llm_wire_stub::*;

use crate::APIS;

#[test]
fn the_table_in_the_documentation_is_the_code_s() {
    let made = made();
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/script/fault/faults.md");
    let written = fs::read_to_string(&path).unwrap();
    if made != written {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("faults.md");
        fs::write(&path, &made).unwrap();
        panic!(
            "src/script/fault/faults.md is not what the code says\n  help: if the code is right, copy {} there",
            path.display()
        );
    }
}

fn made() -> String {
    let mut out = String::from(
        "A = Anthropic Messages, C = OpenAI Chat, R = OpenAI Responses. Of several variants the first is what the kind \
         alone stands for.\n\n\
         | id | of | stage | a client | variants |\n| --- | --- | --- | --- | --- |\n",
    );
    for fault in Fault::ALL {
        let mut asks = format!("`{}`", fault.requirement());
        if let Some(also) = fault.also_accepted() {
            write!(asks, ", or `{also}`").unwrap();
        }
        let variants = fault.variants().map(|variant| {
            let mut line = format!("`{}`", variant.id().split_once('/').unwrap().1);
            if letters(|api| variant.applies_to(api)) != letters(|api| fault.applies_to(api)) {
                write!(line, " ({})", letters(|api| variant.applies_to(api))).unwrap();
            }
            write!(line, ": {}", variant.description()).unwrap();
            let own = (variant.requirement(), variant.also_accepted());
            if own != (fault.requirement(), fault.also_accepted()) {
                write!(line, " (`{}`", own.0).unwrap();
                if let Some(also) = own.1 {
                    write!(line, ", or `{also}`").unwrap();
                }
                line.push(')');
            }
            line
        });
        let variants: Vec<_> = variants.collect();
        writeln!(
            out,
            "| `{}` | {} | {} | {asks} | {} |",
            fault.id(),
            letters(|api| fault.applies_to(api)),
            fault.stage(),
            variants.join("<br>"),
        )
        .unwrap();
    }
    out
}

fn letters(applies: impl Fn(Api) -> bool) -> String {
    let letters = ["A", "C", "R"].into_iter().zip(APIS);
    let letters: Vec<_> = letters
        .filter(|(_, api)| applies(*api))
        .map(|(letter, _)| letter)
        .collect();
    letters.join(" ")
}
