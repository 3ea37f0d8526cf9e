//! What was recorded is said again by a script that is made from it: our own fixtures, and streams that are odd.
#![cfg(feature = "server")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

#[path = "support/post.rs"]
mod post;

use std::{fs, path::PathBuf};

use llm_wire_stub::*;
use post::call;
use serde_json::json;

const API: Api = Api::AnthropicMessages;

/// Name and bytes of the fixtures with this ending, in order.
fn fixtures(ending: &str) -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/anthropic_messages");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files
        .filter(|path| path.to_str().unwrap().ends_with(ending))
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

/// A stream without the padding of its events.
fn unpadded(body: &[u8]) -> String {
    let lines = std::str::from_utf8(body).unwrap().split_inclusive('\n');
    let lines = lines.map(|line| match line.strip_suffix("}\n") {
        Some(members) => format!("{}}}\n", members.trim_end_matches(' ')),
        None => line.to_owned(),
    });
    lines.collect()
}

#[track_caller]
fn turn(recorded: &[u8]) -> Turn {
    match Script::from_wire(API, recorded) {
        Ok(script) => Turn::clone(&script.turns()[0]),
        Err(error) => panic!("{error}"),
    }
}

#[track_caller]
fn assert_said_again(name: &str, recorded: &[u8]) {
    let again = sse_body(API, &turn(recorded));
    assert_eq!(unpadded(&again), unpadded(recorded), "{name}");
}

#[test]
fn every_fixture_is_said_again() {
    let (streams, bodies) = (fixtures(".sse"), fixtures(".json"));
    assert!(streams.len() > 6 && bodies.len() > 4);
    for (name, recorded) in streams {
        assert_said_again(&name, &recorded);
    }
    for (name, recorded) in bodies {
        if !name.starts_with("error-") {
            let again = json_body(API, &turn(&recorded));
            assert_eq!(again, recorded, "{name}");
        }
    }
    let eras = fs::read_to_string(
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/anthropic_messages/eras.txt"),
    );
    let eras = eras.unwrap();
    for era in eras.split("era ").skip(1) {
        let (stream, body) = era.split_at(era.rfind("\n\n{").unwrap() + 2);
        let stream = stream.split_once('\n').unwrap().1;
        assert_said_again(era, stream.as_bytes());
        assert_eq!(
            json_body(API, &turn(body.trim().as_bytes())),
            body.trim(),
            "{era}"
        );
    }
}

/// A stream of these blocks, each its start and its deltas.
fn stream(blocks: &[(&str, &[&str])]) -> Vec<u8> {
    let mut turn = Turn::new().plain();
    for (start, deltas) in blocks {
        turn = turn.raw_block(Json::raw(*start));
        for delta in *deltas {
            turn = turn.raw_delta(Json::raw(*delta));
        }
    }
    sse_body(API, &turn).to_vec()
}

