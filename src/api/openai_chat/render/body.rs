//! The body of the non-streaming answer: indented, with a newline at its end.

use super::{
    annotation,
    envelope::write_usage,
    logprobs::Logprobs,
    said::{Call, ContentKind, Said},
};
use crate::{
    api::Context,
    json::{indented, write_number, write_str},
    script::{ToolKind, Turn},
};

/// The body of the non-streaming answer to `turn`.
pub(crate) fn body(turn: &Turn, context: &Context) -> Result<Vec<u8>, String> {
    let said = Said::new(turn, context)?;
    let mut choice = Vec::with_capacity(512);
    write_choice(&mut choice, &said, context);
    let mut out = Vec::with_capacity(1024);
    said.envelope.write_start(&mut out, "chat.completion");
    out.extend_from_slice(br#","choices":["#);
    for n in 0..context.asked.chat.choices {
        if n > 0 {
            out.push(b',');
        }
        out.extend_from_slice(br#"{"index":"#);
        write_number(&mut out, u64::try_from(n).unwrap_or(u64::MAX));
        out.extend_from_slice(&choice);
    }
    out.push(b']');
    // in a stream it stands before the usage; of a body it is not known
    if let Some(found) = &said.moderation {
        out.extend_from_slice(br#","moderation":"#);
        out.extend_from_slice(found.as_str().as_bytes());
    }
    out.extend_from_slice(br#","usage":"#);
    write_usage(&mut out, &said.usage);
    said.envelope.write_tier(&mut out);
    out.push(b'}');
    let mut out = indented(&out, 2);
    out.push(b'\n');
    Ok(out)
}

/// `,"message":…}`: a choice behind its index.
fn write_choice(out: &mut Vec<u8>, said: &Said, context: &Context) {
    let content = said.content();
    out.extend_from_slice(br#","message":{"role":"assistant","content":"#);
    let text = said.kind == ContentKind::Text;
    if text && (said.calls.is_empty() || !content.is_empty()) {
        write_str(out, &content);
    } else {
        out.extend_from_slice(b"null");
    }
    if !said.calls.is_empty() {
        out.extend_from_slice(br#","tool_calls":["#);
        for (n, call) in said.calls.iter().enumerate() {
            if n > 0 {
                out.push(b',');
            }
            out.push(b'{');
            write_call(out, call, &call.arguments.text);
        }
        out.push(b']');
    }
    out.extend_from_slice(br#","refusal":"#);
    if text {
        out.extend_from_slice(b"null");
    } else {
        write_str(out, &content);
    }
    out.extend_from_slice(br#","annotations":"#);
    annotation::write_all(out, &said.annotations);
    out.push(b'}');
    match context.asked.chat.top_logprobs {
        Some(top) if !said.pieces.is_empty() => {
            out.extend_from_slice(br#","logprobs":"#);
            let pieces = said.pieces.iter().cloned();
            let tokens: Vec<_> = pieces.flat_map(super::said::Piece::fragments).collect();
            let tokens = tokens.iter().map(|token| token.text.as_str());
            Logprobs::new(context.seed, top).write(out, said.kind, tokens);
        }
        None if !said.envelope.says_no_logprobs => {}
        Some(_) | None => out.extend_from_slice(br#","logprobs":null"#),
    }
    out.extend_from_slice(br#","finish_reason":"#);
    write_str(out, &said.finish);
    out.push(b'}');
}

/// `"id":…,"type":"function","function":{…}}`, or the same of a custom tool: a call behind what opens it.
pub(super) fn write_call(out: &mut Vec<u8>, call: &Call, arguments: &str) {
    out.extend_from_slice(br#""id":"#);
    write_str(out, &call.id);
    out.extend_from_slice(match call.kind {
        ToolKind::Function => br#","type":"function","function":{"name":"#.as_slice(),
        ToolKind::Custom => br#","type":"custom","custom":{"name":"#,
    });
    write_str(out, &call.name);
    out.extend_from_slice(match call.kind {
        ToolKind::Function => br#","arguments":"#.as_slice(),
        ToolKind::Custom => br#","input":"#,
    });
    write_str(out, arguments);
    out.extend_from_slice(b"}}");
}
