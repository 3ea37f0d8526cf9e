//! The non-streaming body in, its [`Reply`] out.

use serde_json::Value;

use super::{
    Block, Checked, MessagesAccumulator, Stage, check_role, extras, provider_error, usage,
};
use crate::{
    api::accumulate::{Members, body_object},
    script::Reply,
};

/// The non-streaming body.
pub(crate) fn body_to_reply(body: &[u8]) -> Checked<Reply> {
    let map = body_object(body, &[b"event:", b"data:"])?;
    let message = Members::new("", &map);
    match message.string("type")? {
        "message" => {}
        "error" => return Err(provider_error(message, "a message".to_owned())),
        _ => return Err(message.wrong("type", "`message`, or `error`")),
    }
    check_role(message)?;
    let mut read = MessagesAccumulator {
        stage: Stage::Stopped,
        id: message.non_empty_string("id")?.to_owned(),
        model: message.non_empty_string("model")?.to_owned(),
        stop_reason: Some(message.string("stop_reason")?.to_owned()),
        stop_sequence: message.string_or_null("stop_sequence")?.map(str::to_owned),
        ..MessagesAccumulator::default()
    };
    usage::read(message, "usage.", &mut read.usage)?;
    extras::of_message(message, "", &mut read.extras)?;
    extras::of_stop(message, "", &mut read.extras)?;
    for (n, block) in message.array("content")?.iter().enumerate() {
        let path = format!("content[{n}].");
        let Value::Object(block) = block else {
            return Err(message.wrong("content", "an array of objects"));
        };
        let word = block.get("type").and_then(Value::as_str);
        if let Some("tool_use" | "server_tool_use" | "mcp_tool_use") = word {
            Members::new(&path, block).required("input", "a JSON value, the arguments")?;
        }
        let mut block = Block::start(block.clone(), &path)?;
        block.stop()?;
        read.blocks.push(block);
    }
    read.finish(0)
}
