//! Tool calls, whole and not.

use super::*;

#[track_caller]
fn tool_calls(fragments: impl IntoIterator<Item = Value>) -> Vec<Part> {
    let mut data = vec![delta(ROLE)];
    data.extend(fragments.into_iter().map(calls));
    data.extend([stop("tool_calls"), done()]);
    reply(&data).parts
}

fn custom(id: &str, name: &str, input: &str) -> Part {
    let call = CustomToolCall::new(id.to_owned(), name.to_owned(), input.to_owned());
    Part::CustomToolCall(call)
}

#[test]
fn fragments_of_calls_are_told_apart_by_index_and_id() {
    let f = |index: u64, id: &str, name: &str, arguments: &str| json!({"index": index, "id": id, "function": {"name": name, "arguments": arguments}});
    let more =
        |index: u64, arguments: &str| json!({"index": index, "function": {"arguments": arguments}});
    let one = || vec![call("a", "f", json!({"x": 1}))];
    let two = || vec![call("a", "f", json!({"x": 1})), call("b", "g", json!({}))];
    for (row, fragments, expected) in [
        (
            "interleaved",
            vec![
                json!([f(0, "a", "f", "")]),
                json!([f(1, "b", "g", "")]),
                json!([more(0, "{\"x\"")]),
                json!([more(1, "{}")]),
                json!([more(0, ":1}")]),
            ],
            two(),
        ),
        (
            "both in one delta, arguments in the first",
            vec![json!([f(0, "a", "f", "{\"x\":1}"), f(1, "b", "g", "")])],
            two(),
        ),
        (
            "id and name repeated, or empty later",
            vec![
                json!([f(0, "a", "f", "{\"x\"")]),
                json!([f(0, "a", "f", ":")]),
                json!([{"index": 0, "id": "", "function": {"name": "", "arguments": "1"}}]),
                json!([{"index": 0, "id": null, "function": {"name": null, "arguments": "}"}}]),
            ],
            one(),
        ),
        (
            "no index for one call",
            vec![
                json!([{"id": "a", "function": {"name": "f", "arguments": ""}}]),
                json!([{"function": {"arguments": "{\"x\":1}"}}]),
            ],
            one(),
        ),
        (
            "no index and ids that tell them apart",
            vec![
                json!([{"id": "a", "function": {"name": "f", "arguments": "{\"x\""}}]),
                json!([{"id": "b", "function": {"name": "g"}}]),
                json!([{"id": "a", "function": {"arguments": ":1}"}}]),
            ],
            two(),
        ),
        (
            "one index for two ids",
            vec![
                json!([f(0, "a", "f", "{\"x\":1}")]),
                json!([f(0, "b", "g", "{}")]),
            ],
            two(),
        ),
        (
            "arguments before id and name",
            vec![json!([more(0, "{\"x\":1}")]), json!([f(0, "a", "f", "")])],
            one(),
        ),
        (
            "a name in pieces",
            vec![
                json!([f(0, "a", "get_", "{\"x\":1}")]),
                json!([f(0, "a", "x", "")]),
            ],
            vec![call("a", "get_x", json!({"x": 1}))],
        ),
    ] {
        assert_eq!(tool_calls(fragments), expected, "{row}");
    }
}

#[test]
fn a_fragment_without_an_id_is_of_the_only_call_that_is_not_whole() {
    let f = |id: &str, name: &str, arguments: &str| json!([{"index": 0, "id": id, "function": {"name": name, "arguments": arguments}}]);
    let more = |arguments: &str| json!([{"index": 0, "function": {"arguments": arguments}}]);
    for (row, fragments) in [
        (
            "one index",
            vec![
                f("a", "f", "{\"x\""),
                more(":1}"),
                f("b", "g", ""),
                more("{"),
                more("}"),
            ],
        ),
        (
            "no index",
            vec![
                json!([{"id": "a", "function": {"name": "f", "arguments": "{\"x\":1}"}}]),
                json!([{"id": "b", "function": {"name": "g", "arguments": ""}}]),
                json!([{"function": {"arguments": "{}"}}]),
            ],
        ),
    ] {
        let expected = [call("a", "f", json!({"x": 1})), call("b", "g", json!({}))];
        assert_eq!(tool_calls(fragments), expected, "{row}");
    }
}

