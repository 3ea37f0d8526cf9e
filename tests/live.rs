//! Live turns: the test writes while the client reads, exact to the fragment, in the bytes of a scripted turn.
#![cfg(feature = "server")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

#[path = "support/caught.rs"]
mod caught;
#[path = "support/raw.rs"]
mod raw;

use std::{sync::Arc, time::Duration};

use caught::{panic_at, panic_of};
use llm_wire_stub::*;
use proptest::prelude::{Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};
use raw::{
    Ended, LAST_CHUNK, MODEL, Raw, ascii, call, chunked, not_streaming, streaming, streaming_body,
};
use serde_json::json;

const API: Api = Api::AnthropicMessages;
/// Short, where giving up is what is tested.
const AT_ONCE: Duration = Duration::from_millis(1);
const HALF: &str = r#"{"path": "src/ma"#;
const REST: &str = r#"in.rs"}"#;

#[track_caller]
fn builder() -> WireStubBuilder {
    WireStub::builder().without_verify_on_drop()
}

/// The model that the requests here ask for.
fn scripted() -> Turn {
    Turn::new().model(MODEL)
}

/// What the tests here mostly say live, scripted.
fn whole() -> Turn {
    scripted()
        .text("Let me look. ")
        .fragments(Fragments::pieces(["Let me ", "look. "]))
        .tool_call("edit", Arguments::raw(HALF.to_owned() + REST))
        .fragments(Fragments::pieces([HALF, REST]))
        .text("Both of them.")
        .tool_call("shell", json!({"cmd": ["ls", "-l", "a long one"]}))
        .tool_call("shell", json!({}))
}

/// The same, live.
fn say_whole(live: &Live) {
    live.text("Let me ").blocking();
    live.text("look. ").blocking();
    live.tool_call_fragment("edit", HALF).blocking();
    live.tool_call_fragment("edit", REST).blocking();
    live.say("Both of them.").blocking();
    live.say(Turn::new().tool_call("shell", json!({"cmd": ["ls", "-l", "a long one"]})))
        .blocking();
    live.say(Turn::new().tool_call("shell", json!({})))
        .blocking();
}

// --- bytes -----------------------------------------------------------------------------------------

#[test]
fn a_live_turn_has_the_bytes_of_a_scripted_one() {
    for seed in 0..40 {
        for plain in [false, true] {
            let dress = |turn: Turn| {
                let turn = turn.seed(seed);
                if plain { turn.plain() } else { turn }
            };
            let live = Live::new();
            let stub = builder().turn(dress(Turn::from(&live))).start();
            let mut client = Raw::asking(&stub, streaming());
            say_whole(&live);
            live.finish().blocking();
            let found = client.response().body;
            let expected = sse_body(API, &dress(whole()));
            assert_eq!(
                ascii(&found),
                ascii(&expected),
                "seed {seed}, plain: {plain}"
            );
            assert_eq!(stub.single_request().outcome(), Outcome::Complete);
            stub.verify();
        }
    }
}

/// Something that can be said, and how a script says it.
#[derive(Clone, Debug)]
enum Saying {
    Text(String),
    Words(String),
    /// The fragments of one block of thinking, which ends here.
    Thinking(Vec<String>),
    /// The fragments of one call.
    Fragments(String, Vec<String>),
    Call(String, i64),
}

impl Saying {
    fn scripted(&self, turn: Turn) -> Turn {
        match self {
            Self::Text(text) => turn.text(text).fragments(Fragments::whole()),
            Self::Words(text) => turn.text(text),
            Self::Thinking(pieces) => turn
                .thinking(pieces.concat())
                .fragments(Fragments::pieces(pieces))
                .redacted_thinking(),
            Self::Fragments(name, pieces) => turn
                .tool_call(name, Arguments::raw(pieces.concat()))
                .fragments(Fragments::pieces(pieces)),
            Self::Call(name, n) => turn.tool_call(name, json!({"n": n, "s": "two words"})),
        }
    }

