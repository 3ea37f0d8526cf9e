//! Every text that a user of the stub can see, whole. The report of `verify` is pinned in `verify.rs`;
//! those of the decoder, of the accumulator and of HTTP itself in their own tests.
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

use std::{fmt::Display, net::SocketAddr, time::Duration};

use caught::{Panic, panic_at, panic_of};
use llm_wire_stub::*;
use post::{Call, call};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const API: Api = Api::AnthropicMessages;
const FILE: &str = file!();

/// Short, where giving up is what is tested.
const AT_ONCE: Duration = Duration::from_millis(1);

#[track_caller]
fn script() -> WireStubBuilder {
    WireStub::builder().without_verify_on_drop()
}

/// An address where nobody listens: the port is none that a system gives away.
fn nowhere() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 1))
}

#[track_caller]
fn assert_texts<Found: Display, Expected: Display>(
    rows: impl IntoIterator<Item = (Found, Expected)>,
) {
    for (found, expected) in rows {
        let (found, expected) = (found.to_string(), expected.to_string());
        assert!(
            found == expected,
            "found:\n{found}\n\nexpected:\n{expected}\n"
        );
    }
}

// --- builders --------------------------------------------------------------------------------------

/// The texts of panics that were raised behind this line and before the caller's.
#[track_caller]
fn texts_since<const N: usize>(line: u32, caught: [Panic; N]) -> [String; N] {
    let end = std::panic::Location::caller().line();
    caught.map(|panic| {
        assert!(panic.line > line && panic.line <= end, "{panic:?}");
        panic.message
    })
}

#[test]
fn an_error_turn_refuses_everything_that_an_answer_has() {
    let error = || Turn::error(ApiError::internal());
    let line = line!();
    let caught = [
        panic_of(|| error().text("x")),
        panic_of(|| error().json(1)),
        panic_of(|| error().tool_call("f", json!({}))),
        panic_of(|| error().tool_call_with_id("i", "f", json!({}))),
        panic_of(|| error().fragments(Fragments::whole())),
        panic_of(|| error().stop_reason("x")),
        panic_of(|| error().usage(Usage::input(1))),
        panic_of(|| error().model("m")),
    ];
    for found in texts_since(line, caught) {
        let expected = "an error turn says nothing but its error\n  \
            help: to fail after a part of an answer, use \
            `Turn::new().text(..).end(After::parts(1), error)`";
        assert_texts([(found, expected)]);
    }
}

#[test]
fn fragments_have_to_fit_the_part_before_them() {
    let pieces = |pieces: &[&str]| Fragments::pieces(pieces.iter().copied());
    let line = line!();
    let caught = [
        panic_of(|| Turn::new().fragments(Fragments::whole())),
        panic_of(|| Turn::new().text("ab").fragments(pieces(&["a", "", "b"]))),
        panic_of(|| Turn::new().text("né\n").fragments(pieces(&["né", " "]))),
        panic_of(|| {
            Turn::new()
                .tool_call("f", json!({}))
                .fragments(pieces(&["{}"]))
        }),
        panic_of(|| Fragments::size(0)),
    ];
    let expected = [
        "there is nothing to cut into fragments yet\n  \
         help: call `.fragments(..)` after the `.text(..)` or `.tool_call(..)` it is meant for",
        "piece #2 is empty\n  help: an empty delta is no fragment; leave it out",
        "the pieces do not join to the whole: they differ at byte 3\n  \
         expected: `\\n`\n  found: ` `\n  \
         help: a piece is written as it is; leave nothing out, add nothing",
        "explicit pieces need arguments whose spelling is known\n  \
         help: give the arguments as `Arguments::raw(..)`",
        "a fragment has at least one character\n  found: `0`\n  \
         help: `Fragments::characters()` makes the smallest ones",
    ];
    assert_texts(texts_since(line, caught).into_iter().zip(expected));
}

#[test]
fn a_pace_without_tokens_is_refused() {
    let line = line!() + 1;
    let caught = panic_of(|| Pace::tokens_per_second(0));
    let expected = "a stream has at least one token a second\n  found: `0`\n  \
        help: `Pace::every(duration)` makes slower ones, and `.stall(place)` one that says nothing";
    assert_eq!((&*caught.message, caught.line), (expected, line));
}

#[test]
fn an_error_has_a_status_of_its_own_and_headers_that_http_allows() {
    let line = line!();
    let caught = [
        panic_of(|| ApiError::status(200)),
        panic_of(|| ApiError::internal().header("x a", "1\n")),
        panic_of(|| ApiError::internal().header("Content-Length", "1")),
    ];
    let expected = [
        "an error answer has a status from 400 to 599\n  found: `200`\n  \
         help: a turn that succeeds is made by `Turn::new()`",
        "HTTP does not allow this header\n  found: `x a: 1\\n`\n  \
         help: a name is made of letters, digits and `-`; a value has no line ends",
        "the framing of an answer is the stub's\n  found: `Content-Length: 1`\n  \
         help: leave this header out",
    ];
    assert_texts(texts_since(line, caught).into_iter().zip(expected));
}

#[test]
fn a_long_text_is_cut_where_its_pieces_differ() {
    let text = "x".repeat(100);
    let caught = panic_of(|| {
        Turn::new()
            .text(&text)
            .fragments(Fragments::pieces(["xxx"]))
    });
    let shown = "x".repeat(40);
    let expected = format!(
        "the pieces do not join to the whole: they differ at byte 3\n  \
         expected: `{shown}`… (57 more bytes)\n  found: the end\n  \
         help: a piece is written as it is; leave nothing out, add nothing"
    );
    assert_texts([(caught.message, expected)]);
}

#[test]
fn a_batch_has_one_result_for_an_id_and_nothing_happens_to_it_on_its_way() {
    let gate = Gate::new();
    let result = |turn: Turn| panic_of(|| script().batch_result("a", turn));
    let by = || script().batch_results(|_, _| None);
    let line = line!();
    let caught = [
        panic_of(|| script().batch_result("a", "x").batch_result("a", "y")),
        panic_of(|| by().batch_results(|_, _| Some(BatchResult::Expired))),
    ];
    let expected = [
        "there are two batch results for `a`\n  help: remove one of the two",
        "there are two functions for the results of batches\n  help: merge them into one",
    ];
    assert_texts(texts_since(line, caught).into_iter().zip(expected));
    let on_its_way = "a result of a batch is a line of a file: nothing happens to it on its way\n  \
        help: leave gates, delays, stalls, endings, faults, cut and pace out of this turn";
    let live = "a result of a batch is a line of a file: nobody reads it while it is written\n  \
        help: script this turn instead of saying it live";
    let headers = "a result of a batch is a line of a file: it has no headers\n  \
        help: leave `retry-after`, `x-should-retry` and other headers out of this error";
    for (turn, expected) in [
        (Turn::new().gate(After::head(), &gate), on_its_way),
        (Turn::new().fault(Fault::EofBeforeTerminal), on_its_way),
        (Turn::new().cut(Cut::PerLine), on_its_way),
        (Turn::new().pace(Pace::every(AT_ONCE)), on_its_way),
        (Turn::from(&Live::new()), live),
        (
            Turn::error(ApiError::internal().should_not_retry()),
            headers,
        ),
    ] {
        assert_texts([(result(turn).message, expected)]);
    }
}

