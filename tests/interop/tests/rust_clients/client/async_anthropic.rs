//! `async-anthropic` 0.6. It has neither an accumulator nor a tool loop, so both are here, in the plain way.

use std::{collections::BTreeMap, time::Duration};

use async_anthropic::{
    Client,
    errors::AnthropicError,
    types::{
        ContentBlockDelta, CreateMessagesRequest, CreateMessagesRequestBuilder, Message,
        MessageBuilder, MessageContent, MessageContentList, MessageRole, MessagesStreamEvent,
        ToolResult, Usage,
    },
};
use backoff::ExponentialBackoff;
use futures_util::StreamExt as _;
use llm_wire_stub::StubHandle;
use llm_wire_stub_interop::MODEL;
use serde_json::{Map, Value, json};

use super::{Failure, Form, KEY, Seen, TOOL, TOOL_DESCRIPTION, call, schema, text, weather};

/// Without retries: by default it goes on for a quarter of an hour.
fn client(stub: &StubHandle) -> Client {
    client_that_waits(stub, Duration::ZERO)
}

/// A client that tries again, after hardly any pause, for as long as this. A base URL can be set on the
/// builder only, and the builder's version is empty unless it is set too.
pub(crate) fn client_that_waits(stub: &StubHandle, limit: Duration) -> Client {
    let backoff = ExponentialBackoff {
        initial_interval: Duration::from_millis(1),
        max_elapsed_time: Some(limit),
        ..ExponentialBackoff::default()
    };
    let mut builder = Client::builder();
    builder
        .base_url(stub.anthropic_url())
        .api_key(KEY)
        .version("2023-06-01")
        .backoff(backoff);
    builder.build().expect("a client")
}

fn request(messages: Vec<Message>) -> CreateMessagesRequestBuilder {
    let mut request = CreateMessagesRequestBuilder::default();
    request
        .model(MODEL)
        .max_tokens(1024)
        .system("Be brief.")
        .messages(messages);
    request
}

fn hello() -> Vec<Message> {
    vec![Message::from("hello")]
}

pub(super) async fn ask(stub: &StubHandle, form: Form) -> Seen {
    let request = request(hello()).build().expect("a request");
    exchange(&client(stub), form, request).await.0
}

/// The call, and the blocks as the client wants them back.
async fn exchange(
    client: &Client,
    form: Form,
    request: CreateMessagesRequest,
) -> (Seen, Vec<MessageContent>) {
    match form {
        Form::Whole => match client.messages().create(request).await {
            Ok(response) => {
                let mut kept = usage(response.usage.as_ref());
                kept["id"] = json!(response.id);
                kept["model"] = json!(response.model);
                let blocks = response.content.unwrap_or_default();
                let seen = Seen {
                    content: content(&blocks),
                    stop: response.stop_reason,
                    kept,
                    failure: None,
                };
                (seen, blocks)
            }
            Err(error) => (Seen::failed(Vec::new(), failure(&error)), Vec::new()),
        },
        Form::Streamed => {
            let mut stream = client.messages().create_stream(request).await;
            let mut joined = Joined::default();
            while let Some(event) = stream.next().await {
                match event {
                    Ok(event) => joined.add(event),
                    Err(error) => {
                        let arrived = content(&joined.blocks());
                        return (Seen::failed(arrived, failure(&error)), Vec::new());
                    }
                }
            }
            let blocks = joined.blocks();
            joined.seen.content = content(&blocks);
            (joined.seen, blocks)
        }
    }
}

/// The events of a stream, joined as far as the client's types go.
#[derive(Default)]
struct Joined {
    blocks: BTreeMap<usize, (MessageContent, String)>,
    seen: Seen,
}

impl Joined {
    fn add(&mut self, event: MessagesStreamEvent) {
        match event {
            MessagesStreamEvent::MessageStart { message, .. } => {
                self.seen.kept = usage(message.usage.as_ref());
                self.seen.kept["id"] = json!(message.id);
                self.seen.kept["model"] = json!(message.model);
            }
            MessagesStreamEvent::ContentBlockStart {
                index,
                content_block,
            } => {
                self.blocks.insert(index, (content_block, String::new()));
            }
            MessagesStreamEvent::ContentBlockDelta { index, delta } => {
                let (_, grown) = self.blocks.get_mut(&index).expect("a started block");
                let (ContentBlockDelta::TextDelta { text: more }
                | ContentBlockDelta::InputJsonDelta { partial_json: more }) = delta;
                grown.push_str(&more);
            }
            MessagesStreamEvent::MessageDelta { delta, usage } => {
                self.seen.stop = delta.stop_reason;
                if let Some(usage) = usage {
                    self.seen.kept["output"] = json!(usage.output_tokens);
                }
            }
            MessagesStreamEvent::ContentBlockStop { .. } | MessagesStreamEvent::MessageStop => {}
        }
    }

