//! The suite, on a client that does everything right and on ones that do not.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::wildcard_enum_match_arm,
    reason = "a test may panic, a client has time-outs, and an API of tomorrow has no client here"
)]

mod broken_clients;
mod coverage;
mod hand_made;
mod reference_client;
mod retry_hints;
mod runner;
mod target_test;

use std::time::Duration;

use llm_wire_stub::{
    conformance::{self, Report, Suite, Verdict},
    *,
};
use reference_client::ReferenceClient;

const LIMIT: Duration = Duration::from_millis(300);

const APIS: [Api; 3] = [
    Api::AnthropicMessages,
    Api::OpenAiChat,
    Api::OpenAiResponses,
];

async fn on_the_reference_client(suite: Suite, api: Api) -> Report {
    let client = ReferenceClient::new(api, LIMIT);
    suite.run(|base_url| client.ask(base_url)).await
}

#[tokio::test]
async fn the_reference_client_is_clean_in_the_strict_reading() {
    for api in APIS {
        // the catalogue leaves both outcomes open where nothing but the last frame, or its blank line, is lost; this client
        // takes the loud one, as its decoder does what the specification of event streams says
        let mut suite = conformance::suite(api).idle_limit(LIMIT).strict();
        for (id, verdict) in [
            ("eof-no-final-blank", Verdict::Loud),
            ("terminal-frame-cut", Verdict::Loud),
        ] {
            if id.parse::<FaultVariant>().unwrap().fault().applies_to(api) {
                suite = suite.pin(id, verdict);
            }
        }
        let report = on_the_reference_client(suite, api).await;
        report.assert_clean();
        coverage::assert_nothing_is_lost(&report, api);
    }
}

/// Not a test of anything: how many cases there are, and how long they take. The bar is 400 cases in 10 s.
#[tokio::test]
#[ignore = "a measurement, to be run alone and in release"]
async fn how_long_a_suite_takes() {
    for api in APIS {
        let started = std::time::Instant::now();
        let report = on_the_reference_client(conformance::suite(api).idle_limit(LIMIT), api).await;
        let count = report.cases().count();
        tell(&format!(
            "{}: {count} cases in {:?}",
            api.name(),
            started.elapsed()
        ));
    }
}

#[expect(clippy::print_stdout, reason = "a measurement is there to be read")]
fn tell(line: &str) {
    println!("{line}");
}