    fn said(&self, live: &Live) {
        match self {
            Self::Text(text) => live.text(text).blocking(),
            Self::Words(text) => live.say(text.as_str()).blocking(),
            Self::Thinking(pieces) => {
                for piece in pieces {
                    live.thinking(piece).blocking();
                }
                live.say(Turn::new().redacted_thinking()).blocking();
            }
            Self::Fragments(name, pieces) => {
                live.tool_call_fragment(name, "").blocking();
                for piece in pieces {
                    live.tool_call_fragment(name, piece).blocking();
                }
                live.tool_call_end().blocking();
            }
            Self::Call(..) => live.say(self.scripted(Turn::new())).blocking(),
        }
    }
}

fn sayings() -> impl Strategy<Value = Vec<Saying>> {
    let text = || "[a-z é漢\\n]{0,12}";
    let piece = "[a-z{\":é]{1,6}";
    let saying = prop_oneof![
        text().prop_map(Saying::Text),
        text().prop_map(Saying::Words),
        prop::collection::vec(piece, 1..4).prop_map(Saying::Thinking),
        ("[ab]", prop::collection::vec(piece, 0..3)).prop_map(|(n, p)| Saying::Fragments(n, p)),
        ("[ab]", 0..9_i64).prop_map(|(name, n)| Saying::Call(name, n)),
    ];
    prop::collection::vec(saying, 0..6)
}

proptest! {
    #[test]
    fn whatever_is_said_live_has_the_bytes_of_what_is_scripted(
        sayings in sayings(),
        seed in any::<u64>(),
    ) {
        let usage = || Usage::input(3).output(400);
        let live = Live::new();
        let stub = builder().turn(Turn::from(&live).usage(usage()).seed(seed)).start();
        let mut client = Raw::asking(&stub, streaming());
        sayings.iter().for_each(|saying| saying.said(&live));
        live.finish().blocking();
        let turn = scripted().usage(usage()).seed(seed);
        let turn = sayings.iter().fold(turn, |turn, saying| saying.scripted(turn));
        prop_assert_eq!(ascii(&client.response().body), ascii(&sse_body(API, &turn)));
    }
}

#[test]
fn each_call_is_on_the_wire_when_it_is_done_and_nothing_more() {
    let live = Live::new();
    let stub = builder().turn(Turn::from(&live).plain()).start();
    let mut client = Raw::asking(&stub, streaming());
    let events: Vec<_> = chunks(API, &whole().plain(), Cut::PerEvent).collect();
    client.head();
    let mut from = 0;
    let mut assert_written = |client: &mut Raw, until: usize| {
        let expected = chunked(events[from..until].iter().cloned());
        assert_eq!(
            ascii(&client.read_exactly(expected.len())),
            ascii(&expected)
        );
        client.assert_nothing_more();
        from = until;
    };
    let shell = |arguments| Turn::new().tool_call("shell", arguments);

    assert_written(&mut client, 1); // message_start, before anything was said
    live.text("").blocking();
    client.assert_nothing_more();
    live.text("Let me ").blocking();
    assert_written(&mut client, 3); // start of the block, delta
    live.text("look. ").blocking();
    assert_written(&mut client, 4);
    live.tool_call_fragment("edit", "").blocking();
    assert_written(&mut client, 7); // stop of the text, start of the call, empty delta
    live.tool_call_fragment("edit", HALF).blocking();
    assert_written(&mut client, 8);
    live.text("").blocking();
    live.say("").blocking();
    live.say(Turn::new()).blocking();
    client.assert_nothing_more();
    live.tool_call_fragment("edit", REST).blocking();
    assert_written(&mut client, 9); // the call went on
    live.tool_call_end().blocking();
    assert_written(&mut client, 10);
    live.say("Both of them.").blocking();
    assert_written(&mut client, 14); // three words, the block goes on
    live.say(shell(json!({"cmd": ["ls", "-l", "a long one"]})))
        .blocking();
    let start = 17; // stop of the text, start of the call, empty delta
    let stop = events.len() - 5; // start, empty delta, stop of the next call; stop reason, end
    assert!(stop > start, "the arguments have several fragments");
    assert_written(&mut client, stop);
    live.say(shell(json!({}))).blocking();
    assert_written(&mut client, stop + 3);
    assert_eq!(stub.single_request().outcome(), Outcome::Open);
    live.finish().blocking();
    let end = [
        chunked(events[stop + 3..].iter().cloned()),
        LAST_CHUNK.to_vec(),
    ]
    .concat();
    assert_eq!(ascii(&client.read_exactly(end.len())), ascii(&end));
    client.assert_nothing_more();
    stub.verify();
}

