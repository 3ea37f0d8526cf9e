//! Tool loops of three turns: written by hand, and the SDKs' own.

use llm_wire_stub::{RecordedRequest, StubHandle, Turn, WireStub};
use llm_wire_stub_interop::{Call, Sdk, reply};
use serde_json::json;

for_each_sdk!(
    a_loop_by_hand_answers_every_call_by_its_id,
    the_sdks_own_runner_answers_every_call_by_its_id,
    the_sdks_own_runner_over_streams_answers_every_call_by_its_id,
    the_sdks_own_runner_leaves_the_history_to_the_service_by_default,
);

fn a_loop_by_hand_answers_every_call_by_its_id(sdk: Sdk) {
    let tool = json!({
        "name": "weather",
        "description": "The weather in a city.",
        "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    });
    let requests = three_turns(sdk, |stub| {
        Call::tool_loop(stub).param("tools", json!([tool]))
    });
    assert_whole_history(&requests, "no such city");
}

fn the_sdks_own_runner_answers_every_call_by_its_id(sdk: Sdk) {
    let requests = three_turns(sdk, |stub| Call::tool_runner(stub).param("thread", false));
    assert_whole_history(&requests, words_of_the_runner(sdk));
}

fn the_sdks_own_runner_over_streams_answers_every_call_by_its_id(sdk: Sdk) {
    let requests = three_turns(sdk, |stub| {
        Call::streaming_tool_runner(stub).param("thread", false)
    });
    assert_whole_history(&requests, words_of_the_runner(sdk));
}

/// The runners of these versions keep the conversation in a beta thread of the service: what follows the
/// first request has the new messages only, and no tools.
fn the_sdks_own_runner_leaves_the_history_to_the_service_by_default(sdk: Sdk) {
    for call in [Call::tool_runner, Call::streaming_tool_runner] {
        let requests = three_turns(sdk, call);
        let ids = [first(), second()].map(|turn| reply(&turn).id);
        let results = results(words_of_the_runner(sdk));
        for (n, (request, expected)) in requests
            .iter()
            .zip([&results[..0], &results[..2], &results[2..]])
            .enumerate()
        {
            assert_eq!(
                request.header("anthropic-beta"),
                Some("message-threads-2026-08-12")
            );
            let thread = match n.checked_sub(1) {
                None => json!({"type": "create"}),
                Some(before) => json!({"type": "continue", "previous_message_id": ids[before]}),
            };
            assert_eq!(request.json()["thread"], thread, "{request}");
            assert_eq!(request.messages().len(), 1, "{request}");
            assert_eq!(request.tools().len(), usize::from(n == 0), "{request}");
            assert_eq!(read(request), expected, "{request}");
        }
    }
}

/// What each runner tells the model of a tool that threw.
fn words_of_the_runner(sdk: Sdk) -> &'static str {
    match sdk {
        Sdk::Python | Sdk::PythonAsync => "LookupError('no such city')",
        Sdk::TypeScript => "Error: no such city",
    }
}

fn first() -> Turn {
    let turn = Turn::new()
        .text("Let me look.")
        .tool_call("weather", json!({"city": "Paris"}));
    turn.tool_call("weather", json!({"city": "Łódź"})).seed(1)
}

fn second() -> Turn {
    Turn::new()
        .tool_call_with_id("toolu_own", "weather", json!({"city": "Atlantis"}))
        .seed(2)
}

/// Id, text, and whether it is an error, of the results of all three calls.
fn results(failure: &str) -> Vec<(String, String, bool)> {
    let calls: Vec<String> = reply(&first())
        .tool_calls()
        .map(|call| call.id.clone())
        .collect();
    let [paris, lodz] = <[String; 2]>::try_from(calls).expect("two calls");
    vec![
        (paris, "sunny in Paris".to_owned(), false),
        (lodz, "sunny in Łódź".to_owned(), false),
        ("toolu_own".to_owned(), failure.to_owned(), true),
    ]
}

/// The same of the results that a request has.
fn read(request: &RecordedRequest) -> Vec<(String, String, bool)> {
    let results = request.tool_results().iter();
    results
        .map(|result| {
            (
                result.call_id().to_owned(),
                result.text().to_owned(),
                result.is_error(),
            )
        })
        .collect()
}

/// The requests of a loop over two parallel calls, one that fails, and a last word.
#[track_caller]
fn three_turns(sdk: Sdk, call: impl Fn(&StubHandle) -> Call) -> Vec<RecordedRequest> {
    let last = Turn::new().text("Sunny, and no Atlantis.").seed(3);
    let stub = WireStub::builder().turns([first(), second(), last]).start();

    let seen = sdk.run(&call(&stub));

    assert_eq!(seen["error"], json!(null));
    assert_eq!(
        seen["texts"],
        json!(["Let me look.", "Sunny, and no Atlantis."])
    );
    assert_eq!(seen["message"]["stop_reason"], "end_turn");
    stub.verify();
    stub.requests()
}

/// Every request has the tools and all that came before.
#[track_caller]
fn assert_whole_history(requests: &[RecordedRequest], failure: &str) {
    let results = results(failure);
    assert_eq!(requests.len(), 3);
    for (request, expected) in requests
        .iter()
        .zip([&results[..0], &results[..2], &results[..]])
    {
        assert_eq!(read(request), expected, "{request}");
        assert_eq!(request.tools()[0].name, "weather", "{request}");
        assert_eq!(
            request.tools()[0].description,
            "The weather in a city.",
            "{request}"
        );
        assert_eq!(
            request.tools()[0].input_schema["required"],
            json!(["city"]),
            "{request}"
        );
    }
    let told = requests[2].json();
    assert_eq!(told["messages"].as_array().expect("messages").len(), 5);
    assert_eq!(
        told["messages"][1]["content"][0],
        json!({"type": "text", "text": "Let me look."})
    );
    assert_eq!(
        told["messages"][1]["content"][2]["input"],
        json!({"city": "Łódź"})
    );
}
