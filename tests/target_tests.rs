//! The tests that users must be able to write, as they would write them. Numbers 1 to 6, 8 and 9 of ten.
#![cfg(feature = "server")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]
#![allow(
    dead_code,
    reason = "the user's error says more than these tests look at"
)]

#[path = "support/patient.rs"]
mod patient;
#[path = "support/session.rs"]
mod session;
mod support;

use llm_wire_stub::*;
use serde_json::{Value, json};
use session::session;
use support::{Client, Error, Shell, agent, client};

// 1
#[tokio::test]
async fn parallel_tools_start_before_the_stream_ends_and_answer_in_call_order() {
    let gate = Gate::new();
    let stub = WireStub::builder()
        .turn(
            Turn::new()
                .tool_call("shell", json!({"cmd": "slow"}))
                .tool_call("shell", json!({"cmd": "fast"}))
                .gate(After::parts(2), &gate),
        )
        .turn("done")
        .start();
    let shell = Shell::recording();
    let run = tokio::spawn(
        agent(stub.anthropic_url())
            .with_shell(&shell)
            .run("run both"),
    );

    gate.reached().await; // both calls are on the wire, the stop reason is not
    shell.wait_for_starts(2).await;
    gate.open();

    assert_eq!(run.await.unwrap().unwrap(), "done");
    let results: Vec<_> = stub.requests()[1]
        .tool_results()
        .iter()
        .map(|r| r.text().to_owned())
        .collect();
    assert_eq!(results, ["slow", "fast"]);
    stub.verify();
}

// 2
#[tokio::test]
async fn both_writers_are_asked_at_once_and_the_judge_reads_both_drafts() {
    let stub = WireStub::builder()
        .lane("a", matchers::model("writer-a"), ["Boom."])
        .lane("b", matchers::model("writer-b"), ["A loud boom."])
        .lane(
            "judge",
            matchers::model("judge"),
            [Turn::new().json(json!({"best": 1}))],
        )
        .start();
    let hold = stub.hold();
    let best = tokio::spawn(best_of_two(stub.anthropic_url(), "write a sentence"));

    stub.wait_for_requests(2).await; // nothing is answered yet: they overlap, or this gives up loudly
    hold.release();

    assert_eq!(best.await.unwrap().unwrap(), "A loud boom.");
    let seen = stub.lane("judge").single_request().last_user_text();
    assert!(
        seen.contains("Boom.") && seen.contains("A loud boom."),
        "{seen}"
    );
}

/// Two writers at once, then a judge who picks one of their drafts.
async fn best_of_two(url: String, task: &'static str) -> Result<String, Error> {
    best_of_two_by(client(url), task).await
}

/// The same on this client.
async fn best_of_two_by(client: Client, task: &'static str) -> Result<String, Error> {
    let writer = |model| {
        let client = client.clone().model(model);
        async move { client.ask(task).await }
    };
    let (a, b) = tokio::join!(writer("writer-a"), writer("writer-b"));
    let drafts = [a?, b?];
    let judge = client.model("judge");
    let verdict = judge.ask(&format!("Which is best? {drafts:?}")).await?;
    let verdict: Value = serde_json::from_str(&verdict)?;
    let best = verdict["best"].as_u64().unwrap_or_default();
    Ok(drafts[usize::try_from(best)?].clone())
}

/// Numbers 3 and 4, whose client has timers: its clock is the test's.
mod on_a_paused_clock {
    use std::time::Duration;

    use super::{patient::client, *};

    // 3
    #[tokio::test(start_paused = true)]
    async fn a_cut_stream_and_a_429_cost_two_attempts_and_leave_no_text_behind() {
        let stub = WireStub::builder()
            .clock(Clock::tokio())
            .turn(
                Turn::new()
                    .text("Hey, how are")
                    .end(After::deltas(2), Ending::Reset),
            )
            .turn(ApiError::rate_limited().retry_after(Duration::from_secs(3)))
            .turn("Hey there!")
            .start();
        let call = tokio::spawn(client(stub.anthropic_url()).ask("hello"));

        stub.time_to_request(2).await; // whatever the back-off after a cut stream is
        let waited = stub.time_to_request(3).await;
        assert!(
            waited >= Duration::from_secs(3),
            "retry-after ignored: asked again after {waited:?}"
        );

        assert_eq!(call.await.unwrap().unwrap(), "Hey there!");
        assert_eq!(stub.requests()[0].outcome(), Outcome::Reset);
        stub.verify();
    }

