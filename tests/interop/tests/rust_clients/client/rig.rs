//! `rig-core` 0.44 on its bundled `reqwest`; loops by `rig-agent` 0.44.

use std::pin::pin;

use futures_util::StreamExt as _;
use llm_wire_stub::{Dialect, StubHandle};
use rig_agent::{Agent, AgentBuilder, agent::MultiTurnStreamItem, completion::PromptError};
use rig_core::{
    DynModel, ProviderError,
    completion::{CompletionRequest, CompletionResponse, Usage},
    error::ErrorReport,
    message::{AssistantContent, Citation, SourceLocation, Text, ToolName},
    operation::Completion,
    providers::{
        anthropic::AnthropicConfig,
        openai::{OpenAIConfig, Route, wire as dialects},
        xai,
    },
    streaming::{Item, StreamEvent},
    tool::{DynamicTool, ToolExecutionError, ToolOutput},
};
use serde_json::{Value, json};

use super::{
    EMBEDDING_MODEL, Embedded, Failure, Form, KEY, Seen, TOOL, TOOL_DESCRIPTION, Wants, Wire, best,
    call, cited, other, schema, thinking, weather,
};

fn model(wire: Wire, stub: &StubHandle) -> DynModel<Completion> {
    let openai = |route| {
        let config = OpenAIConfig::new(KEY).with_base_url(stub.openai_url());
        let client = config.with_route(route).client();
        client.completion(wire.model()).erase()
    };
    match wire {
        Wire::Anthropic => {
            let config = AnthropicConfig::new(KEY).with_base_url(stub.anthropic_url());
            config.client().completion(wire.model()).erase()
        }
        Wire::Chat => openai(Route::Chat),
        Wire::Responses => openai(Route::Responses),
    }
}

fn thinking_on(wire: Wire) -> Value {
    match wire {
        Wire::Anthropic => json!({"thinking": {"type": "enabled", "budget_tokens": 1024}}),
        Wire::Chat => json!({}),
        Wire::Responses => json!({"include": ["reasoning.encrypted_content"]}),
    }
}

fn request(wire: Wire, wants: Wants) -> CompletionRequest {
    let request = CompletionRequest::new("hello").preamble("Be brief.");
    match wants {
        Wants::Answer => request.max_tokens(1024),
        Wants::Thinking => request
            .max_tokens(2048)
            .additional_params(thinking_on(wire)),
        Wants::Structured => {
            let mut request = request.max_tokens(1024);
            request.output_schema = serde_json::from_value(best()).expect("a schema");
            request
        }
    }
}

pub(super) async fn ask(wire: Wire, stub: &StubHandle, form: Form, wants: Wants) -> Seen {
    ask_model(&model(wire, stub), form, request(wire, wants)).await
}

/// Asks a vendor, by the client's own form of it.
pub(super) async fn ask_vendor(stub: &StubHandle, vendor: Dialect, form: Form) -> Seen {
    let dialect = match vendor {
        Dialect::OpenRouter => &dialects::OPENROUTER,
        Dialect::Azure => &dialects::AZURE,
        Dialect::DeepSeek => &dialects::DEEPSEEK,
        Dialect::Groq => &dialects::GROQ,
        Dialect::Mistral => &dialects::MISTRAL,
        Dialect::Perplexity => &dialects::PERPLEXITY,
        Dialect::Xai => &xai::DIALECT,
        Dialect::Together => &dialects::TOGETHER,
        Dialect::Ollama => &dialects::OLLAMA,
        // it has none for the others
        _ => &dialects::OPENAI,
    };
    let url = match vendor {
        // Azure's is a deployment of its older API; to the others it adds the version itself
        Dialect::Azure | Dialect::Mistral | Dialect::Xai | Dialect::Together => stub.url(),
        vendor => stub.dialect_url(vendor),
    };
    let config = OpenAIConfig::with_key(dialect, KEY).with_base_url(url);
    let client = config.with_route(Route::Chat).client();
    let model = client.completion(Wire::Chat.model()).erase();
    ask_model(&model, form, request(Wire::Chat, Wants::Answer)).await
}

