//! Chat Completions. The client has neither an accumulator nor a tool loop, so both are here, in the plain way.

use std::collections::BTreeMap;

use async_openai::{
    Client,
    config::OpenAIConfig,
    types::chat::{
        ChatCompletionMessageToolCall, ChatCompletionMessageToolCalls,
        ChatCompletionRequestAssistantMessage, ChatCompletionRequestMessage,
        ChatCompletionRequestSystemMessage, ChatCompletionRequestToolMessage,
        ChatCompletionRequestUserMessage, ChatCompletionResponseMessage,
        ChatCompletionResponseMessageAnnotation, ChatCompletionStreamOptions, ChatCompletionTool,
        ChatCompletionTools, CompletionUsage, CreateChatCompletionRequest,
        CreateChatCompletionStreamResponse, FinishReason, FunctionObject, ResponseFormat,
        ResponseFormatJsonSchema,
    },
};
use futures_util::StreamExt as _;
use llm_wire_stub_interop::CHAT_MODEL;
use serde_json::{Value, json};

use super::{
    super::{TOOL, TOOL_DESCRIPTION, best, call, cited, schema, weather},
    Form, Seen, Wants, failure,
};

fn hello() -> Vec<ChatCompletionRequestMessage> {
    vec![
        ChatCompletionRequestSystemMessage::from("Be brief.").into(),
        ChatCompletionRequestUserMessage::from("hello").into(),
    ]
}

fn request(messages: Vec<ChatCompletionRequestMessage>, form: Form) -> CreateChatCompletionRequest {
    let usage = ChatCompletionStreamOptions {
        include_usage: Some(true),
        ..ChatCompletionStreamOptions::default()
    };
    CreateChatCompletionRequest {
        messages,
        model: CHAT_MODEL.to_owned(),
        max_completion_tokens: Some(1024),
        stream_options: (form == Form::Streamed).then_some(usage),
        ..CreateChatCompletionRequest::default()
    }
}

pub(super) async fn ask(client: &Client<OpenAIConfig>, form: Form, wants: Wants) -> Seen {
    let mut request = request(hello(), form);
    if wants == Wants::Structured {
        request.response_format = Some(ResponseFormat::JsonSchema {
            json_schema: ResponseFormatJsonSchema {
                name: "best".to_owned(),
                schema: best(),
                strict: Some(true),
                ..ResponseFormatJsonSchema::default()
            },
        });
    }
    exchange(client, form, request).await.0
}

pub(super) async fn whole_answer(client: &Client<OpenAIConfig>) -> Value {
    let request = CreateChatCompletionRequest {
        messages: hello(),
        model: CHAT_MODEL.to_owned(),
        ..CreateChatCompletionRequest::default()
    };
    json!(client.chat().create(request).await.expect("an answer"))
}

/// The message as far as the client's types go.
#[derive(Clone, Default)]
struct Said {
    text: String,
    refusal: String,
    citations: Vec<Value>,
    calls: Vec<ChatCompletionMessageToolCall>,
}

/// The call, and what was said as the client wants it back.
async fn exchange(
    client: &Client<OpenAIConfig>,
    form: Form,
    request: CreateChatCompletionRequest,
) -> (Seen, Said) {
    let failed = |said: &Said, error| {
        let arrived = Seen::failed(said.content(), failure(error));
        (arrived, Said::default())
    };
    match form {
        Form::Whole => match client.chat().create(request).await {
            Ok(response) => {
                let choice = response.choices.into_iter().next().expect("a choice");
                let mut kept = usage(response.usage.as_ref());
                kept["id"] = json!(response.id);
                kept["model"] = json!(response.model);
                let said = Said::from(choice.message);
                (said.seen(choice.finish_reason, kept), said)
            }
            Err(error) => failed(&Said::default(), &error),
        },
        Form::Streamed => {
            let mut stream = match client.chat().create_stream(request).await {
                Ok(stream) => stream,
                Err(error) => return failed(&Said::default(), &error),
            };
            let mut joined = Joined::default();
            while let Some(chunk) = stream.next().await {
                match chunk {
                    Ok(chunk) => joined.add(chunk),
                    Err(error) => return failed(&joined.said(), &error),
                }
            }
            let said = joined.said();
            (said.seen(joined.stop, joined.kept), said)
        }
    }
}

/// The chunks of a stream, joined.
#[derive(Default)]
struct Joined {
    text: String,
    refusal: String,
    calls: BTreeMap<u32, ChatCompletionMessageToolCall>,
    stop: Option<FinishReason>,
    kept: Value,
}

impl Joined {
    fn add(&mut self, chunk: CreateChatCompletionStreamResponse) {
        if self.kept.is_null() {
            self.kept = usage(None);
        }
        if chunk.usage.is_some() {
            self.kept = usage(chunk.usage.as_ref());
        }
        self.kept["id"] = json!(chunk.id);
        self.kept["model"] = json!(chunk.model);
        for choice in chunk.choices {
            let delta = choice.delta;
            self.text += delta.content.as_deref().unwrap_or_default();
            self.refusal += delta.refusal.as_deref().unwrap_or_default();
            for part in delta.tool_calls.unwrap_or_default() {
                let call = self.calls.entry(part.index).or_default();
                let function = part.function.unwrap_or_default();
                call.id += part.id.as_deref().unwrap_or_default();
                call.function.name += function.name.as_deref().unwrap_or_default();
                call.function.arguments += function.arguments.as_deref().unwrap_or_default();
            }
            self.stop = choice.finish_reason.or(self.stop);
        }
    }

