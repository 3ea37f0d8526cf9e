//! The last event has the whole response.

use serde_json::{Map, Value};

use super::Folded;

pub(super) fn fold(folded: &mut Folded, mut data: Map<String, Value>) {
    if let Some(response @ Value::Object(_)) = data.remove("response") {
        if let Some(usage @ Value::Object(_)) = response.get("usage") {
            folded.usage = usage.clone();
        }
        folded.message = response;
    }
}
