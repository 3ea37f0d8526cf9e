//! `async-openai` on Chat Completions. It gives chunks and joins nothing, so that is done here as its examples do it. It shows
//! no thinking: Chat has none.

use std::collections::BTreeMap;

use async_openai::types::chat::{
    ChatCompletionRequestUserMessage, ChatCompletionStreamOptions, CreateChatCompletionRequest,
    CreateChatCompletionStreamResponse, FinishReason,
};
use futures_util::StreamExt as _;
use llm_wire_stub::conformance::Transcript;
use llm_wire_stub_interop::CHAT_MODEL;

use super::{arguments, async_openai_client, said};

pub(crate) async fn ask(base_url: String) -> Result<Transcript, String> {
    let request = CreateChatCompletionRequest {
        messages: vec![ChatCompletionRequestUserMessage::from("hello").into()],
        model: CHAT_MODEL.to_owned(),
        stream_options: Some(ChatCompletionStreamOptions {
            include_usage: Some(true),
            ..ChatCompletionStreamOptions::default()
        }),
        ..CreateChatCompletionRequest::default()
    };
    let client = async_openai_client(base_url);
    let mut chunks = client.chat().create_stream(request).await.map_err(said)?;
    let mut read = Read::default();
    while let Some(chunk) = chunks.next().await {
        read.add(chunk.map_err(said)?);
    }
    read.transcript()
}

#[derive(Default)]
struct Read {
    text: String,
    /// By index: id, name, arguments.
    calls: BTreeMap<u32, (String, String, String)>,
    stop: Option<FinishReason>,
    usage: (u64, u64),
}

impl Read {
    fn add(&mut self, chunk: CreateChatCompletionStreamResponse) {
        if let Some(usage) = chunk.usage {
            self.usage = (usage.prompt_tokens.into(), usage.completion_tokens.into());
        }
        for choice in chunk.choices {
            self.text += choice.delta.content.as_deref().unwrap_or_default();
            for part in choice.delta.tool_calls.unwrap_or_default() {
                let call = self.calls.entry(part.index).or_default();
                let function = part.function.unwrap_or_default();
                call.0 += part.id.as_deref().unwrap_or_default();
                call.1 += function.name.as_deref().unwrap_or_default();
                call.2 += function.arguments.as_deref().unwrap_or_default();
            }
            self.stop = choice.finish_reason.or(self.stop);
        }
    }

    fn transcript(self) -> Result<Transcript, String> {
        let mut calls = Vec::new();
        for (id, name, sent) in self.calls.into_values() {
            calls.push((id, name, arguments(&sent)?));
        }
        let stop = self.stop.map(|stop| format!("{stop:?}"));
        Ok(Transcript::text(self.text)
            .tool_calls(calls)
            .stop_reason(stop)
            .usage(self.usage.0, self.usage.1))
    }
}
