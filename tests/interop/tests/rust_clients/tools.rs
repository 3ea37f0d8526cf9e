//! Tool loops of three turns: rig's own, and loops as users of the others write them.

use llm_wire_stub::{Arguments, Fault, RecordedRequest, Turn, WireStub};
use serde_json::json;

use crate::{
    client::{
        Client, Failure, Form, Library, Seen, TOOL, TOOL_DESCRIPTION, Wants, Wire, async_openai,
        schema,
    },
    history::{first, history_of, ids, second, without_item_id},
    topics::{self, verdict},
};

for_each_client!(a_loop_answers_every_call_by_its_id);

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
        let conversation = match client.wire {
            Wire::Anthropic | Wire::Chat => "messages",
            Wire::Responses => "input",
        };
        let mut history = Vec::new();
        for (request, added) in requests.iter().zip(history_of(client)) {
            history.extend(added);
            assert_eq!(request.is_stream(), form == Form::Streamed, "{request}");
            let mut sent = request.json()[conversation].clone();
            for item in sent.as_array_mut().expect("a list") {
                without_item_id(item);
            }
            assert_eq!(sent, json!(history), "{request}");
            assert_tool(client, request);
        }
        assert_eq!(results(&requests[2]), expected_results(client));
    }
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
    let [paris, lodz] = ids(client.wire);
    // genai's `ToolResponse` has no place for it, and neither have OpenAI's APIs
    let is_error = client.library != Library::Genai && client.wire == Wire::Anthropic;
    vec![
        (paris, "sunny in Paris".to_owned(), false),
        (lodz, "sunny in Łódź".to_owned(), false),
        ("toolu_own".to_owned(), "no such city".to_owned(), is_error),
    ]
}

fn assert_tool(client: Client, request: &RecordedRequest) {
    let tool = match client.wire {
        Wire::Anthropic => {
            let mut tool =
                json!({"name": TOOL, "description": TOOL_DESCRIPTION, "input_schema": schema()});
            if client.library == Library::Rig {
                tool["eager_input_streaming"] = json!(true);
            }
            tool
        }
        Wire::Chat => {
            let mut function =
                json!({"name": TOOL, "description": TOOL_DESCRIPTION, "parameters": schema()});
            if client.library == Library::Genai {
                function["strict"] = json!(false);
            }
            json!({"type": "function", "function": function})
        }
        Wire::Responses => {
            let mut tool = json!({"type": "function", "name": TOOL, "parameters": schema()});
            tool["description"] = json!(TOOL_DESCRIPTION);
            if client.library == Library::Rig {
                tool["strict"] = json!(false);
            }
            tool
        }
    };
    assert_eq!(request.json()["tools"], json!([tool]), "{request}");
}

const fn on(library: Library, wire: Wire) -> Client {
    Client { library, wire }
}

