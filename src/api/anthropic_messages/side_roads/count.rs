//! The token count: `{"input_tokens":14}` and nothing else (known from traffic).

use std::sync::Arc;

use serde_json::Value;

use crate::{
    api::side_roads::{Members, Said},
    json::{self, Spacing},
    request::{MessagePart, RecordedRequest},
};

/// What is answered to a request to count tokens.
#[derive(Clone, Default)]
pub(crate) enum TokenCount {
    /// [`estimate`].
    #[default]
    Estimated,
    Fixed(u64),
    By(Arc<Counter>),
}

pub(crate) type Counter = dyn Fn(&RecordedRequest) -> u64 + Send + Sync;

impl TokenCount {
    /// Runs user code.
    pub(crate) fn answer(&self, request: &RecordedRequest) -> Said {
        let tokens = match self {
            Self::Estimated => estimate(request),
            Self::Fixed(tokens) => *tokens,
            Self::By(counter) => counter(request),
        };
        let body = Members::new().value("input_tokens", &tokens.into()).end();
        Said::json("the token count", body)
    }
}

/// One token for each four characters of the system prompt, the messages (text, tool calls, tool results)
/// and the tools, and four more for each message and each tool. What is no text, such as an image, counts
/// nothing.
fn estimate(request: &RecordedRequest) -> u64 {
    let characters = |text: &str| text.chars().count();
    let json = |value: &Value| characters(&json::to_string(value, Spacing::Spaced));
    let parts = request.messages().iter().flat_map(|message| &message.parts);
    let said = parts.map(|part| match part {
        MessagePart::Text(text) => characters(text),
        MessagePart::ToolCall {
            name, arguments, ..
        } => characters(name) + json(arguments),
        MessagePart::ToolResult(result) => characters(result.text()),
        MessagePart::Thinking { .. } | MessagePart::Other(_) => 0,
    });
    let tools = request.tools().iter().map(|tool| {
        characters(&tool.name) + characters(&tool.description) + json(&tool.input_schema)
    });
    let system = request.system().map_or(0, characters);
    let all = system + said.sum::<usize>() + tools.sum::<usize>();
    let items = request.messages().len() + request.tools().len();
    u64::try_from(all.div_ceil(4) + 4 * items).unwrap_or(u64::MAX)
}