#[test]
fn lanes_closure_and_rules_have_to_be_named_right_and_once() {
    let lane = || script().lane("a", matchers::model("m"), ["x"]);
    let closure = || script().answer(|_, _| None);
    let line = line!();
    let caught = [
        panic_of(|| lane().lane("a", matchers::model("n"), ["x"])),
        panic_of(|| closure().answer(|_, _| None)),
        panic_of(|| lane().script(Script::new(["y"]).lane("a", matchers::model("n"), ["x"]))),
        panic_of(|| closure().script(Script::default().answer(|_, _| None))),
        panic_of(|| script().without_rule("nonsense")),
        panic_of(|| script().fallback(nowhere()).fallback(nowhere())),
        panic_of(|| script().route("chat", Api::OpenAiChat)),
        panic_of(|| script().route("/v1/messages", Api::OpenAiChat)),
    ];
    let expected = [
        "there are two lanes named `a`\n  help: give each lane a name of its own",
        "there are two closures\n  help: merge them into one, or use lanes",
        "there are two lanes named `a`\n  help: give each lane a name of its own",
        "there are two closures\n  help: merge them into one, or use lanes",
        "there is no rule `nonsense`\n  \
         expected: one of `credentials`, `anthropic-version`, `anthropic-version-value`, `json-body`, \
         `batch-requests`, `required-fields`, \
         `field-types`, `sampling-parameters`, `thinking-budget`, `tool-schema`, `tool-name-pattern`, \
         `unique-tool-names`, `unknown-fields`, `messages-not-empty`, `first-message-user`, \
         `roles-alternate`, `non-empty-messages`, `non-empty-text`, `non-blank-text`, \
         `document-in-assistant`, `citations-in-user-text`, `unique-tool-ids`, `tool-results-follow`, \
         `tool-results-match`, `one-result-per-call`, `thinking-first`, `thinking-signature`, `prefill-whitespace`, \
         `prefill-support`, `cache-points`, `sampling-range`, `max-tokens-support`, `temperature-support`, \
         `tools-needed`, `stream-needed`, `tool-form`, `strict-schema`, `format-name`, `message-roles`, \
         `system-role-support`, `content-types`, `tool-calls-not-empty`, `reasoning-passed-back`, `json-word`, \
         `previous-response`, `unique-item-ids`, `reasoning-leads`, `reasoning-kept`, \
         `completion-model`, `completion-best-of`, `completion-logprobs`, \
                 `embedding-input`, `embedding-list-length`, `embedding-token-limits`, \
                 `embedding-dimensions-support`, `embedding-form`, `moderation-input`\n  \
         help: the header `x-llm-wire-stub` of a refusal names its rule",
        "there are two fallbacks\n  help: give one server both kinds of mocks",
        "a route is a path, as it stands in a request\n  found: `chat`\n  \
         help: begin it with `/`, and leave out host and query",
        "`/v1/messages` is served already, as anthropic_messages\n  \
         help: leave the route out, or choose another path",
    ];
    assert_texts(texts_since(line, caught).into_iter().zip(expected));

    let built = line!() + 1;
    let [none, two] = [script(), script()];
    let two = two
        .lane("a", matchers::model("m"), ["x"])
        .lane("b", matchers::model("n"), ["x"; 2]);
    let [none, two] = [none.start(), two.start()];
    assert_texts([
        (
            panic_of(|| none.lane("judge")).message,
            format!(
                "there is no lane `judge`\n  where: script of 0 turns, built at {FILE}:{built}\n  \
                 help: lanes are added with `.lane(name, matcher, turns)`"
            ),
        ),
        (
            panic_of(|| two.lane("judge")).message,
            format!(
                "there is no lane `judge`\n  where: script of 0 turns and 2 lanes with 3 turns, \
                 built at {FILE}:{built}\n  help: it has `a`, `b`"
            ),
        ),
    ]);
}

// --- turns that cannot be played -------------------------------------------------------------------

#[test]
fn an_unplayable_turn_is_refused_by_the_pure_helpers() {
    let line = line!() + 1;
    let [turn, error] = [Turn::new(), Turn::error(ApiError::internal())];
    let words = turn.clone().text("two words");
    let broken = turn.tool_call("f", Arguments::raw("{\"a\": "));
    let fault = Fault::EofBeforeTerminal;
    let place = format!("where: anthropic_messages, turn built at {FILE}:{line}");
    let stream = |turn: &Turn| try_sse_body(API, turn).unwrap_err();
    let whole = |turn: &Turn| try_json_body(API, turn).unwrap_err();
    let not_json = format!(
        "the arguments of `f` are not JSON: EOF while parsing a value at line 1 column 6\n  {place}\n  \
         found: `{{\\\"a\\\": `\n  \
         help: broken arguments can only be streamed; here `input` is a JSON value"
    );
    let no_answer = format!(
        "an error turn is no answer of the model\n  {place}\n  \
         help: `error_body(..)` gives what a client reads of it"
    );
    assert_texts([
        (stream(&error), no_answer.clone()),
        (whole(&error), no_answer.clone()),
        (error.normalized(API).unwrap_err(), no_answer),
        (whole(&broken), not_json.clone()),
        (broken.normalized(API).unwrap_err(), not_json),
        (
            stream(&words.clone().stall(After::deltas(3))),
            format!(
                "stall after 3 deltas is not possible: this stream has 2 deltas, 1 part, 8 events \
                 and a stop reason\n  {place}\n  help: move it to a place that the answer has; a delta is a word, unless `.fragments(..)` says otherwise"
            ),
        ),
        (
            stream(&words.clone().end(After::request(), ApiError::internal())),
            format!(
                "in-stream error after the request is not possible: there is no body yet\n  {place}\n  \
                 help: use `After::head()`, or an error turn (`Turn::error(..)`) to answer with an error"
            ),
        ),
        (
            stream(
                &words
                    .clone()
                    .end(After::head(), Ending::Fin)
                    .stall(After::head()),
            ),
            format!(
                "stall after the head is never reached: the answer ends before it\n  {place}\n  \
                 help: remove one of the two"
            ),
        ),
        (
            stream(&words.clone().fault(fault).fault(fault)),
            format!(
                "fault `eof-before-terminal` has no target: an earlier fault removed it\n  {place}\n  \
                 help: give it once"
            ),
        ),
        (
            whole(&words.clone().fault(fault)),
            format!(
                "fault `eof-before-terminal` has no target in a non-streaming answer\n  {place}\n  \
                 help: it damages the events of a stream"
            ),
        ),
        (
            stream(&words.fragments(Fragments::by(|_| vec!["two".to_owned()]))),
            format!(
                "the pieces do not join to the whole: they differ at byte 3\n  {place}\n  \
                 expected: ` words`\n  found: the end\n  \
                 help: a piece is written as it is; leave nothing out, add nothing"
            ),
        ),
    ]);
}

