//! Damage to what the model says: the answer stays well formed.

use crate::script::{Fault, FaultVariant, Says, StopReason, Turn};

/// Does one damage; leaves the turn as it is if there is nothing to damage.
pub(super) fn reword(turn: &mut Turn, fault: &FaultVariant) {
    let Says::Message(message) = &mut turn.says else {
        return;
    };
    if fault.fault() == Fault::UnknownStopReason {
        message.stop_reason = Some(StopReason::Other("x_new".to_owned()));
    }
}