#[test]
fn live_thinking_is_signed_when_its_block_ends() {
    let pieces = ["The sum ", "of two ", "and two."];
    let whole = scripted()
        .thinking(pieces.concat())
        .fragments(Fragments::pieces(pieces))
        .text("Four.")
        .thinking("Is it?")
        .fragments(Fragments::whole())
        .tool_call("add", json!({}))
        .thinking("Yes.")
        .fragments(Fragments::whole())
        .plain();
    let live = Live::new();
    let stub = builder().turn(Turn::from(&live).plain()).start();
    let mut client = Raw::asking(&stub, streaming());
    let events: Vec<_> = chunks(API, &whole, Cut::PerEvent).collect();
    client.head();
    let mut from = 0;
    let mut assert_written = |client: &mut Raw, until: usize| {
        let expected = chunked(events[from..until].iter().cloned());
        let found = client.read_exactly(expected.len());
        assert_eq!(ascii(&found), ascii(&expected));
        client.assert_nothing_more();
        from = until;
    };

    assert_written(&mut client, 1);
    live.thinking("").blocking();
    client.assert_nothing_more();
    live.thinking(pieces[0]).blocking();
    assert_written(&mut client, 3); // start of the block, delta
    live.thinking(pieces[1]).blocking();
    assert_written(&mut client, 4);
    live.thinking("").blocking();
    live.pause(Duration::ZERO).blocking();
    live.say(Turn::new()).blocking();
    client.assert_nothing_more();
    live.thinking(pieces[2]).blocking();
    assert_written(&mut client, 5); // the block went on
    live.text("Four.").blocking();
    assert_written(&mut client, 9); // signature, stop; start of the text, delta
    live.thinking("Is it?").blocking();
    assert_written(&mut client, 12); // stop of the text; start of the block, delta
    live.tool_call_fragment("add", "").blocking();
    assert_written(&mut client, 16); // signature, stop; start of the call, empty delta
    live.thinking("Yes.").blocking();
    assert_written(&mut client, 19); // stop of the call; start of the block, delta
    live.finish().blocking();
    let end = [chunked(events[19..].iter().cloned()), LAST_CHUNK.to_vec()].concat();
    assert_eq!(ascii(&client.read_exactly(end.len())), ascii(&end));
    stub.verify();
}

#[test]
fn live_thinking_has_the_bytes_of_a_scripted_one() {
    let mut empty_last_deltas = 0;
    for seed in 0..40 {
        let turn = scripted()
            .thinking("Hm. Two.")
            .fragments(Fragments::pieces(["Hm. ", "Two."]))
            .thinking("")
            .thinking("Or three?")
            .text("Two, and no more of them than that.")
            .seed(seed);
        for (request, expected) in [
            (streaming(), sse_body(API, &turn)),
            (not_streaming(), json_body(API, &turn)),
        ] {
            let live = Live::new();
            let stub = builder().turn(Turn::from(&live).seed(seed)).start();
            let mut client = Raw::asking(&stub, request);
            live.thinking("Hm. ").blocking();
            live.thinking("Two.").blocking();
            live.say(Turn::new().thinking("").thinking("Or three?"))
                .blocking();
            live.say("Two, and no more of them than that.").blocking();
            live.finish().blocking();
            let found = client.response().body;
            assert_eq!(ascii(&found), ascii(&expected), "seed {seed}");
            let empty = r#"{"type":"thinking_delta","thinking":""}"#;
            empty_last_deltas += String::from_utf8_lossy(&found).matches(empty).count();
            stub.verify();
        }
    }
    assert!(
        empty_last_deltas > 0,
        "no seed ends thinking with an empty delta"
    );
}