#[test]
fn a_custom_call_has_its_input_whatever_it_is() {
    for (row, fragments, expected) in [
        (
            "a custom tool",
            vec![
                json!([{"index": 0, "id": "a", "type": "custom", "custom": {"name": "sh", "input": "ls"}}]),
            ],
            vec![custom("a", "sh", "ls")],
        ),
        (
            "a custom tool in pieces, and a function behind it",
            vec![
                json!([{"index": 0, "id": "a", "type": "custom", "custom": {"name": "sh", "input": ""}}]),
                json!([{"index": 0, "custom": {"input": "{\"l"}}]),
                json!([{"index": 0, "custom": {"input": "s"}}]),
                json!([{"index": 1, "id": "b", "function": {"name": "g", "arguments": "{}"}}]),
            ],
            vec![custom("a", "sh", "{\"ls"), call("b", "g", json!({}))],
        ),
    ] {
        assert_eq!(tool_calls(fragments), expected, "{row}");
    }
}

#[test]
fn tool_calls_that_are_not_whole_are_told_with_their_place() {
    let f = json!([{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{\"x\""}}]);
    let g = json!([{"index": 0, "id": "b", "function": {"name": "g", "arguments": "{}"}}]);
    assert_errors(vec![
        (
            with(vec![calls(f.clone()), stop("tool_calls"), done()]),
            "the arguments of `f` are not JSON: EOF while parsing an object at line 1 column 4\n  \
             where: openai_chat, event #4, byte ?\n  expected: one JSON document\n  found: `{\"x\"`\n  \
             help: a half call must not be run; what came is in `partial()`",
        ),
        (
            with(vec![
                calls(f),
                calls(g),
                calls(json!([{"index": 0, "function": {"arguments": ":1}"}}])),
            ]),
            "a fragment of a tool call could belong to several\n  where: openai_chat, event #4, byte ?\n  \
             expected: the index, or the id, of one of a, b\n  \
             found: `{\"function\":{\"arguments\":\":1}\"},\"index\":0}`",
        ),
        (
            with(vec![
                calls(json!([{"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}}])),
                calls(json!([{"index": 0, "id": "b", "function": {"name": "g", "arguments": ""}}])),
                calls(json!([{"index": 0, "function": {"arguments": "{}"}}])),
            ]),
            "a fragment of a tool call could belong to several\n  where: openai_chat, event #4, byte ?\n  \
             expected: the index, or the id, of one of a, b\n  \
             found: `{\"function\":{\"arguments\":\"{}\"},\"index\":0}`",
        ),
        (
            with(vec![calls(
                json!([{"index": 1, "id": "a", "function": {"name": "f"}}]),
            )]),
            "a tool call starts with an index that is not its turn\n  where: openai_chat, event #2, byte ?\n  \
             expected: the index 0: indices count up from 0\n  \
             found: `{\"function\":{\"name\":\"f\"},\"id\":\"a\",\"index\":1}`",
        ),
        (
            with(vec![calls(
                json!([{"index": 0, "id": "a", "function": {"name": "f", "arguments": {}}}]),
            )]),
            "the member `choices[0].delta.tool_calls[0].function.arguments` has a wrong type or value\n  \
             where: openai_chat, event #2, byte ?\n  expected: a string or null\n  found: `{}`",
        ),
        (
            with(vec![
                calls(json!([{"index": 0, "id": "a", "function": {"arguments": "{}"}}])),
                stop("tool_calls"),
                done(),
            ]),
            "a tool call ended and its `choices[0].delta.tool_calls[0].function.name` did not come\n  \
             where: openai_chat, event #4, byte ?\n  expected: a string that is not empty\n  found: `{}`",
        ),
    ]);
}

#[test]
fn partial_has_what_was_read_and_no_unfinished_call() {
    let f = json!([{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}]);
    let cut = error(&[delta(ROLE), say("Hé"), calls(f.clone())]);
    assert_eq!(cut.kind(), &AccumulateErrorKind::Truncated);
    let unfinished = Part::Unknown {
        block: json!({"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": ""}}),
        deltas: vec![json!({"index": 0, "function": {"arguments": "{}"}})],
    };
    assert_eq!(
        cut.partial(),
        [Part::Text("Hé".to_owned()), unfinished.clone()]
    );

    // one call of two is half: neither is one to be run
    let half = json!([{"index": 1, "id": "b", "function": {"name": "g", "arguments": "{"}}]);
    let half = error(&[
        delta(ROLE),
        calls(f),
        calls(half),
        stop("tool_calls"),
        done(),
    ]);
    let [one, Part::Unknown { .. }] = half.partial() else {
        panic!("{:?}", half.partial());
    };
    assert_eq!(one, &unfinished);
}
