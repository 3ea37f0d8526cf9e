//! What a suite asks a client, and what it does not: nothing is left out in silence.

use std::collections::BTreeMap;

use llm_wire_stub::{
    conformance::{self, Report, Verdict},
    *,
};

use super::{LIMIT, reference_client::ReferenceClient};

/// Kinds of several answers.
const SCENARIOS: [&str; 8] = [
    "retry-after-variants",
    "overloaded-status",
    "fail-after-partial-then-ok",
    "clean-end-reconnect",
    "cancel-closes-connection",
    "idle-close-race",
    "pool-after-terminal",
    "redirect",
];

const NO_BUDGET: &str = "the suite was told no budget for cases about size (`.sizes(..)`)";
const NO_GZIP: &str = "is not possible: llm-wire-stub was built without its feature `gzip`";
const LONG_WAIT: &str =
    "the client waits before it asks again, for longer than the suite does; it has asked once";

/// What the reference client is not asked, or not judged by, and why; `retry_hints.rs` has the last on a paused clock.
const SKIPPED: [(&str, &str); 5] = [
    ("large-event", NO_BUDGET),
    ("tiny-fragments", NO_BUDGET),
    ("many-tiny-events", NO_BUDGET),
    ("gzip-stream", NO_GZIP),
    ("retry-after-variants/huge", LONG_WAIT),
];

/// Each form that the API can have has a case, and each case that was skipped is one of these.
#[track_caller]
pub(crate) fn assert_nothing_is_lost(report: &Report, api: Api) {
    let mut cases: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for case in report.cases() {
        cases.entry(case.id()).or_default().push(case);
    }
    // a form of a kind that has others
    let later = cases.contains_key("tool-id-duplicated/in-a-later-answer");
    assert_eq!(later, Fault::ToolIdDuplicated.applies_to(api), "{api:?}");
    for form in Fault::ALL.iter().flat_map(|fault| fault.variants()) {
        let has_case = cases.contains_key(form.id().as_str());
        assert_eq!(has_case, form.applies_to(api), "{form} on {api:?}");
    }
    for kind in SCENARIOS {
        let is_played = cases.keys().any(|id| id.starts_with(kind));
        assert!(is_played, "{kind} on {api:?}");
    }
    for (id, case) in &cases {
        let skipped = case
            .iter()
            .filter(|case| case.verdict() == Verdict::Skipped);
        let why: Vec<_> = skipped.map(|case| case.detail()).collect();
        let known = SKIPPED.iter().find(|(known, _)| id.starts_with(known));
        let known =
            known.filter(|(known, _)| *known != "gzip-stream" || cfg!(not(feature = "gzip")));
        let is_known = |why: &&str| known.is_some_and(|(_, reason)| why.contains(reason));
        assert!(why.iter().all(is_known), "{id} on {api:?}: {why:?}");
        assert_eq!(known.is_some(), !why.is_empty(), "{id} on {api:?}");
    }
}

#[tokio::test]
async fn a_client_that_asks_for_no_usage_is_told_so_and_judged_by_the_rest() {
    let api = Api::OpenAiChat;
    let client = ReferenceClient::new(api, LIMIT).without_usage();
    let suite = conformance::suite(api).idle_limit(LIMIT).cuts([Cut::Whole]);
    let suite = suite.only(["usage-only-chunk", "usage-null-or-partial", "eol-crlf"]);
    let report = suite.run(|base_url| client.ask(base_url)).await;
    report.assert_clean();
    let of = |kind: &str| {
        let found = report.cases().filter(|case| case.id().starts_with(kind));
        let found: Vec<_> = found.map(|case| (case.verdict(), case.detail())).collect();
        assert!(!found.is_empty());
        found
    };
    let why = "the answer to the client's request has nothing that could be damaged so; the request asks for no usage \
               (`stream_options.include_usage`)";
    assert_eq!(of("eol-crlf"), [(Verdict::Equal, "")]);
    let usage = [of("usage-only-chunk"), of("usage-null-or-partial")].concat();
    // a dialect that sends it unasked is played all the same
    let unasked = (Verdict::Equal, "");
    let asked = usage.iter().filter(|found| **found != unasked);
    assert!(
        asked.clone().all(|found| *found == (Verdict::Skipped, why)),
        "{usage:?}"
    );
    assert_eq!(usage.len() - asked.count(), 1);
    let summary = report.to_string();
    assert!(
        summary.ends_with("; the client says nothing of usage"),
        "{summary}"
    );
}
