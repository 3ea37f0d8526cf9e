//! Public reports of clients that lost data, each said in one to three lines of script. The trigger of each is looked for
//! in the bytes; what a client makes of it is the business of the suite in `conformance`.
#![cfg(feature = "server")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

#[path = "support/raw.rs"]
mod raw;

use std::{net::Shutdown, time::Duration};

use Api::{AnthropicMessages as A, OpenAiChat as C, OpenAiResponses as R};
use llm_wire_stub::*;
use raw::{Ended, MODEL, Raw, streaming};
use serde_json::json;

/// The writes of the answer, as text, wrong bytes shown.
#[track_caller]
fn writes(api: Api, turn: &Turn) -> Vec<String> {
    let pieces = chunks(api, &turn.clone().plain(), Cut::PerEvent);
    pieces.map(|piece| shown(&piece)).collect()
}

fn shown(bytes: &[u8]) -> String {
    let shown = bytes.iter().map(|byte| match byte {
        b'\n' => "\\n".to_owned(),
        b'\r' => "\\r".to_owned(),
        0x20..0x7f => char::from(*byte).to_string(),
        other => format!("\\x{other:02X}"),
    });
    shown.collect()
}

#[track_caller]
fn assert_written(writes: &[String], trigger: &str) {
    let all = writes.join("¦");
    assert!(all.contains(trigger), "{trigger}\nis not in\n{all}");
}

/// Head, body and end as a raw client reads them.
fn answer(turn: Turn) -> (String, String, Ended) {
    let stub = stub([turn.plain()]);
    let mut client = Raw::asking(&stub, streaming());
    let head = client.head();
    // no further request comes: the connection ends behind the answer, unless it has ended already
    let _ = client.sender().shutdown(Shutdown::Write);
    let (rest, ended) = client.rest();
    (head, shown(&rest), ended)
}

#[track_caller]
fn stub<const N: usize>(turns: [Turn; N]) -> WireStub {
    let stub = WireStub::builder().turns(turns).without_verify_on_drop();
    stub.start()
}

#[test]
fn f001_a_name_and_its_data_come_in_two_writes() {
    let turn = Turn::new()
        .text("b")
        .fault(Fault::SplitAnyByte.variant("between-lines"));
    assert_written(
        &writes(R, &turn),
        r#"event: response.output_text.delta\n¦data: {"type""#,
    );
}

