//! What no accumulator sees: heads, the borders of writes, waits, and how a connection ends, over a raw socket. What is
//! expected is made of the pieces of the answer without its fault.

use std::time::Duration;

use llm_wire_stub::*;

use crate::{
    cases,
    expected::{End, Expected, Head, KEEP_ALIVE},
    raw::{Ended, LAST_CHUNK, MODEL, Raw, ascii, chunked},
    references::reference,
};

pub(crate) const API: Api = Api::AnthropicMessages;
/// Short, so that what is written for ever is soon written often.
const SOON: Duration = Duration::from_millis(1);

#[test]
fn heads_writes_and_endings_are_those_of_the_fault() {
    for (_, fault) in cases().filter(|(api, _)| *api == API) {
        // an accumulator sees the rest
        if fault.stage() >= Stage::Transport {
            check(fault);
        }
    }
}

#[test]
fn bodies_that_are_cut_end_properly() {
    for fault in [
        Fault::EofBeforeTerminal.variant("all-content"),
        Fault::EofBeforeTerminal.variant("no-content"),
        Fault::TerminalFrameCut.variant("cut"),
        Fault::EofNoFinalBlank.variant("no-line-end"),
        Fault::EofMidEvent.variant("in-character"),
    ] {
        check(fault);
    }
}

#[track_caller]
fn check(fault: FaultVariant) {
    let turn = of_stub(reference(API, fault));
    let pieces: Vec<_> = chunks(API, &turn, Cut::PerEvent)
        .map(|piece| piece.to_vec())
        .collect();
    let expected = Expected::of(fault, &turn, &pieces);
    let stub = stub(turn.fault(fault.every(SOON)));
    let mut client = Raw::asking(&stub, asking(API));
    if let Some(head) = &expected.head {
        assert_eq!(read_head(&client.head()), *head, "{fault}");
    }
    let is_plain = matches!(
        expected.head,
        Some(Head {
            length: Some(_),
            ..
        })
    );
    let body = if is_plain {
        expected.writes.concat()
    } else {
        chunked(expected.writes.into_iter().map(Into::into))
    };
    check_body(&mut client, &body, expected.end, &stub, fault);
    let outcome = match expected.end {
        End::Reset => Outcome::Reset,
        End::Silent | End::Beats(_) => Outcome::Cancelled,
        End::Closed if fault.fault() != Fault::HtmlBody => Outcome::Failed,
        End::Whole | End::Closed | End::Open | End::OpenBeats(_) => Outcome::Complete,
    };
    drop(client);
    stub.settled_blocking();
    if fault.stage() >= Stage::Transport && !is_early(fault) {
        assert_eq!(stub.requests()[0].outcome(), outcome, "{fault}");
    }
}

/// What ends properly but is not whole counts as failed.
fn is_early(fault: FaultVariant) -> bool {
    fault.fault() == Fault::EmptyBody || fault.id() == "html-body/mid-stream"
}

#[track_caller]
fn check_body(client: &mut Raw, body: &[u8], end: End, stub: &WireStub, fault: FaultVariant) {
    let same = |found: &[u8]| {
        if found != body {
            let at = found.iter().zip(body).take_while(|(a, b)| a == b).count();
            let around = |bytes: &[u8]| {
                let end = bytes.len().min(at + 60);
                ascii(&bytes[at.saturating_sub(60).min(end)..end])
            };
            panic!(
                "{fault}: the bytes differ at {at}\n  expected: `{}`\n  found: `{}`",
                around(body),
                around(found)
            );
        }
    };
    match end {
        End::Closed | End::Reset => {
            let (found, ended) = client.rest();
            same(&found);
            let expected = if end == End::Reset {
                Ended::Reset
            } else {
                Ended::Fin
            };
            assert_eq!(ended, expected, "{fault}");
        }
        End::Whole => {
            same(&client.read_exactly(body.len()));
            assert_eq!(client.read_exactly(LAST_CHUNK.len()), LAST_CHUNK, "{fault}");
            // the next call is answered on the same connection, if only by a refusal
            client.send(asking(API));
            assert!(client.head().starts_with("HTTP/1.1 4"), "{fault}");
        }
        End::Silent | End::Open => {
            same(&client.read_exactly(body.len()));
            if end == End::Silent {
                stub.wait_for_stall_blocking();
            } else {
                assert_eq!(stub.requests()[0].outcome(), Outcome::Complete, "{fault}");
            }
            client.assert_nothing_more();
        }
        End::Beats(beat) | End::OpenBeats(beat) => {
            same(&client.read_exactly(body.len()));
            let beats = chunked(vec![beat.to_vec().into(); 4]);
            assert_eq!(
                ascii(&client.read_exactly(beats.len())),
                ascii(&beats),
                "{fault}"
            );
        }
    }
}

