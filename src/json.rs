//! JSON in a fixed order: values and strings in, bytes out.
//!
//! The other way, [`parse`] is stricter than serde_json: two members of one name are an error, since
//! one of the two would be lost.
//!
//! Nothing here goes by way of `serde_json::Map`'s own order: cargo unifies features, and one crate in
//! the tree that turns on `serde_json/preserve_order` would change the bytes. Object keys are sorted.

use std::{collections::BTreeSet, fmt};

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// One JSON document.
///
/// # Errors
///
/// If it is none, or if an object in it names a member twice.
pub(crate) fn parse(json: &[u8]) -> Result<Value, serde_json::Error> {
    serde_json::from_slice::<Unique>(json)?;
    serde_json::from_slice(json)
}

/// What a document is that serde_json does not read: `no JSON: …`, or nested too deep.
pub(crate) fn unread(error: &serde_json::Error) -> String {
    // serde_json keeps this apart in its text only; the limit is its own, and guards the stack
    if error.to_string().starts_with("recursion limit exceeded") {
        let (line, column) = (error.line(), error.column());
        return format!(
            "nested deeper than 127 levels, which this crate does not read: line {line} column {column}"
        );
    }
    format!("no JSON: {error}")
}

/// A value whose objects name each member once.
struct Unique;

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Unique {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        let mut seen = BTreeSet::new();
        while let Some(name) = members.next_key::<String>()? {
            members.next_value::<Self>()?;
            if let Some(twice) = seen.replace(name) {
                return Err(A::Error::custom(format!(
                    "the member `{twice}` stands twice"
                )));
            }
        }
        Ok(self)
    }
}

/// What stands after a `:` and a `,`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spacing {
    /// Nothing, as in the envelopes.
    Compact,
    /// One space, as models write the arguments of a tool call.
    Spaced,
}

/// `value` as text, its keys sorted.
pub(crate) fn to_string(value: &Value, spacing: Spacing) -> String {
    let mut out = Vec::new();
    write_value(&mut out, value, spacing);
    String::from_utf8(out).unwrap_or_default()
}

/// The members in the order of their names, whatever features `serde_json` has.
pub(crate) fn sorted(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut members: Vec<_> = map.iter().collect();
    members.sort_unstable_by_key(|(key, _)| *key);
    members
}

/// Appends `value` with its keys sorted.
pub(crate) fn write_value(out: &mut Vec<u8>, value: &Value, spacing: Spacing) {
    let (comma, colon): (&[u8], &[u8]) = match spacing {
        Spacing::Compact => (b",", b":"),
        Spacing::Spaced => (b", ", b": "),
    };
    match value {
        Value::Object(map) => {
            out.push(b'{');
            for (n, (key, member)) in sorted(map).into_iter().enumerate() {
                if n > 0 {
                    out.extend_from_slice(comma);
                }
                write_str(out, key);
                out.extend_from_slice(colon);
                write_value(out, member, spacing);
            }
            out.push(b'}');
        }
        Value::Array(items) => {
            out.push(b'[');
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    out.extend_from_slice(comma);
                }
                write_value(out, item, spacing);
            }
            out.push(b']');
        }
        Value::String(text) => write_str(out, text),
        Value::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Null => out.extend_from_slice(b"null"),
    }
}

/// Appends `text` as a JSON string: raw UTF-8, only `"`, `\` and control characters escaped.
pub(crate) fn write_str(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    write_escaped(out, text);
    out.push(b'"');
}

fn write_escaped(out: &mut Vec<u8>, text: &str) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut rest = text.as_bytes();
    let is_escaped = |byte| (byte < 0x20) | (byte == b'"') | (byte == b'\\');
    while let Some(at) = find(rest, is_escaped) {
        let (plain, tail) = rest.split_at(at);
        out.extend_from_slice(plain);
        let Some((&byte, tail)) = tail.split_first() else {
            return;
        };
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            _ => {
                let digit = |n: u8| HEX.get(usize::from(n)).copied().unwrap_or(b'0');
                let low = [digit(byte >> 4), digit(byte & 0xf)];
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&low);
            }
        }
        rest = tail;
    }
    out.extend_from_slice(rest);
}

/// Where the first such byte stands.
fn find(text: &[u8], is_it: impl Fn(u8) -> bool) -> Option<usize> {
    /// So many are compared at once.
    const WIDTH: usize = 16;
    let has_none = |part: &&[u8]| !part.iter().fold(false, |any, byte| any | is_it(*byte));
    let passed = WIDTH * text.chunks_exact(WIDTH).take_while(has_none).count();
    let at = text.get(passed..)?.iter().position(|byte| is_it(*byte));
    at.map(|at| passed + at)
}

/// JSON of one line with line ends and so many spaces for each level, as services print it for people; what is empty
/// stays on one line.
pub(crate) fn indented(compact: &[u8], spaces: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(compact.len() * 2);
    let mut level = 0_usize;
    let line = |out: &mut Vec<u8>, level: usize| {
        out.push(b'\n');
        out.resize(out.len() + level * spaces, b' ');
    };
    let mut rest = compact;
    while let Some(byte) = rest.first() {
        let (token, behind) = rest.split_at(token_len(rest));
        match byte {
            b'{' | b'[' => {
                out.extend_from_slice(token);
                level += 1;
                if !matches!(behind.first(), Some(b'}' | b']')) {
                    line(&mut out, level);
                }
            }
            b'}' | b']' => {
                level = level.saturating_sub(1);
                if !matches!(out.last(), Some(b'{' | b'[')) {
                    line(&mut out, level);
                }
                out.extend_from_slice(token);
            }
            b',' => {
                out.extend_from_slice(token);
                line(&mut out, level);
            }
            b':' => out.extend_from_slice(b": "),
            // of what a test spelled itself
            b' ' | b'\t' => {}
            _ => out.extend_from_slice(token),
        }
        rest = behind;
    }
    out
}

