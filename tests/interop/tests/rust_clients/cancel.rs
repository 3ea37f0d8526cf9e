//! Clients that leave in the middle: the stub sees it. The order is kept by gates.

use llm_wire_stub::{After, Gate, Outcome, StubHandle, Turn, WireStub};
use serde_json::json;

use crate::{
    client::{Client, Form, Library, Wants, Wire},
    topics,
};

for_each_client!(
    leaving_a_stream_is_seen,
    leaving_a_call_before_its_answer_is_seen,
);

async fn leaving_a_stream_is_seen(client: Client) {
    let (first, second) = (Gate::new(), Gate::new());
    let turn = Turn::new()
        .text("one two three")
        .gate(After::deltas(1), &first)
        .gate(After::deltas(2), &second);
    let stub = WireStub::builder().turn(turn).turn("again").start();

    let stream = client.begin(&stub).await;
    first.reached().await;
    assert_eq!(stub.request(0).outcome(), Outcome::Open);
    drop(stream);

    let found = if client.library == Library::AsyncAnthropic {
        // the reader is a task of its own, which looks at whether anybody listens when an event comes
        again(client, &stub).await;
        assert_eq!(stub.request(0).outcome(), Outcome::Open);
        first.open();
        second.reached().await;
        "**seen at the next event**"
    } else {
        "seen"
    };
    let cut = stub.wait_for_cancel().await;
    assert_eq!((cut.index(), cut.outcome()), (0, Outcome::Cancelled));
    topics::LEFT_IN_THE_MIDDLE.assert(client, Form::Streamed, found);

    if client.library != Library::AsyncAnthropic {
        again(client, &stub).await;
    }
    stub.verify();
}

async fn leaving_a_call_before_its_answer_is_seen(client: Client) {
    for form in [Form::Whole, Form::Streamed] {
        let (head, delta) = (Gate::new(), Gate::new());
        // only a stream has a second place to wait at
        let turn = Turn::new().text("late").gate(After::request(), &head);
        let turn = match form {
            Form::Whole => turn,
            Form::Streamed => turn.gate(After::deltas(1), &delta),
        };
        let stub = WireStub::builder().turn(turn).turn("again").start();

        let call = tokio::spawn(client.asking(&stub, form));
        head.reached().await;
        call.abort();
        assert!(call.await.expect_err("left").is_cancelled());

        let found = if (client.library, form) == (Library::AsyncAnthropic, Form::Streamed) {
            again(client, &stub).await;
            assert_eq!(stub.request(0).outcome(), Outcome::Open);
            head.open();
            delta.reached().await;
            "**not before the answer begins**"
        } else {
            "seen"
        };
        let cut = stub.wait_for_cancel().await;
        assert_eq!((cut.index(), cut.outcome()), (0, Outcome::Cancelled));
        topics::LEFT_BEFORE_THE_HEAD.assert(client, form, found);
        if found == "seen" {
            assert_eq!(cut.bytes_written(), 0);
            again(client, &stub).await;
        }
        assert_eq!(
            stub.requests().len(),
            2,
            "a call that was left is not tried again"
        );
        stub.verify();
    }
}

/// The agent drives its calls over a bus of its own.
#[tokio::test]
async fn leaving_rigs_agent_in_its_second_call_is_seen() {
    for wire in Wire::ALL {
        for form in [Form::Whole, Form::Streamed] {
            let gate = Gate::new();
            let stub = WireStub::builder()
                .turn(Turn::new().tool_call("weather", json!({"city": "Oslo"})))
                .turn(Turn::new().text("late").gate(After::request(), &gate))
                .start();
            let handle = stub.handle();
            let library = Library::Rig;
            let rig = Client { library, wire };
            let run = async move { rig.tool_loop(&handle, form, Wants::Answer).await };
            let run = tokio::spawn(run);
            gate.reached().await;

            run.abort();

            let cut = stub.wait_for_cancel().await;
            assert_eq!((cut.index(), cut.outcome()), (1, Outcome::Cancelled));
            stub.verify();
        }
    }
}

/// The next call is served.
async fn again(client: Client, stub: &StubHandle) {
    let seen = client.ask(stub, Form::Whole, Wants::Answer).await;
    assert_eq!(seen.content, [json!({"text": "again"})]);
}
