//! `genai` 0.7.

use futures_util::StreamExt as _;
use genai::{
    Client, Error, ModelIden, ServiceTarget,
    adapter::AdapterKind,
    chat::{
        ChatMessage, ChatOptions, ChatRequest, ChatStreamEvent, ContentPart, JsonSpec,
        MessageContent, ReasoningEffort, StopReason, Tool, ToolCall, ToolResponse, Usage,
    },
    embed::EmbedOptions,
    resolver::{AuthData, Endpoint},
};
use llm_wire_stub::{Dialect, StubHandle};
use serde_json::{Value, json};

use super::{
    EMBEDDING_MODEL, Embedded, Failure, Form, KEY, Seen, TOOL, TOOL_DESCRIPTION, Wants, Wire, best,
    call, other, push_text, schema, text, thinking, weather,
};

/// The client and its target: where genai takes a base URL from.
fn target(wire: Wire, stub: &StubHandle) -> (Client, ServiceTarget) {
    let (adapter, url) = match wire {
        Wire::Anthropic => (
            AdapterKind::Anthropic,
            format!("{}/v1/", stub.anthropic_url()),
        ),
        Wire::Chat => (AdapterKind::OpenAI, format!("{}/", stub.openai_url())),
        Wire::Responses => (AdapterKind::OpenAIResp, format!("{}/", stub.openai_url())),
    };
    let target = ServiceTarget {
        endpoint: Endpoint::from_owned(url),
        auth: AuthData::from_single(KEY),
        model: ModelIden::new(adapter, wire.model()),
    };
    (Client::new().expect("a client"), target)
}

/// With every capture that a stream can make.
fn options(wants: Wants) -> ChatOptions {
    let options = ChatOptions::default()
        .with_capture_content(true)
        .with_capture_reasoning_content(true)
        .with_capture_tool_calls(true)
        .with_capture_usage(true);
    match wants {
        Wants::Answer => options.with_max_tokens(1024),
        Wants::Thinking => options
            .with_max_tokens(2048)
            .with_reasoning_effort(ReasoningEffort::Budget(1024)),
        Wants::Structured => options
            .with_max_tokens(1024)
            .with_response_format(JsonSpec::new("best", best())),
    }
}

fn request() -> ChatRequest {
    ChatRequest::from_system("Be brief.").append_message(ChatMessage::user("hello"))
}

pub(super) async fn ask(wire: Wire, stub: &StubHandle, form: Form, wants: Wants) -> Seen {
    exchange(target(wire, stub), form, wants, request()).await.0
}

/// Asks a vendor, by the client's own adapter for it.
pub(super) async fn ask_vendor(stub: &StubHandle, vendor: Dialect, form: Form) -> Seen {
    let adapter = match vendor {
        Dialect::OpenRouter => AdapterKind::OpenRouter,
        Dialect::DeepSeek => AdapterKind::DeepSeek,
        Dialect::Groq => AdapterKind::Groq,
        Dialect::Mistral => AdapterKind::Mistral,
        Dialect::Xai => AdapterKind::Xai,
        Dialect::Together => AdapterKind::Together,
        // it has none for the others, and Ollama's speaks the API of its own
        _ => AdapterKind::OpenAI,
    };
    let (client, mut target) = target(Wire::Chat, stub);
    target.endpoint = Endpoint::from_owned(format!("{}/", stub.dialect_url(vendor)));
    target.model = ModelIden::new(adapter, Wire::Chat.model());
    exchange((client, target), form, Wants::Answer, request())
        .await
        .0
}

/// The call, and the content as the client wants it back in the next request.
async fn exchange(
    (client, target): (Client, ServiceTarget),
    form: Form,
    wants: Wants,
    request: ChatRequest,
) -> (Seen, MessageContent) {
    match form {
        Form::Whole => match client
            .exec_chat(target, request, Some(&options(wants)))
            .await
        {
            Ok(response) => {
                let mut kept = usage(Some(&response.usage));
                kept["id"] = json!(response.response_id);
                kept["model"] = json!(response.provider_model_iden.model_name.to_string());
                let seen = Seen {
                    content: with_reasoning(
                        content(&response.content),
                        response.reasoning_content.as_deref(),
                    ),
                    stop: response.stop_reason.as_ref().map(stop),
                    kept,
                    failure: None,
                };
                (seen, response.content)
            }
            Err(error) => (
                Seen::failed(Vec::new(), failure(&error)),
                MessageContent::default(),
            ),
        },
        Form::Streamed => {
            let options = options(wants);
            streamed(client, target, request, &options).await
        }
    }
}

