//! An item that is whole, of a stream or of a body, to the parts that it comes to.
//!
//! | item | part |
//! | --- | --- |
//! | `message` | one for each of its content: text, or text with citations; a refusal is text too |
//! | `reasoning` | thinking: its summaries, then its content, joined by empty lines; redacted if only `encrypted_content` is there |
//! | `function_call`, `custom_tool_call` | a call; its id is `call_id` |
//! | `web_search_call`, `file_search_call`, `code_interpreter_call`, `mcp_call` | the call of a tool that the provider ran, and its result |
//! | `compaction` | a compaction |
//! | any other | [`Part::Unknown`] |

use serde_json::{Map, Value, json};

use super::{Checked, citation};
use crate::{
    api::{
        accumulate::{AccumulateErrorKind, Found, Members, Problem},
        openai::Characters,
    },
    json,
    script::{CustomToolCall, Part, ServerToolCall, ServerToolResult, ToolCall},
};

/// What stands between two summaries of one reasoning item, once they are one text.
pub(in crate::api::openai_responses) const BETWEEN_SUMMARIES: &str = "\n\n";

/// Whether refusals are what the whole answer says: then their words are its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refuses {
    Yes,
    No,
}

/// Appends the parts of `item`, whose members stand at `path`.
pub(super) fn read(
    item: &Map<String, Value>,
    path: &str,
    refuses: Refuses,
    parts: &mut Vec<Part>,
) -> Checked<()> {
    let members = Members::new(path, item);
    match members.string("type")? {
        "message" => return message(members, refuses, parts),
        "reasoning" => parts.push(reasoning(members)?),
        "function_call" => parts.push(function_call(members)?),
        "custom_tool_call" => parts.push(custom_tool_call(members)?),
        "web_search_call" | "file_search_call" | "code_interpreter_call" | "mcp_call" => {
            let (call, result) = server_tool(members)?;
            parts.push(Part::ServerToolCall(call));
            parts.push(Part::ServerToolResult(result));
        }
        "compaction" => parts.push(Part::Compaction {
            content: None,
            encrypted_content: members
                .string_or_null("encrypted_content")?
                .map(str::to_owned),
        }),
        _ => parts.push(Part::Unknown {
            block: Value::Object(item.clone()),
            deltas: Vec::new(),
        }),
    }
    Ok(())
}

/// Whether the answer of these items says nothing but that it refuses.
pub(super) fn refuse<'a>(items: impl Iterator<Item = &'a Map<String, Value>>) -> Refuses {
    let mut refuses = Refuses::No;
    for item in items {
        match item.get("type").and_then(Value::as_str) {
            Some("message") => {}
            Some("function_call" | "custom_tool_call") => return Refuses::No,
            Some(_) | None => continue,
        }
        let content = item.get("content").and_then(Value::as_array);
        for part in content.into_iter().flatten() {
            match part.get("type").and_then(Value::as_str) {
                Some("refusal") => refuses = Refuses::Yes,
                Some(_) | None => return Refuses::No,
            }
        }
    }
    refuses
}

fn message(message: Members<'_>, refuses: Refuses, parts: &mut Vec<Part>) -> Checked<()> {
    match message.string_or_null("role")? {
        None | Some("assistant") => {}
        Some(_) => return Err(message.wrong("role", "`assistant`")),
    }
    for (n, sent) in message.array("content")?.iter().enumerate() {
        let Value::Object(part) = sent else {
            return Err(message.wrong("content", "an array of objects"));
        };
        let path = format!("{}content[{n}].", message.path());
        let part = Members::new(&path, part);
        parts.push(match part.string("type")? {
            "output_text" => text(part)?,
            "refusal" if refuses == Refuses::Yes => Part::Text(part.string("refusal")?.to_owned()),
            _ => Part::Unknown {
                block: sent.clone(),
                deltas: Vec::new(),
            },
        });
    }
    Ok(())
}

fn text(part: Members<'_>) -> Checked<Part> {
    let text = part.string("text")?;
    let annotations = match part.get("annotations") {
        None => &[],
        Some(_) => part.array("annotations")?,
    };
    if !annotations.iter().all(Value::is_object) {
        return Err(part.wrong("annotations", "an array of objects"));
    }
    Ok(cited(text.to_owned(), annotations))
}

