//! Objects whose members stand in a fixed order: names and values in, bytes out.

use serde_json::Value;

use crate::json::{Spacing, write_number, write_str, write_value};

/// An object, member by member.
pub(crate) struct Members(Vec<u8>);

impl Members {
    pub(crate) fn new() -> Self {
        Self(vec![b'{'])
    }

    pub(crate) fn text(mut self, name: &str, value: &str) -> Self {
        self.name(name);
        write_str(&mut self.0, value);
        self
    }

    /// Null, if there is none.
    pub(crate) fn text_or_null(self, name: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.text(name, value),
            None => self.raw(name, b"null"),
        }
    }

    pub(crate) fn number(mut self, name: &str, value: usize) -> Self {
        self.name(name);
        write_number(&mut self.0, u64::try_from(value).unwrap_or(u64::MAX));
        self
    }

    pub(crate) fn value(mut self, name: &str, value: &Value) -> Self {
        self.name(name);
        write_value(&mut self.0, value, Spacing::Compact);
        self
    }

    /// A value that is JSON already.
    pub(crate) fn raw(mut self, name: &str, json: &[u8]) -> Self {
        self.name(name);
        self.0.extend_from_slice(json);
        self
    }

    pub(crate) fn end(mut self) -> Vec<u8> {
        self.0.push(b'}');
        self.0
    }

    fn name(&mut self, name: &str) {
        if self.0.len() > 1 {
            self.0.push(b',');
        }
        write_str(&mut self.0, name);
        self.0.push(b':');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn members_stand_in_the_order_given() {
        let written = Members::new()
            .text("z", "a\"b")
            .text_or_null("y", None)
            .number("x", 7)
            .value("w", &json!({"b": 1, "a": []}))
            .raw("v", b"{}")
            .end();
        assert_eq!(
            String::from_utf8(written).unwrap(),
            r#"{"z":"a\"b","y":null,"x":7,"w":{"a":[],"b":1},"v":{}}"#
        );
        assert_eq!(Members::new().end(), b"{}");
    }
}