#[test]
fn an_answer_of_nothing_and_one_of_few_tokens_are_well_formed() {
    for seed in 0..40 {
        for text in ["", "Hm.", "A little more."] {
            let live = Live::new();
            let stub = builder().turn(Turn::from(&live).seed(seed)).start();
            let mut client = Raw::asking(&stub, streaming());
            live.text(text).blocking();
            live.finish().blocking();
            let found = client.response().body;
            let reply = accumulate(API, &found).unwrap();
            assert_eq!(reply.text(), text);
            assert_eq!(reply.stop_reason, StopReason::EndTurn);
            // what the stream began with was not taken back
            let started = String::from_utf8_lossy(&found);
            let (_, started) = started.split_once("\"output_tokens\":").unwrap();
            let digits = started.split_once(',').unwrap().0;
            let started: u64 = digits.parse().unwrap();
            assert!(started <= reply.usage.output_tokens, "{started} {reply:?}");
            // and it is a scripted turn with that usage
            let turn = scripted().text(text).fragments(Fragments::whole());
            let expected = sse_body(API, &turn.usage(reply.usage).seed(seed));
            assert_eq!(ascii(&found), ascii(&expected), "seed {seed}");
        }
    }
}

#[test]
fn model_usage_and_stop_reason_are_said_where_they_are_known() {
    let usage = || Usage::input(7).output(3);
    let live = Live::new();
    let turn = Turn::from(&live).usage(usage()).model("m-2");
    let stub = builder().turn(turn).start();
    let mut client = Raw::asking(&stub, streaming());
    live.text("cut").blocking();
    live.finish_with(StopReason::MaxTokens).blocking();
    let expected = Turn::new().text("cut").usage(usage()).model("m-2");
    let expected = sse_body(API, &expected.stop_reason(StopReason::MaxTokens));
    assert_eq!(ascii(&client.response().body), ascii(&expected));

    let live = Live::new();
    let stub = builder().turn(&live).stop_reason_at(0, "stamped").start();
    let mut client = Raw::asking(&stub, streaming());
    live.finish_with(StopReason::MaxTokens).blocking();
    let reply = accumulate(API, &client.response().body).unwrap();
    assert_eq!(reply.stop_reason, StopReason::from("stamped"));
}

#[test]
fn a_live_turn_is_cut_like_any_other() {
    for cut in [Cut::Whole, Cut::EveryByte] {
        let live = Live::new();
        let stub = builder().turn(&live).cut(cut.clone()).start();
        let mut client = Raw::asking(&stub, streaming());
        say_whole(&live);
        live.finish().blocking();
        let response = client.response();
        assert_eq!(ascii(&response.body), ascii(&sse_body(API, &whole())));
        if cut == Cut::EveryByte {
            let expected = [chunked(chunks(API, &whole(), cut)), LAST_CHUNK.to_vec()].concat();
            assert_eq!(ascii(&response.framed), ascii(&expected));
        }
    }
}

#[test]
fn fragments_of_one_tool_make_one_call_until_it_is_ended() {
    let live = Live::new();
    let stub = builder().turn(&live).start();
    let mut client = Raw::asking(&stub, streaming());
    for (name, piece, end) in [
        ("a", "{\"n\":", false),
        ("a", "1}", true),
        ("a", "{\"n\":2}", false),
        ("b", "", false),
        ("b", "", true),
        ("b", "{\"n\":3}", false),
    ] {
        live.tool_call_fragment(name, piece).blocking();
        if end {
            live.tool_call_end().blocking();
        }
    }
    live.finish().blocking();
    let reply = accumulate(API, &client.response().body).unwrap();
    let calls: Vec<_> = reply
        .tool_calls()
        .map(|c| (c.name.as_str(), c.arguments.clone()))
        .collect();
    let expected = [
        ("a", json!({"n": 1})),
        ("a", json!({"n": 2})),
        ("b", json!({})),
        ("b", json!({"n": 3})),
    ];
    assert_eq!(calls, expected);
    assert_eq!(reply.stop_reason, StopReason::ToolUse);
}

#[test]
fn a_client_that_wants_no_stream_gets_everything_at_the_end() {
    let live = Live::new();
    let stub = builder().turn(&live).start();
    let mut client = Raw::asking(&stub, not_streaming());
    say_whole(&live);
    client.assert_nothing_more();
    live.finish().blocking();
    let response = client.response();
    assert_eq!(response.header("content-type"), Some("application/json"));
    assert_eq!(ascii(&response.body), ascii(&json_body(API, &whole())));
    assert_eq!(stub.single_request().outcome(), Outcome::Complete);
    stub.verify();
}