#[test]
fn a_cut_without_its_place_says_how_long_the_body_is_and_what_ends_its_lines() {
    let line = line!() + 1;
    let turn = Turn::new().text("two words").plain();
    let place = format!("where: anthropic_messages, turn built at {FILE}:{line}");
    let length = sse_body(API, &turn).len();
    let problem = |cut: Cut| try_chunks(API, &turn, cut).err().unwrap();
    assert_texts([
        (
            problem(Cut::at([3, 99_999, length])),
            format!(
                "a cut at byte {length} is not possible: this stream has {length} bytes\n  {place}\n  \
                 help: leave out what is not behind its first byte and before its end, or give this turn a cut \
                 of its own with `.cut(..)`"
            ),
        ),
        (
            problem(Cut::InsideLineEnds),
            format!(
                "a cut inside line ends is not possible: this stream has no CR LF\n  {place}\n  \
                 help: use another cut, or give this turn a cut of its own with `.cut(..)`; a service that ends \
                 lines with CR LF is `Dialect::Perplexity`"
            ),
        ),
    ]);
}

#[test]
fn a_helper_that_panics_says_what_its_twin_returns() {
    let turn = Turn::error(ApiError::internal());
    let error = try_sse_body(API, &turn).unwrap_err().to_string();
    for caught in [
        panic_of(|| sse_body(API, &turn)),
        panic_of(|| drop(chunks(API, &turn, Cut::Whole))),
        panic_of(|| json_body(API, &turn)),
    ] {
        assert_eq!(caught.message, error);
        assert!(caught.line < line!() && caught.line > line!() - 7);
    }
}

#[test]
fn a_stub_does_not_start_with_a_turn_that_its_api_cannot_play() {
    let line = line!() + 1;
    let turn = Turn::new().stall(After::parts(1));
    let rest = format!(
        " on anthropic_messages, built at {FILE}:{line}\n  \
         help: move it to a place that the answer has; a delta is a word, unless `.fragments(..)` says otherwise"
    );
    let what = "stall after 1 part is not possible: this stream has 0 deltas, 0 parts, 4 events \
        and a stop reason";
    let sequence = || script().turn("x").turn(turn.clone()).api(API);
    let lane = script()
        .lane("a", matchers::model("m"), [turn.clone()])
        .api(API);
    assert_texts([
        (
            sequence().try_start().unwrap_err(),
            format!("{what}\n  where: turn #2{rest}"),
        ),
        (
            lane.try_start().unwrap_err(),
            format!("{what}\n  where: lane `a` turn #1{rest}"),
        ),
    ]);
    let error = sequence().try_start().unwrap_err().to_string();
    let caught = panic_of(|| sequence().start());
    assert_eq!((caught.message, caught.line), (error, line!() - 1));
}

#[test]
fn a_stub_does_not_start_where_another_one_listens() {
    let first = script().start();
    let address: SocketAddr = first.url().replace("http://", "").parse().unwrap();
    #[expect(clippy::disallowed_types, reason = "the system's own words")]
    let why = std::net::TcpListener::bind(address).unwrap_err();
    assert_texts([(
        script().bind(address).try_start().unwrap_err(),
        format!(
            "the stub could not start at {address}: {why}\n  \
             help: give it an address of this machine and a port that nobody has, or port 0 for any that is free"
        ),
    )]);
}

// --- calls that are refused ------------------------------------------------------------------------

/// The message of the answer to the last of these calls.
async fn message<const N: usize>(
    builder: WireStubBuilder,
    calls: impl FnOnce(Call) -> [Call; N],
) -> String {
    let stub = builder.start();
    let mut message = String::new();
    for call in calls(call(&stub)) {
        let answered = call.send().await;
        if answered.status != 200 {
            message = answered.message();
        }
    }
    message
}

fn once(call: Call) -> [Call; 1] {
    [call]
}

/// With a lane for the model of its name.
fn lane<const N: usize>(script: WireStubBuilder, name: &str, turns: [&str; N]) -> WireStubBuilder {
    script.lane(name, matchers::model(name), turns)
}

const OR_REPEAT: &str = "or call `.repeat_last()` if retries are expected";

#[tokio::test]
async fn a_queue_that_was_played_says_how_many_turns_it_had() {
    let built = line!() + 1;
    let script = || script();
    let at = format!("built at {FILE}:{built}");
    assert_texts([
        (
            message(script(), once).await,
            format!(
                "no turn left for request #1 POST /v1/messages\n  \
                 where: script of 0 turns, {at}; the sequence has no turn\n  \
                 help: add a turn to the sequence"
            ),
        ),
        (
            message(script().turn("x"), |call| {
                [call.clone(), call.to("/v1/messages?beta=true")]
            })
            .await,
            format!(
                "no turn left for request #2 POST /v1/messages?beta=true\n  \
                 where: script of 1 turn, {at}; the one turn of the sequence was played\n  \
                 help: add a turn to the sequence, {OR_REPEAT}"
            ),
        ),
        (
            message(script().turns(["x"; 2]), |call| {
                [call.clone(), call.clone(), call]
            })
            .await,
            format!(
                "no turn left for request #3 POST /v1/messages\n  \
                 where: script of 2 turns, {at}; both turns of the sequence were played\n  \
                 help: add a turn to the sequence, {OR_REPEAT}"
            ),
        ),
        (
            message(lane(script(), "m", ["x"; 3]), |call| {
                [(); 4].map(|()| call.clone())
            })
            .await,
            format!(
                "no turn left for request #4 POST /v1/messages\n  \
                 where: script of 0 turns and 1 lane with 3 turns, {at}; \
                 all 3 turns of lane `m` were played\n  \
                 help: add a turn to lane `m`, {OR_REPEAT}"
            ),
        ),
        (
            message(lane(script(), "m", []).turn("x").answer(|_, _| None), once).await,
            format!(
                "no turn left for request #1 POST /v1/messages\n  \
                 where: script of 1 turn and 1 lane with 0 turns and a closure, {at}; \
                 lane `m` has no turn\n  help: add a turn to lane `m`"
            ),
        ),
    ]);
}