    fn blocks(&self) -> Vec<MessageContent> {
        let blocks = self.blocks.values().map(|(block, grown)| {
            let mut block = block.clone();
            match &mut block {
                MessageContent::Text(text) => text.text.push_str(grown),
                MessageContent::ToolUse(tool_use) if !grown.is_empty() => {
                    tool_use.input =
                        serde_json::from_str(grown).unwrap_or_else(|_| json!({"not JSON": grown}));
                }
                MessageContent::ToolUse(_) | MessageContent::ToolResult(_) => {}
            }
            block
        });
        blocks.collect()
    }
}

pub(super) async fn begin(stub: &StubHandle) -> Box<dyn Send> {
    let request = request(hello()).build().expect("a request");
    let mut stream = client(stub).messages().create_stream(request).await;
    while let Some(event) = stream.next().await {
        if let MessagesStreamEvent::ContentBlockDelta { .. } = event.expect("no error yet") {
            return Box::new(stream);
        }
    }
    panic!("the stream ended before its first text");
}

pub(super) async fn tool_loop(stub: &StubHandle, form: Form) -> Seen {
    let tool = json!({"name": TOOL, "description": TOOL_DESCRIPTION, "input_schema": schema()});
    let Value::Object(tool) = tool else {
        unreachable!("an object");
    };
    let tools: Vec<Map<String, Value>> = vec![tool];
    let client = client(stub);
    let mut messages = hello();
    loop {
        let mut request = request(messages.clone());
        let request = request.tools(tools.clone()).build().expect("a request");
        let (seen, blocks) = exchange(&client, form, request).await;
        let calls = blocks.iter().filter_map(MessageContent::as_tool_use);
        let results: Vec<MessageContent> = calls
            .map(|call| {
                let answer = weather(&call.input);
                let result = ToolResult {
                    tool_use_id: call.id.clone(),
                    is_error: answer.is_err(),
                    content: Some(answer.unwrap_or_else(|error| error)),
                };
                result.into()
            })
            .collect();
        if results.is_empty() {
            return seen;
        }
        messages.push(message(MessageRole::Assistant, blocks));
        messages.push(message(MessageRole::User, results));
    }
}

fn message(role: MessageRole, content: Vec<MessageContent>) -> Message {
    let mut message = MessageBuilder::default();
    message.role(role).content(MessageContentList(content));
    message.build().expect("a message")
}

fn usage(usage: Option<&Usage>) -> Value {
    json!({
        "input": usage.and_then(|usage| usage.input_tokens),
        "output": usage.and_then(|usage| usage.output_tokens),
    })
}

fn content(blocks: &[MessageContent]) -> Vec<Value> {
    let parts = blocks.iter().map(|block| match block {
        MessageContent::Text(block) => text(&block.text),
        MessageContent::ToolUse(block) => call(&block.id, &block.name, &block.input),
        MessageContent::ToolResult(block) => panic!("the model answers a call: {block:?}"),
    });
    parts.collect()
}

pub(crate) fn failure(error: &AnthropicError) -> Failure {
    let (kind, body) = match error {
        AnthropicError::NetworkError(_) => ("NetworkError", None),
        AnthropicError::BadRequest(body) => ("BadRequest", Some(body)),
        AnthropicError::ApiError(body) => ("ApiError", Some(body)),
        AnthropicError::Unauthorized => ("Unauthorized", None),
        AnthropicError::DeserializationError(_) => ("DeserializationError", None),
        AnthropicError::Unknown(body) => ("Unknown", Some(body)),
        AnthropicError::UnexpectedError => ("UnexpectedError", None),
        AnthropicError::StreamError(_) => ("StreamError", None),
    };
    Failure {
        kind,
        body: body.cloned(),
        text: error.to_string(),
        ..Failure::default()
    }
}

/// The items of a stream whose reader does not stop at an error, as words.
pub(crate) async fn items_past_errors(stub: &StubHandle) -> Vec<String> {
    let request = request(hello()).build().expect("a request");
    let mut stream = client(stub).messages().create_stream(request).await;
    let mut items = Vec::new();
    while let Some(item) = stream.next().await {
        items.push(match item {
            Ok(MessagesStreamEvent::MessageStart { .. }) => "start".to_owned(),
            Ok(MessagesStreamEvent::MessageStop) => "stop".to_owned(),
            Ok(MessagesStreamEvent::ContentBlockDelta {
                delta: ContentBlockDelta::TextDelta { text },
                ..
            }) => text,
            Ok(_) => continue,
            Err(error) => error.to_string(),
        });
    }
    items
}

/// Asks once, and again for up to a minute where the client tries again.
pub(crate) async fn ask_for_a_minute(stub: &StubHandle, form: Form) -> Seen {
    let client = client_that_waits(stub, Duration::from_secs(60));
    let request = request(hello()).build().expect("a request");
    exchange(&client, form, request).await.0
}

/// Asks with nothing set but what leads to the stub.
pub(crate) async fn ask_with_the_builders_defaults(stub: &StubHandle) {
    let mut builder = Client::builder();
    builder.base_url(stub.anthropic_url()).api_key(KEY);
    let client = builder.build().expect("a client");
    let request = request(hello()).build().expect("a request");
    let answer = client.messages().create(request).await;
    answer.expect("an answer");
}