/// Says on a stub what it says without one.
pub(crate) fn of_stub(turn: Turn) -> Turn {
    turn.model(MODEL).seed(0).allow_script_drift()
}

pub(crate) fn asking(api: Api) -> Vec<u8> {
    let (path, asks) = match api {
        Api::OpenAiChat => (
            "/v1/chat/completions",
            r#""messages":[{"role":"user","content":"go"}],"stream_options":{"include_usage":true}"#,
        ),
        Api::OpenAiResponses => ("/v1/responses", r#""input":"go""#),
        Api::AnthropicMessages | Api::OpenAiCompletions | _ => (
            "/v1/messages",
            r#""max_tokens":99,"messages":[{"role":"user","content":"go"}]"#,
        ),
    };
    let body = format!(r#"{{"model":"{MODEL}","stream":true,{asks}}}"#);
    let key = "authorization: Bearer sk-test\r\nx-api-key: sk-ant-test-0123456789";
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nhost: stub\r\n{key}\r\nanthropic-version: 2023-06-01\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

fn read_head(head: &str) -> Head {
    let mut lines = head.lines();
    let status = lines.next().unwrap();
    let said = |name: &str| {
        let mut lines = head.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(found, _)| found.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.to_owned())
    };
    let length = said("content-length").map(|length| length.parse().unwrap());
    let chunked = said("transfer-encoding").is_some();
    assert_eq!(chunked, length.is_none(), "{head}");
    Head {
        status: status.split(' ').nth(1).unwrap().parse().unwrap(),
        content_type: said("content-type"),
        encoding: said("content-encoding"),
        length,
    }
}

/// The error that a turn of this status is, on a stub of its own.
pub(crate) fn error_of(status: u16) -> Vec<u8> {
    let error = Turn::error(ApiError::status(status)).seed(0);
    let stub = stub(error);
    Raw::asking(&stub, asking(API)).response().body
}

/// One that is asked once more than it has turns, to see whether it listens.
#[track_caller]
pub(crate) fn stub(turn: Turn) -> WireStub {
    WireStub::builder()
        .turn(turn)
        .without_verify_on_drop()
        .start()
}

#[test]
fn other_apis_end_likewise() {
    for api in [Api::OpenAiChat, Api::OpenAiResponses] {
        for (fault, end) in [
            (Fault::ChunkedAbort.into(), End::Closed),
            (Fault::ChunkedAbort.variant("length-too-large"), End::Closed),
            (Fault::ResetMidStream.into(), End::Reset),
            (
                Fault::StallMidStream.variant("inside-a-tool-call"),
                End::Silent,
            ),
            (
                Fault::StallHeartbeatOnly.variant("blank-lines"),
                End::Beats(b"\n"),
            ),
            (Fault::OpenAfterTerminal.into(), End::Open),
            (
                Fault::OpenAfterTerminal.variant("heartbeats"),
                End::OpenBeats(KEEP_ALIVE),
            ),
            (Fault::HttpErrorOnStream.into(), End::Whole),
            (Fault::SplitAnyByte.into(), End::Whole),
        ] {
            let turn = of_stub(reference(api, fault)).fault(fault.every(SOON));
            let stub = stub(turn.clone());
            let mut client = Raw::asking(&stub, asking(api));
            let head = read_head(&client.head());
            let pieces = chunks(api, &turn, Cut::PerEvent);
            let body = match head.length {
                Some(_) => pieces.collect::<Vec<_>>().concat(),
                None => chunked(pieces),
            };
            check_body(&mut client, &body, end, &stub, fault);
        }
    }
    let done = Fault::OpenAfterTerminal.variant("without-done");
    let body = sse_body(Api::OpenAiChat, &Turn::new().text("hi").fault(done));
    assert!(body.ends_with(b"}\n\n"), "{}", ascii(&body));
}