#[tokio::test]
async fn a_call_that_was_passed_on_says_by_whom_and_why() {
    let built = line!() + 1;
    let script = || script();
    let at = format!("built at {FILE}:{built}");
    assert_texts([
        (
            message(
                lane(script(), "n", ["x"]).turn("x").answer(|_, _| None),
                |call| [call.clone(), call],
            )
            .await,
            format!(
                "no turn left for request #2 POST /v1/messages\n  \
                 where: script of 1 turn and 1 lane with 1 turn and a closure, {at}; \
                 the one turn of the sequence was played\n  \
                 lane `n` wants the model to be `n`, found `m`\n  the closure said `None`\n  \
                 help: add a turn to the sequence, {OR_REPEAT}"
            ),
        ),
        (
            message(lane(script(), "n", ["x"]).answer(|_, _| None), once).await,
            format!(
                "no lane claims request #1 POST /v1/messages\n  \
                 where: script of 0 turns and 1 lane with 1 turn and a closure, {at}\n  \
                 lane `n` wants the model to be `n`, found `m`\n  the closure said `None`\n  \
                 help: add a lane for it, or turns for what no lane claims"
            ),
        ),
        (
            message(
                lane(script(), "m", ["x"]).lane("b", matchers::by(|_| true), ["x"]),
                once,
            )
            .await,
            format!(
                "several lanes claim request #1 POST /v1/messages\n  \
                 where: script of 0 turns and 2 lanes with 2 turns, {at}\n  \
                 expected: one lane\n  found: `m`, `b`\n  \
                 help: make their matchers exclude each other"
            ),
        ),
    ]);
}

#[tokio::test]
async fn each_matcher_says_what_it_wants_and_what_it_found() {
    for (matcher, mismatch) in [
        (
            matchers::model("m-1"),
            "wants the model to be `m-1`, found `m`",
        ),
        (
            matchers::header("X-Chat", "c-1"),
            "wants the header `X-Chat` to be `c-1`, found none",
        ),
        (
            matchers::header("Accept", "c-1"),
            "wants the header `Accept` to be `c-1`, found `*/*`",
        ),
        (
            matchers::last_user_text_contains("boat"),
            "wants `boat` in the last user text, found `hi`",
        ),
        (
            matchers::system_text_contains("brief"),
            "wants `brief` in the system text, found ``",
        ),
        (
            matchers::has_tool_result(),
            "wants a tool result in the last message, found none",
        ),
        (matchers::by(|_| false), "has a closure that said no"),
        (
            matchers::model("m").and(matchers::by(|_| false)),
            "has a closure that said no",
        ),
    ] {
        let found = message(script().lane("a", matcher, ["x"]), once).await;
        let line = found
            .lines()
            .find_map(|line| line.strip_prefix("  lane `a` "));
        assert_eq!(line, Some(mismatch), "{found}");
    }
}

#[tokio::test]
async fn what_a_matcher_found_is_cut_after_200_characters() {
    let lane = script().lane("a", matchers::last_user_text_contains("boat"), ["x"]);
    let question = "é".repeat(201);
    let found = message(lane, |call| [call.asks(&question)]).await;
    let shown = "é".repeat(200);
    let expected = format!("wants `boat` in the last user text, found `{shown}`… (2 more bytes)");
    assert!(found.contains(&expected), "{found}");
}

#[tokio::test]
async fn a_call_whose_turn_cannot_be_played_is_told_why() {
    let built = line!() + 1;
    let script = || script();
    let at = format!("built at {FILE}:{built}, for request #1 POST /v1/messages");
    let line = line!() + 1;
    let turn = || Turn::new().text("two words");
    let played = |origin| {
        let api = "anthropic_messages";
        format!("{origin} on {api}, built at {FILE}:{line}, for request #1 POST /v1/messages")
    };
    let knife = |_: &str| -> Vec<String> { panic!("no knife") };
    let boom = |_: &RecordedRequest| -> bool { panic!("boom") };
    assert_texts([
        (
            message(script().turn(turn().stall(After::deltas(1))), once).await,
            format!(
                "stall after 1 delta is not possible: a non-streaming answer has a head and one body\n  \
                 where: {}\n  help: use `After::request()` or `After::head()`; the other places are inside a \
                 stream",
                played("turn #1")
            ),
        ),
        (
            message(
                script().answer(move |_, _| Some(turn().fault(Fault::EofBeforeTerminal))),
                once,
            )
            .await,
            format!(
                "fault `eof-before-terminal` has no target in a non-streaming answer\n  where: {}\n  \
                 help: it damages the events of a stream",
                played("the closure's turn")
            ),
        ),
        (
            message(script().turn(turn().fragments(Fragments::by(knife))), once).await,
            format!(
                "the fragments function of a turn panicked: no knife\n  where: {}\n  \
                 help: standard error has the line of the panic",
                played("turn #1")
            ),
        ),
        (
            message(script().lane("a", matchers::by(boom), ["x"]), once).await,
            format!(
                "the matcher of lane `a` panicked: boom\n  \
                 where: script of 0 turns and 1 lane with 1 turn, {at}\n  \
                 help: standard error has the line of the panic"
            ),
        ),
        (
            message(
                script().answer(move |request, _| boom(request).then(Turn::new)),
                once,
            )
            .await,
            format!(
                "the closure panicked: boom\n  where: script of 0 turns and a closure, {at}\n  \
                 help: standard error has the line of the panic"
            ),
        ),
    ]);
}

#[tokio::test]
async fn a_request_for_what_is_not_served_is_told_so_in_the_shape_that_most_clients_read() {
    let built = line!() + 1;
    let stub = script().start();
    let answered = call(&stub).to("/v1/complete?a=1").send().await;

    assert_eq!((answered.status, answered.why()), (404, "not-served"));
    assert_eq!(answered.header("x-should-retry"), "false");
    assert_eq!(answered.header("content-type"), "application/json");
    let served = routes::everything();
    let message = format!(
        "nothing is served at POST /v1/complete?a=1\n  \
         where: script of 0 turns, built at {FILE}:{built}\n  \
         expected: {served}\n  \
         help: check the base URL that the client was given; the nearest path is `/v1/completions`"
    );
    let expected = json!({
        "type": "error", "error": {"type": "not_found_error", "message": message}
    });
    assert_eq!(answered.json(), expected);
}

