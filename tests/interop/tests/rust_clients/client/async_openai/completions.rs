//! Legacy text completions.

use async_openai::types::{
    chat::{CompletionFinishReason, Prompt},
    completions::{CreateCompletionRequest, CreateCompletionResponse},
};
use futures_util::StreamExt as _;
use llm_wire_stub::StubHandle;
use serde_json::{Value, json};

use super::{Form, Seen, client, failure};

/// The model of every completion.
pub(crate) const COMPLETION_MODEL: &str = "gpt-3.5-turbo-instruct";

/// Asks once.
pub(crate) async fn complete(stub: &StubHandle, form: Form) -> Seen {
    let client = client(stub);
    let completions = client.completions();
    let request = CreateCompletionRequest {
        model: COMPLETION_MODEL.to_owned(),
        prompt: Prompt::String("hello".to_owned()),
        ..CreateCompletionRequest::default()
    };
    let mut joined = Joined::default();
    match form {
        Form::Whole => match completions.create(request).await {
            Ok(answer) => joined.add(answer),
            Err(error) => return Seen::failed(Vec::new(), failure(&error)),
        },
        Form::Streamed => {
            let mut stream = match completions.create_stream(request).await {
                Ok(stream) => stream,
                Err(error) => return Seen::failed(Vec::new(), failure(&error)),
            };
            while let Some(chunk) = stream.next().await {
                match chunk {
                    Ok(chunk) => joined.add(chunk),
                    Err(error) => return Seen::failed(joined.content(), failure(&error)),
                }
            }
        }
    }
    Seen {
        content: joined.content(),
        stop: joined.stop.map(|stop| format!("{stop:?}")),
        kept: joined.kept,
        failure: None,
    }
}

#[derive(Default)]
struct Joined {
    text: String,
    stop: Option<CompletionFinishReason>,
    kept: Value,
}

impl Joined {
    fn add(&mut self, part: CreateCompletionResponse) {
        self.kept["id"] = json!(part.id);
        self.kept["model"] = json!(part.model);
        if let Some(usage) = part.usage {
            self.kept["input"] = json!(usage.prompt_tokens);
            self.kept["output"] = json!(usage.completion_tokens);
        }
        for choice in part.choices {
            self.text += &choice.text;
            self.stop = choice.finish_reason.or(self.stop);
        }
    }

    fn content(&self) -> Vec<Value> {
        if self.text.is_empty() {
            return Vec::new();
        }
        vec![json!({"text": self.text})]
    }
}
