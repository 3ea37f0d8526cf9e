//! The catalogue of faults, which lies beside the repository.

use std::{collections::BTreeSet, fs, path::PathBuf};

/// The kinds that ask clients of this family for what `wanted` looks for; `None` where the catalogue is not there.
#[expect(
    clippy::print_stderr,
    reason = "a test that has nothing to look at must say so"
)]
pub(crate) fn asked(family: &str, wanted: impl Fn(&str) -> bool) -> Option<BTreeSet<String>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/fault-catalogue.md");
    let Ok(catalogue) = fs::read_to_string(&path) else {
        eprintln!("NO CATALOGUE, NOTHING TESTED: {}", path.display());
        return None;
    };
    let mut asked = BTreeSet::new();
    for line in catalogue.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [kind, families, requirement, ..] = cells[..] else {
            continue;
        };
        let mut families = families.split([' ', ',']);
        if families.any(|known| ["all", family].contains(&known)) && wanted(requirement) {
            asked.insert(kind.trim_matches('`').to_owned());
        }
    }
    Some(asked)
}

/// The kinds that must be an error and that the body of an answer shows: not those of a request or of an HTTP status.
pub(crate) fn malign_bodies(family: &str) -> Option<BTreeSet<String>> {
    let elsewhere = [
        "http-error-on-stream",
        "fail-after-partial-then-ok",
        "cancel-closes-connection",
        "redirect",
    ];
    let mut asked = asked(family, |wanted| wanted.starts_with("`must-error`"))?;
    asked.retain(|kind| !kind.starts_with("req-") && !elsewhere.contains(&kind.as_str()));
    Some(asked)
}