// --- ends ------------------------------------------------------------------------------------------

#[test]
fn a_live_turn_fails_as_a_scripted_one_ends() {
    let error = ApiError::overloaded;
    for (ending, outcome, ended) in [
        (Ending::from(error()), Outcome::Failed, None),
        (Ending::CleanEof, Outcome::Failed, None),
        (Ending::Fin, Outcome::Failed, Some(Ended::Fin)),
        (Ending::Reset, Outcome::Reset, Some(Ended::Reset)),
    ] {
        let live = Live::new();
        let stub = builder().turn(&live).start();
        let mut client = Raw::asking(&stub, streaming());
        live.text("Once").blocking();
        live.fail(ending.clone()).blocking();
        let scripted = scripted()
            .text("Once")
            .end(After::deltas(1), ending.clone());
        let mut expected = chunked(chunks(API, &scripted, Cut::PerEvent));
        client.head();
        if ended.is_none() {
            expected.extend_from_slice(LAST_CHUNK);
        }
        assert_eq!(
            ascii(&client.read_exactly(expected.len())),
            ascii(&expected),
            "{ending:?}"
        );
        match ended {
            None => client.assert_nothing_more(),
            Some(ended) => assert_eq!(client.rest(), (Vec::new(), ended), "{ending:?}"),
        }
        assert_eq!(stub.single_request().outcome(), outcome, "{ending:?}");
        stub.verify();
    }
}

#[test]
fn a_client_that_wants_no_stream_is_failed_before_its_body() {
    let fail = |ending: Ending| {
        let live = Live::new();
        let stub = builder().turn(&live).start();
        let client = Raw::asking(&stub, not_streaming());
        live.text("Once").blocking();
        live.fail(ending).blocking();
        (client, stub)
    };
    let error = ApiError::rate_limited()
        .message("Slow down.")
        .retry_after(Duration::from_secs(3));
    let (mut client, stub) = fail(error.clone().into());
    let response = client.response();
    assert_eq!(response.status(), "HTTP/1.1 429 Too Many Requests");
    assert_eq!(response.header("retry-after"), Some("3"));
    assert_eq!(ascii(&response.body), ascii(&error_body(API, &error)));
    assert_eq!(stub.single_request().outcome(), Outcome::Complete);

    let (mut client, stub) = fail(Ending::CleanEof);
    assert_eq!(client.response().body, b"");
    assert_eq!(stub.single_request().outcome(), Outcome::Failed);
    for (ending, ended, outcome) in [
        (Ending::Fin, Ended::Fin, Outcome::Failed),
        (Ending::Reset, Ended::Reset, Outcome::Reset),
    ] {
        let (mut client, stub) = fail(ending);
        assert_eq!(client.rest(), (Vec::new(), ended));
        assert_eq!(stub.single_request().outcome(), outcome);
    }
}

#[test]
fn a_live_turn_that_is_dropped_unfinished_resets_its_answer_and_fails_verify() {
    let live = Live::new();
    let stub = builder().turn(&live).start();
    let mut client = Raw::asking(&stub, streaming());
    live.text("Once").blocking();
    drop(live);
    let (read, ended) = client.rest();
    assert!(ascii(&read).contains("Once"), "{}", ascii(&read));
    assert_eq!(ended, Ended::Reset);
    assert_eq!(stub.single_request().outcome(), Outcome::Failed);
    stub.try_verify().unwrap_err();
}

#[test]
fn a_live_turn_that_was_dropped_before_its_request_came_resets_it_too() {
    let live = Live::new();
    let stub = builder().turn(&live).start();
    drop(live);
    let mut client = Raw::asking(&stub, streaming());
    assert_eq!(client.rest().1, Ended::Reset);
    stub.try_verify().unwrap_err();
}