    fn said(&self) -> Said {
        Said {
            text: self.text.clone(),
            refusal: self.refusal.clone(),
            // a delta has no member for them
            citations: Vec::new(),
            calls: self.calls.values().cloned().collect(),
        }
    }
}

impl From<ChatCompletionResponseMessage> for Said {
    fn from(message: ChatCompletionResponseMessage) -> Self {
        let annotations = message.annotations.unwrap_or_default().into_iter();
        let citations = annotations.map(|annotation| {
            let ChatCompletionResponseMessageAnnotation::UrlCitation { url_citation } = annotation;
            let span = (url_citation.start_index, url_citation.end_index);
            json!({"url": url_citation.url, "title": url_citation.title, "span": span})
        });
        let calls = message.tool_calls.unwrap_or_default().into_iter();
        Self {
            text: message.content.unwrap_or_default(),
            refusal: message.refusal.unwrap_or_default(),
            citations: citations.collect(),
            calls: calls
                .map(|call| match call {
                    ChatCompletionMessageToolCalls::Function(call) => call,
                    ChatCompletionMessageToolCalls::Custom(call) => {
                        panic!("nobody offered it\n  found: `{call:?}`")
                    }
                })
                .collect(),
        }
    }
}

impl Said {
    fn content(&self) -> Vec<Value> {
        let mut parts = Vec::new();
        if !self.text.is_empty() {
            parts.push(cited(&self.text, self.citations.clone()));
        }
        if !self.refusal.is_empty() {
            parts.push(json!({"refusal": self.refusal}));
        }
        let calls = self.calls.iter().map(|one| {
            let sent = &one.function.arguments;
            let arguments =
                serde_json::from_str(sent).unwrap_or_else(|_| json!({"not JSON": sent}));
            call(&one.id, &one.function.name, &arguments)
        });
        parts.extend(calls);
        parts
    }

    fn seen(&self, stop: Option<FinishReason>, kept: Value) -> Seen {
        Seen {
            content: self.content(),
            stop: stop.map(|stop| format!("{stop:?}")),
            kept,
            failure: None,
        }
    }

    /// In the next request.
    fn sent_back(&self) -> ChatCompletionRequestAssistantMessage {
        let calls = self.calls.iter().cloned();
        ChatCompletionRequestAssistantMessage {
            content: (!self.text.is_empty()).then(|| self.text.as_str().into()),
            refusal: (!self.refusal.is_empty()).then(|| self.refusal.clone()),
            tool_calls: Some(
                calls
                    .map(ChatCompletionMessageToolCalls::Function)
                    .collect(),
            ),
            ..ChatCompletionRequestAssistantMessage::default()
        }
    }
}

pub(super) async fn begin(client: &Client<OpenAIConfig>) -> Box<dyn Send> {
    let request = request(hello(), Form::Streamed);
    let stream = client.chat().create_stream(request).await;
    let mut stream = stream.expect("a stream");
    while let Some(chunk) = stream.next().await {
        let choices = chunk.expect("no error yet").choices.into_iter();
        let mut texts = choices.filter_map(|choice| choice.delta.content);
        if texts.any(|text| !text.is_empty()) {
            return Box::new(stream);
        }
    }
    panic!("the stream ended before its first text");
}

pub(super) async fn tool_loop(client: &Client<OpenAIConfig>, form: Form) -> Seen {
    let tool = ChatCompletionTools::Function(ChatCompletionTool {
        function: FunctionObject {
            name: TOOL.to_owned(),
            description: Some(TOOL_DESCRIPTION.to_owned()),
            parameters: Some(schema()),
            strict: None,
        },
    });
    let mut messages = hello();
    loop {
        let mut request = request(messages.clone(), form);
        request.tools = Some(vec![tool.clone()]);
        let (seen, said) = exchange(client, form, request).await;
        if said.calls.is_empty() {
            return seen;
        }
        messages.push(said.sent_back().into());
        for call in &said.calls {
            let arguments = serde_json::from_str(&call.function.arguments);
            let answer = weather(&arguments.unwrap_or_default());
            let message = ChatCompletionRequestToolMessage {
                // there is no place to say that it failed
                content: answer.unwrap_or_else(|error| error).into(),
                tool_call_id: call.id.clone(),
            };
            messages.push(message.into());
        }
    }
}

fn usage(usage: Option<&CompletionUsage>) -> Value {
    let prompt = usage.and_then(|usage| usage.prompt_tokens_details.as_ref());
    let completion = usage.and_then(|usage| usage.completion_tokens_details.as_ref());
    json!({
        "input": usage.map(|usage| usage.prompt_tokens),
        "output": usage.map(|usage| usage.completion_tokens),
        "cache_read": prompt.and_then(|details| details.cached_tokens),
        "cache_creation": prompt.and_then(|details| details.cache_write_tokens),
        "thinking": completion.and_then(|details| details.reasoning_tokens),
    })
}
