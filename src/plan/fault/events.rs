//! Damage to events, before they are bytes.

use super::{Answer, Around, json_edit};
use crate::api::Mark;

/// Members whose objects are not the protocol's: the input of a call is the model's, a schema is the user's, and the rest
/// are maps, whose members are the user's too and all of one type.
const NOT_THE_PROTOCOL: [&str; 10] = [
    "input",
    "input_schema",
    "output_schema",
    "parameters",
    "schema",
    "attributes",
    "env",
    "headers",
    "metadata",
    "variables",
];

/// A member that nobody knows, first in every object of the protocol's.
pub(super) fn add_members(answer: &mut Answer, around: &Around<'_>) {
    let member = match around.variant() {
        "null" => r#""x_new":null"#,
        "array" => r#""x_new":[{"a":"b"},"c",1.5,true]"#,
        _ => r#""x_new":{"a":[1,null]}"#,
    };
    for data in answer.events() {
        *data = json_edit::in_every_object(data, member, &NOT_THE_PROTOCOL);
    }
}

/// Whether the event holds a fragment.
pub(super) const fn is_delta(mark: Mark) -> bool {
    mark.deltas() > 0
}
