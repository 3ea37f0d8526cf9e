//! What holds for the reader of each API's answers, whatever the bytes.

use llm_wire_stub::{
    AccumulateError, AccumulateErrorKind, Accumulator, Api, Reply, Script, SseDecoder, SseEvent,
    Turn, UnplayableError, accumulate, accumulate_json, bytes::Bytes, try_json_body, try_sse_body,
};

use serde_json::Value;

use crate::{pieces, resaid};

type Read = Result<Reply, AccumulateError>;

/// Checks everything with these bytes as a stream and as a whole body.
pub fn check(api: Api, body: &[u8]) {
    let stream = accumulate(api, body);
    in_pieces(api, body, &stream);
    explained(&stream);
    cut_is_told(api, body, &stream);
    said_again(api, body, &stream);

    let whole = accumulate_json(api, body);
    explained(&whole);
    cut_body_is_told(api, body, &whole);
    assert!(
        stream.is_err() || whole.is_err(),
        "the same bytes are a stream and a body"
    );
    said_again_whole(api, body, &whole);

    for reply in [stream, whole].iter().flatten() {
        resaid::check(api, reply);
    }
}

/// The events alone, however the bytes are cut, come to the same.
fn in_pieces(api: Api, body: &[u8], stream: &Read) {
    let Some(events) = events(body) else {
        assert!(stream.is_err(), "read, although it cannot be decoded");
        return;
    };
    let read = read(api, &events);
    match (stream, &read) {
        (Ok(stream), Ok(read)) => assert_eq!(stream, read),
        (Err(stream), Err(read)) => {
            let is_no_stream =
                stream.kind() == &AccumulateErrorKind::NotAnEventStream || events.is_empty();
            assert!(
                is_no_stream || stream.kind() == read.kind(),
                "{stream}\n{read}"
            );
        }
        (stream, read) => panic!("from bytes: {stream:?}\nfrom events: {read:?}"),
    }
}

/// An answer is not whole without the event that proves it whole, nor if it ends anywhere before it.
fn cut_is_told(api: Api, body: &[u8], stream: &Read) {
    let (Ok(_), Some(events)) = (stream, events(body)) else {
        return;
    };
    let proof = proof(api, &events);
    assert!(
        read(api, &events[..proof]).is_err(),
        "whole without event {proof}"
    );
    let [head, _] = pieces::two(body);
    let is_cut = decoded(&[head]).is_none_or(|head| head.len() <= proof);
    assert!(
        !is_cut || accumulate(api, head).is_err(),
        "whole up to byte {}",
        head.len()
    );
}

/// The index of that event. On the older APIs of OpenAI it is the first with a reason: `[DONE]`, the usage and the same
/// reason once more may be missing.
fn proof(api: Api, events: &[SseEvent]) -> usize {
    let proof = match api {
        Api::OpenAiChat | Api::OpenAiCompletions => {
            events.iter().position(|event| has_reason(event.data()))
        }
        Api::AnthropicMessages => events.iter().rposition(is_message_stop),
        _ => events.len().checked_sub(1),
    };
    proof.expect("an answer that is whole has a proof of it")
}

fn is_message_stop(event: &SseEvent) -> bool {
    const TYPE: &str = "message_stop";
    let data: Value = serde_json::from_str(event.data()).unwrap_or_default();
    data["type"] == TYPE && event.name().is_none_or(|name| name == TYPE)
}

fn has_reason(data: &str) -> bool {
    let chunk: Value = serde_json::from_str(data).unwrap_or_default();
    let choices = chunk["choices"].as_array().into_iter().flatten();
    let mut reasons = choices.filter_map(|choice| choice["finish_reason"].as_str());
    reasons.any(|reason| !reason.is_empty())
}

/// A whole body without its end is not whole.
fn cut_body_is_told(api: Api, body: &[u8], whole: &Read) {
    if whole.is_ok() {
        let [head, _] = pieces::two(body.trim_ascii_end());
        let is_cut = head.len() < body.trim_ascii_end().len();
        assert!(
            !is_cut || accumulate_json(api, head).is_err(),
            "whole up to byte {}",
            head.len()
        );
    }
}