/// A whole stream, whose model did not come to the end of its arguments.
fn half_arguments() -> Turn {
    Turn::new().tool_call_with_id("toolu_1", TOOL, Arguments::raw(r#"{"city": "Par"#))
}

#[tokio::test]
async fn rigs_agent_runs_no_tool_on_half_arguments_and_tells_the_model() {
    for wire in Wire::ALL {
        let stub = WireStub::builder()
            .turn(half_arguments())
            .turn("Sorry.")
            .start();

        let rig = on(Library::Rig, wire);
        let seen = rig.tool_loop(&stub, Form::Streamed, Wants::Answer).await;

        assert_eq!(
            (seen.content, seen.failure),
            (vec![json!({"text": "Sorry."})], None)
        );
        let told = r#"The arguments for tool `weather` are not a JSON object: {"city": "Par. Call the tool again with a JSON object as its arguments."#;
        let failed = wire == Wire::Anthropic;
        let result = ("toolu_1".to_owned(), told.to_owned(), failed);
        assert_eq!(results(&stub.request(1)), [result]);
        stub.verify();
    }
}

/// On Anthropic its own comment says that the service wants an object there; `null` is replaced by one, a string is
/// not. On Chat the arguments are JSON in a string, and it puts the string that they are into another one.
#[tokio::test]
async fn a_loop_over_genai_sends_half_arguments_back_as_a_string() {
    for wire in Wire::ALL {
        let stub = WireStub::builder()
            .turn(half_arguments())
            .turn("Sorry.")
            .without_rules()
            .start();

        let genai = on(Library::Genai, wire);
        let seen = genai.tool_loop(&stub, Form::Streamed, Wants::Answer).await;

        assert_eq!(seen.content, [json!({"text": "Sorry."})]);
        let request = stub.request(1);
        let messages = &request.json()["messages"];
        match wire {
            Wire::Anthropic => {
                assert_eq!(messages[1]["content"][0]["input"], r#"{"city": "Par"#);
            }
            Wire::Responses => {
                let input = &request.json()["input"];
                assert_eq!(input[1]["arguments"], r#""{\"city\": \"Par""#);
            }
            Wire::Chat => {
                let function = &messages[2]["tool_calls"][0]["function"];
                assert_eq!(function["arguments"], r#""{\"city\": \"Par""#);
            }
        }
        stub.verify();
    }
}

/// The call is whole, the answer is not.
fn lost_end() -> Turn {
    let call = Turn::new().tool_call_with_id("toolu_1", TOOL, json!({"city": "Oslo"}));
    call.fault(Fault::EofBeforeTerminal)
}

#[tokio::test]
async fn rigs_agent_fails_loudly_when_the_stream_ends_behind_a_call() {
    for wire in Wire::ALL {
        let stub = WireStub::builder().turn(lost_end()).start();

        let rig = on(Library::Rig, wire);
        let seen = rig.tool_loop(&stub, Form::Streamed, Wants::Answer).await;

        let failure = Failure {
            kind: "Report",
            text: "ResponseError: the reply ended before the provider ended it".to_owned(),
            ..Failure::default()
        };
        assert_eq!(seen, Seen::failed(Vec::new(), failure));
        assert_eq!(stub.requests().len(), 1);
        stub.verify();
    }
}

/// No call, no text, no error: to the loop it looks as if the model had nothing more to say.
#[tokio::test]
async fn a_loop_over_genai_ends_with_an_empty_answer_when_the_stream_ends_behind_a_call() {
    for wire in Wire::ALL {
        let stub = WireStub::builder().turn(lost_end()).start();

        let genai = on(Library::Genai, wire);
        let seen = genai.tool_loop(&stub, Form::Streamed, Wants::Answer).await;

        assert_eq!((&seen.content, &seen.stop), (&Vec::new(), &None));
        assert_eq!(seen.failure, None);
        assert_eq!(stub.requests().len(), 1);
        stub.verify();
    }
}

/// The service keeps the conversation: a request has only what is new, and what it answered is fetched again.
#[tokio::test]
async fn a_loop_over_async_openai_sends_only_what_is_new() {
    let stub = WireStub::builder()
        .turn(first())
        .turn("Sunny in both.")
        .start();

    let kept = async_openai::kept(&stub).await;

    assert_eq!(kept.answer, kept.fetched);
    assert_eq!(kept.last.content, [json!({"text": "Sunny in both."})]);
    let [paris, lodz] = ids(Wire::Responses);
    let sent = stub.request(1).json()["input"].clone();
    let output = |id: &str, output: &str| json!({"type": "function_call_output", "call_id": id, "output": output});
    let results = [
        output(&paris, "sunny in Paris"),
        output(&lodz, "sunny in Łódź"),
    ];
    assert_eq!(sent, json!(results));
    // newest first; of each item it reads type and id only, for it takes all of them for references
    let items = kept.asked.as_array().expect("items").iter();
    let types: Vec<_> = items
        .map(|item| {
            assert!(item["id"].is_string());
            assert_eq!(item.as_object().expect("an item").len(), 2);
            item["type"].as_str().expect("a type")
        })
        .collect();
    let (output, call) = ("function_call_output", "function_call");
    assert_eq!(types, [output, output, call, call, "message", "message"]);
    assert!(kept.deleted);
    assert_eq!((kept.gone.kind, kept.gone.status), ("ApiError", Some(404)));
    stub.verify();
}
