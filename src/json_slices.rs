//! A JSON text that is known to be one, cut into the texts of its members, each as it was spelled.

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
struct Cursor<'a>(&'a str);

impl<'a> Cursor<'a> {
    fn inside(text: &'a str, open: char, close: char) -> Self {
        let text = text.trim_matches(WHITE);
        let inner = text
            .strip_prefix(open)
            .and_then(|text| text.strip_suffix(close));
        Self(inner.unwrap_or_default())
    }

    /// The next value, or name, and the separator behind it.
    fn value(&mut self) -> Option<&'a str> {
        let text = self.0.trim_start_matches(WHITE);
        if text.is_empty() {
            return None;
        }
        let end = value_len(text);
        let (value, rest) = (text.get(..end)?, text.get(end..)?);
        let rest = rest.trim_start_matches(WHITE);
        self.0 = rest.strip_prefix([',', ':']).unwrap_or(rest);
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