#[test]
fn f004_a_character_comes_in_two_writes() {
    let turn = Turn::new().text("café").fault(Fault::SplitUtf8Scalar);
    assert_written(&writes(A, &turn), r#""text":"caf\xC3¦\xA9""#);
}

#[test]
fn f009_lines_end_in_cr_lf() {
    let turn = Turn::new().text("hi").fault(Fault::EolCrlf);
    assert_written(&writes(C, &turn), r"}\r\n\r\n¦data: {");
}

#[test]
fn f013_a_byte_order_mark_comes_in_two_reads() {
    let turn = Turn::new()
        .text("hi")
        .fault(Fault::BomLeading.variant("cut"));
    assert_written(&writes(A, &turn), r"\xEF¦\xBB¦\xBF¦event: message_start");
}

#[test]
fn f014_no_space_stands_behind_the_colon() {
    let turn = Turn::new().text("hi").fault(Fault::FieldSpaceVariants);
    assert_written(&writes(C, &turn), r#"data:{"id":"#);
}

#[test]
fn f018_one_event_has_two_data_lines_that_end_in_cr_lf() {
    let turn = Turn::new()
        .text("hi")
        .fault(Fault::DataMultiLine)
        .fault(Fault::EolCrlf);
    assert_written(
        &writes(C, &turn),
        r#",\r\ndata: "object":"chat.completion.chunk""#,
    );
}

#[test]
fn f020_a_heartbeat_comes_before_the_first_chunk() {
    let turn = Turn::new()
        .text("hi")
        .fault(Fault::CommentLines.variant("before-first-event"));
    assert!(writes(C, &turn)[0].starts_with(": "));
}

#[test]
fn f023_hundreds_of_blank_lines_stand_between_two_chunks() {
    let turn = Turn::new()
        .text("hi")
        .fault(Fault::BlankLineKeepalive.variant("four-hundred"));
    assert_written(&writes(C, &turn), &r"\n".repeat(101));
}

#[test]
fn f028_no_event_has_a_name() {
    let turn = Turn::new().text("hi").fault(Fault::EventNameAbsent);
    let writes = writes(A, &turn);
    assert!(
        writes[0].starts_with(r#"data: {"type":"message_start""#),
        "{}",
        writes[0]
    );
}

#[test]
fn f029_a_text_holds_a_line_separator() {
    let turn = Turn::new()
        .text("b")
        .fault(Fault::UnicodeSeparatorsInData.variant("line-separator"));
    assert_written(&writes(A, &turn), r#""text":"\xE2\x80\xA8b""#);
}

#[test]
fn f032_the_last_snapshot_is_longer_than_64_kib() {
    let turn = Turn::new().text("x".repeat(70_000));
    let snapshot = writes(R, &turn)
        .into_iter()
        .find(|write| write.contains("response.output_item.done"));
    assert!(snapshot.unwrap().len() > 70_000);
}

#[test]
fn f044_the_content_type_has_a_parameter() {
    let (head, _, _) = answer(Turn::new().text("hi").fault(Fault::ContentTypeVariants));
    assert!(
        head.contains("text/event-stream;charset=UTF-8\r\n"),
        "{head}"
    );
}

#[test]
fn f086_the_sentinel_came_and_the_connection_stays_open() {
    let turn = Turn::new().text("hi").fault(Fault::OpenAfterTerminal);
    let stub = stub([turn]);
    let mut client = Raw::asking(&stub, streaming());
    client.read_until(b"event: message_stop");
    // it is whole, and the client may go
    drop(client);
    stub.settled_blocking();
    assert_eq!(stub.request(0).outcome(), Outcome::Complete);
}

#[test]
fn f091_arguments_are_cut_where_no_half_is_json() {
    let turn = Turn::new().tool_call("f", json!({"file_path": "a"}));
    let turn = turn.fragments(Fragments::by(|_| {
        vec![r#"{"file_"#.into(), r#"path": "a"}"#.into()]
    }));
    assert_written(&writes(A, &turn), r#""partial_json":"{\"file_""#);
    assert_written(&writes(A, &turn), r#""partial_json":"path\": \"a\"}""#);
}

#[test]
fn f132_two_chunks_of_content_and_a_proper_end() {
    let turn = Turn::new()
        .text("two words")
        .fault(Fault::EofBeforeTerminal);
    let writes = writes(C, &turn);
    assert!(
        writes.last().unwrap().contains(r#""content":" words""#),
        "{writes:?}"
    );
}

#[test]
fn f140_the_last_frame_is_cut() {
    let turn = Turn::new().text("hi").fault(Fault::TerminalFrameCut);
    assert!(
        writes(A, &turn)
            .last()
            .unwrap()
            .ends_with(r#"event: message_stop\ndata: {"ty"#)
    );
}

#[test]
fn f141_no_blank_line_follows_the_chunk_with_the_finish_reason() {
    let turn = Turn::new()
        .text("hi")
        .fault(Fault::EofNoFinalBlank.variant("no-line-end"));
    assert!(writes(C, &turn).last().unwrap().ends_with('}'));
}

#[test]
fn f144_the_body_ends_inside_an_event() {
    let turn = Turn::new()
        .text("hi")
        .end(After::deltas(1), Ending::MidEvent);
    let last = writes(A, &turn).pop().unwrap();
    assert!(
        last.starts_with("event: content_block_stop") && !last.ends_with(r"\n\n"),
        "{last}"
    );
}

#[test]
fn f145_the_connection_is_closed_without_the_last_chunk() {
    let (_, body, ended) = answer(
        Turn::new()
            .text("one two")
            .end(After::deltas(2), Ending::Fin),
    );
    assert!(!body.ends_with(r"0\r\n\r\n"), "{body}");
    assert!(matches!(ended, Ended::Fin));
}

#[test]
fn f147_the_connection_is_reset_behind_three_fragments() {
    let turn = Turn::new()
        .text("a b c d")
        .end(After::deltas(3), Ending::Reset);
    let (_, body, ended) = answer(turn);
    assert!(
        body.contains(r#""text":" c""#) && !body.contains(r#""text":" d""#),
        "{body}"
    );
    assert!(matches!(ended, Ended::Reset));
}

#[test]
fn f150_a_stream_falls_silent() {
    let stub = stub([Turn::new().text("one two").stall(After::deltas(1))]);
    let client = Raw::asking(&stub, streaming());
    stub.wait_for_stall_blocking();
    drop(client);
    assert_eq!(stub.wait_for_cancel_blocking().index(), 0);
}

#[test]
fn f157_an_overload_inside_the_stream() {
    let turn = Turn::new()
        .text("He")
        .end(After::deltas(1), ApiError::overloaded());
    assert_written(
        &writes(A, &turn),
        r#"event: error\ndata: {"type":"error","error":{"#,
    );
    assert_written(&writes(A, &turn), r#""type":"overloaded_error""#);
}

#[test]
fn f169_the_limit_is_the_reason_of_a_whole_stream() {
    let turn = Turn::new().text("hi").stop_reason(StopReason::MaxTokens);
    assert_written(
        &writes(R, &turn),
        r#""incomplete_details":{"reason":"max_output_tokens"}"#,
    );
}

#[test]
fn f179_an_error_with_status_200() {
    let (head, body, _) = answer(Turn::new().text("hi").fault(Fault::ErrorJson200));
    assert!(
        head.starts_with("HTTP/1.1 200 ") && head.contains("application/json\r\n"),
        "{head}"
    );
    assert!(body.contains(r#""error""#), "{body}");
}

#[test]
fn f181_a_page_instead_of_a_stream() {
    let (head, body, _) = answer(
        Turn::new()
            .text("hi")
            .fault(Fault::HtmlBody.variant("status-503")),
    );
    assert!(head.starts_with("HTTP/1.1 503 "), "{head}");
    assert!(body.contains("<html"), "{body}");
}

#[test]
fn f184_no_byte_of_a_body() {
    let (_, body, _) = answer(Turn::new().text("hi").fault(Fault::EmptyBody));
    assert_eq!(body, r"0\r\n\r\n");
}

#[test]
fn f198_the_hint_is_a_date() {
    let turn = Turn::error(
        ApiError::rate_limited().header("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"),
    );
    let (head, _, _) = answer(turn);
    assert!(
        head.contains("retry-after: Wed, 21 Oct 2015 07:28:00 GMT\r\n"),
        "{head}"
    );
}

#[test]
fn f202_an_overload_by_its_status() {
    let (head, _, _) = answer(Turn::error(ApiError::overloaded()));
    assert!(head.starts_with("HTTP/1.1 529 "), "{head}");
}

#[test]
fn f204_half_an_answer_and_then_all_of_it() {
    let stub = stub([
        Turn::new()
            .text("He llo")
            .end(After::deltas(1), Ending::Reset),
        Turn::new().text("Hello"),
    ]);
    let read = |mut client: Raw| shown(&client.rest().0);
    let first = read(Raw::asking(&stub, streaming()));
    assert!(
        first.contains(r#""text":"He""#) && !first.contains("message_stop"),
        "{first}"
    );
    let mut second = Raw::asking(&stub, streaming());
    assert!(shown(&second.response().body).contains(r#""text":"Hello""#));
}

#[test]
fn f154_a_slow_stream_goes_on() {
    let slow = Pace::every(Duration::from_millis(1));
    let stub = stub([Turn::new().text("slow but alive").pace(slow).model(MODEL)]);
    let body = Raw::asking(&stub, streaming()).response().body;
    assert!(
        shown(&body).contains("event: message_stop"),
        "{}",
        shown(&body)
    );
}
