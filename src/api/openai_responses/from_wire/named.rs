//! The parts that may say a recorded item by name. Whether they do is found out by saying them.

use serde_json::{Value, json};

use super::{Item, texts};
use crate::{
    api::sketch::{items, string},
    script::{Arguments, Fragments, ScriptedPart, ServerTool, ServerToolSays},
};

impl Item {
    /// The parts; none for an item that has no name. Behind a text another one would be the same message.
    pub(super) fn by_name(&self, behind_a_text: bool) -> Option<Vec<ScriptedPart>> {
        let item: Value = serde_json::from_str(self.whole()).ok()?;
        let part = match item.get("type")?.as_str()? {
            "message" if behind_a_text => return None,
            "message" => return texts::by_name(self),
            "reasoning" => self.reasoning(&item)?,
            "function_call" => ScriptedPart::ToolCall {
                id: Some(text(&item, "call_id")?),
                name: text(&item, "name")?,
                arguments: Arguments::raw(self.streamed(&item, "arguments")?),
                caller: None,
                fragments: self.fragments(),
            },
            "custom_tool_call" => ScriptedPart::CustomToolCall {
                id: Some(text(&item, "call_id")?),
                name: text(&item, "name")?,
                input: self.streamed(&item, "input")?.into(),
                fragments: self.fragments(),
            },
            "web_search_call" => self.server_tool(web_search(&item), &item),
            "mcp_call" => self.server_tool(self.mcp(&item)?, &item),
            "compaction" => ScriptedPart::Compaction {
                content: String::new(),
                encrypted_content: Some(text(&item, "encrypted_content")?),
            },
            // ids of files and containers are drawn, so that these are said as they are
            _ => return None,
        };
        Some(vec![part])
    }

    /// What is streamed of it: whole, or as much as came.
    fn streamed(&self, item: &Value, name: &str) -> Option<String> {
        if self.is_done() {
            text(item, name)
        } else {
            Some(self.pieces().concat())
        }
    }

    pub(super) fn fragments(&self) -> Option<Fragments> {
        let pieces = self.pieces();
        (!pieces.is_empty()).then(|| Fragments::pieces(pieces))
    }

    /// What was thought, in one summary.
    fn reasoning(&self, item: &Value) -> Option<ScriptedPart> {
        let mut summaries = items(item.get("summary"));
        let said = match (summaries.next(), summaries.next()) {
            (None, _) => self.pieces().concat(),
            (Some(summary), None) => text(summary, "text")?,
            (Some(_), Some(_)) => return None,
        };
        let encrypted = match item.get("encrypted_content") {
            // its last form never came
            Some(_) if !self.is_done() => None,
            encrypted => Some(string(encrypted)),
        };
        let is_encrypted = encrypted.as_deref() != Some("");
        Some(if said.is_empty() && is_encrypted {
            ScriptedPart::RedactedThinking { data: encrypted }
        } else {
            ScriptedPart::Thinking {
                text: said.into(),
                signature: encrypted,
                ends_empty: None,
                fragments: self.fragments(),
            }
        })
    }

    fn server_tool(&self, tool: ServerTool, item: &Value) -> ScriptedPart {
        let tool = tool.id(string(item.get("id")));
        ScriptedPart::ServerTool {
            tool: Box::new(tool),
            says: ServerToolSays::CallAndResult,
            fragments: self.fragments(),
        }
    }

    fn mcp(&self, item: &Value) -> Option<ServerTool> {
        let arguments = Arguments::raw(self.streamed(item, "arguments")?);
        let (server, name) = (text(item, "server_label")?, text(item, "name")?);
        let tool = ServerTool::mcp(server, name, arguments, string(item.get("output")));
        Some(match text(item, "error") {
            Some(error) => tool.error(error),
            None => tool,
        })
    }
}

fn web_search(item: &Value) -> ServerTool {
    let action = item.get("action").unwrap_or(&Value::Null);
    let pages = items(action.get("sources")).map(|page| ("", string(page.get("url"))));
    let tool = ServerTool::web_search(&string(action.get("query")), pages);
    match item.get("status") == Some(&json!("failed")) {
        true => tool.error("failed"),
        false => tool,
    }
}

fn text(item: &Value, name: &str) -> Option<String> {
    item.get(name)?.as_str().map(str::to_owned)
}