    // 4
    #[tokio::test(start_paused = true)]
    async fn thirty_silent_seconds_end_a_call_and_a_slow_stream_does_not() {
        let stub = WireStub::builder()
            .clock(Clock::tokio())
            .turn(
                Turn::new()
                    .text("slow but alive")
                    .pace(Pace::every(Duration::from_secs(20))),
            )
            .turn(Turn::new().text("half an answer").stall(After::deltas(2)))
            .start();
        let client = client(stub.openai_url()).idle_limit(Duration::from_secs(30));

        let slow = tokio::spawn(client.ask("one"));
        stub.advance(Duration::from_secs(120)).await;
        assert_eq!(slow.await.unwrap().unwrap(), "slow but alive");

        let stalled = tokio::spawn(client.ask("two"));
        stub.wait_for_stall().await;
        stub.advance(Duration::from_secs(31)).await;
        let error = stalled.await.unwrap().unwrap_err();
        assert!(
            error.is_idle_timeout() && error.partial_text() == "half an",
            "{error}"
        );
        stub.wait_for_cancel().await; // the socket was closed, not left behind
    }
}

// 5
#[tokio::test]
async fn cancelling_inside_a_tool_call_closes_the_stream_and_keeps_the_history_valid() {
    let live = Live::new();
    let stub = WireStub::builder().turn(&live).turn("Stopped.").start();
    let agent = session(stub.anthropic_url());
    let run = tokio::spawn(agent.run("edit the file"));

    live.text("Let me look. ").await;
    agent.wait_for_text("Let me look. ").await;
    live.tool_call_fragment("edit", r#"{"path": "src/ma"#).await;
    agent.cancel();

    let cut = stub.wait_for_cancel().await;
    assert_eq!((cut.index(), cut.outcome()), (0, Outcome::Cancelled));
    assert!(run.await.unwrap().unwrap_err().is_cancelled());

    agent.run("go on").await.unwrap(); // an unanswered half call would get the provider's own 400 here
    stub.verify();
}

// 6
#[tokio::test]
async fn an_overflow_is_compacted_once_and_the_question_is_asked_again() {
    let stub = WireStub::builder()
        .answer(|request, _index| {
            Some(if request.last_user_text().contains("Summarize") {
                Turn::new()
                    .text("They talked about boats.")
                    .usage(Usage::input(6_000).output(200))
            } else if request.messages().len() > 6 {
                Turn::error(ApiError::context_overflow())
            } else {
                Turn::new().text("Boats float.")
            })
        })
        .start();
    let agent = agent(stub.anthropic_url()).with_history(long_history());

    assert_eq!(agent.run("why?").await.unwrap(), "Boats float.");
    assert_eq!(stub.requests().len(), 3); // too long, summary, again
    assert!(
        stub.requests()[2]
            .text()
            .contains("They talked about boats.")
    );
}

fn long_history() -> Vec<Value> {
    let turn = |n: usize| {
        let role = if n % 2 == 0 { "user" } else { "assistant" };
        json!({"role": role, "content": format!("boats, part {n}")})
    };
    (0..8).map(turn).collect()
}

// 8
#[test]
fn a_stream_without_its_terminal_event_is_truncated_not_finished() {
    let turn = Turn::new().text("hi").usage(Usage::input(5).output(3));
    let whole = sse_body(Api::AnthropicMessages, &turn);
    let cut = sse_body(
        Api::AnthropicMessages,
        &turn.clone().fault(Fault::EofBeforeTerminal),
    );

    assert_eq!(decode(&whole).unwrap().finish, Some("end_turn"));
    assert!(matches!(decode(&cut), Err(DecodeError::Truncated { partial }) if partial == "hi"));

    let mut decoder = Decoder::new();
    for bytes in chunks(Api::AnthropicMessages, &turn, Cut::EveryByte) {
        decoder.feed(&bytes).unwrap();
    }
    assert_eq!(decoder.finish().unwrap(), decode(&whole).unwrap());
}

// 9
#[cfg(feature = "wiremock")]
#[tokio::test]
async fn the_chat_id_reaches_the_model_and_the_log_collector() {
    use wiremock::{
        Mock, MockServer, ResponseTemplate,
        matchers::{header, method, path},
    };

    let mocks = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path("/v1/logs"))
        .and(header("x-chat-id", "c-42"))
        .respond_with(ResponseTemplate::new(200))
        .expect(1..)
        .mount(&mocks)
        .await;
    let stub = WireStub::builder()
        .lane("chat", header("x-chat-id", "c-42"), ["Hi there!"]) // any wiremock matcher
        .fallback(&mocks) // every path that is no model API
        .start();

    let app = session(stub.url());
    assert_eq!(app.run("hello").await.unwrap(), "Hi there!");
    app.shutdown().await;
    stub.verify();
}

