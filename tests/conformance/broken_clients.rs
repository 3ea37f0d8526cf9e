//! Clients that lose data without a word, each in one of the ways of the public reports, and each is caught by name.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Mutex,
};

use llm_wire_stub::{
    conformance::{self, CaseReport, Report, Transcript, Verdict},
    *,
};

use super::{
    LIMIT,
    hand_made::{Flaw, Flaw::*, HandMade},
    reference_client::{ClientError, ReferenceClient},
};

/// Flaws, and the cases in which they lose data.
const CLIENTS: &[(&[Flaw], &[&str])] = &[
    (
        &[DecodesEachPiece],
        &[
            "split-utf8-scalar/after-each-byte",
            "split-utf8-scalar/in-arguments",
        ],
    ),
    (
        &[SplitsAtLineFeeds, EndIsSuccess],
        &["eol-crlf/every-line", "split-crlf"],
    ),
    (&[WantsTheSpace, EndIsSuccess], &["field-space-variants"]),
    (
        &[FirstLineOfData, DropsWhatIsNoJson, EndIsSuccess],
        &["data-multi-line"],
    ),
    (&[DropsWhatIsNoJson], &["malformed-json-event"]),
    (
        &[EndIsSuccess],
        &[
            "eof-before-terminal/all-content",
            "eof-before-terminal/no-content",
            "empty-body/no-byte",
            "empty-body/only-comments",
            "fail-after-partial-then-ok/clean-eof",
        ],
    ),
    (
        &[BreakIsSuccess],
        &[
            "chunked-abort/between-events",
            "chunked-abort/length-too-large",
            "fail-after-partial-then-ok/reset",
            "fail-after-partial-then-ok/fin",
        ],
    ),
    (
        &[IgnoresErrors, EndIsSuccess],
        &[
            "fail-after-partial-then-ok/error-event",
            "error-event-mid-stream",
        ],
    ),
    (
        &[IgnoresStatus, EndIsSuccess],
        &[
            "retry-after-variants/absent",
            "overloaded-status/529",
            "overloaded-status/503",
            "redirect/302",
        ],
    ),
    (
        &[BrokenArgumentsAreNone, EndIsSuccess],
        &[
            "eof-before-terminal/open-tool-call",
            "tool-args-invalid-json",
            "tool-args-truncated",
        ],
    ),
    (&[RunsCutCalls], &["length-cut-tool-call"]),
    (
        &[OneCallAtATime, BrokenArgumentsAreNone],
        &["tool-interleaved"],
    ),
    (&[StopsAtFinish], &["reference/text"]),
    (&[TimesBytes], &["stall-heartbeat-only/comments"]),
    (
        &[TimesTheHead],
        &[
            "stall-mid-stream/headers-only",
            "stall-mid-stream/between-events",
            "stall-mid-stream/inside-a-line",
            "stall-mid-stream/inside-a-tool-call",
        ],
    ),
    (
        &[KeepsTheStream],
        &[
            "stall-mid-stream/between-events",
            "stall-mid-stream/inside-a-line",
        ],
    ),
    (
        &[JoinsAttempts],
        &[
            "fail-after-partial-then-ok/reset",
            "fail-after-partial-then-ok/clean-eof",
            "fail-after-partial-then-ok/error-event",
        ],
    ),
    (&[Reconnects], &["clean-end-reconnect/retry-field"]),
    (
        &[ReadsInTheBackground],
        // a limit on silence closes the others
        &["cancel-closes-connection/mid-stream"],
    ),
    (
        &[FollowsRedirects],
        &["redirect/307-other-origin", "redirect/308-other-origin"],
    ),
    (&[SecondsAreMilliseconds], &["retry-after-variants/seconds"]),
];

/// Each of these (`kind/variant`, or a kind of which one variant is enough) loses data, or hangs.
#[track_caller]
fn assert_caught(report: &Report, ids: &[&str]) {
    for id in ids.iter().copied() {
        let is_caught = |case: &CaseReport| {
            let is_meant = case.id() == id || case.id().split('/').next() == Some(id);
            is_meant && matches!(case.verdict(), Verdict::SilentWrong | Verdict::Hang)
        };
        assert!(
            report.unclean().any(is_caught),
            "{id} is not caught\n{report}"
        );
    }
}

