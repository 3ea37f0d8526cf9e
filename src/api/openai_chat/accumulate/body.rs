//! The non-streaming body in, its [`Reply`] out.

use serde_json::Value;

use super::{ChatAccumulator, Checked};
use crate::{
    api::{
        accumulate::{Members, body_object},
        openai::chunks::provider_error,
    },
    script::Reply,
};

/// The non-streaming body.
pub(crate) fn body_to_reply(body: &[u8]) -> Checked<Reply> {
    let map = body_object(body, &[b"data:"])?;
    let members = Members::new("", &map);
    if let Some(error) = provider_error(members, || "a chat.completion".to_owned()) {
        return Err(error);
    }
    match members.string_or_null("object")? {
        None | Some("chat.completion") => {}
        Some(_) => return Err(members.wrong("object", "`chat.completion`")),
    }
    let mut read = ChatAccumulator::default();
    members.non_empty_string("id")?;
    members.non_empty_string("model")?;
    read.envelope(members)?;
    let choices = members.array("choices")?;
    if choices.is_empty() {
        return Err(members.wrong("choices", "one choice or more"));
    }
    for (n, choice) in choices.iter().enumerate() {
        let Value::Object(choice) = choice else {
            return Err(members.wrong("choices", "an array of objects"));
        };
        let path = format!("choices[{n}].");
        let choice = Members::new(&path, choice);
        let state = read.choice(choice)?;
        let message = choice.object("message")?;
        state.whole(message, &format!("{path}message."))?;
        choice.non_empty_string("finish_reason")?;
        state.finish(choice)?;
    }
    read.close("message")?;
    read.finish(0)
}
