//! What clients may do to the suite, and where it runs.

use std::{
    future::{Ready, pending, ready},
    rc::Rc,
    sync::{Arc, Mutex},
    thread::sleep,
    time::Duration,
};

use llm_wire_stub::{
    conformance::{self, CaseReport, Report, Suite, Transcript, Verdict},
    *,
};
use serde_json::{Value, json};

use super::{
    APIS, LIMIT,
    hand_made::{Flaw, HandMade},
    on_the_reference_client,
    reference_client::ReferenceClient,
};

const API: Api = Api::OpenAiChat;
const SHORT: Duration = Duration::from_millis(20);

fn suite() -> Suite {
    conformance::suite(API).idle_limit(LIMIT)
}

/// The verdict on the first undamaged answer, and what is said of it.
fn first(report: &Report) -> (Verdict, &str) {
    let first = report.cases().next().unwrap();
    assert_eq!(first.id(), "reference/text");
    assert!(!report.is_clean());
    (first.verdict(), first.detail())
}

fn good() -> Transcript {
    Transcript::text("Hé, wörld: 日本 and 🦀, all of it.")
}

/// Posts this to this path, and says `good()` whatever comes.
async fn post(url: String, body: Value) -> Result<Transcript, String> {
    let request = reqwest::Client::new().post(url);
    let request = request
        .header("anthropic-version", "2023-06-01")
        .header("x-api-key", "k")
        .bearer_auth("k");
    let response = request.json(&body).send().await.unwrap();
    if !response.status().is_success() {
        return Err(response.status().to_string());
    }
    response.bytes().await.unwrap();
    Ok(good())
}

fn asks() -> Value {
    json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": "go"}]})
}

#[tokio::test]
async fn a_client_that_asks_elsewhere_or_nowhere_gets_no_verdict() {
    let report = suite().run(|_| async { Ok::<_, String>(good()) }).await;
    assert_eq!(
        first(&report),
        (
            Verdict::BadRequest,
            "the client sent no request to the base URL that it was given"
        )
    );
    let report = suite().run(|url| post(url + "/chat", asks())).await;
    assert_eq!(
        first(&report),
        (
            Verdict::BadRequest,
            "the client asked for `POST /v1/chat`, which is no call of the model; the client says: 404 Not Found"
        )
    );
    let report = suite().run(|url| {
        post(
            url + "/responses",
            json!({"model": "m", "stream": true, "input": "go"}),
        )
    });
    assert_eq!(
        first(&report.await),
        (
            Verdict::BadRequest,
            "its request was for openai_responses, and the suite is about openai_chat"
        )
    );
}

#[tokio::test]
async fn a_request_that_the_provider_refuses_gets_no_verdict_but_the_rule() {
    let report = conformance::suite(Api::AnthropicMessages).idle_limit(LIMIT);
    let report = report.run(|url| post(url + "/v1/messages", asks())).await;
    assert_eq!(
        first(&report),
        (
            Verdict::BadRequest,
            "its request was refused, as it breaks the provider's rule `required-fields`; \
             the client says: 400 Bad Request"
        )
    );
    let mut unstreamed = asks();
    unstreamed["stream"] = json!(false);
    let report = suite().run(|url| post(url + "/chat/completions", unstreamed.clone()));
    assert_eq!(
        first(&report.await),
        (Verdict::BadRequest, "its request did not ask for a stream")
    );
}

#[tokio::test]
async fn panics_when_made_polled_or_dropped_are_verdicts() {
    let made = |_| -> Ready<Result<Transcript, String>> { panic!("when made") };
    assert_eq!(
        first(&suite().run(made).await),
        (
            Verdict::Panic,
            "when made; the client sent no request to the base URL that it was given"
        )
    );
    struct Dropped;
    impl Drop for Dropped {
        fn drop(&mut self) {
            panic!("when dropped");
        }
    }
    let dropped = |_| {
        let bomb = Dropped;
        async move {
            let _bomb = bomb;
            pending::<Result<Transcript, String>>().await
        }
    };
    let report = suite().idle_limit(SHORT).run(dropped).await;
    assert_eq!(
        first(&report),
        (
            Verdict::Panic,
            "when dropped; the client sent no request to the base URL that it was given"
        )
    );
}