/// What was read is said again by a turn, and read again as it was; an error too.
fn said_again(api: Api, body: &[u8], stream: &Read) {
    if let Some(turn) = turn(api, body, stream) {
        let Some(again) = played(try_sse_body(api, &turn), stream) else {
            return;
        };
        same(api, stream, &accumulate(api, &again));
        let turn = turn_of(api, &again);
        assert_eq!(try_sse_body(api, &turn), Ok(again), "said a third time");
    }
}

fn said_again_whole(api: Api, body: &[u8], whole: &Read) {
    if let Some(turn) = turn(api, body, whole) {
        let Some(again) = played(try_json_body(api, &turn), whole) else {
            return;
        };
        same(api, whole, &accumulate_json(api, &again));
        let turn = turn_of(api, &again);
        assert_eq!(try_json_body(api, &turn), Ok(again), "said a third time");
    }
}

/// What the turn says; nothing if it is an error turn, which the helpers do not play.
fn played(again: Result<Bytes, UnplayableError>, read: &Read) -> Option<Bytes> {
    match again {
        Err(error) if read.is_ok() => panic!("it is not said again: {error}"),
        again => again.ok(),
    }
}

fn turn_of(api: Api, body: &[u8]) -> Turn {
    match Script::from_wire(api, body) {
        Ok(script) => Turn::clone(&script.turns()[0]),
        Err(error) => panic!("what was said again is not said a third time: {error}"),
    }
}

/// The turn that says these bytes again, if one does.
fn turn(api: Api, body: &[u8], read: &Read) -> Option<Turn> {
    match Script::from_wire(api, body) {
        // the bytes are of the other form
        _ if read.as_ref().is_err_and(is_not_the_providers) => None,
        Ok(script) => script.turns().first().map(|turn| Turn::clone(turn)),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    }
}

fn is_not_the_providers(error: &AccumulateError) -> bool {
    !matches!(error.kind(), AccumulateErrorKind::Provider { .. })
}

fn same(api: Api, read: &Read, again: &Read) {
    // said where a request asks for it, and here is none
    let unasked = |reply: &Reply| {
        let mut reply = reply.clone();
        if api == Api::OpenAiChat {
            (reply.usage, reply.moderation) = Default::default();
            reply.other_choices.clear();
        }
        reply
    };
    match (read, again) {
        (Ok(read), Ok(again)) => assert_eq!(unasked(read), unasked(again), "said again"),
        (Ok(_), Err(again)) => panic!("said again, it is refused: {again}"),
        // only the provider's own error is said again
        (Err(read), Err(again)) => assert_eq!(read.kind(), again.kind(), "the error said again"),
        (Err(read), Ok(_)) => panic!("said again, it is whole: {read}"),
    }
}

/// An error can be shown, and tells where it is.
fn explained(read: &Read) {
    if let Err(error) = read {
        assert!(error.to_string().contains("\n  where: "), "{error}");
        let _ = (
            error.partial(),
            error.expected(),
            error.found(),
            error.offset(),
        );
    }
}

fn read(api: Api, events: &[SseEvent]) -> Read {
    let mut accumulator = Accumulator::new(api);
    for event in events {
        accumulator.push(event)?;
    }
    accumulator.finish()
}

fn events(body: &[u8]) -> Option<Vec<SseEvent>> {
    decoded(&pieces::drawn(body).collect::<Vec<_>>())
}

/// The events of a stream that ends properly.
fn decoded(pieces: &[&[u8]]) -> Option<Vec<SseEvent>> {
    let mut decoder = SseDecoder::new();
    for piece in pieces {
        decoder.push(piece).ok()?;
    }
    let events = std::iter::from_fn(|| decoder.next_event()).collect();
    decoder.finish().ok()?;
    Some(events)
}