async fn streamed(
    client: Client,
    target: ServiceTarget,
    request: ChatRequest,
    options: &ChatOptions,
) -> (Seen, MessageContent) {
    let nothing = MessageContent::default;
    let response = client.exec_chat_stream(target, request, Some(options));
    let mut stream = match response.await {
        Ok(response) => response.stream,
        Err(error) => return (Seen::failed(Vec::new(), failure(&error)), nothing()),
    };
    let mut arrived = Vec::new();
    while let Some(event) = stream.next().await {
        match event {
            Ok(ChatStreamEvent::Chunk(chunk)) => push_text(&mut arrived, &chunk.content),
            Ok(ChatStreamEvent::End(end)) => {
                let captured = end.captured_content.unwrap_or_default();
                let mut kept = usage(end.captured_usage.as_ref());
                kept["id"] = json!(end.captured_response_id);
                let seen = Seen {
                    content: with_reasoning(
                        content(&captured),
                        end.captured_reasoning_content.as_deref(),
                    ),
                    stop: end.captured_stop_reason.as_ref().map(stop),
                    kept,
                    failure: None,
                };
                assert!(stream.next().await.is_none(), "something follows the end");
                return (seen, captured);
            }
            Ok(
                ChatStreamEvent::Start
                | ChatStreamEvent::ReasoningChunk(_)
                | ChatStreamEvent::ThoughtSignatureChunk(_)
                | ChatStreamEvent::ToolCallChunk(_)
                | ChatStreamEvent::Heartbeat,
            ) => {}
            Err(error) => return (Seen::failed(arrived, failure(&error)), nothing()),
        }
    }
    // no error and no end event: all that a user has is what arrived
    let seen = Seen {
        content: arrived,
        ..Seen::default()
    };
    (seen, nothing())
}

pub(super) async fn begin(wire: Wire, stub: &StubHandle) -> Box<dyn Send> {
    let (client, target) = target(wire, stub);
    let options = options(Wants::Answer);
    let response = client.exec_chat_stream(target, request(), Some(&options));
    let mut stream = response.await.expect("a stream").stream;
    while let Some(event) = stream.next().await {
        if let ChatStreamEvent::Chunk(_) = event.expect("no error yet") {
            return Box::new(stream);
        }
    }
    panic!("the stream ended before its first text");
}

pub(super) async fn tool_loop(wire: Wire, stub: &StubHandle, form: Form, wants: Wants) -> Seen {
    let tool = Tool::new(TOOL)
        .with_description(TOOL_DESCRIPTION)
        .with_schema(schema());
    let mut request = request().append_tool(tool);
    loop {
        let (seen, content) = exchange(target(wire, stub), form, wants, request.clone()).await;
        let calls: Vec<ToolCall> = content.tool_calls().into_iter().cloned().collect();
        if calls.is_empty() {
            return seen;
        }
        // a `ToolResponse` cannot say that the tool failed
        let responses = calls.iter().map(|call| {
            let answer = weather(&call.fn_arguments).unwrap_or_else(|error| error);
            ToolResponse::from_tool_call(call, answer)
        });
        let responses = MessageContent::from_tool_responses(responses.collect());
        request = request
            .append_message(ChatMessage::assistant(content))
            .append_message(ChatMessage::tool(responses));
    }
}

/// Variant and word.
fn stop(reason: &StopReason) -> String {
    format!("{reason:?}")
}

fn usage(usage: Option<&Usage>) -> Value {
    let prompt = usage.and_then(|usage| usage.prompt_tokens_details.as_ref());
    let completion = usage.and_then(|usage| usage.completion_tokens_details.as_ref());
    json!({
        "input": usage.and_then(|usage| usage.prompt_tokens),
        "output": usage.and_then(|usage| usage.completion_tokens),
        "cache_read": prompt.and_then(|details| details.cached_tokens),
        "cache_creation": prompt.and_then(|details| details.cache_creation_tokens),
        "thinking": completion.and_then(|details| details.reasoning_tokens),
    })
}

