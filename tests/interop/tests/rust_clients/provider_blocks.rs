//! Citations, tools that the provider runs itself, and a kind of block that no client knows.

use llm_wire_stub::{Citation, Json, ServerTool, Turn, WireStub, json_body};
use serde_json::{Value, json};

use crate::{
    client::{Client, Failure, Form, Library, Wants, Wire},
    topics::{self, Topic, verdict},
};

for_each_client!(citations_stay_with_their_text);
for_each_client!(on (Anthropic Responses): the_providers_own_tools_keep_call_and_result, a_block_of_tomorrow_is_kept);

async fn citations_stay_with_their_text(client: Client) {
    let facts = Citation::web_search_result("Grass is green.", "https://facts.example");
    let turn = Turn::new()
        .text("As it says: ")
        .cited_text("grass is green.", [facts.title("Facts")]);
    if client.wire == Wire::Anthropic {
        let unknown =
            "unknown variant `citations_delta`, expected `text_delta` or `input_json_delta`";
        let arrived = match client.library {
            Library::Genai => vec![json!({"text": "As it says: "})],
            Library::AsyncAnthropic => vec![json!({"text": "As it says: "}), json!({"text": ""})],
            Library::Rig | Library::AsyncOpenai => Vec::new(),
        };
        assert_read(client, &topics::CITATIONS, &turn, unknown, &arrived).await;
        return;
    }
    // all text is one; what is cited are some characters of it
    for form in [Form::Whole, Form::Streamed] {
        let stub = WireStub::builder().turn(turn.clone()).start();
        let seen = client.ask(&stub, form, Wants::Answer).await;
        let mut said = json!({"text": "As it says: grass is green."});
        let (url, title) = ("https://facts.example", "Facts");
        let span = match client.library {
            // it leaves the characters out on purpose
            Library::Rig => Value::Null,
            _ => json!([12, 27]),
        };
        let without = said.clone();
        said["citations"] = json!([{"url": url, "title": title, "span": span}]);
        assert!(seen.content == [said.clone()] || seen.content == [without]);
        let found = verdict(seen.content == [said], &seen);
        topics::CITATIONS.assert(client, form, found);
        stub.verify();
    }
}

/// A turn says so for Anthropic; an item of Responses is written out.
async fn the_providers_own_tools_keep_call_and_result(client: Client) {
    let tides = match client.wire {
        Wire::Anthropic => {
            let tides = ServerTool::web_search("tides", [("Tides", "https://tides.example")]);
            Turn::new().server_tool(tides)
        }
        _ => Turn::new().raw_block(web_search(
            r#"{"type":"url","url":"https://tides.example"}"#,
        )),
    };
    let turn = tides.text("It is high tide.").seed(1);
    let unknown =
        "unknown variant `server_tool_use`, expected one of `tool_use`, `tool_result`, `text`";
    assert_read(client, &topics::SERVER_TOOLS, &turn, unknown, &[]).await;
}

/// An item of Responses, with one source.
fn web_search(source: &str) -> Json {
    Json::raw(format!(
        "{{\"id\":\"ws_01\",\"type\":\"web_search_call\",\"status\":\"completed\",\"action\":\
         {{\"type\":\"search\",\"queries\":[\"tides\"],\"query\":\"tides\",\"sources\":[{source}]}}}}"
    ))
}

/// Seen in traffic: a source that is one of the provider's own has a name in place of an address.
#[tokio::test]
async fn async_openai_fails_on_a_source_without_an_address() {
    let (library, wire) = (Library::AsyncOpenai, Wire::Responses);
    let client = Client { library, wire };
    for form in [Form::Whole, Form::Streamed] {
        let turn = Turn::new()
            .raw_block(web_search(r#"{"type":"api","name":"oai-tides"}"#))
            .text("It is high tide.");
        let stub = WireStub::builder().turn(turn).allow_script_drift().start();

        let seen = client.ask(&stub, form, Wants::Answer).await;

        let text = &seen.failure().text;
        let missing = "failed to deserialize api response: error:missing field `url`";
        assert!(text.starts_with(missing), "{text}");
        assert_eq!(seen.content, Vec::<Value>::new());
        stub.verify();
    }
}

async fn a_block_of_tomorrow_is_kept(client: Client) {
    let turn = Turn::new()
        .raw_block(Json::raw(r#"{"type":"hum","tune":"la"}"#))
        .text("That was it.");
    let unknown = "unknown variant `hum`, expected one of `tool_use`, `tool_result`, `text`";
    assert_read(client, &topics::UNKNOWN_BLOCK, &turn, unknown, &[]).await;
}

/// The verdict on both forms. `unknown` is what async-anthropic says to a stream, `arrived` what a stream gave
/// before it failed.
async fn assert_read(client: Client, topic: &Topic, turn: &Turn, unknown: &str, arrived: &[Value]) {
    for form in [Form::Whole, Form::Streamed] {
        let stub = WireStub::builder()
            .turn(turn.clone())
            .allow_script_drift() // the client offers no tools
            .start();
        let seen = client.ask(&stub, form, Wants::Answer).await;
        topic.assert(
            client,
            form,
            verdict(seen.content == said(client.wire, turn), &seen),
        );
        if let (Library::AsyncOpenai, Some(failure)) = (client.library, &seen.failure) {
            let text =
                "failed to deserialize api response: error:unknown variant `hum`, expected one of ";
            assert!(failure.text.starts_with(text), "{}", failure.text);
            assert_eq!(seen.content, Vec::<Value>::new());
        } else if let Some(failure) = &seen.failure {
            assert_eq!(failure, &expected_failure(client, form, unknown));
            let arrived = if form == Form::Streamed { arrived } else { &[] };
            assert_eq!(seen.content, arrived);
        }
        stub.verify();
    }
}

fn expected_failure(client: Client, form: Form, unknown: &str) -> Failure {
    let (kind, text) = match (client.library, form) {
        // every delta of a block that it does not know is looked at as if it were text
        (Library::Genai, Form::Streamed) => (
            "JsonValueExt",
            "JSON value extension error: PropertyNotFound(\"/delta/text\")".to_owned(),
        ),
        (Library::AsyncAnthropic, Form::Whole) => (
            "NetworkError",
            "network error: error decoding response body".to_owned(),
        ),
        (Library::AsyncAnthropic, Form::Streamed) => (
            "DeserializationError",
            format!("failed to deserialize response: {unknown}"),
        ),
        (Library::Rig | Library::AsyncOpenai, _) | (Library::Genai, Form::Whole) => {
            panic!("{client:?} reads all of these")
        }
    };
    Failure {
        kind,
        text,
        ..Failure::default()
    }
}

/// The blocks of the whole answer, or its items, as a client gives them that loses nothing.
fn said(wire: Wire, turn: &Turn) -> Vec<Value> {
    let body = json_body(wire.api(), turn);
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    let text = |part: &Value| match part["citations"].as_array() {
        Some(citations) if !citations.is_empty() => {
            json!({"text": part["text"], "citations": citations})
        }
        _ => json!({"text": part["text"]}),
    };
    let list = if wire == Wire::Anthropic {
        &body["content"]
    } else {
        &body["output"]
    };
    let parts = list.as_array().expect("a list").iter().map(|part| {
        match part["type"].as_str().expect("a type") {
            "text" => text(part),
            "message" => text(&part["content"][0]),
            _ => json!({"other": part}),
        }
    });
    parts.collect()
}
