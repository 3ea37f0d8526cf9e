//! Responses. The client joins nothing and has no tool loop: a stream is taken for what its last event says, as its
//! examples do, and what came before that event is joined by hand.

use std::collections::BTreeMap;

use async_openai::{
    Client,
    config::OpenAIConfig,
    types::responses::{
        CreateResponse, EasyInputMessage, FunctionCallOutput, FunctionCallOutputItemParam,
        FunctionTool, FunctionToolCall, IncludeEnum, InputItem, InputParam, Item, OutputItem,
        OutputMessageContent, Response, ResponseFormatJsonSchema, ResponseStreamEvent,
        ResponseTextParam, ResponseUsage, SummaryPart, TextResponseFormatConfiguration, Tool,
    },
};
use futures_util::StreamExt as _;
use llm_wire_stub::StubHandle;
use serde_json::{Value, json};

use super::{
    super::{
        Failure, TOOL, TOOL_DESCRIPTION, Wire, best, call, cited, other, schema, thinking, weather,
    },
    Form, Seen, Wants, client, failure,
};

fn hello() -> Vec<InputItem> {
    let message = EasyInputMessage {
        content: "hello".into(),
        ..EasyInputMessage::default()
    };
    vec![message.into()]
}

fn request(input: Vec<InputItem>) -> CreateResponse {
    CreateResponse {
        model: Some(Wire::Responses.model().to_owned()),
        instructions: Some("Be brief.".to_owned()),
        max_output_tokens: Some(1024),
        input: InputParam::Items(input),
        ..CreateResponse::default()
    }
}

fn wanted(input: Vec<InputItem>, wants: Wants) -> CreateResponse {
    let mut request = request(input);
    match wants {
        Wants::Answer => {}
        Wants::Thinking => request.include = Some(vec![IncludeEnum::ReasoningEncryptedContent]),
        Wants::Structured => {
            let schema = ResponseFormatJsonSchema {
                name: "best".to_owned(),
                schema: best(),
                strict: Some(true),
                ..ResponseFormatJsonSchema::default()
            };
            request.text = Some(ResponseTextParam {
                format: TextResponseFormatConfiguration::JsonSchema(schema),
                verbosity: None,
            });
        }
    }
    request
}

pub(super) async fn ask(client: &Client<OpenAIConfig>, form: Form, wants: Wants) -> Seen {
    exchange(client, form, wanted(hello(), wants)).await.0
}

pub(super) async fn whole_answer(client: &Client<OpenAIConfig>) -> Value {
    let request = CreateResponse {
        model: Some(Wire::Responses.model().to_owned()),
        input: InputParam::Text("hello".to_owned()),
        ..CreateResponse::default()
    };
    json!(client.responses().create(request).await.expect("an answer"))
}

/// The call, and the items of the answer.
async fn exchange(
    client: &Client<OpenAIConfig>,
    form: Form,
    request: CreateResponse,
) -> (Seen, Vec<OutputItem>) {
    match form {
        Form::Whole => match client.responses().create(request).await {
            Ok(response) => (seen(&response), response.output),
            Err(error) => (Seen::failed(Vec::new(), failure(&error)), Vec::new()),
        },
        Form::Streamed => {
            let mut stream = match client.responses().create_stream(request).await {
                Ok(stream) => stream,
                Err(error) => return (Seen::failed(Vec::new(), failure(&error)), Vec::new()),
            };
            let mut joined = Joined::default();
            while let Some(event) = stream.next().await {
                match event {
                    Ok(event) => joined.add(event),
                    Err(error) => {
                        let arrived = joined.content();
                        return (Seen::failed(arrived, failure(&error)), Vec::new());
                    }
                }
            }
            joined.finish()
        }
    }
}

/// The events of a stream, joined.
#[derive(Default)]
struct Joined {
    /// Items that are done, and texts that are not.
    items: BTreeMap<u32, OutputItem>,
    texts: BTreeMap<u32, String>,
    last: Option<Response>,
    error: Option<Failure>,
}

