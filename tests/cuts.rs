//! Cuts: where the writes of an answer end, and that its bytes stay the same.
#![cfg(feature = "server")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a missing member of a JSON value is null, and a test may panic"
)]

#[path = "support/raw.rs"]
mod raw;
#[path = "support/turns/mod.rs"]
mod turns;

use futures_util::StreamExt;
use llm_wire_stub::{bytes::Bytes, *};
use proptest::prelude::*;
use raw::{Raw, ascii, not_streaming, streaming, streaming_body};
use serde_json::json;

const API: Api = Api::AnthropicMessages;
const APIS: [Api; 4] = [
    Api::AnthropicMessages,
    Api::OpenAiChat,
    Api::OpenAiResponses,
    Api::OpenAiCompletions,
];

/// A turn with characters of one to four bytes; short, so that a client reads its answer at once.
fn words() -> Turn {
    Turn::new().text("a é 日 😀").plain()
}

/// The ends of the pieces of this body, whose events are these.
fn ends(cut: &Cut, body: &[u8], events: &[Bytes]) -> Vec<usize> {
    let places = 1..body.len();
    let event_ends = events.iter().scan(0, |end, event| {
        *end += event.len();
        Some(*end)
    });
    let event_ends: Vec<usize> = event_ends.collect();
    let is_end = |at: &usize| {
        let (before, behind) = (body[at - 1], body[*at]);
        match cut {
            Cut::PerEvent => event_ends.contains(at),
            Cut::EveryByte => true,
            Cut::PerLine => before == b'\n' || (before == b'\r' && behind != b'\n'),
            Cut::At(offsets) => offsets.contains(at),
            Cut::InsideCharacters => event_ends.contains(at) || !before.is_ascii(),
            Cut::InsideLineEnds => event_ends.contains(at) || (before, behind) == (b'\r', b'\n'),
            Cut::Whole => false,
            Cut::Random { .. } | _ => panic!("{cut:?} has no rule"),
        }
    };
    places.filter(is_end).chain([body.len()]).collect()
}

fn expected_pieces(cut: &Cut, body: &[u8], events: &[Bytes]) -> Vec<String> {
    let mut begin = 0;
    let ends = ends(cut, body, events).into_iter();
    ends.map(|end| ascii(&body[std::mem::replace(&mut begin, end)..end]))
        .collect()
}

fn shown(pieces: &[Bytes]) -> Vec<String> {
    pieces.iter().map(|piece| ascii(piece)).collect()
}