/// The part that a text with these annotations is.
pub(super) fn cited(text: String, annotations: &[Value]) -> Part {
    if annotations.is_empty() {
        return Part::Text(text);
    }
    let characters = Characters::of(&text);
    let citations = annotations.iter();
    let citations = citations.map(|sent| citation::read(sent, &characters));
    Part::CitedText {
        citations: citations.collect(),
        text,
    }
}

fn reasoning(item: Members<'_>) -> Checked<Part> {
    let mut texts: Vec<String> = Vec::new();
    for list in ["summary", "content"] {
        if item.get(list).is_none() {
            continue;
        }
        for (n, sent) in item.array(list)?.iter().enumerate() {
            let Value::Object(part) = sent else {
                return Err(item.wrong(list, "an array of objects"));
            };
            let path = format!("{}{list}[{n}].", item.path());
            texts.push(Members::new(&path, part).string("text")?.to_owned());
        }
    }
    let signature = item.string_or_null("encrypted_content")?;
    let signature = signature.unwrap_or_default().to_owned();
    Ok(if texts.is_empty() && !signature.is_empty() {
        Part::RedactedThinking { data: signature }
    } else {
        Part::Thinking {
            text: texts.join(BETWEEN_SUMMARIES),
            signature,
        }
    })
}

fn function_call(call: Members<'_>) -> Checked<Part> {
    let id = call.non_empty_string("call_id")?.to_owned();
    let name = call.non_empty_string("name")?.to_owned();
    let arguments = arguments(&name, call.string_or_null("arguments")?.unwrap_or_default())?;
    Ok(Part::ToolCall(ToolCall::new(id, name, arguments)))
}

fn custom_tool_call(call: Members<'_>) -> Checked<Part> {
    let id = call.non_empty_string("call_id")?.to_owned();
    let name = call.non_empty_string("name")?.to_owned();
    let input = call.string("input")?.to_owned();
    Ok(Part::CustomToolCall(CustomToolCall::new(id, name, input)))
}

/// The arguments as JSON; none at all are an empty object.
fn arguments(name: &str, text: &str) -> Checked<Value> {
    if matches!(text, "" | "null") {
        return Ok(Value::Object(Map::new()));
    }
    json::parse(text.as_bytes()).map_err(|_| {
        Problem::new(
            AccumulateErrorKind::ArgumentsNotJson {
                name: name.to_owned(),
                raw: text.to_owned(),
            },
            format!(
                "the arguments of the tool call `{}` are not JSON",
                name.escape_debug()
            ),
            "one JSON document, when the fragments are joined",
            Found::quoted(text),
        )
        .help("this is not the call that the model meant; it must not be run")
    })
}

fn server_tool(item: Members<'_>) -> Checked<(ServerToolCall, ServerToolResult)> {
    let kind = item.string("type")?;
    let id = item.non_empty_string("id")?.to_owned();
    let sent = |name: &str| item.get(name).cloned().unwrap_or_default();
    let mut name = kind.trim_end_matches("_call").to_owned();
    let mut server = None;
    let mut failed = item.string_or_null("status")? == Some("failed");
    let (arguments, content) = match kind {
        "web_search_call" => {
            let mut action = item.object_or_null("action")?.cloned().unwrap_or_default();
            let sources = action.remove("sources").unwrap_or_default();
            (Value::Object(action), sources)
        }
        "file_search_call" => (json!({"queries": sent("queries")}), sent("results")),
        "code_interpreter_call" => (
            json!({"code": sent("code"), "container_id": sent("container_id")}),
            sent("outputs"),
        ),
        _ => {
            item.non_empty_string("name")?.clone_into(&mut name);
            server = item.string_or_null("server_label")?.map(str::to_owned);
            let text = item.string_or_null("arguments")?.unwrap_or_default();
            failed = failed || item.get("error").is_some();
            let said = if failed { "error" } else { "output" };
            (arguments(&name, text)?, sent(said))
        }
    };
    let result = ServerToolResult::new(id.clone(), kind.to_owned(), Some(failed), content);
    let call = ServerToolCall {
        id,
        name,
        server,
        arguments,
        caller: None,
    };
    Ok((call, result))
}
