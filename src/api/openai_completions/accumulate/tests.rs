use crate::{
    AccumulateError, Reply, StopReason,
    api::{Api, accumulate, accumulate_json},
};

const API: Api = Api::OpenAiCompletions;

fn read(chunks: &[&str]) -> Result<Reply, AccumulateError> {
    let events: String = chunks
        .iter()
        .map(|data| format!("data: {data}\n\n"))
        .collect();
    accumulate(API, events.as_bytes())
}

/// A chunk of this choice.
fn chunk(index: usize, text: &str, finish: &str) -> String {
    format!(
        r#"{{"id":"cmpl-1","object":"text_completion","choices":[{{"text":"{text}","index":{index},"logprobs":null,"finish_reason":{finish}}}],"model":"m"}}"#
    )
}

#[test]
fn choices_come_in_any_order_and_are_joined_by_index() {
    let (a, b) = (chunk(1, "b", "null"), chunk(0, "a", "null"));
    let (c, d) = (chunk(1, "B", r#""length""#), chunk(0, "A", r#""stop""#));
    let usage = r#"{"id":"cmpl-1","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}"#;
    let reply = read(&[&a, &b, &c, &d, usage, "[DONE]", "[DONE]"]).unwrap();
    assert_eq!(
        (reply.text(), reply.stop_reason),
        ("aA".to_owned(), StopReason::EndTurn)
    );
    assert_eq!(
        (reply.usage.input_tokens, reply.usage.output_tokens),
        (3, 4)
    );
    let others = reply.other_choices;
    assert_eq!(
        (others.len(), &others[0].stop_reason),
        (1, &StopReason::MaxTokens)
    );
}

#[test]
fn what_says_nothing_is_skipped_and_done_may_be_missing() {
    let (text, end) = (chunk(0, "hi", "null"), chunk(0, "", r#""stop""#));
    let bare = r#"{"choices":[{"text":"!"}]}"#;
    let late = r#"{"choices":[{"text":"","finish_reason":"stop"}]}"#;
    let reply = read(&["null", "", &text, bare, &end, late]).unwrap();
    assert_eq!(
        (reply.text(), reply.id, reply.model),
        ("hi!".into(), "cmpl-1".into(), "m".into())
    );
}

#[test]
fn what_is_no_whole_answer_is_told_with_its_place() {
    let (text, end) = (chunk(0, "hi", "null"), chunk(0, "", r#""stop""#));
    let second = chunk(1, "x", "null");
    let other = text.replace("cmpl-1", "cmpl-2");
    let object = text.replace("text_completion", "chat.completion.chunk");
    let far = chunk(4096, "x", "null");
    let filtered = chunk(0, "", r#""content_filter""#);
    for (chunks, what) in [
        (
            &[&*text][..],
            "the answer ended before the finish_reason of choice 0",
        ),
        (
            &[&text, "[DONE]"],
            "the answer is done and a choice has no finish_reason",
        ),
        (
            &[&end, &second, "[DONE]"],
            "the answer is done and a choice has no finish_reason",
        ),
        (
            &[&end, &second],
            "the answer ended before the finish_reason of choice 1",
        ),
        (
            &["[DONE]"],
            "the answer is done and a choice has no finish_reason",
        ),
        (&[&end, "[DONE]", &end], "an event came behind [DONE]"),
        (&[&end, &text], "a choice goes on behind its finish_reason"),
        (
            &[&end, &filtered],
            "the member `choices[0].finish_reason` has a wrong type or value",
        ),
        (
            &[&text, &other],
            "the member `id` has a wrong type or value",
        ),
        (&[&object], "the member `object` has a wrong type or value"),
        (&[&far], "a choice has an index that no request asks for"),
        (
            &[r#"{"choices":[1]}"#],
            "the member `choices` has a wrong type or value",
        ),
        (
            &[r#"{"choices":[{"text":1}]}"#],
            "the member `choices[0].text` has a wrong type or value",
        ),
        (
            &[&text, &second, r#"{"choices":[{"text":"x"}]}"#],
            "the member `choices[0].index` is missing",
        ),
        (&[r#"{"id":"cmpl-1"}"#], "the member `choices` is missing"),
        (&["{"], "the data of an event is not one JSON object"),
        (&["[1]"], "the data of an event is not one JSON object"),
        (
            &[&text, r#"{"error":{"message":"no","type":"server_error"}}"#],
            "the provider reported an error",
        ),
    ] {
        let error = read(chunks).unwrap_err().to_string();
        assert_eq!(error.lines().next(), Some(what), "{chunks:?}");
    }
}

#[test]
fn partial_has_what_was_read() {
    let text = chunk(0, "half", "null");
    let error = read(&[&text, "[DONE]"]).unwrap_err();
    assert_eq!(error.partial(), [crate::Part::Text("half".to_owned())]);
    assert_eq!(
        error.to_string(),
        "the answer is done and a choice has no finish_reason\n  \
         where: openai_completions, event #2, byte 137\n  \
         expected: a chunk of choice 0, up to its finish_reason\n  \
         found: `[DONE]`"
    );
}

#[test]
fn a_body_is_read_strictly() {
    let body = |choices: &str| {
        format!(r#"{{"id":"cmpl-1","object":"text_completion","model":"m","choices":[{choices}]}}"#)
    };
    let whole = body(r#"{"text":"hi","index":0,"logprobs":null,"finish_reason":"stop"}"#);
    assert_eq!(accumulate_json(API, whole.as_bytes()).unwrap().text(), "hi");
    for (body, what) in [
        (body(""), "the member `choices` has a wrong type or value"),
        (
            body(r#"{"index":0,"finish_reason":"stop"}"#),
            "the member `choices[0].text` is missing",
        ),
        (
            body(r#"{"text":"","index":0}"#),
            "the member `choices[0].finish_reason` is missing",
        ),
        (
            body(r#"{"text":"","index":0,"finish_reason":""}"#),
            "the member `choices[0].finish_reason` has a wrong type or value",
        ),
        (
            whole.replace("text_completion", "chat.completion"),
            "the member `object` has a wrong type or value",
        ),
        (
            whole.replace(r#""id":"cmpl-1","#, ""),
            "the member `id` is missing",
        ),
        (whole.replace("}]}", ""), "the JSON body ended too early"),
        (
            r#"{"error":{"message":"no"}}"#.to_owned(),
            "the provider reported an error",
        ),
    ] {
        let error = accumulate_json(API, body.as_bytes())
            .unwrap_err()
            .to_string();
        assert_eq!(error.lines().next(), Some(what), "{body}");
    }
}