async fn ask_model(model: &DynModel<Completion>, form: Form, request: CompletionRequest) -> Seen {
    match form {
        Form::Whole => match model.call(request).await {
            Ok(response) => seen(&response),
            Err(error) => Seen::failed(Vec::new(), failure(&error)),
        },
        Form::Streamed => {
            let mut stream = match model.stream(request) {
                Ok(stream) => stream,
                Err(error) => return Seen::failed(Vec::new(), failure(&error)),
            };
            while let Some(item) = stream.next().await {
                if let Err(error) = item {
                    return Seen::failed(content(&stream.partial().choice), failure(&error));
                }
            }
            match stream.finish().await {
                Ok(response) => seen(&response),
                Err(error) => Seen::failed(Vec::new(), failure(&error)),
            }
        }
    }
}

pub(super) async fn begin(wire: Wire, stub: &StubHandle) -> Box<dyn Send> {
    let stream = model(wire, stub).stream(request(wire, Wants::Answer));
    let mut stream = stream.expect("a stream");
    while let Some(item) = stream.next().await {
        if let Item::Event(StreamEvent::Text { .. }) = item.expect("no error yet") {
            return Box::new(stream);
        }
    }
    panic!("the stream ended before its first text");
}

/// The route that the client takes unless told otherwise.
pub(crate) async fn ask_openai_by_default(stub: &StubHandle) {
    let config = OpenAIConfig::new(KEY).with_base_url(stub.openai_url());
    let model = config.client().completion(Wire::Responses.model());
    let answer = model.call(request(Wire::Responses, Wants::Answer)).await;
    answer.expect("an answer");
}

pub(super) async fn model_ids(wire: Wire, stub: &StubHandle) -> Vec<String> {
    let listed = match wire {
        Wire::Anthropic => {
            let config = AnthropicConfig::new(KEY).with_base_url(stub.anthropic_url());
            config.client().list_models().await
        }
        Wire::Chat | Wire::Responses => {
            let config = OpenAIConfig::new(KEY).with_base_url(stub.openai_url());
            config.client().list_models().await
        }
    };
    let models = listed.expect("a list").data.into_iter();
    models.map(|model| model.id).collect()
}

pub(super) async fn embed(
    stub: &StubHandle,
    inputs: Vec<String>,
    dimensions: Option<u16>,
) -> Result<Embedded, Failure> {
    let config = OpenAIConfig::new(KEY).with_base_url(stub.openai_url());
    let model = config.client();
    let model = model.embedding(EMBEDDING_MODEL, dimensions.map(usize::from));
    let response = model.call(inputs).await.map_err(|error| failure(&error))?;
    let vectors = response.embeddings.into_iter();
    // each number is one of 32 bits, and comes as one of 64
    #[allow(clippy::cast_possible_truncation, reason = "no bit of it is lost")]
    let vectors = vectors.map(|one| one.vec.into_iter().map(|number| number as f32).collect());
    Ok(Embedded {
        vectors: vectors.collect(),
        model: response.model,
        tokens: response.usage.input_tokens,
    })
}

fn agent(wire: Wire, stub: &StubHandle, wants: Wants) -> Agent {
    let tool = DynamicTool::new(
        ToolName::new(TOOL).expect("a tool name"),
        TOOL_DESCRIPTION,
        schema(),
        |arguments| {
            Box::pin(async move {
                weather(&arguments)
                    .map(ToolOutput::text)
                    .map_err(ToolExecutionError::other)
            })
        },
    );
    let agent = AgentBuilder::new(model(wire, stub)).preamble("Be brief.");
    let agent = match wants {
        Wants::Answer | Wants::Structured => agent.max_tokens(1024),
        Wants::Thinking => agent.max_tokens(2048).additional_params(thinking_on(wire)),
    };
    agent.dynamic_tool(tool).build()
}

pub(super) async fn tool_loop(wire: Wire, stub: &StubHandle, form: Form, wants: Wants) -> Seen {
    let agent = agent(wire, stub, wants);
    let run = agent.prompt("hello").max_turns(5);
    let finished = match form {
        Form::Whole => run.await,
        Form::Streamed => {
            let mut stream = pin!(run.stream());
            loop {
                match stream.next().await {
                    Some(Ok(MultiTurnStreamItem::FinalResponse(response))) => break Ok(response),
                    Some(Ok(_)) => {}
                    Some(Err(error)) => break Err(error),
                    None => panic!("the run ended without a final response"),
                }
            }
        }
    };
    match finished {
        Ok(response) => Seen {
            content: content(&response.content),
            kept: usage(&response.usage),
            ..Seen::default()
        },
        Err(PromptError::Provider(error)) => Seen::failed(Vec::new(), failure(&error)),
        Err(PromptError::Report(report)) => Seen::failed(Vec::new(), reported(&report)),
        Err(error) => panic!("the loop itself failed: {error}"),
    }
}

