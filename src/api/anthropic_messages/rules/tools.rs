//! The tools that a request offers.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Place, Violation, asked::Asked, asked::word};

/// A tool of the client's own, which needs a schema; those that the service defines have a type.
fn is_custom(tool: &Value) -> bool {
    match tool.get("type") {
        None | Some(Value::Null) => tool.is_object(),
        Some(kind) => kind == "custom",
    }
}

pub(super) fn schema(asked: &Asked<'_>) -> Option<Violation> {
    let mut tools = asked.tools().enumerate();
    let (at, _) = tools.find(|(_, tool)| is_custom(tool) && tool.get("input_schema").is_none())?;
    let text = format!("tools.{at}.custom.input_schema: Field required");
    Some(Place::Tool(at).refused(text))
}

/// Reported in home-assistant/core#147760, zed-industries/zed#40928 and
/// modelcontextprotocol/modelcontextprotocol#1345.
pub(super) fn name_pattern(asked: &Asked<'_>) -> Option<Violation> {
    let mut tools = asked.tools().enumerate();
    let (at, _) = tools.find(|(_, tool)| {
        let name = tool.get("name").and_then(Value::as_str);
        is_custom(tool) && name.is_some_and(|name| !is_name(name))
    })?;
    Some(Place::Tool(at).refused(format!(
        "tools.{at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
    )))
}

fn is_name(name: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (1..=128).contains(&name.len()) && name.chars().all(legal)
}

pub(super) fn unique_names(asked: &Asked<'_>) -> Option<Violation> {
    let mut seen = BTreeSet::new();
    let mut names = asked.tools().map(|tool| word(tool, "name"));
    let twice = names.any(|name| !name.is_empty() && !seen.insert(name));
    twice.then(|| Place::Tools.refused("tools: Tool names must be unique."))
}
