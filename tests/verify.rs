//! What does not fit between the client and the script, and when the stub says so.
#![cfg(feature = "server")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]

#[path = "support/caught.rs"]
mod caught;
#[path = "support/post.rs"]
mod post;
#[path = "support/routes.rs"]
mod routes;

use std::process::Command;

use caught::panic_of;
use llm_wire_stub::*;
use post::{Call, call};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// The report once these calls were answered, or what there is instead of one.
async fn report<const N: usize>(
    builder: WireStubBuilder,
    calls: impl FnOnce(Call) -> [Call; N],
) -> String {
    let stub = builder.start();
    for call in calls(call(&stub)) {
        call.send().await;
    }
    match stub.try_verify() {
        Ok(()) => "it fits".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn script() -> WireStubBuilder {
    WireStub::builder()
}

fn no_call(_: Call) -> [Call; 0] {
    []
}

// --- what fails, and what does not -----------------------------------------------------------------

#[tokio::test]
async fn turns_that_were_never_played_are_problems() {
    let lanes = || script().lane("a", matchers::model("a"), ["x", "y"]);
    for (report, problems) in [
        (
            report(script().turns(["x", "y"]), |call| [call]).await,
            vec!["turn #2, built at tests/verify.rs:"],
        ),
        (
            report(lanes(), |call| [call.model("a")]).await,
            vec!["lane `a` turn #2, built at tests/verify.rs:"],
        ),
        (
            report(lanes().turn("z"), no_call).await,
            vec!["turn #1, ", "lane `a` turn #1, ", "lane `a` turn #2, "],
        ),
        (
            report(script().turns(["x", "y"]).repeat_last(), |call| [call]).await,
            vec!["turn #2, "],
        ),
    ] {
        let found: Vec<&str> = report.split("\n    - ").skip(1).collect();
        assert_eq!(found.len(), problems.len(), "{report}");
        for (found, expected) in found.iter().zip(problems) {
            assert!(found.starts_with(expected), "{report}");
            assert!(found.ends_with(", was never played"), "{report}");
        }
    }
}

#[tokio::test]
async fn what_is_scripted_for_a_call_that_never_came_is_a_problem() {
    let twice = || script().turn("x").error_at(0, ApiError::internal());
    for (builder, problem) in [
        (
            twice().error_at(2, ApiError::overloaded()),
            "`.error_at(2, ..)`, for call #3, was never played: only 2 calls came",
        ),
        (
            twice().stop_reason_at(3, StopReason::MaxTokens),
            "`.stop_reason_at(3, ..)`, for call #4, was never played: only 2 calls came",
        ),
    ] {
        let report = report(builder, |call| [call.clone(), call]).await;
        assert!(report.ends_with(&format!("\n    - {problem}")), "{report}");
    }
}

#[tokio::test]
async fn every_call_that_the_stub_refused_is_a_problem() {
    let lane = |name: &str, model: &str| script().lane(name, matchers::model(model), ["x"]);
    let both = || lane("a", "m").lane("b", matchers::by(|_| true), ["x"]);
    let fault = Turn::new().fault(Fault::EofBeforeTerminal);
    for (report, problem) in [
        (
            report(script(), |call| [call]).await,
            "no turn left for request #1 ",
        ),
        (
            report(lane("a", "x"), |call| [call]).await,
            "no lane claims request #1 ",
        ),
        (
            report(both(), |call| [call]).await,
            "several lanes claim request #1 ",
        ),
        (
            report(script().turn(fault), |call| [call]).await,
            "fault `eof-before-terminal` has no target in a non-streaming answer\n",
        ),
        (
            report(script().answer(|_, _| panic!("boom")), |call| [call]).await,
            "the closure panicked: boom\n",
        ),
        (
            report(script(), |call| [call.without_header("x-api-key")]).await,
            "#1 POST /v1/messages: x-api-key header is required\n",
        ),
        (
            report(script().body_limit(9), |call| [call]).await,
            "#1 POST /v1/messages: the request's body is longer than 9 bytes\n",
        ),
        (
            report(script(), |call| [call.to("/v1/other")]).await,
            "nothing is served at POST /v1/other\n",
        ),
    ] {
        let found = report.split("\n    - ").nth(1);
        assert!(
            found.is_some_and(|found| found.starts_with(problem)),
            "{report}"
        );
    }
}

#[tokio::test]
async fn bytes_that_are_no_request_are_a_problem() {
    let stub = script().start();
    let mut stream = TcpStream::connect(stub.url().replace("http://", ""))
        .await
        .unwrap();
    stream.write_all(b"no request\r\n\r\n").await.unwrap();
    stream.read_to_end(&mut Vec::new()).await.unwrap();
    let report = stub.try_verify().unwrap_err().to_string();
    assert!(report.contains("\n    - a malformed request: "), "{report}");
}

#[tokio::test]
async fn what_a_script_asks_for_is_no_problem() {
    let text = || Turn::new().text("two words");
    let lane = script().lane("a", matchers::model("a"), ["x"]);
    for (what, found) in [
        ("nothing", report(script(), no_call).await),
        (
            "a closure that nobody asked",
            report(script().answer(|_, _| None), no_call).await,
        ),
        (
            "an error turn",
            report(script().turn(ApiError::overloaded()), |call| [call]).await,
        ),
        (
            "an error by index",
            report(
                script().turn("x").error_at(0, ApiError::internal()),
                |call| [call.clone(), call],
            )
            .await,
        ),
        (
            "a clean end too early",
            report(
                script().turn(text().end(After::deltas(1), Ending::CleanEof)),
                |call| [call.streamed()],
            )
            .await,
        ),
        (
            "repeated turns",
            report(script().turn("x").repeat_last(), |call| {
                [call.clone(), call]
            })
            .await,
        ),
        (
            "a lane and no sequence",
            report(lane, |call| [call.model("a")]).await,
        ),
        (
            "a broken rule that is off",
            report(script().turn("x").without_rule("credentials"), |call| {
                [call.without_header("x-api-key")]
            })
            .await,
        ),
    ] {
        assert_eq!(found, "it fits", "{what}");
    }
}

#[tokio::test]
async fn endings_stalls_and_cancels_are_no_problems() {
    let gate = Gate::new();
    let text = || Turn::new().text("two words");
    let stub = script()
        .turn(text().end(After::deltas(1), Ending::Reset))
        .turn(text().end(After::deltas(1), Ending::Fin))
        .turn(text().stall(After::deltas(1)))
        .turn(text().gate(After::deltas(1), &gate))
        .start();
    for n in 1..=4 {
        let running = tokio::spawn(call(&stub).streamed().send());
        stub.wait_for_requests(n).await;
        if n > 2 {
            running.abort();
        } else {
            running.await.unwrap_err();
        }
        stub.settled().await;
    }
    stub.verify();
}

#[tokio::test]
async fn a_preflight_is_no_problem() {
    let stub = script().start();
    let url = stub.url() + "/v1/messages";
    let preflight = reqwest::Client::new()
        .request(reqwest::Method::OPTIONS, url)
        .header("origin", "http://a")
        .header("access-control-request-method", "POST");
    assert_eq!(preflight.send().await.unwrap().status(), 204);
    stub.verify();
}

// --- the report ------------------------------------------------------------------------------------

#[tokio::test]
async fn the_report_has_each_call_with_its_answer_and_then_each_problem() {
    let built = line!() + 1;
    let stub = script()
        .turns([Turn::new().text("x"), Turn::new()])
        .error_at(0, ApiError::overloaded())
        .without_verify_on_drop()
        .start();
    let unplayed = built + 1;
    call(&stub).send().await;
    call(&stub).streamed().send().await;
    call(&stub).without_header("x-api-key").send().await;
    call(&stub).to("/v1/chat?x=1").send().await;
    stub.settled().await;

    let written: Vec<u64> = stub.journal().iter().map(|r| r.bytes_written()).collect();
    let [error, first, rule, other] = written[..] else {
        panic!("{written:?}");
    };
    let (file, served) = (file!(), routes::everything());
    let expected = format!(
        "the client and the script do not fit: 3 problems
  where: script of 2 turns, built at {file}:{built}
  calls:
    #1 POST /v1/messages [m]: the error for call #1, Complete, {error} bytes
    #2 POST /v1/messages [m]: turn #1, Complete, {first} bytes
    #3 POST /v1/messages [m]: refused: credentials, Refused, {rule} bytes
    POST /v1/chat?x=1: 404: not served, Refused, {other} bytes
  problems:
    - #3 POST /v1/messages: x-api-key header is required
        where: rule `credentials`, known from: public reports: 401 without a key in `x-api-key` or `authorization: Bearer`
        help: mend the request, or accept it with `.without_rule(\"credentials\")`
    - nothing is served at POST /v1/chat?x=1
        where: script of 2 turns, built at {file}:{built}
        expected: {served}
        help: check the base URL that the client was given
    - turn #2, built at {file}:{unplayed}, was never played"
    );
    assert_eq!(stub.try_verify().unwrap_err().to_string(), expected);
}

#[tokio::test]
async fn a_long_journal_shows_its_last_fifty_requests() {
    let stub = script().turn("x").repeat_last().start();
    for _ in 0..52 {
        call(&stub).send().await;
    }
    call(&stub).to("/v1/other").send().await;
    let report = stub.try_verify().unwrap_err().to_string();
    assert!(
        report.contains("\n  calls:\n    … 3 earlier ones\n    #4 POST "),
        "{report}"
    );
    assert!(report.contains("\n    POST /v1/other: "), "{report}");
}

// --- when it is said -------------------------------------------------------------------------------

#[test]
fn verify_panics_with_the_report_at_the_callers_line() {
    let stub = script().turn("x").start();
    let caught = panic_of(|| stub.verify());
    assert_eq!(caught.line, line!() - 1);
    assert_eq!(caught.message, stub.try_verify().unwrap_err().to_string());
}

#[test]
fn a_dropped_stub_verifies() {
    let stub = script().turn("x").start();
    let caught = panic_of(|| drop(stub));
    assert!(caught.message.contains("turn #1, built at"), "{caught:?}");
}

#[tokio::test]
async fn a_stub_that_fits_is_dropped_in_silence() {
    let stub = script().turn("x").start();
    call(&stub).send().await;
    drop(stub);
}

#[test]
fn verify_and_try_verify_disarm_the_drop() {
    let stub = script().turn("x").start();
    panic_of(|| stub.verify());
    drop(stub);

    let stub = script().turn("x").start();
    stub.try_verify().unwrap_err();
    drop(stub);
}

#[test]
fn verify_can_be_asked_again() {
    let stub = script().turn("x").start();
    let report = stub.try_verify().unwrap_err();
    assert_eq!(stub.try_verify().unwrap_err(), report);
}

#[test]
fn a_stub_can_leave_the_check_to_the_test() {
    drop(script().turn("x").without_verify_on_drop().start());
}

#[test]
fn a_stub_dropped_by_a_panic_leaves_that_panic_alone() {
    let caught = panic_of(|| {
        let _stub = script().turn("x").start();
        panic!("the test's own");
    });
    assert_eq!(caught.message, "the test's own");
}

#[test]
fn a_stub_dropped_by_a_panic_prints_its_report() {
    let this = std::env::current_exe().unwrap();
    let output = Command::new(this)
        .args([
            "--exact",
            "a_stub_dropped_by_a_panic_leaves_that_panic_alone",
            "--nocapture",
        ])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stderr).unwrap();
    let first_line = "the client and the script do not fit: 1 problem\n";
    assert!(printed.contains(first_line), "{printed}");
}
