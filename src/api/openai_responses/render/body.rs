//! The body of the non-streaming answer: indented, ASCII only, without a newline at its end.

use super::{
    envelope::{Carrier, Status},
    item::Item,
    said::Said,
};
use crate::{
    api::Context,
    json::{indented, to_ascii},
    script::Turn,
};

/// The body of the non-streaming answer to `turn`.
pub(crate) fn body(turn: &Turn, context: &Context) -> Result<Vec<u8>, String> {
    let said = Said::new(turn, context)?;
    let has_events =
        |item: &Item| matches!(item, Item::Raw { events, added: None, .. } if !events.is_empty());
    if said.items.iter().any(has_events) {
        return Err("a body has no place for the deltas of a raw block\n  \
             help: for a body, give the block as it stands there, without `.raw_delta(..)`"
            .to_owned());
    }
    let status = match said.incomplete {
        None => Status::Completed(&said.usage),
        Some(reason) => Status::Incomplete(reason, &said.usage),
    };
    let mut out = Vec::with_capacity(2048);
    said.write(&mut out, &status, usize::MAX, Carrier::Body);
    Ok(to_ascii(indented(&out, 2)))
}