fn seen(response: &CompletionResponse) -> Seen {
    let mut kept = usage(&response.usage);
    kept["id"] = json!(response.response_id());
    kept["model"] = json!(response.model());
    Seen {
        content: content(&response.choice),
        stop: response.finish_reason().map(|reason| format!("{reason:?}")),
        kept,
        failure: response.error.as_ref().map(|error| Failure {
            kind: "CompletionResponse::error",
            text: error.clone(),
            ..Failure::default()
        }),
    }
}

fn usage(usage: &Usage) -> Value {
    json!({
        "input": usage.input_tokens,
        "output": usage.output_tokens,
        "cache_read": usage.cached_input_tokens,
        "cache_creation": usage.cache_creation_input_tokens,
        "thinking": usage.reasoning_tokens,
    })
}

fn content(choice: &[AssistantContent]) -> Vec<Value> {
    let parts = choice.iter().map(|part| match part {
        AssistantContent::Text(part) => cited(&part.text, citations(part)),
        AssistantContent::ToolCall(part) => {
            let arguments = match &part.function.invalid_arguments {
                Some(sent) => json!({"invalid": sent, "read": part.function.arguments}),
                None => part.function.arguments_value(),
            };
            call(
                &part.id.to_string(),
                part.function.name.as_ref(),
                &arguments,
            )
        }
        AssistantContent::Reasoning(part) if part.redacted => {
            other(&json!(part.native.as_ref().map(|native| &native.item)))
        }
        AssistantContent::Reasoning(part) => {
            let native = part.native.as_ref();
            let signed = |member: &str| native.and_then(|native| native.item[member].as_str());
            let signature = signed("signature").or_else(|| signed("encrypted_content"));
            thinking(&part.text, signature)
        }
        AssistantContent::Opaque(part) => other(&part.item),
        part => panic!("there is a new part\n  found: `{part:?}`"),
    });
    parts.collect()
}

/// As they came where the client keeps them so, else in its own words.
fn citations(part: &Text) -> Vec<Value> {
    let native = part.native.as_ref();
    if let Some(sent) = native.and_then(|native| native.item["citations"].as_array()) {
        return sent.clone();
    }
    let of_one = |citation: &Citation| {
        let span = citation.span.map(|span| (span.start(), span.end()));
        let source = |source: &rig_core::message::Source| match &source.location {
            SourceLocation::Url { url } => json!({"url": url, "title": source.title, "span": span}),
            location => panic!("another source\n  found: `{location:?}`"),
        };
        citation.sources.iter().map(source).collect::<Vec<_>>()
    };
    part.citations().iter().flat_map(of_one).collect()
}

fn failure(error: &ProviderError) -> Failure {
    let kind = match error {
        ProviderError::Http(_) => "Http",
        ProviderError::Json(_) => "Json",
        ProviderError::Response(_) => "Response",
        ProviderError::Provider(_) => "Provider",
        ProviderError::ProviderResponse(_) => "ProviderResponse",
        ProviderError::InvalidAuthentication(_) => "InvalidAuthentication",
        ProviderError::Truncated => "Truncated",
        ProviderError::Relayed(report) => return reported(report),
        error => panic!("there is a new error\n  found: `{error:?}`"),
    };
    let headers = error.provider_response().and_then(|r| r.headers.as_ref());
    let retry_after = headers.and_then(|headers| headers.get("retry-after"));
    Failure {
        kind,
        status: error.provider_response_status().map(|s| s.as_u16()),
        body: error.provider_response_body().map(str::to_owned),
        request_id: error.provider_request_id().map(str::to_owned),
        retry_after: retry_after.map(|value| value.to_str().expect("ASCII").to_owned()),
        text: error.to_string(),
    }
}

/// An error that came to the agent over its bus.
fn reported(report: &ErrorReport) -> Failure {
    Failure {
        kind: "Report",
        status: report.http_status,
        body: report.provider_response_body().map(str::to_owned),
        request_id: report.request_id.clone(),
        text: report.message.clone(),
        ..Failure::default()
    }
}
