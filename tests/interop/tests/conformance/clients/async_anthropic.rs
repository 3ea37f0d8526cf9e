//! `async-anthropic`. It gives events and joins nothing, so that is done here in the plain way. It knows no thinking: its
//! types have none, and a block of it fails the call.

use std::{collections::BTreeMap, time::Duration};

use async_anthropic::{
    Client,
    types::{
        ContentBlockDelta, CreateMessagesRequestBuilder, Message, MessageContent,
        MessagesStreamEvent,
    },
};
use backoff::ExponentialBackoff;
use futures_util::StreamExt as _;
use llm_wire_stub::conformance::Transcript;
use llm_wire_stub_interop::MODEL;

use super::{KEY, arguments, said};

pub(crate) async fn ask(base_url: String) -> Result<Transcript, String> {
    let request = CreateMessagesRequestBuilder::default()
        .model(MODEL)
        .max_tokens(1024)
        .messages(vec![Message::from("hello")])
        .build()
        .map_err(said)?;
    let mut events = client(base_url)?.messages().create_stream(request).await;
    let mut read = Read::default();
    while let Some(event) = events.next().await {
        read.add(event.map_err(said)?);
    }
    read.transcript()
}

/// Without retries: by default it goes on for a quarter of an hour.
fn client(base_url: String) -> Result<Client, String> {
    let backoff = ExponentialBackoff {
        initial_interval: Duration::from_millis(1),
        max_elapsed_time: Some(Duration::ZERO),
        ..ExponentialBackoff::default()
    };
    let mut builder = Client::builder();
    builder
        .base_url(base_url)
        .api_key(KEY)
        .version("2023-06-01")
        .backoff(backoff);
    builder.build().map_err(said)
}

#[derive(Default)]
struct Read {
    /// By index, each with what its fragments say.
    blocks: BTreeMap<usize, (MessageContent, String)>,
    stop: Option<String>,
    usage: (u64, u64),
}

impl Read {
    fn add(&mut self, event: MessagesStreamEvent) {
        match event {
            MessagesStreamEvent::MessageStart { message, .. } => {
                let input = message.usage.and_then(|usage| usage.input_tokens);
                self.usage.0 = input.unwrap_or_default().into();
            }
            MessagesStreamEvent::ContentBlockStart {
                index,
                content_block,
            } => {
                self.blocks.insert(index, (content_block, String::new()));
            }
            MessagesStreamEvent::ContentBlockDelta { index, delta } => {
                let (ContentBlockDelta::TextDelta { text: more }
                | ContentBlockDelta::InputJsonDelta { partial_json: more }) = delta;
                if let Some((_, grown)) = self.blocks.get_mut(&index) {
                    *grown += &more;
                }
            }
            MessagesStreamEvent::MessageDelta { delta, usage } => {
                self.stop = delta.stop_reason;
                let output = usage.and_then(|usage| usage.output_tokens);
                self.usage.1 = output.unwrap_or_default().into();
            }
            MessagesStreamEvent::ContentBlockStop { .. } | MessagesStreamEvent::MessageStop => {}
        }
    }

    fn transcript(self) -> Result<Transcript, String> {
        let (mut text, mut calls) = (String::new(), Vec::new());
        for (block, grown) in self.blocks.into_values() {
            match block {
                MessageContent::Text(block) => text += &(block.text + &grown),
                MessageContent::ToolUse(block) => {
                    calls.push((block.id, block.name, arguments(&grown)?));
                }
                MessageContent::ToolResult(_) => {}
            }
        }
        Ok(Transcript::text(text)
            .tool_calls(calls)
            .stop_reason(self.stop)
            .usage(self.usage.0, self.usage.1))
    }
}