#[tokio::test]
async fn a_live_turn_that_is_dropped_writes_what_is_still_awaited() {
    let live = Live::new();
    let stub = builder().turn(&live).start();
    let (text, finish) = (live.text("Once"), live.finish());
    drop(live);
    let mut client = Raw::asking(&stub, streaming());
    text.await;
    finish.await;
    let reply = accumulate(API, &client.response().body).unwrap();
    assert_eq!(reply.text(), "Once");
    stub.verify();
}

/// As the loser of a `select!` is.
#[tokio::test]
async fn a_call_that_is_dropped_is_written_if_it_was_awaited_before() {
    let live = Live::new();
    let stub = builder().turn(&live).start();
    drop(live.text("never awaited"));
    let mut begun = Box::pin(live.text("Once"));
    let once = std::future::poll_fn(|context| {
        let polled = begun.as_mut().poll(context);
        std::task::Poll::Ready(polled)
    });
    assert!(once.await.is_pending());
    drop(begun);
    let mut client = Raw::asking(&stub, streaming());
    live.text(" upon").await;
    live.finish().await;
    let reply = accumulate(API, &client.response().body).unwrap();
    assert_eq!(reply.text(), "Once upon");
    stub.verify();
}

#[test]
fn a_live_turn_may_be_dropped_once_it_was_finished() {
    let live = Live::new();
    let stub = builder().turn(&live).start();
    let mut client = Raw::asking(&stub, streaming());
    live.finish().blocking();
    drop(live);
    accumulate(API, &client.response().body).unwrap();
    stub.settled_blocking();
    stub.verify();
}

// --- who is there ----------------------------------------------------------------------------------

#[test]
fn what_is_said_before_the_request_waits_for_it() {
    let live = Live::new();
    let stub = builder().turn("first").turn(&live).start();
    let saying = live.text("Once");
    let waiting = std::thread::spawn(move || saying.blocking());
    Raw::asking(&stub, streaming()).response(); // this one gets another turn
    let mut client = Raw::asking(&stub, streaming());
    waiting.join().unwrap();
    live.finish().blocking();
    assert_eq!(
        accumulate(API, &client.response().body).unwrap().text(),
        "Once"
    );
}

#[tokio::test]
async fn calls_that_are_awaited_together_are_written_in_their_order() {
    let live = Live::new();
    let stub = builder().turn(&live).start();
    let client = tokio::task::spawn_blocking({
        let stub = stub.handle();
        move || Raw::asking(&stub, streaming()).response().body
    });
    tokio::join!(
        live.text("1"),
        live.text("2"),
        live.text("3"),
        live.finish()
    );
    let reply = accumulate(API, &client.await.unwrap()).unwrap();
    assert_eq!(reply.text(), "123");
}

#[test]
fn the_calls_are_gone_once_the_client_has_left() {
    let live = Live::new();
    let stub = builder().turn(&live).start();
    let client = Raw::asking(&stub, streaming());
    live.tool_call_fragment("edit", HALF).blocking();
    drop(client);
    let cut = stub.wait_for_cancel_blocking();
    assert_eq!((cut.index(), cut.outcome()), (0, Outcome::Cancelled));
    for gone in [
        live.tool_call_end().or_gone_blocking(),
        live.text("x").or_gone_blocking(),
        live.finish().or_gone_blocking(),
    ] {
        assert_eq!(gone.unwrap_err().to_string(), "the client has left");
    }
    drop(live);
    stub.verify();
}

#[test]
fn a_call_that_waits_is_gone_when_the_client_leaves() {
    let live = Live::new();
    let stub = builder().turn(&live).start();
    let client = Raw::with_receive_buffer(&stub, 4096);
    let mut sender = client.sender();
    std::io::Write::write_all(&mut sender, &streaming()).unwrap();
    let much = live.text("x".repeat(32 * 1024 * 1024)); // more than any socket takes
    let waiting = std::thread::spawn(move || much.or_gone_blocking());
    stub.wait_for_requests_blocking(1);
    drop((client, sender));
    waiting.join().unwrap().unwrap_err();
    assert_eq!(stub.wait_for_cancel_blocking().index(), 0);
}

#[tokio::test]
async fn a_pause_is_gone_with_its_client_too() {
    let live = Live::new();
    let stub = builder().turn(&live).start();
    let client = Raw::asking(&stub, streaming());
    live.pause(AT_ONCE).await;
    let pausing = tokio::spawn(live.pause(Duration::from_secs(3600)).or_gone());
    drop(client);
    pausing.await.unwrap().unwrap_err();
}