#[tokio::test]
async fn a_client_that_never_comes_back_hangs() {
    let never = |_| pending::<Result<Transcript, String>>();
    let report = suite().idle_limit(SHORT).run(never).await;
    let (verdict, detail) = first(&report);
    assert_eq!(verdict, Verdict::Hang);
    let said = "not back after 120ms; the client sent no request to the base URL that it was given";
    // a busy machine is told of behind that
    assert!(detail.starts_with(said), "{detail}");
}

#[tokio::test]
async fn a_client_that_asks_twice_for_one_answer_is_not_clean() {
    let client = ReferenceClient::new(API, LIMIT);
    let twice = |url: String| {
        let client = &client;
        async move {
            let _ = client.ask(url.clone()).await?;
            client.ask(url).await
        }
    };
    assert_eq!(
        first(&suite().run(twice).await),
        (Verdict::SilentWrong, "2 requests for one answer")
    );
}

#[tokio::test]
async fn a_client_that_blocks_its_thread_harms_no_other_case() {
    let client = ReferenceClient::new(API, LIMIT);
    let blocks = |url: String| {
        let client = &client;
        async move {
            let read = client.ask(url).await;
            sleep(SHORT);
            read
        }
    };
    let report = suite()
        .only([
            "eol-crlf",
            "slow-but-alive",
            "stall-mid-stream",
            "empty-body",
        ])
        .run(blocks);
    report.await.assert_clean();
}

#[tokio::test]
async fn futures_need_not_be_send() {
    let client = Rc::new(ReferenceClient::new(API, LIMIT));
    let report = suite().only(["eol-crlf"]).run(|url| {
        let client = Rc::clone(&client);
        async move { client.ask(url).await }
    });
    report.await.assert_clean();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suite_runs_in_a_task() {
    let client = Arc::new(ReferenceClient::new(API, LIMIT));
    let report = tokio::spawn(suite().only(["eol-crlf", "redirect"]).run(move |url| {
        let client = Arc::clone(&client);
        async move { client.ask(url).await }
    }));
    report.await.unwrap().assert_clean();
}

#[test]
fn a_suite_runs_under_smol() {
    let client = |url: String| {
        smol::unblock(move || {
            let request = reqwest::blocking::Client::new().post(url + "/chat/completions");
            let mut body = asks();
            body["stream_options"] = json!({"include_usage": true});
            let body = request
                .bearer_auth("k")
                .json(&body)
                .send()
                .and_then(|response| response.bytes());
            let reply = accumulate(API, &body.map_err(|error| error.to_string())?);
            let reply = reply.map_err(|error| error.to_string())?;
            Ok::<_, String>(
                Transcript::text(reply.text())
                    .tool_calls(reply.tool_calls().cloned())
                    .usage(reply.usage.input_tokens, reply.usage.output_tokens),
            )
        })
    };
    let suite =
        conformance::suite(API).only(["eol-crlf", "eof-before-terminal", "clean-end-reconnect"]);
    smol::block_on(suite.run(client)).assert_clean();
}

#[tokio::test]
async fn one_at_a_time_or_many_the_verdicts_are_the_same() {
    let verdicts = |report: &Report| -> Vec<(String, Verdict)> {
        let cases = report.cases();
        cases
            .map(|case| (case.id().to_owned(), case.verdict()))
            .collect()
    };
    let kinds = [
        "eol-crlf",
        "eof-before-terminal",
        "stall-mid-stream",
        "fail-after-partial-then-ok",
    ];
    let one = on_the_reference_client(suite().only(kinds).at_once(1), API).await;
    let many = on_the_reference_client(suite().only(kinds).at_once(64), API).await;
    one.assert_clean();
    assert_eq!(verdicts(&one), verdicts(&many));
}

#[tokio::test]
async fn each_case_is_told_when_it_is_done() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let teller = Arc::clone(&told);
    let suite = suite()
        .only(["empty-body", "cancel-closes-connection"])
        .skip("cancel-closes-connection/mid-stream", "it cannot cancel")
        .on_case(move |done, total, case| {
            let told = (done, total, case.id().to_owned());
            teller.lock().unwrap().push(told);
        });
    let report = on_the_reference_client(suite, API).await;
    let told = told.lock().unwrap();
    assert_eq!(told.len(), report.cases().count());
    assert_eq!(told[0], (1, 10, "reference/text".to_owned()));
    for (n, (done, total, _)) in told.iter().enumerate() {
        assert_eq!((*done, *total), (n + 1, 10));
    }
}

