//! Changes to a JSON text that leave the rest of it as it was spelled.
//!
//! A path names members and counts items, with dots between: `choices.0.delta`. An empty path is the whole. A change
//! of what is not there is none: a text that is no JSON comes to no harm. Each looks at the text once for every name of
//! its path.

use crate::json_slices::{self, Place};

/// The value at `path`, as it is spelled.
pub(super) fn get<'a>(text: &'a str, path: &str) -> Option<&'a str> {
    text.get(place(text, path)?.value)
}

/// What a string at `path` says, as it is spelled inside its quotes.
pub(super) fn string<'a>(text: &'a str, path: &str) -> Option<&'a str> {
    get(text, path)?.strip_prefix('"')?.strip_suffix('"')
}

/// How many members, or items, the object, or the array, at `path` has.
pub(super) fn len(text: &str, path: &str) -> usize {
    get(text, path).map_or(0, |list| json_slices::places(list).len())
}

/// The value at `path` is this one instead.
pub(super) fn replace(text: &str, path: &str, value: &str) -> Option<String> {
    let place = place(text, path)?.value;
    Some([text.get(..place.start)?, value, text.get(place.end..)?].concat())
}

/// The value at `path` is this one, be it there already or not; its object is there.
pub(super) fn set(text: &str, path: &str, value: &str) -> Option<String> {
    replace(text, path, value).or_else(|| {
        let (object, name) = path.rsplit_once('.').unwrap_or(("", path));
        get(text, object).filter(|object| object.starts_with('{'))?;
        add(text, object, &format!("\"{name}\":{value}"))
    })
}

/// The object, or the array, at `path` has this member, or item, behind its last.
pub(super) fn add(text: &str, path: &str, entry: &str) -> Option<String> {
    let whole = place(text, path)?.value;
    let list = text.get(whole.clone())?;
    if !list.starts_with(['{', '[']) {
        return None;
    }
    let (end, comma) = match json_slices::places(list).last() {
        Some(last) => (whole.start + last.value.end, ","),
        None => (whole.start + 1, ""),
    };
    Some([text.get(..end)?, comma, entry, text.get(end..)?].concat())
}

/// There is no member, or item, at `path`, and no comma too many.
pub(super) fn remove(text: &str, path: &str) -> Option<String> {
    let (list, last) = path.rsplit_once('.').unwrap_or(("", path));
    let whole = place(text, list)?.value;
    let list = text.get(whole.clone())?;
    let places = json_slices::places(list);
    let at = position(list, &places, last)?;
    let start = |place: &Place| whole.start + place.start();
    let (from, to) = match (
        at.checked_sub(1).and_then(|n| places.get(n)),
        places.get(at + 1),
    ) {
        (_, Some(next)) => (start(places.get(at)?), start(next)),
        (Some(before), None) => (
            whole.start + before.value.end,
            whole.start + places.get(at)?.value.end,
        ),
        (None, None) => (
            start(places.get(at)?),
            whole.start + places.get(at)?.value.end,
        ),
    };
    Some([text.get(..from)?, text.get(to..)?].concat())
}

/// Each item of the array at `path` as `edit` has it; those that it leaves alone stay. Nothing if it leaves them all.
pub(super) fn edit_items(
    text: &str,
    path: &str,
    mut edit: impl FnMut(&str) -> Option<String>,
) -> Option<String> {
    let whole = place(text, path)?.value;
    let list = text
        .get(whole.clone())?
        .strip_prefix('[')
        .map(|_| whole.clone())?;
    let (mut out, mut kept, mut edits) = (String::with_capacity(text.len()), 0, 0);
    for item in json_slices::places(text.get(list)?) {
        let at = whole.start + item.value.start..whole.start + item.value.end;
        if let Some(edited) = edit(text.get(at.clone())?) {
            out.push_str(text.get(kept..at.start)?);
            out.push_str(&edited);
            (kept, edits) = (at.end, edits + 1);
        }
    }
    out.push_str(text.get(kept..)?);
    (edits > 0).then_some(out)
}

/// Where the member, item or whole at `path` stands.
fn place(text: &str, path: &str) -> Option<Place> {
    let start = text.len() - text.trim_start().len();
    let mut found = Place {
        name: None,
        value: start..start + text.trim().len(),
    };
    for step in path.split('.').filter(|step| !step.is_empty()) {
        let list = text.get(found.value.clone())?;
        let places = json_slices::places(list);
        let inner = places.get(position(list, &places, step)?)?;
        let base = found.value.start;
        found = Place {
            name: inner
                .name
                .clone()
                .map(|name| base + name.start..base + name.end),
            value: base + inner.value.start..base + inner.value.end,
        };
    }
    Some(found)
}

/// Which of the members of an object, or of the items of an array, a step of a path is.
fn position(list: &str, places: &[Place], step: &str) -> Option<usize> {
    if list.starts_with('[') {
        return step.parse().ok().filter(|n| *n < places.len());
    }
    let mut names = places.iter().map(|place| list.get(place.name.clone()?));
    names.position(|name| name == Some(step))
}