async fn report(flaws: &[Flaw], ids: &[&str]) -> Report {
    let suite = conformance::suite(Api::OpenAiChat).idle_limit(LIMIT);
    // the undamaged answers are always read
    let ids = ids
        .iter()
        .filter(|id| !id.starts_with("reference/"))
        .copied();
    let client = HandMade::new(LIMIT, flaws);
    suite.only(ids).run(|url| client.clone().ask(url)).await
}

#[tokio::test]
async fn each_flaw_is_caught_by_name_and_without_it_nothing_is() {
    let mut all = BTreeSet::new();
    for (flaws, ids) in CLIENTS {
        assert_caught(&report(flaws, ids).await, ids);
        all.extend(ids.iter().copied());
    }
    let all: Vec<&str> = all.into_iter().collect();
    report(&[], &all).await.assert_clean();
}

#[tokio::test]
async fn a_client_that_filters_by_the_name_of_an_event_is_caught() {
    let ids = ["event-name-absent"];
    let client = |url: String| async move {
        let request = reqwest::Client::new().post(url + "/v1/messages");
        let request = request
            .header("anthropic-version", "2023-06-01")
            .header("x-api-key", "k");
        let body = r#"{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"go"}]}"#;
        let body = request.body(body).send().await?.text().await?;
        let mut text = String::new();
        for block in body.split("\n\n") {
            if block.starts_with("event: content_block_delta\n") {
                let data = block.split_once("data: ").map_or("", |(_, data)| data);
                let data: serde_json::Value = serde_json::from_str(data).unwrap_or_default();
                text += data["delta"]["text"].as_str().unwrap_or_default();
            }
        }
        Ok::<_, reqwest::Error>(Transcript::text(text))
    };
    let suite = conformance::suite(Api::AnthropicMessages).only(ids.iter().copied());
    assert_caught(&suite.run(client).await, &ids);
}

#[tokio::test]
async fn a_client_that_knows_calls_by_their_ids_is_caught_at_a_later_answer() {
    let api = Api::OpenAiChat;
    let client = ReferenceClient::new(api, LIMIT);
    // what it calls, by the conversation and the id
    let known: Mutex<BTreeMap<(String, String), ToolCall>> = Mutex::default();
    let suite = conformance::suite(api).idle_limit(LIMIT);
    let report = suite.only(["tool-id-duplicated"]).cuts([Cut::Whole]);
    let report = report.run(|url| {
        let (client, known) = (&client, &known);
        async move {
            let answer = client.stream(&url, "go").await?;
            let mut known = known.lock().unwrap();
            let calls = answer.calls.into_iter().map(|call| {
                let entry = known.entry((url.clone(), call.id.clone()));
                entry.or_insert(call).clone()
            });
            Ok::<_, ClientError>(Transcript::text(answer.text).tool_calls(calls))
        }
    });
    let report = report.await;
    let verdicts: Vec<_> = report
        .cases()
        .filter(|case| case.id().starts_with("tool-id"))
        .map(|case| (case.id(), case.verdict(), case.detail()))
        .collect();
    let weather = r#"call_1 get_weather({"a":"é\n","n":997})"#;
    let twice = format!(
        r#"tool calls [{weather}, {weather}], wanted [{weather}, call_1 g({{"b":"日本"}})]"#
    );
    let again = format!(r#"tool calls [call_1 g({{"b":"日本"}})], wanted [{weather}]"#);
    assert_eq!(
        verdicts,
        [
            (
                "tool-id-duplicated/in-a-later-answer",
                Verdict::SilentWrong,
                again.as_str()
            ),
            (
                "tool-id-duplicated/in-one-answer",
                Verdict::SilentWrong,
                twice.as_str()
            ),
        ]
    );
}
