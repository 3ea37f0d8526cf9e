//! The bytes of an event by its lines, whatever these end in.

/// Each line and its end, LF, CR LF or CR. The last one may have none.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let (line, tail) = rest.split_at(length.unwrap_or(rest.len()));
        let end = if tail.starts_with(b"\r\n") { 2 } else { 1 };
        let (end, behind) = tail.split_at(end.min(tail.len()));
        rest = behind;
        Some((line, end))
    })
}

/// Each line with its offset and its end.
pub(super) fn lines_at(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8], &[u8])> {
    let mut at = 0_usize;
    lines(bytes).map(move |(line, end)| {
        let start = at;
        at += line.len() + end.len();
        (start, line, end)
    })
}

/// How the first line ends; as a provider would, if it does not.
pub(super) fn line_end(bytes: &[u8]) -> &[u8] {
    match lines(bytes).next() {
        Some((_, end)) if !end.is_empty() => end,
        _ => b"\n",
    }
}

/// What a line says in this field, without the one space that may stand before it.
pub(super) fn field<'a>(line: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let value = line.strip_prefix(name.as_bytes())?.strip_prefix(b":")?;
    Some(value.strip_prefix(b" ").unwrap_or(value))
}

/// What a data line says, if that is a JSON object.
pub(super) fn json(line: &[u8]) -> Option<&[u8]> {
    field(line, "data").filter(|data| data.trim_ascii_start().starts_with(b"{"))
}

/// Where the fragment of an event begins: the value, not empty, of the first member that can hold one. What stands
/// inside a string has its quotes escaped, so no such text is found there.
pub(super) fn fragment(bytes: &[u8]) -> Option<usize> {
    const MEMBERS: [&[u8]; 8] = [
        b"\"text\":\"",
        b"\"partial_json\":\"",
        b"\"arguments\":\"",
        b"\"content\":\"",
        b"\"delta\":\"",
        b"\"thinking\":\"",
        b"\"reasoning_content\":\"",
        b"\"reasoning\":\"",
    ];
    let starts = MEMBERS.iter().filter_map(|member| {
        let at = bytes.windows(member.len()).position(|part| part == *member);
        let start = at? + member.len();
        (bytes.get(start) != Some(&b'"')).then_some(start)
    });
    starts.min()
}

/// Whether an event holds a fragment of a tool call's arguments.
pub(super) fn is_of_tool_call(bytes: &[u8]) -> bool {
    const SAY_SO: [&[u8]; 4] = [
        b"\"input_json_delta\"",
        b"\"tool_calls\":[",
        b"\"response.function_call_arguments.delta\"",
        b"\"response.custom_tool_call_input.delta\"",
    ];
    let has = |said: &&[u8]| bytes.windows(said.len()).any(|part| part == *said);
    SAY_SO.iter().any(has)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_ends_that_they_had() {
        let all: Vec<_> = lines_at(b"a\r\n\nb\rc").collect();
        let expected: [(usize, &[u8], &[u8]); 4] = [
            (0, b"a", b"\r\n"),
            (3, b"", b"\n"),
            (4, b"b", b"\r"),
            (6, b"c", b""),
        ];
        assert_eq!(all, expected);
        assert_eq!(
            (line_end(b"a\rb\n"), line_end(b"a")),
            (&b"\r"[..], &b"\n"[..])
        );
    }

    #[test]
    fn fragments_are_found_in_members_and_not_in_texts() {
        let rows: [(&str, Option<&str>); 4] = [
            (r#"{"text":"","delta":"Hi"}"#, Some("Hi\"}")),
            (
                r#"{"delta":{"text":"say \"text\":\"x"}}"#,
                Some(r#"say \"text\":\"x"}}"#),
            ),
            (r#"{"a":"\"text\":\"x","text":""}"#, None),
            (r#"{"delta":{"content":null}}"#, None),
        ];
        for (event, expected) in rows {
            let found = fragment(event.as_bytes()).and_then(|at| event.get(at..));
            assert_eq!(found, expected, "{event}");
        }
    }
}