/// A member put first into every object of the text, but for those inside a member of one of these names. Nothing is
/// looked at but quotes and braces, so that a text that is no JSON comes to no harm.
pub(super) fn in_every_object(text: &[u8], member: &str, except: &[&str]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + member.len());
    let (mut in_string, mut escaped, mut depth) = (false, false, 0_usize);
    // how deep the object is that is left as it is
    let mut left = None;
    for (at, byte) in text.iter().enumerate() {
        out.push(*byte);
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' if !in_string => {
                depth += 1;
                if left.is_none() && is_value_of(text.get(..at).unwrap_or_default(), except) {
                    left = Some(depth);
                }
                if left.is_none() {
                    out.extend_from_slice(member.as_bytes());
                    if text.get(at + 1) != Some(&b'}') {
                        out.push(b',');
                    }
                }
            }
            b'}' if !in_string => {
                left = left.filter(|left| *left != depth);
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
    }
    out
}

/// Whether a text that goes on here goes on with the value of one of these members.
fn is_value_of(text: &[u8], names: &[&str]) -> bool {
    let name = text.trim_ascii_end().strip_suffix(b"\":");
    let ends = |name: &[u8], known: &str| {
        let before = name.strip_suffix(known.as_bytes());
        before.is_some_and(|before| before.ends_with(b"\""))
    };
    name.is_some_and(|name| names.iter().any(|known| ends(name, known)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{ "a" : [ 1 ,{"b":"x\"}","c":{}}, [] ] , "d":null   }"#;

    #[test]
    fn values_are_found_by_their_path() {
        for (path, value) in [
            ("", Some(TEXT)),
            ("a.0", Some("1")),
            ("a.1.b", Some(r#""x\"}""#)),
            ("a.1.c", Some("{}")),
            ("a.2", Some("[]")),
            ("d", Some("null")),
            ("a.3", None),
            ("a.b", None),
            ("a.0.b", None),
            ("e", None),
        ] {
            assert_eq!(get(TEXT, path), value, "{path}");
        }
        assert_eq!(string(TEXT, "a.1.b"), Some(r#"x\"}"#));
        assert_eq!(
            (string(TEXT, "d"), get("[DONE]", "a"), get("<p>", "a")),
            (None, None, None)
        );
    }

    #[test]
    fn changes_leave_the_rest_as_it_was_spelled() {
        let shown = |changed: Option<String>| changed.unwrap_or_default();
        for (changed, expected) in [
            (
                replace(TEXT, "a.1.b", "7"),
                r#"{ "a" : [ 1 ,{"b":7,"c":{}}, [] ] , "d":null   }"#,
            ),
            (
                set(TEXT, "a.1.e", "7"),
                r#"{ "a" : [ 1 ,{"b":"x\"}","c":{},"e":7}, [] ] , "d":null   }"#,
            ),
            (
                set(TEXT, "a.1.c.e", "7"),
                r#"{ "a" : [ 1 ,{"b":"x\"}","c":{"e":7}}, [] ] , "d":null   }"#,
            ),
            (
                set(TEXT, "d", "7"),
                r#"{ "a" : [ 1 ,{"b":"x\"}","c":{}}, [] ] , "d":7   }"#,
            ),
            (
                set(TEXT, "e", "7"),
                r#"{ "a" : [ 1 ,{"b":"x\"}","c":{}}, [] ] , "d":null,"e":7   }"#,
            ),
            (
                add(TEXT, "a.2", "7"),
                r#"{ "a" : [ 1 ,{"b":"x\"}","c":{}}, [7] ] , "d":null   }"#,
            ),
            (remove(TEXT, "a"), r#"{ "d":null   }"#),
            (
                remove(TEXT, "d"),
                r#"{ "a" : [ 1 ,{"b":"x\"}","c":{}}, [] ]   }"#,
            ),
            (remove(TEXT, "a.1"), r#"{ "a" : [ 1 ,[] ] , "d":null   }"#),
            (remove(r#"{"a":{"b":1}}"#, "a.b"), r#"{"a":{}}"#),
            (
                edit_items(TEXT, "a", |item| set(item, "b", "7")),
                r#"{ "a" : [ 1 ,{"b":7,"c":{}}, [] ] , "d":null   }"#,
            ),
        ] {
            assert_eq!(shown(changed), expected);
        }
    }

    #[test]
    fn what_is_not_there_is_not_changed() {
        for text in [TEXT, "[DONE]", "", "<p>", "{\"a\":"] {
            assert_eq!(replace(text, "x", "1"), None, "{text}");
            assert_eq!(remove(text, "x"), None, "{text}");
            assert_eq!(set(text, "x.y", "1"), None, "{text}");
            assert_eq!(
                edit_items(text, "d", |_| Some(String::new())),
                None,
                "{text}"
            );
        }
        assert_eq!(edit_items(TEXT, "a", |_| None), None);
    }

    #[test]
    fn a_member_goes_into_every_object_but_those_that_are_content() {
        let text = br#"{"a":[{},{"input":{"b":{}},"c":"{\"{"}], "input": 1,"map": {"e":2},"d":{"sitemap":{} } }"#;
        let changed = in_every_object(text, r#""x":0"#, &["input", "map"]);
        assert_eq!(
            String::from_utf8(changed).unwrap(),
            r#"{"x":0,"a":[{"x":0},{"x":0,"input":{"b":{}},"c":"{\"{"}], "input": 1,"map": {"e":2},"d":{"x":0,"sitemap":{"x":0} } }"#
        );
    }
}