#[tokio::test]
async fn a_path_that_openais_clients_ask_for_is_told_in_openais_shape_what_its_base_url_lacks() {
    let stub = script().without_verify_on_drop().start();
    for (path, help) in [
        (
            "/chat/completions",
            "the base URL lacks `/v1`: use `openai_url()`; or, for a vendor without it, name the dialect, with \
             `.dialect(..)` on the builder or on a turn, or with `dialect_url(..)`",
        ),
        ("/responses", "the base URL lacks `/v1`: use `openai_url()`"),
        (
            "/v1/v1/responses",
            "the client adds `/v1` itself: give it `url()`",
        ),
        (
            "/v1/chat/completion",
            "check the base URL that the client was given; the nearest path is `/v1/chat/completions`",
        ),
        ("/v1/x", "check the base URL that the client was given"),
    ] {
        let asked = call(&stub).to(path).without_header("anthropic-version");
        let answered = asked.send().await;
        assert_eq!(
            (answered.status, answered.why()),
            (404, "not-served"),
            "{path}"
        );
        let message = answered.message();
        assert!(message.ends_with(&format!("\n  help: {help}")), "{message}");
        let expected = json!({"error": {
            "message": message, "type": "invalid_request_error", "param": null, "code": null,
        }});
        assert_eq!(answered.json(), expected, "{path}");
    }
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_with_the_limit() {
    let found = message(script().body_limit(9), once).await;
    assert_texts([(found, "the request's body is longer than 9 bytes")]);
}

#[tokio::test]
async fn a_fallback_that_does_not_answer_says_so() {
    let built = line!() + 1;
    let stub = script().fallback(nowhere()).start();
    let refused = call(&stub).to("/v1/logs?a=1").send().await;
    assert_eq!((refused.status, refused.why()), (502, "fallback"));
    let place = format!("script of 0 turns, built at {FILE}:{built}, the fallback at");
    let keep = "help: keep the mock server until the stub is dropped";
    let expected = format!(
        "the fallback for POST /v1/logs?a=1 cannot be reached: Connection refused (os error 111)\n  \
         where: {place} 127.0.0.1:1\n  {keep}"
    );
    assert_texts([(refused.message(), expected)]);

    for (answer, says) in [
        ("", "closed the connection without an answer"),
        ("HTTP/1.1 2", "broke off its answer"),
    ] {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.read_buf(&mut Vec::new()).await.unwrap();
            stream.write_all(answer.as_bytes()).await.unwrap();
        });
        let built = line!() + 1;
        let stub = script().fallback(address).start();
        let place = format!("script of 0 turns, built at {FILE}:{built}, the fallback at");
        let _ = reqwest::get(stub.url() + "/a").await;
        serving.await.unwrap();
        stub.settled().await;
        let report = stub.try_verify().unwrap_err().to_string();
        let expected = if answer.is_empty() {
            format!(
                "the fallback for GET /a {says}\n        where: {place} {address}\n        {keep}"
            )
        } else {
            let help = "help: keep the mock server until the client has its answer";
            format!("GET /a: the fallback at {address} {says}\n        {help}")
        };
        assert_texts([(report.split_once("problems:\n    - ").unwrap().1, expected)]);
    }
}

#[tokio::test]
async fn a_body_over_the_limit_is_not_relayed_and_says_the_limit() {
    let stub = script().fallback(nowhere()).body_limit(9).start();
    let refused = call(&stub).to("/v1/logs").send().await;
    let expected = "the request's body is longer than 9 bytes";
    assert_texts([(refused.message(), expected)]);
    let report = stub.try_verify().unwrap_err().to_string();
    let problem = "problems:\n    - POST /v1/logs: the request's body is longer than 9 bytes\n        \
        help: `.body_limit(bytes)` sets the limit";
    assert!(report.ends_with(problem), "{report}");
}

#[cfg(feature = "wiremock")]
#[test]
fn wiremock_answers_with_a_turn_that_is_just_bytes() {
    let (live, gate) = (Live::new(), Gate::new());
    let turn = || Turn::new().text("x");
    let line = line!();
    let caught = [
        panic_of(|| turn().gate(After::deltas(1), &gate).responder(API)),
        panic_of(|| turn().delay(After::head(), AT_ONCE).responder(API)),
        panic_of(|| turn().stall(After::parts(1)).responder(API)),
        panic_of(|| turn().end(After::events(2), Ending::Reset).responder(API)),
        panic_of(|| {
            turn()
                .end(After::deltas(1), ApiError::internal())
                .responder(API)
        }),
        panic_of(|| turn().fault(Fault::EofBeforeTerminal).responder(API)),
        panic_of(|| turn().cut(Cut::PerLine).responder(API)),
        panic_of(|| turn().pace(Pace::every(AT_ONCE)).responder(API)),
        panic_of(|| Turn::from(&live).responder(API)),
    ];
    let expected = [
        "gate after 1 delta",
        "delay after the head",
        "stall after 1 part",
        "reset after 2 events",
        "in-stream error after 1 delta",
        "fault `eof-before-terminal`",
        "a cut",
        "a pace",
        "a live turn",
    ];
    let expected = expected.map(|what| {
        format!(
            "{what} is not possible: wiremock answers with whole bodies only\n  \
             help: give the turn to a `WireStub`; its `.fallback(&mock_server)` keeps your mocks"
        )
    });
    assert_texts(texts_since(line, caught).into_iter().zip(expected));
}

// --- the journal -----------------------------------------------------------------------------------