#[tokio::test]
async fn the_calls_are_gone_once_the_stub_is_dropped() {
    let live = Live::new();
    let stub = builder().turn(&live).start();
    let client = Raw::asking(&stub, streaming());
    live.text("x").await;
    let pausing = tokio::spawn(live.pause(Duration::from_secs(3600)).or_gone());
    drop(stub);
    for gone in [pausing.await.unwrap(), live.text("x").or_gone().await] {
        assert_eq!(gone.unwrap_err().to_string(), "the stub was dropped");
    }
    drop(client);

    let live = Live::new();
    let stub = builder().turn(&live).start();
    let waiting = tokio::spawn(live.text("x").or_gone());
    drop(stub);
    assert_eq!(
        waiting.await.unwrap().unwrap_err().to_string(),
        "the stub was dropped"
    );
}

#[test]
fn a_client_that_leaves_under_a_hold_has_left_its_live_turn() {
    let live = Live::new();
    let stub = builder().turn(&live).start();
    let hold = stub.hold();
    let client = Raw::asking(&stub, streaming());
    stub.wait_for_requests_blocking(1);
    drop(client);
    stub.wait_for_cancel_blocking();
    live.text("x").or_gone_blocking().unwrap_err();
    hold.release();
}

#[test]
fn a_live_turn_answers_one_request() {
    let live = Live::new();
    let stub = builder().turn(&live).repeat_last().start();
    let mut first = Raw::asking(&stub, streaming());
    live.text("Once").blocking();
    let response = Raw::asking(&stub, streaming()).response();
    assert_eq!(response.header("x-llm-wire-stub"), Some("unplayable"));
    live.finish().blocking(); // the first one does not notice
    assert_eq!(
        accumulate(API, &first.response().body).unwrap().text(),
        "Once"
    );
    stub.try_verify().unwrap_err();
}

#[test]
fn lanes_and_closures_have_live_turns() {
    let (in_lane, by_closure) = (Live::new(), Live::new());
    let turn = Turn::from(&by_closure);
    let stub = builder()
        .lane("a", matchers::header("x-lane", "a"), [&in_lane])
        .answer(move |_, _| Some(turn.clone()))
        .start();
    let asking = |headers: &[&str]| Raw::asking(&stub, call(headers, streaming_body()));
    let (mut a, mut other) = (asking(&["x-lane: a"]), asking(&[]));
    in_lane.text("in the lane").blocking();
    by_closure.text("by the closure").blocking();
    in_lane.finish().blocking();
    by_closure.finish().blocking();
    let text = |client: &mut Raw| accumulate(API, &client.response().body).unwrap().text();
    assert_eq!(text(&mut a), "in the lane");
    assert_eq!(text(&mut other), "by the closure");
    stub.verify();
}

// --- what a live turn cannot be --------------------------------------------------------------------

#[test]
fn places_faults_and_parts_make_a_live_turn_unplayable() {
    let (live, gate) = (Live::new(), Gate::new());
    let turn = || Turn::from(&live);
    for turn in [
        turn().gate(After::deltas(1), &gate),
        turn().delay(After::head(), AT_ONCE),
        turn().stall(After::head()),
        turn().end(After::request(), Ending::Fin),
        turn().fault(Fault::EofBeforeTerminal),
        turn().text("x"),
        turn().tool_call("f", json!({})).allow_script_drift(),
    ] {
        let stub = builder().turn(turn.clone()).start();
        let response = Raw::asking(&stub, streaming()).response();
        assert_eq!(
            response.header("x-llm-wire-stub"),
            Some("unplayable"),
            "{turn:?}"
        );
        builder().api(API).turn(turn).try_start().unwrap_err();
    }
    // it was not used up
    let stub = builder().api(API).turn(&live).start();
    let mut client = Raw::asking(&stub, streaming());
    live.finish().blocking();
    client.response();
    stub.verify();
}