impl Joined {
    fn add(&mut self, event: ResponseStreamEvent) {
        match event {
            ResponseStreamEvent::ResponseOutputTextDelta(event) => {
                let text = self.texts.entry(event.output_index).or_default();
                text.push_str(&event.delta);
            }
            ResponseStreamEvent::ResponseOutputItemDone(event) => {
                self.texts.remove(&event.output_index);
                self.items.insert(event.output_index, event.item);
            }
            ResponseStreamEvent::ResponseCompleted(event) => self.last = Some(event.response),
            ResponseStreamEvent::ResponseIncomplete(event) => self.last = Some(event.response),
            ResponseStreamEvent::ResponseFailed(event) => self.last = Some(event.response),
            ResponseStreamEvent::ResponseError(event) => {
                self.error = Some(Failure {
                    kind: "ResponseStreamEvent::ResponseError",
                    body: Some(json!({"error": event}).to_string()),
                    text: event.message,
                    ..Failure::default()
                });
            }
            _ => {}
        }
    }

    fn content(&self) -> Vec<Value> {
        let done = self.items.values().cloned().collect::<Vec<_>>();
        let mut parts = content(&done);
        parts.extend(self.texts.values().map(|text| json!({"text": text})));
        parts
    }

    fn finish(self) -> (Seen, Vec<OutputItem>) {
        let arrived = self.content();
        if let Some(error) = self.error {
            return (Seen::failed(arrived, error), Vec::new());
        }
        let Some(response) = self.last else {
            // all that a user has is what arrived
            let seen = Seen {
                content: arrived,
                ..Seen::default()
            };
            return (seen, Vec::new());
        };
        let items: Vec<_> = self.items.into_values().collect();
        assert_eq!(response.output, items, "the last event says something else");
        (seen(&response), items)
    }
}

fn seen(response: &Response) -> Seen {
    let mut kept = usage(response.usage.as_ref());
    kept["id"] = json!(response.id);
    kept["model"] = json!(response.model);
    let details = response.incomplete_details.as_ref();
    Seen {
        content: content(&response.output),
        stop: Some(match details {
            Some(details) => format!("{:?}: {}", response.status, details.reason),
            None => format!("{:?}", response.status),
        }),
        kept,
        failure: response.error.as_ref().map(|error| Failure {
            kind: "Response::error",
            body: Some(json!({"error": error}).to_string()),
            text: error.message.clone(),
            ..Failure::default()
        }),
    }
}

fn content(items: &[OutputItem]) -> Vec<Value> {
    let mut parts = Vec::new();
    for item in items {
        match item {
            OutputItem::Message(message) => parts.extend(message.content.iter().map(said)),
            OutputItem::FunctionCall(one) => {
                let sent = &one.arguments;
                let arguments =
                    serde_json::from_str(sent).unwrap_or_else(|_| json!({"not JSON": sent}));
                parts.push(call(&one.call_id, &one.name, &arguments));
            }
            OutputItem::Reasoning(item) => {
                let summary = item.summary.iter();
                let texts: Vec<&str> = summary
                    .map(|SummaryPart::SummaryText(part)| part.text.as_str())
                    .collect();
                let signature = item.encrypted_content.as_deref();
                parts.push(thinking(&texts.join("\n\n"), signature));
            }
            item => parts.push(other(&json!(item))),
        }
    }
    parts
}

fn said(part: &OutputMessageContent) -> Value {
    match part {
        OutputMessageContent::Refusal(part) => json!({"refusal": part.refusal}),
        OutputMessageContent::OutputText(part) => {
            // the members of a citation are private: what it serializes as is all that can be got at
            let citations = part.annotations.iter().map(|annotation| {
                let sent = json!(annotation);
                let span = (&sent["start_index"], &sent["end_index"]);
                json!({"url": sent["url"], "title": sent["title"], "span": span})
            });
            cited(&part.text, citations.collect())
        }
    }
}