#[tokio::test]
async fn a_single_request_is_one_request() {
    let built = line!() + 1;
    let stub = script().lane("a", matchers::model("a"), ["x"; 2]).start();
    let script = format!("script of 0 turns and 1 lane with 2 turns, built at {FILE}:{built}");
    let none = panic_of(|| stub.single_request());
    assert_eq!(none.line, line!() - 1);
    for n in 0..2 {
        call(&stub).model("a").send().await;
        stub.wait_for_requests(n + 1).await;
    }
    stub.settled().await;
    let bytes: Vec<u64> = stub.requests().iter().map(|r| r.bytes_written()).collect();
    let two = format!(
        "\n  where: {script}\n  calls:\n    \
         #1 POST /v1/messages [a]: lane `a` turn #1, Complete, {} bytes\n    \
         #2 POST /v1/messages [a]: lane `a` turn #2, Complete, {} bytes\n  \
         help: `requests()` gives all of them",
        bytes[0], bytes[1]
    );
    assert_texts([
        (
            none.message,
            format!(
                "expected exactly one request, found 0\n  where: {script}\n  calls: none\n  \
                 help: a call that is still on its way can be waited for with `wait_for_requests(1)`"
            ),
        ),
        (
            panic_of(|| stub.single_request()).message,
            format!("expected exactly one request, found 2{two}"),
        ),
        (
            panic_of(|| stub.lane("a").single_request()).message,
            format!("expected exactly one request in lane `a`, found 2{two}"),
        ),
    ]);
}

#[tokio::test]
async fn a_request_that_is_no_model_call_has_no_index() {
    let stub = script().start();
    call(&stub).to("/v1/other").send().await;
    let request = stub.journal().pop().unwrap();
    let caught = panic_of(|| request.index());
    assert_eq!(caught.line, line!() - 1);
    let expected = "POST /v1/other is no model call, so it has no index\n  \
        help: `requests()` has the model calls only";
    assert_texts([(caught.message, expected)]);
}

#[tokio::test]
async fn a_client_of_another_protocol_or_method_is_told_so() {
    for (sent, help) in [
        (
            &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
            "\n  help: this is TLS; give the client an `http://` URL",
        ),
        (
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "\n  help: this is HTTP/2; turn off the client's prior knowledge of it",
        ),
        (
            b"GET /v1/messages HTTP/1.1\r\nconnection: close\r\n\r\n",
            "\n  help: the path is right, the method is not",
        ),
        (
            b"POST /messages HTTP/1.1\r\nconnection: close\r\n\r\n",
            "\n  help: the path lacks `/v1`; Anthropic's SDKs add it themselves",
        ),
    ] {
        let stub = script().without_verify_on_drop().start();
        let mut client = tokio::net::TcpStream::connect(stub.url().trim_start_matches("http://"))
            .await
            .unwrap();
        client.write_all(sent).await.unwrap();
        client.shutdown().await.unwrap();
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).await.unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let (_, body) = answer.split_once("{\"type\"").unwrap();
        let help = help.replace('\n', "\\n");
        assert!(body.contains(&format!("{help}\"}}}}")), "{body}");
    }
}

#[tokio::test]
async fn a_request_that_did_not_come_cannot_be_asked_for() {
    let built = line!() + 1;
    let stub = script().start();
    let caught = panic_of(|| stub.request(1));
    assert_eq!(caught.line, line!() - 1);
    let expected = format!(
        "there is no request with index 1: 0 came\n  where: script of 0 turns, built at {FILE}:{built}\n  \
         calls: none\n  help: indices count from 0; `wait_for_requests(2)` waits for this one"
    );
    assert_texts([(caught.message, expected)]);
}

// --- giving up -------------------------------------------------------------------------------------

/// What a wait says that gives up after a moment.
async fn gave_up<T>(wait: Wait<T>) -> String {
    panic_at(wait.patience(AT_ONCE)).await.message
}

const LATE: &str = "not within 1ms";
const NEXT_CALL: &str =
    "a client that asks one call after another sends the next once it has its answer";

/// What a wait is expected to say.
fn giving_up(what: &str, why: &str, report: &str, help: &str) -> String {
    format!("gave up waiting for {what}: {why}\n{report}\n  help: {help}")
}

#[tokio::test]
async fn a_wait_that_gives_up_says_for_what_and_why() {
    let gate = Gate::new();
    let built = line!() + 1;
    let stub = script()
        .turn(Turn::new().text("x").gate(After::deltas(1), &gate))
        .without_verify_on_drop()
        .start();
    let report = format!("  where: script of 1 turn, built at {FILE}:{built}\n  calls: none");
    let leaves =
        "a client leaves early only if its answer lasts: let it `.stall(..)`, or wait at a gate";
    let stalls = "a turn stalls where `.stall(..)` says";
    assert_texts([
        (
            gave_up(stub.wait_for_requests(1)).await,
            giving_up("1 request", LATE, &report, NEXT_CALL),
        ),
        (
            gave_up(stub.wait_for_cancel()).await,
            giving_up("a client to leave", LATE, &report, leaves),
        ),
        (
            gave_up(stub.wait_for_stall()).await,
            giving_up("an answer to stall", LATE, &report, stalls),
        ),
        (
            gave_up(gate.reached()).await,
            format!("gave up waiting for an answer to come to the gate: {LATE}\n{report}"),
        ),
        (
            gave_up(Gate::new().reached()).await,
            format!(
                "gave up waiting for an answer to come to the gate: {LATE}\n  \
                 where: no stub has a turn with this gate\n  \
                 help: give the turn to a stub, or let a closure answer with it"
            ),
        ),
    ]);

    let handle = stub.handle();
    let waiting = handle.wait_for_requests(2);
    stub.reset();
    assert_texts([(
        gave_up(waiting).await,
        giving_up("2 requests", "the stub was reset", &report, NEXT_CALL),
    )]);

    drop(stub);
    let gone = "the stub was dropped";
    assert_texts([
        (
            gave_up(handle.wait_for_requests(2)).await,
            giving_up("2 requests", gone, &report, NEXT_CALL),
        ),
        (
            gave_up(gate.reached()).await,
            format!(
                "gave up waiting for an answer to come to the gate: every stub with this gate was dropped\n{report}"
            ),
        ),
    ]);
    let gate = Gate::new();
    let reached = gate.reached();
    drop(gate);
    let dropped = gave_up(reached).await;
    let expected = "gave up waiting for an answer to come to the gate: the gate was dropped\n";
    assert!(dropped.starts_with(expected), "{dropped}");
}

#[tokio::test]
async fn a_wait_that_gives_up_says_what_came() {
    let built = line!() + 1;
    let stub = script().turn("x").start();
    let connection = tokio::net::TcpStream::connect(stub.url().replace("http://", "")).await;
    let hold = stub.hold();
    let running = tokio::spawn(call(&stub).send());
    stub.wait_for_requests(1).await;
    let report = format!(
        "  where: script of 1 turn, built at {FILE}:{built}\n  calls:\n    \
         #1 POST /v1/messages [m]: turn #1, Open, 0 bytes"
    );
    let release = "open the gates and release the hold, or let the client leave";
    let keeps = "drop the client: it keeps its connections for later calls";
    assert_texts([
        (
            gave_up(stub.settled()).await,
            giving_up("every answer to be done", LATE, &report, release),
        ),
        (
            gave_up(stub.drained()).await,
            giving_up("every connection to be closed", LATE, &report, keeps),
        ),
    ]);
    drop((hold, running, connection));
}

