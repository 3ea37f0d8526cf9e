//! Tool loops of three turns: rig's own, and loops as users of the other two write them.

use llm_wire_stub::{RecordedRequest, Turn, WireStub};
use llm_wire_stub_interop::reply;
use serde_json::{Value, json};

use crate::{
    client::{Client, Form, TOOL, TOOL_DESCRIPTION, Wants, schema},
    topics::{self, verdict},
};

for_each_client!(a_loop_answers_every_call_by_its_id);

fn first() -> Turn {
    let turn = Turn::new()
        .text("Let me look.")
        .tool_call("weather", json!({"city": "Paris"}));
    turn.tool_call("weather", json!({"city": "Łódź", "days": [1, 2.5, null]}))
        .seed(1)
}

fn second() -> Turn {
    Turn::new()
        .tool_call_with_id("toolu_own", "weather", json!({"city": "Atlantis"}))
        .seed(2)
}

async fn a_loop_answers_every_call_by_its_id(client: Client) {
    for form in [Form::Whole, Form::Streamed] {
        let stub = WireStub::builder()
            .turns([first(), second()])
            .turn("Sunny, and no Atlantis.")
            .start();

        let seen = client.tool_loop(&stub, form, Wants::Answer).await;

        let last = json!({"text": "Sunny, and no Atlantis."});
        let found = verdict(seen.content == [last], &seen);
        topics::TOOL_LOOP.assert(client, form, found);
        stub.verify();
        let requests = stub.requests();
        assert_eq!(requests.len(), 3);
        let history = history(client);
        for (request, length) in requests.iter().zip([1, 3, 5]) {
            assert_eq!(request.is_stream(), form == Form::Streamed, "{request}");
            assert_eq!(
                request.json()["messages"],
                json!(history[..length]),
                "{request}"
            );
            assert_tool(client, request);
        }
        assert_eq!(results(&requests[2]), expected_results(client));
    }
}

/// Ids of the parallel calls.
fn ids() -> [String; 2] {
    let calls: Vec<_> = reply(&first())
        .tool_calls()
        .map(|call| call.id.clone())
        .collect();
    calls.try_into().expect("two calls")
}

/// Id, text, and whether it is an error.
fn results(request: &RecordedRequest) -> Vec<(String, String, bool)> {
    let results = request.tool_results().iter();
    let read = results.map(|result| {
        let (id, text) = (result.call_id().to_owned(), result.text().to_owned());
        (id, text, result.is_error())
    });
    read.collect()
}

fn expected_results(client: Client) -> Vec<(String, String, bool)> {
    let [paris, lodz] = ids();
    // genai's `ToolResponse` has no place for it
    let is_error = client != Client::Genai;
    vec![
        (paris, "sunny in Paris".to_owned(), false),
        (lodz, "sunny in Łódź".to_owned(), false),
        ("toolu_own".to_owned(), "no such city".to_owned(), is_error),
    ]
}

fn assert_tool(client: Client, request: &RecordedRequest) {
    let mut tool = json!({"name": TOOL, "description": TOOL_DESCRIPTION, "input_schema": schema()});
    if client == Client::Rig {
        tool["eager_input_streaming"] = json!(true);
    }
    assert_eq!(request.json()["tools"], json!([tool]), "{request}");
}

/// The conversation as each client writes it, to the last request.
fn history(client: Client) -> Vec<Value> {
    let [paris, lodz] = ids();
    let call = |id: &str, input: Value| {
        let mut call = json!({"type": "tool_use", "id": id, "name": "weather", "input": input});
        if client == Client::Rig {
            // sent back as it came
            call["caller"] = json!({"type": "direct"});
        }
        call
    };
    let result = |id: &str, text: &str, failed: bool| {
        let mut result = json!({"type": "tool_result", "tool_use_id": id, "content": text});
        match client {
            Client::Rig => {
                result["content"] = json!([{"type": "text", "text": text}]);
                if failed {
                    result["is_error"] = json!(true);
                }
            }
            Client::Genai => {}
            Client::AsyncAnthropic => result["is_error"] = json!(failed),
        }
        result
    };
    let hello = match client {
        Client::Genai => json!("hello"),
        Client::Rig | Client::AsyncAnthropic => json!([{"type": "text", "text": "hello"}]),
    };
    vec![
        json!({"role": "user", "content": hello}),
        json!({"role": "assistant", "content": [
            {"type": "text", "text": "Let me look."},
            call(&paris, json!({"city": "Paris"})),
            call(&lodz, json!({"city": "Łódź", "days": [1, 2.5, null]})),
        ]}),
        json!({"role": "user", "content": [
            result(&paris, "sunny in Paris", false),
            result(&lodz, "sunny in Łódź", false),
        ]}),
        json!({"role": "assistant", "content": [call("toolu_own", json!({"city": "Atlantis"}))]}),
        json!({"role": "user", "content": [result("toolu_own", "no such city", true)]}),
    ]
}
