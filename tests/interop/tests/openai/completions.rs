//! Legacy text completions through the SDKs, streamed and not.

use llm_wire_stub::{After, Api, ApiError, StopReason, Turn, Usage, WireStub, accumulate_json};
use llm_wire_stub_interop::{Call, Sdk};
use serde_json::{Value, json};

for_each_sdk!(
    a_completion_arrives_field_by_field,
    a_stream_arrives_chunk_by_chunk,
    prompts_echo_and_logprobs_are_understood,
    errors_reach_their_classes,
);

const MODEL: &str = "gpt-3.5-turbo-instruct";

fn complete(stub: &WireStub) -> Call {
    let call = Call::openai_resource(stub, "completions.create").param("model", MODEL);
    call.param("prompt", "Once")
}

fn turn() -> Turn {
    Turn::new()
        .text(" upon a \"time\"\n漢字😀")
        .usage(Usage::input(1).output(7))
        .stop_reason(StopReason::MaxTokens)
        .id("cmpl-1")
}

fn a_completion_arrives_field_by_field(sdk: Sdk) {
    let stub = WireStub::builder().turn(turn()).start();
    let seen = sdk.run(&complete(&stub).param("max_tokens", 7));
    let text = " upon a \"time\"\n漢字😀";
    let choice = json!({"text": text, "index": 0, "logprobs": null, "finish_reason": "length"});
    let usage = json!({"prompt_tokens": 1, "completion_tokens": 7, "total_tokens": 8});
    let mut found = seen["answer"].clone();
    let created = found["created"].take();
    assert!(created.is_u64(), "{seen}");
    assert_eq!(
        found,
        json!({
            "id": "cmpl-1", "object": "text_completion", "created": null, "model": MODEL,
            "choices": [choice], "usage": usage
        })
    );
    let request = stub.single_request();
    assert_eq!(
        (request.last_user_text().as_str(), request.max_tokens()),
        ("Once", Some(7))
    );
    stub.verify();
}

fn a_stream_arrives_chunk_by_chunk(sdk: Sdk) {
    let stub = WireStub::builder().turn(turn()).start();
    let options = json!({"include_usage": true});
    let call = complete(&stub)
        .param("stream", true)
        .param("stream_options", options);
    let seen = sdk.run(&call);
    let chunks = seen["chunks"].as_array().cloned().unwrap_or_default();
    let texts = chunks
        .iter()
        .filter_map(|chunk| chunk["choices"][0]["text"].as_str());
    assert_eq!(
        texts.collect::<String>(),
        " upon a \"time\"\n漢字😀",
        "{seen}"
    );
    let reasons = chunks
        .iter()
        .map(|chunk| &chunk["choices"][0]["finish_reason"]);
    let reasons: Vec<&Value> = reasons.filter(|reason| !reason.is_null()).collect();
    assert_eq!(reasons, ["length"]);
    let last = chunks.last().cloned().unwrap_or_default();
    assert_eq!(
        (&last["choices"], &last["usage"]["total_tokens"]),
        (&json!([]), &json!(8))
    );
    stub.verify();
}

fn prompts_echo_and_logprobs_are_understood(sdk: Sdk) {
    let stub = WireStub::builder().turn(" upon a time").start();
    let call = complete(&stub)
        .param("prompt", json!(["Once", "Twice"]))
        .param("echo", true)
        .param("logprobs", 2)
        .param("n", 2);
    let seen = sdk.run(&call);
    let answer = &seen["answer"];
    let texts = answer["choices"].as_array().into_iter().flatten();
    let texts: Vec<_> = texts.filter_map(|choice| choice["text"].as_str()).collect();
    let (once, twice) = ("Once upon a time", "Twice upon a time");
    assert_eq!(texts, [once, once, twice, twice], "{seen}");
    let logprobs = &answer["choices"][2]["logprobs"];
    assert_eq!(logprobs["tokens"], json!(["Twice", " upon", " a", " time"]));
    assert_eq!(logprobs["text_offset"], json!([0, 5, 10, 12]));
    let read = accumulate_json(Api::OpenAiCompletions, answer.to_string().as_bytes());
    assert_eq!(read.map(|reply| reply.other_choices.len()), Ok(3));
    stub.verify();
}

fn errors_reach_their_classes(sdk: Sdk) {
    let broken = Turn::new()
        .text("a b")
        .end(After::deltas(1), ApiError::overloaded());
    let stub = WireStub::builder()
        .turn(ApiError::rate_limited())
        .turn(broken)
        .without_verify_on_drop()
        .start();
    let seen = sdk.run(&complete(&stub));
    assert_eq!(seen["error"]["class"], "RateLimitError", "{seen}");
    let seen = sdk.run(&complete(&stub).param("stream", true));
    assert_eq!(seen["error"]["class"], "APIError", "{seen}");
    let seen = sdk.run(&complete(&stub).param("model", "gpt-4o"));
    assert_eq!(seen["error"]["class"], "NotFoundError", "{seen}");
    let message = seen["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("This is a chat model"), "{seen}");
}
