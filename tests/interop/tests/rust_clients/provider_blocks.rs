//! Citations, tools that the provider runs itself, and a kind of block that no client knows.

use llm_wire_stub::{Api, Citation, Json, ServerTool, Turn, WireStub, json_body};
use serde_json::{Value, json};

use crate::{
    client::{Client, Failure, Form, Wants},
    topics::{self, Topic, verdict},
};

for_each_client!(
    citations_stay_with_their_text,
    the_providers_own_tools_keep_call_and_result,
    a_block_of_tomorrow_is_kept,
);

async fn citations_stay_with_their_text(client: Client) {
    let grass = Citation::characters("Grass is green.", 0..15).title("Facts");
    let turn = Turn::new().text("As it says: ");
    let turn = turn.cited_text("grass is green.", [grass]);
    let unknown = "unknown variant `citations_delta`, expected `text_delta` or `input_json_delta`";
    let arrived = match client {
        Client::Rig => Vec::new(),
        Client::Genai => vec![json!({"text": "As it says: "})],
        Client::AsyncAnthropic => vec![json!({"text": "As it says: "}), json!({"text": ""})],
    };
    assert_read(client, &topics::CITATIONS, &turn, unknown, &arrived).await;
}

async fn the_providers_own_tools_keep_call_and_result(client: Client) {
    let tides = ServerTool::web_search("tides", [("Tides", "https://tides.example")]);
    let turn = Turn::new()
        .server_tool(tides)
        .text("It is high tide.")
        .seed(1);
    let unknown =
        "unknown variant `server_tool_use`, expected one of `tool_use`, `tool_result`, `text`";
    assert_read(client, &topics::SERVER_TOOLS, &turn, unknown, &[]).await;
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
        topic.assert(client, form, verdict(seen.content == said(turn), &seen));
        if let Some(failure) = &seen.failure {
            assert_eq!(failure, &expected_failure(client, form, unknown));
            let arrived = if form == Form::Streamed { arrived } else { &[] };
            assert_eq!(seen.content, arrived);
        }
        stub.verify();
    }
}

fn expected_failure(client: Client, form: Form, unknown: &str) -> Failure {
    let (kind, text) = match (client, form) {
        // every delta of a block that it does not know is looked at as if it were text
        (Client::Genai, Form::Streamed) => (
            "JsonValueExt",
            "JSON value extension error: PropertyNotFound(\"/delta/text\")".to_owned(),
        ),
        (Client::AsyncAnthropic, Form::Whole) => (
            "NetworkError",
            "network error: error decoding response body".to_owned(),
        ),
        (Client::AsyncAnthropic, Form::Streamed) => (
            "DeserializationError",
            format!("failed to deserialize response: {unknown}"),
        ),
        (Client::Rig, _) | (Client::Genai, Form::Whole) => {
            panic!("{client:?} reads all of these")
        }
    };
    Failure {
        kind,
        text,
        ..Failure::default()
    }
}

/// The blocks of the whole answer, as a client gives them that loses nothing.
fn said(turn: &Turn) -> Vec<Value> {
    let body = json_body(Api::AnthropicMessages, turn);
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    let blocks = body["content"].as_array().expect("blocks").iter();
    let parts = blocks.map(|block| {
        if block["type"] != "text" {
            return json!({"other": block});
        }
        match block["citations"].as_array() {
            Some(citations) if !citations.is_empty() => {
                json!({"text": block["text"], "citations": citations})
            }
            _ => json!({"text": block["text"]}),
        }
    });
    parts.collect()
}
