//! Calls of tools, and the results of those that the service runs itself.

use serde_json::Value;

use crate::{
    api::anthropic_messages::{accumulate, era::Envelope, not_the_model},
    json::{self, Spacing, write_str},
    script::{Arguments, Cuts, Era, Json, Part, ServerToolCall, ServerToolResult, ToolCall},
};

pub(super) struct Call {
    pub(super) kind: CallKind,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: Arguments,
    pub(super) caller: Caller,
    /// How the streamed arguments are cut, where the turn says it.
    pub(super) cuts: Option<Cuts>,
}

pub(super) enum CallKind {
    Client,
    Server,
    /// Of this MCP server.
    Mcp(String),
}

pub(super) enum Caller {
    Said(Json),
    /// The model itself, where the era says so.
    Model,
    /// None stands there.
    Unsaid,
}

pub(super) struct ToolResult {
    pub(super) kind: String,
    pub(super) call_id: String,
    /// Where the result itself does not say it.
    pub(super) is_error: Option<bool>,
    /// A JSON document.
    pub(super) content: String,
    pub(super) caller: Caller,
}

impl Call {
    /// The call as it starts in a stream: its arguments come in deltas.
    pub(super) fn write_start(&self, out: &mut Vec<u8>, envelope: &Envelope) {
        self.write(out, "{}", envelope);
    }

    /// The call as it stands in a body.
    pub(super) fn write_whole(&self, out: &mut Vec<u8>, envelope: &Envelope) -> Result<(), String> {
        let text = self.arguments.to_text(Spacing::Compact);
        let input = if text.is_empty() { "{}" } else { text.as_str() };
        serde_json::from_str::<Value>(input)
            .map_err(|error| not_json(&self.name, input, &error))?;
        self.write(out, input, envelope);
        Ok(())
    }

    fn write(&self, out: &mut Vec<u8>, input: &str, envelope: &Envelope) {
        out.extend_from_slice(match self.kind {
            CallKind::Client => br#"{"type":"tool_use","id":"#.as_slice(),
            CallKind::Server => br#"{"type":"server_tool_use","id":"#,
            CallKind::Mcp(_) => br#"{"type":"mcp_tool_use","id":"#,
        });
        write_str(out, &self.id);
        out.extend_from_slice(br#","name":"#);
        write_str(out, &self.name);
        out.extend_from_slice(br#","input":"#);
        out.extend_from_slice(input.as_bytes());
        if let CallKind::Mcp(server) = &self.kind {
            out.extend_from_slice(br#","server_name":"#);
            write_str(out, server);
        }
        self.caller.write(out, envelope);
    }

    /// What a client that loses nothing reads.
    pub(super) fn into_part(self) -> Result<Part, String> {
        if self.id.is_empty() || self.name.is_empty() {
            return Err("a tool call has no id, or no name\n  \
                        help: such a call can be played, but no strict client reads it"
                .to_owned());
        }
        let arguments = parsed(&self.name, &self.arguments)?;
        let caller = self.caller.read();
        let server = match self.kind {
            CallKind::Client => {
                let mut call = ToolCall::new(self.id, self.name, arguments);
                call.caller = caller;
                return Ok(Part::ToolCall(call));
            }
            CallKind::Server => None,
            CallKind::Mcp(server) => Some(server),
        };
        Ok(Part::ServerToolCall(ServerToolCall {
            id: self.id,
            name: self.name,
            server,
            arguments,
            caller,
        }))
    }
}

impl Caller {
    /// The end of a block that may have one.
    fn write(&self, out: &mut Vec<u8>, envelope: &Envelope) {
        match self {
            Self::Said(caller) => {
                out.extend_from_slice(br#","caller":"#);
                out.extend_from_slice(caller.as_str().as_bytes());
            }
            Self::Model if envelope.caller => {
                out.extend_from_slice(br#","caller":{"type":"direct"}"#);
            }
            Self::Model | Self::Unsaid => {}
        }
        out.push(b'}');
    }

    fn read(&self) -> Option<Value> {
        match self {
            Self::Said(caller) => not_the_model(&caller.to_value()),
            Self::Model | Self::Unsaid => None,
        }
    }
}

impl ToolResult {
    /// The result, which stands whole in both forms.
    pub(super) fn write(&self, out: &mut Vec<u8>, envelope: &Envelope) {
        out.extend_from_slice(br#"{"type":"#);
        write_str(out, &self.kind);
        out.extend_from_slice(br#","tool_use_id":"#);
        write_str(out, &self.call_id);
        if let Some(is_error) = self.is_error {
            out.extend_from_slice(if is_error {
                br#","is_error":true"#.as_slice()
            } else {
                br#","is_error":false"#
            });
        }
        out.extend_from_slice(br#","content":"#);
        out.extend_from_slice(self.content.as_bytes());
        self.caller.write(out, envelope);
    }

    /// What a client that loses nothing reads.
    pub(super) fn into_part(self) -> Result<Part, String> {
        if !accumulate::is_result(&self.kind) {
            let mut out = Vec::new();
            self.write(&mut out, Envelope::at(Era::today()));
            let block = Json::spelled(&String::from_utf8_lossy(&out));
            return accumulate::raw_block_to_part(&block, &[]);
        }
        if self.call_id.is_empty() {
            return Err("the result of a tool names no call\n  \
                        help: such a result can be played, but no strict client reads it"
                .to_owned());
        }
        let content = json::parse(self.content.as_bytes()).map_err(|error| {
            format!(
                "no strict client reads the result of a tool: {error}\n  found: `{}`\n  \
                 help: it can be played, but there is no reply that it comes to",
                self.content.escape_debug()
            )
        })?;
        let mut result = ServerToolResult::new(self.call_id, self.kind, self.is_error, content);
        result.caller = self.caller.read();
        Ok(Part::ServerToolResult(result))
    }
}

/// The arguments as they are read: none at all are an empty object.
fn parsed(name: &str, arguments: &Arguments) -> Result<Value, String> {
    let text = arguments.to_text(Spacing::Compact);
    match text.as_str() {
        "" | "null" => Ok(Value::Object(serde_json::Map::new())),
        text => json::parse(text.as_bytes()).map_err(|error| not_json(name, text, &error)),
    }
}

fn not_json(name: &str, text: &str, error: &serde_json::Error) -> String {
    format!(
        "the arguments of `{}` are not JSON: {error}\n  found: `{}`\n  \
         help: broken arguments can only be streamed; here `input` is a JSON value",
        name.escape_debug(),
        text.escape_debug()
    )
}
