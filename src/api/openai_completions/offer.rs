//! What a request leaves to the model: no tools, and no form. A turn that calls one cannot be played here at all.

use serde_json::Value;

use crate::request::Calls;

pub(crate) const fn text_schema(_body: &Value) -> Option<&Value> {
    None
}

pub(crate) const fn calls(_body: &Value) -> Calls<'_> {
    Calls::Unknown
}
