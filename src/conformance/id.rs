//! The names of cases: `kind/variant`, of faults and of scenarios.

use super::scenario;
use crate::script::{Fault, FaultVariant};

/// Whether this kind or variant is meant by the id of a case.
pub(super) fn names(given: &str, id: &str) -> bool {
    id.strip_prefix(given)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The place of its kind: faults as in their catalogue, then scenarios; references before all.
pub(super) fn place(id: &str) -> Option<usize> {
    let kind = id.split('/').next().unwrap_or_default();
    kinds().position(|known| known == kind)
}

fn kinds() -> impl Iterator<Item = &'static str> {
    let faults = || Fault::ALL.iter().map(|fault| fault.id());
    let scenarios = scenario::ALL.iter().map(|scenario| scenario.id);
    // of one kind there are both
    let others = scenarios.filter(move |id| faults().all(|fault| fault != *id));
    faults().chain(others)
}

/// The id, if a case can be called so.
#[track_caller]
pub(super) fn known(id: &str) -> String {
    let forms = || scenario::ALL.iter().flat_map(scenario::Scenario::forms);
    let is_fault = id.parse::<FaultVariant>().is_ok();
    if is_fault || forms().any(|form| names(id, &form.id())) {
        return id.to_owned();
    }
    let kind = id.split('/').next().unwrap_or_default();
    let faults = Fault::ALL.iter().flat_map(|fault| fault.variants());
    let mut expected: Vec<String> = faults.map(|fault| fault.id()).collect();
    expected.extend(forms().map(scenario::Form::id));
    expected.retain(|id| id.split('/').next() == Some(kind));
    if expected.is_empty() {
        expected = kinds().map(str::to_owned).collect();
    }
    panic!(
        "no case is called `{id}`\n  help: one of {}",
        expected.join(", ")
    )
}
