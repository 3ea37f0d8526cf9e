//! `rig-core`, which joins a stream itself: its items are read to the end, and what it finished with is taken. It shows
//! everything.

use futures_util::StreamExt as _;
use llm_wire_stub::{Api, conformance::Transcript};
use llm_wire_stub_interop::{CHAT_MODEL, MODEL, RESPONSES_MODEL};
use rig_core::{
    DynModel,
    completion::{CompletionRequest, CompletionResponse},
    message::AssistantContent,
    operation::Completion,
    providers::{
        anthropic::AnthropicConfig,
        openai::{OpenAIConfig, Route},
    },
};

use super::{KEY, said};

pub(crate) async fn ask(api: Api, base_url: String) -> Result<Transcript, String> {
    let request = CompletionRequest::new("hello").max_tokens(1024);
    let mut stream = model(api, base_url).stream(request).map_err(said)?;
    while let Some(item) = stream.next().await {
        item.map_err(said)?;
    }
    transcript(&stream.finish().await.map_err(said)?)
}

fn model(api: Api, base_url: String) -> DynModel<Completion> {
    let openai = |base_url: String, route, model| {
        let config = OpenAIConfig::new(KEY).with_base_url(base_url);
        config.with_route(route).client().completion(model).erase()
    };
    match api {
        Api::AnthropicMessages => {
            let config = AnthropicConfig::new(KEY).with_base_url(base_url);
            config.client().completion(MODEL).erase()
        }
        Api::OpenAiChat => openai(base_url, Route::Chat, CHAT_MODEL),
        _ => openai(base_url, Route::Responses, RESPONSES_MODEL),
    }
}

fn transcript(response: &CompletionResponse) -> Result<Transcript, String> {
    if let Some(error) = &response.error {
        return Err(error.clone());
    }
    let (mut text, mut thinking, mut calls) = (String::new(), String::new(), Vec::new());
    for part in &response.choice {
        match part {
            AssistantContent::Text(part) => text += &part.text,
            AssistantContent::Reasoning(part) => thinking += &part.text,
            AssistantContent::ToolCall(part) => {
                // its agent runs no such call, and tells the model
                if let Some(sent) = &part.function.invalid_arguments {
                    return Err(format!("arguments that are no JSON object: {sent}"));
                }
                let (id, name) = (part.id.to_string(), part.function.name.to_string());
                calls.push((id, name, part.function.arguments_value()));
            }
            _ => {}
        }
    }
    let usage = &response.usage;
    Ok(Transcript::text(text)
        .thinking(thinking)
        .tool_calls(calls)
        .stop_reason(response.finish_reason().map(|reason| format!("{reason:?}")))
        .usage(
            usage.input_tokens.unwrap_or_default(),
            usage.output_tokens.unwrap_or_default(),
        ))
}
