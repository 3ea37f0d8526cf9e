//! Clients that leave in the middle: the stub sees it, and the user sees no answer.
//!
//! The order is kept by a gate on the stub's side and by a line that the driver waits for.

use llm_wire_stub::{After, Gate, Outcome, StubHandle, Turn, WireStub};
use llm_wire_stub_interop::{Call, Sdk};
use serde_json::{Value, json};

for_each_sdk!(
    leaving_a_helper_stream_is_seen,
    leaving_a_raw_stream_is_seen,
);

fn leaving_a_helper_stream_is_seen(sdk: Sdk) {
    let seen = left(sdk, Call::helper, "break");
    assert_eq!(seen["texts"], json!(["one"]));
    assert_eq!(seen["message"], Value::Null);
    assert_eq!(seen["error"], Value::Null);
}

fn leaving_a_raw_stream_is_seen(sdk: Sdk) {
    let seen = left(sdk, Call::raw, "break");
    assert_eq!(seen["events"].as_array().expect("events").len(), 3);
    assert_eq!(seen["error"], Value::Null);
}

#[test]
fn cancelling_the_task_of_a_helper_stream_is_seen() {
    let seen = left(Sdk::PythonAsync, Call::helper, "cancel");
    assert_eq!(seen["texts"], json!(["one"]));
    assert_eq!(seen["error"]["class"], "CancelledError");
}

#[test]
fn cancelling_the_task_of_a_raw_stream_is_seen() {
    let seen = left(Sdk::PythonAsync, Call::raw, "cancel");
    assert_eq!(seen["error"]["class"], "CancelledError");
}

#[test]
fn cancelling_the_task_of_a_call_before_its_answer_is_seen() {
    let seen = left_before_the_head(Sdk::PythonAsync, "cancel");
    assert_eq!(seen["error"]["class"], "CancelledError");
}

#[test]
fn an_abort_signal_on_a_helper_stream_is_seen() {
    let seen = left(Sdk::TypeScript, Call::helper, "signal");
    assert_eq!(seen["texts"], json!(["one"]));
    assert_eq!(seen["error"]["class"], "APIUserAbortError");
}

#[test]
fn aborting_a_helper_stream_is_seen() {
    let seen = left(Sdk::TypeScript, Call::helper, "abort");
    assert_eq!(seen["error"]["class"], "APIUserAbortError");
}

#[test]
fn an_abort_signal_on_a_raw_stream_is_seen_and_ends_the_loop_without_an_error() {
    let seen = left(Sdk::TypeScript, Call::raw, "signal");
    assert_eq!(seen["error"], Value::Null);
    assert_eq!(seen["events"].as_array().expect("events").len(), 3);
}

#[test]
fn aborting_a_raw_stream_is_seen_and_ends_the_loop_without_an_error() {
    let seen = left(Sdk::TypeScript, Call::raw, "abort");
    assert_eq!(seen["error"], Value::Null);
}

#[test]
fn an_abort_signal_before_the_answer_is_seen() {
    let seen = left_before_the_head(Sdk::TypeScript, "signal");
    assert_eq!(seen["error"]["class"], "APIUserAbortError");
}

/// What the SDK observed of a stream that it left at its first delta. The next call is served.
#[track_caller]
fn left(sdk: Sdk, call: impl Fn(&StubHandle) -> Call, way: &str) -> Value {
    let gate = Gate::new();
    let turn = Turn::new()
        .text("one two three")
        .gate(After::deltas(1), &gate);
    let stub = WireStub::builder().turn(turn).turn("again").start();
    let mut running = sdk.start(&call(&stub).leave(way));

    assert_eq!(running.note(), "first delta");
    gate.reached_blocking();
    assert_eq!(stub.single_request().outcome(), Outcome::Open);
    running.leave();

    let cut = stub.wait_for_cancel_blocking();
    assert_eq!((cut.index(), cut.outcome()), (0, Outcome::Cancelled));
    assert!(cut.bytes_written() > 0);
    let seen = running.finish();

    let again = sdk.run(&Call::create(&stub));
    assert_eq!(again["message"]["content"][0]["text"], "again");
    stub.verify();
    seen
}

/// What the SDK observed of a call that it left while the stub had written nothing.
#[track_caller]
fn left_before_the_head(sdk: Sdk, way: &str) -> Value {
    let gate = Gate::new();
    let stub = WireStub::builder()
        .turn(Turn::new().text("late").gate(After::request(), &gate))
        .start();
    let mut running = sdk.start(&Call::create(&stub).retries(2).leave(way));

    assert_eq!(running.note(), "asked");
    gate.reached_blocking();
    running.leave();

    let cut = stub.wait_for_cancel_blocking();
    assert_eq!(
        (cut.outcome(), cut.bytes_written()),
        (Outcome::Cancelled, 0)
    );
    let seen = running.finish();
    assert_eq!(
        stub.requests().len(),
        1,
        "a call that was left is not tried again"
    );
    stub.verify();
    seen
}