#[test]
fn blocks_that_the_names_would_say_otherwise_are_said_as_they_are() {
    let text = r#"{"type":"text","text":""}"#;
    let one = r#"{"type":"text_delta","text":"one"}"#;
    for blocks in [
        // text that would be one block
        &[(text, &[one][..]), (text, &[one])][..],
        // text without a delta, with an empty one, with some of it in the start
        &[(text, &[])],
        &[(text, &[r#"{"type":"text_delta","text":""}"#, one])],
        &[(r#"{"type":"text","text":"a"}"#, &[one])],
        // members in another order, other spellings, members of tomorrow
        &[(r#"{"text":"","type":"text"}"#, &[one])],
        &[(text, &[r#"{"type":"text_delta","text":"\u00e9"}"#])],
        &[(text, &[r#"{"type":"text_delta","text":"one","x":1}"#])],
        &[(
            r#"{"type":"tool_use","id":"t","name":"f","input":{"a": 1}}"#,
            &[],
        )],
        &[(
            r#"{"type":"tool_use","id":"t","name":"f","input":{}}"#,
            &[r#"{"type":"input_json_delta","partial_json":"{}"}"#],
        )],
        // two signatures in one, thinking that is empty in its middle
        &[(
            r#"{"type":"thinking","thinking":"","signature":"c2ln"}"#,
            &[],
        )],
        &[(
            r#"{"type":"thinking","thinking":"","signature":""}"#,
            &[
                r#"{"type":"thinking_delta","thinking":""}"#,
                r#"{"type":"thinking_delta","thinking":"Hm"}"#,
            ],
        )],
        // a citation behind its text
        &[(
            r#"{"citations":[],"type":"text","text":""}"#,
            &[
                one,
                r#"{"type":"citations_delta","citation":{"type":"x","cited_text":"o"}}"#,
            ],
        )],
        // a citation of a file, one with a member of tomorrow, one in another order
        &[(
            r#"{"citations":[],"type":"text","text":""}"#,
            &[
                r#"{"type":"citations_delta","citation":{"type":"page_location","cited_text":"o","document_index":0,"document_title":null,"start_page_number":1,"end_page_number":2,"file_id":"file_1"}}"#,
                r#"{"type":"citations_delta","citation":{"type":"page_location","cited_text":"o","document_index":0,"document_title":null,"start_page_number":1,"end_page_number":2,"file_id":null}}"#,
                r#"{"type":"citations_delta","citation":{"type":"page_location","cited_text":"o","document_index":0,"document_title":null,"start_page_number":1,"end_page_number":2,"x":1.50}}"#,
                r#"{"type":"citations_delta","citation":{"cited_text":"o","type":"char_location","document_index":0,"document_title":null,"start_char_index":1,"end_char_index":2}}"#,
                one,
            ],
        )],
        &[(
            r#"{"type":"mcp_tool_result","tool_use_id":"t","is_error":true,"content":[]}"#,
            &[],
        )],
        &[(r#"{"type":"x_new","a":[1]}"#, &[r#"{"type":"x_delta"}"#])],
        &[],
    ] {
        let recorded = stream(blocks);
        assert_said_again(&format!("{blocks:?}"), &recorded);
        let script = Script::from_wire(API, &recorded).unwrap();
        let reply = accumulate(API, &recorded).unwrap();
        assert_eq!(script.text(), reply.text());
        assert_eq!(script.turns()[0].normalized(API), Ok(reply), "{blocks:?}");
    }
}

#[test]
fn what_the_names_can_say_is_said_by_name() {
    let said = Turn::new()
        .thinking("Hm.")
        .text("Let me see. ")
        .cited_text("It is.", [Citation::pages("It is so.", 1..2)])
        .server_tool(ServerTool::web_search("x", [("X", "https://x.example")]))
        .server_tool(ServerTool::mcp(
            "clocks",
            "now",
            json!({"zone": "UTC"}),
            "1",
        ))
        .redacted_thinking()
        .compaction("They met.")
        .tool_call("f", json!({"a": [1, 2]}));
    for seed in 0..40 {
        let said = said.clone().seed(seed);
        let recorded = sse_body(API, &said);
        let again = turn(&recorded);
        assert!(!format!("{again:?}").contains("Raw {"), "{again:?}");
        assert_said_again(&format!("seed {seed}"), &recorded);
        assert_eq!(again.normalized(API), said.normalized(API), "seed {seed}");
        let recorded = json_body(API, &said);
        assert_eq!(json_body(API, &turn(&recorded)), recorded, "seed {seed}");
    }
}

/// A text with each of these cut out, which it has to have.
fn without(text: &str, cut: &[&str]) -> String {
    let cut = cut.iter();
    cut.fold(text.to_owned(), |text, cut| {
        assert!(text.contains(cut), "{cut} in {text}");
        text.replacen(cut, "", 1)
    })
}

const SERVICE: &str = r#","service_tier":"standard","inference_geo":"not_available""#;
const START_USAGE: &str = r#","usage":{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":1,"service_tier":"standard","inference_geo":"not_available"}"#;
const END_USAGE: &str = r#","usage":{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":2}"#;
const DETAILS: &str = r#"{"type":"refusal","category":null,"explanation":null}"#;

#[test]
fn members_that_a_recording_lacks_are_not_added() {
    let said = Turn::new().text("Hello!").stop_reason(StopReason::Refusal);
    let said = said.plain();
    let stream = String::from_utf8(sse_body(API, &said).to_vec()).unwrap();
    let body = String::from_utf8(json_body(API, &said).to_vec()).unwrap();
    let details = format!(r#","stop_details":{DETAILS}"#);
    for cut in [
        &[START_USAGE][..],
        &[END_USAGE],
        &[START_USAGE, END_USAGE],
        &[SERVICE],
        &[&details],
        &[START_USAGE, END_USAGE, &details],
    ] {
        let recorded = without(&stream, cut);
        assert_said_again(&format!("{cut:?}"), recorded.as_bytes());
        let reply = accumulate(API, recorded.as_bytes()).unwrap();
        let again = turn(recorded.as_bytes());
        assert_eq!(again.normalized(API).unwrap(), reply, "{cut:?}");
    }
    let recorded = stream.replace(DETAILS, "null");
    assert_said_again("null", recorded.as_bytes());

    let usage = START_USAGE.replace(r#""output_tokens":1"#, r#""output_tokens":2"#);
    for cut in [&[&*usage][..], &[SERVICE], &[&details], &[&usage, &details]] {
        let recorded = without(&body, cut);
        assert_eq!(json_body(API, &turn(recorded.as_bytes())), recorded);
        let reply = accumulate_json(API, recorded.as_bytes()).unwrap();
        let again = turn(recorded.as_bytes());
        assert_eq!(again.normalized(API).unwrap(), reply, "{cut:?}");
    }
    let recorded = body.replace(DETAILS, "null");
    assert_eq!(json_body(API, &turn(recorded.as_bytes())), recorded);
}

#[test]
fn what_a_test_says_of_a_recording_is_added() {
    let said = Turn::new().text("Hello!").plain();
    let stream = String::from_utf8(sse_body(API, &said).to_vec()).unwrap();
    let recorded = without(&stream, &[START_USAGE, END_USAGE]);
    let again = turn(recorded.as_bytes())
        .usage_at_start(Usage::input(10).output(1))
        .usage(Usage::input(10).output(2))
        .service_tier("standard")
        .inference_geo("not_available");
    assert_eq!(sse_body(API, &again.plain()), stream);
}

#[test]
fn answer_that_cannot_be_said_without_more_members_is_refused() {
    let said = Turn::new().text("Hello!").plain();
    let counters = r#","cache_creation_input_tokens":0,"cache_read_input_tokens":0"#;
    let stream = String::from_utf8(sse_body(API, &said).to_vec()).unwrap();
    let recorded = stream.replace(END_USAGE, &without(END_USAGE, &[counters]));
    let error = Script::from_wire(API, recorded.as_bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the recorded answer has no member `usage.cache_creation_input_tokens`, and cannot be said without it\n  \
         where: anthropic_messages, event #5, byte 800\n  \
         expected: `usage.cache_creation_input_tokens`, as the provider's answers of that form have it\n  \
         found: `{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\",\"stop_sequence\":null,\
         \"stop_details\":null},\"usage\":{\"input_tokens\":10,\"output_tokens\":2}}`\n  \
         help: add the member to the recording, or script the turn by name"
    );
    let body = String::from_utf8(json_body(API, &said).to_vec()).unwrap();
    let error = Script::from_wire(API, without(&body, &[counters]).as_bytes()).unwrap_err();
    let field = "usage.cache_creation_input_tokens".to_owned();
    assert_eq!(error.kind(), &AccumulateErrorKind::MissingField { field });
    assert_eq!((error.event_index(), error.offset()), (None, 0));
}

#[test]
fn an_answer_with_members_of_several_eras_is_refused_and_not_said_by_a_turn_that_cannot_be_played()
{
    // in today's form, but for a member that was there from the start until then
    let said = Turn::new().text("Hello!").stop_reason(StopReason::Refusal);
    let old = r#","usage":{"input_tokens":10,"output_tokens":2}"#;
    let start = r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"m","stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":10,"output_tokens":1}}}"#;
    let stream = unpadded(&sse_body(API, &said.plain()));
    let (_, behind) = stream.split_once("\n\n").unwrap();
    let recorded = format!("event: message_start\ndata: {start}\n\n{behind}");
    let recorded = recorded.replace(END_USAGE, old);
    assert!(accumulate(API, recorded.as_bytes()).is_ok());
    let error = Script::from_wire(API, recorded.as_bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "an answer of this era has no `stop_details`\n  \
         where: anthropic_messages, byte 0\n  \
         expected: what a turn can say\n  \
         found: what it cannot\n  \
         help: script the turn by name"
    );
    assert_eq!(error.kind(), &AccumulateErrorKind::NotSaidAgain);
}

#[test]
fn a_counter_that_is_null_is_not_said_as_zero() {
    let said = Turn::new()
        .text("Hello!")
        .usage(Usage::input(1).web_searches(2));
    let (stream, body) = (sse_body(API, &said), json_body(API, &said));
    for counter in ["web_fetch_requests", "cache_read_input_tokens"] {
        for (recorded, form) in [(&stream, "a stream"), (&body, "a body")] {
            let recorded = String::from_utf8(recorded.to_vec()).unwrap();
            let (counted, null) = (format!("\"{counter}\":0"), format!("\"{counter}\":null"));
            assert!(recorded.contains(&counted), "{recorded}");
            let recorded = recorded.replace(&counted, &null);
            let error = Script::from_wire(API, recorded.as_bytes()).unwrap_err();
            let is_meant = matches!(
                error.kind(),
                AccumulateErrorKind::MissingField { field } if field.ends_with(counter)
            );
            assert!(is_meant, "{form}: {error}");
        }
    }
}

#[test]
fn json_that_others_spelled_with_spaces_and_on_several_lines_is_said_compact() {
    let said = Turn::new()
        .text("a  b")
        .server_tool(ServerTool::bash("date", " Wed \n"))
        .tool_call("f", json!({"a": [1, " 2 "]}))
        .plain();
    let body = json_body(API, &said);
    let value: serde_json::Value = serde_json::from_slice(&body).unwrap();
    let pretty = serde_json::to_string_pretty(&value).unwrap();
    let reply = accumulate_json(API, &body).unwrap();
    let again = turn(pretty.as_bytes());
    assert_eq!(
        accumulate_json(API, &json_body(API, &again)).unwrap(),
        reply
    );
    assert_eq!(accumulate(API, &sse_body(API, &again)).unwrap(), reply);

    let stream = String::from_utf8(sse_body(API, &said).to_vec()).unwrap();
    let spaced = stream
        .replace("\"index\":", "\"index\": ")
        .replace(",\"delta\":", ",\ndata: \"delta\" : ");
    assert_ne!(stream, spaced);
    assert_eq!(sse_body(API, &turn(spaced.as_bytes()).plain()), stream);
}

#[test]
fn a_stream_that_ended_with_an_error_ends_so_again() {
    let said = Turn::new()
        .text("two words")
        .tool_call("f", json!({"city": "Rome"}))
        .usage(Usage::input(7).output(9));
    let error = ApiError::overloaded()
        .message("Too much")
        .error_code("queue_full");
    let events = String::from_utf8(sse_body(API, &said).to_vec()).unwrap();
    for n in 0..events.matches("event: ").count() {
        let place = if n == 0 {
            After::head()
        } else {
            After::events(n)
        };
        let recorded = sse_body(API, &said.clone().end(place, error.clone()));
        let again = sse_body(API, &turn(&recorded));
        let mask = |body: &[u8]| {
            let text = unpadded(body);
            let (head, tail) = text.split_once("\"request_id\":\"").unwrap();
            assert_eq!(tail.len(), "req_011CeCGmMJJGRCp7xgjqapmJ\"}\n\n".len());
            head.to_owned()
        };
        assert_eq!(mask(&again), mask(&recorded), "after {n} events");
    }
}

#[test]
fn what_stands_in_unknown_events_is_no_part_of_the_answer() {
    let said = Turn::new().text("one two").plain();
    let ended = said.clone().end(After::events(5), ApiError::overloaded());
    // of an unknown type, or none that can be read
    let unknown = [
        r#"{"type":"tomorrow","content_block":{"type":"text","text":"no"}}"#,
        r#"{"type":"tomorrow","message":{},"context_management":{}}"#,
        r#"{"type":"content_block_delta",7,"index":0,"delta":{"type":"text_delta","text":7}}"#,
        r#"{"type":"ping",}"#,
        "7",
    ];
    for turn_said in [said, ended] {
        let recorded = sse_body(API, &turn_said);
        let mut between = String::new();
        for event in unpadded(&recorded).split_inclusive("\n\n") {
            for data in unknown {
                between += &format!("event: tomorrow\ndata: {data}\n\n");
            }
            between += event;
        }
        let again = sse_body(API, &turn(between.as_bytes()));
        assert_eq!(again, sse_body(API, &turn(&recorded)));
    }
}

#[test]
fn members_of_other_events_say_nothing_of_the_answer() {
    let recorded = unpadded(&sse_body(API, &Turn::new().text("one two").plain()));
    let others =
        r#""message":{"id":"x"},"content_block":{"type":"x"},"delta":{},"context_management":{}"#;
    for kind in ["content_block_stop", "message_stop"] {
        let (plain, odd) = (format!("\"{kind}\""), format!("\"{kind}\",{others}"));
        let odd = recorded.replace(&plain, &odd);
        assert_ne!(recorded, odd, "{kind}");
        let again = sse_body(API, &turn(odd.as_bytes()).plain());
        assert_eq!(unpadded(&again), recorded, "{kind}");
    }
}

#[tokio::test]
async fn an_error_is_said_again_with_its_status_type_message_and_code() {
    for error in [
        ApiError::context_overflow(),
        ApiError::authentication(),
        ApiError::rate_limited().message("slow down"),
        ApiError::invalid_request("no").error_code("tool_name_conflict"),
        ApiError::internal().error_type("x_error"),
    ] {
        for era in [Era::of(2024, 6), Era::today()] {
            let said = Turn::error(error.clone()).era(era);
            let stub = WireStub::builder().turn(said).start();
            let recorded = call(&stub).send().await;
            let script = Script::from_wire(API, &recorded.body).unwrap();
            let stub = WireStub::builder().script(script).start();
            let again = call(&stub).send().await;
            assert_eq!(again.status, recorded.status, "{error:?}");
            assert_eq!(again.body, recorded.body, "{error:?}");
        }
    }
}

#[test]
fn bytes_that_are_no_whole_answer_are_refused_as_the_accumulator_refuses_them() {
    let whole = sse_body(API, &Turn::new().text("Hello!"));
    let cut = &whole[..whole.len() - 40];
    for bytes in [cut, b"", b"<html>", b"{\"type\":", b"event: x\n\n"] {
        let expected = match bytes.first() {
            Some(b'{') => accumulate_json(API, bytes).unwrap_err(),
            _ => accumulate(API, bytes).unwrap_err(),
        };
        assert_eq!(Script::from_wire(API, bytes).unwrap_err(), expected);
    }
}

#[tokio::test]
async fn a_script_is_played_turn_by_turn() {
    let recorded = sse_body(API, &Turn::new().text("Recorded.").seed(3));
    let script = Script::from_wire(API, &recorded).unwrap();
    assert_eq!(script.text(), "Recorded.");
    let two = Script::new(["One.".into(), Turn::error(ApiError::overloaded())]);
    assert_eq!(two.text(), "One.");
    let stub = WireStub::builder().script(script).script(two).start();
    let mut texts = Vec::new();
    for _ in 0..2 {
        let answered = call(&stub).streamed().send().await;
        texts.push(accumulate(API, &answered.body).unwrap().text());
    }
    assert_eq!(texts, ["Recorded.", "One."]);
    assert_eq!(call(&stub).send().await.status, 529);
    stub.verify();
}
