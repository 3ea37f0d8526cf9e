//! Damage to events, before they are bytes.

use super::{Answer, Around, json_edit};
use crate::api::Mark;

/// A member that nobody knows, first in every object.
pub(super) fn add_members(answer: &mut Answer, around: &Around<'_>) {
    let member = match around.variant() {
        "null" => r#""x_new":null"#,
        "array" => r#""x_new":[{"a":"b"},"c",1.5,true]"#,
        _ => r#""x_new":{"a":[1,null]}"#,
    };
    for data in answer.events() {
        // the input of a call is the model's, not the protocol's
        *data = json_edit::in_every_object(data, member, "input");
    }
}

/// Whether the event holds a fragment.
pub(super) const fn is_delta(mark: Mark) -> bool {
    mark.deltas() > 0
}