pub(super) async fn begin(client: &Client<OpenAIConfig>) -> Box<dyn Send> {
    let stream = client.responses().create_stream(request(hello())).await;
    let mut stream = stream.expect("a stream");
    while let Some(event) = stream.next().await {
        if let ResponseStreamEvent::ResponseOutputTextDelta(_) = event.expect("no error yet") {
            return Box::new(stream);
        }
    }
    panic!("the stream ended before its first text");
}

fn tool() -> Tool {
    Tool::Function(FunctionTool {
        name: TOOL.to_owned(),
        description: Some(TOOL_DESCRIPTION.to_owned()),
        parameters: Some(schema()),
        ..FunctionTool::default()
    })
}

/// The result of a call, as an item of the next request.
fn answered(call: FunctionToolCall) -> InputItem {
    let arguments = serde_json::from_str(&call.arguments);
    let answer = weather(&arguments.unwrap_or_default());
    let output = FunctionCallOutputItemParam {
        call_id: Some(call.call_id),
        // there is no place to say that it failed
        output: FunctionCallOutput::Text(answer.unwrap_or_else(|error| error)),
        id: None,
        status: None,
        name: None,
        namespace: None,
        caller: None,
    };
    Item::from(output).into()
}

pub(super) async fn tool_loop(client: &Client<OpenAIConfig>, form: Form, wants: Wants) -> Seen {
    let tool = tool();
    let mut input = hello();
    loop {
        let mut request = wanted(input.clone(), wants);
        request.tools = Some(vec![tool.clone()]);
        let (seen, items) = exchange(client, form, request).await;
        let calls: Vec<FunctionToolCall> = items
            .iter()
            .filter_map(|item| match item {
                OutputItem::FunctionCall(call) => Some(call.clone()),
                _ => None,
            })
            .collect();
        if calls.is_empty() {
            return seen;
        }
        input.extend(items.into_iter().map(InputItem::from));
        input.extend(calls.into_iter().map(answered));
    }
}

/// What the client made of responses that the service keeps.
pub(crate) struct Kept {
    /// Of the first answer, as it came and as it was fetched.
    pub(crate) answer: Value,
    pub(crate) fetched: Value,
    /// The items of the request that the second answer is to.
    pub(crate) asked: Value,
    pub(crate) last: Seen,
    pub(crate) deleted: bool,
    /// What is said once it is deleted.
    pub(crate) gone: Failure,
}

/// A tool loop that sends only what is new, by way of `previous_response_id`.
pub(crate) async fn kept(stub: &StubHandle) -> Kept {
    let client = client(stub);
    let responses = client.responses();
    let tool = tool();
    let mut first = request(hello());
    first.tools = Some(vec![tool.clone()]);
    let answer = responses.create(first).await.expect("a call");
    let fetched = responses.retrieve(&answer.id).await.expect("kept");
    let results = answer.output.iter().filter_map(|item| match item {
        OutputItem::FunctionCall(call) => Some(answered(call.clone())),
        _ => None,
    });
    let mut second = request(results.collect());
    second.tools = Some(vec![tool]);
    second.previous_response_id = Some(answer.id.clone());
    let last = responses.create(second).await.expect("an answer");
    let asked = responses.list_input_items(&last.id).await.expect("kept");
    let deleted = responses.delete(&answer.id).await.expect("it is there");
    let gone = responses.retrieve(&answer.id).await;
    Kept {
        answer: json!(answer),
        fetched: json!(fetched),
        asked: json!(asked.data),
        last: seen(&last),
        deleted: deleted.deleted,
        gone: failure(&gone.expect_err("it was deleted")),
    }
}

fn usage(usage: Option<&ResponseUsage>) -> Value {
    json!({
        "input": usage.map(|usage| usage.input_tokens),
        "output": usage.map(|usage| usage.output_tokens),
        "cache_read": usage.map(|usage| usage.input_tokens_details.cached_tokens),
        "cache_creation": usage.map(|usage| usage.input_tokens_details.cache_write_tokens),
        "thinking": usage.map(|usage| usage.output_tokens_details.reasoning_tokens),
    })
}
