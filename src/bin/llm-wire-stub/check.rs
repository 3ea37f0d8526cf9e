//! `check`: reads a recorded answer strictly, and says what is in it.

use std::{
    fmt::Write as _,
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use llm_wire_stub::{Api, Part, Reply, accumulate, accumulate_json};
use serde_json::{Value, json};

use crate::{
    UNUSABLE, fail,
    message::{self, Folded},
    print,
};

const EXAMPLES: &str = "\
Examples:
  llm-wire-stub check --api anthropic_messages answer.sse
  llm-wire-stub check --api openai_chat --json answer.sse | jq .tool_calls
  curl -N … | llm-wire-stub check --api openai_responses -

Exit status:
  0  the answer is whole and well-formed
  1  it is not, or it is the provider's error; stderr says which event, at which byte, what was expected and found
  2  it could not be read, or the command line is wrong";

/// Decode and accumulate a recorded answer: the body of a stream, or of an answer that did not stream.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Check {
    /// Whose answer it is: anthropic_messages, openai_chat, openai_responses or openai_completions.
    #[arg(long, value_name = "NAME")]
    api: Api,
    /// Print one JSON object: text, thinking, tool_calls, stop_reason, usage, events, message.
    #[arg(long)]
    json: bool,
    /// The recorded bytes; `-` is stdin.
    file: PathBuf,
}

const MALFORMED: u8 = 1;

impl Check {
    pub(crate) fn run(&self) -> ExitCode {
        let name = self.file.display();
        let body = match read(&self.file) {
            Ok(body) => body,
            Err(error) => {
                let help = "help: give the path of a file that holds the body of one answer";
                return fail(UNUSABLE, &format!("cannot read {name}: {error}\n  {help}"));
            }
        };
        // no line of an event stream begins so
        let streamed = !body.trim_ascii_start().starts_with(b"{");
        let read = if streamed {
            accumulate
        } else {
            accumulate_json
        };
        let reply = match read(self.api, &body) {
            Ok(reply) => reply,
            Err(error) => {
                // its help is for those who call the library
                let error = error.to_string();
                let said = error.split("\n  help: ").next().unwrap_or(&error);
                return fail(MALFORMED, &format!("{name}: {said}"));
            }
        };
        let folded = if streamed {
            message::of_stream(self.api, &body)
        } else {
            message::of_body(&body)
        };
        let checked = Checked {
            api: self.api,
            reply,
            folded,
        };
        let shown = if self.json {
            format!("{}\n", checked.to_json())
        } else {
            checked.summary()
        };
        match print(shown) {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => fail(UNUSABLE, &why),
        }
    }
}

fn read(file: &Path) -> io::Result<Vec<u8>> {
    if file == Path::new("-") {
        let mut body = Vec::new();
        io::stdin().read_to_end(&mut body)?;
        return Ok(body);
    }
    fs::read(file)
}

/// A whole answer.
struct Checked {
    api: Api,
    reply: Reply,
    folded: Folded,
}

impl Checked {
    fn to_json(&self) -> Value {
        json!({
            "api": self.api.name(),
            "text": self.reply.text(),
            "thinking": self.reply.thinking(),
            "tool_calls": self.tool_calls(),
            "stop_reason": self.stop_reason(),
            "usage": self.folded.usage,
            "events": self.folded.events,
            "message": self.folded.message,
        })
    }

    /// The calls of the client's tools, in order; a custom tool's input is any text.
    fn tool_calls(&self) -> Vec<Value> {
        let calls = self.reply.parts.iter().filter_map(|part| {
            if let Some(call) = part.as_tool_call() {
                let (id, name, arguments) = (&call.id, &call.name, &call.arguments);
                return Some(json!({"id": id, "name": name, "arguments": arguments}));
            }
            let call = part.as_custom_tool_call()?;
            Some(json!({"id": call.id, "name": call.name, "arguments": call.input, "custom": true}))
        });
        calls.collect()
    }

    /// As it was sent.
    fn stop_reason(&self) -> &Value {
        let path = match self.api {
            Api::AnthropicMessages => "/stop_reason",
            Api::OpenAiResponses => "/status",
            _ => "/choices/0/finish_reason",
        };
        self.folded.message.pointer(path).unwrap_or(&Value::Null)
    }

    /// For a person: what is there, and how much of it.
    fn summary(&self) -> String {
        let mut lines = String::new();
        let mut line = |name: &str, said: String| {
            let _ = writeln!(lines, "{name:<18} {said}");
        };
        let events = match self.folded.events {
            0 => "a body without a stream".to_owned(),
            1 => "1 event".to_owned(),
            many => format!("{many} events"),
        };
        line(self.api.name(), format!("whole, {events}"));
        line("model", self.reply.model.clone());
        for (nth, part) in self.reply.parts.iter().enumerate() {
            line(&format!("part #{}", nth + 1), said(part));
        }
        for (nth, choice) in self.reply.other_choices.iter().enumerate() {
            for part in &choice.parts {
                line(&format!("choice #{}", nth + 2), said(part));
            }
        }
        line(
            "stop reason",
            self.stop_reason().as_str().unwrap_or("none").to_owned(),
        );
        line("usage", self.folded.usage.to_string());
        lines
    }
}

/// A part in one line.
fn said(part: &Part) -> String {
    match part {
        Part::Text(text) => format!("text {}", excerpt(text)),
        Part::CitedText { text, citations } => {
            format!("text {}, {} citations", excerpt(text), citations.len())
        }
        Part::Thinking { text, .. } => format!("thinking {}", excerpt(text)),
        Part::RedactedThinking { data } => format!("redacted thinking, {} bytes", data.len()),
        Part::ToolCall(call) => format!("call {} {} {}", call.id, call.name, call.arguments),
        Part::CustomToolCall(call) => {
            format!("call {} {} {}", call.id, call.name, excerpt(&call.input))
        }
        Part::ServerToolCall(call) => {
            format!("call of the provider's {} {}", call.name, call.arguments)
        }
        Part::ServerToolResult(result) => {
            let content = excerpt(&result.content.to_string());
            format!("result of the provider's {} {content}", result.kind)
        }
        other => excerpt(&format!("{other:?}")),
    }
}

/// The beginning, in quotes, and how long the whole is.
fn excerpt(text: &str) -> String {
    const SHOWN: usize = 60;
    let all = text.chars().count();
    if all <= SHOWN {
        return format!("{text:?}");
    }
    let start: String = text.chars().take(SHOWN).collect();
    format!("{start:?}… of {all} characters")
}
