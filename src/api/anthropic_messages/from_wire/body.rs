//! A recorded body, said again.

use super::{
    API,
    block::{Form, Recorded},
    compared, envelope, not_said, nothing_added, provider_error,
};
use crate::{
    api::{AccumulateError, accumulate_json, anthropic_messages::render},
    json_slices::{items, member},
    script::Turn,
};

/// The turn that says this body, which may be an error's.
pub(crate) fn body_to_turn(body: &[u8]) -> Result<Turn, AccumulateError> {
    let reply = match accumulate_json(API, body) {
        Ok(reply) => reply,
        Err(error) => {
            let body = std::str::from_utf8(body).unwrap_or_default();
            let Some(recorded) = provider_error(error.kind(), body) else {
                return Err(error);
            };
            let era = envelope::era(None, std::iter::empty(), Some(body));
            return Ok(Turn::error(recorded).era(era));
        }
    };
    // it was read, so it is JSON
    let body = std::str::from_utf8(body).unwrap_or_default();
    let blocks = items(member(body, "content").unwrap_or_default());
    let era = envelope::era(Some(body), blocks.iter().copied(), None);
    let applied = member(body, "context_management");
    let mut turn = envelope::say(nothing_added(), &reply, Some(body), applied).era(era);
    for block in blocks {
        let block = Recorded {
            start: block.into(),
            deltas: Vec::new(),
            form: Form::Body,
        };
        turn = block.add_to(turn, era);
    }
    turn.extras().lacks = envelope::lacks(Some(body), Some(body), Some(body));
    let said = render::body(&turn, &compared(era)).map_err(|why| not_said(&why))?;
    let said = String::from_utf8_lossy(&said);
    match envelope::check_added(body, &said) {
        Ok(()) => Ok(turn),
        Err(problem) => Err(AccumulateError::new(API, problem, None, 0, reply.parts)),
    }
}
