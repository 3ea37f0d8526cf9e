//! Cases of damage that an accumulator refuses: each with its message, and each kind of the catalogue with a case.

use std::collections::BTreeSet;

use llm_wire_stub::{Api, accumulate};

use crate::catalogue;

/// A kind and its variant, and the damaged body. Resets and aborts are among them as far as bytes arrived.
pub(crate) type Case = (&'static str, Vec<u8>);

/// Each case is refused with its message; `messages` has `=== ` and the id before each of them.
#[track_caller]
pub(crate) fn assert_messages(api: Api, cases: Vec<Case>, messages: &str) {
    let mut messages = messages.split("=== ").skip(1);
    for (id, body) in cases {
        let error = accumulate(api, &body).map(drop).unwrap_err();
        let found = format!("{id}\n{error}\n");
        assert_eq!(Some(found.as_str()), messages.next());
    }
    assert_eq!(messages.next(), None);
}

/// Each malign kind that the catalogue has for the family has a case, and no other kind has one, but for those that may
/// be refused as well.
#[track_caller]
pub(crate) fn assert_kinds(family: &str, cases: &[Case], may_be: &[&str]) {
    let Some(asked) = catalogue::malign_bodies(family) else {
        return;
    };
    let kind = |id: &str| id.split_once('/').unwrap().0.to_owned();
    let mut known: BTreeSet<String> = cases.iter().map(|(id, _)| kind(id)).collect();
    known.retain(|kind| asked.contains(kind) || !may_be.contains(&kind.as_str()));
    assert_eq!(known, asked);
}