/// Numbers 1, 2 and 6 on OpenAI Chat: the same scripts, unchanged.
mod on_chat {
    use super::*;

    // 1
    #[tokio::test]
    async fn parallel_tools_start_before_the_stream_ends_and_answer_in_call_order() {
        let gate = Gate::new();
        let stub = WireStub::builder()
            .turn(
                Turn::new()
                    .tool_call("shell", json!({"cmd": "slow"}))
                    .tool_call("shell", json!({"cmd": "fast"}))
                    .gate(After::parts(2), &gate),
            )
            .turn("done")
            .start();
        let shell = Shell::recording();
        let run = tokio::spawn(agent(stub.openai_url()).with_shell(&shell).run("run both"));

        gate.reached().await; // both calls are on the wire, the stop reason is not
        shell.wait_for_starts(2).await;
        gate.open();

        assert_eq!(run.await.unwrap().unwrap(), "done");
        let results: Vec<_> = stub.requests()[1]
            .tool_results()
            .iter()
            .map(|r| r.text().to_owned())
            .collect();
        assert_eq!(results, ["slow", "fast"]);
        stub.verify();
    }

    // 2
    #[tokio::test]
    async fn both_writers_are_asked_at_once_and_the_judge_reads_both_drafts() {
        let stub = WireStub::builder()
            .lane("a", matchers::model("writer-a"), ["Boom."])
            .lane("b", matchers::model("writer-b"), ["A loud boom."])
            .lane(
                "judge",
                matchers::model("judge"),
                [Turn::new().json(json!({"best": 1}))],
            )
            .start();
        let hold = stub.hold();
        let best = tokio::spawn(best_of_two(stub.openai_url(), "write a sentence"));

        stub.wait_for_requests(2).await; // nothing is answered yet: they overlap, or this gives up loudly
        hold.release();

        assert_eq!(best.await.unwrap().unwrap(), "A loud boom.");
        let seen = stub.lane("judge").single_request().last_user_text();
        assert!(
            seen.contains("Boom.") && seen.contains("A loud boom."),
            "{seen}"
        );
    }

    // 6
    #[tokio::test]
    async fn an_overflow_is_compacted_once_and_the_question_is_asked_again() {
        let stub = WireStub::builder()
            .answer(|request, _index| {
                Some(if request.last_user_text().contains("Summarize") {
                    Turn::new()
                        .text("They talked about boats.")
                        .usage(Usage::input(6_000).output(200))
                } else if request.messages().len() > 6 {
                    Turn::error(ApiError::context_overflow())
                } else {
                    Turn::new().text("Boats float.")
                })
            })
            .start();
        let agent = agent(stub.openai_url()).with_history(long_history());

        assert_eq!(agent.run("why?").await.unwrap(), "Boats float.");
        assert_eq!(stub.requests().len(), 3); // too long, summary, again
        assert!(
            stub.requests()[2]
                .text()
                .contains("They talked about boats.")
        );
    }
}

/// Numbers 1, 2 and 6 on OpenAI Responses: the same scripts, unchanged.
mod on_responses {
    use super::*;

