//! Tool loops of three turns: rig's own, and loops as users of the other two write them.

use llm_wire_stub::{Arguments, Fault, RecordedRequest, Turn, WireStub};
use llm_wire_stub_interop::reply;
use serde_json::{Value, json};

use crate::{
    client::{Client, Failure, Form, Seen, TOOL, TOOL_DESCRIPTION, Wants, schema},
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

/// A whole stream, whose model did not come to the end of its arguments.
fn half_arguments() -> Turn {
    Turn::new().tool_call_with_id("toolu_1", TOOL, Arguments::raw(r#"{"city": "Par"#))
}

#[tokio::test]
async fn rigs_agent_runs_no_tool_on_half_arguments_and_tells_the_model() {
    let stub = WireStub::builder()
        .turn(half_arguments())
        .turn("Sorry.")
        .start();

    let seen = Client::Rig
        .tool_loop(&stub, Form::Streamed, Wants::Answer)
        .await;

    assert_eq!(
        (seen.content, seen.failure),
        (vec![json!({"text": "Sorry."})], None)
    );
    let told = r#"The arguments for tool `weather` are not a JSON object: {"city": "Par. Call the tool again with a JSON object as its arguments."#;
    let result = ("toolu_1".to_owned(), told.to_owned(), true);
    assert_eq!(results(&stub.request(1)), [result]);
    stub.verify();
}

/// Its own comment says that the service wants an object there; `null` is replaced by one, a string is not.
#[tokio::test]
async fn a_loop_over_genai_sends_half_arguments_back_as_a_string() {
    let stub = WireStub::builder()
        .turn(half_arguments())
        .turn("Sorry.")
        .without_rules()
        .start();

    let seen = Client::Genai
        .tool_loop(&stub, Form::Streamed, Wants::Answer)
        .await;

    assert_eq!(seen.content, [json!({"text": "Sorry."})]);
    let request = stub.request(1);
    let call = &request.json()["messages"][1]["content"][0];
    assert_eq!(call["input"], r#"{"city": "Par"#);
    stub.verify();
}

/// The call is whole, the answer is not.
fn lost_end() -> Turn {
    let call = Turn::new().tool_call_with_id("toolu_1", TOOL, json!({"city": "Oslo"}));
    call.fault(Fault::EofBeforeTerminal)
}

#[tokio::test]
async fn rigs_agent_fails_loudly_when_the_stream_ends_behind_a_call() {
    let stub = WireStub::builder().turn(lost_end()).start();

    let seen = Client::Rig
        .tool_loop(&stub, Form::Streamed, Wants::Answer)
        .await;

    let failure = Failure {
        kind: "Report",
        text: "ResponseError: the reply ended before the provider ended it".to_owned(),
        ..Failure::default()
    };
    assert_eq!(seen, Seen::failed(Vec::new(), failure));
    assert_eq!(stub.requests().len(), 1);
    stub.verify();
}

/// No call, no text, no error: to the loop it looks as if the model had nothing more to say.
#[tokio::test]
async fn a_loop_over_genai_ends_with_an_empty_answer_when_the_stream_ends_behind_a_call() {
    let stub = WireStub::builder().turn(lost_end()).start();

    let seen = Client::Genai
        .tool_loop(&stub, Form::Streamed, Wants::Answer)
        .await;

    assert_eq!(seen, Seen::default());
    assert_eq!(stub.requests().len(), 1);
    stub.verify();
}
