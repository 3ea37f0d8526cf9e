//! The body of the non-streaming answer: indented, with a newline at its end, as that of Chat.

use super::{choice::Choice, logprobs::Logprobs, said::Said};
use crate::{
    api::{Context, openai::Piece},
    json::indented,
    script::Turn,
};

/// The body of the non-streaming answer to `turn`.
pub(crate) fn body(turn: &Turn, context: &Context) -> Result<Vec<u8>, String> {
    let said = Said::new(turn, context)?;
    let content = said.content();
    let pieces = said.pieces.iter().cloned();
    let tokens: Vec<_> = pieces.flat_map(Piece::fragments).collect();
    let tokens: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    let mut out = Vec::with_capacity(1024);
    said.write_start(&mut out);
    said.write_model(&mut out);
    out.extend_from_slice(br#","choices":["#);
    for (index, (echo, start)) in said.echoes.iter().zip(&said.starts).enumerate() {
        if index > 0 {
            out.push(b',');
        }
        let top = context.asked.completions.top_logprobs;
        let choice = Choice {
            index,
            text: &format!("{echo}{content}"),
            logprobs: top.map(|top| Logprobs::new(context.seed, top).write(echo, &tokens, *start)),
            finish: Some(&said.finish),
        };
        choice.write(&mut out);
    }
    out.push(b']');
    said.write_usage(&mut out);
    out.push(b'}');
    let mut out = indented(&out, 2);
    out.push(b'\n');
    Ok(out)
}