#[tokio::test]
async fn a_live_turn_that_cannot_write_says_what_and_why() {
    let live = Live::new();
    let nobodys = Live::new();
    let built = line!() + 1;
    let stub = script().turn(&live).start();
    let at = format!("  where: script of 1 turn, built at {FILE}:{built}\n  calls:");
    let write = |what: &str, why: &str| {
        format!("gave up waiting for the live turn to write {what}: {why}\n")
    };
    let unread = async |writing: Writing| panic_at(writing.patience(AT_ONCE)).await.message;
    assert_texts([
        (
            unread(nobodys.text("x")).await,
            write("a fragment of text", LATE)
                + "  where: no stub has this live turn\n  \
                   help: give it to a stub with `.turn(&live)`, or let a closure answer with \
                   `Turn::from(&live)`",
        ),
        (
            unread(live.tool_call_end()).await,
            format!(
                "{}{at} none\n  help: it writes once a request has taken this turn; the journal \
                 shows what each request got",
                write(
                    "the end of a tool call",
                    "no tool call is open; `tool_call_fragment(..)` opens one"
                ),
            ),
        ),
    ]);

    let asking = tokio::spawn(call(&stub).streamed().send());
    live.text("x").await;
    let open = format!("{at}\n    #1 POST /v1/messages [m]: turn #1, Open, ");
    let paused = unread(live.pause(Duration::from_secs(3600))).await;
    let expected = write("nothing for a while", LATE) + &open;
    assert!(paused.starts_with(&expected), "{paused}");
    asking.abort();
    stub.wait_for_cancel().await;
    let written = stub.single_request().bytes_written();
    let cancelled =
        format!("{at}\n    #1 POST /v1/messages [m]: turn #1, Cancelled, {written} bytes");
    for (writing, what) in [
        (
            live.tool_call_fragment("f", ""),
            "a fragment of a tool call",
        ),
        (live.thinking("x"), "a fragment of thinking"),
        (live.say("x"), "parts"),
        (live.finish(), "the end"),
    ] {
        let expected = write(what, "the client has left") + &cancelled;
        assert_texts([(panic_at(writing).await.message, expected)]);
    }
    let ended = unread(live.fail(Ending::Fin)).await;
    let expected = write("the end", "it was finished, or failed, before") + &cancelled;
    assert_texts([(ended, expected)]);
}

#[tokio::test]
async fn a_live_answer_that_cannot_go_on_says_so_to_verify() {
    let problem = async |live: Live, say: fn(Live) -> Option<Writing>| {
        let stub = script().turn(&live).start();
        let asking = tokio::spawn(call(&stub).streamed().send());
        live.text("x").await;
        if let Some(writing) = say(live) {
            writing.or_gone().await.unwrap_err();
        }
        stub.settled().await;
        asking.abort();
        let report = stub.try_verify().unwrap_err().to_string();
        report.split_once("problems:\n    - ").unwrap().1.to_owned()
    };
    assert_texts([
        (
            problem(Live::new(), |_| None).await,
            "#1 POST /v1/messages: its live turn was dropped unfinished, which ended the answer\n        \
             help: call its `finish()` or `fail(..)`, or keep it until the end of the test",
        ),
        (
            problem(Live::new(), |live| {
                Some(live.fail(ApiError::overloaded().should_retry()))
            })
            .await,
            "#1 POST /v1/messages: an in-stream error has no headers: the head is long gone, which \
             ended the answer\n        \
             help: leave out `.retry_after(..)`, `.header(..)` and the retry hints, or use an error turn",
        ),
    ]);
}

#[test]
fn only_parts_can_be_said_live() {
    let live = Live::new();
    let gate = Gate::new();
    let line = line!();
    let caught = [
        panic_of(|| live.say(ApiError::internal())),
        panic_of(|| live.say(&live)),
        panic_of(|| live.say(Turn::new().gate(After::head(), &gate))),
        panic_of(|| live.say(Turn::new().fault(Fault::EofBeforeTerminal))),
        panic_of(|| live.say(Turn::new().stop_reason("x"))),
        panic_of(|| live.say(Turn::new().usage(Usage::input(1)))),
        panic_of(|| live.say(Turn::new().model("m"))),
        panic_of(|| live.say(Turn::new().seed(1))),
        panic_of(|| live.say(Turn::new().plain())),
        panic_of(|| live.say(Turn::new().cut(Cut::Whole))),
        panic_of(|| live.say(Turn::new().pace(Pace::every(AT_ONCE)))),
    ];
    for found in texts_since(line, caught) {
        let expected = "only the parts of a turn can be said live\n  \
            help: usage, model, seed, cut and pace belong to `Turn::from(&live)`; `finish_with(..)` and \
            `fail(..)` end the answer; gates, delays and the like are what the test does between two calls";
        assert_texts([(found, expected)]);
    }
    let line = line!();
    let by = || Fragments::by(|whole| vec![whole.to_owned()]);
    let caught = [panic_of(|| live.say(Turn::new().text("x").fragments(by())))];
    let expected = "`Fragments::by(..)` cannot be said live: it would run while the answer is written\n  \
        help: use `Fragments::pieces(..)`";
    assert_texts(texts_since(line, caught).into_iter().zip([expected]));
}

#[test]
fn a_live_turn_that_cannot_be_played_says_why() {
    let (live, gate) = (Live::new(), Gate::new());
    let line = line!() + 1;
    let turn = Turn::from(&live);
    let place = format!("where: turn #1 on anthropic_messages, built at {FILE}:{line}");
    let start = |turn: Turn| script().api(API).turn(turn).try_start().unwrap_err();
    assert_texts([
        (
            start(turn.clone().gate(After::deltas(1), &gate)).to_string(),
            format!(
                "gate after 1 delta is not possible: a live turn has no places\n  {place}\n  \
                 help: do it between two calls of the `Live`; its `fail(..)` ends the answer"
            ),
        ),
        (
            start(turn.clone().fault(Fault::EofBeforeTerminal)).to_string(),
            format!(
                "fault `eof-before-terminal` has no target in a live turn\n  {place}\n  \
                 help: script the turn, or let the `Live` end it with `fail(..)`"
            ),
        ),
        (
            start(turn.clone().text("x")).to_string(),
            format!(
                "a live turn has no parts of its own\n  {place}\n  \
                 help: say them while it is played, with `say(..)` of the `Live`"
            ),
        ),
        (
            try_sse_body(API, &turn).unwrap_err().to_string(),
            format!(
                "a live turn says nothing before it is played\n  \
                 where: anthropic_messages, turn built at {FILE}:{line}\n  \
                 help: give it to a stub, or script its parts"
            ),
        ),
    ]);
}

