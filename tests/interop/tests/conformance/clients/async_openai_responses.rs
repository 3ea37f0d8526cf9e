//! `async-openai` on Responses. It gives events and joins nothing, so that is done here as its examples do it: text as it
//! comes, calls and thinking from the items that are done, the rest from the last event. It shows everything.

use async_openai::types::responses::{
    CreateResponse, InputParam, OutputItem, Response, ResponseStreamEvent, SummaryPart,
};
use futures_util::StreamExt as _;
use llm_wire_stub::conformance::Transcript;
use llm_wire_stub_interop::RESPONSES_MODEL;

use super::{arguments, async_openai_client, said};

pub(crate) async fn ask(base_url: String) -> Result<Transcript, String> {
    let request = CreateResponse {
        model: Some(RESPONSES_MODEL.to_owned()),
        input: InputParam::Text("hello".to_owned()),
        ..CreateResponse::default()
    };
    let client = async_openai_client(base_url);
    let responses = client.responses();
    let mut events = responses.create_stream(request).await.map_err(said)?;
    let mut read = Read::default();
    while let Some(event) = events.next().await {
        read.add(event.map_err(said)?)?;
    }
    read.transcript()
}

#[derive(Default)]
struct Read {
    text: String,
    items: Vec<OutputItem>,
    last: Option<Response>,
}

impl Read {
    fn add(&mut self, event: ResponseStreamEvent) -> Result<(), String> {
        match event {
            ResponseStreamEvent::ResponseOutputTextDelta(event) => self.text += &event.delta,
            ResponseStreamEvent::ResponseOutputItemDone(event) => self.items.push(event.item),
            ResponseStreamEvent::ResponseCompleted(event) => self.last = Some(event.response),
            ResponseStreamEvent::ResponseIncomplete(event) => self.last = Some(event.response),
            ResponseStreamEvent::ResponseFailed(event) => {
                return Err(format!("the response failed: {:?}", event.response.error));
            }
            ResponseStreamEvent::ResponseError(event) => return Err(event.message),
            _ => {}
        }
        Ok(())
    }

    fn transcript(self) -> Result<Transcript, String> {
        let (mut thinking, mut calls) = (String::new(), Vec::new());
        for item in &self.items {
            match item {
                OutputItem::FunctionCall(call) => {
                    let read = arguments(&call.arguments)?;
                    calls.push((call.call_id.clone(), call.name.clone(), read));
                }
                OutputItem::Reasoning(item) => {
                    for SummaryPart::SummaryText(part) in &item.summary {
                        thinking += &part.text;
                    }
                }
                _ => {}
            }
        }
        let last = self.last.as_ref();
        let usage = last.and_then(|response| response.usage.as_ref());
        let (input, output) =
            usage.map_or((0, 0), |usage| (usage.input_tokens, usage.output_tokens));
        Ok(Transcript::text(self.text)
            .thinking(thinking)
            .tool_calls(calls)
            .stop_reason(last.map(|response| format!("{:?}", response.status)))
            .usage(input.into(), output.into()))
    }
}
