//! Damage to events, before they are bytes.

use super::{Answer, Around, Last, json_edit};
use crate::{api::Mark, plan::End};

/// A member that nobody knows, first in every object.
pub(super) fn add_members(answer: &mut Answer, around: &Around) {
    let member = match around.variant() {
        "null" => r#""x_new":null"#,
        _ => r#""x_new":{"a":[1,null]}"#,
    };
    for data in answer.events() {
        // the input of a call is the model's, not the protocol's
        *data = json_edit::in_every_object(data, member, "input");
    }
}

/// Ends the body properly before the event that carries the stop reason, or earlier.
pub(super) fn end_before_terminal(answer: &mut Answer, around: &Around) {
    let proves = |mark: Mark| mark.stops() || mark == Mark::Terminal;
    let end = match around.variant() {
        "no-content" => answer.position(is_delta),
        "open-tool-call" => answer.position(is_delta).map(|first| first + 1),
        _ => answer.position(proves),
    };
    if let Some(end) = end {
        answer.end_at(end, Last::End(End::Early));
    }
}

/// Whether the event holds a fragment.
pub(super) const fn is_delta(mark: Mark) -> bool {
    match mark {
        Mark::Delta | Mark::LastDelta => true,
        Mark::Several { deltas, .. } => deltas > 0,
        Mark::Closing
        | Mark::PartEnd
        | Mark::PartLast
        | Mark::StopReason
        | Mark::Terminal
        | Mark::Last
        | Mark::Comment
        | Mark::Other => false,
    }
}
