//! The non-streaming body in, its [`Reply`] out.

use serde_json::{Map, Value};

use super::{Checked, event::Ending, failure, parts, usage};
use crate::{
    api::accumulate::{Members, body_object},
    script::{Json, Part, Reply, StopReason},
};

/// The non-streaming body.
pub(crate) fn body_to_reply(body: &[u8]) -> Checked<Reply> {
    let map = body_object(body, &[b"event:", b"data:"])?;
    let members = Members::new("", &map);
    let status = members.string_or_null("status")?;
    if status.is_none() && failure::is_one(members) {
        return Err(failure::reported(members, "a response"));
    }
    match members.string_or_null("object")? {
        None | Some("response") => {}
        Some(_) => return Err(members.wrong("object", "`response`")),
    }
    let ending = match status {
        Some("completed") => Ending::Completed,
        Some("incomplete") => Ending::Incomplete,
        Some("failed") => return Err(failure::failed(members, "a response that did not fail")),
        Some("queued" | "in_progress") => {
            let problem = members.wrong("status", "`completed` or `incomplete`");
            return Err(
                problem.help("the answer is still being made; ask for it again until it is done")
            );
        }
        Some(_) => return Err(members.wrong("status", "`completed`, `incomplete` or `failed`")),
        None => return Err(members.missing("status", "`completed`, `incomplete` or `failed`")),
    };
    let items = items(members)?;
    let refuses = match ending {
        Ending::Completed => parts::refuse(items.iter().copied()),
        Ending::Incomplete | Ending::Failed => parts::Refuses::No,
    };
    let mut said = Vec::new();
    for (n, item) in items.iter().enumerate() {
        parts::read(item, &format!("output[{n}]."), refuses, &mut said)?;
    }
    reply(members, ending, refuses, said)
}

/// The items of the output.
pub(super) fn items(response: Members<'_>) -> Checked<Vec<&Map<String, Value>>> {
    let items = response.array("output")?.iter().map(Value::as_object);
    let items: Option<Vec<_>> = items.collect();
    items.ok_or_else(|| response.wrong("output", "an array of objects"))
}

/// The reply of a response that ended so and came to these parts.
pub(super) fn reply(
    response: Members<'_>,
    ending: Ending,
    refuses: parts::Refuses,
    parts: Vec<Part>,
) -> Checked<Reply> {
    let is_call =
        |part: &Part| part.as_tool_call().is_some() || part.as_custom_tool_call().is_some();
    let calls = parts.iter().any(is_call);
    let reason = match ending {
        Ending::Incomplete => cut(response)?,
        Ending::Completed | Ending::Failed if calls => StopReason::ToolUse,
        Ending::Completed | Ending::Failed if refuses == parts::Refuses::Yes => StopReason::Refusal,
        Ending::Completed | Ending::Failed => StopReason::EndTurn,
    };
    let mut reply = Reply::new(
        response.non_empty_string("id")?.to_owned(),
        response
            .string_or_null("model")?
            .unwrap_or_default()
            .to_owned(),
        parts,
        reason,
        usage::read(response)?,
    );
    reply.service_tier = response.string_or_null("service_tier")?.map(str::to_owned);
    let moderation = response.object_or_null("moderation")?;
    reply.moderation = moderation.map(|found| Json::read(Value::Object(found.clone())));
    Ok(reply)
}

/// Why a response is incomplete.
fn cut(response: Members<'_>) -> Checked<StopReason> {
    let details = response.object_or_null("incomplete_details")?;
    let path = format!("{}incomplete_details.", response.path());
    let reason = match details {
        Some(details) => Members::new(&path, details).string_or_null("reason")?,
        None => None,
    };
    Ok(match reason {
        Some("max_output_tokens") => StopReason::MaxTokens,
        Some("content_filter") => StopReason::ContentFilter,
        Some(word) => StopReason::Other(word.to_owned()),
        None => StopReason::Other("incomplete".to_owned()),
    })
}
