//! Answers over the socket, as a client asks for them.

use llm_wire_stub::*;
use serde_json::{Value, json};

use crate::{API, bytes::events, call};

fn plain() -> WireStubBuilder {
    WireStub::builder().plain()
}

#[tokio::test]
async fn one_turn_is_served_streamed_and_not() {
    let stub = WireStub::builder()
        .turn(Turn::new().text("Hi there."))
        .turn(Turn::new().text("Hi there."))
        .start();
    let streamed = call(&stub).streamed().send().await;
    assert_eq!(
        streamed.header("content-type"),
        "text/event-stream; charset=utf-8"
    );
    let names: Vec<String> = events(&streamed.body)
        .iter()
        .map(|event| event["type"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        names,
        [
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.completed",
        ]
    );
    let numbers = events(&streamed.body);
    for (n, event) in numbers.iter().enumerate() {
        assert_eq!(event["sequence_number"], n, "{event}");
    }
    let whole = call(&stub).send().await;
    assert_eq!(whole.header("content-type"), "application/json");
    let json = whole.json();
    assert_eq!(json["model"], "gpt-5");
    assert_eq!(json["output"][0]["content"][0]["text"], "Hi there.");
}

#[tokio::test]
async fn the_answer_repeats_what_the_request_asked_for() {
    let stub = plain().turn(Turn::new().text("Hi")).start();
    let tool = json!({"type": "function", "name": "f", "parameters": {"type": "object"}});
    let answered = call(&stub)
        .member("instructions", "Be é.")
        .model("gpt-5.1")
        .member("temperature", 0)
        .member("max_output_tokens", 50)
        .member("metadata", json!({"a": "b"}))
        .member("store", false)
        .member("previous_response_id", Value::Null)
        .member("tools", json!([tool]))
        .member("tool_choice", "required")
        .member("reasoning", json!({"effort": "low"}))
        .member("service_tier", "flex")
        .send()
        .await;
    let text = std::str::from_utf8(&answered.body).unwrap();
    for line in [
        "\n  \"instructions\": \"Be \\u00e9.\",\n  \"max_output_tokens\": 50,\n",
        "\n  \"metadata\": {\n    \"a\": \"b\"\n  }\n}",
        "\n  \"service_tier\": \"flex\",\n  \"store\": false,\n  \"temperature\": 0.0,\n",
        "\n    \"effort\": \"low\",\n    \"mode\": \"standard\",\n",
        "\n  \"tool_choice\": \"required\",\n",
        "\n  \"tools\": [\n    {\n      \"type\": \"function\",\n      \"description\": null,\n      \"name\": \"f\",\n      \"output_schema\": null,\n      \"parameters\": {\n        \"type\": \"object\"\n      },\n      \"strict\": true\n    }\n  ],\n",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
}

#[tokio::test]
async fn unknown_members_stand_in_nothing_that_is_the_users_own() {
    let turn = Turn::new().text("Hi").fault(Fault::UnknownField);
    let stub = WireStub::builder().turn(turn).start();
    let (metadata, schema) = (
        json!({"a": "b"}),
        json!({"type": "object", "properties": {}}),
    );
    let answered = call(&stub)
        .streamed()
        .member("metadata", metadata.clone())
        .member(
            "tools",
            json!([{"type": "function", "name": "f", "parameters": schema}]),
        )
        .send()
        .await;
    let first = &events(&answered.body)[0]["response"];
    for (path, expected) in [
        ("/metadata", &metadata),
        ("/tools/0/parameters", &schema),
        ("/tools/0/x_new/a/0", &json!(1)),
    ] {
        assert_eq!(first.pointer(path), Some(expected), "{path}: {first}");
    }
}

#[tokio::test]
async fn encrypted_reasoning_and_obfuscation_are_there_as_asked() {
    let turn = || Turn::new().thinking("Hm.").text("Hi");
    let stub = WireStub::builder().turn(turn()).turn(turn()).start();
    let bare = call(&stub).streamed();
    let bare = bare.member("stream_options", json!({"include_obfuscation": false}));
    let text = bare.send().await.body;
    let text = String::from_utf8_lossy(&text);
    assert!(!text.contains("encrypted_content") && !text.contains("obfuscation"));

    let all = call(&stub).streamed();
    let all = all.member("include", json!(["reasoning.encrypted_content"]));
    let text = all.send().await.body;
    let events = events(&text);
    let [added, done] = ["response.output_item.added", "response.output_item.done"].map(|name| {
        let event = events.iter().find(|event| event["type"] == name).unwrap();
        event["item"]["encrypted_content"].as_str().unwrap()
    });
    assert!(added.starts_with("gAAAAAB") && done.starts_with("gAAAAAB"));
    assert_ne!(added, done);
}

#[tokio::test]
async fn what_tools_found_is_there_as_asked() {
    let turn = || {
        Turn::new()
            .server_tool(ServerTool::web_search("x", [("X", "https://x.example")]))
            .server_tool(ServerTool::file_search("x", [("a.txt", "x")]))
            .server_tool(ServerTool::bash("x", "y"))
    };
    let stub = WireStub::builder()
        .turn(turn())
        .turn(turn())
        .allow_script_drift()
        .start();
    let found = |json: Value| {
        let output = &json["output"];
        let sources = output[0]["action"].get("sources").cloned();
        (
            sources,
            output[1]["results"].clone(),
            output[2]["outputs"].clone(),
        )
    };
    let bare = found(call(&stub).send().await.json());
    assert_eq!(bare, (None, Value::Null, json!([])));
    let include = json!([
        "web_search_call.action.sources",
        "file_search_call.results",
        "code_interpreter_call.outputs"
    ]);
    let (sources, results, outputs) =
        found(call(&stub).member("include", include).send().await.json());
    assert_eq!(
        sources,
        Some(json!([{"type": "url", "url": "https://x.example"}]))
    );
    assert_eq!(results[0]["text"], "x");
    assert_eq!(outputs, json!([{"type": "logs", "logs": "y"}]));
}

#[test]
fn places_count_fragments_and_parts_as_on_every_api() {
    let turn = || {
        Turn::new()
            .text("one two")
            .tool_call("f", json!({"a": 1}))
            .fragments(Fragments::size(4))
            .tool_call("g", Arguments::raw(""))
    };
    let cut = |after: After| events(&sse_body(API, &turn().plain().end(after, Ending::CleanEof)));
    for (after, expected) in [
        (After::deltas(1), 5),
        (After::deltas(2), 6),
        (After::parts(1), 9),
        (After::deltas(3), 11),
        (After::parts(2), 14),
        (After::parts(3), 17),
        (After::stop_reason(), 18),
    ] {
        assert_eq!(cut(after).len(), expected, "{after}");
    }
    let eof = turn().plain().fault(Fault::EofBeforeTerminal);
    let events = events(&sse_body(API, &eof));
    assert_eq!(events.len(), 17);
    assert_eq!(events[16]["type"], "response.output_item.done");
}

#[cfg(feature = "wiremock")]
#[tokio::test]
async fn a_turn_in_somebodys_mock_server_answers_as_a_stub_does() {
    use wiremock::{Mock, MockServer, matchers::path};

    let turn = || Turn::new().thinking("Hm.").text("Hi").seed(3);
    let mocks = MockServer::start().await;
    let mock = Mock::given(path("/v1/responses")).respond_with(turn().responder(API));
    mock.mount(&mocks).await;
    let stub = WireStub::builder().turn(turn()).repeat_last().start();
    for streamed in [true, false] {
        let ask = || {
            let asked = call(&stub)
                .member("stream", streamed)
                .member("instructions", "Be é.");
            asked.member("include", json!(["reasoning.encrypted_content"]))
        };
        let [found, expected] = [ask().at_url(&mocks.uri()), ask()].map(crate::post::Call::send);
        assert_eq!(found.await.body, expected.await.body);
    }
}

#[tokio::test]
async fn a_gate_holds_a_stream_behind_an_item() {
    let gate = Gate::new();
    let turn = Turn::new()
        .text("Look.")
        .tool_call("f", json!({}))
        .gate(After::parts(1), &gate);
    let stub = WireStub::builder().turn(turn).allow_script_drift().start();
    let answered = tokio::spawn(call(&stub).streamed().send());
    gate.reached().await;
    gate.open();
    let events = events(&answered.await.unwrap().body);
    assert_eq!(events.last().unwrap()["type"], "response.completed");
    stub.verify();
}