    // 1
    #[tokio::test]
    async fn parallel_tools_start_before_the_stream_ends_and_answer_in_call_order() {
        let gate = Gate::new();
        let stub = WireStub::builder()
            .turn(
                Turn::new()
                    .tool_call("shell", json!({"cmd": "slow"}))
                    .tool_call("shell", json!({"cmd": "fast"}))
                    .gate(After::parts(2), &gate),
            )
            .turn("done")
            .start();
        let shell = Shell::recording();
        let run = tokio::spawn(
            agent(stub.openai_url())
                .on_responses()
                .with_shell(&shell)
                .run("run both"),
        );

        gate.reached().await; // both calls are on the wire, the stop reason is not
        shell.wait_for_starts(2).await;
        gate.open();

        assert_eq!(run.await.unwrap().unwrap(), "done");
        let results: Vec<_> = stub.requests()[1]
            .tool_results()
            .iter()
            .map(|r| r.text().to_owned())
            .collect();
        assert_eq!(results, ["slow", "fast"]);
        stub.verify();
    }

    // 2
    #[tokio::test]
    async fn both_writers_are_asked_at_once_and_the_judge_reads_both_drafts() {
        let stub = WireStub::builder()
            .lane("a", matchers::model("writer-a"), ["Boom."])
            .lane("b", matchers::model("writer-b"), ["A loud boom."])
            .lane(
                "judge",
                matchers::model("judge"),
                [Turn::new().json(json!({"best": 1}))],
            )
            .start();
        let hold = stub.hold();
        let client = client(stub.openai_url()).on_responses();
        let best = tokio::spawn(best_of_two_by(client, "write a sentence"));

        stub.wait_for_requests(2).await; // nothing is answered yet: they overlap, or this gives up loudly
        hold.release();

        assert_eq!(best.await.unwrap().unwrap(), "A loud boom.");
        let seen = stub.lane("judge").single_request().last_user_text();
        assert!(
            seen.contains("Boom.") && seen.contains("A loud boom."),
            "{seen}"
        );
    }

    // 6
    #[tokio::test]
    async fn an_overflow_is_compacted_once_and_the_question_is_asked_again() {
        let stub = WireStub::builder()
            .answer(|request, _index| {
                Some(if request.last_user_text().contains("Summarize") {
                    Turn::new()
                        .text("They talked about boats.")
                        .usage(Usage::input(6_000).output(200))
                } else if request.messages().len() > 6 {
                    Turn::error(ApiError::context_overflow())
                } else {
                    Turn::new().text("Boats float.")
                })
            })
            .start();
        let agent = agent(stub.openai_url())
            .on_responses()
            .with_history(long_history());

        assert_eq!(agent.run("why?").await.unwrap(), "Boats float.");
        assert_eq!(stub.requests().len(), 3); // too long, summary, again
        assert!(
            stub.requests()[2]
                .text()
                .contains("They talked about boats.")
        );
    }
}

/// The decoder under test: what somebody might have written for their own SDK.
#[derive(Default)]
struct Decoder {
    unread: Vec<u8>,
    text: String,
    finish: Option<&'static str>,
    stopped: bool,
}

#[derive(Debug, PartialEq)]
struct Decoded {
    text: String,
    finish: Option<&'static str>,
}

#[derive(Debug)]
enum DecodeError {
    Malformed(serde_json::Error),
    Truncated { partial: String },
}

impl Decoder {
    fn new() -> Self {
        Self::default()
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), DecodeError> {
        self.unread.extend_from_slice(bytes);
        while let Some(at) = self.unread.iter().position(|b| *b == b'\n') {
            let line: Vec<u8> = self.unread.drain(..=at).collect();
            let Some(data) = line.strip_prefix(b"data: ") else {
                continue;
            };
            let data: Value = serde_json::from_slice(data).map_err(DecodeError::Malformed)?;
            match data["type"].as_str() {
                Some("content_block_delta") => {
                    self.text += data["delta"]["text"].as_str().unwrap_or_default();
                }
                Some("message_delta") if data["delta"]["stop_reason"] == "end_turn" => {
                    self.finish = Some("end_turn");
                }
                Some("message_stop") => self.stopped = true,
                _ => {}
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Decoded, DecodeError> {
        if !self.stopped {
            return Err(DecodeError::Truncated { partial: self.text });
        }
        Ok(Decoded {
            text: self.text,
            finish: self.finish,
        })
    }
}

fn decode(body: &[u8]) -> Result<Decoded, DecodeError> {
    let mut decoder = Decoder::new();
    decoder.feed(body)?;
    decoder.finish()
}
