//! How a stream reports an error: an event `error`, and the response that has failed.

use std::borrow::Cow;

use super::{
    envelope::{Carrier, Status},
    events::{Events, start, write_sequence},
    item::member,
    said::Said,
};
use crate::{
    api::{Api, Context, Mark, WireEvent, openai::words},
    script::{ApiError, Turn},
};

/// The events that report `error` behind the first `written` events of `turn`.
pub(crate) fn error_events(
    error: &ApiError,
    turn: &Turn,
    context: &Context,
    written: usize,
) -> Vec<WireEvent> {
    let words = words(Api::OpenAiResponses, error, context);
    let sequence = u64::try_from(written).unwrap_or(u64::MAX);
    let event = |name: &'static str, mut data: Vec<u8>, number| {
        write_sequence(&mut data, number);
        data.push(b'}');
        WireEvent {
            name: Some(Cow::Borrowed(name)),
            data,
            mark: Mark::Other,
        }
    };
    let mut data = start("error", 256);
    data.extend_from_slice(br#","error":{"type":"#);
    crate::json::write_str(&mut data, &words.error_type);
    for (name, value) in [
        ("code", words.code.as_ref()),
        ("message", Some(&words.message)),
        ("param", words.param.as_ref()),
    ] {
        match value {
            Some(value) => member(&mut data, name, value),
            None => data.extend_from_slice(format!(",\"{name}\":null").as_bytes()),
        }
    }
    data.push(b'}');
    let mut events = vec![event("error", data, sequence)];
    // what was written before is a turn that can be rendered
    let said = Said::new(turn, context).ok();
    let before = Events::new(turn, context).into_iter().flatten();
    let ends = |event: &WireEvent| event.mark == Mark::PartEnd;
    let items = before.take(written).filter(ends).count();
    if let Some(said) = said {
        let status = Status::Failed {
            code: words.code.as_ref().unwrap_or(&words.error_type),
            message: &words.message,
        };
        let mut data = start("response.failed", 2048);
        data.extend_from_slice(br#","response":"#);
        said.write(&mut data, &status, items, Carrier::Event);
        events.push(event("response.failed", data, sequence.saturating_add(1)));
    }
    events
}
