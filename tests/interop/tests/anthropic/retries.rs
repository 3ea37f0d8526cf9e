//! Which answers the SDKs try again, after how long, and what the journal shows of it.
//!
//! The drivers note what an SDK sleeps for, so that no test measures time from above.

use std::time::Duration;

use llm_wire_stub::{After, ApiError, Ending, Outcome, RecordedRequest, Turn, WireStub};
use llm_wire_stub_interop::{Call, Sdk};
use serde_json::{Value, json};

for_each_sdk!(
    retry_after_is_obeyed_to_the_millisecond,
    failures_of_the_service_are_tried_again,
    the_last_error_reaches_the_user_when_retries_run_out,
    should_not_retry_stops_at_a_429,
    should_retry_makes_a_400_be_tried_again,
    the_statuses_that_clients_try_again_are_tried_again,
    an_exhausted_script_is_not_tried_again_and_says_what_was_missing,
    a_connection_lost_before_the_head_is_tried_again,
);

const MILLIS_10: Duration = Duration::from_millis(10);

fn retry_after_is_obeyed_to_the_millisecond(sdk: Sdk) {
    let stub = WireStub::builder()
        .turn(ApiError::rate_limited().retry_after(MILLIS_10))
        .turn(ApiError::rate_limited().retry_after(Duration::from_millis(25)))
        .turn("done")
        .start();

    let seen = sdk.run(&Call::create(&stub).retries(2));

    assert_eq!(seen["message"]["content"][0]["text"], "done");
    assert_eq!(seen["waits"], json!([0.01, 0.025]));
    let requests = stub.requests();
    assert_eq!(retry_counts(&stub), ["0", "1", "2"]);
    assert!(requests[1].arrived() - requests[0].arrived() >= MILLIS_10);
    assert!(requests[2].arrived() - requests[1].arrived() >= Duration::from_millis(25));
    assert!(
        requests
            .iter()
            .all(|request| request.body() == requests[0].body())
    );
    assert!(
        requests
            .iter()
            .all(|request| request.outcome() == Outcome::Complete)
    );
    stub.verify();
}

fn failures_of_the_service_are_tried_again(sdk: Sdk) {
    let stub = WireStub::builder()
        .turn(ApiError::internal())
        .turn(ApiError::overloaded().retry_after(MILLIS_10))
        .turn("done")
        .start();

    let seen = sdk.run(&Call::helper(&stub).retries(2));

    assert_eq!(seen["message"]["content"][0]["text"], "done");
    // without the header: half a second, less up to a quarter of it
    let backoff = seen["waits"][0].as_f64().expect("a wait");
    assert!((0.375..=0.5).contains(&backoff), "{backoff}");
    assert_eq!(seen["waits"][1], json!(0.01));
    assert_eq!(retry_counts(&stub), ["0", "1", "2"]);
    stub.verify();
}

fn the_last_error_reaches_the_user_when_retries_run_out(sdk: Sdk) {
    let stub = WireStub::builder()
        .turn(ApiError::rate_limited().retry_after(MILLIS_10))
        .turn(ApiError::overloaded().retry_after(MILLIS_10))
        .start();

    let seen = sdk.run(&Call::create(&stub).retries(1));

    assert_eq!(seen["error"]["class"], "OverloadedError");
    assert_eq!(seen["error"]["status"], 529);
    assert_eq!(seen["waits"], json!([0.01]));
    assert_eq!(retry_counts(&stub), ["0", "1"]);
    stub.verify();
}

fn should_not_retry_stops_at_a_429(sdk: Sdk) {
    let error = ApiError::rate_limited()
        .retry_after(MILLIS_10)
        .should_not_retry();
    let stub = WireStub::builder().turn(error).start();

    let seen = sdk.run(&Call::create(&stub).retries(2));

    assert_eq!(seen["error"]["class"], "RateLimitError");
    assert_eq!(seen["waits"], json!([]));
    assert_eq!(retry_counts(&stub), ["0"]);
    stub.verify();
}

fn should_retry_makes_a_400_be_tried_again(sdk: Sdk) {
    let error = ApiError::invalid_request("not yet")
        .retry_after(MILLIS_10)
        .should_retry();
    let stub = WireStub::builder().turn(error).turn("done").start();

    let seen = sdk.run(&Call::create(&stub).retries(2));

    assert_eq!(seen["message"]["content"][0]["text"], "done");
    assert_eq!(retry_counts(&stub), ["0", "1"]);
    stub.verify();
}

fn the_statuses_that_clients_try_again_are_tried_again(sdk: Sdk) {
    let once = [400, 401, 402, 403, 404, 413, 418, 422];
    let again = [408, 409, 429, 500, 501, 503, 504, 520, 529];
    let wait = Duration::from_millis(1);
    let error = |status| Turn::from(ApiError::status(status).retry_after(wait));
    let script = again
        .into_iter()
        .flat_map(|status| [error(status), Turn::new().text("done")]);
    let stub = WireStub::builder()
        .turns(once.map(error))
        .turns(script)
        .start();
    let call = Call::create(&stub).retries(1);

    let refused = sdk.run_times(&call, once.len());
    let served = sdk.run_times(&call, again.len());

    for (status, seen) in once.iter().zip(&refused) {
        assert_eq!(
            (&seen["error"]["status"], &seen["waits"]),
            (&json!(status), &json!([]))
        );
    }
    for (status, seen) in again.iter().zip(&served) {
        assert_eq!(seen["error"], Value::Null, "{status}");
        assert_eq!(seen["waits"], json!([0.001]), "{status}");
    }
    stub.verify();
}

fn an_exhausted_script_is_not_tried_again_and_says_what_was_missing(sdk: Sdk) {
    let stub = WireStub::builder().turn("one").start();

    let runs = sdk.run_times(&Call::create(&stub).retries(2), 2);

    assert_eq!(runs[0]["error"], Value::Null);
    let error = &runs[1]["error"];
    assert_eq!(
        (&error["class"], &error["status"]),
        (&json!("UnprocessableEntityError"), &json!(422))
    );
    let told = error["api_message"].as_str().expect("a message");
    let line =
        "no turn left for request #2 POST /v1/messages\n  where: script of 1 turn, built at ";
    assert!(told.starts_with(line), "{told}");
    assert!(told.contains("help: add a turn"), "{told}");
    assert_eq!(stub.requests().len(), 2);
    assert_eq!(stub.overflow(), 1);
    assert_eq!(stub.requests()[1].outcome(), Outcome::Refused);
    let report = stub
        .try_verify()
        .expect_err("the script ran out")
        .to_string();
    assert!(report.contains("no turn left for request #2"), "{report}");
}

fn a_connection_lost_before_the_head_is_tried_again(sdk: Sdk) {
    let stub = WireStub::builder()
        .turn(
            Turn::new()
                .text("lost")
                .end(After::request(), Ending::Reset),
        )
        .turn("done")
        .start();

    let seen = sdk.run(&Call::create(&stub).retries(1));

    assert_eq!(seen["message"]["content"][0]["text"], "done");
    assert_eq!(retry_counts(&stub), ["0", "1"]);
    assert_eq!(stub.requests()[0].outcome(), Outcome::Reset);
    stub.verify();
}

/// The attempt's number, as each request says it.
fn retry_counts(stub: &WireStub) -> Vec<String> {
    let count = |request: &RecordedRequest| {
        request
            .header("x-stainless-retry-count")
            .map(str::to_owned)
            .unwrap_or_default()
    };
    stub.requests().iter().map(count).collect()
}