fn content(content: &MessageContent) -> Vec<Value> {
    let mut parts = Vec::new();
    for part in content.parts() {
        match part {
            ContentPart::Text(part) => parts.push(text(part)),
            ContentPart::ToolCall(part) => {
                parts.push(call(&part.call_id, &part.fn_name, &part.fn_arguments));
            }
            // a signature stands before the reasoning that it signs
            ContentPart::ThoughtSignature(part) => parts.push(thinking("", Some(part))),
            ContentPart::ReasoningContent(part) => match parts.last_mut() {
                Some(last) if last["signature"].is_string() && last["thinking"] == "" => {
                    last["thinking"] = json!(part);
                }
                _ => parts.push(thinking(part, None)),
            },
            ContentPart::Custom(part) => parts.push(other(&part.data)),
            part => panic!("there is a new part\n  found: `{part:?}`"),
        }
    }
    parts
}

/// An answer of OpenAI's APIs has its reasoning beside its content, all in one.
fn with_reasoning(mut parts: Vec<Value>, reasoning: Option<&str>) -> Vec<Value> {
    let Some(reasoning) = reasoning else {
        return parts;
    };
    let is_thinking = |part: &Value| part.get("thinking").is_some();
    if parts
        .iter()
        .any(|part| is_thinking(part) && part["thinking"] != "")
    {
        return parts;
    }
    match parts.iter_mut().find(|part| is_thinking(part)) {
        Some(signed) => signed["thinking"] = json!(reasoning),
        None => parts.insert(0, thinking(reasoning, None)),
    }
    parts
}

fn failure(error: &Error) -> Failure {
    let kind = match error {
        Error::WebModelCall { .. } => "WebModelCall",
        Error::WebStream { .. } => "WebStream",
        Error::ChatResponse { .. } => "ChatResponse",
        Error::StreamParse { .. } => "StreamParse",
        Error::JsonValueExt(_) => "JsonValueExt",
        Error::ChatResponseGeneration { .. } => "ChatResponseGeneration",
        error => panic!("there is a new error\n  found: `{error:?}`"),
    };
    let body = match error {
        Error::WebModelCall {
            webc_error: genai::webc::Error::ResponseFailedStatus { body, .. },
            ..
        } => Some(body.clone()),
        Error::ChatResponse { body, .. } => Some(body.to_string()),
        _ => None,
    };
    let header = |name| {
        let value = error.headers()?.get(name)?;
        Some(value.to_str().expect("ASCII").to_owned())
    };
    Failure {
        kind,
        status: error.status().map(|status| status.as_u16()),
        body,
        request_id: header("request-id").or_else(|| header("x-request-id")),
        retry_after: header("retry-after"),
        text: error.to_string(),
    }
}

pub(super) async fn model_ids(wire: Wire, stub: &StubHandle) -> Vec<String> {
    let (client, target) = target(wire, stub);
    let listed = client.all_model_names(target.model.adapter_kind, (target.endpoint, target.auth));
    listed.await.expect("a list")
}

pub(super) async fn embed(
    stub: &StubHandle,
    inputs: Vec<String>,
    dimensions: Option<u16>,
) -> Result<Embedded, Failure> {
    let (client, mut target) = target(Wire::Chat, stub);
    target.model = ModelIden::new(AdapterKind::OpenAI, EMBEDDING_MODEL);
    let options = EmbedOptions {
        dimensions: dimensions.map(usize::from),
        ..EmbedOptions::default()
    };
    let response = client.embed_batch(target, inputs, Some(&options)).await;
    let response = response.map_err(|error| failure(&error))?;
    Ok(Embedded {
        model: Some(response.provider_model_iden.model_name.to_string()),
        tokens: response
            .usage
            .prompt_tokens
            .and_then(|n| u64::try_from(n).ok()),
        vectors: response.into_vectors(),
    })
}

/// The first error of a stream, as the client has it.
pub(crate) async fn stream_error(wire: Wire, stub: &StubHandle) -> Error {
    let (client, target) = target(wire, stub);
    let response = client.exec_chat_stream(target, request(), None);
    let mut stream = response.await.expect("a stream").stream;
    while let Some(event) = stream.next().await {
        if let Err(error) = event {
            return error;
        }
    }
    panic!("the stream ended without an error");
}
