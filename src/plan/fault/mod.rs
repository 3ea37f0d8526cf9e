//! Damage: an answer in, the same with the turn's faults out.
//!
//! ```text
//! turn ─ reword ─► turn ─ render ─► Answer ─ events ─ encode ─ bytes ─ transport ─ http ─► steps
//! ```
//!
//! An answer with a fault is held whole, since a fault may look at all of it; one without is not, and never comes here.
//! Each fault has to change the answer: one that leaves it as it was is an error of the test, so no damage checks for
//! its own target.

mod answer;
mod events;
mod framing;
mod http;
mod json_edit;
mod transport;
mod turns;

use std::sync::Arc;

pub(super) use answer::{Answer, Last, Piece, Says};

use super::{Length, Unplayable};
use crate::{
    api::{Api, Context, Head},
    script::{Fault, FaultVariant, Stage, Turn},
};

/// What a damage may look at besides the answer.
struct Around {
    fault: FaultVariant,
}

impl Around {
    /// The name of the variant.
    const fn variant(&self) -> &'static str {
        self.fault.name()
    }
}

/// What the turn says once its own faults of that stage are done.
pub(crate) fn reworded(turn: &Turn) -> Turn {
    let mut said = turn.clone();
    for fault in &turn.faults {
        turns::reword(&mut said, fault);
    }
    said
}

/// The answer that `render` makes of `turn`, damaged by the turn's faults; `what` is what the messages call it.
///
/// # Errors
///
/// A fault that does not apply to this API, or that changes nothing.
pub(super) fn damaged(
    turn: &Arc<Turn>,
    api: Api,
    context: &Context,
    what: &'static str,
    render: impl Fn(&Arc<Turn>) -> Result<Answer, Unplayable>,
) -> Result<Answer, Unplayable> {
    for fault in &turn.faults {
        if !fault.applies_to(api) {
            return Err(Unplayable(format!(
                "fault `{fault}` is not possible: {} has nothing that it could damage\n  \
                 help: `Fault::applies_to(api)` says where a fault can be",
                api.name()
            )));
        }
    }
    let mut said = Arc::clone(turn);
    let mut answer = render(&said)?;
    for stage in Stage::ALL {
        if stage == Stage::Bytes {
            answer.encode(api.line_end(context));
        }
        for (n, fault) in turn.faults.iter().enumerate() {
            if fault.fault().stage() != stage {
                continue;
            }
            let before = if stage == Stage::Turn {
                turns::reword(Arc::make_mut(&mut said), fault);
                std::mem::replace(&mut answer, render(&said)?)
            } else {
                let before = answer.clone();
                damage(&mut answer, &Around { fault: *fault });
                before
            };
            if before == answer {
                let earlier = turn.faults.get(..n).unwrap_or_default();
                return Err(no_target(*fault, what, earlier.contains(fault)));
            }
        }
    }
    Ok(answer)
}

fn no_target(fault: FaultVariant, what: &str, is_repeated: bool) -> Unplayable {
    if is_repeated {
        return Unplayable(format!(
            "fault `{fault}` has no target: an earlier fault removed it\n  help: give it once"
        ));
    }
    let damages = match fault.fault().stage() {
        Stage::Turn => "what is said in",
        Stage::Events => "the events of",
        Stage::Bytes => "the bytes of",
        Stage::Transport => "how the pieces leave of",
        Stage::Http => "the head or the whole body of",
    };
    Unplayable(format!(
        "fault `{fault}` has no target in {what}\n  help: it damages {damages} {}",
        fault.needs().words()
    ))
}

/// Does one damage; leaves the answer as it is if there is nothing to damage.
fn damage(answer: &mut Answer, around: &Around) {
    match around.fault.fault() {
        // done before the answer was rendered
        Fault::UnknownStopReason => {}
        Fault::SplitUtf8Scalar => framing::split_characters(answer),
        Fault::EolCrlf => framing::end_lines(answer, |_| b"\r\n"),
        Fault::UnknownField => events::add_members(answer, around),
        Fault::EofBeforeTerminal => events::end_before_terminal(answer, around),
        Fault::ChunkedAbort => transport::abort(answer, around),
        Fault::StallMidStream => transport::stall(answer, around),
        Fault::SlowButAlive => transport::slow_down(answer, around),
        Fault::StallHeartbeatOnly => transport::beat_for_ever(answer, around),
        Fault::EmptyBody => http::empty(answer, around),
    }
}