/// Cuts that every body has places for.
fn everywhere() -> [Cut; 7] {
    [
        Cut::PerEvent,
        Cut::Whole,
        Cut::EveryByte,
        Cut::PerLine,
        Cut::at([3, 20]),
        Cut::InsideCharacters,
        Cut::Random { seed: 7 },
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_pieces_end_where_the_cut_says_and_join_to_the_same_body(
        turn in turns::of_every_api().prop_map(|said| said.turn()),
        offsets in proptest::collection::vec(any::<usize>(), 0..4),
        seed in any::<u64>(),
    ) {
        for api in APIS.into_iter().filter(|api| try_sse_body(*api, &turn).is_ok()) {
            let body = sse_body(api, &turn);
            let events: Vec<_> = chunks(api, &turn, Cut::PerEvent).collect();
            let anywhere = Cut::at(offsets.iter().map(|at| 1 + at % (body.len() - 1)));
            for cut in everywhere().into_iter().chain([anywhere]) {
                let pieces: Vec<_> = chunks(api, &turn, cut.clone()).collect();
                prop_assert_eq!(ascii(&pieces.concat()), ascii(&body), "{:?}", cut);
                if !matches!(cut, Cut::Random { .. }) {
                    prop_assert_eq!(shown(&pieces), expected_pieces(&cut, &body, &events));
                }
            }
            let random = Cut::Random { seed };
            let pieces: Vec<_> = chunks(api, &turn, random.clone()).collect();
            prop_assert_eq!(ascii(&pieces.concat()), ascii(&body));
            prop_assert!(pieces.iter().all(|piece| (1..=36).contains(&piece.len())));
            prop_assert_eq!(pieces, chunks(api, &turn, random).collect::<Vec<_>>());
            prop_assert!(try_chunks(api, &turn, Cut::InsideLineEnds).is_err());
        }
    }

    #[test]
    fn a_vendor_whose_lines_end_with_cr_lf_is_cut_inside_of_them(turn in turns::of_every_api().prop_map(|said| said.turn())) {
        let turn = turn.dialect(Dialect::Perplexity);
        if let Ok(body) = try_sse_body(Api::OpenAiChat, &turn) {
            let pieces = |cut| chunks(Api::OpenAiChat, &turn, cut).collect::<Vec<_>>();
            let events = pieces(Cut::PerEvent);
            for cut in [Cut::InsideLineEnds, Cut::PerLine, Cut::InsideCharacters] {
                prop_assert_eq!(shown(&pieces(cut.clone())), expected_pieces(&cut, &body, &events));
            }
        }
    }
}

// --- over a socket ---------------------------------------------------------------------------------

/// What reqwest reads of the answer, read by read.
async fn reads(stub: &StubHandle, path: &str, body: String) -> Vec<Bytes> {
    let call = reqwest::Client::new()
        .post(stub.url() + path)
        .header("x-api-key", "sk-ant-test-0123456789")
        .header("anthropic-version", "2023-06-01")
        .body(body);
    let response = call.send().await.unwrap();
    let reads = response.bytes_stream().map(Result::unwrap);
    reads.collect().await
}

fn whole_body() -> String {
    streaming_body().replace("\"stream\":true", "\"stream\":false")
}

#[tokio::test]
async fn reqwest_reads_exactly_the_pieces_of_a_stream() {
    for cut in everywhere() {
        let stub = WireStub::builder().turn(words()).cut(cut.clone()).start();
        let found = reads(&stub, "/v1/messages", streaming_body()).await;
        // as a stub asks for it, not the pure helpers
        let model = words().model(raw::MODEL);
        let expected: Vec<_> = chunks(API, &model, cut.clone()).collect();
        assert_eq!(shown(&found), shown(&expected), "{cut:?}");
    }
}

#[tokio::test]
async fn reqwest_reads_exactly_the_pieces_of_a_body_and_of_an_error() {
    let error = || ApiError::overloaded().message("zu spät, 遅い");
    for cut in everywhere() {
        let stub = WireStub::builder()
            .turn(words())
            .turn(Turn::error(error()))
            .error_at(2, error())
            .cut(cut.clone())
            .start();
        for (path, asked) in [
            ("/v1/messages", whole_body()),
            ("/v1/messages", whole_body()),
            ("/v1/messages", streaming_body()),
        ] {
            let found = reads(&stub, path, asked).await;
            let body = Bytes::from(found.concat());
            if let Cut::Random { .. } = cut {
                // the lengths of any other body
                let other = Turn::new().text("x".repeat(body.len()));
                let lengths = chunks(API, &other, cut.clone()).map(|piece| piece.len());
                let (last, others) = found.split_last().unwrap();
                let lengths: Vec<usize> = lengths.take(found.len()).collect();
                let found: Vec<usize> = others.iter().map(Bytes::len).collect();
                assert_eq!(lengths[..found.len()], found, "{cut:?}");
                assert!(last.len() <= lengths[found.len()], "{cut:?}");
            } else {
                let events = [body.clone()];
                assert_eq!(
                    shown(&found),
                    expected_pieces(&cut, &body, &events),
                    "{cut:?}"
                );
            }
        }
        stub.verify();
    }
}

#[tokio::test]
async fn a_refusal_by_a_rule_is_cut_as_the_stub_says() {
    let stub = WireStub::builder()
        .cut(Cut::at([5, 100_000]))
        .without_verify_on_drop()
        .start();
    let found = reads(&stub, "/v1/messages", "{}".to_owned()).await;
    assert_eq!((found.len(), &found[0][..]), (2, &b"{\"typ"[..]));
}

#[tokio::test]
async fn the_cut_of_a_turn_goes_before_that_of_its_stub() {
    let stub = WireStub::builder()
        .turn(words().cut(Cut::Whole))
        .turn(words())
        .cut(Cut::EveryByte)
        .start();
    let first = reads(&stub, "/v1/messages", streaming_body()).await;
    let second = reads(&stub, "/v1/messages", streaming_body()).await;
    assert_eq!(first.len(), 1);
    assert_eq!(second.len(), second.concat().len());
    // and what `chunks` is asked for goes before the turn's
    assert_eq!(
        chunks(API, &words().cut(Cut::PerLine), Cut::Whole).count(),
        1
    );
    assert_eq!(
        sse_body(API, &words().cut(Cut::PerLine)),
        sse_body(API, &words())
    );
}

#[test]
fn a_cut_goes_on_behind_a_gate() {
    let model = words().model(raw::MODEL);
    let events: Vec<_> = chunks(API, &model, Cut::PerEvent).collect();
    let (before, after) = events.split_at(3);
    let (before, after) = (before.concat(), after.concat());
    let offsets = [10, before.len() + 20];

    let gate = Gate::new();
    let turn = words().gate(After::deltas(1), &gate);
    let stub = WireStub::builder().turn(turn.cut(Cut::at(offsets))).start();
    let mut client = Raw::asking(&stub, streaming());
    client.head();
    let in_two = |bytes: &[u8], at: usize| {
        let (head, tail) = bytes.split_at(at);
        raw::chunked([head, tail].map(Bytes::copy_from_slice))
    };
    let expected = in_two(&before, 10);
    assert_eq!(
        ascii(&client.read_exactly(expected.len())),
        ascii(&expected)
    );
    gate.reached_blocking();
    client.assert_nothing_more();
    gate.open();
    let expected = [in_two(&after, 20), raw::LAST_CHUNK.to_vec()].concat();
    assert_eq!(
        ascii(&client.read_exactly(expected.len())),
        ascii(&expected)
    );
}

// --- live turns ------------------------------------------------------------------------------------

fn say(live: &Live) {
    live.text("a é 日").blocking();
    live.finish().blocking();
}

#[test]
fn what_a_live_turn_says_is_cut_too() {
    let scripted = Turn::new()
        .text("a é 日")
        .fragments(Fragments::whole())
        .model(raw::MODEL)
        .usage(Usage::input(1).output(2));
    for cut in everywhere() {
        let live = Live::new();
        let turn = Turn::from(&live).usage(Usage::input(1).output(2));
        let stub = WireStub::builder().turn(turn.cut(cut.clone())).start();
        let mut client = Raw::asking(&stub, streaming());
        say(&live);
        let response = client.response();
        assert_eq!(ascii(&response.body), ascii(&sse_body(API, &scripted)));
        // those over the ends of events end where the test has not said more
        if matches!(cut, Cut::EveryByte | Cut::PerLine | Cut::InsideCharacters) {
            let pieces = raw::chunked(chunks(API, &scripted, cut.clone()));
            let expected = [pieces, raw::LAST_CHUNK.to_vec()].concat();
            assert_eq!(ascii(&response.framed), ascii(&expected), "{cut:?}");
        }
    }
}

#[test]
fn a_live_turn_without_the_places_of_its_cut_fails_at_its_end() {
    for (request, what) in [(streaming(), "stream"), (not_streaming(), "body")] {
        let live = Live::new();
        let turn = Turn::from(&live).cut(Cut::at([9_999]));
        let stub = WireStub::builder().turn(turn).start();
        let mut client = Raw::asking(&stub, request);
        live.text("hi").blocking();
        let gone = live.finish().or_gone_blocking();
        assert!(gone.is_err(), "{what}");
        client.head();
        assert_eq!(client.rest().1, raw::Ended::Reset, "{what}");
        let report = stub.try_verify().unwrap_err().to_string();
        let expected = "a cut at byte 9999 is not possible: a live answer has ";
        assert!(report.contains(expected), "{what}: {report}");
    }
}

// --- cuts without their places ---------------------------------------------------------------------

#[tokio::test]
async fn a_cut_without_its_places_makes_an_answer_unplayable() {
    let line_ends = || Turn::new().text("x").cut(Cut::InsideLineEnds);
    for (turn, body) in [
        (line_ends(), streaming_body()),
        (line_ends(), whole_body()),
        (
            Turn::error(ApiError::overloaded()).cut(Cut::InsideLineEnds),
            whole_body(),
        ),
        (Turn::new().text("x").cut(Cut::at([0])), streaming_body()),
        (Turn::new().text("x").cut(Cut::at([99_999])), whole_body()),
        // it is there, and not reached
        (
            Turn::new()
                .text("x")
                .cut(Cut::at([600]))
                .end(After::head(), Ending::Fin),
            streaming_body(),
        ),
    ] {
        let stub = WireStub::builder().turn(turn.clone()).start();
        let answer = reads(&stub, "/v1/messages", body).await.concat();
        let answer = String::from_utf8(answer).unwrap();
        assert!(answer.contains(" is not possible: "), "{turn:?}: {answer}");
        assert!(stub.try_verify().is_err(), "{turn:?}");
    }
}

#[tokio::test]
async fn an_error_is_not_what_the_cut_of_a_stub_is_about() {
    let stub = WireStub::builder()
        .turn(ApiError::overloaded())
        .turn(json!({"a": 1}).to_string().as_str())
        .cut(Cut::at([600]))
        .start();
    assert_eq!(
        reads(&stub, "/v1/messages", streaming_body()).await.len(),
        1
    );
    assert_eq!(
        reads(&stub, "/v1/messages", streaming_body()).await.len(),
        2
    );
    stub.verify();
}
