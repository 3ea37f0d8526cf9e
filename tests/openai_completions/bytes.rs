//! The bytes of both forms.

use llm_wire_stub::*;

use crate::API;

fn turn() -> Turn {
    Turn::new()
        .text(" upon a")
        .text(" \"time\"\n漢")
        .usage(Usage::input(1).output(5))
        .id("cmpl-1")
        .plain()
}

#[test]
fn a_stream_has_a_chunk_for_each_fragment_then_the_reason_the_usage_and_done() {
    let chunk = |text: &str, finish: &str| {
        format!(
            r#"data: {{"id":"cmpl-1","object":"text_completion","created":1787150052,"choices":[{{"text":"{text}","index":0,"logprobs":null,"finish_reason":{finish}}}],"model":"gpt-3.5-turbo-instruct","usage":null}}"#
        ) + "\n\n"
    };
    let expected = [
        chunk(" upon", "null"),
        chunk(" a", "null"),
        chunk(r#" \"time\""#, "null"),
        chunk(r"\n漢", "null"),
        chunk("", r#""stop""#),
        r#"data: {"id":"cmpl-1","object":"text_completion","created":1787150052,"choices":[],"model":"gpt-3.5-turbo-instruct","usage":{"prompt_tokens":1,"completion_tokens":5,"total_tokens":6}}"#.to_owned() + "\n\n",
        "data: [DONE]\n\n".to_owned(),
    ];
    let body = sse_body(API, &turn());
    assert_eq!(std::str::from_utf8(&body).unwrap(), expected.concat());
}

#[test]
fn a_body_is_indented_and_ends_in_a_newline() {
    let expected = r#"{
  "id": "cmpl-1",
  "object": "text_completion",
  "created": 1787150052,
  "model": "davinci-002",
  "choices": [
    {
      "text": " upon a \"time\"\n漢",
      "index": 0,
      "logprobs": null,
      "finish_reason": "length"
    }
  ],
  "usage": {
    "prompt_tokens": 1,
    "completion_tokens": 5,
    "total_tokens": 6
  }
}
"#;
    let turn = turn()
        .model("davinci-002")
        .stop_reason(StopReason::MaxTokens);
    let body = json_body(API, &turn);
    assert_eq!(std::str::from_utf8(&body).unwrap(), expected);
}

#[test]
fn an_id_is_made_from_the_seed_and_an_empty_turn_is_its_reason_only() {
    let turn = Turn::new();
    let body: serde_json::Value = serde_json::from_slice(&json_body(API, &turn)).unwrap();
    let id = body["id"].as_str().unwrap();
    assert!(id.starts_with("cmpl-") && id.len() == 34, "{id}");
    assert_eq!(body["choices"][0]["text"], "");
    let reply = accumulate(API, &sse_body(API, &turn)).unwrap();
    assert_eq!((reply.id.as_str(), reply.parts.len()), (id, 0));
    assert_eq!(chunks(API, &turn, Cut::PerEvent).count(), 3);
}

#[test]
fn an_error_has_the_words_of_this_api_before_and_inside_a_stream() {
    let body = error_body(API, &ApiError::context_overflow());
    let expected = r#"{
  "error": {
    "message": "This model's maximum context length is 4097 tokens, however you requested 51435 tokens (51419 in your prompt; 16 for the completion). Please reduce your prompt; or completion length.",
    "type": "invalid_request_error",
    "param": null,
    "code": null
  }
}"#;
    assert_eq!(std::str::from_utf8(&body).unwrap(), expected);

    // nobody asked for a model, so it is the one that the answers are from
    let body = error_body(API, &ApiError::not_found());
    let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(
        body["error"]["message"],
        "The model `gpt-3.5-turbo-instruct` does not exist or you do not have access to it."
    );

    let broken = Turn::new()
        .text("a b")
        .end(After::deltas(1), ApiError::internal());
    let body = sse_body(API, &broken);
    let last = br#"data: {"error":{"message":"The server had an error while processing your request. Sorry about that!","type":"server_error","param":null,"code":null}}"#;
    assert!(
        body.ends_with(&[last.as_slice(), b"\n\n"].concat()),
        "{body:?}"
    );
    let error = accumulate(API, &body).unwrap_err();
    assert_eq!(error.partial(), [Part::Text("a".to_owned())]);
}

#[test]
fn places_count_fragments_and_parts() {
    let until = |after: After| {
        let turn = turn().end(after, Ending::CleanEof);
        let body = sse_body(API, &turn);
        let text = std::str::from_utf8(&body).unwrap().to_owned();
        text.matches("data: ").count()
    };
    assert_eq!(until(After::deltas(1)), 1);
    assert_eq!(until(After::parts(1)), 4);
    assert_eq!(until(After::stop_reason()), 5);
    assert_eq!(until(After::events(2)), 2);
}
