//! The body of the non-streaming answer: compact, no final newline.

use super::{Said, envelope};
use crate::{api::Context, script::Turn};

/// The body of the non-streaming answer to `turn`.
pub(crate) fn body(turn: &Turn, context: &Context) -> Result<Vec<u8>, String> {
    let said = Said::new(turn, context)?;
    let mut out = Vec::with_capacity(1024);
    envelope::write_start(&mut out, &said);
    for (n, block) in said.blocks.iter().enumerate() {
        if n > 0 {
            out.push(b',');
        }
        block.write_whole(&mut out, said.envelope)?;
    }
    out.extend_from_slice(b"],");
    envelope::write_stop(&mut out, &said);
    envelope::write_whole_usage(&mut out, &said);
    envelope::write_context_management(&mut out, &said);
    out.push(b'}');
    Ok(out)
}
