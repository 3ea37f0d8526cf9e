//! Members of a wrong type, of a value that the service does not know, and what a model does not support.

use serde_json::{Map, Value};

use super::{Place, Violation, input::input};
use crate::{
    api::{
        openai::members::{missing, no_boolean, tool_name, unknown_value, unsupported_temperature},
        openai_responses::word,
        sketch::items,
    },
    script::ApiError,
};

pub(super) fn field_types(body: &Map<String, Value>) -> Option<Violation> {
    let error = no_boolean(body, "stream")?;
    Some(Place::Member.broken(error))
}

pub(super) fn tool_names(body: &Map<String, Value>) -> Option<Violation> {
    let mut tools = items(body.get("tools")).enumerate();
    tools.find_map(|(n, tool)| {
        let name = Some(tool).filter(|tool| word(tool, "type") == "function")?;
        let error = tool_name(&format!("tools[{n}].name"), word(name, "name"))?;
        Some(Place::Tool(n).broken(error))
    })
}

pub(super) fn temperature_support(body: &Map<String, Value>) -> Option<Violation> {
    const TEXT: &str = "Unsupported parameter: 'temperature' is not supported with this model.";
    unsupported_temperature(body)?;
    Some(Place::Member.refused(TEXT).about("temperature"))
}

/// A schema for the answer has a name.
pub(super) fn format_name(body: &Map<String, Value>) -> Option<Violation> {
    let format = body.get("text")?.get("format")?;
    let nameless = word(format, "type") == "json_schema" && format.get("name").is_none();
    nameless.then(|| Place::Format.broken(missing("text.format.name")))
}

/// The items that are messages.
fn messages(body: &Map<String, Value>) -> impl Iterator<Item = (usize, &Value)> {
    input(body).filter(|(_, item)| matches!(word(item, "type"), "" | "message"))
}

/// The roles that there are: a tool's is Chat's.
pub(super) fn roles(body: &Map<String, Value>) -> Option<Violation> {
    const KNOWN: [&str; 4] = ["assistant", "system", "developer", "user"];
    const LISTED: &str = "'assistant', 'system', 'developer', and 'user'";
    messages(body).find_map(|(n, item)| {
        let role = item.get("role")?.as_str()?;
        let refused = || unknown_value(&format!("input[{n}]"), role, LISTED);
        (!KNOWN.contains(&role)).then(|| Place::Item(n).broken(refused()))
    })
}

/// The kinds of content that there are, and those that the model says.
pub(super) fn content_types(body: &Map<String, Value>) -> Option<Violation> {
    messages(body).find_map(|(n, item)| {
        let mut contents = items(item.get("content")).enumerate();
        let error = contents.find_map(|(at, content)| {
            let kind = content.get("type")?.as_str()?;
            wrong_content(
                &format!("input[{n}].content[{at}]"),
                word(item, "role"),
                kind,
            )
        });
        Some(Place::Item(n).broken(error?))
    })
}

fn wrong_content(place: &str, role: &str, kind: &str) -> Option<ApiError> {
    /// More than the service lists, so that nothing is refused that may pass.
    const KNOWN: [&str; 11] = [
        "computer_screenshot",
        "encrypted_content",
        "input_audio",
        "input_file",
        "input_image",
        "input_text",
        "output_text",
        "reasoning_text",
        "refusal",
        "scoped_content",
        "summary_text",
    ];
    const LISTED: &str = "'input_text', 'input_image', 'output_text', 'refusal', 'input_file', \
        'computer_screenshot', and 'summary_text'";
    if !KNOWN.contains(&kind) {
        return Some(unknown_value(&format!("{place}.type"), kind, LISTED));
    }
    let is_input = matches!(kind, "input_text" | "input_image" | "input_file");
    let said = || unknown_value(place, kind, "'output_text' and 'refusal'");
    (role == "assistant" && is_input).then(said)
}