#[tokio::test]
async fn what_a_client_waits_for_is_not_waited_for() {
    // the flaw is another one; the client sleeps for as long as it is told
    let limit = Duration::from_millis(100); // below a sixth of what it is told to wait
    let client = HandMade::new(limit, &[Flaw::RunsCutCalls]);
    let suite = suite()
        .idle_limit(limit)
        .only(["retry-after-variants/seconds", "retry-after-variants/huge"]);
    let report = suite.run(|url| client.clone().ask(url)).await;
    for case in report
        .cases()
        .filter(|case| !case.id().starts_with("reference"))
    {
        assert_eq!(
            (case.verdict(), case.detail(), case.requests()),
            (
                Verdict::Skipped,
                "the client waits before it asks again, for longer than the suite does; it has asked once",
                1
            )
        );
    }
    report.assert_clean();
}

#[tokio::test]
async fn a_key_that_goes_to_another_origin_is_named() {
    let client = HandMade::new(LIMIT, &[Flaw::FollowsRedirects]);
    let suite = suite().only(["redirect/308", "redirect/308-other-origin", "redirect/303"]);
    let report = suite.run(|url| client.clone().ask(url)).await;
    let of = |id: &str| -> CaseReport {
        let found = report.cases().find(|case| case.id() == id);
        found.unwrap().clone()
    };
    assert_eq!(of("redirect/308").verdict(), Verdict::Equal);
    let leaked = of("redirect/308-other-origin");
    assert_eq!(
        (leaked.verdict(), leaked.detail(), leaked.requests()),
        (Verdict::SilentWrong, "its key went to another origin", 2)
    );
    assert_eq!(
        of("redirect/303").detail(),
        "it followed the redirect with another method, body or key"
    );
}

#[test]
fn ids_of_faults_and_scenarios_are_known_and_others_are_refused() {
    for api in APIS {
        let suite = conformance::suite(api)
            .skip("redirect", "no")
            .pin("eol-crlf", Verdict::Loud);
        let _ = suite.only(["clean-end-reconnect/retry-field", "empty-body/no-byte"]);
    }
    let message = |id: &'static str| {
        let panicked = std::panic::catch_unwind(|| suite().skip(id, "no"));
        panicked
            .unwrap_err()
            .downcast_ref::<String>()
            .unwrap()
            .clone()
    };
    assert_eq!(
        message("idle-close-race/never"),
        "no case is called `idle-close-race/never`\n  \
         help: one of idle-close-race/before-the-request, idle-close-race/as-the-request-comes"
    );
    let all = message("empty");
    assert!(
        all.starts_with("no case is called `empty`\n  help: one of split-"),
        "{all}"
    );
    assert!(
        all.ends_with(", idle-close-race, pool-after-terminal, redirect"),
        "{all}"
    );
}

#[test]
fn what_is_said_of_a_long_difference_is_short() {
    let long = |end: &str| "é".repeat(5_000) + end;
    let client = |_| ready(Ok::<_, String>(Transcript::text(long("x"))));
    let report = smol::block_on(suite().idle_limit(SHORT).run(client));
    let first = report.cases().next().unwrap();
    let got = first.got().unwrap();
    assert!(
        got.chars().count() < 200 && got.ends_with("x\" (5003 characters)"),
        "{got}"
    );
}
