//! A JSON text that is known to be one, cut into the texts of its members, each as it was spelled.

use std::ops::Range;

/// The text without the white space between its members and items.
pub(crate) fn compact(text: &str) -> String {
    let (mut in_string, mut escaped) = (false, false);
    let is_kept = |character: &char| {
        let in_string_before = in_string;
        match character {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            _ => {}
        }
        in_string_before || !WHITE.contains(character)
    };
    text.chars().filter(is_kept).collect()
}

/// The members of an object: each name as it was spelled, without its quotes, and the text of its value. Nothing
/// for a text that is no object.
pub(crate) fn members(object: &str) -> Vec<(&str, &str)> {
    let mut cursor = Cursor::inside(object, '{', '}');
    let mut members = Vec::new();
    while let Some(name) = cursor.value() {
        let name = name.strip_prefix('"').unwrap_or(name);
        let name = name.strip_suffix('"').unwrap_or(name);
        if let Some(value) = cursor.value() {
            members.push((name, value));
        }
    }
    members
}

/// A member or an item of a text: where its name stands, without its quotes, and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) name: Option<Range<usize>>,
    pub(crate) value: Range<usize>,
}

impl Place {
    /// Where it begins, its name's quote included.
    pub(crate) fn start(&self) -> usize {
        match &self.name {
            Some(name) => name.start.saturating_sub(1),
            None => self.value.start,
        }
    }
}

/// Where the members of an object, or the items of an array, stand in its text. Nothing for a text that is neither.
pub(crate) fn places(list: &str) -> Vec<Place> {
    let is_object = list.trim_start_matches(WHITE).starts_with('{');
    let (open, close) = if is_object { ('{', '}') } else { ('[', ']') };
    let mut cursor = Cursor::inside(list, open, close);
    // the text ends with what closes the list, which the cursor does not have
    let end = list.trim_end_matches(WHITE).len().saturating_sub(1);
    let mut next = || {
        let value = cursor.value()?;
        let start = end - cursor.behind;
        Some(start..start + value.len())
    };
    let mut places = Vec::new();
    while let Some(first) = next() {
        let (name, value) = if is_object {
            let Some(value) = next() else { break };
            (Some(first.start + 1..first.end.saturating_sub(1)), value)
        } else {
            (None, first)
        };
        places.push(Place { name, value });
    }
    places
}

/// The items of an array. Nothing for a text that is no array.
pub(crate) fn items(array: &str) -> Vec<&str> {
    let mut cursor = Cursor::inside(array, '[', ']');
    std::iter::from_fn(|| cursor.value()).collect()
}

/// The text of the member with this name.
pub(crate) fn member<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    let mut members = members(object).into_iter();
    members.find_map(|(known, value)| (known == name).then_some(value))
}

/// What is left of the inside of an object or an array.
struct Cursor<'a> {
    rest: &'a str,
    /// How far from the end of the inside the last value began.
    behind: usize,
}

impl<'a> Cursor<'a> {
    fn inside(text: &'a str, open: char, close: char) -> Self {
        let text = text.trim_matches(WHITE);
        let inner = text
            .strip_prefix(open)
            .and_then(|text| text.strip_suffix(close));
        Self {
            rest: inner.unwrap_or_default(),
            behind: 0,
        }
    }

    /// The next value, or name, and the separator behind it.
    fn value(&mut self) -> Option<&'a str> {
        let text = self.rest.trim_start_matches(WHITE);
        if text.is_empty() {
            return None;
        }
        self.behind = text.len();
        let end = value_len(text);
        let (value, rest) = (text.get(..end)?, text.get(end..)?);
        let rest = rest.trim_start_matches(WHITE);
        self.rest = rest.strip_prefix([',', ':']).unwrap_or(rest);
        Some(value.trim_end_matches(WHITE))
    }
}

const WHITE: [char; 4] = [' ', '\t', '\n', '\r'];

/// The length of the value at the start of `text`: up to the separator that stands outside of every bracket and
/// every string.
fn value_len(text: &str) -> usize {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' | b':' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_and_items_keep_their_order_and_their_spelling() {
        let object =
            r#" { "b" :1.50,"a":{"x":[1,{"y":2}],"z":"}]\",:"}, "é\"": [ 1 , "]" ] ,"n":null } "#;
        assert_eq!(
            members(object),
            [
                ("b", "1.50"),
                ("a", r#"{"x":[1,{"y":2}],"z":"}]\",:"}"#),
                (r#"é\""#, r#"[ 1 , "]" ]"#),
                ("n", "null"),
            ]
        );
        assert_eq!(items(r#"[ 1 , "]" ]"#), ["1", r#""]""#]);
        assert_eq!(member(object, "n"), Some("null"));
        assert_eq!(member(object, "x"), None);
        assert_eq!(
            compact(object),
            r#"{"b":1.50,"a":{"x":[1,{"y":2}],"z":"}]\",:"},"é\"":[1,"]"],"n":null}"#
        );
        assert_eq!(
            compact("[ \"a \\\\\" ,\n \"\\\" b\" ]"),
            "[\"a \\\\\",\"\\\" b\"]"
        );
        for empty in ["{}", "{ }", "[]", "1", "\"{}\"", ""] {
            assert!(
                members(empty).is_empty() && items(empty).is_empty(),
                "{empty}"
            );
        }
    }
}
