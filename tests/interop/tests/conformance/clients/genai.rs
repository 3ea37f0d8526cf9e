//! `genai`, with every capture of a stream turned on: all but text comes with its end event. It shows everything. A stream
//! that ends without that event is no error to it: what is left then is the text that came.

use futures_util::StreamExt as _;
use genai::{
    Client, ModelIden, ServiceTarget,
    adapter::AdapterKind,
    chat::{ChatMessage, ChatOptions, ChatRequest, ChatStreamEvent, StreamEnd},
    resolver::{AuthData, Endpoint},
};
use llm_wire_stub::{Api, conformance::Transcript};
use llm_wire_stub_interop::{CHAT_MODEL, MODEL, RESPONSES_MODEL};
use serde_json::Value;

use super::{KEY, said};

pub(crate) async fn ask(api: Api, base_url: String) -> Result<Transcript, String> {
    let (adapter, url, model) = match api {
        Api::AnthropicMessages => (AdapterKind::Anthropic, format!("{base_url}/v1/"), MODEL),
        Api::OpenAiChat => (AdapterKind::OpenAI, format!("{base_url}/"), CHAT_MODEL),
        _ => (
            AdapterKind::OpenAIResp,
            format!("{base_url}/"),
            RESPONSES_MODEL,
        ),
    };
    let target = ServiceTarget {
        endpoint: Endpoint::from_owned(url),
        auth: AuthData::from_single(KEY),
        model: ModelIden::new(adapter, model),
    };
    let options = ChatOptions::default()
        .with_max_tokens(1024)
        .with_capture_content(true)
        .with_capture_reasoning_content(true)
        .with_capture_tool_calls(true)
        .with_capture_usage(true);
    let request = ChatRequest::default().append_message(ChatMessage::user("hello"));
    let client = Client::new().map_err(said)?;
    let response = client.exec_chat_stream(target, request, Some(&options));
    let mut events = response.await.map_err(said)?.stream;
    let (mut text, mut thinking, mut last) = (String::new(), String::new(), None);
    while let Some(event) = events.next().await {
        match event.map_err(said)? {
            ChatStreamEvent::Chunk(chunk) => text += &chunk.content,
            ChatStreamEvent::ReasoningChunk(chunk) => thinking += &chunk.content,
            ChatStreamEvent::End(end) => last = Some(end),
            _ => {}
        }
    }
    transcript(text, thinking, last.unwrap_or_default())
}

fn transcript(text: String, thinking: String, end: StreamEnd) -> Result<Transcript, String> {
    let mut calls = Vec::new();
    for call in end.captured_tool_calls().unwrap_or_default() {
        // arguments that are no JSON are a string to it
        if let Value::String(sent) = &call.fn_arguments {
            return Err(format!("arguments that are no object: {sent}"));
        }
        let (id, name) = (call.call_id.clone(), call.fn_name.clone());
        calls.push((id, name, call.fn_arguments.clone()));
    }
    let usage = end.captured_usage.unwrap_or_default();
    let tokens = |tokens: Option<i32>| u64::try_from(tokens.unwrap_or_default()).map_err(said);
    let stop = end.captured_stop_reason.map(|reason| format!("{reason:?}"));
    Ok(Transcript::text(text)
        .thinking(thinking)
        .tool_calls(calls)
        .stop_reason(stop)
        .usage(
            tokens(usage.prompt_tokens)?,
            tokens(usage.completion_tokens)?,
        ))
}
