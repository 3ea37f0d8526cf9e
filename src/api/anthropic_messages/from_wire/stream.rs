//! A recorded stream, said again.

use super::{
    API,
    block::{Form, Recorded},
    compared, envelope, not_said, nothing_added, provider_error, text_of,
};
use crate::{
    api::{
        AccumulateError,
        accumulate::{accumulate, events},
        anthropic_messages::{accumulate as read, render},
    },
    json_slices::member,
    script::{After, Era, Turn},
    sse::SseEvent,
};

/// The turn that says this stream, which may end with the provider's error.
pub(crate) fn stream_to_turn(body: &[u8]) -> Result<Turn, AccumulateError> {
    let whole = events(body);
    let (reply, error) = match accumulate(API, body) {
        Ok(reply) => (Some(reply), None),
        Err(error) => {
            let index = error.event_index().unwrap_or_default();
            let data = whole.get(index).map_or("", SseEvent::data);
            match provider_error(error.kind(), data) {
                // it may also have been a JSON body
                Some(recorded) if !data.is_empty() => (None, Some((recorded, index))),
                _ => return Err(error),
            }
        }
    };
    let end = error.as_ref().map_or(whole.len(), |(_, index)| *index);
    let known = whole.iter().take(end).filter(|event| !read::skips(event));
    let recorded = &*known.cloned().collect::<Vec<_>>();
    let data = || recorded.iter().map(SseEvent::data);
    let of = |wanted: &'static str, name: &'static str| {
        let wanted = data().filter(move |data| kind(data).as_deref() == Some(wanted));
        wanted.filter_map(move |data| member(data, name))
    };
    let message = of("message_start", "message").next();
    let blocks = blocks(data());
    let starts = blocks.iter().map(|block| &*block.start);
    let last = whole.get(end).map(SseEvent::data);
    let era = envelope::era(message, starts, last);
    let applied = of("message_delta", "context_management").next_back();
    let applied = applied.or_else(|| member(message?, "context_management"));
    let mut turn = nothing_added().era(era);
    let is_end = |data: &&str| kind(data).as_deref() == Some("message_delta");
    let end = data().rev().find(is_end);
    let stop = end.and_then(|data| member(data, "delta"));
    if let Some(reply) = reply.or_else(|| read::begun(recorded)) {
        turn = envelope::say(turn, &reply, stop, applied);
    }
    let begun = data().position(|data| kind(data).as_deref() == Some("message_start"));
    let begun = recorded.get(..=begun.unwrap_or(0)).unwrap_or_default();
    if let Some(start) = read::begun(begun) {
        turn = turn.usage_at_start(start.usage);
    }
    turn.extras().lacks = envelope::lacks(message, end, stop);
    turn.extras().pings = Some(pings(data()));
    for block in &blocks {
        turn = block.add_to(turn, era);
    }
    check_added(&turn, era, recorded)?;
    Ok(match error {
        Some((error, _)) => turn.end(After::events(recorded.len()), error),
        None => turn,
    })
}

/// Refuses what cannot be said at all, or not without a member that was not recorded.
fn check_added(turn: &Turn, era: Era, recorded: &[SseEvent]) -> Result<(), AccumulateError> {
    let said = render::Events::new(turn, &compared(era)).map_err(|why| not_said(&why))?;
    for said in said.filter(|event| {
        matches!(
            event.name.as_deref(),
            Some("message_start" | "message_delta")
        )
    }) {
        let mut recorded = recorded.iter().rev();
        let recorded = recorded.find(|event| kind(event.data()).as_deref() == said.name.as_deref());
        let Some(event) = recorded else { continue };
        envelope::check_added(event.data(), &String::from_utf8_lossy(&said.data)).map_err(
            |problem| {
                let place = (Some(event.index()), event.offset());
                AccumulateError::new(API, problem, place.0, place.1, Vec::new())
            },
        )?;
    }
    Ok(())
}

/// The blocks, in order of their starts.
fn blocks<'a>(data: impl Iterator<Item = &'a str>) -> Vec<Recorded<'a>> {
    let mut blocks: Vec<Recorded<'a>> = Vec::new();
    for data in data {
        let kind = kind(data);
        if kind.as_deref() == Some("content_block_start") {
            blocks.push(Recorded {
                start: member(data, "content_block").unwrap_or_default().into(),
                deltas: Vec::new(),
                form: Form::Stream,
            });
        } else if kind.as_deref() == Some("content_block_delta") {
            let index = member(data, "index").and_then(|index| index.parse().ok());
            // without an index it is of the block that is open
            let index = index.unwrap_or(blocks.len().saturating_sub(1));
            if let (Some(block), Some(delta)) = (blocks.get_mut(index), member(data, "delta")) {
                block.deltas.push(delta.into());
            }
        }
    }
    blocks
}

/// The places of the pings among the events.
fn pings<'a>(data: impl Iterator<Item = &'a str>) -> Vec<usize> {
    let pings = data
        .enumerate()
        .filter(|(_, data)| kind(data).as_deref() == Some("ping"));
    pings.map(|(place, _)| place).collect()
}

fn kind(data: &str) -> Option<String> {
    text_of(member(data, "type")?)
}