#[tokio::test]
async fn a_live_turn_that_another_request_had_says_so() {
    let live = Live::new();
    let line = line!() + 1;
    let stub = script().turn(&live).repeat_last().start();
    let first = tokio::spawn(call(&stub).send());
    live.text("x").await;
    let second = call(&stub).send().await.message();
    let expected = format!(
        "a live turn answers one request, and another one had it before\n  \
         where: turn #2 on anthropic_messages, built at {FILE}:{line}, for request #2 POST /v1/messages\n  \
         help: make a `Live` for each request"
    );
    assert_texts([(second, expected)]);
    live.finish().await;
    first.await.unwrap();
}

#[test]
fn a_blocking_call_of_a_live_turn_would_block_the_runtime() {
    let live = Live::new();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let _entered = runtime.enter();
    let caught = [
        panic_of(|| live.text("x").blocking()),
        panic_of(|| live.finish().or_gone_blocking()),
    ];
    let expected = [
        ("text(..).blocking", "text"),
        ("finish(..).or_gone_blocking", "finish"),
    ];
    let expected = expected.map(|(method, future)| {
        format!(
            "`{method}` would block this async runtime\n  help: `{future}` is a future for it; await \
             that, or block on it where blocking is allowed"
        )
    });
    assert_texts(caught.map(|panic| panic.message).into_iter().zip(expected));
}

#[tokio::test]
async fn a_blocking_wait_would_block_the_runtime() {
    let stub = script().start();
    let caught = panic_of(|| stub.settled_blocking());
    assert_eq!(caught.line, line!() - 1);
    let expected = "`settled_blocking` would block this async runtime\n  \
        help: `settled` is a future for it; await that, or block on it where blocking is allowed";
    assert_texts([(caught.message, expected)]);
}

// --- clocks ----------------------------------------------------------------------------------------
// Those of `Clock::tokio()` where there is no such clock are pinned in `clocks/ended.rs`.

#[test]
fn a_clock_that_cannot_be_moved_says_so() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    let (system, manual) = (script().start(), script().clock(Clock::manual()).start());
    let paused = runtime.block_on(async { script().clock(Clock::tokio()).start() });
    let line = line!();
    let caught = [
        panic_of(|| system.advance(AT_ONCE)),
        panic_of(|| system.advance_blocking(AT_ONCE)),
        panic_of(|| system.advance_to_next()),
        panic_of(|| paused.advance_blocking(AT_ONCE)),
        panic_of(|| paused.advance_to_next_blocking()),
        panic_of(|| paused.time_to_request_blocking(1)),
        panic_of(|| manual.time_to_request(0)),
    ];
    let texts = texts_since(line, caught);
    let built =
        |lines_before| format!("script of 0 turns, built at {FILE}:{}", line - lines_before);
    let system = |name| {
        format!(
            "`{name}` cannot move the system's clock\n  where: {}\n  \
             help: build the stub with `.clock(Clock::tokio())` or `.clock(Clock::manual())`",
            built(2)
        )
    };
    let paused = |name| {
        format!(
            "`{name}_blocking` cannot move the time of a tokio runtime: only the runtime itself can\n  \
             where: {}\n  \
             help: await `{name}` there, or build the stub with `.clock(Clock::manual())`",
            built(1)
        )
    };
    assert_texts(
        texts.into_iter().zip([
            system("advance"),
            system("advance"),
            system("advance_to_next"),
            paused("advance"),
            paused("advance_to_next"),
            paused("time_to_request"),
            "there is no request 0\n  help: `time_to_request` counts from 1, as messages do: \
         `time_to_request(1)` is the first"
                .to_owned(),
        ]),
    );
}

#[tokio::test]
async fn a_move_of_a_clock_that_gives_up_says_how_far_it_is() {
    let built = line!() + 1;
    let stub = script().start();
    let waiting =
        "a client that asks again does so once its answer before is done and its back-off is over";
    let report = format!("  where: script of 0 turns, built at {FILE}:{built}\n  calls: none");
    assert_texts([(
        gave_up(stub.time_to_request(1)).await,
        giving_up("request #1", LATE, &report, waiting),
    )]);

    let (asked, asking) = std::sync::mpsc::channel();
    let (answer, answering) = std::sync::mpsc::channel();
    let answering = std::sync::Mutex::new(answering);
    let built = line!() + 1;
    let stub = script()
        .clock(Clock::manual())
        .turn(
            Turn::new()
                .text("x")
                .delay(After::request(), Duration::from_secs(7)),
        )
        .answer(move |_, index| {
            if index == 0 {
                return None;
            }
            asked.send(()).unwrap();
            answering.lock().unwrap().recv().unwrap()
        })
        .start();
    let first = tokio::spawn(call(&stub).send());
    stub.wait_for_requests(1).await;
    stub.advance(Duration::from_secs(2)).await;
    let second = tokio::spawn(call(&stub).send());
    tokio::task::spawn_blocking(move || asking.recv().unwrap())
        .await
        .unwrap();
    let report = format!(
        "  where: script of 1 turn and a closure, built at {FILE}:{built}\n  calls:\n    \
         #1 POST /v1/messages [m]: turn #1, Open, 0 bytes\n    \
         #2 POST /v1/messages [m]: nothing yet, Open, 0 bytes\n  \
         clock: at 2s, the next pause ends at 7s, 1 task still at work"
    );
    let moving =
        "it moves only while nothing is at work; `.patience(..)` lets it wait longer for that";
    let pausing =
        "paces, delays and the pauses of a live turn wait on the clock; a stall and a gate do not";
    assert_texts([
        (
            gave_up(stub.advance(Duration::from_secs(1))).await,
            giving_up("the clock to move by 1s", LATE, &report, moving),
        ),
        (
            gave_up(stub.advance_to_next()).await,
            giving_up("a pause that waits on the clock", LATE, &report, pausing),
        ),
    ]);
    answer.send(Some("y".into())).unwrap();
    assert_eq!(second.await.unwrap().text(), "y");
    assert_eq!(stub.advance_to_next().await, Duration::from_secs(5));
    first.await.unwrap();
}