/// How long the token is that the text begins with.
fn token_len(text: &[u8]) -> usize {
    match text.first() {
        Some(b'"') => string_len(text),
        Some(b'{' | b'}' | b'[' | b']' | b',' | b':' | b' ' | b'\t') => 1,
        _ => {
            let ends = |byte: &u8| b"{}[],:\" \t".contains(byte);
            text.iter().position(ends).unwrap_or(text.len())
        }
    }
}

/// How long the string is that the text begins with, with its quotes.
fn string_len(text: &[u8]) -> usize {
    let mut at = 1;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let Some(found) = find(rest, |byte| (byte == b'"') | (byte == b'\\')) else {
            return text.len();
        };
        at += found + 1;
        if rest.get(found) == Some(&b'"') {
            return at;
        }
        // what is escaped
        at += 1;
    }
}

/// The same JSON in ASCII: what is not stands as `\uXXXX`, in pairs of these beyond the first plane.
pub(crate) fn to_ascii(json: Vec<u8>) -> Vec<u8> {
    if json.is_ascii() {
        return json;
    }
    let mut out = Vec::with_capacity(json.len() * 2);
    for character in String::from_utf8_lossy(&json).chars() {
        if let Ok(byte @ 0..=0x7f) = u8::try_from(character) {
            out.push(byte);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
        }
    }
    out
}

/// Appends a number in decimal.
pub(crate) fn write_number(out: &mut Vec<u8>, mut number: u64) {
    if let (0..10, Ok(digit)) = (number, u8::try_from(number)) {
        // as most are: indices of blocks, choices, calls
        return out.push(b'0' + digit);
    }
    let mut digits = [0_u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        if let (Some(digit), Ok(value)) = (digits.get_mut(at), u8::try_from(number % 10)) {
            *digit = b'0' + value;
        }
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(at..).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_are_sorted_at_every_level_in_both_spacings() {
        let value = json!({"b": [1, {"z": null, "a": true}], "a": "é\u{2028}", "c": {}, "d": []});
        for (spacing, expected) in [
            (
                Spacing::Compact,
                "{\"a\":\"é\u{2028}\",\"b\":[1,{\"a\":true,\"z\":null}],\"c\":{},\"d\":[]}",
            ),
            (
                Spacing::Spaced,
                "{\"a\": \"é\u{2028}\", \"b\": [1, {\"a\": true, \"z\": null}], \"c\": {}, \"d\": []}",
            ),
        ] {
            assert_eq!(to_string(&value, spacing), expected, "{spacing:?}");
        }
    }

    #[test]
    fn two_members_of_one_name_are_no_json_at_any_depth() {
        for (json, is_one) in [
            (r#"{"a":1,"b":{"a":[{"a":null},{"a":"x"}]}}"#, true),
            (r#"[1.5,-2,true,{},[]]"#, true),
            (r#"{"a":1,"a":1}"#, false),
            (r#"{"a":1,"\u0061":2}"#, false),
            (r#"{"b":[{"a":1,"c":2,"a":3}]}"#, false),
            (r#"{"a":1} {"a":1}"#, false),
        ] {
            assert_eq!(parse(json.as_bytes()).is_ok(), is_one, "{json}");
        }
    }

    #[test]
    fn strings_are_escaped_as_serde_json_escapes_them() {
        let every: String = (0_u8..=0x7f)
            .map(char::from)
            .chain("é漢😀</>&".chars())
            .collect();
        let mut ours = Vec::new();
        write_str(&mut ours, &every);
        assert_eq!(
            String::from_utf8(ours).unwrap(),
            serde_json::to_string(&every).unwrap()
        );
    }

    #[test]
    fn what_is_escaped_is_found_at_every_place_of_a_long_text() {
        for at in 0..40 {
            for len in 0..40 {
                let text = format!("{}\n{}\"", "a".repeat(at), "é".repeat(len));
                let mut ours = Vec::new();
                write_str(&mut ours, &text);
                let expected = serde_json::to_string(&text).unwrap();
                assert_eq!(String::from_utf8(ours).unwrap(), expected);
            }
        }
    }

    #[test]
    fn indented_json_is_as_serde_json_prints_it() {
        let value = json!({
            "a": [1, {"b": "x: {\"y\", [z]} \\"}, [], {}, "", [[null]]], "c": true, "d\\\"": {"e": "\\"}
        });
        let compact = to_string(&value, Spacing::Compact);
        let expected = serde_json::to_string_pretty(&value).unwrap();
        let found = indented(compact.as_bytes(), 2);
        assert_eq!(String::from_utf8(found).unwrap(), expected);
        let four = String::from_utf8(indented(br#"{"a":[1]}"#, 4)).unwrap();
        assert_eq!(four, "{\n    \"a\": [\n        1\n    ]\n}");
        let spaced = String::from_utf8(indented(br#"{"a": [1]}"#, 4)).unwrap();
        assert_eq!(spaced, four);
    }

    #[test]
    fn what_is_not_ascii_is_escaped_in_lower_case() {
        let ascii = to_ascii("\"a\u{7f}Ü\u{2028}漢😀\"".into());
        assert_eq!(
            String::from_utf8(ascii).unwrap(),
            "\"a\u{7f}\\u00dc\\u2028\\u6f22\\ud83d\\ude00\""
        );
    }

    #[test]
    fn numbers_are_written_in_decimal() {
        for number in [0, 7, 10, 99, 100, 1_000_000_000, u64::MAX] {
            let mut out = Vec::new();
            write_number(&mut out, number);
            assert_eq!(String::from_utf8(out).unwrap(), number.to_string());
        }
    }
}