#[test]
fn broken_arguments_cannot_be_said_to_a_client_that_wants_no_stream() {
    let live = Live::new();
    let stub = builder().turn(&live).start();
    let mut client = Raw::asking(&stub, not_streaming());
    live.tool_call_fragment("edit", HALF).blocking();
    let gone = live.finish().or_gone_blocking().unwrap_err();
    assert_eq!(gone.to_string(), "its answer was ended by the stub");
    assert_eq!(client.rest(), (Vec::new(), Ended::Reset));
    assert_eq!(stub.single_request().outcome(), Outcome::Failed);
    stub.try_verify().unwrap_err();
}

#[test]
fn a_call_that_makes_no_sense_panics_and_spoils_nothing() {
    let live = Live::new();
    let stub = builder().turn(&live).start();
    let mut client = Raw::asking(&stub, streaming());
    panic_of(|| live.tool_call_end().blocking());
    live.tool_call_fragment("f", "").blocking();
    live.tool_call_end().blocking();
    panic_of(|| live.tool_call_end().blocking());
    live.finish().blocking();
    panic_of(|| live.text("x").blocking());
    panic_of(|| live.fail(Ending::Reset).or_gone_blocking());
    accumulate(API, &client.response().body).unwrap();
    stub.verify();
}

// --- runtimes --------------------------------------------------------------------------------------

async fn ask(url: String) -> String {
    let response = reqwest::Client::new()
        .post(url + "/v1/messages")
        .header("x-api-key", "k")
        .header("anthropic-version", "2023-06-01")
        .body(streaming_body())
        .send()
        .await
        .unwrap();
    let body = response.bytes().await.unwrap();
    accumulate(API, &body).unwrap().text()
}

async fn walk_through() {
    let live = Live::new();
    let stub = WireStub::builder().turn(&live).start();
    let asking = tokio::spawn(ask(stub.url()));
    live.text("Once").await;
    live.text(" upon").or_gone().await.unwrap();
    live.finish().patience(AT_ONCE * 60_000).await;
    assert_eq!(asking.await.unwrap(), "Once upon");
    stub.verify();
}

#[tokio::test]
async fn live_turns_work_on_one_thread_of_tokio() {
    walk_through().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn live_turns_work_on_several_threads_of_tokio() {
    walk_through().await;
}

#[test]
fn live_turns_work_under_smol() {
    let live = Arc::new(Live::new());
    let stub = WireStub::builder().turn(&*live).start();
    let mut client = Raw::asking(&stub, streaming());
    smol::block_on({
        let live = Arc::clone(&live);
        async move {
            live.text("Once").await;
            live.finish().or_gone().await.unwrap();
        }
    });
    assert_eq!(
        accumulate(API, &client.response().body).unwrap().text(),
        "Once"
    );
    stub.verify();
}

#[test]
fn live_turns_work_for_a_blocking_client() {
    let live = Live::new();
    let stub = WireStub::builder().turn(&live).start();
    let url = stub.url() + "/v1/messages";
    let asking = std::thread::spawn(move || {
        let call = reqwest::blocking::Client::new().post(url);
        let call = call
            .header("x-api-key", "k")
            .header("anthropic-version", "2023-06-01");
        call.body(streaming_body()).send().unwrap().bytes().unwrap()
    });
    live.text("Once").blocking();
    live.finish().or_gone_blocking().unwrap();
    let body = asking.join().unwrap();
    assert_eq!(accumulate(API, &body).unwrap().text(), "Once");
    stub.verify();
}

#[tokio::test]
async fn a_call_panics_at_the_line_that_awaits_it() {
    let live = Live::new();
    let stub = builder().turn(&live).patience(AT_ONCE).start();
    let nobody = panic_at(async { live.text("x").await }).await;
    assert_eq!(nobody.line, line!() - 1);
    let live = Live::new();
    drop(stub);
    let stub = builder().turn(&live).start();
    let client = Raw::asking(&stub, streaming());
    live.text("x").await;
    drop(client);
    stub.wait_for_cancel().await;
    let gone = panic_at(async { live.text("x").await }).await;
    assert_eq!(gone.line, line!() - 1);
    let ended = std::thread::spawn(move || panic_of(|| live.text("x").blocking()));
    assert_eq!(ended.join().unwrap().line, line!() - 1);
}
